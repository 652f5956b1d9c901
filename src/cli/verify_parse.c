/* Parses keys without the readers: integers byte by byte, traces by lines, words by letters. */
#define _GNU_SOURCE 1
#include "cli/verify_parse.h"

#include "cli/verify_files.h"

#include <stdlib.h>
#include <string.h>

/* ---- Binary integers ------------------------------------------------------------------------- */

/* Integers narrower than a key are widened to 4 bytes. */
static bool parse_integers(struct recount *recount, FILE *file, unsigned bytes, bool big_endian, bool is_signed)
{
    unsigned char item[8];
    size_t got;
    while ((got = fread(item, 1, bytes, file)) == bytes) {
        uint64_t key = 0;
        for (unsigned i = 0; i < bytes; i++) key = key << 8 | item[big_endian ? i : bytes - 1 - i];
        if (is_signed && bytes == 1) key = (uint32_t)(int8_t)key;
        if (is_signed && bytes == 2) key = (uint32_t)(int16_t)key;
        if (!recount_add(recount, key)) return false;
    }
    return got == 0 || recount_fail(recount, "ends inside a key");
}

static bool parse_bytes(struct recount *recount, FILE *file, unsigned bytes)
{
    char item[256];
    size_t got;
    while ((got = fread(item, 1, bytes, file)) == bytes)
        if (!recount_add_bytes(recount, item, bytes)) return false;
    return got == 0 || recount_fail(recount, "ends inside a key");
}

/* Bytes of NumPy end in zeros that are padding. */
static bool parse_padded(struct recount *recount, FILE *file, size_t width)
{
    char *item = (char *)malloc(width);
    bool ok = item != NULL || recount_fail(recount, "out of memory");
    while (ok && fread(item, 1, width, file) == width) {
        size_t length = width;
        while (length > 0 && item[length - 1] == 0) length--;
        ok = recount_add_bytes(recount, item, length);
    }
    free(item);
    return ok;
}

static bool parse_truths(struct recount *recount, FILE *file)
{
    for (int c = getc_unlocked(file); c != EOF; c = getc_unlocked(file))
        if (!recount_add(recount, c != 0)) return false;
    return true;
}

/* The reader has refused unusual headers.  In the others the type alone tells width and byte
 * order. */
static bool parse_npy(struct recount *recount, FILE *file)
{
    unsigned char fixed[12] = {0};
    char header[65537] = {0};
    if (fread(fixed, 1, 10, file) != 10) return recount_fail(recount, "not an .npy file");
    size_t length = (size_t)fixed[9] * 256 + fixed[8];
    if (fixed[6] > 1) {
        if (fread(fixed + 10, 1, 2, file) != 2) return recount_fail(recount, "not an .npy file");
        length += ((size_t)fixed[11] * 256 + fixed[10]) * 65536;
    }
    if (length >= sizeof header || fread(header, 1, length, file) != length) return recount_fail(recount, "not an .npy file");
    const char *type = strpbrk(header, "<>|");
    if (type != NULL && type[1] == 'S') return parse_padded(recount, file, (size_t)strtoull(type + 2, NULL, 10));
    if (type != NULL && type[1] == 'b') return parse_truths(recount, file);
    if (type == NULL || strchr("1248", type[2]) == NULL) return recount_fail(recount, "not an .npy file of integers");
    return parse_integers(recount, file, (unsigned)(type[2] - '0'), type[0] == '>', type[1] == 'i');
}

/* ---- Block traces ---------------------------------------------------------------------------- */

static bool parse_arc(struct recount *recount, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    while (ok && getline(&line, &room, file) > 0) {
        char *end;
        const unsigned long long start = strtoull(line, &end, 10), count = strtoull(end, &end, 10);
        for (unsigned long long i = 0; ok && i < count; i++) ok = recount_add(recount, start + i);
    }
    free(line);
    return ok;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static bool is_space(int c) { return memchr(" \t\n\v\f\r", c, 6) != NULL; }

static bool parse_words(struct recount *recount, FILE *file)
{
    char *word = NULL;
    size_t room = 0, length = 0;
    bool ok = true;
    for (int c = 0; ok && c != EOF;) {
        c = getc_unlocked(file);
        if (c == EOF || is_space(c)) {
            if (length > 0) ok = recount_add_bytes(recount, word, length);
            length = 0;
            continue;
        }
        if (length == room) {
            char *longer = (char *)realloc(word, room = 2 * room + 64);
            if (longer == NULL) ok = recount_fail(recount, "out of memory");
            else word = longer;
        }
        if (ok) word[length++] = (char)c;
    }
    free(word);
    return ok;
}

/* ---- All of them ----------------------------------------------------------------------------- */

bool verify_parse(struct recount *recount, FILE *file)
{
    const enum verify_layout layout = recount->plan->layout;
    if (layout == VERIFY_KMERS || layout == VERIFY_COLUMN || layout == VERIFY_WORDS) verify_skip_mark(file);
    switch (recount->plan->layout) {
    case VERIFY_KMERS: return verify_parse_kmers(recount, file);
    case VERIFY_COLUMN: return verify_parse_column(recount, file);
    case VERIFY_RAW:
        if (recount->plan->store != NULL) return parse_bytes(recount, file, recount->plan->key_bytes);
        return parse_integers(recount, file, recount->plan->key_bytes, recount->plan->big_endian, false);
    case VERIFY_NPY: return parse_npy(recount, file);
    case VERIFY_ARC: return parse_arc(recount, file);
    case VERIFY_WORDS: return parse_words(recount, file);
    }
    return false;
}
