/* Columns as the library takes them, made of Arrow arrays: in place where the layouts agree, else
 * copies in host memory. */
#ifndef ROOST_ARROW_ARROW_COLUMN_H
#define ROOST_ARROW_ARROW_COLUMN_H

#include "arrow/arrow_source.h"

/* Checks that the column's items agree with the type.  what: for the error, such as "the keys". */
roost_status column_agrees(const struct arrow_source *source, const roost_column *type, const char *what);

/* Makes a column of a type that agrees.  on_host: all of it becomes host memory.  `validity` is
 * NULL where nothing can be NULL; items that are NULL are any bits, or strings of any bytes.
 * Memory of m is part of it. */
roost_status column_make(struct arrow_source *source, const roost_column *type, bool on_host, struct arrow_memory *m,
                         roost_column *column);

/* Only its validity, in host memory, and how many rows are NULL.  A dictionary array's may also be
 * NULL where its dictionary is. */
roost_status column_validity(struct arrow_source *source, struct arrow_memory *m, const uint8_t **validity, size_t *nulls);

#endif
