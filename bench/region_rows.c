/* Unordered calls beside calls by region (src/batches/batches_by_code.c), for --figures, with
 * the engines that store a key's homes in one region. The tables are of the usual size, whose
 * regions fit a cache, and on a GPU also beyond the reach of its TLB. */
#include "session.h"

#include <stdio.h>
#include <string.h>

enum { LEVELS = 2, LARGE_SIZES = 3, LARGE_PIECE = 250000000, LARGE_TIMED = 4, LARGE_FINDS = 1 << 27 };
#define GPU_144 ((uint64_t)135 << 30)
#define GPU_80 ((uint64_t)78 << 30)

struct subject {
    const char *engine;
    /* Inserts go by region, too. fks has a partition of its own for them, with rows of builds
     * (fks_rows.c). */
    bool inserts;
    /* Pieces of a large table. On a GPU of 144 GB: as many as make about 96 GB, and fewer, where
     * the reach of its TLB ends. Then the same for a GPU of 80 GB. */
    uint64_t pieces[2][LARGE_SIZES];
    /* Further options for the first of these tables. fks's is built with each piece, one hash
     * range after another; a piece is small beside the earlier ones, and would otherwise be
     * written in place. */
    const char *first;
};
static const struct subject subjects[] = {
    {"fks", false, {{18, 18, 14}, {9}}, ",dense=0.05"}, {"stadium", true, {{18}, {12}}, ""}, {"slab", true, {{14, 12}, {9}}, ""}};

/* A table's pairs, made and inserted one piece at a time; the last piece is erased again. */
struct pieces {
    uint64_t keys, n; /* keys per piece; number of pieces */
    uint64_t timed;   /* timed pieces, the last ones */
};

/* The rows of one group. */
struct region_rows {
    struct row insert, finds[LEVELS], erase;
};

static bool build(struct session *s, const struct pieces *p, struct row *row)
{
    const struct machine *m = s->c->machine;
    double before = 0;
    row->items = row->distinct = p->keys;
    for (uint64_t i = 0; i < p->n; i++) {
        if (i + p->timed == p->n) before = session_stats(s).route_seconds;
        m->make_keys(s->a->w, i * p->keys, 1, p->keys, s->a->keys, s->a->values);
        if (!session_time(s, VERB_INSERT, s->a->keys, s->a->values, p->keys, row, i + p->timed < p->n ? NULL : row)) return false;
    }
    row_describe(row, s);
    row_describe_write(row, row->stats.route_seconds - before, p->timed);
    session_verify_count(s, s->a->w.keys, row);
    return true;
}

static uint64_t answers_checksum(const struct session *s, uint64_t n)
{
    return s->c->machine->checksum(s->a->answer, n * (unsigned)s->a->w.value_bytes) ^ s->c->machine->checksum(s->a->found, n);
}

/* All hits, then all misses. The checksum covers the last find's answers in order, so it is
 * equal for both ways. */
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

/* Erases the keys of the last piece; none of them is found then. */
static void erase(struct session *s, uint64_t n, struct row *row)
{
    const struct machine *m = s->c->machine;
    const double before = session_stats(s).route_seconds;
    row->items = row->distinct = n;
    if (!session_time(s, VERB_ERASE, s->a->keys, NULL, n, row, row)) return;
    row_describe(row, s);
    row_describe_write(row, row->stats.route_seconds - before, 1);
    session_verify_count(s, s->a->w.keys - n, row);
    session_poison(s, n);
    if (!session_time(s, VERB_FIND, s->a->keys, NULL, n, row, NULL)) return;
    row->wrong += n - m->count_status(s->a->found, 0, n, 0) - m->count_status(s->a->found, 1, n, 0);
    row->verified += n;
}

/* The bytes that finds read from. In slab, nearly all finds read a list's first slab; each
 * bucket has one. */
static uint64_t bytes_found_in(const struct numbers *s)
{
    return s->buckets && s->chained_slabs ? s->table_bytes / (s->buckets + s->chained_slabs) * s->buckets : s->table_bytes;
}

/* The limits are measured after the table is destroyed, over the same number of bytes: a GPU has
 * no room for both. */
static void report(const struct place *p, struct region_rows *rows, const struct subject *of, const struct workload w)
{
    if (of->inserts || rows->insert.state != ROW_UNUSED || rows->insert.wrong) {
        place_set_write_limit(p, &rows->insert, w, w.value_bytes, rows->insert.stats.table_bytes);
        report_row(p->o, rows->insert);
    }
    for (int i = 0; i < LEVELS; i++) {
        struct row *const row = &rows->finds[i];
        const bool by_region = strstr(row->note, "by region") != NULL;
        /* Stadium's misses read a group of tickets in the board, and seldom a pair. */
        const uint64_t board = row->stats.board_bytes;
        if (board && i > 0 && !by_region) place_set_limit(p, row, ACCESS_SECTOR, board);
        else if (!by_region) place_set_limit(p, row, ACCESS_LINE, bytes_found_in(&row->stats));
        else place_set_find_limit(p, row, w, true);
        report_row(p->o, *row);
    }
    place_set_write_limit(p, &rows->erase, w, 0, rows->erase.stats.table_bytes);
    report_row(p->o, rows->erase);
}

static void measure_way(const struct place *p, struct arrays *a, const struct subject *of, const struct pieces *pieces,
                        const char *group, const char *options)
{
    const struct table_case c = place_case(p, of->engine, options, group);
    const roost_config config = table_config(&c, a->w);
    struct region_rows rows = {place_row(p, group, "insert"),
                               {place_row(p, group, "find-100"), place_row(p, group, "find-0")},
                               place_row(p, group, "erase")};
    struct session s;
    if (session_open(&s, &c, a, &config, &rows.insert)) {
        if (build(&s, pieces, &rows.insert) && look(&s, rows.finds)) erase(&s, pieces->keys, &rows.erase);
        session_close(&s);
    }
    report(p, &rows, of, a->w);
}

/* Unordered and by region: PLACE/ENGINE-SIZE[bulk=off] and [bulk=on]; the number of pairs names
 * further large tables. */
static void measure_ways(const struct place *p, const struct subject *of, const char *size, const struct pieces *pieces, int bytes,
                         uint64_t finds, const char *further)
{
    static const char *const ways[] = {"bulk=off", "bulk=on"};
    const struct workload piece = {.seed = p->o->seed, .keys = pieces->keys, .key_bytes = bytes, .value_bytes = bytes};
    struct arrays a = arrays_make(p->machine, piece, finds);
    a.w.keys = pieces->keys * pieces->n; /* all pieces; the arrays hold one */
    for (int i = 0; i < 2; i++) {
        char group[64], options[48];
        snprintf(group, sizeof group, "%s/%s-%s[%s]", p->prefix, of->engine, size, ways[i]);
        snprintf(options, sizeof options, "%s%s", ways[i], further);
        if (options_want_some(p->o, group)) measure_way(p, &a, of, pieces, group, options);
    }
    a.w.keys = piece.keys;
    arrays_free(p->machine, &a);
}

static bool wanted(const struct place *p, const struct subject *of, const char *size)
{
    char group[64];
    snprintf(group, sizeof group, "%s/%s-%s", p->prefix, of->engine, size);
    return options_want_some(p->o, group);
}

/* No GPU has room for all pairs besides the table. */
static void measure_large(const struct place *p, const struct subject *of)
{
    const uint64_t memory = place_device_bytes(p), *const sizes = of->pieces[memory < GPU_144];
    char group[64], size[32] = "large";
    if (!wanted(p, of, size) || p->o->quick) return;
    for (int i = 0; memory >= GPU_80 && i < LARGE_SIZES && sizes[i]; i++) {
        const struct pieces pieces = {LARGE_PIECE, sizes[i], LARGE_TIMED};
        if (i) snprintf(size, sizeof size, "large-%dM", (int)(LARGE_PIECE / 1000000 * sizes[i]));
        measure_ways(p, of, size, &pieces, 8, LARGE_FINDS, i ? "" : of->first);
    }
    if (memory >= GPU_80) return;
    snprintf(group, sizeof group, "%s/%s-large", p->prefix, of->engine);
    struct row row = row_make(group, p->unit);
    row_fail(&row, ROW_UNAVAILABLE, "tables of 48 to 96 GB and their construction need a GPU with at least 80 GB");
    report_row(p->o, row);
}

/* Each call has half of the keys. */
static void measure_near(const struct place *p, const struct subject *of)
{
    const struct pieces pieces = {p->keys / 2, 2, 1};
    if (wanted(p, of, "near")) measure_ways(p, of, "near", &pieces, 4, p->keys, "");
}

void region_rows(const struct place *p)
{
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        if (!place_wants(p, subjects[i].engine)) continue;
        measure_near(p, &subjects[i]);
        if (!p->threads) measure_large(p, &subjects[i]);
    }
}
