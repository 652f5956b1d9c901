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

struct batches_work;

/* Says what memory a piece of w->room items takes beside its arrays: words, sort.scratch_bytes,
 * beside. */
typedef roost_status batches_plan(struct batches_work *w);

/* What is done to a piece, whose items are in args.batch; FULL and MEMORY are failures of items. */
typedef roost_status batches_piece(struct batches_work *w);

struct batches_work {
    struct engine_table *table;
    struct backend *b;
    enum engine_call call;    /* of a batch by code, */
    struct batch_order order; /* and its order */
    struct batches_args args; /* of the piece */
    struct batches_sort sort;
    int bytes[PARTS]; /* of an item; 0: this array is not needed */
    void *part[PARTS];
    size_t words;         /* of args.words */
    size_t beside;        /* bytes to leave free: the engine asks for them */
    uint64_t least, most; /* items of a piece, as many as memory allows */
    uint64_t room;        /* items that there is memory for */
    void *memory;
    size_t memory_bytes;
};

/* Memory for pieces of a batch of n items, which the arrays' bytes, least and most describe;
 * ROOST_ERR_MEMORY where it is refused.  batches_pieces runs the batch with it, and batches_close
 * releases it. */
roost_status batches_open(struct batches_work *w, uint64_t n, batches_plan *plan);
roost_status batches_pieces(struct batches_work *w, const struct batch *batch, batches_piece *piece);
void batches_close(struct batches_work *w);

/* The plan of pieces that are sorted, with words for args.bins bins. */
roost_status batches_plan_sort(struct batches_work *w);

/* Runs the batch in pieces that are sorted, with memory for the parts whose bytes are given, and
 * words for so many bins.  Where even little memory is refused, no item of what is left is
 * processed, and each says so. */
roost_status batches_run(struct engine_table *table, const struct batch *batch, uint32_t bins, const int bytes[PARTS],
                         batches_piece *piece);

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
