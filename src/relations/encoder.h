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
    const roost_allocator *allocator; /* NULL: the system's */
};

/* An engine by its name; NULL, so that the library chooses, if the library was built without it. */
const char *relations_engine(const char *name);

/* Bytes of a column's items; 0: strings. */
static inline int column_item_bytes(const roost_column *c)
{
    return c->type == ROOST_TYPE_STRING ? 0 : type_width(c->type, c->bytes);
}

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

/* A column's piece: in reach, or (strings) as the caller has them. */
struct piece {
    struct relations_column reached;
    roost_strings strings;
};

/* ROOST_ERR_ARGUMENT: a type is none of a column's. */
roost_status encoder_make(struct encoder *e, const roost_column *columns, int n, const struct relations_config *config);
void encoder_free(struct encoder *e);

enum encoder_way {
    ENCODE_ANY,      /* new keys get numbers in any order */
    ENCODE_BY_FIRST, /* new keys get numbers in the order of their first rows */
    ENCODE_FIND      /* new keys get none, nor do rows with a NULL */
};

struct encoding {
    enum encoder_way way;
    uint8_t *marks; /* of n rows: ENCODE_FIND: 1 if the key has a number; else statuses, or NULL */
    void *stream;
};

/* Writes the numbers of n rows, and how.marks. */
roost_status encoder_run(struct encoder *e, const struct piece *pieces, size_t n, struct encoding how,
                         const struct encoder_work *work, uint32_t *numbers);

/* Is it of use to know how many keys will come?  They are the first ones; and a GPU's pieces are so
 * large that its tables grow few times. */
static inline bool encoder_samples(const struct encoder *e) { return e->last->backend->ordinal < 0 && !e->last->at->numbers.next; }

/* Makes room for the keys of n rows, of which the first `rows` have been numbered, as if all were
 * drawn evenly.  Memory that is refused is no error. */
roost_status encoder_expect(struct encoder *e, size_t rows, size_t n);

/* Estimates the different keys of n rows from a sample of `rows` rows, which have `keys`.  It takes
 * all keys to be equally frequent. */
double keys_expected(double keys, double rows, double n);

/* Makes a coder of a column's items; and runs it: numbers of n items, also of those that are
 * NULL. */
roost_status coder_make(struct coder *c, const roost_column *column, const struct relations_config *config);
roost_status coder_run(const struct coder *c, roost_table *machine, const struct piece *piece, size_t n, struct encoding how,
                       const struct encoder_work *work, uint32_t *numbers);

/* A table with keys of a type for numbers, or (value_type NONE) a set. */
roost_status relations_table(roost_table **table, roost_type key_type, size_t key_bytes, roost_type value_type,
                             const struct relations_config *config);

/* Begins and ends a call on the table's machine: call_begin and call_end, with errors in
 * roost_last_error(NULL). */
roost_status relations_begin(roost_table *t, void *stream);
roost_status relations_end(roost_table *t, roost_status status);

/* Calls that copy in the machine's memory, or from there to the host. */
roost_status relations_copy(roost_table *t, void *to, const void *from, size_t bytes, void *stream);
roost_status relations_read(roost_table *t, void *to, const void *from, size_t bytes, void *stream);

/* Launches a kernel on the table's machine; and several ones over the same rows, of which none
 * reads what another one writes. */
roost_status relations_launch(roost_table *t, enum relations_kernel which, struct relations_args *args, uint64_t n, void *stream);
roost_status relations_launch_steps(roost_table *t, struct relations_step *steps, int n, uint64_t rows, void *stream);

#endif
