/* The scheduled machine's search: all runs of a kernel that differ in few decisions from the plainest one, depth first.  A run is known by
 * its decisions that were not the first option: those bring it back. */
#ifndef ROOST_PORTABLE_SCHEDULED_SEARCH_H
#define ROOST_PORTABLE_SCHEDULED_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* What is decided; of each kind a run has at most so many that are not the first option. */
enum search_kind {
    SEARCH_NEXT,    /* which tile begins, or goes on after another's end */
    SEARCH_PREEMPT, /* does another tile interrupt this one? */
    SEARCH_STALE,   /* which message does an access take? */
    SEARCH_KINDS
};

/* The next run is the first of a search. */
void search_begin(const int most[SEARCH_KINDS]);

/* The next run is the one that search_print told of; false if the text is none. */
bool search_replay(const char *text);

/* In a run: 0 .. options - 1; 0 is the plainest. */
int search_choose(enum search_kind kind, int options);

/* Are there further runs?  The next one is one of them. */
bool search_next(void);

/* The last run's decisions, as "number:option ...". */
void search_print(char *text, size_t room);

#endif
