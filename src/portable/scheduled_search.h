/* The scheduled machine's search: all runs of a kernel that differ in few decisions from the
 * plainest run, depth first.  A run is identified by its decisions that were not the first option:
 * they reproduce it. */
#ifndef ROOST_PORTABLE_SCHEDULED_SEARCH_H
#define ROOST_PORTABLE_SCHEDULED_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* Kinds of decisions; a run has a limited number of each kind that are not the first option. */
enum search_kind {
    SEARCH_NEXT,    /* which tile begins, or continues after another tile's end */
    SEARCH_PREEMPT, /* whether another tile interrupts this one */
    SEARCH_STALE,   /* which message an access takes */
    SEARCH_KINDS
};

/* Makes the next run the first one of a search.  most: the limit of each kind. */
void search_begin(const int most[SEARCH_KINDS]);

/* Makes the next run the one that search_print described; false if the text is malformed. */
bool search_replay(const char *text);

/* During a run: returns a decision, 0 .. options - 1; 0 is the plainest. */
int search_choose(enum search_kind kind, int options);

/* Are there further runs?  If so, prepares the next one. */
bool search_next(void);

/* The last run's decisions, as "number:option ...". */
void search_print(char *text, size_t room);

#endif
