/* Keeps the points of a curve.  When they become too many, the distance between them doubles. */
#include "cli/curve.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

#define POINTS_MOST ((size_t)4096)

int curve_begin(struct curve *curve)
{
    curve->every = 1;
    curve->points = (struct curve_point *)calloc(POINTS_MOST, sizeof *curve->points);
    return curve->points != NULL ? 0 : command_fail("out of memory");
}

void curve_add(struct curve *curve, double x, const roost_stats *stats)
{
    if (curve->n == POINTS_MOST) {
        for (size_t i = 0; i < POINTS_MOST / 2; i++) curve->points[i] = curve->points[2 * i + 1];
        curve->n = POINTS_MOST / 2;
        curve->every *= 2;
    }
    if (++curve->seen % curve->every != 0) return;
    const struct curve_point point = {x, stats->load_factor, stats->table_bytes, stats->count};
    curve->points[curve->n++] = point;
}

void curve_release(struct curve *curve)
{
    free(curve->points);
    memset(curve, 0, sizeof *curve);
}
