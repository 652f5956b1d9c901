/* NumPy's .npy files, versions 1 to 3: one-dimensional arrays, also of shape (n, 1), of integers,
 * bool or bytes.  Integers of 1 and 2 bytes and bool become keys of 4 bytes; the zeros at the end
 * of bytes are padding, as in NumPy, and the rest is a string.
 *
 * The header is a Python dictionary of exactly three entries, in any order:
 *     {'descr': '<u4', 'fortran_order': False, 'shape': (1000,), }
 * Anything else is refused: no expression is evaluated. */
#include <stdlib.h>
#include <string.h>

#include "io_layout.h"

/* NumPy refuses headers of more than 10,000 bytes unless told to trust the file.  Such a
 * dictionary has about 70. */
#define HEADER_MAX 65536

struct npy {
    uint64_t left;  /* items not yet delivered */
    uint64_t width; /* bytes of one in the file */
    uint64_t begun; /* bytes that were read of the next one; of strings */
    bool big_endian;
    bool truth; /* bool: any value except 0 is 1 */
};

/* The rest of the header's text. */
struct text {
    const char *at;
    const char *end;
};

enum entry { ENTRY_DESCR = 1, ENTRY_ORDER = 2, ENTRY_SHAPE = 4, ENTRY_ALL = 7 };

static void skip_blanks(struct text *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n' || *text->at == '\t')) text->at++;
}

/* Takes `word` from the text, after blanks.  False if the text does not begin with it. */
static bool take(struct text *text, const char *word)
{
    skip_blanks(text);
    const size_t length = strlen(word);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0) return false;
    text->at += length;
    return true;
}

/* Takes 'word' in either kind of quotes. */
static bool take_quoted(struct text *text, const char *word)
{
    const struct text before = *text;
    for (const char *quote = "'\""; *quote != 0; quote++) {
        const char mark[2] = {*quote, 0};
        *text = before;
        if (take(text, mark) && (size_t)(text->end - text->at) >= strlen(word) && take(text, word) && take(text, mark)) return true;
    }
    *text = before;
    return false;
}

static bool take_number(struct text *text, uint64_t *number)
{
    skip_blanks(text);
    const char *first = text->at;
    for (*number = 0; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++) {
        const uint64_t digit = (uint64_t)(*text->at - '0');
        if (*number > (UINT64_MAX - digit) / 10) return false;
        *number = *number * 10 + digit;
    }
    return text->at > first;
}

/* Takes the type of bytes, such as '|S12'. */
static bool take_bytes_type(struct text *text, struct npy *npy)
{
    const struct text before = *text;
    for (const char *quote = "'\""; *quote != 0; quote++) {
        const char mark[2] = {*quote, 0};
        *text = before;
        if (take(text, mark) && take(text, "|S") && take_number(text, &npy->width) && npy->width > 0 && take(text, mark))
            return true;
    }
    *text = before;
    return false;
}

static bool take_type(struct text *text, enum io_key_type *type, struct npy *npy)
{
    static const struct {
        const char *name;
        enum io_key_type type;
        size_t width;
    } types[] = {
        {"|b1", IO_U32, 1}, {"|u1", IO_U32, 1}, {"<u2", IO_U32, 2}, {">u2", IO_U32, 2}, {"<u4", IO_U32, 4},
        {">u4", IO_U32, 4}, {"<u8", IO_U64, 8}, {">u8", IO_U64, 8}, {"|i1", IO_I32, 1}, {"<i2", IO_I32, 2},
        {">i2", IO_I32, 2}, {"<i4", IO_I32, 4}, {">i4", IO_I32, 4}, {"<i8", IO_I64, 8}, {">i8", IO_I64, 8},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!take_quoted(text, types[i].name)) continue;
        *type = types[i].type;
        npy->width = types[i].width;
        npy->big_endian = types[i].name[0] == '>';
        npy->truth = types[i].name[1] == 'b';
        return true;
    }
    *type = IO_STRING;
    return take_bytes_type(text, npy);
}

/* Takes a dimension; Python 2 wrote an L behind some. */
static bool take_dimension(struct text *text, uint64_t *number)
{
    if (!take_number(text, number)) return false;
    (void)take(text, "L");
    return true;
}

/* Takes a shape such as (6,), (6L,) or (6, 1). */
static bool take_shape(struct text *text, uint64_t *items)
{
    uint64_t one = 1;
    if (!take(text, "(") || !take_dimension(text, items) || !take(text, ",")) return false;
    for (bool more = true; one == 1 && !take(text, ")"); more = take(text, ","))
        if (!more || !take_dimension(text, &one)) return false;
    return one == 1;
}

/* Takes one entry of the dictionary.  Returns NULL, or what is wrong with it. */
static const char *take_entry(struct text *text, unsigned *seen, struct io_reader *reader, struct npy *npy)
{
    unsigned entry = 0;
    if (take_quoted(text, "descr")) entry = ENTRY_DESCR;
    else if (take_quoted(text, "fortran_order")) entry = ENTRY_ORDER;
    else if (take_quoted(text, "shape")) entry = ENTRY_SHAPE;
    if (entry == 0 || !take(text, ":")) return "its header is not a dictionary of descr, fortran_order and shape";
    if ((*seen & entry) != 0) return "its header holds an entry twice";
    *seen |= entry;
    if (entry == ENTRY_DESCR && !take_type(text, &reader->type, npy))
        return "its items are not integers of 1 to 8 bytes (u1, u2, u4, u8, i1, i2, i4, i8), bool (b1) or bytes (S)";
    /* One dimension has one order. */
    if (entry == ENTRY_ORDER && !take(text, "False") && !take(text, "True")) return "its fortran_order is neither True nor False";
    if (entry == ENTRY_SHAPE && !take_shape(text, &npy->left)) return "its shape is not one-dimensional";
    return NULL;
}

static const char *parse_header(struct text text, struct io_reader *reader, struct npy *npy)
{
    unsigned seen = 0;
    if (!take(&text, "{")) return "its header is not a dictionary";
    while (!take(&text, "}")) {
        const char *wrong = take_entry(&text, &seen, reader, npy);
        if (wrong != NULL) return wrong;
        if (take(&text, ",")) continue;
        if (!take(&text, "}")) return "its header is not a dictionary";
        break;
    }
    skip_blanks(&text);
    if (text.at != text.end) return "its header goes on after the dictionary";
    if (seen != ENTRY_ALL) return "its header lacks descr, fortran_order or shape";
    if (npy->left > UINT64_MAX / 8) return "its shape is too large";
    return NULL;
}

static enum io_status read_exactly(struct io_reader *reader, void *to, size_t bytes, struct io_error *error)
{
    size_t got;
    const enum io_status status = io_stream_read(reader->stream, to, bytes, &got, error);
    if (status == IO_OK && got < bytes)
        return io_fail(error, IO_ERR_TRUNCATED, reader->stream->path, "truncated: it ends inside the .npy header");
    return status;
}

/* Reads "\x93NUMPY", two bytes of version, and the header's length in 2 bytes (version 1) or 4. */
static enum io_status read_preamble(struct io_reader *reader, size_t *header_bytes, struct io_error *error)
{
    uint8_t magic[8];
    uint8_t length[4] = {0};
    *header_bytes = 0;
    enum io_status status = read_exactly(reader, magic, sizeof magic, error);
    if (status != IO_OK) return status;
    if (memcmp(magic, "\x93NUMPY", 6) != 0)
        return io_fail(error, IO_ERR_FORMAT, reader->stream->path, "not an .npy file: it does not begin with \\x93NUMPY");
    if (magic[6] < 1 || magic[6] > 3 || magic[7] != 0)
        return io_fail(error, IO_ERR_FORMAT, reader->stream->path, "unknown .npy version %u.%u", magic[6], magic[7]);
    status = read_exactly(reader, length, magic[6] == 1 ? 2 : 4, error);
    *header_bytes = (size_t)length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
    if (status == IO_OK && *header_bytes > HEADER_MAX)
        return io_fail(error, IO_ERR_FORMAT, reader->stream->path, "its .npy header is too long: %zu bytes", *header_bytes);
    return status;
}

static enum io_status npy_begin(struct io_reader *reader, struct io_error *error)
{
    const char *path = reader->stream->path;
    size_t header_bytes;
    enum io_status status = read_preamble(reader, &header_bytes, error);
    if (status != IO_OK) return status;
    struct npy *npy = (struct npy *)calloc(1, sizeof *npy);
    reader->state = npy;
    char *header = (char *)malloc(header_bytes + 1);
    if (npy == NULL || header == NULL) {
        free(header);
        return io_fail(error, IO_ERR_MEMORY, path, "out of memory");
    }
    status = read_exactly(reader, header, header_bytes, error);
    if (status == IO_OK) {
        const struct text text = {header, header + header_bytes};
        const char *wrong = parse_header(text, reader, npy);
        if (wrong != NULL) status = io_fail(error, IO_ERR_FORMAT, path, "%s", wrong);
    }
    free(header);
    return status;
}

/* Fails if items are missing, or at the end if something follows. */
static enum io_status check_end(struct io_reader *reader, bool missing, struct io_error *error)
{
    const struct npy *npy = (const struct npy *)reader->state;
    bool ended = true;
    if (missing)
        return io_fail(error, IO_ERR_TRUNCATED, reader->stream->path, "truncated: %llu keys are missing",
                       (unsigned long long)npy->left);
    const enum io_status status = npy->left == 0 ? io_need_byte(reader->stream, &ended, error) : IO_OK;
    if (status != IO_OK || ended) return status;
    return io_fail(error, IO_ERR_FORMAT, reader->stream->path, "the file goes on after the array");
}

static enum io_status npy_next(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error)
{
    struct npy *npy = (struct npy *)reader->state;
    const size_t want = npy->left < room ? (size_t)npy->left : room;
    const enum io_status status = io_read_items(reader, (size_t)npy->width, npy->big_endian, keys, want, n, error);
    if (status != IO_OK) return status;
    for (size_t i = 0; npy->truth && i < *n; i++) ((uint32_t *)keys)[i] = ((uint32_t *)keys)[i] != 0;
    npy->left -= *n;
    return check_end(reader, *n < want, error);
}

/* Reads on in the current item, as far as the buffer has room.  *done: it is complete. */
static enum io_status read_string(struct io_reader *reader, struct io_strings *strings, bool *done, struct io_error *error)
{
    struct npy *npy = (struct npy *)reader->state;
    const uint64_t missing = npy->width - npy->begun;
    const size_t left = io_strings_left(strings), want = missing < left ? (size_t)missing : left;
    uint8_t *const item = strings->bytes + strings->offsets[strings->n];
    size_t got;
    const enum io_status status = io_stream_read(reader->stream, item + strings->begun, want, &got, error);
    strings->begun += got;
    npy->begun += got;
    *done = npy->begun == npy->width;
    if (status != IO_OK || got < want) return status != IO_OK ? status : check_end(reader, true, error);
    if (!*done) return IO_OK;
    while (strings->begun > 0 && item[strings->begun - 1] == 0) strings->begun--;
    io_end_string(strings);
    npy->begun = 0;
    npy->left--;
    return IO_OK;
}

static enum io_status npy_next_strings(struct io_reader *reader, struct io_strings *strings, struct io_error *error)
{
    const struct npy *npy = (const struct npy *)reader->state;
    bool done = true;
    while (done && npy->left > 0 && strings->n < strings->room) {
        const enum io_status status = read_string(reader, strings, &done, error);
        if (status != IO_OK) return status;
    }
    return check_end(reader, false, error);
}

const struct io_layout_operations io_layout_npy = {npy_begin, npy_next, npy_next_strings, NULL};
