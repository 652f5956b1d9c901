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

/* Chooses a table's kernels for a shape.  operations[i] carries choice i out; the kernel is the one
 * that options ask for, in t->chosen[i] and by the choice's own operation in t->kernel.  others (n of
 * them): operations with one kernel, of this shape or else of shape `any`.  All are loaded.
 * ROOST_ERR_UNSUPPORTED: a kernel that was asked for does not exist. */
roost_status policy_kernels(struct engine_table *t, int shape, const int *operations, int any, const int *others, int n);

/* Is nothing asked of choice i, neither by its name nor of all operations? */
bool policy_unasked(const struct engine_table *t, int choice);

/* Draws the seeds of a table's hash functions; the universal family is of keys of 4 bytes. */
roost_status policy_seeds(struct hash_seeds *seeds, bool universal, const struct engine_config *config, struct error *error);

/* Refuses fill bounds that a table which doubles and halves cannot hold. */
roost_status policy_doubling_bounds(double min_fill, double max_fill, struct error *error);

/* The bounds of a table that doubles and does not get fuller than `reach`: the asked ones, but the upper is no higher than that, and the
 * lower one far enough below it. */
roost_status policy_reach_bounds(const roost_config *config, double reach, double *min_fill, double *max_fill, struct error *error);

#endif
