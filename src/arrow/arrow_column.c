/* Columns made of Arrow arrays. */
#include "arrow/arrow_column.h"

#include <inttypes.h>
#include <string.h>

#include "arrow/arrow_bits.h"
#include "arrow/arrow_decode.h"

roost_status column_agrees(const struct arrow_source *s, const roost_column *type, const char *what)
{
    struct arrow_format format;
    const roost_status status = source_format(s, &format);
    const char *const text = s->array->dictionary ? s->schema->dictionary->format : s->schema->format;
    if (status || format_agrees(&format, type)) return status;
    if (type->type == ROOST_TYPE_BYTES)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "%s: an Arrow column of format \"%.32s\" is none of BYTES, %zu wide",
                         what, text, type->bytes);
    return error_set(thread_error(), ROOST_ERR_ARGUMENT,
                     "%s: an Arrow column of format \"%.32s\" does not become %s without loss (roost/arrow.h, Types)", what, text,
                     format_type_name(type->type));
}

/* ---- Validity -------------------------------------------------------------------------------- */

static bool array_may_be_null(const struct ArrowArray *array) { return array && array->null_count != 0 && array->buffers[0]; }

static roost_status nulls_check(const struct ArrowArray *array)
{
    if (!array || array->null_count <= 0 || array->buffers[0]) return ROOST_OK;
    return error_set(thread_error(), ROOST_ERR_ARGUMENT, "an Arrow array has %" PRId64 " NULLs, and no validity buffer",
                     array->null_count);
}

/* The bytes from that of bit `first` on. */
static roost_status bits_fetch(struct arrow_source *s, struct arrow_memory *m, const void *bits, uint64_t first, const void **to)
{
    return source_fetch(s, m, bits, first / 8, (first % 8 + s->n + 7) / 8, to);
}

/* Bits of their own: those of the array and of its parent, as far as they have any. */
static roost_status validity_copy(struct arrow_source *s, struct arrow_memory *m, const uint8_t **validity)
{
    uint8_t *const to = (uint8_t *)arrow_new_copy(m, (s->n + 7) / 8, 1);
    const bool own = array_may_be_null(s->array), above = array_may_be_null(s->parent);
    const void *bits = NULL, *parent = NULL;
    if (!to) return ROOST_ERR_MEMORY;
    roost_status status = own ? bits_fetch(s, m, s->array->buffers[0], s->first, &bits) : ROOST_OK;
    if (!status && above) status = bits_fetch(s, m, s->parent->buffers[0], s->parent_first, &parent);
    if (status) return status;
    memset(to, 0xff, (s->n + 7) / 8);
    if (own) bits_copy(to, (const uint8_t *)bits, s->first % 8, s->n);
    if (above) bits_and(to, (const uint8_t *)parent, s->parent_first % 8, s->n);
    *validity = to;
    return ROOST_OK;
}

/* In place if one array alone has bits, and the first one begins a byte. */
static roost_status validity_make(struct arrow_source *s, bool on_host, struct arrow_memory *m, const uint8_t **validity)
{
    const bool own = array_may_be_null(s->array), above = array_may_be_null(s->parent);
    const struct ArrowArray *const array = own ? s->array : s->parent;
    const uint64_t first = own ? s->first : s->parent_first;
    const void *bits = NULL;
    *validity = NULL;
    roost_status status = nulls_check(s->array);
    if (!status) status = nulls_check(s->parent);
    if (status || !s->n || (!own && !above)) return status;
    if ((own && above) || first % 8) return validity_copy(s, m, validity);
    if (s->on_device && on_host) status = bits_fetch(s, m, array->buffers[0], first, &bits);
    else bits = (const char *)array->buffers[0] + first / 8;
    *validity = (const uint8_t *)bits;
    return status;
}

roost_status column_validity(struct arrow_source *s, struct arrow_memory *m, const uint8_t **validity, size_t *nulls)
{
    const roost_status status = validity_make(s, true, m, validity);
    *nulls = !status && *validity ? bits_zeros(*validity, s->n) : 0;
    return status;
}

/* ---- Items of a width ------------------------------------------------------------------------ */

static bool is_aligned(const void *at, int bytes) { return !width_is_word(bytes) || (uintptr_t)at % (unsigned)bytes == 0; }

/* Does the column stay on the device?  Its buffers' items are laid out and aligned as they have to
 * be. */
static bool stays(const struct arrow_source *s, const roost_column *type)
{
    if (!s->on_device || s->array->dictionary || !format_is_direct(&s->format, type)) return false;
    const int bytes = type->type == ROOST_TYPE_STRING ? (int)s->format.bytes : type_width(type->type, type->bytes);
    return is_aligned(s->array->buffers[1], bytes) && s->array->buffers[1];
}

static roost_status fixed_copy(const struct arrow_source *s, const void *from, int bytes, struct arrow_memory *m, roost_column *c)
{
    void *const to = arrow_new_copy(m, s->n, (unsigned)bytes);
    if (!to) return ROOST_ERR_MEMORY;
    if (s->format.kind == FORMAT_BOOL) bits_widen((const uint8_t *)from, s->first % 8, s->n, bytes, to);
    else if (s->format.bytes != (unsigned)bytes) items_widen(&s->format, from, s->n, bytes, to);
    else memcpy(to, from, s->n * (unsigned)bytes);
    c->values = to;
    return ROOST_OK;
}

static roost_status fixed_make(struct arrow_source *s, bool in_place, struct arrow_memory *m, roost_column *c)
{
    const int bytes = type_width(c->type, c->bytes);
    const void *const buffer = s->array->buffers[1];
    if (in_place) return c->values = (const char *)buffer + s->first * s->format.bytes, ROOST_OK;
    const uint64_t width = s->format.bytes;
    const void *from = NULL;
    const roost_status status = s->format.kind == FORMAT_BOOL ? bits_fetch(s, m, buffer, s->first, &from)
                                                              : source_fetch(s, m, buffer, s->first * width, s->n * width, &from);
    if (status) return status;
    c->values = from;
    return format_is_direct(&s->format, c) && is_aligned(from, bytes) ? ROOST_OK : fixed_copy(s, from, bytes, m, c);
}

/* ---- Strings --------------------------------------------------------------------------------- */

static roost_status offsets_check(const struct arrow_source *s, const roost_column *c)
{
    const uint64_t most = c->offset_bytes == 4 ? INT32_MAX : INT64_MAX;
    uint64_t before = 0;
    for (size_t i = 0; i <= s->n; i++) {
        const uint64_t offset = load_width(c->offset_bytes, c->offsets, i);
        if (offset < before || offset > most)
            return error_set(thread_error(), ROOST_ERR_ARGUMENT, "offset %zu of an Arrow array of strings falls, or is below 0", i);
        before = offset;
    }
    return ROOST_OK;
}

/* Brings the bytes of strings from a device, and lets the offsets, which are a copy already, begin
 * with 0. */
static roost_status bytes_bring(struct arrow_source *s, struct arrow_memory *m, void *offsets, roost_column *c)
{
    const int width = c->offset_bytes;
    const uint64_t begin = load_width(width, offsets, 0), end = load_width(width, offsets, s->n);
    for (size_t i = 0; i <= s->n; i++) store_width(width, offsets, i, load_width(width, offsets, i) - begin);
    return source_fetch(s, m, s->array->buffers[2], begin, end - begin, &c->values);
}

static roost_status strings_make(struct arrow_source *s, bool in_place, struct arrow_memory *m, roost_column *c)
{
    const void *const *const buffers = s->array->buffers;
    const size_t width = s->format.bytes, bytes = (s->n + 1) * width;
    const void *from = NULL;
    c->offset_bytes = (int)width;
    c->values = buffers[2];
    if (in_place) return c->offsets = (const char *)buffers[1] + s->first * width, ROOST_OK;
    roost_status status = source_fetch(s, m, buffers[1], s->first * width, bytes, &from);
    if (status) return status;
    void *copy = s->on_device ? (void *)(uintptr_t)from : NULL;
    if (!copy && !is_aligned(from, (int)width)) {
        copy = arrow_new_copy(m, bytes, 1);
        if (!copy) return ROOST_ERR_MEMORY;
        memcpy(copy, from, bytes);
    }
    c->offsets = copy ? copy : from;
    status = offsets_check(s, c);
    if (status || s->on_device) return status ? status : bytes_bring(s, m, copy, c);
    if (c->values || load_width((int)width, c->offsets, s->n) == load_width((int)width, c->offsets, 0)) return ROOST_OK;
    return error_set(thread_error(), ROOST_ERR_ARGUMENT, "an Arrow array of strings has no bytes, but strings that are not empty");
}

static roost_status views_make(struct arrow_source *s, struct arrow_memory *m, roost_column *c)
{
    const uint64_t width = s->format.bytes;
    const void *views = NULL;
    const roost_status status = source_fetch(s, m, s->array->buffers[1], s->first * width, s->n * width, &views);
    return status ? status : views_decode(s, views, c->validity, m, c);
}

/* ---- Dictionaries ---------------------------------------------------------------------------- */

/* Bits that rows may be cleared in whose item of the dictionary is NULL. */
static roost_status validity_own(const struct arrow_source *s, struct arrow_memory *m, const uint8_t *given, uint8_t **own)
{
    const size_t bytes = (s->n + 7) / 8;
    *own = (uint8_t *)arrow_new_copy(m, bytes, 1);
    if (!*own) return ROOST_ERR_MEMORY;
    if (given) memcpy(*own, given, bytes);
    else memset(*own, 0xff, bytes);
    return ROOST_OK;
}

static roost_status dictionary_make(struct arrow_source *s, struct arrow_memory *m, roost_column *c)
{
    struct arrow_source items;
    struct dictionary d = {.format = s->format};
    uint8_t *validity = NULL;
    const void *indices = NULL;
    const uint64_t width = s->format.bytes;
    roost_status status = source_open_dictionary(s, &items);
    if (!status) status = column_make(&items, c, true, m, &d.items);
    if (status) return status;
    d.n = items.n;
    status = source_fetch(s, m, s->array->buffers[1], s->first * width, s->n * width, &indices);
    d.indices = (const char *)indices;
    if (!status && (c->validity || d.items.validity)) status = validity_own(s, m, c->validity, &validity);
    if (!status) status = dictionary_decode(&d, s->n, validity, m, c);
    c->validity = validity;
    return status;
}

/* ---- Columns --------------------------------------------------------------------------------- */

roost_status column_make(struct arrow_source *s, const roost_column *type, bool on_host, struct arrow_memory *m, roost_column *c)
{
    const bool in_place = !on_host && stays(s, type);
    const roost_column wanted = *type;
    *c = wanted;
    c->values = c->offsets = NULL;
    c->validity = NULL;
    if (!s->n) return ROOST_OK;
    roost_status status = s->on_device ? ROOST_OK : source_await(s);
    if (!status) status = validity_make(s, !in_place, m, &c->validity);
    if (status) return status;
    if (s->array->dictionary) return dictionary_make(s, m, c);
    if (s->format.kind == FORMAT_VIEW) return views_make(s, m, c);
    return s->format.kind == FORMAT_STRING ? strings_make(s, in_place, m, c) : fixed_make(s, in_place, m, c);
}
