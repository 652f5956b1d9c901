/* Pictures in SVG or PNG, by the ending of the file's name, drawn by gnuplot.  Each file is
 * finished (outfile.h), but not committed. */
#ifndef ROOST_CLI_PICTURE_H
#define ROOST_CLI_PICTURE_H

#include "cli/curve.h"
#include "cli/key_count.h"
#include "cli/outfile.h"

/* Has the name the ending of one of the formats? */
bool picture_ending(const char *name);

/* Looks for gnuplot.  Returns 0, or prints a line and returns EXIT_FAILURE, as the other calls
 * do on failure. */
int picture_check_gnuplot(void);

/* Draws how many keys occur how often.  spectrum: .key is a count, .count the number of keys
 * with it. */
int picture_spectrum(struct outfile *file, const struct key_count *spectrum, size_t n);

/* The frame of a curve. */
struct picture_frame {
    const char *title, *x_label;
    double min_fill, max_fill; /* the bounds of the load factor */
    const char *mark_label;    /* label of a vertical line at x = mark; NULL: no line */
    double mark;
};

/* Draws the load factor with its bounds, and the table's memory, over x. */
int picture_curve(struct outfile *file, const struct curve *curve, const struct picture_frame *frame);

#endif
