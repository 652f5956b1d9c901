/* A key and its count, for all widths in the table; a store of keys that are not integers;
 * spellings of keys. */
#ifndef ROOST_CLI_KEY_COUNT_H
#define ROOST_CLI_KEY_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key_count {
    /* the key's bits, zeros above a 4-byte key; or its place in a store */
    uint64_t key;
    uint64_t count;
};

/* Item i of an array of 4- or 8-byte items; 0 of one without bytes. */
uint64_t key_load(const void *items, size_t i, size_t bytes);

/* ---- Keys that are not integers -------------------------------------------------------------- */

struct key_bytes {
    const uint8_t *at;
    size_t length;
};

/* Key i of an array: of `length` bytes, or with offsets (at least i + 2) the bytes between two
 * offsets. */
struct key_bytes key_bytes_at(const void *keys, size_t length, const uint64_t *offsets, size_t i);

/* Compares bytes without sign from the first one on.  If one key begins with the other, the
 * shorter one is smaller. */
int key_bytes_compare(struct key_bytes a, struct key_bytes b);

/* Keys, each after its length. */
struct key_store {
    uint8_t *bytes;
    size_t used, room;
};

/* Copies a key.  False: memory was refused.  *place: its place, until the store is cut off
 * before it (used = place). */
bool key_store_add(struct key_store *store, struct key_bytes key, uint64_t *place);

struct key_bytes key_store_get(const struct key_store *store, uint64_t place);

void key_store_release(struct key_store *store);

/* ---- Spelling -------------------------------------------------------------------------------- */

/* SPELL_WIDE_KMER, SPELL_HEX and SPELL_TEXT are for keys that are not integers.  SPELL_TEXT writes
 * bytes that would break a line or are not text as \t, \n, \r, \\ or \xHH: control characters,
 * backslashes, and malformed UTF-8. */
enum key_spelling {
    SPELL_UNSIGNED,
    SPELL_I32,
    SPELL_I64,
    SPELL_BASE36,
    SPELL_FIXED,     /* signed, with decimals */
    SPELL_DATE,      /* days since 1970; years beyond 0 to 9999, and SPELL_TIME, as a number */
    SPELL_TIME,      /* microseconds since 1970 */
    SPELL_KMER,      /* bits above the letters: as a number, of SPELL_WIDE_KMER as SPELL_HEX */
    SPELL_WIDE_KMER, /* of 16 bytes, the highest first */
    SPELL_HEX,
    SPELL_TEXT
};

struct key_form {
    enum key_spelling spelling;
    unsigned kmer;     /* letters, for SPELL_KMER and SPELL_WIDE_KMER */
    unsigned decimals; /* for SPELL_FIXED */
};

/* The spelling of what stands for records without a key.  No key is spelled so: SPELL_TEXT writes a
 * backslash twice. */
#define KEY_NULL "\\N"

/* Bytes of the longest spelling of an integer, its end included: a 32-mer. */
#define KEY_TEXT 40

/* Memory for one spelling at a time, all 0 at the start. */
struct key_text {
    char fixed[KEY_TEXT];
    char *grown; /* for keys that are not integers */
    size_t room;
};

/* Spells a key.  Returns a text in *text that is valid until *text is used again; NULL: memory
 * was refused. */
const char *key_spell(struct key_text *text, struct key_form form, const struct key_store *store, uint64_t key);

/* The same for the bytes of one key. */
const char *key_spell_bytes(struct key_text *text, struct key_form form, struct key_bytes key);

void key_text_release(struct key_text *text);

#endif
