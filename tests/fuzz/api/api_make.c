/* The making of a table in the fuzzer of the API: its configuration is drawn. */
#include "fuzz/api/api_life.h"
#include "fuzz/api/api_options.h"

#include <roost/strings.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ---------------------------------------------------------------------------------- */

enum { HEADER_BYTES = 64, DIRT = 0xA5 };

static bool refuses(struct api_allocator *allocator)
{
    if (allocator->paused) return false;
    const uint64_t request = ++allocator->requests;
    return request >= allocator->first && request <= allocator->last && (request - allocator->first) % allocator->every == 0;
}

static void *allocate(void *context, size_t bytes)
{
    struct api_allocator *allocator = context;
    if (refuses(allocator)) {
        allocator->refused++;
        return NULL;
    }
    char *memory = aligned_alloc(HEADER_BYTES, (HEADER_BYTES + bytes + 63) / 64 * 64);
    if (!memory) return NULL;
    memset(memory, DIRT, HEADER_BYTES + bytes); /* new memory is not zero by contract */
    memcpy(memory, &bytes, sizeof bytes);
    allocator->blocks++;
    allocator->bytes += bytes;
    return memory + HEADER_BYTES;
}

static void release(void *context, void *memory, size_t bytes)
{
    struct api_allocator *allocator = context;
    size_t asked;
    memcpy(&asked, (char *)memory - HEADER_BYTES, sizeof asked);
    expect(asked == bytes, "%zu bytes were allocated, and released as %zu", asked, bytes);
    allocator->blocks--;
    allocator->bytes -= bytes;
    free((char *)memory - HEADER_BYTES);
}

/* Refuses from a request on, for a while or for good, all requests or every k-th. */
static void refusals_draw(struct api_life *life)
{
    struct api_allocator *allocator = &life->allocator;
    allocator->first = allocator->requests + choose_size(life->choices, 1, 1000);
    allocator->last = choose(life->choices, 2) ? UINT64_MAX : allocator->first + choose_size(life->choices, 1, 100) - 1;
    allocator->every = choose(life->choices, 2) ? 1 : choose_size(life->choices, 1, 16);
    report_step("from here on the allocator refuses requests %llu to %llu, every %llu-th of them; %llu were made so far",
                (unsigned long long)allocator->first, (unsigned long long)allocator->last, (unsigned long long)allocator->every,
                (unsigned long long)allocator->requests);
}

/* ---- Types ----------------------------------------------------------------------------------- */

static const roost_type types_of_4[] = {ROOST_TYPE_U32, ROOST_TYPE_I32, ROOST_TYPE_F32, ROOST_TYPE_BYTES};
static const roost_type types_of_8[] = {ROOST_TYPE_U64, ROOST_TYPE_I64, ROOST_TYPE_F64, ROOST_TYPE_BYTES};

static roost_type type_draw(struct api_life *life, unsigned bytes)
{
    if (bytes == 0) return ROOST_TYPE_NONE;
    if (bytes != 4 && bytes != 8) return ROOST_TYPE_BYTES;
    const uint64_t number = choose(life->choices, 8);
    return (bytes == 4 ? types_of_4 : types_of_8)[number < 4 ? number : 0];
}

static unsigned word_draw(struct api_life *life) { return choose(life->choices, 2) ? 8 : 4; }

/* Bytes of a value: a set's, a word's, or of any width. */
static unsigned value_bytes_draw(struct api_life *life, bool wide)
{
    if (choose_once_in(life->choices, 5)) return 0;
    if (!wide || choose(life->choices, 2)) return word_draw(life);
    const uint64_t most = choose_once_in(life->choices, 8) ? ROOST_VALUE_BYTES_MOST : 64;
    return (unsigned)choose_size(life->choices, 1, most);
}

static void strings_draw(struct api_life *life)
{
    struct coding *coding = &life->coding;
    coding->strings = choose(life->choices, 2) ? STRINGS_LONG : STRINGS_SHORT;
    coding->prefix = choose(life->choices, 2) ? (unsigned)choose_size(life->choices, 1, 300) : 0;
    coding->spread = (unsigned)choose_size(life->choices, 1, 100);
}

static void shape_draw(struct api_life *life, bool wide)
{
    struct coding *coding = &life->coding;
    const bool strings = wide && choose_once_in(life->choices, 3);
    const unsigned key_bytes = wide && !strings ? (unsigned)choose_size(life->choices, 1, ROOST_KEY_BYTES_MOST) : word_draw(life);
    const unsigned value_bytes = value_bytes_draw(life, wide);
    coding->shape = (struct test_shape){"drawn", type_draw(life, key_bytes), type_draw(life, value_bytes), key_bytes, value_bytes};
    coding->derived = choose(life->choices, 2);
    coding->fill = choose(life->choices, 2) ? 0xff : 0;
    if (key_bytes > 8) coding->place = (unsigned)choose(life->choices, key_bytes - 7);
    if (!strings) return;
    coding->shape.key_type = ROOST_TYPE_STRING;
    coding->shape.key_bytes = 8;
    strings_draw(life);
}

/* ---- The configuration ----------------------------------------------------------------------- */

/* Draws an engine; NULL: the library chooses. */
static const char *engine_draw(struct api_life *life, roost_engine_info *info)
{
    size_t engines = 0;
    while (roost_engine_describe(engines, info, sizeof *info) == ROOST_OK) engines++;
    const uint64_t number = choose(life->choices, 8 * engines + 1);
    expect(roost_engine_describe(number < 8 * engines ? number % engines : 0, info, sizeof *info) == ROOST_OK, "engine %llu",
           (unsigned long long)number);
    return number < 8 * engines ? info->name : NULL;
}

static void fill_draw(struct api_life *life)
{
    struct api_choices *choices = life->choices;
    roost_config *config = &life->config;
    if (choose(choices, 2)) return;
    config->max_fill = choose_once_in(choices, 4) ? 1.0 : choose_share(choices, 0.1, 0.98);
    config->min_fill = choose(choices, 2) ? 0 : config->max_fill * choose_share(choices, 0, 0.75);
}

/* Keys of a table whose slots take a few times the bytes of a call's arrays. */
static uint64_t keys_that_fit(const struct api_life *life)
{
    const struct test_shape *shape = &life->coding.shape;
    const double pair = shape->key_bytes + shape->value_bytes + (shape_has_strings(shape) ? 16 : 0);
    return 64 + (uint64_t)(4 * (double)life->limits.bytes * life->config.max_fill / pair);
}

static void bounds_draw(struct api_life *life)
{
    struct api_choices *choices = life->choices;
    fill_draw(life);
    const uint64_t fit = keys_that_fit(life);
    if (life->limits.keys > fit) life->limits.keys = fit;
    life->config.growth = !choose_once_in(choices, 4);
    life->config.capacity = choose(choices, 2) ? choose_size(choices, 1, life->limits.keys) : 0;
}

/* Tables that double need more room between the bounds than others. */
static bool bounds_are_narrow(const roost_config *config) { return config->min_fill > 0.49 * config->max_fill; }

static void memory_draw(struct api_life *life)
{
    roost_config *config = &life->config;
    life->counted = choose(life->choices, 2);
    if (life->counted) config->allocator = (roost_allocator){allocate, release, &life->allocator};
    if (choose_once_in(life->choices, 6)) config->memory_limit = choose_size(life->choices, 1 << 12, 1 << 24);
    if (life->counted && choose_once_in(life->choices, 8)) refusals_draw(life);
}

static void options_draw(struct api_life *life, const roost_engine_info *info)
{
    char *text = life->options;
    if (choose(life->choices, 2)) return;
    options_from_rows(life->choices, info->parameters, 4, text, sizeof life->options);
    if (choose_once_in(life->choices, 3)) options_from_meanings(life->choices, info->options, 8, text, sizeof life->options);
}

static bool is_slow(const char *options)
{
    return strstr(options, "hash_bits=") || strstr(options, "chain") || strstr(options, "iterations=") ||
           strstr(options, "utilisation=");
}

static void config_draw(struct api_life *life)
{
    roost_config *config = &life->config;
    roost_engine_info info = {0};
    roost_config_init(config, sizeof *config);
    config->device = "host";
    config->engine = engine_draw(life, &info);
    life->multi = info.multi && config->engine && choose_once_in(life->choices, 3);
    life->counts = info.multi && config->engine;
    shape_draw(life, info.wide && config->engine && choose(life->choices, 4));
    config->key_type = life->coding.shape.key_type;
    config->key_bytes = life->coding.shape.key_bytes;
    config->value_type = life->coding.shape.value_type;
    config->value_bytes = life->coding.shape.value_bytes;
    bounds_draw(life);
    memory_draw(life);
    config->saturate = shape_is_unsigned(&life->coding.shape) && choose(life->choices, 2);
    config->seed = choose(life->choices, UINT64_MAX) | 1;
    config->threads = choose_once_in(life->choices, 4) ? 2 : 1;
    config->flags = life->multi ? ROOST_MULTI : 0;
    config->work = (roost_work)choose(life->choices, ROOST_WORK_GROWTH + 1);
    if (config->engine) options_draw(life, &info);
}

/* ---- The table ------------------------------------------------------------------------------- */

static void config_report(const struct api_life *life)
{
    const roost_config *c = &life->config;
    report_step("a table: engine %s, options \"%s\", keys %s of %zu bytes, values %s of %zu, multi %u, capacity %llu, growth %d, "
                "fill %.17g to %.17g, saturate %d, seed %llu, threads %d, memory limit %llu, allocator %d",
                c->engine ? c->engine : "NULL", life->options, type_name(c->key_type), c->key_bytes, type_name(c->value_type),
                c->value_bytes, (unsigned)c->flags, (unsigned long long)c->capacity, c->growth, c->min_fill, c->max_fill,
                c->saturate, (unsigned long long)c->seed, c->threads, (unsigned long long)c->memory_limit, life->counted);
    report_step("numbers in keys: place %u, derived %d, fill %u, strings %d, prefix %u, spread %u", life->coding.place,
                life->coding.derived, life->coding.fill, (int)life->coding.strings, life->coding.prefix, life->coding.spread);
}

/* The same with one of the kernels that this table has for each operation. */
static roost_status create_with_kernels(struct api_life *life)
{
    char rows[ROOST_DESCRIPTION_BYTES];
    if (roost_table_describe(life->table, ROOST_DESCRIBE_PARAMETERS, rows, sizeof rows) != ROOST_OK) return ROOST_OK;
    roost_table_destroy(life->table);
    options_from_rows(life->choices, rows, 3, life->options, sizeof life->options);
    life->config.options = life->options;
    config_report(life);
    return roost_table_create(&life->table, &life->config);
}

static roost_status create(struct api_life *life)
{
    life->config.options = *life->options ? life->options : NULL;
    config_report(life);
    roost_status status = roost_table_create(&life->table, &life->config);
    if (!status && life->config.engine && choose_once_in(life->choices, 4)) status = create_with_kernels(life);
    return status;
}

/* Options that contradict each other, or words that are no values, are refused. */
static bool options_are_refused(const struct api_life *life, roost_status status)
{
    return *life->options && (status == ROOST_ERR_ARGUMENT || status == ROOST_ERR_UNSUPPORTED || status == ROOST_ERR_NOT_FOUND);
}

static void require_refused(const struct api_life *life, roost_status status)
{
    expect(!life->table, "a creation that failed gave a table");
    expect(*roost_last_error(NULL), "a creation that failed has no text");
    const bool memory = status == ROOST_ERR_MEMORY && (life->allocator.refused || life->config.memory_limit);
    expect(memory || (status == ROOST_ERR_ARGUMENT && bounds_are_narrow(&life->config)), "the creation ended %s: %s",
           roost_status_name(status), roost_last_error(NULL));
    expect(life->allocator.blocks == 0, "%llu blocks of a refused creation were not released",
           (unsigned long long)life->allocator.blocks);
}

bool life_begin(struct api_life *life)
{
    config_draw(life);
    life->totals->tables++;
    roost_status status = create(life);
    if (options_are_refused(life, status)) {
        report_step("refused: %s", roost_last_error(NULL));
        life->options[0] = 0;
        status = create(life);
    }
    if (options_are_refused(life, status)) { /* of the kernels that were drawn */
        life->options[0] = 0;
        life->config.options = NULL;
        status = roost_table_create(&life->table, &life->config);
    }
    if (status) {
        life->totals->refused_tables++;
        require_refused(life, status);
        return false;
    }
    life->slow = is_slow(life->options);
    if (life->slow && life->limits.keys > 1500) life->limits.keys = 1500;
    exact_make(&life->exact, life->multi);
    if (life->counted && choose_once_in(life->choices, 3)) refusals_draw(life);
    return true;
}

void life_end(struct api_life *life)
{
    roost_table_destroy(life->table);
    exact_free(&life->exact);
    expect(life->allocator.blocks == 0, "%llu blocks of %llu bytes were not released", (unsigned long long)life->allocator.blocks,
           (unsigned long long)life->allocator.bytes);
}
