/* The host's side of SlabAlloc: adds super blocks between kernels, and releases those without a
 * taken unit. */
#include "backends/slab_pool.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_SUPER_UNITS = SLAB_SUPER_BLOCKS * SLAB_BLOCK_UNITS, LEAST_UNITS = 32 };

static uint64_t blocks_of(uint64_t units) { return (units + SLAB_BLOCK_UNITS - 1) / SLAB_BLOCK_UNITS; }

static uint64_t bitmap_bytes(uint64_t units) { return blocks_of(units) * SLAB_BLOCK_WORDS * sizeof(uint32_t); }

static uint64_t super_bytes(uint64_t units) { return bitmap_bytes(units) + units * SLAB_BYTES; }

void slab_pool_make(struct slab_pool_owner *o, bool light, uint32_t *exhausted)
{
    memset(o, 0, sizeof *o);
    o->pool.light = light;
    o->pool.exhausted = exhausted;
}

static void super_release(struct slab_pool_owner *o, struct backend *b)
{
    const uint32_t last = --o->pool.supers;
    const uint64_t units = o->super_units[last];
    backend_release(b, o->pool.units[last] - bitmap_bytes(units), super_bytes(units));
    o->units -= units;
}

void slab_pool_unmake(struct slab_pool_owner *o, struct backend *b)
{
    while (o->pool.supers) super_release(o, b);
}

/* Frees all units of one super block.  The units that its last block lacks stay taken for ever. */
static roost_status super_clear(const struct slab_pool_owner *o, struct backend *b, uint32_t super)
{
    const uint64_t units = o->super_units[super];
    unsigned char *const at = o->pool.units[super], *const bitmaps = at - bitmap_bytes(units);
    roost_status status = b->operations->fill(b, at, 0xff, units * SLAB_BYTES);
    if (!status) status = b->operations->fill(b, bitmaps, 0, units / 8);
    if (!status && bitmap_bytes(units) > units / 8)
        status = b->operations->fill(b, bitmaps + units / 8, 0xff, bitmap_bytes(units) - units / 8);
    return status;
}

roost_status slab_pool_clear(struct slab_pool_owner *o, struct backend *b)
{
    roost_status status = b->operations->fill(b, o->pool.exhausted, 0, sizeof *o->pool.exhausted);
    for (uint32_t i = 0; !status && i < o->pool.supers; i++) status = super_clear(o, b, i);
    return status;
}

static roost_status super_add(struct slab_pool_owner *o, struct backend *b, uint64_t units)
{
    const uint32_t i = o->pool.supers;
    void *memory;
    if (i == SLAB_SUPERS || o->units + units >= SLAB_NONE)
        return error_set(b->error, ROOST_ERR_MEMORY, "a pool of %" PRIu64 " units in %" PRIu32 " super blocks cannot grow",
                         o->units, i);
    roost_status status = backend_allocate(b, super_bytes(units), &memory);
    if (status) return status;
    o->pool.units[i] = (unsigned char *)memory + bitmap_bytes(units);
    o->super_units[i] = units;
    o->pool.first_block[i + 1] = o->pool.first_block[i] + (uint32_t)blocks_of(units);
    o->pool.supers++;
    o->units += units;
    status = super_clear(o, b, i);
    if (!status) status = b->operations->fill(b, o->pool.exhausted, 0, sizeof *o->pool.exhausted);
    if (status) super_release(o, b);
    return status;
}

roost_status slab_pool_paper(struct slab_pool_owner *o, struct backend *b)
{
    roost_status status = ROOST_OK;
    for (int i = 0; !status && i < 32; i++) status = super_add(o, b, 256 * SLAB_BLOCK_UNITS);
    return status;
}

/* The light array grows by moving.  Handles are numbers in it, so they stay valid. */
static roost_status light_enlarge(struct slab_pool_owner *o, struct backend *b, uint64_t units)
{
    struct slab_pool_owner longer;
    slab_pool_make(&longer, true, o->pool.exhausted);
    const uint64_t before = o->units;
    roost_status status = super_add(&longer, b, units);
    if (status) return status;
    if (before) {
        status = b->operations->copy(b, longer.pool.units[0], o->pool.units[0], before * SLAB_BYTES);
        if (!status)
            status = b->operations->copy(b, longer.pool.units[0] - bitmap_bytes(units), o->pool.units[0] - bitmap_bytes(before),
                                         before / 8);
    }
    slab_pool_unmake(status ? &longer : o, b);
    if (!status) *o = longer;
    return status;
}

roost_status slab_pool_reserve(struct slab_pool_owner *o, struct backend *b, uint64_t units)
{
    roost_status status = ROOST_OK;
    if (units <= o->units) return ROOST_OK;
    units = (units + LEAST_UNITS - 1) / LEAST_UNITS * LEAST_UNITS;
    if (o->pool.light) return light_enlarge(o, b, units);
    const uint32_t supers = o->pool.supers;
    /* Each step at least doubles the pool.  Otherwise many small super blocks would use up the
     * 256. */
    while (!status && o->units < units) {
        uint64_t more = units - o->units;
        if (o->pool.supers >= 16 && more < o->units) more = (o->units + LEAST_UNITS - 1) / LEAST_UNITS * LEAST_UNITS;
        status = super_add(o, b, more < MOST_SUPER_UNITS ? more : MOST_SUPER_UNITS);
    }
    while (status && o->pool.supers > supers) super_release(o, b);
    return status;
}

/* Is no unit of the last super block taken? */
static roost_status last_is_free(const struct slab_pool_owner *o, struct backend *b, bool *is_free)
{
    const uint64_t units = o->super_units[o->pool.supers - 1], bytes = units / 8;
    unsigned char *const bits = (unsigned char *)host_new(&b->allocator, bytes);
    if (!bits) return error_set(b->error, ROOST_ERR_MEMORY, "no memory for a copy of a bitmap");
    const roost_status status = backend_read(b, bits, o->pool.units[o->pool.supers - 1] - bitmap_bytes(units), bytes);
    *is_free = true;
    for (uint64_t i = 0; i < bytes; i++) *is_free &= bits[i] == 0;
    host_delete(&b->allocator, bits, bytes);
    return status;
}

roost_status slab_pool_trim(struct slab_pool_owner *o, struct backend *b)
{
    while (o->pool.supers) {
        bool is_free = false;
        const roost_status status = last_is_free(o, b, &is_free);
        if (status) return status;
        if (!is_free) break;
        super_release(o, b);
    }
    return ROOST_OK;
}

uint64_t slab_pool_bytes(const struct slab_pool_owner *o)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < o->pool.supers; i++) bytes += super_bytes(o->super_units[i]);
    return bytes;
}
