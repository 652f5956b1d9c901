/* Pictures in SVG, drawn by gnuplot.  Each file is finished (outfile.h), but not committed. */
#ifndef ROOST_CLI_SVG_H
#define ROOST_CLI_SVG_H

#include "cli/curve.h"
#include "cli/key_count.h"
#include "cli/outfile.h"

/* Looks for gnuplot.  Returns 0, or prints a line and returns EXIT_FAILURE, as the other calls
 * do on failure. */
int svg_check_gnuplot(void);

/* Draws how many keys occur how often.  spectrum: .key is a count, .count the number of keys
 * with it. */
int svg_spectrum(struct outfile *file, const struct key_count *spectrum, size_t n);

/* The frame of a curve. */
struct svg_frame {
    const char *title, *x_label;
    double min_fill, max_fill; /* the bounds of the load factor */
    const char *mark_label;    /* label of a vertical line at x = mark; NULL: no line */
    double mark;
};

/* Draws the load factor with its bounds, and the table's memory, over x. */
int svg_curve(struct outfile *file, const struct curve *curve, const struct svg_frame *frame);

#endif
