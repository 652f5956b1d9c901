/* Two lists of items' indices, in device memory: a launch takes its items from one and parks in the other what has to wait. */
#ifndef ROOST_ENGINES_LISTS_H
#define ROOST_ENGINES_LISTS_H

#include "backends/backend.h"
#include "portable/item.h"

struct engine_table;

enum { LISTS = 2 };

struct lists {
    struct engine_table *table;
    uint64_t most;      /* indices of one launch, at most */
    uint64_t room;      /* indices of a list: an even number */
    size_t extra_bytes; /* that an engine has behind the lists, for each index of one: extra */
    bool fixed;         /* a graph parks in them, and uses them as they are */
    uint32_t *list[LISTS];
    void *extra;
};

/* The items that a pass takes up: `order`, whose length the host knows (order_n NULL) or the pass before has counted. */
struct source {
    const uint32_t *order; /* NULL: the batch itself */
    const uint64_t *order_n;
    uint64_t n; /* at most */
};

/* The part of a batch that a source is. */
struct batch source_batch(const struct source *source, const struct batch *whole);

/* Empty lists of at most `most` indices, short ones from the start: however little memory is left, inserts go on. */
roost_status lists_begin(struct lists *l, struct engine_table *table, uint64_t most, size_t extra_bytes);

/* Room for n indices in each list; what was in them is lost if they had less. */
roost_status lists_make(struct lists *l, uint64_t n);
void lists_release(struct lists *l);

/* As many of n items as the lists have room for: all up to `most`, unless memory for longer lists is refused. */
uint64_t lists_piece(struct lists *l, uint64_t n);

/* Has a launch of `batch` take its items from `source`, and park those that have to wait in the list that is not their source, counted in
 * *parked_n, which the engine has set to 0: they become the source. */
void lists_pass(const struct lists *l, struct batch *batch, struct source *source, uint64_t *parked_n);

#endif
