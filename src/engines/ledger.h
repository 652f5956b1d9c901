/* What is known of a table: its kernels' counters as its policy has taken them in, and the state
 * of that knowledge.  docs/architecture.md draws the states and their transitions.  Only the
 * functions below write a ledger; engines read it. */
#ifndef ROOST_ENGINES_LEDGER_H
#define ROOST_ENGINES_LEDGER_H

#include "backends/backend.h"
#include "portable/item.h"

struct engine_table;

enum { LEDGER_BYTES = 1024 /* of an engine's words, at most */ };

/* How much is known of the table. */
enum ledger_state {
    LEDGER_CERTAIN,   /* the counts are exact */
    LEDGER_PENDING,   /* asynchronous calls are in flight; their counts arrive later */
    LEDGER_CAPTURED,  /* a graph writes to the table whenever it is launched: waits read the counters */
    LEDGER_UNCERTAIN, /* a call failed half way: the next wait mends the table and counts it */
    LEDGER_LENT       /* a view is out: the caller's kernels write at any time */
};

/* What the table still owes to its bounds. */
enum ledger_debt {
    LEDGER_SETTLED,
    LEDGER_OWES_SHRINK, /* asynchronous erases ran, and the table has not shrunk since */
    LEDGER_OWES_MEMORY  /* memory was refused, or the machine failed: nothing is tried before the next
                           call that waits */
};

struct ledger {
    struct engine_table *table;
    /* What the kernels write besides the table, in device memory, and its size.  It begins with the
     * counters, which only rise, except `longest`; the engine's own words follow. */
    struct counters *words;
    size_t bytes;
    enum ledger_state state;
    enum ledger_debt debt;
    bool captured;           /* a call that writes is in a graph, for the table's life */
    struct counters seen;    /* the counters' value when last taken in */
    uint64_t expected_moves; /* by resizing, since then */
    uint64_t coming, going;  /* items of pending calls: keys that may have come, and gone */
    uint64_t failed;         /* items of asynchronous calls that were not stored, since the last sync */
};

/* ---- Life ---- */

/* Makes the words, all 0. */
roost_status ledger_make(struct ledger *l, struct engine_table *table, size_t bytes);
void ledger_release(struct ledger *l);

/* ---- Questions ---- */

/* Was memory refused since the last call that waited? */
static inline bool ledger_refused(const struct ledger *l) { return l->debt == LEDGER_OWES_MEMORY; }
/* Does the table owe nothing to its bounds? */
static inline bool ledger_settled(const struct ledger *l) { return l->debt == LEDGER_SETTLED; }
/* Are the counts what the table is now, or will be when pending calls have arrived? */
static inline bool ledger_trusted(const struct ledger *l) { return l->state <= LEDGER_CAPTURED; }
/* May anything have happened that the counts do not tell? */
static inline bool ledger_lags(const struct ledger *l) { return l->state != LEDGER_CERTAIN; }

/* ---- Knowledge ---- */

/* Waits, reads the words and takes in what was counted since the last time. */
roost_status ledger_read(struct ledger *l, struct counters *since);
/* Takes in the counts of pending calls if they have arrived; does not wait. */
void ledger_catch_up(struct ledger *l);
/* Waits until the counts are exact; mends an uncertain table. */
roost_status ledger_wait(struct ledger *l);
/* Announces n moves of pairs: a read that counts another number is ROOST_ERR_CORRUPT. */
void ledger_expect_moves(struct ledger *l, uint64_t n);
/* What the kernels have counted so far is known otherwise, and is not taken in: after a survey. */
roost_status ledger_skip(struct ledger *l);

/* ---- Transitions ---- */

/* An asynchronous write of so many items begins. */
void ledger_announce(struct ledger *l, uint64_t coming, uint64_t going);
/* And ends: its counts will arrive.  Hands the status on. */
roost_status ledger_enqueued(struct ledger *l, roost_status status);
/* How any call that writes ends: after a failure the table is uncertain.  Hands the status on. */
roost_status ledger_ended(struct ledger *l, roost_status status);
/* Memory was refused. */
void ledger_refuse(struct ledger *l);
/* A call that waits begins: what was owed, which is tried again. */
enum ledger_debt ledger_settle(struct ledger *l);
/* The call changed nothing: it is owed again. */
void ledger_owe(struct ledger *l, enum ledger_debt debt);
/* A view goes out; it comes back, and the table is counted by the next wait. */
void ledger_lend(struct ledger *l);
void ledger_return(struct ledger *l);
/* How a sync ends: tells and forgets the items that asynchronous calls failed to store. */
roost_status ledger_failures(struct ledger *l, bool growth, uint64_t *items_failed);

#endif
