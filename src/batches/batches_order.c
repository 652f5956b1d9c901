/* Operations on one key in the order of the arrays, for any engine.  The items are sorted by
 * key, each key is looked up once, its operations are carried out on the result, and each key
 * that they changed is written once. */
#include "batches/batches.h"

#include <string.h>

#include "batches/batches_work.h"

/* A batch of the runs' keys, without the arrays of the piece's items. */
static struct batch batch_of_runs(const struct batches_work *w, const void *keys, uint64_t n)
{
    struct batch b;
    memset(&b, 0, sizeof b);
    b.keys = keys;
    b.n = n;
    b.value_type = w->args.batch.value_type;
    b.saturate = w->args.batch.saturate;
    b.key_bytes = w->args.batch.key_bytes;
    b.value_bytes = w->args.batch.value_bytes;
    return b;
}

/* Looks up the runs' keys. */
static roost_status runs_find(struct batches_work *w, uint64_t n)
{
    struct batch b = batch_of_runs(w, w->args.runs.keys, n);
    b.values_out = w->args.runs.values;
    b.found = w->args.runs.fates;
    return engine_find(w->table, &b);
}

/* Erases come first, because they make room. */
static roost_status runs_erase(struct batches_work *w, uint64_t runs, uint64_t n)
{
    if (!n) return ROOST_OK;
    const struct batch b = batch_of_runs(w, array_at(w->args.runs.write_keys, runs - n, w->args.batch.key_bytes), n);
    return engine_erase(w->table, &b);
}

static roost_status runs_store(struct batches_work *w, uint64_t n)
{
    if (!n) return ROOST_OK;
    struct batch b = batch_of_runs(w, w->args.runs.write_keys, n);
    b.values_in = w->args.runs.write_values;
    b.statuses = w->args.runs.statuses;
    b.mode = ROOST_ASSIGN;
    const roost_status failure = engine_insert(w->table, &b);
    if (!status_of_items(failure)) return failure;
    const roost_status status = batches_launch(w, BATCHES_refuse, n);
    return status ? status : failure;
}

/* Sorts the piece's items by key and makes its runs; words gets their number. */
static roost_status runs_make(struct batches_work *w, uint64_t words[ORDER_WORDS])
{
    const int bytes = w->args.batch.key_bytes;
    const uint64_t n = w->args.batch.n;
    roost_status status = batches_clear_words(w);
    if (!status) status = batches_launch(w, BATCHES_key, n);
    if (!status) status = batches_sort_items(w, bytes, 8 * bytes);
    if (!status) status = batches_launch(w, BATCHES_gather, n);
    if (!status) status = batches_launch(w, BATCHES_head, n);
    return status ? status : batches_read_words(w, words, ORDER_WORDS);
}

static roost_status order_piece(struct batches_work *w)
{
    uint64_t words[ORDER_WORDS];
    roost_status status = runs_make(w, words);
    const uint64_t runs = status ? 0 : words[WORD_RUNS];
    if (!status) status = runs_find(w, runs);
    if (!status) status = batches_launch(w, BATCHES_fold, runs);
    if (!status) status = batches_read_words(w, words, ORDER_WORDS);
    if (!status) status = runs_erase(w, runs, words[WORD_ERASES]);
    if (status) return status;
    const roost_status failure = runs_store(w, words[WORD_WRITES]);
    if (failure && !status_of_items(failure)) return failure;
    status = batches_launch(w, BATCHES_answer, runs);
    if (!status) status = batches_launch(w, BATCHES_scatter, w->args.batch.n);
    return status ? status : failure;
}

static void order_parts(const struct batch *batch, int bytes[PARTS])
{
    memset(bytes, 0, PARTS * sizeof *bytes);
    bytes[PART_SORT] = bytes[PART_SORT_ROOM] = bytes[PART_RUN_KEYS] = bytes[PART_WRITE_KEYS] = batch->key_bytes;
    bytes[PART_ITEMS] = bytes[PART_ITEMS_ROOM] = bytes[PART_RUNS] = bytes[PART_WRITTEN] = sizeof(uint32_t);
    bytes[PART_STATUSES] = bytes[PART_RUN_FATES] = bytes[PART_WRITE_STATUSES] = 1;
    bytes[PART_OPERATIONS] = batch->operations ? 1 : 0;
    bytes[PART_VALUES_IN] = batch->values_in ? batch->value_bytes : 0;
    bytes[PART_VALUES_OUT] = batch->values_out ? batch->value_bytes : 0;
    bytes[PART_RUN_VALUES] = bytes[PART_WRITE_VALUES] = batch->value_bytes;
}

roost_status batches_in_order(struct engine_table *table, const struct batch *batch)
{
    int bytes[PARTS];
    order_parts(batch, bytes);
    return batches_run(table, batch, 0, bytes, order_piece);
}
