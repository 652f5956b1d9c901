/* A table's life in the fuzzer of the API: how it is made, its exact contents, and the calls that
 * are made on it.  Each call's status, each item's status, the values and the counts are compared
 * with the exact contents. */
#ifndef ROOST_TESTS_API_LIFE_H
#define ROOST_TESTS_API_LIFE_H

#include "fuzz/api/api_batch.h"
#include "fuzz/api/api_choices.h"
#include "fuzz/api/api_exact.h"
#include "fuzz/api/api_report.h"

#include <roost/tuning.h>

/* An allocator that counts what it holds, and refuses as its plan says. */
struct api_allocator {
    uint64_t requests, refused, blocks, bytes;
    uint64_t first, last; /* requests of these numbers, from 1, are refused; last 0: none */
    uint64_t every;       /* of which every such one */
    bool paused;          /* nothing is refused, nor counted as a request */
};

/* Limits of a life, which keep it short. */
struct api_limits {
    uint64_t keys, batch; /* most keys of the table, most items of a call */
    uint64_t bytes;       /* of a call's arrays, about */
    unsigned steps;
};

struct api_life {
    struct api_choices *choices;
    struct api_totals *totals;
    struct api_limits limits;
    struct coding coding;
    roost_config config;
    char options[512], engine[16];
    struct api_allocator allocator;
    bool counted;       /* memory comes from the allocator */
    bool multi, counts; /* counts: the engine has roost_count and the like */
    bool slow;          /* options were drawn that make operations linear in the keys */
    roost_table *table;
    struct exact exact;
    roost_stats before;                 /* at the last look */
    uint64_t inserted, updated, erased; /* items that ended so */
    uint64_t unchecked;                 /* items since the table was checked */
    uint64_t fresh;                     /* numbers of new keys that were handed out */
};

/* ---- Making (api_make.c) --------------------------------------------------------------------- */

/* Draws a configuration and makes a table; false: it was refused for a reason that is allowed. */
bool life_begin(struct api_life *life);
void life_end(struct api_life *life);

/* ---- Items (api_draw.c) ---------------------------------------------------------------------- */

/* Draws the number of items of a call, and a batch of them. */
size_t life_size(struct api_life *life);
void life_draw(struct api_life *life, struct api_batch *batch, size_t n);

/* ---- Calls (api_calls.c) --------------------------------------------------------------------- */

/* A call's options; its statuses if they are wanted. */
roost_call life_call(uint8_t *statuses, uint32_t flags);
/* The calls themselves, on keys of either kind, with the batch's arrays. */
roost_status life_insert_items(struct api_life *life, roost_mode mode, struct api_batch *batch, const roost_call *call);
roost_status life_find_items(struct api_life *life, struct api_batch *batch, void *values, uint8_t *found, const roost_call *call);
roost_status life_erase_items(struct api_life *life, struct api_batch *batch, const roost_call *call);
/* Finds with no refusals: for comparisons. */
void life_look_up(struct api_life *life, struct api_batch *batch);

/* A call begins, and ends with this status after at most `items` inserts: only refused memory
 * excuses ROOST_ERR_MEMORY, only a fixed size ROOST_ERR_FULL. */
void life_call_begins(struct api_life *life);
void life_call_ended(struct api_life *life, roost_status status, size_t items, const char *what);

/* May an item of a call with this status end refused, or as if it had not been tried? */
bool item_is_refused(const struct api_life *life, roost_status call, uint8_t status);
bool item_is_untried(roost_status call, uint8_t status);

/* After a call that wrote n items: the numbers, and sometimes the table's own check. */
void life_wrote(struct api_life *life, size_t n);
/* The same after a call that is not counted by items: takes the table's counts over. */
void life_wrote_keys(struct api_life *life, size_t n);

/* ---- Steps ----------------------------------------------------------------------------------- */

/* The value that a stored pair gets from an insert. */
uint64_t life_combine(const struct api_life *life, roost_mode mode, bool present, uint64_t value, uint64_t operand);
/* A mode that the table takes. */
roost_mode life_mode(struct api_life *life);

/* A mixed batch (api_mixed.c): draws its operations, carries it out, and says which of them the
 * table takes. */
struct mixture {
    struct api_batch batch;
    struct api_groups groups;
    roost_status status;
    bool values_in, values_out; /* given */
};
void mixture_begin(struct api_life *life, struct mixture *m);
void mixture_apply(struct api_life *life, struct mixture *m, uint32_t flags);
void mixture_end(struct mixture *m);
bool mixture_takes(const struct api_life *life, const struct mixture *m, uint8_t operation);
/* An item that took effect: does its result fit this state of its key?  Makes the next state. */
bool mixture_fits(const struct api_life *life, const struct mixture *m, uint32_t item, bool *present, uint64_t *value);
/* The item ended refused, or as if it had not been tried, for a reason that is allowed. */
bool mixture_passed_over(const struct api_life *life, const struct mixture *m, uint32_t item);
/* Counts the items that ended INSERTED and so on. */
void mixture_count(struct api_life *life, const struct mixture *m);
/* The item's operation, status and key as a text; valid until the next call. */
const char *mixture_text(const struct mixture *m, uint32_t item);

void step_insert(struct api_life *life);  /* api_insert.c */
void step_ordered(struct api_life *life); /* api_ordered.c: inserts and mixed batches in order */
void step_mixed(struct api_life *life);   /* api_mixed.c */
void step_erase(struct api_life *life);   /* api_erase.c */
void step_find(struct api_life *life);    /* api_read.c, as those that follow */
void step_export(struct api_life *life);
void step_describe(struct api_life *life);
void step_wrong(struct api_life *life); /* api_wrong.c: arguments that are refused */
void step_whole(struct api_life *life); /* api_whole.c: clear, reserve, sync, compact */
void step_all(struct api_life *life);   /* api_multi.c: all pairs of a key */
void step_view(struct api_life *life);  /* api_view.c */

/* Of multimaps: `left[k]` pairs of key ids[k] are left of those that the exact contents have.
 * Learns which, where there is a choice. */
void multi_learn(struct api_life *life, const uint64_t *ids, const uint32_t *left, size_t n);

/* A whole life: a table, steps, a last comparison.  `wanted` NULL: all steps; else those with a
 * true.  Of lives by seed each step begins with a seed of its own, so the others stay as they are
 * without it. */
void life_run(struct api_choices *choices, const struct api_limits *limits, struct api_totals *totals, const bool *wanted);

#endif
