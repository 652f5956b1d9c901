/* Options strings, "name=value,name=value". */
#ifndef ROOST_PORTABLE_OPTIONS_H
#define ROOST_PORTABLE_OPTIONS_H

/* Reads one "name=value" of an options string and moves *options behind it.  Returns 1, or 0 at the
 * end, or -1 if malformed. */
int options_next(const char **options, char name[32], char value[32]);

/* The value's place in a list "a|b|c", or -1. */
int option_choice(const char *value, const char *list);

/* The length of such a list. */
int option_choices(const char *list);

/* The value as a number from low to high, in decimal digits only; or -1. */
int option_number(const char *value, int low, int high);

/* The same, with an optional fraction of up to nine digits, as "0.75". */
double option_fraction(const char *value, double low, double high);

#endif
