/* Texts as words of 8 bytes, so that different texts have different words: short texts and numbers
 * are their own words, other texts get numbers of a dictionary.
 *
 *     bits 63..62   00: a text of up to 7 bytes; bits 58..56: its length, bits 55..0: its bytes
 *                   10: an integer of 8 to 18 digits as it is written; bit 61: with a minus sign
 *                   11: bits 31..0: the number of a text in the dictionary */
#ifndef ROOST_CLI_KEY_WORDS_H
#define ROOST_CLI_KEY_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roost/roost.h"

/* Words that no text has. */
#define KEY_WORD_NONE UINT64_MAX
#define KEY_WORD_OTHER (UINT64_MAX - 1)

/* The longest text that is its own word. */
#define KEY_WORD_TEXT 24

/* Texts in Arrow's layout: text i is bytes[offsets[i]] up to bytes[offsets[i + 1]].  Sixteen bytes
 * behind them can be read. */
struct texts {
    const uint64_t *offsets;
    const uint8_t *bytes;
    size_t n;
};

/* All 0 at the start, except the first two members. */
struct key_words {
    const char *device;
    int threads;             /* at least 1 */
    roost_table *dictionary; /* NULL: no text needed it yet */
    /* The dictionary's texts by number, if they are kept. */
    uint64_t *ends;
    uint8_t *bytes;
    size_t n, ends_room, bytes_room;
    /* Work space for the texts of a batch that are not their own words. */
    size_t *rows;
    uint64_t *offsets;
    uint8_t *text;
    uint32_t *numbers;
    uint8_t *statuses;
    size_t room, text_room;
};

/* Writes the words of texts.  These return 0, or print a line and return an exit code. */
int key_words_make(struct key_words *words, const struct texts *texts, uint64_t *made);

/* The same, but texts that key_words_make has not met get the word KEY_WORD_NONE. */
int key_words_find(struct key_words *words, const struct texts *texts, uint64_t *found);

/* The text of a word; `small` has room for KEY_WORD_TEXT bytes. */
const uint8_t *key_words_text(const struct key_words *words, uint64_t word, uint8_t *small, size_t *length);

void key_words_release(struct key_words *words);

#endif
