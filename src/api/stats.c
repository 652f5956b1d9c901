/* A table's statistics: a struct for those that all tables have, and names for those of the
 * engines. */
#include <stdio.h>

#include "api/checks.h"
#include "api/collective.h"
#include "roost/tuning.h"

enum { STATS_SIZE_OF_4C39953 = 744 /* roost_stats when it held the engines' statistics */ };

/* Waits, and reads the statistics of the engine and of the library. */
static roost_status numbers_read(struct roost_table *t, struct engine_stats *numbers)
{
    struct backend *const b = t->backend;
    roost_status status = call_begin(t, NULL, ACCESS_READ);
    if (status) return status;
    status = engine_stats(t->at, numbers);
    numbers->bytes_now = b->bytes_now;
    numbers->bytes_peak = b->bytes_peak;
    numbers->host_waits = b->waits;
    numbers->route_seconds = b->route_seconds;
    numbers->routed_find_seconds = b->routed_find_seconds;
    numbers->launches = __atomic_load_n(&b->launches, __ATOMIC_RELAXED);
    numbers->items_received = t->group ? t->group->received : 0;
    numbers->imbalance = t->group ? t->group->imbalance : 1;
    return call_end(t, ACCESS_READ, status);
}

static roost_status stats_size_check(size_t size, struct error *error)
{
    if (size != STATS_SIZE_OF_4C39953) return struct_size_check(&struct_stats, size, error);
    return error_set(
        error, ROOST_ERR_ARGUMENT,
        "roost_stats: statistics changed in this version, but the caller was compiled with the struct before: compile it again, "
        "and read the engine's statistics by name (roost_table_stat)");
}

static roost_stats stats_of(const struct engine_stats *e, size_t size)
{
    const roost_stats filled = {size,
                                e->count,
                                e->slots,
                                e->load_factor,
                                e->table_bytes,
                                e->bytes_now,
                                e->bytes_peak,
                                e->grow_steps,
                                e->forced_grow_steps,
                                e->shrink_steps,
                                e->shrink_aborts,
                                e->rehashed,
                                e->largest_rehash,
                                e->inserted,
                                e->updated,
                                e->erased,
                                e->host_waits,
                                e->launches};
    return filled;
}

/* The numbers of all ranks' shards.  own: whether this one's are known. */
static roost_status stats_sum(struct roost_table *t, struct engine_stats *e, roost_status own)
{
    struct table_group *const g = t->group;
    uint64_t received = g->received, most_received = g->received;
    uint64_t *const members[SUMS_MOST] = {&e->count,          &e->slots,      &e->table_bytes,       &e->bytes_now,
                                          &e->bytes_peak,     &e->grow_steps, &e->forced_grow_steps, &e->shrink_steps,
                                          &e->shrink_aborts,  &e->rehashed,   &e->launches,          &e->inserted,
                                          &e->updated,        &e->erased,     &e->host_waits,        &received,
                                          &e->largest_rehash, &most_received};
    uint64_t numbers[SUMS_MOST];
    for (int i = 0; i < SUMS_MOST; i++) numbers[i] = *members[i];
    const roost_status status = g->calls->sum(t, COLLECTIVE_STATS, numbers, SUMS_MOST, own);
    for (int i = 0; i < SUMS_MOST; i++) *members[i] = numbers[i];
    if (!status) g->imbalance = received ? (double)most_received * g->ranks / (double)received : 1;
    e->load_factor = e->slots ? (double)e->count / (double)e->slots : 0;
    return status;
}

ROOST_EXPORT roost_status roost_table_stats(const roost_table *table, roost_stats *stats, size_t size)
{
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    struct engine_stats e;
    if (!t) return call_without_table("roost_table_stats");
    const roost_status refused =
        stats ? stats_size_check(size, &t->error) : error_set(&t->error, ROOST_ERR_ARGUMENT, "stats is NULL");
    /* With others this rank takes part all the same. */
    if (refused && !t->group) return call_finish(t, refused);
    memset(&e, 0, sizeof e);
    roost_status status = numbers_read(t, &e);
    if (t->group) status = stats_sum(t, &e, status);
    if (refused || status) return call_finish(t, refused ? refused : status);
    const roost_stats filled = stats_of(&e, size);
    struct_write(stats, size, &filled);
    return ROOST_OK;
}

/* ---- By name --------------------------------------------------------------------------------- */

/* One of an engine's statistics, or an array of them. */
struct stat_row {
    const char *engine; /* NULL: all engines */
    const char *name;
    roost_stat_kind kind;
    uint32_t at;       /* offset in struct engine_stats */
    uint32_t elements; /* 0: not an array */
};

#define U64(engine, name)                                                                                                          \
    {                                                                                                                              \
        engine, #name, ROOST_STAT_U64, offsetof(struct engine_stats, name), 0                                                      \
    }
#define F64(engine, name)                                                                                                          \
    {                                                                                                                              \
        engine, #name, ROOST_STAT_F64, offsetof(struct engine_stats, name), 0                                                      \
    }
#define U64S(engine, name, elements)                                                                                               \
    {                                                                                                                              \
        engine, #name, ROOST_STAT_U64, offsetof(struct engine_stats, name), elements                                               \
    }

static const struct stat_row rows[] = {U64(NULL, seed),
                                       U64(NULL, reseeds),
                                       U64(NULL, slots_per_bucket),
                                       U64(NULL, parked),
                                       U64(NULL, put_back),
                                       U64(NULL, spilled),
                                       U64(NULL, bucket_reads),
                                       U64(NULL, max_bucket_reads),
                                       U64(NULL, lanes_active),
                                       U64(NULL, lanes_possible),
                                       F64(NULL, route_seconds),
                                       F64(NULL, routed_find_seconds),
                                       U64(NULL, items_received),
                                       F64(NULL, imbalance),
                                       U64("dycuckoo", evicted),
                                       U64("dycuckoo", residuals),
                                       U64S("dycuckoo", path_length, PATH_LENGTHS),
                                       U64("dycuckoo", subtables),
                                       U64S("dycuckoo", subtable_slots, MAX_SUBTABLES),
                                       U64S("dycuckoo", subtable_count, MAX_SUBTABLES),
                                       U64("slab", buckets),
                                       U64("slab", chained_slabs),
                                       U64("slab", longest_list),
                                       U64("slab", tombstones),
                                       U64("slab", flushes),
                                       F64("slab", average_slabs),
                                       F64("slab", memory_utilisation),
                                       U64("gph", cells),
                                       U64("gph", flagged_cells),
                                       U64("gph", overflow_keys),
                                       U64("gph", delta_moves),
                                       U64("gph", phi_moves),
                                       U64("gph", mapping_tries),
                                       U64("gph", wait_die_aborts),
                                       U64("gph", evicted),
                                       U64("gph", second_reads),
                                       U64("stadium", ticket_bits),
                                       U64("stadium", board_bytes),
                                       U64("stadium", host_bytes),
                                       U64("stadium", arena_bytes),
                                       U64("stadium", arena_used),
                                       U64("stadium", arena_dead),
                                       U64("stadium", regions),
                                       U64("stadium", tombstones),
                                       U64("stadium", flushes),
                                       U64("fks", buckets),
                                       U64("fks", reseeded_buckets),
                                       U64("fks", bucket_builds),
                                       U64("fks", second_keys),
                                       U64("fks", outside_keys),
                                       U64("fks", splits),
                                       U64("fks", merges),
                                       U64("fks", evicted),
                                       U64("fks", second_reads),
                                       F64("fks", count_seconds),
                                       F64("fks", partition_seconds),
                                       F64("fks", build_seconds),
                                       U64("compact", evicted),
                                       U64("compact", second_reads)};

enum { ROWS = sizeof rows / sizeof *rows };

static bool row_applies(const struct stat_row *row, const struct engine *engine)
{
    return !row->engine || !strcmp(row->engine, engine->name);
}

static uint32_t row_stats(const struct stat_row *row) { return row->elements ? row->elements : 1; }

static void row_name(const struct stat_row *row, uint32_t element, roost_stat *stat)
{
    const char *owner = row->engine ? row->engine : "table";
    if (row->elements) snprintf(stat->name, sizeof stat->name, "%s.%s.%u", owner, row->name, element);
    else snprintf(stat->name, sizeof stat->name, "%s.%s", owner, row->name);
}

static void row_value(const struct stat_row *row, uint32_t element, const struct engine_stats *numbers, roost_stat *stat)
{
    const char *at = (const char *)numbers + row->at + element * sizeof(uint64_t);
    stat->kind = row->kind;
    if (row->kind == ROOST_STAT_U64) memcpy(&stat->value.u64, at, sizeof stat->value.u64);
    else memcpy(&stat->value.f64, at, sizeof stat->value.f64);
}

/* The wanted statistic: by its name, or number `index` of the table's list. */
struct stat_wanted {
    const char *name; /* NULL: by index */
    size_t index;
};

/* Finds the wanted statistic and writes its name to stat->name. */
static const struct stat_row *row_find(const struct engine *engine, const struct stat_wanted *wanted, uint32_t *element,
                                       roost_stat *stat)
{
    size_t index = 0;
    for (const struct stat_row *row = rows; row < rows + ROWS; row++) {
        if (!row_applies(row, engine)) continue;
        for (*element = 0; *element < row_stats(row); (*element)++, index++) {
            if (!wanted->name && index != wanted->index) continue;
            row_name(row, *element, stat);
            if (!wanted->name || !strcmp(wanted->name, stat->name)) return row;
        }
    }
    return NULL;
}

static roost_status stat_missing(struct roost_table *t, const struct stat_wanted *wanted)
{
    if (wanted->name)
        return error_set(&t->error, ROOST_ERR_NOT_FOUND, "a table of engine %s has no statistic \"%.64s\"", t->engine->name,
                         wanted->name);
    return error_set(&t->error, ROOST_ERR_NOT_FOUND, "a table of engine %s has no statistic %zu", t->engine->name, wanted->index);
}

static roost_status stat_read(struct roost_table *t, const struct stat_wanted *wanted, roost_stat *stat)
{
    struct engine_stats numbers;
    roost_stat filled = ROOST_STAT_INIT;
    uint32_t element;
    if (!stat) return error_set(&t->error, ROOST_ERR_ARGUMENT, "stat is NULL");
    const size_t size = stat->size;
    roost_status status = struct_size_check(&struct_stat, size, &t->error);
    if (status) return status;
    const struct stat_row *row = row_find(t->engine, wanted, &element, &filled);
    if (!row) return stat_missing(t, wanted);
    const uint64_t waits = t->backend->waits;
    memset(&numbers, 0, sizeof numbers);
    status = numbers_read(t, &numbers);
    if (status) return status;
    /* Reading statistics does not count as a wait of the table's calls. */
    t->backend->waits = waits;
    row_value(row, element, &numbers, &filled);
    struct_write(stat, size, &filled);
    return ROOST_OK;
}

ROOST_EXPORT roost_status roost_table_stat(const roost_table *table, const char *name, roost_stat *stat)
{
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    const struct stat_wanted wanted = {name, 0};
    if (!t) return call_without_table("roost_table_stat");
    if (!name) return call_finish(t, error_set(&t->error, ROOST_ERR_ARGUMENT, "name is NULL"));
    return call_finish(t, stat_read(t, &wanted, stat));
}

ROOST_EXPORT roost_status roost_table_stat_at(const roost_table *table, size_t index, roost_stat *stat)
{
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    const struct stat_wanted wanted = {NULL, index};
    if (!t) return call_without_table("roost_table_stat_at");
    return call_finish(t, stat_read(t, &wanted, stat));
}
