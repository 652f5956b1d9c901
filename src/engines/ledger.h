/* The policy's knowledge of a table: the counts that it has read from its kernels' counters, and
 * the state of that knowledge.  docs/architecture.md draws the states and their transitions.  Only
 * the functions below write a ledger; engines read it. */
#ifndef ROOST_ENGINES_LEDGER_H
#define ROOST_ENGINES_LEDGER_H

#include "backends/backend.h"
#include "portable/item.h"

struct engine_table;

enum { LEDGER_BYTES = 1024 /* of an engine's words, at most */ };

/* How much is known of the table. */
enum ledger_state {
    LEDGER_CERTAIN, /* the counts are exact */
    LEDGER_PENDING, /* asynchronous calls are in flight; their counts arrive later */
    /* A graph writes to the table whenever it is launched; calls that wait read the counters. */
    LEDGER_CAPTURED,
    LEDGER_UNCERTAIN, /* a call failed half way; the next wait mends and counts the table */
    LEDGER_LENT       /* a view is out; the caller's kernels may write at any time */
};

/* Debts of the table to its bounds. */
enum ledger_debt {
    LEDGER_SETTLED,
    LEDGER_OWES_SHRINK, /* asynchronous erases ran, and the table has not shrunk since */
    /* Memory was refused, or the machine failed; no attempt before the next call that waits. */
    LEDGER_OWES_MEMORY
};

struct ledger {
    struct engine_table *table;
    /* Memory that the kernels write beside the table, on the device, and its size.  It begins with
     * the counters, which only rise, except `longest`; the engine's own words follow. */
    struct counters *words;
    size_t bytes;
    enum ledger_state state;
    enum ledger_debt debt;
    bool captured;           /* a graph contains a call that writes; set for the table's life */
    struct counters seen;    /* the counters' values at the last reading */
    uint64_t expected_moves; /* moves by resizing since then */
    /* Items of pending calls: upper bounds on keys that they add, and remove. */
    uint64_t coming, going;
    /* Items of asynchronous calls that were not stored, since the last sync, and those among them
     * that a call which waits has looked at. */
    uint64_t failed, judged;
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
/* Do the counts describe the table, now or once pending calls have arrived? */
static inline bool ledger_trusted(const struct ledger *l) { return l->state <= LEDGER_CAPTURED; }
/* Can the table have changed since the counts were read? */
static inline bool ledger_lags(const struct ledger *l) { return l->state != LEDGER_CERTAIN; }

/* ---- Knowledge ---- */

/* Waits, reads the words, and adds the counts since the last reading. */
roost_status ledger_read(struct ledger *l, struct counters *since);
/* Adds the counts of pending calls if they have arrived; does not wait. */
void ledger_catch_up(struct ledger *l);
/* Waits until the counts are exact; mends an uncertain table. */
roost_status ledger_wait(struct ledger *l);
/* Announces n moves of pairs: a read that counts another number is ROOST_ERR_CORRUPT. */
void ledger_expect_moves(struct ledger *l, uint64_t n);
/* Skips the counts of the kernels so far, after a survey: the policy knows them from elsewhere. */
roost_status ledger_skip(struct ledger *l);

/* ---- Transitions ---- */

/* Begins an asynchronous write: `coming` keys may be added, `going` keys removed. */
void ledger_announce(struct ledger *l, uint64_t coming, uint64_t going);
/* Ends it: its counts will arrive.  Returns the status. */
roost_status ledger_enqueued(struct ledger *l, roost_status status);
/* Ends any call that writes: after a failure the table is uncertain.  Returns the status. */
roost_status ledger_ended(struct ledger *l, roost_status status);
/* Records that memory was refused. */
void ledger_refuse(struct ledger *l);
/* Puts off what needs more memory, or room: the same, restores the error's text, and returns
 * ROOST_OK. */
roost_status ledger_put_off(struct ledger *l, const struct error_mark *before);
/* Puts it off if the status is ROOST_ERR_MEMORY.  Returns other statuses unchanged. */
roost_status ledger_forgive(struct ledger *l, const struct error_mark *before, roost_status status);
/* Begins a call that waits.  Returns the debt and clears it, because the call tries again. */
enum ledger_debt ledger_settle(struct ledger *l);
/* Restores the debt, for a call that changed nothing. */
void ledger_owe(struct ledger *l, enum ledger_debt debt);
/* Exchanges the words, and what was read of them, of two tables whose counts are exact. */
void ledger_exchange(struct ledger *a, struct ledger *b);
/* Lends a view; at its return the next wait counts the table. */
void ledger_lend(struct ledger *l);
void ledger_return(struct ledger *l);
/* Were items of asynchronous calls not stored, as far as is known, since the last judgement? */
static inline bool ledger_failed(const struct ledger *l) { return l->failed > l->judged; }
void ledger_judge(struct ledger *l);
/* Ends a sync: reports the items that asynchronous calls failed to store, and clears their
 * number. */
roost_status ledger_failures(struct ledger *l, bool growth, uint64_t *items_failed);

#endif
