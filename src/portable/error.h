/* Error texts: a failing function writes its text where the caller can read it, and returns the
 * status. */
#ifndef ROOST_PORTABLE_ERROR_H
#define ROOST_PORTABLE_ERROR_H

#include "roost/roost.h"

struct error {
    char text[256];
};

/* Warnings: requests that were not met, without being failures.  One line each, as long as there is
 * room. */
struct warnings {
    char text[1024];
};

/* Is it a failure of some items, after which a batch goes on? */
static inline int status_of_items(roost_status status) { return status == ROOST_ERR_FULL || status == ROOST_ERR_MEMORY; }

/* Writes the text (truncated if it is too long) and returns the status, so that the caller can
 * return it. */
roost_status error_set(struct error *error, roost_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A copy of an error's text, kept during an attempt whose failure does not concern the caller. */
struct error_mark {
    struct error *error;
    struct error kept;
};

static inline struct error_mark error_keep(struct error *error)
{
    const struct error_mark mark = {error, *error};
    return mark;
}

static inline void error_restore(const struct error_mark *mark) { *mark->error = mark->kept; }

/* For attempts that may run out of memory: restores the text and returns ROOST_OK on
 * ROOST_ERR_MEMORY.  Returns other statuses unchanged. */
static inline roost_status error_forgive_memory(const struct error_mark *mark, roost_status status)
{
    if (status != ROOST_ERR_MEMORY) return status;
    error_restore(mark);
    return ROOST_OK;
}

/* Adds a line, or leaves it out if there is no room. */
void warning_add(struct warnings *warnings, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
