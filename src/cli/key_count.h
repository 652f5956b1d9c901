/* A key and how often it occurred, whatever their widths in the table; and how keys are spelled. */
#ifndef ROOST_CLI_KEY_COUNT_H
#define ROOST_CLI_KEY_COUNT_H

#include <stddef.h>
#include <stdint.h>

struct key_count {
    uint64_t key; /* the key's bits, zeros above a 4-byte key */
    uint64_t count;
};

enum key_spelling { SPELL_UNSIGNED, SPELL_I32, SPELL_I64, SPELL_BASE36, SPELL_KMER };

/* The longest spelling, its end included: a 32-mer. */
#define KEY_TEXT 40

/* Item i of an array of 4- or 8-byte items. */
uint64_t key_load(const void *items, size_t i, size_t bytes);

/* Writes the key as people read it into text[KEY_TEXT]; returns where it begins there.  kmer: letters, for SPELL_KMER. */
const char *key_spell(char *text, uint64_t key, enum key_spelling spelling, unsigned kmer);

#endif
