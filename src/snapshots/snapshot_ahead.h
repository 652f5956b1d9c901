/* Buffers that one thread fills ahead of another, which empties them in the same order. */
#ifndef ROOST_SNAPSHOTS_AHEAD_H
#define ROOST_SNAPSHOTS_AHEAD_H

#include <pthread.h>
#include <stdbool.h>

#include "roost/roost.h"

enum { AHEAD = 2 /* buffers: one is filled while the other is emptied */ };

/* Fills buffer `which`; *end: it is the last one. */
typedef roost_status ahead_fill(void *context, int which, bool *end);

struct ahead {
    ahead_fill *fill;
    void *context;
    bool threaded;
    uint64_t taken; /* buffers that were handed out */
    pthread_t thread;
    /* The rest is guarded by `lock`; a change wakes the other thread. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t filled, emptied; /* buffers so far */
    bool ended, stopped;      /* the thread fills no more; it is told to end */
    roost_status status;
};

/* threaded: a thread fills, if one can be started; else the calls below do. */
void ahead_begin(struct ahead *a, ahead_fill *fill, void *context, bool threaded);
/* The next buffer; *which below 0: there are no more.  The one before is filled again.
 * Returns: what filling it returned. */
roost_status ahead_next(struct ahead *a, int *which);
/* Ends the thread, whose last fill has ended then. */
void ahead_end(struct ahead *a);

#endif
