/* Pairs whose key or value is no machine word: fixed keys of any width, strings, values of any
 * width.  stadium.h draws them.  One lane works on an item: the lanes of a tile share nothing
 * here. */
#ifndef ROOST_STADIUM_WIDE_H
#define ROOST_STADIUM_WIDE_H

#include "engines/stadium/stadium_board.h"
#include "portable/batch_key.h"
#include "portable/hash_bytes.h"

/* A string's place in its slot. */
struct stadium_string {
    uint64_t offset; /* in the arena */
    uint32_t length, tag;
};

ROOST_FN bool is_wide(const struct shape s) { return s.key_bytes == 0; }

/* Is the value no word?  Such values have a sequence before them. */
ROOST_FN bool value_is_long(uint32_t bytes) { return bytes != 0 && bytes != 4 && bytes != 8; }

/* ---- Keys ----------------------------------------------------------------------------------- */

ROOST_FN struct bytes_hash wide_hashing(const struct stadium_view *v)
{
    const struct bytes_hash hash = {v->seeds.a[0], v->seeds.a[1], v->wide.hash_mask, v->wide.sip};
    return hash;
}

ROOST_FN uint64_t wide_hash(const struct stadium_view *v, struct bytes key) { return hash_bytes(wide_hashing(v), key); }

/* The bits of a hash that a string's slot keeps; its ticket has some of them. */
ROOST_FN uint32_t wide_tag(uint64_t hash) { return (uint32_t)hash; }

/* An item's key in the caller's arrays, valid or not. */
ROOST_FN struct bytes wide_item_key(const struct stadium_view *v, const struct batch *b, uint64_t index)
{
    return batch_key(b, v->wide.key_bytes, index);
}

/* A stored key; its ticket must be STORED. */
ROOST_FN struct bytes wide_slot_key(const struct stadium_view *v, const unsigned char *at)
{
    struct bytes key = {at + v->wide.key_at, v->wide.key_bytes};
    if (!v->wide.strings) return key;
    const struct stadium_string *const string = (const struct stadium_string *)(const void *)key.at;
    key.at = v->wide.arena + string->offset;
    key.n = string->length;
    return key;
}

/* Is this slot's key the given one?  Strings compare by length and tag first, then by all bytes. */
ROOST_FN bool wide_is(const struct stadium_view *v, const unsigned char *at, struct bytes key, uint32_t tag)
{
    if (v->wide.strings) {
        const struct stadium_string *const string = (const struct stadium_string *)(const void *)(at + v->wide.key_at);
        if (string->tag != tag || string->length != key.n) return false;
    }
    return bytes_equal(wide_slot_key(v, at).at, key.at, key.n);
}

/* ---- Values --------------------------------------------------------------------------------- */

/* A long value's sequence is odd while an item writes the value. */
ROOST_FN uint32_t *wide_sequence(unsigned char *at) { return (uint32_t *)(void *)at; }

ROOST_FN uint64_t *wide_value_words(const struct stadium_view *v, unsigned char *at)
{
    return (uint64_t *)(void *)(at + v->wide.value_at);
}

/* Stores words that other lanes may read or write meanwhile. */
ROOST_FN void wide_words_store(uint64_t *words, const unsigned char *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 8) store_relaxed_device64(words + i / 8, bytes_word(from + i, n - i));
}

/* Copies a long value out.  Beside writers, false means that an item was writing, and that the copy
 * may mix two values: the sequence was odd, or changed.  The acquire keeps the words from being
 * read before the first look at the sequence; the fence keeps them from being read after the
 * second. */
ROOST_FN bool wide_value_read(const int phase, const struct stadium_view *v, unsigned char *at, unsigned char *to)
{
    const uint32_t n = v->wide.value_bytes;
    const uint64_t *const words = wide_value_words(v, at);
    if (phase != CONCURRENT) {
        for (uint32_t i = 0; i < n; i += 8) bytes_put(to + i, n - i, load_relaxed_device64(words + i / 8));
        return true;
    }
    const uint32_t before = load_acquire_device32(wide_sequence(at));
    if (before & 1) return false;
    for (uint32_t i = 0; i < n; i += 8) bytes_put(to + i, n - i, load_relaxed_device64(words + i / 8));
    fence_acquire_device();
    return load_relaxed_device32(wide_sequence(at)) == before;
}

/* Overwrites a long value; false if another item is writing it.  The swap lets only one of several
 * writers write.  The fence makes the previous writer's words visible, and keeps these words from
 * being seen before the odd sequence.  The release keeps the even sequence from being seen before
 * the words. */
ROOST_FN bool wide_value_assign(const struct stadium_view *v, unsigned char *at, const unsigned char *from)
{
    uint32_t *const sequence = wide_sequence(at);
    const uint32_t before = load_relaxed_device32(sequence);
    if (before & 1 || cas_relaxed_device32(sequence, before, before + 1) != before) return false;
    fence_acquire_release_device();
    wide_words_store(wide_value_words(v, at), from, v->wide.value_bytes);
    (void)cas_release_device32(sequence, before + 1, before + 2);
    return true;
}

/* A short value: 4 or 8 bytes, or none. */
ROOST_FN uint64_t wide_value_load(const int phase, const struct stadium_view *v, const unsigned char *at)
{
    const void *const value = at + v->wide.value_at;
    if (v->wide.value_bytes == 8)
        return phase == CONCURRENT ? load_relaxed_device64((const uint64_t *)value) : *(const uint64_t *)value;
    if (v->wide.value_bytes == 4)
        return phase == CONCURRENT ? load_relaxed_device32((const uint32_t *)value) : *(const uint32_t *)value;
    return 0;
}

/* ---- Pairs ---------------------------------------------------------------------------------- */

/* Appends a new string's bytes to the arena.  An add reserves their place, so no two strings get
 * the same one.  Only items with a slot call this, so strings that are stored already use no
 * memory. */
ROOST_FN void wide_string_store(const struct stadium_view *v, unsigned char *at, struct bytes key, uint32_t tag)
{
    struct stadium_string *const string = (struct stadium_string *)(void *)(at + v->wide.key_at);
    const uint64_t offset = key.n ? add_relaxed_device64(&v->wide.ends->used, bytes_padded(key.n)) : 0;
    bytes_copy(v->wide.arena + offset, key.at, key.n);
    string->offset = offset;
    string->length = key.n;
    string->tag = tag;
}

/* Writes a pair into a slot whose ticket this lane has reserved.  value: its bits, or the address
 * of a long one. */
ROOST_FN void wide_pair_store(const struct stadium_view *v, unsigned char *at, struct bytes key, uint32_t tag, uint64_t value)
{
    if (value_is_long(v->wide.value_bytes)) {
        store_relaxed_device32(wide_sequence(at), 0);
        wide_words_store(wide_value_words(v, at), (const unsigned char *)(uintptr_t)value, v->wide.value_bytes);
    } else if (v->wide.value_bytes) {
        store_width(v->wide.value_bytes, at + v->wide.value_at, 0, value);
    }
    if (v->wide.strings) wide_string_store(v, at, key, tag);
    else bytes_copy(at + v->wide.key_at, key.at, key.n);
}

/* The bytes of an erased string are garbage until the arena is compacted. */
ROOST_FN void wide_pair_erased(const struct stadium_view *v, const unsigned char *at)
{
    if (v->wide.strings) (void)add_relaxed_device64(&v->wide.ends->dead, bytes_padded(wide_slot_key(v, at).n));
}

/* ---- Items ---------------------------------------------------------------------------------- */

/* An item's value, or the address of a long one; 0 if there is none. */
ROOST_FN uint64_t wide_item_value(const struct stadium_view *v, const struct batch *b, uint64_t index)
{
    const uint32_t n = v->wide.value_bytes;
    if (!b->values_in || !n) return 0;
    const unsigned char *const at = (const unsigned char *)b->values_in + index * n;
    return value_is_long(n) ? (uint64_t)(uintptr_t)at : load_width((int)n, at, 0);
}

/* Writes a find's value to the caller's array.  A long value that was found is there already. */
ROOST_FN void wide_report_value(const struct batch *b, const struct item *item)
{
    const uint32_t n = b->value_bytes;
    const bool hit = item->status == ROOST_ITEM_FOUND;
    if (!b->values_out || !n || (!hit && !b->absent_zero) || (hit && value_is_long(n))) return;
    unsigned char *const to = (unsigned char *)b->values_out + item->index * n;
    if (hit) store_width((int)n, to, 0, item->value);
    else bytes_zero(to, n);
}

#endif
