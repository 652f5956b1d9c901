/* Numbers for the keys of rows, which have one or several columns.
 *
 * The items of each column get dense numbers (roost/numbers.h), 0 for NULL and one more for others.
 * Two numbers together are a key of 8 bytes, which gets a number again, column by column.  A single
 * column whose items are never NULL needs one table alone, of its own type. */
#ifndef ROOST_RELATIONS_ENCODER_H
#define ROOST_RELATIONS_ENCODER_H

#include "api/checks.h"
#include "relations/relations_kernels.h"
#include "roost/group.h"
#include "roost/numbers.h"

/* What a relation's tables have in common. */
struct relations_config {
    const char *engine, *device;
    int threads;
    uint64_t capacity;
};

struct coder {
    roost_column type; /* without arrays */
    int word_bytes;    /* of its keys: 4 or 8; 0: bytes or strings */
    roost_table *table;
};

struct encoder {
    int columns;
    struct coder coder[ROOST_GROUP_KEYS_MOST];
    /* fold[c]: of pairs of columns 0 .. c - 1 and column c; [0]: of a single column's codes. */
    roost_table *fold[ROOST_GROUP_KEYS_MOST];
    roost_table *last; /* whose numbers the keys get; not owned */
};

/* Work space of the rows of a piece, in the machine's memory. */
struct encoder_work {
    void *words; /* 8 bytes */
    uint64_t *pairs;
    uint32_t *numbers, *codes;
};
enum { ENCODER_ROW = 8 + 8 + 4 + 4 /* bytes of a row */ };

/* A column's piece: in reach, or (strings) as the caller has them. */
struct piece {
    struct relations_column reached;
    roost_strings strings;
};

/* ROOST_ERR_ARGUMENT: a type is none of a column's. */
roost_status encoder_make(struct encoder *e, const roost_column *columns, int n, const struct relations_config *config);
void encoder_free(struct encoder *e);

/* Writes the numbers of n rows, and whether they are the first of their key (statuses). */
roost_status encoder_run(struct encoder *e, const struct piece *pieces, size_t n, bool by_first, const struct encoder_work *work,
                         uint32_t *numbers, uint8_t *statuses, void *stream);

/* Looks the numbers of n rows up, and whether their key has one (found).  A row with a NULL has
 * none. */
roost_status encoder_find(struct encoder *e, const struct piece *pieces, size_t n, const struct encoder_work *work,
                          uint32_t *numbers, uint8_t *found, void *stream);

/* Makes a coder of a column's items; and runs it: numbers of n items, also of those that are NULL.
 * */
roost_status coder_make(struct coder *c, const roost_column *column, const struct relations_config *config);
roost_status coder_run(const struct coder *c, roost_table *machine, const struct piece *piece, size_t n, bool by_first,
                       const struct encoder_work *work, uint32_t *numbers, uint8_t *statuses, void *stream);

/* A table with keys of a type for numbers, or (value_type NONE) a set. */
roost_status relations_table(roost_table **table, roost_type key_type, size_t key_bytes, roost_type value_type,
                             const struct relations_config *config);

/* Begins a call on the table's machine: call_begin, with errors in roost_last_error(NULL). */
roost_status relations_begin(roost_table *t, void *stream);

/* Launches a kernel on the table's machine. */
roost_status relations_launch(roost_table *t, enum relations_kernel which, struct relations_args *args, uint64_t n, void *stream);

#endif
