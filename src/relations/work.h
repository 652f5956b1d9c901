/* Work space of a piece of rows, and columns within reach. */
#ifndef ROOST_RELATIONS_WORK_H
#define ROOST_RELATIONS_WORK_H

#include "relations/encoder.h"

/* The most rows of a piece: multiples of 8, because a byte of validity describes 8 rows. */
enum { PIECE_HOST = 1 << 18, PIECE_GPU = 1 << 24 };
static inline size_t piece_rows(const struct roost_table *t, size_t n)
{
    const size_t most = t->backend->ordinal < 0 ? PIECE_HOST : PIECE_GPU;
    return n < most ? n : most;
}

struct work {
    size_t rows;
    void *memory;
    size_t bytes;
    struct encoder_work encoder;
    uint32_t *groups;
    uint8_t *statuses, *fresh;
    /* Of each column, copies of its items and of its validity. */
    char *columns[2 * (ROOST_GROUP_KEYS_MOST + ROOST_GROUP_VALUES_MOST)];
};

/* Rows of the piece that begins at row `first` of n. */
static inline size_t work_piece(const struct work *w, size_t first, size_t n) { return n - first < w->rows ? n - first : w->rows; }

/* Of many rows the first piece of a new table is small: its keys tell how many all rows have
 * (encoder_expect). */
enum { SAMPLE_ROWS = 1 << 14, SAMPLE_SHARE = 16 };
static inline size_t work_sample(const struct work *w, size_t n)
{
    const bool many = w->rows > SAMPLE_ROWS && n / SAMPLE_ROWS >= SAMPLE_SHARE;
    return many ? SAMPLE_ROWS : work_piece(w, 0, n);
}

/* A call's columns. */
struct columns_given {
    const roost_column *keys, *values;
    int n_keys, n_values;
};

/* Makes work space for pieces of that many rows, or fewer (w->rows) if memory is refused. */
roost_status work_make(struct roost_table *t, struct work *w, const struct columns_given *c, size_t rows, void *stream);
void work_release(struct work *w, struct backend *b);
/* Brings n columns' rows into reach; at: the first one's place among all columns. */
roost_status work_bring(struct roost_table *t, const struct work *w, const roost_column *columns, int n, struct piece *pieces,
                        int at, size_t first, size_t rows, void *stream);

/* Does the table's machine reach an array? */
bool column_is_reached(const struct roost_table *t, const void *array);

/* Have n columns the types, which lie `stride` bytes apart, and arrays for rows? */
roost_status columns_check(const roost_column *given, const roost_column *types, size_t stride, int n, size_t rows);

#endif
