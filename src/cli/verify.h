/* Counts the keys of files a second time, by a way that shares nothing with the first, and compares with a table's contents.
 *
 * Nothing of the engines and nothing of the readers is included here: files are opened, decompressed and parsed by this code
 * alone, k-mers are strings, and keys are counted by sorting them.  Memory is bounded by the number of distinct keys.
 */
#ifndef ROOST_CLI_VERIFY_H
#define ROOST_CLI_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/key_count.h"

#define VERIFY_SHOWN 128

enum verify_layout { VERIFY_FASTA, VERIFY_COLUMN, VERIFY_RAW, VERIFY_NPY, VERIFY_ARC, VERIFY_WORDS };

struct verify_plan {
    char *const *files;
    size_t files_n;
    enum verify_layout layout;
    bool verbatim;                 /* no decompression */
    unsigned kmer;                 /* VERIFY_FASTA */
    uint64_t column;               /* VERIFY_COLUMN: from 1, or 0: by name */
    const char *name;              /* the column's name in the header */
    bool header;                   /* skip one line */
    char separator;                /* '\t', ',' or 0: a tab if the first line holds one, else a comma */
    int base;                      /* VERIFY_COLUMN: 10 or 36 */
    unsigned key_bytes;            /* VERIFY_RAW: of a key; VERIFY_COLUMN: 4 or 8: the largest number that a field may hold */
    bool big_endian;               /* VERIFY_RAW */
    uint64_t step;                 /* what one occurrence adds to a count */
    uint64_t largest;              /* where counts saturate */
    const struct key_store *store; /* keys are the bytes as they are, and the table's lie there; NULL: integers */
};

/* The first key, in rising order, on which table and files disagree; a count of 0: the key is not there. */
struct verify_difference {
    uint64_t key;                /* of integers */
    uint8_t shown[VERIFY_SHOWN]; /* of other keys the bytes, */
    size_t shown_bytes;
    bool cut; /* and whether there are more of them */
    uint64_t in_table;
    uint64_t in_files;
};

enum verify_result { VERIFY_EQUAL, VERIFY_DIFFERENT, VERIFY_FAILED };

/* table: every key and count of the table, by rising key.  VERIFY_FAILED: `why` says what could not be read. */
enum verify_result verify_counts(const struct verify_plan *plan, const struct key_count *table, size_t table_n,
                                 struct verify_difference *difference, char *why, size_t why_bytes);

#endif
