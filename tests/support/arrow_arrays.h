/* Arrow arrays made by hand: at any offset, with buffers that end where their memory does, on the
 * host or the device, and with callbacks that count. */
#ifndef ROOST_TESTS_ARROW_ARRAYS_H
#define ROOST_TESTS_ARROW_ARRAYS_H

#include "support/suite.h"
#include "roost/arrow.h"

enum { ARROW_BUFFERS_MOST = 6, ARROW_CHILDREN_MOST = 3 };

/* An array with its schema.  It stays where it is made: the structs point to each other. */
struct arrow_made {
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct array memory[ARROW_BUFFERS_MOST]; /* on the device */
    void *host[ARROW_BUFFERS_MOST];
    const void *buffers[ARROW_BUFFERS_MOST];
    struct ArrowSchema *schemas[ARROW_CHILDREN_MOST];
    struct ArrowArray *arrays[ARROW_CHILDREN_MOST];
    bool on_device;
    int released, schema_released; /* how often */
};

/* Begins an array of n items from `offset` on, without buffers. */
void arrow_begin(struct arrow_made *made, const char *format, size_t n, size_t offset, bool on_device);
/* Adds a copy of bytes as the next buffer; NULL: a buffer that is NULL. */
void arrow_buffer(struct arrow_made *made, const void *bytes, size_t n);
/* Adds a validity buffer for its items: NULL are those from 0 on whose number is `rest` modulo
 * `of`; of 0: none is, and the buffer is NULL. */
void arrow_validity(struct arrow_made *made, size_t of, size_t rest);
/* Adds a column of a struct, or the dictionary. */
void arrow_child(struct arrow_made *made, struct arrow_made *child);
void arrow_dictionary(struct arrow_made *made, struct arrow_made *dictionary);
void arrow_end(struct arrow_made *made);

/* An array of integers of `bytes` bytes: the low bytes of n patterns, which lie at an offset. */
void arrow_integers(struct arrow_made *made, const char *format, unsigned bytes, const uint64_t *patterns, size_t n, size_t offset,
                    bool on_device);
/* The same, NULL as in arrow_validity. */
void arrow_integers_null(struct arrow_made *made, const char *format, unsigned bytes, const uint64_t *patterns, size_t n,
                         size_t offset, size_t of, size_t rest, bool on_device);

/* The column of a call: child -1: the array itself. */
roost_arrow arrow_of(const struct arrow_made *made, int child);

/* A stream of batches that were made, each given once, with callbacks of its own; fails at batch
 * `fails_at` (-1: never). */
struct arrow_stream {
    struct ArrowArrayStream stream;
    struct arrow_made **batches;
    int n, at, fails_at;
    int released, given, batches_released, schemas_released;
};
void arrow_stream_begin(struct arrow_stream *stream, struct arrow_made **batches, int n);

#endif
