/* Error texts: a failing function writes what went wrong where its caller can read it, and returns the status. */
#ifndef ROOST_PORTABLE_ERROR_H
#define ROOST_PORTABLE_ERROR_H

#include "roost/roost.h"

struct error {
    char text[256];
};

/* What was not done as asked and is no failure: a line each, as long as there is room. */
struct warnings {
    char text[1024];
};

/* Is it a failure of some items, after which a batch goes on? */
static inline int status_of_items(roost_status status) { return status == ROOST_ERR_FULL || status == ROOST_ERR_MEMORY; }

/* Writes the text (cut at its end if it is too long) and returns the status, so that it can be returned in turn. */
roost_status error_set(struct error *error, roost_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* An error's text, kept while something is tried whose failure is none of the caller's. */
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

/* Refused memory is no failure here: the text is restored and the status is ROOST_OK.  Hands other
 * statuses on. */
static inline roost_status error_forgive_memory(const struct error_mark *mark, roost_status status)
{
    if (status != ROOST_ERR_MEMORY) return status;
    error_restore(mark);
    return ROOST_OK;
}

/* Adds a line; one without room is left out. */
void warning_add(struct warnings *warnings, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
