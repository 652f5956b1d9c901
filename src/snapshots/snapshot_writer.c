/* Frames are numbered and summed up in the order in which they are written. */
#include "snapshots/snapshot_writer.h"

#include <string.h>

size_t packed_room_of(const struct writer *w) { return w->zstd ? w->zstd->bound(BLOCK_BYTES) : 0; }

void block_prepare(const struct writer *w, struct ready_block *block)
{
    struct frame *const f = &block->frame;
    f->stored = f->raw;
    if (block->packed_room && f->raw <= BLOCK_BYTES) {
        const size_t packed = w->zstd->compress(block->packed, block->packed_room, block->raw, (size_t)f->raw, w->level);
        if (!w->zstd->is_error(packed) && packed < f->raw) f->stored = packed, f->flags |= BLOCK_ZSTD;
    }
    f->stored_check = bytes_check(f->flags & BLOCK_ZSTD ? block->packed : block->raw, (size_t)f->stored, 0);
}

static roost_status bytes_write(struct writer *w, const void *bytes, uint64_t n)
{
    const int failed = n ? w->write(w->context, bytes, (size_t)n) : 0;
    w->bytes += n;
    if (!failed) return ROOST_OK;
    if (w->to) return error_set(w->error, ROOST_ERR_IO, "%s: it cannot be written: %s", w->to, strerror(failed));
    return error_set(w->error, ROOST_ERR_IO, "the function that writes the snapshot returned %d", failed);
}

roost_status block_write(struct writer *w, struct ready_block *block)
{
    struct frame *const f = &block->frame;
    f->index = w->totals.blocks++;
    f->id = w->id;
    frame_seal(f);
    w->totals.pairs += f->kind == BLOCK_PAIRS ? f->items : 0;
    w->totals.erased += f->kind == BLOCK_ERASED ? f->items : 0;
    w->totals.checks = bytes_check(f, sizeof *f, w->totals.checks);
    const roost_status status = bytes_write(w, f, sizeof *f);
    return status ? status : bytes_write(w, f->flags & BLOCK_ZSTD ? block->packed : block->raw, f->stored);
}

static roost_status small_write(struct writer *w, enum block_kind kind, uint64_t items, const void *bytes, size_t n)
{
    struct ready_block block;
    memset(&block, 0, sizeof block);
    block.frame.kind = (uint16_t)kind;
    block.frame.items = items;
    block.frame.raw = n;
    block.raw = bytes;
    block_prepare(w, &block);
    return block_write(w, &block);
}

roost_status header_write(struct writer *w, const struct header *header)
{
    const roost_status status = small_write(w, BLOCK_HEADER, 1, header, sizeof *header);
    return status ? status : small_write(w, BLOCK_HEADER, 1, header, sizeof *header);
}

roost_status end_write(struct writer *w)
{
    const struct totals totals = w->totals;
    return small_write(w, BLOCK_END, 1, &totals, sizeof totals);
}

roost_status shards_write(struct writer *w, const struct shard_entry *shards, uint32_t n)
{
    return small_write(w, BLOCK_SHARDS, n, shards, n * sizeof *shards);
}
