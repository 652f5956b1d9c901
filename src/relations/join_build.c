/* The side of a join that is built: its rows get the dense numbers of their keys, and those with
 * one number are brought side by side.  If all keys are new, in the order of their rows, the
 * numbers are the rows, and nothing else is needed. */
#include <stdlib.h>
#include <string.h>

#include "batches/batches_sort.h"
#include "relations/join.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

roost_status join_room(struct roost_join *j, struct piece_of_memory *p, size_t bytes, size_t keep, void *stream)
{
    struct roost_table *const t = j->keys.last;
    struct backend *const b = t->backend;
    size_t more = p->bytes ? p->bytes : 4096;
    void *memory = NULL;
    if (bytes <= p->bytes) return ROOST_OK;
    while (keep && more < bytes) more *= 2;
    if (!keep) more = bytes;
    roost_status status = relations_begin(t, stream);
    if (status) return status;
    status = backend_allocate(b, more, &memory);
    if (!status && keep) status = b->operations->copy(b, memory, p->at, keep);
    if (!status) {
        backend_release(b, p->at, p->bytes);
        *p = (struct piece_of_memory){memory, more};
    } else backend_release(b, memory, more);
    return relations_end(t, status);
}

void join_release(struct roost_join *j, struct piece_of_memory *p)
{
    backend_release(j->keys.last->backend, p->at, p->bytes);
    *p = (struct piece_of_memory){NULL, 0};
}

static roost_status fill(struct roost_join *j, void *at, size_t bytes, void *stream)
{
    struct roost_table *const t = j->keys.last;
    const roost_status status = relations_begin(t, stream);
    return status ? status : relations_end(t, t->backend->operations->fill(t->backend, at, 0, bytes));
}

static struct relations_args args_of(const struct roost_join *j)
{
    struct relations_args args;
    memset(&args, 0, sizeof args);
    args.numbers = (uint32_t *)j->numbers.at;
    args.join.ends = (uint32_t *)j->ends.at;
    args.join.row_of = (uint32_t *)j->row_of.at;
    args.join.words = (uint64_t *)j->words.at;
    return args;
}

static roost_status join_usable(const struct roost_join *j)
{
    if (!j->broken) return ROOST_OK;
    return error_set(thread_error(), j->broken, "an earlier call failed, and the join is of no use");
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Numbers of rows that were their own. */
static roost_status identity_end(struct roost_join *j, void *stream)
{
    j->identity = false;
    roost_status status = join_room(j, &j->numbers, (j->rows + 1) * sizeof(uint32_t), 0, stream);
    struct relations_args args = args_of(j);
    return status ? status : relations_launch(j->keys.last, RELATIONS_identity, &args, j->rows, stream);
}

/* Appends the numbers of a piece's rows; those with a NULL have none. */
static roost_status numbers_append(struct roost_join *j, const struct piece *pieces, size_t n, void *stream)
{
    struct roost_table *const t = j->keys.last;
    const size_t before = j->rows * sizeof(uint32_t), more = n * sizeof(uint32_t);
    roost_status status = join_room(j, &j->numbers, before + more, before, stream);
    if (status) return status;
    struct relations_args args = args_of(j);
    args.numbers += j->rows;
    status = relations_copy(t, args.numbers, j->work.groups, more, stream);
    for (int c = 0; !status && c < j->keys.columns; c++) {
        args.column = pieces[c].reached;
        if (args.column.validity) status = relations_launch(t, RELATIONS_drop, &args, n, stream);
    }
    return status;
}

static roost_status piece_build(struct roost_join *j, const roost_column *keys, size_t first, size_t n, void *stream)
{
    struct piece pieces[ROOST_JOIN_KEYS_MOST];
    struct roost_table *const t = j->keys.last;
    const uint64_t before = t->at->numbers.next;
    const bool was = j->identity;
    bool nulls = false;
    roost_status status = work_bring(t, &j->work, keys, j->keys.columns, pieces, 0, first, n, stream);
    if (!status)
        status = encoder_run(&j->keys, pieces, n, (struct encoding){ENCODE_ANY, NULL, stream}, &j->work.encoder, j->work.groups);
    if (status) return status;
    for (int c = 0; c < j->keys.columns; c++) nulls = nulls || pieces[c].reached.validity;
    if (was && (nulls || before != j->rows || t->at->numbers.next != before + n)) status = identity_end(j, stream);
    if (!status && !j->identity) status = numbers_append(j, pieces, n, stream);
    j->rows += n;
    return status;
}

ROOST_EXPORT roost_status roost_join_build(roost_join *join, const roost_column *keys, size_t n, const roost_call *call)
{
    if (!join || !keys) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_build: an argument is NULL");
    struct roost_table *const t = join->keys.last;
    roost_call own;
    roost_status status = call_finish(t, call_read(t, &call, 0, &own));
    if (!status) status = join_usable(join);
    if (!status && join->closed) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_build: a probe has begun");
    if (!status && n >= ROW_NONE - join->rows)
        return error_set(thread_error(), ROOST_ERR_FULL, "a join takes at most 2^32 - 2 rows on the side that is built");
    if (!status) status = columns_check(keys, &join->keys.coder[0].type, sizeof join->keys.coder[0], join->keys.columns, n);
    const struct columns_given given = {keys, NULL, join->keys.columns, 0};
    if (!status && n) status = work_make(t, &join->work, &given, piece_rows(t, n), call->stream);
    const bool samples = encoder_samples(&join->keys);
    for (size_t first = 0, rows; !status && first < n; first += rows) {
        rows = samples && !first ? work_sample(&join->work, n) : work_piece(&join->work, first, n);
        status = piece_build(join, keys, first, rows, call->stream);
        if (!status && !first && samples) status = encoder_expect(&join->keys, rows, n);
        if (first || status != ROOST_ERR_ARGUMENT) join->broken = status;
    }
    return status;
}

/* ---- Side by side ---------------------------------------------------------------------------- */

/* Rows of a number in any order. */
static roost_status rows_place(struct roost_join *j, uint64_t numbers, void *stream)
{
    struct piece_of_memory taken = {NULL, 0};
    roost_status status = join_room(j, &taken, numbers * sizeof(uint32_t) + 1, 0, stream);
    if (!status) status = fill(j, taken.at, taken.bytes, stream);
    struct relations_args args = args_of(j);
    args.codes = (uint32_t *)taken.at;
    if (!status) status = relations_launch(j->keys.last, RELATIONS_place, &args, j->rows, stream);
    join_release(j, &taken);
    return status;
}

/* Rows of a number ascend: a stable sort by number. */
static roost_status rows_sort(struct roost_join *j, void *stream)
{
    struct roost_table *const t = j->keys.last;
    struct batches_sort sort = {.n = j->rows, .key_bytes = 4, .bits = 32};
    size_t bytes[] = {4 * j->rows, 4 * j->rows, 4 * j->rows, 4 * j->rows, 0};
    void *at[5];
    struct piece_of_memory memory = {NULL, 0};
    struct relations_args args = args_of(j);
    roost_status status = batches_sort_scratch(t->backend, &sort, &bytes[4]);
    if (!status) status = join_room(j, &memory, backend_arrays_bytes(bytes, 5), 0, stream);
    if (status) return status;
    backend_arrays_place(memory.at, bytes, 5, at);
    args.codes = (uint32_t *)at[0], args.words = at[2];
    sort.keys[0] = at[0], sort.keys[1] = at[1];
    sort.items[0] = (uint32_t *)at[2], sort.items[1] = (uint32_t *)at[3];
    sort.scratch = at[4], sort.scratch_bytes = bytes[4];
    status = relations_launch(t, RELATIONS_list, &args, j->rows, stream);
    if (!status) status = relations_begin(t, stream);
    if (!status) {
        status = batches_sort(t->backend, &sort);
        if (!status) status = t->backend->operations->copy(t->backend, j->row_of.at, sort.items[0], 4 * j->rows);
        status = relations_end(t, status);
    }
    join_release(j, &memory);
    return status;
}

/* Numbers' counts become the rows before each. */
static roost_status ends_make(struct roost_join *j, uint64_t numbers, uint64_t *most, void *stream)
{
    struct roost_table *const t = j->keys.last;
    size_t bytes = 0;
    roost_status status = join_room(j, &j->ends, (numbers + 1) * sizeof(uint32_t), 0, stream);
    if (!status) status = fill(j, j->ends.at, j->ends.bytes, stream);
    if (!status) status = fill(j, j->words.at, j->words.bytes, stream);
    struct relations_args args = args_of(j);
    if (!status) status = relations_launch(t, RELATIONS_gauge, &args, j->rows, stream);
    if (!status) status = batches_scan_scratch(t->backend, 4, numbers + 1, &bytes);
    if (!status) status = join_room(j, &j->scratch, bytes + 1, 0, stream);
    if (!status) status = relations_begin(t, stream);
    if (status) return status;
    status = batches_scan(t->backend, 4, j->ends.at, numbers + 1, j->scratch.at, bytes);
    if (!status) status = backend_read(t->backend, most, j->words.at, sizeof *most);
    return relations_end(t, status);
}

roost_status join_close(struct roost_join *j, void *stream)
{
    const uint64_t numbers = j->keys.last->at->numbers.next;
    uint64_t most = 0;
    roost_status status = join_usable(j);
    if (status || j->closed) return status;
    status = join_room(j, &j->words, 2 * sizeof(uint64_t), 0, stream);
    if (!status && j->how == ROOST_JOIN_FULL) status = join_room(j, &j->met, (numbers / 32 + 1) * sizeof(uint32_t), 0, stream);
    if (!status && j->how == ROOST_JOIN_FULL) status = fill(j, j->met.at, j->met.bytes, stream);
    j->unique = true;
    if (!status && !j->identity) {
        status = ends_make(j, numbers, &most, stream);
        if (!status) status = join_room(j, &j->row_of, (j->rows + 1) * sizeof(uint32_t), 0, stream);
        if (!status) status = j->ordered && most > 1 ? rows_sort(j, stream) : rows_place(j, numbers, stream);
        j->unique = most < 2;
    }
    j->closed = !status;
    return status;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static roost_status config_check(const roost_join_config *c)
{
    struct error *const error = thread_error();
    if (c->size != sizeof *c)
        return error_set(error, ROOST_ERR_ARGUMENT, "roost_join_config: size is %zu, and must be %zu", c->size, sizeof *c);
    if (c->key_columns < 1 || c->key_columns > ROOST_JOIN_KEYS_MOST || !c->keys)
        return error_set(error, ROOST_ERR_ARGUMENT, "%d key columns: there are 1 to %d", c->key_columns, ROOST_JOIN_KEYS_MOST);
    if ((unsigned)c->how > ROOST_JOIN_ANTI || (c->flags & ~ROOST_ORDERED))
        return error_set(error, ROOST_ERR_ARGUMENT, "roost_join_config: how or flags is unknown");
    if (c->row_bytes == 4 || c->row_bytes == 8) return ROOST_OK;
    return error_set(error, ROOST_ERR_ARGUMENT, "row_bytes is %d, and must be 4 or 8", c->row_bytes);
}

ROOST_EXPORT roost_status roost_join_create(roost_join **join, const roost_join_config *config)
{
    if (!join || !config) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_create: an argument is NULL");
    *join = NULL;
    roost_status status = config_check(config);
    if (status) return status;
    struct roost_join *const j = (struct roost_join *)calloc(1, sizeof *j);
    if (!j) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for a join");
    const struct relations_config tables = {config->engine, config->device, config->threads, config->capacity, NULL};
    j->how = config->how;
    j->ordered = config->flags & ROOST_ORDERED;
    j->row_bytes = config->row_bytes;
    j->identity = true;
    status = encoder_make(&j->keys, config->keys, config->key_columns, &tables);
    if (!status) {
        *join = j;
        return ROOST_OK;
    }
    const struct error why = *thread_error();
    roost_join_destroy(j);
    *thread_error() = why;
    return status;
}

ROOST_EXPORT void roost_join_destroy(roost_join *join)
{
    if (!join) return;
    struct piece_of_memory *const all[] = {&join->numbers, &join->ends,  &join->row_of,  &join->met,       &join->words,
                                           &join->places,  &join->found, &join->scratch, &join->probe_out, &join->build_out};
    struct roost_table *const t = join->keys.last;
    if (t && !call_begin(t, NULL, ACCESS_WRITE)) {
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) join_release(join, all[i]);
        work_release(&join->work, t->backend);
        (void)call_end(t, ACCESS_WRITE, ROOST_OK);
    }
    encoder_free(&join->keys);
    free(join);
}
