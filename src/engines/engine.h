/* What an engine is to the rest of the library: one struct of functions.  The API checks arguments and brings the arrays to where the
 * table is; an engine gets batches that are right and within its backend's reach. */
#ifndef ROOST_ENGINES_ENGINE_H
#define ROOST_ENGINES_ENGINE_H

#include "engines/table.h"
#include "portable/item.h"
#include "portable/partition_items.h"

/* Calls of a batch of one operation. */
enum engine_call { ENGINE_FIND, ENGINE_INSERT, ENGINE_ERASE };

/* The order in which a batch is best worked on: its items by their keys' codes.  A code says in
 * which part of the table a key is looked for; items of one part lie together then, and the part
 * stays in fast memory meanwhile.  By default the items are partitioned by codes of at most 8 bits,
 * and the engine's function gets copies of them in that order. */
struct batch_order {
    uint32_t codes; /* every code is below this; 0 and 1: unordered; a partition's: 2^1 to 2^8 */
    bool pays;      /* the order makes this call faster on a GPU */
    bool near;      /* finds: the pass over the codes answers items from memory that is near; the
                     * others are sorted by code, stay in their arrays, and batch->order lists them */
    bool bounds;    /* finds: the items are sorted by code; batch->bounds has each code's first */
};

/* Where an engine writes the codes of a batch. */
struct batch_codes {
    struct partition_codes bytes; /* of a partition; else bytes.codes is NULL */
    uint32_t *code;               /* of each item */
    uint32_t *items;              /* those to find: all, in order; near: those left */
    uint64_t *items_n;            /* near: their number, 0 before */
    uint32_t codes;               /* as in batch_order */
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

/* An engine's kernels, by machine. */
typedef struct kernels kernels_function(void);
#if defined(ROOST_WITH_CUDA)
#define ENGINE_KERNELS(name)                                                                                                       \
    {                                                                                                                              \
        [MACHINE_HOST] = name##_host_kernels, [MACHINE_CUDA] = name##_cuda_kernels                                                 \
    }
#else
#define ENGINE_KERNELS(name)                                                                                                       \
    {                                                                                                                              \
        [MACHINE_HOST] = name##_host_kernels                                                                                       \
    }
#endif

struct engine {
    const char *name, *summary, *operations, *widths;
    const char *alias;            /* another name, by which it is found, too; NULL: it has none */
    const struct option *options; /* its rows; the last one has no name */
    const char *choices;          /* "find|erase": operations whose kernels an option of that name chooses, */
    const int *choice_operations; /* and their numbers */
    const char *tuned_choices;    /* of these, the ones that `roost tune` searches */
    const char *drivers;          /* those that its option `driver` takes, as in ROOST_DRIVER_NAMES */
    const char *load_option;      /* the option that says how full a table is made; NULL: max_fill does */
    kernels_function *kernels[MACHINES];
    struct table_hooks hooks; /* its part of a table's life (engines/table.h) */
    /* Launches the finds of a batch; does not wait.  May run beside itself. */
    roost_status (*find)(struct engine_table *table, const struct batch *batch);
    roost_status (*export_pairs)(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room,
                                 size_t *n);
    roost_status (*check)(struct engine_table *table);
    /* What not every engine has: NULL there. */
    /* May this table's operations mix?  NULL: if its engine's may. */
    roost_status (*mixes_check)(const struct engine_table *table);
    roost_status (*count)(struct engine_table *table, const struct batch *batch);    /* into batch->counts */
    roost_status (*find_all)(struct engine_table *table, const struct batch *batch); /* by batch->offsets */
    /* The order that is best for a call with n keys, as the table is now. */
    struct batch_order (*order)(const struct engine_table *table, enum engine_call call, uint64_t n);
    /* Writes the codes of a batch for the order that `order` asked for.  near: also answers the
     * items that are guaranteed to have no pair, and writes only the other items' codes. */
    roost_status (*codes)(struct engine_table *table, const struct batch *batch, const struct batch_codes *codes);
    /* The kernel that carries a choice out at the table's present size, where that is not always the chosen one. */
    const struct kernel *(*running)(const struct engine_table *table, int choice);
    bool bulk;  /* has the option `bulk`, which says whether batches are ordered */
    bool mixes; /* concurrent mixes: batch->operations.  Kernels write batch->found, if not NULL: 1 for finds that found, else 0 */
    bool multi; /* tables with ROOST_MULTI, and erases of all pairs of a key */
    bool captures; /* calls that write may be captured into a graph, where growth is off */
    /* Keys of any width up to ROOST_KEY_BYTES_MOST and strings, values up to ROOST_VALUE_BYTES_MOST.  NULL: 4 and 8 bytes alone.  Exports
     * strings, as export_pairs does pairs. */
    roost_status (*export_strings)(struct engine_table *table, roost_cursor *cursor, const struct string_room *room, size_t *n);
};

/* What carries a batch out; an engine's for a call. */
typedef roost_status batch_function(struct engine_table *table, const struct batch *batch);
static inline batch_function *engine_function_of(enum engine_call call)
{
    return call == ENGINE_FIND ? engine_find : call == ENGINE_INSERT ? engine_insert : engine_erase;
}

#endif
