/* An engine's kernels for one machine, as its policy finds them. */
#ifndef ROOST_ENGINES_KERNELS_H
#define ROOST_ENGINES_KERNELS_H

#include "backends/backend.h"

/* struct kernel's `once`, by the drivers' names (portable/drivers.h). */
enum { ONCE_lane, ONCE_tile = 0, ONCE_cooperative = 0, ONCE_vote = 0, ONCE_once = 1 };

struct kernels {
    const struct kernel *kernel;
    size_t count;   /* 0 where this build has none for the machine */
    bool atomic128; /* those that need atomics of 16 bytes work, as far as the build is concerned */
};

/* The first of an operation and shape; of this driver (below 0: any) and with so many lanes (0: any).  NULL: there is none. */
const struct kernel *kernels_find(struct kernels set, int operation, int shape, int driver, int lanes);

/* The one that was asked for by driver and lanes, or else the default; false: it is not the asked one. */
bool kernels_choose(struct kernels set, int operation, int shape, int driver, int lanes, const struct kernel **k);

/* Loads kernels now, not in the middle of somebody's streams. */
roost_status kernels_prepare(struct backend *b, const struct kernel *const *kernels, size_t n);

#endif
