/* SlabAlloc: units of one size, taken and given back inside kernels by tiles (Ashkiani, Farach-Colton, Owens, "A Dynamic Hash Table for
 * the GPU", section V).
 *
 *      super block       block 0       block 1             each block: 1024 units and a bitmap of 32 words, 1 = taken
 *      [bitmaps| units ] [b0 b1 ...  | u u u ... u u u ...]
 *
 *      handle, 32 bits:  | super block: 8 | block in it: 14 | unit in that: 10 |      all ones: no unit
 *
 * A worker (a tile; on the host a thread) has a resident block, whose bitmap it keeps in registers: a tile of 32 lanes all of it, a
 * narrower one as many words of it as it has lanes.  Taking a unit is one atomic on the word that a lane thinks has a free bit.  Once these
 * words are full the worker moves: one hash of worker and attempt chooses the block, another which words of it.  After some attempts in
 * vain it sweeps over all of them, so a unit that is free all along is found; when there is none it says so, once for all workers
 * (`exhausted`), until a unit is given back.  Nothing here waits for another worker.
 *
 * Memory comes from the host between kernels (src/backends/slab_pool.c), in super blocks of any size up to 2^24 - 1024 units; what a last block
 * lacks is marked as taken for ever.  With `light` there is one array of up to 2^32 units, handles are numbers in it, and an address needs
  * no look at the table of super blocks (the paper's SlabAlloc-light; its 32 x 256 x 1024 units are slab_pool_paper).
 *
 * Free units are filled with ones: who gives one back sees to it before.  Giving is a release and taking an acquire, so who takes a unit
 * sees these ones, and none of the words that the unit held before: all lanes of a tile do. */
#ifndef ROOST_PORTABLE_SLAB_ALLOC_H
#define ROOST_PORTABLE_SLAB_ALLOC_H

#include "portable/atomic.h"
#include "portable/bits.h"
#include "portable/tile.h"

enum {
    SLAB_BYTES = 128, /* of a unit */
    SLAB_SUPERS = 256,
    SLAB_BLOCK_UNITS = 1024,
    SLAB_BLOCK_WORDS = 32,
    SLAB_SUPER_BLOCKS = (1 << 14) - 1, /* at most: the last of 2^14 would have the handle of all ones */
    SLAB_ATTEMPTS = 16                 /* blocks that a worker tries before it sweeps */
};

#define SLAB_NONE 0xffffffffu

/* What kernels see of a pool. */
struct slab_pool {
    unsigned char *units[SLAB_SUPERS];     /* of each super block; its bitmaps end where they begin */
    uint32_t first_block[SLAB_SUPERS + 1]; /* the blocks before it, in all */
    uint32_t supers, light;
    uint32_t *exhausted; /* 1: a sweep found nothing, and nothing has been given back since */
};

/* A worker's resident words; SLAB_RESIDENT_NONE before the first. */
struct slab_resident {
    uint32_t *words; /* this lane's word */
    uint32_t handle; /* of that word's first unit */
    uint32_t bits;   /* the word as this worker last saw it */
    uint32_t attempt, worker;
};

ROOST_FN struct slab_resident slab_resident_none(uint32_t worker)
{
    const struct slab_resident r = {NULL, SLAB_NONE, 0xffffffffu, 0, worker};
    return r;
}

ROOST_FN uint32_t slab_blocks(const struct slab_pool *p) { return p->first_block[p->supers]; }

/* Where a unit lies; the first of 2^24 units a super block (2^32 the light array). */
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

/* Makes lanes' words `first` .. of a block the resident ones. */
ROOST_FN void slab_reside(const struct slab_pool *p, const tile g, struct slab_resident *r, uint32_t block, uint32_t first)
{
    const uint32_t super = slab_super(p, block), in_super = block - p->first_block[super];
    const uint32_t word = first + (uint32_t)g.lane;
    r->words = slab_bitmap(p, super, block) + word;
    r->handle = (p->light ? 0 : super << 24) + in_super * SLAB_BLOCK_UNITS + word * 32;
    r->bits = load_relaxed_device32(r->words); /* a hint: the atomic that takes a bit tells the truth */
}

/* The next resident words, by two hashes of worker and attempt. */
ROOST_FN void slab_move(const struct slab_pool *p, const tile g, struct slab_resident *r)
{
    const uint32_t a = slab_mix(r->worker, r->attempt * 2 + 1), b = slab_mix(a, r->worker + 0x7f4a7c15u);
    const uint32_t parts = SLAB_BLOCK_WORDS / (uint32_t)g.size;
    r->attempt++;
    slab_reside(p, g, r, range32(a, slab_blocks(p)), range32(b, parts) * (uint32_t)g.size);
}

/* This lane takes a unit out of its word, or finds that it was full.  The or makes one of several workers that see the same bit free the
 * one that gets the unit: with a load and a store both would.  It acquires, so the ones that the giver filled the unit with are seen. */
ROOST_FN uint32_t slab_word_take(struct slab_resident *r)
{
    while (r->bits != 0xffffffffu) { /* each round another worker took the bit, and there are 32 */
        const uint32_t bit = (uint32_t)bit_lowest32(~r->bits), seen = or_acquire_device32(r->words, 1u << bit);
        r->bits |= seen | 1u << bit;
        if (!(seen >> bit & 1u)) return r->handle + bit;
    }
    return SLAB_NONE;
}

/* A unit of the resident words, or SLAB_NONE: they are full. */
ROOST_FN uint32_t slab_resident_take(const tile g, struct slab_resident *r)
{
    for (;;) {
        const uint32_t with = tile_ballot(g, r->bits != 0xffffffffu);
        if (!with) return SLAB_NONE;
        const int lane = bit_lowest32(with);
        const uint32_t handle = tile_from32(g, g.lane == lane ? slab_word_take(r) : SLAB_NONE, lane);
        if (handle == SLAB_NONE) continue;
        tile_sync(g); /* what one lane has acquired the others use: lane 0 publishes the unit, all read it */
        return handle;
    }
}

/* Looks at every word once.  What is given back behind it is not found: then all units were taken at some time during the sweep. */
ROOST_FN uint32_t slab_sweep(const struct slab_pool *p, const tile g, struct slab_resident *r)
{
    const uint32_t blocks = slab_blocks(p), start = range32(slab_mix(r->worker, r->attempt), blocks);
    for (uint32_t i = 0; i < blocks; i++)
        for (uint32_t first = 0; first < SLAB_BLOCK_WORDS; first += (uint32_t)g.size) {
            slab_reside(p, g, r, (start + i) % blocks, first);
            const uint32_t handle = slab_resident_take(g, r);
            if (handle != SLAB_NONE) return handle;
        }
    /* A unit that is given back between the sweep and this store is found when the policy has looked: the item waits for that. */
    if (g.lane == 0) store_relaxed_device32(p->exhausted, 1);
    return SLAB_NONE;
}

/* Takes a unit; all lanes of the tile call it and get the same handle.  SLAB_NONE: all are taken. */
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

/* Gives a unit back, filled with ones; one lane calls it.  The and releases: who takes the unit must see the ones, not what was there
 * before. */
ROOST_FN void slab_give(const struct slab_pool *p, uint32_t handle)
{
    const uint32_t super = p->light ? 0 : handle >> 24, in_super = p->light ? handle : handle & 0xffffffu;
    uint32_t *const words = slab_bitmap(p, super, p->first_block[super] + in_super / SLAB_BLOCK_UNITS);
    (void)and_release_device32(words + in_super % SLAB_BLOCK_UNITS / 32, ~(1u << (handle & 31u)));
    if (load_relaxed_device32(p->exhausted)) store_relaxed_device32(p->exhausted, 0);
}

#endif
