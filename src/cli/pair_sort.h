/* Sorts pairs by their keys. */
#ifndef ROOST_CLI_PAIR_SORT_H
#define ROOST_CLI_PAIR_SORT_H

#include "cli/key_count.h"

/* By rising key, in place, and with as many threads as there are processors.  Keys are numbers
 * without sign; or `sign` is the bit that negative ones have.  Equal keys come in any order. */
void pair_sort(struct key_count *pairs, size_t n, uint64_t sign);

#endif
