/* Exports in the order of dense numbers (roost/numbers.h).  A cursor's position is the lowest
 * number that may be left.  A call takes the pairs of a range of numbers from there on, as many as
 * it has room for, and sorts them.  Numbers of erased keys are missing: where a range has none of
 * them left it is made longer, and one that has too many shorter. */
#include <string.h>

#include "batches/batches.h"
#include "batches/batches_kernels.h"
#include "batches/batches_sort.h"

enum { LONGER = 8, PIECE = 1 << 20 /* pairs of an export that are looked at together */ };

enum { AT_KEYS, AT_VALUES, AT_SOME_KEYS, AT_SOME_VALUES, AT_ROOM, AT_ITEMS, AT_ITEMS_ROOM, AT_WORD, AT_SCRATCH, ARRAYS };

struct picked {
    struct engine_table *t;
    uint64_t low, length; /* of the range */
    uint64_t room, piece; /* pairs of it; of a piece */
    uint64_t n;
    size_t bytes[ARRAYS];
    void *memory, *at[ARRAYS];
    struct batches_sort sort;
};

static roost_status picked_make(struct picked *p)
{
    const struct engine_table *const t = p->t;
    const size_t key = (size_t)t->key_bytes, value = (size_t)t->value_bytes;
    p->sort.n = p->room;
    p->sort.key_bytes = t->value_bytes;
    p->sort.bits = 8 * t->value_bytes;
    roost_status status = batches_sort_scratch(t->backend, &p->sort, &p->sort.scratch_bytes);
    const size_t bytes[ARRAYS] = {p->room * key, p->room * value, p->piece * key,   p->piece * value,     p->room * value,
                                  p->room * 4,   p->room * 4,     sizeof(uint64_t), p->sort.scratch_bytes};
    memcpy(p->bytes, bytes, sizeof bytes);
    if (!status) status = backend_allocate(t->backend, backend_arrays_bytes(bytes, ARRAYS), &p->memory);
    if (!status) backend_arrays_place(p->memory, bytes, ARRAYS, p->at);
    return status;
}

static roost_status launch(struct picked *p, enum batches_kernel which, struct batches_args *args, uint64_t n)
{
    args->n = n;
    return n ? backend_launch(p->t->backend, batches_kernel_for(p->t->backend, which), args, sizeof *args, n) : ROOST_OK;
}

/* Takes the pairs of a piece whose numbers are in the range, as far as there is room, and counts
 * them. */
static roost_status piece_pick(struct picked *p, uint64_t n)
{
    struct batches_args args;
    memset(&args, 0, sizeof args);
    args.batch.keys = p->at[AT_SOME_KEYS], args.batch.values_in = p->at[AT_SOME_VALUES];
    args.batch.key_bytes = (uint8_t)p->t->key_bytes, args.batch.value_bytes = (uint16_t)p->t->value_bytes;
    args.columns.keys = p->at[AT_KEYS], args.columns.values_in = p->at[AT_VALUES];
    args.words = (uint64_t *)p->at[AT_WORD];
    args.numbers.base = p->low, args.numbers.fresh = p->length, args.numbers.room = p->room;
    return launch(p, BATCHES_number_range, &args, n);
}

/* *p->n: the pairs in the range, which may be more than there is room for. */
static roost_status range_pick(struct picked *p)
{
    struct backend *const b = p->t->backend;
    roost_cursor cursor = {0, 0};
    roost_status status = b->operations->fill(b, p->at[AT_WORD], 0, sizeof(uint64_t));
    while (!status && !cursor.end) {
        size_t n = 0;
        status = p->t->engine->export_pairs(p->t, &cursor, p->at[AT_SOME_KEYS], p->at[AT_SOME_VALUES], (size_t)p->piece, &n);
        if (!status) status = piece_pick(p, n);
    }
    return status ? status : backend_read(b, &p->n, p->at[AT_WORD], sizeof p->n);
}

/* Finds a range from p->low on that has pairs, and no more than there is room for. */
static roost_status ranges_try(struct picked *p)
{
    const uint64_t end = p->t->numbers.next;
    p->length = p->room;
    for (;;) {
        const roost_status status = range_pick(p);
        if (status || (p->n && p->n <= p->room)) return status;
        if (p->n) {
            p->length = p->length / (p->n / p->room + 1);
            continue;
        }
        if (end - p->low <= p->length) return ROOST_OK;
        p->low += p->length;
        p->length = p->length > UINT64_MAX / LONGER ? UINT64_MAX : p->length * LONGER;
    }
}

static roost_status picked_sort(struct picked *p)
{
    struct batches_args args;
    struct batches_sort *const s = &p->sort;
    memset(&args, 0, sizeof args);
    args.batch.keys = p->at[AT_VALUES], args.batch.key_bytes = (uint8_t)p->t->value_bytes;
    args.sorted = p->at[AT_ROOM], args.items = (uint32_t *)p->at[AT_ITEMS];
    const roost_status status = launch(p, BATCHES_key, &args, p->n);
    /* What it was copied from is free while it is sorted, and is not needed any more: the numbers
     * lie beside their items then. */
    s->keys[0] = p->at[AT_ROOM], s->keys[1] = p->at[AT_VALUES];
    s->items[0] = (uint32_t *)p->at[AT_ITEMS], s->items[1] = (uint32_t *)p->at[AT_ITEMS_ROOM];
    s->scratch = p->at[AT_SCRATCH];
    s->n = p->n;
    return status ? status : batches_sort(p->t->backend, s);
}

static roost_status picked_give(struct picked *p, void *keys, void *values)
{
    struct backend *const b = p->t->backend;
    struct batches_args args;
    memset(&args, 0, sizeof args);
    args.batch.keys = p->at[AT_KEYS], args.batch.key_bytes = (uint8_t)p->t->key_bytes;
    args.columns.keys = keys;
    args.items = p->sort.items[0];
    roost_status status = launch(p, BATCHES_gather, &args, p->n);
    if (!status && values) status = b->operations->copy(b, values, p->sort.keys[0], p->n * (unsigned)p->t->value_bytes);
    return status ? status : backend_wait(b);
}

/* With less memory a call gives fewer pairs. */
static roost_status picked_open(struct picked *p, uint64_t room)
{
    const struct error_mark before = error_keep(p->t->error);
    for (p->room = room < UINT32_MAX ? room : UINT32_MAX;; p->room /= 2) {
        p->piece = p->room < PIECE ? p->room : PIECE;
        const roost_status status = picked_make(p);
        if (status != ROOST_ERR_MEMORY || p->room / 2 < ROOST_EXPORT_MIN) return status;
        error_restore(&before);
    }
}

roost_status batches_export_by_number(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room,
                                      size_t *n)
{
    struct picked p;
    memset(&p, 0, sizeof p);
    p.t = table;
    p.low = cursor->position;
    if (cursor->end) return ROOST_OK;
    roost_status status = ledger_wait(&table->ledger);
    if (!status && p.low < table->numbers.next) {
        status = picked_open(&p, room);
        if (!status) status = ranges_try(&p);
        if (!status) status = picked_sort(&p);
        if (!status) status = picked_give(&p, keys, values);
        if (p.memory) backend_release(table->backend, p.memory, backend_arrays_bytes(p.bytes, ARRAYS));
    }
    if (status) return status;
    *n = (size_t)p.n;
    cursor->end = p.low >= table->numbers.next || table->numbers.next - p.low <= p.length;
    cursor->position = cursor->end ? table->numbers.next : p.low + p.length;
    return ROOST_OK;
}
