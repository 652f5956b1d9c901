/* Snapshots: any bytes give a sound table or one error, in memory that grows with what is read.
 *
 * An input begins with a byte of switches.  The rest is either a file as it is, or what a file is
 * made of: a header's members, blocks, and changes of single bytes.  Checksums are then made right,
 * so that damage reaches what lies behind them, or are left wrong.  Changes are applied to a table
 * that an undamaged snapshot gave. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "roost/numbers.h"
#include "roost/snapshot.h"
#include "support/snapshots.h"

enum {
    AS_IT_IS = 1,   /* the rest of the input is the file */
    RESEALED = 2,   /* checksums are right after the changes */
    SALVAGED = 4,   /* ROOST_SALVAGE */
    AS_SAVED = 8,   /* no configuration: the engine, too, is the header's */
    IN_STEPS = 16,  /* reads give a few bytes each */
    DESCRIBED = 32, /* by its name, and applied as changes */
    ENDED = 64,     /* END follows the blocks */
    OF_SLAB = 128   /* of an engine that makes tables quickly, and has multimaps */
};
enum { BASE = 1, FORGED = 2 }; /* ids of snapshots */

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

__attribute__((noreturn)) static void fail(int line, const char *condition)
{
    fprintf(stderr, "fuzz_snapshot.c:%d: does not hold: %s (%s)\n", line, condition, roost_last_error(NULL));
    abort();
}

/* ---- Files of an input ----------------------------------------------------------------------- */

struct input {
    const uint8_t *at;
    size_t n;
};

static uint64_t take(struct input *input, size_t bytes)
{
    uint64_t word = 0;
    const size_t n = bytes < input->n ? bytes : input->n;
    if (n) memcpy(&word, input->at, n);
    input->at += n;
    input->n -= n;
    return word;
}

/* A number of any size: most are small. */
static uint64_t take_number(struct input *input)
{
    const uint64_t first = take(input, 1);
    return first < 248 ? first : take(input, first - 247);
}

static struct header take_header(struct input *input)
{
    static const char *const engines[] = {"dycuckoo", "slab", "gph", "stadium", "fks", "compact", "", "none"};
    static const char *const options[] = {"", "slots=8", "nonsense", "profile=none"};
    static const uint8_t widths[] = {0, 4, 8, 4, 8, 4, 8, 0, 0, 3};
    struct header h = forge_header(take_number(input));
    h.key_type = (uint32_t)take(input, 1) % 10;
    h.value_type = (uint32_t)take(input, 1) % 10;
    h.key_bytes = h.key_type == ROOST_TYPE_BYTES ? (uint32_t)take_number(input) : widths[h.key_type];
    h.value_bytes = h.value_type == ROOST_TYPE_BYTES ? (uint32_t)take_number(input) : widths[h.value_type];
    h.flags = (uint32_t)take(input, 1) & 7;
    const uint8_t bits = (uint8_t)take(input, 1);
    h.growth = bits & 1;
    h.saturate = bits >> 1 & 1;
    snprintf(h.engine, sizeof h.engine, "%s", engines[bits >> 2 & 7]);
    snprintf(h.options, sizeof h.options, "%s", options[bits >> 5 & 3]);
    if (bits >> 7) {
        h.kind = (uint32_t)take_number(input);
        h.number = (uint32_t)take_number(input);
        h.whole = BASE;
        h.previous = take_number(input);
        h.shard = (uint32_t)take_number(input);
        h.shards = (uint32_t)take_number(input);
    }
    h.capacity = take_number(input);
    h.next_number = take_number(input);
    return h;
}

/* A block of words that count up, or of bytes of the input. */
static void take_block(struct input *input, struct forge *forge)
{
    uint64_t words[64];
    const uint8_t kinds = (uint8_t)take(input, 1);
    struct forged b = {.kind = kinds & 7, .flags = kinds >> 3 & 3};
    const bool counted = kinds >> 5 & 1;
    b.items = take_number(input);
    b.n = (size_t)take(input, 1);
    if (counted) {
        const uint64_t first = take_number(input);
        b.n = (b.n % 64 + 1) * sizeof *words;
        for (size_t i = 0; i < b.n / sizeof *words; i++) words[i] = first + i;
    }
    const uint64_t stored = kinds >> 6 & 1 ? take_number(input) : UINT64_MAX, raw = kinds >> 7 ? take_number(input) : UINT64_MAX;
    if (!counted && b.n > input->n) b.n = input->n;
    b.bytes = counted ? (const void *)words : input->at;
    b.stored = kinds >> 6 & 1 ? stored : b.n;
    b.raw = kinds >> 7 ? raw : b.n;
    forge_add(forge, b);
    if (!counted) input->at += b.n, input->n -= b.n;
}

static void change_bytes(struct input *input, struct image *image)
{
    for (uint64_t changes = take(input, 1) % 4; changes; changes--) {
        const size_t at = (size_t)take(input, 2) % image->n;
        image->at[at] ^= (uint8_t)take(input, 1);
    }
    const uint64_t cut = take(input, 2);
    if (cut && cut < image->n) image->n = (size_t)cut;
}

static struct image image_of(struct input input, uint8_t switches)
{
    struct forge forge;
    memset(&forge, 0, sizeof forge);
    if (switches & AS_IT_IS) {
        image_add(&forge.image, input.at, input.n);
    } else {
        struct input head = input; /* at most 8 bytes of changes */
        const size_t changes = head.n < 14 ? head.n : 14;
        input.at += changes;
        input.n -= changes;
        head.n = changes;
        const struct header h = take_header(&input);
        forge_begin(&forge, &h, FORGED);
        while (input.n) take_block(&input, &forge);
        if (switches & ENDED) forge_end(&forge);
        change_bytes(&head, &forge.image);
    }
    if (switches & RESEALED && forge.image.n) image_reseal(forge.image.at, forge.image.n);
    return forge.image;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

struct outcome {
    roost_status status;
    roost_loaded loaded;
    roost_table *table;
    char text[160];
};

static struct outcome load(const struct image *image, uint8_t switches, size_t step)
{
    struct image_source source = {.at = image->at, .n = image->n, .step = step};
    struct outcome o = {.loaded = ROOST_LOADED_INIT, .table = (roost_table *)&source};
    roost_load_options options = ROOST_LOAD_OPTIONS_INIT;
    roost_config config = ROOST_CONFIG_INIT;
    config.threads = 1;
    config.device = "host";
    config.engine = switches & OF_SLAB ? "slab" : "stadium"; /* which has all widths */
    options.flags = (switches & AS_SAVED ? 0 : ROOST_TYPES_AS_SAVED) | (switches & SALVAGED ? ROOST_SALVAGE : 0);
    options.loaded = &o.loaded;
    o.status = roost_load_from(&o.table, image_read, &source, switches & AS_SAVED ? NULL : &config, &options);
    CHECK((o.status == ROOST_OK) == (o.table != NULL));
    if (o.status) snprintf(o.text, sizeof o.text, "%s", roost_last_error(NULL));
    return o;
}

static void check_error(const struct outcome *o)
{
    switch ((int)o->status) {
    case ROOST_ERR_CORRUPT:
    case ROOST_ERR_ARGUMENT:
    case ROOST_ERR_UNSUPPORTED:
    case ROOST_ERR_NOT_FOUND:
    case ROOST_ERR_FULL: break;
    default: CHECK(!"such an error");
    }
    CHECK(*o->text);
}

static void check_table(const struct outcome *o)
{
    roost_stats stats;
    CHECK(roost_table_check(o->table) == ROOST_OK);
    CHECK(roost_table_stats(o->table, &stats, sizeof stats) == ROOST_OK);
    CHECK(stats.count == o->loaded.pairs);
}

/* Saved and loaded again the table has as many pairs. */
static void check_again(const struct outcome *o)
{
    struct image again = {0};
    CHECK(roost_save_to(o->table, image_write, &again, NULL) == ROOST_OK);
    struct outcome second = load(&again, AS_SAVED, 0);
    CHECK(second.status == ROOST_OK && second.loaded.pairs == o->loaded.pairs);
    roost_table_destroy(second.table);
    image_free(&again);
}

static void check_agree(const struct outcome *a, const struct outcome *b)
{
    CHECK(a->status == b->status && !strcmp(a->text, b->text));
    CHECK(a->status || !memcmp(&a->loaded, &b->loaded, sizeof a->loaded));
}

/* What loads without ROOST_SALVAGE, loads with it, and nothing is lost. */
static void check_salvage(const struct image *image, const struct outcome *o, uint8_t switches)
{
    struct outcome salvaged = load(image, switches | SALVAGED, 0);
    CHECK(salvaged.status == ROOST_OK && salvaged.loaded.pairs == o->loaded.pairs && !salvaged.loaded.blocks_lost);
    roost_table_destroy(salvaged.table);
}

/* Changes that are refused leave the table as it was. */
static void check_by_name(const struct image *image, roost_table *table)
{
    char name[64];
    roost_snapshot_info info;
    roost_stats before, after;
    const int file = memfd_create("snapshot", 0);
    CHECK(file >= 0 && write(file, image->at, image->n) == (ssize_t)image->n);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    const roost_status described = roost_snapshot_describe(name, &info, sizeof info);
    CHECK(described || (memchr(info.engine, 0, sizeof info.engine) && memchr(info.options, 0, sizeof info.options)));
    CHECK(roost_table_stats(table, &before, sizeof before) == ROOST_OK);
    const roost_status applied = roost_load_changes(table, name, NULL);
    CHECK(roost_table_check(table) == ROOST_OK);
    CHECK(roost_table_stats(table, &after, sizeof after) == ROOST_OK);
    CHECK(!applied || before.count == after.count);
    close(file);
}

/* The table that changes are applied to: keys of 8 bytes with values of 8. */
static roost_table *base_table(void)
{
    struct forge forge;
    const struct header h = forge_header(8);
    uint64_t words[16];
    for (size_t i = 0; i < 16; i++) words[i] = i;
    forge_begin(&forge, &h, BASE);
    forge_words(&forge, 8, words);
    forge_end(&forge);
    const struct outcome o = load(&forge.image, 0, 0);
    CHECK(o.status == ROOST_OK);
    image_free(&forge.image);
    return o.table;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct input input = {bytes, n};
    const uint8_t switches = (uint8_t)take(&input, 1);
    struct image image = image_of(input, switches);
    struct outcome o = load(&image, switches, 0);
    if (o.status) check_error(&o);
    else check_table(&o);
    if (switches & IN_STEPS) {
        struct outcome slow = load(&image, switches, 7);
        check_agree(&o, &slow);
        roost_table_destroy(slow.table);
    }
    if (!o.status && switches & DESCRIBED) check_again(&o);
    else if (!o.status && !(switches & SALVAGED)) check_salvage(&image, &o, switches);
    if (switches & DESCRIBED) {
        roost_table *const base = o.table ? o.table : base_table();
        check_by_name(&image, base);
        if (!o.table) roost_table_destroy(base);
    }
    roost_table_destroy(o.table);
    image_free(&image);
    return 0;
}
