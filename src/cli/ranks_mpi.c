/* The ranks of an MPI job. */
#include "cli/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "roost/mpi.h"

/* A message of more bytes goes in pieces: MPI counts in int. */
enum { PIECE = 1 << 30 };

static struct ranks ranks = {0, 1, 0, 1, NULL};
static bool joined;

/* MPI is not started where nobody has launched a job: it takes a second. */
static bool is_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL) return true;
    return false;
}

static void find_neighbours(void)
{
    MPI_Comm here;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) != MPI_SUCCESS) return;
    MPI_Comm_rank(here, &ranks.here);
    MPI_Comm_size(here, &ranks.all_here);
    MPI_Comm_free(&here);
}

int ranks_begin(void)
{
    int provided;
    if (!is_launched()) return 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return command_fail("MPI does not start");
    joined = true;
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.ranks);
    find_neighbours();
    if (ranks.ranks == 1) return 0;
    const roost_status status = roost_comm_from_mpi(&ranks.comm, MPI_COMM_WORLD, NULL);
    return status == ROOST_OK ? 0 : command_fail("%s: %s", roost_status_string(status), roost_last_error(NULL));
}

const struct ranks *ranks_get(void) { return &ranks; }

/* The exit code of a call of all ranks. */
static int ended(bool good) { return good ? 0 : command_fail("another rank has failed"); }

int ranks_sum(uint64_t *numbers, int n)
{
    if (ranks.ranks == 1) return 0;
    return ended(MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
}

int ranks_meet(void)
{
    if (ranks.ranks == 1) return 0;
    return ended(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
}

int ranks_most(double *numbers, int n)
{
    if (ranks.ranks == 1) return 0;
    return ended(MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS);
}

static int piece_of(uint64_t bytes, uint64_t done)
{
    return done >= bytes ? 0 : bytes - done < PIECE ? (int)(bytes - done) : PIECE;
}

/* Sends a message to one rank while it receives one from another.  The messages have different
 * lengths, so one of them may end earlier, or have none. */
static bool messages_pass(const char *send, uint64_t send_bytes, int to, char *receive, uint64_t receive_bytes, int from)
{
    for (uint64_t done = 0; done < send_bytes || done < receive_bytes; done += PIECE) {
        const int sent = piece_of(send_bytes, done), received = piece_of(receive_bytes, done);
        const int code = MPI_Sendrecv(sent > 0 ? send + done : NULL, sent, MPI_BYTE, sent > 0 ? to : MPI_PROC_NULL, 0,
                                      received > 0 ? receive + done : NULL, received, MPI_BYTE, received > 0 ? from : MPI_PROC_NULL,
                                      0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) return false;
    }
    return true;
}

static uint64_t bytes_before(const uint64_t *bytes, int rank)
{
    uint64_t before = 0;
    for (int r = 0; r < rank; r++) before += bytes[r];
    return before;
}

int ranks_exchange(const void *send, const uint64_t *send_bytes, void *receive, const uint64_t *receive_bytes)
{
    bool good = true;
    for (int step = 0; good && step < ranks.ranks; step++) {
        const int to = (ranks.rank + step) % ranks.ranks, from = (ranks.rank + ranks.ranks - step) % ranks.ranks;
        good = messages_pass((const char *)send + bytes_before(send_bytes, to), send_bytes[to], to,
                             (char *)receive + bytes_before(receive_bytes, from), receive_bytes[from], from);
    }
    return ended(good);
}

static bool all_receive(const void *mine, char *all, const uint64_t *all_bytes)
{
    uint64_t at = all_bytes[0];
    if (at > 0) memcpy(all, mine, at);
    for (int r = 1; r < ranks.ranks; r++) {
        if (!messages_pass(NULL, 0, MPI_PROC_NULL, all + at, all_bytes[r], r)) return false;
        at += all_bytes[r];
    }
    return true;
}

int ranks_gather(const void *mine, size_t bytes, void **all, uint64_t *all_bytes)
{
    const uint64_t own = bytes;
    uint64_t sum = 0;
    *all = NULL;
    *all_bytes = own;
    if (ranks.ranks > 1 && MPI_Gather(&own, 1, MPI_UINT64_T, all_bytes, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD) != MPI_SUCCESS)
        return ended(false);
    if (ranks.rank > 0)
        return messages_pass((const char *)mine, own, 0, NULL, 0, MPI_PROC_NULL) ? 0 : command_fail("rank 0 has failed");
    for (int r = 0; r < ranks.ranks; r++) sum += all_bytes[r];
    *all = malloc((size_t)sum + 1);
    if (*all == NULL) return command_fail("out of memory for the results of %d ranks", ranks.ranks);
    return ended(all_receive(mine, (char *)*all, all_bytes));
}

int ranks_end(int code)
{
    if (!joined) return code;
    if (code != 0 && ranks.ranks > 1) {
        fflush(NULL);
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    roost_comm_free(ranks.comm);
    MPI_Finalize();
    return code;
}
