/* k-mers of FASTQ: records of a line that begins with '@', lines of letters, a line that begins
 * with '+', and lines with as many qualities as there are letters.  A line of qualities may begin
 * with any of these bytes, so their number decides where the record ends.  LF and CR both end
 * lines; blank lines between records are skipped. */
#include <stdlib.h>

#include "io_fastq.h"

enum place { BETWEEN, HEADER, LETTERS, PLUS, QUALITIES };

struct fastq {
    struct io_kmers kmers;
    enum place place;
    bool line_start;
    bool cr;                     /* the last byte was a CR */
    uint64_t line, first_line;   /* from 1; where the record began */
    uint64_t letters, qualities; /* of the record */
};

static enum io_status refuse(const struct io_reader *reader, enum io_status status, uint64_t line, const char *why,
                             struct io_error *error)
{
    return io_fail(error, status, reader->stream->path, "line %llu: %s", (unsigned long long)line, why);
}

/* Goes on behind a line end. */
static void end_line(struct fastq *fastq, uint8_t byte)
{
    fastq->line += byte == '\r' || !fastq->cr;
    fastq->cr = byte == '\r';
    fastq->line_start = true;
    if (fastq->place == HEADER) fastq->place = LETTERS;
    else if (fastq->place == PLUS) fastq->place = QUALITIES;
    if (fastq->place == QUALITIES && fastq->qualities == fastq->letters) fastq->place = BETWEEN;
}

static enum io_status begin_record(struct io_reader *reader, struct io_error *error)
{
    struct fastq *fastq = (struct fastq *)reader->state;
    if (*reader->stream->at != '@') return refuse(reader, IO_ERR_FORMAT, fastq->line, "a record of FASTQ begins with '@'", error);
    io_kmers_break(&fastq->kmers);
    fastq->place = HEADER;
    fastq->first_line = fastq->line;
    fastq->letters = fastq->qualities = 0;
    return IO_OK;
}

static enum io_status take_qualities(struct io_reader *reader, struct io_error *error)
{
    struct fastq *fastq = (struct fastq *)reader->state;
    struct io_stream *stream = reader->stream;
    const uint8_t *const first = stream->at;
    io_skip_line(stream);
    fastq->qualities += (uint64_t)(stream->at - first);
    if (fastq->qualities <= fastq->letters) return IO_OK;
    return refuse(reader, IO_ERR_FORMAT, fastq->line, "the record has more qualities than letters", error);
}

/* Takes bytes of a line. */
static enum io_status take_line(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error)
{
    struct fastq *fastq = (struct fastq *)reader->state;
    struct io_stream *stream = reader->stream;
    const uint8_t *const first = stream->at;
    switch (fastq->place) {
    case BETWEEN: return begin_record(reader, error);
    case HEADER:
    case PLUS: io_skip_line(stream); return IO_OK;
    case QUALITIES: return take_qualities(reader, error);
    case LETTERS: break;
    }
    if (fastq->line_start && *first == '+') {
        fastq->place = PLUS;
    } else {
        *n = io_kmers_take(&fastq->kmers, stream, keys, *n, room);
        fastq->letters += (uint64_t)(stream->at - first);
    }
    fastq->line_start = false;
    return IO_OK;
}

/* At the end of the file: the last line may lack its line end. */
static enum io_status end_file(const struct io_reader *reader, struct io_error *error)
{
    const struct fastq *fastq = (const struct fastq *)reader->state;
    if (fastq->place == BETWEEN) return IO_OK;
    if ((fastq->place == PLUS || fastq->place == QUALITIES) && fastq->qualities == fastq->letters) return IO_OK;
    return refuse(reader, IO_ERR_TRUNCATED, fastq->first_line, "truncated: the record has fewer qualities than letters", error);
}

static enum io_status fastq_next(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error)
{
    struct io_stream *stream = reader->stream;
    struct fastq *fastq = (struct fastq *)reader->state;
    while (*n < room) {
        bool ended;
        enum io_status status = io_need_byte(stream, &ended, error);
        if (status == IO_OK && ended) return end_file(reader, error);
        if (status == IO_OK && io_ends_line(*stream->at)) {
            end_line(fastq, *stream->at++);
        } else if (status == IO_OK) {
            fastq->cr = false;
            status = take_line(reader, keys, room, n, error);
        }
        if (status != IO_OK) return status;
    }
    return IO_OK;
}

enum io_status io_fastq_begin(struct io_reader *reader, struct io_kmers kmers, uint64_t line, struct io_error *error)
{
    /* A file cannot be cut: a line of qualities may look like any other. */
    static const struct io_layout_operations operations = {NULL, fastq_next, NULL, NULL};
    struct fastq *fastq = (struct fastq *)calloc(1, sizeof *fastq);
    if (fastq == NULL) return io_fail(error, IO_ERR_MEMORY, reader->stream->path, "out of memory");
    fastq->kmers = kmers;
    fastq->line = line;
    reader->state = fastq;
    reader->operations = &operations;
    return IO_OK;
}
