/* The second count of --verify: integers are counted by radix sort and merge, other keys as
 * strings. */
#ifndef ROOST_CLI_VERIFY_RECOUNT_H
#define ROOST_CLI_VERIFY_RECOUNT_H

#include "cli/verify.h"
#include "cli/verify_strings.h"

/* The count so far. */
struct recount {
    const struct verify_plan *plan;
    const char *file;
    uint64_t *pending; /* keys not yet sorted, with the sign's bit inverted, as the sorted ones */
    uint64_t *scratch;
    size_t pending_n;
    size_t pending_room;
    struct key_count *sorted; /* by rising key; counts are occurrences */
    size_t sorted_n;
    uint64_t left_out;             /* records without a key */
    struct verify_strings strings; /* used instead if keys are not integers */
    char *why;
    size_t why_bytes;
};

/* These return false on failure, with a description in `why`.  The caller releases the recount
 * in any case. */
bool recount_begin(struct recount *recount, const struct verify_plan *plan, char *why, size_t why_bytes);
bool recount_add(struct recount *recount, uint64_t key);
bool recount_add_bytes(struct recount *recount, const char *bytes, size_t length);
bool recount_finish(struct recount *recount);

/* Describes what is wrong with the current file, and returns false. */
bool recount_fail(struct recount *recount, const char *format, ...) __attribute__((format(printf, 2, 3)));

void recount_release(struct recount *recount);

#endif
