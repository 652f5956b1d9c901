/* Tables over the processes of an MPI job (sharding.h), in libroost-mpi.
 * Experimental: may change before 1.0.
 *
 *     MPI_Init(&argc, &argv);
 *     roost_comm_from_mpi(&comm, MPI_COMM_WORLD, NULL);
 *     config.comm = comm;
 *     ...
 *     roost_comm_free(comm);
 *     MPI_Finalize(); */
#ifndef ROOST_MPI_H
#define ROOST_MPI_H

#include "roost/sharding.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the comm of this process's rank in `comm`, whose ranks all call it.  It works on a
 * duplicate, so the caller's messages and Roost's do not meet.  MPI is initialised, and the thread
 * that uses the comm may call it (MPI_THREAD_FUNNELED is enough for the main thread).
 * roost_comm_free comes before MPI_Finalize, on all ranks.
 * Returns: ROOST_ERR_ARGUMENT: MPI is not initialised, or limits is wrong; ROOST_ERR_MEMORY;
 * ROOST_ERR_COMM: MPI failed. */
ROOST_EXPORT roost_status roost_comm_from_mpi(roost_comm **comm, MPI_Comm mpi, const roost_comm_limits *limits);

#ifdef __cplusplus
}
#endif
#endif
