/* SlabAlloc: units of one size, taken and given back inside kernels by tiles (Ashkiani,
 * Farach-Colton, Owens, "A Dynamic Hash Table for the GPU", section V).
 *
 *      super block       block 0       block 1             1024 units, bitmap of 32 words, 1: taken
 *      [bitmaps| units ] [b0 b1 ...  | u u u ... u u u ...]
 *
 *      handle, 32 bits:  | super block: 8 | block in it: 14 | unit in that: 10 |  all ones: no unit
 *
 * A worker is a tile, or a thread on the host.  It has a resident block and keeps the block's
 * bitmap in registers: a tile of 32 lanes keeps all words, a narrower one as many words as it has
 * lanes.
 *
 * To take a unit, a lane sets a bit that it believes to be free by one atomic on the word.  Once
 * its resident words are full, the worker moves: one hash of worker and attempt chooses the block,
 * another one the words of it.  After SLAB_ATTEMPTS failed attempts it sweeps over all words, so it
 * finds a unit that is free during the whole sweep.  If there is none, it sets `exhausted` for all
 * workers, until a unit is given back.  No worker ever waits for another one.
 *
 * The host adds memory between kernels (src/backends/slab_pool.c), in super blocks of any size up
 * to 2^24 - 1024 units.  Units missing from a last block are marked as taken for ever.  With
 * `light` there is one array of up to 2^32 units: handles are indices into it, and an address needs
 * no lookup in the table of super blocks (the paper's SlabAlloc-light; its 32 x 256 x 1024 units
 * are slab_pool_paper).
 *
 * Free units are filled with ones; the lane that gives a unit back fills it first.  Giving is a
 * release and taking an acquire.  So all lanes of the tile that takes a unit see these ones, and
 * none of the unit's earlier contents. */
#ifndef ROOST_PORTABLE_SLAB_ALLOC_H
#define ROOST_PORTABLE_SLAB_ALLOC_H

#include "portable/atomic.h"
#include "portable/bits.h"
#include "portable/tile.h"

enum {
    SLAB_BYTES = 128, /* of one unit */
    SLAB_SUPERS = 256,
    SLAB_BLOCK_UNITS = 1024,
    SLAB_BLOCK_WORDS = 32,
    /* At most: the last of 2^14 blocks would have the handle of all ones. */
    SLAB_SUPER_BLOCKS = (1 << 14) - 1,
    SLAB_ATTEMPTS = 16 /* blocks that a worker tries before it sweeps */
};

#define SLAB_NONE 0xffffffffu

/* A pool as kernels see it. */
struct slab_pool {
    /* For each super block, its units; its bitmaps end where the units begin. */
    unsigned char *units[SLAB_SUPERS];
    uint32_t first_block[SLAB_SUPERS + 1]; /* number of blocks before each super block */
    uint32_t supers, light;
    uint32_t *exhausted; /* 1: a sweep found nothing, and no unit has been given back since */
};

/* A worker's resident words; SLAB_RESIDENT_NONE before the first. */
struct slab_resident {
    uint32_t *words; /* this lane's word */
    uint32_t handle; /* handle of that word's first unit */
    uint32_t bits;   /* the word as this worker last saw it */
    uint32_t attempt, worker;
};

ROOST_FN struct slab_resident slab_resident_none(uint32_t worker)
{
    const struct slab_resident r = {NULL, SLAB_NONE, 0xffffffffu, 0, worker};
    return r;
}

ROOST_FN uint32_t slab_blocks(const struct slab_pool *p) { return p->first_block[p->supers]; }

/* Address of a unit.  A super block holds at most 2^24 units, the light array 2^32. */
ROOST_FN unsigned char *slab_unit(const struct slab_pool *p, uint32_t handle)
{
    if (p->light) return p->units[0] + (uint64_t)handle * SLAB_BYTES;
    return p->units[handle >> 24] + (uint64_t)(handle & 0xffffffu) * SLAB_BYTES;
}

/* The super block of a block. */
ROOST_FN uint32_t slab_super(const struct slab_pool *p, uint32_t block)
{
    uint32_t super = 0;
    while (super + 1 < p->supers && p->first_block[super + 1] <= block) super++;
    return super;
}

/* The bitmap of a block. */
ROOST_FN uint32_t *slab_bitmap(const struct slab_pool *p, uint32_t super, uint32_t block)
{
    uint32_t *const end = (uint32_t *)(void *)p->units[super];
    return end - (uint64_t)(p->first_block[super + 1] - block) * SLAB_BLOCK_WORDS;
}

ROOST_FN uint32_t slab_mix(uint32_t x, uint32_t salt)
{
    x = (x ^ salt) * 0x9e3779b1u;
    x = (x ^ (x >> 15)) * 0x85ebca77u;
    return x ^ (x >> 13);
}

/* Makes words `first`, first + 1, ... of a block the resident ones, one for each lane. */
ROOST_FN void slab_reside(const struct slab_pool *p, const tile g, struct slab_resident *r, uint32_t block, uint32_t first)
{
    const uint32_t super = slab_super(p, block), in_super = block - p->first_block[super];
    const uint32_t word = first + (uint32_t)g.lane;
    r->words = slab_bitmap(p, super, block) + word;
    r->handle = (p->light ? 0 : super << 24) + in_super * SLAB_BLOCK_UNITS + word * 32;
    /* A hint: only the atomic that takes a bit decides. */
    r->bits = load_relaxed_device32(r->words);
}

/* Moves to other resident words, by two hashes of worker and attempt. */
ROOST_FN void slab_move(const struct slab_pool *p, const tile g, struct slab_resident *r)
{
    const uint32_t a = slab_mix(r->worker, r->attempt * 2 + 1), b = slab_mix(a, r->worker + 0x7f4a7c15u);
    const uint32_t parts = SLAB_BLOCK_WORDS / (uint32_t)g.size;
    r->attempt++;
    slab_reside(p, g, r, range32(a, slab_blocks(p)), range32(b, parts) * (uint32_t)g.size);
}

/* Takes a unit from this lane's word, or returns SLAB_NONE if the word is full.  The or lets only
 * one of several workers that see the same free bit get the unit: with a load and a store all of
 * them would.  It acquires, so the lane sees the ones that the giver filled the unit with. */
ROOST_FN uint32_t slab_word_take(struct slab_resident *r)
{
    /* In each round another worker took the bit, and there are 32 bits. */
    while (r->bits != 0xffffffffu) {
        const uint32_t bit = (uint32_t)bit_lowest32(~r->bits), seen = or_acquire_device32(r->words, 1u << bit);
        r->bits |= seen | 1u << bit;
        if (!(seen >> bit & 1u)) return r->handle + bit;
    }
    return SLAB_NONE;
}

/* Takes a unit from the resident words; SLAB_NONE if they are full. */
ROOST_FN uint32_t slab_resident_take(const tile g, struct slab_resident *r)
{
    for (;;) {
        const uint32_t with = tile_ballot(g, r->bits != 0xffffffffu);
        if (!with) return SLAB_NONE;
        const int lane = bit_lowest32(with);
        const uint32_t handle = tile_from32(g, g.lane == lane ? slab_word_take(r) : SLAB_NONE, lane);
        if (handle == SLAB_NONE) continue;
        /* The other lanes use what one lane acquired: lane 0 publishes the unit, all read it. */
        tile_sync(g);
        return handle;
    }
}

/* Looks at every word once.  It misses a unit that is given back behind it. */
ROOST_FN uint32_t slab_look_at_all(const struct slab_pool *p, const tile g, struct slab_resident *r)
{
    const uint32_t blocks = slab_blocks(p), start = range32(slab_mix(r->worker, r->attempt), blocks);
    for (uint32_t i = 0; i < blocks; i++)
        for (uint32_t first = 0; first < SLAB_BLOCK_WORDS; first += (uint32_t)g.size) {
            slab_reside(p, g, r, (start + i) % blocks, first);
            const uint32_t handle = slab_resident_take(g, r);
            if (handle != SLAB_NONE) return handle;
        }
    return SLAB_NONE;
}

/* Takes a unit, or marks the pool as exhausted.  The mark comes before a last look: of its fence
 * and that of slab_give one is first.  So this look sees a unit that is given back, or its giver
 * sees the mark and removes it.  Set after a look, the mark would stay although a unit is free, and
 * an item that cannot wait would end FULL. */
ROOST_FN uint32_t slab_sweep(const struct slab_pool *p, const tile g, struct slab_resident *r)
{
    uint32_t handle = slab_look_at_all(p, g, r);
    if (handle != SLAB_NONE) return handle;
    if (g.lane == 0) {
        store_relaxed_device32(p->exhausted, 1);
        fence_sequential_device();
    }
    tile_sync(g); /* the lanes look after lane 0's fence */
    handle = slab_look_at_all(p, g, r);
    if (handle != SLAB_NONE && g.lane == 0) store_relaxed_device32(p->exhausted, 0);
    return handle;
}

/* Takes a unit.  All lanes of the tile call it and get the same handle; SLAB_NONE: all units are
 * taken. */
ROOST_FN uint32_t slab_take(const struct slab_pool *p, const tile g, struct slab_resident *r)
{
    uint32_t handle = slab_resident_take(g, r);
    if (handle != SLAB_NONE) return handle;
    if (slab_blocks(p) == 0 || tile_from32(g, load_relaxed_device32(p->exhausted), 0)) return SLAB_NONE;
    for (int i = 0; i < SLAB_ATTEMPTS && handle == SLAB_NONE; i++) {
        slab_move(p, g, r);
        handle = slab_resident_take(g, r);
    }
    return handle == SLAB_NONE ? slab_sweep(p, g, r) : handle;
}

/* Gives back a unit, which the caller has filled with ones; one lane calls it.  The and releases:
 * the next holder must see the ones, not the earlier contents. */
ROOST_FN void slab_give(const struct slab_pool *p, uint32_t handle)
{
    const uint32_t super = p->light ? 0 : handle >> 24, in_super = p->light ? handle : handle & 0xffffffu;
    uint32_t *const words = slab_bitmap(p, super, p->first_block[super] + in_super / SLAB_BLOCK_UNITS);
    (void)and_release_device32(words + in_super % SLAB_BLOCK_UNITS / 32, ~(1u << (handle & 31u)));
    fence_sequential_device(); /* against that of slab_sweep */
    if (load_relaxed_device32(p->exhausted)) store_relaxed_device32(p->exhausted, 0);
}

#endif
