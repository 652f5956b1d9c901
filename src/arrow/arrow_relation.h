/* Columns of rows that groups and joins take. */
#ifndef ROOST_ARROW_ARROW_RELATION_H
#define ROOST_ARROW_ARROW_RELATION_H

#include "arrow/arrow_column.h"
#include "arrow/arrow_reader.h"

/* A call's rows. */
struct relation {
    struct roost_table *t; /* on whose machine they are worked on, */
    void *stream;          /* and in which order */
    struct arrow_memory m;
    size_t n;    /* rows; RELATION_OPEN: no column is made yet */
    int columns; /* so far: for the error's text */
};
#define RELATION_OPEN SIZE_MAX

/* Begins a call with its options. */
roost_status relation_begin(struct relation *r, struct roost_table *t, const roost_call *call, roost_call *own);

/* Makes n columns of these types, which lie `stride` bytes apart. */
roost_status relation_columns(struct relation *r, const roost_arrow *given, const roost_column *types, size_t stride, int n,
                              roost_column *columns);

/* Names children first .. first + n - 1 of a batch. */
void relation_children(const roost_arrow *batch, int first, int n, roost_arrow *columns);

#endif
