/* Block traces are compared with lines that are first split into words. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"

#define NUMBERS_MOST 4
#define ACCESSES_MOST 16777216

/* Splits the line into its numbers; false if it has anything else, or too many. */
static bool split_line(char *line, uint64_t numbers[NUMBERS_MOST], int *n)
{
    char *rest = line;
    *n = 0;
    for (const char *word; (word = strsep(&rest, " \t\r")) != NULL;) {
        if (*word == 0) continue;
        if (*n == NUMBERS_MOST || strspn(word, "0123456789") != strlen(word)) return false;
        errno = 0;
        numbers[(*n)++] = strtoull(word, NULL, 10);
        if (errno != 0) return false;
    }
    return true;
}

static bool add_line(char *line, struct fuzz_keys *keys)
{
    uint64_t numbers[NUMBERS_MOST];
    int n;
    if (!split_line(line, numbers, &n) || n == 1) return false;
    const uint64_t start = numbers[0], count = n == 0 ? 0 : numbers[1];
    if (count > ACCESSES_MOST) return false;
    if (count > 0 && start + (count - 1) < start) return false;
    for (uint64_t i = 0; i < count && keys->finished; i++) keys->finished = fuzz_add(keys, start + i);
    return true;
}

static void find_accesses(struct fuzz_bytes file, struct fuzz_keys *keys)
{
    keys->n = 0;
    keys->status = IO_OK;
    keys->finished = true;
    while (file.n > 0 && keys->status == IO_OK && keys->finished) {
        const uint8_t *end = memchr(file.at, '\n', file.n);
        const size_t length = end != NULL ? (size_t)(end - file.at) : file.n;
        char *line = strndup((const char *)file.at, length);
        FUZZ_CHECK(line != NULL);
        if (strlen(line) < length || !add_line(line, keys)) keys->status = IO_ERR_FORMAT;
        free(line);
        file.at += end != NULL ? length + 1 : length;
        file.n -= end != NULL ? length + 1 : length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct fuzz_keys read, expected;
    struct fuzz_bytes input = {bytes, n};
    const uint8_t first = fuzz_take(&input), second = fuzz_take(&input);
    const struct io_spec spec = {.layout = IO_ARC, .verbatim = true};
    fuzz_read_twice(input, &spec, first, second, 1024, &read);
    find_accesses(input, &expected);
    fuzz_expect(&read, &expected);
    if (read.finished && expected.finished) FUZZ_CHECK(read.status == expected.status);
    return 0;
}
