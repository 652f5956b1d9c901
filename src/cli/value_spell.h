/* Values of a table as text. */
#ifndef ROOST_CLI_VALUE_SPELL_H
#define ROOST_CLI_VALUE_SPELL_H

#include <stdbool.h>

#include "cli/row_text.h"
#include "roost/roost.h"

struct value_form {
    roost_type type;  /* ROOST_TYPE_NONE: the keys are all there is */
    size_t bytes;     /* of a value */
    const char *name; /* of the column */
};

/* How counts of 4 or 8 bytes are written. */
static inline struct value_form value_form_count(size_t bytes)
{
    return (struct value_form){bytes == 4 ? ROOST_TYPE_U32 : ROOST_TYPE_U64, bytes, "count"};
}

static inline bool value_is_unsigned(struct value_form form) { return form.type == ROOST_TYPE_U32 || form.type == ROOST_TYPE_U64; }

/* Adds a value: numbers in decimal, ROOST_TYPE_BYTES in hexadecimal.  json: as a value of JSON,
 * which has no infinite numbers: they are null. */
void value_spell(struct row_text *text, struct value_form form, const void *value, bool json);

#endif
