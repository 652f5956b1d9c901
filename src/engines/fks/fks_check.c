/* Walks a whole FKS table and verifies its lettered invariants (fks.h). */
#include <inttypes.h>
#include <string.h>

#include "engines/fks/fks_table.h"
#include "engines/walk.h"

/* A copy of a part in host memory, and what the walk has counted. */
struct walk {
    struct fks_table *t;
    struct fks_part part;
    struct fks_space space;
    unsigned char *used;  /* by granule: 1: a bucket's or a free block's */
    struct copies copies; /* of the part */
    uint32_t number;
    uint64_t main, granules;
};

static roost_status broken(const struct walk *w, char letter, const char *what, uint64_t bucket)
{
    return error_set(w->t->base.error, ROOST_ERR_CORRUPT, "invariant %c: %s (part %" PRIu32 ", bucket %" PRIu64 ")", letter, what,
                     w->number, bucket);
}

/* ---- The copy -------------------------------------------------------------------------------- */

static roost_status copy_make(struct walk *w, uint32_t number)
{
    const struct fks_part *p = &w->t->parts[number];
    const size_t before = (size_t)((unsigned char *)p->directory - p->lines);
    const size_t copied = before + (size_t)p->buckets * sizeof(struct fks_entry);
    w->number = number;
    w->granules = 0;
    w->space = w->t->spaces[number];
    w->part = *p;
    w->part.lines = (unsigned char *)copy_room(&w->copies, copied + p->granules);
    if (!w->part.lines) return w->copies.status;
    w->part.links = (uint32_t *)(void *)(w->part.lines + ((unsigned char *)p->links - p->lines));
    w->part.directory = (struct fks_entry *)(void *)(w->part.lines + before);
    w->used = w->part.lines + copied;
    return fks_part_read(w->t, number, w->part.lines);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static roost_status block_use(struct walk *w, uint64_t first, uint64_t granules, const char *what, uint64_t bucket)
{
    if (first > w->space.used || granules > w->space.used - first) return broken(w, 'E', what, bucket);
    for (uint64_t i = first; i < first + granules; i++)
        if (w->used[i]++) return broken(w, 'E', "two blocks of lines overlap", bucket);
    w->granules += granules;
    return ROOST_OK;
}

static roost_status check_free(struct walk *w)
{
    for (uint32_t c = 0; c < FKS_CLASSES; c++) {
        for (uint32_t top = (uint32_t)w->space.free[c]; top;) {
            const roost_status status = block_use(w, top - 1, c + 1, "a free block lies outside the part's memory", top - 1);
            if (status) return status;
            top = w->part.links[top - 1];
        }
    }
    if (w->granules == w->space.used) return ROOST_OK;
    return error_set(w->t->base.error, ROOST_ERR_CORRUPT,
                     "invariant H: %" PRIu64 " granules of part %" PRIu32 " are a bucket's or free; %" PRIu32 " were handed out",
                     w->granules, w->number, w->space.used);
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* How often the key is stored in a line. */
static int occurrences(const struct walk *w, const struct fks_entry *e, uint32_t line, roost_key key)
{
    const struct shape s = w->t->base.shape;
    const unsigned char *at = fks_line(s, fks_bucket(&w->t->view, &w->part, e->first), line);
    int n = 0;
    for (int slot = 0; slot < s.slots; slot++) {
        const struct pair pair = pair_load(s, at, slot, false);
        n += pair.taken && pair.key == key;
    }
    return n;
}

/* A for one stored key. */
static roost_status check_place(const struct walk *w, uint32_t bucket, const struct fks_entry *e, uint32_t line, roost_key key)
{
    const uint64_t hash = fks_hash(w->t->base.shape, &w->t->view, key);
    const uint32_t top = fks_top(w->t->base.shape, hash), bits = w->t->view.part_bits;
    const struct fks_lines l = fks_lines_of(&w->t->view, hash, fks_form_lines(e->form), fks_form_seed(e->form));
    if (fks_digit(top, bits) != w->number || fks_bucket_of(&w->part, bits, top) != bucket)
        return broken(w, 'A', "a key lies outside its bucket", bucket);
    if (line != l.first && line != l.second)
        return broken(w, 'A', "a key lies outside the two lines that its bucket's seed says", bucket);
    return ROOST_OK;
}

/* B and D. */
static roost_status check_key(const struct walk *w, uint32_t bucket, const struct fks_entry *e, uint32_t line, roost_key key)
{
    const struct shape s = w->t->base.shape;
    const uint64_t hash = fks_hash(s, &w->t->view, key);
    const struct fks_lines l = fks_lines_of(&w->t->view, hash, fks_form_lines(e->form), fks_form_seed(e->form));
    if (line != l.first && !fks_marked(e, l.first))
        return broken(w, 'D', "a key lies in its second line, and its first is not marked", bucket);
    const int copies = occurrences(w, e, l.first, key) + (l.second == l.first ? 0 : occurrences(w, e, l.second, key));
    return copies == 1 ? ROOST_OK : broken(w, 'B', "a key is stored twice", bucket);
}

static roost_status check_block(struct walk *w, uint32_t bucket)
{
    const struct fks_entry e = w->part.directory[bucket];
    const uint32_t lines = fks_form_lines(e.form);
    if (lines > w->t->view.lines_most) return broken(w, 'E', "a bucket has more lines than there are", bucket);
    return block_use(w, e.first, fks_granules(w->t->base.shape, &w->t->view, lines),
                     "a bucket's offset lies outside the part's memory", bucket);
}

typedef roost_status check_of_key(const struct walk *w, uint32_t bucket, const struct fks_entry *e, uint32_t line, roost_key key);

/* A check for each stored key; *count: how many there are. */
static roost_status check_keys(const struct walk *w, uint32_t bucket, check_of_key *check, uint32_t *count)
{
    const struct shape s = w->t->base.shape;
    const struct fks_entry e = w->part.directory[bucket];
    roost_status status = ROOST_OK;
    *count = 0;
    for (uint32_t line = 0; !status && line < fks_form_lines(e.form); line++) {
        for (int slot = 0; !status && slot < s.slots; slot++) {
            const struct pair pair = pair_load(s, fks_line(s, fks_bucket(&w->t->view, &w->part, e.first), line), slot, false);
            if (!pair.taken) continue;
            ++*count;
            status = check(w, bucket, &e, line, pair.key);
        }
    }
    return status;
}

static roost_status check_bucket(struct walk *w, uint32_t bucket)
{
    uint32_t count = 0;
    roost_status status = check_keys(w, bucket, check_place, &count);
    if (!status) status = check_keys(w, bucket, check_key, &count);
    w->main += count;
    if (status || count == fks_form_count(w->part.directory[bucket].form)) return status;
    return broken(w, 'C', "a bucket's count is not what is stored there", bucket);
}

static roost_status check_part(struct walk *w, uint32_t number)
{
    uint64_t lines = 0;
    roost_status status = copy_make(w, number);
    for (uint32_t bucket = 0; !status && bucket < w->part.buckets; bucket++) status = check_block(w, bucket);
    if (!status) status = check_free(w);
    for (uint32_t bucket = 0; !status && bucket < w->part.buckets; bucket++) {
        status = check_bucket(w, bucket);
        lines += fks_form_lines(w->part.directory[bucket].form);
    }
    copies_free(&w->copies);
    return status || lines == w->space.lines ? status : broken(w, 'C', "the part's lines are not as many as its buckets'", 0);
}

static roost_status check_special(const struct walk *w, uint64_t *special)
{
    const struct shape s = w->t->base.shape;
    unsigned char line[FKS_SPECIAL_BYTES];
    const roost_status status = backend_read(w->t->base.backend, line, w->t->device.special, sizeof line);
    *special = 0;
    for (int slot = 0; !status && slot < s.slots; slot++) {
        const struct pair pair = pair_load(s, line, slot, true);
        if (!pair.taken) continue;
        if (pair.key != 0 || slot > 0)
            return error_set(w->t->base.error, ROOST_ERR_CORRUPT,
                             "invariant G: a key that does not mean vacant is in the special line");
        ++*special;
    }
    return status;
}

static roost_status check_counts(const struct walk *w, uint64_t special)
{
    if (w->main == w->t->main && special == w->t->special) return ROOST_OK;
    return error_set(w->t->base.error, ROOST_ERR_CORRUPT,
                     "invariant C: %" PRIu64 " keys, and %" PRIu64 " of the vacant one; counted are %" PRIu64 ", %" PRIu64, w->main,
                     special, w->t->main, w->t->special);
}

static roost_status check_fill(const struct walk *w)
{
    const struct fks_table *t = w->t;
    const bool above = t->view.line_load && policy_over_full(&t->base);
    return check_bounds(&t->base, above ? "the fill" : NULL, fks_would_shrink(&t->base, fks_count(&t->base)));
}

roost_status fks_check(struct engine_table *table)
{
    struct fks_table *t = fks_of(table);
    struct walk w;
    uint64_t special = 0;
    memset(&w, 0, sizeof w);
    w.t = t;
    w.copies.table = table;
    roost_status status = ledger_wait(&table->ledger);
    if (!status) status = fks_spaces_read(t, t->device.spaces, t->parts, t->spaces);
    for (uint32_t q = 0; !status && q < fks_parts(t); q++) status = check_part(&w, q);
    if (!status) status = check_special(&w, &special);
    if (!status) status = check_counts(&w, special);
    return status ? status : check_fill(&w);
}
