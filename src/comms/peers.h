/* Ranks that reach each other's memory: threads whose tables lie on the host; threads and processes
 * whose tables lie on GPUs of one host.  GPUs share plain memory, which other processes map by its
 * name. */
#ifndef ROOST_COMMS_PEERS_H
#define ROOST_COMMS_PEERS_H

#include "comms/comm.h"

/* A table's part in it. */
struct peers;

/* Learns whether all ranks of a new table reach each other; *peers NULL: they do not.  least: bytes
 * of shared memory of each round to begin with.
 * ROOST_ERR_COMM. */
roost_status peers_meet(struct comm *c, struct backend *b, size_t least, struct peers **peers);
void peers_free(struct peers *p);

/* Do other ranks use only shared memory of this one?  Else they use all of it. */
bool peers_share(const struct peers *p);
/* Shared memory of this rank for round 0 or 1 of those under way.  What was there is lost. */
roost_status peers_memory(struct peers *p, int round, size_t bytes, void **memory);
/* All ranks use the round's last one: what was there before is released. */
void peers_settle(struct peers *p, int round);
/* Names a round's memory in a grant; and the columns of another rank's grant, in addresses of this
 * rank. */
void peers_name(const struct peers *p, int round, struct grant *grant);
roost_status peers_columns(struct peers *p, int round, int rank, const struct grant *grant, struct columns *columns);

/* Between `enter` and `leave` this rank's work uses memory of other ranks.
 * ROOST_ERR_COMM: one has given up. */
roost_status peers_enter(struct peers *p);
void peers_leave(struct peers *p);
/* Waits until no thread uses memory of this rank. */
void peers_quiet(struct peers *p);

/* Threads whose tables lie on GPUs: their work may use other ranks' memory when calls have
 * returned.  All memory for that is released when the last rank frees its part. */
bool peers_enqueue(const struct peers *p);
/* More memory of this rank for it.  drop: releases the last piece, which was never used. */
roost_status peers_room(struct peers *p, size_t bytes, void **memory);
void peers_room_drop(struct peers *p);
/* Later work on a queue waits for the work before a mark of every rank.  All have set it. */
roost_status peers_follow(struct peers *p, enum queue queue, int mark);

#endif
