/* Calls with timestamped items, and the proof that they were linearisable. */
#include "support/history.h"

#include "api/table.h"
#include "support/draw.h"
#include "support/settings.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKERS = 32 };
enum { OPERATIONS, KEYS, ARGUMENTS, VALUES, STATUSES, STAMPS, CLOCK, ARRAY_COUNT };

/* A call's arrays, reused by later calls, and the grouping of its items by key. */
struct history_arrays {
    struct array array[ARRAY_COUNT];
    size_t *begin; /* where each key's operations begin in `ops` */
    struct linear_op *ops;
    struct linear *linear[CHECKERS]; /* one for each thread */
};

static void *zeroed(size_t n, size_t bytes)
{
    void *p = calloc(n + 1, bytes);
    if (!p) abort();
    return p;
}

/* ---- Keys and states ------------------------------------------------------------------------- */

static int by_pattern(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Patterns in rising order, so that bisection finds a key's number. */
static uint64_t *make_keys(const struct test_shape *shape, size_t n)
{
    const uint64_t telling[] = {0, width_mask(shape->key_bytes), width_mask(shape->key_bytes) - 1};
    uint64_t *keys = make_patterns(n);
    for (size_t i = 0; i < n; i++) keys[i] = i < 3 ? telling[i] : distinct_key(shape, i);
    qsort(keys, n, sizeof *keys, by_pattern);
    for (size_t i = 1; i < n; i++) require(keys[i] != keys[i - 1], "key %zu twice", i);
    return keys;
}

static size_t number_of(const struct history *h, uint64_t pattern)
{
    const uint64_t *key = bsearch(&pattern, h->keys, h->key_count, sizeof *h->keys, by_pattern);
    require(key, "an export finds a key that was never inserted: 0x%" PRIx64, pattern);
    return (size_t)(key - h->keys);
}

/* Reads the table's contents by an export. */
static void read_states(const struct history *h, struct linear_state *states)
{
    struct pairs pairs = table_export(h->table, settings_rounds(4096, 1 << 16));
    for (size_t i = 0; i < pairs.n; i++) {
        struct linear_state *state = &states[number_of(h, pairs.keys[i])];
        require(!state->present, "an export finds key 0x%" PRIx64 " twice", pairs.keys[i]);
        *state = (struct linear_state){true, pairs.values[i]};
    }
    pairs_free(&pairs);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static uint64_t value_mask(const struct table *table)
{
    return table->shape.value_bytes ? width_mask(table->shape.value_bytes) : 0;
}

struct history *history_open(struct table *table, enum stamping stamping, size_t key_count, size_t room)
{
    const size_t bytes[ARRAY_COUNT] = {1, table->shape.key_bytes,    table->shape.value_bytes, table->shape.value_bytes,
                                       1, sizeof(struct item_stamp), sizeof(uint64_t)};
    struct history *h = zeroed(1, sizeof *h);
    *h = (struct history){.table = table, .stamping = stamping, .key_count = key_count, .room = room};
    h->keys = make_keys(&table->shape, key_count);
    h->states = zeroed(key_count, sizeof *h->states);
    h->items = zeroed(room, sizeof *h->items);
    h->arrays = zeroed(1, sizeof *h->arrays);
    h->arrays->begin = zeroed(key_count + 1, sizeof *h->arrays->begin);
    h->arrays->ops = zeroed(room, sizeof *h->arrays->ops);
    for (int i = 0; i < CHECKERS; i++) h->arrays->linear[i] = linear_new(value_mask(table), 16 * LINEAR_PLACES);
    for (int a = 0; a < ARRAY_COUNT; a++) {
        const bool stamps = a == STAMPS || a == CLOCK;
        h->arrays->array[a] = array_make(a == CLOCK ? sizeof(uint64_t) : room * bytes[a]);
        memset(h->arrays->array[a].host, 0, h->arrays->array[a].bytes);
        array_send(&h->arrays->array[a], stamps ? settings_on_gpu() : table->placement == PLACE_DEVICE);
    }
    return h;
}

void history_close(struct history *h)
{
    for (int a = 0; a < ARRAY_COUNT; a++) array_free(&h->arrays->array[a]);
    for (int i = 0; i < CHECKERS; i++) linear_free(h->arrays->linear[i]);
    free(h->arrays->ops);
    free(h->arrays->begin);
    free(h->arrays);
    free(h->items);
    free(h->states);
    free(h->keys);
    free(h);
}

static void send(struct history *h, size_t n)
{
    struct array *array = h->arrays->array;
    const unsigned key_bytes = h->table->shape.key_bytes, value_bytes = h->table->shape.value_bytes;
    for (size_t i = 0; i < n; i++) {
        ((uint8_t *)array[OPERATIONS].host)[i] = h->items[i].operation;
        pack_keys(&h->keys[h->items[i].key], 1, key_bytes, (char *)array[KEYS].host + i * key_bytes);
        pack(&h->items[i].argument, 1, value_bytes, (char *)array[ARGUMENTS].host + i * value_bytes);
    }
    for (int a = OPERATIONS; a <= ARGUMENTS; a++) array_update(&array[a]);
    array_clear(&array[STATUSES]);
    if (h->stamping != STAMPS_NONE) array_clear(&array[STAMPS]);
    *(uint64_t *)array[CLOCK].host = 1;
    array_update(&array[CLOCK]);
}

static roost_status call_one(const struct history *h, size_t n, const roost_call *call)
{
    const struct array *array = h->arrays->array;
    const uint8_t operation = h->items[0].operation;
    roost_table *t = h->table->handle;
    for (size_t i = 0; i < n; i++) require(h->items[i].operation == operation, "operations are mixed");
    if (operation == ROOST_OP_FIND) return roost_find(t, array[KEYS].given, n, array[VALUES].given, NULL, call);
    if (operation == ROOST_OP_ERASE) return roost_erase(t, array[KEYS].given, n, call);
    return roost_insert(t, (roost_mode)(operation - ROOST_OP_INSERT), array[KEYS].given, array[ARGUMENTS].given, n, call);
}

static roost_status call_mixed(const struct history *h, size_t n, const roost_call *call)
{
    const struct array *array = h->arrays->array;
    roost_batch batch;
    require_status(ROOST_OK, roost_batch_init(&batch, sizeof batch), NULL);
    batch.operations = array[OPERATIONS].given;
    batch.keys = array[KEYS].given;
    batch.values_in = array[ARGUMENTS].given;
    batch.values_out = array[VALUES].given;
    batch.n = n;
    return roost_apply(h->table->handle, &batch, call);
}

static void carry_out(struct history *h, size_t n, bool mixed)
{
    struct array *array = h->arrays->array;
    roost_call call;
    require_status(ROOST_OK, roost_call_init(&call, sizeof call), NULL);
    call.statuses = array[STATUSES].given;
    if (h->stamping != STAMPS_NONE) call_stamps.stamps = array[STAMPS].given;
    if (h->stamping == STAMPS_FENCED) call_stamps.clock = array[CLOCK].given;
    roost_status status = mixed ? call_mixed(h, n, &call) : call_one(h, n, &call);
    call_stamps = (struct call_stamps){NULL, NULL};
    if (status == ROOST_OK) status = roost_table_sync(h->table->handle, NULL);
    if (status != ROOST_ERR_FULL) require_status(ROOST_OK, status, h->table->handle);
    array_fetch(&array[VALUES]);
    array_fetch(&array[STATUSES]);
    if (h->stamping == STAMPS_NONE) return;
    array_fetch(&array[STAMPS]);
    if (((const struct item_stamp *)array[STAMPS].host)->invoked) return;
    require(settings_on_gpu(), "the kernels stamp nothing: this program links kernels without ROOST_PROBES");
    suite_skip("the kernels stamp nothing: configure with -DROOST_PROBES=ON");
}

/* ---- Checking -------------------------------------------------------------------------------- */

/* An unordered read of the clock may move by as long as an access takes to complete, in either
 * direction. Clocks also advance in steps. The slack counts at both ends.
 * - GPU: nanoseconds of a clock that moves in steps of up to 1.1 us.
 * - x86: ticks, at most some thousands in a microsecond. A store waits until all earlier stores
 *   of its processor have got their cache lines. Of 16 million histories on a machine with 32
 *   busy processors, one had a store that was seen 11,600 ticks after its timestamp. */
uint64_t history_slack(void) { return settings_on_gpu() ? 4000 : 20000; }

static struct linear_op op_of(const struct history *h, size_t i)
{
    const struct array *array = h->arrays->array;
    const struct item_stamp *stamp = (const struct item_stamp *)array[STAMPS].host + i;
    const uint64_t slack = h->stamping == STAMPS_UNFENCED ? history_slack() : 0;
    struct linear_op op = {
        .operation = h->items[i].operation, .status = ((const uint8_t *)array[STATUSES].host)[i], .responded = 1};
    op.argument = h->items[i].argument & value_mask(h->table);
    const unsigned bytes = h->table->shape.value_bytes;
    if (op.status == ROOST_ITEM_FOUND) unpack((const char *)array[VALUES].host + i * bytes, 1, bytes, &op.value);
    if (h->stamping == STAMPS_NONE) return op;
    require(stamp->invoked && stamp->responded >= stamp->invoked, "item %zu was not stamped", i);
    op.invoked = stamp->invoked - slack;
    op.responded = stamp->responded + slack;
    return op;
}

/* Groups the operations by key: a counting sort. */
static void group(struct history *h, size_t n)
{
    size_t *begin = h->arrays->begin;
    memset(begin, 0, (h->key_count + 1) * sizeof *begin);
    for (size_t i = 0; i < n; i++) begin[h->items[i].key + 1]++;
    for (size_t k = 0; k < h->key_count; k++) begin[k + 1] += begin[k];
    for (size_t i = 0; i < n; i++) h->arrays->ops[begin[h->items[i].key]++] = op_of(h, i);
    for (size_t k = h->key_count; k > 0; k--) begin[k] = begin[k - 1];
    begin[0] = 0;
}

static void print_state(const char *when, struct linear_state state)
{
    if (state.present) fprintf(stderr, "  %s: 0x%" PRIx64 "\n", when, state.value);
    else fprintf(stderr, "  %s: absent\n", when);
}

static void print_history(const struct history *h, size_t key, const struct linear_state *end)
{
    static const char *const names[] = {"find", "erase", "assign", "keep", "add", "min", "max", "append"};
    fprintf(stderr, "key 0x%" PRIx64 ": no order explains this\n", h->keys[key]);
    print_state("before", h->states[key]);
    for (size_t i = h->arrays->begin[key]; i < h->arrays->begin[key + 1]; i++) {
        const struct linear_op *op = &h->arrays->ops[i];
        fprintf(stderr, "  %" PRIu64 " .. %" PRIu64 ": %s 0x%" PRIx64 " %d (\"%s\"), value 0x%" PRIx64 "\n", op->invoked,
                op->responded, names[op->operation], op->argument, op->status,
                roost_item_status_string((roost_item_status)op->status), op->value);
    }
    print_state("after", end[key]);
}

static void check_key(const struct history *h, struct linear *linear, size_t key, const struct linear_state *end,
                      struct history_counts *counts)
{
    struct linear_op *ops = h->arrays->ops + h->arrays->begin[key];
    const size_t n = h->arrays->begin[key + 1] - h->arrays->begin[key];
    const enum linear_verdict verdict = linear_check(linear, ops, n, h->states[key], end[key]);
    counts->wrong += verdict == LINEAR_NO;
    if (!n) return;
    counts->histories++;
    counts->operations += n;
    counts->undecided += verdict == LINEAR_UNDECIDED;
    counts->crowded += linear_crowded(ops, n);
    if (verdict != LINEAR_NO) return;
#pragma omp critical
    print_history(h, key, end);
}

void history_add(struct history_counts *sum, const struct history_counts *counts)
{
    sum->histories += counts->histories;
    sum->operations += counts->operations;
    sum->crowded += counts->crowded;
    sum->wrong += counts->wrong;
    sum->undecided += counts->undecided;
}

static void check_keys(struct history *h, const struct linear_state *end)
{
    enum { PART = 256 /* keys that a thread takes at a time */ };
    const int64_t parts = (int64_t)((h->key_count + PART - 1) / PART);
#pragma omp parallel num_threads(omp_get_max_threads() < CHECKERS ? omp_get_max_threads() : CHECKERS) if (parts > 4)
    {
        struct linear *linear = h->arrays->linear[omp_get_thread_num()];
        struct history_counts counts = {0};
#pragma omp for schedule(dynamic, 1)
        for (int64_t part = 0; part < parts; part++)
            for (size_t key = (size_t)part * PART; key < (size_t)(part + 1) * PART && key < h->key_count; key++)
                check_key(h, linear, key, end, &counts);
#pragma omp critical
        history_add(&h->counts, &counts);
    }
}

void history_call(struct history *h, size_t n, bool mixed)
{
    send(h, n);
    carry_out(h, n, mixed);
}

const uint8_t *history_statuses(const struct history *h) { return h->arrays->array[STATUSES].host; }

void history_read(struct history *h)
{
    history_cleared(h);
    read_states(h, h->states);
}

void history_run(struct history *h, size_t n, bool mixed)
{
    const uint64_t wrong = h->counts.wrong;
    struct linear_state *end = zeroed(h->key_count, sizeof *end);
    history_call(h, n, mixed);
    read_states(h, end);
    group(h, n);
    check_keys(h, end);
    free(h->states);
    h->states = end;
    require(h->counts.wrong == wrong, "%" PRIu64 " of %zu keys' histories in one call are not linearisable",
            h->counts.wrong - wrong, h->key_count);
}

void history_cleared(struct history *h) { memset(h->states, 0, h->key_count * sizeof *h->states); }

bool history_mixes(const struct table *table)
{
    roost_engine_info info;
    const char *name = roost_table_engine(table->handle);
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (!strcmp(info.name, name)) return info.mixes;
    return false;
}

void history_print(FILE *file, const char *what, const struct history_counts *counts)
{
    const double share = counts->histories ? 100 * (double)counts->crowded / (double)counts->histories : 0;
    fprintf(file,
            "%s: %" PRIu64 " histories, %" PRIu64 " operations; in %.1f %% three operations, one an update, overlap mutually; "
            "%" PRIu64 " violations, %" PRIu64 " undecided\n",
            what, counts->histories, counts->operations, share, counts->wrong, counts->undecided);
}
