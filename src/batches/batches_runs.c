/* A piece of an ordered batch: its items are sorted by key, each key is looked up once, its
 * operations are carried out on the result, and each key that they changed is written once. */
#include "batches/batches_runs.h"

#include <string.h>

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

roost_status runs_find(struct batches_work *w, uint64_t n)
{
    struct batch b = batch_of_runs(w, w->args.runs.keys, n);
    b.values_out = w->args.runs.values;
    b.found = w->args.runs.fates;
    return engine_find(w->table, &b);
}

/* Erases come first, because they make room.  If stores follow, the table keeps its size until
 * then: after a shrink it might be refused the memory to grow again. */
static roost_status runs_erase(struct batches_work *w, uint64_t runs, uint64_t n, bool stores)
{
    struct engine_table *t = w->table;
    const uint64_t reserved = t->floor_keys, count = t->engine->hooks.count(t);
    if (!n) return ROOST_OK;
    const struct batch b = batch_of_runs(w, array_at(w->args.runs.write_keys, runs - n, w->args.batch.key_bytes), n);
    if (stores && count > reserved) t->floor_keys = count;
    const roost_status status = engine_erase(t, &b);
    t->floor_keys = reserved;
    if (stores) ledger_owe(&t->ledger, LEDGER_OWES_SHRINK);
    return status;
}

static roost_status runs_store(struct batches_work *w, uint64_t n)
{
    if (!n) return ROOST_OK;
    struct batch b = batch_of_runs(w, w->args.runs.write_keys, n);
    b.values_in = w->args.runs.write_values;
    b.statuses = w->args.runs.statuses;
    b.mode = ROOST_ASSIGN;
    roost_status status = w->b->operations->fill(w->b, b.statuses, ROOST_ITEM_NONE, n);
    const roost_status failure = status ? status : engine_insert(w->table, &b);
    if (status || !status_of_items(failure)) return failure;
    status = batches_launch(w, BATCHES_refuse, n);
    return status ? status : failure;
}

roost_status runs_write(struct batches_work *w, uint64_t runs, roost_status *refused)
{
    uint64_t words[ORDER_WORDS];
    *refused = ROOST_OK;
    roost_status status = batches_read_words(w, words, ORDER_WORDS);
    if (!status) status = runs_erase(w, runs, words[WORD_ERASES], words[WORD_WRITES] > 0);
    if (!status) *refused = runs_store(w, words[WORD_WRITES]);
    return status || status_of_items(*refused) ? status : *refused;
}

/* Sorts the piece's items by key: those of a call in the order of its arrays, or taken ones, which
 * are unordered. */
static roost_status runs_sort(struct batches_work *w)
{
    const int bytes = w->args.batch.key_bytes;
    roost_status status;
    if (w->args.range.n) {
        status = runs_arrange(w);
        if (!status) status = batches_launch(w, BATCHES_rekey, w->args.batch.n);
        return status ? status : batches_sort_again(w, bytes, 8 * bytes);
    }
    status = batches_launch(w, BATCHES_key, w->args.batch.n);
    return status ? status : batches_sort_items(w, bytes, 8 * bytes);
}

roost_status runs_arrange(struct batches_work *w)
{
    const int bytes = w->args.range.from_bytes;
    const roost_status status = batches_launch(w, BATCHES_arrive, w->args.batch.n);
    return status ? status : batches_sort_items(w, bytes, 8 * bytes);
}

/* Makes the piece's runs; words gets their number. */
static roost_status runs_make(struct batches_work *w, uint64_t words[ORDER_WORDS])
{
    const uint64_t n = w->args.batch.n;
    roost_status status = batches_clear_words(w);
    if (!status) status = runs_sort(w);
    if (!status) status = batches_launch(w, BATCHES_gather, n);
    if (!status) status = batches_launch(w, BATCHES_head, n);
    return status ? status : batches_read_words(w, words, ORDER_WORDS);
}

roost_status runs_piece(struct batches_work *w)
{
    uint64_t words[ORDER_WORDS];
    roost_status refused = ROOST_OK, status = runs_make(w, words);
    const uint64_t runs = status ? 0 : words[WORD_RUNS];
    if (!status) status = runs_find(w, runs);
    if (!status) status = batches_launch(w, BATCHES_fold, runs);
    if (!status) status = runs_write(w, runs, &refused);
    if (!status) status = batches_launch(w, BATCHES_answer, runs);
    if (!status) status = batches_launch(w, BATCHES_scatter, w->args.batch.n);
    return status ? status : refused;
}
