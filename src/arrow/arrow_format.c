/* Format strings of Arrow's C data interface
 * (https://arrow.apache.org/docs/format/CDataInterface.html, "Data type description"). */
#include "arrow/arrow_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Reading --------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    struct arrow_format format;
} formats[] = {
    {"b", {FORMAT_BOOL, 0}},     {"c", {FORMAT_SIGNED, 1}},   {"C", {FORMAT_UNSIGNED, 1}}, {"s", {FORMAT_SIGNED, 2}},
    {"S", {FORMAT_UNSIGNED, 2}}, {"i", {FORMAT_SIGNED, 4}},   {"I", {FORMAT_UNSIGNED, 4}}, {"l", {FORMAT_SIGNED, 8}},
    {"L", {FORMAT_UNSIGNED, 8}}, {"f", {FORMAT_FLOAT, 4}},    {"g", {FORMAT_FLOAT, 8}},    {"z", {FORMAT_STRING, 4}},
    {"u", {FORMAT_STRING, 4}},   {"Z", {FORMAT_STRING, 8}},   {"U", {FORMAT_STRING, 8}},   {"vz", {FORMAT_VIEW, 16}},
    {"vu", {FORMAT_VIEW, 16}},   {"tdD", {FORMAT_SIGNED, 4}}, {"tdm", {FORMAT_SIGNED, 8}}, {"tts", {FORMAT_SIGNED, 4}},
    {"ttm", {FORMAT_SIGNED, 4}}, {"ttu", {FORMAT_SIGNED, 8}}, {"ttn", {FORMAT_SIGNED, 8}}, {"tDs", {FORMAT_SIGNED, 8}},
    {"tDm", {FORMAT_SIGNED, 8}}, {"tDu", {FORMAT_SIGNED, 8}}, {"tDn", {FORMAT_SIGNED, 8}}, {"tiM", {FORMAT_SIGNED, 4}},
    {"tiD", {FORMAT_BYTES, 8}},  {"tin", {FORMAT_BYTES, 16}}, {"+s", {FORMAT_STRUCT, 0}},
};

/* A number of up to 9 digits; moves *text behind it. */
static bool number_read(const char **text, long *number, long least, long most)
{
    const char *at = *text;
    const bool negative = *at == '-';
    long sum = 0;
    at += negative;
    if (*at < '0' || *at > '9') return false;
    for (int digits = 0; *at >= '0' && *at <= '9'; at++, digits++) {
        if (digits == 9) return false;
        sum = 10 * sum + (*at - '0');
    }
    *number = negative ? -sum : sum;
    *text = at;
    return *number >= least && *number <= most;
}

/* d:PRECISION,SCALE and perhaps ,BITS. */
static bool decimal_read(const char *text, struct arrow_format *format)
{
    long precision, scale, bits = 128;
    if (!number_read(&text, &precision, 1, 76) || *text++ != ',' || !number_read(&text, &scale, -128, 127)) return false;
    if (*text == ',' && (text++, !number_read(&text, &bits, 32, 256))) return false;
    if (*text || (bits != 32 && bits != 64 && bits != 128 && bits != 256)) return false;
    *format = (struct arrow_format){FORMAT_BYTES, (size_t)bits / 8};
    return true;
}

static bool width_read(const char *text, struct arrow_format *format)
{
    long bytes;
    if (!number_read(&text, &bytes, 0, 999999999) || *text) return false;
    *format = (struct arrow_format){FORMAT_BYTES, (size_t)bytes};
    return true;
}

/* ts and a unit, and a time zone that may be empty. */
static bool is_timestamp(const char *text)
{
    return !strncmp(text, "ts", 2) && text[2] && strchr("smun", text[2]) && text[3] == ':';
}

static bool is_refused(const char *text) { return !strcmp(text, "n") || !strcmp(text, "e") || *text == '+'; }

roost_status format_read(const char *text, struct arrow_format *format)
{
    struct error *const error = thread_error();
    if (!text) return error_set(error, ROOST_ERR_ARGUMENT, "a schema's format is NULL");
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (!strcmp(text, formats[i].text)) return *format = formats[i].format, ROOST_OK;
    if (is_timestamp(text)) return *format = (struct arrow_format){FORMAT_SIGNED, 8}, ROOST_OK;
    if (!strncmp(text, "w:", 2) && width_read(text + 2, format)) return ROOST_OK;
    if (!strncmp(text, "d:", 2) && decimal_read(text + 2, format)) return ROOST_OK;
    if (is_refused(text))
        return error_set(error, ROOST_ERR_UNSUPPORTED,
                         "columns of format \"%.32s\" are not taken: use integers, floats, binary or strings", text);
    return error_set(error, ROOST_ERR_ARGUMENT, "\"%.32s\" is no format of an Arrow column", text);
}

/* ---- Types ----------------------------------------------------------------------------------- */

void format_column(const struct arrow_format *format, roost_column *column)
{
    static const roost_column defaults = ROOST_COLUMN_INIT;
    const bool wide = format->bytes == 8;
    *column = defaults;
    switch (format->kind) {
    case FORMAT_SIGNED: column->type = wide ? ROOST_TYPE_I64 : ROOST_TYPE_I32; return;
    case FORMAT_FLOAT: column->type = wide ? ROOST_TYPE_F64 : ROOST_TYPE_F32; return;
    case FORMAT_BYTES: column->type = ROOST_TYPE_BYTES, column->bytes = format->bytes; return;
    case FORMAT_STRING: column->type = ROOST_TYPE_STRING, column->offset_bytes = (int)format->bytes; return;
    case FORMAT_VIEW: column->type = ROOST_TYPE_STRING; return;
    default: column->type = wide ? ROOST_TYPE_U64 : ROOST_TYPE_U32; return;
    }
}

static bool type_is_signed(roost_type type) { return type == ROOST_TYPE_I32 || type == ROOST_TYPE_I64; }
static bool type_is_unsigned(roost_type type) { return type == ROOST_TYPE_U32 || type == ROOST_TYPE_U64; }

bool format_agrees(const struct arrow_format *format, const roost_column *type)
{
    const bool to_signed = type_is_signed(type->type), to_unsigned = type_is_unsigned(type->type);
    const size_t bytes = type->type == ROOST_TYPE_STRING ? 0 : (size_t)type_width(type->type, type->bytes);
    switch (format->kind) {
    case FORMAT_BOOL: return to_signed || to_unsigned;
    case FORMAT_UNSIGNED: return (to_unsigned && format->bytes <= bytes) || (to_signed && format->bytes < bytes);
    case FORMAT_SIGNED: return to_signed && format->bytes <= bytes;
    case FORMAT_FLOAT: return type->type == ROOST_TYPE_F64 || (type->type == ROOST_TYPE_F32 && format->bytes == 4);
    case FORMAT_BYTES: return type->type == ROOST_TYPE_BYTES && format->bytes == bytes;
    case FORMAT_STRING:
    case FORMAT_VIEW: return type->type == ROOST_TYPE_STRING;
    default: return false;
    }
}

bool format_is_direct(const struct arrow_format *format, const roost_column *type)
{
    if (format->kind == FORMAT_STRING) return true;
    if (format->kind == FORMAT_VIEW || format->kind == FORMAT_BOOL) return false;
    return format->bytes == (size_t)type_width(type->type, type->bytes);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static const struct {
    const char *name, *format;
} types[] = {
    [ROOST_TYPE_NONE] = {"NONE", "b"}, [ROOST_TYPE_U32] = {"U32", "I"},     [ROOST_TYPE_U64] = {"U64", "L"},
    [ROOST_TYPE_I32] = {"I32", "i"},   [ROOST_TYPE_I64] = {"I64", "l"},     [ROOST_TYPE_F32] = {"F32", "f"},
    [ROOST_TYPE_F64] = {"F64", "g"},   [ROOST_TYPE_BYTES] = {"BYTES", "w"}, [ROOST_TYPE_STRING] = {"STRING", "Z"},
};

const char *format_type_name(roost_type type)
{
    return (size_t)type < sizeof types / sizeof types[0] ? types[type].name : "unknown";
}

void format_write(roost_type type, size_t bytes, bool utf8, char text[FORMAT_TEXT])
{
    if (type == ROOST_TYPE_BYTES) (void)snprintf(text, FORMAT_TEXT, "w:%zu", bytes);
    else (void)snprintf(text, FORMAT_TEXT, "%s", type == ROOST_TYPE_STRING && utf8 ? "U" : types[type].format);
}

/* ---- The call -------------------------------------------------------------------------------- */

ROOST_EXPORT roost_status roost_arrow_column(const struct ArrowSchema *schema, roost_column *column)
{
    struct error *const error = thread_error();
    struct arrow_format format;
    if (!schema || !column) return error_set(error, ROOST_ERR_ARGUMENT, "roost_arrow_column: an argument is NULL");
    if (!schema->release) return error_set(error, ROOST_ERR_ARGUMENT, "the schema is released");
    roost_status status = format_read(schema->format, &format);
    if (!status && schema->dictionary) status = format_read(schema->dictionary->format, &format);
    if (status) return status;
    if (format.kind == FORMAT_STRUCT)
        return error_set(error, ROOST_ERR_UNSUPPORTED, "a struct (format \"+s\") is no column: name one of its children");
    format_column(&format, column);
    column->nullable = (schema->flags & ARROW_FLAG_NULLABLE) != 0;
    return ROOST_OK;
}
