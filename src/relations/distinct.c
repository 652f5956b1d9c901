/* The different keys of an array: through a table, or on a GPU through thread blocks. */
#include "roost/distinct.h"

#include <string.h>

#include "api/create.h"
#include "portable/hash_seeds.h"
#include "portable/random_seed.h"
#include "relations/distinct.h"
#include "relations/encoder.h"

/* Of SAMPLE_LEAST keys or more the first SAMPLE tell how many there are. */
enum { SAMPLE = 1 << 16, SAMPLE_LEAST = 8 * SAMPLE };

/* A call's arguments. */
struct distinct_call {
    roost_config config; /* of a set */
    const void *keys;
    size_t n;
    void *distinct;
    size_t *distinct_n;
    const roost_call *call;
};

static roost_status refused(roost_status status, const char *why)
{
    return error_set(thread_error(), status, "roost_distinct: %s", why);
}

static roost_status arguments_check(const struct distinct_call *d)
{
    const roost_config *const c = &d->config;
    if (c->flags || c->comm) return refused(ROOST_ERR_UNSUPPORTED, "the configuration has flags or a comm");
    if (c->key_type == ROOST_TYPE_STRING) return refused(ROOST_ERR_UNSUPPORTED, "strings: roost_group has them");
    if (d->call && d->call->statuses) return refused(ROOST_ERR_ARGUMENT, "items have no statuses");
    return ROOST_OK;
}

/* ---- Through a table ------------------------------------------------------------------------- */

/* The fastest engine for many words (bench/python). */
static const char *engine_for(const struct distinct_call *d)
{
    const roost_config *const c = &d->config;
    const bool words = c->key_type != ROOST_TYPE_BYTES || c->key_bytes == 4 || c->key_bytes == 8;
    return c->engine || c->options || !words || d->n < SAMPLE_LEAST ? c->engine : relations_engine("slab");
}

/* Estimates how many different keys there are. */
static roost_status keys_estimate(const struct distinct_call *d, uint64_t *keys)
{
    roost_table *sample = NULL;
    roost_config config = d->config;
    roost_stats stats;
    config.capacity = SAMPLE;
    roost_status status = roost_table_create(&sample, &config);
    if (!status) status = roost_insert(sample, ROOST_KEEP, d->keys, NULL, SAMPLE, d->call);
    if (!status) status = roost_table_stats(sample, &stats, sizeof stats);
    if (!status) *keys = d->n / SAMPLE * stats.count;
    roost_table_destroy(sample);
    return status;
}

static roost_status table_export(const struct distinct_call *d, const roost_table *table)
{
    const size_t key_bytes = (size_t)table->key_bytes, room = d->n + ROOST_EXPORT_MIN;
    roost_cursor cursor = {0, 0};
    roost_status status = ROOST_OK;
    *d->distinct_n = 0;
    while (!status && !cursor.end) {
        size_t n;
        status = roost_export(table, &cursor, (char *)d->distinct + *d->distinct_n * key_bytes, NULL, room - *d->distinct_n, &n,
                              d->call);
        if (!status) *d->distinct_n += n;
    }
    return status;
}

static roost_status distinct_by_table(const struct distinct_call *d)
{
    roost_table *table;
    roost_config config = d->config;
    roost_status status = ROOST_OK;
    config.engine = engine_for(d);
    if (!config.capacity && d->n >= SAMPLE_LEAST) status = keys_estimate(d, &config.capacity);
    if (!status) status = roost_table_create(&table, &config);
    if (status) return status;
    status = roost_insert(table, ROOST_KEEP, d->keys, NULL, d->n, d->call);
    if (!status) status = table_export(d, table);
    roost_table_destroy(table);
    return status;
}

/* ---- On a GPU -------------------------------------------------------------------------------- */

#if defined(ROOST_WITH_CUDA)
static bool fits_blocks(const struct distinct_call *d, const roost_table *t, const roost_call *call)
{
    return t->backend->ordinal >= 0 && !t->group && width_is_word(t->key_bytes) && d->n >= DISTINCT_LEAST &&
           array_is_reached(t, d->keys, call) && array_is_reached(t, d->distinct, call);
}

static roost_status cuda_status(struct backend *b, const char *failure)
{
    return failure ? error_set(b->error, ROOST_ERR_DEVICE, "different keys: %s", failure) : ROOST_OK;
}

static roost_status work_allocate(struct backend *b, struct distinct_work *w, void **memory, size_t *all)
{
    enum { HASHES, STARTS, LONGS, WORDS, SCRATCH, ARRAYS };
    const size_t parts = (size_t)1 << w->bits;
    void *at[ARRAYS];
    roost_status status = cuda_status(b, distinct_cuda_scratch(w));
    const size_t bytes[ARRAYS] = {w->n * (unsigned)w->key_bytes, (parts + 1) * sizeof *w->starts, parts * sizeof *w->longs,
                                  sizeof *w->words, w->scratch_bytes};
    *all = backend_arrays_bytes(bytes, ARRAYS);
    if (!status) status = backend_allocate(b, *all, memory);
    if (status) return status;
    backend_arrays_place(*memory, bytes, ARRAYS, at);
    w->hashes = at[HASHES];
    w->starts = (uint64_t *)at[STARTS];
    w->longs = (uint32_t *)at[LONGS];
    w->words = (struct distinct_words *)at[WORDS];
    w->scratch = at[SCRATCH];
    return b->operations->fill(b, w->words, 0, sizeof *w->words);
}

/* *whole: the output has all keys.  It has not if a part has more than a table's slots. */
static roost_status parts_write(struct backend *b, struct distinct_work *w, size_t *n, bool *whole)
{
    struct distinct_words words = {0, 0, 0};
    roost_status status = cuda_status(b, distinct_cuda_parts(w, b->stream));
    if (!status) status = backend_read(b, &words, w->words, sizeof words);
    if (!status && words.long_parts) {
        status = cuda_status(b, distinct_cuda_longs(w, (uint32_t)words.long_parts, b->stream));
        if (!status) status = backend_read(b, &words, w->words, sizeof words);
    }
    *n = (size_t)words.written;
    *whole = !status && !words.overflowed;
    if (!*whole || w->out == w->distinct) return status;
    status = b->operations->copy(b, w->distinct, w->out, *n * (unsigned)w->key_bytes);
    return status ? status : b->operations->wait(b);
}

static roost_status work_begin(const struct distinct_call *d, const roost_table *t, struct distinct_work *w)
{
    uint64_t seed = d->config.seed;
    memset(w, 0, sizeof *w);
    if (!seed && !d->config.seed_given && !random_seed(&seed))
        return error_set(t->backend->error, ROOST_ERR_DEVICE, "the system gives no random seed");
    hash_seeds_draw(&w->seeds, HASH_KEYED, seed);
    w->keys = d->keys;
    w->n = d->n;
    w->distinct = d->distinct;
    w->key_bytes = t->key_bytes;
    for (w->bits = 1; d->n >> w->bits > DISTINCT_MEAN; w->bits++) {}
    return ROOST_OK;
}

static roost_status distinct_by_blocks(const struct distinct_call *d, roost_table *t, void *stream, bool *whole)
{
    struct backend *const b = t->backend;
    struct distinct_work w;
    void *memory = NULL;
    size_t bytes = 0;
    roost_status status = relations_begin(t, stream);
    if (status) return status;
    const struct error_mark before = error_keep(&t->error);
    if (b->capturing) status = error_set(b->error, ROOST_ERR_UNSUPPORTED, "the call cannot be captured into a graph");
    if (!status) status = work_begin(d, t, &w);
    if (!status) status = work_allocate(b, &w, &memory, &bytes);
    if (!status) status = parts_write(b, &w, d->distinct_n, whole);
    backend_release(b, memory, bytes);
    if (status == ROOST_ERR_MEMORY) {
        error_restore(&before);
        status = ROOST_OK;
    }
    return relations_end(t, status);
}

/* *whole: the keys are written.  An empty table brings the GPU and its memory. */
static roost_status distinct_on_gpu(const struct distinct_call *d, bool *whole)
{
    roost_table *t;
    roost_config config = d->config;
    const roost_call *call = d->call;
    roost_call own;
    *whole = false;
    if (d->n < DISTINCT_LEAST || config.engine || config.options || backend_ordinal(config.device) < 0) return ROOST_OK;
    config.capacity = 1;
    roost_status status = roost_table_create(&t, &config);
    if (status) return status;
    status = call_finish(t, call_read(t, &call, 0, &own));
    if (!status && fits_blocks(d, t, call)) status = distinct_by_blocks(d, t, call->stream, whole);
    roost_table_destroy(t);
    return status;
}
#else
static roost_status distinct_on_gpu(const struct distinct_call *d, bool *whole)
{
    (void)d;
    *whole = false;
    return ROOST_OK;
}
#endif

ROOST_EXPORT roost_status roost_distinct(const roost_config *config, const void *keys, size_t n, void *distinct, size_t *distinct_n,
                                         const roost_call *call)
{
    bool whole = false;
    struct distinct_call d = {.keys = keys, .n = n, .distinct = distinct, .distinct_n = distinct_n, .call = call};
    if (!distinct_n || (n && (!keys || !distinct))) return refused(ROOST_ERR_ARGUMENT, "an argument is NULL");
    roost_status status = config_read(config, &d.config, "roost_distinct");
    if (!status) status = arguments_check(&d);
    *distinct_n = 0;
    if (status || !n) return status;
    d.config.value_type = ROOST_TYPE_NONE;
    d.config.value_bytes = 0;
    status = distinct_on_gpu(&d, &whole);
    return status || whole ? status : distinct_by_table(&d);
}
