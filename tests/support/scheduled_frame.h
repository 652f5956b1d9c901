/* The frame of all scenes on the scheduled machine: a batch's items and the arrays that kernels
 * see, kernels run over them, and checks of what became of them: counters, finds, and for each key
 * an order that explains its items (support/linear.h).  A scene of an engine begins with a struct
 * frame; it says what is stored, and checks its table's structure. */
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
    FRAME_BUDGET = 4000000, /* points of a run */
    FRAME_UNTOUCHED = 0xee  /* what arrays are filled with before a kernel writes them */
};

/* ---- What is run ----------------------------------------------------------------------------- */

/* How a kernel is launched. */
struct frame_launch {
    enum driver driver;
    int size, tiles; /* lanes of a tile; tiles */
    bool weak;       /* memory */
};

/* A tile of one lane. */
extern const struct frame_launch frame_alone;

/* A scene: all of it is drawn from the seed. */
struct frame_scenario {
    const void *kernels; /* the engine's type */
    int shape;           /* a number in the engine's list */
    enum driver driver;
    int size; /* lanes of a tile */
    bool weak;
    uint64_t seed;
    bool unwatched;    /* nothing looks while kernels run: a look would tell nothing of this fault */
    bool writes_alone; /* no shifts are run, which would show the fault first (FKS) */
};

/* Runs it: NULL, or what went wrong; the text stays until the next one. */
typedef const char *frame_explore(const struct frame_scenario *scenario);

/* What scenes have run so far. */
struct frame_explored {
    uint64_t items[FRAME_OPERATIONS]; /* by the engine's operations */
    uint64_t put_back, points, switches;
};

/* ---- A scene --------------------------------------------------------------------------------- */

/* A batch by its keys' places in the universe, and the arrays that kernels see, in the table's
 * widths. */
struct frame_items {
    int n;
    int key[FRAME_ITEMS];
    roost_value value[FRAME_ITEMS];
    uint64_t keys[FRAME_ITEMS * FRAME_KEY_BYTES / 8], values_in[FRAME_ITEMS * FRAME_VALUE_BYTES / 8],
        values_out[FRAME_ITEMS * FRAME_VALUE_BYTES / 8];
    uint64_t offsets[FRAME_ITEMS + 1]; /* of strings in `keys` */
    uint8_t statuses[FRAME_ITEMS], found[FRAME_ITEMS];
    uint8_t operations[FRAME_ITEMS]; /* always known; kernels may see a mode */
    bool left_out[FRAME_ITEMS];      /* not carried out by the last kernel: not checked */
    struct item_stamp stamps[FRAME_ITEMS];
    uint32_t list[FRAME_LISTS][FRAME_ITEMS]; /* of those without room */
    uint64_t list_n[FRAME_LISTS];
};

/* What is stored of a key. */
struct frame_stored {
    int n; /* pairs */
    roost_value value;
};

struct frame;

/* What a frame asks of its engine. */
struct frame_engine {
    const char *const *operations; /* their names */
    struct frame_stored (*stored)(const struct frame *f, bool after, int key);
    /* The value that a find has left in the caller's array; false: it is torn.  NULL: values are
     * words. */
    bool (*value_found)(const struct frame *f, int i, roost_value *value);
};

struct frame {
    const struct frame_engine *engine;
    struct frame_explored *explored;
    struct shape shape;
    uint64_t value_mask;  /* the bits of a value */
    const roost_key *key; /* the universe */
    int keys;
    bool saturate; /* sums of batches */
    struct dice dice;
    struct counters counters;
    struct frame_items items;
    struct batch *batch; /* of the last call */
};

/* An empty frame; its table's universe and shape are told by frame_universe. */
void frame_begin(struct frame *f, const struct frame_engine *engine, struct frame_explored *explored, uint64_t seed);
void frame_universe(struct frame *f, const struct shape shape, const roost_key *key, int keys);

/* A key's place in a universe, or -1. */
int frame_key_index(const roost_key *keys, int n, roost_key key);

/* An item's place in the arrays. */
void frame_item_set(struct frame *f, int i, int key, uint8_t operation, roost_value value);

/* A batch without items, and counters that are 0. */
void frame_batch_clear(struct frame *f, struct batch *b);

/* The scene's items come into it; `sees`: what the kernel sees of them. */
enum { FRAME_VALUES_IN = 1, FRAME_VALUES_OUT = 2, FRAME_OPERATIONS_IN = 4, FRAME_STAMPS = 8 };
void frame_batch_items(struct frame *f, struct batch *b, int sees);

/* Items without room go to a list, which is empty first. */
void frame_batch_parks(struct frame *f, struct batch *b, int to);

/* The items of the first list once more: those without room go to the second one. */
void frame_batch_again(struct frame *f, struct batch *b);

/* Their stamps are of another run, whose clock begins anew, and all of which is later. */
void frame_again_is_later(struct frame *f);

/* A plan for such a launch, with a drawn seed. */
struct scheduled_plan frame_plan(struct frame *f, const struct frame_launch *l);

/* Runs a kernel, named as the engine's operation in reports. */
bool frame_run(struct frame *f, const struct scheduled_plan *plan, scheduled_kernel *kernel, const void *call, int operation);

/* ---- What became of it ----------------------------------------------------------------------- */

/* Of the items that were carried out. */
int frame_status_count(const struct frame *f, uint8_t status);

bool frame_counter_check(const char *name, uint64_t counter, int64_t wanted);

/* The counters of inserted, updated and erased keys are the statuses'. */
bool frame_counters_check(const struct frame *f);

/* Each item without room is in the list, once. */
bool frame_parked_check(const struct frame *f, int to);

/* What a find says beside its status. */
bool frame_found_check(const struct frame *f);

/* What the items of a key did, as an order has them; how many they are. */
int frame_ops_of(const struct frame *f, int key, bool weak, struct linear_op ops[FRAME_ITEMS]);

/* Each key's items have an order in which their results, and what is stored before and after,
 * follow from each other; with strong memory one that real time allows, if there are stamps. */
bool frame_orders_check(const struct frame *f, bool weak);

/* Tells what the items of a key did. */
bool frame_key_wrong(const struct frame *f, int key, const struct linear_op *ops, int n);

/* Finds of all that the items are: what is stored was found. */
bool frame_found_all_check(const struct frame *f);

/* The same pairs are stored before and after. */
bool frame_same_contents(const struct frame *f, const char *what);

/* ---- Memory as it was ------------------------------------------------------------------------ */

enum { FRAME_PARTS = 24 };

/* Copies of memory that a search through all schedules changes. */
struct frame_image {
    int n;
    struct {
        void *at;
        size_t bytes;
        unsigned char *copy;
    } part[FRAME_PARTS];
};

/* One part more; of 0 bytes none. */
void frame_image_keep(struct frame_image *image, void *at, size_t bytes);
void frame_image_restore(const struct frame_image *image);
void frame_image_free(struct frame_image *image);

/* ---- Small scenes ---------------------------------------------------------------------------- */

/* A few items, and how they are run: each by a tile. */
struct frame_small {
    /* By letters: K keep, A assign, + add, # add until it saturates, > maximum, E erase, F find;
     * and the keys: a is the first of the universe. */
    const char *items, *keys;
    /* Stamps come from a counter, between fences: real time counts with weak memory, too. */
    bool fenced;
    bool weak;
    int size; /* lanes of a tile */
    uint64_t clock;
    struct frame_image image; /* of what kernels change */
};

/* Memory and the items as they are before a run; then, once there is a call, its stamps. */
void frame_small_reset(struct frame *f, const struct frame_small *small);
void frame_small_stamps(struct frame_small *small, struct batch *b);

/* Does real time not count? */
bool frame_small_timeless(const struct frame_small *small);

/* Items of so many letters on so large tiles: tiles of one lane are interrupted three times, larger
 * ones twice; once less with weak memory, where one access may take an old message.  That takes
 * long runs; others have two interruptions of two tiles of one lane, and else one; short ones
 * one. */
struct scheduled_limits frame_limits(size_t items, int size, bool weak);

#endif
