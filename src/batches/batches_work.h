/* The memory in which a piece of a batch is reordered, and the loop over the pieces of a batch. */
#ifndef ROOST_BATCHES_WORK_H
#define ROOST_BATCHES_WORK_H

#include "batches/batches.h"
#include "batches/batches_kernels.h"
#include "batches/batches_sort.h"
#include "engines/engine.h"

/* Arrays of that memory, each with a place per item. */
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
    PART_TAKEN_KEYS,
    PART_TAKEN_IN,
    PART_TAKEN_OUT,
    PART_TAKEN_OPERATIONS,
    PART_TAKEN_STATUSES,
    PART_TAKEN_FROM,
    PARTS
};

struct batches_work;

/* Computes the memory that a piece of w->room items takes besides its arrays: words,
 * sort.scratch_bytes, beside. */
typedef roost_status batches_plan(struct batches_work *w);

/* Processes a piece, whose items are in args.batch.  FULL and MEMORY are failures of items. */
typedef roost_status batches_piece(struct batches_work *w);

struct batches_work {
    struct engine_table *table;
    struct backend *b;
    enum engine_call call;    /* of a batch by code */
    struct batch_order order; /* of a batch by code */
    struct batches_args args; /* of the current piece */
    struct batches_sort sort;
    int bytes[PARTS]; /* per item; 0: the array is not needed */
    void *part[PARTS];
    size_t words;         /* number of args.words */
    size_t beside;        /* bytes to leave free for the engine */
    uint64_t least, most; /* bounds of the items of a piece; memory decides */
    uint64_t n;           /* items of the call */
    uint64_t room;        /* items that the memory holds */
    bool swept;           /* the items are always taken, even if the memory holds all of them */
    bool grows;           /* the batch may make the table grow */
    bool shares;          /* the memory is a share of what a limit leaves */
    batches_plan *plan;
    void *spare_memory; /* the table's spare memory, or that of the caller's frame */
    size_t spare_bytes;
    bool spare; /* the memory is this */
    void *memory;
    size_t memory_bytes;
};

/* Memory in a caller's frame for a piece of backend_items_least items.  A GPU does not reach it. */
enum { BATCHES_FEW_BYTES = 16384 };
struct batches_few {
    uint64_t words[BATCHES_FEW_BYTES / sizeof(uint64_t)];
};

/* Begins work on a batch that is cut into pieces of at most `most` items.
 * Returns: ROOST_ERR_UNSUPPORTED: the stream is captured. */
roost_status batches_begin(struct batches_work *w, struct engine_table *table, uint64_t most, struct batches_few *few);

/* The memory that a table on a GPU keeps so that calls on items of 4 and 8 bytes always make
 * progress: for pieces of LEAST items of the batch that `w` describes.  On the host they use their
 * frame. */
roost_status batches_spare_allocate(struct batches_work *w, batches_plan *plan);
/* Sets w->memory_bytes to the memory of a piece of `room` items. */
roost_status batches_memory_plan(struct batches_work *w, uint64_t room, batches_plan *plan);

/* batches_open allocates memory for pieces of a batch of n items, from bytes, least and most.
 * Small pieces use the table's spare memory.  batches_pieces runs the batch with it, and
 * batches_close releases it.
 * Returns: ROOST_ERR_MEMORY: memory was refused. */
roost_status batches_open(struct batches_work *w, uint64_t n, batches_plan *plan);
roost_status batches_pieces(struct batches_work *w, const struct batch *batch, batches_piece *piece);
void batches_close(struct batches_work *w);
/* Opens it again once the table was refused memory to grow: what is left of a limit is of use for
 * larger pieces alone. */
roost_status batches_reopen(struct batches_work *w);

/* Points args at the arrays of the memory. */
void batches_place(struct batches_work *w);

/* The plan for pieces that are sorted, with words for args.bins bins. */
roost_status batches_plan_sort(struct batches_work *w);

/* Runs the batch in sorted pieces, with memory for the parts whose bytes are given, and words
 * for `bins` bins. */
roost_status batches_run(struct engine_table *table, const struct batch *batch, uint32_t bins, const int bytes[PARTS],
                         batches_piece *piece);

/* Sets the statuses of the items from `first` on, which were not tried, to NONE.  Keeps the
 * error. */
void batches_untried_from(struct backend *b, const struct batch *batch, uint64_t first);

/* Launches a kernel over n items. */
roost_status batches_launch(struct batches_work *w, enum batches_kernel which, uint64_t n);
/* Bits of numbers below `bins`; at least 1. */
int batches_bits_of(uint32_t bins);
/* Sorts the items by the keys in PART_SORT, and sets args to the result.  Again: by other keys,
 * which were written there; items with equal keys keep their order. */
roost_status batches_sort_items(struct batches_work *w, int key_bytes, int bits);
roost_status batches_sort_again(struct batches_work *w, int key_bytes, int bits);
/* Reads the first n words that the kernels wrote. */
roost_status batches_read_words(struct batches_work *w, uint64_t *words, int n);
roost_status batches_clear_words(struct batches_work *w);

#endif
