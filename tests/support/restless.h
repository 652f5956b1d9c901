/* Threads of the host that give up their processor at random places between two accesses, so that operations overlap on a machine with
 * few processors, too. */
#ifndef ROOST_TESTS_RESTLESS_H
#define ROOST_TESTS_RESTLESS_H

#include <stdint.h>

/* From now on one of `one_in` atomics is waited at, and a thread of the host takes `piece` items at a time. */
void restless_begin(uint64_t seed, unsigned one_in, uint64_t piece);
void restless_end(void);

#endif
