/* FASTA and FASTQ are compared with k-mers that are cut out of each record's letters as strings. */
#include <string.h>

#include "reading.h"

#define LETTERS_MOST 65536 /* of a record; longer inputs are skipped */

static uint8_t letters[LETTERS_MOST];
static size_t letters_n;

/* A letter's code plus 1; 0 if it is no base. */
static const uint8_t bases[256] = {['A'] = 1, ['C'] = 2, ['G'] = 3, ['T'] = 4, ['a'] = 1, ['c'] = 2, ['g'] = 3, ['t'] = 4};
static const uint8_t complements[256] = {['T'] = 1, ['G'] = 2, ['C'] = 3, ['A'] = 4, ['t'] = 1, ['g'] = 2, ['c'] = 3, ['a'] = 4};

/* The expected keys: those of up to 32 letters in `keys`, longer ones in `texts`. */
struct expected {
    const struct io_spec *spec;
    struct fuzz_keys keys;
    struct fuzz_texts texts;
};

/* Shifts two bits into a number of 16 bytes, the highest first. */
static void shift_in(uint8_t number[16], uint8_t bits)
{
    for (int i = 0; i < 15; i++) number[i] = (uint8_t)(number[i] << 2 | number[i + 1] >> 6);
    number[15] = (uint8_t)(number[15] << 2 | bits);
}

/* The k-mer of k letters; false if a letter is no base. */
static bool kmer_of(const uint8_t *text, const struct io_spec *spec, uint8_t kmer[16])
{
    uint8_t reverse[16] = {0};
    memset(kmer, 0, 16);
    for (unsigned i = 0; i < spec->kmer; i++) {
        if (bases[text[i]] == 0) return false;
        shift_in(kmer, bases[text[i]] - 1);
        shift_in(reverse, complements[text[spec->kmer - 1 - i]] - 1);
    }
    if (!spec->one_strand && memcmp(reverse, kmer, 16) < 0) memcpy(kmer, reverse, 16);
    return true;
}

static void add_record(struct expected *expected)
{
    uint8_t kmer[16];
    for (size_t i = 0; i + expected->spec->kmer <= letters_n; i++) {
        if (!kmer_of(letters + i, expected->spec, kmer)) continue;
        if (expected->spec->kmer > IO_KMER_MAX_U64) {
            if (!fuzz_add_text(&expected->texts, kmer, 16)) expected->texts.finished = false;
        } else if (!fuzz_add(&expected->keys, fuzz_load(kmer + 8, 8, true))) {
            expected->keys.finished = false;
        }
    }
    letters_n = 0;
}

/* Cuts off the next line, without its end, which is LF, CR or the file's end. */
static struct fuzz_bytes cut_line(struct fuzz_bytes *file)
{
    struct fuzz_bytes line = {file->at, 0};
    while (line.n < file->n && line.at[line.n] != '\n' && line.at[line.n] != '\r') line.n++;
    const size_t taken = line.n < file->n ? line.n + 1 : line.n;
    *file = (struct fuzz_bytes){file->at + taken, file->n - taken};
    return line;
}

static void add_letters(struct fuzz_bytes line)
{
    memcpy(letters + letters_n, line.at, line.n);
    letters_n += line.n;
}

static bool find_fasta(struct fuzz_bytes file, struct expected *expected)
{
    bool in_record = false;
    while (file.n > 0) {
        struct fuzz_bytes line = cut_line(&file), rest = line;
        while (rest.n > 0 && (*rest.at == ' ' || *rest.at == '\t')) fuzz_take(&rest);
        if (rest.n == 0 && !in_record) continue;
        if (rest.n > 0 && *rest.at == '>') {
            add_record(expected);
            in_record = true;
        } else if (!in_record) {
            return false;
        } else {
            add_letters(line);
        }
    }
    add_record(expected);
    return true;
}

/* Keys of a record come before its qualities are known to be sound. */
static bool find_fastq(struct fuzz_bytes file, struct expected *expected)
{
    while (file.n > 0) {
        const struct fuzz_bytes header = cut_line(&file);
        if (header.n == 0) continue;
        if (*header.at != '@') return false;
        bool plus = false;
        while (file.n > 0 && !plus) {
            const struct fuzz_bytes line = cut_line(&file);
            plus = line.n > 0 && *line.at == '+';
            if (!plus) add_letters(line);
        }
        const size_t wanted = letters_n;
        size_t qualities = 0;
        add_record(expected);
        while (plus && file.n > 0 && qualities < wanted) qualities += cut_line(&file).n;
        if (!plus || qualities != wanted) return false;
    }
    return true;
}

static void find_kmers(struct fuzz_bytes file, struct expected *expected)
{
    expected->keys.n = expected->texts.n = expected->texts.bytes = 0;
    expected->keys.finished = expected->texts.finished = true;
    bool good = fuzz_begin_text(&file);
    while (good && file.n > 0 && memchr(" \t\r\n", *file.at, 4) != NULL) fuzz_take(&file);
    if (good && file.n > 0) good = (*file.at == '@' ? find_fastq : find_fasta)(file, expected);
    letters_n = 0;
    expected->keys.status = expected->texts.status = good ? IO_OK : IO_ERR_FORMAT;
}

/* An error may be one of the format, or that the file ends too early. */
static void check_status(enum io_status read, enum io_status expected)
{
    FUZZ_CHECK((read == IO_OK) == (expected == IO_OK));
    FUZZ_CHECK(read == IO_OK || read == IO_ERR_FORMAT || read == IO_ERR_TRUNCATED);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct fuzz_keys read;
    static struct fuzz_texts texts;
    static struct expected expected;
    struct fuzz_bytes input = {bytes, n};
    if (n > LETTERS_MOST) return 0;
    const uint8_t first = fuzz_take(&input), second = fuzz_take(&input), form = fuzz_take(&input);
    struct io_spec spec = {.layout = IO_FASTA, .verbatim = true};
    spec.kmer = (form & 127) % 66;
    spec.one_strand = form >= 128;
    spec.key_bytes = 16;
    const bool wide = spec.kmer > IO_KMER_MAX_U64 && spec.kmer <= IO_KMER_MAX;
    if (wide) fuzz_read_texts_twice(input, &spec, first, second, 1024, &texts);
    else fuzz_read_twice(input, &spec, first, second, 1024, &read);
    if (spec.kmer < 1 || spec.kmer > IO_KMER_MAX) {
        FUZZ_CHECK(read.status == IO_ERR_ARGUMENT);
        return 0;
    }
    expected.spec = &spec;
    find_kmers(input, &expected);
    if (wide) {
        fuzz_agree_texts(&texts, &expected.texts);
        if (texts.finished && expected.texts.finished) check_status(texts.status, expected.texts.status);
        return 0;
    }
    fuzz_expect(&read, &expected.keys);
    if (read.finished && expected.keys.finished) check_status(read.status, expected.keys.status);
    if (read.n > 0) FUZZ_CHECK(read.type == (spec.kmer <= IO_KMER_MAX_U32 ? IO_U32 : IO_U64));
    return 0;
}
