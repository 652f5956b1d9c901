/* Keys that collide, foreseen by a sample of a batch. */
#include "engines/crowd.h"

#include <math.h>
#include <string.h>

#include "engines/chance.h"
#include "engines/crowd_items.h"
#include "engines/engine.h"
#include "engines/policy.h"
#include "engines/seeds.h"

enum {
    LEAST_STORED = 1 << 7, /* keys of a table whose small batches are looked at */
    LEAST = 1 << 10,       /* items of a batch that has a sample of its own, */
    LEAST_GPU = 1 << 13,   /* on a GPU, where fewer items are not worth the wait for it */
    MOST = 1 << 13,        /* keys of a sample, */
    MOST_GPU = 1 << 11,    /* on a GPU, whose batch waits while the host looks at them, */
    MOST_KEPT = 1 << 12,   /* and of many small batches */
    HOME_KEYS = 8,         /* in a bucket, cell, list or group; some have a few times as many */
    SPARSE = 4,            /* places for a key that is looked at: most find theirs vacant */
    LEAST_MIXED = 1 << 12, /* items of a mixed batch that has a sample, and on a GPU */
    LEAST_MIXED_GPU = 1 << 18,
    REPEATS = 1 << 9, /* keys of a sample that is taken only to see whether there are */
    MANY = 4          /* copies of one of them */
};

/* The size of a sample of n keys.  Six square roots of n are enough to recognise keys that use only
 * half of the homes. */
static uint64_t sample_size(uint64_t n, uint64_t most)
{
    const double size = 6 * sqrt((double)n);
    return size < (double)most ? (uint64_t)size : most;
}

/* Are the table's keys hashed as bytes, and how? */
static bool hashes_bytes(const struct engine_table *t, struct bytes_hash *hash)
{
    memset(hash, 0, sizeof *hash);
    return t->engine->hooks.hashing && t->engine->hooks.hashing(t, hash);
}

/* ---- Homes that keys share ------------------------------------------------------------------- */

/* A home, and how many keys of the sample have it.  0: a vacant place. */
struct home_seen {
    uint32_t home, keys;
};

/* The different keys of a sample, by the hashes that choose their homes, and where they are looked
 * at: homes at open addresses, 2^(64 - shift) of them. */
struct crowd {
    uint64_t (*hash)[HASHES_MOST];
    uint64_t n;
    int hashes;     /* of a key */
    bool repeats;   /* one of them has many copies */
    uint64_t times; /* secret and odd: keys chosen to meet at an address would take long */
    struct home_seen *seen;
    int shift;
};

static uint64_t places_of(const struct crowd *c) { return (uint64_t)1 << (64 - c->shift); }

/* Of the places for a sample of this size. */
static int shift_for(uint64_t size)
{
    int shift = 63;
    while ((uint64_t)1 << (64 - shift) < SPARSE * size) shift--;
    return shift;
}

/* Makes the first places vacant. */
static void homes_forget(const struct crowd *c, uint64_t places) { memset(c->seen, 0, places * sizeof *c->seen); }

/* Adds a key to a home, and returns the number of its keys before.  direct: there is a place for
 * each home. */
static uint32_t home_add(const struct crowd *c, uint32_t home, bool direct)
{
    uint64_t i = direct ? home : ((uint64_t)home + 1) * c->times >> c->shift;
    while (!direct && c->seen[i].keys && c->seen[i].home != home) i = (i + 1) & (places_of(c) - 1);
    c->seen[i].home = home;
    return c->seen[i].keys++;
}

/* The copies of a key that were seen before it.  A copy has the same name; here it has 32 bits,
 * which nobody can choose. */
static uint32_t copies_add(struct crowd *c, const struct crowd_key *key)
{
    const uint32_t before = home_add(c, (uint32_t)(key->name * c->times >> 32), false);
    c->repeats |= before + 1 >= MANY;
    return before;
}

/* Hashes the keys, each of several copies once. */
static void keys_hash(struct crowd *c, const struct engine_table *t, const struct crowd_key *keys, uint64_t size)
{
    struct bytes_hash hash;
    const bool as_bytes = hashes_bytes(t, &hash); /* then a word is a hash */
    homes_forget(c, places_of(c));
    for (uint64_t i = 0; i < size; i++) {
        if (copies_add(c, keys + i)) continue;
        c->hash[c->n][0] = keys[i].word;
        c->hashes = as_bytes ? 1 : t->engine->hooks.hashes(t, keys[i].word, c->hash[c->n]);
        c->n++;
    }
}

/* Do too many of the keys meet another one in their home number `which`, or have too many the same
 * home, if there are this many? */
static bool homes_crowd(const struct crowd *c, uint32_t homes, int which)
{
    enum { LOOKS = 4 * HASHES_MOST };
    const double n = (double)c->n, heap = chance_never(n / homes, (double)homes * LOOKS);
    const bool direct = homes <= places_of(c);
    uint64_t met = 0;
    uint32_t most = 0;
    homes_forget(c, direct ? homes : places_of(c));
    for (uint64_t i = 0; i < c->n; i++) {
        const uint32_t others = home_add(c, range64(c->hash[i][which], homes), direct);
        met += others > 0;
        if (others > most) most = others;
    }
    return most + 1 >= heap || (double)met >= chance_never_met(n, homes, LOOKS);
}

/* The homes that a table of all these keys has, or a few times as many. */
static uint32_t homes_for(const struct engine_table *t, uint64_t n)
{
    const uint64_t stored = t->engine->hooks.count(t) + n, keys = stored > t->floor_keys ? stored : t->floor_keys;
    return keys / HOME_KEYS < UINT32_MAX ? (uint32_t)(keys / HOME_KEYS + 1) : UINT32_MAX;
}

/* Looks at all homes, and at as few as there are keys: there it shows best which share of the homes
 * they leave out.  n: items of the batch. */
static bool keys_crowd(struct engine_table *t, const struct crowd_key *keys, uint64_t size, uint64_t n)
{
    struct crowd c = {.times = seeds_secret(t) | 1, .shift = shift_for(size)};
    const size_t seen_at = size * sizeof *c.hash, bytes = seen_at + places_of(&c) * sizeof *c.seen;
    bool crowd = false;
    c.hash = (uint64_t(*)[HASHES_MOST])host_new(&t->backend->allocator, bytes);
    if (!c.hash) return false;
    c.seen = (struct home_seen *)(void *)((unsigned char *)c.hash + seen_at);
    keys_hash(&c, t, keys, size);
    const uint32_t homes = homes_for(t, n), few = c.n < homes ? (uint32_t)c.n : homes;
    for (int i = 0; !crowd && i < c.hashes; i++) crowd = homes_crowd(&c, homes, i) || (few < homes && homes_crowd(&c, few, i));
    if (n) t->copies = c.repeats ? COPIES_MANY : COPIES_FEW;
    host_delete(&t->backend->allocator, c.hash, bytes);
    return crowd;
}

/* ---- Samples --------------------------------------------------------------------------------- */

#if defined(ROOST_WITH_CUDA)
/* By way of memory of the GPU; where that is refused there is no sample. */
static roost_status sample_from_gpu(struct engine_table *t, struct crowd_sample *c)
{
    const struct error_mark before = error_keep(t->error);
    struct backend *b = t->backend;
    const size_t bytes = c->size * sizeof *c->taken;
    struct crowd_key *const keys = c->taken;
    void *memory;
    if (backend_allocate(b, bytes, &memory)) {
        error_restore(&before);
        c->size = 0;
        return ROOST_OK;
    }
    c->taken = (struct crowd_key *)memory;
    roost_status status = b->operations->launch(b, crowd_cuda_kernel(), c, sizeof *c, c->size);
    if (!status) status = backend_read(b, keys, memory, bytes);
    backend_release(b, memory, bytes);
    return status;
}
#endif

/* A sample of `size` of the batch's keys, to be written to `taken`.  names: secret. */
static struct crowd_sample sample_of(const struct engine_table *t, const struct batch *batch, uint64_t names,
                                     struct crowd_key *taken, uint32_t size)
{
    struct crowd_sample c = {.batch = *batch, .places = mix64(names), .names = names, .taken = taken, .size = size};
    c.key_bytes = (uint32_t)t->key_bytes;
    c.as_bytes = hashes_bytes(t, &c.hash);
    return c;
}

static roost_status sample_take(struct engine_table *t, struct crowd_sample *c)
{
#if defined(ROOST_WITH_CUDA)
    if (t->backend->ordinal >= 0) return sample_from_gpu(t, c);
#endif
    (void)t;
    for (uint32_t i = 0; i < c->size; i++) crowd_take(c, i);
    return ROOST_OK;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* What a sample of a batch of n items shows. */
typedef bool (*sample_judge)(struct engine_table *t, const struct crowd_key *keys, uint64_t size, uint64_t n);

/* The most keys of a sample that is to show how they share homes, or how they are used. */
static uint64_t sample_most(const struct engine_table *t) { return t->backend->operations->enqueues ? MOST_GPU : MOST; }

/* mixed: the judge wants the items' operations.  most: keys of the sample. */
static roost_status large_look(struct engine_table *t, const struct batch *batch, bool mixed, uint64_t most, sample_judge judge,
                               bool *is)
{
    const uint64_t size = sample_size(batch->n, most);
    struct crowd_key *const keys = (struct crowd_key *)host_new(&t->backend->allocator, size * sizeof *keys);
    if (!keys) return ROOST_OK;
    struct crowd_sample c = sample_of(t, batch, seeds_secret(t), keys, (uint32_t)size);
    c.mixed = mixed;
    const roost_status status = sample_take(t, &c);
    *is = !status && c.size && judge(t, keys, c.size, batch->n);
    host_delete(&t->backend->allocator, keys, size * sizeof *keys);
    return status;
}

/* The keys of small batches. */
struct crowd_kept {
    uint64_t room, n;
    uint64_t names, places; /* secret numbers */
    uint64_t seed;          /* the table's, when they were kept */
    struct crowd_key keys[];
};

static size_t kept_bytes(uint64_t room) { return sizeof(struct crowd_kept) + room * sizeof(struct crowd_key); }

void crowd_forget(struct engine_table *t)
{
    const struct crowd_kept *const kept = (const struct crowd_kept *)t->crowd;
    if (kept) host_delete(&t->backend->allocator, t->crowd, kept_bytes(kept->room));
    t->crowd = NULL;
}

/* A buffer with room for at least `enough` keys.  A larger one that replaces it is empty. */
static struct crowd_kept *kept_of(struct engine_table *t, uint64_t enough)
{
    struct crowd_kept *kept = (struct crowd_kept *)t->crowd;
    if (kept && kept->room >= enough) return kept;
    crowd_forget(t);
    const uint64_t room = 2 * enough < MOST_KEPT ? 2 * enough : MOST_KEPT;
    kept = (struct crowd_kept *)host_new(&t->backend->allocator, kept_bytes(room));
    if (kept) kept->room = room, kept->names = seeds_secret(t), kept->places = mix64(kept->names);
    t->crowd = kept;
    return kept;
}

/* Keeps one in 2 of the batch's keys, in larger tables one in 8, and looks at them once they are
 * enough. */
static void small_look(struct engine_table *t, const struct batch *batch, bool *crowded)
{
    const uint64_t stored = t->engine->hooks.count(t), every = stored < LEAST ? 2 : 8, enough = sample_size(stored, MOST_KEPT);
    struct crowd_kept *const kept = stored < LEAST_STORED ? NULL : kept_of(t, enough);
    if (!kept) return;
    if (kept->seed != t->seed) kept->n = 0, kept->seed = t->seed; /* bytes had other hashes */
    kept->places = mix64(kept->places + 1);
    const uint64_t wanted = (batch->n + kept->places % every) / every, left = kept->room - kept->n;
    const uint32_t size = (uint32_t)(wanted < left ? wanted : left);
    struct crowd_sample c = sample_of(t, batch, kept->names, kept->keys + kept->n, size);
    c.places = kept->places;
    for (uint32_t i = 0; i < size; i++) crowd_take(&c, i);
    kept->n += size;
    if (kept->n < enough) return;
    *crowded = keys_crowd(t, kept->keys, kept->n, 0);
    kept->n = 0;
}

/* Can somebody have chosen the keys, and does it help to know? */
static bool may_be_chosen(const struct engine_table *t, const struct batch *batch)
{
    return !batch->order && t->sure_fill > 0 && policy_may_reseed(t) && seeds_invite(t);
}

roost_status crowd_look(struct engine_table *t, const struct batch *batch, bool *crowded)
{
    const bool waits = t->backend->operations->enqueues;
    *crowded = false;
    if (!batch->n || !may_be_chosen(t, batch)) return ROOST_OK;
    if (batch->n >= (waits ? LEAST_GPU : LEAST)) return large_look(t, batch, false, sample_most(t), keys_crowd, crowded);
    if (!waits) small_look(t, batch, crowded);
    return ROOST_OK;
}

/* ---- Keys of many copies --------------------------------------------------------------------- */

static bool keys_repeat(struct engine_table *t, const struct crowd_key *keys, uint64_t size, uint64_t n)
{
    struct crowd c = {.times = seeds_secret(t) | 1, .shift = shift_for(size)};
    const size_t bytes = places_of(&c) * sizeof *c.seen;
    (void)n;
    c.seen = (struct home_seen *)host_new(&t->backend->allocator, bytes);
    if (!c.seen) return false;
    homes_forget(&c, places_of(&c));
    for (uint64_t i = 0; i < size && !c.repeats; i++) (void)copies_add(&c, keys + i);
    host_delete(&t->backend->allocator, c.seen, bytes);
    return c.repeats;
}

roost_status crowd_repeats(struct engine_table *t, const struct batch *batch, bool *repeats)
{
    *repeats = t->copies == COPIES_MANY;
    if (t->copies != COPIES_UNKNOWN || batch->order) return ROOST_OK;
    const roost_status status = large_look(t, batch, false, REPEATS, keys_repeat, repeats);
    t->copies = *repeats ? COPIES_MANY : COPIES_FEW;
    return status;
}

/* ---- Keys that are erased and inserted by turns ---------------------------------------------- */

/* A key of a sample, and its items there. */
struct turns_seen {
    uint64_t name;
    uint32_t items, erases, inserts;
};

/* A key's place among 2^(64 - shift), or the vacant one that it is to take. */
static struct turns_seen *turns_of(struct turns_seen *seen, int shift, uint64_t secret, uint64_t name)
{
    uint64_t i = mix64(name ^ secret) >> shift;
    while (seen[i].items && seen[i].name != name) i = (i + 1) & (UINT64_MAX >> shift);
    return seen + i;
}

/* Have enough items of the sample keys that several of these erase and insert? */
static bool keys_churn(struct engine_table *t, const struct crowd_key *keys, uint64_t size, uint64_t n)
{
    enum { SEVERAL = 3, SHARE = 8 };
    const int shift = shift_for(size);
    const uint64_t secret = seeds_secret(t), places = (uint64_t)1 << (64 - shift);
    struct turns_seen *const seen = (struct turns_seen *)host_new(&t->backend->allocator, places * sizeof *seen);
    uint64_t items = 0;
    (void)n;
    if (!seen) return false;
    memset(seen, 0, places * sizeof *seen);
    for (uint64_t i = 0; i < size; i++) {
        struct turns_seen *const key = turns_of(seen, shift, secret, keys[i].name);
        key->name = keys[i].name;
        key->items++;
        key->erases += keys[i].word == ROOST_OP_ERASE;
        key->inserts += keys[i].word >= ROOST_OP_INSERT;
    }
    for (uint64_t i = 0; i < places; i++)
        if (seen[i].items >= SEVERAL && seen[i].erases && seen[i].inserts) items += seen[i].items;
    host_delete(&t->backend->allocator, seen, places * sizeof *seen);
    return items * SHARE >= size;
}

roost_status crowd_churns(struct engine_table *t, const struct batch *batch, bool *churns)
{
    const uint64_t least = t->backend->operations->enqueues ? LEAST_MIXED_GPU : LEAST_MIXED;
    *churns = false;
    if (batch->n < least || batch->stamps || t->backend->enqueue || t->backend->capturing) return ROOST_OK;
    return large_look(t, batch, true, sample_most(t), keys_churn, churns);
}
