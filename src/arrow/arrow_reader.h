/* Streams that calls are given: each batch is handed on and then released. */
#ifndef ROOST_ARROW_ARROW_READER_H
#define ROOST_ARROW_ARROW_READER_H

#include "api/checks.h"
#include "roost/arrow.h"

/* What becomes of a batch.  batch: in host memory, and no child is chosen. */
typedef roost_status reader_visit(void *context, const roost_arrow *batch);

/* Reads a stream to its end, or until a visit fails.  *rows (not NULL): those of the batches whose
 * visits succeeded.  Errors are in thread_error().
 * Returns: ROOST_ERR_DEVICE: the stream failed. */
roost_status reader_run(struct ArrowArrayStream *stream, reader_visit *visit, void *context, uint64_t *rows);

/* Checks that a batch is a struct with this number of columns. */
roost_status reader_columns(const roost_arrow *batch, int64_t columns);

#endif
