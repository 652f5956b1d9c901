/* Spells values by their types. */
#include "cli/value_spell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_text(struct row_text *text, const char *added) { row_text_add(text, added, strlen(added)); }

static void add_hex(struct row_text *text, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        row_text_byte(text, "0123456789abcdef"[bytes[i] >> 4]);
        row_text_byte(text, "0123456789abcdef"[bytes[i] & 15]);
    }
}

/* The shortest text of 6 to 9 digits that is read back as this number. */
static void add_float(struct row_text *text, float number)
{
    char digits[40];
    for (int precision = 6; precision <= 9; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)number);
        if (strtof(digits, NULL) == number) break;
    }
    add_text(text, digits);
}

static void add_real(struct row_text *text, struct value_form form, double number, bool json)
{
    if (json && !isfinite(number)) add_text(text, "null");
    else if (form.type == ROOST_TYPE_F32) add_float(text, (float)number);
    else row_text_real(text, number);
}

void value_spell(struct row_text *text, struct value_form form, const void *value, bool json)
{
    union {
        uint32_t u32;
        uint64_t u64;
        int32_t i32;
        int64_t i64;
        float f32;
        double f64;
    } number;
    memcpy(&number, value, form.bytes < sizeof number ? form.bytes : sizeof number);
    switch (form.type) {
    case ROOST_TYPE_U32: row_text_unsigned(text, number.u32); break;
    case ROOST_TYPE_U64: row_text_unsigned(text, number.u64); break;
    case ROOST_TYPE_I32: row_text_number(text, number.i32); break;
    case ROOST_TYPE_I64: row_text_number(text, number.i64); break;
    case ROOST_TYPE_F32: add_real(text, form, (double)number.f32, json); break;
    case ROOST_TYPE_F64: add_real(text, form, number.f64, json); break;
    case ROOST_TYPE_BYTES:
        if (json) row_text_byte(text, '"');
        add_hex(text, (const uint8_t *)value, form.bytes);
        if (json) row_text_byte(text, '"');
        break;
    case ROOST_TYPE_NONE:
    case ROOST_TYPE_STRING: break;
    }
}
