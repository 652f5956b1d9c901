/* One round of a batch on its way over the ranks: what lies in the memory of the table's machine,
 * and what its kernels do there. */
#ifndef ROOST_SHARDING_ROUND_H
#define ROOST_SHARDING_ROUND_H

#include "batches/batches_work.h"
#include "sharding/group.h"

/* A column's items of this rank, by their owners; or of those that it owns.  far: the copy that the
 * transport sends and receives, if it takes no memory of a GPU; else NULL. */
struct side {
    char *near, *far;
};
/* What the transport sends and receives, from a byte on. */
static inline char *side_message(const struct side *s, size_t byte)
{
    char *const message = s->far ? s->far : s->near;
    return message ? message + byte : NULL;
}

/* One array of a round's items. */
struct column {
    int bytes; /* of an item; 0: the call has none */
    struct side own, owned;
};
enum { KEYS, VALUES, OPERATIONS, STATUSES, ANSWERS, COLUMNS, SENT = STATUSES };

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
    void *at; /* NULL: not given */
    bool reached;
    int bytes;    /* of an item */
    bool in, out; /* copied before a round's work, and behind it */
};

struct rounds {
    struct roost_table *t;
    struct group *g;
    enum collective of;
    const struct batch *b; /* this rank's items */
    const roost_call *call;
    struct delivery *delivery; /* of items that stay at their owner; else NULL */
    struct batch_kind kind;
    int value_bytes; /* of the items: the table's, or of a payload */
    int ranks;
    uint64_t round;        /* items of a rank in a round, at most */
    bool combines;         /* equal keys of this rank travel once */
    uint64_t travelling;   /* of this rank's items of the round */
    struct batches_work w; /* of this rank's items */
    struct user user[USERS];
    struct column column[COLUMNS];
    uint64_t owned;                               /* items that this rank owns in the round */
    struct memory owned_near, own_far, owned_far; /* of the columns' sides */
};

static inline bool rounds_on_device(const struct rounds *r) { return r->t->backend->operations->machine == MACHINE_CUDA; }

/* The items of a rank for which a round always has memory: the table keeps it from its creation. */
enum { ROUND_LEAST = 64 };
roost_status rounds_spare_make(struct roost_table *t);
void rounds_spare_release(struct roost_table *t);

/* Memory for as many of this rank's items as is granted (r->w.room).
 * ROOST_ERR_UNSUPPORTED: the stream is captured. */
roost_status rounds_open(struct rounds *r);
void rounds_close(struct rounds *r);
/* All ranks' calls are of this kind, and have rounds of this many items. */
void rounds_join(struct rounds *r, const struct batch_kind *kind, int value_bytes, uint64_t round);

/* Splits n items from `first` on by owner: the comm's `to`, and the columns' `own`. */
roost_status round_split(struct rounds *r, uint64_t first, uint64_t n);
/* Does a sample of the batch show that equal keys should be combined? */
bool combine_pays(struct rounds *r);
/* Chooses for each of the round's items, which are in r->w.args.batch, the one that travels for it,
 * and combines their values. */
roost_status combine_items(struct rounds *r, uint64_t n);
/* Brings the answers of those that have travelled to all. */
roost_status combine_answers(struct rounds *r, uint64_t n);

/* A step of a round on the table's machine, in the order of the call's stream. */
static inline roost_status step_begin(struct rounds *r) { return call_begin(r->t, r->call->stream, ACCESS_READ); }
static inline roost_status step_end(struct rounds *r, roost_status status) { return call_end(r->t, ACCESS_READ, status); }

/* Room for r->owned items. */
roost_status owned_make(struct rounds *r);
/* Items of a write that memory ended early have no status: they become NO_MEMORY. */
roost_status owned_refuse(struct rounds *r, const struct batch *batch);
/* Copies what has arrived to the machine's memory; waits for its answers, and copies them back. */
roost_status owned_arrive(struct rounds *r);
roost_status owned_leave(struct rounds *r);
/* Appends what has arrived to the delivery, as far as it has room. */
roost_status owned_deliver(struct rounds *r);
/* Stores the answers where the caller wants them.  refused: items that found no room, no memory. */
roost_status round_answer(struct rounds *r, uint64_t first, uint64_t n, uint64_t refused[2]);

#endif
