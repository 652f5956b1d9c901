/* The words of a text as strings: maximal runs of bytes without ASCII white space, in any
 * encoding. */
#include <string.h>

#include "io_layout.h"

static bool is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

static enum io_status words_begin(struct io_reader *reader, struct io_error *error)
{
    reader->type = IO_STRING;
    return io_begin_text(reader, error);
}

/* Adds the part of a word that is in the chunk and fits into the buffer. */
static void take_run(struct io_stream *stream, struct io_strings *strings)
{
    const uint8_t *end = stream->at;
    const size_t left = io_strings_left(strings);
    const size_t most = (size_t)(stream->end - stream->at) < left ? (size_t)(stream->end - stream->at) : left;
    while (end < stream->at + most && !is_space(*end)) end++;
    memcpy(strings->bytes + strings->offsets[strings->n] + strings->begun, stream->at, (size_t)(end - stream->at));
    strings->begun += (size_t)(end - stream->at);
    stream->at = end;
}

static enum io_status words_next(struct io_reader *reader, struct io_strings *strings, struct io_error *error)
{
    struct io_stream *stream = reader->stream;
    while (strings->n < strings->room) {
        bool ended;
        const enum io_status status = io_need_byte(stream, &ended, error);
        if (status != IO_OK) return status;
        if (ended || is_space(*stream->at)) {
            if (strings->begun > 0) io_end_string(strings);
            if (ended) break;
            stream->at++;
        } else {
            if (io_strings_left(strings) == 0) break;
            take_run(stream, strings);
            if (reader->spec.max_line > 0 && strings->begun > reader->spec.max_line)
                return io_fail(error, IO_ERR_LENGTH, stream->path, "a word has more than %llu bytes, the bound of --max-line",
                               (unsigned long long)reader->spec.max_line);
        }
    }
    return IO_OK;
}

const struct io_layout_operations io_layout_words = {words_begin, NULL, words_next, NULL};
