/* Numbers for the keys of rows. */
#include "relations/encoder.h"

#include <math.h>
#include <string.h>

#include "api/registry.h"

/* ---- Tables and kernels ---------------------------------------------------------------------- */

roost_status relations_table(roost_table **table, roost_type key_type, size_t key_bytes, roost_type value_type,
                             const struct relations_config *config)
{
    roost_config c = ROOST_CONFIG_INIT;
    const bool words = key_type != ROOST_TYPE_BYTES && key_type != ROOST_TYPE_STRING;
    c.engine = words ? config->engine : NULL; /* not every engine has other keys */
    c.device = config->device;
    c.threads = config->threads;
    if (config->allocator) c.allocator = *config->allocator;
    c.capacity = config->capacity;
    c.key_type = key_type;
    c.key_bytes = key_bytes;
    c.value_type = value_type;
    c.flags = value_type == ROOST_TYPE_NONE ? 0 : ROOST_NUMBERED;
    return roost_table_create(table, &c);
}

const char *relations_engine(const char *name) { return registry_find(name) ? name : NULL; }

static const struct kernel *kernel_for(const struct backend *b, enum relations_kernel which)
{
#if defined(ROOST_WITH_CUDA)
    if (b->ordinal >= 0) return relations_cuda_kernel(which);
#endif
    (void)b;
    return relations_host_kernel(which);
}

roost_status relations_begin(roost_table *t, void *stream) { return call_finish(t, call_begin(t, stream, ACCESS_WRITE)); }

roost_status relations_end(roost_table *t, roost_status status) { return call_finish(t, call_end(t, ACCESS_WRITE, status)); }

roost_status relations_launch(roost_table *t, enum relations_kernel which, struct relations_args *args, uint64_t n, void *stream)
{
    args->n = n;
    roost_status status = n ? relations_begin(t, stream) : ROOST_OK;
    if (status || !n) return status;
    return relations_end(t, backend_launch(t->backend, kernel_for(t->backend, which), args, sizeof *args, n));
}

roost_status relations_launch_steps(roost_table *t, struct relations_step *steps, int n, uint64_t rows, void *stream)
{
    const struct relations_steps all = {steps, n, rows};
    roost_status status = ROOST_OK;
    for (int i = 0; i < n; i++) steps[i].args.n = steps[i].args.rows = rows;
    if (!n || !rows) return ROOST_OK;
    if (t->backend->ordinal < 0) {
        const struct kernel *const kernel = t->backend->threads > 1 ? &relations_host_steps : &relations_host_alone;
        status = relations_begin(t, stream);
        return status ? status : relations_end(t, backend_launch(t->backend, kernel, &all, sizeof all, relations_chunks(rows)));
    }
    for (int i = 0; !status && i < n; i++) {
        const enum relations_kernel which = steps[i].which;
        status = relations_launch(t, which, &steps[i].args, relations_takes_chunks(which) ? relations_chunks(rows) : rows, stream);
    }
    return status;
}

roost_status relations_copy(roost_table *t, void *to, const void *from, size_t bytes, void *stream)
{
    const roost_status status = relations_begin(t, stream);
    return status ? status : relations_end(t, t->backend->operations->copy(t->backend, to, from, bytes));
}

roost_status relations_read(roost_table *t, void *to, const void *from, size_t bytes, void *stream)
{
    const roost_status status = relations_begin(t, stream);
    return status ? status : relations_end(t, backend_read(t->backend, to, from, bytes));
}

/* ---- Columns --------------------------------------------------------------------------------- */

static roost_status type_check(const roost_column *c)
{
    const bool is_bytes = c->type == ROOST_TYPE_BYTES;
    if (c->size != sizeof *c)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_column: size is %zu, and must be %zu", c->size, sizeof *c);
    if (is_bytes ? c->bytes < 1 || c->bytes > ROOST_KEY_BYTES_MOST : (int)c->type <= ROOST_TYPE_NONE || c->type > ROOST_TYPE_STRING)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "a key column has no type of a column, or %zu bytes", c->bytes);
    return ROOST_OK;
}

roost_status coder_make(struct coder *c, const roost_column *column, const struct relations_config *config)
{
    roost_status status = type_check(column);
    if (status) return status;
    c->type = *column;
    if (column->type == ROOST_TYPE_STRING) return relations_table(&c->table, ROOST_TYPE_STRING, 0, ROOST_TYPE_U32, config);
    const int bytes = type_width(column->type, column->bytes);
    c->word_bytes = bytes <= 4 ? 4 : bytes <= 8 ? 8 : 0;
    if (!c->word_bytes) return relations_table(&c->table, ROOST_TYPE_BYTES, column->bytes, ROOST_TYPE_U32, config);
    return relations_table(&c->table, c->word_bytes == 4 ? ROOST_TYPE_U32 : ROOST_TYPE_U64, 0, ROOST_TYPE_U32, config);
}

static bool is_float(roost_type type) { return type == ROOST_TYPE_F32 || type == ROOST_TYPE_F64; }

/* The keys of a column's items that are no strings: the items themselves, or words made of them. */
static roost_status keys_make(const struct coder *c, roost_table *machine, const struct piece *piece, size_t n,
                              const struct encoder_work *work, const void **keys, void *stream)
{
    struct relations_args args;
    *keys = piece->reached.values;
    if (c->word_bytes != piece->reached.bytes && !c->word_bytes) return ROOST_OK;
    if (c->word_bytes == piece->reached.bytes && !is_float(c->type.type) && c->type.type != ROOST_TYPE_BYTES) return ROOST_OK;
    memset(&args, 0, sizeof args);
    args.column = piece->reached;
    args.words = work->words;
    args.word_bytes = c->word_bytes;
    *keys = work->words;
    return relations_launch(machine, RELATIONS_word, &args, n, stream);
}

/* Numbers of a table's keys, which are strings or (strings: NULL) not. */
static roost_status keys_encode(roost_table *table, const void *keys, const roost_strings *strings, size_t n, struct encoding how,
                                uint32_t *numbers)
{
    const bool finds = how.way == ENCODE_FIND;
    roost_call call = ROOST_CALL_INIT;
    call.stream = how.stream;
    call.statuses = finds ? NULL : how.marks;
    call.flags = how.way == ENCODE_BY_FIRST ? ROOST_ORDERED : 0;
    if (strings && finds) return roost_find_strings(table, strings, n, numbers, how.marks, &call);
    if (strings) return roost_number_strings(table, strings, n, numbers, &call);
    return finds ? roost_find(table, keys, n, numbers, how.marks, &call) : roost_number(table, keys, n, numbers, &call);
}

roost_status coder_run(const struct coder *c, roost_table *machine, const struct piece *piece, size_t n, struct encoding how,
                       const struct encoder_work *work, uint32_t *numbers)
{
    const void *keys = NULL;
    if (c->type.type == ROOST_TYPE_STRING) return keys_encode(c->table, NULL, &piece->strings, n, how, numbers);
    const roost_status status = keys_make(c, machine, piece, n, work, &keys, how.stream);
    return status ? status : keys_encode(c->table, keys, NULL, n, how, numbers);
}

/* ---- Making ---------------------------------------------------------------------------------- */

static bool is_single(const struct encoder *e) { return e->columns == 1 && !e->coder[0].type.nullable; }

roost_status encoder_make(struct encoder *e, const roost_column *columns, int n, const struct relations_config *config)
{
    roost_status status = ROOST_OK;
    e->columns = n;
    for (int c = 0; !status && c < n; c++) status = coder_make(&e->coder[c], &columns[c], config);
    e->last = e->coder[0].table;
    if (status || is_single(e)) return status;
    for (int c = n > 1; !status && c < n; c++)
        status = relations_table(&e->fold[c], c ? ROOST_TYPE_U64 : ROOST_TYPE_U32, 0, ROOST_TYPE_U32, config);
    e->last = e->fold[n - 1];
    return status;
}

void encoder_free(struct encoder *e)
{
    for (int c = 0; c < e->columns; c++) {
        roost_table_destroy(e->coder[c].table);
        roost_table_destroy(e->fold[c]);
    }
}

/* The different keys among n that are drawn evenly from `all`. */
static double keys_among(double all, double n) { return -all * expm1(-n / all); }

double keys_expected(double keys, double rows, double n)
{
    double low = keys, high = rows * rows;
    for (int i = 0; i < 50; i++) {
        const double middle = (low + high) / 2;
        if (keys_among(middle, rows) < keys) low = middle;
        else high = middle;
    }
    return keys_among(high, n);
}

roost_status encoder_expect(struct encoder *e, size_t rows, size_t n)
{
    const double keys = (double)e->last->at->numbers.next;
    if (rows >= n) return ROOST_OK;
    const struct error_mark before = error_keep(&e->last->error);
    const roost_status status = roost_table_reserve(e->last, (uint64_t)keys_expected(keys, (double)rows, (double)n));
    return error_forgive_memory(&before, status);
}

/* ---- Running --------------------------------------------------------------------------------- */

/* How keys are encoded that are parts of keys: nobody asks which of them are new. */
static struct encoding part_of(struct encoding how)
{
    return how.way == ENCODE_FIND ? how : (struct encoding){ENCODE_ANY, NULL, how.stream};
}

/* Codes of a column's items, into work->codes. */
static roost_status column_codes(struct encoder *e, int c, const struct piece *piece, size_t n, struct encoding how,
                                 const struct encoder_work *work)
{
    struct relations_args args;
    memset(&args, 0, sizeof args);
    args.column = piece->reached;
    args.numbers = args.codes = work->codes;
    args.join.found = how.marks;
    const roost_status status = coder_run(&e->coder[c], e->last, piece, n, how, work, work->codes);
    const enum relations_kernel codes = how.way == ENCODE_FIND ? RELATIONS_seek : RELATIONS_code;
    return status ? status : relations_launch(e->last, codes, &args, n, how.stream);
}

/* Numbers of the first columns' numbers beside the codes of the next one. */
static roost_status fold(struct encoder *e, int c, size_t n, struct encoding how, const struct encoder_work *work,
                         uint32_t *numbers)
{
    struct relations_args args;
    memset(&args, 0, sizeof args);
    args.numbers = work->numbers;
    args.codes = work->codes;
    args.pairs = work->pairs;
    roost_status status = relations_launch(e->last, RELATIONS_pair, &args, n, how.stream);
    if (!status) status = keys_encode(e->fold[c], work->pairs, NULL, n, how, numbers);
    args.numbers = numbers;
    args.join.found = how.marks;
    return status || how.way != ENCODE_FIND ? status : relations_launch(e->last, RELATIONS_sought, &args, n, how.stream);
}

roost_status encoder_run(struct encoder *e, const struct piece *pieces, size_t n, struct encoding how,
                         const struct encoder_work *work, uint32_t *numbers)
{
    const struct encoding part = part_of(how);
    struct encoder_work first = *work;
    if (is_single(e)) return coder_run(&e->coder[0], e->last, &pieces[0], n, how, work, numbers);
    if (e->columns > 1) first.codes = work->numbers;
    roost_status status = column_codes(e, 0, &pieces[0], n, part, &first);
    if (!status && e->columns == 1) return keys_encode(e->fold[0], work->codes, NULL, n, how, numbers);
    for (int c = 1; !status && c < e->columns; c++) {
        const bool last = c + 1 == e->columns;
        status = column_codes(e, c, &pieces[c], n, part, work);
        if (!status) status = fold(e, c, n, last ? how : part, work, last ? numbers : work->numbers);
    }
    return status;
}
