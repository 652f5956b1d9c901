/* A wrapper around a machine's operations that makes the k-th operation of a kind fail, as if it
 * had not begun. */
#ifndef ROOST_TESTS_FAULTY_BACKEND_H
#define ROOST_TESTS_FAULTY_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "support/suite.h"

/* X(kind): the operations that can fail. */
#define FAULT_KINDS(X)                                                                                                             \
    X(open)                                                                                                                        \
    X(allocate)                                                                                                                    \
    X(remap)                                                                                                                       \
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

/* FAULTY_STAGED: no array of a call is within the machine's reach. FAULTY_UNWAITED: calls may be
 * asynchronous. */
enum faulty_machine { FAULTY_PLAIN, FAULTY_STAGED, FAULTY_UNWAITED };

/* Tables created from now on live on a machine that can fail. */
void faulty_begin(enum faulty_machine machine);
void faulty_end(void);
/* The same; `before` blocks of memory must be held (faulty_pieces). */
void faulty_end_released(int64_t before);

/* To be called once the table is created: FAULTY_STAGED takes effect here. */
void faulty_stage(void);

/* The at-th operation of the kind from now on fails (from 1; 0: none). `on`: all later ones
 * fail, too. */
void faulty_arm(enum fault_kind kind, uint64_t at, bool on);

/* Faults injected since faulty_arm. */
uint64_t faulty_injected(void);

/* True if there was an operation of this kind since faulty_arm. */
bool faulty_happened(enum fault_kind kind);

const char *faulty_name(enum fault_kind kind);

/* Calls `fault_at` to fail each operation of relations: of each kind the at-th one, from 1 on,
 * alone and with all later ones, until it returns false because there were fewer. */
void faulty_each(const struct variant *variant,
                 bool (*fault_at)(const struct variant *variant, enum fault_kind kind, uint64_t at, bool on));

/* Times that tables returned released memory to the device, since faulty_begin. */
uint64_t faulty_trims(void);

/* Number of blocks of memory held, on the host and on the device. */
int64_t faulty_pieces(void);

#endif
