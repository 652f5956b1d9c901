/* Pictures in SVG, drawn by gnuplot; each is finished (outfile.h), not committed. */
#ifndef ROOST_CLI_SVG_H
#define ROOST_CLI_SVG_H

#include "cli/curve.h"
#include "cli/key_count.h"
#include "cli/outfile.h"

/* Looks for gnuplot; prints a line and returns EXIT_FAILURE if it is not there.  The other calls do the same on their failures. */
int svg_check_gnuplot(void);

/* How many keys occur how often.  spectrum: .key is a count, .count the number of keys that have it. */
int svg_spectrum(struct outfile *file, const struct key_count *spectrum, size_t n);

/* What a curve is drawn with. */
struct svg_frame {
    const char *title, *x_label;
    double min_fill, max_fill; /* the bounds of the load factor */
    const char *mark_label;    /* of a vertical line at x = mark; NULL: none */
    double mark;
};

/* The load factor with its bounds, and the table's memory, over x. */
int svg_curve(struct outfile *file, const struct curve *curve, const struct svg_frame *frame);

#endif
