/* Threads that carry out one piece of work together: one for each rank of a team, of which the
 * first is the caller's. */
#ifndef ROOST_TEAMS_CREW_H
#define ROOST_TEAMS_CREW_H

struct crew;

/* Threads for ranks 1 .. ranks - 1.  NULL: no memory, or no threads. */
struct crew *crew_make(int ranks);
/* Runs work(context, rank) for all ranks at the same time, 0 on the calling thread, and waits for
 * them.  One caller at a time. */
void crew_run(struct crew *c, void (*work)(void *context, int rank), void *context);
void crew_free(struct crew *c); /* NULL: does nothing */

#endif
