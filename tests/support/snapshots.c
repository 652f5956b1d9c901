/* Snapshots in memory: read and written by functions, cut into blocks, put together, forged. */
#include "support/snapshots.h"

#include <stdlib.h>
#include <string.h>

void image_free(struct image *image)
{
    free(image->at);
    *image = (struct image){0};
}

void image_add(struct image *image, const void *bytes, size_t n)
{
    if (image->n + n > image->room) {
        image->room = 2 * (image->n + n);
        image->at = realloc(image->at, image->room);
        if (!image->at) abort();
    }
    if (n) memcpy(image->at + image->n, bytes, n);
    image->n += n;
}

int image_write(void *image, const void *bytes, size_t n)
{
    image_add(image, bytes, n);
    return 0;
}

int image_read(void *source, void *bytes, size_t room, size_t *n)
{
    struct image_source *const s = source;
    const size_t left = s->n - s->taken, most = s->step && s->step < room ? s->step : room;
    if (++s->reads == s->fails_at) return 77;
    *n = most < left ? most : left;
    if (*n) memcpy(bytes, s->at + s->taken, *n);
    s->taken += *n;
    if (s->reads == s->lies_at) *n = room + 1;
    return 0;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

struct frame image_frame(const struct image *image, size_t at)
{
    struct frame f;
    memcpy(&f, image->at + at, sizeof f);
    return f;
}

size_t image_blocks(const struct image *image, size_t at[IMAGE_BLOCKS + 1])
{
    size_t n = 0;
    at[0] = 0;
    while (n < IMAGE_BLOCKS && at[n] + sizeof(struct frame) <= image->n) {
        at[n + 1] = at[n] + sizeof(struct frame) + (size_t)image_frame(image, at[n]).stored;
        n++;
    }
    return n;
}

static void seal(struct frame *f)
{
    memcpy(f->magic, SNAPSHOT_MAGIC, sizeof f->magic);
    f->frame_check = bytes_check(f, offsetof(struct frame, frame_check), 0);
}

static void totals_count(struct totals *totals, const struct frame *f)
{
    totals->blocks++;
    totals->pairs += f->kind == BLOCK_PAIRS ? f->items : 0;
    totals->erased += f->kind == BLOCK_ERASED ? f->items : 0;
    totals->checks = bytes_check(f, sizeof *f, totals->checks);
}

void image_reseal(uint8_t *bytes, size_t n)
{
    struct totals totals = {0, 0, 0, 0};
    struct frame f;
    for (size_t at = 0; n - at >= sizeof f; at += sizeof f + (size_t)f.stored) {
        memcpy(&f, bytes + at, sizeof f);
        uint8_t *const stored = bytes + at + sizeof f;
        /* Cut off: the last one that is made right. */
        const bool ends = f.stored > n - at - sizeof f;
        if (!ends && f.kind == BLOCK_END && f.stored == sizeof totals) memcpy(stored, &totals, sizeof totals);
        if (!ends) f.stored_check = bytes_check(stored, (size_t)f.stored, 0);
        seal(&f);
        memcpy(bytes + at, &f, sizeof f);
        totals_count(&totals, &f);
        if (ends) return;
    }
}

/* ---- Forged ones ----------------------------------------------------------------------------- */

struct header forge_header(uint64_t pairs)
{
    struct header h;
    memset(&h, 0, sizeof h);
    h.kind = SNAPSHOT_WHOLE;
    h.key_type = ROOST_TYPE_U64;
    h.value_type = ROOST_TYPE_U64;
    h.key_bytes = 8;
    h.value_bytes = 8;
    h.growth = 1;
    h.pairs = pairs;
    h.min_fill = 0.30;
    h.max_fill = 0.85;
    return h;
}

void forge_add(struct forge *forge, struct forged b)
{
    struct frame f;
    memset(&f, 0, sizeof f);
    f.kind = b.kind;
    f.flags = b.flags;
    f.version = SNAPSHOT_VERSION;
    f.index = forge->totals.blocks;
    f.id = forge->id;
    f.items = b.items;
    f.raw = b.raw;
    f.stored = b.stored;
    f.stored_check = bytes_check(b.bytes, b.n, 0);
    seal(&f);
    totals_count(&forge->totals, &f);
    image_add(&forge->image, &f, sizeof f);
    image_add(&forge->image, b.bytes, b.n);
}

void forge_block(struct forge *forge, enum block_kind kind, uint64_t items, const void *bytes, size_t n)
{
    forge_add(forge, (struct forged){(uint16_t)kind, 0, items, n, n, bytes, n});
}

void forge_begin(struct forge *forge, const struct header *header, uint64_t id)
{
    *forge = (struct forge){.id = id};
    for (int i = 0; i < 2; i++) forge_block(forge, BLOCK_HEADER, 1, header, sizeof *header);
}

void forge_words(struct forge *forge, uint64_t items, const uint64_t *words)
{
    forge_block(forge, BLOCK_PAIRS, items, words, (size_t)items * 2 * sizeof *words);
}

void forge_end(struct forge *forge)
{
    const struct totals totals = forge->totals;
    forge_block(forge, BLOCK_END, 1, &totals, sizeof totals);
}
