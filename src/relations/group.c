/* Groups without parts: their words, their making, and the rows that they get.
 *
 * Rows come in pieces, whose columns are brought to where the tables' machine reaches them.  The
 * keys get dense numbers (encoder.h), which are places in arrays of states: an aggregate has up to
 * two words of each group, and counts of its items.  The first row of a group leaves its key there.
 * Groups are read from these arrays in the order of their numbers. */
#include "relations/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS_LEAST = 1 << 10,
    FIRST_ROWS = 1 << 10, /* of a part's first piece; the next ones double: all rows are inserted
                           * whose key has no group before the piece */
    SUM_ROWS = 1 << 30    /* rows after which low halves of sums are carried into high ones */
};

/* ---- States ---------------------------------------------------------------------------------- */

/* Makes an array longer, and keeps what is used of it. */
static roost_status array_grow(struct roost_group *g, void **at, size_t bytes, size_t used, size_t longer, void *stream)
{
    struct roost_table *const t = g->keys.last;
    struct backend *const b = t->backend;
    void *memory = NULL;
    roost_status status = relations_begin(t, stream);
    if (status) return status;
    status = backend_allocate(b, longer, &memory);
    if (!status && used) status = b->operations->copy(b, memory, *at, used);
    if (!status) {
        backend_release(b, *at, bytes);
        *at = memory;
    } else backend_release(b, memory, longer);
    return relations_end(t, status);
}

/* Groups `from` .. `to` - 1 of an array get zeros. */
static roost_status array_clear(struct roost_group *g, void *at, size_t bytes, uint64_t from, uint64_t to, void *stream)
{
    struct roost_table *const t = g->keys.last;
    struct backend *const b = t->backend;
    const roost_status status = relations_begin(t, stream);
    return status ? status : relations_end(t, b->operations->fill(b, (char *)at + from * bytes, 0, (to - from) * bytes));
}

static roost_status state_grow(struct roost_group *g, struct state *s, uint64_t room, void *stream)
{
    const size_t bytes = (unsigned)s->bytes, used = s->room * bytes;
    roost_status status = array_grow(g, &s->at, used, used, room * bytes, stream);
    if (!status) status = array_clear(g, s->at, bytes, s->room, room, stream);
    if (!status) s->room = room;
    return status;
}

static roost_status records_grow(struct roost_group *g, uint64_t room, void *stream)
{
    struct records *const r = &g->records;
    const size_t bytes = 8 * (size_t)r->words;
    void *at = r->at;
    const roost_status status = array_grow(g, &at, r->room * bytes, r->filled * bytes, room * bytes, stream);
    if (status) return status;
    r->at = (uint64_t *)at;
    r->room = room;
    return ROOST_OK;
}

/* Makes the records of new groups: there is room. */
static roost_status records_fill(struct roost_group *g, uint64_t groups, void *stream)
{
    struct records *const r = &g->records;
    struct relations_args args;
    if (groups <= r->filled || !r->words) return ROOST_OK;
    roost_status status = array_clear(g, r->at, 8 * (size_t)r->words, r->filled, groups, stream);
    memset(&args, 0, sizeof args);
    args.stride = (uint32_t)r->words;
    args.row = r->filled;
    for (int i = 0; !status && i < r->words; i++) {
        args.state[0] = r->at + i;
        args.fill = r->fill[i];
        if (args.fill) status = relations_launch(g->keys.last, RELATIONS_fill, &args, groups - r->filled, stream);
    }
    if (!status) r->filled = groups;
    return status;
}

static roost_status states_room(struct roost_group *g, uint64_t groups, void *stream)
{
    const uint64_t least = g->room ? 2 * g->room : GROUPS_LEAST, room = groups > least ? groups : least;
    roost_status status = ROOST_OK;
    if (groups <= g->room) return ROOST_OK;
    for (int i = 0; !status && i < g->states; i++)
        if (g->state[i].room < room) status = state_grow(g, &g->state[i], room, stream);
    if (!status && g->records.words && g->records.room < room) status = records_grow(g, room, stream);
    if (!status) g->room = room;
    return status;
}

static struct state *state_add(struct roost_group *g, int bytes)
{
    struct state *const s = &g->state[g->states++];
    *s = (struct state){NULL, bytes, 0};
    return s;
}

static int word_add(struct roost_group *g, uint64_t fill)
{
    g->records.fill[g->records.words] = fill;
    return g->records.words++;
}

/* What any item replaces: see value_rank. */
static uint64_t extreme_of(const struct aggregate *a)
{
    const bool least = a->kind == ROOST_SMALLEST;
    switch (a->wide) {
    case ROOST_TYPE_I64: return least ? INT64_MAX : (uint64_t)INT64_MIN;
    case ROOST_TYPE_F64: return least ? 0xfff0000000000001u : 0x7ff0000000000001u;
    default: return least ? UINT64_MAX : 0;
    }
}

/* nullable: items may be NULL; else each group has one that is not. */
static void states_plan(struct roost_group *g, struct aggregate *a, bool nullable)
{
    const bool sums = aggregate_sums(a), picks = aggregate_picks(a), extreme = aggregate_is_extreme(a);
    a->word[0] = word_add(g, extreme ? extreme_of(a) : picks ? UINT64_MAX : 0);
    a->word[1] = (sums && a->wide != ROOST_TYPE_F64) || picks ? word_add(g, 0) : NO_WORD;
    a->items = ((sums || extreme) && nullable) || a->kind == ROOST_MEAN ? word_add(g, 0) : NO_WORD;
    if (picks) a->nulls = state_add(g, 1);
}

/* ---- Making ---------------------------------------------------------------------------------- */

static roost_type wide_of(roost_type type)
{
    if (type == ROOST_TYPE_F32 || type == ROOST_TYPE_F64) return ROOST_TYPE_F64;
    return type == ROOST_TYPE_I32 || type == ROOST_TYPE_I64 ? ROOST_TYPE_I64 : ROOST_TYPE_U64;
}

static roost_status aggregate_make(struct roost_group *g, struct aggregate *a, const roost_aggregate *wanted,
                                   const roost_column *values, const struct relations_config *tables)
{
    a->kind = wanted->kind;
    a->column = a->kind == ROOST_COUNT_ROWS ? -1 : wanted->column;
    if (a->column >= 0) a->type = values[a->column].type, a->wide = wide_of(a->type);
    states_plan(g, a, a->column >= 0 && values[a->column].nullable);
    if (a->kind != ROOST_COUNT_DISTINCT) return ROOST_OK;
    const roost_status status = coder_make(&a->coder, &values[a->column], tables);
    return status ? status : relations_table(&a->pairs, ROOST_TYPE_U64, 0, ROOST_TYPE_NONE, tables);
}

static roost_status group_make(struct roost_group *g, const roost_group_config *c, uint64_t keys, const roost_allocator *allocator)
{
    const struct relations_config tables = {c->engine, c->device, c->threads, keys, allocator};
    roost_status status = encoder_make(&g->keys, c->keys, c->key_columns, &tables);
    g->flags = c->flags;
    snprintf(g->engine, sizeof g->engine, "%s", c->engine ? c->engine : "");
    g->value_columns = c->value_columns;
    g->aggregates = c->aggregates;
    for (int i = 0; i < c->value_columns; i++) g->value[i] = c->values[i];
    for (int i = 0; i < c->key_columns; i++) {
        struct key *const k = &g->key[i];
        const roost_column *const type = &g->keys.coder[i].type;
        k->bytes = column_item_bytes(type);
        if (k->bytes) k->items = state_add(g, k->bytes);
        k->nulls = state_add(g, 1);
    }
    for (int i = 0; !status && i < c->aggregates; i++)
        status = aggregate_make(g, &g->aggregate[i], &c->aggregate[i], c->values, &tables);
    if (status) return status;
    g->steps = (struct relations_step *)calloc(2 * (size_t)c->aggregates + 1, sizeof *g->steps);
    return g->steps ? states_room(g, c->capacity, NULL) : error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for groups");
}

roost_status group_one_create(struct roost_group **group, const roost_group_config *config, uint64_t keys,
                              const roost_allocator *allocator)
{
    struct roost_group *const g = (struct roost_group *)calloc(1, sizeof *g);
    *group = NULL;
    if (!g) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for groups");
    const roost_status status = group_make(g, config, keys, allocator);
    if (status) {
        const struct error why = *thread_error();
        group_one_destroy(g);
        *thread_error() = why;
        return status;
    }
    *group = g;
    return ROOST_OK;
}

void group_one_destroy(struct roost_group *group)
{
    if (!group) return;
    struct roost_table *const t = group->keys.last;
    if (t) { /* a failed device must not prevent the release */
        const bool begun = !call_begin(t, NULL, ACCESS_WRITE);
        for (int i = 0; i < group->states; i++)
            backend_release(t->backend, group->state[i].at, group->state[i].room * (unsigned)group->state[i].bytes);
        backend_release(t->backend, group->records.at, group->records.room * 8 * (unsigned)group->records.words);
        work_release(&group->work, t->backend);
        if (begun) (void)call_end(t, ACCESS_WRITE, ROOST_OK);
    }
    for (int i = 0; i < group->keys.columns; i++) strings_release(&group->key[i].strings);
    for (int i = 0; i < group->aggregates; i++) {
        roost_table_destroy(group->aggregate[i].coder.table);
        roost_table_destroy(group->aggregate[i].pairs);
    }
    encoder_free(&group->keys);
    free(group->steps);
    free(group);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static struct relations_args args_of(const struct roost_group *g, const struct relations_column *column, uint64_t row)
{
    struct relations_args args;
    memset(&args, 0, sizeof args);
    if (column) args.column = *column;
    args.groups = g->work.groups;
    args.statuses = g->work.statuses;
    args.row = row;
    return args;
}

/* New groups keep their keys. */
static roost_status keys_keep(struct roost_group *g, const struct piece *keys, size_t n, uint64_t before, void *stream)
{
    roost_status status = ROOST_OK;
    for (int i = 0; !status && i < g->keys.columns; i++) {
        struct key *const k = &g->key[i];
        struct relations_args args = args_of(g, &keys[i].reached, 0);
        args.keys = k->items ? k->items->at : NULL;
        args.nulls = (uint8_t *)k->nulls->at;
        if (k->items) status = relations_launch(g->keys.last, RELATIONS_keep, &args, n, stream);
        else status = strings_keep(&k->strings, g, &keys[i], n, before, args.nulls, stream);
    }
    return status;
}

static uint64_t *word_at(const struct roost_group *g, int word) { return word == NO_WORD ? NULL : g->records.at + word; }

/* The arguments of an aggregate's kernels.  piece: NULL: of rows. */
static struct relations_args aggregate_args(const struct roost_group *g, const struct aggregate *a, const struct piece *piece)
{
    struct relations_args args = args_of(g, piece ? &piece->reached : NULL, g->rows);
    for (int i = 0; i < 2; i++) args.state[i] = word_at(g, a->word[i]);
    args.stride = (uint32_t)g->records.words;
    args.nulls = a->nulls ? (uint8_t *)a->nulls->at : NULL;
    args.fill = a->kind == ROOST_ANY;
    args.cells.value_type = (uint8_t)(aggregate_picks(a) ? ROOST_TYPE_U64 : a->wide);
    args.cells.mode = a->kind == ROOST_SMALLEST ? ROOST_MIN : a->kind == ROOST_LARGEST ? ROOST_MAX : ROOST_ADD;
    return args;
}

static enum relations_kernel kernel_of(const struct aggregate *a)
{
    if (aggregate_sums(a)) return a->word[1] == NO_WORD ? RELATIONS_sum_real : RELATIONS_sum;
    if (aggregate_picks(a)) return RELATIONS_first;
    return aggregate_is_extreme(a) ? RELATIONS_update : RELATIONS_count;
}

/* Lists the kernels that update an aggregate's words; returns how many. */
static int steps_of(const struct roost_group *g, const struct aggregate *a, const struct piece *piece, struct relations_step *steps)
{
    int n = 0;
    if (a->items != NO_WORD) {
        steps[n] = (struct relations_step){RELATIONS_count, aggregate_args(g, a, piece)};
        steps[n++].args.state[0] = word_at(g, a->items);
    }
    if (a->kind != ROOST_COUNT_DISTINCT) steps[n++] = (struct relations_step){kernel_of(a), aggregate_args(g, a, piece)};
    return n;
}

/* Different items: pairs of a group and an item that are new to a set. */
static roost_status distinct_count(struct roost_group *g, const struct aggregate *a, const struct piece *piece, size_t n,
                                   void *stream)
{
    struct roost_table *const t = g->keys.last;
    struct relations_args args = aggregate_args(g, a, piece);
    roost_call call = ROOST_CALL_INIT;
    const struct encoder_work work = g->work.encoder;
    call.stream = stream;
    call.statuses = g->work.fresh;
    args.numbers = work.numbers;
    args.pairs = work.pairs;
    roost_status status = coder_run(&a->coder, t, piece, n, (struct encoding){ENCODE_ANY, NULL, stream}, &work, work.numbers);
    if (!status) status = relations_launch(t, RELATIONS_distinct, &args, n, stream);
    if (!status) status = roost_insert(a->pairs, ROOST_KEEP, work.pairs, NULL, n, &call);
    args.statuses = g->work.fresh;
    return status ? status : relations_launch(t, RELATIONS_distinct_count, &args, n, stream);
}

/* What follows once all rows have updated the words. */
static roost_status aggregate_finish(struct roost_group *g, const struct aggregate *a, const struct piece *piece, size_t n,
                                     void *stream)
{
    struct relations_args args = aggregate_args(g, a, piece);
    if (a->kind == ROOST_COUNT_DISTINCT) return distinct_count(g, a, piece, n, stream);
    if (aggregate_picks(a)) return relations_launch(g->keys.last, RELATIONS_take, &args, n, stream);
    if (!aggregate_sums(a) || a->word[1] == NO_WORD || g->uncarried < SUM_ROWS) return ROOST_OK;
    return relations_launch(g->keys.last, RELATIONS_carry, &args, g->groups, stream);
}

static roost_status aggregates_add(struct roost_group *g, const struct piece *values, size_t n, void *stream)
{
    int steps = 0;
    for (int i = 0; i < g->aggregates; i++) {
        const struct aggregate *const a = &g->aggregate[i];
        steps += steps_of(g, a, a->column < 0 ? NULL : &values[a->column], g->steps + steps);
    }
    roost_status status = relations_launch_steps(g->keys.last, g->steps, steps, n, stream);
    g->uncarried += n;
    for (int i = 0; !status && i < g->aggregates; i++) {
        const struct aggregate *const a = &g->aggregate[i];
        status = aggregate_finish(g, a, a->column < 0 ? NULL : &values[a->column], n, stream);
    }
    if (g->uncarried >= SUM_ROWS) g->uncarried = 0;
    return status;
}

static roost_status piece_add(struct roost_group *g, const roost_column *keys, const roost_column *values, size_t first, size_t n,
                              void *stream)
{
    struct piece key[ROOST_GROUP_KEYS_MOST], *const value = g->values;
    const uint64_t before = g->groups;
    roost_status status = work_bring(g->keys.last, &g->work, keys, g->keys.columns, key, 0, first, n, stream);
    if (!status) status = work_bring(g->keys.last, &g->work, values, g->value_columns, value, g->keys.columns, first, n, stream);
    const struct encoding how = {g->flags & ROOST_ORDERED ? ENCODE_BY_FIRST : ENCODE_ANY, g->work.statuses, stream};
    if (!status) status = encoder_run(&g->keys, key, n, how, &g->work.encoder, g->work.groups);
    if (status) return status;
    g->groups = g->keys.last->at->numbers.next;
    status = states_room(g, g->groups, stream);
    if (!status) status = records_fill(g, g->groups, stream);
    if (!status) status = keys_keep(g, key, n, before, stream);
    if (!status) status = aggregates_add(g, value, n, stream);
    g->rows += n;
    return status;
}

static size_t piece_of(const struct roost_group *g, size_t n)
{
    const size_t rows = piece_rows(g->keys.last, n);
    return g->piece && g->piece < rows ? g->piece : rows;
}

roost_status group_one_add(struct roost_group *g, const roost_column *keys, const roost_column *values, size_t n, void *stream)
{
    const struct columns_given given = {keys, values, g->keys.columns, g->value_columns};
    roost_status status = n ? work_make(g->keys.last, &g->work, &given, piece_of(g, n), stream) : ROOST_OK;
    const bool samples = encoder_samples(&g->keys) && !g->piece;
    size_t most = g->piece && !g->groups ? FIRST_ROWS : n;
    for (size_t first = 0, rows; !status && first < n; first += rows, most = most < n ? 2 * most : n) {
        rows = samples && !first ? work_sample(&g->work, n) : work_piece(&g->work, first, n);
        if (rows > most) rows = most;
        status = piece_add(g, keys, values, first, rows, stream);
        if (!status && !first && samples) status = encoder_expect(&g->keys, rows, n);
        if (first || status != ROOST_ERR_ARGUMENT) g->broken = status;
    }
    return status;
}
