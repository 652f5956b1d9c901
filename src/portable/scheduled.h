/* The scheduled machine, for tests only.  Every lane is a coroutine.  Every verb of tiles and every
 * atomic is a point where the scheduler may switch to another lane: at random from a seed, or in a
 * search through all runs with few switches.  Memory is sequentially consistent (all lanes read
 * what one lane wrote), or weak (scheduled_memory.h): a load may return an older value that C11
 * permits.
 *
 * Verbs are macros here, so that every call site has a file and a line, even if it is never
 * reached, and counts its switches.  A run reports the following faults instead of hanging or
 * failing silently:
 *   - a lane is elsewhere, or gone, while the lanes of its tile wait in a collective verb
 *   - a run does not end within its budget of points
 *   - a lock is held when a step returns or a lane ends, or a lane gives back a lock that it does
 *     not hold
 *   - a tile writes behind its scratch memory
 *   - with weak memory, two lanes of a tile write different values to one byte of its scratch
 *     memory without a tile_sync in between
 *   - with weak memory, a word is accessed at two widths, unless it is a pair's value and the plan
 *     permits that
 *   - the test's own watch finds a fault after a write
 * The same plan and seed give the same run. */
#ifndef ROOST_PORTABLE_SCHEDULED_H
#define ROOST_PORTABLE_SCHEDULED_H

#include "portable/machine.h"
#include "portable/tile.h" /* only for the type of a tile: its verbs are here */

/* ---- Runs ----------------------------------------------------------------------------------- */

enum { SCHEDULED_LANES = 128 /* in one run, at most */ };

struct scheduled_plan {
    uint64_t seed;
    int size;        /* lanes of a tile */
    int tiles;       /* size * tiles is at most SCHEDULED_LANES */
    uint64_t budget; /* points after which a run counts as endless */
    /* A tile's own memory, filled with a pattern.  In random runs with weak memory, a lane sees
     * other lanes' writes to it from the next tile_sync on. */
    size_t scratch_bytes;
    /* Called after every store, compare-and-swap, and, or, and add that releases (except those of
     * locks), as if another thread looked at memory at that time.  Returns NULL, or a description
     * of the fault. */
    const char *(*watch)(void *context);
    void *context;
    bool weak;         /* weak memory */
    bool values_alone; /* the values of pairs may be accessed without their keys */
};

/* A kernel as one lane runs it. */
typedef void scheduled_kernel(const void *args, void *scratch);

/* Runs the kernel on every lane.  Returns NULL, or a description of the fault, which stays valid
 * until the next run. */
const char *scheduled_run(const struct scheduled_plan *plan, scheduled_kernel *kernel, const void *args);

/* A search runs the kernel again and again.  Tiles run one after another, and a tile's lanes always
 * in the same order, except for at most this number of decisions in a run: */
struct scheduled_limits {
    /* Interruptions of a tile by another one, before an atomic or before a fence on whose order all
     * lanes agree. */
    int preemptions;
    int stale;          /* weak memory: accesses that do not take the newest message */
    uint64_t schedules; /* runs after which the search gives up */
};

/* Hooks around each run. */
struct scheduled_trial {
    void (*reset)(void *context); /* before the run: restores memory */
    /* After the run: NULL, or a description of the fault; it may run other kernels first. */
    const char *(*verdict)(void *context);
    void *context;
};

struct scheduled_searched {
    uint64_t schedules; /* runs */
    bool complete;      /* no other schedules exist within the limits */
};

/* Runs the kernel with every schedule within the limits, until one fails.  Returns the fault and
 * the schedule by its decisions, or NULL.  A tile that waits for another one in vain (PATIENCE
 * points in a row) is interrupted as well, which does not count as a preemption. */
const char *scheduled_explore(const struct scheduled_plan *plan, const struct scheduled_limits *limits, scheduled_kernel *kernel,
                              const void *args, const struct scheduled_trial *trial, struct scheduled_searched *searched);

/* Runs the kernel once with the schedule of such a report. */
const char *scheduled_replay(const struct scheduled_plan *plan, const char *schedule, scheduled_kernel *kernel, const void *args,
                             const struct scheduled_trial *trial);

/* If set (default: false), lanes switch only where they must, lanes of the same tile first, and
 * memory is not weak.  A run then works on one item after another, so its faults have nothing to do
 * with concurrency.  For callers that look for concurrency faults. */
extern bool scheduled_alone;

/* Points that the last run passed, and how many of them switched lanes. */
struct scheduled_numbers {
    uint64_t points, switches;
};
struct scheduled_numbers scheduled_numbers(void);

/* Called when the running lane's step has returned: the lane must hold no lock. */
void scheduled_step_returned(void);

/* ---- Sites ---------------------------------------------------------------------------------- */

enum { SCHEDULED_SIZES = 6 /* tiles of 1, 2, 4, 8, 16 and 32 lanes */ };

/* A call site of a verb. */
struct scheduled_site {
    const char *file, *function, *verb;
    int line;
    bool is_atomic;                     /* else a verb of tiles */
    uint64_t visits[SCHEDULED_SIZES];   /* by the tile's size */
    uint64_t switches[SCHEDULED_SIZES]; /* visits at which another lane ran */
};

/* All sites of the program.  Copies from several translation units and inlined copies of one macro
 * are listed separately. */
size_t scheduled_sites(struct scheduled_site ***sites);

#define SCHEDULED_SITE(verb, is_atomic)                                                                                            \
    (__extension__({                                                                                                               \
        static struct scheduled_site site_ = {__FILE__, __func__, verb, __LINE__, is_atomic, {0}, {0}};                            \
        static struct scheduled_site *entry_ __attribute__((section("scheduled_site_list"), used)) = &site_;                       \
        &site_;                                                                                                                    \
    }))

/* ---- Tiles ---------------------------------------------------------------------------------- */

tile tile_make(int size);
#define tile_apart(g) (g)
uint64_t tile_rank(int size);
uint64_t tile_count(int size);

enum scheduled_meeting { MEET_BALLOT, MEET_FROM, MEET_MIN, MEET_OR, MEET_SUM, MEET_SYNC, MEET_SCRATCH };

/* Waits for all lanes of the tile at this site.  Only MEET_SYNC orders their accesses to memory:
 * CUDA promises that of __syncwarp, but not of votes and shuffles.  MEET_SCRATCH, used by tests,
 * orders only accesses to the tile's scratch memory. */
uint64_t scheduled_meet(tile g, enum scheduled_meeting meeting, uint64_t operand, int from, struct scheduled_site *site);

#define tile_ballot(g, p) ((uint32_t)scheduled_meet(g, MEET_BALLOT, (p) ? 1 : 0, 0, SCHEDULED_SITE("tile_ballot", false)))
#define tile_any(g, p) (scheduled_meet(g, MEET_BALLOT, (p) ? 1 : 0, 0, SCHEDULED_SITE("tile_any", false)) != 0)
#define tile_any_abreast(g, p) (scheduled_meet(g, MEET_BALLOT, (p) ? 1 : 0, 0, SCHEDULED_SITE("tile_any_abreast", false)) != 0)
#define tile_from32(g, v, lane) ((uint32_t)scheduled_meet(g, MEET_FROM, (uint32_t)(v), lane, SCHEDULED_SITE("tile_from32", false)))
#define tile_from64(g, v, lane) scheduled_meet(g, MEET_FROM, v, lane, SCHEDULED_SITE("tile_from64", false))
#define warp_converge() ((void)0)
#define tile_min32(g, v) ((uint32_t)scheduled_meet(g, MEET_MIN, v, 0, SCHEDULED_SITE("tile_min32", false)))
#define tile_or32(g, v) ((uint32_t)scheduled_meet(g, MEET_OR, v, 0, SCHEDULED_SITE("tile_or32", false)))
#define tile_sum64(g, v) scheduled_meet(g, MEET_SUM, v, 0, SCHEDULED_SITE("tile_sum64", false))
#define tile_sync(g) ((void)scheduled_meet(g, MEET_SYNC, 0, 0, SCHEDULED_SITE("tile_sync", false)))

/* ---- Atomics -------------------------------------------------------------------------------- */

enum scheduled_order {
    SCHEDULED_RELAXED = 0,
    SCHEDULED_ACQUIRE = 1,
    SCHEDULED_RELEASE = 2,
    SCHEDULED_ACQUIRE_RELEASE = 3,
    /* Fences only: acquire and release, and all lanes agree on their order. */
    SCHEDULED_SEQUENTIAL = 7
};
enum scheduled_kind { CHANGE_CAS, CHANGE_ADD, CHANGE_MAX, CHANGE_OR, CHANGE_AND, CHANGE_EXCHANGE };

/* The contents of 4 or 8 bytes (only low), or of 16. */
struct scheduled_word {
    uint64_t low, high;
};

/* A read-modify-write. */
struct scheduled_change {
    enum scheduled_kind kind;
    /* expected: used by a compare-and-swap, whose operand is the value that it stores. */
    struct scheduled_word operand, expected;
};

/* Points at which other lanes may run before the access. */
struct scheduled_word scheduled_load(const void *p, int bytes, enum scheduled_order order, struct scheduled_site *site);
void scheduled_store(void *p, int bytes, struct scheduled_word value, struct scheduled_site *site);
struct scheduled_word scheduled_change(void *p, int bytes, enum scheduled_order order, const struct scheduled_change *change,
                                       struct scheduled_site *site);
void scheduled_fence(enum scheduled_order order, struct scheduled_site *site);

#define SCHEDULED_VERBS(bits)                                                                                                      \
    static inline uint##bits##_t scheduled_load##bits(const uint##bits##_t *p, enum scheduled_order order,                         \
                                                      struct scheduled_site *site)                                                 \
    {                                                                                                                              \
        return (uint##bits##_t)scheduled_load(p, bits / 8, order, site).low;                                                       \
    }                                                                                                                              \
    static inline void scheduled_store##bits(uint##bits##_t *p, uint##bits##_t v, struct scheduled_site *site)                     \
    {                                                                                                                              \
        const struct scheduled_word value = {v, 0};                                                                                \
        scheduled_store(p, bits / 8, value, site);                                                                                 \
    }                                                                                                                              \
    static inline uint##bits##_t scheduled_change##bits(uint##bits##_t *p, enum scheduled_kind kind, uint##bits##_t v,             \
                                                        enum scheduled_order order, struct scheduled_site *site)                   \
    {                                                                                                                              \
        const struct scheduled_change change = {kind, {v, 0}, {0, 0}};                                                             \
        return (uint##bits##_t)scheduled_change(p, bits / 8, order, &change, site).low;                                            \
    }                                                                                                                              \
    static inline uint##bits##_t scheduled_cas##bits(uint##bits##_t *p, uint##bits##_t expected, uint##bits##_t desired,           \
                                                     enum scheduled_order order, struct scheduled_site *site)                      \
    {                                                                                                                              \
        const struct scheduled_change change = {CHANGE_CAS, {desired, 0}, {expected, 0}};                                          \
        return (uint##bits##_t)scheduled_change(p, bits / 8, order, &change, site).low;                                            \
    }
SCHEDULED_VERBS(32)
SCHEDULED_VERBS(64)
#undef SCHEDULED_VERBS

static inline void scheduled_load128(const uint64_t *p, uint64_t *v, struct scheduled_site *site)
{
    const struct scheduled_word word = scheduled_load(p, 16, SCHEDULED_RELAXED, site);
    v[0] = word.low, v[1] = word.high;
}
static inline void scheduled_cas128(uint64_t *p, const uint64_t *expected, const uint64_t *desired, uint64_t *seen,
                                    struct scheduled_site *site)
{
    const struct scheduled_change change = {CHANGE_CAS, {desired[0], desired[1]}, {expected[0], expected[1]}};
    const struct scheduled_word word = scheduled_change(p, 16, SCHEDULED_RELAXED, &change, site);
    seen[0] = word.low, seen[1] = word.high;
}

/* Taking and keeping bits implement locks (only lock.h uses them): the bits that a lane set first
 * are locks that it holds. */
uint32_t scheduled_acquire32(uint32_t *p, uint32_t v, struct scheduled_site *site);
uint32_t scheduled_release32(uint32_t *p, uint32_t v, struct scheduled_site *site);

#define load_relaxed_device32(p) scheduled_load32(p, SCHEDULED_RELAXED, SCHEDULED_SITE("load_relaxed_device32", true))
#define load_relaxed_device64(p) scheduled_load64(p, SCHEDULED_RELAXED, SCHEDULED_SITE("load_relaxed_device64", true))
#define store_relaxed_device32(p, v) scheduled_store32(p, v, SCHEDULED_SITE("store_relaxed_device32", true))
#define store_relaxed_device64(p, v) scheduled_store64(p, v, SCHEDULED_SITE("store_relaxed_device64", true))
#define cas_relaxed_device32(p, expected, desired)                                                                                 \
    scheduled_cas32(p, expected, desired, SCHEDULED_RELAXED, SCHEDULED_SITE("cas_relaxed_device32", true))
#define cas_relaxed_device64(p, expected, desired)                                                                                 \
    scheduled_cas64(p, expected, desired, SCHEDULED_RELAXED, SCHEDULED_SITE("cas_relaxed_device64", true))
#define add_relaxed_device32(p, v)                                                                                                 \
    scheduled_change32(p, CHANGE_ADD, v, SCHEDULED_RELAXED, SCHEDULED_SITE("add_relaxed_device32", true))
#define add_relaxed_device64(p, v)                                                                                                 \
    scheduled_change64(p, CHANGE_ADD, v, SCHEDULED_RELAXED, SCHEDULED_SITE("add_relaxed_device64", true))
#define max_relaxed_device32(p, v)                                                                                                 \
    scheduled_change32(p, CHANGE_MAX, v, SCHEDULED_RELAXED, SCHEDULED_SITE("max_relaxed_device32", true))
#define max_relaxed_device64(p, v)                                                                                                 \
    scheduled_change64(p, CHANGE_MAX, v, SCHEDULED_RELAXED, SCHEDULED_SITE("max_relaxed_device64", true))
#define or_relaxed_device32(p, v)                                                                                                  \
    scheduled_change32(p, CHANGE_OR, v, SCHEDULED_RELAXED, SCHEDULED_SITE("or_relaxed_device32", true))
#define or_relaxed_device64(p, v)                                                                                                  \
    scheduled_change64(p, CHANGE_OR, v, SCHEDULED_RELAXED, SCHEDULED_SITE("or_relaxed_device64", true))
#define and_relaxed_device32(p, v)                                                                                                 \
    scheduled_change32(p, CHANGE_AND, v, SCHEDULED_RELAXED, SCHEDULED_SITE("and_relaxed_device32", true))
#define take_bits_relaxed_device32(p, v) scheduled_acquire32(p, v, SCHEDULED_SITE("take_bits_relaxed_device32", true))
#define keep_bits_relaxed_device32(p, v) scheduled_release32(p, v, SCHEDULED_SITE("keep_bits_relaxed_device32", true))
#define take_place_relaxed_device64(p)                                                                                             \
    scheduled_change64(p, CHANGE_ADD, 1, SCHEDULED_RELAXED, SCHEDULED_SITE("take_place_relaxed_device64", true))
#define take_places_relaxed_device64(p, n)                                                                                         \
    scheduled_change64(p, CHANGE_ADD, n, SCHEDULED_RELAXED, SCHEDULED_SITE("take_places_relaxed_device64", true))
#define load_acquire_device32(p) scheduled_load32(p, SCHEDULED_ACQUIRE, SCHEDULED_SITE("load_acquire_device32", true))
#define load_acquire_device64(p) scheduled_load64(p, SCHEDULED_ACQUIRE, SCHEDULED_SITE("load_acquire_device64", true))
#define cas_release_device32(p, expected, desired)                                                                                 \
    scheduled_cas32(p, expected, desired, SCHEDULED_RELEASE, SCHEDULED_SITE("cas_release_device32", true))
#define cas_release_device64(p, expected, desired)                                                                                 \
    scheduled_cas64(p, expected, desired, SCHEDULED_RELEASE, SCHEDULED_SITE("cas_release_device64", true))
#define exchange_relaxed_device32(p, v)                                                                                            \
    scheduled_change32(p, CHANGE_EXCHANGE, v, SCHEDULED_RELAXED, SCHEDULED_SITE("exchange_relaxed_device32", true))
#define exchange_relaxed_device64(p, v)                                                                                            \
    scheduled_change64(p, CHANGE_EXCHANGE, v, SCHEDULED_RELAXED, SCHEDULED_SITE("exchange_relaxed_device64", true))
#define add_after_release_device32(p, v, after)                                                                                    \
    ((void)(after), scheduled_change32(p, CHANGE_ADD, v, SCHEDULED_RELEASE, SCHEDULED_SITE("add_after_release_device32", true)))
#define or_acquire_device32(p, v)                                                                                                  \
    scheduled_change32(p, CHANGE_OR, v, SCHEDULED_ACQUIRE, SCHEDULED_SITE("or_acquire_device32", true))
#define or_release_device32(p, v)                                                                                                  \
    scheduled_change32(p, CHANGE_OR, v, SCHEDULED_RELEASE, SCHEDULED_SITE("or_release_device32", true))
#define and_release_device32(p, v)                                                                                                 \
    scheduled_change32(p, CHANGE_AND, v, SCHEDULED_RELEASE, SCHEDULED_SITE("and_release_device32", true))
#define load_relaxed_device128(p, v) scheduled_load128(p, v, SCHEDULED_SITE("load_relaxed_device128", true))
#define cas_relaxed_device128(p, expected, desired, seen)                                                                          \
    scheduled_cas128(p, expected, desired, seen, SCHEDULED_SITE("cas_relaxed_device128", true))
#define ROOST_ATOMIC128 1
#define fence_release_device() scheduled_fence(SCHEDULED_RELEASE, SCHEDULED_SITE("fence_release_device", true))
#define fence_release_system() scheduled_fence(SCHEDULED_RELEASE, SCHEDULED_SITE("fence_release_system", true))
#define fence_acquire_release_device()                                                                                             \
    scheduled_fence(SCHEDULED_ACQUIRE_RELEASE, SCHEDULED_SITE("fence_acquire_release_device", true))
#define fence_sequential_device() scheduled_fence(SCHEDULED_SEQUENTIAL, SCHEDULED_SITE("fence_sequential_device", true))
#define fence_acquire_branch_device() scheduled_fence(SCHEDULED_ACQUIRE, SCHEDULED_SITE("fence_acquire_branch_device", true))
#define fence_acquire_device() scheduled_fence(SCHEDULED_ACQUIRE, SCHEDULED_SITE("fence_acquire_device", true))

#endif
