/* Keys from their spellings. */
#ifndef ROOST_CLI_KEY_PARSE_H
#define ROOST_CLI_KEY_PARSE_H

#include "cli/key_batch.h"
#include "cli/key_note.h"

/* Room for what key_parse_words writes. */
#define KEY_WORDS_TEXT 80

/* Parses a key as `roost count` read it, or spells it, and appends it to the batch, which has room.
 * Returns 0; or KEY_NOT_PARSED; or prints a line and returns EXIT_FAILURE: memory was refused. */
#define KEY_NOT_PARSED (-1)
int key_parse(struct key_batch *batch, const struct key_meaning *meaning, struct key_bytes text);

/* What such a key is, for errors: "a 21-mer of the letters A, C, G and T". */
const char *key_parse_words(const struct key_meaning *meaning, char words[KEY_WORDS_TEXT]);

#endif
