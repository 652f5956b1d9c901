/* Schemas and arrays that calls give, and that their callbacks release. */
#ifndef ROOST_ARROW_ARROW_RESULT_H
#define ROOST_ARROW_ARROW_RESULT_H

#include "arrow/arrow_format.h"
#include "arrow/arrow_memory.h"

/* Each returns ROOST_ERR_MEMORY if memory is refused, and then *out is as released. */

/* A schema; children: as many as n, which are made afterwards. */
roost_status arrow_schema_make(struct ArrowSchema *out, const char *name, const char *format, bool nullable, int64_t children);
/* The schema of a column of a type, as format_write has it. */
roost_status arrow_schema_make_typed(struct ArrowSchema *out, const char *name, const roost_column *type, bool utf8);

/* The buffers of an array of n rows, of which `nulls` are NULL. */
struct arrow_buffers {
    const void *at[3];
    int count;
    int64_t n, nulls;
};

/* An array with these buffers, which are memory of *m; that is taken over, also on failure. */
roost_status arrow_array_make(struct ArrowArray *out, const struct arrow_buffers *buffers, struct arrow_memory *m);
/* A struct of n rows; its children are made afterwards. */
roost_status arrow_array_make_struct(struct ArrowArray *out, int64_t n, int64_t children);

/* Releases what is not released yet. */
void arrow_schema_drop(struct ArrowSchema *schema);
void arrow_array_drop(struct ArrowArray *array);

#endif
