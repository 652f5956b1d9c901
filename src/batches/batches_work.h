/* The memory in which a piece of a batch is put into another order, and how a batch goes through it piece by piece. */
#ifndef ROOST_BATCHES_WORK_H
#define ROOST_BATCHES_WORK_H

#include "batches/batches.h"
#include "batches/batches_kernels.h"
#include "batches/batches_sort.h"
#include "engines/engine.h"

/* Arrays of that memory, each with a place for every item. */
enum batches_part {
    PART_SORT,
    PART_SORT_ROOM,
    PART_ITEMS,
    PART_ITEMS_ROOM,
    PART_KEYS,
    PART_VALUES_IN,
    PART_VALUES_OUT,
    PART_OPERATIONS,
    PART_STATUSES,
    PART_RUNS,
    PART_RUN_KEYS,
    PART_RUN_VALUES,
    PART_RUN_FATES,
    PART_WRITE_KEYS,
    PART_WRITE_VALUES,
    PART_WRITTEN,
    PART_WRITE_STATUSES,
    PARTS
};

struct batches_work {
    struct engine_table *table;
    struct backend *b;
    struct batches_args args; /* of the piece */
    struct batches_sort sort;
    int bytes[PARTS]; /* of an item; 0: this array is not needed */
    void *part[PARTS];
    size_t words;  /* of args.words */
    uint64_t most; /* items of a piece, */
    uint64_t room; /* and as many as memory allows */
    void *memory;
    size_t memory_bytes;
};

/* What is done to a piece, whose items are in args.batch; FULL and MEMORY are failures of items. */
typedef roost_status batches_piece(struct batches_work *w);

enum { BATCHES_PIECE = 1 << 22 /* items of a piece, as a rule */ };

/* Runs the batch in pieces of at most so many items, with memory for the parts whose bytes are given, and words for so many bins.  Where
 * even little memory is refused, no item of what is left is processed, and each says so. */
roost_status batches_run(struct engine_table *table, const struct batch *batch, uint64_t most, uint32_t bins,
                         const int bytes[PARTS], batches_piece *piece);

/* The items from `first` on say that memory was refused; the error stays what it is. */
void batches_refuse_from(struct backend *b, const struct batch *batch, uint64_t first);

/* Launches a kernel over n items. */
roost_status batches_launch(struct batches_work *w, enum batches_kernel which, uint64_t n);
/* Sorts the items by what PART_SORT holds; args get to know the result. */
roost_status batches_sort_items(struct batches_work *w, int key_bytes, int bits);
/* Reads the first n words that kernels wrote. */
roost_status batches_read_words(struct batches_work *w, uint64_t *words, int n);
roost_status batches_clear_words(struct batches_work *w);

#endif
