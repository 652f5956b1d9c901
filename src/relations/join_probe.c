/* The other side of a join.  A chunk of its rows is looked up, their pairs are counted, the counts
 * become places, and pairs are written there: as many as the caller has room for.  The cursor says
 * where the next call begins. */
#include <string.h>

#include "batches/batches_sort.h"
#include "relations/join.h"

/* A call, and the chunk of rows at hand. */
struct probe {
    struct roost_join *j;
    const roost_column *keys;
    void *stream;
    uint64_t first; /* of the chunk's rows */
    size_t n;
    bool marks; /* the numbers that are found are met */
    struct relations_args args;
};

static void args_set(struct probe *p)
{
    struct roost_join *const j = p->j;
    struct join_arrays *const a = &p->args.join;
    memset(&p->args, 0, sizeof p->args);
    p->args.numbers = j->work.groups;
    p->args.row = p->n;
    a->found = (uint8_t *)j->found.at;
    a->places = (uint64_t *)j->places.at;
    a->row_of = j->identity ? NULL : (uint32_t *)j->row_of.at;
    a->ends = j->identity ? NULL : (uint32_t *)j->ends.at;
    a->met = p->marks ? (uint32_t *)j->met.at : NULL;
    a->words = (uint64_t *)j->words.at;
    a->row_bytes = j->row_bytes;
    a->how = (uint8_t)j->how;
    a->base = j->probed + p->first;
}

static roost_status launch(struct probe *p, enum relations_kernel which, uint64_t n)
{
    return relations_launch(p->j->keys.last, which, &p->args, n, p->stream);
}

/* Counts become the pairs before each of n; *all: those of all. */
static roost_status places_make(struct probe *p, uint64_t n, uint64_t *all)
{
    struct roost_join *const j = p->j;
    struct roost_table *const t = j->keys.last;
    size_t bytes = 0;
    roost_status status = batches_scan_scratch(t->backend, 8, n + 1, &bytes);
    if (!status) status = join_room(j, &j->scratch, bytes + 1, 0, p->stream);
    if (!status) status = relations_begin(t, p->stream);
    if (status) return status;
    status = batches_scan(t->backend, 8, j->places.at, n + 1, j->scratch.at, bytes);
    if (!status) status = backend_read(t->backend, all, (const uint64_t *)j->places.at + n, sizeof *all);
    return relations_end(t, status);
}

/* Looks a chunk's rows up; *all: their pairs. */
static roost_status chunk_find(struct probe *p, uint64_t first, size_t n, uint64_t *all)
{
    struct roost_join *const j = p->j;
    struct piece pieces[ROOST_JOIN_KEYS_MOST];
    p->first = first, p->n = n;
    roost_status status = join_room(j, &j->places, (n + 1) * sizeof(uint64_t), 0, p->stream);
    if (!status) status = join_room(j, &j->found, n, 0, p->stream);
    if (!status) status = work_bring(j->keys.last, &j->work, p->keys, j->keys.columns, pieces, 0, first, n, p->stream);
    const struct encoding finds = {ENCODE_FIND, (uint8_t *)j->found.at, p->stream};
    if (!status) status = encoder_run(&j->keys, pieces, n, finds, &j->work.encoder, j->work.groups);
    args_set(p);
    if (!status) status = launch(p, RELATIONS_pairs, n + 1);
    return status ? status : places_make(p, n, all);
}

static roost_status probe_begin(struct probe *p, size_t n, size_t rows)
{
    struct roost_join *const j = p->j;
    struct roost_table *const t = j->keys.last;
    const struct columns_given given = {p->keys, NULL, j->keys.columns, 0};
    roost_status status = columns_check(p->keys, &j->keys.coder[0].type, sizeof j->keys.coder[0], j->keys.columns, n);
    if (!status) status = join_close(j, p->stream);
    return status || !n ? status : work_make(t, &j->work, &given, piece_rows(t, rows), p->stream);
}

/* ---- Results --------------------------------------------------------------------------------- */

/* An array of results, or memory within reach in its place. */
static roost_status result_reach(struct probe *p, void *user, uint64_t at, uint64_t n, struct piece_of_memory *memory,
                                 void **reached)
{
    static const roost_call anywhere = ROOST_CALL_INIT;
    struct roost_table *const t = p->j->keys.last;
    const unsigned bytes = (unsigned)p->j->row_bytes;
    *reached = array_at(user, at, (int)bytes);
    if (array_is_reached(t, user, &anywhere)) return ROOST_OK;
    const roost_status status = join_room(p->j, memory, n * bytes, 0, p->stream);
    *reached = memory->at;
    return status;
}

static roost_status result_bring(struct probe *p, void *user, uint64_t at, uint64_t n, const void *reached)
{
    struct roost_table *const t = p->j->keys.last;
    const unsigned bytes = (unsigned)p->j->row_bytes;
    void *const to = array_at(user, at, (int)bytes);
    if (!user || to == reached) return ROOST_OK;
    const roost_status status = relations_begin(t, p->stream);
    return status ? status : relations_end(t, copy_anywhere(t->backend, to, reached, n * bytes));
}

/* Writes n pairs of the chunk, of which `skip` were written before, from place `at` on. */
static roost_status pairs_write(struct probe *p, uint64_t skip, uint64_t n, uint64_t at, void *probe_rows, void *build_rows)
{
    struct roost_join *const j = p->j;
    struct join_arrays *const a = &p->args.join;
    const bool single = j->unique || j->how == ROOST_JOIN_SEMI || j->how == ROOST_JOIN_ANTI;
    a->skip = skip, a->room = n;
    roost_status status = result_reach(p, probe_rows, at, n, &j->probe_out, &a->probe);
    if (!status) status = result_reach(p, build_rows, at, n, &j->build_out, &a->build);
    if (!status)
        status = single ? launch(p, RELATIONS_give, p->n) : launch(p, RELATIONS_spread, (n + PAIRS_CHUNK - 1) / PAIRS_CHUNK);
    if (!status) status = result_bring(p, probe_rows, at, n, a->probe);
    return status ? status : result_bring(p, build_rows, at, n, a->build);
}

/* Moves the cursor into the chunk, behind the pairs that were written. */
static roost_status cursor_move(struct probe *p, roost_join_cursor *cursor)
{
    struct roost_table *const t = p->j->keys.last;
    uint64_t words[2] = {0, 0};
    roost_status status = launch(p, RELATIONS_locate, 1);
    if (!status) status = relations_read(t, words, p->j->words.at, sizeof words, p->stream);
    if (status) return status;
    cursor->row = p->first + words[0];
    cursor->match = words[1];
    return status;
}

/* One chunk from the cursor on.  It has as many rows as there is room for pairs, so a call's time
 * is in proportion to its room. */
static roost_status chunk_probe(struct probe *p, size_t n, roost_join_cursor *cursor, void *probe_rows, void *build_rows,
                                size_t room, size_t *pairs)
{
    const uint64_t left = n - cursor->row, wanted = left < room - *pairs ? left : room - *pairs, skip = cursor->match;
    const uint64_t aligned = cursor->row % 8; /* validity has a byte for 8 rows */
    uint64_t all = 0, rows = wanted + aligned < p->j->work.rows ? wanted + aligned : p->j->work.rows;
    if (rows > left + aligned) rows = left + aligned;
    roost_status status = chunk_find(p, cursor->row - aligned, (size_t)rows, &all);
    uint64_t before = 0;
    if (!status && aligned)
        status = relations_read(p->j->keys.last, &before, (const uint64_t *)p->j->places.at + aligned, sizeof before, p->stream);
    if (status) return status;
    if (skip > all - before)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_probe: the cursor is of another batch");
    const uint64_t there = all - before - skip, given = there < room - *pairs ? there : room - *pairs;
    if (given) status = pairs_write(p, before + skip, given, *pairs, probe_rows, build_rows);
    *pairs += given;
    if (status) return status;
    p->args.join.skip = before + skip, p->args.join.room = given;
    if (given < there) return cursor_move(p, cursor);
    cursor->row = p->first + rows;
    cursor->match = 0;
    return ROOST_OK;
}

static bool is_aligned(const struct roost_join *j, const void *rows) { return (uintptr_t)rows % (unsigned)j->row_bytes == 0; }

ROOST_EXPORT roost_status roost_join_probe(roost_join *join, const roost_column *keys, size_t n, roost_join_cursor *cursor,
                                           void *probe_rows, void *build_rows, size_t room, size_t *pairs, const roost_call *call)
{
    if (pairs) *pairs = 0;
    if (!join || !keys || !cursor || !pairs || !room)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_probe: an argument is NULL, or there is no room");
    if (!is_aligned(join, probe_rows) || !is_aligned(join, build_rows))
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_probe: an array is not aligned to row_bytes");
    if (cursor->row > n) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_probe: the cursor is of another batch");
    roost_call own;
    roost_status status = call_finish(join->keys.last, call_read(join->keys.last, &call, 0, &own));
    struct probe p = {.j = join, .keys = keys, .stream = call->stream, .marks = join->how == ROOST_JOIN_FULL};
    if (!status && !cursor->end) status = probe_begin(&p, n, n < room ? n : room + 8);
    while (!status && !cursor->end && cursor->row < n && (!*pairs || *pairs < room / 2))
        status = chunk_probe(&p, n, cursor, probe_rows, build_rows, room, pairs);
    if (status || cursor->end || cursor->row < n) return status;
    cursor->end = 1;
    join->probed += n;
    return ROOST_OK;
}

ROOST_EXPORT roost_status roost_join_count(roost_join *join, const roost_column *keys, size_t n, uint64_t *pairs,
                                           const roost_call *call)
{
    if (!join || !keys || !pairs) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_count: an argument is NULL");
    roost_call own;
    roost_status status = call_finish(join->keys.last, call_read(join->keys.last, &call, 0, &own));
    struct probe p = {.j = join, .keys = keys, .stream = call->stream};
    *pairs = 0;
    if (!status) status = probe_begin(&p, n, n);
    for (size_t first = 0; !status && first < n; first += p.n) {
        uint64_t all = 0;
        status = chunk_find(&p, first, work_piece(&join->work, first, n), &all);
        *pairs += all;
    }
    return status;
}

ROOST_EXPORT roost_status roost_join_bits(roost_join *join, const roost_column *keys, size_t n, uint8_t *bits,
                                          const roost_call *call)
{
    if (!join || !keys || (n && !bits))
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_bits: an argument is NULL");
    if (join->how != ROOST_JOIN_SEMI && join->how != ROOST_JOIN_ANTI)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_bits is for semi and anti joins");
    struct roost_table *const t = join->keys.last;
    roost_call own;
    roost_status status = call_finish(t, call_read(t, &call, 0, &own));
    struct probe p = {.j = join, .keys = keys, .stream = call->stream};
    if (!status) status = probe_begin(&p, n, n);
    for (size_t first = 0; !status && first < n; first += p.n) {
        uint64_t all = 0;
        const size_t rows = work_piece(&join->work, first, n), bytes = (rows + 7) / 8;
        status = chunk_find(&p, first, rows, &all);
        if (!status) status = join_room(join, &join->probe_out, bytes, 0, p.stream);
        p.args.nulls = (uint8_t *)join->probe_out.at;
        if (!status) status = launch(&p, RELATIONS_bits, bytes);
        if (!status) status = relations_begin(t, p.stream);
        if (!status) status = relations_end(t, copy_anywhere(t->backend, bits + first / 8, p.args.nulls, bytes));
    }
    return status;
}

/* ---- Build rows without a match -------------------------------------------------------------- */

static roost_status rest_chunk(struct probe *p, roost_join_cursor *cursor, void *build_rows, size_t room, size_t *rows)
{
    struct roost_join *const j = p->j;
    const uint64_t left = j->rows - cursor->row;
    uint64_t all = 0;
    const size_t n = piece_rows(j->keys.last, left < room - *rows ? left : room - *rows);
    p->n = n, p->first = cursor->row;
    roost_status status = join_room(j, &j->places, (n + 1) * sizeof(uint64_t), 0, p->stream);
    args_set(p);
    p->args.row = cursor->row;
    p->args.numbers = j->identity ? NULL : (uint32_t *)j->numbers.at + cursor->row;
    p->args.join.met = (uint32_t *)j->met.at;
    p->args.join.base = cursor->row;
    if (!status) status = launch(p, RELATIONS_unmet, n + 1);
    if (!status) status = places_make(p, n, &all);
    p->args.join.room = all;
    if (!status) status = result_reach(p, build_rows, *rows, all, &j->build_out, &p->args.join.probe);
    if (!status && all) status = launch(p, RELATIONS_give, n);
    if (!status && all) status = result_bring(p, build_rows, *rows, all, p->args.join.probe);
    *rows += (size_t)all;
    cursor->row += n;
    return status;
}

ROOST_EXPORT roost_status roost_join_rest(roost_join *join, roost_join_cursor *cursor, void *build_rows, size_t room, size_t *rows,
                                          const roost_call *call)
{
    if (rows) *rows = 0;
    if (!join || !cursor || !rows || !room)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_rest: an argument is NULL, or there is no room");
    if (!is_aligned(join, build_rows))
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_rest: an array is not aligned to row_bytes");
    if (join->how != ROOST_JOIN_FULL) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_rest is for full joins");
    roost_call own;
    roost_status status = call_finish(join->keys.last, call_read(join->keys.last, &call, 0, &own));
    struct probe p = {.j = join, .stream = call->stream};
    if (!status) status = join_close(join, p.stream);
    while (!status && cursor->row < join->rows && *rows < room && (!*rows || *rows < room / 2))
        status = rest_chunk(&p, cursor, build_rows, room, rows);
    cursor->end = cursor->row >= join->rows;
    return status;
}
