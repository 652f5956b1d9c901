/* Pictures in SVG, drawn by gnuplot. */
#ifndef ROOST_CLI_SVG_H
#define ROOST_CLI_SVG_H

#include "cli/key_count.h"
#include "cli/outfile.h"

/* One point of a growing table. */
struct svg_growth_point {
    uint64_t keys; /* counted so far */
    double load_factor;
    uint64_t table_bytes;
};

/* Looks for gnuplot; prints a line and returns EXIT_FAILURE if it is not there.  The other calls do the same on their failures. */
int svg_check_gnuplot(void);

/* How many keys occur how often.  spectrum: .key is a count, .count the number of keys that have it. */
int svg_spectrum(struct outfile *file, const struct key_count *spectrum, size_t n);

/* The load factor with its bounds, and the table's memory, over the keys counted. */
int svg_growth(struct outfile *file, const struct svg_growth_point *points, size_t n, double min_fill, double max_fill);

#endif
