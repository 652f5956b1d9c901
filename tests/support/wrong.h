/* What broke first, in words: checks of a scene return false by way of wrong_say, and the scene's
 * report is wrong_text. */
#ifndef ROOST_TESTS_WRONG_H
#define ROOST_TESTS_WRONG_H

#include <stdbool.h>

enum { WRONG_BYTES = 4800 /* a key's items are many words */ };

/* Writes it down and is false. */
bool wrong_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What was written last; it stays until the next. */
const char *wrong_text(void);

#endif
