/* Counts files again, and compares with a table's contents. */
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
    if (ok && !feof(file)) ok = recount_fail(recount, "cannot read"); /* or no memory for a line */
    if (fclose(file) != 0 && ok) ok = recount_fail(recount, "ends too early or is damaged");
    return ok;
}

/* What the table has to hold for a key that occurs so often. */
static uint64_t expected_count(const struct verify_plan *plan, uint64_t occurrences)
{
    return occurrences > plan->largest / plan->step ? plan->largest : occurrences * plan->step;
}

static enum verify_result compare(const struct recount *recount, const struct key_count *table, size_t table_n,
                                  struct verify_difference *difference)
{
    size_t t = 0;
    size_t f = 0;
    while (t < table_n || f < recount->sorted_n) {
        const bool from_table = f == recount->sorted_n || (t < table_n && table[t].key <= recount->sorted[f].key);
        difference->key = from_table ? table[t].key : recount->sorted[f].key;
        const bool in_files = f < recount->sorted_n && recount->sorted[f].key == difference->key;
        difference->in_table = from_table ? table[t++].count : 0;
        difference->in_files = in_files ? expected_count(recount->plan, recount->sorted[f++].count) : 0;
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
    const enum verify_result result = ok ? compare(&recount, table, table_n, difference) : VERIFY_FAILED;
    recount_release(&recount);
    return result;
}
