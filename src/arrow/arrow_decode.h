/* Items of Arrow buffers in host memory, brought into the layout of the library's columns. */
#ifndef ROOST_ARROW_ARROW_DECODE_H
#define ROOST_ARROW_ARROW_DECODE_H

#include "arrow/arrow_source.h"

/* Writes n items as items of 4 or 8 bytes, which are as wide or wider; bits from bit `first` on as
 * 0 and 1. */
void items_widen(const struct arrow_format *format, const void *from, size_t n, int bytes, void *to);
void bits_widen(const uint8_t *from, uint64_t first, size_t n, int bytes, void *to);

/* Writes the strings of n views (16 bytes each).  validity: those that are NULL become empty;
 * NULL: all are valid. */
roost_status views_decode(struct arrow_source *source, const void *views, const uint8_t *validity, struct arrow_memory *m,
                          roost_column *column);

/* Indices into a dictionary, whose items are a column of n in host memory. */
struct dictionary {
    struct arrow_format format; /* of the indices, */
    const char *indices;        /* which are those of the rows */
    roost_column items;
    size_t n;
};
/* Writes the items of `rows` rows.  validity: of the rows, n bits, or NULL if neither they nor
 * items of the dictionary are NULL; rows whose item is NULL become NULL. */
roost_status dictionary_decode(const struct dictionary *d, size_t rows, uint8_t *validity, struct arrow_memory *m,
                               roost_column *column);

#endif
