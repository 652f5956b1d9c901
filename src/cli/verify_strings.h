/* The second count of --verify for byte strings, which are repeatedly collected, sorted and
 * folded. */
#ifndef ROOST_CLI_VERIFY_STRINGS_H
#define ROOST_CLI_VERIFY_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct verify_string {
    size_t at, length; /* of its bytes in the text */
    uint64_t count;
};

/* All zero at the start. */
struct verify_strings {
    char *text;
    size_t used, text_room;
    struct verify_string *items; /* items before the last fold are sorted and distinct */
    size_t n, items_room;
    size_t fold_n, fold_bytes; /* numbers of items and bytes that cause a fold */
};

/* These return false if memory is refused. */
bool verify_strings_add(struct verify_strings *strings, const char *bytes, size_t length);

/* Sorts, as memcmp does and the shorter first, and merges equal strings. */
bool verify_strings_fold(struct verify_strings *strings);

void verify_strings_release(struct verify_strings *strings);

#endif
