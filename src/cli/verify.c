/* The second count behind `roost count --verify`: own decompression (zlib's gzFile, libzstd through a stdio cookie), own
 * parsing by lines and strings, and counting by radix sort and merge. */
#define _GNU_SOURCE 1
#include "cli/verify.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define PENDING_MIN ((size_t)1 << 20) /* keys gathered before they are sorted and merged, at least */
#define PIECE ((size_t)1 << 16)       /* bytes of a compressed file read at once */

/* The count so far, and where it stands. */
struct recount {
    const struct verify_plan *plan;
    const char *file;
    uint64_t *pending; /* keys not yet sorted */
    uint64_t *scratch;
    size_t pending_n;
    size_t pending_room;
    struct key_count *sorted; /* by rising key; counts are occurrences */
    size_t sorted_n;
    char *why;
    size_t why_bytes;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct recount *recount, const char *format, ...)
{
    const int head = snprintf(recount->why, recount->why_bytes, "%s: ", recount->file);
    if (head < 0 || (size_t)head >= recount->why_bytes) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(recount->why + head, recount->why_bytes - (size_t)head, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Files ------------------------------------------------------------------------------------------------------------- */

static ssize_t gz_read(void *cookie, char *buffer, size_t bytes)
{
    return gzread((gzFile)cookie, buffer, (unsigned)(bytes < PIECE ? bytes : PIECE));
}

static int gz_close(void *cookie) { return gzclose((gzFile)cookie) == Z_OK ? 0 : EOF; }

struct zst_file {
    FILE *file;
    ZSTD_DCtx *context;
    ZSTD_inBuffer in;
    size_t hint; /* what the last step returned: 0 between frames */
    char piece[PIECE];
};

static ssize_t zst_read(void *cookie, char *buffer, size_t bytes)
{
    struct zst_file *zst = (struct zst_file *)cookie;
    ZSTD_outBuffer out = {buffer, bytes, 0};
    while (out.pos == 0) {
        if (zst->in.pos == zst->in.size) {
            zst->in.size = fread(zst->piece, 1, PIECE, zst->file);
            zst->in.pos = 0;
            if (zst->in.size == 0 && ferror(zst->file)) return -1;
            if (zst->in.size == 0 && zst->hint == 0) return 0;
        }
        const size_t given = zst->in.size;
        zst->hint = ZSTD_decompressStream(zst->context, &out, &zst->in);
        if (ZSTD_isError(zst->hint) || (given == 0 && out.pos == 0)) return -1;
    }
    return (ssize_t)out.pos;
}

static int zst_close(void *cookie)
{
    struct zst_file *zst = (struct zst_file *)cookie;
    ZSTD_freeDCtx(zst->context);
    const int result = fclose(zst->file);
    free(zst);
    return result;
}

static FILE *open_zst(const char *path)
{
    struct zst_file *zst = (struct zst_file *)calloc(1, sizeof *zst);
    if (zst == NULL) return NULL;
    zst->file = fopen(path, "rb");
    zst->context = ZSTD_createDCtx();
    zst->in.src = zst->piece;
    if (zst->file != NULL && zst->context != NULL) {
        ZSTD_DCtx_setParameter(zst->context, ZSTD_d_windowLogMax, ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
        const cookie_io_functions_t functions = {zst_read, NULL, NULL, zst_close};
        FILE *stream = fopencookie(zst, "rb", functions);
        if (stream != NULL) return stream;
    }
    if (zst->file != NULL) fclose(zst->file);
    ZSTD_freeDCtx(zst->context);
    free(zst);
    return NULL;
}

static FILE *open_gz(const char *path)
{
    gzFile gz = gzopen(path, "rb");
    const cookie_io_functions_t functions = {gz_read, NULL, NULL, gz_close};
    FILE *stream = gz != NULL ? fopencookie(gz, "rb", functions) : NULL;
    if (stream == NULL && gz != NULL) gzclose(gz);
    return stream;
}

static FILE *open_file(const struct recount *recount)
{
    unsigned char magic[4] = {0};
    FILE *plain = fopen(recount->file, "rb");
    if (plain == NULL) return NULL;
    const size_t got = fread(magic, 1, sizeof magic, plain);
    if (ferror(plain) || fseek(plain, 0, SEEK_SET) != 0) {
        fclose(plain);
        return NULL;
    }
    if (recount->plan->verbatim || got < 3) return plain;
    const bool gz = memcmp(magic, "\x1f\x8b\x08", 3) == 0;
    const bool frame = got == 4 && memcmp(magic, "\x28\xb5\x2f\xfd", 4) == 0;
    const bool skippable = got == 4 && (magic[0] & 0xf0) == 0x50 && memcmp(magic + 1, "\x2a\x4d\x18", 3) == 0;
    if (!gz && !frame && !skippable) return plain;
    fclose(plain);
    return gz ? open_gz(recount->file) : open_zst(recount->file);
}

/* ---- Counting ---------------------------------------------------------------------------------------------------------- */

/* Sorts keys byte by byte from the lowest; bytes in which all keys agree cost one look. */
static void sort_keys(uint64_t *keys, uint64_t *scratch, size_t n)
{
    uint64_t *from = keys;
    uint64_t *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t starts[257] = {0};
        for (size_t i = 0; i < n; i++) starts[(from[i] >> shift & 255) + 1]++;
        if (starts[(from[0] >> shift & 255) + 1] == n) continue;
        for (size_t digit = 0; digit < 256; digit++) starts[digit + 1] += starts[digit];
        for (size_t i = 0; i < n; i++) to[starts[from[i] >> shift & 255]++] = from[i];
        uint64_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != keys) memcpy(keys, from, n * sizeof *keys);
}

/* Sorts the pending keys and merges their runs into the sorted counts. */
static bool merge_pending(struct recount *recount)
{
    if (recount->pending_n == 0) return true;
    const uint64_t *keys = recount->pending;
    sort_keys(recount->pending, recount->scratch, recount->pending_n);
    struct key_count *merged = (struct key_count *)malloc((recount->sorted_n + recount->pending_n) * sizeof *merged);
    if (merged == NULL) return fail(recount, "out of memory");
    size_t n = 0;
    size_t old = 0;
    for (size_t i = 0; i < recount->pending_n;) {
        const uint64_t key = keys[i];
        uint64_t count = 0;
        while (old < recount->sorted_n && recount->sorted[old].key < key) merged[n++] = recount->sorted[old++];
        if (old < recount->sorted_n && recount->sorted[old].key == key) count = recount->sorted[old++].count;
        for (; i < recount->pending_n && keys[i] == key; i++) count++;
        merged[n].key = key;
        merged[n++].count = count;
    }
    while (old < recount->sorted_n) merged[n++] = recount->sorted[old++];
    free(recount->sorted);
    struct key_count *fitted = (struct key_count *)realloc(merged, n * sizeof *merged);
    recount->sorted = fitted != NULL ? fitted : merged;
    recount->sorted_n = n;
    recount->pending_n = 0;
    return true;
}

/* Room for as many pending keys as there are distinct ones, so that merging costs a bounded number of moves a key. */
static bool make_room(struct recount *recount)
{
    const size_t room = recount->sorted_n > PENDING_MIN ? recount->sorted_n : PENDING_MIN;
    if (room <= recount->pending_room) return true;
    free(recount->pending);
    free(recount->scratch);
    recount->pending = (uint64_t *)malloc(room * sizeof *recount->pending);
    recount->scratch = (uint64_t *)malloc(room * sizeof *recount->scratch);
    recount->pending_room = room;
    return (recount->pending != NULL && recount->scratch != NULL) || fail(recount, "out of memory");
}

static bool add_key(struct recount *recount, uint64_t key)
{
    if (recount->pending_n == recount->pending_room && !(merge_pending(recount) && make_room(recount))) return false;
    recount->pending[recount->pending_n++] = key;
    return true;
}

/* ---- k-mers as strings ------------------------------------------------------------------------------------------------- */

static char complement_letter(char letter)
{
    switch (letter) {
    case 'A': return 'T';
    case 'C': return 'G';
    case 'G': return 'C';
    default: return 'A';
    }
}

/* The number that the smaller, by alphabet, of a k-mer and its reverse complement spells in base 4. */
static uint64_t canonical_key(const char *kmer, unsigned k)
{
    char reverse[64];
    for (unsigned i = 0; i < k; i++) reverse[i] = complement_letter(kmer[k - 1 - i]);
    const char *smaller = memcmp(kmer, reverse, k) <= 0 ? kmer : reverse;
    uint64_t key = 0;
    for (unsigned i = 0; i < k; i++) key = key * 4 + (uint64_t)(strchr("ACGT", smaller[i]) - "ACGT");
    return key;
}

static bool recount_fasta(struct recount *recount, FILE *file)
{
    const unsigned k = recount->plan->kmer;
    char window[4096]; /* the letters since the last break; only the last k-1 are kept when it is full */
    size_t length = 0;
    bool line_start = true;
    for (int c = getc_unlocked(file); c != EOF; c = getc_unlocked(file)) {
        if (c == '\n' || c == '\r') {
            line_start = true;
            continue;
        }
        if (c == '>' && line_start) {
            while (c != EOF && c != '\n' && c != '\r') c = getc_unlocked(file);
            length = 0;
            continue;
        }
        line_start = false;
        const char letter = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        if (letter != 'A' && letter != 'C' && letter != 'G' && letter != 'T') {
            length = 0;
            continue;
        }
        if (length == sizeof window) {
            memmove(window, window + length - (k - 1), k - 1);
            length = k - 1;
        }
        window[length++] = letter;
        if (length >= k && !add_key(recount, canonical_key(window + length - k, k))) return false;
    }
    return true;
}

/* ---- Columns by lines -------------------------------------------------------------------------------------------------- */

/* A record as it is split: fields end in 0 and lie one after another in `text`. */
struct record {
    char *text;
    size_t room;
    size_t length;
    bool in_quotes; /* at the end of what has been looked at */
    bool field_start;
    char *line; /* for getline */
    size_t line_room;
};

/* Follows the quotes of a csv record through text[from..]. */
static void follow_quotes(struct record *record, size_t from, char separator)
{
    for (size_t i = from; i < record->length; i++) {
        const char c = record->text[i];
        if (c == '"' && record->in_quotes && i + 1 < record->length && record->text[i + 1] == '"') i++;
        else if (c == '"' && (record->in_quotes || record->field_start)) record->in_quotes = !record->in_quotes;
        record->field_start = !record->in_quotes && c == separator;
    }
}

/* Adds a line to the record. */
static bool append_line(struct record *record, size_t bytes)
{
    if (record->length + bytes + 1 > record->room) {
        const size_t room = 2 * (record->length + bytes + 1);
        char *text = (char *)realloc(record->text, room);
        if (text == NULL) return false;
        record->text = text;
        record->room = room;
    }
    memcpy(record->text + record->length, record->line, bytes);
    record->length += bytes;
    return true;
}

/* Reads lines up to the end of a record.  1: there is one, 0: the file has ended, -1: out of memory. */
static int read_record(struct record *record, FILE *file, char separator)
{
    record->length = 0;
    record->in_quotes = false;
    record->field_start = true;
    do {
        const size_t before = record->length;
        const ssize_t got = getline(&record->line, &record->line_room, file);
        if (got <= 0) return record->length > 0;
        if (!append_line(record, (size_t)got)) return -1;
        if (separator == ',') follow_quotes(record, before, separator);
    } while (record->in_quotes);
    if (record->length > 0 && record->text[record->length - 1] == '\n') record->length--;
    if (record->length > 0 && record->text[record->length - 1] == '\r') record->length--;
    record->text[record->length] = 0;
    return 1;
}

/* Takes the field at *at off the record, unquoted in place; NULL after the last one. */
static char *next_field(char **at, char *end, char separator)
{
    if (*at > end) return NULL;
    char *field = *at;
    if (separator == ',' && *field == '"') {
        char *to = field;
        char *from = field + 1;
        for (; from < end && !(*from == '"' && from[1] != '"'); from++) {
            *to++ = *from;
            from += *from == '"';
        }
        *to = 0;
        *at = from + 2;
        return field;
    }
    char *stop = (char *)memchr(field, separator, (size_t)(end - field));
    if (stop == NULL) stop = end;
    *stop = 0;
    *at = stop + 1;
    return field;
}

static char *field_number(struct record *record, uint64_t number, char separator)
{
    char *at = record->text;
    char *field = NULL;
    for (uint64_t i = 0; i < number; i++)
        if ((field = next_field(&at, record->text + record->length, separator)) == NULL) return NULL;
    return field;
}

static uint64_t find_name(struct record *record, const char *name, char separator)
{
    char *at = record->text;
    uint64_t number = 1;
    for (char *field; (field = next_field(&at, record->text + record->length, separator)) != NULL; number++)
        if (strcmp(field, name) == 0) return number;
    return 0;
}

static bool add_field(struct recount *recount, const char *field)
{
    if (field == NULL) return fail(recount, "a line lacks the column");
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(field, &end, recount->plan->base);
    const bool digit = (*field >= '0' && *field <= '9') || (recount->plan->base == 36 && strchr("+- \t", *field) == NULL);
    if (!digit || *end != 0 || end == field || errno != 0) return fail(recount, "'%s' is no number", field);
    if (recount->plan->key_bytes == 4 && value > UINT32_MAX) return fail(recount, "'%s' is too large", field);
    return add_key(recount, value);
}

/* A tab anywhere in the first line makes it tsv. */
static char guess_separator(FILE *file)
{
    int c = getc(file);
    while (c != EOF && c != '\n' && c != '\t') c = getc(file);
    return c == '\t' ? '\t' : ',';
}

static void skip_byte_order_mark(FILE *file)
{
    int c = getc(file);
    if (c == 0xef) {
        getc(file);
        getc(file);
    } else if (c != EOF) {
        ungetc(c, file);
    }
}

static bool recount_records(struct recount *recount, FILE *file, char separator, struct record *record)
{
    uint64_t column = recount->plan->column;
    bool header = recount->plan->header || column == 0;
    int more;
    while ((more = read_record(record, file, separator)) > 0) {
        if (!header) {
            if (!add_field(recount, field_number(record, column, separator))) return false;
            continue;
        }
        header = false;
        if (column == 0 && (column = find_name(record, recount->plan->name, separator)) == 0)
            return fail(recount, "the header lacks the column");
    }
    return more == 0 || fail(recount, "out of memory");
}

static bool recount_column(struct recount *recount, FILE *file)
{
    char separator = recount->plan->separator;
    if (separator == 0) {
        FILE *first = open_file(recount);
        if (first == NULL) return fail(recount, "cannot open");
        separator = guess_separator(first);
        const bool read = !ferror(first);
        fclose(first);
        if (!read) return fail(recount, "cannot read");
    }
    skip_byte_order_mark(file);
    struct record record = {NULL, 0, 0, false, true, NULL, 0};
    const bool ok = recount_records(recount, file, separator, &record);
    free(record.text);
    free(record.line);
    return ok;
}

/* ---- Binary integers --------------------------------------------------------------------------------------------------- */

static bool recount_integers(struct recount *recount, FILE *file, unsigned bytes, bool big_endian)
{
    unsigned char item[8];
    size_t got;
    while ((got = fread(item, 1, bytes, file)) == bytes) {
        uint64_t key = 0;
        for (unsigned i = 0; i < bytes; i++) key = key << 8 | item[big_endian ? i : bytes - 1 - i];
        if (!add_key(recount, key)) return false;
    }
    return got == 0 || fail(recount, "ends inside a key");
}

/* The reader has refused unusual headers; what is left tells width and byte order by its type alone. */
static bool recount_npy(struct recount *recount, FILE *file)
{
    unsigned char fixed[12] = {0};
    char header[65537] = {0};
    if (fread(fixed, 1, 10, file) != 10) return fail(recount, "no .npy file");
    size_t length = (size_t)fixed[9] * 256 + fixed[8];
    if (fixed[6] > 1) {
        if (fread(fixed + 10, 1, 2, file) != 2) return fail(recount, "no .npy file");
        length += ((size_t)fixed[11] * 256 + fixed[10]) * 65536;
    }
    if (length >= sizeof header || fread(header, 1, length, file) != length) return fail(recount, "no .npy file");
    const char *type = strpbrk(header, "<>");
    if (type == NULL || (type[2] != '4' && type[2] != '8')) return fail(recount, "no .npy file of integers");
    return recount_integers(recount, file, (unsigned)(type[2] - '0'), type[0] == '>');
}

/* ---- Block traces ------------------------------------------------------------------------------------------------------ */

static bool recount_arc(struct recount *recount, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    while (ok && getline(&line, &room, file) > 0) {
        char *end;
        const unsigned long long start = strtoull(line, &end, 10), count = strtoull(end, &end, 10);
        for (unsigned long long i = 0; ok && i < count; i++) ok = add_key(recount, start + i);
    }
    free(line);
    return ok;
}

/* ---- All of it --------------------------------------------------------------------------------------------------------- */

static bool recount_file(struct recount *recount, const char *path)
{
    recount->file = path;
    FILE *file = open_file(recount);
    if (file == NULL) return fail(recount, "cannot open: %s", strerror(errno));
    bool ok = false;
    switch (recount->plan->layout) {
    case VERIFY_FASTA: ok = recount_fasta(recount, file); break;
    case VERIFY_COLUMN: ok = recount_column(recount, file); break;
    case VERIFY_RAW: ok = recount_integers(recount, file, recount->plan->key_bytes, recount->plan->big_endian); break;
    case VERIFY_NPY: ok = recount_npy(recount, file); break;
    case VERIFY_ARC: ok = recount_arc(recount, file); break;
    }
    if (ok && !feof(file)) ok = fail(recount, "cannot read"); /* or no memory for a line */
    if (fclose(file) != 0 && ok) ok = fail(recount, "ends too early or is damaged");
    return ok;
}

/* What the table has to hold for a key that occurs so often. */
static uint64_t expected_count(const struct verify_plan *plan, uint64_t occurrences)
{
    return occurrences > plan->largest / plan->step ? plan->largest : occurrences * plan->step;
}

static enum verify_result compare(const struct recount *recount, const struct key_count *table, size_t table_n,
                                  struct verify_difference *difference)
{
    size_t t = 0;
    size_t f = 0;
    while (t < table_n || f < recount->sorted_n) {
        const bool from_table = f == recount->sorted_n || (t < table_n && table[t].key <= recount->sorted[f].key);
        difference->key = from_table ? table[t].key : recount->sorted[f].key;
        const bool in_files = f < recount->sorted_n && recount->sorted[f].key == difference->key;
        difference->in_table = from_table ? table[t++].count : 0;
        difference->in_files = in_files ? expected_count(recount->plan, recount->sorted[f++].count) : 0;
        if (difference->in_table != difference->in_files) return VERIFY_DIFFERENT;
    }
    return VERIFY_EQUAL;
}

enum verify_result verify_counts(const struct verify_plan *plan, const struct key_count *table, size_t table_n,
                                 struct verify_difference *difference, char *why, size_t why_bytes)
{
    struct recount recount;
    memset(&recount, 0, sizeof recount);
    recount.plan = plan;
    recount.file = plan->files[0];
    recount.why = why;
    recount.why_bytes = why_bytes;
    bool ok = make_room(&recount);
    for (size_t i = 0; i < plan->files_n && ok; i++) ok = recount_file(&recount, plan->files[i]);
    ok = ok && merge_pending(&recount);
    const enum verify_result result = ok ? compare(&recount, table, table_n, difference) : VERIFY_FAILED;
    free(recount.pending);
    free(recount.scratch);
    free(recount.sorted);
    return result;
}
