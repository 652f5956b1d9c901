/* The first failure of a scene, in words: checks return false through wrong_say, and the scene's
 * report is wrong_text. */
#ifndef ROOST_TESTS_WRONG_H
#define ROOST_TESTS_WRONG_H

#include <stdbool.h>

enum { WRONG_BYTES = 4800 /* a key's items take many words */ };

/* Stores the text and returns false. */
bool wrong_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The last stored text, valid until the next. */
const char *wrong_text(void);

#endif
