/* Snapshots that are damaged, cut off, mixed, or forged with right checksums: each is refused, or
 * with ROOST_SALVAGE gives pairs that were saved. */
#include "support/address_space.h"
#include "support/answers.h"
#include "support/draw.h"
#include "support/multimap.h"
#include "support/settings.h"
#include "support/snapshots.h"
#include "support/tables.h"
#include "roost/multi.h"
#include "roost/numbers.h"
#include "roost/snapshot.h"
#include "roost/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snapshots/snapshot_reader.h"
#include "snapshots/snapshot_zstd.h"

typedef unsigned long long ull;

/* ---- Loads ----------------------------------------------------------------------------------- */

struct loading {
    roost_status status;
    struct table table;
    roost_loaded loaded;
};

static struct loading load(const uint8_t *bytes, size_t n, const struct test_shape *shape, uint32_t flags)
{
    struct image_source source = {.at = bytes, .n = n};
    struct loading l = {.table = {.shape = *shape, .handle = (roost_table *)&source}, .loaded = ROOST_LOADED_INIT};
    roost_load_options options = ROOST_LOAD_OPTIONS_INIT;
    roost_config config = ROOST_CONFIG_INIT;
    options.flags = flags | ROOST_TYPES_AS_SAVED;
    options.loaded = &l.loaded;
    config.device = "host";
    config.threads = 1;
    l.status = roost_load_from(&l.table.handle, image_read, &source, &config, &options);
    require((l.status == ROOST_OK) == (l.table.handle != NULL), "%s and table %p", roost_status_name(l.status),
            (void *)l.table.handle);
    require(!l.status || *roost_last_error(NULL), "an error without a text");
    return l;
}

static void require_refused(const struct image *image, const struct test_shape *shape)
{
    const struct loading l = load(image->at, image->n, shape, 0);
    require(l.status == ROOST_ERR_CORRUPT || l.status == ROOST_ERR_ARGUMENT, "%s: \"%s\"", roost_status_name(l.status),
            roost_last_error(NULL));
}

/* Whatever is damaged, the pairs that come are some that were saved.  Returns their number. */
static size_t require_some(const uint8_t *bytes, size_t n, const struct test_shape *shape, struct multimap *saved)
{
    struct loading l = load(bytes, n, shape, ROOST_SALVAGE);
    require(!l.status || l.status == ROOST_ERR_CORRUPT, "%s: \"%s\"", roost_status_name(l.status), roost_last_error(NULL));
    if (l.status) return 0;
    table_check(&l.table);
    struct pairs pairs = table_export(&l.table, 1000);
    struct multimap got = {0};
    for (size_t i = 0; i < pairs.n; i++) {
        const struct multimap_pair *first;
        const size_t there = multimap_count(saved, pairs.keys[i], &first);
        size_t same = 0;
        for (size_t k = 0; k < there; k++) same += first[k].value == pairs.values[i];
        require(same > 0, "key %#llx has value %#llx", (ull)pairs.keys[i], (ull)pairs.values[i]);
        multimap_add(&got, pairs.keys[i], pairs.values[i]);
    }
    require(pairs.n == l.loaded.pairs && pairs.n <= saved->n, "%zu pairs, and %llu were told", pairs.n, (ull)l.loaded.pairs);
    require(pairs.n == saved->n || l.loaded.blocks_lost, "%zu pairs of %zu, and no block was lost", pairs.n, saved->n);
    const size_t some = pairs.n;
    multimap_free(&got);
    pairs_free(&pairs);
    table_close(&l.table);
    return some;
}

/* ---- Snapshots of some kinds ----------------------------------------------------------------- */

struct kind {
    const char *shape;
    uint32_t flags;
    int zstd;
    size_t keys;
};

static const struct kind kinds[] = {{"8+8", 0, 0, 5},     {"4+0", 0, 0, 3},           {"4+4", ROOST_NUMBERED, 0, 5},
                                    {"s+4 u32", 0, 0, 6}, {"8+4", ROOST_MULTI, 0, 5}, {"12+12", 0, 0, 3},
                                    {"4+8", 0, 3, 64},    {"s+0", 0, 19, 40}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool kind_is_here(const struct kind *kind)
{
    roost_engine_info info;
    const struct zstd *zstd;
    struct error error;
    bool multi = false;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++) multi |= info.multi;
    if (kind->zstd && zstd_find(&zstd, &error) != ROOST_OK) return false;
    if (kind->flags & ROOST_MULTI) return multi;
    return shape_index(shape_named(kind->shape)) < SHAPE_COUNT || engine_is_built("stadium");
}

/* Saves a small table of this kind, and lists its pairs. */
static void kind_save(const struct kind *kind, struct image *image, struct multimap *saved)
{
    const struct variant variant = {.shape = shape_named(kind->shape)};
    struct table t;
    roost_config config;
    roost_save_options options = ROOST_SAVE_OPTIONS_INIT;
    table_config(&variant, &config);
    config.engine = NULL;
    config.flags = kind->flags;
    config.threads = 1;
    table_open(&t, &variant, &config);
    uint64_t *keys = numbered_keys(variant.shape, 3, kind->keys), *values = make_patterns(kind->keys);
    for (size_t i = 0; i < kind->keys; i++) values[i] = kind->zstd ? 1 : i;
    const roost_status status =
        kind->flags & ROOST_NUMBERED
            ? table_number(&t, keys, kind->keys, values, NULL, 0)
            : table_insert(&t, kind->flags & ROOST_MULTI ? ROOST_APPEND : ROOST_ASSIGN, keys, values, kind->keys, NULL);
    require_status(ROOST_OK, status, t.handle);
    *image = (struct image){0};
    *saved = (struct multimap){0};
    options.zstd = kind->zstd;
    require_status(ROOST_OK, roost_save_to(t.handle, image_write, image, &options), t.handle);
    struct pairs pairs = table_export(&t, 1000);
    for (size_t i = 0; i < pairs.n; i++) multimap_add(saved, pairs.keys[i], pairs.values[i]);
    pairs_free(&pairs);
    free(keys), free(values);
    table_close(&t);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static void every_byte(const struct variant *variant)
{
    static const uint8_t patterns[] = {0x01, 0xFF};
    const struct kind *const kind = &kinds[variant->number];
    const struct test_shape *const shape = shape_named(kind->shape);
    const size_t n_patterns = settings_sanitized() ? 1 : settings_size(sizeof patterns, 1);
    struct image image;
    struct multimap saved;
    if (!kind_is_here(kind)) return suite_skip("no engine, or no libzstd, has such tables");
    kind_save(kind, &image, &saved);
    size_t most = 0, blocks[IMAGE_BLOCKS + 1];
    const size_t n = image_blocks(&image, blocks);
    const size_t step = settings_sanitized() ? 5 : 1;
    for (size_t at = 0; at < image.n; at += step)
        for (size_t i = 0; i < n_patterns; i++) {
            suite_step("byte %zu with %#x", at, patterns[i]);
            image.at[at] ^= patterns[i];
            require_refused(&image, shape);
            const size_t some = require_some(image.at, image.n, shape, &saved);
            if (at < blocks[2] || at >= blocks[n - 1]) require(some == saved.n, "damage elsewhere cost %zu pairs", saved.n - some);
            if (some > most) most = some;
            image.at[at] ^= patterns[i];
        }
    require(most == saved.n, "at most %zu pairs of %zu were salvaged", most, saved.n);
    const struct loading l = load(image.at, image.n, shape, 0);
    require_status(ROOST_OK, l.status, NULL);
    roost_table_destroy(l.table.handle);
    multimap_free(&saved);
    image_free(&image);
}

static void every_length(const struct variant *variant)
{
    const struct kind *const kind = &kinds[variant->number];
    const struct test_shape *const shape = shape_named(kind->shape);
    struct image image;
    struct multimap saved;
    if (!kind_is_here(kind)) return suite_skip("no engine, or no libzstd, has such tables");
    kind_save(kind, &image, &saved);
    for (size_t n = 0; n < image.n; n += settings_sanitized() ? 5 : 1) {
        const struct image cut = {image.at, n, n};
        uint8_t *const exact = malloc(n + 1);
        suite_step("%zu bytes of %zu", n, image.n);
        if (!exact) abort();
        memcpy(exact, image.at, n);
        require_refused(&cut, shape);
        (void)require_some(exact, n, shape, &saved);
        free(exact);
    }
    multimap_free(&saved);
    image_free(&image);
}

/* ---- Blocks that are elsewhere --------------------------------------------------------------- */

enum { BLOCKS = 6, OF_BLOCK = 5 };

static void words_of_block(uint64_t block, uint64_t words[2 * OF_BLOCK])
{
    for (uint64_t i = 0; i < OF_BLOCK; i++) words[i] = block * 100 + i, words[OF_BLOCK + i] = ~words[i];
}

/* A snapshot of several blocks. */
static struct image image_of_blocks(uint64_t id, struct multimap *saved)
{
    struct forge forge;
    const struct header h = forge_header(BLOCKS * OF_BLOCK);
    forge_begin(&forge, &h, id);
    for (uint64_t block = 0; block < BLOCKS; block++) {
        uint64_t words[2 * OF_BLOCK];
        words_of_block(block, words);
        forge_words(&forge, OF_BLOCK, words);
        for (int i = 0; i < OF_BLOCK && saved; i++) multimap_add(saved, words[i], words[OF_BLOCK + i]);
    }
    forge_end(&forge);
    return forge.image;
}

/* The blocks in another order; those above 99 are of the other snapshot. */
static struct image blocks_in_order(const struct image *image, const struct image *other, const int *order, size_t n)
{
    size_t at[IMAGE_BLOCKS + 1];
    struct image out = {0};
    image_blocks(image, at);
    for (size_t i = 0; i < n; i++) {
        const struct image *const from = order[i] >= 100 ? other : image;
        image_add(&out, from->at + at[order[i] % 100], at[order[i] % 100 + 1] - at[order[i] % 100]);
    }
    return out;
}

enum { ALL_BLOCKS = BLOCKS + 3 };

struct scene {
    struct image image, other;
    struct multimap saved;
    const struct test_shape *shape;
};

static struct scene scene_make(void)
{
    struct scene s = {.shape = shape_named("8+8")};
    s.image = image_of_blocks(1, &s.saved);
    s.other = image_of_blocks(2, NULL);
    return s;
}

static void scene_free(struct scene *s)
{
    image_free(&s->image);
    image_free(&s->other);
    multimap_free(&s->saved);
}

/* This order is refused, and salvage gives at least this number of blocks of pairs. */
static void require_order(struct scene *s, const int *order, size_t n, size_t blocks)
{
    struct image image = blocks_in_order(&s->image, &s->other, order, n);
    /* A second END is behind the snapshot, and left unread. */
    if (n <= ALL_BLOCKS || order[ALL_BLOCKS - 1] < ALL_BLOCKS - 1) require_refused(&image, s->shape);
    const size_t some = require_some(image.at, image.n, s->shape, &s->saved);
    require(some >= blocks * OF_BLOCK, "%zu pairs, and %zu were whole", some, blocks * OF_BLOCK);
    image_free(&image);
}

static void blocks_elsewhere(const struct variant *variant)
{
    (void)variant;
    struct scene s = scene_make();
    int order[ALL_BLOCKS + 1];
    require(s.image.n == s.other.n, "two sizes");
    for (int a = 0; a < ALL_BLOCKS; a++) {
        const bool pairs = a >= 2 && a < ALL_BLOCKS - 1;
        size_t n = 0;
        suite_step("block %d is missing", a);
        for (int i = 0; i < ALL_BLOCKS; i++)
            if (i != a) order[n++] = i;
        require_order(&s, order, n, BLOCKS - pairs);
        suite_step("block %d comes twice", a);
        for (n = 0; (int)n <= ALL_BLOCKS; n++) order[n] = (int)n <= a ? (int)n : (int)n - 1;
        require_order(&s, order, n, BLOCKS);
        suite_step("block %d is of another snapshot", a);
        for (n = 0; (int)n < ALL_BLOCKS; n++) order[n] = (int)n == a ? 100 + a : (int)n;
        require_order(&s, order, n, a ? BLOCKS - pairs : 0);
        for (int b = a + 1; b < ALL_BLOCKS; b++) {
            suite_step("blocks %d and %d are exchanged", a, b);
            for (n = 0; (int)n < ALL_BLOCKS; n++) order[n] = (int)n == a ? b : (int)n == b ? a : (int)n;
            require_order(&s, order, n, 0);
        }
    }
    scene_free(&s);
}

/* A snapshot whose bytes from `at` on are missing, or which has a byte too many there. */
static struct image image_without(const struct image *image, size_t at, size_t missing)
{
    struct image out = {0};
    image_add(&out, image->at, at);
    if (!missing) image_add(&out, "?", 1);
    image_add(&out, image->at + at + missing, image->n - at - missing);
    return out;
}

/* Pairs of all blocks but `lost` of them are salvaged. */
static void require_left(struct scene *s, struct image image, size_t lost)
{
    require_refused(&image, s->shape);
    const size_t some = require_some(image.at, image.n, s->shape, &s->saved);
    require(some >= (BLOCKS - lost) * OF_BLOCK, "%zu pairs of %zu are left", some, s->saved.n);
    image_free(&image);
}

/* Bytes that are missing, or one too many, cost the blocks that they belong to; not the next one,
 * whose first bytes are taken for the last ones of the block before. */
static void bytes_elsewhere(const struct variant *variant)
{
    (void)variant;
    struct scene s = scene_make();
    size_t blocks[IMAGE_BLOCKS + 1];
    const size_t n = image_blocks(&s.image, blocks);
    for (size_t missing = 0; missing < 400; missing += missing < 4 ? 1 : 61)
        for (size_t at = 0; at + missing < s.image.n; at += 13) {
            const bool headless = at < blocks[1] && at + missing > blocks[1];
            size_t lost = headless ? BLOCKS : 0;
            for (size_t b = 2; b + 1 < n && !headless; b++) lost += blocks[b] < at + (missing ? missing : 1) && at < blocks[b + 1];
            suite_step("%zu bytes less at %zu", missing, at);
            require_left(&s, image_without(&s.image, at, missing), lost);
        }
    scene_free(&s);
}

/* A byte is missing in two blocks each: these are lost, and no other. */
static void bytes_of_two(const struct variant *variant)
{
    (void)variant;
    struct scene s = scene_make();
    size_t at[IMAGE_BLOCKS + 1];
    image_blocks(&s.image, at);
    for (int a = 2; a < ALL_BLOCKS - 1; a++)
        for (int b = a + 1; b < ALL_BLOCKS - 1; b++) {
            suite_step("blocks %d and %d", a, b);
            struct image image = image_without(&s.image, at[b + 1] - 5, 1), both = image_without(&image, at[a + 1] - 9, 1);
            image_free(&image);
            require_left(&s, both, 2);
        }
    scene_free(&s);
}

/* Frames whose blocks are damaged, and each of which promises all that follows.  A reader that went
 * back to each one's bytes would read the last of them thousands of times. */
static void blocks_in_blocks(const struct variant *variant)
{
    enum { FRAMES = 5000 };
    (void)variant;
    struct forge forge;
    struct error error = {0};
    struct block block;
    const struct header h = forge_header(0);
    forge_begin(&forge, &h, 1);
    for (uint64_t i = 0; i < FRAMES; i++)
        forge_add(&forge, (struct forged){BLOCK_PAIRS, 0, 1, 16, (FRAMES - i - 1) * sizeof(struct frame), NULL, 0});
    forge_end(&forge);
    struct image_source source = {.at = forge.image.at, .n = forge.image.n};
    struct reader reader = {.read = image_read, .context = &source, .salvage = true, .error = &error};
    require(reader_begin(&reader) == ROOST_OK, "\"%s\"", error.text);
    while (!reader.ended) require(reader_next(&reader, &block) == ROOST_OK, "\"%s\"", error.text);
    require(reader.bytes == forge.image.n, "%llu bytes of %zu were read", (ull)reader.bytes, forge.image.n);
    require(reader.returned && reader.returned <= 2 * reader.bytes, "%llu of %llu bytes were read again", (ull)reader.returned,
            (ull)reader.bytes);
    reader_release(&reader);
    image_free(&forge.image);
}

static void bytes_behind(const struct variant *variant)
{
    char path[] = "/tmp/roost-damage-XXXXXX";
    const int file = mkstemp(path);
    roost_table *loaded = NULL;
    struct scene s = scene_make();
    (void)variant;
    image_add(&s.image, "?", 1);
    FILE *const out = fdopen(file, "w");
    require(out && fwrite(s.image.at, 1, s.image.n, out) == s.image.n && !fclose(out), "%s cannot be written", path);
    loaded = (roost_table *)&s;
    require_status(ROOST_ERR_CORRUPT, roost_load_file(&loaded, path, NULL, NULL), NULL);
    require(!loaded && strstr(roost_last_error(NULL), path), "\"%s\"", roost_last_error(NULL));
    remove(path);
    scene_free(&s);
}

/* The number of the damaged block is told, and what is lost with it. */
static void damage_is_named(const struct variant *variant)
{
    (void)variant;
    struct scene s = scene_make();
    size_t at[IMAGE_BLOCKS + 1];
    image_blocks(&s.image, at);
    for (unsigned block = 2; block < ALL_BLOCKS - 1; block++) {
        char name[32];
        suite_step("block %u", block);
        s.image.at[at[block] + sizeof(struct frame) + 3] ^= 1;
        struct loading l = load(s.image.at, s.image.n, s.shape, 0);
        snprintf(name, sizeof name, "block %u ", block);
        require(l.status == ROOST_ERR_CORRUPT && strstr(roost_last_error(NULL), name), "\"%s\"", roost_last_error(NULL));
        l = load(s.image.at, s.image.n, s.shape, ROOST_SALVAGE);
        require_status(ROOST_OK, l.status, NULL);
        require(l.loaded.blocks_lost == 1 && l.loaded.pairs_lost == OF_BLOCK && l.loaded.first_damaged == block,
                "%llu blocks, %llu pairs from block %llu on", (ull)l.loaded.blocks_lost, (ull)l.loaded.pairs_lost,
                (ull)l.loaded.first_damaged);
        table_close(&l.table);
        s.image.at[at[block] + sizeof(struct frame) + 3] ^= 1;
    }
    scene_free(&s);
}

/* Of a large table few pairs are left: it is as small as its bounds ask for. */
static void little_is_left(const struct variant *variant)
{
    enum { LEFT = 2000 };
    struct forge forge;
    const struct header h = forge_header(100 * LEFT);
    uint64_t *const words = make_patterns(2 * LEFT);
    (void)variant;
    for (uint64_t i = 0; i < 2 * LEFT; i++) words[i] = mix64(i);
    forge_begin(&forge, &h, 1);
    forge_words(&forge, LEFT, words);
    struct loading l = load(forge.image.at, forge.image.n, shape_named("8+8"), ROOST_SALVAGE);
    require_status(ROOST_OK, l.status, NULL);
    require(l.loaded.pairs == LEFT && l.loaded.pairs_lost == 99 * LEFT, "%llu pairs", (ull)l.loaded.pairs);
    table_check(&l.table);
    table_close(&l.table);
    image_free(&forge.image);
    free(words);
}

/* ---- Forged ones ----------------------------------------------------------------------------- */

enum { WORDS = 8 };
static const uint64_t some_words[2 * WORDS] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18};

/* Makes the blocks between the header and END. */
typedef void forge_blocks(struct forge *forge, struct header *header);

static void words_add(struct forge *forge) { forge_words(forge, WORDS, some_words); }

/* The header is changed by `change`, and eight pairs follow. */
static struct image forged_header(void (*change)(struct header *header))
{
    struct forge forge;
    struct header h = forge_header(WORDS);
    change(&h);
    forge_begin(&forge, &h, 1);
    words_add(&forge);
    forge_end(&forge);
    return forge.image;
}

static void more_pairs(struct header *h) { h->pairs = WORDS + 1; }
static void fewer_pairs(struct header *h) { h->pairs = WORDS - 1; }
static void no_type(struct header *h) { h->key_type = ROOST_TYPE_NONE, h->key_bytes = 0; }
static void unknown_type(struct header *h) { h->key_type = 9; }
static void huge_type(struct header *h) { h->value_type = UINT32_MAX; }
static void strings_as_values(struct header *h) { h->value_type = ROOST_TYPE_STRING, h->value_bytes = 0; }
static void other_width(struct header *h) { h->key_bytes = 4; }
static void no_width(struct header *h) { h->value_bytes = 0; }
static void wide_keys(struct header *h) { h->key_type = ROOST_TYPE_BYTES, h->key_bytes = ROOST_KEY_BYTES_MOST + 1; }
static void wide_values(struct header *h) { h->value_type = ROOST_TYPE_BYTES, h->value_bytes = UINT32_MAX; }
static void endless_engine(struct header *h) { memset(h->engine, 'x', sizeof h->engine); }
static void endless_options(struct header *h) { memset(h->options, 'x', sizeof h->options); }
static void bounds_crossed(struct header *h) { h->min_fill = 0.9, h->max_fill = 0.3; }
static void bounds_above(struct header *h) { h->max_fill = 1e300; }
static void bounds_no_number(struct header *h)
{
    const uint64_t nan = 0x7FF8000000000000;
    memcpy(&h->max_fill, &nan, sizeof nan);
}
static void growth_of_two(struct header *h) { h->growth = 2; }
static void numbered_changes(struct header *h) { h->number = 1; }
static void shard_beyond(struct header *h) { h->shard = 3, h->shards = 3; }
static void unknown_kind(struct header *h) { h->kind = 9; }
static void no_kind(struct header *h) { h->kind = 0; }
static void unknown_flags(struct header *h) { h->flags = 0x80000000u; }
static void changes_alone(struct header *h) { h->kind = SNAPSHOT_CHANGES, h->number = 1, h->whole = 5; }
static void numbers_of_sets(struct header *h) { h->flags = ROOST_NUMBERED, h->value_type = ROOST_TYPE_NONE, h->value_bytes = 0; }
static void number_too_large(struct header *h) { h->flags = ROOST_NUMBERED, h->next_number = 18; }

static void forged_headers(const struct variant *variant)
{
    static const struct {
        const char *name;
        void (*change)(struct header *header);
        unsigned answers;
    } forged[] = {
        {"more pairs", more_pairs, ANSWER(ROOST_ERR_CORRUPT)},
        {"fewer pairs", fewer_pairs, ANSWER(ROOST_ERR_CORRUPT)},
        {"no key", no_type, ANSWER(ROOST_ERR_CORRUPT)},
        {"an unknown type", unknown_type, ANSWER(ROOST_ERR_CORRUPT)},
        {"a huge type", huge_type, ANSWER(ROOST_ERR_CORRUPT)},
        {"strings as values", strings_as_values, ANSWER(ROOST_ERR_CORRUPT)},
        {"another width", other_width, ANSWER(ROOST_ERR_CORRUPT)},
        {"no width", no_width, ANSWER(ROOST_ERR_CORRUPT)},
        {"wide keys", wide_keys, ANSWER(ROOST_ERR_CORRUPT)},
        {"wide values", wide_values, ANSWER(ROOST_ERR_CORRUPT)},
        {"an engine without end", endless_engine, ANSWER(ROOST_ERR_CORRUPT)},
        {"options without end", endless_options, ANSWER(ROOST_ERR_CORRUPT)},
        {"bounds that cross", bounds_crossed, ANSWER(ROOST_ERR_CORRUPT)},
        {"a bound above 1", bounds_above, ANSWER(ROOST_ERR_CORRUPT)},
        {"a bound that is no number", bounds_no_number, ANSWER(ROOST_ERR_CORRUPT)},
        {"growth 2", growth_of_two, ANSWER(ROOST_ERR_CORRUPT)},
        {"a number, and no changes", numbered_changes, ANSWER(ROOST_ERR_CORRUPT)},
        {"shard 3 of 3", shard_beyond, ANSWER(ROOST_ERR_CORRUPT)},
        {"an unknown kind", unknown_kind, UNSUPPORTED},
        {"no kind", no_kind, UNSUPPORTED},
        {"unknown flags", unknown_flags, UNSUPPORTED},
        {"changes alone", changes_alone, ARGUMENT},
        {"numbers of sets", numbers_of_sets, ARGUMENT | ANSWER(ROOST_ERR_CORRUPT)},
        {"a number that was not given", number_too_large, ANSWER(ROOST_ERR_CORRUPT)},
    };
    (void)variant;
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        struct image image = forged_header(forged[i].change);
        suite_step("%s", forged[i].name);
        const struct loading l = load(image.at, image.n, shape_named("8+8"), 0);
        require_answer(forged[i].answers, l.status, NULL, forged[i].name);
        image_free(&image);
    }
}

/* ---- Forged blocks --------------------------------------------------------------------------- */

/* All the same, except a block after eight sound pairs. */
static struct loading forged_load(struct forged b, uint64_t pairs, const struct header *header)
{
    struct forge forge;
    struct header h = header ? *header : forge_header(WORDS + pairs);
    forge_begin(&forge, &h, 1);
    if (!header) words_add(&forge);
    forge_add(&forge, b);
    forge_end(&forge);
    const struct loading l = load(forge.image.at, forge.image.n, shape_named("8+8"), 0);
    image_free(&forge.image);
    return l;
}

static void require_block_refused(const char *name, struct forged b, uint64_t pairs)
{
    suite_step("%s", name);
    const struct loading l = forged_load(b, pairs, NULL);
    require_answer(ANSWER(ROOST_ERR_CORRUPT), l.status, NULL, name);
    require(strstr(roost_last_error(NULL), "block 3") || strstr(roost_last_error(NULL), "block 4"), "%s: \"%s\"", name,
            roost_last_error(NULL));
}

static void forged_blocks(const struct variant *variant)
{
    const uint64_t words[2 * WORDS] = {21, 22, 23, 24, 25, 26, 27, 28}, twice[4] = {31, 31, 1, 2}, before[4] = {32, 5, 1, 2};
    const uint64_t big = UINT64_C(1) << 63;
    const size_t n = sizeof words;
    (void)variant;
    require_block_refused("no items", (struct forged){BLOCK_PAIRS, 0, 0, n, n, words, n}, 0);
    require_block_refused("more items", (struct forged){BLOCK_PAIRS, 0, WORDS + 1, n, n, words, n}, WORDS + 1);
    require_block_refused("fewer items", (struct forged){BLOCK_PAIRS, 0, WORDS - 1, n, n, words, n}, WORDS - 1);
    require_block_refused("2^63 items", (struct forged){BLOCK_PAIRS, 0, big, n, n, words, n}, big);
    require_block_refused("2^60 items", (struct forged){BLOCK_PAIRS, 0, big >> 3, n, n, words, n}, big >> 3);
    require_block_refused("2^64 - 1 items", (struct forged){BLOCK_PAIRS, 0, UINT64_MAX, n, n, words, n}, UINT64_MAX - WORDS);
    require_block_refused("items that overflow", (struct forged){BLOCK_PAIRS, 0, (big >> 3) + WORDS, n, n, words, n}, WORDS);
    require_block_refused("two sizes", (struct forged){BLOCK_PAIRS, 0, WORDS, n + 8, n, words, n}, WORDS);
    require_block_refused("no bytes", (struct forged){BLOCK_PAIRS, 0, WORDS, 0, 0, words, 0}, WORDS);
    require_block_refused("2^63 bytes", (struct forged){BLOCK_PAIRS, 0, WORDS, big, big, words, n}, WORDS);
    require_block_refused("2^40 bytes", (struct forged){BLOCK_PAIRS, 0, WORDS, big >> 23, big >> 23, words, n}, WORDS);
    require_block_refused("unknown flags", (struct forged){BLOCK_PAIRS, 0x80, WORDS, n, n, words, n}, WORDS);
    require_block_refused("erased keys", (struct forged){BLOCK_ERASED, 0, 4, 32, 32, words, 32}, 0);
    require_block_refused("shards", (struct forged){BLOCK_SHARDS, 0, 1, 16, 16, words, 16}, 0);
    require_block_refused("an unknown kind", (struct forged){77, 0, WORDS, n, n, words, n}, WORDS);
    require_block_refused("another header", (struct forged){BLOCK_HEADER, 0, 1, n, n, words, n}, 0);
    require_block_refused("an end before the end", (struct forged){BLOCK_END, 0, 1, sizeof(struct totals), 32, words, 32}, 0);
    require_block_refused("a key twice in a block", (struct forged){BLOCK_PAIRS, 0, 2, 32, 32, twice, 32}, 2);
    require_block_refused("a key that came before", (struct forged){BLOCK_PAIRS, 0, 2, 32, 32, before, 32}, 2);
}

static void forged_ends(const struct variant *variant)
{
    (void)variant;
    for (int i = 0; i < 5; i++) {
        struct forge forge;
        struct header h = forge_header(WORDS);
        suite_step("totals %d", i);
        forge_begin(&forge, &h, 1);
        words_add(&forge);
        uint64_t *const totals[] = {&forge.totals.pairs, &forge.totals.erased, &forge.totals.blocks, &forge.totals.checks};
        struct totals t = forge.totals;
        if (i < 4) ++*(&t.pairs + (totals[i] - &forge.totals.pairs));
        if (i == 3) t.checks ^= 1;
        forge_block(&forge, BLOCK_END, 1, &t, i == 4 ? sizeof t - 8 : sizeof t);
        require_refused(&forge.image, shape_named("8+8"));
        image_free(&forge.image);
    }
}

static void newer_versions(const struct variant *variant)
{
    struct scene s = scene_make();
    (void)variant;
    for (size_t at = 0; at < s.image.n;) {
        struct frame f = image_frame(&s.image, at);
        f.version = 2;
        memcpy(s.image.at + at, &f, sizeof f);
        at += sizeof f + (size_t)f.stored;
    }
    image_reseal(s.image.at, s.image.n);
    const struct loading l = load(s.image.at, s.image.n, s.shape, 0);
    require_answer(UNSUPPORTED, l.status, NULL, "a newer format");
    require(strstr(roost_last_error(NULL), "version 2") != NULL, "\"%s\"", roost_last_error(NULL));
    scene_free(&s);
}

/* ---- Forged strings -------------------------------------------------------------------------- */

static struct header string_header(uint64_t pairs)
{
    struct header h = forge_header(pairs);
    h.key_type = ROOST_TYPE_STRING;
    h.key_bytes = 0;
    return h;
}

/* Two strings, "ab" and "cde", whose offsets are these, of 8 bytes. */
static roost_status strings_load(uint64_t first, uint64_t second, uint64_t third, uint64_t items, uint16_t flags)
{
    const uint64_t words[] = {first, second, third, 7, 8, 0x6564636261};
    const struct header h = string_header(items);
    const struct forged b = {BLOCK_PAIRS, flags, items, sizeof words, sizeof words, words, sizeof words};
    const struct loading l = forged_load(b, 0, &h);
    roost_table_destroy(l.table.handle);
    return l.status;
}

static void forged_strings(const struct variant *variant)
{
    const uint16_t wide = BLOCK_WIDE_OFFSETS;
    const uint64_t big = UINT64_C(1) << 63;
    (void)variant;
    if (!engine_is_built("stadium")) return suite_skip("no engine has strings");
    require_status(ROOST_OK, strings_load(0, 2, 5, 2, wide), NULL);
    static const uint64_t wrong[][4] = {{1, 2, 5, 2},  {0, 6, 5, 2},  {0, 2, 9, 2}, {0, 2, UINT64_MAX, 2}, {0, UINT64_MAX, 5, 2},
                                        {0, 2, 16, 2}, {0, 2, 5, 1},  {0, 2, 5, 3}, {0, 2, 5, 5},          {0, 2, 5, UINT64_MAX},
                                        {5, 5, 5, 2},  {0, 2, 13, 2}, {0, 0, 0, 2}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const uint64_t *const w = wrong[i];
        suite_step("offsets %llu, %llu, %llu of %llu strings", (ull)w[0], (ull)w[1], (ull)w[2], (ull)w[3]);
        require_status(ROOST_ERR_CORRUPT, strings_load(w[0], w[1], w[2], w[3], wide), NULL);
    }
    require_status(ROOST_ERR_CORRUPT, strings_load(0, 2, big, 2, wide), NULL);
    require_status(ROOST_ERR_CORRUPT, strings_load(0, 2, 5, 2, 0), NULL); /* offsets of 4 bytes */
    require_status(ROOST_ERR_CORRUPT, strings_load(0, 0, 5, UINT64_MAX, 0), NULL);
}

/* ---- Forged numbers -------------------------------------------------------------------------- */

/* Keys 1 and 2 with these numbers. */
static struct loading numbers_load(uint64_t first, uint64_t second, uint64_t next, uint32_t flags)
{
    const uint64_t words[] = {1, 2, first, second};
    struct forge forge;
    struct header h = forge_header(2);
    h.flags = ROOST_NUMBERED;
    h.next_number = next;
    forge_begin(&forge, &h, 1);
    forge_words(&forge, 2, words);
    forge_end(&forge);
    const struct loading l = load(forge.image.at, forge.image.n, shape_named("8+8"), flags);
    image_free(&forge.image);
    return l;
}

static void forged_numbers(const struct variant *variant)
{
    (void)variant;
    struct loading l = numbers_load(5, 3, 6, 0);
    require_status(ROOST_OK, l.status, NULL);
    table_check(&l.table);
    table_close(&l.table);
    for (uint32_t flags = 0; flags <= ROOST_SALVAGE; flags += ROOST_SALVAGE) {
        static const uint64_t wrong[][3] = {{5, 5, 6}, {6, 3, 6}, {UINT64_MAX, 3, 6}, {0, 1, 1}, {0, 1, 0}};
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            suite_step("numbers %llu and %llu below %llu", (ull)wrong[i][0], (ull)wrong[i][1], (ull)wrong[i][2]);
            l = numbers_load(wrong[i][0], wrong[i][1], wrong[i][2], flags);
            require_answer(ANSWER(ROOST_ERR_CORRUPT), l.status, NULL, "wrong numbers");
        }
    }
}

/* ---- Compressed blocks ----------------------------------------------------------------------- */

static void forged_zstd(const struct variant *variant)
{
    enum { BIG = 64 << 20 };
    const struct zstd *zstd;
    struct error error;
    char packed[2048];
    (void)variant;
    if (zstd_find(&zstd, &error)) return suite_skip("libzstd is not here");
    uint64_t words[2 * WORDS] = {21, 22, 23, 24, 25, 26, 27, 28};
    const size_t n = sizeof words, z = zstd->compress(packed, sizeof packed, words, n, 3);
    struct loading l = forged_load((struct forged){BLOCK_PAIRS, BLOCK_ZSTD, WORDS, n, z, packed, z}, WORDS, NULL);
    require_status(ROOST_OK, l.status, NULL);
    table_close(&l.table);
    require_block_refused("a smaller size", (struct forged){BLOCK_PAIRS, BLOCK_ZSTD, WORDS, n - 16, z, packed, z}, WORDS);
    require_block_refused("a larger size", (struct forged){BLOCK_PAIRS, BLOCK_ZSTD, WORDS, n + 16, z, packed, z}, WORDS);
    require_block_refused("more items", (struct forged){BLOCK_PAIRS, BLOCK_ZSTD, WORDS + 1, n + 16, z, packed, z}, WORDS + 1);
    require_block_refused("no size", (struct forged){BLOCK_PAIRS, BLOCK_ZSTD, WORDS, 0, z, packed, z}, WORDS);
    require_block_refused("a huge size", (struct forged){BLOCK_PAIRS, BLOCK_ZSTD, WORDS, UINT64_MAX, z, packed, z}, WORDS);
    require_block_refused("cut off", (struct forged){BLOCK_PAIRS, BLOCK_ZSTD, WORDS, n, z - 1, packed, z - 1}, WORDS);
    require_block_refused("more behind", (struct forged){BLOCK_PAIRS, BLOCK_ZSTD, WORDS, n, z + 1, packed, z + 1}, WORDS);
    require_block_refused("no frame", (struct forged){BLOCK_PAIRS, BLOCK_ZSTD, WORDS, n, n, words, n}, WORDS);
    char *const bomb = calloc(BIG, 1), *const small = malloc(zstd->bound(BIG));
    if (!bomb || !small) abort();
    const size_t bytes = zstd->compress(small, zstd->bound(BIG), bomb, BIG, 19);
    require_block_refused("a bomb", (struct forged){BLOCK_PAIRS, BLOCK_ZSTD, BIG / 16, BIG, bytes, small, bytes}, BIG / 16);
    require_block_refused("a bomb of a small size", (struct forged){BLOCK_PAIRS, BLOCK_ZSTD, WORDS, n, bytes, small, bytes}, WORDS);
    free(bomb), free(small);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Under a limit of 256 MiB nothing is refused memory, whatever is promised. */
static void promises_cost_nothing(const struct variant *variant)
{
    const uint64_t words[2 * WORDS] = {21, 22, 23, 24, 25, 26, 27, 28};
    (void)variant;
    if (settings_sanitized()) return suite_skip("a sanitizer takes address space for itself");
    const struct rlimit before = address_space_limit(256 << 20);
    struct header h = forge_header(UINT64_MAX);
    h.capacity = UINT64_MAX;
    struct loading loads[3] = {
        forged_load((struct forged){BLOCK_PAIRS, 0, WORDS, sizeof words, sizeof words, words, sizeof words}, 0, &h),
        forged_load((struct forged){BLOCK_PAIRS, 0, WORDS, 1u << 30, 1u << 30, words, sizeof words}, 0, &h),
        forged_load((struct forged){BLOCK_PAIRS, BLOCK_ZSTD, WORDS, 1u << 30, 16, words, 16}, 0, &h)};
    h.growth = 0;
    struct forge forge;
    forge_begin(&forge, &h, 1);
    forge_words(&forge, WORDS, words);
    forge_end(&forge);
    struct image_source source = {.at = forge.image.at, .n = forge.image.n};
    roost_table *table = NULL;
    const roost_status fixed = roost_load_from(&table, image_read, &source, NULL, NULL);
    address_space_restore(before);
    for (int i = 0; i < 3; i++) require_status(ROOST_ERR_CORRUPT, loads[i].status, NULL);
    require_status(ROOST_ERR_CORRUPT, fixed, NULL);
    image_free(&forge.image);
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    for (uint64_t i = 0; i < KINDS; i++)
        suite_add("every byte", every_byte, (struct variant){.shape = shape_named(kinds[i].shape), .number = i});
    for (uint64_t i = 0; i < KINDS; i++)
        suite_add("every length", every_length, (struct variant){.shape = shape_named(kinds[i].shape), .number = i});
    suite_add_once("blocks elsewhere", blocks_elsewhere);
    suite_add_once("bytes elsewhere", bytes_elsewhere);
    suite_add_once("bytes of two blocks", bytes_of_two);
    suite_add_once("blocks in blocks", blocks_in_blocks);
    suite_add_once("bytes behind", bytes_behind);
    suite_add_once("damage is named", damage_is_named);
    suite_add_once("little is left", little_is_left);
    suite_add_once("forged headers", forged_headers);
    suite_add_once("forged blocks", forged_blocks);
    suite_add_once("forged ends", forged_ends);
    suite_add_once("newer versions", newer_versions);
    suite_add_once("forged strings", forged_strings);
    suite_add_once("forged numbers", forged_numbers);
    suite_add_once("forged Zstandard", forged_zstd);
    suite_add_once("promises cost nothing", promises_cost_nothing);
    return suite_run("damaged snapshots");
}
