/* The figures in GPH's paper on tables of one memory size (section 7): lookups and inserts by
 * that size (Figures 9 and 14), lookups by their share of hits (Figure 10), and inserts of keys
 * that repeat (Figure 15(c)). Also the number of lookups per key from which gph is the faster
 * engine. */
#include <stdio.h>
#include <string.h>

#include "session.h"

enum { DEFAULT_SIZE = 150 /* hundredths of a GB, for 100 million keys */, ENGINES = 3, SKEWS = 5 };

static const char *const engines[ENGINES] = {"gph", "dycuckoo", "slab"};

/* Rates at the default size, for the break-even. */
struct speed {
    double insert_seconds, find_seconds; /* seconds per key */
};

/* The load factor at which 100 million keys fill a table of this size; other numbers of keys use
 * the same. */
static double load_of(int size) { return 8e8 / (1e7 * size); }

static struct table_case figure_case(const struct place *p, const char *engine, double load, char *options, size_t length)
{
    options[0] = 0;
    if (strcmp(engine, "slab") == 0) snprintf(options, length, "utilisation=%.3f", load < 0.9 ? load : 0.9);
    struct table_case c = place_case(p, engine, options[0] ? options : NULL, "");
    c.load = load;
    c.may_lack = true;
    return c;
}

static struct row figure_row(const struct place *p, const char *engine, const char *what, double number)
{
    char name[96];
    snprintf(name, sizeof name, "%s/figures/%s/%s-%.4g", p->prefix, engine, what, number);
    return row_make(name, p->unit);
}

static void report(const struct place *p, struct row *row, enum access access)
{
    place_set_limit(p, row, access, row->stats.table_bytes);
    report_row(p->o, *row);
}

/* True if any selected row needs this size. */
static bool size_wanted(const struct place *p, const char *engine, int size)
{
    char others[64], break_even[64];
    snprintf(others, sizeof others, "%s/figures/%s/find-hits", p->prefix, engine);
    snprintf(break_even, sizeof break_even, "%s/figures/gph/break-even", p->prefix);
    if (size == DEFAULT_SIZE && (options_want_some(p->o, others) || options_want_some(p->o, break_even))) return true;
    const struct row insert = figure_row(p, engine, "insert-GB", size / 100.0),
                     find = figure_row(p, engine, "find-50-GB", size / 100.0);
    return options_want(p->o, insert.name) || options_want(p->o, find.name);
}

/* Inserts and half hits at one size; at the default size also the other shares of hits. */
static void measure_size(const struct place *p, struct arrays *a, const char *engine, int size, struct speed *speed)
{
    static const int other_hits[] = {0, 25, 75, 100};
    const size_t others = size == DEFAULT_SIZE ? sizeof other_hits / sizeof other_hits[0] : 0;
    char options[48];
    const struct table_case c = figure_case(p, engine, load_of(size), options, sizeof options);
    const roost_config config = table_config(&c, a->w);
    struct row insert = figure_row(p, engine, "insert-GB", size / 100.0), find = figure_row(p, engine, "find-50-GB", size / 100.0);
    struct session s;
    if (!size_wanted(p, engine, size)) return;
    if (!session_open(&s, &c, a, &config, &insert)) {
        report(p, &insert, ACCESS_UPDATE);
        return;
    }
    bool good = session_measure_insert(&s, &insert) && session_measure_find(&s, 50, false, &find);
    report(p, &insert, ACCESS_UPDATE);
    report(p, &find, ACCESS_LINE);
    for (size_t i = 0; good && i < others; i++) {
        struct row row = figure_row(p, engine, "find-hits", other_hits[i]);
        good = session_measure_find(&s, other_hits[i], false, &row);
        report(p, &row, ACCESS_LINE);
    }
    if (good && size == DEFAULT_SIZE)
        *speed = (struct speed){row_seconds(&insert) / (double)insert.items, row_seconds(&find) / (double)find.items};
    session_close(&s);
}

/* Inserts half as many items as there are keys, drawn by Zipf's law; a key always has the same
 * value. */
static void measure_skew(const struct place *p, struct arrays *a, const char *engine, double skew)
{
    char options[48];
    const struct table_case c = figure_case(p, engine, load_of(DEFAULT_SIZE), options, sizeof options);
    const struct workload w = a->w;
    const uint64_t n = w.keys / 2;
    const roost_config config = table_config(&c, w);
    struct row row = figure_row(p, engine, "insert-zipf", skew);
    struct session s;
    if (!options_want(p->o, row.name)) return;

    c.machine->make_queries(w, (struct drawing){7, 100, skew}, n, a->query[0], a->values);
    if (session_open(&s, &c, a, &config, &row)) {
        row.distinct = c.machine->count_distinct(w, a->query[0], n);
        row.items = n;
        if (session_time(&s, VERB_INSERT, a->query[0], a->values, n, &row, &row)) {
            row_describe(&row, &s);
            session_poison(&s, n);
            if (session_time(&s, VERB_FIND, a->query[0], NULL, n, &row, NULL)) session_verify(&s, a->query[0], n, false, &row);
            session_verify_count(&s, row.distinct, &row);
        }
        session_close(&s);
    }
    report(p, &row, ACCESS_UPDATE);
}

/* The number of lookups per key, half of them hits, from which gph takes less time than another
 * engine, including its slower insert. */
static void report_break_even(const struct place *p, const struct speed *gph, const struct speed *other, const char *engine)
{
    char name[96];
    snprintf(name, sizeof name, "%s/figures/gph/break-even/%s", p->prefix, engine);
    struct row row = row_make(name, UNIT_TIMES);
    const double dearer = gph->insert_seconds - other->insert_seconds, cheaper = other->find_seconds - gph->find_seconds;
    if (!(gph->find_seconds > 0) || !(other->find_seconds > 0)) return;
    if (dearer > 0 && cheaper <= 0) {
        row_fail(&row, ROW_UNAVAILABLE, "gph is slower at both");
    } else {
        row.rate = dearer > 0 ? dearer / cheaper : 0;
        snprintf(row.note, sizeof row.note, "lookups a key; insert %.3f and %.3f ns, lookup %.4f and %.4f ns",
                 1e9 * gph->insert_seconds, 1e9 * other->insert_seconds, 1e9 * gph->find_seconds, 1e9 * other->find_seconds);
    }
    report_row(p->o, row);
}

void figure_rows(const struct place *p, struct arrays *a)
{
    static const int sizes[] = {125, DEFAULT_SIZE, 175, 200};
    struct speed speeds[ENGINES] = {{0, 0}};
    for (int e = 0; e < ENGINES; e++) {
        if (p->o->engine && strcmp(p->o->engine, engines[e]) != 0) continue;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) measure_size(p, a, engines[e], sizes[i], &speeds[e]);
    }
    for (int e = 1; e < ENGINES; e++) report_break_even(p, &speeds[0], &speeds[e], engines[e]);
    for (int e = 0; e < ENGINES; e++)
        for (int skew = 0; skew < SKEWS; skew++)
            if (!p->o->engine || strcmp(p->o->engine, engines[e]) == 0) measure_skew(p, a, engines[e], skew);
    /* Restores the values. */
    p->machine->make_keys(a->w, 0, 1, a->w.keys, NULL, a->values);
}
