/* The second count behind --verify: integers one by one, counted by radix sort and merge, or strings. */
#ifndef ROOST_CLI_VERIFY_RECOUNT_H
#define ROOST_CLI_VERIFY_RECOUNT_H

#include "cli/verify.h"
#include "cli/verify_strings.h"

/* The count so far, and where it stands. */
struct recount {
    const struct verify_plan *plan;
    const char *file;
    uint64_t *pending; /* keys not yet sorted */
    uint64_t *scratch;
    size_t pending_n;
    size_t pending_room;
    struct key_count *sorted; /* by rising key; counts are occurrences */
    size_t sorted_n;
    struct verify_strings strings; /* instead of all these, where keys are no integers */
    char *why;
    size_t why_bytes;
};

/* These return false after a failure, with its words in `why`; a recount that was begun is to be released in any case. */
bool recount_begin(struct recount *recount, const struct verify_plan *plan, char *why, size_t why_bytes);
bool recount_add(struct recount *recount, uint64_t key);
bool recount_add_bytes(struct recount *recount, const char *bytes, size_t length);
bool recount_finish(struct recount *recount);

/* Writes what is wrong with the current file, and returns false. */
bool recount_fail(struct recount *recount, const char *format, ...) __attribute__((format(printf, 2, 3)));

void recount_release(struct recount *recount);

#endif
