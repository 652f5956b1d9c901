/* FKS's item operations, in the dialect: where a key lies, find, erase, and inserts by an owner.
 * fks.h says why they are right. */
#ifndef ROOST_FKS_ITEMS_H
#define ROOST_FKS_ITEMS_H

#include "engines/fks/fks.h"
#include "portable/drivers.h"
#include "portable/pairs.h"

/* ---- Hashes ---------------------------------------------------------------------------------- */

/* H, as wide as the key. */
ROOST_FN uint64_t fks_hash(const struct shape s, const struct fks_view *v, roost_key key)
{
    return s.key_bytes == 4 ? hash_word32(&v->seeds, (uint32_t)key) : hash_word64(&v->seeds, key);
}

/* The key that has this hash. */
ROOST_FN roost_key fks_key(const struct shape s, const struct fks_view *v, uint64_t hash)
{
    return s.key_bytes == 4 ? hash_unword32(&v->seeds, (uint32_t)hash) : hash_unword64(&v->seeds, hash);
}

/* The hash's bits from the top, which number part and bucket. */
ROOST_FN uint32_t fks_top(const struct shape s, uint64_t hash)
{
    return s.key_bytes == 4 ? (uint32_t)hash : (uint32_t)(hash >> 32);
}

/* The first `bits` of them. */
ROOST_FN uint32_t fks_digit(uint32_t top, uint32_t bits) { return (uint32_t)((uint64_t)top >> (32 - bits)); }

/* The bucket in a part, by linear hashing (Litwin, 1980).  The local bits are read from the top;
 * reversed they are the bucket's number, so that a bucket's other half comes 2^level after it. */
ROOST_FN uint32_t fks_bucket_of(const struct fks_part *p, uint32_t part_bits, uint32_t top)
{
    const uint32_t local = bit_reverse32(top << part_bits), bucket = local & p->mask;
    return bucket < p->buckets ? bucket : bucket & p->mask >> 1;
}

/* ---- Entries --------------------------------------------------------------------------------- */

ROOST_FN uint32_t fks_form(uint32_t count, uint32_t lines, uint32_t seed) { return count | lines << 12 | seed << 23; }
ROOST_FN uint32_t fks_form_count(uint32_t form) { return form & 0xfffu; }
ROOST_FN uint32_t fks_form_lines(uint32_t form) { return form >> 12 & 0x7ffu; }
ROOST_FN uint32_t fks_form_seed(uint32_t form) { return form >> 23; }

ROOST_FN struct fks_entry fks_entry_load(const int phase, const struct fks_entry *entry)
{
    uint64_t word[4];
    load_vector32(phase, &entry->first, word);
    const struct fks_entry e = {(uint32_t)word[0], (uint32_t)word[1], {(uint32_t)word[2], (uint32_t)word[3]}};
    return e;
}

ROOST_FN uint32_t fks_mark_word(uint32_t line) { return line >> 5 & 1u; }
ROOST_FN uint32_t fks_mark_bit(uint32_t line) { return 1u << (line & 31u); }
ROOST_FN bool fks_marked(const struct fks_entry *e, uint32_t line)
{
    return ((fks_mark_word(line) ? e->marks[1] : e->marks[0]) & fks_mark_bit(line)) != 0;
}

ROOST_FN void fks_mark(uint32_t *marks, uint32_t line)
{
    /* Other lanes set other bits of the word. */
    (void)or_relaxed_device32(&marks[fks_mark_word(line)], fks_mark_bit(line));
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* A key's two lines, different ones unless its bucket has only one. */
struct fks_lines {
    uint32_t first, second;
};

/* G: the halves of one number are scaled to the lines. */
ROOST_FN struct fks_lines fks_lines_of(const struct fks_view *v, uint64_t hash, uint32_t lines, uint32_t seed)
{
    const uint32_t x = fmix32((uint32_t)hash + (seed + 1) * 0x9e3779b9u);
    struct fks_lines l;
    l.first = (x >> 16) * lines >> 16;
    l.second = (x & 0xffffu) * lines >> 16;
    if (l.second == l.first) l.second = l.first + 1 == lines ? 0 : l.first + 1;
    if (v->homes == 1) l.second = l.first;
    return l;
}

ROOST_FN unsigned char *fks_line(const struct shape s, unsigned char *bucket, uint32_t line)
{
    return bucket + (size_t)line * shape_bucket_bytes(s);
}

ROOST_FN unsigned char *fks_bucket(const struct fks_view *v, const struct fks_part *p, uint32_t first)
{
    return p->lines + ((size_t)first << v->granule_log);
}

/* A lane as a tile of its own. */
ROOST_FN tile fks_alone(void)
{
#if defined(ROOST_MACHINE_LANES)
    return lane_alone();
#else
    return tile_make(1);
#endif
}

/* What one lane sees in a line, however many slots it has: lines of one slot are no vectors.
 * phase: QUIESCENT if all writes to the line came before the tile's last sync. */
ROOST_FN struct seek fks_seek(const int phase, const struct shape s, unsigned char *line, roost_key key)
{
    const uint64_t vacant = vacant_unit(s, false);
    if (s.slots == 1) {
        const uint64_t unit = slot_load_unit(s, line, 0);
        const struct seek one = {unit != vacant && unit_key(s, unit) == key ? 0 : -1, unit == vacant ? 0 : -1};
        return one;
    }
    return bucket_seek_at(phase, s, fks_alone(), line, key, vacant);
}

/* A vacant slot of an ordinary line (it seems to hold the vacant key), or -1. */
ROOST_FN int fks_vacancy(const struct shape s, unsigned char *line)
{
    const struct seek seek = fks_seek(CONCURRENT, s, line, 0);
    return s.slots == 1 ? seek.vacancy : seek.match;
}

/* A line without a writer beside it. */
ROOST_FN enum look fks_look(const struct shape s, const tile g, unsigned char *line, roost_key key, roost_value *value)
{
    if (s.slots == 1) return bucket_find_slots(s, g, line, key, false, value);
    return bucket_find(QUIESCENT, s, g, line, key, false, value);
}

/* ---- Find ------------------------------------------------------------------------------------ */

/* Begins an item by its key's hash.  The host prefetches its entry here, and its line in
 * `approach`. */
ROOST_FN void fks_item_begin(const struct shape s, const struct fks_view *v, uint64_t index, roost_key key, uint64_t hash,
                             struct item *item)
{
    const uint32_t top = fks_top(s, hash);
    item->index = index;
    item->key = key;
    item->status = ROOST_ITEM_NONE;
    item->value = 0;
    item->where = FKS_MAIN;
    item->home[0].sub = fks_digit(top, v->part_bits);
    item->home[0].index = fks_bucket_of(v->parts + item->home[0].sub, v->part_bits, top);
    item->home[1].index = (uint32_t)hash;
    prefetch_read(v->parts[item->home[0].sub].directory + item->home[0].index);
}

ROOST_FN void fks_key_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    const struct fks_view *v = (const struct fks_view *)view;
    const roost_key key = load_width(s.key_bytes, b->keys, index);
    fks_item_begin(s, v, index, key, fks_hash(s, v, key), item);
}

#if !defined(ROOST_MACHINE_LANES)
ROOST_FN void fks_key_approach(const struct shape s, const void *view, struct item *item, const int stage)
{
    const struct fks_view *v = (const struct fks_view *)view;
    const struct fks_part *p = v->parts + item->home[0].sub;
    if (stage) return;
    const struct fks_entry e = fks_entry_load(CONCURRENT, p->directory + item->home[0].index);
    const struct fks_lines l = fks_lines_of(v, item->home[1].index, fks_form_lines(e.form), fks_form_seed(e.form));
    prefetch_read(fks_line(s, fks_bucket(v, p, e.first), l.first));
}
#endif

#define fks_find_begin fks_key_begin

ROOST_FN enum look fks_find_special(const struct shape s, const struct fks_view *v, roost_value *value)
{
    const struct pair pair = pair_load(s, v->special, 0, true);
    *value = pair.value;
    return pair.taken ? LOOK_FOUND : LOOK_FULL;
}

/* Where values lie apart, a hit reads its value's memory after its key's, in a random access of its
 * own.  A prefetch beside the keys saves that access.  Among unordered lookups it costs more than
 * it saves. */
ROOST_FN void fks_prefetch_values(const struct shape s, const tile g, const struct batch *b, unsigned char *line)
{
    const size_t keys = (size_t)s.slots * (size_t)s.key_bytes, bytes = shape_bucket_bytes(s);
    if (s.word || !s.value_bytes || !b->by_region) return;
    for (size_t at = keys + 32 * (size_t)g.lane; at < bytes; at += 32 * (size_t)g.size) prefetch_far(line + at);
}

ROOST_FN enum step fks_find_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                 struct tally *tally, void *scratch)
{
    const struct fks_view *v = (const struct fks_view *)view;
    const struct fks_part *p = v->parts + item->home[0].sub;
    enum look look = LOOK_FULL;
    (void)scratch;
    /* Another lane's item comes without the status that its begin wrote. */
    item->status = ROOST_ITEM_ABSENT;
    if (item->key == 0) {
        tally_read(tally);
        look = fks_find_special(s, v, &item->value);
    } else {
        const struct fks_entry e = fks_entry_load(QUIESCENT, p->directory + item->home[0].index);
        const uint32_t lines = fks_form_lines(e.form);
        if (!lines) return STEP_DONE;
        const struct fks_lines l = fks_lines_of(v, item->home[1].index, lines, fks_form_seed(e.form));
        unsigned char *bucket = fks_bucket(v, p, e.first);
        tally_read(tally);
        fks_prefetch_values(s, g, b, fks_line(s, bucket, l.first));
        look = fks_look(s, g, fks_line(s, bucket, l.first), item->key, &item->value);
        if (look != LOOK_FOUND && fks_marked(&e, l.first)) {
            tally_read(tally);
            if (ROOST_PROBES && g.lane == 0) tally->second_reads++;
            look = fks_look(s, g, fks_line(s, bucket, l.second), item->key, &item->value);
        }
    }
    if (look == LOOK_FOUND) item->status = ROOST_ITEM_FOUND;
    return STEP_DONE;
}

#define fks_find_end item_report_find

/* ---- Erase ----------------------------------------------------------------------------------- */

#define fks_erase_begin fks_key_begin
#define fks_erase_end item_report

/* The slot that holds the key in a line, or -1; the same on every lane. */
ROOST_FN int fks_match(const struct shape s, unsigned char *line, roost_key key) { return fks_seek(QUIESCENT, s, line, key).match; }

ROOST_FN enum step fks_erase_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                  struct tally *tally, void *scratch)
{
    const struct fks_view *v = (const struct fks_view *)view;
    const struct fks_part *p = v->parts + item->home[0].sub;
    struct fks_entry *const entry = p->directory + item->home[0].index;
    (void)b, (void)scratch;
    item->status = ROOST_ITEM_ABSENT;
    if (item->key == 0) {
        tally_read(tally);
        item->where = FKS_SPECIAL;
        const uint64_t vacant = vacant_unit(s, true);
        if (slot_erase(s, g, v->special, 0, 0, vacant)) item->status = ROOST_ITEM_ERASED;
        return STEP_DONE;
    }
    const struct fks_entry e = fks_entry_load(CONCURRENT, entry);
    const uint32_t lines = fks_form_lines(e.form);
    if (!lines) return STEP_DONE;
    const struct fks_lines l = fks_lines_of(v, item->home[1].index, lines, fks_form_seed(e.form));
    for (int i = 0; i < 2; i++) {
        unsigned char *line = fks_line(s, fks_bucket(v, p, e.first), i ? l.second : l.first);
        if (i && !fks_marked(&e, l.first)) break;
        tally_read(tally);
        const int slot = (int)tile_from32(g, (uint32_t)fks_seek(CONCURRENT, s, line, item->key).match, 0);
        if (slot < 0) continue;
        if (!slot_erase(s, g, line, slot, item->key, 0)) break;
        /* Erasers of other keys of the bucket write this count, too: of two plain subtractions one
         * would be lost. */
        if (g.lane == 0) (void)add_relaxed_device32(&entry->form, 0xffffffffu);
        item->status = ROOST_ITEM_ERASED;
        break;
    }
    return STEP_DONE;
}

/* ---- Inserts that own what they write to ----------------------------------------------------- */

/* A pair to insert.  A bucket's owners follow each other, by a lock and its fences, or by their
 * teams'
 * rounds.  Slots are nevertheless read and written by atomics: the thread sanitizer does not know
 * fences, and would report plain accesses as a race. */
struct fks_insert {
    uint64_t hash; /* the lower half is enough */
    roost_key key;
    roost_value value;
};

/* Moves one pair of the key's two lines, the first whose other line has a vacancy, and stores the
 * new pair in its slot.  Lanes try one pair each.  The copy is written before the original is
 * overwritten. marks: of the bucket.  false: no pair can move. */
ROOST_FN bool fks_displace(const struct shape s, const tile g, const struct fks_view *v, unsigned char *bucket, uint32_t lines,
                           uint32_t seed, uint32_t *marks, const struct fks_lines to, const struct fks_insert *in)
{
    const uint32_t candidates = 2 * (uint32_t)s.slots;
    for (uint32_t first = 0; first < candidates; first += (uint32_t)g.size) {
        const uint32_t c = first + (uint32_t)g.lane, none = ~0u;
        unsigned char *from = fks_line(s, bucket, c < (uint32_t)s.slots ? to.first : to.second), *other = from;
        const int slot = (int)(c % (uint32_t)s.slots);
        struct pair pair = {0, 0, false};
        struct fks_lines lines_of = {0, 0};
        int vacancy = -1;
        if (c < candidates) {
            pair = pair_load_beside(s, from, slot);
            lines_of = fks_lines_of(v, fks_hash(s, v, pair.key), lines, seed);
            const bool in_first = from == fks_line(s, bucket, lines_of.first);
            other = fks_line(s, bucket, in_first ? lines_of.second : lines_of.first);
            if (other != from) vacancy = fks_vacancy(s, other);
        }
        const uint32_t who = tile_min32(g, vacancy >= 0 ? (uint32_t)g.lane : none);
        if (who == none) continue;
        tile_sync(g); /* all lanes have looked before one writes */
        if ((uint32_t)g.lane == who) {
            slot_publish(s, other, vacancy, pair.key, pair.value);
            if (other == fks_line(s, bucket, lines_of.second)) fks_mark(marks, lines_of.first);
            slot_publish(s, from, slot, in->key, in->value);
            if (c >= (uint32_t)s.slots) fks_mark(marks, to.first);
        }
        tile_sync(g); /* later lookups see it */
        return true;
    }
    return false;
}

/* The same by two moves: a pair of the two lines goes to its other line, where another pair makes
 * room. */
ROOST_FN bool fks_displace_far(const struct shape s, const tile g, const struct fks_view *v, unsigned char *bucket, uint32_t lines,
                               uint32_t seed, uint32_t *marks, const struct fks_lines to, const struct fks_insert *in)
{
    for (int c = 0; c < 2 * s.slots; c++) {
        unsigned char *const from = fks_line(s, bucket, c < s.slots ? to.first : to.second);
        const int slot = c % s.slots;
        const struct pair pair = pair_load_beside(s, from, slot);
        const struct fks_insert out = {fks_hash(s, v, pair.key), pair.key, pair.value};
        const struct fks_lines l = fks_lines_of(v, out.hash, lines, seed);
        tile_sync(g); /* all lanes have read the pair that leaves */
        if (l.first == l.second || !fks_displace(s, g, v, bucket, lines, seed, marks, l, &out)) continue;
        if (g.lane == 0) { /* the pair was copied to another line: no pair of these two can move */
            slot_publish(s, from, slot, in->key, in->value);
            if (c >= s.slots) fks_mark(marks, to.first);
        }
        tile_sync(g); /* later lookups see it */
        return true;
    }
    return false;
}

/* Updates the value that a slot holds; one lane does. */
ROOST_FN uint8_t fks_update(const struct shape s, const tile g, const struct batch *b, unsigned char *line, int slot, roost_key key,
                            roost_value value)
{
    if (g.lane == 0) cell_update(b, b->mode, slot_cell(s, line, slot), key, value);
    tile_sync(g);
    return b->mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
}

/* The vacant key, by the tile that owns its region. */
ROOST_FN uint8_t fks_insert_special(const struct shape s, const tile g, const struct fks_view *v, const struct batch *b,
                                    roost_value value)
{
    const bool taken = slot_load_unit(s, v->special, 0) != vacant_unit(s, true);
    tile_sync(g); /* all lanes have looked */
    if (taken) return fks_update(s, g, b, v->special, 0, 0, value);
    if (g.lane == 0) slot_publish(s, v->special, 0, 0, value);
    tile_sync(g);
    return ROOST_ITEM_INSERTED;
}

/* How an attempt to place a pair ended.  Inserts in place alone: NOT_ALONE: it needs its key's lock
 * to store the pair; TOO_EARLY: its key's value may not be there yet. */
enum fks_placed { FKS_IDLE, FKS_PLACED, FKS_MATCHED, FKS_STUCK, FKS_NOT_ALONE, FKS_TOO_EARLY };

/* Claims a vacant slot: of two lanes that see it one gets it.  A value that lies apart is stored
 * after its key; updates of it wait for the claimer's lock (fks_write.h). */
ROOST_FN bool fks_claim(const struct shape s, unsigned char *line, int slot, roost_key key, roost_value value)
{
    const uint64_t unit = pair_unit(s, key, value);
    if (slot_cas_unit(s, line, slot, 0, unit) != 0) return false;
    slot_store_value(s, line, slot, value);
    return true;
}

#endif
