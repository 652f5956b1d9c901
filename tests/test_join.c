/* Joins, against a reference that sorts the rows of both sides by the numbers of their keys' items:
 * all kinds of joins, keys of all types and of several columns, NULLs, duplicates on both sides,
 * batches of any sizes, results in any pieces, hot keys, wrong calls, refused memory. */
#include "support/answers.h"
#include "support/columns.h"
#include "support/faulty_backend.h"
#include "support/settings.h"
#include "support/tables.h"
#include "roost/join.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEYS_MOST = 4, PIECE = 1 << 18 /* rows, src/relations/work.h */ };

#define KEY_NULL UINT64_MAX /* a key with a NULL */
#define NO_ROW UINT64_MAX

/* ---- Two relations --------------------------------------------------------------------------- */

/* A relation's rows so far. */
struct side {
    uint16_t *numbers[KEYS_MOST]; /* of the keys' items */
    size_t n, room;
};

struct relations {
    const struct variant *variant;
    struct dice dice;
    int keys;
    struct column_kind key[KEYS_MOST];
    struct side build, probe;
    roost_join_how how;
    bool ordered;
    int row_bytes;
    uint64_t capacity;
    roost_join *join;
};

static void relations_begin(struct relations *r, const struct variant *variant, roost_join_how how, size_t build, size_t probe)
{
    memset(r, 0, sizeof *r);
    r->variant = variant;
    r->dice.state = suite_seed() + variant->placement;
    r->how = how;
    r->row_bytes = 8;
    r->build.room = build, r->probe.room = probe;
}

static void relations_key(struct relations *r, struct column_kind kind, unsigned distinct)
{
    kind.distinct = (uint16_t)(kind.bytes == 1 && distinct > 250 ? 250 : distinct);
    r->build.numbers[r->keys] = new_array(r->build.room, sizeof(uint16_t));
    r->probe.numbers[r->keys] = new_array(r->probe.room, sizeof(uint16_t));
    r->key[r->keys++] = kind;
}

static void relations_end(struct relations *r)
{
    roost_join_destroy(r->join);
    for (int k = 0; k < r->keys; k++) free(r->build.numbers[k]), free(r->probe.numbers[k]);
}

static roost_status relations_create(struct relations *r)
{
    roost_join_config config = ROOST_JOIN_CONFIG_INIT;
    roost_column keys[KEYS_MOST];
    for (int k = 0; k < r->keys; k++) keys[k] = column_type(&r->key[k]);
    config.engine = table_engine(r->variant);
    config.device = settings_get()->device;
    config.threads = r->variant->threads;
    config.how = r->how;
    config.flags = r->ordered ? ROOST_ORDERED : 0;
    config.row_bytes = r->row_bytes;
    config.capacity = r->capacity;
    config.key_columns = r->keys, config.keys = keys;
    return roost_join_create(&r->join, &config);
}

static void relations_open(struct relations *r) { require_status(ROOST_OK, relations_create(r), NULL); }

/* Draws n more rows; their items are below `of` in a hundred of all that there are. */
static void side_draw(struct relations *r, struct side *s, size_t n, unsigned of)
{
    if (s->n + n > s->room) abort();
    for (int k = 0; k < r->keys; k++)
        for (size_t i = s->n; i < s->n + n; i++) {
            const bool null = r->key[k].nullable && !draw_below(&r->dice, 9);
            const unsigned some = (r->key[k].distinct * of + 99) / 100;
            s->numbers[k][i] = (uint16_t)(null ? 0 : 1 + draw_below(&r->dice, some));
        }
}

static void side_columns(struct relations *r, const struct side *s, size_t n, struct batch_columns *batch)
{
    batch_begin(batch, n);
    for (int k = 0; k < r->keys; k++) batch_keys(batch, &r->key[k], s->numbers[k] + s->n, &r->dice, r->variant->placement);
}

static roost_status build_give(struct relations *r, size_t n)
{
    struct batch_columns batch;
    side_columns(r, &r->build, n, &batch);
    const roost_status status = roost_join_build(r->join, batch.given, n, NULL);
    if (!status) r->build.n += n;
    column_batch_free(&batch);
    return status;
}

static void build_add(struct relations *r, size_t n)
{
    side_draw(r, &r->build, n, 80);
    require_status(ROOST_OK, build_give(r, n), NULL);
}

/* ---- The reference --------------------------------------------------------------------------- */

struct pair {
    uint64_t probe, build;
};

struct pairs_list {
    struct pair *pair;
    size_t n, room;
};

static void pairs_put(struct pairs_list *list, uint64_t probe, uint64_t build)
{
    if (list->n == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->pair = realloc(list->pair, list->room * sizeof *list->pair);
        if (!list->pair) abort();
    }
    list->pair[list->n++] = (struct pair){probe, build};
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *left = a, *right = b;
    if (left->probe != right->probe) return (left->probe > right->probe) - (left->probe < right->probe);
    return (left->build > right->build) - (left->build < right->build);
}

static uint64_t key_of(const struct relations *r, const struct side *s, size_t row)
{
    uint64_t key = 0;
    for (int k = 0; k < r->keys; k++) {
        if (!s->numbers[k][row]) return KEY_NULL;
        key = key << 16 | s->numbers[k][row];
    }
    return key;
}

/* The rows of the side that is built, by key: pairs of a key and a row. */
static struct pairs_list build_sorted(const struct relations *r)
{
    struct pairs_list list = {0};
    for (size_t i = 0; i < r->build.n; i++)
        if (key_of(r, &r->build, i) != KEY_NULL) pairs_put(&list, key_of(r, &r->build, i), i);
    if (list.n) qsort(list.pair, list.n, sizeof *list.pair, compare_pairs);
    return list;
}

/* The first place whose key is not below. */
static size_t place_of(const struct pairs_list *sorted, uint64_t key)
{
    size_t low = 0, high = sorted->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sorted->pair[middle].probe < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The result for n probe rows that follow those so far; met: of each build row. */
static struct pairs_list expected(const struct relations *r, size_t n, bool *met)
{
    struct pairs_list sorted = build_sorted(r), list = {0};
    for (size_t row = r->probe.n; row < r->probe.n + n; row++) {
        const uint64_t key = key_of(r, &r->probe, row);
        size_t matches = 0;
        for (size_t i = place_of(&sorted, key); key != KEY_NULL && i < sorted.n && sorted.pair[i].probe == key; i++, matches++) {
            if (met) met[sorted.pair[i].build] = true;
            if (r->how <= ROOST_JOIN_FULL) pairs_put(&list, row, sorted.pair[i].build);
        }
        if (matches ? r->how == ROOST_JOIN_SEMI : r->how != ROOST_JOIN_INNER && r->how != ROOST_JOIN_SEMI)
            pairs_put(&list, row, NO_ROW);
    }
    free(sorted.pair);
    return list;
}

/* ---- Results --------------------------------------------------------------------------------- */

static uint64_t row_at(const struct relations *r, const struct placed *rows, size_t i)
{
    uint64_t row = 0;
    memcpy(&row, (const char *)placed_host(rows) + i * (unsigned)r->row_bytes, (unsigned)r->row_bytes);
    return r->row_bytes == 4 && row == UINT32_MAX ? NO_ROW : row;
}

static struct placed rows_make(struct relations *r, size_t room)
{
    struct placed rows = placed_make(room * (unsigned)r->row_bytes, (unsigned)r->row_bytes);
    memset(placed_host(&rows), UNTOUCHED_BYTE, room * (unsigned)r->row_bytes);
    placed_send(&rows, placement_turn(&r->dice, r->variant->placement));
    return rows;
}

static void lists_compare(const struct relations *r, struct pairs_list *is, const struct pairs_list *should)
{
    if (!r->ordered && is->n) qsort(is->pair, is->n, sizeof *is->pair, compare_pairs);
    require(is->n == should->n, "%zu pairs instead of %zu", is->n, should->n);
    for (size_t i = 0; i < is->n; i++)
        require(is->pair[i].probe == should->pair[i].probe && is->pair[i].build == should->pair[i].build,
                "pair %zu is %llu, %llu instead of %llu, %llu", i, (unsigned long long)is->pair[i].probe,
                (unsigned long long)is->pair[i].build, (unsigned long long)should->pair[i].probe,
                (unsigned long long)should->pair[i].build);
}

static bool has_build_rows(const struct relations *r) { return r->how <= ROOST_JOIN_FULL; }

/* One call, whose pairs are added to the list. */
static void probe_call(struct relations *r, const struct batch_columns *batch, roost_join_cursor *cursor, size_t room,
                       struct pairs_list *list)
{
    struct placed probe = rows_make(r, room), build = rows_make(r, room);
    size_t pairs = room + 1;
    require_status(
        ROOST_OK,
        roost_join_probe(r->join, batch->given, batch->n, cursor, placed_given(&probe), placed_given(&build), room, &pairs, NULL),
        NULL);
    require(pairs <= room, "%zu pairs in room for %zu", pairs, room);
    require(pairs || cursor->end, "no pair before the end");
    array_fetch(&probe.array), array_fetch(&build.array);
    for (size_t i = 0; i < pairs; i++) pairs_put(list, row_at(r, &probe, i), has_build_rows(r) ? row_at(r, &build, i) : NO_ROW);
    array_free(&probe.array), array_free(&build.array);
}

/* The pairs of a batch are those of the reference, in pieces of `room` (0: of any room). */
static void probe_rows(struct relations *r, size_t n, size_t room, bool *met)
{
    struct pairs_list is = {0}, should = expected(r, n, met);
    struct batch_columns batch;
    roost_join_cursor cursor = {0};
    uint64_t count = 0;
    side_columns(r, &r->probe, n, &batch);
    require_status(ROOST_OK, roost_join_count(r->join, batch.given, n, &count, NULL), NULL);
    require(count == should.n, "%llu pairs were counted, and there are %zu", (unsigned long long)count, should.n);
    while (!cursor.end) {
        probe_call(r, &batch, &cursor, room ? room : 1 + draw_below(&r->dice, settings_rounds(300, 3000)), &is);
        require(is.n <= should.n, "%zu pairs before the end, and there are %zu", is.n, should.n);
    }
    lists_compare(r, &is, &should);
    probe_call(r, &batch, &cursor, 8, &is);
    require(is.n == should.n, "pairs after the end");
    r->probe.n += n;
    column_batch_free(&batch);
    free(is.pair), free(should.pair);
}

/* The bits of a batch; its rows are drawn, but not numbered. */
static void probe_bits(struct relations *r, size_t n)
{
    struct pairs_list should = expected(r, n, NULL);
    struct batch_columns batch;
    uint8_t *const bits = make_bytes((n + 7) / 8);
    size_t at = 0;
    side_columns(r, &r->probe, n, &batch);
    require_status(ROOST_OK, roost_join_bits(r->join, batch.given, n, bits, NULL), NULL);
    for (size_t i = 0; i < n; i++) {
        const bool in = at < should.n && should.pair[at].probe == r->probe.n + i;
        at += in;
        require((bits[i / 8] >> i % 8 & 1) == in, "the bit of row %zu is %d", i, !in);
    }
    require(bits[(n + 7) / 8] == UNTOUCHED_BYTE, "bits beyond the last row");
    column_batch_free(&batch);
    free(bits), free(should.pair);
}

/* The build rows that no probe has met. */
static void rest_compare(struct relations *r, const bool *met, size_t room)
{
    roost_join_cursor cursor = {0};
    size_t next = 0;
    while (!cursor.end) {
        struct placed rows = rows_make(r, room);
        size_t n = room + 1;
        require_status(ROOST_OK, roost_join_rest(r->join, &cursor, placed_given(&rows), room, &n, NULL), NULL);
        require(n <= room, "%zu rows in room for %zu", n, room);
        array_fetch(&rows.array);
        for (size_t i = 0; i < n; i++, next++) {
            while (next < r->build.n && met[next]) next++;
            require(row_at(r, &rows, i) == next, "row %llu instead of %zu", (unsigned long long)row_at(r, &rows, i), next);
        }
        array_free(&rows.array);
    }
    while (next < r->build.n && met[next]) next++;
    require(next == r->build.n, "the rest ends before row %zu", next);
}

/* Builds and probes in batches of any sizes; the rooms are any, too. */
static void relations_try(struct relations *r)
{
    static const size_t sizes[] = {0, 1, 8, 77, 1, 1000};
    bool *const met = new_array(r->build.room, sizeof *met);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (r->build.n + sizes[i] <= r->build.room) build_add(r, sizes[i]);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        side_draw(r, &r->probe, sizes[i], 100);
        if (!has_build_rows(r)) probe_bits(r, sizes[i]);
        probe_rows(r, sizes[i], i == 3 ? settings_rounds(3, 60) : i == 5 ? 100000 : 0, met);
    }
    if (r->how == ROOST_JOIN_FULL) rest_compare(r, met, settings_rounds(13, 300));
    if (r->how == ROOST_JOIN_FULL) rest_compare(r, met, 5000);
    free(met);
}

/* ---- Keys and kinds of joins ----------------------------------------------------------------- */

static void keys_of_a_type(const struct variant *variant)
{
    size_t kinds;
    const struct column_kind *const all = all_kinds(&kinds);
    const size_t step = settings_rounds(1, 3);
    for (size_t i = 0; i < 2 * kinds; i++)
        for (size_t how = ROOST_JOIN_INNER + i % step; how <= ROOST_JOIN_ANTI; how += step) {
            struct relations r;
            struct column_kind kind = all[i / 2];
            suite_step("type %d of %u bytes, %d, join %zu", (int)kind.type, kind_bytes(&kind), (int)(i % 2), how);
            kind.nullable = i & 1;
            relations_begin(&r, variant, (roost_join_how)how, 2000, 2000);
            r.row_bytes = (i + how) % 3 ? 8 : 4;
            r.ordered = (i / 2 + how) & 1;
            relations_key(&r, kind, how & 1 ? 1200 : 200);
            relations_open(&r);
            relations_try(&r);
            relations_end(&r);
        }
}

static void keys_of_columns(const struct variant *variant)
{
    const size_t rounds = settings_launches(settings_size(60, 20), 6);
    for (size_t round = 0; round < rounds; round++) {
        struct relations r;
        struct column_kind kinds[KEYS_MOST];
        relations_begin(&r, variant, (roost_join_how)(round % 5), round % 7 ? 2000 : 0, 2000);
        for (size_t i = 0; i < round; i++) (void)draw(&r.dice);
        const int n = 1 + (int)draw_below(&r.dice, KEYS_MOST);
        const unsigned distinct = 2 + (unsigned)draw_below(&r.dice, n > 2 ? 6 : 40);
        suite_step("round %zu: %d columns, %u items in each", round, n, distinct);
        kinds_draw(&r.dice, kinds, n, distinct);
        for (int k = 0; k < n; k++) relations_key(&r, kinds[k], distinct);
        r.ordered = draw(&r.dice) & 1;
        r.row_bytes = draw(&r.dice) & 1 ? 4 : 8;
        r.capacity = draw_below(&r.dice, 2000);
        relations_open(&r);
        relations_try(&r);
        relations_end(&r);
    }
}

/* Keys that come once, in the order of their rows: their numbers are their rows.  `number`: the row
 * that repeats another one's key, if there is one. */
static void keys_that_come_once(const struct variant *variant)
{
    for (int how = ROOST_JOIN_INNER; how <= ROOST_JOIN_ANTI; how++)
        for (int ordered = 0; ordered < 2; ordered++) {
            struct relations r;
            bool *const met = new_array(6000, sizeof *met);
            suite_step("join %d, %d", how, ordered);
            relations_begin(&r, variant, (roost_join_how)how, 6000, 3000);
            r.ordered = ordered;
            relations_key(&r, (struct column_kind){.type = ROOST_TYPE_U32}, 9000);
            relations_open(&r);
            for (size_t i = 0; i < 6000; i++) r.build.numbers[0][i] = (uint16_t)(i + 1);
            if (variant->number) r.build.numbers[0][variant->number] = 1 + (uint16_t)variant->number / 2;
            require_status(ROOST_OK, build_give(&r, 1), NULL);
            require_status(ROOST_OK, build_give(&r, 2999), NULL);
            require_status(ROOST_OK, build_give(&r, 3000), NULL);
            for (int i = 0; i < 3; i++) {
                side_draw(&r, &r.probe, 1000, 100);
                probe_rows(&r, 1000, i ? 0 : 100000, met);
            }
            if (how == ROOST_JOIN_FULL) rest_compare(&r, met, 999);
            free(met);
            relations_end(&r);
        }
}

/* Batches that are more than a piece, on both sides. */
static void rows_across_pieces(const struct variant *variant)
{
    const size_t n = PIECE + 1003;
    for (int how = ROOST_JOIN_FULL; how <= ROOST_JOIN_ANTI; how += 2) {
        struct relations r;
        bool *const met = new_array(n, sizeof *met);
        suite_step("join %d", how);
        relations_begin(&r, variant, (roost_join_how)how, n, n);
        relations_key(&r, (struct column_kind){.type = ROOST_TYPE_I64, .nullable = true}, 900);
        relations_key(&r, (struct column_kind){.type = ROOST_TYPE_BYTES, .bytes = 3}, 900);
        r.ordered = true;
        relations_open(&r);
        build_add(&r, n);
        side_draw(&r, &r.probe, n, 100);
        if (how == ROOST_JOIN_ANTI) probe_bits(&r, n);
        probe_rows(&r, n, PIECE / 2, met);
        if (how == ROOST_JOIN_FULL) rest_compare(&r, met, 2 * n);
        free(met);
        relations_end(&r);
    }
}

/* ---- Hot keys -------------------------------------------------------------------------------- */

/* Of the process's processors: other programs do not count. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One key with BUILD x PROBE pairs.  A call's work is in proportion to its room, not to the key's
 * rows: a host shows it, which runs the same kernels as a GPU. */
static void hot_keys(const struct variant *variant)
{
    enum { BUILD = 100000, PROBE = 100, ROOM = 100, CALLS = 300 };
    struct relations r;
    struct batch_columns batch;
    roost_join_cursor cursor = {0};
    struct pairs_list list = {0};
    relations_begin(&r, variant, ROOST_JOIN_INNER, BUILD, PROBE);
    relations_key(&r, (struct column_kind){.type = ROOST_TYPE_U64}, 1);
    r.ordered = true;
    relations_open(&r);
    build_add(&r, BUILD);
    side_draw(&r, &r.probe, PROBE, 100);
    side_columns(&r, &r.probe, PROBE, &batch);
    probe_call(&r, &batch, &cursor, ROOM, &list); /* ends the building */
    const double begin = seconds();
    for (size_t i = 1; i < CALLS; i++) probe_call(&r, &batch, &cursor, ROOM, &list);
    const double took = seconds() - begin;
    for (size_t i = 0; i < list.n; i++) require(list.pair[i].probe == i / BUILD && list.pair[i].build == i % BUILD, "pair %zu", i);
    require(list.n == CALLS * ROOM, "%zu pairs in %d calls", list.n, CALLS);
    const double most = settings_sanitized() ? 0.02 : 0.005;
    require(settings_on_gpu() || took < CALLS * most, "%d calls for %d pairs took %.3f s", CALLS - 1, ROOM, took);
    uint64_t pairs = 0;
    require_status(ROOST_OK, roost_join_count(r.join, batch.given, PROBE, &pairs, NULL), NULL);
    require(pairs == (uint64_t)BUILD * PROBE, "%llu pairs", (unsigned long long)pairs);
    list.n = 0;
    while (!cursor.end) {
        probe_call(&r, &batch, &cursor, 1 << 20, &list);
        for (size_t i = 0; i < list.n; i++) pairs -= list.pair[i].build < BUILD && list.pair[i].probe < PROBE;
        list.n = 0;
    }
    require(pairs == CALLS * ROOM, "%lld pairs were left", (long long)pairs - CALLS * ROOM);
    column_batch_free(&batch);
    free(list.pair);
    relations_end(&r);
}

/* ---- Results --------------------------------------------------------------------------------- */

static void results_not_wanted(const struct variant *variant)
{
    for (int how = ROOST_JOIN_INNER; how <= ROOST_JOIN_ANTI; how++) {
        struct relations r;
        struct batch_columns batch;
        size_t n[3] = {0}, pairs;
        suite_step("join %d", how);
        relations_begin(&r, variant, (roost_join_how)how, 1000, 1000);
        relations_key(&r, (struct column_kind){.type = ROOST_TYPE_U32}, 100);
        relations_open(&r);
        build_add(&r, 1000);
        side_draw(&r, &r.probe, 1000, 100);
        side_columns(&r, &r.probe, 1000, &batch);
        for (int which = 0; which < 3; which++) {
            roost_join_cursor cursor = {0};
            while (!cursor.end) {
                struct placed rows = rows_make(&r, 700);
                void *const given = placed_given(&rows);
                require_status(ROOST_OK,
                               roost_join_probe(r.join, batch.given, 1000, &cursor, which == 1 ? given : NULL,
                                                which == 2 ? given : NULL, 700, &pairs, NULL),
                               NULL);
                n[which] += pairs;
                array_fetch(&rows.array);
                const bool writes = which == 1 || (which == 2 && has_build_rows(&r));
                for (size_t i = 0; i < pairs && writes; i++) {
                    const uint64_t row = row_at(&r, &rows, i), base = which == 1 ? 1000 : 0;
                    require(row >= base && (row < base + 1000 || (row == NO_ROW && which == 2)), "row %llu",
                            (unsigned long long)row);
                }
                array_free(&rows.array);
            }
        }
        require(n[0] == n[1] && n[1] == n[2], "%zu, %zu and %zu pairs", n[0], n[1], n[2]);
        size_t rest = 0;
        roost_join_cursor cursor = {0};
        if (how == ROOST_JOIN_FULL) require_status(ROOST_OK, roost_join_rest(r.join, &cursor, NULL, 1000, &rest, NULL), NULL);
        column_batch_free(&batch);
        relations_end(&r);
    }
}

/* Cursors that no call has left: an error, or some pairs; never rows that there are not. */
static void wrong_cursors(const struct variant *variant)
{
    static const roost_join_cursor cursors[] = {{1001, 0, 0},     {UINT64_MAX, 0, 0},     {5, 1u << 30, 0}, {0, UINT64_MAX, 0},
                                                {999, 100000, 0}, {3, UINT64_MAX - 3, 0}, {1000, 7, 0}};
    for (int duplicates = 0; duplicates < 2; duplicates++) {
        struct relations r;
        struct batch_columns batch;
        relations_begin(&r, variant, ROOST_JOIN_INNER, 1000, 1000);
        relations_key(&r, (struct column_kind){.type = ROOST_TYPE_U32}, duplicates ? 50 : 1000);
        relations_open(&r);
        for (size_t i = 0; i < 1000; i++) r.build.numbers[0][i] = (uint16_t)(1 + i % r.key[0].distinct);
        require_status(ROOST_OK, build_give(&r, 1000), NULL);
        side_draw(&r, &r.probe, 1000, 100);
        side_columns(&r, &r.probe, 1000, &batch);
        for (size_t i = 0; i < sizeof cursors / sizeof *cursors; i++) {
            struct placed rows = rows_make(&r, 64);
            roost_join_cursor cursor = cursors[i];
            size_t pairs = 0;
            suite_step("cursor %zu", i);
            const roost_status status =
                roost_join_probe(r.join, batch.given, 1000, &cursor, NULL, placed_given(&rows), 64, &pairs, NULL);
            require(status == ROOST_OK ? cursors[i].row == 1000 : status == ROOST_ERR_ARGUMENT, "%s, and %zu pairs",
                    roost_status_name(status), pairs);
            require(pairs == 0, "%zu pairs", pairs);
            array_free(&rows.array);
        }
        column_batch_free(&batch);
        relations_end(&r);
    }
}

/* ---- Wrong calls ----------------------------------------------------------------------------- */

static void wrong_create(roost_join_config config, const char *what)
{
    roost_join *join = (roost_join *)&config;
    require_answer(ARGUMENT | UNSUPPORTED | NOT_FOUND, roost_join_create(&join, &config), NULL, what);
    require(!join, "%s: there is a join", what);
}

static void wrong_configurations(const struct variant *variant)
{
    roost_join_config right = ROOST_JOIN_CONFIG_INIT;
    roost_column key = ROOST_COLUMN_INIT;
    right.engine = table_engine(variant), right.device = settings_get()->device;
    right.key_columns = 1, right.keys = &key;
#define WRONG(change)                                                                                                              \
    do {                                                                                                                           \
        const roost_column keep = key;                                                                                             \
        roost_join_config config = right;                                                                                          \
        change;                                                                                                                    \
        wrong_create(config, #change);                                                                                             \
        key = keep;                                                                                                                \
    } while (0)
    WRONG(config.size = 8);
    WRONG(config.engine = "no such engine");
    WRONG(config.how = (roost_join_how)5);
    WRONG(config.how = (roost_join_how)-1);
    WRONG(config.flags = 0x40);
    WRONG(config.row_bytes = 0);
    WRONG(config.row_bytes = 16);
    WRONG(config.key_columns = 0);
    WRONG(config.key_columns = ROOST_JOIN_KEYS_MOST + 1);
    WRONG(config.keys = NULL);
    WRONG(key.size = 3);
    WRONG(key.type = ROOST_TYPE_NONE);
    WRONG(key.type = (roost_type)9);
    WRONG(key.type = ROOST_TYPE_BYTES);
#undef WRONG
    roost_join *join = NULL;
    require_answer(ARGUMENT, roost_join_create(NULL, &right), NULL, "no handle");
    require_answer(ARGUMENT, roost_join_create(&join, NULL), NULL, "no configuration");
    roost_join_destroy(NULL);
}

static void wrong_rows(const struct variant *variant)
{
    struct relations r;
    uint64_t words[9] = {0};
    uint8_t bits[2] = {0xff, 0xff};
    size_t n;
    uint64_t pairs;
    relations_begin(&r, variant, ROOST_JOIN_INNER, 0, 0);
    relations_key(&r, (struct column_kind){.type = ROOST_TYPE_U64}, 1);
    relations_open(&r);
    const roost_column key = {sizeof key, ROOST_TYPE_U64, 8, 0, words, NULL, NULL, 0};
#define WRONG(change)                                                                                                              \
    do {                                                                                                                           \
        roost_column k = key;                                                                                                      \
        roost_join_cursor cursor = {0};                                                                                            \
        change;                                                                                                                    \
        require_answer(ARGUMENT, roost_join_build(r.join, &k, 8, NULL), NULL, "build: " #change);                                  \
        require_answer(ARGUMENT, roost_join_probe(r.join, &k, 8, &cursor, NULL, NULL, 8, &n, NULL), NULL, "probe: " #change);      \
        require_answer(ARGUMENT, roost_join_count(r.join, &k, 8, &pairs, NULL), NULL, "count: " #change);                          \
    } while (0)
    WRONG(k.size = 0);
    WRONG(k.type = ROOST_TYPE_I64);
    WRONG(k.type = ROOST_TYPE_F64);
    WRONG(k.values = NULL);
    WRONG(k.validity = bits);
    WRONG(k.values = (char *)words + 4);
#undef WRONG
    roost_join_cursor cursor = {0};
    roost_call call = ROOST_CALL_INIT;
    call.flags = 0x4000;
    require_answer(ARGUMENT, roost_join_build(r.join, &key, 8, &call), NULL, "flags");
    require_answer(ARGUMENT, roost_join_build(NULL, &key, 8, NULL), NULL, "no join");
    require_answer(ARGUMENT, roost_join_build(r.join, NULL, 8, NULL), NULL, "no keys");
    require_answer(ANSWER(ROOST_ERR_FULL), roost_join_build(r.join, &key, UINT32_MAX, NULL), NULL, "too many rows");
    require_status(ROOST_OK, roost_join_build(r.join, &key, 8, NULL), NULL);
    require_answer(ARGUMENT, roost_join_probe(NULL, &key, 8, &cursor, words, words, 8, &n, NULL), NULL, "no join");
    require_answer(ARGUMENT, roost_join_probe(r.join, NULL, 8, &cursor, words, words, 8, &n, NULL), NULL, "no keys");
    require_answer(ARGUMENT, roost_join_probe(r.join, &key, 8, NULL, words, words, 8, &n, NULL), NULL, "no cursor");
    require_answer(ARGUMENT, roost_join_probe(r.join, &key, 8, &cursor, words, words, 0, &n, NULL), NULL, "no room");
    require_answer(ARGUMENT, roost_join_probe(r.join, &key, 8, &cursor, words, words, 8, NULL, NULL), NULL, "no count");
    require_answer(ARGUMENT, roost_join_probe(r.join, &key, 8, &cursor, (char *)words + 4, NULL, 8, &n, NULL), NULL, "alignment");
    require_answer(ARGUMENT, roost_join_probe(r.join, &key, 8, &cursor, NULL, (char *)words + 1, 8, &n, NULL), NULL, "alignment");
    require_answer(ARGUMENT, roost_join_probe(r.join, &key, 8, &cursor, words, words, 8, &n, &call), NULL, "flags");
    require_answer(ARGUMENT, roost_join_count(NULL, &key, 8, &pairs, NULL), NULL, "no join");
    require_answer(ARGUMENT, roost_join_count(r.join, NULL, 8, &pairs, NULL), NULL, "no keys");
    require_answer(ARGUMENT, roost_join_count(r.join, &key, 8, NULL, NULL), NULL, "no count");
    require_answer(ARGUMENT, roost_join_bits(r.join, &key, 8, bits, NULL), NULL, "bits of an inner join");
    require_answer(ARGUMENT, roost_join_rest(r.join, &cursor, words, 8, &n, NULL), NULL, "the rest of an inner join");
    require_status(ROOST_OK, roost_join_count(r.join, &key, 8, &pairs, NULL), NULL);
    require(pairs == 64, "%llu pairs", (unsigned long long)pairs);
    require_answer(ARGUMENT, roost_join_build(r.join, &key, 8, NULL), NULL, "building after a probe");
    relations_end(&r);
}

static void wrong_bits_and_rest(const struct variant *variant)
{
    struct relations r;
    uint64_t words[8] = {0};
    uint8_t bits = 0xff;
    size_t n;
    const roost_column key = {sizeof key, ROOST_TYPE_U64, 8, 0, words, NULL, NULL, 0};
    roost_join_cursor cursor = {0};
    relations_begin(&r, variant, ROOST_JOIN_SEMI, 0, 0);
    relations_key(&r, (struct column_kind){.type = ROOST_TYPE_U64}, 1);
    relations_open(&r);
    require_answer(ARGUMENT, roost_join_bits(NULL, &key, 8, &bits, NULL), NULL, "no join");
    require_answer(ARGUMENT, roost_join_bits(r.join, NULL, 8, &bits, NULL), NULL, "no keys");
    require_answer(ARGUMENT, roost_join_bits(r.join, &key, 8, NULL, NULL), NULL, "no bits");
    require_status(ROOST_OK, roost_join_bits(r.join, &key, 0, NULL, NULL), NULL);
    require_status(ROOST_OK, roost_join_bits(r.join, &key, 8, &bits, NULL), NULL);
    require(!bits, "bits of a join with nothing: %#x", bits);
    roost_join_destroy(r.join);
    r.how = ROOST_JOIN_FULL;
    relations_open(&r);
    require_answer(ARGUMENT, roost_join_rest(NULL, &cursor, words, 8, &n, NULL), NULL, "no join");
    require_answer(ARGUMENT, roost_join_rest(r.join, NULL, words, 8, &n, NULL), NULL, "no cursor");
    require_answer(ARGUMENT, roost_join_rest(r.join, &cursor, words, 0, &n, NULL), NULL, "no room");
    require_answer(ARGUMENT, roost_join_rest(r.join, &cursor, words, 8, NULL, NULL), NULL, "no count");
    require_answer(ARGUMENT, roost_join_rest(r.join, &cursor, (char *)words + 4, 1, &n, NULL), NULL, "alignment");
    require_status(ROOST_OK, roost_join_rest(r.join, &cursor, words, 8, &n, NULL), NULL);
    require(n == 0 && cursor.end, "%zu rows of none", n);
    relations_end(&r);
}

/* ---- Refused memory -------------------------------------------------------------------------- */

/* Builds and probes; or does what is left of it. */
static roost_status faulty_try(struct relations *r, struct pairs_list *list, bool goes_on, bool *probed)
{
    struct batch_columns batch;
    roost_join_cursor cursor = {.end = *probed};
    uint64_t *const rows = make_patterns(600);
    if (!*probed) list->n = 0;
    roost_status status = r->join ? ROOST_OK : relations_create(r);
    for (int i = 0; i < 2 && !status && !goes_on; i++) {
        side_draw(r, &r->build, 500, 100);
        status = build_give(r, 500);
    }
    if (!goes_on) side_draw(r, &r->probe, 500, 100);
    side_columns(r, &r->probe, 500, &batch);
    while (!status && !cursor.end) {
        size_t pairs = 0;
        status = roost_join_probe(r->join, batch.given, 500, &cursor, rows, rows + 300, 300, &pairs, NULL);
        for (size_t i = 0; !status && i < pairs; i++) pairs_put(list, rows[i], rows[300 + i]);
    }
    *probed = !status;
    if (!status) {
        size_t n;
        cursor = (roost_join_cursor){0};
        status = roost_join_rest(r->join, &cursor, rows, 600, &n, NULL);
    }
    column_batch_free(&batch);
    free(rows);
    return status;
}

static bool fault_at(const struct variant *variant, enum fault_kind kind, uint64_t at, bool on)
{
    struct relations r;
    struct pairs_list list = {0};
    bool probed = false;
    const int64_t before = faulty_pieces();
    faulty_begin(FAULTY_PLAIN);
    relations_begin(&r, variant, ROOST_JOIN_FULL, 1000, 500);
    r.ordered = true;
    relations_key(&r, (struct column_kind){.type = ROOST_TYPE_U32, .nullable = true}, 400);
    if (variant->number) relations_key(&r, (struct column_kind){.type = ROOST_TYPE_U64}, 2);
    require_status(ROOST_ERR_ARGUMENT, roost_join_create(NULL, NULL), NULL);
    faulty_arm(kind, at, on);
    roost_status status = faulty_try(&r, &list, false, &probed);
    const bool injected = faulty_injected() > 0;
    if (status) require(!strstr(roost_last_error(NULL), "is NULL"), "the error is still: %s", roost_last_error(NULL));
    faulty_arm(kind, 0, false);
    if (status && r.join) {
        const bool built = r.build.n == 1000;
        status = faulty_try(&r, &list, true, &probed);
        require(!built || status == ROOST_OK, "%s, and nothing fails any more", roost_status_name(status));
    }
    if (!status) {
        struct pairs_list should = expected(&r, 500, NULL);
        lists_compare(&r, &list, &should);
        free(should.pair);
    }
    free(list.pair);
    relations_end(&r);
    faulty_end_released(before);
    return injected;
}

static void refused_operations(const struct variant *variant) { faulty_each(variant, fault_at); }

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_placed("keys of a type", keys_of_a_type, (struct variant){0});
    suite_add_placed("keys of columns", keys_of_columns, (struct variant){0});
    suite_add_placed("keys of columns", keys_of_columns, (struct variant){.threads = 4});
    suite_add_placed("keys that come once", keys_that_come_once, (struct variant){0});
    suite_add_placed("keys that come once", keys_that_come_once, (struct variant){.number = 4001, .threads = 3});
    suite_add_placed("rows across pieces", rows_across_pieces, (struct variant){.threads = 2});
    suite_add_placed("hot keys", hot_keys, (struct variant){0});
    suite_add_placed("results not wanted", results_not_wanted, (struct variant){0});
    suite_add_placed("wrong cursors", wrong_cursors, (struct variant){0});
    suite_add_once("wrong configurations", wrong_configurations);
    suite_add_once("wrong rows", wrong_rows);
    suite_add_once("wrong bits and rest", wrong_bits_and_rest);
    suite_add("refused operations", refused_operations, (struct variant){.shape = &shapes[0]});
    suite_add("refused operations", refused_operations, (struct variant){.shape = &shapes[0], .number = 1});
    return suite_run("join");
}
