/* Slabs: how a tile reads half of one in 16-byte vectors, and how slots are claimed, swapped and
 * updated.  slab.h draws them. */
#ifndef ROOST_SLAB_SLOTS_H
#define ROOST_SLAB_SLOTS_H

#include "engines/slab/slab.h"
#include "portable/drivers.h"

enum { HALF_BYTES = SLAB_BYTES / 2, HALF_VECTORS = HALF_BYTES / 16, NO_SLOT = 64 };

/* ---- Marks ---------------------------------------------------------------------------------- */

ROOST_FN int slab_slot_bytes(const struct shape s) { return s.word == SLAB_WORD ? s.key_bytes + s.value_bytes : 16; }

/* The key of an EMPTY slot; a TOMBSTONE's is one less. */
ROOST_FN uint64_t slab_empty(const struct shape s) { return s.word == SLAB_WORD && s.key_bytes == 4 ? 0xffffffffULL : ~0ULL; }
ROOST_FN uint64_t slab_tombstone(const struct shape s) { return slab_empty(s) - 1; }
ROOST_FN bool slab_is_mark(const struct shape s, uint64_t key) { return key >= slab_tombstone(s); }

struct slab_pair {
    uint64_t key, value;
};

ROOST_FN struct slab_pair slab_pair_of(uint64_t key, uint64_t value)
{
    const struct slab_pair pair = {key, value};
    return pair;
}

/* Contents of an EMPTY slot, all ones; and of a TOMBSTONE as an erase makes it. */
ROOST_FN struct slab_pair slab_mark_pair(const struct shape s, uint64_t mark)
{
    return slab_pair_of(mark, s.value_bytes == 0 ? 0 : s.word == SLAB_WORD ? 0xffffffffULL : ~0ULL);
}

ROOST_FN uint64_t slab_word(const struct shape s, const struct slab_pair pair)
{
    return s.value_bytes ? pair.key | pair.value << 32 : pair.key;
}
ROOST_FN struct slab_pair slab_word_pair(const struct shape s, uint64_t word)
{
    return s.value_bytes ? slab_pair_of(word & 0xffffffffu, word >> 32) : slab_pair_of(word, 0);
}

/* ---- Places --------------------------------------------------------------------------------- */

ROOST_FN void *slab_slot(const struct shape s, unsigned char *slab, int slot)
{
    return slab + (unsigned)slot * (unsigned)slab_slot_bytes(s);
}
ROOST_FN uint32_t *slab_aux(unsigned char *slab) { return (uint32_t *)(void *)(slab + SLAB_BYTES - 8); }
ROOST_FN uint32_t *slab_next(unsigned char *slab) { return (uint32_t *)(void *)(slab + SLAB_BYTES - 4); }

/* next and aux are one word where slots are words of 8 bytes: such a slab is loaded in words of 8
 * bytes, and no word may be accessed at two widths.  With pairs they are, too: one load reads both
 * ways on. */
ROOST_FN bool slab_link_is_wide(const struct shape s) { return s.word == SLAB_PAIR || slab_slot_bytes(s) == 8; }

/* The jump: aux, or in two steps, whose aux says which values are there, the word behind the
 * slots. */
ROOST_FN uint32_t *slab_jump(const struct shape s, unsigned char *slab)
{
    return s.word == SLAB_TWO_STEP ? (uint32_t *)(void *)(slab + SLAB_BYTES - 16) : slab_aux(slab);
}

/* The list of a bucket, or the last one (for bucket == buckets). */
ROOST_FN unsigned char *slab_list(const struct slab_view *v, uint32_t bucket) { return v->base + (uint64_t)bucket * SLAB_BYTES; }

/* ---- Half a slab in a tile's registers ------------------------------------------------------ */

/* This lane's vectors of the half (chosen by tile_vector), in units: words, or keys and values. */
struct slab_share {
    uint64_t unit[16], value[HALF_VECTORS];
    bool adjacent;
};

ROOST_FN int slab_vector_units(const struct shape s) { return 16 / slab_slot_bytes(s); }
ROOST_FN int slab_half_slots(const struct shape s) { return HALF_BYTES / slab_slot_bytes(s); }
ROOST_FN int slab_rounds(const tile g) { return (HALF_VECTORS + g.size - 1) / g.size; }
ROOST_FN int slab_share_units(const struct shape s, const tile g) { return slab_rounds(g) * slab_vector_units(s); }

/* The slot of this lane's i-th unit; NO_SLOT if it has none. */
ROOST_FN int slab_share_slot(const struct shape s, const tile g, const struct slab_share *share, int half, int i)
{
    const int units = slab_vector_units(s), vector = tile_vector(g, share->adjacent, slab_rounds(g), i / units);
    const int slot = half * slab_half_slots(s) + vector * units + i % units;
    return vector < HALF_VECTORS && slot < s.slots ? slot : NO_SLOT;
}

/* Loads one slot of 16 bytes.  CONCURRENT, SLAB_PAIR: both words at once, or the value could belong
 * to a later pair than the key. */
ROOST_FN void slab_pair_load(const int phase, const struct shape s, const unsigned char *at, uint64_t *key, uint64_t *value)
{
    uint64_t words[2];
    if (phase == CONCURRENT && s.word == SLAB_PAIR) load_relaxed_device128((const uint64_t *)(const void *)at, words);
    else load_vector64(phase, (const uint64_t *)(const void *)at, words);
    *key = words[0], *value = words[1];
}

ROOST_FN void slab_half_load(const int phase, const struct shape s, const tile g, const unsigned char *slab, int half,
                             struct slab_share *share)
{
    share->adjacent = loads_adjacent(phase);
    ROOST_UNROLL
    for (int r = 0; r < HALF_VECTORS; r++) {
        if (r >= slab_rounds(g)) break;
        const int vector = tile_vector(g, share->adjacent, slab_rounds(g), r);
        const unsigned char *at = slab + half * HALF_BYTES + vector * 16;
        if (vector >= HALF_VECTORS) continue;
        if (slab_slot_bytes(s) == 4) load_vector32(phase, (const uint32_t *)(const void *)at, &share->unit[r * 4]);
        else if (slab_slot_bytes(s) == 8) load_vector64(phase, (const uint64_t *)(const void *)at, &share->unit[r * 2]);
        else if (half == 0 || vector < HALF_VECTORS - 1) slab_pair_load(phase, s, at, &share->unit[r], &share->value[r]);
    }
}

/* Goal of a look.  KEY: the key's slot, or if there is none the first EMPTY slot.  HOLE: the first
 * slot that is EMPTY or has the mark `key`.  EMPTY: the first EMPTY slot, whether or not the key is
 * there. */
enum slab_want { SLAB_WANT_KEY, SLAB_WANT_HOLE, SLAB_WANT_EMPTY };

/* Result of a look; -1 for none.  The same on every lane. */
struct slab_look {
    int match, vacancy;
    uint64_t value;  /* of the match */
    uint64_t vacant; /* the vacancy's mark, for SLAB_WANT_HOLE */
};

/* The lane that loads a slot. */
ROOST_FN int slab_slot_lane(const struct shape s, const tile g, const bool adjacent, int half, int slot)
{
    return tile_vector_lane(g, adjacent, slab_rounds(g), (slot - half * slab_half_slots(s)) / slab_vector_units(s));
}

/* Sends the value `mine` of a slot's lane to all lanes. */
ROOST_FN uint64_t slab_slot_send(const struct shape s, const tile g, const struct slab_share *share, int half, int slot,
                                 const int bytes, uint64_t mine)
{
    const int lane = slab_slot_lane(s, g, share->adjacent, half, slot);
    return bytes == 8 ? tile_from64(g, mine, lane) : tile_from32(g, (uint32_t)mine, lane);
}

/* A 4-byte value of a key has 4 more bytes, which are 0.  Checking them keeps the assembler from
 * narrowing the load of 16 bytes to one of 8 and one of 4.  It did so for sm_90 without the check:
 * an erase in between would give a find the tombstone's value. */
ROOST_FN bool slab_is_whole(const struct shape s, uint64_t value)
{
    return s.word != SLAB_PAIR || s.value_bytes != 4 || value >> 32 == 0;
}

/* Looks through half a slab; slots below `from` do not count. */
ROOST_FN struct slab_look slab_share_look(const struct shape s, const tile g, const struct slab_share *share, int half,
                                          roost_key key, int from, const enum slab_want want)
{
    const bool keys = want == SLAB_WANT_KEY;
    const bool holes = want == SLAB_WANT_HOLE;
    /* A match counts from 0, a vacancy from NO_SLOT: the smallest number is the result. */
    uint32_t best = 2 * NO_SLOT;
    uint64_t value = 0, vacant = slab_empty(s);
    ROOST_UNROLL
    for (int i = 15; i >= 0; i--) {
        if (i >= slab_share_units(s, g)) continue;
        const int slot = slab_share_slot(s, g, share, half, i);
        const uint64_t unit = share->unit[i], unit_key = s.word == SLAB_WORD ? slab_word_pair(s, unit).key : unit;
        if (slot == NO_SLOT || slot < from) continue;
        if ((unit_key == slab_empty(s) || (holes && unit_key == key)) && best >= NO_SLOT)
            best = NO_SLOT + (uint32_t)slot, vacant = unit_key;
        if (keys && unit_key == key && slab_is_whole(s, share->value[i % HALF_VECTORS]))
            best = (uint32_t)slot, value = s.word == SLAB_WORD ? slab_word_pair(s, unit).value : share->value[i % HALF_VECTORS];
    }
    best = tile_min32(g, best);
    struct slab_look look = {best < NO_SLOT ? (int)best : -1, best >= NO_SLOT && best < 2 * NO_SLOT ? (int)best - NO_SLOT : -1, 0,
                             vacant};
    if (s.value_bytes && look.match >= 0) look.value = slab_slot_send(s, g, share, half, look.match, s.value_bytes, value);
    if (holes && look.vacancy >= 0) look.vacant = slab_slot_send(s, g, share, half, look.vacancy, 8, vacant);
    return look;
}

/* ---- Links ---------------------------------------------------------------------------------- */

/* Loads the link word of a slab, with aux if that is part of it; beside writers the load
 * acquires. */
ROOST_FN uint64_t slab_link_load(const int phase, const struct shape s, unsigned char *slab)
{
    uint64_t *const wide = (uint64_t *)(void *)slab_aux(slab);
    if (slab_link_is_wide(s)) return phase == QUIESCENT ? *wide : load_acquire_device64(wide);
    return phase == QUIESCENT ? *slab_next(slab) : load_acquire_device32(slab_next(slab));
}

/* Sends lane 0's link to all lanes. */
ROOST_FN uint64_t slab_link_send(const struct shape s, const tile g, uint64_t link)
{
    return slab_link_is_wide(s) ? tile_from64(g, link, 0) : tile_from32(g, (uint32_t)link, 0);
}

/* A jump over dead slabs to a handle, or to the tail. */
ROOST_FN uint32_t slab_jump_to(uint32_t handle, bool is_tail)
{
    const uint32_t tail_bit = 1u << SLAB_TAIL_BIT;
    return handle >= SLAB_JUMP_NONE ? tail_bit | SLAB_JUMP_NONE : is_tail ? tail_bit | handle : handle;
}

/* The handle in a jump that skips dead slabs, or else `next`. */
ROOST_FN uint32_t slab_jump_or(uint32_t jump, uint32_t next) { return jump >> SLAB_TAIL_BIT & 1u ? next : jump & SLAB_JUMP_NONE; }

/* The slab to which a link leads: behind dead slabs, if its jump skips some. */
ROOST_FN uint32_t slab_link_next(const struct shape s, uint64_t link)
{
    return slab_link_is_wide(s) ? slab_jump_or((uint32_t)link, (uint32_t)(link >> 32)) : (uint32_t)link;
}

/* The link word with `handle` as next. */
ROOST_FN uint64_t slab_link_with(const struct shape s, uint64_t link, uint32_t handle)
{
    return slab_link_is_wide(s) ? (link & 0xffffffffu) | (uint64_t)handle << 32 : handle;
}

/* Links a slab behind one without a next.  Returns the previous word: `link` on success, or another
 * lane's link.  If several lanes reach a list's end at once, the swap keeps the slab of exactly
 * one; a store would lose the other slabs and their keys.  It releases: a lane that follows the
 * link sees the slab filled with ones, not the unit's earlier contents. */
ROOST_FN uint64_t slab_link_cas(const struct shape s, unsigned char *slab, uint64_t link, uint32_t next)
{
    if (slab_link_is_wide(s)) return cas_release_device64((uint64_t *)(void *)slab_aux(slab), link, slab_link_with(s, link, next));
    return cas_release_device32(slab_next(slab), (uint32_t)link, next);
}

/* Loads a jump that is a word of its own.  Beside writers the load acquires, as that of a link: its
 * lane then sees that the slab was filled with ones. */
ROOST_FN uint32_t slab_jump_load(const int phase, const struct shape s, unsigned char *slab)
{
    return phase == QUIESCENT ? *slab_jump(s, slab) : load_acquire_device32(slab_jump(s, slab));
}

/* Writes a slab's jump; the slab has a next, which this lane has seen, so the swap keeps it.  If
 * another lane wrote a jump in between, that one stays: each is right for ever (slab.h, jumps).  A
 * store could overwrite another lane's link with none if this lane's look at it were old.  The swap
 * releases: a lane that follows the jump sees the slab filled with ones, as this lane does. */
ROOST_FN void slab_jump_write(const struct shape s, unsigned char *slab, uint32_t jump)
{
    const uint32_t others = 1u << SLAB_SPECIAL_BIT;
    if (slab_link_is_wide(s)) {
        uint64_t *const wide = (uint64_t *)(void *)slab_aux(slab);
        const uint64_t seen = load_relaxed_device64(wide);
        (void)cas_release_device64(wide, seen, (seen & ~(uint64_t)(others - 1)) | jump);
    } else {
        const uint32_t seen = load_relaxed_device32(slab_jump(s, slab));
        (void)cas_release_device32(slab_jump(s, slab), seen, (seen & others) | jump);
    }
}

/* A list's tail, in the base slab's jump: a slab behind the near ones, or SLAB_NONE.  The load
 * acquires, for the same reason. */
ROOST_FN uint32_t slab_tail_load(const struct shape s, unsigned char *base)
{
    const uint32_t jump = slab_link_is_wide(s) ? (uint32_t)load_acquire_device64((uint64_t *)(void *)slab_aux(base))
                                               : slab_jump_load(CONCURRENT, s, base);
    return (jump & SLAB_JUMP_NONE) == SLAB_JUMP_NONE ? SLAB_NONE : jump & SLAB_JUMP_NONE;
}

/* Marks a new slab of the last list before it becomes visible, or removes the mark from one that is
 * given back. */
ROOST_FN void slab_mark_special(const struct shape s, unsigned char *slab, bool is_special)
{
    const uint32_t aux = ~((uint32_t)is_special << SLAB_SPECIAL_BIT);

    if (slab_link_is_wide(s)) store_relaxed_device64((uint64_t *)(void *)slab_aux(slab), (uint64_t)SLAB_NONE << 32 | aux);
    else store_relaxed_device32(slab_aux(slab), aux);
}

/* ---- Single slots --------------------------------------------------------------------------- */

/* Swaps a whole slot, a word or a pair, and returns its earlier contents.  Claims and erases
 * exclude each other because the swap is whole: two swaps of halves could leave one pair's key with
 * the other's value. */
ROOST_FN struct slab_pair slab_slot_cas(const struct shape s, unsigned char *slab, int slot, const struct slab_pair expected,
                                        const struct slab_pair desired)
{
    void *at = slab_slot(s, slab, slot);
    if (s.word == SLAB_PAIR) {
        const uint64_t from[2] = {expected.key, expected.value}, to[2] = {desired.key, desired.value};
        uint64_t seen[2];
        cas_relaxed_device128((uint64_t *)at, from, to, seen);
        return slab_pair_of(seen[0], seen[1]);
    }
    const uint64_t from = slab_word(s, expected), to = slab_word(s, desired);
    if (slab_slot_bytes(s) == 8) return slab_word_pair(s, cas_relaxed_device64((uint64_t *)at, from, to));
    return slab_word_pair(s, cas_relaxed_device32((uint32_t *)at, (uint32_t)from, (uint32_t)to));
}

ROOST_FN bool slab_same(const struct slab_pair a, const struct slab_pair b) { return a.key == b.key && a.value == b.value; }

/* Two steps: is the slot's value there?  The load acquires: the value that is read after it is the
 * one that came with the key, or a later one. */
ROOST_FN bool slab_is_shown(unsigned char *slab, int slot) { return !(load_acquire_device32(slab_aux(slab)) >> slot & 1u); }

/* Claims a vacant slot for a pair; true on success.  From EMPTY at most one claim succeeds.  In two
 * steps the key keeps others off the slot while the value is being written.  The and releases: a
 * lane that sees its bit sees the value. */
ROOST_FN bool slab_claim(const struct shape s, unsigned char *slab, int slot, uint64_t mark, const struct slab_pair pair)
{
    if (s.word != SLAB_TWO_STEP)
        return slab_same(slab_slot_cas(s, slab, slot, slab_mark_pair(s, mark), pair), slab_mark_pair(s, mark));
    uint64_t *const at = (uint64_t *)slab_slot(s, slab, slot);
    if (cas_relaxed_device64(at, mark, pair.key) != mark) return false;
    store_relaxed_device64(at + 1, pair.value);
    (void)and_release_device32(slab_aux(slab), ~(1u << slot));
    return true;
}

/* Turns a slot that was seen with a pair into a TOMBSTONE; false if it holds another key now.  With
 * a plain store several erasers would report the key.  If its value was updated in between (or in a
 * multimap another pair of the key took its place), the swap is retried with the new contents.  It
 * does not back off, because updates may continue. */
ROOST_FN bool slab_bury(const struct shape s, unsigned char *slab, int slot, const struct slab_pair pair)
{
    const struct slab_pair grave = slab_mark_pair(s, slab_tombstone(s));
    if (s.word == SLAB_TWO_STEP) return cas_relaxed_device64((uint64_t *)slab_slot(s, slab, slot), pair.key, grave.key) == pair.key;
    for (struct slab_pair seen = pair;;) {
        const struct slab_pair was = slab_slot_cas(s, slab, slot, seen, grave);
        if (slab_same(was, seen)) return true;
        if (was.key != pair.key) return false;
        seen = was;
    }
}

/* A slot's value, which updates change apart from its key.  If the key is gone by then, the slot is
 * a TOMBSTONE, whose value is never read.  The update counts as done before the erase, because it
 * saw the key before.  A swap of the whole slot would fail in that case.  But if all of a GPU's
 * lanes update one key, only some thousand swaps a second succeed.  In two steps a value has a word
 * of its own, of 8 bytes whatever its width. */
ROOST_FN struct cell slab_cell(const struct shape s, unsigned char *slab, int slot)
{
    unsigned char *const value = (unsigned char *)slab_slot(s, slab, slot) + slab_slot_bytes(s) / 2;
    const struct cell c = {value, s.word == SLAB_TWO_STEP ? 8 : s.value_bytes, 0, s.value_bytes * 8};
    return c;
}

#endif
