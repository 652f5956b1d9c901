/* Dense numbers: each key of a batch gets the number that the table stores for it; keys that are
 * new get the next ones.
 *
 * All items are inserted with mode KEEP and the value `base` plus their index.  If all keys were
 * new, these are their numbers.  Else some new keys have numbers that are too high, and as many
 * lower ones are free: those keys are updated.  Items whose key was there are then looked up.
 * Where few keys are new, all are looked up first, and only those that are missing are inserted.
 *
 * With ROOST_ORDERED they are inserted with mode MIN, so that of a new key's items the first one's
 * number is stored; the numbers of the first ones then become their ranks. */
#include "batches/batches.h"

#include <string.h>

#include "batches/batches_work.h"

enum { MOST_HOST = 1 << 22, MOST_GPU = 1 << 26 /* items of a piece */ };

#if ROOST_PROBES
uint64_t batches_numbers_most = UINT64_MAX;
#else
static const uint64_t batches_numbers_most = UINT64_MAX;
#endif

/* Numbers that the table has left.  The one with all bits set stands for none. */
static uint64_t numbers_left(const struct engine_table *t)
{
    const bool has_sign = t->value_type == ROOST_TYPE_I32 || t->value_type == ROOST_TYPE_I64;
    const uint64_t all = ~0ULL >> (64 - 8 * t->value_bytes), end = has_sign ? all / 2 + 1 : all;
    const uint64_t most = end < batches_numbers_most ? end : batches_numbers_most;
    return t->numbers.next < most ? most - t->numbers.next : 0;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Keys of the piece.  memory: of listed strings: offsets and scratch, and bytes. */
struct keys {
    const void *keys, *offsets;
    int offset_bytes;
    uint64_t n;
    void *memory[2];
    size_t bytes[2];
};

static struct keys keys_of(const struct batch *b)
{
    const struct keys keys = {b->keys, b->key_offsets, b->offset_bytes, b->n, {NULL, NULL}, {0, 0}};
    return keys;
}

static void keys_release(struct batches_work *w, const struct keys *keys)
{
    for (int i = 0; i < 2; i++)
        if (keys->memory[i]) backend_release(w->b, keys->memory[i], keys->bytes[i]);
}

static roost_status launch(struct batches_work *w, enum batches_kernel which, struct batches_args *args, uint64_t n)
{
    args->n = n;
    return n ? backend_launch(w->b, batches_kernel_for(w->b, which), args, sizeof *args, n) : ROOST_OK;
}

/* Copies listed strings' offsets; *end: the bytes of all. */
static roost_status offsets_pick(struct batches_work *w, struct batches_args *args, struct keys *to, uint32_t *end)
{
    const uint64_t offsets = to->n + 1;
    size_t bytes[] = {offsets * sizeof(uint32_t), 0};
    void *at[2];
    roost_status status = batches_scan_scratch(w->b, 4, offsets, &bytes[1]);
    to->bytes[0] = backend_arrays_bytes(bytes, 2);
    if (!status) status = backend_allocate(w->b, to->bytes[0], &to->memory[0]);
    if (status) return status;
    backend_arrays_place(to->memory[0], bytes, 2, at);
    args->numbers.ranks = (uint32_t *)at[0];
    to->offsets = at[0];
    to->offset_bytes = sizeof(uint32_t);
    status = launch(w, BATCHES_string_bytes, args, offsets);
    if (!status) status = batches_scan(w->b, 4, args->numbers.ranks, offsets, at[1], bytes[1]);
    return status ? status : backend_read(w->b, end, args->numbers.ranks + to->n, sizeof *end);
}

static roost_status strings_pick(struct batches_work *w, struct batches_args *args, struct keys *to)
{
    uint32_t end = 0;
    roost_status status = offsets_pick(w, args, to, &end);
    to->bytes[1] = (size_t)end + 1;
    if (!status) status = backend_allocate(w->b, to->bytes[1], &to->memory[1]);
    to->keys = args->columns.keys = to->memory[1];
    return status ? status : launch(w, BATCHES_string_copy, args, to->n);
}

/* Copies n listed keys, those of one width to `room`. */
static roost_status keys_pick(struct batches_work *w, const struct keys *from, const uint32_t *list, uint64_t n, void *room,
                              struct keys *to)
{
    struct batches_args args = w->args;
    memset(&args.columns, 0, sizeof args.columns);
    memset(to, 0, sizeof *to);
    to->keys = args.columns.keys = room;
    to->n = n;
    args.batch.keys = from->keys;
    args.batch.key_offsets = from->offsets;
    args.batch.offset_bytes = (uint8_t)from->offset_bytes;
    args.items = (uint32_t *)(uintptr_t)list;
    return from->offsets ? strings_pick(w, &args, to) : launch(w, BATCHES_gather, &args, n);
}

/* ---- The engine's calls ---------------------------------------------------------------------- */

static roost_status run(struct batches_work *w, enum engine_call call, const struct keys *keys, struct batch *b)
{
    const struct batch *const all = &w->args.batch;
    b->keys = keys->keys;
    b->key_offsets = keys->offsets;
    b->offset_bytes = (uint8_t)keys->offset_bytes;
    b->n = keys->n;
    b->value_type = all->value_type;
    b->key_bytes = all->key_bytes;
    b->value_bytes = all->value_bytes;
    if (!b->n) return ROOST_OK;
    return (b->key_offsets ? engine_function_of(call) : batches_way_of(w->table, call, b->n).run)(w->table, b);
}

/* *refused: FULL or MEMORY, of items. */
static roost_status insert(struct batches_work *w, const struct keys *keys, roost_mode mode, const void *values, uint8_t *statuses,
                           roost_status *refused)
{
    struct batch b;
    memset(&b, 0, sizeof b);
    b.mode = (uint8_t)mode;
    b.values_in = values;
    b.statuses = statuses;
    roost_status status = statuses ? w->b->operations->fill(w->b, statuses, ROOST_ITEM_NONE, keys->n) : ROOST_OK;
    if (!status) status = run(w, ENGINE_INSERT, keys, &b);
    if (!status_of_items(status)) return status;
    *refused = status;
    return ROOST_OK;
}

static roost_status find(struct batches_work *w, const struct keys *keys, void *values, uint8_t *found)
{
    struct batch b;
    memset(&b, 0, sizeof b);
    b.values_out = values;
    b.found = found;
    return run(w, ENGINE_FIND, keys, &b);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Lists items of the n of args.batch: a kernel over chunks of them. */
static roost_status list(struct batches_work *w, enum batches_kernel which, uint64_t n, uint64_t words[NUMBER_WORDS])
{
    roost_status status = batches_clear_words(w);
    w->args.batch.n = n;
    if (!status) status = batches_launch(w, which, (n + NUMBER_CHUNK - 1) / NUMBER_CHUNK);
    return status ? status : batches_read_words(w, words, NUMBER_WORDS);
}

/* Runs a call on listed strings one by one: memory for their copies was refused. */
static roost_status one_by_one(struct batches_work *w, enum engine_call call, const struct keys *keys, const uint32_t *list,
                               uint64_t n, const struct batch *values)
{
    const int bytes = w->args.batch.value_bytes;
    roost_status status = ROOST_OK;
    for (uint64_t k = 0; k < n && !status; k++) {
        struct keys one = *keys;
        struct batch b = *values;
        uint32_t item = 0;
        status = backend_read(w->b, &item, list + k, sizeof item);
        one.offsets = array_at(keys->offsets, item, keys->offset_bytes);
        one.n = 1;
        if (b.values_in) b.values_in = array_at(b.values_in, k, bytes);
        if (b.values_out) b.values_out = array_at(b.values_out, k, bytes);
        if (!status) status = run(w, call, &one, &b);
    }
    return status;
}

/* Runs a call on listed keys, whose values have an array of their own. */
static roost_status listed_run(struct batches_work *w, enum engine_call call, const struct keys *keys, const uint32_t *list,
                               uint64_t n, struct batch *b)
{
    const struct error_mark before = error_keep(w->b->error);
    struct keys listed;
    roost_status status = keys_pick(w, keys, list, n, w->args.runs.write_keys, &listed);
    if (!status) status = run(w, call, &listed, b);
    keys_release(w, &listed);
    if (status != ROOST_ERR_MEMORY || !keys->offsets) return status;
    error_restore(&before);
    return one_by_one(w, call, keys, list, n, b);
}

/* Stores other numbers for listed new keys. */
static roost_status numbers_move(struct batches_work *w, const struct keys *keys, uint64_t n)
{
    struct batch b;
    memset(&b, 0, sizeof b);
    b.mode = ROOST_ASSIGN;
    b.values_in = w->args.runs.write_values;
    return n ? listed_run(w, ENGINE_INSERT, keys, w->args.numbers.moved, n, &b) : ROOST_OK;
}

/* Of `fresh` new keys those with numbers that are too high get the free ones. */
static roost_status numbers_close_up(struct batches_work *w, const struct keys *keys, uint64_t fresh)
{
    uint64_t words[NUMBER_WORDS];
    w->args.numbers.fresh = fresh;
    w->args.numbers.list = (uint32_t *)w->part[PART_SORT];
    roost_status status = list(w, BATCHES_number_split, keys->n, words);
    if (!status && words[NUMBER_MOVED]) status = batches_launch(w, BATCHES_number_move, words[NUMBER_MOVED]);
    return status ? status : numbers_move(w, keys, words[NUMBER_MOVED]);
}

/* Looks up the numbers of items that met their key. */
static roost_status others_find(struct batches_work *w, const struct keys *keys)
{
    uint64_t words[NUMBER_WORDS];
    struct batch b;
    roost_status status = list(w, BATCHES_number_others, keys->n, words);
    const uint64_t n = status ? 0 : words[NUMBER_OTHERS];
    if (!n) return status;
    memset(&b, 0, sizeof b);
    b.values_out = w->args.runs.write_values;
    status = listed_run(w, ENGINE_FIND, keys, w->args.numbers.list, n, &b);
    return status ? status : batches_launch(w, BATCHES_number_take, n);
}

/* Numbers base .. base + n - 1 were stored, and those of `fresh` new keys are left.  After a
 * failure any of them may be. */
static void numbers_take(struct engine_table *t, roost_status status, uint64_t n, uint64_t fresh)
{
    t->numbers.next += status ? n : fresh;
}

/* ---- In any order ---------------------------------------------------------------------------- */

/* Numbers keys, most of which are new.  *fresh: how many are. */
static roost_status candidates_number(struct batches_work *w, const struct keys *keys, uint64_t *fresh, roost_status *refused)
{
    struct engine_table *const t = w->table;
    const uint64_t before = t->engine->hooks.count(t);
    roost_status status = batches_launch(w, BATCHES_number_first, keys->n);
    if (!status) status = insert(w, keys, ROOST_KEEP, w->args.columns.values_in, w->args.columns.statuses, refused);
    if (!status) *fresh = t->engine->hooks.count(t) - before;
    if (!status && *fresh < keys->n) status = numbers_close_up(w, keys, *fresh);
    w->args.batch.n = keys->n;
    if (!status) status = batches_launch(w, BATCHES_number_give, keys->n);
    if (!status && *fresh < keys->n) status = others_find(w, keys);
    numbers_take(t, status, keys->n, *fresh);
    return status;
}

/* Looks all keys up, and lists those that are missing: *n. */
static roost_status missing_find(struct batches_work *w, const struct keys *keys, uint64_t *n)
{
    const struct batch *const b = &w->args.batch;
    uint64_t words[NUMBER_WORDS];
    w->args.numbers.list = w->args.items;
    roost_status status = find(w, keys, b->values_out, w->args.numbers.found);
    if (!status && b->statuses) status = w->b->operations->fill(w->b, b->statuses, ROOST_ITEM_KEPT, keys->n);
    if (!status) status = list(w, BATCHES_number_missing, keys->n, words);
    *n = status ? 0 : words[NUMBER_OTHERS];
    return status;
}

static roost_status number_missing(struct batches_work *w, const struct keys *keys, uint64_t *fresh, roost_status *refused)
{
    uint64_t n = 0;
    struct keys missing;
    roost_status status = missing_find(w, keys, &n);
    if (!status && n) status = keys_pick(w, keys, w->args.items, n, w->args.columns.keys, &missing);
    if (status || !n) return status;
    w->args.numbers.candidates = w->args.items;
    return candidates_number(w, &missing, fresh, refused);
}

static roost_status in_any_order(struct batches_work *w, const struct keys *keys, roost_status *refused)
{
    struct engine_table *const t = w->table;
    uint64_t fresh = 0;
    const roost_status status = t->numbers.finds_first && !keys->offsets ? number_missing(w, keys, &fresh, refused)
                                                                         : candidates_number(w, keys, &fresh, refused);
    t->numbers.finds_first = fresh < keys->n - keys->n / 4;
    return status;
}

/* ---- By first occurrence --------------------------------------------------------------------- */

/* Stores the numbers of first items that were refused although a later one of their key was not. */
static roost_status firsts_lower(struct batches_work *w, const struct keys *keys)
{
    struct numbers *const numbers = &w->args.numbers;
    uint64_t words[NUMBER_WORDS];
    struct batch b;
    numbers->list = w->args.items;
    roost_status status = list(w, BATCHES_number_earlier, keys->n, words);
    const uint64_t n = status ? 0 : words[NUMBER_OTHERS];
    if (!n) return status;
    memset(&b, 0, sizeof b);
    b.mode = ROOST_MIN;
    b.values_in = numbers->write_values;
    status = batches_launch(w, BATCHES_number_lower, n);
    if (!status) status = listed_run(w, ENGINE_INSERT, keys, numbers->list, n, &b);
    return status ? status : find(w, keys, numbers->values, numbers->found);
}

static roost_status by_first(struct batches_work *w, const struct keys *keys, roost_status *refused)
{
    struct numbers *const numbers = &w->args.numbers;
    const uint64_t n = keys->n;
    uint64_t words[NUMBER_WORDS] = {0};
    roost_status status = batches_launch(w, BATCHES_number_first, n);
    numbers->values = w->part[PART_RUN_VALUES];
    numbers->ranks = (uint32_t *)w->part[PART_SORT];
    if (!status) status = insert(w, keys, ROOST_MIN, w->args.columns.values_in, w->args.columns.statuses, refused);
    if (!status) status = find(w, keys, numbers->values, numbers->found);
    if (!status && *refused) status = firsts_lower(w, keys);
    if (!status) status = batches_launch(w, BATCHES_number_mark, n);
    if (!status) status = batches_scan(w->b, 4, numbers->ranks, n, w->sort.scratch, w->sort.scratch_bytes);
    if (!status) status = batches_clear_words(w);
    if (!status) status = batches_launch(w, BATCHES_number_rank, n);
    if (!status) status = batches_read_words(w, words, NUMBER_WORDS);
    if (!status) status = numbers_move(w, keys, words[NUMBER_MOVED]);
    numbers_take(w->table, status, n, words[NUMBER_NEW]);
    return status ? status : batches_launch(w, BATCHES_number_answer, n);
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

static roost_status range_run(struct batches_work *w, const struct batch *range, bool ordered, roost_status *refused);

static roost_status halves_run(struct batches_work *w, const struct batch *range, bool ordered, roost_status *refused)
{
    const uint64_t n = range->n / 2;
    const struct batch first = batch_part(range, 0, n, range->key_bytes, range->value_bytes),
                       rest = batch_part(range, n, range->n - n, range->key_bytes, range->value_bytes);
    const roost_status status = range_run(w, &first, ordered, refused);
    return status ? status : range_run(w, &rest, ordered, refused);
}

/* There may be more new keys than numbers are left. */
static roost_status near_end(struct batches_work *w, const struct batch *range, bool ordered, roost_status *refused)
{
    const struct keys keys = keys_of(range);
    uint64_t missing = 0;
    const roost_status status = missing_find(w, &keys, &missing);
    if (status || !missing) return status;
    if (numbers_left(w->table)) return halves_run(w, range, ordered, refused);
    *refused = error_set(w->b->error, ROOST_ERR_FULL, "all numbers that a value can hold are given away");
    return batches_launch(w, BATCHES_number_refuse, range->n);
}

/* Offsets of listed strings have 4 bytes. */
static roost_status is_long(struct batches_work *w, const struct batch *range, bool *is)
{
    uint64_t first = 0, end = 0;
    *is = false;
    if (!range->key_offsets || range->n == 1) return ROOST_OK;
    roost_status status = backend_read_offset(w->b, range->key_offsets, range->offset_bytes, 0, &first);
    if (!status) status = backend_read_offset(w->b, range->key_offsets, range->offset_bytes, range->n, &end);
    *is = end - first > UINT32_MAX;
    return status;
}

static roost_status range_run(struct batches_work *w, const struct batch *range, bool ordered, roost_status *refused)
{
    const struct keys keys = keys_of(range);
    bool halves;
    roost_status status = is_long(w, range, &halves);
    if (status) return status;
    if (halves) return halves_run(w, range, ordered, refused);
    batches_place(w);
    w->args.batch = *range;
    memset(&w->args.numbers, 0, sizeof w->args.numbers);
    w->args.numbers.base = w->table->numbers.next;
    w->args.numbers.found = w->args.runs.fates;
    w->args.numbers.moved = (uint32_t *)w->part[PART_ITEMS_ROOM];
    w->args.numbers.values = w->args.numbers.write_values = w->args.runs.write_values;
    if (numbers_left(w->table) < range->n) return near_end(w, range, ordered, refused);
    return ordered ? by_first(w, &keys, refused) : in_any_order(w, &keys, refused);
}

static roost_status piece_run(struct batches_work *w, bool ordered)
{
    const struct batch whole = w->args.batch;
    roost_status refused = ROOST_OK;
    const roost_status status = range_run(w, &whole, ordered, &refused);
    return status ? status : refused;
}

static roost_status piece_any(struct batches_work *w) { return piece_run(w, false); }
static roost_status piece_ordered(struct batches_work *w) { return piece_run(w, true); }

static roost_status plan(struct batches_work *w)
{
    w->words = NUMBER_WORDS;
    return batches_scan_scratch(w->b, 4, w->room, &w->sort.scratch_bytes);
}

static void parts_plan(struct batches_work *w, const struct batch *batch, bool ordered)
{
    const int key = batch->key_bytes, value = batch->value_bytes;
    w->bytes[PART_ITEMS] = w->bytes[PART_ITEMS_ROOM] = w->bytes[PART_SORT] = sizeof(uint32_t);
    w->bytes[PART_STATUSES] = w->bytes[PART_RUN_FATES] = 1;
    w->bytes[PART_KEYS] = ordered ? 0 : key;
    w->bytes[PART_WRITE_KEYS] = key;
    w->bytes[PART_VALUES_IN] = w->bytes[PART_WRITE_VALUES] = value;
    w->bytes[PART_RUN_VALUES] = ordered ? value : 0;
}

static roost_status number(struct engine_table *table, const struct batch *batch, bool ordered)
{
    struct batches_work w;
    struct batches_few few;
    roost_status status = batches_begin(&w, table, table->backend->ordinal < 0 ? MOST_HOST : MOST_GPU, &few);
    if (status) return status;
    parts_plan(&w, batch, ordered);
    batches_untried_from(w.b, batch, 0);
    status = ledger_wait(&table->ledger); /* new keys are counted from here on */
    if (!status) status = batches_open(&w, batch->n, plan);
    if (!status) status = batches_pieces(&w, batch, ordered ? piece_ordered : piece_any);
    batches_close(&w);
    return status;
}

roost_status batches_number(struct engine_table *table, const struct batch *batch) { return number(table, batch, false); }
roost_status batches_number_by_first(struct engine_table *table, const struct batch *batch) { return number(table, batch, true); }
