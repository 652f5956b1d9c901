/* Keys that are bytes: the words of a text are compared with words that are cut out of it one
 * after another.  Also binary keys of any width. */
#include <string.h>

#include "reading.h"

static bool is_space(uint8_t byte) { return memchr(" \t\n\v\f\r", byte, 6) != NULL; }

static void find_words(struct fuzz_bytes file, struct fuzz_texts *expected)
{
    if (!fuzz_begin_text(&file)) {
        expected->status = IO_ERR_FORMAT;
        return;
    }
    for (size_t begin = 0, end; begin < file.n; begin = end) {
        end = begin + 1;
        if (is_space(file.at[begin])) continue;
        while (end < file.n && !is_space(file.at[end])) end++;
        if (!fuzz_add_text(expected, file.at + begin, end - begin)) expected->finished = false;
        if (!expected->finished) return;
    }
}

static void find_keys(struct fuzz_bytes file, size_t bytes, struct fuzz_texts *expected)
{
    if (file.n % bytes != 0) expected->status = IO_ERR_TRUNCATED;
    for (size_t i = 0; i < file.n / bytes && expected->finished; i++)
        if (!fuzz_add_text(expected, file.at + i * bytes, bytes)) expected->finished = false;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct fuzz_texts read, expected;
    struct fuzz_bytes input = {bytes, n};
    const uint8_t first = fuzz_take(&input), second = fuzz_take(&input), width = fuzz_take(&input);
    struct io_spec spec = {.layout = width < 128 ? IO_WORDS : IO_RAW, .verbatim = true};
    spec.raw = IO_BYTES;
    spec.key_bytes = (size_t)width - 127; /* 1 to 128, if it is used */
    fuzz_read_texts_twice(input, &spec, first, second, 1024, &read);

    expected.n = expected.bytes = 0;
    expected.finished = true;
    expected.status = IO_OK;
    if (spec.layout == IO_WORDS) find_words(input, &expected);
    else find_keys(input, spec.key_bytes, &expected);
    fuzz_agree_texts(&read, &expected);
    FUZZ_CHECK(read.finished || !expected.finished || read.n == expected.n);
    return 0;
}
