/* Integers and floats of other widths, and dictionaries. */
#include "arrow/arrow_decode.h"

#include <string.h>

#include "arrow/arrow_bits.h"

/* ---- Widths ---------------------------------------------------------------------------------- */

void bits_widen(const uint8_t *from, uint64_t first, size_t n, int bytes, void *to)
{
    for (size_t i = 0; i < n; i++) store_width(bytes, to, i, bit_is_set(from, first + i));
}

static void floats_widen(const char *from, size_t n, void *to)
{
    for (size_t i = 0; i < n; i++) {
        float narrow;
        memcpy(&narrow, from + i * sizeof narrow, sizeof narrow);
        const double wide = narrow;
        memcpy((char *)to + i * sizeof wide, &wide, sizeof wide);
    }
}

/* An integer at any address, with its sign. */
static inline uint64_t integer_load(const char *at, size_t bytes, bool is_signed)
{
    uint64_t x = 0;
    uint8_t one;
    uint16_t two;
    uint32_t four;
    switch (bytes) {
    case 1: return memcpy(&one, at, 1), is_signed ? (uint64_t)(int8_t)one : one;
    case 2: return memcpy(&two, at, 2), is_signed ? (uint64_t)(int16_t)two : two;
    case 4: return memcpy(&four, at, 4), is_signed ? (uint64_t)(int32_t)four : four;
    default: return memcpy(&x, at, 8), x;
    }
}

/* From, sign and to are constants where it is inlined. */
static inline __attribute__((always_inline)) void integers_widen(const char *from, size_t n, size_t bytes, bool is_signed, int wide,
                                                                 void *to)
{
    for (size_t i = 0; i < n; i++) store_width(wide, to, i, integer_load(from + i * bytes, bytes, is_signed));
}

static void integers_widen_to(const char *from, size_t n, size_t bytes, bool is_signed, int wide, void *to)
{
    if (bytes == 1 && wide == 4) integers_widen(from, n, 1, is_signed, 4, to);
    else if (bytes == 2 && wide == 4) integers_widen(from, n, 2, is_signed, 4, to);
    else if (bytes == 4 && wide == 8) integers_widen(from, n, 4, is_signed, 8, to);
    else integers_widen(from, n, bytes, is_signed, wide, to);
}

void items_widen(const struct arrow_format *format, const void *from, size_t n, int bytes, void *to)
{
    if (format->kind == FORMAT_FLOAT) floats_widen((const char *)from, n, to);
    else integers_widen_to((const char *)from, n, format->bytes, format->kind == FORMAT_SIGNED, bytes, to);
}

/* ---- Dictionaries ---------------------------------------------------------------------------- */

/* The item of a row; *null: it has none. */
static roost_status index_read(const struct dictionary *d, size_t row, const uint8_t *validity, uint64_t *index, bool *null)
{
    *index = 0;
    *null = validity && !bit_is_set(validity, row);
    if (*null) return ROOST_OK;
    *index = integer_load(d->indices + row * d->format.bytes, d->format.bytes, d->format.kind == FORMAT_SIGNED);
    *null = d->items.validity && *index < d->n && !bit_is_set(d->items.validity, *index);
    if (*index < d->n) return ROOST_OK;
    return error_set(thread_error(), ROOST_ERR_ARGUMENT,
                     "row %zu of a dictionary array has index %lld, and the dictionary %zu items", row, (long long)*index, d->n);
}

static roost_status fixed_decode(const struct dictionary *d, size_t rows, uint8_t *validity, void *to)
{
    const int bytes = type_width(d->items.type, d->items.bytes);
    for (size_t i = 0; i < rows; i++) {
        uint64_t index;
        bool null;
        const roost_status status = index_read(d, i, validity, &index, &null);
        char *const at = (char *)to + i * (unsigned)bytes;
        if (status) return status;
        if (null && validity) bit_clear(validity, i);
        if (null) memset(at, 0, (unsigned)bytes);
        else memcpy(at, (const char *)d->items.values + index * (unsigned)bytes, (unsigned)bytes);
    }
    return ROOST_OK;
}

static uint64_t offset_of(const roost_column *c, uint64_t i) { return load_width(c->offset_bytes, c->offsets, i); }

/* Where each string will be. */
static roost_status lengths_decode(const struct dictionary *d, size_t rows, uint8_t *validity, uint64_t *offsets)
{
    offsets[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        uint64_t index;
        bool null;
        const roost_status status = index_read(d, i, validity, &index, &null);
        if (status) return status;
        if (null && validity) bit_clear(validity, i);
        const uint64_t length = null ? 0 : offset_of(&d->items, index + 1) - offset_of(&d->items, index);
        if (length > INT64_MAX - offsets[i])
            return error_set(thread_error(), ROOST_ERR_ARGUMENT, "the strings of a dictionary array have more than 2^63 bytes");
        offsets[i + 1] = offsets[i] + length;
    }
    return ROOST_OK;
}

static roost_status strings_decode(const struct dictionary *d, size_t rows, uint8_t *validity, struct arrow_memory *m,
                                   roost_column *column)
{
    uint64_t *const offsets = (uint64_t *)arrow_new_copy(m, rows + 1, sizeof *offsets);
    if (!offsets) return ROOST_ERR_MEMORY;
    const roost_status status = lengths_decode(d, rows, validity, offsets);
    if (status) return status;
    char *const bytes = (char *)arrow_new_copy(m, offsets[rows], 1);
    if (!bytes) return ROOST_ERR_MEMORY;
    for (size_t i = 0; i < rows; i++) {
        const uint64_t length = offsets[i + 1] - offsets[i];
        if (!length) continue;
        const uint64_t index = integer_load(d->indices + i * d->format.bytes, d->format.bytes, d->format.kind == FORMAT_SIGNED);
        memcpy(bytes + offsets[i], (const char *)d->items.values + offset_of(&d->items, index), (size_t)length);
    }
    column->offset_bytes = 8;
    column->offsets = offsets;
    column->values = bytes;
    return ROOST_OK;
}

roost_status dictionary_decode(const struct dictionary *d, size_t rows, uint8_t *validity, struct arrow_memory *m,
                               roost_column *column)
{
    if (column->type == ROOST_TYPE_STRING) return strings_decode(d, rows, validity, m, column);
    void *const items = arrow_new_copy(m, rows, (unsigned)type_width(column->type, column->bytes));
    column->values = items;
    return items ? fixed_decode(d, rows, validity, items) : ROOST_ERR_MEMORY;
}
