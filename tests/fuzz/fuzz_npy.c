/* .npy: if a file is read, its header describes it and the keys are the items behind it.
 * Half of the files get a sound header here, in one of its forms, and have to be read. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <string.h>

#include "reading.h"

/* the longest header, for which the reader allocates memory before it reads it */
#define HEADER_MOST 65536

#define WRITTEN_HEADER_MOST 128
#define WRITTEN_DATA_MOST 4096 /* longer inputs are skipped */

static bool contains(struct fuzz_bytes text, const char *word) { return memmem(text.at, text.n, word, strlen(word)) != NULL; }

/* The number behind the first parenthesis. */
static uint64_t shape_of(struct fuzz_bytes header)
{
    uint64_t shape = 0;
    while (fuzz_take(&header) != '(') FUZZ_CHECK(header.n > 0);
    for (; header.n > 0 && *header.at != ','; fuzz_take(&header))
        if (*header.at >= '0' && *header.at <= '9') shape = shape * 10 + (uint64_t)(*header.at - '0');
    return shape;
}

/* The width that the header gives of integers that become keys of 4 bytes. */
static size_t narrow_width(struct fuzz_bytes header, const char *letter)
{
    char type[3];
    for (size_t width = 1; width < 4; width *= 2) {
        snprintf(type, sizeof type, "%s%zu", letter, width);
        if (contains(header, type)) return width;
    }
    return 4;
}

static uint64_t widened(uint64_t loaded, size_t width)
{
    if (width == 1) return (uint32_t)(int8_t)loaded;
    return width == 2 ? (uint32_t)(int16_t)loaded : loaded;
}

/* Finds the header and the data of a file that was read without an error. */
static struct fuzz_bytes header_of(struct fuzz_bytes file, struct fuzz_bytes *data)
{
    FUZZ_CHECK(file.n >= 10 && memcmp(file.at, "\x93NUMPY", 6) == 0 && file.at[6] >= 1 && file.at[6] <= 3);
    const size_t length_bytes = file.at[6] == 1 ? 2 : 4;
    const size_t begin = 8 + length_bytes;
    FUZZ_CHECK(file.n >= begin);
    const struct fuzz_bytes header = {file.at + begin, fuzz_load(file.at + 8, length_bytes, false)};
    FUZZ_CHECK(header.n <= file.n - begin);
    FUZZ_CHECK(contains(header, "descr") && contains(header, "fortran_order") && contains(header, "shape"));
    FUZZ_CHECK(contains(header, "False") != contains(header, "True"));
    *data = (struct fuzz_bytes){file.at + begin + header.n, file.n - begin - header.n};
    return header;
}

/* The file was read without an error, so it has to match the keys. */
static void check_file(struct fuzz_bytes file, const struct fuzz_keys *read)
{
    static const char *const letters[] = {[IO_U32] = "u", [IO_U64] = "u", [IO_I32] = "i", [IO_I64] = "i"};
    struct fuzz_bytes data;
    const struct fuzz_bytes header = header_of(file, &data);
    const bool big_endian = contains(header, ">");
    FUZZ_CHECK(shape_of(header) == read->n);
    const bool narrow = read->type == IO_U32 || read->type == IO_I32;
    const bool truth = contains(header, "|b1");
    const size_t width = truth ? 1 : narrow ? narrow_width(header, letters[read->type]) : 8;
    char type[4];
    snprintf(type, sizeof type, "%s%zu", truth ? "b" : letters[read->type], width);
    FUZZ_CHECK(contains(header, type));
    FUZZ_CHECK(data.n == read->n * width);
    for (size_t i = 0; i < read->n; i++) {
        const uint64_t loaded = fuzz_load(data.at + i * width, width, big_endian);
        const uint64_t key = read->type == IO_I32 ? widened(loaded, width) : loaded;
        FUZZ_CHECK(read->keys[i] == (truth ? key != 0 : key));
    }
}

/* The same for bytes, which have zeros at their end. */
static void check_padded(struct fuzz_bytes data, size_t width, const struct fuzz_texts *read)
{
    FUZZ_CHECK(data.n == read->n * width);
    for (size_t i = 0, from = 0; i < read->n; from = read->ends[i++]) {
        const uint8_t *const item = data.at + i * width;
        size_t length = width;
        while (length > 0 && item[length - 1] == 0) length--;
        FUZZ_CHECK(read->ends[i] - from == length && memcmp(read->text + from, item, length) == 0);
    }
}

static void check_texts(struct fuzz_bytes file, const struct fuzz_texts *read)
{
    struct fuzz_bytes data;
    const struct fuzz_bytes header = header_of(file, &data);
    const uint8_t *const type = memmem(header.at, header.n, "|S", 2);
    size_t width = 0;
    if (type == NULL) return;
    for (const uint8_t *at = type + 2; at < header.at + header.n && *at != '\'' && *at != '"'; at++)
        if (*at >= '0' && *at <= '9') width = width * 10 + (size_t)(*at - '0');
    FUZZ_CHECK(shape_of(header) == read->n);
    check_padded(data, width, read);
}

/* Writes the dictionary: entries in any order, either kind of quotes, with or without blanks and
 * a last comma. */
static size_t write_header(const char *type, size_t shape, uint8_t form, char header[WRITTEN_HEADER_MOST])
{
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const uint8_t *order = orders[form % 6];
    const char quote = (form & 8) != 0 ? '"' : '\'';
    const char *blank = (form & 16) != 0 ? " " : "", *comma = (form & 32) != 0 ? ", " : "";
    char entries[3][40];
    snprintf(entries[0], sizeof entries[0], "%cdescr%c:%s%c%s%c", quote, quote, blank, quote, type, quote);
    snprintf(entries[1], sizeof entries[1], "%cfortran_order%c%s:%sFalse", quote, quote, blank, blank);
    snprintf(entries[2], sizeof entries[2], "%cshape%c:(%s%zu,%s)", quote, quote, blank, shape, blank);
    return (size_t)snprintf(header, WRITTEN_HEADER_MOST, "{%s%s,%s%s,%s%s%s}%s\n", entries[order[0]], blank, blank,
                            entries[order[1]], blank, entries[order[2]], comma, blank);
}

/* Writes a header for these data and then the data.  Returns the length of the file. */
static size_t write_file(struct fuzz_bytes data, const char *type, size_t shape, uint8_t form, uint8_t *file)
{
    char header[WRITTEN_HEADER_MOST];
    const size_t length = write_header(type, shape, form, header);
    const uint8_t version = 1 + (form >> 6) % 3, length_bytes = version == 1 ? 2 : 4;
    memcpy(file, (const uint8_t[]){0x93, 'N', 'U', 'M', 'P', 'Y', version, 0, (uint8_t)length, 0, 0, 0}, 12);
    memcpy(file + 8 + length_bytes, header, length);
    memcpy(file + 8 + length_bytes + length, data.at, data.n);
    return 8 + length_bytes + length + data.n;
}

/* more: 0, or by how many integers the header announces more (negative: less) than there are. */
static void check_written(struct fuzz_bytes data, uint8_t kind, uint8_t form, int more, uint8_t first, uint8_t second)
{
    static const char *const names[] = {"<u4", "<u8", "<i4", "<i8", ">u4", ">u8", ">i4", ">i8"};
    static const enum io_key_type types[] = {IO_U32, IO_U64, IO_I32, IO_I64};
    static uint8_t file[12 + WRITTEN_HEADER_MOST + WRITTEN_DATA_MOST];
    static struct fuzz_keys read;
    const struct io_spec spec = {.layout = IO_NPY, .verbatim = true};
    const size_t width = kind % 2 == 0 ? 4 : 8, n = data.n / width;
    if (data.n > WRITTEN_DATA_MOST || (more < 0 && n == 0)) return;
    data.n = n * width;
    const size_t length = write_file(data, names[kind % 8], more < 0 ? n - 1 : n + (size_t)more, form, file);
    fuzz_read_twice((struct fuzz_bytes){file, length}, &spec, first, second, 1024 + WRITTEN_HEADER_MOST, &read);
    if (read.finished) FUZZ_CHECK(read.status == (more == 0 ? IO_OK : more > 0 ? IO_ERR_TRUNCATED : IO_ERR_FORMAT));
    if (read.finished && more == 0) FUZZ_CHECK(read.n == n);
    FUZZ_CHECK(read.n <= n);
    if (read.n > 0) FUZZ_CHECK(read.type == types[kind % 4]);
    for (size_t i = 0; i < read.n; i++) FUZZ_CHECK(read.keys[i] == fuzz_load(data.at + i * width, width, kind % 8 >= 4));
}

/* The same for bytes of a width.  more: as above. */
static void check_written_bytes(struct fuzz_bytes data, size_t width, uint8_t form, int more, uint8_t first, uint8_t second)
{
    static uint8_t file[12 + WRITTEN_HEADER_MOST + WRITTEN_DATA_MOST];
    static struct fuzz_texts read;
    const struct io_spec spec = {.layout = IO_NPY, .verbatim = true};
    const size_t n = data.n / width;
    char type[8];
    if (data.n > WRITTEN_DATA_MOST || (more < 0 && n == 0)) return;
    data.n = n * width;
    snprintf(type, sizeof type, "|S%zu", width);
    const size_t length = write_file(data, type, more < 0 ? n - 1 : n + (size_t)more, form, file);
    fuzz_read_texts_twice((struct fuzz_bytes){file, length}, &spec, first, second, 1024 + WRITTEN_HEADER_MOST, &read);
    if (!read.finished) return;
    FUZZ_CHECK(read.status == (more == 0 ? IO_OK : more > 0 ? IO_ERR_TRUNCATED : IO_ERR_FORMAT));
    if (more == 0) check_padded(data, width, &read);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct fuzz_keys read;
    static struct fuzz_texts texts;
    struct fuzz_bytes input = {bytes, n};
    const uint8_t first = fuzz_take(&input), second = fuzz_take(&input), mode = fuzz_take(&input);
    const struct io_spec spec = {.layout = IO_NPY, .verbatim = true, .key_bytes = sizeof(uint64_t)};
    if (mode >= 128) {
        const uint8_t form = fuzz_take(&input);
        const int more = (mode >> 3 & 3) % 3 - 1;
        if ((mode & 32) != 0) check_written_bytes(input, 1 + (mode & 7u), form, more, first, second);
        else check_written(input, mode & 7, form, more, first, second);
        return 0;
    }
    if (contains(input, "|S")) {
        fuzz_read_texts_twice(input, &spec, first, second, 1024 + HEADER_MOST, &texts);
        if (texts.finished && texts.status == IO_OK) check_texts(input, &texts);
        return 0;
    }
    fuzz_read_twice(input, &spec, first, second, 1024 + HEADER_MOST, &read);
    if (read.finished && read.status == IO_OK) check_file(input, &read);
    FUZZ_CHECK(read.n <= input.n);
    return 0;
}
