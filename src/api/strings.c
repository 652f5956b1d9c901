/* The calls on tables whose keys are strings. */
#include "api/checks.h"
#include "batches/batches.h"
#include "roost/numbers.h"

enum {
    /* Work space per item.  It is not 0, so that such calls take turns. */
    STRINGS_BYTES = 1,
    /* Least bytes of staged strings, however little memory there is. */
    EXPORT_LEAST_BYTES = 1024
};

ROOST_EXPORT roost_status roost_strings_init(roost_strings *strings, size_t size)
{
    return struct_init(&struct_strings, strings, size, "roost_strings_init");
}

static roost_status table_check(struct roost_table *t)
{
    if (t->strings) return ROOST_OK;
    return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "the table's keys are not strings (key_type ROOST_TYPE_STRING)");
}

static roost_status offset_check(struct roost_table *t, const void *offsets, int offset_bytes, size_t n)
{
    if (offset_bytes != 4 && offset_bytes != 8)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "offset_bytes is %d, and must be 4 or 8", offset_bytes);
    return check_given(t, "offsets", offsets, n, offset_bytes);
}

static uint64_t offset_of(const roost_strings *keys, size_t i) { return load_width(keys->offset_bytes, keys->offsets, i); }

/* Without bytes all strings must be empty.  Checked where the host can read the offsets. */
static roost_status emptiness_check(struct roost_table *t, const roost_strings *keys, size_t n, bool offsets_on_device)
{
    if (!offsets_on_device && offset_of(keys, 0) == offset_of(keys, n)) return ROOST_OK;
    return error_set(&t->error, ROOST_ERR_ARGUMENT, "bytes is NULL, and not all strings are empty");
}

/* Checks the strings and makes a batch of them. */
static roost_status strings_begin(struct roost_table *t, const roost_strings *given, size_t n, const roost_call *call,
                                  struct batch *b)
{
    roost_strings own;
    const roost_strings *keys = &own;
    roost_status status = table_check(t);
    if (status) return status;
    if (!given) return error_set(&t->error, ROOST_ERR_ARGUMENT, "keys is NULL");
    status = struct_read(&struct_strings, &own, given, &t->error);
    if (!status) status = offset_check(t, keys->offsets, keys->offset_bytes, n);
    if (status || n == 0) return status;
    const bool offsets_there = array_on_device(t, keys->offsets, call), on_device = t->backend->operations->machine != MACHINE_HOST;
    if (!keys->bytes) status = emptiness_check(t, keys, n, offsets_there);
    if (status) return status;
    *b = batch_of(t, keys->bytes, n, call);
    b->key_offsets = keys->offsets;
    b->offset_bytes = (uint8_t)keys->offset_bytes;
    if (offsets_there != on_device) b->strings_away |= STRINGS_OFFSETS_AWAY;
    if (keys->bytes && array_on_device(t, keys->bytes, call) != on_device) b->strings_away |= STRINGS_BYTES_AWAY;
    return ROOST_OK;
}

static roost_status strings_run(struct roost_table *t, batch_function *run, enum access access, const struct batch *b,
                                const roost_call *call)
{
    return staged_run(t, run, b->strings_away ? STRINGS_BYTES : 0, access, b, call);
}

ROOST_EXPORT roost_status roost_insert_strings(roost_table *table, roost_mode mode, const roost_strings *keys, const void *values,
                                               size_t n, const roost_call *call)
{
    roost_call own;
    struct batch b;
    if (!table) return call_without_table("roost_insert_strings");
    roost_status status = call_read(table, &call, 0, &own);
    if (!status) status = check_mode(table, mode);
    if (!status) status = strings_begin(table, keys, n, call, &b);
    if (!status) status = check_values(table, mode, values, n, call);
    if (status || n == 0) return call_finish(table, status);
    b.mode = (uint8_t)mode;
    b.values_in = table->value_bytes ? values : NULL;
    b.takes = (uint16_t)(1u << (ROOST_OP_INSERT + mode));
    batch_function *const run = table->value_bytes && !values ? batches_strings_add_one : batches_strings_insert;
    return call_finish(table, strings_run(table, run, ACCESS_WRITE, &b, call));
}

ROOST_EXPORT roost_status roost_number_strings(roost_table *table, const roost_strings *keys, size_t n, void *numbers,
                                               const roost_call *call)
{
    roost_call own;
    struct batch b;
    if (!table) return call_without_table("roost_number_strings");
    roost_status status = call_read(table, &call, ROOST_ORDERED, &own);
    if (!status) status = check_numbered(table);
    if (!status) status = strings_begin(table, keys, n, call, &b);
    if (!status) status = check_given(table, "numbers", numbers, n, table->value_bytes);
    if (status || n == 0) return call_finish(table, status);
    b.values_out = numbers;
    b.numbers = b.absent_zero = true; /* all are written */
    batch_function *const run = call->flags & ROOST_ORDERED ? batches_strings_number_by_first : batches_strings_number;
    return call_finish(table, staged_run(table, run, BATCHES_BYTES, ACCESS_WRITE, &b, call));
}

ROOST_EXPORT roost_status roost_find_strings(const roost_table *table, const roost_strings *keys, size_t n, void *values,
                                             uint8_t *found, const roost_call *call)
{
    roost_call own;
    struct roost_table *t = (struct roost_table *)(uintptr_t)table; /* as roost_find */
    struct batch b;
    if (!t) return call_without_table("roost_find_strings");
    roost_status status = call_read(t, &call, ROOST_ABSENT_KEEP, &own);
    if (!status) status = strings_begin(t, keys, n, call, &b);
    if (!status && t->value_bytes) status = check_array(t, "values", values, n, t->value_bytes);
    if (status || n == 0) return call_finish(t, status);
    b.values_out = t->value_bytes ? values : NULL;
    b.found = found;
    b.absent_zero = !(call->flags & ROOST_ABSENT_KEEP);
    return call_finish(t, strings_run(t, batches_strings_find, ACCESS_READ, &b, call));
}

ROOST_EXPORT roost_status roost_erase_strings(roost_table *table, const roost_strings *keys, size_t n, const roost_call *call)
{
    roost_call own;
    struct batch b;
    if (!table) return call_without_table("roost_erase_strings");
    roost_status status = call_read(table, &call, 0, &own);
    if (!status) status = strings_begin(table, keys, n, call, &b);
    if (status || n == 0) return call_finish(table, status);
    return call_finish(table, strings_run(table, batches_strings_erase, ACCESS_WRITE, &b, call));
}

/* ---- Exports --------------------------------------------------------------------------------- */

/* One of an export's arrays.  It is staged if the machine does not reach it. */
struct part {
    void *user, *there;
    size_t bytes;
};

static roost_status part_make(struct roost_table *t, struct part *p, void *user, uint64_t bytes, const roost_call *call)
{
    p->user = p->there = user;
    p->bytes = 0;
    if (!user || !bytes || array_on_device(t, user, call) == (t->backend->operations->machine != MACHINE_HOST)) return ROOST_OK;
    p->bytes = (size_t)bytes;
    return backend_allocate(t->backend, p->bytes, &p->there);
}

/* Copies the first `bytes` bytes out. */
static roost_status part_out(struct roost_table *t, const struct part *p, uint64_t bytes)
{
    if (!p->bytes || !bytes) return ROOST_OK;
    return t->backend->operations->copy(t->backend, p->user, p->there, (size_t)bytes);
}

static void part_release(struct roost_table *t, const struct part *p)
{
    if (p->bytes && p->there) backend_release(t->backend, p->there, p->bytes);
}

struct export_parts {
    struct part offsets, bytes, values;
};

static void parts_release(struct roost_table *t, const struct export_parts *p)
{
    part_release(t, &p->offsets);
    part_release(t, &p->bytes);
    part_release(t, &p->values);
}

static roost_status parts_make(struct roost_table *t, const struct string_room *room, const roost_call *call,
                               struct export_parts *p)
{
    memset(p, 0, sizeof *p);
    roost_status status = part_make(t, &p->offsets, room->offsets, (room->room + 1) * (uint64_t)room->offset_bytes, call);
    if (!status) status = part_make(t, &p->bytes, room->bytes, room->bytes_room, call);
    if (!status) status = part_make(t, &p->values, room->values, room->room * (uint64_t)t->value_bytes, call);
    if (status) parts_release(t, p);
    return status;
}

/* Makes staged parts.  They hold less than the caller's arrays if memory is refused. */
static roost_status parts_fit(struct roost_table *t, struct string_room *room, const roost_call *call, struct export_parts *p)
{
    roost_status status = ROOST_ERR_MEMORY;
    while (status == ROOST_ERR_MEMORY) {
        status = parts_make(t, room, call, p);
        if (status != ROOST_ERR_MEMORY || room->room <= ROOST_EXPORT_MIN) break;
        room->room = room->room / 2 > ROOST_EXPORT_MIN ? room->room / 2 : ROOST_EXPORT_MIN;
        if (room->bytes_room > EXPORT_LEAST_BYTES) room->bytes_room /= 2;
    }
    return status;
}

static roost_status export_run(struct roost_table *t, roost_cursor *cursor, const struct string_room *user, size_t *n,
                               const roost_call *call)
{
    struct export_parts p;
    struct string_room there = *user;
    uint64_t last = 0;
    roost_status status = parts_fit(t, &there, call, &p);
    if (status) return status;
    there.offsets = p.offsets.there;
    there.bytes = p.bytes.there;
    there.values = p.values.there;
    status = t->engine->export_strings(t->at, cursor, &there, n);
    if (!status) status = backend_read_offset(t->backend, there.offsets, there.offset_bytes, *n, &last);
    if (!status) status = part_out(t, &p.offsets, (*n + 1) * (uint64_t)user->offset_bytes);
    if (!status) status = part_out(t, &p.bytes, last);
    if (!status) status = part_out(t, &p.values, *n * (uint64_t)t->value_bytes);
    if (!status) status = backend_wait(t->backend);
    parts_release(t, &p);
    return status;
}

ROOST_EXPORT roost_status roost_export_strings(const roost_table *table, roost_cursor *cursor, void *offsets, int offset_bytes,
                                               void *bytes, uint64_t bytes_room, void *values, size_t room, size_t *n,
                                               const roost_call *call)
{
    roost_call own;
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    if (n) *n = 0;
    if (!t) return call_without_table("roost_export_strings");
    const struct string_room user = {offsets, offset_bytes, bytes, bytes_room, t->value_bytes ? values : NULL, room};
    roost_status status = call_read(t, &call, 0, &own);
    if (!status) status = table_check(t);
    if (!status) status = check_export(t, cursor, values, room, n, call);
    if (!status) status = offset_check(t, offsets, offset_bytes, room);
    if (!status && !bytes && bytes_room) status = error_set(&t->error, ROOST_ERR_ARGUMENT, "bytes is NULL");
    if (!status && offset_bytes == 4 && bytes_room > UINT32_MAX)
        status = error_set(&t->error, ROOST_ERR_ARGUMENT, "bytes_room is too large for offsets of 4 bytes");
    if (!status) status = call_begin(t, call->stream, ACCESS_READ); /* exports share a counter */
    if (status) return call_finish(t, status);
    if (t->backend->capturing) status = error_set(&t->error, ROOST_ERR_UNSUPPORTED, "an export cannot be captured into a graph");
    else status = export_run(t, cursor, &user, n, call);
    return call_finish(t, call_end(t, ACCESS_READ, status));
}
