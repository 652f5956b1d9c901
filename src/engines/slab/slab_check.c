/* Walks a whole slab table and verifies its lettered invariants (slab.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engines/slab/slab_table.h"
#include "engines/walk.h"

/* A copy of the table in host memory, and the walk's progress. */
struct walk {
    const struct slab_table *t;
    struct slab_view view; /* points into the copies */
    uint8_t *seen;         /* for each unit: is it in some list? */
    uint32_t *jumps;       /* for each unit: jumps of slabs before it that lead to it, */
    uint64_t under_way;    /* and all jumps, over the walk's slab or to it */
    uint32_t tail;         /* the unit that the list's base slab names, until the walk meets it */
    uint64_t bucket, stored, chained;
    struct copies copies;
};

static roost_status broken(const struct walk *w, char letter, const char *what)
{
    return error_set(w->t->base.error, ROOST_ERR_CORRUPT, "invariant %c: %s (bucket %" PRIu64 " of %" PRIu32 ")", letter, what,
                     w->bucket, w->view.buckets);
}

/* ---- Copies --------------------------------------------------------------------------------- */

/* Copies a super block: its blocks' bitmaps, then its units. */
static void super_copy(struct walk *w, uint32_t i)
{
    const struct slab_pool *from = &w->t->pool.pool;
    const size_t bitmaps = (size_t)(from->first_block[i + 1] - from->first_block[i]) * SLAB_BLOCK_WORDS * sizeof(uint32_t);
    unsigned char *copy =
        (unsigned char *)copy_of(&w->copies, from->units[i] - bitmaps, bitmaps + w->t->pool.super_units[i] * SLAB_BYTES);
    if (copy) w->view.pool.units[i] = copy + bitmaps;
}

static roost_status copies_make(struct walk *w)
{
    w->view = slab_view_now(w->t);
    const size_t units = (size_t)slab_blocks(&w->t->pool.pool) * SLAB_BLOCK_UNITS;
    w->seen = (uint8_t *)copy_room(&w->copies, units + 1);
    w->jumps = (uint32_t *)copy_room(&w->copies, (units + 1) * sizeof *w->jumps);
    w->view.base = (unsigned char *)copy_of(&w->copies, w->t->view.base, ((size_t)w->t->view.buckets + 1) * SLAB_BYTES);
    for (uint32_t i = 0; i < w->view.pool.supers; i++) super_copy(w, i);
    return w->copies.status;
}

/* ---- Lists ---------------------------------------------------------------------------------- */

/* A unit's index among all units, by its handle; SLAB_NONE if the unit does not exist. */
static uint32_t unit_number(const struct walk *w, uint32_t handle)
{
    const struct slab_pool *p = &w->view.pool;
    const uint32_t super = p->light ? 0 : handle >> 24, in_super = p->light ? handle : handle & 0xffffffu;
    if (super >= p->supers || in_super >= w->t->pool.super_units[super]) return SLAB_NONE;
    return p->first_block[super] * SLAB_BLOCK_UNITS + in_super;
}

static bool unit_is_taken(const struct walk *w, uint32_t number)
{
    const uint32_t block = number / SLAB_BLOCK_UNITS, super = slab_super(&w->view.pool, block);
    return slab_bitmap(&w->view.pool, super, block)[number % SLAB_BLOCK_UNITS / 32] >> (number & 31u) & 1u;
}

static bool is_last(const struct walk *w) { return w->bucket == w->view.buckets; }

static roost_status check_aux(const struct walk *w, unsigned char *slab)
{
    const uint32_t special = *slab_aux(slab) >> SLAB_SPECIAL_BIT & 1u;
    return special == (uint32_t)is_last(w) ? broken(w, 'G', "aux marks the wrong kind of list") : ROOST_OK;
}

/* Checks one stored pair: it is in the right place, with no EMPTY slot before it. */
static roost_status check_pair(struct walk *w, unsigned char *slab, int slot, const struct slab_pair pair, bool empty_before,
                               const bool empty_half[2])
{
    const struct shape s = w->t->base.shape;
    struct item item;
    item.key = is_last(w) ? slab_empty(s) - pair.key : pair.key;
    slab_place(s, &w->view, &item);
    const int half = slot >= slab_half_slots(s), first = (int)item.home[0].sub;
    w->stored++;
    if (item.home[0].index != w->bucket) return broken(w, 'A', "a key is in another bucket's list");
    if (empty_before || empty_half[half] || (half != first && empty_half[first]))
        return broken(w, 'C', "a slot before a key is EMPTY");
    if (s.word == SLAB_TWO_STEP && *slab_aux(slab) >> slot & 1u)
        return broken(w, 'G', "a stored key's value is not marked as written");
    return ROOST_OK;
}

/* Is an EMPTY slot in this half before slot `end`? */
static bool has_empty(const struct shape s, const struct slab_copy *copy, int half, int end)
{
    for (int slot = half * slab_half_slots(s); slot < end; slot++)
        if (slab_copy_pair(s, copy, slot).key == slab_empty(s)) return true;
    return false;
}

static roost_status check_slab(struct walk *w, unsigned char *slab, bool empty_before)
{
    const struct shape s = w->t->base.shape;
    struct slab_copy copy;
    slab_copy_load(&copy, slab);
    roost_status status = check_aux(w, slab);
    for (int slot = 0; !status && slot < s.slots; slot++) {
        const struct slab_pair pair = slab_copy_pair(s, &copy, slot);
        const int half = slot >= slab_half_slots(s);
        if (!slab_is_live(s, pair)) continue;
        /* In the key's own half the slots before it count; in the other half all slots, if that
         * half comes first. */
        const bool empty_half[2] = {has_empty(s, &copy, 0, half == 0 ? slot : slab_half_slots(s)),
                                    has_empty(s, &copy, 1, half == 1 ? slot : s.slots)};
        status = check_pair(w, slab, slot, pair, empty_before, empty_half);
    }
    return status;
}

/* ---- Jumps ---------------------------------------------------------------------------------- */

static bool slab_is_dead(const struct shape s, unsigned char *slab)
{
    struct slab_copy copy;
    slab_copy_load(&copy, slab);
    for (int slot = 0; slot < s.slots; slot++)
        if (slab_copy_pair(s, &copy, slot).key != slab_tombstone(s)) return false;
    return true;
}

/* Takes up the jump of the list's slab number `length`: a base slab names the tail, and a slab
 * behind the near ones may skip others. */
static roost_status check_jump(struct walk *w, unsigned char *slab, uint64_t length)
{
    const uint32_t jump = *slab_jump(w->t->base.shape, slab), handle = jump & SLAB_JUMP_NONE;
    const bool is_tail = jump >> SLAB_TAIL_BIT & 1u, is_none = is_tail && handle == SLAB_JUMP_NONE;
    w->tail = length == 1 ? SLAB_NONE : w->tail;
    if (is_none) return ROOST_OK;
    const uint32_t number = unit_number(w, handle);
    if (number == SLAB_NONE) return broken(w, 'H', "a jump leads nowhere");
    if (is_tail != (length == 1) || (!is_tail && length < w->view.near) || (is_tail && !w->view.multi))
        return broken(w, 'H', "a slab has the wrong kind of jump");
    if (is_tail) w->tail = number;
    else w->jumps[number]++, w->under_way++;
    return ROOST_OK;
}

/* The walk is at the list's slab number `length`: jumps end here, and others lead over it. */
static roost_status check_landing(struct walk *w, unsigned char *slab, uint32_t number, uint64_t length)
{
    if (w->tail == number && length <= w->view.near) return broken(w, 'H', "a tail is among the near slabs");
    if (w->tail == number) w->tail = SLAB_NONE;
    w->under_way -= w->jumps[number];
    if (w->under_way && !slab_is_dead(w->t->base.shape, slab)) return broken(w, 'H', "a jump skips a slab that is not dead");
    return ROOST_OK;
}

/* ---- Keys of a list ------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts the keys of one list, and checks that all are different. */
static roost_status check_unique(const struct walk *w, uint64_t length)
{
    const struct shape s = w->t->base.shape;
    const roost_allocator *allocator = &w->t->base.backend->allocator;
    const size_t bytes = (size_t)length * (unsigned)s.slots * sizeof(uint64_t);
    uint64_t *keys = (uint64_t *)host_new(allocator, bytes), n = 0;
    roost_status status = ROOST_OK;
    if (!keys) return error_set(w->t->base.error, ROOST_ERR_MEMORY, "no memory for a list's keys");
    unsigned char *slab = slab_list(&w->view, (uint32_t)w->bucket);
    for (uint64_t i = 0; i < length; i++) {
        struct slab_copy copy;
        slab_copy_load(&copy, slab);
        for (int slot = 0; slot < s.slots; slot++)
            if (slab_is_live(s, slab_copy_pair(s, &copy, slot))) keys[n++] = slab_copy_pair(s, &copy, slot).key;
        if (i + 1 < length) slab = slab_unit(&w->view.pool, slab_copy_next(&copy));
    }
    qsort(keys, n, sizeof *keys, compare_keys);
    for (uint64_t i = 1; !status && i < n; i++)
        if (keys[i] == keys[i - 1]) status = broken(w, 'B', "a key is stored twice");
    host_delete(allocator, keys, bytes);
    return status;
}

static bool slab_has_empty(const struct shape s, unsigned char *slab)
{
    struct slab_copy copy;
    slab_copy_load(&copy, slab);
    return has_empty(s, &copy, 0, slab_half_slots(s)) || has_empty(s, &copy, 1, s.slots);
}

static roost_status check_list(struct walk *w)
{
    unsigned char *slab = slab_list(&w->view, (uint32_t)w->bucket);
    bool empty_before = false;
    uint64_t length = 1;
    roost_status status = check_slab(w, slab, false);
    if (!status) status = check_jump(w, slab, length);
    for (uint32_t next; !status && (next = *slab_next(slab)) != SLAB_NONE;) {
        const uint32_t number = unit_number(w, next);
        if (number == SLAB_NONE) return broken(w, 'E', "a link leads nowhere");
        if (w->seen[number]++) return broken(w, 'E', "a slab is in two lists, or twice in one");
        if (!unit_is_taken(w, number)) return broken(w, 'D', "a slab of a list is free for others to take");
        empty_before |= slab_has_empty(w->t->base.shape, slab);
        slab = slab_unit(&w->view.pool, next);
        w->chained++;
        length++;
        status = check_slab(w, slab, empty_before);
        if (!status) status = check_landing(w, slab, number, length);
        if (!status) status = check_jump(w, slab, length);
    }
    if (!status && (w->under_way || w->tail != SLAB_NONE)) status = broken(w, 'H', "a jump leads out of its list, or back");
    return status || w->view.multi ? status : check_unique(w, length);
}

/* ---- Units ---------------------------------------------------------------------------------- */

static roost_status check_units(struct walk *w)
{
    for (uint32_t i = 0; i < w->view.pool.supers; i++)
        for (uint64_t unit = 0; unit < w->t->pool.super_units[i]; unit++) {
            const uint32_t number = (uint32_t)(w->view.pool.first_block[i] * (uint64_t)SLAB_BLOCK_UNITS + unit);
            const unsigned char *at = w->view.pool.units[i] + unit * SLAB_BYTES;
            if (unit_is_taken(w, number) != (w->seen[number] != 0))
                return broken(w, 'D', "a taken unit is in no list, or a listed unit is free");
            for (int byte = 0; byte < SLAB_BYTES && !w->seen[number]; byte++)
                if (at[byte] != 0xff) return broken(w, 'F', "a free unit is not filled with ones");
        }
    return ROOST_OK;
}

static roost_status walk_table(struct walk *w)
{
    roost_status status = copies_make(w);
    for (w->bucket = 0; !status && w->bucket <= w->view.buckets; w->bucket++) status = check_list(w);
    w->bucket = w->view.buckets;
    if (!status && w->stored != w->t->count) status = broken(w, 'D', "the count of keys is wrong");
    if (!status && w->chained != w->t->chained) status = broken(w, 'D', "the count of chained slabs is wrong");
    return status ? status : check_units(w);
}

roost_status slab_check(struct engine_table *table)
{
    struct slab_table *t = (struct slab_table *)table;
    struct walk w;
    memset(&w, 0, sizeof w);
    w.t = t;
    w.copies.table = table;
    roost_status status = ledger_wait(&t->base.ledger);
    if (!status) status = walk_table(&w);
    copies_free(&w.copies);
    return status;
}
