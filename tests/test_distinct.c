/* The different keys of an array, against a sort: keys of all kinds that a hash or a part of hashes
 * might take badly, hot keys, sizes around the limits of the ways, arrays on either machine,
 * refused memory, wrong calls. */
#include "support/arrays.h"
#include "support/dice.h"
#include "support/settings.h"
#include "support/suite.h"
#include "roost/distinct.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 1 << 18, UNTOUCHED = 0xa5 }; /* LEAST: as in src/relations/distinct.h */

/* What key i of n is. */
typedef uint64_t draw_key(struct dice *dice, uint64_t i, uint64_t n);

static uint64_t all_different(struct dice *dice, uint64_t i, uint64_t n) { return (void)n, i * 2 + (dice_draw(dice) & 1); }
static uint64_t of_all_bits(struct dice *dice, uint64_t i, uint64_t n) { return (void)i, (void)n, dice_draw(dice); }
static uint64_t half_twice(struct dice *dice, uint64_t i, uint64_t n) { return (void)i, dice_draw(dice) % n; }
static uint64_t few(struct dice *dice, uint64_t i, uint64_t n) { return (void)i, (void)n, dice_draw(dice) % 10 * 7919; }
static uint64_t one(struct dice *dice, uint64_t i, uint64_t n) { return (void)dice, (void)i, (void)n, 0; }
static uint64_t largest(struct dice *dice, uint64_t i, uint64_t n) { return (void)i, (void)n, UINT64_MAX - dice_draw(dice) % 3; }
static uint64_t high_bits(struct dice *dice, uint64_t i, uint64_t n) { return (void)dice, (void)n, i << 32 | i << 16; }
static uint64_t falling(struct dice *dice, uint64_t i, uint64_t n) { return (void)dice, (n - i) / 3; }

/* A key that half of the items have, 1,000 that most others have, and rare ones. */
static uint64_t hot(struct dice *dice, uint64_t i, uint64_t n)
{
    const uint64_t x = dice_draw(dice);
    if (x % 2) return 42;
    return (void)n, x % 16 ? (x >> 8) % 1000 * 977 : i;
}

/* Keys with 5,000 items each: more than a part holds of one. */
static uint64_t many_hot(struct dice *dice, uint64_t i, uint64_t n) { return (void)i, dice_draw(dice) % (n / 5000 + 1); }

static const struct {
    const char *name;
    draw_key *draw;
} kinds[] = {{"all different", all_different},
             {"of all bits", of_all_bits},
             {"half of them twice", half_twice},
             {"few", few},
             {"one", one},
             {"the largest", largest},
             {"high bits", high_bits},
             {"falling", falling},
             {"hot ones", hot},
             {"many hot ones", many_hot}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int compare4(const void *a, const void *b)
{
    return (*(const uint32_t *)a > *(const uint32_t *)b) - (*(const uint32_t *)a < *(const uint32_t *)b);
}
static int compare8(const void *a, const void *b)
{
    return (*(const uint64_t *)a > *(const uint64_t *)b) - (*(const uint64_t *)a < *(const uint64_t *)b);
}

/* Sorts n keys, and leaves each once.  Returns how many. */
static size_t sort_unique(void *keys, size_t n, size_t bytes)
{
    char *const at = (char *)keys;
    size_t m = 0;
    qsort(keys, n, bytes, bytes == 8 ? compare8 : compare4);
    for (size_t i = 0; i < n; i++)
        if (!m || memcmp(at + (m - 1) * bytes, at + i * bytes, bytes) != 0) memmove(at + m++ * bytes, at + i * bytes, bytes);
    return m;
}

struct scene {
    size_t bytes; /* of a key */
    size_t n;
    struct array keys, distinct;
    roost_config config;
};

/* Fills the keys of a scene, whose configuration the caller may change. */
static void scene_make(struct scene *s, size_t bytes, size_t n, draw_key *draw, bool to_device)
{
    const roost_config config = ROOST_CONFIG_INIT;
    struct dice dice = {suite_seed() + n};
    s->bytes = bytes;
    s->n = n;
    s->config = config;
    s->config.device = settings_get()->device;
    s->config.engine = settings_get()->engine;
    s->config.key_type = bytes == 8 ? ROOST_TYPE_U64 : ROOST_TYPE_U32;
    s->keys = array_make(n * bytes + 1);
    s->distinct = array_make((n + ROOST_EXPORT_MIN + 1) * bytes);
    memset(s->distinct.host, UNTOUCHED, s->distinct.bytes);
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = draw(&dice, i, n);
        if (bytes == 8) ((uint64_t *)s->keys.host)[i] = key;
        else ((uint32_t *)s->keys.host)[i] = (uint32_t)(key ^ key >> 32);
    }
    array_send(&s->keys, to_device);
    array_send(&s->distinct, to_device);
}

static void scene_free(struct scene *s)
{
    array_free(&s->keys);
    array_free(&s->distinct);
}

/* The array has the different keys, and nothing was written behind its room. */
static void scene_require(struct scene *s, size_t m)
{
    const unsigned char *const behind = (const unsigned char *)s->distinct.host + (s->n + ROOST_EXPORT_MIN) * s->bytes;
    array_fetch(&s->distinct);
    for (size_t i = 0; i < s->bytes; i++) require(behind[i] == UNTOUCHED, "a key was written behind the room");
    const size_t wanted = sort_unique(s->keys.host, s->n, s->bytes);
    require(m == wanted, "%zu different keys, not %zu", m, wanted);
    require(sort_unique(s->distinct.host, m, s->bytes) == m, "a key was written twice");
    require(!memcmp(s->distinct.host, s->keys.host, m * s->bytes), "the keys are others");
}

static void scene_run(struct scene *s)
{
    size_t m = 99;
    require_status(ROOST_OK, roost_distinct(&s->config, s->keys.given, s->n, s->distinct.given, &m, NULL), NULL);
    scene_require(s, m);
}

/* Without an engine of the caller's, as well: on a GPU large arrays then go through blocks. */
static void kind_run(size_t bytes, size_t n, draw_key *draw, bool to_device)
{
    for (int free_choice = 0; free_choice < 2; free_choice++) {
        struct scene s;
        scene_make(&s, bytes, n, draw, to_device);
        if (free_choice) s.config.engine = NULL;
        scene_run(&s);
        scene_free(&s);
    }
}

static void all_kinds(const struct variant *variant)
{
    const size_t sizes[] = {0, 1, 2, 1000, LEAST - 1, LEAST, settings_size(3 * LEAST + 5, LEAST + 1)};
    (void)variant;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t bytes = 4; bytes <= 8; bytes += 4) {
                suite_step("%zu keys of %zu bytes: %s", sizes[i], bytes, kinds[kind].name);
                kind_run(bytes, sizes[i], kinds[kind].draw, settings_on_gpu());
            }
}

/* The smallest arrays that go through blocks on a GPU, for sanitizers. */
static void in_blocks(const struct variant *variant)
{
    static draw_key *const draws[] = {all_different, half_twice, hot, few};
    (void)variant;
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++)
        for (size_t bytes = 4; bytes <= 8; bytes += 4) {
            struct scene s;
            scene_make(&s, bytes, LEAST + 1, draws[i], settings_on_gpu());
            s.config.engine = NULL;
            scene_run(&s);
            scene_free(&s);
        }
}

/* Two and three passes of the sort, and parts that are longer than a chunk of them. */
static void many_keys(const struct variant *variant)
{
    static draw_key *const draws[] = {half_twice, hot, few, many_hot};
    const size_t n = settings_size(settings_on_gpu() ? 5000000 : 1000000, settings_on_gpu() ? 1 << 20 : 3 * LEAST);
    (void)variant;
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) kind_run(8, n, draws[i], settings_on_gpu());
}

static void arrays_on_the_host(const struct variant *variant)
{
    (void)variant;
    kind_run(8, LEAST + 3, half_twice, false);
    kind_run(4, LEAST + 3, hot, false);
}

static void with_options(const struct variant *variant)
{
    struct scene s;
    (void)variant;
    scene_make(&s, 8, LEAST + 3, half_twice, settings_on_gpu());
    s.config.seed = 5;
    scene_run(&s);
    scene_free(&s);
    scene_make(&s, 8, 3000, half_twice, settings_on_gpu());
    s.config.capacity = 100;
    s.config.value_type = ROOST_TYPE_F64; /* does not count */
    scene_run(&s);
    scene_free(&s);
}

/* Work space for all hashes is refused: then a table of the few keys does it. */
static void with_a_limit(const struct variant *variant)
{
    struct scene s;
    (void)variant;
    scene_make(&s, 8, 4 * LEAST, few, settings_on_gpu());
    s.config.memory_limit = settings_on_gpu() ? 6 << 20 : 4 << 20;
    scene_run(&s);
    scene_free(&s);
}

static void of_bytes(const struct variant *variant)
{
    struct scene s;
    (void)variant;
    scene_make(&s, 8, 3000, half_twice, false);
    s.config.engine = NULL;
    s.config.key_type = ROOST_TYPE_BYTES;
    s.config.key_bytes = 24; /* three keys each */
    s.n /= 3;
    size_t m = 0;
    require_status(ROOST_OK, roost_distinct(&s.config, s.keys.given, s.n, s.distinct.given, &m, NULL), NULL);
    require(m == s.n, "%zu different keys of 24 bytes, not %zu", m, s.n);
    scene_free(&s);
}

static void wrong_calls(const struct variant *variant)
{
    struct scene s;
    size_t m = 7;
    uint8_t statuses[4];
    roost_call call = ROOST_CALL_INIT;
    (void)variant;
    scene_make(&s, 8, 4, all_different, false);
    require_status(ROOST_ERR_ARGUMENT, roost_distinct(NULL, s.keys.given, 4, s.distinct.given, &m, NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_distinct(&s.config, NULL, 4, s.distinct.given, &m, NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_distinct(&s.config, s.keys.given, 4, NULL, &m, NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_distinct(&s.config, s.keys.given, 4, s.distinct.given, NULL, NULL), NULL);
    call.statuses = statuses;
    require_status(ROOST_ERR_ARGUMENT, roost_distinct(&s.config, s.keys.given, 4, s.distinct.given, &m, &call), NULL);
    call.statuses = NULL;
    call.size = 3;
    require_status(ROOST_ERR_ARGUMENT, roost_distinct(&s.config, s.keys.given, 4, s.distinct.given, &m, &call), NULL);
    s.config.flags = ROOST_MULTI;
    require_status(ROOST_ERR_UNSUPPORTED, roost_distinct(&s.config, s.keys.given, 4, s.distinct.given, &m, NULL), NULL);
    s.config.flags = 0;
    s.config.key_type = ROOST_TYPE_STRING;
    require_status(ROOST_ERR_UNSUPPORTED, roost_distinct(&s.config, s.keys.given, 4, s.distinct.given, &m, NULL), NULL);
    s.config.key_type = ROOST_TYPE_U64;
    s.config.device = "nowhere";
    require(roost_distinct(&s.config, s.keys.given, 4, s.distinct.given, &m, NULL) != ROOST_OK,
            "a device that there is not was taken");
    s.config.device = settings_get()->device;
    require_status(ROOST_OK, roost_distinct(&s.config, NULL, 0, NULL, &m, NULL), NULL);
    require(m == 0, "%zu keys among none", m);
    scene_free(&s);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_once("all kinds of keys", all_kinds);
    suite_add_once("in blocks", in_blocks);
    suite_add_once("many keys", many_keys);
    suite_add_once("arrays on the host", arrays_on_the_host);
    suite_add_once("with options", with_options);
    suite_add_once("with a limit of memory", with_a_limit);
    suite_add_once("keys of bytes", of_bytes);
    suite_add_once("wrong calls", wrong_calls);
    return suite_run("distinct");
}
