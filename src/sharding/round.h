/* One round of a batch on its way over the ranks: what lies in the memory of the table's machine,
 * and what its kernels do there. */
#ifndef ROOST_SHARDING_ROUND_H
#define ROOST_SHARDING_ROUND_H

#include "batches/batches_travel.h"
#include "comms/group.h"

/* What the transport sends and receives, from a byte on. */
static inline char *side_message(const struct side *s, size_t byte)
{
    char *const message = s->far ? s->far : s->near;
    return message ? message + byte : NULL;
}

/* What all ranks' items are: those of a rank that refuses say nothing of it. */
struct batch_kind {
    uint32_t flags; /* of the call */
    uint16_t takes; /* operations */
    uint8_t mode;
};

/* Arrays of the caller.  Those that the table's machine does not reach pass through memory that it
 * does reach, round by round. */
enum { USER_KEYS, USER_VALUES_IN, USER_OPERATIONS, USER_VALUES_OUT, USER_FOUND, USER_STATUSES, USERS };
struct user {
    void *at;               /* NULL: not given */
    enum batches_part part; /* what it passes through, if it is not reached */
    bool reached;
    int bytes;    /* of an item */
    bool in, out; /* copied before a round's work, and behind it */
};

/* A round that is under way.  While the items of one are carried out, those of the next travel. */
struct flight {
    int number;            /* of ROUNDS */
    uint64_t first, n;     /* this rank's items */
    uint64_t travelling;   /* of them */
    uint64_t owned;        /* items that this rank owns */
    struct batches_work w; /* of this rank's items */
    bool open;             /* it has memory for them */
    bool answers;          /* they are on their way back */
    bool inside;           /* its work uses memory of peers */
    struct side own[COLUMNS], owned_side[COLUMNS];
    struct memory owned_near, own_far, owned_far; /* of the columns' sides */
    /* For each rank, of the comm: items to it, and from it; words of the split; where items go. */
    uint64_t *to, *from, *words;
    struct travel_end *ends;
};

struct rounds {
    struct roost_table *t;
    struct group *g;
    enum collective of;
    const struct batch *b; /* this rank's items */
    const roost_call *call;
    struct delivery *delivery; /* of items that stay at their owner; else NULL */
    struct batch_kind kind;
    int value_bytes;    /* of the items: the table's, or of a payload */
    int bytes[COLUMNS]; /* of an item; 0: the call has no such column */
    int ranks;
    uint64_t round; /* items of a rank in a round, at most */
    /* Items for which each owner has room, of each rank and in any round; 0: rounds are counted,
     * and ask for room. */
    uint32_t post_room;
    int under_way;         /* rounds, at most */
    bool statuses;         /* items have some, which come back */
    bool enqueues;         /* this rank's finds need not have ended when the call returns */
    bool enqueued;         /* nor have they */
    roost_status refused;  /* how this rank's shard fared with the items of the last round */
    struct hot_index *hot; /* NULL, or keys whose items of this rank travel as one */
    struct user user[USERS];
    struct flight flight[ROUNDS];
    void *work; /* the call's stream, while a step uses another one */
};

/* Marks: behind what precedes a call on its stream; behind a round's work at this owner, of those
 * under way; behind what a call has enqueued: keys on their way, finds, answers. */
enum { MARK_CALL = BACKEND_MARKS - 1, MARK_OWNED = MARK_CALL - ROUNDS, MARK_POSTED = MARK_OWNED - 3, MARK_FOUND, MARK_ANSWERED };

static inline bool rounds_on_device(const struct rounds *r) { return r->t->backend->operations->machine == MACHINE_CUDA; }

/* The table enqueues the round's items: finds on a GPU.  Other calls may wait. */
static inline bool rounds_enqueue(const struct rounds *r) { return r->of == COLLECTIVE_FIND && rounds_on_device(r); }

/* The items of a rank for which a round always has memory: the table keeps it from its creation. */
enum { ROUND_LEAST = 64 };
roost_status rounds_spare_make(struct roost_table *t);
void rounds_spare_release(struct roost_table *t);

/* Enqueues the finds of all ranks, of `most` items at most.  *done false: a rank has no memory for
 * that. */
roost_status finds_enqueue(struct rounds *r, uint64_t most, bool *done);

void rounds_init(struct rounds *r);
/* Memory for as many of this rank's items as is granted (flight[0].w.room), and the rounds that may
 * be under way.
 * ROOST_ERR_UNSUPPORTED: the stream is captured. */
roost_status rounds_open(struct rounds *r);
void rounds_close(struct rounds *r);
/* All ranks' calls are of this kind, and have rounds of this many items. */
void rounds_join(struct rounds *r, const struct batch_kind *kind, int value_bytes, uint64_t round);

/* Begins the way of the flight's items. */
roost_status own_begin_round(struct rounds *r, struct flight *f);
/* Splits n items from `first` on by owner: f->to. */
roost_status round_split(struct rounds *r, struct flight *f, uint64_t first, uint64_t n);
/* Moves them to where the owners granted room, or to where the transport sends them from. */
roost_status round_send(struct rounds *r, struct flight *f);
/* Waits for the moves. */
roost_status round_sent(struct rounds *r, struct flight *f);
/* Where each owner's items go, and their answers come from. */
roost_status ends_set(struct rounds *r, struct flight *f);
/* Moves n items to owners that have room for them: f->to. */
roost_status round_post(struct rounds *r, struct flight *f, uint64_t first, uint64_t n);
/* Room for f->owned items, and what each rank is granted of it, or why none. */
roost_status owned_make(struct rounds *r, struct flight *f);
void owned_grant(struct rounds *r, struct flight *f, roost_status status);
/* Copies columns from the machine's memory to the transport's, or (arrives) from there. */
roost_status sides_copy(struct rounds *r, const struct side side[COLUMNS], int first, int last, uint64_t n, bool arrives);

/* ---- At the owner ---------------------------------------------------------------------------- */

/* Carries out items that this rank owns; how many may be known to its machine alone (owned_n). */
roost_status owned_carry_out(struct rounds *r, const struct columns *c, uint64_t n, const uint64_t *owned_n);
/* Those of a flight.  On a GPU it may still be at work when this returns.  posted: each rank's have
 * room of their own, and a mark is set behind them, which owned_await waits for. */
roost_status owned_run(struct rounds *r, struct flight *f);
roost_status owned_run_posted(struct rounds *r, struct flight *f);
roost_status owned_await(struct rounds *r, struct flight *f);
/* Waits for the answers, and copies them to where the transport sends them from. */
roost_status owned_leave(struct rounds *r, struct flight *f);

/* ---- The way back ---------------------------------------------------------------------------- */

/* Stores the answers where the caller wants them.  done: waits for that.  refused: items that found
 * no room, no memory. */
roost_status round_answer(struct rounds *r, struct flight *f);
roost_status round_done(struct rounds *r, struct flight *f, uint64_t refused[2]);

#endif
