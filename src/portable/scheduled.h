/* The scheduled machine, for tests alone: every lane is a coroutine, and every verb of tiles and every atomic is a point where a
 * seeded scheduler may switch to another lane.  Memory is sequentially consistent: what one lane wrote, all lanes read.
 *
 * Verbs are macros here, so that every call site is known by file and line, also one that is never reached, and counts its
 * switches.  What a run reports instead of hanging or going wrong silently:
 *   - a lane that is elsewhere, or gone, while the lanes of its tile wait in a collective verb
 *   - a run that does not end within its budget of points
 *   - a lock that is held when a step returns or a lane ends, and one that is given back by a lane that does not hold it
 *   - whatever the test's own watch finds wrong after a write
 * The same plan and seed give the same run. */
#ifndef ROOST_PORTABLE_SCHEDULED_H
#define ROOST_PORTABLE_SCHEDULED_H

#include "portable/machine.h"
#include "portable/tile.h" /* for the type of a tile: its verbs are here */

/* ---- Runs ----------------------------------------------------------------------------------------------------------------------- */

enum { SCHEDULED_LANES = 128 /* in one run, at most */ };

struct scheduled_plan {
    uint64_t seed;
    int size;             /* lanes of a tile */
    int tiles;            /* size * tiles is at most SCHEDULED_LANES */
    uint64_t budget;      /* points after which a run counts as endless */
    size_t scratch_bytes; /* a tile's own memory, filled with a pattern */
    /* Called after every store and compare-and-swap, as if another thread looked at memory then: NULL, or what is wrong. */
    const char *(*watch)(void *context);
    void *context;
};

/* A kernel as one lane runs it. */
typedef void scheduled_kernel(const void *args, void *scratch);

/* Runs the kernel on every lane.  NULL, or what went wrong; the text stays until the next run. */
const char *scheduled_run(const struct scheduled_plan *plan, scheduled_kernel *kernel, const void *args);

/* Points that the last run passed, and how often it switched there. */
struct scheduled_numbers {
    uint64_t points, switches;
};
struct scheduled_numbers scheduled_numbers(void);

/* The running lane's step has returned: it must hold no lock. */
void scheduled_step_returned(void);

/* ---- Sites ---------------------------------------------------------------------------------------------------------------------- */

enum { SCHEDULED_SIZES = 6 /* tiles of 1, 2, 4, 8, 16 and 32 lanes */ };

/* A place in the sources where a verb is called. */
struct scheduled_site {
    const char *file, *function, *verb;
    int line;
    bool is_atomic;                     /* else a verb of tiles */
    uint64_t visits[SCHEDULED_SIZES];   /* by the tile's size */
    uint64_t switches[SCHEDULED_SIZES]; /* another lane ran there */
};

/* All sites of the program; copies from several translation units and inlined lines of one macro are listed each. */
size_t scheduled_sites(struct scheduled_site ***sites);

#define SCHEDULED_SITE(verb, is_atomic)                                                                                            \
    (__extension__({                                                                                                               \
        static struct scheduled_site site_ = {__FILE__, __func__, verb, __LINE__, is_atomic, {0}, {0}};                            \
        static struct scheduled_site *entry_ __attribute__((section("scheduled_site_list"), used)) = &site_;                       \
        &site_;                                                                                                                    \
    }))

/* The running lane is at a site: others may run before it goes on. */
void scheduled_point(struct scheduled_site *site);

/* Memory was written. */
void scheduled_wrote(void);

/* ---- Tiles ---------------------------------------------------------------------------------------------------------------------- */

tile tile_make(int size);
uint64_t tile_rank(int size);
uint64_t tile_count(int size);

enum scheduled_meeting { MEET_BALLOT, MEET_FROM, MEET_MIN, MEET_SYNC };

/* Waits for all lanes of the tile at this site. */
uint64_t scheduled_meet(tile g, enum scheduled_meeting meeting, uint64_t operand, int from, struct scheduled_site *site);

#define tile_ballot(g, p) ((uint32_t)scheduled_meet(g, MEET_BALLOT, (p) ? 1 : 0, 0, SCHEDULED_SITE("tile_ballot", false)))
#define tile_any(g, p) (scheduled_meet(g, MEET_BALLOT, (p) ? 1 : 0, 0, SCHEDULED_SITE("tile_any", false)) != 0)
#define tile_from32(g, v, lane) ((uint32_t)scheduled_meet(g, MEET_FROM, (uint32_t)(v), lane, SCHEDULED_SITE("tile_from32", false)))
#define tile_from64(g, v, lane) scheduled_meet(g, MEET_FROM, v, lane, SCHEDULED_SITE("tile_from64", false))
#define warp_converge() ((void)0)
#define tile_min32(g, v) ((uint32_t)scheduled_meet(g, MEET_MIN, v, 0, SCHEDULED_SITE("tile_min32", false)))
#define tile_sync(g) ((void)scheduled_meet(g, MEET_SYNC, 0, 0, SCHEDULED_SITE("tile_sync", false)))

/* ---- Atomics -------------------------------------------------------------------------------------------------------------------- */

/* A lane runs alone between two points, so plain accesses are atomic here. */
#define SCHEDULED_VERBS(bits)                                                                                                      \
    static inline uint##bits##_t scheduled_load##bits(const uint##bits##_t *p, struct scheduled_site *site)                        \
    {                                                                                                                              \
        scheduled_point(site);                                                                                                     \
        return *p;                                                                                                                 \
    }                                                                                                                              \
    static inline void scheduled_store##bits(uint##bits##_t *p, uint##bits##_t v, struct scheduled_site *site)                     \
    {                                                                                                                              \
        scheduled_point(site);                                                                                                     \
        *p = v;                                                                                                                    \
        scheduled_wrote();                                                                                                         \
    }                                                                                                                              \
    static inline uint##bits##_t scheduled_cas##bits(uint##bits##_t *p, uint##bits##_t expected, uint##bits##_t desired,           \
                                                     struct scheduled_site *site)                                                  \
    {                                                                                                                              \
        scheduled_point(site);                                                                                                     \
        const uint##bits##_t seen = *p;                                                                                            \
        if (seen != expected) return seen;                                                                                         \
        *p = desired;                                                                                                              \
        scheduled_wrote();                                                                                                         \
        return seen;                                                                                                               \
    }                                                                                                                              \
    static inline uint##bits##_t scheduled_add##bits(uint##bits##_t *p, uint##bits##_t v, struct scheduled_site *site)             \
    {                                                                                                                              \
        scheduled_point(site);                                                                                                     \
        const uint##bits##_t seen = *p;                                                                                            \
        *p = seen + v;                                                                                                             \
        return seen;                                                                                                               \
    }                                                                                                                              \
    static inline uint##bits##_t scheduled_max##bits(uint##bits##_t *p, uint##bits##_t v, struct scheduled_site *site)             \
    {                                                                                                                              \
        scheduled_point(site);                                                                                                     \
        const uint##bits##_t seen = *p;                                                                                            \
        if (seen < v) *p = v;                                                                                                      \
        return seen;                                                                                                               \
    }                                                                                                                              \
    static inline uint##bits##_t scheduled_or##bits(uint##bits##_t *p, uint##bits##_t v, struct scheduled_site *site)              \
    {                                                                                                                              \
        scheduled_point(site);                                                                                                     \
        const uint##bits##_t seen = *p;                                                                                            \
        *p = seen | v;                                                                                                             \
        return seen;                                                                                                               \
    }
SCHEDULED_VERBS(32)
SCHEDULED_VERBS(64)
#undef SCHEDULED_VERBS

/* Taking and keeping bits is what locks are made of (lock.h alone uses them): the bits that a lane set first are locks that it
 * holds. */
uint32_t scheduled_acquire32(uint32_t *p, uint32_t v, struct scheduled_site *site);
uint32_t scheduled_release32(uint32_t *p, uint32_t v, struct scheduled_site *site);

#define load_relaxed_device32(p) scheduled_load32(p, SCHEDULED_SITE("load_relaxed_device32", true))
#define load_relaxed_device64(p) scheduled_load64(p, SCHEDULED_SITE("load_relaxed_device64", true))
#define store_relaxed_device32(p, v) scheduled_store32(p, v, SCHEDULED_SITE("store_relaxed_device32", true))
#define store_relaxed_device64(p, v) scheduled_store64(p, v, SCHEDULED_SITE("store_relaxed_device64", true))
#define cas_relaxed_device32(p, expected, desired)                                                                                 \
    scheduled_cas32(p, expected, desired, SCHEDULED_SITE("cas_relaxed_device32", true))
#define cas_relaxed_device64(p, expected, desired)                                                                                 \
    scheduled_cas64(p, expected, desired, SCHEDULED_SITE("cas_relaxed_device64", true))
#define add_relaxed_device32(p, v) scheduled_add32(p, v, SCHEDULED_SITE("add_relaxed_device32", true))
#define add_relaxed_device64(p, v) scheduled_add64(p, v, SCHEDULED_SITE("add_relaxed_device64", true))
#define max_relaxed_device32(p, v) scheduled_max32(p, v, SCHEDULED_SITE("max_relaxed_device32", true))
#define max_relaxed_device64(p, v) scheduled_max64(p, v, SCHEDULED_SITE("max_relaxed_device64", true))
#define or_relaxed_device32(p, v) scheduled_or32(p, v, SCHEDULED_SITE("or_relaxed_device32", true))
#define or_relaxed_device64(p, v) scheduled_or64(p, v, SCHEDULED_SITE("or_relaxed_device64", true))
#define take_bits_relaxed_device32(p, v) scheduled_acquire32(p, v, SCHEDULED_SITE("take_bits_relaxed_device32", true))
#define keep_bits_relaxed_device32(p, v) scheduled_release32(p, v, SCHEDULED_SITE("keep_bits_relaxed_device32", true))
#define take_place_relaxed_device64(p) scheduled_add64(p, 1, SCHEDULED_SITE("take_place_relaxed_device64", true))
#define fence_release_device() scheduled_point(SCHEDULED_SITE("fence_release_device", true))
#define fence_acquire_release_device() scheduled_point(SCHEDULED_SITE("fence_acquire_release_device", true))
#define fence_acquire_device() scheduled_point(SCHEDULED_SITE("fence_acquire_device", true))

#endif
