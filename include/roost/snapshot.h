/* Snapshots: a table's pairs in a file, a pipe, or wherever the caller writes bytes to.
 * Experimental: may change before 1.0.
 *
 *     roost_save_file(table, "counts.roost", NULL);
 *     roost_load_file(&table, "counts.roost", NULL, NULL);
 *
 * One format serves all engines, types and machines (docs/snapshots.md describes it): a table that
 * was saved from a GPU by one engine is loaded on a host by another.  Blocks of pairs have
 * checksums.  What is loaded is not believed before it is checked: memory grows with the bytes that
 * were read, and a key that comes twice is an error. */
#ifndef ROOST_SNAPSHOT_H
#define ROOST_SNAPSHOT_H

#include "roost/roost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Saving ---------------------------------------------------------------------------------- */

/* Takes all n bytes.  Returns 0, or another number on failure, which ends the call. */
typedef int roost_write_function(void *context, const void *bytes, size_t n);

/* Told of pairs so far, of `pairs` in all (0: unknown); with a comm of those of this rank.  Returns
 * 0, or another number to end the call. */
typedef int roost_progress_function(void *context, uint64_t done, uint64_t pairs);

/* What a call has written; with a comm, by this rank. */
typedef struct roost_saved {
    size_t size;     /* sizeof(roost_saved), set by the caller */
    int whole;       /* 1: all pairs; 0: changes */
    uint32_t number; /* of changes: 1, 2, ... since the last whole save; else 0 */
    uint64_t id;     /* of the last whole save */
    uint64_t pairs;
    uint64_t erased; /* of changes: keys that were removed */
    uint64_t blocks;
    uint64_t bytes;
    char reason[160]; /* why roost_save_changes saved the whole table; "" */
} roost_saved;

#define ROOST_SAVED_INIT                                                                           \
    {                                                                                              \
        sizeof(roost_saved), 0, 0, 0, 0, 0, 0, 0, ""                                               \
    }

/* Room for a snapshot's note, its end included. */
#define ROOST_NOTE_BYTES 2048

/* How a table is saved.  Begin with ROOST_SAVE_OPTIONS_INIT; NULL: the defaults. */
typedef struct roost_save_options {
    size_t size;
    int zstd;           /* 1 to 19: blocks are compressed at this level, by libzstd.so.1, which is
                           loaded by the call; 0 (default): they are not */
    int no_sync;        /* 1: files are not synced, and may be lost with the machine's power */
    roost_saved *saved; /* what was written; NULL (default): not wanted */
    roost_progress_function *progress; /* NULL (default): none */
    void *progress_context;
    const char *note; /* the caller's text, which the snapshot keeps and roost_snapshot_describe
                         tells: fewer than ROOST_NOTE_BYTES bytes; NULL (default): "" */
} roost_save_options;

#define ROOST_SAVE_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(roost_save_options), 0, 0, NULL, NULL, NULL, NULL                                   \
    }

/* Saves all pairs: in a file, to a descriptor, by a function.  The file is written beside its name,
 * synced and renamed, its folder synced: whatever happens, the name stands for the old file or the
 * new one.  An existing file that is not regular is written in place.  A table with a comm is saved
 * by all its ranks: a file for each shard beside `path`, which names them; roost_save_file alone.
 * The call reads the table as an export does; where a table logs its changes, it is a write.
 * Returns: ROOST_ERR_IO: the system refused it (the error says what); ROOST_ERR_UNSUPPORTED: no
 * libzstd, a captured stream, or a table with a comm; ROOST_ERR_ARGUMENT: also a note that is too
 * long. */
ROOST_EXPORT roost_status roost_save_file(roost_table *table, const char *path,
                                          const roost_save_options *options);
ROOST_EXPORT roost_status roost_save_fd(roost_table *table, int descriptor,
                                        const roost_save_options *options);
ROOST_EXPORT roost_status roost_save_to(roost_table *table, roost_write_function *write,
                                        void *context, const roost_save_options *options);

/* ---- Loading --------------------------------------------------------------------------------- */

/* Reads at most `room` bytes; *n: how many, 0 only at the end.  Returns 0, or another number on
 * failure. */
typedef int roost_read_function(void *context, void *bytes, size_t room, size_t *n);

/* What a snapshot says of itself. */
typedef struct roost_snapshot_info {
    size_t size;
    uint32_t version; /* of the format */
    uint32_t flags;   /* ROOST_MULTI, ROOST_NUMBERED, ROOST_CHANGES */
    int whole;        /* 1: all pairs; 0: changes */
    uint32_t number;  /* of changes; 0: none */
    uint64_t id;      /* of the whole save that it is, or that the changes follow */
    roost_type key_type, value_type;
    size_t key_bytes, value_bytes; /* of an item; 0: strings, sets */
    uint64_t pairs;                /* that the header promises; of all shards; of changes: keys */
    uint64_t capacity;
    uint64_t next_number; /* ROOST_NUMBERED: the number that the next new key gets */
    double min_fill, max_fill;
    int growth, saturate;
    uint32_t shards; /* files of a table with a comm; else 0 */
    int zstd;        /* 1: blocks may be compressed */
    char engine[32], options[2048], note[ROOST_NOTE_BYTES];
} roost_snapshot_info;

/* What a call has read; with a comm, by this rank: sums over the ranks are of the snapshot. */
typedef struct roost_loaded {
    size_t size; /* sizeof(roost_loaded), set by the caller */
    uint64_t pairs;
    uint64_t erased;
    uint64_t blocks;
    uint64_t bytes;
    uint64_t blocks_lost;   /* ROOST_SALVAGE: blocks that were damaged or missing */
    uint64_t pairs_lost;    /* of them, as far as the rest of the snapshot tells */
    uint64_t first_damaged; /* number of the first such block, counted from 0 at the header */
} roost_loaded;

#define ROOST_LOADED_INIT                                                                          \
    {                                                                                              \
        sizeof(roost_loaded), 0, 0, 0, 0, 0, 0, 0                                                  \
    }

/* Told what a snapshot says of itself before its table is made.  May change the configuration,
 * which is the caller's or as saved.  Returns 0, or another number to end the call. */
typedef int roost_configure_function(void *context, const roost_snapshot_info *info,
                                     roost_config *config);

/* roost_load_options.flags: types, widths, ROOST_MULTI and ROOST_NUMBERED are as saved, whatever
 * the configuration says. */
#define ROOST_TYPES_AS_SAVED 0x1u
/* roost_load_options.flags: damaged blocks are left out, as are shards that are missing.
 * Of a key that comes twice, the first pair stays. */
#define ROOST_SALVAGE 0x2u

/* How a table is loaded.  Begin with ROOST_LOAD_OPTIONS_INIT; NULL: the defaults. */
typedef struct roost_load_options {
    size_t size;
    uint32_t flags; /* default 0 */
    uint32_t reserved;
    roost_loaded *loaded; /* what was read; NULL (default): not wanted */
    roost_progress_function *progress;
    void *progress_context;
    roost_configure_function *configure; /* NULL (default): none */
    void *configure_context;
} roost_load_options;

#define ROOST_LOAD_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(roost_load_options), 0, 0, NULL, NULL, NULL, NULL, NULL                             \
    }

/* Makes a table and loads a snapshot into it, in one pass: from a file, a descriptor (a pipe, too;
 * nothing behind the snapshot is read), by a function.  config NULL: engine, options, types, bounds
 * and flags as saved, on the first GPU or else the host, with a secret seed.  Else the
 * configuration is the table's, and its types must be those that were saved.  Every engine loads
 * the 4- and 8-byte unique keys of every other; ROOST_MULTI, strings and other widths where it has
 * them.  An engine that this build lacks, or options that are unknown to it, are replaced by the
 * library's choice where config is NULL.  With a comm all ranks load, whatever number of ranks
 * saved.  On failure *table is NULL, and roost_last_error(NULL) has the reason.
 * Returns: ROOST_ERR_CORRUPT: the snapshot is damaged (the error names the block), cut off, or has
 * a key twice; ROOST_ERR_ARGUMENT: no snapshot, or its types are others (named), or it has changes
 * alone; ROOST_ERR_UNSUPPORTED: a newer format, or no libzstd; ROOST_ERR_IO; ROOST_ERR_FULL: the
 * configuration's growth is 0 and its capacity too small; and as roost_table_create. */
ROOST_EXPORT roost_status roost_load_file(roost_table **table, const char *path,
                                          const roost_config *config,
                                          const roost_load_options *options);
ROOST_EXPORT roost_status roost_load_fd(roost_table **table, int descriptor,
                                        const roost_config *config,
                                        const roost_load_options *options);
ROOST_EXPORT roost_status roost_load_from(roost_table **table, roost_read_function *read,
                                          void *context, const roost_config *config,
                                          const roost_load_options *options);

/* Reads the header of a snapshot.  size: sizeof(roost_snapshot_info), as the caller was compiled.
 * Returns: as roost_load_file. */
ROOST_EXPORT roost_status roost_snapshot_describe(const char *path, roost_snapshot_info *info,
                                                  size_t size);

/* ---- Changes --------------------------------------------------------------------------------- */

/* roost_config.flags: the table keeps a log of the keys that were written since it was last saved
 * or loaded, for roost_save_changes.  The log lies beside the table, on its device, and counts in
 * memory_limit: a quarter of the table's bytes at most.  Writes take longer for it.  Calls that
 * write are not captured into graphs.  ROOST_ERR_UNSUPPORTED with a comm. */
#define ROOST_CHANGES 0x4u

/* Saves what was written since the last save, as a file beside the whole one: each key's present
 * pair, or that it was removed.  Changes have the id of the whole save and are numbered 1, 2, ...
 * The whole table is saved instead, which options->saved tells, with the reason: before any other
 * save, after the log has overflowed, after roost_table_clear, after and under views, and of
 * ROOST_MULTI tables.  A call that fails changes nothing: the next one has these changes, too.
 * Returns: as roost_save_file; ROOST_ERR_UNSUPPORTED: the table is not ROOST_CHANGES. */
ROOST_EXPORT roost_status roost_save_changes(roost_table *table, const char *path,
                                             const roost_save_options *options);

/* Applies changes to a table that was loaded from their whole save (and the changes before them),
 * with ROOST_CHANGES or without.  All blocks are read and checked before the first is applied, so
 * that damaged ones change nothing.
 * Returns: as roost_load_file; ROOST_ERR_ARGUMENT: they follow another save, or do not follow the
 * last changes, or the table was written to; ROOST_SALVAGE. */
ROOST_EXPORT roost_status roost_load_changes(roost_table *table, const char *path,
                                             const roost_load_options *options);

#ifdef __cplusplus
}
#endif
#endif
