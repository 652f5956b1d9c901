/* Keys of groups whose columns have types. */
#include "cli/group_spell.h"

#include <string.h>

#include "cli/input_options.h"
#include "io/io_bytes.h"
#include "io/io_field.h"

/* How the keys of a type are written. */
static struct key_form form_of(const struct io_spec *as)
{
    struct input_options column;
    const struct key_kind kind = {IO_I64, 8};
    memset(&column, 0, sizeof column);
    column.spec = *as;
    column.spec.layout = IO_COLUMN;
    return input_options_form(&column, kind);
}

/* Is an integer written as it is spelled, without a plus, zeros before it, or a minus before 0? */
static bool is_spelled(const struct row_fields *field)
{
    const size_t sign = field->length > 0 && field->field[0] == '-', digits = field->length - sign;
    if (digits == 0 || field->field[sign] < '0' || field->field[sign] > '9') return false;
    return field->field[sign] != '0' || field->length == 1;
}

static void spell_field(struct row_text *spelled, const struct io_spec *as, struct key_form form, const struct row_fields *field)
{
    struct key_text text = {.grown = NULL};
    uint64_t key = 0;
    if (field->null) return;
    const bool is_integer = form.spelling == SPELL_I64 || form.spelling == SPELL_I32 || form.spelling == SPELL_UNSIGNED;
    if (as->field == IO_FIELD_STRING || (is_integer && is_spelled(field))) {
        row_text_field(spelled, field->field, field->length, false);
        return;
    }
    io_field_parse(as, (const char *)field->field, field->length, &key);
    const char *const spelling = key_spell(&text, form, NULL, key);
    row_text_add(spelled, spelling, strlen(spelling));
}

bool group_spell(const struct group_options *options, const struct texts *keys, struct row_text *spelled, uint64_t *offsets)
{
    struct key_form forms[COLUMN_NAMES_MOST];
    struct row_fields fields = {.at = NULL};
    for (size_t c = 0; c < options->by.n; c++) forms[c] = form_of(&options->as[c]);
    spelled->used = 0;
    offsets[0] = 0;
    for (size_t i = 0; i < keys->n; i++) {
        fields.at = keys->bytes + keys->offsets[i];
        fields.end = keys->bytes + keys->offsets[i + 1];
        for (size_t c = 0; row_fields_next(&fields); c++) {
            if (c > 0) row_text_byte(spelled, ',');
            spell_field(spelled, &options->as[c], forms[c], &fields);
        }
        offsets[i + 1] = spelled->used;
    }
    row_text_room(spelled, IO_PADDING); /* that key_words_make may read */
    row_text_release(&fields.unquoted);
    return !spelled->failed;
}
