/* k-mers of FASTA.  The end of a record breaks the window.  LF and CR both end lines; a line may
 * begin with blanks.  A file whose first byte apart from blanks and line ends is '@' is FASTQ. */
#include <stdlib.h>

#include "io_fastq.h"

struct fasta {
    struct io_kmers kmers;
    bool line_start; /* only blanks came since the last line end */
    bool in_header;
    bool in_record;
};

static bool is_blank(uint8_t byte) { return byte == ' ' || byte == '\t'; }

/* Skips blanks and line ends.  *first: the byte behind them; 0: there is none.  *line: its line,
 * from 1. */
static enum io_status skip_to_record(struct io_stream *stream, uint8_t *first, uint64_t *line, struct io_error *error)
{
    bool ended = false;
    *first = 0;
    *line = 1;
    for (uint8_t before = 0;; stream->at++, before = *first) {
        const enum io_status status = io_need_byte(stream, &ended, error);
        if (status != IO_OK || ended) return status;
        *first = *stream->at;
        *line += *first == '\r' || (*first == '\n' && before != '\r');
        if (!is_blank(*first) && !io_ends_line(*first)) return IO_OK;
    }
}

static enum io_status fasta_begin(struct io_reader *reader, struct io_error *error)
{
    struct io_kmers kmers;
    uint64_t line;
    uint8_t first;
    enum io_status status = io_kmers_begin(&kmers, reader, error);
    if (status == IO_OK) status = io_begin_text(reader, error);
    if (status == IO_OK) status = skip_to_record(reader->stream, &first, &line, error);
    if (status != IO_OK) return status;
    if (first == '@') return io_fastq_begin(reader, kmers, line, error);
    struct fasta *fasta = (struct fasta *)calloc(1, sizeof *fasta);
    if (fasta == NULL) return io_fail(error, IO_ERR_MEMORY, reader->stream->path, "out of memory");
    fasta->kmers = kmers;
    fasta->line_start = true;
    reader->state = fasta;
    return IO_OK;
}

/* Takes the byte that begins a line, or blanks before it.  False: it is a letter. */
static bool begin_line(struct fasta *fasta, struct io_stream *stream)
{
    const uint8_t byte = *stream->at;
    if (byte != '>' && !is_blank(byte)) return false;
    stream->at++;
    io_kmers_break(&fasta->kmers);
    if (byte == '>') fasta->in_header = fasta->in_record = true;
    return true;
}

/* Reads the stream's chunk until it ends or the room is full. */
static enum io_status read_chunk(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error)
{
    struct io_stream *stream = reader->stream;
    struct fasta *fasta = (struct fasta *)reader->state;
    while (stream->at < stream->end && *n < room) {
        if (io_ends_line(*stream->at)) {
            fasta->line_start = true;
            fasta->in_header = false;
            stream->at++;
        } else if (fasta->in_header) {
            io_skip_line(stream);
        } else if (!fasta->line_start || !begin_line(fasta, stream)) {
            if (!fasta->in_record)
                return io_fail(error, IO_ERR_FORMAT, stream->path, "not FASTA or FASTQ: it does not begin with '>' or '@'");
            fasta->line_start = false;
            *n = io_kmers_take(&fasta->kmers, stream, keys, *n, room);
        }
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
            if (!io_ends_line(*byte)) letters_seen++;
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
        if (status == IO_OK) status = fasta_next(reader, dropped, sizeof dropped / io_reader_key_bytes(reader), &n, error);
    } while (status == IO_OK && n > 0);
    return status == IO_OK ? io_stream_window(stream, from, to, error) : status;
}

const struct io_layout_operations io_layout_fasta = {fasta_begin, fasta_next, NULL, fasta_share};
