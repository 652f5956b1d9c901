/* Makes the k-th file operation or allocation of a kind fail, in the program into which
 * faulty_files.c is linked or preloaded. */
#ifndef ROOST_TESTS_FAULTY_FILES_H
#define ROOST_TESTS_FAULTY_FILES_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* X(kind, errno). `brief` is a read that returns one byte and does not fail. */
#define FILE_FAULTS(X)                                                                                                             \
    X(open, EMFILE)                                                                                                                \
    X(look, EACCES)                                                                                                                \
    X(read, EIO)                                                                                                                   \
    X(interrupted, EINTR)                                                                                                          \
    X(brief, 0)                                                                                                                    \
    X(write, ENOSPC)                                                                                                               \
    X(seek, EIO)                                                                                                                   \
    X(close, EIO)                                                                                                                  \
    X(mode, EPERM)                                                                                                                 \
    X(sync, EIO)                                                                                                                   \
    X(rename, EACCES)                                                                                                              \
    X(spawn, EAGAIN)                                                                                                               \
    X(wait, EINTR)                                                                                                                 \
    X(allocate, ENOMEM)                                                                                                            \
    X(map, ENOMEM)

#define FILE_FAULT_ENUM(kind, number) FILE_FAULT_##kind,
enum file_fault { FILE_FAULTS(FILE_FAULT_ENUM) FILE_FAULT_COUNT };
#undef FILE_FAULT_ENUM

/* The at-th operation of the kind from now on fails (from 1; 0: none). */
void faulty_files_arm(enum file_fault kind, uint64_t at);

/* True if it has failed. */
bool faulty_files_injected(void);

const char *faulty_files_name(enum file_fault kind);

/* Number of blocks of memory held. */
int64_t faulty_files_pieces(void);

#endif
