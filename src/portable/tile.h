/* A tile: `size` lanes (1, 2, 4, 8, 16 or 32) that work on one item together, and its verbs.
 *
 * The driver makes a tile as a value; operations never derive it from thread numbers.  Every verb
 * is collective: all lanes of the tile call it at the same place.  On the host a tile has one lane
 * and every verb is trivial.
 *
 * Tiles that are abreast call each verb with all other tiles of their warp.  So the verb is one
 * instruction.  Else the warp first finds out which tiles have come, by an instruction that takes a
 * turn for each of them. */
#ifndef ROOST_PORTABLE_TILE_H
#define ROOST_PORTABLE_TILE_H

#include "portable/machine.h"

typedef struct tile {
    int size;      /* a constant in every stamped kernel */
    int lane;      /* 0 .. size - 1 */
    uint32_t mask; /* lanes of its warp that call each verb: the tile's, or all if it is abreast */
} tile;

#if defined(ROOST_MACHINE_CUDA)

/* The tile of a thread, by its number in the block: the lanes of a tile are neighbours. */
ROOST_FN tile tile_of(const int size, unsigned thread)
{
    tile g;
    g.size = size;
    g.lane = (int)(thread & (unsigned)(size - 1));
    g.mask = (0xffffffffu >> (32 - size)) << (thread & 31u & ~(unsigned)(size - 1));
    return g;
}
/* For blocks of one dimension: the library launches no others. */
ROOST_FN tile tile_make(const int size) { return tile_of(size, threadIdx.x); }
ROOST_FN tile tile_abreast(const int size)
{
    tile g = tile_make(size);
    g.mask = 0xffffffffu;
    return g;
}
/* The same tile, for verbs that other tiles of its warp do not call. */
ROOST_FN tile tile_apart(tile g)
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    g.mask = (0xffffffffu >> (32 - g.size)) << (lane & ~(unsigned)(g.size - 1));
    return g;
}
/* Does p hold on any lane of the tile, or of those that it is abreast of? */
ROOST_FN bool tile_any_abreast(const tile g, bool p) { return __any_sync(g.mask, p) != 0; }
ROOST_FN uint64_t tile_rank(const int size) { return ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / (unsigned)size; }
ROOST_FN uint64_t tile_count(const int size) { return ((uint64_t)gridDim.x * blockDim.x) / (unsigned)size; }

/* By shuffles, not by the vote instruction: it does not know tiles, so a warp would execute it once
 * for each of its tiles. */
ROOST_FN uint32_t tile_ballot(const tile g, bool p)
{
    if (g.size == 32) return __ballot_sync(g.mask, p);
    uint32_t bits = (uint32_t)p << g.lane;
    ROOST_UNROLL
    for (int step = 1; step < 32; step *= 2)
        if (step < g.size) bits |= __shfl_xor_sync(g.mask, bits, step, g.size);
    return bits;
}
ROOST_FN bool tile_any(const tile g, bool p)
{
    if (g.size == 32) return __any_sync(g.mask, p) != 0;
    uint32_t any = (uint32_t)p;
    ROOST_UNROLL
    for (int step = 1; step < 32; step *= 2)
        if (step < g.size) any |= __shfl_xor_sync(g.mask, any, step, g.size);
    return any != 0;
}
ROOST_FN uint32_t tile_from32(const tile g, uint32_t v, int lane) { return g.size == 1 ? v : __shfl_sync(g.mask, v, lane, g.size); }
ROOST_FN uint64_t tile_from64(const tile g, uint64_t v, int lane)
{
    return g.size == 1 ? v : (uint64_t)__shfl_sync(g.mask, (unsigned long long)v, lane, g.size);
}
/* The smallest of the lanes' values, on every lane. */
ROOST_FN uint32_t tile_min32(const tile g, uint32_t v)
{
    ROOST_UNROLL
    for (int step = 1; step < 32; step *= 2) {
        if (step >= g.size) break;
        const uint32_t other = __shfl_xor_sync(g.mask, v, step, g.size);
        if (other < v) v = other;
    }
    return v;
}
/* The bits of all lanes' values, on every lane. */
ROOST_FN uint32_t tile_or32(const tile g, uint32_t v)
{
    ROOST_UNROLL
    for (int step = 1; step < 32; step *= 2)
        if (step < g.size) v |= __shfl_xor_sync(g.mask, v, step, g.size);
    return v;
}
/* The sum of the lanes' values, on every lane. */
ROOST_FN uint64_t tile_sum64(const tile g, uint64_t v)
{
    ROOST_UNROLL
    for (int step = 1; step < 32; step *= 2)
        if (step < g.size) v += (uint64_t)__shfl_xor_sync(g.mask, (unsigned long long)v, step, g.size);
    return v;
}
/* Brings a warp's tiles together again, only for speed; every lane of the warp calls it. */
ROOST_FN void warp_converge(void) { __syncwarp(); }
/* Orders the lanes' memory accesses before it with those after it. */
ROOST_FN void tile_sync(const tile g)
{
    if (g.size > 1) __syncwarp(g.mask);
}

#elif defined(ROOST_MACHINE_SCHEDULED)

#include "portable/scheduled.h"

#else

ROOST_FN tile tile_make(const int size)
{
    const tile g = {size, 0, 1u};
    return g;
}
ROOST_FN tile tile_apart(const tile g) { return g; }
ROOST_FN bool tile_any_abreast(const tile g, bool p)
{
    (void)g;
    return p;
}
ROOST_FN uint32_t tile_ballot(const tile g, bool p)
{
    (void)g;
    return (uint32_t)p;
}
ROOST_FN bool tile_any(const tile g, bool p)
{
    (void)g;
    return p;
}
ROOST_FN uint32_t tile_from32(const tile g, uint32_t v, int lane)
{
    (void)g, (void)lane;
    return v;
}
ROOST_FN uint64_t tile_from64(const tile g, uint64_t v, int lane)
{
    (void)g, (void)lane;
    return v;
}
ROOST_FN uint32_t tile_min32(const tile g, uint32_t v)
{
    (void)g;
    return v;
}
ROOST_FN uint32_t tile_or32(const tile g, uint32_t v)
{
    (void)g;
    return v;
}
ROOST_FN uint64_t tile_sum64(const tile g, uint64_t v)
{
    (void)g;
    return v;
}
ROOST_FN void tile_sync(const tile g) { (void)g; }

#endif

/* The vector that the lane loads in round r of `rounds`, of those that its tile loads together.
 * Adjacent are either a lane's vectors or those of a round. */
ROOST_FN int tile_vector(const tile g, const bool adjacent, int rounds, int r)
{
    return adjacent ? g.lane * rounds + r : r * g.size + g.lane;
}

/* The lane that loads a vector. */
ROOST_FN int tile_vector_lane(const tile g, const bool adjacent, int rounds, int vector)
{
    return adjacent ? vector / rounds : vector % g.size;
}

#endif
