/* Stadium's table on the host: its counts, its bytes, its memory, one launch, and its kernels'
 * counters. */
#include <string.h>

#include "engines/counters.h"
#include "engines/stadium/stadium_table.h"

/* ---- Counts and bytes ----------------------------------------------------------------------- */

uint64_t stadium_stored(const struct engine_table *table) { return stadium_of_const(table)->count; }
uint64_t stadium_taken(const struct engine_table *table)
{
    return stadium_of_const(table)->count + stadium_of_const(table)->tombstones;
}
uint64_t stadium_slots(const struct stadium_table *t) { return stadium_main_slots(t->base.shape, &t->view); }

/* In whole blocks: a look at a single ticket reads its block. */
size_t stadium_view_board_bytes(const struct shape s, const struct stadium_view *v)
{
    const uint64_t bits = stadium_all_slots(s, v) << v->ticket_log;
    return (size_t)((bits + STADIUM_BLOCK_BITS - 1) / STADIUM_BLOCK_BITS * (STADIUM_BLOCK_BITS / 8));
}

size_t stadium_view_pairs_bytes(const struct shape s, const struct stadium_view *v)
{
    return (size_t)stadium_all_slots(s, v) * (size_t)stadium_pair_bytes(s, v);
}

uint64_t stadium_board_bytes(const struct stadium_table *t) { return stadium_view_board_bytes(t->base.shape, &t->view); }
uint64_t stadium_pairs_bytes(const struct stadium_table *t) { return stadium_view_pairs_bytes(t->base.shape, &t->view); }

size_t stadium_view_reach_bytes(const struct shape s, const struct stadium_view *v)
{
    return (size_t)(stadium_reach_of(s, v, v->groups) + 1) * sizeof(uint32_t);
}

size_t stadium_reach_bytes(const struct stadium_table *t) { return stadium_view_reach_bytes(t->base.shape, &t->view); }

uint64_t stadium_bytes(const struct engine_table *table)
{
    const struct stadium_table *t = stadium_of_const(table);
    const uint64_t kept = t->arena_room + (t->reach ? stadium_reach_bytes(t) : 0);
    return stadium_board_bytes(t) + stadium_pairs_bytes(t) + kept + sizeof(struct stadium_words);
}

/* ---- Memory --------------------------------------------------------------------------------- */

roost_status stadium_place_allocate(struct stadium_table *t, uint64_t bytes, void **memory, bool *on_host)
{
    struct backend *b = t->base.backend;
    const bool is_auto = t->options.memory == STADIUM_MEMORY_AUTO;
    const struct error_mark before = error_keep(t->base.error);
    roost_status status = ROOST_ERR_MEMORY;
    *memory = NULL;
    *on_host = t->options.memory == STADIUM_MEMORY_HOST;
    if (!*on_host) status = backend_allocate_beside(b, bytes, is_auto ? b->promised : 0, memory);
    if (status != ROOST_ERR_MEMORY || t->options.memory == STADIUM_MEMORY_DEVICE) return status;
    error_restore(&before);
    *on_host = true;
    return b->operations->pinned_allocate(b, bytes, memory);
}

void stadium_place_release(struct stadium_table *t, void *memory, bool on_host, uint64_t bytes)
{
    struct backend *b = t->base.backend;
    if (memory && on_host) b->operations->pinned_release(b, memory, bytes);
    else if (memory) backend_release(b, memory, bytes);
}

/* ---- Launches ------------------------------------------------------------------------------- */

struct stadium_args stadium_batch_args(const struct stadium_table *t, const struct batch *batch)
{
    struct stadium_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch = batch_slice(&t->base, batch, 0, batch->n);
    return args;
}

roost_status stadium_launch_over(struct stadium_table *t, const struct kernel *k, struct stadium_args *args, uint64_t n)
{
    struct backend *b = t->base.backend;
    args->view = t->view;
    args->batch.n = n;
    args->transfer.shape = t->base.shape;
    return b->operations->launch(b, k, args, sizeof *args, n);
}

/* ---- Counters ------------------------------------------------------------------------------- */

_Static_assert(sizeof(struct stadium_words) <= LEDGER_BYTES, "the ledger reads the words as a whole");

void stadium_take(struct engine_table *table, const void *words, const struct counters *since)
{
    struct stadium_table *t = stadium_of(table);
    struct stadium_words now;
    memcpy(&now, words, sizeof now);
    t->count += since->stored[0];
    t->placed += since->inserted + since->moved;
    t->strayed += since->strayed;
    t->tombstones += since->erased - since->reused;
    t->ends = now.ends;
}

/* Keys that look like marks have slots beside the others. */
uint64_t stadium_vacant(const struct stadium_table *t)
{
    const uint64_t slots = stadium_slots(t), taken = t->count + t->tombstones;
    return taken < slots ? slots - taken : 0;
}

uint64_t stadium_keys_most(const struct stadium_table *t)
{
    return t->base.growth ? UINT64_MAX : (uint64_t)(t->fill_most * (double)stadium_slots(t));
}

uint64_t stadium_left(const struct stadium_table *t)
{
    const uint64_t most = stadium_keys_most(t);
    return most > t->count ? most - t->count : 0;
}

static uint64_t survey_runs(const struct stadium_table *t)
{
    return (stadium_all_slots(t->base.shape, &t->view) + STADIUM_RUN - 1) / STADIUM_RUN;
}

void stadium_reach_release(struct stadium_table *t)
{
    if (t->reach) backend_release(t->base.backend, t->reach, stadium_reach_bytes(t));
    t->reach = t->view.reach = NULL;
}

/* Raises each home's reach from 0. */
static roost_status reach_survey(struct stadium_table *t)
{
    struct stadium_args args;
    memset(&args, 0, sizeof args);
    args.batch.counters = t->base.ledger.words;
    args.transfer.reach = t->reach;
    const roost_status status = t->base.backend->operations->fill(t->base.backend, t->reach, 0, stadium_reach_bytes(t));
    return status ? status : stadium_launch_over(t, t->base.kernel[STADIUM_survey], &args, survey_runs(t));
}

roost_status stadium_reach_learn(struct stadium_table *t, uint64_t looks)
{
    const struct error_mark before = error_keep(t->base.error);
    void *memory = t->reach;
    if (!t->view.reach) t->sought += looks;
    if (t->view.reach || t->sought < stadium_slots(t)) return ROOST_OK;
    roost_status status = memory ? ROOST_OK : backend_allocate(t->base.backend, stadium_reach_bytes(t), &memory);
    t->reach = (uint32_t *)memory;
    if (!status) status = reach_survey(t);
    if (!status) t->view.reach = t->reach;
    t->sought = 0;
    return error_forgive_memory(&before, status);
}

roost_status stadium_survey_slots(struct stadium_table *t)
{
    struct backend *b = t->base.backend;
    const struct counters *counters = t->base.ledger.words;
    struct counters before, after, since;
    struct stadium_args args;
    memset(&args, 0, sizeof args);
    args.batch.counters = t->base.ledger.words;
    roost_status status = backend_read(b, &before, counters, sizeof before);
    if (!status) status = stadium_launch_over(t, t->base.kernel[STADIUM_survey], &args, survey_runs(t));
    if (!status) status = backend_read(b, &after, counters, sizeof after);
    if (status) return status;
    counters_since(&after, &before, &since);
    t->count = since.distinct;
    t->tombstones = since.reused;
    return ROOST_OK;
}
