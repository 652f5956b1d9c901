/* How full tables of gph become (Figure 15(a) of its paper), by slots M of a bucket, virtual
 * buckets R of a cell and keys per cell. The tables are small, do not grow, and are filled
 * beyond the load factor that they were made for. */
#include <stdio.h>
#include <string.h>

#include "session.h"

/* batches that would fill all slots */
enum { REACH_CAPACITY = 250000, REACH_KEYS = 8 * REACH_CAPACITY, REACH_STEPS = 100 };

/* The engine's bounds at load factor 0.70. */
static const double most_flagged = 0.02, most_overflow = 0.005;

static double flagged_share(const struct numbers *s) { return s->cells ? (double)s->flagged_cells / (double)s->cells : 0; }
static double overflow_share(const struct numbers *s) { return s->count ? (double)s->overflow_keys / (double)s->count : 0; }

static bool within(const struct numbers *s) { return flagged_share(s) <= most_flagged && overflow_share(s) <= most_overflow; }

static roost_status insert_step(struct session *s, uint64_t first, uint64_t n)
{
    const struct workload w = s->a->w;
    const char *keys = s->a->keys, *values = s->a->values;
    const roost_status status = session_do(s, VERB_INSERT, keys + first * w.key_bytes, values + first * w.value_bytes, n);
    return status == ROOST_OK ? roost_table_sync(s->table, NULL) : status;
}

/* Inserts batch by batch until a bound is passed. The row describes the last table within both
 * bounds. Returns the number of keys. */
static uint64_t fill(struct session *s, struct row *row)
{
    const uint64_t step = session_stats(s).slots / REACH_STEPS;
    uint64_t n = 0;
    while (n + step <= s->a->w.keys) {
        if (!session_good(s, insert_step(s, n, step), row)) return n;
        n += step;
        const struct numbers now = session_stats(s);
        if (!within(&now)) return n;
        row_describe(row, s);
    }
    row_fail(row, ROW_UNAVAILABLE, "all keys of the row were inserted before the bound was reached");
    return n;
}

/* Verifies the answers for all keys, including those of the batch that passed a bound. */
static void verify(struct session *s, uint64_t n, struct row *row)
{
    session_poison(s, n);
    if (session_time(s, VERB_FIND, s->a->keys, NULL, n, row, NULL)) session_verify(s, s->a->keys, n, false, row);
    session_verify_count(s, n, row);
}

static void measure(const struct place *p, struct arrays *a, int slots, int virtuals, int cell_keys)
{
    char options[48], name[96];
    snprintf(options, sizeof options, "slots=%d,virtual=%d,keys=%d", slots, virtuals, cell_keys);
    snprintf(name, sizeof name, "%s/figures/gph/reach/%s", p->prefix, options);
    if (!options_want(p->o, name)) return;
    struct table_case c = place_case(p, "gph", options, "");
    c.load = 0.95; /* the engine's own bounds are lower */
    c.capacity = REACH_CAPACITY;
    c.may_lack = true;
    roost_config config = table_config(&c, a->w);
    config.growth = 0;
    struct row row = row_make(name, UNIT_TIMES);
    struct session s;
    if (session_open(&s, &c, a, &config, &row)) {
        const double planned = (double)REACH_CAPACITY / (double)session_stats(&s).slots;
        verify(&s, fill(&s, &row), &row);
        session_close(&s);
        row.rate = row.stats.load_factor;
        if (row.state == ROW_UNUSED)
            snprintf(row.note, sizeof row.note, "load factor, made for %.2f; flagged %.2f %%, overflow %.2f %%", planned,
                     100 * flagged_share(&row.stats), 100 * overflow_share(&row.stats));
    }
    report_row(p->o, row);
}

void reach_rows(const struct place *p)
{
    static const int slots[] = {4, 8, 16}, virtuals[] = {2, 4, 8, 16}, cell_keys[] = {4, 6, 8, 12};
    char group[64];
    snprintf(group, sizeof group, "%s/figures/gph/reach", p->prefix);
    if ((p->o->engine && strcmp(p->o->engine, "gph") != 0) || !options_want_some(p->o, group)) return;
    const struct workload w = {.seed = p->o->seed, .keys = REACH_KEYS, .key_bytes = 4, .value_bytes = 4};
    struct arrays a = arrays_make(p->machine, w, 1);
    for (int m = 0; m < 3; m++)
        for (int r = 0; r < 4; r++)
            for (int k = 0; k < 4; k++) measure(p, &a, slots[m], virtuals[r], cell_keys[k]);
    arrays_free(p->machine, &a);
}
