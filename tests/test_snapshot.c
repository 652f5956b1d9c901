/* Tables that are saved and loaded: by every engine for every other, through files, pipes and
 * functions; what is kept of them, what is refused, and what a failure leaves. */
#include "support/allocators.h"
#include "support/answers.h"
#include "support/draw.h"
#include "support/faulty_backend.h"
#include "support/multimap.h"
#include "support/settings.h"
#include "support/snapshots.h"
#include "support/tables.h"
#include "roost/multi.h"
#include "roost/numbers.h"
#include "roost/snapshot.h"
#include "roost/tuning.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEYS = 3000 };

/* ---- Contents -------------------------------------------------------------------------------- */

static struct multimap contents(const struct table *t)
{
    struct multimap m = {0};
    struct pairs pairs = table_export(t, 20000);
    for (size_t i = 0; i < pairs.n; i++) multimap_add(&m, pairs.keys[i], pairs.values[i]);
    (void)multimap_count(&m, 0, NULL); /* sorts them */
    pairs_free(&pairs);
    return m;
}

static void require_equal(const struct table *a, const struct table *b)
{
    struct multimap left = contents(a), right = contents(b);
    require(left.n == right.n, "%zu pairs instead of %zu", right.n, left.n);
    require(!left.n || !memcmp(left.pairs, right.pairs, left.n * sizeof *left.pairs), "the pairs are others");
    multimap_free(&left);
    multimap_free(&right);
}

static void insert_numbers(struct table *t, uint64_t first, size_t n)
{
    struct dice dice = {suite_seed() + n};
    uint64_t *keys = numbered_keys(&t->shape, first, n), *values = make_patterns(n);
    for (size_t i = 0; i < n; i++) values[i] = draw_value(&dice, t->shape.value_type) & width_mask(t->shape.value_bytes);
    require_status(ROOST_OK, table_insert(t, ROOST_ASSIGN, keys, values, n, NULL), t->handle);
    free(keys), free(values);
}

static void open_numbers(struct table *t, const struct variant *variant, const roost_config *config, size_t n)
{
    table_open(t, variant, config);
    insert_numbers(t, 0, n);
}

/* ---- Saves and loads ------------------------------------------------------------------------- */

static struct image save(const struct table *t, const roost_save_options *options)
{
    struct image image = {0};
    require_status(ROOST_OK, roost_save_to(t->handle, image_write, &image, options), t->handle);
    return image;
}

static roost_status load_into(struct table *t, const struct image *image, const struct test_shape *shape,
                              const roost_config *config, const roost_load_options *options)
{
    struct image_source source = {.at = image->at, .n = image->n};
    *t = (struct table){.shape = *shape, .handle = (roost_table *)&source};
    const roost_status status = roost_load_from(&t->handle, image_read, &source, config, options);
    require((status == ROOST_OK) == (t->handle != NULL), "%s and table %p", roost_status_name(status), (void *)t->handle);
    require(status == ROOST_OK || *roost_last_error(NULL), "an error without a text");
    return status;
}

/* The image gives the table's pairs. */
static void require_loads(const struct image *image, const struct table *t, const roost_config *config)
{
    struct table loaded;
    require_status(ROOST_OK, load_into(&loaded, image, &t->shape, config, NULL), NULL);
    table_check(&loaded);
    require_equal(t, &loaded);
    table_close(&loaded);
}

/* Both ways: as saved, and by the same configuration. */
static void require_round(const struct table *t, const roost_config *config, const roost_save_options *options)
{
    struct image image = save(t, options);
    require_loads(&image, t, NULL);
    require_loads(&image, t, config);
    image_free(&image);
}

static void loads_what_was_saved(const struct variant *variant)
{
    static const size_t sizes[] = {0, 1, 70, KEYS};
    roost_config config;
    table_config(variant, &config);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct table t;
        suite_step("%zu keys", sizes[i]);
        open_numbers(&t, variant, &config, variant->shape->key_bytes > 1 ? sizes[i] : sizes[i] % 200);
        require_round(&t, &config, NULL);
        table_close(&t);
    }
}

static void all_value_types(const struct variant *variant)
{
    static const roost_type types[] = {ROOST_TYPE_I32, ROOST_TYPE_I64, ROOST_TYPE_F32, ROOST_TYPE_F64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const struct test_shape shape = shape_of_value(variant->shape, types[i]);
        const struct variant other = {.shape = &shape, .placement = variant->placement};
        loads_what_was_saved(&other);
    }
}

static void erased_keys(const struct variant *variant)
{
    struct table t;
    roost_config config;
    table_config(variant, &config);
    open_numbers(&t, variant, &config, 2 * KEYS);
    uint64_t *keys = numbered_keys(variant->shape, 0, KEYS);
    require_status(ROOST_OK, table_erase(&t, keys, KEYS, NULL), t.handle);
    require_round(&t, &config, NULL);
    free(keys);
    table_close(&t);
}

/* More than a block has, compressed and not. */
static void large_tables(const struct variant *variant)
{
    const size_t n = settings_size(2500000, 1300000);
    struct table t;
    roost_config config;
    roost_saved saved = ROOST_SAVED_INIT;
    roost_save_options options = ROOST_SAVE_OPTIONS_INIT;
    options.saved = &saved;
    table_config(variant, &config);
    open_numbers(&t, variant, &config, n);
    struct image image = save(&t, &options);
    require(saved.blocks > 4, "%llu blocks", (unsigned long long)saved.blocks);
    require(saved.whole && saved.pairs == n && saved.bytes == image.n, "%llu pairs in %llu bytes", (unsigned long long)saved.pairs,
            (unsigned long long)saved.bytes);
    require_loads(&image, &t, NULL);
    image_free(&image);
    table_close(&t);
}

/* ---- Engines --------------------------------------------------------------------------------- */

/* Every engine and machine loads what this one saved, where it can make such a table. */
static void other_engines(const struct variant *variant)
{
    roost_engine_info info;
    struct table t;
    open_numbers(&t, variant, NULL, KEYS);
    struct image image = save(&t, NULL);
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++)
        for (int on_host = 0; on_host < 2; on_host++) {
            roost_config config;
            struct table empty, loaded;
            table_config(variant, &config);
            config.engine = info.name;
            if (on_host) config.device = "host";
            suite_step("engine %s, device %s", info.name, config.device);
            const roost_status status = table_create(&empty, variant, &config);
            require_status(status, load_into(&loaded, &image, variant->shape, &config, NULL), NULL);
            require(status == ROOST_OK || shape_index(variant->shape) == SHAPE_COUNT, "%s lacks a width", info.name);
            if (!status) require_equal(&t, &loaded);
            if (!status) table_check(&loaded);
            table_close(&empty);
            table_close(&loaded);
        }
    image_free(&image);
    table_close(&t);
}

static bool is_multi(const char *engine)
{
    roost_engine_info info;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (!strcmp(info.name, engine)) return info.multi;
    return false;
}

static void multimaps(const struct variant *variant)
{
    struct table t;
    roost_config config;
    table_config(variant, &config);
    config.flags = ROOST_MULTI;
    /* test_multi.c: others refuse to make them. */
    if (!config.engine || !is_multi(config.engine)) return;
    table_open(&t, variant, &config);
    uint64_t *keys = numbered_keys(variant->shape, 0, KEYS), *values = make_patterns(KEYS);
    for (size_t i = 0; i < KEYS; i++) values[i] = i;
    require_status(ROOST_OK, table_insert(&t, ROOST_APPEND, keys, values, KEYS, NULL), t.handle);
    require_status(ROOST_OK, table_insert(&t, ROOST_APPEND, keys, keys, KEYS / 2, NULL), t.handle);
    /* Pairs that come twice. */
    require_status(ROOST_OK, table_insert(&t, ROOST_APPEND, keys, keys, 10, NULL), t.handle);
    require_round(&t, &config, NULL);
    struct image image = save(&t, NULL);
    struct table loaded;
    config.flags = 0;
    require_answer(ARGUMENT, load_into(&loaded, &image, variant->shape, &config, NULL), NULL, "a multimap as a map");
    require(strstr(roost_last_error(NULL), "ROOST_MULTI") != NULL, "\"%s\"", roost_last_error(NULL));
    free(keys), free(values);
    image_free(&image);
    table_close(&t);
}

/* ---- What is kept ---------------------------------------------------------------------------- */

static bool has_numbers(const struct test_shape *shape) { return shape_has_arithmetic(shape) && !type_is_float(shape->value_type); }

/* Numbers go on where they were, also where the last ones were erased. */
static void numbers_go_on(const struct variant *variant)
{
    enum { MORE = 100 };
    struct table t, loaded;
    roost_config config;
    table_config(variant, &config);
    config.flags |= ROOST_NUMBERED;
    table_open(&t, variant, &config);
    uint64_t *keys = numbered_keys(variant->shape, 0, KEYS + MORE), *numbers = make_patterns(KEYS + MORE);
    require_status(ROOST_OK, table_number(&t, keys, KEYS, numbers, NULL, ROOST_ORDERED), t.handle);
    require_status(ROOST_OK, table_erase(&t, keys + KEYS - MORE, MORE, NULL), t.handle);
    struct image image = save(&t, NULL);
    for (int given = 0; given < 2; given++) {
        suite_step("configuration %d", given);
        require_status(ROOST_OK, load_into(&loaded, &image, variant->shape, given ? &config : NULL, NULL), NULL);
        table_check(&loaded);
        require_equal(&t, &loaded);
        require_status(ROOST_OK, table_number(&loaded, keys + KEYS, MORE, numbers, NULL, ROOST_ORDERED), loaded.handle);
        for (size_t i = 0; i < MORE; i++) require(numbers[i] == KEYS + i, "number %llu", (unsigned long long)numbers[i]);
        table_check(&loaded);
        table_close(&loaded);
    }
    config.flags = 0;
    require_answer(ARGUMENT, load_into(&loaded, &image, variant->shape, &config, NULL), NULL, "numbers as values");
    require(strstr(roost_last_error(NULL), "ROOST_NUMBERED") != NULL, "\"%s\"", roost_last_error(NULL));
    free(keys), free(numbers);
    image_free(&image);
    table_close(&t);
}

/* As saved a table does not grow, and takes its capacity. */
static void fixed_tables(const struct variant *variant)
{
    struct table t, loaded;
    roost_config config;
    roost_stats stats;
    table_config(variant, &config);
    config.growth = 0;
    config.capacity = 2 * KEYS;
    open_numbers(&t, variant, &config, KEYS);
    struct image image = save(&t, NULL);
    require_loads(&image, &t, &config);
    require_status(ROOST_OK, load_into(&loaded, &image, variant->shape, NULL, NULL), NULL);
    insert_numbers(&loaded, KEYS, KEYS); /* up to the capacity */
    require_status(ROOST_OK, roost_table_stats(loaded.handle, &stats, sizeof stats), loaded.handle);
    require(stats.grow_steps == 0, "%llu steps of growth", (unsigned long long)stats.grow_steps);
    uint64_t *keys = numbered_keys(variant->shape, 2 * KEYS, 100 * KEYS);
    require_status(ROOST_ERR_FULL, table_insert(&loaded, ROOST_KEEP, keys, keys, 100 * KEYS, NULL), loaded.handle);
    free(keys);
    table_close(&loaded);
    image_free(&image);
    table_close(&t);
}

/* A configuration without growth holds what it says, whatever was saved. */
static void configurations_without_room(const struct variant *variant)
{
    for (int growth = 0; growth < 2; growth++) {
        struct table t, loaded;
        roost_config config;
        suite_step("growth %d when it was saved", growth);
        table_config(variant, &config);
        config.growth = growth;
        config.capacity = 40 * KEYS;
        open_numbers(&t, variant, &config, 30 * KEYS);
        struct image image = save(&t, NULL);
        config.growth = 0;
        config.capacity = KEYS;
        require_status(ROOST_ERR_FULL, load_into(&loaded, &image, variant->shape, &config, NULL), NULL);
        config.capacity = 30 * KEYS;
        require_loads(&image, &t, &config);
        image_free(&image);
        table_close(&t);
    }
}

static bool has_sums(const struct test_shape *shape) { return shape_is_unsigned(shape) && shape_has_values(shape); }

static void saturation_is_kept(const struct variant *variant)
{
    struct table t, loaded;
    roost_config config;
    const uint64_t key = 5, most = width_mask(variant->shape->value_bytes);
    uint64_t value = most, one = 1;
    table_config(variant, &config);
    config.saturate = 1;
    table_open(&t, variant, &config);
    require_status(ROOST_OK, table_insert(&t, ROOST_ASSIGN, &key, &value, 1, NULL), t.handle);
    struct image image = save(&t, NULL);
    require_status(ROOST_OK, load_into(&loaded, &image, variant->shape, NULL, NULL), NULL);
    require_status(ROOST_OK, table_insert(&loaded, ROOST_ADD, &key, &one, 1, NULL), loaded.handle);
    require_equal(&t, &loaded);
    table_close(&loaded);
    image_free(&image);
    table_close(&t);
}

/* The engine, its options and the bounds are as saved. */
static void engines_are_kept(const struct variant *variant)
{
    char path[] = "/tmp/roost-snapshot-XXXXXX";
    const int file = mkstemp(path);
    struct table t, loaded;
    roost_config config;
    roost_snapshot_info info;
    table_config(variant, &config);
    config.min_fill = 0.20;
    config.max_fill = 0.60;
    config.options = settings_on_dycuckoo() ? "slots=8" : NULL;
    open_numbers(&t, variant, &config, KEYS);
    require_status(ROOST_OK, roost_save_file(t.handle, path, NULL), t.handle);
    require_status(ROOST_OK, roost_snapshot_describe(path, &info, sizeof info), NULL);
    require(info.version == 1 && info.whole && !info.number && info.id, "version %u", info.version);
    require(info.pairs == KEYS && info.key_bytes == variant->shape->key_bytes && info.value_type == variant->shape->value_type,
            "%llu pairs", (unsigned long long)info.pairs);
    require(!config.engine || !strcmp(info.engine, config.engine), "engine %s", info.engine);
    require(info.min_fill == 0.20 && info.max_fill == 0.60 && info.growth && !info.saturate && !info.zstd, "bounds are others");
    require_status(ROOST_OK, roost_load_file(&loaded.handle, path, NULL, NULL), NULL);
    char was[ROOST_DESCRIPTION_BYTES], is[ROOST_DESCRIPTION_BYTES];
    require_status(ROOST_OK, roost_table_describe(t.handle, ROOST_DESCRIBE_OPTIONS, was, sizeof was), t.handle);
    require_status(ROOST_OK, roost_table_describe(loaded.handle, ROOST_DESCRIBE_OPTIONS, is, sizeof is), loaded.handle);
    require(!strcmp(was, is), "%s instead of %s", is, was);
    close(file);
    unlink(path);
    table_close(&loaded);
    table_close(&t);
}

/* ---- Headers of other builds ----------------------------------------------------------------- */

/* Changes the header in both places. */
static void header_change(struct image *image, const char *engine, const char *options)
{
    size_t at[IMAGE_BLOCKS + 1];
    image_blocks(image, at);
    for (int i = 0; i < 2; i++) {
        struct header h;
        memcpy(&h, image->at + at[i] + sizeof(struct frame), sizeof h);
        snprintf(h.engine, sizeof h.engine, "%s", engine);
        snprintf(h.options, sizeof h.options, "%s", options);
        memcpy(image->at + at[i] + sizeof(struct frame), &h, sizeof h);
    }
    image_reseal(image->at, image->n);
}

static void unknown_engines(const struct variant *variant)
{
    static const char *const headers[][2] = {
        {"phlogiston", ""},  {"phlogiston", "heat=3"}, {"", ""},       {"dycuckoo", "heat=3"},
        {"dycuckoo", ",,="}, {"slab", "slots=999999"}, {"host", "=,"},
    };
    struct table t;
    open_numbers(&t, variant, NULL, KEYS);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct image image = save(&t, NULL);
        suite_step("engine %s, options %s", headers[i][0], headers[i][1]);
        header_change(&image, headers[i][0], headers[i][1]);
        require_loads(&image, &t, NULL);
        image_free(&image);
    }
    table_close(&t);
}

/* ---- Configurations -------------------------------------------------------------------------- */

static void other_types_are_refused(const struct variant *variant)
{
    static const struct {
        const char *shape, *saved, *given;
    } others[] = {{"8+4", "keys are of type U32", "of U64"},
                  {"4+8", "values are of type U32", "of U64"},
                  {"4+0", "values are of type U32", "of NONE"}};
    roost_load_options as_saved = ROOST_LOAD_OPTIONS_INIT;
    struct table t, loaded;
    open_numbers(&t, variant, NULL, KEYS);
    struct image image = save(&t, NULL);
    as_saved.flags = ROOST_TYPES_AS_SAVED;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct variant other = {.shape = shape_named(others[i].shape)};
        roost_config config;
        table_config(&other, &config);
        suite_step("as %s", others[i].shape);
        require_answer(ARGUMENT, load_into(&loaded, &image, other.shape, &config, NULL), NULL, "other types");
        require(strstr(roost_last_error(NULL), others[i].saved) && strstr(roost_last_error(NULL), others[i].given), "\"%s\"",
                roost_last_error(NULL));
        require_status(ROOST_OK, load_into(&loaded, &image, variant->shape, &config, &as_saved), NULL);
        require_equal(&t, &loaded);
        table_close(&loaded);
    }
    image_free(&image);
    table_close(&t);
}

/* ---- Functions ------------------------------------------------------------------------------- */

static void reads_of_any_size(const struct variant *variant)
{
    struct table t, loaded = {.shape = *variant->shape};
    open_numbers(&t, variant, NULL, 300);
    struct image image = save(&t, NULL);
    for (size_t step = 1; step < 5000; step = step * 3 + 1) {
        struct image_source source = {.at = image.at, .n = image.n, .step = step};
        suite_step("%zu bytes at a time", step);
        require_status(ROOST_OK, roost_load_from(&loaded.handle, image_read, &source, NULL, NULL), NULL);
        require_equal(&t, &loaded);
        table_close(&loaded);
    }
    image_free(&image);
    table_close(&t);
}

static void reads_that_fail(const struct variant *variant)
{
    struct table t;
    open_numbers(&t, variant, NULL, 300);
    struct image image = save(&t, NULL);
    for (size_t lies = 0; lies < 2; lies++) {
        roost_status status = ROOST_ERR_IO;
        size_t at;
        for (at = 1; status; at++) {
            struct image_source source = {.at = image.at, .n = image.n, .step = 512};
            *(lies ? &source.lies_at : &source.fails_at) = at;
            roost_table *table = t.handle;
            suite_step("read %zu %s", at, lies ? "lies" : "fails");
            status = roost_load_from(&table, image_read, &source, NULL, NULL);
            require((table == NULL) == (status != ROOST_OK), "%s and a table %p", roost_status_name(status), (void *)table);
            require(!status || status == (lies ? ROOST_ERR_ARGUMENT : ROOST_ERR_IO), "%s", roost_status_name(status));
            require(!status || lies || strstr(roost_last_error(NULL), "77"), "\"%s\"", roost_last_error(NULL));
            roost_table_destroy(table);
        }
        require(at > 10, "%zu reads", at);
    }
    image_free(&image);
    table_close(&t);
}

/* Fails at a write. */
struct sink {
    uint64_t writes, fails_at;
};

static int sink_write(void *sink, const void *bytes, size_t n)
{
    struct sink *const s = sink;
    (void)bytes, (void)n;
    return ++s->writes == s->fails_at ? 33 : 0;
}

static void writes_that_fail(const struct variant *variant)
{
    struct table t;
    roost_status status = ROOST_ERR_IO;
    roost_save_options options = ROOST_SAVE_OPTIONS_INIT;
    roost_saved saved = ROOST_SAVED_INIT;
    const roost_saved none = ROOST_SAVED_INIT;
    options.saved = &saved;
    open_numbers(&t, variant, NULL, 300);
    for (uint64_t at = 1; status; at++) {
        struct sink sink = {0, at};
        suite_step("write %d", (int)at);
        status = roost_save_to(t.handle, sink_write, &sink, &options);
        require(status == ROOST_OK || status == ROOST_ERR_IO, "%s", roost_status_name(status));
        require(!status || strstr(roost_last_error(t.handle), "33"), "\"%s\"", roost_last_error(t.handle));
        require(!status || !memcmp(&saved, &none, sizeof saved), "a failed call told what it saved");
        require(sink.writes == at - !status, "%d writes after the one that failed", (int)(sink.writes - at));
        table_check(&t);
    }
    table_close(&t);
}

static int stop_at(void *context, uint64_t done, uint64_t pairs)
{
    uint64_t *const calls = context;
    require(done <= pairs, "%llu of %llu pairs", (unsigned long long)done, (unsigned long long)pairs);
    return --calls[0] == 0 ? 5 : 0;
}

static void progress_ends_calls(const struct variant *variant)
{
    struct table t, loaded;
    roost_load_options loading = ROOST_LOAD_OPTIONS_INIT;
    roost_save_options saving = ROOST_SAVE_OPTIONS_INIT;
    struct image half = {0};
    uint64_t calls = 1;
    open_numbers(&t, variant, NULL, 300);
    struct image image = save(&t, NULL);
    loading.progress = saving.progress = stop_at;
    loading.progress_context = saving.progress_context = &calls;
    require_status(ROOST_ERR_IO, roost_save_to(t.handle, image_write, &half, &saving), t.handle);
    calls = 1;
    require_status(ROOST_ERR_IO, load_into(&loaded, &image, variant->shape, NULL, &loading), NULL);
    calls = 1000;
    require_status(ROOST_OK, load_into(&loaded, &image, variant->shape, NULL, &loading), NULL);
    require(calls < 1000, "no progress");
    table_close(&loaded);
    image_free(&half);
    image_free(&image);
    table_close(&t);
}

/* ---- Compression ----------------------------------------------------------------------------- */

static void levels_of_zstd(const struct variant *variant)
{
    struct table t;
    roost_save_options options = ROOST_SAVE_OPTIONS_INIT;
    open_numbers(&t, variant, NULL, 0);
    uint64_t *keys = make_patterns(KEYS);
    for (size_t i = 0; i < KEYS; i++) keys[i] = i;
    require_status(ROOST_OK, table_insert(&t, ROOST_ASSIGN, keys, NULL, 0, NULL), t.handle);
    require_status(ROOST_OK, table_insert(&t, ROOST_ASSIGN, keys, keys, KEYS, NULL), t.handle);
    struct image plain = save(&t, NULL), image = {0};
    options.zstd = 1;
    const bool none = roost_save_to(t.handle, image_write, &image, &options) == ROOST_ERR_UNSUPPORTED;
    static const int levels[] = {1, 3, 19};
    for (size_t i = 0; i < sizeof levels / sizeof *levels && !none; i++) {
        options.zstd = levels[i];
        suite_step("level %d", levels[i]);
        image_free(&image);
        image = save(&t, &options);
        require(image.n < plain.n, "%zu bytes, and %zu without", image.n, plain.n);
        require_round(&t, NULL, &options);
    }
    static const int wrong[] = {-1, 20, 1 << 30};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options.zstd = wrong[i];
        require_answer(ARGUMENT, roost_save_to(t.handle, image_write, &image, &options), t.handle, "a level that is none");
    }
    image_free(&image);
    image_free(&plain);
    table_close(&t);
    free(keys);
    if (none) suite_skip("libzstd is not here");
}

/* ---- Pipes ----------------------------------------------------------------------------------- */

struct pipe_writer {
    roost_table *table;
    int to;
    roost_status status;
};

static const char behind[] = "the snapshot ends before";

static void *write_pipe(void *context)
{
    struct pipe_writer *const w = context;
    for (int i = 0; i < 2 && !w->status; i++) w->status = roost_save_fd(w->table, w->to, NULL);
    if (write(w->to, behind, sizeof behind) != sizeof behind) w->status = ROOST_ERR_IO;
    close(w->to);
    return NULL;
}

/* Two snapshots and other bytes come one after another. */
static void pipes(const struct variant *variant)
{
    struct table t, loaded = {.shape = *variant->shape};
    int ends[2];
    pthread_t thread;
    char rest[2 * sizeof behind];
    open_numbers(&t, variant, NULL, 20 * KEYS);
    require(!pipe(ends), "no pipe");
    struct pipe_writer writer = {t.handle, ends[1], ROOST_OK};
    require(!pthread_create(&thread, NULL, write_pipe, &writer), "no thread");
    for (int i = 0; i < 2; i++) {
        require_status(ROOST_OK, roost_load_fd(&loaded.handle, ends[0], NULL, NULL), NULL);
        table_check(&loaded);
        struct multimap m = contents(&loaded);
        require(m.n == 20 * KEYS, "%zu pairs", m.n);
        multimap_free(&m);
        table_close(&loaded);
    }
    require(read(ends[0], rest, sizeof rest) == sizeof behind && !memcmp(rest, behind, sizeof behind), "other bytes are behind");
    roost_table *none = t.handle;
    /* The end. */
    require_status(ROOST_ERR_ARGUMENT, roost_load_fd(&none, ends[0], NULL, NULL), NULL);
    require(none == NULL, "a table of nothing");
    pthread_join(thread, NULL);
    require_status(ROOST_OK, writer.status, t.handle);
    close(ends[0]);
    table_close(&t);
}

/* ---- Files ----------------------------------------------------------------------------------- */

struct folder {
    char path[64], file[96], link[96], beside[112];
};

static void folder_make(struct folder *f)
{
    snprintf(f->path, sizeof f->path, "/tmp/roost-snapshots-XXXXXX");
    require(mkdtemp(f->path) != NULL, "no folder: %s", strerror(errno));
    snprintf(f->file, sizeof f->file, "%s/table.roost", f->path);
    snprintf(f->link, sizeof f->link, "%s/link.roost", f->path);
    snprintf(f->beside, sizeof f->beside, "%s.saving", f->file);
}

static void folder_remove(const struct folder *f)
{
    unlink(f->file), unlink(f->link), unlink(f->beside);
    require(!rmdir(f->path), "%s has other files: %s", f->path, strerror(errno));
}

static void require_file(const char *path, const struct table *t)
{
    struct table loaded = {.shape = t->shape};
    require_status(ROOST_OK, roost_load_file(&loaded.handle, path, NULL, NULL), NULL);
    require_equal(t, &loaded);
    table_close(&loaded);
}

static void put_text(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    require(file && fputs(text, file) >= 0 && !fclose(file), "%s cannot be written", path);
}

static void files_are_replaced(const struct variant *variant)
{
    struct folder folder;
    struct table t;
    struct stat is;
    folder_make(&folder);
    open_numbers(&t, variant, NULL, KEYS);
    require_status(ROOST_OK, roost_save_file(t.handle, folder.file, NULL), t.handle);
    require_file(folder.file, &t);
    require(!chmod(folder.file, 0640) && !symlink("table.roost", folder.link), "no mode or link");
    put_text(folder.beside, "left there by a call that was killed");
    insert_numbers(&t, KEYS, 10);
    require_status(ROOST_OK, roost_save_file(t.handle, folder.link, NULL), t.handle);
    require(!lstat(folder.link, &is) && S_ISLNK(is.st_mode), "the link was replaced");
    require(!stat(folder.file, &is) && (is.st_mode & 07777) == 0640, "the mode is %o", is.st_mode);
    require(access(folder.beside, F_OK) != 0, "%s is left", folder.beside);
    require_file(folder.file, &t);
    table_close(&t);
    folder_remove(&folder);
}

static int never(void *context, uint64_t done, uint64_t pairs)
{
    (void)context, (void)done, (void)pairs;
    return 1;
}

/* A save that fails leaves the old file and none beside it. */
static void failed_saves(const struct variant *variant)
{
    struct folder folder;
    struct table t, more;
    roost_save_options options = ROOST_SAVE_OPTIONS_INIT;
    folder_make(&folder);
    options.progress = never;
    open_numbers(&t, variant, NULL, KEYS);
    open_numbers(&more, variant, NULL, 2 * KEYS);
    require_status(ROOST_ERR_IO, roost_save_file(more.handle, folder.file, &options), more.handle);
    require(access(folder.file, F_OK) != 0 && access(folder.beside, F_OK) != 0, "half a file is left");
    require_status(ROOST_OK, roost_save_file(t.handle, folder.file, NULL), t.handle);
    require_status(ROOST_ERR_IO, roost_save_file(more.handle, folder.file, &options), more.handle);
    require(access(folder.beside, F_OK) != 0, "half a file is left");
    require_file(folder.file, &t);
    table_close(&t);
    table_close(&more);
    folder_remove(&folder);
}

/* The file beside may be another file's second name, or no file. */
static void others_are_not_written(const struct variant *variant)
{
    struct folder folder;
    struct table t;
    char text[8] = "";
    folder_make(&folder);
    open_numbers(&t, variant, NULL, KEYS);
    put_text(folder.link, "mine");
    require(!link(folder.link, folder.beside), "no second name");
    (void)roost_save_file(t.handle, folder.file, NULL);
    FILE *file = fopen(folder.link, "r");
    require(file && fgets(text, sizeof text, file) && !strcmp(text, "mine"), "another file was written over");
    fclose(file);
    unlink(folder.beside);
    require(!symlink("link.roost", folder.beside), "no link");
    require_status(ROOST_ERR_IO, roost_save_file(t.handle, folder.file, NULL), t.handle);
    unlink(folder.beside);
    require(!mkfifo(folder.beside, 0600), "no pipe");
    (void)roost_save_file(t.handle, folder.file, NULL); /* returns */
    unlink(folder.beside);
    table_close(&t);
    folder_remove(&folder);
}

static void no_files(const struct variant *variant)
{
    struct folder folder;
    struct table t;
    char path[160];
    folder_make(&folder);
    snprintf(path, sizeof path, "%s/none/table.roost", folder.path);
    open_numbers(&t, variant, NULL, KEYS);
    require_status(ROOST_ERR_IO, roost_save_file(t.handle, path, NULL), t.handle);
    require(strstr(roost_last_error(t.handle), path) != NULL, "\"%s\"", roost_last_error(t.handle));
    require_status(ROOST_ERR_IO, roost_save_file(t.handle, folder.path, NULL), t.handle);
    require_status(ROOST_ERR_IO, roost_save_file(t.handle, "/dev/full", NULL), t.handle);
    require_status(ROOST_ERR_IO, roost_save_fd(t.handle, -1, NULL), t.handle);
    require_status(ROOST_ERR_IO, roost_save_file(t.handle, "", NULL), t.handle);
    require_status(ROOST_OK, roost_save_file(t.handle, "/dev/null", NULL), t.handle);
    roost_table *loaded = t.handle;
    require_status(ROOST_ERR_IO, roost_load_file(&loaded, path, NULL, NULL), NULL);
    require(!loaded && strstr(roost_last_error(NULL), path) != NULL, "\"%s\"", roost_last_error(NULL));
    loaded = t.handle;
    require_status(ROOST_ERR_IO, roost_load_file(&loaded, folder.path, NULL, NULL), NULL);
    require(!loaded, "a table of a folder");
    put_text(folder.file, "keys and values");
    require_status(ROOST_ERR_ARGUMENT, roost_load_file(&loaded, folder.file, NULL, NULL), NULL);
    put_text(folder.file, "");
    require_status(ROOST_ERR_ARGUMENT, roost_load_file(&loaded, folder.file, NULL, NULL), NULL);
    table_close(&t);
    folder_remove(&folder);
}

/* ---- Changes --------------------------------------------------------------------------------- */

enum { DELTAS = 4 };

/* A table that logs its changes, and the file of its whole save. */
struct changing {
    struct folder folder;
    char delta[DELTAS][112];
    struct table table;
    roost_saved told;
    roost_save_options options; /* tell `told` */
};

static void changing_open(struct changing *c, const struct variant *variant)
{
    roost_config config;
    folder_make(&c->folder);
    for (int i = 0; i < DELTAS; i++) snprintf(c->delta[i], sizeof c->delta[i], "%s.%d", c->folder.file, i + 1);
    table_config(variant, &config);
    config.flags = ROOST_CHANGES;
    open_numbers(&c->table, variant, &config, KEYS);
    c->told = (roost_saved)ROOST_SAVED_INIT;
    c->options = (roost_save_options)ROOST_SAVE_OPTIONS_INIT;
    c->options.saved = &c->told;
    require_status(ROOST_OK, roost_save_file(c->table.handle, c->folder.file, NULL), c->table.handle);
}

static void changing_close(struct changing *c)
{
    for (int i = 0; i < DELTAS; i++) unlink(c->delta[i]);
    table_close(&c->table);
    folder_remove(&c->folder);
}

/* Erases some keys, updates some and inserts some; saves that as changes `number`, from 0. */
static void changing_save(struct changing *c, int number)
{
    uint64_t *keys = numbered_keys(&c->table.shape, 50 * (size_t)number, 20);
    require_status(ROOST_OK, table_erase(&c->table, keys, 20, NULL), c->table.handle);
    free(keys);
    insert_numbers(&c->table, 50 * (size_t)number + 30, 100);
    insert_numbers(&c->table, KEYS + 10 * (size_t)number, 15);
    require_status(ROOST_OK, roost_save_changes(c->table.handle, c->delta[number], &c->options), c->table.handle);
    const roost_saved *const told = &c->told;
    require(!told->whole && told->number == (uint32_t)number + 1 && told->erased && told->pairs < KEYS / 2,
            "changes %u of %llu pairs, %llu erased: %s", told->number, (unsigned long long)told->pairs,
            (unsigned long long)told->erased, told->reason);
}

static void changing_load(const struct changing *c, struct table *t)
{
    *t = (struct table){.shape = c->table.shape};
    require_status(ROOST_OK, roost_load_file(&t->handle, c->folder.file, NULL, NULL), NULL);
}

/* Changes give what the table has, and a loaded table goes on saving them. */
static void changes_follow_each_other(const struct variant *variant)
{
    struct changing c;
    struct table loaded;
    changing_open(&c, variant);
    for (int i = 0; i < DELTAS - 1; i++) changing_save(&c, i);
    changing_load(&c, &loaded);
    for (int i = 0; i < DELTAS - 1; i++) {
        suite_step("changes %d", i + 1);
        require_status(ROOST_OK, roost_load_changes(loaded.handle, c.delta[i], NULL), loaded.handle);
        table_check(&loaded);
    }
    require_equal(&c.table, &loaded);
    insert_numbers(&loaded, 7 * KEYS, 5);
    require_status(ROOST_OK, roost_save_changes(loaded.handle, c.delta[DELTAS - 1], &c.options), loaded.handle);
    require(c.told.number == DELTAS && c.told.pairs == 5, "changes %u", c.told.number);
    table_close(&loaded);
    changing_close(&c);
}

static void require_changes_refused(const struct table *t, const char *path, const roost_load_options *options, unsigned answers)
{
    struct multimap before = contents(t);
    require_answer(answers, roost_load_changes(t->handle, path, options), t->handle, path);
    struct multimap after = contents(t);
    require(before.n == after.n && !memcmp(before.pairs, after.pairs, before.n * sizeof *before.pairs),
            "refused changes were made");
    table_check(t);
    multimap_free(&before);
    multimap_free(&after);
}

/* A gap, the same again, another base, a table that was written to, a whole snapshot. */
static void changes_that_do_not_follow(const struct variant *variant)
{
    struct changing c, other;
    struct table loaded;
    changing_open(&c, variant);
    changing_open(&other, variant);
    changing_save(&c, 0);
    changing_save(&c, 1);
    changing_save(&other, 0);
    changing_load(&c, &loaded);
    require_changes_refused(&loaded, c.delta[1], NULL, ARGUMENT);
    require_changes_refused(&loaded, other.delta[0], NULL, ARGUMENT);
    require_changes_refused(&loaded, c.folder.file, NULL, ARGUMENT);
    require_status(ROOST_OK, roost_load_changes(loaded.handle, c.delta[0], NULL), loaded.handle);
    require_changes_refused(&loaded, c.delta[0], NULL, ARGUMENT);
    insert_numbers(&loaded, 0, 1);
    require_changes_refused(&loaded, c.delta[1], NULL, ARGUMENT);
    table_close(&loaded);
    roost_table *none = c.table.handle;
    require_status(ROOST_ERR_ARGUMENT, roost_load_file(&none, c.delta[0], NULL, NULL), NULL);
    require(!none, "a table of changes alone");
    changing_close(&c);
    changing_close(&other);
}

/* Every 7th byte is flipped, and the file is cut off there: nothing is applied, salvaged or not. */
static void damaged_changes(const struct variant *variant)
{
    struct changing c;
    struct table loaded;
    roost_load_options salvage = ROOST_LOAD_OPTIONS_INIT;
    uint8_t bytes[1 << 16];
    changing_open(&c, variant);
    changing_save(&c, 0);
    changing_load(&c, &loaded);
    FILE *file = fopen(c.delta[0], "r");
    const size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    require(n && n < sizeof bytes && !fclose(file), "%s has %zu bytes", c.delta[0], n);
    salvage.flags = ROOST_SALVAGE;
    for (size_t at = 0; at < n; at += settings_size(7, 97))
        for (int cut = 0; cut < 2; cut++) {
            suite_step("byte %zu %s", at, cut ? "is the end" : "is another one");
            bytes[at] ^= 0x10;
            file = fopen(c.delta[0], "w");
            require(file && fwrite(bytes, 1, cut ? at : n, file) == (cut ? at : n) && !fclose(file), "no file");
            require_changes_refused(&loaded, c.delta[0], NULL, ARGUMENT | ANSWER(ROOST_ERR_CORRUPT));
            require_changes_refused(&loaded, c.delta[0], &salvage, ARGUMENT | ANSWER(ROOST_ERR_CORRUPT));
            bytes[at] ^= 0x10;
        }
    table_close(&loaded);
    changing_close(&c);
}

/* A save that fails loses no change; a clear asks for a whole save. */
static void failed_changes(const struct variant *variant)
{
    struct changing c;
    struct table loaded;
    roost_save_options fails = ROOST_SAVE_OPTIONS_INIT;
    fails.progress = never;
    changing_open(&c, variant);
    insert_numbers(&c.table, KEYS, 10);
    require_status(ROOST_ERR_IO, roost_save_changes(c.table.handle, c.delta[0], &fails), c.table.handle);
    require(access(c.delta[0], F_OK) != 0, "half of the changes are left");
    changing_save(&c, 0);
    changing_load(&c, &loaded);
    require_status(ROOST_OK, roost_load_changes(loaded.handle, c.delta[0], NULL), loaded.handle);
    require_equal(&c.table, &loaded);
    table_close(&loaded);
    require_status(ROOST_OK, roost_table_clear(c.table.handle), c.table.handle);
    require_status(ROOST_OK, roost_save_changes(c.table.handle, c.delta[0], &c.options), c.table.handle);
    require(c.told.whole && *c.told.reason && !c.told.pairs, "\"%s\"", c.told.reason);
    require_file(c.delta[0], &c.table);
    changing_close(&c);
}

/* ---- Savers of one file ---------------------------------------------------------------------- */

enum { SAVES = 500, SAVERS = 2 };

struct saver {
    const char *path;
    struct table table;
    unsigned saved, other;
};

/* A save is refused only where the other one is under way. */
static void *save_often(void *context)
{
    struct saver *const s = context;
    roost_save_options options = ROOST_SAVE_OPTIONS_INIT;
    options.no_sync = 1;
    while (s->saved < SAVES && !s->other) {
        const roost_status status = roost_save_file(s->table.handle, s->path, &options);
        s->saved += status == ROOST_OK;
        s->other += status && (status != ROOST_ERR_IO || !strstr(roost_last_error(s->table.handle), "another call saves it"));
    }
    return NULL;
}

static void savers_begin(struct saver savers[SAVERS], const struct variant *variant, const char *path)
{
    for (size_t i = 0; i < SAVERS; i++) {
        savers[i] = (struct saver){.path = path};
        open_numbers(&savers[i].table, variant, NULL, 100 * (i + 1));
    }
    require_status(ROOST_OK, roost_save_file(savers[0].table.handle, path, NULL), savers[0].table.handle);
}

/* The file is always one of the tables. */
static void two_savers(const struct variant *variant)
{
    struct folder folder;
    pthread_t thread[SAVERS];
    struct saver savers[SAVERS];
    struct table loaded = {.shape = *variant->shape};
    folder_make(&folder);
    savers_begin(savers, variant, folder.file);
    for (int i = 0; i < SAVERS; i++) require(!pthread_create(&thread[i], NULL, save_often, &savers[i]), "no thread");
    for (int i = 0; i < 100; i++) {
        require_status(ROOST_OK, roost_load_file(&loaded.handle, folder.file, NULL, NULL), NULL);
        struct multimap m = contents(&loaded);
        require(m.n == 100 || m.n == 200, "%zu pairs", m.n);
        multimap_free(&m);
        table_close(&loaded);
    }
    for (int i = 0; i < SAVERS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < SAVERS; i++) {
        require(!savers[i].other, "after %u saves: \"%s\"", savers[i].saved, roost_last_error(savers[i].table.handle));
        table_close(&savers[i].table);
    }
    require(access(folder.beside, F_OK) != 0, "%s is left", folder.beside);
    folder_remove(&folder);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void refused_memory(const struct variant *variant)
{
    struct table t, loaded;
    roost_status status = ROOST_ERR_MEMORY;
    open_numbers(&t, variant, NULL, 5000);
    struct image image = save(&t, NULL);
    for (uint64_t at = 1; status; at += 1) {
        struct allocator allocator = {.refuse_at = at, .refuse_on = true};
        roost_config config;
        table_config(variant, &config);
        config.allocator = allocator_hooks(&allocator);
        config.device_allocator = allocator_device_hooks(&allocator);
        suite_step("request %d and later", (int)at);
        status = load_into(&loaded, &image, variant->shape, &config, NULL);
        require(status == ROOST_OK || status == ROOST_ERR_MEMORY, "%s: %s", roost_status_name(status), roost_last_error(NULL));
        if (!status) require_equal(&t, &loaded);
        table_close(&loaded);
        require(allocator.bytes == 0, "%llu bytes were not given back", (unsigned long long)allocator.bytes);
    }
    image_free(&image);
    table_close(&t);
}

static bool save_fault_at(const struct variant *variant, enum fault_kind kind, uint64_t at, bool on)
{
    struct table t;
    struct image image = {0};
    const int64_t before = faulty_pieces();
    faulty_begin(FAULTY_PLAIN);
    open_numbers(&t, variant, NULL, 500);
    faulty_stage();
    faulty_arm(kind, at, on);
    const roost_status status = roost_save_to(t.handle, image_write, &image, NULL);
    const bool more = faulty_injected() > 0;
    faulty_arm(kind, 0, false);
    require(status == ROOST_OK || status == ROOST_ERR_MEMORY || status == ROOST_ERR_DEVICE, "%s", roost_status_name(status));
    if (!status) require_loads(&image, &t, NULL);
    table_check(&t);
    image_free(&image);
    image = save(&t, NULL);
    require_loads(&image, &t, NULL);
    image_free(&image);
    table_close(&t);
    faulty_end_released(before);
    return more;
}

static bool load_fault_at(const struct variant *variant, enum fault_kind kind, uint64_t at, bool on)
{
    struct table t, loaded;
    roost_config config;
    const int64_t before = faulty_pieces();
    open_numbers(&t, variant, NULL, 500);
    struct image image = save(&t, NULL);
    table_config(variant, &config);
    faulty_begin(FAULTY_PLAIN);
    faulty_arm(kind, at, on);
    const roost_status status = load_into(&loaded, &image, variant->shape, &config, NULL);
    const bool more = faulty_injected() > 0;
    faulty_arm(kind, 0, false);
    require(status == ROOST_OK || status == ROOST_ERR_MEMORY || status == ROOST_ERR_DEVICE, "%s", roost_status_name(status));
    if (!status) table_check(&loaded);
    if (!status) require_equal(&t, &loaded);
    table_close(&loaded);
    table_close(&t);
    image_free(&image);
    faulty_end_released(before);
    return more;
}

static void faults_while_saving(const struct variant *variant) { faulty_each(variant, save_fault_at); }
static void faults_while_loading(const struct variant *variant) { faulty_each(variant, load_fault_at); }

/* ---- Wrong calls ----------------------------------------------------------------------------- */

/* Structs of other sizes are refused, and nothing is written to them. */
static void wrong_sizes(const struct variant *variant)
{
    struct table t;
    roost_saved saved = ROOST_SAVED_INIT;
    roost_loaded loaded = ROOST_LOADED_INIT;
    roost_save_options saving = ROOST_SAVE_OPTIONS_INIT;
    roost_load_options loading = ROOST_LOAD_OPTIONS_INIT;
    struct table none;
    open_numbers(&t, variant, NULL, 5);
    struct image image = save(&t, NULL), other = {0};
    saving.size--;
    require_answer(ARGUMENT, roost_save_to(t.handle, image_write, &other, &saving), t.handle, "a size");
    saving.size++;
    saved.size--;
    saving.saved = &saved;
    require_answer(ARGUMENT, roost_save_to(t.handle, image_write, &other, &saving), t.handle, "a size of what is told");
    loading.size++;
    require_answer(ARGUMENT, load_into(&none, &image, variant->shape, NULL, &loading), NULL, "a size");
    loading.size--;
    loaded.size = sizeof loaded.size;
    loading.loaded = &loaded;
    require_answer(ARGUMENT, load_into(&none, &image, variant->shape, NULL, &loading), NULL, "a size of what is told");
    require(loaded.size == sizeof loaded.size && !loaded.bytes, "a struct of another size was written");
    loading.loaded = NULL;
    loading.flags = 0x40;
    require_answer(ARGUMENT, load_into(&none, &image, variant->shape, NULL, &loading), NULL, "an unknown flag");
    loading.flags = 0;
    loading.reserved = 1;
    require_answer(ARGUMENT, load_into(&none, &image, variant->shape, NULL, &loading), NULL, "a reserved member");
    require(!other.n, "refused calls wrote");
    image_free(&image);
    table_close(&t);
}

static void wrong_calls(const struct variant *variant)
{
    struct table t;
    roost_table *loaded = NULL;
    roost_snapshot_info info;
    open_numbers(&t, variant, NULL, 5);
    require_answer(ARGUMENT, roost_save_file(NULL, "x", NULL), NULL, "no table");
    require_answer(ARGUMENT, roost_save_file(t.handle, NULL, NULL), t.handle, "no path");
    require_answer(ARGUMENT, roost_save_fd(NULL, 1, NULL), NULL, "no table");
    require_answer(ARGUMENT, roost_save_to(NULL, image_write, NULL, NULL), NULL, "no table");
    require_answer(ARGUMENT, roost_save_to(t.handle, NULL, NULL, NULL), t.handle, "no function");
    require_answer(ARGUMENT, roost_load_file(NULL, "x", NULL, NULL), NULL, "no table");
    require_answer(ARGUMENT, roost_load_file(&loaded, NULL, NULL, NULL), NULL, "no path");
    require_answer(ARGUMENT, roost_load_fd(NULL, 0, NULL, NULL), NULL, "no table");
    require_answer(ARGUMENT, roost_load_from(&loaded, NULL, NULL, NULL, NULL), NULL, "no function");
    require_answer(ARGUMENT, roost_snapshot_describe(NULL, &info, sizeof info), NULL, "no path");
    require_answer(ARGUMENT, roost_snapshot_describe("x", NULL, sizeof info), NULL, "no info");
    require_answer(ARGUMENT, roost_snapshot_describe("x", &info, sizeof info - 1), NULL, "a size");
    table_close(&t);
}

static void add_on_host(void)
{
    suite_add_once("two savers", two_savers);
    suite_add_some("refused memory", refused_memory, shape_has_values);
    suite_add_wide("refused memory", refused_memory, shape_has_values);
    suite_add_once("faults while saving", faults_while_saving);
    suite_add_once("faults while loading", faults_while_loading);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("loads what was saved", loads_what_was_saved);
    suite_add_wide("loads what was saved", loads_what_was_saved, shape_is_any);
    suite_add_once("all value types", all_value_types);
    suite_add_widths("erased keys", erased_keys);
    suite_add_wide("erased keys", erased_keys, shape_is_any);
    suite_add("large tables", large_tables, (struct variant){.shape = shape_named("8+8")});
    if (settings_on_stadium()) suite_add("large tables", large_tables, (struct variant){.shape = shape_named("s+4 u32")});
    suite_add_widths("other engines", other_engines);
    suite_add_wide("other engines", other_engines, shape_is_any);
    suite_add_some("multimaps", multimaps, shape_has_values);
    suite_add_some("numbers go on", numbers_go_on, has_numbers);
    suite_add_wide("numbers go on", numbers_go_on, has_numbers);
    suite_add_some("fixed tables", fixed_tables, shape_has_values);
    suite_add_some("configurations without room", configurations_without_room, shape_has_values);
    suite_add_some("saturation is kept", saturation_is_kept, has_sums);
    suite_add_some("engines are kept", engines_are_kept, shape_has_values);
    suite_add_widths("unknown engines", unknown_engines);
    suite_add_once("other types are refused", other_types_are_refused);
    suite_add_widths("reads of any size", reads_of_any_size);
    suite_add_once("reads that fail", reads_that_fail);
    suite_add_once("writes that fail", writes_that_fail);
    suite_add_once("progress ends calls", progress_ends_calls);
    suite_add_some("levels of Zstandard", levels_of_zstd, shape_has_values);
    suite_add_widths("pipes", pipes);
    suite_add_widths("files are replaced", files_are_replaced);
    suite_add_once("failed saves", failed_saves);
    suite_add_once("others are not written", others_are_not_written);
    suite_add_once("no files", no_files);
    suite_add_widths("changes follow each other", changes_follow_each_other);
    suite_add_wide("changes follow each other", changes_follow_each_other, shape_is_any);
    suite_add_some("changes that do not follow", changes_that_do_not_follow, shape_has_values);
    suite_add_once("damaged changes", damaged_changes);
    suite_add_once("failed changes", failed_changes);
    suite_add_once("wrong sizes", wrong_sizes);
    suite_add_once("wrong calls", wrong_calls);
    if (!settings_on_gpu()) add_on_host();
    return suite_run("snapshots");
}
