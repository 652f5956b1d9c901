/* FASTA is compared with k-mers that are cut out of each record's letters as strings. */
#include <string.h>

#include "reading.h"

#define LETTERS_MOST 65536 /* of a record; longer inputs are skipped */

static uint8_t letters[LETTERS_MOST];
static size_t letters_n;

/* A letter's code plus 1; 0 if it is no base. */
static const uint8_t bases[256] = {['A'] = 1, ['C'] = 2, ['G'] = 3, ['T'] = 4, ['a'] = 1, ['c'] = 2, ['g'] = 3, ['t'] = 4};
static const uint8_t complements[256] = {['T'] = 1, ['G'] = 2, ['C'] = 3, ['A'] = 4, ['t'] = 1, ['g'] = 2, ['c'] = 3, ['a'] = 4};

/* The canonical k-mer of k letters; false if a letter is no base. */
static bool kmer_of(const uint8_t *text, unsigned k, uint64_t *kmer)
{
    uint64_t forward = 0, reverse = 0;
    for (unsigned i = 0; i < k; i++) {
        if (bases[text[i]] == 0) return false;
        forward = forward * 4 + bases[text[i]] - 1;
        reverse = reverse * 4 + complements[text[k - 1 - i]] - 1;
    }
    *kmer = forward < reverse ? forward : reverse;
    return true;
}

static void add_record(unsigned k, struct fuzz_keys *keys)
{
    uint64_t kmer;
    for (size_t i = 0; i + k <= letters_n; i++)
        if (kmer_of(letters + i, k, &kmer) && !fuzz_add(keys, kmer)) keys->finished = false;
    letters_n = 0;
}

/* Finds the k-mers of the file, line by line. */
static void find_kmers(struct fuzz_bytes file, unsigned k, struct fuzz_keys *keys)
{
    bool in_record = false;
    keys->n = 0;
    keys->status = fuzz_begin_text(&file) ? IO_OK : IO_ERR_FORMAT;
    keys->finished = true;
    for (size_t at = 0, end; at < file.n && keys->status == IO_OK; at = end + 1) {
        for (end = at; end < file.n && file.at[end] != '\n' && file.at[end] != '\r'; end++) continue;
        if (end == at) continue;
        if (file.at[at] == '>') {
            add_record(k, keys);
            in_record = true;
        } else if (!in_record) {
            keys->status = IO_ERR_FORMAT;
        } else {
            memcpy(letters + letters_n, file.at + at, end - at);
            letters_n += end - at;
        }
    }
    add_record(k, keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct fuzz_keys read, expected;
    struct fuzz_bytes input = {bytes, n};
    if (n > LETTERS_MOST) return 0;
    const uint8_t first = fuzz_take(&input), second = fuzz_take(&input), k = fuzz_take(&input) % 34;
    struct io_spec spec = {.layout = IO_FASTA, .verbatim = true};
    spec.kmer = k;
    fuzz_read_twice(input, &spec, first, second, 512, &read);
    if (k < 1 || k > IO_KMER_MAX) {
        FUZZ_CHECK(read.status == IO_ERR_ARGUMENT);
        return 0;
    }
    find_kmers(input, k, &expected);
    fuzz_expect(&read, &expected);
    if (read.finished && expected.finished) FUZZ_CHECK(read.status == expected.status);
    if (read.n > 0) FUZZ_CHECK(read.type == (k <= IO_KMER_MAX_U32 ? IO_U32 : IO_U64));
    return 0;
}
