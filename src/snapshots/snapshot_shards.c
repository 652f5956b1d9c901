/* What all ranks must know of each other goes through sums of numbers, with each rank's status. */
#define _GNU_SOURCE 1
#include "snapshots/snapshot_shards.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "snapshots/snapshot_file.h"
#include "snapshots/snapshot_ranks.h"

/* An id of each shard follows from the manifest's. */
static uint64_t shard_id(uint64_t id, uint32_t shard)
{
    const uint64_t own = bytes_check(&shard, sizeof shard, id);
    return own ? own : 1;
}

static char *shard_name(const char *path, uint64_t id, uint32_t shard)
{
    char *name = NULL;
    return asprintf(&name, "%s.%016" PRIx64 ".%u", path, id, shard) < 0 ? NULL : name;
}

/* ---- Agreement ------------------------------------------------------------------------------- */

/* The id that rank 0 has drawn. */
static roost_status id_agree(struct save *s, uint64_t *id, roost_status own)
{
    *id = s->t->group->rank ? 0 : s->writer.id;
    return shards_sum(s->t, id, 1, own);
}

/* The pairs of all shards.  entry (a rank has its own number there): of each. */
static roost_status entries_agree(struct roost_table *t, struct shard_entry *entry, uint32_t n, roost_status own)
{
    roost_status status = own;
    for (uint32_t first = 0; first < n; first += SUMMED) {
        const uint32_t left = n - first;
        const int some = left < SUMMED ? (int)left : SUMMED;
        uint64_t pairs[SUMMED];
        for (int i = 0; i < some; i++) pairs[i] = entry[first + (uint32_t)i].pairs;
        status = shards_sum(t, pairs, some, own);
        if (status) return status; /* on all ranks */
        for (int i = 0; i < some; i++) entry[first + (uint32_t)i].pairs = pairs[i];
    }
    return status;
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static roost_status shard_save(struct save *s, const char *name, uint64_t id)
{
    struct roost_table *const t = s->t;
    s->writer.to = name;
    s->writer.id = shard_id(id, (uint32_t)t->group->rank);
    s->header.shard = (uint32_t)t->group->rank;
    s->header.shards = (uint32_t)t->group->ranks;
    return save_file_by(s, name, save_whole);
}

/* Removes the files that an earlier manifest named. */
static void shards_remove(const char *path, uint64_t id, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char *const name = shard_name(path, id, i);
        if (name) (void)unlink(name);
        free(name);
    }
}

/* The id and the shards of the manifest of this name; 0: there is none. */
static uint32_t manifest_look(const char *path, uint64_t *id)
{
    struct error ignored;
    struct reader r;
    struct stat there;
    int descriptor;
    memset(&r, 0, sizeof r);
    *id = 0;
    if (stat(path, &there) || !S_ISREG(there.st_mode)) return 0; /* a pipe is not read */
    r.read = descriptor_read;
    r.context = &descriptor;
    r.from = path;
    r.error = &ignored;
    const bool opened = !file_open(path, &descriptor, &ignored);
    const bool is = opened && !reader_begin(&r) && r.header.kind == SNAPSHOT_MANIFEST;
    if (opened) close(descriptor);
    reader_release(&r);
    *id = r.id;
    return is && r.header.shards <= ROOST_RANKS_MOST ? r.header.shards : 0;
}

roost_status file_replace(struct save *s, const char *path, roost_status (*blocks)(struct save *s))
{
    uint64_t id;
    const uint32_t n = manifest_look(path, &id);
    char *const real = n ? realpath(path, NULL) : NULL;
    const roost_status status = save_file_by(s, path, blocks);
    if (!status && n) shards_remove(real ? real : path, id, n);
    free(real);
    return status;
}

/* Are all shards there?  A rank that was given another path has saved its own elsewhere. */
static roost_status shards_check(struct save *s, const char *path, uint64_t id)
{
    roost_status status = ROOST_OK;
    for (uint32_t i = 0; !status && i < s->header.shards; i++) {
        char *const name = shard_name(path, id, i);
        if (!name) status = error_set(&s->t->error, ROOST_ERR_MEMORY, "no memory for a shard's name");
        else if (access(name, F_OK))
            status = error_set(&s->t->error, ROOST_ERR_ARGUMENT, "%s: rank %u has not saved it: is its path another one?", name, i);
        free(name);
    }
    return status;
}

/* The blocks of a manifest, whose shards are s->shards. */
static roost_status manifest_blocks(struct save *s)
{
    roost_status status = header_write(&s->writer, &s->header);
    if (!status) status = shards_write(&s->writer, s->shards, s->header.shards);
    return status ? status : end_write(&s->writer);
}

static roost_status manifest_save(struct save *s, const char *path, uint64_t id)
{
    struct save m = *s;
    roost_status status = shards_check(s, path, id);
    m.writer.to = path;
    m.writer.id = id;
    m.writer.bytes = 0;
    memset(&m.writer.totals, 0, sizeof m.writer.totals);
    m.header.kind = SNAPSHOT_MANIFEST;
    m.header.shard = 0;
    m.header.capacity = s->t->group->capacity;
    m.header.pairs = 0;
    for (uint32_t i = 0; i < m.header.shards; i++) m.header.pairs += s->shards[i].pairs;
    if (!status) status = file_replace(&m, path, manifest_blocks);
    return status;
}

/* What rank 0's manifest has become.  It may stand although its folder could not be synced. */
enum { MANIFEST_SAVED, MANIFEST_FAILED, MANIFEST_STANDS };

/* Rank 0 saves the manifest, and all learn what has become of it.  If it does not stand, nobody
 * needs the shards; if nobody can know, they stay. */
static roost_status manifest_stage(struct save *s, const char *path, const char *name, uint64_t id)
{
    uint64_t stands, is = MANIFEST_SAVED;
    const roost_status own = s->t->group->rank ? ROOST_OK : manifest_save(s, path, id);
    const struct error why = s->t->error;
    if (own) is = manifest_look(path, &stands) && stands == id ? MANIFEST_STANDS : MANIFEST_FAILED;
    const roost_status status = shards_sum(s->t, &is, 1, ROOST_OK);
    if (!status && is == MANIFEST_FAILED) (void)unlink(name);
    if (own) s->t->error = why;
    if (own || status || is == MANIFEST_SAVED) return own ? own : status;
    return error_set(&s->t->error, ROOST_ERR_COMM, "rank 0 failed: it could not save the manifest");
}

static roost_status entries_make(struct save *s, uint64_t id)
{
    const uint32_t n = (uint32_t)s->t->group->ranks;
    s->shards = (struct shard_entry *)calloc(n, sizeof *s->shards);
    if (!s->shards) return error_set(&s->t->error, ROOST_ERR_MEMORY, "no memory for the names of %u shards", n);
    for (uint32_t i = 0; i < n; i++) s->shards[i].id = shard_id(id, i);
    s->shards[s->t->group->rank].pairs = s->header.pairs;
    return ROOST_OK;
}

/* Saves this rank's shard, and learns the pairs of the others'. */
static roost_status shard_stage(struct save *s, const char *name, uint64_t id)
{
    roost_status status =
        name ? shard_save(s, name, id) : error_set(&s->t->error, ROOST_ERR_MEMORY, "no memory for a shard's name");
    if (!status) status = entries_make(s, id);
    status = s->shards ? entries_agree(s->t, s->shards, (uint32_t)s->t->group->ranks, status) : shards_vote(s->t, status);
    if (status && name) (void)unlink(name); /* no manifest names it */
    return status;
}

roost_status shards_save(struct save *s, const char *path, roost_status status)
{
    uint64_t id;
    status = id_agree(s, &id, status);
    if (status) return status;
    char *const real = realpath(path, NULL); /* shards lie beside the file that links lead to */
    const char *const at = real ? real : path;
    char *const name = shard_name(at, id, (uint32_t)s->t->group->rank);
    status = shard_stage(s, name, id);
    if (!status) status = manifest_stage(s, at, name, id);
    free(real);
    free(name);
    free(s->shards);
    s->shards = NULL;
    s->writer.to = path;
    s->writer.id = id;
    return status;
}

/* ---- Loading --------------------------------------------------------------------------------- */

static roost_status manifest_damaged(const struct shards *shards, const struct load *l, const char *why)
{
    return error_set(l->reader.error, ROOST_ERR_CORRUPT, "%s: %s", shards->path, why);
}

/* Takes the list over, whose pairs the header has promised. */
static roost_status entries_take(struct shards *shards, struct load *l, const struct block *block)
{
    const uint32_t n = shards->header.shards;
    uint64_t pairs = 0;
    bool fits = block->frame.kind == BLOCK_SHARDS && block->frame.items == n && block->frame.raw == n * sizeof *shards->entry;
    if (!fits) return manifest_damaged(shards, l, "its list of shards has another size than its header says");
    shards->entry = (struct shard_entry *)malloc(n * sizeof *shards->entry);
    if (!shards->entry) return error_set(l->reader.error, ROOST_ERR_MEMORY, "no memory for a list of %u shards", n);
    memcpy(shards->entry, block->raw, n * sizeof *shards->entry);
    for (uint32_t i = 0; i < n; i++) fits = fits && !__builtin_add_overflow(pairs, shards->entry[i].pairs, &pairs);
    return fits && pairs == shards->header.pairs ? ROOST_OK
                                                 : manifest_damaged(shards, l, "its shards have other pairs than it says");
}

roost_status shards_begin(struct shards *shards, struct load *l)
{
    struct block block;
    shards->header = l->reader.header;
    shards->id = l->reader.id;
    shards->step = 1;
    shards->descriptor = -1;
    shards->real = realpath(shards->path, NULL);
    roost_status status = reader_next(&l->reader, &block);
    if (!status) status = entries_take(shards, l, &block);
    if (!status) status = reader_next(&l->reader, &block);
    if (!status)
        status = l->reader.ended ? reader_at_end(&l->reader) : manifest_damaged(shards, l, "it has more than a list of shards");
    return status;
}

void shards_deal(struct load *l)
{
    struct shards *const shards = l->shards;
    const struct table_group *const group = l->t->group;
    if (!is_shard(l->t)) return;
    if (!shards) {
        if (group->rank) l->promised = 0;
        return;
    }
    shards->next = (uint32_t)group->rank;
    shards->step = (uint32_t)group->ranks;
    l->promised = 0;
    for (uint64_t i = shards->next; i < shards->header.shards; i += shards->step) l->promised += shards->entry[i].pairs;
}

void shards_release(struct shards *shards)
{
    if (shards->descriptor >= 0) close(shards->descriptor);
    free(shards->real);
    free(shards->name);
    free(shards->entry);
}

/* Does a shard's header agree with the manifest? */
static bool shard_fits(const struct shards *shards, const struct reader *r)
{
    const struct header *const own = &r->header, *const all = &shards->header;
    const struct shard_entry *const entry = &shards->entry[shards->next];
    return own->kind == SNAPSHOT_WHOLE && own->shard == shards->next && own->shards == all->shards && r->id == entry->id &&
           own->pairs == entry->pairs && own->key_type == all->key_type && own->value_type == all->value_type &&
           own->key_bytes == all->key_bytes && own->value_bytes == all->value_bytes && own->flags == all->flags;
}

/* Opens the next shard, whose reader goes on where the last one's counts ended. */
static roost_status shard_open(struct shards *shards, struct load *l)
{
    shards->name = shard_name(shards->real ? shards->real : shards->path, shards->id, shards->next);
    if (!shards->name) return error_set(l->reader.error, ROOST_ERR_MEMORY, "no memory for a shard's name");
    load_read_next(l, descriptor_read, &shards->descriptor, shards->name);
    roost_status status = file_open(shards->name, &shards->descriptor, l->reader.error);
    if (!status) status = reader_begin(&l->reader);
    if (status || shard_fits(shards, &l->reader)) return status;
    return error_set(l->reader.error, ROOST_ERR_CORRUPT, "%s: this is not the shard that the manifest names", shards->name);
}

static void shard_leave(struct shards *shards, struct load *l)
{
    if (shards->descriptor >= 0) close(shards->descriptor);
    shards->descriptor = -1;
    free(shards->name);
    shards->name = NULL;
    l->reader.from = shards->path;
    shards->next += shards->step;
}

/* With ROOST_SALVAGE a shard that is missing, is another's or tells nothing is a block that is
 * lost, at least. */
static bool shard_lose(struct shards *shards, struct load *l, roost_status opened)
{
    const bool missing = shards->name && access(shards->name, F_OK) && errno == ENOENT;
    const bool lost = opened == ROOST_ERR_CORRUPT || opened == ROOST_ERR_ARGUMENT || (opened == ROOST_ERR_IO && missing);
    if (!lost || !l->reader.salvage) return false;
    if (!l->reader.lost) reader_lose(&l->reader, 0, 1);
    shard_leave(shards, l);
    return true;
}

/* A shard has ended: all of its pairs have come. */
static roost_status shard_close(struct shards *shards, struct load *l)
{
    roost_status status = counts_check(l);
    if (!status) status = reader_at_end(&l->reader);
    shard_leave(shards, l);
    return status;
}

roost_status shards_next(struct shards *shards, struct load *l, struct block *block, bool *end)
{
    roost_status status = ROOST_OK;
    for (*end = false; !status;) {
        *end = shards->next >= shards->header.shards;
        if (*end) return ROOST_OK;
        if (shards->descriptor < 0) status = shard_open(shards, l);
        if (status && shard_lose(shards, l, status)) {
            status = ROOST_OK;
            continue;
        }
        if (!status) status = reader_next(&l->reader, block);
        if (!status && !l->reader.ended) return ROOST_OK;
        if (!status) status = shard_close(shards, l);
    }
    return status;
}
