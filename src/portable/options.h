/* Options strings, "name=value,name=value". */
#ifndef ROOST_PORTABLE_OPTIONS_H
#define ROOST_PORTABLE_OPTIONS_H

/* One "name=value" of an options string; the string is left behind it.  1: there was one; 0: the end; -1: malformed. */
int options_next(const char **options, char name[32], char value[32]);

/* The value's place in a list "a|b|c", or -1. */
int option_choice(const char *value, const char *list);

/* How many such a list has. */
int option_choices(const char *list);

/* The value as a number from low to high, of decimal digits alone, or -1. */
int option_number(const char *value, int low, int high);

/* The same with a fraction of up to nine digits, "0.75", or without one. */
double option_fraction(const char *value, double low, double high);

#endif
