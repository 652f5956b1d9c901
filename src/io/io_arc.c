/* Block traces in the format of the ARC paper (Megiddo and Modha, "ARC: A Self-Tuning, Low
 * Overhead Replacement Cache", FAST 2003): lines `start count ignore request-number` of decimal
 * numbers.  A line stands for accesses to the blocks start, start + 1, ... start + count - 1.
 * The last two numbers may be absent; they are ignored. */
#include <stdlib.h>

#include "io_layout.h"

/* Most accesses per line: with blocks of 512 bytes, 8 GiB in one request.  A larger count
 * counts as damage, because it would never end. */
#define ACCESSES_MOST ((uint64_t)1 << 24)
#define FIELDS_MOST 4

struct arc {
    uint64_t key, left; /* accesses of the last line, not yet delivered */
    uint64_t line;      /* from 1 */
};

static enum io_status arc_begin(struct io_reader *reader, struct io_error *error)
{
    reader->state = calloc(1, sizeof(struct arc));
    if (reader->state == NULL) return io_fail(error, IO_ERR_MEMORY, reader->stream->path, "out of memory");
    reader->type = IO_U64;
    return IO_OK;
}

static enum io_status refuse(const struct io_reader *reader, struct io_error *error, const char *why)
{
    const struct arc *arc = (const struct arc *)reader->state;
    return io_fail(error, IO_ERR_FORMAT, reader->stream->path, "line %llu: %s", (unsigned long long)arc->line, why);
}

/* A line while it is read. */
struct line {
    uint64_t field[FIELDS_MOST];
    int fields;
    bool in_number;
};

/* Returns NULL, or what is wrong with the byte. */
static const char *take_byte(struct line *line, uint8_t byte)
{
    if (byte == ' ' || byte == '\t' || byte == '\r') {
        line->in_number = false;
        return NULL;
    }
    if (byte < '0' || byte > '9') return "it is not of the form `start count ignore request-number`";
    if (!line->in_number) {
        if (line->fields == FIELDS_MOST) return "it has more than four numbers";
        line->field[line->fields++] = 0;
        line->in_number = true;
    }
    uint64_t *number = &line->field[line->fields - 1];
    const uint64_t digit = byte - (uint8_t)'0';
    if (*number > (UINT64_MAX - digit) / 10) return "a number is too large for 64 bits";
    *number = *number * 10 + digit;
    return NULL;
}

/* Reads the next line.  *ended: there is none. */
static enum io_status read_line(struct io_reader *reader, struct line *line, bool *ended, struct io_error *error)
{
    struct io_stream *stream = reader->stream;
    struct arc *arc = (struct arc *)reader->state;
    const struct line nothing = {{0}, 0, false};
    *line = nothing;
    arc->line++;
    for (uint64_t bytes = 0;; bytes++) {
        bool no_more;
        enum io_status status = io_need_byte(stream, &no_more, error);
        if (status == IO_OK) status = io_check_line(reader, arc->line, bytes, error);
        if (status != IO_OK) return status;
        *ended = no_more && bytes == 0;
        if (no_more) return IO_OK;
        const uint8_t byte = *stream->at++;
        if (byte == '\n') return IO_OK;
        const char *wrong = take_byte(line, byte);
        if (wrong != NULL) return refuse(reader, error, wrong);
    }
}

static enum io_status arc_next(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error)
{
    struct arc *arc = (struct arc *)reader->state;
    for (;;) {
        for (; arc->left > 0 && *n < room; arc->left--) io_put_key(keys, (*n)++, reader->type, arc->key++);
        if (*n == room) return IO_OK;
        struct line line;
        bool ended;
        const enum io_status status = read_line(reader, &line, &ended, error);
        if (status != IO_OK || ended) return status;
        if (line.fields == 0) continue; /* a blank line */
        if (line.fields == 1) return refuse(reader, error, "it has one number; it needs a start and a count");
        if (line.field[1] > ACCESSES_MOST) return refuse(reader, error, "its count is above 16777216");
        if (line.field[1] > 0 && line.field[0] > UINT64_MAX - (line.field[1] - 1))
            return refuse(reader, error, "its last block is too large for 64 bits");
        arc->key = line.field[0];
        arc->left = line.field[1];
    }
}

static enum io_status arc_share(struct io_reader *reader, uint64_t share, uint64_t shares, struct io_error *error)
{
    struct io_stream *const stream = reader->stream;
    struct arc *const arc = (struct arc *)reader->state;
    const uint64_t low = io_share_begin(stream, 0, 1, share, shares), high = io_share_begin(stream, 0, 1, share + 1, shares);
    const struct io_syntax lines = {.line_end = '\n'};
    return io_line_share(stream, 0, low, high, lines, &arc->line, error);
}

const struct io_layout_operations io_layout_arc = {arc_begin, arc_next, NULL, arc_share};
