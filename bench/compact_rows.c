/* Rows of engine compact alone: a set of 8-byte keys that takes nearly all of a GPU's memory, which
 * could not hold the keys themselves; and tables that are merged and intersected. */
#include <roost/merge.h>

#include <stdio.h>

#include "session.h"

enum {
    LEVELS = 2,
    REPETITIONS = 3,
    PARTS = 256 /* of a large table: batches of finds pass through them one after another */
};

/* ---- A large set ----------------------------------------------------------------------------- */

/* A set's keys, made and inserted one piece at a time. */
struct set {
    uint64_t keys, piece;
};

/* On a GPU as many keys as take 0.9 of its memory: 2 * 10^10 on one of 144 GB, 10^10 on one of
 * 80 GB.  The rest is for a piece's keys, its queries and the lists of a call. */
static struct set set_of(const struct place *p)
{
    const double bytes_a_key = 64 / (0.8 * 12);
    const bool fills = !p->threads && !p->o->quick;
    struct set set = {p->keys, fills ? 1u << 27 : p->keys / 8};
    if (fills) set.keys = (uint64_t)(0.89 * (double)place_device_bytes(p) / bytes_a_key) / set.piece * set.piece;
    return set;
}

/* A piece's keys, which lie in the session's arrays. */
static bool piece_insert(struct session *s, const struct set *set, uint64_t n, struct row *row)
{
    return session_time(s, VERB_INSERT, s->a->keys, NULL, n, row, n == set->piece ? row : NULL);
}

/* Untimed. */
static bool piece_look(struct session *s, const struct set *set, uint64_t n, struct row *row)
{
    (void)set;
    session_poison(s, n);
    if (!session_time(s, VERB_FIND, s->a->keys, NULL, n, row, NULL)) return false;
    session_verify(s, s->a->keys, n, false, row);
    return true;
}

static bool set_pieces(struct session *s, const struct set *set, struct row *row,
                       bool (*each)(struct session *s, const struct set *set, uint64_t n, struct row *row))
{
    bool good = true;
    for (uint64_t first = 0; good && first < set->keys; first += set->piece) {
        const uint64_t left = set->keys - first, n = left < set->piece ? left : set->piece;
        s->c->machine->make_keys(s->a->w, first, 1, n, s->a->keys, NULL);
        good = each(s, set, n, row);
    }
    return good;
}

/* Inserts all keys, looks up each once, and has the table check itself. */
static bool set_build(struct session *s, const struct set *set, struct row *row)
{
    row->items = row->distinct = set->piece;
    if (!set_pieces(s, set, row, piece_insert)) return false;
    row_describe(row, s);
    session_verify_count(s, set->keys, row);
    return set_pieces(s, set, row, piece_look) && session_good(s, roost_table_check(s->table), row);
}

static void set_rows(const struct place *p)
{
    static const int hits[LEVELS] = {100, 0};
    char group[64];
    snprintf(group, sizeof group, "%s/compact/large-set", p->prefix);
    if (!p->o->only || !options_want_some(p->o, group)) return;
    const struct set set = set_of(p);
    const struct workload piece = {.seed = p->o->seed, .keys = set.piece, .key_bytes = 8};
    struct arrays a = arrays_make(p->machine, piece, set.piece);
    struct table_case c = place_case(p, "compact", NULL, group);
    struct row insert = place_row(p, group, "insert"),
               finds[LEVELS] = {place_row(p, group, "find-100"), place_row(p, group, "find-0")};
    struct session s;
    a.w.keys = set.keys; /* all pieces; the arrays hold one */
    c.load = 0.8;
    c.fixed = true;
    const roost_config config = table_config(&c, a.w);
    if (session_open(&s, &c, &a, &config, &insert)) {
        bool good = set_build(&s, &set, &insert);
        for (int i = 0; good && i < LEVELS; i++) good = session_measure_find(&s, hits[i], false, &finds[i]);
        session_close(&s);
    }
    a.w.keys = piece.keys;
    arrays_free(p->machine, &a);
    const uint64_t bytes = insert.stats.table_bytes;
    snprintf(insert.note, sizeof insert.note, "%.3g keys, %.3f bytes each", (double)set.keys, (double)bytes / (double)set.keys);
    if (bytes) place_set_limit(p, &insert, ACCESS_UPDATE, bytes);
    report_row(p->o, insert);
    /* Lines at random places of all this memory cost a translation of an address each, which finds
     * in the order of the table's parts save.  So their limit is that of one part. */
    for (int i = 0; i < LEVELS; i++) {
        if (bytes) place_set_limit(p, &finds[i], ACCESS_LINE, bytes / PARTS);
        report_row(p->o, finds[i]);
    }
}

/* ---- Two tables ------------------------------------------------------------------------------ */

/* Of the workload's keys `into` has the first two thirds, and `from` the last two. */
static bool from_fill(struct session *s, const struct session *into, const struct table_case *c, struct row *row)
{
    const uint64_t third = into->a->w.keys / 3;
    struct workload w = into->a->w;
    w.keys = 2 * third;
    roost_config config = table_config(c, w);
    config.like = into->table;
    config.seed = 0, config.seed_given = 0;
    if (!session_open(s, c, into->a, &config, row)) return false;
    const roost_status status = session_insert_range(s, third, into->a->w.keys - third);
    return session_good(s, status, row);
}

/* Verifies that of the keys first .. first + n - 1 all are there, or none. */
static bool range_verify(struct session *s, uint64_t first, uint64_t n, bool stored, struct row *row)
{
    const struct machine *m = s->c->machine;
    const char *const keys = (const char *)s->a->keys + first * (unsigned)s->a->w.key_bytes;
    session_poison(s, n);
    if (!session_time(s, VERB_FIND, keys, NULL, n, row, NULL)) return false;
    if (stored) session_verify(s, keys, n, false, row);
    else row->wrong += n - m->count_status(s->a->found, 0, n, 0) - m->count_status(s->a->found, 1, n, 0), row->verified += n;
    return true;
}

/* One merge or intersection, timed as a call that waits. */
static bool pair_once(const struct table_case *c, struct arrays *a, bool merges, struct row *row)
{
    const uint64_t all = a->w.keys, third = all / 3;
    const roost_config config = table_config(c, a->w);
    struct session into, from = {.c = c, .a = a};
    if (!session_open(&into, c, a, &config, row)) return false;
    bool good = session_good(&into, session_insert_range(&into, 0, 2 * third), row) && from_fill(&from, &into, c, row);
    if (good) {
        struct times times = times_start(c->machine);
        const roost_status status = merges ? roost_table_merge(into.table, from.table, ROOST_ASSIGN, &into.call)
                                           : roost_table_intersect(into.table, from.table, ROOST_ASSIGN, &into.call);
        good = session_good(&into, status, row) && session_good(&into, session_finish(&into, VERB_INSERT, &times), row);
        if (good) row_add_time(row, times.seconds, times.device_seconds);
    }
    row_describe(row, &into);
    if (good) good = range_verify(&into, 0, third, merges, row) && range_verify(&into, third, third, true, row);
    if (good) good = range_verify(&into, 2 * third, all - 2 * third, merges, row);
    if (good) session_verify_count(&into, merges ? all : third, row);
    if (from.table) session_close(&from);
    session_close(&into);
    return good;
}

/* Rates are of pairs of `from`. */
static void pair_rows(const struct place *p)
{
    static const char *const names[] = {"merge", "intersect"};
    for (int i = 0; i < 2; i++) {
        char group[64];
        snprintf(group, sizeof group, "%s/compact/%s", p->prefix, names[i]);
        if (!p->o->only || !options_want_some(p->o, group)) continue;
        const struct workload w = {.seed = p->o->seed, .keys = p->keys / 4 * 3, .key_bytes = 4, .value_bytes = 4};
        struct arrays a = arrays_make(p->machine, w, w.keys);
        struct table_case c = place_case(p, "compact", NULL, group);
        struct row row = row_make(group, p->unit);
        c.load = 0.8;
        row.items = row.distinct = w.keys - w.keys / 3;
        for (int k = 0; k < REPETITIONS && pair_once(&c, &a, i == 0, &row); k++) continue;
        arrays_free(p->machine, &a);
        if (row.stats.table_bytes) place_set_limit(p, &row, ACCESS_UPDATE, row.stats.table_bytes);
        report_row(p->o, row);
    }
}

void compact_rows(const struct place *p)
{
    if (!place_wants(p, "compact")) return;
    set_rows(p);
    pair_rows(p);
}
