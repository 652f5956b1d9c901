/* What a table's kernels have counted, as its policy knows it: calls that wait take it in at once, others once it has arrived.  After a
 * call that failed half way the counters do not tell all of it, and the engine counts its table anew. */
#ifndef ROOST_ENGINES_LEDGER_H
#define ROOST_ENGINES_LEDGER_H

#include "engines/engine.h"

enum { LEDGER_BYTES = 1024 /* of an engine's words, at most */ };

struct ledger {
    struct engine_table *table;
    /* What the kernels write besides the table, in device memory, and its size.  It begins with the counters, which only ever rise, but for
     * `longest`; what else an engine has there follows them. */
    struct counters *words;
    size_t bytes;
    /* Takes in what the engine keeps of its words, which are a copy in host memory here, and what has been counted since the last time. */
    void (*take)(struct engine_table *table, const void *words, const struct counters *since);
    /* Undoes or completes what a call that failed left half done, and counts the table. */
    roost_status (*mend)(struct engine_table *table);

    struct counters seen;      /* the counters' value when last read */
    uint64_t expected_moves;   /* by resizing, since then */
    struct engine_stats stats; /* the counters' part of it */
    bool refused;              /* since the last batch began, memory was refused or the machine failed */
    bool broken;               /* a call failed half way, or a view is out: what is known is uncertain until ledger_wait */
    bool viewed;               /* a view is out: it becomes uncertain again */
    /* Calls that do not wait */
    bool under_way;         /* there were some whose counts have not been taken in */
    uint64_t coming, going; /* their items: keys that may have come, and gone */
    bool behind;            /* some of them were erases, after which the table has not shrunk yet */
    uint64_t failed;        /* items of such calls that were not stored, since the last sync */
    bool captured;          /* a call that writes is in a graph, which may be launched at any time */
};

/* Makes the words, all 0; `take` and `mend` are the engine's to set. */
roost_status ledger_make(struct ledger *l, struct engine_table *table, size_t bytes);
void ledger_release(struct ledger *l);

/* Waits, reads the words and takes in what has come since the last time. */
roost_status ledger_read(struct ledger *l, struct counters *since);
/* Takes in what calls that did not wait have done, if that has become known. */
void ledger_catch_up(struct ledger *l);
/* Waits until all that is known, and makes a table certain again that a failed call has left uncertain. */
roost_status ledger_wait(struct ledger *l);
/* How an engine's statistics begin: with what the kernels have counted. */
roost_status ledger_stats(struct ledger *l, struct engine_stats *stats);
/* How a call that writes and does not wait ends. */
roost_status ledger_enqueued(struct ledger *l, roost_status status);
/* How any call that writes ends: after a failure what is known is uncertain, the fill may be out of its bounds, and the status is handed
 * on. */
roost_status ledger_ended(struct ledger *l, roost_status status);
/* How a sync ends: what calls that did not wait have failed to store since the last one. */
roost_status ledger_failures(struct ledger *l, bool growth, uint64_t *items_failed);

/* What was counted between two looks at counters, which only rise, so that none has to be waited for before it is reset; those that are a
 * largest number stay as they are now. */
void counters_since(const struct counters *now, const struct counters *before, struct counters *since);

#endif
