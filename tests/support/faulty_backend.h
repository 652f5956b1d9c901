/* A wrapper around a machine's operations that lets the k-th operation of a kind fail, as if it had not been begun. */
#ifndef ROOST_TESTS_FAULTY_BACKEND_H
#define ROOST_TESTS_FAULTY_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

/* X(kind): the operations that can fail. */
#define FAULT_KINDS(X)                                                                                                             \
    X(open)                                                                                                                        \
    X(allocate)                                                                                                                    \
    X(fill)                                                                                                                        \
    X(copy)                                                                                                                        \
    X(read)                                                                                                                        \
    X(launch)                                                                                                                      \
    X(wait)                                                                                                                        \
    X(snapshot)                                                                                                                    \
    X(prepare)                                                                                                                     \
    X(transfer)                                                                                                                    \
    X(mark)                                                                                                                        \
    X(follow)                                                                                                                      \
    X(await)                                                                                                                       \
    X(pinned_allocate)                                                                                                             \
    X(begin)                                                                                                                       \
    X(end)

#define FAULT_ENUM(kind) FAULT_##kind,
enum fault_kind { FAULT_KINDS(FAULT_ENUM) FAULT_KIND_COUNT };
#undef FAULT_ENUM

/* FAULTY_STAGED: no array of a call is within the machine's reach.  FAULTY_UNWAITED: calls need not wait for their work. */
enum faulty_machine { FAULTY_PLAIN, FAULTY_STAGED, FAULTY_UNWAITED };

/* Tables that are made from now on live on a machine that can fail. */
void faulty_begin(enum faulty_machine machine);
void faulty_end(void);

/* To be called when the table is made: what FAULTY_STAGED asks for begins. */
void faulty_stage(void);

/* The at-th operation of the kind from now on fails (from 1; 0: none); with `on`, all later ones, too. */
void faulty_arm(enum fault_kind kind, uint64_t at, bool on);

/* How many faults were injected since faulty_arm. */
uint64_t faulty_injected(void);

/* Was there an operation of this kind since then? */
bool faulty_happened(enum fault_kind kind);

const char *faulty_name(enum fault_kind kind);

/* Memory of either kind that is held, in pieces. */
int64_t faulty_pieces(void);

#endif
