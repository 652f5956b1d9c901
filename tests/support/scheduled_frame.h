/* The frame of all scenes on the scheduled machine: a batch's items and the arrays that kernels
 * see, runs of kernels over them, and checks of the results. The checks cover counters, finds,
 * and for each key an order that explains its items (support/linear.h). An engine's scene begins
 * with a struct frame; it reads the stored pairs, and checks its table's structure. */
#ifndef ROOST_TESTS_SCHEDULED_FRAME_H
#define ROOST_TESTS_SCHEDULED_FRAME_H

#include "engines/kernels.h"
#include "portable/bucket.h"
#include "support/dice.h"
#include "support/linear.h"
#include "support/wrong.h"

enum {
    FRAME_ITEMS = 192,
    FRAME_KEY_BYTES = 40,   /* at most */
    FRAME_VALUE_BYTES = 24, /* at most */
    FRAME_OPERATIONS = 16,
    FRAME_LISTS = 2,
    FRAME_BUDGET = 4000000, /* scheduling points of a run */
    FRAME_UNTOUCHED = 0xee  /* fill of arrays before a kernel writes them */
};

/* ---- Launches -------------------------------------------------------------------------------- */

/* How a kernel is launched. */
struct frame_launch {
    enum driver driver;
    int size, tiles; /* lanes of a tile; number of tiles */
    bool weak;       /* weak memory */
};

/* One tile of one lane. */
extern const struct frame_launch frame_alone;

/* A scene, fully determined by its seed. */
struct frame_scenario {
    const void *kernels; /* of the engine's type */
    int shape;           /* index in the engine's list */
    enum driver driver;
    int size; /* lanes of a tile */
    bool weak;
    uint64_t seed;
    /* nothing looks while kernels run, because a look cannot find this fault */
    bool unwatched;
    bool writes_alone; /* no shifts, which would show the fault first (FKS) */
};

/* Runs a scene. Returns NULL, or what went wrong; the text is valid until the next scene. */
typedef const char *frame_explore(const struct frame_scenario *scenario);

/* Sums over all scenes so far. */
struct frame_explored {
    uint64_t items[FRAME_OPERATIONS]; /* by operation of the engine */
    uint64_t put_back, points, switches;
};

/* ---- A scene --------------------------------------------------------------------------------- */

/* A batch by its keys' indices in the universe, and the arrays that kernels see, in the table's
 * widths. */
struct frame_items {
    int n;
    int key[FRAME_ITEMS];
    roost_value value[FRAME_ITEMS];
    uint64_t keys[FRAME_ITEMS * FRAME_KEY_BYTES / 8], values_in[FRAME_ITEMS * FRAME_VALUE_BYTES / 8],
        values_out[FRAME_ITEMS * FRAME_VALUE_BYTES / 8];
    uint64_t offsets[FRAME_ITEMS + 1]; /* of strings in `keys` */
    uint8_t statuses[FRAME_ITEMS], found[FRAME_ITEMS];
    uint8_t operations[FRAME_ITEMS]; /* always set; kernels may see a mode instead */
    bool left_out[FRAME_ITEMS];      /* items that the last kernel did not carry out: not checked */
    struct item_stamp stamps[FRAME_ITEMS];
    uint32_t list[FRAME_LISTS][FRAME_ITEMS]; /* items without room */
    uint64_t list_n[FRAME_LISTS];
};

/* What the table stores for a key. */
struct frame_stored {
    int n; /* number of pairs */
    roost_value value;
};

struct frame;

/* What an engine provides to a frame. */
struct frame_engine {
    const char *const *operations; /* names of the operations */
    struct frame_stored (*stored)(const struct frame *f, bool after, int key);
    /* Reads the value that a find has left in the caller's array; false if it is torn. NULL:
     * values are words. */
    bool (*value_found)(const struct frame *f, int i, roost_value *value);
};

struct frame {
    const struct frame_engine *engine;
    struct frame_explored *explored;
    struct shape shape;
    uint64_t value_mask;  /* the bits of a value */
    const roost_key *key; /* the universe */
    int keys;
    bool saturate; /* sums of the batch saturate */
    struct dice dice;
    struct counters counters;
    struct frame_items items;
    struct batch *batch; /* batch of the last call */
};

/* frame_begin makes an empty frame; frame_universe sets its table's shape and universe. */
void frame_begin(struct frame *f, const struct frame_engine *engine, struct frame_explored *explored, uint64_t seed);
void frame_universe(struct frame *f, const struct shape shape, const roost_key *key, int keys);

/* A key's index in a universe, or -1. */
int frame_key_index(const roost_key *keys, int n, roost_key key);

/* Writes item i into the arrays. */
void frame_item_set(struct frame *f, int i, int key, uint8_t operation, roost_value value);

/* Makes a batch without items, and zeroes the counters. */
void frame_batch_clear(struct frame *f, struct batch *b);

/* Adds the scene's items to the batch; `sees`: the arrays that the kernel sees. */
enum { FRAME_VALUES_IN = 1, FRAME_VALUES_OUT = 2, FRAME_OPERATIONS_IN = 4, FRAME_STAMPS = 8 };
void frame_batch_items(struct frame *f, struct batch *b, int sees);

/* Items without room go to list `to`, which is emptied first. */
void frame_batch_parks(struct frame *f, struct batch *b, int to);

/* Takes the items of the first list again; those without room go to the second list. */
void frame_batch_again(struct frame *f, struct batch *b);

/* Gives the items' timestamps to another run, whose clock starts again, and which is later as a
 * whole. */
void frame_again_is_later(struct frame *f);

/* A plan for this launch, with a drawn seed. */
struct scheduled_plan frame_plan(struct frame *f, const struct frame_launch *l);

/* Runs a kernel, which reports call by the name of the engine's operation. */
bool frame_run(struct frame *f, const struct scheduled_plan *plan, scheduled_kernel *kernel, const void *call, int operation);

/* ---- Results --------------------------------------------------------------------------------- */

/* Counts the items with this status among those that were carried out. */
int frame_status_count(const struct frame *f, uint8_t status);

bool frame_counter_check(const char *name, uint64_t counter, int64_t wanted);

/* Checks the counters of inserted, updated and erased keys against the statuses. */
bool frame_counters_check(const struct frame *f);

/* Checks that each item without room is in the list once. */
bool frame_parked_check(const struct frame *f, int to);

/* Checks what finds return besides their status. */
bool frame_found_check(const struct frame *f);

/* Collects the operations of a key's items, as a search for an order takes them; returns their
 * number. */
int frame_ops_of(const struct frame *f, int key, bool weak, struct linear_op ops[FRAME_ITEMS]);

/* Checks that each key's items have an order that explains their results and what is stored
 * before and after. With strong memory, and if there are timestamps, the order must agree with
 * real time. */
bool frame_orders_check(const struct frame *f, bool weak);

/* Reports what the items of a key did. */
bool frame_key_wrong(const struct frame *f, int key, const struct linear_op *ops, int n);

/* Checks, if all items are finds, that they found what is stored. */
bool frame_found_all_check(const struct frame *f);

/* Checks that the same pairs are stored before and after. */
bool frame_same_contents(const struct frame *f, const char *what);

/* ---- Copies of memory ------------------------------------------------------------------------ */

enum { FRAME_PARTS = 64 };

/* Copies of memory that a search through all schedules changes. */
struct frame_image {
    int n;
    struct {
        void *at;
        size_t bytes;
        unsigned char *copy;
    } part[FRAME_PARTS];
};

/* frame_image_keep adds a part; none if it has 0 bytes. */
void frame_image_keep(struct frame_image *image, void *at, size_t bytes);
void frame_image_restore(const struct frame_image *image);
void frame_image_free(struct frame_image *image);

/* ---- Small scenes ---------------------------------------------------------------------------- */

/* A few items, and how they are run: each by a tile of its own. */
struct frame_small {
    /* Items by letters: K keep, A assign, + add, # add until it saturates, > maximum, P append, E
     * erase, F find.
     * Keys by letters: a is the first of the universe. */
    const char *items, *keys;
    /* Timestamps come from a counter, between fences, so real time counts with weak memory, too. */
    bool fenced;
    bool weak;
    int size; /* lanes of a tile */
    uint64_t clock;
    struct frame_image image; /* memory that kernels change */
};

/* frame_small_reset restores memory and items to what they were before a run. frame_small_stamps
 * sets the timestamps once there is a call. */
void frame_small_reset(struct frame *f, const struct frame_small *small);
void frame_small_stamps(struct frame_small *small, struct batch *b);

/* True if real time does not count. */
bool frame_small_timeless(const struct frame_small *small);

/* Limits of a search: the number of preemptions.
 * - Long runs: three for tiles of one lane, two for larger ones. With weak memory one less,
 *   because one access may take an old message.
 * - Usual runs: two for two tiles of one lane and strong memory, else one.
 * - Short runs: one. */
struct scheduled_limits frame_limits(size_t items, int size, bool weak);

#endif
