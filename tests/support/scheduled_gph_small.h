/* Small scenes of GPH: two or three items, each with a tile of its own, on a table of few buckets, through all schedules of few preemptions.
 * Tables are drawn until the items do alone what the scene is about. */
#ifndef ROOST_TESTS_SCHEDULED_GPH_SMALL_H
#define ROOST_TESTS_SCHEDULED_GPH_SMALL_H

#include "support/scheduled_gph_scene.h"

/* Items by letters:
 *   a  an absent key whose bucket is full; c another one of its cell, b one of another cell
 *   u  a stored key of a's cell
 *   v  an absent key whose bucket has a vacancy; s a stored one
 *   o  a key of the overflow store whose bucket has a vacancy; w an absent key of its cell whose bucket has one
 *   d  an absent key of a flagged cell whose bucket is full
 *   m  (mend) a word of the index with a flagged cell whose keys fit again */
enum gph_relation {
    GPH_ANY,
    GPH_IN_TURN, /* one after another the last one comes to the slot of the first one's key */
    GPH_BESIDE,  /* the second one alone vacates the first one's slot, which is below a vacancy of the third one's bucket */
    GPH_TWICE, /* the first one vacates a slot of a bucket that its cell uses from then on, too, and the second one moves or flags it again */
    GPH_APART,  /* (mend) one flagged cell a word; each fits in its own buckets, where the other's keys do not come */
    GPH_MEETS,  /* the first two write to one slot, each alone */
    GPH_PASSES, /* the second one alone marks the overflow bucket where the first one's chain begins as passed */
    GPH_OPENS   /* the second one alone vacates a slot where the first one's key would lie in a flagged cell */
};

struct gph_small {
    const char *name;
    enum gph_operation operation;
    uint8_t mode; /* roost_operation */
    const char *items;
    /* What each of them does alone: m maps its cell anew, f flags it, x finds no room, - anything. */
    const char *alone;
    enum gph_relation relation;
};

/* How it is explored. */
struct gph_small_run {
    const struct gph_stamped *stamped;
    struct shape shape;
    int size; /* lanes of a tile */
    bool weak;
    uint32_t bucket_locks, patience;
    uint64_t seed;
    struct scheduled_limits limits;
};

/* NULL, or what went wrong; the text stays until the next scene. */
const char *gph_small_explore(const struct gph_small *small, const struct gph_small_run *run, struct scheduled_searched *searched);

/* The same by chance: so many runs, in which the lanes of a tile come in any order. */
const char *gph_small_draw(const struct gph_small *small, const struct gph_small_run *run, uint64_t runs);

#endif
