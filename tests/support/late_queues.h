/* A host table that behaves as if on another machine:
 * - No array of a call is within its reach unless the rules say so.
 * - Copies on the queues beside the work are carried out at once, or as late as the marks allow.
 * - The rules say which memory is pinned; the rest is pageable.
 * An order that staging forgot shows as a wrong answer. */
#ifndef ROOST_TESTS_LATE_QUEUES_H
#define ROOST_TESTS_LATE_QUEUES_H

#include <roost/roost.h>
#include <stdbool.h>
#include <stdint.h>

/* Which arrays are pinned, or within reach: none, all, or about half of them, drawn at random. */
enum late_which { LATE_NONE, LATE_ALL, LATE_SOME };

struct late_rules {
    enum late_which pinned, reachable;
    bool late; /* copies are delayed until something waits for them */
    uint64_t seed;
    /* calls whose arrays are all within reach are asynchronous; needs late_queues_wrap */
    bool unwaited;
};

/* Tables created from now on get a machine with asynchronous calls, until late_queues_unwrap. */
void late_queues_wrap(void);
void late_queues_unwrap(void);

/* To be called right after the table was created, or has paused; for one table at a time. */
void late_queues_begin(roost_table *table, const struct late_rules *rules);
/* Carries out what waits, and ends the rules.  The machine is a host, which can make tables. */
void late_queues_pause(roost_table *table);

/* Copies carried out since late_queues_begin, and those of them that something waited for. */
uint64_t late_queues_copies(void);
uint64_t late_queues_late_copies(void);

/* late_queues_waiting returns the entries of the work queue that are not carried out yet;
 * late_queues_run carries out n of them. */
uint64_t late_queues_waiting(void);
void late_queues_run(roost_table *table, uint64_t n);

#endif
