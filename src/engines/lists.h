/* Two lists of item indices, in device memory: a launch takes its items from one and parks items in
 * the other. */
#ifndef ROOST_ENGINES_LISTS_H
#define ROOST_ENGINES_LISTS_H

#include "backends/backend.h"
#include "portable/item.h"

struct engine_table;

enum { LISTS = 2, MOST_PASSES = 4 /* of an insert */ };

/* What kernels write beside a table, in device memory.  Every engine's words begin with this. */
struct table_words {
    struct counters counters;
    uint64_t parked_n[MOST_PASSES]; /* items that each pass parked, by the engine's numbers */
    uint64_t pairs_n;               /* of an export */
    uint64_t permits;               /* portable/permits.h */
};
struct table_words *table_words(const struct engine_table *t);

struct lists {
    struct engine_table *table;
    uint64_t least;     /* indices of a list, at first */
    uint64_t most;      /* most indices of one launch */
    uint64_t room;      /* indices of a list; even */
    size_t extra_bytes; /* bytes of `extra` behind the lists, for each index of one list */
    bool fixed;         /* a graph parks in the lists, so they must not be replaced */
    uint32_t *list[LISTS];
    void *extra;
    uint64_t waiting[MOST_PASSES]; /* parked_n, when the words were last read */
    uint64_t permits;              /* at the beginning of the passes at hand */
};

/* The items of a pass: `order`, whose length the host knows (order_n NULL) or the previous pass has
 * counted. */
struct source {
    const uint32_t *order; /* NULL: the batch itself */
    const uint64_t *order_n;
    uint64_t n; /* an upper bound */
};

/* The part of a batch that a source describes. */
struct batch source_batch(const struct source *source, const struct batch *whole);

/* Makes empty lists of at least `least` and at most `most` indices.  They are short at first, but
 * exist from the start: inserts go on however little memory is left. */
enum { LISTS_LEAST = 1024 };
roost_status lists_begin(struct lists *l, struct engine_table *table, uint64_t least, uint64_t most, size_t extra_bytes);

/* Makes room for n indices in each list.  Lists that had less room lose their contents. */
roost_status lists_make(struct lists *l, uint64_t n);
void lists_release(struct lists *l);

/* The number of items for which the lists have room, of n: all up to `most`, unless memory for
 * longer lists is refused, or a memory limit leaves less for them. */
uint64_t lists_piece(struct lists *l, uint64_t n);

/* Sets parked_n to 0, before the passes over some items. */
roost_status lists_clear(const struct lists *l);

/* Points `batch` at `source`, which may be a part of a list, for its items, and at the other list
 * for parked items, which parked_n[pass] counts.  Afterwards *source names the parked items. */
void lists_pass(const struct lists *l, struct batch *batch, struct source *source, int pass);

/* Joins items at the beginning of a list with those from `behind` on, which has at least as many
 * places before it, in the same list or the other one.  Afterwards *items names all. */
roost_status lists_join(const struct lists *l, struct source *items, const struct source *behind);

/* Frees locks that lie behind the lists: a power of two of words of 32 each, up to `most` words. */
roost_status lists_locks(const struct lists *l, uint64_t most, uint32_t **locks, uint32_t *mask);

/* Permits to add `left` keys, for the next passes over n items; NULL: none can lack one. */
roost_status lists_permits(struct lists *l, uint64_t left, uint64_t n, uint64_t **permits);

/* Takes `waiting` from the words, a copy in host memory. */
void lists_take(struct lists *l, const void *words);

#endif
