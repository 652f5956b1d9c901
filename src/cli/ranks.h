/* The processes of a command that an MPI launcher has started: ranks that share the work.  Without
 * one, or in a build without MPI, there is one rank. */
#ifndef ROOST_CLI_RANKS_H
#define ROOST_CLI_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roost/sharding.h"

struct ranks {
    int rank, ranks;
    int here, all_here; /* among the ranks of this machine */
    roost_comm *comm;   /* NULL: there is one rank */
};

/* Joins the others.  Returns 0, or prints a line and returns an exit code. */
int ranks_begin(void);
const struct ranks *ranks_get(void);

/* Adds each of n numbers to those of the other ranks. */
int ranks_sum(uint64_t *numbers, int n);

/* Waits until all ranks have come. */
int ranks_meet(void);

/* Makes each of n numbers the largest of all ranks. */
int ranks_most(double *numbers, int n);

/* Sends bytes to each rank, and receives some from each: those of rank r lie behind those of the
 * ranks before it.  send_bytes, receive_bytes: how many, by rank. */
int ranks_exchange(const void *send, const uint64_t *send_bytes, void *receive, const uint64_t *receive_bytes);

/* Sends bytes to rank 0.  There *all has those of all ranks, one after another, for free(), and
 * all_bytes[r] those of rank r; elsewhere it is NULL. */
int ranks_gather(const void *mine, size_t bytes, void **all, uint64_t *all_bytes);

/* Leaves, with the command's exit code.  If this rank has failed the whole job ends. */
int ranks_end(int code);

#endif
