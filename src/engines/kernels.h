/* An engine's kernels for one machine, as its policy finds them. */
#ifndef ROOST_ENGINES_KERNELS_H
#define ROOST_ENGINES_KERNELS_H

#include "backends/backend.h"

/* The drivers (portable/drivers.h); options name the first of them, in this order. */
#define ROOST_DRIVER_NAMES "lane|tile|cooperative|vote|once|twice|collaborate|abreast|onceabreast"
enum driver {
    DRIVER_lane,
    DRIVER_tile,
    DRIVER_cooperative,
    DRIVER_vote,
    DRIVER_once,
    DRIVER_twice,
    DRIVER_collaborate,
    DRIVER_abreast,
    DRIVER_onceabreast,
    DRIVER_staged,
    DRIVER_team,
    DRIVER_runs
};
/* Struct kernel's `items` and `threads` for each driver.  Where blocks come and go, small ones
 * leave less of a multiprocessor empty meanwhile.  A block that copies for its items is as large as
 * possible.  Teams fill the shared memory, and do so better with smaller blocks. */
enum {
    ITEMS_lane,
    ITEMS_tile = 0,
    ITEMS_cooperative = 0,
    ITEMS_vote = 0,
    ITEMS_once = 1,
    ITEMS_twice = 2,
    ITEMS_collaborate = 0,
    ITEMS_abreast = 0,
    ITEMS_onceabreast = 1,
    ITEMS_staged = 0,
    ITEMS_team = 0,
    ITEMS_runs = 0
};
enum {
    THREADS_lane = 256,
    THREADS_tile = 256,
    THREADS_cooperative = 256,
    THREADS_vote = 256,
    THREADS_once = 128,
    THREADS_twice = 128,
    THREADS_collaborate = 256,
    THREADS_abreast = 256,
    THREADS_onceabreast = 128,
    THREADS_staged = 1024,
    THREADS_team = 32,
    THREADS_runs = 256
};

/* From an engine's list of shapes: an enumerator for each; a function that returns the shape, so
 * that its members are constants in kernels; and a row of a table of shapes. */
#define ROOST_SHAPE_ENUM(name, ...) SHAPE_##name,
#define ROOST_SHAPE_FUNCTION(name, key, value, slots, word, homes)                                                                 \
    ROOST_FN struct shape shape_##name(void)                                                                                       \
    {                                                                                                                              \
        const struct shape s = {key, value, slots, word, homes};                                                                   \
        return s;                                                                                                                  \
    }
#define ROOST_SHAPE_ROW(name, key, value, slots, word, homes) {key, value, slots, word, homes},
/* The shape of kernels that take it at run time. */
#define ROOST_SHAPE_ANY(X) X(any, 0, 0, 0, 0, 0)

/* A stamped kernel in its engine's list: its function on the host or on CUDA, and the bytes of
 * scratch memory for each tile. */
#define ROOST_KERNEL(engine, operation, shape, driver, tile, scratch, host, cuda)                                                  \
    {#operation "_" #shape "_" #driver #tile,                                                                                      \
     engine##_##operation,                                                                                                         \
     SHAPE_##shape,                                                                                                                \
     DRIVER_##driver,                                                                                                              \
     tile,                                                                                                                         \
     scratch,                                                                                                                      \
     host,                                                                                                                         \
     cuda,                                                                                                                         \
     ITEMS_##driver,                                                                                                               \
     THREADS_##driver,                                                                                                             \
     0},

struct kernels {
    const struct kernel *kernel;
    size_t count;   /* 0 if this build has none for the machine */
    bool atomic128; /* kernels that need atomics of 16 bytes work in this build */
};

/* An engine's kernels for each machine.  The list of its kernels declares them. */
#if defined(__cplusplus)
#define ROOST_EXTERN_C extern "C"
#else
#define ROOST_EXTERN_C
#endif
#define ROOST_KERNELS_DECLARE(engine)                                                                                              \
    struct kernels engine##_host_kernels(void);                                                                                    \
    ROOST_EXTERN_C struct kernels engine##_cuda_kernels(void);

/* The first kernel of an operation and shape with this driver (below 0: any) and number of lanes
 * (0: any).  NULL: none exists. */
const struct kernel *kernels_find(struct kernels set, int operation, int shape, int driver, int lanes);

/* The first kernel of an operation and shape. */
const struct kernel *kernels_default(struct kernels set, int operation, int shape);

/* The kernel with this driver and number of lanes; else the one with this driver and the nearest
 * width; else the default. */
const struct kernel *kernels_nearest(struct kernels set, int operation, int shape, int driver, int lanes);

/* Parses a driver and lanes as options name them: "once2"; "auto" gives -1 and 0.  Returns false if
 * there is no such name. */
bool kernels_parse(const char *value, int *driver, int *lanes);
/* The value that names this kernel in options: the end of its own name. */
const char *kernels_value(const struct kernel *k);

/* Chooses the kernel with this driver and lanes, or else the default; returns false for the
 * default. */
bool kernels_choose(struct kernels set, int operation, int shape, int driver, int lanes, const struct kernel **k);

/* Loads kernels (NULL: none) now, so that loading does not interrupt a stream later. */
roost_status kernels_prepare(struct backend *b, const struct kernel *const *kernels, size_t n);

#endif
