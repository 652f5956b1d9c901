/* The log is given up rather than a call: a table without it is saved as a whole. */
#include "api/changes.h"

#include "api/registry.h"
#include "batches/batches.h"
#include "roost/snapshot.h"

enum {
    LOG_SHARE = 4,       /* the log has at most a quarter of the table's bytes, */
    LOG_LEAST = 1 << 20, /* or, in a small table, this many */
    LOG_STRING = 16      /* bytes that a string takes at least */
};

bool changes_asked(const struct roost_table *t) { return (t->origin.config.flags & ROOST_CHANGES) != 0; }

/* Every build's first engine takes words. */
static const struct engine *log_engine(const struct roost_table *t)
{
    return width_is_word(t->key_bytes) ? registry_at(0) : t->engine;
}

/* An empty set. */
static roost_status log_create(struct roost_table *t)
{
    roost_config c = t->origin.config;
    c.value_type = ROOST_TYPE_NONE;
    c.capacity = c.flags = 0;
    c.growth = 1;
    c.saturate = c.seed_given = 0;
    c.min_fill = 0.3;
    c.max_fill = 0.85;
    c.seed = 0;
    c.allocator = t->allocator;
    struct warnings none = {""};
    const struct engine_config config = {&c, t->key_bytes, 0, ROOST_TYPE_NONE, NULL, NULL, &none};
    const roost_status status = engine_create(&t->changes.log, log_engine(t), &config, t->backend, &t->error);
    if (!status) t->changes.log->warnings = &t->origin.warnings;
    return status;
}

void changes_release(struct roost_table *t)
{
    if (t->changes.log) engine_destroy(t->changes.log);
    t->changes.log = NULL;
}

void changes_lose(struct roost_table *t, const char *why)
{
    changes_release(t);
    t->changes.lost = why;
}

roost_status changes_make(struct roost_table *t)
{
    t->changes.lost = "the table was not saved before";
    if (!changes_asked(t) || t->multi) return ROOST_OK;
    const roost_status status = log_create(t); /* a table that could never have one is refused */
    changes_release(t);
    return status;
}

/* Without memory for a log the next save is whole. */
void changes_begin(struct roost_table *t)
{
    const struct error_mark before = error_keep(&t->error);
    changes_release(t);
    t->changes.lost = t->multi ? "the table is ROOST_MULTI" : t->viewed ? "a view writes to the table" : NULL;
    if (!changes_asked(t) || t->changes.lost) return;
    if (log_create(t)) changes_lose(t, "memory for the log of changes was refused");
    error_restore(&before);
}

bool changes_wanted(const struct roost_table *t) { return t->changes.log && !t->changes.held; }

const char *changes_lost(struct roost_table *t)
{
    const struct error_mark before = error_keep(&t->error);
    uint64_t failed = 0;
    if (t->changes.log && (engine_sync(t->changes.log, &failed) || failed)) changes_lose(t, "the log of changes ran out of memory");
    error_restore(&before);
    return t->changes.log ? NULL : t->changes.lost;
}

roost_status changes_note(struct engine_table *log, const struct batch *batch)
{
    struct batch b = *batch;
    b.mode = ROOST_KEEP;
    b.takes = (uint16_t)(1u << (ROOST_OP_INSERT + ROOST_KEEP));
    return b.key_offsets ? batches_strings_insert(log, &b) : batches_way_of(log, ENGINE_INSERT, b.n).run(log, &b);
}

bool changes_fit(struct roost_table *t, uint64_t n)
{
    struct engine_table *const log = t->changes.log;
    const uint64_t share = t->engine->hooks.bytes(t->at) / LOG_SHARE, most = share > LOG_LEAST ? share : LOG_LEAST;
    const uint64_t key = t->strings ? LOG_STRING : (unsigned)t->key_bytes;
    const bool fits = log->engine->hooks.bytes(log) <= most && n <= most / key;
    if (!fits) changes_lose(t, "the log of changes has overflowed");
    return fits;
}
