/* Reads a file chunk by chunk, and decompresses the chunks if there is a codec. */
#define _GNU_SOURCE 1
#include "io_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fills the input buffer to its end, unless the file ends first.  Users of a chunk may rely on
 * its length. */
static enum io_status read_file(struct io_stream *stream, struct io_error *error)
{
    stream->in_at = 0;
    stream->in_end = 0;
    while (stream->in_end < IO_CHUNK && !stream->file_ended) {
        const uint64_t left = stream->file_limit - stream->file_position;
        const size_t room = IO_CHUNK - stream->in_end;
        const ssize_t got = read(stream->file, stream->in + stream->in_end, left < room ? (size_t)left : room);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return io_fail(error, IO_ERR_SYSTEM, stream->path, "%s", strerror(errno));
        stream->file_ended = got == 0;
        stream->in_end += (size_t)got;
        stream->file_position += (uint64_t)got;
    }
    return IO_OK;
}

/* The bytes of the file that are not decoded, as far as they are known. */
static uint64_t bytes_left(const struct io_stream *stream)
{
    const uint64_t read = stream->in_end - stream->in_at;
    return stream->file_bytes > stream->file_position ? read + stream->file_bytes - stream->file_position : read;
}

/* Reads the bytes behind complete data, of which `taken` were taken before, and counts them. */
static enum io_status leave_out_rest(struct io_stream *stream, uint64_t taken, struct io_error *error)
{
    enum io_status status;
    stream->complete = true;
    stream->left_out = taken;
    do {
        stream->left_out += stream->in_end - stream->in_at;
        status = read_file(stream, error);
    } while (status == IO_OK && stream->in_end > 0);
    return status;
}

/* Runs one step of the codec from the input buffer to step->out. */
static enum io_status decode_some(struct io_stream *stream, struct io_step *step, struct io_error *error)
{
    step->in = stream->in + stream->in_at;
    step->in_bytes = stream->in_end - stream->in_at;
    step->why = NULL;
    step->behind = false;
    step->taken = 0;
    const enum io_status status = stream->codec->decode(stream->codec_state, step);
    stream->in_at = stream->in_end - step->in_bytes;
    if (status == IO_OK) return IO_OK;
    if (step->behind && stream->codec->lenient) return leave_out_rest(stream, step->taken, error);
    if (step->behind)
        return io_fail(error, status, stream->path,
                       "damaged %s data: they are complete, but followed by %llu bytes of something else", stream->codec->name,
                       (unsigned long long)bytes_left(stream));
    return io_fail(error, status, stream->path, "damaged %s data: %s", stream->codec->name,
                   step->why != NULL ? step->why : io_status_string(status));
}

static enum io_status decode_chunk(struct io_stream *stream, struct io_error *error)
{
    struct io_step step = {NULL, 0, stream->out, IO_CHUNK, NULL, false, 0};
    while (step.out_bytes > 0 && !stream->complete) {
        if (stream->in_at == stream->in_end) {
            const enum io_status status = read_file(stream, error);
            if (status != IO_OK) return status;
        }
        const size_t in_before = stream->in_end - stream->in_at;
        const size_t out_before = step.out_bytes;
        const enum io_status status = decode_some(stream, &step, error);
        if (status != IO_OK) return status;
        if (step.in_bytes != in_before || step.out_bytes != out_before) continue;
        if (stream->complete) break;
        if (in_before > 0) return io_fail(error, IO_ERR_CORRUPT, stream->path, "damaged %s data", stream->codec->name);
        if (!stream->codec->complete(stream->codec_state))
            return io_fail(error, IO_ERR_TRUNCATED, stream->path, "truncated: the %s data end too early", stream->codec->name);
        break;
    }
    stream->at = stream->out;
    stream->end = step.out;
    return IO_OK;
}

enum io_status io_stream_fill(struct io_stream *stream, struct io_error *error)
{
    if (stream->codec != NULL) return decode_chunk(stream, error);
    const enum io_status status = read_file(stream, error);
    if (status != IO_OK) return status;
    stream->at = stream->in;
    stream->end = stream->in + stream->in_end;
    return IO_OK;
}

enum io_status io_stream_read(struct io_stream *stream, void *to, size_t bytes, size_t *got, struct io_error *error)
{
    *got = 0;
    while (*got < bytes) {
        if (stream->at == stream->end) {
            const enum io_status status = io_stream_fill(stream, error);
            if (status != IO_OK) return status;
            if (stream->at == stream->end) break;
        }
        const size_t here = (size_t)(stream->end - stream->at);
        const size_t part = here < bytes - *got ? here : bytes - *got;
        memcpy((uint8_t *)to + *got, stream->at, part);
        stream->at += part;
        *got += part;
    }
    return IO_OK;
}

static enum io_status open_file(struct io_stream *stream, struct io_error *error)
{
    const bool standard_input = strcmp(stream->path, "-") == 0;
    stream->file = standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(stream->path, O_RDONLY | O_CLOEXEC);
    if (stream->file < 0) return io_fail(error, IO_ERR_SYSTEM, stream->path, "%s", strerror(errno));
    struct stat about;
    if (fstat(stream->file, &about) != 0) return io_fail(error, IO_ERR_SYSTEM, stream->path, "%s", strerror(errno));
    if (S_ISDIR(about.st_mode)) return io_fail(error, IO_ERR_SYSTEM, stream->path, "%s", strerror(EISDIR));
    stream->regular = S_ISREG(about.st_mode);
    if (stream->regular && about.st_size > 0) stream->file_bytes = (uint64_t)about.st_size;
    return IO_OK;
}

/* Chooses the codec by the first chunk, which is then decoded or handed out unchanged. */
static enum io_status choose_codec(struct io_stream *stream, struct io_error *error)
{
    static const struct io_codec *const codecs[] = {&io_codec_bzip2, &io_codec_gzip, &io_codec_xz, &io_codec_zstd};
    const enum io_status status = read_file(stream, error);
    if (status != IO_OK) return status;
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (codecs[i]->matches(stream->in, stream->in_end)) stream->codec = codecs[i];
    if (stream->codec == NULL) {
        stream->at = stream->in;
        stream->end = stream->in + stream->in_end;
        return IO_OK;
    }
    stream->codec_state = stream->codec->create();
    stream->out = (uint8_t *)malloc(IO_CHUNK);
    if (stream->codec_state == NULL || stream->out == NULL) return io_fail(error, IO_ERR_MEMORY, stream->path, "out of memory");
    return IO_OK;
}

enum io_status io_stream_open(struct io_stream **stream, const char *path, bool verbatim, struct io_error *error)
{
    *stream = NULL;
    struct io_stream *s = (struct io_stream *)calloc(1, sizeof *s);
    if (s == NULL) return io_fail(error, IO_ERR_MEMORY, path, "out of memory");
    s->file = -1;
    s->file_limit = UINT64_MAX;
    s->path = strdup(path);
    s->in = (uint8_t *)malloc(IO_CHUNK);
    enum io_status status = IO_OK;
    if (s->path == NULL || s->in == NULL) status = io_fail(error, IO_ERR_MEMORY, path, "out of memory");
    if (status == IO_OK) status = open_file(s, error);
    if (status == IO_OK && !verbatim) status = choose_codec(s, error);
    if (status != IO_OK) {
        io_stream_close(s);
        return status;
    }
    *stream = s;
    return IO_OK;
}

enum io_status io_stream_window(struct io_stream *stream, uint64_t from, uint64_t to, struct io_error *error)
{
    if (lseek(stream->file, (off_t)from, SEEK_SET) < 0) return io_fail(error, IO_ERR_SYSTEM, stream->path, "%s", strerror(errno));
    stream->at = stream->end = stream->in;
    stream->in_at = stream->in_end = 0;
    stream->file_position = from;
    stream->file_limit = to < from ? from : to;
    stream->file_ended = false;
    return IO_OK;
}

void io_stream_close(struct io_stream *stream)
{
    if (stream == NULL) return;
    if (stream->codec_state != NULL) stream->codec->destroy(stream->codec_state);
    if (stream->file >= 0) close(stream->file);
    free(stream->out);
    free(stream->in);
    free(stream->path);
    free(stream);
}
