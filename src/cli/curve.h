/* A table's load factor and memory during the work: a bounded number of points for a picture,
 * however long the work is. */
#ifndef ROOST_CLI_CURVE_H
#define ROOST_CLI_CURVE_H

#include <stddef.h>
#include <stdint.h>

#include "roost/roost.h"

struct curve_point {
    double x;
    double load_factor;
    uint64_t table_bytes;
    uint64_t count; /* keys stored */
};

struct curve {
    struct curve_point *points;
    size_t n;
    uint64_t seen, every; /* points offered; every `every`-th one is kept */
};

/* Returns 0, or prints a line and returns EXIT_FAILURE.  *curve is all 0 before; the caller
 * releases it in any case. */
int curve_begin(struct curve *curve);

/* Offers a point.  When there are 4096, every second one is dropped. */
void curve_add(struct curve *curve, double x, const roost_stats *stats);

void curve_release(struct curve *curve);

#endif
