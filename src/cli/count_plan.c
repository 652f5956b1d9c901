/* Estimates the distinct keys of files before they are counted, so that the table is made for them
 * once and not moved again and again.
 *
 * The estimate is the number of distinct keys whose hash is small, divided by their share of all
 * hashes.  All keys are read for it, which takes a twentieth of the time of counting them: parts of
 * the files would not tell how often a key comes again elsewhere.  The hash has a seed that nobody
 * can foretell.  So no file is made of keys that lead to a table much too large or too small. */
#define _GNU_SOURCE 1
#include "cli/count_plan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "cli/devices.h"
#include "cli/ranks.h"
#include "roost/tuning.h"

enum {
    BATCH_PLAIN = 1 << 18, /* without a plan */
    BATCH_UNKNOWN = 1 << 20,
    BATCH_LEAST = 1 << 19,
    BATCH_MOST = 1 << 23,
    BYTES_OF_ITEM = 36,        /* of a batch and of what a table makes of it, for keys of 8 bytes */
    BYTES_OF_BATCH = 40 << 20, /* of a batch without further items */
    DISTINCT_OF_ITEM = 24,     /* distinct keys for each further item of a batch */
    SAMPLE = 1 << 16,          /* keys with small hashes, if no key comes twice */
    SAMPLE_SLOTS = 1 << 18,
    PIECE = 1 << 13 /* keys that are read at a time */
};

/* The engine for integers on a host: it counts batches fastest, and in the least memory
 * (docs/benchmarks.md).  The library's choice is for tables that are built by one call or grow from
 * nothing. */
static const char host_engine[] = "compact";

/* ---- Distinct keys --------------------------------------------------------------------------- */

/* The distinct keys with small hashes. */
struct sample {
    uint64_t seed;
    uint64_t limit; /* hashes below it are small */
    uint64_t *keys; /* SAMPLE_SLOTS places, in the order of hashes; 0: none, or the key 0 */
    uint64_t n;
};

/* The finalizer of MurmurHash3. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

/* Takes a key with a small hash, unless it was taken before.  Beyond three quarters of its places
 * the sample takes fewer keys than there are. */
static void sample_take(struct sample *sample, uint64_t key, uint64_t hash)
{
    size_t at = (size_t)(hash % SAMPLE_SLOTS);
    while (sample->keys[at] != 0 && sample->keys[at] != key) at = (at + 1) % SAMPLE_SLOTS;
    if (sample->keys[at] == key || sample->n >= SAMPLE_SLOTS / 4 * 3) return;
    sample->keys[at] = key;
    sample->n++;
}

/* The width is a constant in each call, because this runs for every key. */
static inline __attribute__((always_inline)) void read_width(struct sample *sample, const void *keys, size_t n, const size_t bytes)
{
    const uint64_t seed = sample->seed, limit = sample->limit;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = bytes == 4 ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i], hash = mix(key ^ seed);
        if (hash < limit) sample_take(sample, key, hash);
    }
}

static void sample_read(struct sample *sample, const void *keys, size_t n, size_t bytes)
{
    if (bytes == 4) read_width(sample, keys, n, 4);
    else read_width(sample, keys, n, 8);
}

/* Reads a file.  What is wrong with it is reported when it is counted. */
static void sample_file(struct sample *sample, const char *path, const struct io_spec *spec)
{
    uint64_t piece[PIECE];
    struct io_reader *reader;
    struct io_error error;
    size_t n = 1;
    if (io_reader_open(&reader, path, spec, &error) != IO_OK) return;
    const size_t bytes = io_reader_key_bytes(reader);
    while (n > 0 && io_reader_next(reader, piece, PIECE, &n, &error) == IO_OK) sample_read(sample, piece, n, bytes);
    io_reader_close(reader);
}

/* bytes: of all files; at most as many keys are in them, unless they are compressed. */
static uint64_t estimate_distinct(const struct input_options *input, uint64_t bytes)
{
    struct sample sample = {0, UINT64_MAX, NULL, 0};
    if (getrandom(&sample.seed, sizeof sample.seed, GRND_NONBLOCK) != (ssize_t)sizeof sample.seed) return 0;
    sample.keys = (uint64_t *)calloc(SAMPLE_SLOTS, sizeof *sample.keys);
    if (sample.keys == NULL) return 0;
    if (bytes > SAMPLE) sample.limit = UINT64_MAX / bytes * SAMPLE;
    for (size_t i = 0; i < input->files_n; i++) sample_file(&sample, input->files[i], &input->spec);
    free(sample.keys);
    return (uint64_t)((double)sample.n * ((double)UINT64_MAX / (double)sample.limit));
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* The bytes of all files; 0: some can be read only once, or their keys take long to read. */
static uint64_t bytes_read_twice(const struct input_options *input)
{
    const enum io_layout layout = input->spec.layout;
    uint64_t bytes = 0;
    if (layout != IO_FASTA && layout != IO_RAW && layout != IO_NPY) return 0;
    for (size_t i = 0; i < input->files_n; i++) {
        struct stat about;
        if (stat(input->files[i], &about) != 0 || !S_ISREG(about.st_mode)) return 0;
        bytes += (uint64_t)about.st_size;
    }
    return bytes;
}

static size_t batch_for(uint64_t distinct)
{
    const uint64_t room = BYTES_OF_BATCH / BYTES_OF_ITEM + distinct / DISTINCT_OF_ITEM;
    return distinct == 0 ? BATCH_UNKNOWN : room < BATCH_LEAST ? BATCH_LEAST : room > BATCH_MOST ? BATCH_MOST : (size_t)room;
}

static bool has_host_engine(void)
{
    roost_engine_info info;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (strcmp(info.name, host_engine) == 0) return true;
    return false;
}

/* Will the table be one of the host's engine? */
static bool is_on_host(const struct table_options *options, struct key_kind kind)
{
    roost_config config;
    roost_choice choice;
    if (options->engine != NULL ? strcmp(options->engine, host_engine) != 0 : options->engine_options != NULL) return false;
    table_options_config(options, kind, &config);
    config.engine = host_engine;
    return has_host_engine() && roost_choose(&config, &choice, sizeof choice) == ROOST_OK && strcmp(choice.device, "host") == 0;
}

void count_plan_make(struct count_plan *plan, const struct count_options *options, struct key_kind kind)
{
    const struct table_options *table = &options->work.table;
    memset(plan, 0, sizeof *plan);
    plan->made = !key_kind_is_bytes(kind) && ranks_get()->ranks == 1 && is_on_host(table, kind);
    const uint64_t bytes = plan->made ? bytes_read_twice(&options->work.input) : 0;
    plan->distinct = table->capacity;
    if (bytes > 0 && plan->distinct == 0) plan->distinct = estimate_distinct(&options->work.input, bytes);
    plan->batch = table->batch != 0 ? (size_t)table->batch : plan->made ? batch_for(plan->distinct) : BATCH_PLAIN;
}

void count_plan_apply(const struct count_plan *plan, roost_config *config)
{
    config->batch = plan->batch;
    config->work = plan->distinct > 0 ? ROOST_WORK_INSERT : ROOST_WORK_GROWTH;
    if (!plan->made) return;
    config->engine = host_engine;
    /* A table that is copied when it grows takes twice the memory meanwhile. */
    if (plan->distinct == 0 && config->options == NULL) config->options = "growth=in-place";
    if (config->capacity == 0) config->capacity = plan->distinct + plan->distinct / 16;
}
