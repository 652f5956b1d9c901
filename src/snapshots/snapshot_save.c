/* Blocks are exported by a thread ahead of the caller's, which writes them in order.  Where they
 * are compressed, all threads make them ready. */
#include "snapshots/snapshot_save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/changes.h"
#include "api/checks.h"
#include "api/collective.h"
#include "backends/host_threads.h"
#include "portable/random_seed.h"
#include "snapshots/snapshot_ahead.h"
#include "snapshots/snapshot_file.h"

enum {
    ZSTD_LEVEL_MOST = 19,
    TOGETHER = 16 /* blocks that are made ready at a time, at most */
};

/* ---- Begin ----------------------------------------------------------------------------------- */

static roost_status save_options_read(struct save *s, const roost_save_options *options)
{
    static const roost_save_options defaults = ROOST_SAVE_OPTIONS_INIT;
    struct error *const error = &s->t->error;
    if (options && (options->size != sizeof *options || (options->saved && options->saved->size != sizeof *options->saved)))
        return error_set(error, ROOST_ERR_ARGUMENT, "roost_save_options or roost_saved: size is wrong: set it to sizeof");
    s->options = options ? *options : defaults;
    if (s->options.zstd < 0 || s->options.zstd > ZSTD_LEVEL_MOST)
        return error_set(error, ROOST_ERR_ARGUMENT, "zstd is %d, and levels are 1 to %d", s->options.zstd, ZSTD_LEVEL_MOST);
    if (s->options.note && strlen(s->options.note) >= NOTE_TEXT)
        return error_set(error, ROOST_ERR_ARGUMENT, "the note has more than %d bytes", NOTE_TEXT - 1);
    s->writer.level = s->options.zstd;
    return s->options.zstd ? zstd_find(&s->writer.zstd, error) : ROOST_OK;
}

static roost_status header_make(struct save *s)
{
    struct roost_table *const t = s->t;
    struct header *const h = &s->header;
    const roost_config *const c = &t->origin.config;
    h->kind = SNAPSHOT_WHOLE;
    h->flags = c->flags;
    h->key_type = c->key_type;
    h->value_type = c->value_type;
    h->key_bytes = (uint32_t)t->key_bytes;
    h->value_bytes = (uint32_t)t->value_bytes;
    h->growth = c->growth != 0;
    h->saturate = t->saturate;
    h->zstd = s->options.zstd != 0;
    h->capacity = t->group && t->group->devices ? t->group->capacity : c->capacity;
    h->next_number = t->numbered ? t->at->numbers.next : 0;
    h->min_fill = c->min_fill;
    h->max_fill = c->max_fill;
    snprintf(h->engine, sizeof h->engine, "%s", t->engine->name);
    snprintf(h->options, sizeof h->options, "%s", t->origin.given);
    if (s->options.note) snprintf(h->note, sizeof h->note, "%s", s->options.note);
    return pairs_count(t, &h->pairs);
}

roost_status save_begin(struct save *s, struct roost_table *t, const roost_save_options *options, const char *to)
{
    memset(s, 0, sizeof *s);
    s->t = t;
    s->writer.to = to;
    s->writer.error = &t->error;
    const roost_status status = save_options_read(s, options);
    if (status) return status;
    do
        if (!random_seed(&s->writer.id)) return error_set(&t->error, ROOST_ERR_DEVICE, "the system has no random number");
    while (!s->writer.id);
    return header_make(s);
}

roost_status save_progress(const struct save *s, uint64_t done)
{
    const roost_save_options *const o = &s->options;
    const int ended = o->progress ? o->progress(o->progress_context, done, s->header.pairs) : 0;
    return ended ? error_set(s->writer.error, ROOST_ERR_IO, "the function that is told of progress ended the call (%d)", ended)
                 : ROOST_OK;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

struct blocks {
    const struct writer *writer;
    struct pairs_room room[TOGETHER];
    struct ready_block block[TOGETHER];
    int most, n;
};

static int threads_of(const struct roost_table *t) { return t->backend->ordinal < 0 ? t->backend->threads : host_processors(); }

static void blocks_release(struct blocks *b)
{
    for (int i = 0; i < b->most; i++) {
        room_release(&b->room[i]);
        free(b->block[i].packed);
    }
}

/* One block needs no other thread, unless it is compressed. */
static roost_status blocks_make(struct blocks *b, struct save *s)
{
    const int threads = threads_of(s->t);
    memset(b, 0, sizeof *b);
    b->writer = &s->writer;
    const int wanted = !s->writer.zstd ? 1 : threads < TOGETHER ? threads : TOGETHER;
    while (b->most < wanted) {
        struct ready_block *const block = &b->block[b->most];
        const roost_status status = room_make(&b->room[b->most++], s->t);
        block->packed_room = packed_room_of(&s->writer);
        block->packed = block->packed_room && !status ? malloc(block->packed_room) : NULL;
        if (status) return status;
        if (block->packed_room && !block->packed)
            return error_set(&s->t->error, ROOST_ERR_MEMORY, "no memory for a compressed block");
    }
    return ROOST_OK;
}

static void block_share(const void *context, uint64_t i)
{
    struct blocks *const b = (struct blocks *)(uintptr_t)context; /* each share has its own block */
    block_prepare(b->writer, &b->block[i]);
}

static roost_status blocks_take(struct blocks *b, struct save *s, roost_cursor *cursor)
{
    roost_status status = ROOST_OK;
    for (b->n = 0; !status && b->n < b->most && !cursor->end;) {
        struct ready_block *const block = &b->block[b->n];
        uint64_t n;
        status = room_fill(s->t, cursor, &b->room[b->n], &n);
        if (status || !n) continue;
        memset(&block->frame, 0, sizeof block->frame);
        block->frame.kind = BLOCK_PAIRS;
        status = room_close(&b->room[b->n++], s->t, n, true, block);
    }
    return status;
}

static roost_status blocks_write(struct blocks *b, struct save *s)
{
    roost_status status = ROOST_OK;
    host_run(threads_of(s->t), (uint64_t)b->n, block_share, b);
    for (int i = 0; !status && i < b->n; i++) {
        status = block_write(&s->writer, &b->block[i]);
        if (!status) status = save_progress(s, s->writer.totals.pairs);
    }
    return status;
}

/* What the thread that exports works on. */
struct exported {
    struct save *s;
    roost_cursor cursor;
    struct blocks blocks[AHEAD];
};

static roost_status exported_fill(void *context, int which, bool *end)
{
    struct exported *const e = (struct exported *)context;
    const roost_status status = blocks_take(&e->blocks[which], e->s, &e->cursor);
    *end = e->cursor.end;
    return status;
}

/* Writes what is exported, and keeps its own error meanwhile: the table's is the export's. */
static roost_status exported_write(struct exported *e, bool threaded)
{
    struct save *const s = e->s;
    struct error own = {""};
    struct ahead ahead;
    int which = 0;
    roost_status status = ROOST_OK, written = ROOST_OK;
    s->writer.error = &own;
    ahead_begin(&ahead, exported_fill, e, threaded);
    while (!status && !written && which >= 0) {
        status = ahead_next(&ahead, &which);
        if (!status && which >= 0) written = blocks_write(&e->blocks[which], s);
    }
    ahead_end(&ahead);
    s->writer.error = &s->t->error;
    if (written) s->t->error = own;
    return written ? written : status;
}

static roost_status pairs_write(struct save *s)
{
    struct exported *const e = (struct exported *)calloc(1, sizeof *e);
    roost_status status = ROOST_OK;
    if (!e) return error_set(&s->t->error, ROOST_ERR_MEMORY, "no memory for the blocks of a snapshot");
    e->s = s;
    for (int i = 0; !status && i < AHEAD; i++) status = blocks_make(&e->blocks[i], s);
    const bool several = s->header.pairs > e->blocks[0].room[0].items;
    if (!status) status = exported_write(e, several);
    for (int i = 0; i < AHEAD; i++) blocks_release(&e->blocks[i]);
    free(e);
    if (status || s->writer.totals.pairs == s->header.pairs) return status;
    return error_set(&s->t->error, ROOST_ERR_ARGUMENT, "the table was written to while it was saved");
}

roost_status save_whole(struct save *s)
{
    roost_status status = header_write(&s->writer, &s->header);
    if (!status) status = pairs_write(s);
    return status ? status : end_write(&s->writer);
}

roost_status save_file_by(struct save *s, const char *path, roost_status (*blocks)(struct save *s))
{
    struct new_file file;
    roost_status status = new_file_open(&file, path, !s->options.no_sync, &s->t->error);
    s->writer.write = new_file_write;
    s->writer.context = &file;
    if (!status) status = blocks(s);
    if (!status) status = new_file_commit(&file, &s->t->error);
    new_file_close(&file);
    return status;
}

void save_end(struct save *s, const char *reason)
{
    const struct totals *const totals = &s->writer.totals;
    const bool whole = s->header.kind != SNAPSHOT_CHANGES;
    struct table_saved *const saved = &s->t->saved;
    const uint64_t id = whole ? s->writer.id : s->header.whole;
    roost_saved said = {sizeof said,    whole,          s->header.number, id, totals->pairs,
                        totals->erased, totals->blocks, s->writer.bytes,  ""};
    snprintf(said.reason, sizeof said.reason, "%s", reason);
    if (s->options.saved) *s->options.saved = said;
    saved->id = id;
    saved->last = s->writer.id;
    saved->number = s->header.number;
    saved->written = false;
    changes_begin(s->t);
}
