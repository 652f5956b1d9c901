/* What an engine is to the rest of the library: one struct of functions.  The API checks arguments and brings the arrays to where the
 * table is; an engine gets batches that are right and within its backend's reach. */
#ifndef ROOST_ENGINES_ENGINE_H
#define ROOST_ENGINES_ENGINE_H

#include "engines/kernels.h"
#include "engines/stats.h"
#include "portable/item.h"
#include "portable/partition_items.h"

struct engine;

enum {
    ENGINE_CHOICES = 5,      /* operations whose kernels options choose, at most */
    ENGINE_MOST_PARTS = 1024 /* of a table, to which finds are routed; where it has more they go as they come */
};

/* Calls of a batch of one operation. */
enum engine_call { ENGINE_FIND, ENGINE_INSERT, ENGINE_ERASE };

/* Every engine's table begins with this. */
struct engine_table {
    const struct engine *engine;
    struct backend *backend;
    struct error *error;
    struct warnings *warnings;
    struct kernels kernels;                      /* those that this build has for the machine */
    int bulk;                                    /* batches by region: enum by_region (engines/policy.h) */
    const struct kernel *chosen[ENGINE_CHOICES]; /* and of them the table's, by the place in engine->choices */
};

/* The part of a configuration that engines see, checked: widths that the engine takes (keys that are strings: 0), and a type of values that is not
 * BYTES where they have 4 or 8 bytes. */
struct engine_config {
    const roost_config *config;
    int key_bytes, value_bytes;
    roost_type value_type;
    const char *profile; /* options that come before config->options, which win; NULL: none */
    struct warnings *warnings;
};

/* Where an export writes strings: `room` of them at most, and bytes_room bytes. */
struct string_room {
    void *offsets;
    int offset_bytes;
    void *bytes;
    uint64_t bytes_room;
    void *values;
    size_t room;
};

struct engine {
    const char *name, *summary, *operations, *widths, *options;
    const char *alias;       /* another name, by which it is found, too; NULL: it has none */
    const char *parameters;  /* as roost_engine_info's; a line "find=@" stands for the kernels of a choice */
    const char *choices;     /* "find|erase": operations whose kernels an option of that name chooses */
    const char *drivers;     /* those that its option `driver` takes, as in ROOST_DRIVER_NAMES */
    const char *load_option; /* the option that says how full a table is made; NULL: max_fill does */
    roost_status (*create)(struct engine_table **table, const struct engine_config *config, struct backend *b, struct error *error);
    void (*destroy)(struct engine_table *table);
    roost_status (*clear)(struct engine_table *table);
    roost_status (*reserve)(struct engine_table *table, uint64_t keys);
    roost_status (*sync)(struct engine_table *table, uint64_t *items_failed);
    roost_status (*insert)(struct engine_table *table, const struct batch *batch);
    roost_status (*find)(struct engine_table *table, const struct batch *batch);
    roost_status (*erase)(struct engine_table *table, const struct batch *batch);
    roost_status (*export_pairs)(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room,
                                 size_t *n);
    roost_status (*stats)(struct engine_table *table, struct engine_stats *stats);
    roost_status (*check)(struct engine_table *table);
    /* What not every engine has: NULL there. */
    /* Concurrent mixes: batch->operations.  Writes batch->found, if not NULL: 1 for finds that found, 0 for all other items. */
    roost_status (*apply)(struct engine_table *table, const struct batch *batch);
    roost_status (*count)(struct engine_table *table, const struct batch *batch);     /* into batch->counts */
    roost_status (*find_all)(struct engine_table *table, const struct batch *batch);  /* by batch->offsets */
    roost_status (*erase_all)(struct engine_table *table, const struct batch *batch); /* into batch->counts, if not NULL */
    roost_status (*compact)(struct engine_table *table);
    /* A view: what kernels of the user's own need to work on the table, written to `view`, which has to have its size, once there is memory
     * for so many new keys.  takes: as in struct batch.  From then on the counts are uncertain; view_release makes them certain again. */
    roost_status (*view_acquire)(struct engine_table *table, void *view, size_t bytes, uint64_t inserts, uint16_t takes);
    roost_status (*view_release)(struct engine_table *table);
    /* Finds that the library brings into the order of the table's parts before (batches_routed): does this table ask for it, into how many
     * parts (1: as they come), which part each item of a batch belongs to, with its number, and finds whose items lie by part: part p's from
     * bounds[p] on, which is on the device. */
    bool (*routes)(const struct engine_table *table);
    uint32_t (*parts)(const struct engine_table *table);
    roost_status (*route)(struct engine_table *table, const struct batch *batch, uint32_t *part, uint32_t *items);
    roost_status (*find_parts)(struct engine_table *table, const struct batch *batch, const uint64_t *bounds);
    /* Finds of a table whose pairs may lie in memory that is far, in regions (batches_sifted): does this table ever ask for it; by how many regions
     * finds of n keys go (1: as they come); and the pass over what is near: it answers the items that surely have no pair, and parks the others,
     * each with the region, of so many, where its pair would be: in `region`, by item. */
    bool (*sifts)(const struct engine_table *table);
    uint32_t (*regions)(const struct engine_table *table, uint64_t n);
    roost_status (*sift)(struct engine_table *table, const struct batch *batch, uint32_t *region, uint32_t regions);
    /* Batches that the library partitions by region before (batches_bulk), where all homes of a key lie in one region, or nearly all keys in their
     * first: by how many bits at most (0: as they come), and whether a call with n keys gains by it on a GPU; and each item's region. */
    uint32_t (*code_bits)(const struct engine_table *table, enum engine_call call, uint64_t n, bool *pays);
    roost_status (*codes)(struct engine_table *table, const struct batch *batch, const struct partition_codes *codes);
    /* The kernel that carries a choice out at the table's present size, where that is not always the chosen one. */
    const struct kernel *(*running)(const struct engine_table *table, int choice);
    uint8_t by_region; /* bit c: calls of enum engine_call c go so */
    bool multi;        /* tables with ROOST_MULTI */
    bool captures;     /* inserts may be captured into a graph, where growth is off */
    /* Keys of any width up to ROOST_KEY_BYTES_MOST and strings, values up to ROOST_VALUE_BYTES_MOST.  NULL: 4 and 8 bytes alone.  Exports
     * strings, as export_pairs does pairs. */
    roost_status (*export_strings)(struct engine_table *table, roost_cursor *cursor, const struct string_room *room, size_t *n);
};

/* What carries a batch out; an engine's for a call. */
typedef roost_status batch_function(struct engine_table *table, const struct batch *batch);
static inline batch_function *engine_function_of(const struct engine *e, enum engine_call call)
{
    return call == ENGINE_FIND ? e->find : call == ENGINE_INSERT ? e->insert : e->erase;
}

#endif
