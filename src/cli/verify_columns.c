/* Counts the fields of a column, by lines and strings. */
#define _GNU_SOURCE 1
#include <string.h>

#include "cli/verify_fields.h"
#include "cli/verify_files.h"
#include "cli/verify_parse.h"
#include "cli/verify_record.h"

static char *field_number(struct verify_record *record, uint64_t number, char separator, size_t *length)
{
    char *at = record->text;
    char *field = NULL;
    for (uint64_t i = 0; i < number; i++)
        if ((field = verify_record_field(&at, record->text + record->length, separator, length)) == NULL) return NULL;
    return field;
}

static uint64_t find_name(struct verify_record *record, const char *name, char separator)
{
    char *at = record->text;
    uint64_t number = 1;
    size_t length;
    for (char *field; (field = verify_record_field(&at, record->text + record->length, separator, &length)) != NULL; number++)
        if (strcmp(field, name) == 0) return number;
    return 0;
}

static bool recount_records(struct recount *recount, FILE *file, struct verify_ends ends, struct verify_record *record)
{
    uint64_t column = recount->plan->column;
    bool header = recount->plan->header || column == 0;
    int more;
    while ((more = verify_record_read(record, file, ends, recount->plan->comment)) > 0) {
        if (recount->plan->skip_blank && record->length == 0) continue;
        if (!header) {
            size_t length = 0;
            const char *field = field_number(record, column, ends.separator, &length);
            if (!verify_add_field(recount, field, length)) return false;
            continue;
        }
        header = false;
        if (column == 0 && (column = find_name(record, recount->plan->name, ends.separator)) == 0)
            return recount_fail(recount, "the header lacks the column");
    }
    return more == 0 || recount_fail(recount, "out of memory");
}

bool verify_parse_column(struct recount *recount, FILE *file)
{
    const struct verify_syntax given = {recount->plan->verbatim, recount->plan->separator, recount->plan->comment};
    struct verify_ends ends;
    if (!verify_find_ends(recount->file, &given, &ends)) return recount_fail(recount, "cannot open or read");
    struct verify_record record = {.text = NULL};
    const bool ok = recount_records(recount, file, ends, &record);
    verify_record_release(&record);
    return ok;
}
