/* Counts files again, and compares the counts with a table's contents. */
#include "cli/verify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/verify_files.h"
#include "cli/verify_parse.h"

static bool recount_file(struct recount *recount, const char *path)
{
    recount->file = path;
    FILE *file = verify_open(path, recount->plan->verbatim);
    if (file == NULL) return recount_fail(recount, "cannot open: %s", strerror(errno));
    bool ok = verify_parse(recount, file);
    /* or no memory for a line */
    if (ok && !feof(file)) ok = recount_fail(recount, "cannot read");
    if (fclose(file) != 0 && ok) ok = recount_fail(recount, "is truncated or damaged");
    return ok;
}

/* The count that the table must have for a key that occurs `occurrences` times. */
static uint64_t expected_count(const struct verify_plan *plan, uint64_t occurrences)
{
    return occurrences > plan->largest / plan->step ? plan->largest : occurrences * plan->step;
}

static enum verify_result compare(const struct recount *recount, const struct key_count *table, size_t table_n,
                                  struct verify_difference *difference)
{
    const uint64_t sign = recount->plan->sign;
    size_t t = 0;
    size_t f = 0;
    while (t < table_n || f < recount->sorted_n) {
        const bool from_table = f == recount->sorted_n || (t < table_n && (table[t].key ^ sign) <= recount->sorted[f].key);
        difference->key = from_table ? table[t].key : recount->sorted[f].key ^ sign;
        const bool in_files = f < recount->sorted_n && recount->sorted[f].key == (difference->key ^ sign);
        difference->in_table = from_table ? table[t++].count : 0;
        difference->in_files = in_files ? expected_count(recount->plan, recount->sorted[f++].count) : 0;
        if (difference->in_table != difference->in_files) return VERIFY_DIFFERENT;
    }
    return VERIFY_EQUAL;
}

/* Compares as memcmp.  If one key begins with the other, the shorter one comes first. */
static int compare_bytes(struct key_bytes a, const char *bytes, size_t length)
{
    const int order = memcmp(a.at, bytes, a.length < length ? a.length : length);
    return order != 0 ? order : a.length < length ? -1 : a.length > length;
}

static void show(struct verify_difference *difference, const void *bytes, size_t length)
{
    difference->cut = length > VERIFY_SHOWN;
    difference->shown_bytes = difference->cut ? VERIFY_SHOWN : length;
    memcpy(difference->shown, bytes, difference->shown_bytes);
}

static enum verify_result compare_strings(const struct recount *recount, const struct key_count *table, size_t table_n,
                                          struct verify_difference *difference)
{
    const struct verify_strings *strings = &recount->strings;
    for (size_t t = 0, f = 0; t < table_n || f < strings->n;) {
        const struct key_bytes none = {(const uint8_t *)"", 0};
        const struct key_bytes in_table = t < table_n ? key_store_get(recount->plan->store, table[t].key) : none;
        const struct verify_string *in_files = f < strings->n ? &strings->items[f] : NULL;
        const char *bytes = in_files != NULL ? strings->text + in_files->at : NULL;
        const int order = t == table_n ? 1 : in_files == NULL ? -1 : compare_bytes(in_table, bytes, in_files->length);
        if (order <= 0) show(difference, in_table.at, in_table.length);
        else show(difference, bytes, in_files->length);
        difference->in_table = order <= 0 ? table[t++].count : 0;
        difference->in_files = order >= 0 ? expected_count(recount->plan, in_files->count) : 0;
        f += order >= 0;
        if (difference->in_table != difference->in_files) return VERIFY_DIFFERENT;
    }
    return VERIFY_EQUAL;
}

enum verify_result verify_counts(const struct verify_plan *plan, const struct key_count *table, size_t table_n,
                                 struct verify_difference *difference, char *why, size_t why_bytes)
{
    struct recount recount;
    bool ok = recount_begin(&recount, plan, why, why_bytes);
    for (size_t i = 0; i < plan->files_n && ok; i++) ok = recount_file(&recount, plan->files[i]);
    ok = ok && recount_finish(&recount);
    if (ok && recount.left_out != plan->left_out)
        ok = recount_fail(&recount, "%llu records of all files have no key, and %llu were left out",
                          (unsigned long long)recount.left_out, (unsigned long long)plan->left_out);
    enum verify_result result = VERIFY_FAILED;
    if (ok) result = (plan->store != NULL ? compare_strings : compare)(&recount, table, table_n, difference);
    recount_release(&recount);
    return result;
}
