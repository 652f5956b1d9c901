/* k-mers of a line of letters, for the readers of FASTA and FASTQ: a window of k letters yields the
 * smaller of itself and its reverse complement, or itself.  A letter has two bits (A=0 C=1 G=2
 * T=3), the first one the highest.  Lower case counts as upper case.  Any other letter breaks the
 * window.  Of more than 32 letters a key has 16 bytes, the highest first. */
#ifndef ROOST_IO_KMERS_H
#define ROOST_IO_KMERS_H

#include "io_layout.h"

#define IO_KMER_WIDE_BYTES 16

struct io_kmers {
    unsigned k;
    bool one_strand; /* deliver the window itself */
    enum io_key_type type;
    unsigned letters; /* since the last break, at most k */
    /* the last letters, the newest lowest; and their complement, the newest highest, in 2k bits */
    uint64_t forward_high, forward, reverse_high, reverse;
    uint64_t mask; /* of the 2k bits, those of the highest word */
};

/* LF and CR both end lines. */
static inline bool io_ends_line(uint8_t byte) { return byte == '\n' || byte == '\r'; }

/* Checks reader->spec.kmer, and sets reader->type. */
enum io_status io_kmers_begin(struct io_kmers *kmers, struct io_reader *reader, struct io_error *error);

/* The next letter begins another window. */
static inline void io_kmers_break(struct io_kmers *kmers) { kmers->letters = 0; }

/* Takes letters from the stream's chunk up to the end of the line or of the chunk, as long as there
 * is room for a key, and stores the keys from n on.  Returns how many there are then. */
size_t io_kmers_take(struct io_kmers *kmers, struct io_stream *stream, void *keys, size_t n, size_t room);

/* Skips up to the end of the line or of the chunk. */
void io_skip_line(struct io_stream *stream);

#endif
