/* Keys out of arrays, and as text: decimal, base 36, or the letters of a k-mer. */
#include "cli/key_count.h"

#include <inttypes.h>
#include <stdio.h>

static const char *spell_base36(char *text, uint64_t key)
{
    char *first = text + KEY_TEXT - 1;
    *first = 0;
    do *--first = "0123456789abcdefghijklmnopqrstuvwxyz"[key % 36];
    while ((key /= 36) > 0);
    return first;
}

static const char *spell_kmer(char *text, uint64_t key, unsigned kmer)
{
    for (unsigned i = 0; i < kmer; i++) text[i] = "ACGT"[key >> 2 * (kmer - 1 - i) & 3];
    text[kmer] = 0;
    return text;
}

uint64_t key_load(const void *items, size_t i, size_t bytes)
{
    return bytes == 4 ? ((const uint32_t *)items)[i] : ((const uint64_t *)items)[i];
}

const char *key_spell(char *text, uint64_t key, enum key_spelling spelling, unsigned kmer)
{
    switch (spelling) {
    case SPELL_BASE36: return spell_base36(text, key);
    case SPELL_KMER: return spell_kmer(text, key, kmer);
    case SPELL_I32: snprintf(text, KEY_TEXT, "%" PRId32, (int32_t)key); return text;
    case SPELL_I64: snprintf(text, KEY_TEXT, "%" PRId64, (int64_t)key); return text;
    case SPELL_UNSIGNED: break;
    }
    snprintf(text, KEY_TEXT, "%" PRIu64, key);
    return text;
}
