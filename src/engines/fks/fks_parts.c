/* FKS's parts: their memory, and how they are built anew, or some of their buckets in place. */
#include <inttypes.h>
#include <string.h>

#include "engines/fks/fks_table.h"

enum {
    GROUPS = 8, /* of parts, that are built one after the other: what is there twice meanwhile is an eighth of the table */
    GROUP_BYTES = 64 << 20 /* of a table, at least, for which that is worth its while */
};

/* ---- Memory ------------------------------------------------------------------------------------------------------------------------------ */

static size_t links_bytes(uint64_t granules) { return (size_t)(granules + 3) / 4 * 16; }

static size_t part_bytes(const struct fks_table *t, uint64_t granules, uint64_t entries)
{
    return ((size_t)granules << t->view.granule_log) + links_bytes(granules) + (size_t)entries * sizeof(struct fks_entry);
}

uint64_t fks_table_bytes(const struct fks_table *t)
{
    uint64_t bytes = sizeof *t->device + sizeof *t->words + t->few_bytes;
    for (uint32_t q = 0; q < fks_parts(t); q++) bytes += part_bytes(t, t->parts[q].granules, t->entries[q]);
    return bytes;
}

static void part_use_buckets(struct fks_part *p, uint32_t buckets)
{
    p->buckets = buckets;
    p->mask = 1;
    while (p->mask < buckets) p->mask = 2 * p->mask + 1; /* 2^(level + 1) - 1 */
}

static roost_status part_make(struct fks_table *t, uint64_t granules, uint32_t entries, struct fks_part *p)
{
    void *memory;
    roost_status status = backend_allocate(t->base.backend, part_bytes(t, granules, entries), &memory);
    if (status) return status;
    p->lines = (unsigned char *)memory;
    p->links = (uint32_t *)(void *)(p->lines + ((size_t)granules << t->view.granule_log));
    p->directory = (struct fks_entry *)(void *)((unsigned char *)p->links + links_bytes(granules));
    p->granules = (uint32_t)granules;
    status = t->base.backend->operations->fill(t->base.backend, p->links, 0, links_bytes(granules));
    if (status) backend_release(t->base.backend, memory, part_bytes(t, granules, entries));
    return status;
}

/* A copy of a part in host memory that looks like it; what no bucket ever had stays zero. */
roost_status fks_part_read(struct fks_table *t, uint32_t q, unsigned char *to)
{
    const struct fks_part *p = &t->parts[q];
    const size_t links = (size_t)((unsigned char *)p->links - p->lines);
    const size_t entries = (size_t)((unsigned char *)p->directory - p->lines);
    const size_t used = (size_t)t->spaces[q].used << t->view.granule_log;
    roost_status status = used ? backend_read(t->base.backend, to, p->lines, used < links ? used : links) : ROOST_OK;
    if (!status) status = backend_read(t->base.backend, to + links, p->links, entries - links);
    return status ? status : backend_read(t->base.backend, to + entries, p->directory, p->buckets * sizeof(struct fks_entry));
}

static void part_release(struct fks_table *t, const struct fks_part *p, uint32_t entries)
{
    if (p->lines) backend_release(t->base.backend, p->lines, part_bytes(t, p->granules, entries));
}

static roost_status to_device(struct fks_table *t, void *to, const void *from, size_t bytes)
{
    return t->base.backend->operations->copy(t->base.backend, to, from, bytes);
}

/* The device has to know of the parts, and of spaces that were changed here, before anything else is done there.  What could not be told is told
 * before the next call's work; where all is told, as ever but after a failed copy, nothing is written here: finds run beside finds. */
roost_status fks_ready(struct fks_table *t)
{
    roost_status status = ROOST_OK;
    if (t->base.backend->capturing && (t->untold_parts || t->untold_spaces)) /* a graph would tell it again and again */
        return error_set(t->base.error, ROOST_ERR_DEVICE,
                         "fks: the device was not told of the table's parts; sync, and capture then");
    if (t->untold_parts) {
        status = to_device(t, t->device->parts, t->parts, sizeof t->parts);
        if (!status) t->untold_parts = false;
    }
    if (!status && t->untold_spaces) {
        status = to_device(t, t->device->spaces, t->spaces, sizeof t->spaces);
        if (!status) t->untold_spaces = false;
    }
    return status;
}

static roost_status parts_tell(struct fks_table *t)
{
    t->untold_parts = t->untold_spaces = true;
    return fks_ready(t);
}

static roost_status special_clear(struct fks_table *t)
{
    return t->base.backend->operations->fill(t->base.backend, t->device->special, 0xff, sizeof t->device->special);
}

/* Parts without keys, whose buckets get their least lines. */
static roost_status parts_begin(struct fks_table *t)
{
    const struct fks_plan plan = fks_plan_for(t, 0, 0, false);
    return fks_rebuild(t, &plan, NULL);
}

roost_status fks_make(struct fks_table *t)
{
    void *memory;
    roost_status status = fks_sizes_check(t, t->floor_keys);
    if (!status) status = backend_allocate(t->base.backend, sizeof *t->device, &memory);
    if (status) return status;
    t->device = (struct fks_device *)memory;
    t->view.parts = t->device->parts;
    t->view.special = t->device->special;
    status = t->base.backend->operations->fill(t->base.backend, t->device, 0, sizeof *t->device);
    if (!status) status = special_clear(t);
    return status ? status : parts_begin(t);
}

void fks_unmake(struct fks_table *t)
{
    for (uint32_t q = 0; q < fks_parts(t); q++) part_release(t, &t->parts[q], t->entries[q]);
    if (t->device) backend_release(t->base.backend, t->device, sizeof *t->device);
}

roost_status fks_empty(struct fks_table *t)
{
    const roost_status status = special_clear(t);
    if (status) return status;
    t->main = t->special = t->grown_keys = 0;
    t->cramped_slots = 0;
    return parts_begin(t);
}

/* ---- What builds have counted ---------------------------------------------------------------------------------------------------------------- */

static void special_take(struct fks_table *t, const struct fks_space *now, const struct fks_space *before)
{
    t->special += now->special_inserted - before->special_inserted;
    t->ledger.stats.inserted += now->special_inserted - before->special_inserted;
    t->ledger.stats.updated += now->special_updated - before->special_updated;
}

static void space_take(struct fks_table *t, const struct fks_space *now, const struct fks_space *before)
{
    struct engine_stats *stats = &t->ledger.stats;
    t->main += now->inserted - before->inserted;
    stats->inserted += now->inserted - before->inserted;
    stats->updated += now->updated - before->updated;
    stats->evicted += now->evicted - before->evicted;
    stats->bucket_builds += now->builds - before->builds;
    stats->reseeded_buckets += now->reseeded - before->reseeded;
    stats->second_keys += now->second - before->second;
}

/* Spaces of the device, those of parts. */
static roost_status spaces_read(struct fks_table *t, const struct fks_space *from, const struct fks_part *parts,
                                struct fks_space to[FKS_PARTS])
{
    const roost_status status = backend_read(t->base.backend, to, from, FKS_PARTS * sizeof to[0]);
    for (uint32_t q = 0; !status && q < FKS_PARTS; q++)
        if (to[q].used > parts[q].granules) to[q].used = parts[q].granules;
    return status;
}

roost_status fks_spaces_read(struct fks_table *t) { return spaces_read(t, t->device->spaces, t->parts, t->spaces); }

/* Waits for a build in place, of which all has happened. */
static roost_status build_wait_in_place(struct fks_table *t)
{
    struct fks_space now[FKS_PARTS];
    const roost_status status = spaces_read(t, t->device->spaces, t->parts, now);
    for (uint32_t q = 0; !status && q < fks_parts(t); q++) {
        space_take(t, &now[q], &t->spaces[q]);
        special_take(t, &now[q], &t->spaces[q]);
    }
    if (!status) memcpy(t->spaces, now, sizeof now);
    return status;
}

/* What of the keys to come is for a bucket of each part. */
static void parts_spare(const struct fks_table *t, struct fks_part to[FKS_PARTS], uint32_t part_bits)
{
    for (uint32_t q = 0; q < FKS_PARTS; q++) to[q].spare = (uint32_t)(t->to_come >> part_bits >> (fks_level(to[q].buckets) + 1));
}

/* ---- Launches ---------------------------------------------------------------------------------------------------------------------------- */

/* The table's keys when a piece has been inserted, at most. */
static uint64_t keys_with(const struct fks_table *t, const struct fks_piece *piece)
{
    return fks_count(t) + (piece ? piece->n : 0);
}

/* A build of regions that `work` describes.  from: the parts that are read. */
static roost_status build_launch(struct fks_table *t, const struct fks_piece *piece, const struct fks_part *from,
                                 const struct fks_work *work)
{
    struct fks_args args;
    struct backend *b = t->base.backend;
    memset(&args, 0, sizeof args);
    if (piece) args.batch = piece->args.batch;
    args.batch.counters = &t->words->counters;
    args.view = t->view;
    args.view.parts = from;
    if (from == t->device->nothing) args.view.part_bits = work->to_bits; /* an empty table's parts are as many as anybody likes */
    args.work = *work;
    args.work.to = t->device->to;
    args.batch.n = (uint64_t)work->part_count * work->region_count;
    return piece ? backend_launch(b, t->build, &args, sizeof args, args.batch.n)
                 : b->operations->launch(b, t->build, &args, sizeof args, args.batch.n);
}

/* ---- Parts anew ---------------------------------------------------------------------------------------------------------------------------- */

static const struct fks_space no_space = {{0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

/* What is there while parts are built anew: those that come. */
struct rebuild {
    const struct fks_plan *plan;
    uint32_t first, n; /* parts */
    struct fks_part to[FKS_PARTS];
    uint32_t entries[FKS_PARTS];
    struct fks_space spaces[FKS_PARTS];
    bool reused[FKS_PARTS]; /* an empty part's memory, which is large enough, is built in */
};

/* Room in a directory for some more buckets than there are. */
static uint32_t entries_for(uint32_t buckets) { return buckets + buckets / 4 + 4; }

static roost_status rebuild_prepare(struct fks_table *t, struct rebuild *r, uint32_t q)
{
    const struct fks_plan *plan = r->plan;
    const uint64_t wanted = fks_plan_granules(t, plan);
    const bool same = plan->part_bits == t->view.part_bits && t->parts[q].lines;
    const uint64_t granules = same && !t->growth ? t->parts[q].granules : wanted;
    const bool fits = same && t->main == 0 && t->parts[q].granules >= granules && t->entries[q] >= plan->buckets;
    const bool tight = t->parts[q].granules == granules;
    const struct error before = *t->base.error;
    roost_status status = ROOST_OK;
    r->reused[q] = fits && tight;
    r->entries[q] = entries_for(plan->buckets);
    if (!r->reused[q]) status = part_make(t, granules, r->entries[q], &r->to[q]);
    if (status == ROOST_ERR_MEMORY && fits) { /* it stays larger than it need be */
        *t->base.error = before;
        r->reused[q] = t->ledger.refused = true;
        status = ROOST_OK;
    }
    if (r->reused[q]) {
        r->to[q] = t->parts[q];
        r->entries[q] = t->entries[q];
    }
    part_use_buckets(&r->to[q], plan->buckets);
    return status;
}

/* A part that comes to nothing.  What an empty one had is vacant again: no bucket has lines. */
static roost_status rebuild_undo(struct fks_table *t, struct rebuild *r, uint32_t q)
{
    struct backend *b = t->base.backend;
    if (!r->reused[q]) {
        part_release(t, &r->to[q], r->entries[q]);
        return ROOST_OK;
    }
    memset(&t->spaces[q], 0, sizeof t->spaces[q]);
    return b->operations->fill(b, t->parts[q].directory, 0, (size_t)t->entries[q] * sizeof(struct fks_entry));
}

/* The items of part q, as it was to be, wait again. */
static roost_status items_again(struct fks_table *t, const struct rebuild *r, struct fks_piece *piece, uint32_t q)
{
    uint64_t bounds[2];
    struct fks_args args;
    if (!piece) return ROOST_OK;
    const uint32_t log = piece->args.work.bounds_bits - r->plan->part_bits;
    const uint64_t *const at = piece->args.work.bounds + ((uint64_t)q << log);
    roost_status status = backend_read(t->base.backend, &bounds[0], at, sizeof bounds[0]);
    if (!status) status = backend_read(t->base.backend, &bounds[1], at + ((uint64_t)1 << log), sizeof bounds[1]);
    if (status || bounds[0] == bounds[1]) return status;
    memset(&args, 0, sizeof args);
    args.batch.statuses = piece->args.batch.statuses + bounds[0];
    args.batch.n = bounds[1] - bounds[0];
    return backend_launch(t->base.backend, t->again, &args, sizeof args, args.batch.n);
}

static roost_status rebuild_run(struct fks_table *t, struct rebuild *r, struct fks_piece *piece)
{
    struct fks_work work;
    memset(&work, 0, sizeof work);
    const uint32_t most = fks_digits(r->plan->part_bits, r->plan->buckets);
    if (piece) work = piece->args.work;
    if (!piece || work.digit_bits > most)
        work.digit_bits = most; /* of two regions with one bucket the later one would be all that is left of it */
    work.to_bits = r->plan->part_bits;
    work.spaces = t->device->to_spaces;
    work.first_part = r->first;
    work.part_count = r->n;
    work.region_count = 1u << (work.digit_bits - work.to_bits);
    parts_spare(t, r->to, work.to_bits);
    roost_status status = to_device(t, t->device->to, r->to, sizeof r->to);
    if (!status) status = to_device(t, t->device->to_spaces, r->spaces, sizeof r->spaces);
    if (!status) status = build_launch(t, piece, t->main ? t->device->parts : t->device->nothing, &work);
    if (!status) status = spaces_read(t, t->device->to_spaces, r->to, r->spaces);
    for (uint32_t q = r->first; !status && q < r->first + r->n; q++) special_take(t, &r->spaces[q], &no_space);
    return status;
}

/* Makes r->n parts from r->first on and builds them.  *made: how many there are in r now: less than n where memory was refused. */
static roost_status rebuild_group(struct fks_table *t, struct rebuild *r, struct fks_piece *piece, uint32_t *made)
{
    const uint32_t first = r->first, n = r->n;
    roost_status refusal = ROOST_OK, status;
    memset(r->spaces, 0, sizeof r->spaces);
    for (*made = 0; *made < n && !refusal; *made += !refusal) refusal = rebuild_prepare(t, r, first + *made);
    if (refusal && (refusal != ROOST_ERR_MEMORY || r->plan->whole || *made == 0)) status = refusal;
    else {
        r->n = *made;
        status = *made ? rebuild_run(t, r, piece) : ROOST_OK;
    }
    if (!status) return ROOST_OK;
    const struct error why = *t->base.error;
    for (uint32_t q = first; q < first + *made; q++) (void)rebuild_undo(t, r, q);
    (void)parts_tell(t);
    *t->base.error = why;
    *made = 0;
    return status;
}

static void rebuild_keep(struct fks_table *t, struct rebuild *r, uint32_t q)
{
    space_take(t, &r->spaces[q], &no_space);
    t->full = false;
    t->parts[q] = r->to[q];
    t->entries[q] = r->entries[q];
    t->spaces[q] = r->spaces[q];
}

/* What a plan that led to trouble becomes; false: nothing more can be done.  Where growth is off, buckets get fewer lines for their keys. */
static bool plan_again(struct fks_table *t, struct fks_plan *plan, uint32_t trouble)
{
    const double load = t->view.line_load / 65536.0 / t->shape.slots;
    if (t->growth) {
        if (trouble & FKS_NO_ROOM) plan->slack += 0.25 + plan->slack / 2; /* one part of all may have nearly all keys */
        if (trouble & FKS_NO_LAYOUT) plan->buckets *= 2;
        return plan->buckets < 0x40000000u && plan->slack < 2 * FKS_PARTS;
    }
    if (!(trouble & FKS_NO_ROOM) || load <= 0 || load > 0.93) return false;
    t->view.line_load = (uint32_t)((load < 0.86 ? 0.88 : 0.95) * t->shape.slots * 65536);
    return true;
}

/* All parts at the same time, as many as there shall be: all are as planned then, or as they were. */
static roost_status rebuild_whole(struct fks_table *t, struct fks_plan plan, struct fks_piece *piece)
{
    for (;;) {
        struct rebuild r;
        uint32_t made, trouble = 0;
        memset(&r, 0, sizeof r);
        plan.whole = true;
        r.plan = &plan;
        r.n = 1u << plan.part_bits;
        roost_status status = rebuild_group(t, &r, piece, &made);
        if (status) return status;
        for (uint32_t q = 0; q < made; q++) trouble |= r.spaces[q].trouble;
        if (!trouble) {
            for (uint32_t q = 0; q < fks_parts(t); q++)
                if (!r.reused[q]) part_release(t, &t->parts[q], t->entries[q]);
            t->view.part_bits = plan.part_bits;
            for (uint32_t q = 0; q < made; q++) rebuild_keep(t, &r, q);
            return parts_tell(t);
        }
        for (uint32_t q = 0; q < made; q++) {
            if (!status) status = items_again(t, &r, piece, q);
            const roost_status undone = rebuild_undo(t, &r, q);
            if (!status) status = undone;
        }
        if (!status) status = parts_tell(t);
        if (status) return status;
        if (!plan_again(t, &plan, trouble)) return error_set(t->base.error, ROOST_ERR_FULL, "the table is full");
        t->spare = 0;
    }
}

/* One group of parts, of as many as there are: those without trouble are kept, and *trouble says which had some. */
static roost_status rebuild_some(struct fks_table *t, const struct fks_plan *plan, uint32_t first, uint32_t n,
                                 struct fks_piece *piece, uint32_t trouble[FKS_PARTS], uint32_t *made)
{
    struct rebuild r;
    memset(&r, 0, sizeof r);
    r.plan = plan;
    r.first = first;
    r.n = n;
    roost_status status = rebuild_group(t, &r, piece, made);
    if (*made) t->untold_parts = t->untold_spaces = true; /* whatever fails from here on */
    for (uint32_t q = first; q < first + *made; q++) {
        trouble[q] = r.spaces[q].trouble;
        if (!trouble[q]) {
            if (!r.reused[q]) part_release(t, &t->parts[q], t->entries[q]);
            rebuild_keep(t, &r, q);
        } else {
            if (!status) status = items_again(t, &r, piece, q);
            const roost_status undone = rebuild_undo(t, &r, q);
            if (!status) status = undone;
        }
    }
    return status ? status : *made ? parts_tell(t) : ROOST_OK;
}

/* A part again that had trouble, with more of what it lacked. */
static roost_status rebuild_one(struct fks_table *t, struct fks_plan plan, uint32_t q, struct fks_piece *piece, uint32_t lacked)
{
    const uint32_t load = t->view.line_load;
    roost_status status = ROOST_OK;
    t->room = t->spare = 0; /* it may get fewer lines */
    while (!status && lacked) {
        uint32_t trouble[FKS_PARTS] = {0}, made;
        if (!plan_again(t, &plan, lacked)) status = error_set(t->base.error, ROOST_ERR_FULL, "a part of the table is full");
        else status = rebuild_some(t, &plan, q, 1, piece, trouble, &made);
        lacked = trouble[q];
    }
    t->view.line_load = load;
    return status;
}

/* Are all parts built at the same time, or none? */
static bool is_whole(const struct fks_table *t, const struct fks_plan *plan)
{
    return plan->whole || plan->part_bits != t->view.part_bits || !t->parts[0].lines;
}

/* How many parts are built at the same time. */
static uint32_t group_size(const struct fks_table *t)
{
    return t->main == 0 || fks_table_bytes(t) < GROUP_BYTES ? FKS_PARTS : FKS_PARTS / GROUPS;
}

roost_status fks_rebuild_parts(struct fks_table *t, const struct fks_plan *plan, uint32_t first, uint32_t n,
                               struct fks_piece *piece)
{
    const uint32_t size = group_size(t), end = first + n;
    roost_status failure = ROOST_OK, status = ROOST_OK;
    for (uint32_t q = first, made; !status && q < end; q += made) {
        uint32_t trouble[FKS_PARTS] = {0};
        status = rebuild_some(t, plan, q, end - q < size ? end - q : size, piece, trouble, &made);
        for (uint32_t p = q; !status && p < q + made; p++) {
            if (trouble[p]) status = rebuild_one(t, *plan, p, piece, trouble[p]);
            if (status_of_items(status)) failure = status, status = ROOST_OK;
        }
        if (status_of_items(status)) failure = status, status = ROOST_OK, made = 1; /* this one stays as it was */
    }
    return status ? status : failure;
}

/* Built group after group, the last of the new parts are there beside the last of the old ones. */
bool fks_has_memory(struct fks_table *t, const struct fks_plan *plan)
{
    const size_t part = part_bytes(t, fks_plan_granules(t, plan), entries_for(plan->buckets));
    const uint64_t now = fks_table_bytes(t), then = (uint64_t)part << plan->part_bits;
    const uint64_t groups = is_whole(t, plan) || group_size(t) == FKS_PARTS ? 1 : GROUPS, more = then > now ? then - now : 0;
    const struct error before = *t->base.error;
    void *none;
    const roost_status status = backend_allocate_beside(t->base.backend, 0, (size_t)(more + now / groups), &none);
    if (status) *t->base.error = before;
    return !status;
}

static roost_status rebuild_by(struct fks_table *t, const struct fks_plan *plan, struct fks_piece *piece)
{
    if (is_whole(t, plan)) return rebuild_whole(t, *plan, piece);
    return fks_rebuild_parts(t, plan, 0, fks_parts(t), piece);
}

roost_status fks_rebuild(struct fks_table *t, const struct fks_plan *plan, struct fks_piece *piece)
{
    t->ledger.stats.rehashed += fks_count(t);
    t->spare = t->to_come =
        fks_spare_keys(t, keys_with(t, piece)); /* of all parts the same, and if there is no trouble on the way */
    const roost_status status = rebuild_by(t, plan, piece);
    t->room = status ? 0 : t->ledger.stats.inserted + fks_room(t, plan);
    return status;
}

/* ---- Buckets in place ------------------------------------------------------------------------------------------------------------------------ */

/* Trouble that has been dealt with. */
static roost_status troubles_forget(struct fks_table *t)
{
    bool any = false;
    for (uint32_t q = 0; q < fks_parts(t); q++) any |= t->spaces[q].trouble != 0, t->spaces[q].trouble = 0;
    return any ? to_device(t, t->device->spaces, t->spaces, sizeof t->spaces) : ROOST_OK;
}

roost_status fks_build_waiting(struct fks_table *t, struct fks_piece *piece, bool waiting_only)
{
    struct fks_work work = piece->args.work;
    work.part_count = fks_parts(t);
    work.to_bits = t->view.part_bits;
    work.region_count = 1u << (work.digit_bits - work.to_bits);
    work.spaces = t->device->spaces;
    work.in_place = 1;
    work.waiting_only = waiting_only;
    t->to_come = fks_spare_keys(t, keys_with(t, piece));
    parts_spare(t, t->parts, work.to_bits);
    roost_status status = troubles_forget(t);
    if (!status) status = to_device(t, t->device->to, t->parts, sizeof t->parts);
    if (!status) status = build_launch(t, piece, t->device->parts, &work);
    return status ? status : build_wait_in_place(t);
}

/* ---- Compaction ----------------------------------------------------------------------------------------------------------------------------- */

/* A part's memory on the host, and as it becomes. */
static void part_pack(struct fks_table *t, uint32_t q, const unsigned char *from, unsigned char *to, size_t directory)
{
    struct fks_space *space = &t->spaces[q];
    const struct fks_entry *was = (const struct fks_entry *)(const void *)(from + directory);
    struct fks_entry *is = (struct fks_entry *)(void *)(to + directory);
    const size_t granule = (size_t)1 << t->view.granule_log;
    memset(space->free, 0, sizeof space->free);
    space->used = 0;
    for (uint32_t b = 0; b < t->parts[q].buckets; b++) {
        const uint32_t granules = fks_granules(t->shape, &t->view, fks_form_lines(was[b].form));
        memcpy(to + space->used * granule, from + was[b].first * granule, granules * granule);
        is[b] = was[b];
        is[b].first = space->used;
        space->used += granules;
    }
}

/* Through the host's memory, of which there may be some where the device has none left; where there is none, too, the part stays as it is.  It
 * is written back as a whole: what fails leaves it as it was. */
static roost_status part_compact(struct fks_table *t, uint32_t q)
{
    const struct fks_part *p = &t->parts[q];
    const roost_allocator *allocator = &t->base.backend->allocator;
    const size_t bytes = part_bytes(t, p->granules, t->entries[q]);
    const struct fks_space before = t->spaces[q];
    unsigned char *from = (unsigned char *)host_new(allocator, bytes), *to = (unsigned char *)host_new(allocator, bytes);
    roost_status status = ROOST_OK;
    if (from && to) {
        status = fks_part_read(t, q, from);
        if (!status) part_pack(t, q, from, to, (size_t)((unsigned char *)p->directory - p->lines));
        if (!status) status = to_device(t, p->lines, to, bytes);
        if (!status) status = backend_wait(t->base.backend); /* the copy is from memory that goes */
        if (status) t->spaces[q] = before;
    }
    if (from) host_delete(allocator, from, bytes);
    if (to) host_delete(allocator, to, bytes);
    return status;
}

roost_status fks_compact(struct fks_table *t)
{
    roost_status status = ROOST_OK;
    for (uint32_t q = 0; !status && q < fks_parts(t); q++)
        if (t->spaces[q].trouble & FKS_NO_ROOM) status = part_compact(t, q);
    t->untold_spaces = true;
    return status ? status : fks_ready(t);
}

/* Erases that are no random ones may have left a part nearly empty, whose memory others need. */
roost_status fks_tighten(struct fks_table *t)
{
    roost_status status = ROOST_OK;
    for (uint32_t q = 0; !status && q < fks_parts(t); q++) {
        const uint64_t used = t->spaces[q].lines * shape_bucket_bytes(t->shape) >> t->view.granule_log;
        const struct fks_plan plan = fks_plan_part(t, q, fks_count(t), used + used / FKS_ROOMY);
        if (2 * used < t->parts[q].granules) status = fks_rebuild_parts(t, &plan, q, 1, NULL);
    }
    return status_of_items(status) ? ROOST_OK : status;
}

/* ---- Splits and merges ------------------------------------------------------------------------------------------------------------------------- */

/* What a change of a part's number of buckets needs. */
struct change {
    uint64_t granules; /* of new blocks, at most */
    uint32_t largest;  /* lines of one */
    bool fits;         /* no bucket gets more keys than one may have */
};

/* The lines of buckets `less` .. `more` - 1 and of those whose halves they are, by what is stored there: together a pair's keys are split or
 * merged. */
static roost_status change_measure(struct fks_table *t, uint32_t q, uint32_t less, uint32_t more, struct change *change)
{
    enum { PIECE = 256 };
    struct fks_entry high[PIECE], low[PIECE];
    const struct fks_part *p = &t->parts[q];
    roost_status status = ROOST_OK;
    memset(high, 0, sizeof high);
    for (uint32_t b = less, n; !status && b < more; b += n) {
        const uint32_t level = fks_level(b), spare = (uint32_t)(t->to_come >> t->view.part_bits >> level), half = b - (1u << level),
                       end = 2u << level;
        n = more - b < PIECE ? more - b : PIECE;
        if (b + n > end) n = end - b;
        if (b < p->buckets) status = backend_read(t->base.backend, high, p->directory + b, n * sizeof high[0]);
        if (!status) status = backend_read(t->base.backend, low, p->directory + half, n * sizeof low[0]);
        for (uint32_t i = 0; !status && i < n; i++) {
            const uint32_t keys = fks_form_count(high[i].form) + fks_form_count(low[i].form);
            const uint32_t lines = fks_lines_for(t->shape, &t->view, keys + spare);
            if (lines >= t->view.lines_most) change->fits = false;
            change->granules += fks_granules(t->shape, &t->view, lines + 2 * t->view.quantum);
            if (lines > change->largest) change->largest = lines;
        }
    }
    return status;
}

/* May all parts get so many more buckets, or fewer, in place?  Their new blocks have room for sure, and twice for the largest one, which may need
 * more lines. */
static roost_status change_fits(struct fks_table *t, uint32_t less, uint32_t more, bool *fits)
{
    roost_status status = ROOST_OK;
    *fits = less > 0;
    for (uint32_t q = 0; !status && *fits && q < fks_parts(t); q++) {
        struct change change = {0, 0, true};
        status = change_measure(t, q, less, more, &change);
        change.granules += fks_granules(t->shape, &t->view, change.largest);
        *fits = change.fits && t->entries[q] >= more && t->parts[q].granules - (uint64_t)t->spaces[q].used >= change.granules;
    }
    return status;
}

/* Parts first .. first + n - 1, which have as many buckets, with so many from now on: of the larger number those above the smaller one are
 * the halves of others, which are built with them. */
static roost_status buckets_change(struct fks_table *t, uint32_t first, uint32_t n, uint32_t buckets)
{
    struct fks_part to[FKS_PARTS];
    const uint32_t from = t->parts[first].buckets, less = buckets < from ? buckets : from, more = buckets < from ? from : buckets;
    struct fks_work work;
    memset(&work, 0, sizeof work);
    memcpy(to, t->parts, sizeof to);
    for (uint32_t q = first; q < first + n; q++) part_use_buckets(&to[q], buckets);
    parts_spare(t, to, t->view.part_bits);
    const uint32_t log = fks_level(less);
    work.digit_bits = t->view.part_bits + log;
    work.to_bits = t->view.part_bits;
    work.spaces = t->device->spaces;
    work.first_part = first;
    work.part_count = n;
    work.first_region = less - (1u << log);
    work.region_count = more - less;
    work.in_place = 1;
    roost_status status = to_device(t, t->device->to, to, sizeof to);
    if (!status) status = build_launch(t, NULL, t->device->parts, &work);
    if (status) return status;
    t->room = 0;
    memcpy(t->parts, to, sizeof to); /* from here on, whether the device is told of it now or later */
    t->untold_parts = true;
    status = build_wait_in_place(t);
    if (!status) status = fks_ready(t);
    for (uint32_t q = first; !status && q < first + n; q++)
        if (t->spaces[q].trouble)
            return error_set(t->base.error, ROOST_ERR_CORRUPT, "a bucket of part %" PRIu32 " found no layout", q);
    return status;
}

/* Steps of one level: the numbers of buckets between two powers of two. */
static roost_status buckets_step_to(struct fks_table *t, uint32_t first, uint32_t n, uint32_t buckets)
{
    roost_status status = ROOST_OK;
    while (!status && t->parts[first].buckets < buckets) {
        const uint32_t end = 2u << fks_level(t->parts[first].buckets);
        status = buckets_change(t, first, n, buckets < end ? buckets : end);
    }
    while (!status && t->parts[first].buckets > buckets) {
        const uint32_t end = 1u << fks_level(t->parts[first].buckets - 1);
        status = buckets_change(t, first, n, buckets > end ? buckets : end);
    }
    return status;
}

/* All parts, those beside each other with as many buckets together. */
static roost_status buckets_all_to(struct fks_table *t, uint32_t buckets, bool more)
{
    roost_status status = troubles_forget(t);
    for (uint32_t q = 0, n; !status && q < fks_parts(t); q += n) {
        const uint32_t here = t->parts[q].buckets;
        n = 1;
        while (q + n < fks_parts(t) && t->parts[q + n].buckets == here) n++;
        if (more ? here < buckets : here > buckets) status = buckets_step_to(t, q, n, buckets);
    }
    return status;
}

roost_status fks_split(struct fks_table *t, uint32_t more, bool *done)
{
    const uint32_t least = fks_buckets_extreme(t, false);
    t->to_come = fks_spare_keys(t, fks_count(t));
    const roost_status status = change_fits(t, least, least + more, done);
    if (status || !*done) return status;
    t->ledger.stats.splits += (uint64_t)more * fks_parts(t);
    return buckets_all_to(t, least + more, true);
}

roost_status fks_merge(struct fks_table *t, uint32_t fewer, bool *done)
{
    const uint32_t most = fks_buckets_extreme(t, true);
    t->to_come = fks_spare_keys(t, fks_count(t));
    const roost_status status = change_fits(t, most - fewer, most, done);
    if (status || !*done) return status;
    t->ledger.stats.merges += (uint64_t)fewer * fks_parts(t);
    return buckets_all_to(t, most - fewer, false);
}
