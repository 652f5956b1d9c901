/* Streams that calls give.  A stream owns a producer, which makes its batches one by one. */
#ifndef ROOST_ARROW_ARROW_PRODUCER_H
#define ROOST_ARROW_ARROW_PRODUCER_H

#include "api/watch.h"
#include "arrow/arrow_result.h"

struct arrow_producer {
    /* Makes the next batch; n 0 rows mean the end, and then *out is as released.  Errors are in
     * thread_error(). */
    roost_status (*next)(struct arrow_producer *p, struct ArrowArray *out);
    void (*end)(struct arrow_producer *p); /* frees what is its own; NULL: there is none */
    struct arrow_memory m;                 /* of the producer itself, and what else it needs */
    struct table_watch watch;              /* of what is read */
    bool reads_only;                       /* a write to the table ends the stream */
    struct ArrowSchema schema;
    roost_status broken; /* of an earlier batch */
    struct error error;
};

/* A producer of `bytes` bytes, which begin with struct arrow_producer and are 0; NULL: no memory.
 * Begins the watch on the table. */
struct arrow_producer *producer_new(size_t bytes, struct roost_table *t);
void producer_free(struct arrow_producer *p);

/* Makes the schema of n columns of a producer: struct{...}.  The columns' schemas follow. */
roost_status producer_schema(struct arrow_producer *p, int64_t columns);
/* Gives the producer to the stream. */
void producer_give(struct arrow_producer *p, struct ArrowArrayStream *stream);

/* Rows of a batch: `room`, or, for 0, the default. */
static inline size_t producer_room(size_t room) { return room ? room : (size_t)1 << 16; }

/* What a call that gives a stream begins with. */
roost_status stream_clear(struct ArrowArrayStream *stream);

#endif
