/* Host threads that yield their processor at random places between two accesses, so that
 * operations overlap even on a machine with few processors. */
#ifndef ROOST_TESTS_RESTLESS_H
#define ROOST_TESTS_RESTLESS_H

#include <stdint.h>

/* From now on, threads yield at one of `one_in` atomics, and each takes `piece` items at a time. */
void restless_begin(uint64_t seed, unsigned one_in, uint64_t piece);
void restless_end(void);

#endif
