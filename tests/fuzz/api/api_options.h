/* Options of an engine, drawn from what its info says about them. */
#ifndef ROOST_TESTS_API_OPTIONS_H
#define ROOST_TESTS_API_OPTIONS_H

#include "fuzz/api/api_choices.h"

#include <roost/tuning.h>

/* Adds options to the text, "name=value,...", drawn from rows "name=value|value\n"; names with the
 * value "@" are left out.  One row in `of` is used. */
void options_from_rows(struct api_choices *choices, const char *rows, unsigned of, char *text, size_t bytes);

/* The same from rows "name=default: meaning\n": a value is the default or a word of the meaning,
 * and the table refuses many of these. */
void options_from_meanings(struct api_choices *choices, const char *rows, unsigned of, char *text, size_t bytes);

#endif
