/* .npy: where a file is read, its header says so and the keys are the integers behind it. */
#define _GNU_SOURCE 1
#include <string.h>

#include "reading.h"

#define HEADER_MOST 65536 /* a header may be announced that is so long: the reader takes memory for it before it reads it */

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

/* The file was read without an error: it is what the keys say. */
static void check_file(struct fuzz_bytes file, const struct fuzz_keys *read)
{
    static const char *const names[2][4] = {{"<u4", "<u8", "<i4", "<i8"}, {">u4", ">u8", ">i4", ">i8"}};
    FUZZ_CHECK(file.n >= 10 && memcmp(file.at, "\x93NUMPY", 6) == 0 && file.at[6] >= 1 && file.at[6] <= 3);
    const size_t length_bytes = file.at[6] == 1 ? 2 : 4;
    const size_t begin = 8 + length_bytes;
    FUZZ_CHECK(file.n >= begin);
    const struct fuzz_bytes header = {file.at + begin, fuzz_load(file.at + 8, length_bytes, false)};
    FUZZ_CHECK(header.n <= file.n - begin);
    FUZZ_CHECK(contains(header, "descr") && contains(header, "fortran_order") && contains(header, "shape"));
    FUZZ_CHECK(contains(header, "False") && !contains(header, "True"));
    const bool big_endian = contains(header, ">");
    FUZZ_CHECK(shape_of(header) == read->n);
    FUZZ_CHECK(contains(header, names[big_endian][read->type]));
    const size_t width = read->type == IO_U32 || read->type == IO_I32 ? 4 : 8;
    const size_t data = begin + header.n;
    FUZZ_CHECK(file.n - data == read->n * width);
    for (size_t i = 0; i < read->n; i++) FUZZ_CHECK(read->keys[i] == fuzz_load(file.at + data + i * width, width, big_endian));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct fuzz_keys read;
    struct fuzz_bytes input = {bytes, n};
    const uint8_t first = fuzz_take(&input), second = fuzz_take(&input);
    const struct io_spec spec = {.layout = IO_NPY, .verbatim = true};
    fuzz_read_twice(input, &spec, first, second, 512 + HEADER_MOST, &read);
    if (read.finished && read.status == IO_OK) check_file(input, &read);
    FUZZ_CHECK(read.n <= input.n / 4);
    return 0;
}
