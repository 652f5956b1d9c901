/* What broke first, in words: checks of a scene return false by way of it, and its table keeps the text for the report. */
#ifndef ROOST_TESTS_WRONG_H
#define ROOST_TESTS_WRONG_H

#include <stdbool.h>

enum { WRONG_BYTES = 4800 /* a key's items are many words */ };

/* Writes it down and is false. */
bool wrong_say(char text[WRONG_BYTES], const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
