/* What the engines' policies share, whatever their tables look like. */
#ifndef ROOST_ENGINES_POLICY_H
#define ROOST_ENGINES_POLICY_H

#include "engines/engine.h"
#include "portable/hash.h"

/* Bytes of a table from which on finds by region pay, for a GPU's random accesses get slow: what an H200's translation of addresses reaches ends
 * between 85 and 96 GB.  And erases, which write where they have read. */
#define POLICY_FAR ((uint64_t)90 * 1000 * 1000 * 1000)
#define POLICY_ERASES_FAR ((uint64_t)64 * 1000 * 1000 * 1000)

/* Do erases of n of a table's keys pay by region, in fks and stadium?  Those of half of them come to each line some times, between which it stays in
 * the cache (docs/fks.md, docs/stadium.md).  bytes: that they may come to. */
bool policy_erases_pay(uint64_t bytes, uint64_t n, uint64_t count);

/* Batches by region (batches_by_code.c): on, off, or where that pays; what engines that have them
 * say of the option. */
enum by_region { BULK_AUTO, BULK_ON, BULK_OFF };
#define POLICY_BULK_TEXT                                                                                                           \
    "bulk=auto: keys partitioned by region before, so that each region is in the cache: on, off; auto: on a GPU, of 2^22 keys or " \
    "more, where what all of them read, misses, too, is 90 GB or more, or what erases read 64 GB; and erases of half of the keys " \
    "in 1 GB or more, of fks "                                                                                                     \
    "and stadium\n"

/* The kernels that options ask for: `driver` and `tile` for all operations that have such a kernel, and by the name of an operation, such
 * as find=once2, which has to exist; a profile's may be from another build, or for a shape that the caller's options change, and give way
 * to the nearest. */
struct kernel_ask {
    int driver, lanes; /* -1 and 0: auto */
    bool profiles;
    char value[32]; /* as it was written */
};
struct kernel_asks {
    const char *choices, *drivers; /* the engine's */
    struct kernel_ask all, of[ENGINE_CHOICES];
    bool profiles; /* a profile's options are read now */
    bool regions;  /* the engine has batches by region */
    int bulk;      /* enum by_region */
    bool by_slots; /* finds without the Bucket Requester (portable/bucket.h): an operation of their own */
};

/* A new table's description, of so many bytes: all zero but for the handle, which it begins with.  NULL: there is no memory for it, as
 * `error` says then. */
void *policy_new(size_t bytes, const struct engine *engine, const struct engine_config *config, struct backend *b,
                 struct error *error);

/* Sets one option of an engine's; false if the value is none of its values.  *known: whether there is such an option. */
typedef bool policy_option_set(void *options, const char *name, const char *value, bool *known);

/* Reads the profile's options and then the configuration's (portable/options.h) into `options`, which holds the defaults and `asks`. */
roost_status policy_options(const struct engine *engine, const struct engine_config *config, policy_option_set *set, void *options,
                            struct kernel_asks *asks, struct error *error);

/* The options that every engine has: driver, tile, requester and its choices; and bulk, where it has batches by region. */
bool policy_kernel_option(struct kernel_asks *asks, const char *name, const char *value, bool *known);

/* Takes over what is asked: the kernels of a shape for all of the engine's choices, into table->chosen, and table->bulk.  operations[i]: what carries choice i out. */
roost_status policy_kernels(struct engine_table *table, const struct kernel_asks *asks, int shape, const int *operations);

/* Draws the seeds of a table's hash functions; the universal family is of keys of 4 bytes. */
roost_status policy_seeds(struct hash_seeds *seeds, bool universal, const struct engine_config *config, struct error *error);

/* Refuses fill bounds that a table which doubles and halves cannot hold. */
roost_status policy_doubling_bounds(double min_fill, double max_fill, struct error *error);

/* The bounds of a table that doubles and does not get fuller than `reach`: the asked ones, but the upper is no higher than that, and the
 * lower one far enough below it. */
roost_status policy_reach_bounds(const roost_config *config, double reach, double *min_fill, double *max_fill, struct error *error);

/* Refuses a call that writes on a stream that is captured: such a table may have to grow. */
roost_status policy_no_capture(struct error *error);

#endif
