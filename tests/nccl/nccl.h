/* What a program needs of NCCL's header to be built with the stand-in (nccl.c). */
#ifndef ROOST_TESTS_NCCL_H
#define ROOST_TESTS_NCCL_H

#include <stddef.h>

typedef struct ncclComm *ncclComm_t;
typedef void *cudaStream_t;
typedef struct {
    char internal[128];
} ncclUniqueId;
typedef enum { ncclSuccess = 0, ncclSystemError = 2, ncclInternalError = 3, ncclRemoteError = 6, ncclInProgress = 7 } ncclResult_t;
typedef enum { ncclChar = 0 } ncclDataType_t;

ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank);
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *made, void *config);
ncclResult_t ncclGetVersion(int *version);
ncclResult_t ncclCommCount(ncclComm_t comm, int *ranks);
ncclResult_t ncclCommUserRank(ncclComm_t comm, int *rank);
ncclResult_t ncclCommCuDevice(ncclComm_t comm, int *device);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);
ncclResult_t ncclSend(const void *from, size_t n, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclRecv(void *to, size_t n, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error);

#endif
