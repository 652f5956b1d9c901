/* Groups in parts, on a host.
 *
 * Rows of many groups are dealt to parts by a hash of their key: each part is groups of its own,
 * whose tables and states fit a core's cache, and one thread adds its rows.  A part that has much
 * more than its share of the rows is added by all threads, after the others.
 *
 * The rows of the first call tell whether there are many groups.  Keys and values of 4 and 8 bytes
 * that are never NULL can be dealt, in groups whose order is free. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "portable/hash.h"
#include "portable/linear_counting.h"
#include "portable/random_seed.h"
#include "relations/group.h"

enum {
    LEAST_ROWS = 1 << 17,    /* of a call that begins parts */
    CACHED_GROUPS = 1 << 14, /* of all: so few fit a core's cache together */
    LEAST_GROUPS = 1 << 11,  /* of a part: fewer are not worth a table */
    PART_GROUPS = 1 << 16,   /* of a part: more do not fit a core's cache */
    PART_ROWS = 1 << 14,     /* of a part's piece: its work space fits the cache, too */
    PARTS_OF_THREAD = 4,     /* so that all threads end together */
    BITS_MOST = 8,           /* of a part's number */
    SAMPLE = 1 << 16,        /* rows: they tell 5 million groups from 10 million, */
    SAMPLE_BITS = 1 << 22,   /* and bits of the map of their hashes */
    DEALT_ROWS = 1 << 24,    /* rows that are dealt together, */
    DEALT_BYTES = 1 << 28,   /* and bytes of them: a deal brings all parts to caches */
    HEAVY = 2,               /* times a thread's share of the rows */
    RANGE_ROWS = 1 << 14,    /* that a thread deals at a time */
    RANGE_WORK = 1 << 21     /* these, or a part's rows, are work enough for a turn */
};

/* A part has room for this many times its share of the groups: parts differ, and so does what a
 * sample tells.  Its tables have more: inserts into one that is nearly full take longer. */
#define SPARE 1.125
#define SPARE_OF_TABLES 1.2375

#if ROOST_PROBES
/* For tests: by how many bits the numbers of rows and groups above are smaller; how many groups
 * were dealt to parts, and how many parts were added by all threads. */
int group_parts_smaller;
uint64_t group_parts_begun, group_parts_heavy;
#define COUNT_PROBE(counter) __atomic_fetch_add(&(counter), 1, __ATOMIC_RELAXED)
#else
enum { group_parts_smaller = 0 };
#define COUNT_PROBE(counter) ((void)0)
#endif

enum { COLUMNS_MOST = ROOST_GROUP_KEYS_MOST + ROOST_GROUP_VALUES_MOST };

/* The key columns of some rows, and the seed of their hashes. */
struct row_keys {
    uint64_t seed;
    int columns;
    struct relations_column column[ROOST_GROUP_KEYS_MOST];
};

/* What became of each part, which a worker's thread may have learnt. */
struct outcomes {
    roost_status status[1 << BITS_MOST];
    struct error error[1 << BITS_MOST];
};

/* Rows of a call that are dealt together. */
struct deal {
    struct roost_group *g;
    const roost_column *columns[COLUMNS_MOST]; /* keys, then values */
    int columns_n;
    uint64_t first, rows;
    const void *items[COLUMNS_MOST]; /* from row `first` on */
    struct row_keys keys;            /* the same */
    uint8_t *parts;                  /* of each row */
    uint32_t *places;                /* of each range's rows, for each part */
    void *brought[COLUMNS_MOST], *dealt[COLUMNS_MOST];
    uint64_t begin[(1 << BITS_MOST) + 1]; /* of each part's rows */
    struct outcomes of_parts;
};

static int bytes_of(const struct deal *d, int c) { return column_item_bytes(d->columns[c]); }
static int parts_of(const struct roost_group *g) { return 1 << g->part_bits; }

static void outcome_keep(struct outcomes *o, int part, roost_status status)
{
    o->status[part] = status;
    if (status) o->error[part] = *thread_error();
}

/* The first failure. */
static roost_status outcomes_status(const struct outcomes *o, int parts)
{
    for (int p = 0; p < parts; p++) {
        if (!o->status[p]) continue;
        *thread_error() = o->error[p];
        return o->status[p];
    }
    return ROOST_OK;
}

/* ---- Dealing --------------------------------------------------------------------------------- */

/* Tables hash with other seeds, so a part's keys are spread evenly in its tables. */
static uint64_t row_hash(const struct row_keys *keys, uint64_t i)
{
    uint64_t hash = keys->seed;
    for (int c = 0; c < keys->columns; c++) hash = mix64(hash ^ column_word(&keys->column[c], i));
    return hash;
}

/* The keys are words of 8 bytes of one column, whose hashes the compiler makes side by side. */
static bool is_plain(const struct row_keys *keys)
{
    return keys->columns == 1 && keys->column[0].bytes == 8 && keys->column[0].type != ROOST_TYPE_F64;
}

static void rows_choose(const struct deal *d, uint64_t first, uint64_t last)
{
    const int shift = 64 - d->g->part_bits;
    const uint64_t seed = d->keys.seed, *const words = (const uint64_t *)d->keys.column[0].values;
    uint8_t *const parts = d->parts;
    if (is_plain(&d->keys))
        for (uint64_t i = first; i < last; i++) parts[i] = (uint8_t)(mix64(seed ^ words[i]) >> shift);
    else
        for (uint64_t i = first; i < last; i++) parts[i] = (uint8_t)(row_hash(&d->keys, i) >> shift);
}

static uint64_t ranges_of(uint64_t rows) { return (rows + RANGE_ROWS - 1) / RANGE_ROWS; }
static uint64_t range_end(const struct deal *d, uint64_t range)
{
    return d->rows - range * RANGE_ROWS < RANGE_ROWS ? d->rows : (range + 1) * RANGE_ROWS;
}
static uint32_t *places_of(const struct deal *d, uint64_t range) { return d->places + (range << d->g->part_bits); }

/* Chooses each row's part, and counts each part's rows. */
static void choose(const void *args, uint64_t first, uint64_t last)
{
    const struct deal *const d = *(const struct deal *const *)args;
    const uint8_t *const parts = d->parts;
    for (uint64_t range = first; range < last; range++) {
        const uint64_t end = range_end(d, range);
        uint32_t *const count = places_of(d, range);
        memset(count, 0, (unsigned)parts_of(d->g) * sizeof *count);
        rows_choose(d, range * RANGE_ROWS, end);
        for (uint64_t i = range * RANGE_ROWS; i < end; i++) count[parts[i]]++;
    }
}
static const struct kernel choose_kernel = {"choose", 0, 0, 0, 1, RANGE_WORK, choose, NULL, false, 0, 0};

/* Counts become places: parts side by side, and in each the ranges' rows. */
static void places_find(struct deal *d)
{
    uint32_t place = 0;
    for (int p = 0; p < parts_of(d->g); p++) {
        d->begin[p] = place;
        for (uint64_t range = 0; range < ranges_of(d->rows); range++) {
            const uint32_t rows = places_of(d, range)[p];
            places_of(d, range)[p] = place;
            place += rows;
        }
    }
    d->begin[parts_of(d->g)] = place;
}

ROOST_FN void items_move(const struct deal *d, int c, uint64_t range, const int bytes)
{
    uint32_t place[1 << BITS_MOST];
    memcpy(place, places_of(d, range), (unsigned)parts_of(d->g) * sizeof *place);
    for (uint64_t i = range * RANGE_ROWS; i < range_end(d, range); i++)
        copy_width(bytes, d->dealt[c], place[d->parts[i]]++, d->items[c], i);
}

/* Brings the columns' items to their parts. */
static void move(const void *args, uint64_t first, uint64_t last)
{
    const struct deal *const d = *(const struct deal *const *)args;
    for (uint64_t range = first; range < last; range++)
        for (int c = 0; c < d->columns_n; c++) {
            if (bytes_of(d, c) == 8) items_move(d, c, range, 8);
            else items_move(d, c, range, 4);
        }
}
static const struct kernel move_kernel = {"move", 0, 0, 0, 1, RANGE_WORK, move, NULL, false, 0, 0};

static struct relations_column key_column(const roost_column *c, const void *items)
{
    return (struct relations_column){items, NULL, column_item_bytes(c), (uint8_t)c->type};
}

/* Brings a column's items into reach. */
static roost_status column_reach(struct deal *d, struct roost_table *t, int c)
{
    const size_t bytes = (unsigned)bytes_of(d, c);
    d->items[c] = (const char *)d->columns[c]->values + d->first * bytes;
    if (column_is_reached(t, d->columns[c]->values)) return ROOST_OK;
    const void *const from = d->items[c];
    d->items[c] = d->brought[c];
    return t->backend->operations->copy(t->backend, d->brought[c], from, d->rows * bytes);
}

static roost_status rows_deal(struct deal *d, struct roost_table *t)
{
    struct deal *const args = d;
    roost_status status = ROOST_OK;
    for (int c = 0; !status && c < d->columns_n; c++) status = column_reach(d, t, c);
    for (int c = 0; c < d->keys.columns; c++) d->keys.column[c] = key_column(d->columns[c], d->items[c]);
    if (!status) status = backend_launch(t->backend, &choose_kernel, &args, sizeof args, ranges_of(d->rows));
    if (status) return status;
    places_find(d);
    return backend_launch(t->backend, &move_kernel, &args, sizeof args, ranges_of(d->rows));
}

/* ---- Adding ---------------------------------------------------------------------------------- */

/* How many threads work on a part's rows. */
static void threads_set(struct roost_group *part, int threads)
{
    for (int c = 0; c < part->keys.columns; c++) {
        part->keys.coder[c].table->backend->threads = threads;
        if (part->keys.fold[c]) part->keys.fold[c]->backend->threads = threads;
    }
    for (int i = 0; i < part->aggregates; i++) {
        if (!part->aggregate[i].pairs) continue;
        part->aggregate[i].coder.table->backend->threads = threads;
        part->aggregate[i].pairs->backend->threads = threads;
    }
}

/* Adds a part's rows.  The next part takes the work space, which is in a core's cache. */
static void part_add(struct deal *d, int p)
{
    struct roost_group *const part = d->g->part[p];
    roost_column columns[COLUMNS_MOST];
    for (int c = 0; c < d->columns_n; c++) {
        columns[c] = *d->columns[c];
        columns[c].values = (const char *)d->dealt[c] + d->begin[p] * (unsigned)bytes_of(d, c);
    }
    outcome_keep(&d->of_parts, p, group_one_add(part, columns, columns + d->g->keys.columns, d->begin[p + 1] - d->begin[p], NULL));
    work_release(&part->work, part->keys.last->backend);
}

static bool is_heavy(const struct deal *d, int p)
{
    const uint64_t threads = (unsigned)d->g->keys.last->backend->threads;
    return threads > 1 && d->begin[p + 1] - d->begin[p] > HEAVY * (d->rows / threads + 1);
}

static void light(const void *args, uint64_t first, uint64_t last)
{
    struct deal *const d = *(struct deal *const *)args;
    for (uint64_t p = first; p < last; p++)
        if (d->begin[p] < d->begin[p + 1] && !is_heavy(d, (int)p)) part_add(d, (int)p);
}
static const struct kernel light_kernel = {"light", 0, 0, 0, 1, RANGE_WORK, light, NULL, false, 0, 0};

static void heavy_add(struct deal *d)
{
    for (int p = 0; p < parts_of(d->g); p++) {
        if (!is_heavy(d, p)) continue;
        COUNT_PROBE(group_parts_heavy);
        threads_set(d->g->part[p], d->g->keys.last->backend->threads);
        part_add(d, p);
        threads_set(d->g->part[p], 1);
    }
}

static roost_status deal_add(struct deal *d, struct roost_table *t)
{
    struct deal *const args = d;
    memset(&d->of_parts, 0, sizeof d->of_parts);
    roost_status status = relations_begin(t, NULL);
    if (status) return status;
    status = rows_deal(d, t);
    if (!status) status = backend_launch(t->backend, &light_kernel, &args, sizeof args, (unsigned)parts_of(d->g));
    status = relations_end(t, status);
    if (status) return status;
    heavy_add(d);
    d->g->groups = 0;
    for (int p = 0; p < parts_of(d->g); p++) d->g->groups += d->g->part[p]->groups;
    return outcomes_status(&d->of_parts, parts_of(d->g));
}

/* ---- A call ---------------------------------------------------------------------------------- */

static size_t rows_most(const struct deal *d, size_t n)
{
    size_t bytes = 2;
    for (int c = 0; c < d->columns_n; c++) bytes += (unsigned)bytes_of(d, c);
    const size_t most = DEALT_BYTES / bytes < DEALT_ROWS ? DEALT_BYTES / bytes : DEALT_ROWS;
    return n < most ? n : most;
}

/* Memory for rows that are dealt together. */
static roost_status memory_make(struct deal *d, struct roost_table *t, size_t rows, void **memory, size_t *all)
{
    enum { PARTS, PLACES, FIXED };
    size_t bytes[FIXED + 2 * COLUMNS_MOST] = {rows, (ranges_of(rows) << d->g->part_bits) * sizeof *d->places};
    void *at[FIXED + 2 * COLUMNS_MOST];
    for (int c = 0; c < d->columns_n; c++) {
        bytes[FIXED + 2 * c] = rows * (unsigned)bytes_of(d, c);
        bytes[FIXED + 2 * c + 1] = column_is_reached(t, d->columns[c]->values) ? 0 : bytes[FIXED + 2 * c];
    }
    *all = backend_arrays_bytes(bytes, FIXED + 2 * d->columns_n);
    roost_status status = relations_begin(t, NULL);
    if (!status) status = relations_end(t, backend_allocate(t->backend, *all, memory));
    if (status) return status;
    backend_arrays_place(*memory, bytes, FIXED + 2 * d->columns_n, at);
    d->parts = (uint8_t *)at[PARTS], d->places = (uint32_t *)at[PLACES];
    for (int c = 0; c < d->columns_n; c++) d->dealt[c] = at[FIXED + 2 * c], d->brought[c] = at[FIXED + 2 * c + 1];
    return ROOST_OK;
}

static void columns_take(struct deal *d, const roost_column *keys, const roost_column *values)
{
    for (int c = 0; c < d->g->keys.columns; c++) d->columns[d->columns_n++] = &keys[c];
    for (int c = 0; c < d->g->value_columns; c++) d->columns[d->columns_n++] = &values[c];
}

roost_status group_parts_add(struct roost_group *g, const roost_column *keys, const roost_column *values, size_t n)
{
    struct roost_table *const t = g->keys.last;
    void *memory = NULL;
    size_t bytes = 0;
    if (!n) return ROOST_OK;
    struct deal *const d = (struct deal *)calloc(1, sizeof *d);
    if (!d) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for the parts of groups");
    d->g = g;
    d->keys.seed = g->part_seed, d->keys.columns = g->keys.columns;
    columns_take(d, keys, values);
    const size_t most = rows_most(d, n);
    roost_status status = memory_make(d, t, most, &memory, &bytes);
    for (; !status && d->first < n; d->first += most) {
        d->rows = n - d->first < most ? n - d->first : most;
        status = deal_add(d, t);
        if (status) g->broken = status;
    }
    backend_release(t->backend, memory, bytes);
    free(d);
    return status;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static bool is_dealt(const roost_column *c) { return !c->nullable && type_is_number(c->type); }

/* Groups that n rows have, as some of the rows tell. */
static double groups_expected(const struct roost_group *g, const roost_column *keys, size_t n, uint32_t *map)
{
    struct row_keys sampled = {.seed = g->part_seed, .columns = g->keys.columns};
    uint64_t set = 0;
    const uint64_t rows = n < SAMPLE ? n : SAMPLE;
    for (int c = 0; c < sampled.columns; c++) sampled.column[c] = key_column(&keys[c], keys[c].values);
    for (uint64_t k = 0; k < rows; k++)
        set += linear_counting_set(map, (uint32_t)(row_hash(&sampled, k * (n / rows)) % SAMPLE_BITS));
    return keys_expected(SAMPLE_BITS * -log1p(-(double)set / SAMPLE_BITS), (double)rows, (double)n);
}

/* Chooses the number of parts for the groups that are expected.  Returns its binary logarithm, or 0
 * if the groups fit a core's cache without parts. */
static int bits_for(double groups, int threads)
{
    const double all = ldexp(groups, group_parts_smaller);
    int bits = 0;
    while (bits < BITS_MOST && all / (2 << bits) >= LEAST_GROUPS &&
           (all / (1 << bits) > PART_GROUPS || 1 << bits < PARTS_OF_THREAD * threads))
        bits++;
    return all < CACHED_GROUPS ? 0 : bits;
}

static roost_status part_make(struct roost_group *g, int p, double groups, const char *engine)
{
    roost_group_config config = ROOST_GROUP_CONFIG_INIT;
    roost_column keys[ROOST_GROUP_KEYS_MOST];
    roost_aggregate aggregates[ROOST_GROUP_VALUES_MOST];
    for (int c = 0; c < g->keys.columns; c++) keys[c] = g->keys.coder[c].type;
    for (int i = 0; i < g->aggregates; i++) {
        aggregates[i].kind = g->aggregate[i].kind;
        aggregates[i].column = g->aggregate[i].column < 0 ? 0 : g->aggregate[i].column;
    }
    config.engine = engine;
    config.device = "host";
    config.threads = 1;
    config.flags = g->flags;
    config.capacity = (uint64_t)(SPARE * groups / parts_of(g));
    config.key_columns = g->keys.columns, config.keys = keys;
    config.value_columns = g->value_columns, config.values = g->value;
    config.aggregates = g->aggregates, config.aggregate = aggregates;
    const roost_allocator allocator = arena_allocator(&g->arena);
    const roost_status status =
        group_one_create(&g->part[p], &config, (uint64_t)(SPARE_OF_TABLES * groups / parts_of(g)), &allocator);
    if (!status) g->part[p]->piece = PART_ROWS >> group_parts_smaller;
    return status;
}

/* Parts that threads make: each clears its own parts' memory. */
struct making {
    struct roost_group *g;
    double groups;      /* of all parts */
    const char *engine; /* NULL: the library chooses */
    struct outcomes of_parts;
};

static void make(const void *args, uint64_t first, uint64_t last)
{
    struct making *const m = *(struct making *const *)args;
    for (uint64_t p = first; p < last; p++) outcome_keep(&m->of_parts, (int)p, part_make(m->g, (int)p, m->groups, m->engine));
}
static const struct kernel make_kernel = {"make", 0, 0, 0, 1, RANGE_WORK, make, NULL, false, 0, 0};

/* slab inserts faster than the others, which counts if most rows begin a group. */
static const char *engine_of(const struct roost_group *g, double groups, size_t n)
{
    return g->engine[0] ? g->engine : groups > (double)n / 2 ? relations_engine("slab") : NULL;
}

static roost_status parts_make(struct roost_group *g, double groups, size_t n)
{
    struct roost_table *const t = g->keys.last;
    struct making *const m = (struct making *)calloc(1, sizeof *m);
    g->part = m ? (struct roost_group **)calloc((unsigned)parts_of(g), sizeof *g->part) : NULL;
    roost_status status = g->part ? ROOST_OK : error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for the parts of groups");
    if (!status) {
        arena_begin(&g->arena, t->backend);
        t->backend->keeps_pages = true; /* the next groups take them */
        m->g = g, m->groups = groups, m->engine = engine_of(g, groups, n);
        status = relations_begin(t, NULL);
    }
    if (!status) status = relations_end(t, backend_launch(t->backend, &make_kernel, &m, sizeof m, (unsigned)parts_of(g)));
    if (!status) status = outcomes_status(&m->of_parts, parts_of(g));
    free(m);
    return status;
}

void group_parts_release(struct roost_group *g)
{
    if (!g->part) return;
    for (int p = 0; p < parts_of(g); p++) group_one_destroy(g->part[p]);
    arena_end(&g->arena);
    free(g->part);
    g->part = NULL;
}

roost_status group_parts_begin(struct roost_group *g, const roost_column *keys, size_t n)
{
    struct roost_table *const t = g->keys.last;
    bool dealt = t->backend->ordinal < 0 && !g->part && !g->rows && n >= (size_t)LEAST_ROWS >> group_parts_smaller &&
                 !(g->flags & ROOST_ORDERED);
    for (int c = 0; c < g->keys.columns; c++)
        dealt = dealt && is_dealt(&g->keys.coder[c].type) && column_is_reached(t, keys[c].values);
    for (int c = 0; c < g->value_columns; c++) dealt = dealt && is_dealt(&g->value[c]);
    uint32_t *const map = dealt ? (uint32_t *)calloc(SAMPLE_BITS / 32, sizeof *map) : NULL;
    if (!map) return ROOST_OK;
    const struct error_mark before = error_keep(thread_error());
    (void)random_seed(&g->part_seed); /* without one a chosen part gets more rows: see HEAVY */
    const double groups = groups_expected(g, keys, n, map);
    free(map);
    g->part_bits = bits_for(groups, t->backend->threads);
    const roost_status status = g->part_bits ? parts_make(g, groups, n) : ROOST_OK;
    if (!status && g->part) COUNT_PROBE(group_parts_begun);
    if (status) group_parts_release(g);
    return error_forgive_memory(&before, status); /* without parts it goes on */
}
