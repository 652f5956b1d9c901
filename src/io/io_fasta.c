/* Canonical k-mers of FASTA: each window of k letters of a record yields the smaller of itself
 * and its reverse complement, with two bits per base (A=0 C=1 G=2 T=3, the first base highest).
 * Lower case counts as upper case.  Any other letter and the end of a record break the window.
 * LF and CR both end lines. */
#include <stdlib.h>
#include <string.h>

#include "io_layout.h"

/* The class of a byte.  LETTER_OTHER breaks the window. */
enum letter { LETTER_OTHER, LETTER_A, LETTER_C, LETTER_G, LETTER_T, LETTER_LINE_END };

static const uint8_t letters[256] = {
    ['A'] = LETTER_A, ['C'] = LETTER_C, ['G'] = LETTER_G, ['T'] = LETTER_T,         ['a'] = LETTER_A,
    ['c'] = LETTER_C, ['g'] = LETTER_G, ['t'] = LETTER_T, ['\n'] = LETTER_LINE_END, ['\r'] = LETTER_LINE_END,
};

#define COMPLEMENT(base) ((base) ^ 3)

struct fasta {
    uint64_t forward; /* the last bases, the newest lowest */
    uint64_t reverse; /* their complement, the newest highest: 2k bits */
    uint64_t mask;    /* 2k bits */
    unsigned bases;   /* since the last break, at most k */
    bool line_start;
    bool in_header;
    bool in_record;
};

static enum io_status fasta_begin(struct io_reader *reader, struct io_error *error)
{
    const unsigned k = reader->spec.kmer;
    if (k < 1 || k > IO_KMER_MAX)
        return io_fail(error, IO_ERR_ARGUMENT, reader->stream->path, "k-mers have 1 to %d letters, not %u", IO_KMER_MAX, k);
    struct fasta *fasta = (struct fasta *)calloc(1, sizeof *fasta);
    if (fasta == NULL) return io_fail(error, IO_ERR_MEMORY, reader->stream->path, "out of memory");
    fasta->mask = ~(uint64_t)0 >> (64 - 2 * k);
    fasta->line_start = true;
    reader->state = fasta;
    reader->type = k <= IO_KMER_MAX_U32 ? IO_U32 : IO_U64;
    return io_begin_text(reader, error);
}

/* Skips the header line, or up to the chunk's end. */
static void skip_header(struct fasta *fasta, struct io_stream *stream)
{
    while (stream->at < stream->end && letters[*stream->at] != LETTER_LINE_END) stream->at++;
    if (stream->at < stream->end) fasta->in_header = false;
}

/* Adds one base.  True if the window is full. */
static inline bool slide(struct fasta *fasta, unsigned k, uint64_t base)
{
    fasta->forward = (fasta->forward << 2 | base) & fasta->mask;
    fasta->reverse = fasta->reverse >> 2 | COMPLEMENT(base) << (2 * k - 2);
    fasta->bases += fasta->bases < k;
    return fasta->bases == k;
}

static enum io_status fail_beginning(const struct io_stream *stream, uint8_t byte, struct io_error *error)
{
    if (byte == '@')
        return io_fail(error, IO_ERR_FORMAT, stream->path,
                       "FASTQ is not read: convert it to FASTA, as by sed -n '1~4s/^@/>/p;2~4p'");
    return io_fail(error, IO_ERR_FORMAT, stream->path, "not FASTA: it does not begin with '>'");
}

/* Reads the stream's chunk until it ends or the room is full. */
static enum io_status read_chunk(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error)
{
    struct io_stream *stream = reader->stream;
    struct fasta *fasta = (struct fasta *)reader->state;
    const unsigned k = reader->spec.kmer;
    while (stream->at < stream->end && *n < room) {
        if (fasta->in_header) {
            skip_header(fasta, stream);
            continue;
        }
        const uint8_t byte = *stream->at++;
        const enum letter letter = (enum letter)letters[byte];
        if (letter == LETTER_LINE_END) {
            fasta->line_start = true;
            continue;
        }
        if (byte == '>' && fasta->line_start) {
            fasta->in_header = true;
            fasta->in_record = true;
            fasta->bases = 0;
            continue;
        }
        if (!fasta->in_record) return fail_beginning(stream, byte, error);
        fasta->line_start = false;
        if (letter == LETTER_OTHER) fasta->bases = 0;
        else if (slide(fasta, k, (uint64_t)letter - LETTER_A))
            io_put_key(keys, (*n)++, reader->type, fasta->forward < fasta->reverse ? fasta->forward : fasta->reverse);
    }
    return IO_OK;
}

static enum io_status fasta_next(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error)
{
    while (*n < room) {
        bool ended;
        enum io_status status = io_need_byte(reader->stream, &ended, error);
        if (status == IO_OK && !ended) status = read_chunk(reader, keys, room, n, error);
        if (status != IO_OK || ended) return status;
    }
    return IO_OK;
}

/* ---- Parts of a file ------------------------------------------------------------------------- */

/* Finds the beginning of a line from which on the letters of a window at byte `from` can be read:
 * before that byte it has k letters or more, or it is the file's beginning. */
static enum io_status line_before(struct io_stream *stream, uint64_t from, unsigned k, uint64_t *line, struct io_error *error)
{
    uint64_t end = from, letters_seen = 0;
    while (end > 0) {
        const uint64_t begin = end > IO_CHUNK ? end - IO_CHUNK : 0;
        bool ended;
        enum io_status status = io_stream_window(stream, begin, end, error);
        if (status == IO_OK) status = io_need_byte(stream, &ended, error);
        if (status != IO_OK) return status;
        for (const uint8_t *byte = stream->end; byte-- > stream->at;) {
            if (letters[*byte] != LETTER_LINE_END) letters_seen++;
            else if (letters_seen >= k) return *line = begin + (uint64_t)(byte + 1 - stream->at), IO_OK;
        }
        end = begin;
    }
    return *line = 0, IO_OK;
}

/* A k-mer belongs to the part that has its last letter.  The letters before it are read without
 * delivering theirs. */
static enum io_status fasta_share(struct io_reader *reader, uint64_t share, uint64_t shares, struct io_error *error)
{
    struct io_stream *const stream = reader->stream;
    struct fasta *const fasta = (struct fasta *)reader->state;
    const uint64_t first = io_stream_position(stream), from = io_share_begin(stream, first, 1, share, shares),
                   to = io_share_begin(stream, first, 1, share + 1, shares);
    uint64_t line = 0, dropped[64];
    size_t n;
    if (share == 0) return io_stream_window(stream, first, to, error);
    enum io_status status = line_before(stream, from, reader->spec.kmer, &line, error);
    fasta->in_record = line > first;
    if (status == IO_OK) status = io_stream_window(stream, line > first ? line : first, from, error);
    do {
        n = 0;
        if (status == IO_OK) status = fasta_next(reader, dropped, sizeof dropped / sizeof *dropped, &n, error);
    } while (status == IO_OK && n > 0);
    return status == IO_OK ? io_stream_window(stream, from, to, error) : status;
}

const struct io_layout_operations io_layout_fasta = {fasta_begin, fasta_next, NULL, fasta_share};
