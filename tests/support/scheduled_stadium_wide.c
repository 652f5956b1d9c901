/* Wide pairs of a small Stadium table on the scheduled machine. */
#include "support/scheduled_stadium_wide.h"

#include <inttypes.h>
#include <stdlib.h>

enum { GUARD_BYTES = 64, GUARD = 0x5a };

/* ---- Words as bytes -------------------------------------------------------------------------- */

static uint64_t spread_word(uint64_t word, uint32_t at) { return at ? mix64(word + at) : word; }

void wide_spread(uint64_t word, uint32_t n, unsigned char *to)
{
    for (uint32_t i = 0; i < n; i += 8) bytes_put(to + i, n - i, spread_word(word, i));
}

bool wide_gather(const unsigned char *from, uint32_t n, uint64_t *word)
{
    *word = n ? bytes_word(from, n) : 0;
    for (uint32_t i = 8; i < n; i += 8)
        if (bytes_word(from + i, n - i) != (spread_word(*word, i) & wide_words((int)(n - i)))) return false;
    return true;
}

uint64_t wide_words(int n) { return n >= 8 ? ~0ULL : (1ULL << 8 * n) - 1; }

uint32_t wide_key_length(const struct stadium_widths *widths, roost_key key)
{
    uint32_t n = 0;
    if (widths->key_bytes) return (uint32_t)widths->key_bytes;
    for (; n < 8 && key & ~wide_words((int)n);) n++;
    return n < 8 ? n : 8 + (uint32_t)(key % (FRAME_KEY_BYTES - 7));
}

struct bytes wide_key_of(const struct stadium_widths *widths, roost_key key, unsigned char buffer[FRAME_KEY_BYTES])
{
    const struct bytes bytes = {buffer, wide_key_length(widths, key)};
    wide_spread(key, bytes.n, buffer);
    return bytes;
}

roost_key wide_key_from(const struct stadium_widths *widths, struct bytes bytes)
{
    uint64_t word;
    return wide_gather(bytes.at, bytes.n, &word) && wide_key_length(widths, word) == bytes.n ? word : STADIUM_NO_KEY;
}

/* ---- The layout ------------------------------------------------------------------------------ */

static uint32_t padded_to(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

void wide_view_make(struct stadium_scene_table *t, const struct stadium_scene_table *like, struct dice *dice)
{
    struct stadium_wide *w = &t->view.wide;
    const struct stadium_widths *widths = t->sizes.wide;
    const bool is_long = value_is_long((uint32_t)widths->value_bytes);
    w->strings = widths->key_bytes == 0;
    w->key_bytes = (uint32_t)widths->key_bytes;
    w->value_bytes = (uint32_t)widths->value_bytes;
    w->value_at = is_long ? 8 : 0;
    w->key_at = padded_to(w->value_at + w->value_bytes, is_long || w->strings ? 8 : 4);
    w->pair_bytes = padded_to(w->key_at + (w->strings ? (uint32_t)sizeof(struct stadium_string) : w->key_bytes),
                              is_long || w->strings || w->value_bytes == 8 ? 8 : 4);
    w->ends = &t->ends;
    if (like) {
        w->hash_mask = like->view.wide.hash_mask;
        w->sip = like->view.wide.sip;
        w->arena = like->view.wide.arena;
        t->ends = like->ends;
        t->arena_room = like->arena_room;
        return;
    }
    /* Eight hashes only: many keys then differ only in their bytes. */
    w->hash_mask = dice_below(dice, 3) ? ~0ULL : 7;
    w->sip = (uint32_t)dice_below(dice, 3);
    if (w->strings) wide_arena_provide(t, 0);
}

/* ---- The arena ------------------------------------------------------------------------------- */

unsigned char *wide_arena_make(uint64_t room)
{
    unsigned char *arena = (unsigned char *)malloc(room + GUARD_BYTES);
    if (!arena) abort();
    memset(arena, 0xa5, room);
    memset(arena + room, GUARD, GUARD_BYTES);
    return arena;
}

void wide_arena_take(struct stadium_scene_table *t, unsigned char *arena, uint64_t room)
{
    free(t->view.wide.arena);
    t->view.wide.arena = arena;
    t->arena_room = room;
}

void wide_arena_provide(struct stadium_scene_table *t, uint64_t bytes)
{
    const uint64_t room = t->ends.used + bytes;
    unsigned char *arena = wide_arena_make(room);
    if (t->ends.used) memcpy(arena, t->view.wide.arena, t->ends.used);
    wide_arena_take(t, arena, room);
}

bool wide_arena_walk(struct stadium_scene_table *t, uint64_t string_bytes)
{
    if (!t->view.wide.strings) return true;
    if (t->ends.used > t->arena_room || t->ends.used != string_bytes + t->ends.dead)
        return wrong_say("invariant H: %" PRIu64 " bytes of the arena's %" PRIu64 " are used, %" PRIu64
                         " are of stored strings and %" PRIu64 " dead",
                         t->ends.used, t->arena_room, string_bytes, t->ends.dead);
    for (int i = 0; i < GUARD_BYTES; i++)
        if (t->view.wide.arena[t->arena_room + (unsigned)i] != GUARD) return wrong_say("a string is behind the arena's end");
    return true;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static unsigned char *slot_at(const struct stadium_scene_table *t, uint64_t slot) { return stadium_pair(t->shape, &t->view, slot); }

void wide_pair_set(struct stadium_scene_table *t, uint64_t slot, roost_key key, roost_value value)
{
    const struct stadium_wide *w = &t->view.wide;
    unsigned char *at = slot_at(t, slot), buffer[FRAME_KEY_BYTES];
    const struct bytes bytes = wide_key_of(t->sizes.wide, key, buffer);
    if (value_is_long(w->value_bytes)) memset(at, 0, 4);
    wide_spread(value, w->value_bytes, at + w->value_at);
    if (!w->strings) {
        memcpy(at + w->key_at, bytes.at, bytes.n);
        return;
    }
    wide_arena_provide(t, bytes_padded(bytes.n));
    const struct stadium_string string = {t->ends.used, bytes.n, wide_tag(wide_hash(&t->view, bytes))};
    memcpy(at + w->key_at, &string, sizeof string);
    memcpy(w->arena + string.offset, bytes.at, bytes.n);
    t->ends.used += bytes_padded(bytes.n);
}

/* True if a string's place lies within the arena. */
static bool string_is_inside(const struct stadium_scene_table *t, uint64_t slot)
{
    struct stadium_string string;
    if (!t->view.wide.strings) return true;
    memcpy(&string, slot_at(t, slot) + t->view.wide.key_at, sizeof string);
    return string.length <= FRAME_KEY_BYTES && string.offset % 8 == 0 && string.offset <= t->arena_room &&
           bytes_padded(string.length) <= t->arena_room - string.offset;
}

roost_key wide_pair_key(const struct stadium_scene_table *t, uint64_t slot)
{
    return string_is_inside(t, slot) ? wide_key_from(t->sizes.wide, wide_slot_key(&t->view, slot_at(t, slot))) : STADIUM_NO_KEY;
}

roost_value wide_pair_value(const struct stadium_scene_table *t, uint64_t slot)
{
    uint64_t word;
    (void)wide_gather(slot_at(t, slot) + t->view.wide.value_at, t->view.wide.value_bytes, &word);
    return word;
}

bool wide_pair_walk(struct stadium_scene_table *t, uint64_t slot, uint64_t *string_bytes)
{
    const struct stadium_wide *w = &t->view.wide;
    unsigned char *at = slot_at(t, slot);
    uint64_t word;
    if (value_is_long(w->value_bytes) && *wide_sequence(at) & 1)
        return wrong_say("invariant I: the sequence of slot %" PRIu64 " is odd", slot);
    if (!wide_gather(at + w->value_at, w->value_bytes, &word))
        return wrong_say("the value of slot %" PRIu64 " is torn: it begins with %" PRIx64, slot, word);
    if (!w->strings) return true;
    if (!string_is_inside(t, slot)) return wrong_say("invariant H: the string of slot %" PRIu64 " is not in the arena", slot);
    const struct stadium_string *string = (const struct stadium_string *)(const void *)(at + w->key_at);
    const struct bytes bytes = wide_slot_key(&t->view, at);
    if (string->tag != wide_tag(wide_hash(&t->view, bytes)))
        return wrong_say("invariant H: the tag of slot %" PRIu64 " is not of its string's hash", slot);
    *string_bytes += bytes_padded(bytes.n);
    return true;
}
