/* A column of tsv or csv (numbers, strings, or bytes of a width) is compared with fields that
 * are cut out of the file one after another. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/io_field.h"
#include "reading.h"

struct cutter {
    struct fuzz_bytes left;
    char separator;
    bool only_cr; /* lines end in CR alone */
    char *field;  /* text without quotes, 0-terminated; room for the whole file */
    size_t length;
};

/* Bytes of a line end here: LF, CR LF, a CR, or nothing at the file's end (0); -1 if there is
 * none.  In files whose lines end in CR alone only CR ends one. */
static int line_end(const struct cutter *cutter)
{
    const uint8_t *at = cutter->left.at;
    const size_t n = cutter->left.n;
    if (n == 0) return 0;
    if (cutter->only_cr) return *at == '\r' ? 1 : -1;
    if (*at == '\n') return 1;
    if (*at != '\r') return -1;
    return n == 1 ? 1 : at[1] == '\n' ? 2 : -1;
}

static bool at_separator(const struct cutter *cutter) { return cutter->left.n > 0 && *cutter->left.at == cutter->separator; }

static void keep_byte(struct cutter *cutter) { cutter->field[cutter->length++] = (char)fuzz_take(&cutter->left); }

/* Cuts the rest of a field whose opening quote has been taken. */
static bool cut_quoted(struct cutter *cutter)
{
    while (cutter->left.n > 0) {
        if (*cutter->left.at == '"') {
            fuzz_take(&cutter->left);
            if (cutter->left.n == 0 || *cutter->left.at != '"') return line_end(cutter) >= 0 || at_separator(cutter);
        }
        keep_byte(cutter);
    }
    return false;
}

/* Cuts out the next field, up to its separator or line end; false if its quotes are wrong. */
static bool cut_field(struct cutter *cutter)
{
    bool good = true;
    cutter->length = 0;
    if (cutter->separator != '\t' && cutter->left.n > 0 && *cutter->left.at == '"') {
        fuzz_take(&cutter->left);
        good = cut_quoted(cutter);
    } else {
        while (line_end(cutter) < 0 && !at_separator(cutter)) keep_byte(cutter);
    }
    cutter->field[cutter->length] = 0;
    return good;
}

static bool field_is(const struct cutter *cutter, const char *name)
{
    return strlen(name) == cutter->length && memcmp(name, cutter->field, cutter->length) == 0;
}

/* Fields that are read as a whole are parsed as the reader does; the tests have their texts. */
static bool field_number(const struct cutter *cutter, const struct io_spec *spec, uint64_t *value)
{
    const enum io_field field = spec->field;
    if (io_field_is_whole(field)) {
        if (io_field_parse(spec, cutter->field, cutter->length, value) != IO_PARSED) return false;
        if (field == IO_SIGNED_I32 || field == IO_DATE) *value = (uint32_t)*value;
        return true;
    }
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (cutter->length == 0) return false;
    for (size_t i = 0; i < cutter->length; i++)
        if (memchr(digits, cutter->field[i], field == IO_BASE36 ? 62 : 10) == NULL) return false;
    errno = 0;
    *value = strtoull(cutter->field, NULL, field == IO_BASE36 ? 36 : 10);
    return errno == 0 && (field != IO_DECIMAL_U32 || *value <= UINT32_MAX);
}

/* Cuts the header.  Sets *wanted to the column with the name, if one is given. */
static bool cut_header(struct cutter *cutter, const char *name, uint64_t *wanted)
{
    if (cutter->left.n == 0) return false;
    for (uint64_t i = 1;; i++) {
        if (!cut_field(cutter)) return false;
        if (name != NULL && field_is(cutter, name)) {
            if (*wanted != 0) return false;
            *wanted = i;
        }
        if (!at_separator(cutter)) return *wanted != 0;
        fuzz_take(&cutter->left);
    }
}

/* The expected keys: numbers in `keys`, strings in `texts`. */
struct expected {
    struct fuzz_keys keys;
    struct fuzz_texts texts;
    uint64_t left_out;
};

/* Adds the wanted field, which has been cut out; false if it is no key. */
static bool take_field(const struct cutter *cutter, const struct io_spec *spec, struct expected *expected)
{
    uint64_t value;
    if (spec->field == IO_FIELD_STRING || spec->field == IO_FIELD_BYTES) {
        if (spec->field == IO_FIELD_BYTES && cutter->length != spec->key_bytes) return false;
        if (!fuzz_add_text(&expected->texts, cutter->field, cutter->length)) expected->texts.finished = false;
        return true;
    }
    if (!field_number(cutter, spec, &value)) return false;
    if (!fuzz_add(&expected->keys, value)) expected->keys.finished = false;
    return true;
}

/* A record without a key is left out, or wrong. */
static bool cut_record(struct cutter *cutter, uint64_t wanted, const struct io_spec *spec, struct expected *expected)
{
    for (uint64_t i = 1;; i++) {
        if (!cut_field(cutter)) return false;
        const bool is_key = i != wanted || take_field(cutter, spec, expected), more = at_separator(cutter);
        if (!is_key || (!more && i < wanted)) {
            if (!spec->leave_out) return false;
            expected->left_out++;
        }
        if (!more) return true;
        fuzz_take(&cutter->left);
    }
}

static void end_line(struct cutter *cutter)
{
    for (int n = line_end(cutter); n > 0; n--) fuzz_take(&cutter->left);
}

/* Skips comments, which end in LF or CR, and blank lines if the spec says so. */
static void skip_lines(struct cutter *cutter, const struct io_spec *spec)
{
    while (cutter->left.n > 0) {
        const bool comment = spec->comment != 0 && *cutter->left.at == spec->comment;
        if (!comment && !(spec->skip_blank && line_end(cutter) > 0)) return;
        if (comment)
            while (cutter->left.n > 0 && *cutter->left.at != (cutter->only_cr ? '\r' : '\n')) fuzz_take(&cutter->left);
        end_line(cutter);
    }
}

static bool cut_file(struct cutter *cutter, const struct io_spec *spec, struct expected *expected)
{
    uint64_t wanted = spec->column;
    skip_lines(cutter, spec);
    if (spec->header || wanted == 0) {
        if (!cut_header(cutter, wanted == 0 ? spec->name : NULL, &wanted)) return false;
        end_line(cutter);
        skip_lines(cutter, spec);
    }
    while (cutter->left.n > 0) {
        if (!cut_record(cutter, wanted, spec, expected)) return false;
        end_line(cutter);
        skip_lines(cutter, spec);
    }
    return true;
}

/* Takes a field that is quoted as in csv; false, and takes nothing, if there is none. */
static bool take_quoted(struct fuzz_bytes *file, char *field)
{
    struct cutter cutter = {*file, '\t', false, field, 0};
    if (fuzz_take(&cutter.left) != '"') return false;
    const bool closed = cut_quoted(&cutter) || (cutter.left.n > 0 && (*cutter.left.at == ',' || *cutter.left.at == '\r'));
    if (closed) *file = cutter.left;
    return closed;
}

/* Has the first line a tab outside of quoted fields?  `field` has room for the file. */
static bool tab_separates(struct fuzz_bytes file, uint8_t end, char *field)
{
    bool at_start = true;
    while (file.n > 0 && *file.at != end && *file.at != '\t') {
        const bool quoted = at_start && take_quoted(&file, field);
        at_start = !quoted && fuzz_take(&file) == ',';
    }
    return file.n > 0 && *file.at == '\t';
}

/* The file from the first line on that is neither blank nor begins with `comment`; if there is
 * none, `otherwise`. */
static struct fuzz_bytes from_record(struct fuzz_bytes file, uint8_t end, uint8_t comment, struct fuzz_bytes otherwise)
{
    while (file.n > 0) {
        struct fuzz_bytes line = file;
        size_t length = 0;
        while (length < line.n && line.at[length] != end) length++;
        const bool blank = length == 0 || (length == 1 && *line.at == '\r');
        if (!blank && *line.at != comment) return file;
        file = (struct fuzz_bytes){file.at + length, file.n - length};
        fuzz_take(&file);
    }
    return otherwise;
}

static char guess_separator(struct fuzz_bytes file, const struct io_spec *spec, uint8_t end, char *field)
{
    const struct fuzz_bytes none = {file.at, 0};
    if (spec->comment != 0) file = from_record(file, end, (uint8_t)spec->comment, none);
    else file = from_record(file, end, '#', file);
    return tab_separates(file, end, field) ? '\t' : ',';
}

static bool has_only_cr(struct fuzz_bytes file)
{
    return file.n > 0 && memchr(file.at, '\r', file.n) != NULL && memchr(file.at, '\n', file.n) == NULL;
}

static void find_column(struct fuzz_bytes file, const struct io_spec *spec, struct expected *expected)
{
    struct cutter cutter = {file, spec->separator, has_only_cr(file), malloc(file.n + 1), 0};
    FUZZ_CHECK(cutter.field != NULL);
    const bool text = fuzz_begin_text(&cutter.left);
    if (spec->separator == 0) cutter.separator = guess_separator(cutter.left, spec, cutter.only_cr ? '\r' : '\n', cutter.field);
    expected->keys.n = expected->texts.n = expected->texts.bytes = 0;
    expected->left_out = 0;
    expected->keys.finished = expected->texts.finished = true;
    expected->keys.status = expected->texts.status = text && cut_file(&cutter, spec, expected) ? IO_OK : IO_ERR_FORMAT;
    free(cutter.field);
}

/* Adds the options that another byte encodes. */
static void add_options(struct io_spec *spec, uint8_t more)
{
    static const enum io_field fields[] = {IO_SIGNED_I64, IO_SIGNED_I32, IO_FIXED, IO_DATE, IO_TIME};
    spec->skip_blank = (more & 1) != 0;
    spec->leave_out = (more & 2) != 0;
    if ((more & 4) != 0) spec->comment = (more & 8) != 0 ? ',' : '#';
    if ((more & 128) == 0) return;
    spec->field = fields[(more >> 4 & 7) % 5];
    spec->decimals = more & 3;
}

/* The options that two bytes encode. */
static struct io_spec spec_of(uint8_t column, uint8_t form)
{
    static const char *const names[] = {"k", "key", "1", "a b", "", "k,\"", "\r", "\t"};
    static const char separators[] = {0, ',', '\t', ';'};
    struct io_spec spec = {.layout = IO_COLUMN, .verbatim = true};
    spec.column = column % 8;
    if (column >= 128) spec.name = names[column >> 3 & 7];
    spec.separator = separators[form & 3];
    spec.field = (enum io_field)((form >> 2 & 15) % 3);
    spec.header = form >= 128;
    if ((form & 64) != 0) spec.field = (form & 4) != 0 ? IO_FIELD_BYTES : IO_FIELD_STRING;
    spec.key_bytes = 1 + (form >> 3 & 7);
    return spec;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct fuzz_keys read;
    static struct fuzz_texts texts;
    static struct expected expected;
    struct fuzz_bytes input = {bytes, n};
    uint8_t first = fuzz_take(&input), second = fuzz_take(&input);
    const uint8_t column = fuzz_take(&input), form = fuzz_take(&input);
    struct io_spec spec = spec_of(column, form);
    if ((column & 64) != 0) add_options(&spec, fuzz_take(&input));
    /* The reader guesses the separator and line ends from the first chunk, so the first line or LF
     * has to lie in it.  These bits choose the longest chunks. */
    if (spec.separator == 0 || (input.n > 0 && memchr(input.at, '\r', input.n) != NULL)) {
        if (input.n > 4096) return 0;
        first |= 0x38;
        second |= 0x38;
    }
    const bool bytes_wanted = spec.field == IO_FIELD_STRING || spec.field == IO_FIELD_BYTES;
    if (bytes_wanted) fuzz_read_texts_twice(input, &spec, first, second, 1024, &texts);
    else fuzz_read_twice(input, &spec, first, second, 1024, &read);
    if (spec.column == 0 && spec.name == NULL) {
        FUZZ_CHECK((bytes_wanted ? texts.status : read.status) == IO_ERR_ARGUMENT);
        return 0;
    }
    if (strstr((bytes_wanted ? &texts.error : &read.error)->text, "its line ends are CR alone") != NULL) return 0;
    find_column(input, &spec, &expected);
    if (!bytes_wanted && read.finished && read.status == IO_OK) FUZZ_CHECK(read.left_out.records == expected.left_out);
    if (bytes_wanted) fuzz_agree_texts(&texts, &expected.texts);
    else fuzz_expect(&read, &expected.keys);
    return 0;
}
