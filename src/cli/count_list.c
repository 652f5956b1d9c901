/* Writes rows of keys and counts. */
#include "cli/count_list.h"

#include <inttypes.h>
#include <string.h>

#include "cli/json.h"
#include "cli/outpack.h"

enum list_format count_list_format(const char *name)
{
    if (outpack_name_ends(name, ".csv")) return LIST_CSV;
    return outpack_name_ends(name, ".jsonl") || outpack_name_ends(name, ".ndjson") ? LIST_JSON_LINES : LIST_TSV;
}

void count_list_begin(struct count_list *list)
{
    if (list->format == LIST_CSV) fputs("key,count\n", list->to);
}

/* As RFC 4180.  Spelled keys have no line ends. */
static void write_csv(FILE *to, const char *key)
{
    if (key[strcspn(key, ",\"")] == 0) {
        fputs(key, to);
        return;
    }
    putc('"', to);
    for (; *key != 0; key++) {
        if (*key == '"') putc('"', to);
        putc(*key, to);
    }
    putc('"', to);
}

/* A key is a string, as no number of JSON has 64 bits in all programs. */
static bool write_json(FILE *to, const char *key)
{
    json_t *value = key != NULL ? json_text(key) : json_null();
    const bool made = value != NULL && (fputs("{\"key\": ", to), json_dumpf(value, to, JSON_ENCODE_ANY) == 0 || ferror(to));
    json_decref(value);
    return made;
}

bool count_list_row(struct count_list *list, const uint64_t *key, uint64_t count)
{
    const char *text = key != NULL ? key_spell(&list->text, list->form, list->store, *key) : KEY_NULL;
    if (text == NULL) return false;
    switch (list->format) {
    case LIST_TSV: fprintf(list->to, "%s\t%" PRIu64 "\n", text, count); break;
    case LIST_CSV:
        write_csv(list->to, text);
        fprintf(list->to, ",%" PRIu64 "\n", count);
        break;
    case LIST_JSON_LINES:
        if (!write_json(list->to, key != NULL ? text : NULL)) return false;
        fprintf(list->to, ", \"count\": %" PRIu64 "}\n", count);
        break;
    }
    return true;
}

void count_list_release(struct count_list *list) { key_text_release(&list->text); }
