/* Wide pairs of a small Stadium table on the scheduled machine, and the arena of strings. Keys
 * and values have any width. All their bytes follow from one word, so that a torn one shows. */
#ifndef ROOST_TESTS_SCHEDULED_STADIUM_WIDE_H
#define ROOST_TESTS_SCHEDULED_STADIUM_WIDE_H

#include "support/scheduled_stadium_table.h"

/* wide_spread writes n bytes that follow from a word: first its own, then others. wide_gather
 * reads the word back; false if the bytes follow from none. */
void wide_spread(uint64_t word, uint32_t n, unsigned char *to);
bool wide_gather(const unsigned char *from, uint32_t n, uint64_t *word);

/* The bits of words that n bytes can hold. */
uint64_t wide_words(int n);

/* The length and the bytes of a key; strings of small numbers are short. */
uint32_t wide_key_length(const struct stadium_widths *widths, roost_key key);
struct bytes wide_key_of(const struct stadium_widths *widths, roost_key key, unsigned char buffer[FRAME_KEY_BYTES]);
/* The key with these bytes, or STADIUM_NO_KEY. */
roost_key wide_key_from(const struct stadium_widths *widths, struct bytes bytes);

/* Makes the layout of an empty table's pairs, or takes that of `like` with its arena. */
void wide_view_make(struct stadium_scene_table *t, const struct stadium_scene_table *like, struct dice *dice);

/* wide_pair_set writes a pair into a slot by plain stores; the others read a STORED slot's key
 * and value. */
void wide_pair_set(struct stadium_scene_table *t, uint64_t slot, roost_key key, roost_value value);
roost_key wide_pair_key(const struct stadium_scene_table *t, uint64_t slot);
roost_value wide_pair_value(const struct stadium_scene_table *t, uint64_t slot);
/* Checks a pair in a walk: invariant I, torn bytes, and a string's part of H. Adds up the
 * strings' bytes. */
bool wide_pair_walk(struct stadium_scene_table *t, uint64_t slot, uint64_t *string_bytes);
/* Checks the rest of H: used bytes are stored or dead. Also checks that nothing was written
 * behind the arena. */
bool wide_arena_walk(struct stadium_scene_table *t, uint64_t string_bytes);

/* Makes a new arena with room for exactly `bytes` more bytes. */
void wide_arena_provide(struct stadium_scene_table *t, uint64_t bytes);
/* wide_arena_make allocates an arena of `room` bytes with its guard; wide_arena_take makes it
 * the table's. */
unsigned char *wide_arena_make(uint64_t room);
void wide_arena_take(struct stadium_scene_table *t, unsigned char *arena, uint64_t room);

#endif
