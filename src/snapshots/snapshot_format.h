/* The format of snapshots: a sequence of blocks, each behind a frame that names it.
 *
 *     whole:     HEADER HEADER  PAIRS ...            END
 *     changes:   HEADER HEADER  PAIRS or ERASED ...  END
 *     manifest:  HEADER HEADER  SHARDS               END    (of a table with a comm; each shard is
 *                                                            a file of its own, and whole)
 *
 *     frame (72 bytes)
 *      0  magic           8 bytes, SNAPSHOT_MAGIC
 *      8  kind            enum block_kind, 2 bytes
 *     10  flags           BLOCK_ZSTD, BLOCK_WIDE_OFFSETS, 2 bytes
 *     12  version         of the format, 4 bytes
 *     16  index           of the block, from 0 at the header
 *     24  id              of the snapshot: blocks of another one are not taken for this one's
 *     32  items           pairs, or keys
 *     40  raw             bytes of the block's items
 *     48  stored          bytes that follow the frame: compressed if BLOCK_ZSTD
 *     56  stored_check    XXH3 (64 bits) of these bytes
 *     64  frame_check     XXH3 of the 64 bytes before
 *
 * Numbers are little-endian.  The columns of a block follow each other, each at a multiple of 8:
 * keys, then values; of strings offsets (n + 1, of 4 bytes, or 8: BLOCK_WIDE_OFFSETS), values, and
 * the strings' bytes.  A frame has a check of its own, so that the bytes to be read are believed
 * before they are read, and so that blocks are found again behind a damaged one. */
#ifndef ROOST_SNAPSHOTS_FORMAT_H
#define ROOST_SNAPSHOTS_FORMAT_H

#include <stdbool.h>

#include "portable/error.h"

enum {
    SNAPSHOT_VERSION = 1,
    SNAPSHOT_MAGIC_BYTES = 8,
#ifdef ROOST_FUZZ
    BLOCK_BYTES = 1 << 16, /* quick to allocate */
#else
    BLOCK_BYTES = 1 << 24, /* of a block's columns, unless 64 strings are longer */
#endif
    ENGINE_NAME = 32,
    OPTIONS_TEXT = 2048,
    NOTE_TEXT = 2048
};

/* A byte above 127, and two ends of lines: a transfer as text damages it. */
#define SNAPSHOT_MAGIC "\x89roost\r\n"

enum block_kind { BLOCK_HEADER = 1, BLOCK_PAIRS, BLOCK_ERASED, BLOCK_END, BLOCK_SHARDS };
enum { BLOCK_ZSTD = 1, BLOCK_WIDE_OFFSETS = 2 };

enum snapshot_kind { SNAPSHOT_WHOLE = 1, SNAPSHOT_CHANGES, SNAPSHOT_MANIFEST };

struct frame {
    char magic[SNAPSHOT_MAGIC_BYTES];
    uint16_t kind, flags;
    uint32_t version;
    uint64_t index, id, items, raw, stored, stored_check, frame_check;
};
_Static_assert(sizeof(struct frame) == 72, "a frame has 72 bytes, and no gaps");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied as they are");

/* The block HEADER. */
struct header {
    uint32_t kind;   /* enum snapshot_kind */
    uint32_t flags;  /* of roost_config */
    uint32_t number; /* of changes */
    uint32_t key_type, value_type, key_bytes, value_bytes;
    uint32_t growth, saturate;
    uint32_t zstd;
    uint32_t shard, shards; /* this one's number, of how many; 0: no comm */
    uint64_t pairs;         /* that follow; of changes: keys; of a manifest: of all shards */
    uint64_t capacity, next_number;
    uint64_t whole, previous; /* of changes: ids of the whole snapshot, and of the one before */
    double min_fill, max_fill;
    char engine[ENGINE_NAME], options[OPTIONS_TEXT], note[NOTE_TEXT];
};
_Static_assert(sizeof(struct header) == 48 + 56 + ENGINE_NAME + OPTIONS_TEXT + NOTE_TEXT, "a header has no gaps");

/* The block END. */
struct totals {
    uint64_t pairs, erased;
    uint64_t blocks; /* before this one */
    uint64_t checks; /* XXH3 of the blocks' frames, each with the sum before as its seed */
};

/* The block SHARDS has one of each shard, whose file is named after the manifest's and this id. */
struct shard_entry {
    uint64_t id, pairs;
};

/* What a block's columns are: bytes of each, and where they begin. */
enum { COLUMN_KEYS, COLUMN_VALUES, COLUMN_STRINGS, BLOCK_COLUMNS };
struct layout {
    uint64_t at[BLOCK_COLUMNS], bytes[BLOCK_COLUMNS], end;
};

/* Bytes of an item's key and value; key_bytes 0: strings. */
struct widths {
    uint32_t key_bytes, value_bytes;
};

/* The layout of n items; values: has the block values?  string_bytes: of all strings.
 * False: sizes overflow. */
bool layout_of(const struct widths *w, uint64_t n, bool values, int offset_bytes, uint64_t string_bytes, struct layout *l);

uint64_t bytes_check(const void *bytes, size_t n, uint64_t seed);

/* Completes a frame whose members are set, except the magic, the version and its own check. */
void frame_seal(struct frame *f);
/* Is the frame one, undamaged?  The version is not looked at. */
bool frame_is_whole(const struct frame *f);

/* Checks what a header says, and that its texts end.
 * Returns: ROOST_ERR_CORRUPT, or ROOST_ERR_UNSUPPORTED: a kind or flags of a newer library. */
roost_status header_check(const struct header *h, struct error *error);

/* The name of a type. */
const char *stored_type_name(uint32_t type);

#endif
