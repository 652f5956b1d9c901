/* A column as a call names it: its checks, where its rows begin, and its buffers, which may be in a
 * GPU's memory. */
#ifndef ROOST_ARROW_ARROW_SOURCE_H
#define ROOST_ARROW_ARROW_SOURCE_H

#include "arrow/arrow_format.h"
#include "arrow/arrow_memory.h"

struct arrow_source {
    struct arrow_format format; /* of a dictionary array: of its indices */
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    uint64_t first; /* the first row's item in the buffers */
    size_t n;       /* rows */
    /* Of a child: the struct, whose rows may be NULL, and its first row; else NULL. */
    const struct ArrowArray *parent;
    uint64_t parent_first;
    bool on_device; /* the buffers are a GPU's memory */
    void *event;    /* not NULL: nobody has waited for it yet */
};

/* Checks a column and opens it.  It is no struct. */
roost_status source_open(const roost_arrow *column, struct arrow_source *source);
/* The values of a dictionary array, which are no dictionary array themselves. */
roost_status source_open_dictionary(const struct arrow_source *source, struct arrow_source *dictionary);

/* The format that the column's items have in the end. */
roost_status source_format(const struct arrow_source *source, struct arrow_format *format);

/* Bytes of a buffer from `first` on, in host memory: there, or a copy.  *to: NULL on failure.
 * Returns: ROOST_ERR_ARGUMENT: the buffer is NULL. */
roost_status source_fetch(struct arrow_source *source, struct arrow_memory *m, const void *buffer, uint64_t first, uint64_t bytes,
                          const void **to);

/* The host waits until the buffers are ready; or later work of a table on the stream does. */
roost_status source_await(struct arrow_source *source);
roost_status source_follow(struct arrow_source *source, struct roost_table *t, void *stream);

#endif
