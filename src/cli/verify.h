/* Counts the keys of files a second time, and compares the counts with a table's contents.  The
 * second count shares no code with the first.
 *
 * Nothing of the engines or the readers is included here.  This code opens, decompresses and
 * parses files itself, spells k-mers as strings, and counts keys by sorting them.  Its memory is
 * bounded by the number of distinct keys. */
#ifndef ROOST_CLI_VERIFY_H
#define ROOST_CLI_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/key_count.h"

#define VERIFY_SHOWN 128

/* VERIFY_KMERS: FASTA or FASTQ. */
enum verify_layout { VERIFY_KMERS, VERIFY_COLUMN, VERIFY_RAW, VERIFY_NPY, VERIFY_ARC, VERIFY_WORDS };

/* How the numbers of a column are spelled; VERIFY_FIXED: with decimals. */
enum verify_field { VERIFY_UNSIGNED, VERIFY_SIGNED, VERIFY_FIXED, VERIFY_DATE, VERIFY_TIME };

struct verify_plan {
    char *const *files;
    size_t files_n;
    enum verify_layout layout;
    bool verbatim;     /* no decompression */
    unsigned kmer;     /* VERIFY_KMERS */
    bool one_strand;   /* VERIFY_KMERS: not the smaller of a k-mer and its complement */
    uint64_t column;   /* VERIFY_COLUMN: from 1; 0: by name */
    const char *name;  /* the column's name in the header */
    bool header;       /* skip one line */
    bool skip_blank;   /* skip empty lines */
    char comment;      /* skip lines that begin with it; 0: none */
    bool leave_out;    /* leave out records without a key */
    uint64_t left_out; /* how many were left out */
    enum verify_field field;
    unsigned decimals; /* VERIFY_FIXED */
    /* 0: a tab if the first line has one outside of quotes, else a comma */
    char separator;
    int base; /* VERIFY_COLUMN: 10 or 36 */
    /* VERIFY_RAW: width of a key; VERIFY_COLUMN: 4 or 8, the width of the largest number in a
     * field, or of bytes their number; 0: strings */
    unsigned key_bytes;
    uint64_t sign;    /* the bit of negative keys; 0: none */
    bool big_endian;  /* VERIFY_RAW */
    uint64_t step;    /* added to a count per occurrence */
    uint64_t largest; /* at which counts saturate */
    /* keys of the table that are bytes; NULL: keys are integers */
    const struct key_store *store;
};

/* The first key, in rising order, on which table and files disagree.  A count of 0: the key is
 * absent. */
struct verify_difference {
    uint64_t key;                /* of integers */
    uint8_t shown[VERIFY_SHOWN]; /* bytes of other keys */
    size_t shown_bytes;
    bool cut; /* there are more bytes */
    uint64_t in_table;
    uint64_t in_files;
};

enum verify_result { VERIFY_EQUAL, VERIFY_DIFFERENT, VERIFY_FAILED };

/* table: every key and count of the table, by rising key, negative ones first.  VERIFY_FAILED:
 * `why` describes what could not be read. */
enum verify_result verify_counts(const struct verify_plan *plan, const struct key_count *table, size_t table_n,
                                 struct verify_difference *difference, char *why, size_t why_bytes);

#endif
