/* A host table that believes itself on another machine: no array of a call is within its reach unless it is said to be, copies on
 * the queues beside the work are carried out as late as the marks allow, or at once, and pageable memory is what the test says.
 * What staging forgot to order shows as a wrong answer. */
#ifndef ROOST_TESTS_LATE_QUEUES_H
#define ROOST_TESTS_LATE_QUEUES_H

#include <roost/roost.h>
#include <stdbool.h>
#include <stdint.h>

/* Which arrays are pinned, or within reach: none, all, or about half of them by a draw. */
enum late_which { LATE_NONE, LATE_ALL, LATE_SOME };

struct late_rules {
    enum late_which pinned, reachable;
    bool late; /* copies wait until something waits for them */
    uint64_t seed;
    bool unwaited; /* calls whose arrays are all within reach return before their work is done; needs late_queues_wrap */
};

/* From now on tables are made for a machine whose calls need not wait; late_queues_unwrap ends it. */
void late_queues_wrap(void);
void late_queues_unwrap(void);

/* To be called right after the table was made; for one table at a time. */
void late_queues_begin(roost_table *table, const struct late_rules *rules);

/* Copies carried out since late_queues_begin, and those of them that something waited for. */
uint64_t late_queues_copies(void);
uint64_t late_queues_late_copies(void);

/* Entries of the work's queue that are not carried out yet; and carries out so many of them. */
uint64_t late_queues_waiting(void);
void late_queues_run(roost_table *table, uint64_t n);

#endif
