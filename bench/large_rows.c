/* Tables beyond the reach of a GPU's TLB, asked for by --figures: calls as they come beside calls by region (src/batches/batches_bulk.c), for the
 * engines whose keys have their homes in one region. */
#include "session.h"

#include <stdio.h>
#include <string.h>

enum {
    PIECE = 250000000, /* pairs that are made and inserted at a time: 4 GB */
    TIMED = 4,         /* of the last of them */
    FINDS = 1 << 27,
    LEVELS = 2
};
#define GPU_144 ((uint64_t)135 << 30)
#define GPU_80 ((uint64_t)78 << 30)

/* An engine's table of 8+8 bytes, which no GPU has room for besides its input. */
struct large {
    const char *engine;
    uint64_t pieces[2]; /* on a GPU of 144 GB, as many as make 96 GB if they fit; and on one of 80 */
    bool inserts;       /* they go by region, too: in fks they have a partition of their own, and rows of builds (fks_rows.c) */
};
static const struct large all[] = {{"fks", {18, 9}, false}, {"stadium", {18, 12}, true}, {"slab", {12, 9}, true}};

/* What one group measures. */
struct large_rows {
    struct row insert, finds[LEVELS], erase;
};

/* How long the partition and the way back took of each of so many calls. */
static void describe_writes(struct row *row, double route_seconds, uint64_t calls)
{
    row->stats.route_seconds = route_seconds / (double)calls;
    if (!(route_seconds > 0)) snprintf(row->note, sizeof row->note, "path: direct");
    else
        snprintf(row->note, sizeof row->note, "path: by region; route %.3f ms of %.3f ms a call", 1e3 * row->stats.route_seconds,
                 1e3 * row_seconds(row));
}

static bool build(struct session *s, uint64_t pieces, struct row *row)
{
    const struct machine *m = s->c->machine;
    double before = 0;
    row->items = row->distinct = PIECE;
    for (uint64_t i = 0; i < pieces; i++) {
        if (i + TIMED == pieces) before = session_stats(s).route_seconds;
        m->make_keys(s->a->w, i * PIECE, 1, PIECE, s->a->keys, s->a->values);
        if (!session_time(s, VERB_INSERT, s->a->keys, s->a->values, PIECE, row, i + TIMED < pieces ? NULL : row)) return false;
    }
    row_describe(row, s);
    describe_writes(row, row->stats.route_seconds - before, TIMED);
    session_verify_count(s, s->a->w.keys, row);
    return true;
}

static uint64_t answers_checksum(const struct session *s, uint64_t n)
{
    return s->c->machine->checksum(s->a->answer, n * 8) ^ s->c->machine->checksum(s->a->found, n);
}

/* All hits, and all misses.  The checksum is of the last find's answers in their order, so equal for both ways. */
static bool look(struct session *s, struct row finds[LEVELS])
{
    static const int hits[LEVELS] = {100, 0};
    for (int i = 0; i < LEVELS; i++) {
        if (!session_measure_find(s, hits[i], false, &finds[i])) return false;
        const uint64_t sum = answers_checksum(s, finds[i].items);
        row_describe_path(&finds[i]);
        const size_t length = strlen(finds[i].note);
        snprintf(finds[i].note + length, sizeof finds[i].note - length, "; checksum of the answers %016llx",
                 (unsigned long long)sum);
    }
    return true;
}

/* The keys of the last piece, of which none is found then. */
static void erase(struct session *s, struct row *row)
{
    const struct machine *m = s->c->machine;
    const double before = session_stats(s).route_seconds;
    row->items = row->distinct = PIECE;
    if (!session_time(s, VERB_ERASE, s->a->keys, NULL, PIECE, row, row)) return;
    row_describe(row, s);
    describe_writes(row, row->stats.route_seconds - before, 1);
    session_verify_count(s, s->a->w.keys - PIECE, row);
    session_poison(s, PIECE);
    if (!session_time(s, VERB_FIND, s->a->keys, NULL, PIECE, row, NULL)) return;
    row->wrong += PIECE - m->count_status(s->a->found, 0, PIECE, 0) - m->count_status(s->a->found, 1, PIECE, 0);
    row->verified += PIECE;
}

/* By region: what cannot be done without is the codes' pass over keys and values, a line read and written, and statuses on their way back. */
static void set_write_limit(const struct place *p, struct row *row, const struct workload w, int value_bytes)
{
    if (!strstr(row->note, "by region")) place_set_limit(p, row, ACCESS_UPDATE, row->stats.table_bytes);
    else place_set_stream_limit(p, row, 128 + 3 * w.key_bytes + 3 * value_bytes + 5);
}

/* The limits are measured over as many bytes as the table had, when it is gone: a GPU has no room for both. */
static void report(const struct place *p, struct large_rows *rows, const struct large *l, const struct workload w)
{
    if (l->inserts || rows->insert.state != ROW_UNUSED || rows->insert.wrong) {
        set_write_limit(p, &rows->insert, w, w.value_bytes);
        report_row(p->o, rows->insert);
    }
    for (int i = 0; i < LEVELS; i++) {
        struct row *const row = &rows->finds[i];
        const bool by_region = strstr(row->note, "by region") != NULL;
        const uint64_t board = row->stats.board_bytes; /* stadium's, of which misses read a group and seldom a pair */
        if (board && i > 0 && !by_region) place_set_limit(p, row, ACCESS_SECTOR, board);
        else place_set_find_limit(p, row, w, by_region);
        report_row(p->o, *row);
    }
    set_write_limit(p, &rows->erase, w, 0);
    report_row(p->o, rows->erase);
}

static struct row group_row(const struct place *p, const char *group, const char *what)
{
    char name[96];
    snprintf(name, sizeof name, "%s/%s", group, what);
    return row_make(name, p->unit);
}

static void measure_way(const struct place *p, struct arrays *a, const struct large *l, const char *group, const char *options)
{
    const struct table_case c = place_case(p, l->engine, options, group);
    const roost_config config = table_config(&c, a->w);
    struct large_rows rows = {group_row(p, group, "insert"),
                              {group_row(p, group, "find-100"), group_row(p, group, "find-0")},
                              group_row(p, group, "erase")};
    struct session s;
    if (session_open(&s, &c, a, &config, &rows.insert)) {
        if (build(&s, a->w.keys / PIECE, &rows.insert) && look(&s, rows.finds)) erase(&s, &rows.erase);
        session_close(&s);
    }
    report(p, &rows, l, a->w);
}

/* As they come, and by region. */
static void measure(const struct place *p, const struct large *l)
{
    static const char *const ways[] = {"bulk=off", "bulk=on"};
    const struct workload piece = {.seed = p->o->seed, .keys = PIECE, .key_bytes = 8, .value_bytes = 8};
    const uint64_t memory = place_device_bytes(p);
    char group[64];
    snprintf(group, sizeof group, "%s/%s-large", p->prefix, l->engine);
    if (!options_want_some(p->o, group) || p->o->quick) return;
    if (memory < GPU_80) {
        struct row row = row_make(group, p->unit);
        row_fail(&row, ROW_UNAVAILABLE, "tables of 48 to 96 GB and what builds them take a GPU of 80 GB or more");
        report_row(p->o, row);
        return;
    }
    struct arrays a = arrays_make(p->machine, piece, FINDS);
    a.w.keys = PIECE * l->pieces[memory < GPU_144]; /* of which the arrays hold a piece */
    for (int i = 0; i < 2; i++) {
        snprintf(group, sizeof group, "%s/%s-large[%s]", p->prefix, l->engine, ways[i]);
        if (options_want_some(p->o, group)) measure_way(p, &a, l, group, ways[i]);
    }
    a.w.keys = piece.keys;
    arrays_free(p->machine, &a);
}

void large_rows(const struct place *p)
{
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) measure(p, &all[i]);
}
