/* An engine as the rest of the library sees it: one struct of functions.  The API checks arguments
 * and copies arrays to the table's machine.  Engines therefore get only valid batches, in memory
 * that their backend reaches. */
#ifndef ROOST_ENGINES_ENGINE_H
#define ROOST_ENGINES_ENGINE_H

#include "engines/table.h"
#include "portable/item.h"
#include "portable/partition_items.h"

/* Calls of a batch of one operation. */
enum engine_call { ENGINE_FIND, ENGINE_INSERT, ENGINE_ERASE };

/* The best order for a batch: its items sorted by the codes of their keys.  A code says in which
 * part of the table a key is looked for.  Items of one part are then adjacent, and the part stays
 * in fast memory meanwhile.  By default the items are partitioned by codes of at most 8 bits, and
 * the engine's function gets copies of them in that order. */
struct batch_order {
    /* Every code is below this.  0 and 1: unordered; a partition's: 2^1 to 2^8. */
    uint32_t codes;
    bool pays; /* the order makes this call faster on a GPU */
    /* Finds: the pass over the codes answers items from memory that is near.  The others stay in
     * their arrays; they are sorted by code, and batch->order lists them. */
    bool near;
    bool bounds; /* finds: the items are sorted by code; batch->bounds has each code's first item */
};

/* Where an engine writes the codes of a batch. */
struct batch_codes {
    struct partition_codes bytes; /* of a partition; else bytes.codes is NULL */
    uint32_t *code;               /* of each item */
    uint32_t *items;              /* items to find: all, in order; near: those left */
    uint64_t *items_n;            /* near: number of `items`; initially 0 */
    uint32_t codes;               /* as in batch_order */
};

/* The checked part of a configuration that engines see: widths that the engine accepts (0 for keys
 * that are strings).  The type of values is not BYTES if they have 4 or 8 bytes. */
struct engine_config {
    const roost_config *config;
    int key_bytes, value_bytes;
    roost_type value_type;
    const struct engine_table *like; /* config->like; its engine and widths are the same */
    /* Options that are read before config->options and yield to them; NULL: none. */
    const char *profile;
    struct warnings *warnings;
};

/* Destination of an export of strings: at most `room` strings and bytes_room bytes. */
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

/* The order of an engine's keys, by their ranks: numbers with as many bits as keys have, which are
 * different for different keys.  In the table the pairs lie in this order, except for strays. */
struct ranked_pairs {
    uint64_t low, high; /* their ranks are low .. high */
    bool strays;        /* strays; else the pairs that are none */
    void *keys, *values;
};
struct engine_ranking {
    /* Writes the ranks of the batch's keys to batch->counts.  May run beside itself. */
    roost_status (*ranks)(struct engine_table *t, const struct batch *batch);
    /* The last rank of a range from `low` on with at most `pairs` pairs, at least ROOST_EXPORT_MIN,
     * that are no strays. */
    uint64_t (*reach)(const struct engine_table *t, uint64_t low, uint64_t pairs);
    /* Appends the pairs to arrays (keys NULL: only counts them), waits, and sets *n. */
    roost_status (*pairs)(struct engine_table *t, const struct ranked_pairs *wanted, uint64_t *n);
};

struct engine {
    const char *name, *summary, *operations, *widths;
    const char *alias;            /* another name under which it is found; NULL: none */
    const struct option *options; /* its option rows; the last one has no name */
    /* "find|erase": operations with an option of that name that chooses their kernel, */
    const char *choices;
    const int *choice_operations; /* and their numbers */
    const char *tuned_choices;    /* those among `choices` that `roost tune` searches */
    /* Drivers that its option `driver` accepts, as in ROOST_DRIVER_NAMES. */
    const char *drivers;
    /* The option that sets how full a table is made; NULL: max_fill. */
    const char *load_option;
    kernels_function *kernels[MACHINES];
    struct table_hooks hooks; /* its part of a table's life (engines/table.h) */
    /* Launches the finds of a batch; does not wait.  May run beside itself. */
    roost_status (*find)(struct engine_table *table, const struct batch *batch);
    roost_status (*export_pairs)(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room,
                                 size_t *n);
    roost_status (*check)(struct engine_table *table);
    /* Functions that not every engine has: NULL there. */
    /* Into batch->counts. */
    roost_status (*count)(struct engine_table *table, const struct batch *batch);
    /* By batch->offsets. */
    roost_status (*find_all)(struct engine_table *table, const struct batch *batch);
    /* The best order for a call with n keys, in the table's present state. */
    struct batch_order (*order)(const struct engine_table *table, enum engine_call call, uint64_t n);
    /* Writes the codes of a batch for the order that `order` chose.  near: also answers the items
     * that are guaranteed to have no pair, and writes only the other items' codes. */
    roost_status (*codes)(struct engine_table *table, const struct batch *batch, const struct batch_codes *codes);
    /* The kernel that runs for a choice at the table's present size, if it is not always the chosen
     * one. */
    const struct kernel *(*running)(const struct engine_table *table, int choice);
    bool bulk; /* has the option `bulk`, which switches ordering of batches */
    /* Concurrent mixes, unless a table's options exclude them: batch->operations.  Kernels write
     * batch->found, if not NULL: 1 for finds with a hit, else 0. */
    bool mixes;
    bool multi; /* supports tables with ROOST_MULTI, and erases of all pairs of a key */
    /* Calls that write may be captured into a graph, if growth is off. */
    bool captures;
    /* Exports strings, as export_pairs does pairs.  NULL: the engine has only keys and values of 4
     * and 8 bytes.  Otherwise: keys of any width up to ROOST_KEY_BYTES_MOST and strings, values up
     * to ROOST_VALUE_BYTES_MOST. */
    roost_status (*export_strings)(struct engine_table *table, roost_cursor *cursor, const struct string_room *room, size_t *n);
    /* NULL: its keys have no order. */
    const struct engine_ranking *ranking;
};

/* A function that runs a batch; the engine's one for a call. */
typedef roost_status batch_function(struct engine_table *table, const struct batch *batch);
static inline batch_function *engine_function_of(enum engine_call call)
{
    return call == ENGINE_FIND ? engine_find : call == ENGINE_INSERT ? engine_insert : engine_erase;
}

#endif
