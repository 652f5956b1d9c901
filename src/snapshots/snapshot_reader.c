/* One pass over the bytes of a snapshot.
 *
 * A frame is believed by its own check, so the number of bytes behind it is right, or somebody made
 * it: memory for them grows as they arrive.  Behind a frame that is damaged the next one is found
 * by its magic.  So it is among the bytes of a block that is damaged, for it may lack some. */
#include "snapshots/snapshot_reader.h"

#include <stdlib.h>
#include <string.h>

#include "snapshots/snapshot_zstd.h"

enum {
    FIRST_ROOM = BLOCK_BYTES / 16, /* bytes of a block's memory, at first */
    AGAIN_MOST = 2                 /* bytes that come once more, for each byte that was read */
};

static const char *name_of(const struct reader *r) { return r->from ? r->from : "the snapshot"; }

roost_status block_damaged(const struct reader *r, uint64_t index, const char *what)
{
    return error_set(r->error, ROOST_ERR_CORRUPT, "%s: block %llu %s", name_of(r), (unsigned long long)index, what);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Up to n bytes that come once more; returns how many. */
static uint64_t bytes_again(struct reader *r, void *to, uint64_t n)
{
    const uint64_t left = r->again_end - r->again_at, some = n < left ? n : left;
    if (some) memcpy(to, r->again.at + r->again_at, (size_t)some);
    r->again_at += some;
    return some;
}

/* Reads up to n bytes; fewer only at the end. */
static roost_status bytes_read(struct reader *r, void *to, uint64_t n, uint64_t *got)
{
    for (*got = bytes_again(r, to, n); *got < n;) {
        size_t more = 0;
        const int failed = r->read(r->context, (char *)to + *got, (size_t)(n - *got), &more);
        if (failed && r->from) return error_set(r->error, ROOST_ERR_IO, "%s: it cannot be read: %s", r->from, strerror(failed));
        if (failed) return error_set(r->error, ROOST_ERR_IO, "the function that reads the snapshot returned %d", failed);
        if (more > n - *got)
            return error_set(r->error, ROOST_ERR_ARGUMENT, "the function that reads wrote more than there is room");
        if (!more) break;
        *got += more;
        r->bytes += more;
    }
    return ROOST_OK;
}

static roost_status growing_to(struct reader *r, struct growing *g, uint64_t room)
{
    if (room <= g->room) return ROOST_OK;
    char *const at = room <= SIZE_MAX ? (char *)realloc(g->at, (size_t)room) : NULL;
    if (!at) return error_set(r->error, ROOST_ERR_MEMORY, "no memory for a block of %llu bytes", (unsigned long long)room);
    g->at = at;
    g->room = room;
    return ROOST_OK;
}

/* Reads up to n bytes into memory that has at most twice as many as have come. */
static roost_status stored_read(struct reader *r, uint64_t n, uint64_t *got)
{
    roost_status status = ROOST_OK;
    for (*got = 0; !status && *got < n;) {
        uint64_t more, room = r->stored.room > FIRST_ROOM ? r->stored.room : FIRST_ROOM;
        if (*got == r->stored.room) room = *got ? *got * 2 : room;
        if (room > n && r->stored.room < n) room = n;
        status = growing_to(r, &r->stored, room);
        const uint64_t wanted = (r->stored.room < n ? r->stored.room : n) - *got;
        if (!status) status = bytes_read(r, r->stored.at + *got, wanted, &more);
        if (status) return status;
        *got += more;
        if (more < wanted) break;
    }
    return status;
}

/* The n bytes of the block that was read last come once more: others may begin among them.  Blocks
 * in blocks, however they are made, are read three times in the mean at most. */
static void stored_return(struct reader *r, uint64_t n)
{
    const struct growing stored = r->stored;
    if (r->returned + n > AGAIN_MOST * r->bytes) return;
    r->returned += n;
    if (r->again_at < r->again_end) { /* all n came from there */
        r->again_at -= n;
        return;
    }
    r->stored = r->again;
    r->again = stored;
    r->again_at = 0;
    r->again_end = n;
}

static void growing_free(struct growing *g)
{
    free(g->at);
    memset(g, 0, sizeof *g);
}

void reader_release(struct reader *r)
{
    growing_free(&r->stored);
    growing_free(&r->unpacked);
    growing_free(&r->again);
    r->again_at = r->again_end = 0;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Moves the frame's bytes on to the next place where one may begin, and fills it up. */
static roost_status frame_search(struct reader *r, struct frame *f, uint64_t *got)
{
    char *const bytes = (char *)f;
    const char *const at = (const char *)memchr(bytes + 1, SNAPSHOT_MAGIC[0], sizeof *f - 1);
    const size_t kept = at ? (size_t)(bytes + sizeof *f - at) : 0;
    uint64_t more = 0;
    if (at) memmove(bytes, at, kept);
    const roost_status status = bytes_read(r, bytes + kept, sizeof *f - kept, &more);
    *got = kept + more;
    return status;
}

/* Is it a frame of this snapshot that may come now? */
static bool frame_follows(const struct reader *r, const struct frame *f)
{
    return frame_is_whole(f) && (!r->next || f->id == r->id) && (r->salvage ? f->index >= r->next : f->index == r->next);
}

/* Why a frame does not follow. */
static roost_status frame_refuse(const struct reader *r, const struct frame *f, uint64_t got)
{
    if (!r->next && (got < SNAPSHOT_MAGIC_BYTES || memcmp(f->magic, SNAPSHOT_MAGIC, SNAPSHOT_MAGIC_BYTES) != 0))
        return error_set(r->error, ROOST_ERR_ARGUMENT, "%s: this is no snapshot", name_of(r));
    if (got < sizeof *f) return block_damaged(r, r->next, got ? "is cut off" : "is missing: the snapshot is cut off");
    if (!frame_is_whole(f)) return block_damaged(r, r->next, "has a damaged frame");
    if (f->index == r->next) return block_damaged(r, r->next, "is of another snapshot");
    return block_damaged(r, r->next, "is missing");
}

void reader_lose(struct reader *r, uint64_t index, uint64_t blocks)
{
    if (!r->lost && blocks) r->first_damaged = index;
    r->lost += blocks;
}

/* Reads the next frame.  *got below its size: the end has come first. */
static roost_status frame_read(struct reader *r, struct frame *f, uint64_t *got)
{
    roost_status status = bytes_read(r, f, sizeof *f, got);
    while (!status && r->salvage && *got == sizeof *f && !frame_follows(r, f)) status = frame_search(r, f, got);
    if (status || (*got == sizeof *f && frame_follows(r, f))) return status;
    return r->salvage ? ROOST_OK : frame_refuse(r, f, *got);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static roost_status unpack(struct reader *r, struct block *block)
{
    const struct frame *const f = &block->frame;
    const struct zstd *zstd;
    if (f->raw > BLOCK_BYTES) return block_damaged(r, f->index, "is larger than a compressed block may be");
    roost_status status = zstd_find(&zstd, r->error);
    if (!status) status = growing_to(r, &r->unpacked, f->raw ? f->raw : 1);
    if (status) return status;
    const size_t got = zstd->decompress(r->unpacked.at, (size_t)f->raw, r->stored.at, (size_t)f->stored);
    block->raw = r->unpacked.at;
    return zstd->is_error(got) || got != f->raw ? block_damaged(r, f->index, "cannot be unpacked") : ROOST_OK;
}

/* What is stored is not what was written. */
static roost_status stored_refuse(struct reader *r, uint64_t index, uint64_t got, const char *what)
{
    if (r->salvage) stored_return(r, got);
    return block_damaged(r, index, what);
}

/* Reads what follows a frame, and checks it. */
static roost_status block_read(struct reader *r, struct block *block)
{
    const struct frame *const f = &block->frame;
    uint64_t got;
    if (!f->version || f->version > SNAPSHOT_VERSION)
        return error_set(r->error, ROOST_ERR_UNSUPPORTED, "%s: its format is of version %u, and this library knows %d", name_of(r),
                         f->version, SNAPSHOT_VERSION);
    const roost_status status = stored_read(r, f->stored, &got);
    if (status) return status;
    block->raw = r->stored.at;
    if (got < f->stored) return stored_refuse(r, f->index, got, "is cut off");
    if (bytes_check(block->raw, (size_t)got, 0) != f->stored_check)
        return stored_refuse(r, f->index, got, "is damaged: its checksum is wrong");
    if (f->flags & ~(BLOCK_ZSTD | BLOCK_WIDE_OFFSETS)) return block_damaged(r, f->index, "has flags that nobody knows");
    if (f->flags & BLOCK_ZSTD) return unpack(r, block);
    return f->raw == f->stored ? ROOST_OK : block_damaged(r, f->index, "has two sizes");
}

static void totals_add(struct reader *r, const struct frame *f)
{
    r->totals.blocks++;
    r->totals.pairs += f->kind == BLOCK_PAIRS ? f->items : 0;
    r->totals.erased += f->kind == BLOCK_ERASED ? f->items : 0;
    r->totals.checks = bytes_check(f, sizeof *f, r->totals.checks);
}

/* Compares END with what came before it. */
static roost_status end_check(struct reader *r, const struct block *block)
{
    r->ended = true;
    if (r->salvage && r->lost) return ROOST_OK;
    if (block->frame.raw == sizeof r->totals && !memcmp(block->raw, &r->totals, sizeof r->totals)) return ROOST_OK;
    return block_damaged(r, block->frame.index, "does not end this snapshot: its totals are others");
}

static void end_without(struct reader *r, struct block *block)
{
    reader_lose(r, r->next, 1);
    block->frame.kind = BLOCK_END;
    r->ended = true;
}

/* Reads the next block.  *damaged: it is, and was left out. */
static roost_status block_next(struct reader *r, struct block *block, bool *damaged)
{
    uint64_t got;
    memset(block, 0, sizeof *block);
    roost_status status = frame_read(r, &block->frame, &got);
    if (status) return status;
    if (got < sizeof block->frame) return end_without(r, block), ROOST_OK;
    const uint64_t index = block->frame.index;
    reader_lose(r, r->next, index - r->next);
    r->id = block->frame.id;
    r->next = index + 1;
    status = block_read(r, block);
    *damaged = status == ROOST_ERR_CORRUPT && r->salvage;
    if (*damaged) return reader_lose(r, index, 1), ROOST_OK;
    if (!status && block->frame.kind == BLOCK_END) return end_check(r, block);
    if (!status) totals_add(r, &block->frame);
    return status;
}

/* A header comes once more, for salvage. */
static roost_status header_again(struct reader *r, const struct block *block)
{
    const bool same = block->frame.raw == sizeof r->header && !memcmp(block->raw, &r->header, sizeof r->header);
    return same ? ROOST_OK : block_damaged(r, block->frame.index, "has another header");
}

roost_status reader_next(struct reader *r, struct block *block)
{
    roost_status status;
    bool again;
    do {
        bool damaged = false;
        status = block_next(r, block, &damaged);
        again = damaged || block->frame.kind == BLOCK_HEADER;
        if (!status && !damaged && again) status = header_again(r, block);
    } while (!status && again);
    return status;
}

roost_status reader_begin(struct reader *r)
{
    struct block block;
    bool damaged;
    roost_status status;
    do {
        damaged = false;
        status = block_next(r, &block, &damaged);
    } while (!status && damaged);
    if (status) return status;
    if (block.frame.kind != BLOCK_HEADER || block.frame.raw != sizeof r->header)
        return block_damaged(r, block.frame.index, "is no header, without which a snapshot tells nothing");
    memcpy(&r->header, block.raw, sizeof r->header);
    return header_check(&r->header, r->error);
}

roost_status reader_at_end(struct reader *r)
{
    char byte;
    uint64_t got;
    const roost_status status = bytes_read(r, &byte, 1, &got);
    if (status || !got || r->salvage) return status;
    return error_set(r->error, ROOST_ERR_CORRUPT, "%s: bytes follow behind the snapshot's end", name_of(r));
}
