/* Small scenes of GPH: two or three items, each with a tile of its own, on a table of few
 * buckets, through all schedules of few preemptions. Tables are drawn until each item, alone,
 * does what the scene is about. */
#ifndef ROOST_TESTS_SCHEDULED_GPH_SMALL_H
#define ROOST_TESTS_SCHEDULED_GPH_SMALL_H

#include "support/scheduled_gph_scene.h"

/* Items by letters:
 *   a  an absent key whose bucket is full
 *   b  an absent key of another cell whose bucket is full
 *   c  another absent key of a's cell whose bucket is full
 *   u  a stored key of the main buckets; a's cell is u's
 *   v  an absent key whose bucket has a vacancy
 *   s  a stored key of the main buckets
 *   o  a key of the overflow store whose bucket has a vacancy
 *   w  an absent key of o's cell whose bucket has a vacancy
 *   d  an absent key of a flagged cell whose bucket is full
 *   m  (mend) a word of the index with a flagged cell whose keys fit again */
enum gph_relation {
    GPH_ANY,
    /* run one after another, the last item gets the slot of the first one's key */
    GPH_IN_TURN,
    /* alone, the second item vacates the first one's slot, below a vacancy of the third one's
     * bucket */
    GPH_BESIDE,
    /* the first item vacates a slot of a bucket that its cell uses from then on, too; the second
     * item moves or flags that cell again */
    GPH_TWICE,
    /* (mend) one flagged cell in each word; each fits in its own buckets, which the other does
     * not use */
    GPH_APART,
    GPH_MEETS, /* the first two items, each alone, write to one slot */
    /* alone, the second item marks as passed the overflow bucket where the first one's chain
     * begins */
    GPH_PASSES,
    /* alone, the second item vacates a slot where the first one's key would lie in a flagged
     * cell */
    GPH_OPENS
};

struct gph_small {
    const char *name;
    enum gph_operation operation;
    uint8_t mode; /* roost_operation */
    const char *items;
    /* What each item does alone: m maps its cell again, f flags it, e vacates a slot for its key, x
     * finds no room, - anything. */
    const char *alone;
    enum gph_relation relation;
};

/* How a scene is explored. */
struct gph_small_run {
    const struct gph_stamped *stamped;
    struct shape shape;
    int size; /* lanes of a tile */
    bool weak;
    uint32_t bucket_locks, patience;
    uint64_t seed;
    struct scheduled_limits limits;
};

/* Returns NULL, or what went wrong; the text is valid until the next scene. */
const char *gph_small_explore(const struct gph_small *small, const struct gph_small_run *run, struct scheduled_searched *searched);

/* The same at random: `runs` runs, in which the lanes of a tile run in any order. */
const char *gph_small_draw(const struct gph_small *small, const struct gph_small_run *run, uint64_t runs);

#endif
