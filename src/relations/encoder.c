/* Numbers for the keys of rows. */
#include "relations/encoder.h"

#include <string.h>

/* ---- Tables and kernels ---------------------------------------------------------------------- */

roost_status relations_table(roost_table **table, roost_type key_type, size_t key_bytes, roost_type value_type,
                             const struct relations_config *config)
{
    roost_config c = ROOST_CONFIG_INIT;
    const bool words = key_type != ROOST_TYPE_BYTES && key_type != ROOST_TYPE_STRING;
    c.engine = words ? config->engine : NULL; /* not every engine has other keys */
    c.device = config->device;
    c.threads = config->threads;
    c.capacity = config->capacity;
    c.key_type = key_type;
    c.key_bytes = key_bytes;
    c.value_type = value_type;
    c.flags = value_type == ROOST_TYPE_NONE ? 0 : ROOST_NUMBERED;
    return roost_table_create(table, &c);
}

static const struct kernel *kernel_for(const struct backend *b, enum relations_kernel which)
{
#if defined(ROOST_WITH_CUDA)
    if (b->ordinal >= 0) return relations_cuda_kernel(which);
#endif
    (void)b;
    return relations_host_kernel(which);
}

roost_status relations_begin(roost_table *t, void *stream) { return call_finish(t, call_begin(t, stream, ACCESS_WRITE)); }

roost_status relations_launch(roost_table *t, enum relations_kernel which, struct relations_args *args, uint64_t n, void *stream)
{
    args->n = n;
    roost_status status = n ? relations_begin(t, stream) : ROOST_OK;
    if (status || !n) return status;
    status = backend_launch(t->backend, kernel_for(t->backend, which), args, sizeof *args, n);
    return call_finish(t, call_end(t, ACCESS_WRITE, status));
}

static roost_call call_on(void *stream, uint8_t *statuses, bool by_first)
{
    roost_call call = ROOST_CALL_INIT;
    call.stream = stream;
    call.statuses = statuses;
    call.flags = by_first ? ROOST_ORDERED : 0;
    return call;
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
    switch ((int)column->type) {
    case ROOST_TYPE_STRING: return relations_table(&c->table, ROOST_TYPE_STRING, 0, ROOST_TYPE_U32, config);
    case ROOST_TYPE_BYTES: c->word_bytes = column->bytes <= 4 ? 4 : column->bytes <= 8 ? 8 : 0; break;
    case ROOST_TYPE_U32:
    case ROOST_TYPE_I32:
    case ROOST_TYPE_F32: c->word_bytes = 4; break;
    default: c->word_bytes = 8;
    }
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

roost_status coder_run(const struct coder *c, roost_table *machine, const struct piece *piece, size_t n, bool by_first,
                       const struct encoder_work *work, uint32_t *numbers, uint8_t *statuses, void *stream)
{
    const roost_call call = call_on(stream, statuses, by_first);
    const void *keys;
    if (c->type.type == ROOST_TYPE_STRING) return roost_number_strings(c->table, &piece->strings, n, numbers, &call);
    const roost_status status = keys_make(c, machine, piece, n, work, &keys, stream);
    return status ? status : roost_number(c->table, keys, n, numbers, &call);
}

static roost_status coder_find(const struct coder *c, roost_table *machine, const struct piece *piece, size_t n,
                               const struct encoder_work *work, uint32_t *numbers, uint8_t *found, void *stream)
{
    const roost_call call = call_on(stream, NULL, false);
    const void *keys;
    if (c->type.type == ROOST_TYPE_STRING) return roost_find_strings(c->table, &piece->strings, n, numbers, found, &call);
    const roost_status status = keys_make(c, machine, piece, n, work, &keys, stream);
    return status ? status : roost_find(c->table, keys, n, numbers, found, &call);
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

/* ---- Running --------------------------------------------------------------------------------- */

/* Codes of a column's items, into work->codes. */
static roost_status column_codes(struct encoder *e, int c, const struct piece *piece, size_t n, const struct encoder_work *work,
                                 void *stream)
{
    struct relations_args args;
    memset(&args, 0, sizeof args);
    args.column = piece->reached;
    args.numbers = args.codes = work->codes;
    const roost_status status = coder_run(&e->coder[c], e->last, piece, n, false, work, work->codes, NULL, stream);
    return status ? status : relations_launch(e->last, RELATIONS_code, &args, n, stream);
}

/* Numbers of the first columns' codes beside those of the next one. */
static roost_status fold(struct encoder *e, int c, size_t n, const struct encoder_work *work, uint32_t *numbers,
                         const roost_call *call)
{
    struct relations_args args;
    memset(&args, 0, sizeof args);
    args.numbers = work->numbers;
    args.codes = work->codes;
    args.pairs = work->pairs;
    const roost_status status = relations_launch(e->last, RELATIONS_pair, &args, n, call->stream);
    return status ? status : roost_number(e->fold[c], work->pairs, n, numbers, call);
}

roost_status encoder_run(struct encoder *e, const struct piece *pieces, size_t n, bool by_first, const struct encoder_work *work,
                         uint32_t *numbers, uint8_t *statuses, void *stream)
{
    const roost_call call = call_on(stream, statuses, by_first), any = call_on(stream, NULL, false);
    struct encoder_work first = *work;
    if (is_single(e)) return coder_run(&e->coder[0], e->last, &pieces[0], n, by_first, work, numbers, statuses, stream);
    if (e->columns > 1) first.codes = work->numbers;
    roost_status status = column_codes(e, 0, &pieces[0], n, &first, stream);
    if (!status && e->columns == 1) return roost_number(e->fold[0], work->codes, n, numbers, &call);
    for (int c = 1; !status && c < e->columns; c++) {
        const bool last = c + 1 == e->columns;
        status = column_codes(e, c, &pieces[c], n, work, stream);
        if (!status) status = fold(e, c, n, work, last ? numbers : work->numbers, last ? &call : &any);
    }
    return status;
}

/* ---- Finding --------------------------------------------------------------------------------- */

static roost_status column_seek(struct encoder *e, int c, const struct piece *piece, size_t n, const struct encoder_work *work,
                                uint8_t *found, void *stream)
{
    struct relations_args args;
    memset(&args, 0, sizeof args);
    args.column = piece->reached;
    args.numbers = args.codes = work->codes;
    args.join.found = found;
    const roost_status status = coder_find(&e->coder[c], e->last, piece, n, work, work->codes, found, stream);
    return status ? status : relations_launch(e->last, RELATIONS_seek, &args, n, stream);
}

/* Looks up pairs of the first columns' numbers and the next one's codes. */
static roost_status fold_seek(struct encoder *e, int c, size_t n, const struct encoder_work *work, uint32_t *numbers,
                              uint8_t *found, void *stream)
{
    const roost_call call = call_on(stream, NULL, false);
    struct relations_args args;
    memset(&args, 0, sizeof args);
    args.numbers = work->numbers;
    args.codes = work->codes;
    args.pairs = work->pairs;
    roost_status status = relations_launch(e->last, RELATIONS_pair, &args, n, stream);
    if (!status) status = roost_find(e->fold[c], work->pairs, n, numbers, found, &call);
    args.numbers = numbers;
    args.join.found = found;
    return status ? status : relations_launch(e->last, RELATIONS_sought, &args, n, stream);
}

roost_status encoder_find(struct encoder *e, const struct piece *pieces, size_t n, const struct encoder_work *work,
                          uint32_t *numbers, uint8_t *found, void *stream)
{
    const roost_call call = call_on(stream, NULL, false);
    struct encoder_work first = *work;
    if (is_single(e)) return coder_find(&e->coder[0], e->last, &pieces[0], n, work, numbers, found, stream);
    if (e->columns > 1) first.codes = work->numbers;
    roost_status status = column_seek(e, 0, &pieces[0], n, &first, found, stream);
    if (!status && e->columns == 1) return roost_find(e->fold[0], work->codes, n, numbers, found, &call);
    for (int c = 1; !status && c < e->columns; c++) {
        status = column_seek(e, c, &pieces[c], n, work, found, stream);
        if (!status) status = fold_seek(e, c, n, work, c + 1 == e->columns ? numbers : work->numbers, found, stream);
    }
    return status;
}
