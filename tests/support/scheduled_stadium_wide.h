/* Wide pairs of a small Stadium table on the scheduled machine: keys and values of any width, all of whose bytes follow from one word, so that a
 * torn one shows; and the arena of strings. */
#ifndef ROOST_TESTS_SCHEDULED_STADIUM_WIDE_H
#define ROOST_TESTS_SCHEDULED_STADIUM_WIDE_H

#include "support/scheduled_stadium_table.h"

/* The bytes that follow from a word: its own, then others; and back: false if they are of no word. */
void wide_spread(uint64_t word, uint32_t n, unsigned char *to);
bool wide_gather(const unsigned char *from, uint32_t n, uint64_t *word);

/* The words that make n bytes. */
uint64_t wide_words(int n);

/* A key's bytes; strings of small numbers are short. */
uint32_t wide_key_length(const struct stadium_widths *widths, roost_key key);
struct bytes wide_key_of(const struct stadium_widths *widths, roost_key key, unsigned char buffer[FRAME_KEY_BYTES]);
/* The key that has these bytes, or one that nobody draws. */
roost_key wide_key_from(const struct stadium_widths *widths, struct bytes bytes);

/* The layout of an empty table's pairs, or that of `like` with its arena. */
void wide_view_make(struct stadium_scene_table *t, const struct stadium_scene_table *like, struct dice *dice);

/* A pair into a slot by plain stores, and what is in one that is STORED. */
void wide_pair_set(struct stadium_scene_table *t, uint64_t slot, roost_key key, roost_value value);
roost_key wide_pair_key(const struct stadium_scene_table *t, uint64_t slot);
roost_value wide_pair_value(const struct stadium_scene_table *t, uint64_t slot);
/* What a walk finds wrong with it: I, torn bytes, and a string's part of H; adds up the strings' bytes. */
bool wide_pair_walk(struct stadium_scene_table *t, uint64_t slot, uint64_t *string_bytes);
/* The rest of H: what is used is stored or dead; and nobody has written behind the arena. */
bool wide_arena_walk(struct stadium_scene_table *t, uint64_t string_bytes);

/* Room for just so many bytes more, in a new arena. */
void wide_arena_provide(struct stadium_scene_table *t, uint64_t bytes);
/* A new arena of so many bytes, with its guard; and the table's is that one from now on. */
unsigned char *wide_arena_make(uint64_t room);
void wide_arena_take(struct stadium_scene_table *t, unsigned char *arena, uint64_t room);

#endif
