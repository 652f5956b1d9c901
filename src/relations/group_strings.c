/* Strings that are keys of groups: they are kept in host memory. */
#include <stdlib.h>
#include <string.h>

#include "relations/group.h"

void strings_release(struct strings *s)
{
    free(s->bytes), free(s->end);
    memset(s, 0, sizeof *s);
}

static roost_status no_memory(void) { return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for the strings of groups"); }

/* Room for more elements of an array.  NULL: none, and the array is as before. */
static void *grown(void *array, uint64_t *room, uint64_t needed, size_t bytes)
{
    uint64_t more = *room ? *room : 1024;
    while (more < needed) more *= 2;
    void *const larger = more > *room ? realloc(array, more * bytes) : array;
    if (larger) *room = more;
    return larger;
}

/* A piece's arrays in host memory. */
struct fetched {
    uint8_t *statuses;
    uint32_t *groups;
    char *offsets, *bytes;
    uint8_t *validity; /* NULL: all are valid */
    uint64_t first;    /* of the bytes */
    size_t *row;       /* of each new group */
};

static void fetched_release(struct fetched *f)
{
    free(f->statuses), free(f->groups), free(f->offsets), free(f->bytes), free(f->validity), free(f->row);
}

static uint64_t offset_of(const struct fetched *f, const roost_strings *s, size_t i)
{
    return load_width(s->offset_bytes, f->offsets, i);
}

/* NULLs are kept without bytes. */
static uint64_t length_of(const struct fetched *f, const roost_strings *s, size_t i)
{
    const bool has = !f->validity || (f->validity[i / 8] >> (i % 8) & 1);
    return has ? offset_of(f, s, i + 1) - offset_of(f, s, i) : 0;
}

static roost_status fetch(struct fetched *f, struct roost_group *g, const struct piece *piece, size_t n, uint64_t fresh)
{
    const roost_strings *const s = &piece->strings;
    const uint8_t *const validity = piece->reached.validity;
    const size_t offsets = (n + 1) * (unsigned)s->offset_bytes;
    f->statuses = (uint8_t *)malloc(n);
    f->groups = (uint32_t *)malloc(n * sizeof *f->groups);
    f->offsets = (char *)malloc(offsets);
    f->row = (size_t *)malloc(fresh * sizeof *f->row);
    if (validity) f->validity = (uint8_t *)malloc((n + 7) / 8);
    if (!f->statuses || !f->groups || !f->offsets || !f->row || (validity && !f->validity)) return no_memory();
    bool good = copy_between(f->statuses, g->work.statuses, n) && copy_between(f->groups, g->work.groups, n * sizeof *f->groups) &&
                copy_between(f->offsets, s->offsets, offsets) && (!validity || copy_between(f->validity, validity, (n + 7) / 8));
    f->first = offset_of(f, s, 0);
    const size_t bytes = (size_t)(offset_of(f, s, n) - f->first);
    f->bytes = (char *)malloc(bytes + 1);
    if (!f->bytes) return no_memory();
    if (good && bytes) good = copy_between(f->bytes, (const char *)s->bytes + f->first, bytes);
    return good ? ROOST_OK : error_set(thread_error(), ROOST_ERR_DEVICE, "a copy of strings failed");
}

/* Appends the strings of the new groups, in the order of their numbers. */
static roost_status append(struct strings *s, const struct fetched *f, const roost_strings *from, uint64_t fresh)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < fresh; i++) bytes += length_of(f, from, f->row[i]);
    void *const ends = grown(s->end, &s->ends_room, s->n + fresh, sizeof *s->end);
    if (!ends) return no_memory();
    s->end = (uint64_t *)ends;
    void *const room = grown(s->bytes, &s->room, s->used + bytes + 1, 1);
    if (!room) return no_memory();
    s->bytes = (char *)room;
    for (uint64_t i = 0; i < fresh; i++) {
        const uint64_t begin = offset_of(f, from, f->row[i]), length = length_of(f, from, f->row[i]);
        memcpy(s->bytes + s->used, f->bytes + (begin - f->first), (size_t)length);
        s->end[s->n++] = s->used += length;
    }
    return ROOST_OK;
}

roost_status strings_keep(struct strings *s, struct roost_group *g, const struct piece *piece, size_t n, uint64_t before,
                          uint8_t *nulls, void *stream)
{
    const uint64_t fresh = g->groups - before;
    struct relations_args args;
    struct fetched f;
    memset(&args, 0, sizeof args);
    memset(&f, 0, sizeof f);
    args.column = piece->reached;
    args.groups = g->work.groups, args.statuses = g->work.statuses;
    args.nulls = nulls;
    roost_status status = relations_launch(g->keys.last, RELATIONS_keep, &args, n, stream);
    if (status || !fresh) return status;
    status = roost_table_sync(g->keys.last, NULL);
    if (!status) status = fetch(&f, g, piece, n, fresh);
    for (size_t i = 0; !status && i < n; i++)
        if (f.statuses[i] == ROOST_ITEM_INSERTED) f.row[f.groups[i] - before] = i;
    if (!status) status = append(s, &f, &piece->strings, fresh);
    fetched_release(&f);
    return status;
}
