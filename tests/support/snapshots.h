/* Snapshots in memory: what is written and read by functions, blocks cut out and put together, and
 * forged ones whose checksums are right. */
#ifndef ROOST_TESTS_SNAPSHOTS_H
#define ROOST_TESTS_SNAPSHOTS_H

#include <roost/snapshot.h>
#include <stdbool.h>

#include "snapshots/snapshot_format.h"

/* Bytes that grow. */
struct image {
    uint8_t *at;
    size_t n, room;
};

void image_free(struct image *image);
void image_add(struct image *image, const void *bytes, size_t n);
/* Is a roost_write_function, for a struct image. */
int image_write(void *image, const void *bytes, size_t n);

/* An image that is read. */
struct image_source {
    const uint8_t *at;
    size_t n, taken;
    size_t step;     /* bytes of a read at most; 0: as many as there is room for */
    size_t fails_at; /* the read (from 1) that fails; 0: none */
    size_t lies_at;  /* the read that says that it wrote more than there was room for; 0: none */
    size_t reads;
};

/* Is a roost_read_function, for a struct image_source. */
int image_read(void *source, void *bytes, size_t room, size_t *n);

/* ---- Blocks ---------------------------------------------------------------------------------- */

enum { IMAGE_BLOCKS = 64 };

/* Where the blocks of an undamaged snapshot are: their frames' places, and the end behind the last
 * one.  Returns their number, at most IMAGE_BLOCKS. */
size_t image_blocks(const struct image *image, size_t at[IMAGE_BLOCKS + 1]);

struct frame image_frame(const struct image *image, size_t at);

/* Makes all checksums and END's totals right again, for as many blocks as there are; frames keep
 * their other members.  For fuzzers, too: bytes may be anything. */
void image_reseal(uint8_t *bytes, size_t n);

/* A snapshot that is put together. */
struct forge {
    struct image image;
    uint64_t id;
    struct totals totals;
};

/* A forged block: `n` bytes follow the frame, whatever it says. */
struct forged {
    uint16_t kind, flags;
    uint64_t items, raw, stored;
    const void *bytes;
    size_t n;
};

/* The header of a whole snapshot of keys and values of 8 bytes, which promises `pairs` pairs. */
struct header forge_header(uint64_t pairs);
/* Begins a snapshot of this id with its header, twice. */
void forge_begin(struct forge *forge, const struct header *header, uint64_t id);
void forge_add(struct forge *forge, struct forged block);
/* Adds a block whose sizes are right. */
void forge_block(struct forge *forge, enum block_kind kind, uint64_t items, const void *bytes, size_t n);
/* Adds a block of pairs of these words: all keys, then all values. */
void forge_words(struct forge *forge, uint64_t items, const uint64_t *words);
void forge_end(struct forge *forge);

#endif
