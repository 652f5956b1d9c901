/* Inserts, finds, erases and numbers of a table, of keys that are Arrow columns.  Where no key is
 * NULL the columns are handed on as they are.  Else calls that write get those of the rows alone
 * that have a key; finds get all rows, and what they answer for the others is taken back. */
#include "arrow/arrow_tables.h"

#include <inttypes.h>
#include <string.h>

#include "api/collective.h"
#include "arrow/arrow_bits.h"
#include "arrow/arrow_column.h"
#include "arrow/arrow_result.h"
#include "roost/numbers.h"

/* A call. */
struct rows {
    struct roost_table *t;
    roost_call call; /* the inner one's */
    struct arrow_memory m;
    struct arrow_source keys, values;
    roost_column key, value; /* NULL arrays: none */
    size_t n, nulls;         /* rows; those whose key is NULL */
    const uint8_t *validity; /* of the keys, in host memory; NULL: none is NULL */
    uint8_t *statuses;       /* the caller's */
    bool ran;                /* its items have ended */
};

/* The error of a call on a table. */
static roost_status finish(struct roost_table *t, roost_status status)
{
    if (status) t->error = *thread_error();
    return status;
}

/* ---- Columns --------------------------------------------------------------------------------- */

static roost_column column_of(roost_type type, int bytes)
{
    roost_column column = ROOST_COLUMN_INIT;
    column.type = type;
    column.bytes = type == ROOST_TYPE_BYTES ? (size_t)bytes : 0;
    return column;
}

/* BYTES of 4 and 8 bytes are no numbers to the caller, whatever they are inside. */
roost_column table_key_type(const struct roost_table *t) { return column_of(t->origin.config.key_type, t->key_bytes); }
roost_column table_value_type(const struct roost_table *t)
{
    const roost_type type = !t->value_bytes ? ROOST_TYPE_NONE : t->arithmetic ? t->value_type : ROOST_TYPE_BYTES;
    return column_of(type, t->value_bytes);
}

/* Makes the keys: on the host if `gathers`, and some are NULL. */
static roost_status keys_make(struct rows *r, bool gathers)
{
    const roost_column type = table_key_type(r->t);
    const bool staying = r->keys.on_device && !r->keys.array->dictionary;
    roost_status status = staying ? column_validity(&r->keys, &r->m, &r->validity, &r->nulls) : ROOST_OK;
    if (!status) status = column_make(&r->keys, &type, gathers && r->nulls, &r->m, &r->key);
    if (status || staying) return status;
    r->validity = r->key.validity;
    r->nulls = r->validity ? bits_zeros(r->validity, r->n) : 0;
    return ROOST_OK;
}

static roost_status rows_open(struct rows *r, const roost_arrow *keys, bool gathers)
{
    const roost_column type = table_key_type(r->t);
    roost_status status = source_open(keys, &r->keys);
    if (!status) status = column_agrees(&r->keys, &type, "the keys");
    r->n = r->keys.n;
    return status ? status : keys_make(r, gathers);
}

/* A value that is NULL has no place in a table. */
static roost_status values_check(const struct rows *r, const uint8_t *validity)
{
    for (size_t i = 0; validity && i < r->n; i++)
        if (!bit_is_set(validity, i) && (!r->validity || bit_is_set(r->validity, i)))
            return error_set(thread_error(), ROOST_ERR_ARGUMENT, "row %zu has a key, and its value is NULL: nothing was inserted",
                             i);
    return ROOST_OK;
}

static roost_status values_open(struct rows *r, const roost_arrow *values)
{
    const roost_column type = table_value_type(r->t);
    const uint8_t *validity = NULL;
    size_t nulls = 0;
    roost_status status = source_open(values, &r->values);
    if (!status && r->values.n != r->n)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "%zu keys, and %zu values", r->n, r->values.n);
    if (!status) status = column_agrees(&r->values, &type, "the values");
    const bool staying = !status && r->values.on_device && !r->values.array->dictionary;
    if (staying) status = column_validity(&r->values, &r->m, &validity, &nulls);
    if (!status) status = column_make(&r->values, &type, r->nulls > 0, &r->m, &r->value);
    if (status) return status;
    return values_check(r, staying ? validity : r->value.validity);
}

/* ---- Rows that have a key -------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void items_gather(const struct rows *r, const void *from, size_t bytes, char *to)
{
    for (size_t i = 0; i < r->n; i++)
        if (bit_is_set(r->validity, i)) to = (char *)memcpy(to, (const char *)from + i * bytes, bytes) + bytes;
}

static roost_status fixed_gather(struct rows *r, roost_column *c)
{
    const unsigned bytes = (unsigned)type_width(c->type, c->bytes);
    char *const to = (char *)arrow_new_copy(&r->m, r->n - r->nulls, bytes);
    if (!to) return ROOST_ERR_MEMORY;
    if (bytes == 4) items_gather(r, c->values, 4, to);
    else if (bytes == 8) items_gather(r, c->values, 8, to);
    else items_gather(r, c->values, bytes, to);
    c->values = to;
    return ROOST_OK;
}

static uint64_t offset_of(const roost_column *c, size_t i) { return load_width(c->offset_bytes, c->offsets, i); }

static roost_status strings_gather(struct rows *r, roost_column *c)
{
    uint64_t *const offsets = (uint64_t *)arrow_new_copy(&r->m, r->n - r->nulls + 1, sizeof *offsets), used = 0;
    char *const bytes = (char *)arrow_new_copy(&r->m, offset_of(c, r->n) - offset_of(c, 0), 1);
    size_t n = 0;
    if (!offsets || !bytes) return ROOST_ERR_MEMORY;
    offsets[0] = 0;
    for (size_t i = 0; i < r->n; i++) {
        const uint64_t length = offset_of(c, i + 1) - offset_of(c, i);
        if (!bit_is_set(r->validity, i)) continue;
        if (length) memcpy(bytes + used, (const char *)c->values + offset_of(c, i), (size_t)length);
        offsets[++n] = used += length;
    }
    c->offset_bytes = 8;
    c->offsets = offsets;
    c->values = bytes;
    return ROOST_OK;
}

/* Leaves out the rows without a key; their statuses go to memory of the call. */
static roost_status rows_gather(struct rows *r)
{
    if (!r->nulls) return ROOST_OK;
    roost_status status = r->key.type == ROOST_TYPE_STRING ? strings_gather(r, &r->key) : fixed_gather(r, &r->key);
    if (!status && r->value.values) status = fixed_gather(r, &r->value);
    if (status || !r->statuses) return status;
    r->call.statuses = (uint8_t *)arrow_new_zeroed(&r->m, r->n - r->nulls, 1);
    return r->call.statuses ? ROOST_OK : ROOST_ERR_MEMORY;
}

/* Gives each row its status. */
static roost_status statuses_scatter(struct rows *r)
{
    if (!r->nulls || !r->statuses) return ROOST_OK;
    uint8_t *const all = (uint8_t *)arrow_new_zeroed(&r->m, r->n, 1);
    if (!all) return ROOST_ERR_MEMORY;
    size_t from = 0;
    for (size_t i = 0; i < r->n; i++)
        if (bit_is_set(r->validity, i)) all[i] = r->call.statuses[from++];
    return copy_between(r->statuses, all, r->n) ? ROOST_OK
                                                : error_set(thread_error(), ROOST_ERR_DEVICE, "a copy of statuses failed");
}

/* ---- Inner calls ----------------------------------------------------------------------------- */

static roost_strings strings_of(const roost_column *c)
{
    static const uint64_t none[1] = {0};
    roost_strings strings = ROOST_STRINGS_INIT;
    strings.offsets = c->offsets ? c->offsets : none;
    strings.bytes = c->values;
    if (c->offsets) strings.offset_bytes = c->offset_bytes;
    return strings;
}

enum work { WORK_INSERT, WORK_FIND, WORK_ERASE, WORK_NUMBER };

/* What a call does with its rows. */
struct doing {
    enum work work;
    roost_mode mode;
    void *out; /* values or numbers */
    uint8_t *found;
};

static roost_status inner_strings(struct rows *r, const struct doing *d, size_t n)
{
    const roost_strings keys = strings_of(&r->key);
    switch (d->work) {
    case WORK_INSERT: return roost_insert_strings(r->t, d->mode, &keys, r->value.values, n, &r->call);
    case WORK_FIND: return roost_find_strings(r->t, &keys, n, d->out, d->found, &r->call);
    case WORK_ERASE: return roost_erase_strings(r->t, &keys, n, &r->call);
    default: return roost_number_strings(r->t, &keys, n, d->out, &r->call);
    }
}

static roost_status inner_run(struct rows *r, const struct doing *d, size_t n)
{
    if (r->t->strings) return inner_strings(r, d, n);
    switch (d->work) {
    case WORK_INSERT: return roost_insert(r->t, d->mode, r->key.values, r->value.values, n, &r->call);
    case WORK_FIND: return roost_find(r->t, r->key.values, n, d->out, d->found, &r->call);
    case WORK_ERASE: return roost_erase(r->t, r->key.values, n, &r->call);
    default: return roost_number(r->t, r->key.values, n, d->out, &r->call);
    }
}

/* The work is ordered behind the columns' events. */
static roost_status rows_follow(struct rows *r)
{
    const roost_status status = source_follow(&r->keys, r->t, r->call.stream);
    return status ? status : source_follow(&r->values, r->t, r->call.stream);
}

/* A call on a table that is spread over ranks is one of all of them.  This one cannot take part
 * with its rows, and tells the others by a call without keys, which is refused. */
static roost_status decline(struct rows *r, const struct doing *d, roost_status why)
{
    const struct error text = *thread_error();
    const roost_column none = column_of(r->t->origin.config.key_type, r->t->key_bytes);
    if (!r->t->group || (d->work == WORK_FIND && r->call.flags & ROOST_LOCAL)) return why;
    r->key = none;
    r->value.values = NULL;
    (void)inner_run(r, d, 1);
    *thread_error() = text;
    return why;
}

/* Begins a call: its options, which the inner call checks again. */
static roost_status rows_begin(struct rows *r, struct roost_table *t, const roost_call *call, uint32_t flags)
{
    memset(r, 0, sizeof *r);
    r->t = t;
    const roost_status status = call_finish(t, call_read(t, &call, flags, &r->call));
    r->call.space = ROOST_SPACE_AUTO;
    r->statuses = r->call.statuses;
    return status;
}

static roost_status rows_end(struct rows *r, roost_status status)
{
    arrow_free(&r->m);
    return finish(r->t, status);
}

/* Runs a call that writes, on the rows that have a key. */
static roost_status rows_write(struct rows *r, const struct doing *d, roost_status opened)
{
    roost_status status = opened ? opened : rows_follow(r);
    if (!status) status = rows_gather(r);
    if (status) return decline(r, d, status);
    status = inner_run(r, d, r->n - r->nulls);
    r->ran = !status || status_of_items(status);
    const roost_status scattered = r->ran ? statuses_scatter(r) : ROOST_OK;
    return status ? status : scattered;
}

ROOST_EXPORT roost_status roost_insert_arrow(roost_table *table, roost_mode mode, const roost_arrow *keys,
                                             const roost_arrow *values, const roost_call *call)
{
    struct rows r;
    const struct doing d = {WORK_INSERT, mode, NULL, NULL};
    if (!table) return call_without_table("roost_insert_arrow");
    roost_status status = rows_begin(&r, table, call, ROOST_ORDERED);
    if (!status) status = rows_open(&r, keys, true);
    if (!status && values && table->value_bytes) status = values_open(&r, values);
    return rows_end(&r, rows_write(&r, &d, status));
}

ROOST_EXPORT roost_status roost_erase_arrow(roost_table *table, const roost_arrow *keys, const roost_call *call)
{
    struct rows r;
    const struct doing d = {WORK_ERASE, ROOST_ASSIGN, NULL, NULL};
    if (!table) return call_without_table("roost_erase_arrow");
    roost_status status = rows_begin(&r, table, call, 0);
    if (!status) status = rows_open(&r, keys, true);
    return rows_end(&r, rows_write(&r, &d, status));
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* An array that is given, and its memory until then. */
struct answer {
    struct arrow_memory m;
    roost_column type;
    void *values;      /* NULL: a set's */
    uint8_t *validity; /* n bits, all 0 */
    uint8_t *found;    /* n bytes, of the call */
};

static roost_status answer_begin(struct answer *a, struct rows *r)
{
    memset(a, 0, sizeof *a);
    a->type = table_value_type(r->t);
    a->type.nullable = 1;
    a->validity = (uint8_t *)arrow_new_zeroed(&a->m, (r->n + 7) / 8, 1);
    a->found = (uint8_t *)arrow_new_zeroed(&r->m, r->n, 1);
    if (r->t->value_bytes) a->values = arrow_new_zeroed(&a->m, r->n, (unsigned)r->t->value_bytes);
    return a->validity && a->found && (a->values || !r->t->value_bytes) ? ROOST_OK : ROOST_ERR_MEMORY;
}

/* Gives the array; rows without a bit of validity are NULL. */
static roost_status answer_give(struct answer *a, const struct rows *r, const void *values, struct ArrowSchema *schema,
                                struct ArrowArray *array)
{
    const size_t nulls = bits_zeros(a->validity, r->n);
    const struct arrow_buffers buffers = {{nulls ? a->validity : NULL, values}, 2, (int64_t)r->n, (int64_t)nulls};
    roost_status status = arrow_schema_make_typed(schema, "", &a->type, false);
    if (!status) status = arrow_array_make(array, &buffers, &a->m);
    if (status) arrow_schema_drop(schema);
    return status;
}

static roost_status answer_end(struct answer *a, roost_status status)
{
    arrow_free(&a->m);
    return status;
}

static roost_status outputs_clear(struct ArrowSchema *schema, struct ArrowArray *array)
{
    if (schema) memset(schema, 0, sizeof *schema);
    if (array) memset(array, 0, sizeof *array);
    if (schema && array) return ROOST_OK;
    return error_set(thread_error(), ROOST_ERR_ARGUMENT, "schema or array is NULL");
}

/* ---- Finds ----------------------------------------------------------------------------------- */

/* Takes back what was answered for rows whose key is NULL. */
static roost_status nulls_take_back(struct rows *r, struct answer *a)
{
    const unsigned bytes = (unsigned)r->t->value_bytes;
    if (!r->nulls) return ROOST_OK;
    uint8_t *const statuses = r->statuses ? (uint8_t *)arrow_new(&r->m, r->n, 1) : NULL;
    if (r->statuses && !statuses) return ROOST_ERR_MEMORY;
    bool good = !statuses || copy_between(statuses, r->statuses, r->n);
    for (size_t i = 0; i < r->n; i++) {
        if (bit_is_set(r->validity, i)) continue;
        a->found[i] = 0;
        if (statuses) statuses[i] = ROOST_ITEM_NONE;
        if (a->values) memset((char *)a->values + i * bytes, 0, bytes);
    }
    if (statuses && good) good = copy_between(r->statuses, statuses, r->n);
    return good ? ROOST_OK : error_set(thread_error(), ROOST_ERR_DEVICE, "a copy of statuses failed");
}

static void bits_of_found(const uint8_t *found, size_t n, uint8_t *bits)
{
    for (size_t i = 0; i < n; i++)
        if (found[i]) bit_set(bits, i);
}

/* Of a set the values are whether keys are there, and only keys that are NULL have none. */
static roost_status found_give(struct answer *a, const struct rows *r, struct ArrowSchema *schema, struct ArrowArray *array)
{
    uint8_t *const bits = a->values ? NULL : (uint8_t *)arrow_new_zeroed(&a->m, (r->n + 7) / 8, 1);
    if (!a->values && !bits) return ROOST_ERR_MEMORY;
    bits_of_found(a->found, r->n, bits ? bits : a->validity);
    if (bits && r->validity) bits_copy(a->validity, r->validity, 0, r->n);
    if (bits && !r->validity) memset(a->validity, 0xff, (r->n + 7) / 8);
    return answer_give(a, r, bits ? bits : a->values, schema, array);
}

static roost_status find_run(struct rows *r, const struct doing *d, struct answer *a, roost_status opened)
{
    roost_status status = opened ? opened : rows_follow(r);
    if (status) return decline(r, d, status);
    status = inner_run(r, d, r->n);
    return status ? status : nulls_take_back(r, a);
}

ROOST_EXPORT roost_status roost_find_arrow(const roost_table *table, const roost_arrow *keys, struct ArrowSchema *schema,
                                           struct ArrowArray *array, const roost_call *call)
{
    struct roost_table *const t = (struct roost_table *)(uintptr_t)table; /* as roost_find */
    struct rows r;
    struct answer a = {{NULL}, ROOST_COLUMN_INIT, NULL, NULL, NULL};
    const roost_status outputs = outputs_clear(schema, array);
    if (!t) return call_without_table("roost_find_arrow");
    roost_status status = rows_begin(&r, t, call, t->group && !t->group->devices ? ROOST_LOCAL : 0);
    if (!status) status = outputs;
    if (!status) status = rows_open(&r, keys, false);
    if (!status) status = answer_begin(&a, &r);
    const struct doing d = {WORK_FIND, ROOST_ASSIGN, a.values, a.found};
    status = find_run(&r, &d, &a, status);
    if (!status) status = found_give(&a, &r, schema, array);
    return rows_end(&r, answer_end(&a, status));
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Gives each row its number; no key, and none that was refused, has one. */
static void numbers_scatter(const struct rows *r, const void *numbers, struct answer *a)
{
    const int bytes = r->t->value_bytes;
    const uint64_t none = bytes == 8 ? UINT64_MAX : UINT32_MAX;
    size_t from = 0;
    for (size_t i = 0; i < r->n; i++) {
        const bool has = !r->nulls || bit_is_set(r->validity, i);
        const uint64_t number = has ? load_width(bytes, numbers, from++) : none;
        if (number != none) bit_set(a->validity, i);
        store_width(bytes, a->values, i, number == none ? 0 : number);
    }
}

static roost_status numbers_give(struct rows *r, const struct doing *d, struct answer *a, struct ArrowSchema *schema,
                                 struct ArrowArray *array)
{
    numbers_scatter(r, d->out, a);
    return answer_give(a, r, a->values, schema, array);
}

ROOST_EXPORT roost_status roost_number_arrow(roost_table *table, const roost_arrow *keys, struct ArrowSchema *schema,
                                             struct ArrowArray *array, const roost_call *call)
{
    struct rows r;
    struct answer a = {{NULL}, ROOST_COLUMN_INIT, NULL, NULL, NULL};
    const roost_status outputs = outputs_clear(schema, array);
    if (!table) return call_without_table("roost_number_arrow");
    roost_status status = rows_begin(&r, table, call, ROOST_ORDERED);
    if (!status) status = outputs;
    if (!status) status = call_finish(table, check_numbered(table));
    if (!status) status = rows_open(&r, keys, true);
    if (!status) status = answer_begin(&a, &r);
    struct doing d = {WORK_NUMBER, ROOST_ASSIGN, NULL, NULL};
    const size_t bytes = (r.n - r.nulls) * (unsigned)table->value_bytes;
    if (!status) d.out = arrow_new(&r.m, bytes, 1);
    if (!status && !d.out) status = ROOST_ERR_MEMORY;
    if (!status) memset(d.out, 0xff, bytes); /* no key has a number */
    status = rows_write(&r, &d, status);
    const roost_status given = r.ran ? numbers_give(&r, &d, &a, schema, array) : ROOST_OK;
    return rows_end(&r, answer_end(&a, status ? status : given));
}
