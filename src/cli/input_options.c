/* Parses and checks the options that select the keys. */
#define _GNU_SOURCE 1
#include "cli/input_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/ranks.h"

enum option_key {
    OPTION_KMER = 512,
    OPTION_COLUMN,
    OPTION_AS,
    OPTION_WORDS,
    OPTION_FORMAT,
    OPTION_HEADER,
    OPTION_COMPRESSION,
    OPTION_MAX_LINE,
    OPTION_SEPARATOR,
    OPTION_SKIP_BLANK,
    OPTION_NO_CANONICAL,
    OPTION_COMMENT,
    OPTION_BAD
};

static const struct argp_option option_list[] = {
    {"kmer", OPTION_KMER, "K", 0, "FASTA or FASTQ: canonical k-mers of K letters, 1 to 64; of more than 32, engine stadium counts",
     0},
    {"no-canonical", OPTION_NO_CANONICAL, NULL, 0, "k-mers as they stand, not the smaller of each and its reverse complement", 0},
    {"column", OPTION_COLUMN, "C", 0,
     "tsv or csv: a column's number, from 1, or its name in the header; =NAME if the name is a number or begins with =", 0},
    {"separator", OPTION_SEPARATOR, "C", 0,
     "A column's separator: one character, or tab (default: a tab if the first line has one outside of quotes, else a comma)", 0},
    {"skip-blank", OPTION_SKIP_BLANK, NULL, 0, "Skip a column's blank lines", 0},
    {"comment", OPTION_COMMENT, "C", 0, "Skip lines of a column's file that begin with this character, such as #", 0},
    {"bad", OPTION_BAD, "error|skip|null", 0,
     "A column's fields that do not parse: an error that counts them (default), left out, or counted as one key of their own, \\N "
     "(null: only count)",
     0},
    {"as", OPTION_AS, "TYPE", 0,
     "What the column's fields are: numbers, u64 (decimal, default), u32, i64 or i32 (with a sign), base36, or decimal:N (with up "
     "to N "
     "decimals, 0 to 18); date (2026-12-31) or datetime (2026-12-31T23:59:59.5, then Z, +HH:MM or nothing); strings of any bytes, "
     "string; or N bytes each, bytes:N, N from 1 to 128",
     0},
    {"words", OPTION_WORDS, NULL, 0, "A text's words as strings, separated by ASCII white space", 0},
    {"header", OPTION_HEADER, NULL, 0, "Skip the first line (a column's name implies it)", 0},
    {"format", OPTION_FORMAT, "FORMAT", 0,
     "fasta, fastq (either is known by its first byte), tsv, csv (default: by the first line); binary: u32le, u32be, u64le, u64be, "
     "npy, bytes:N (keys of N bytes, 1 to 128); "
     "traces of accesses: arc (lines of `start count`, each block a key), cache2k (as u32be)",
     0},
    {"compression", OPTION_COMPRESSION, "auto|none", 0,
     "auto (default): gzip, bzip2, xz and Zstandard are known by their first bytes", 0},
    {"max-line", OPTION_MAX_LINE, "BYTES", 0,
     "The most bytes of a line, or of a word with --words (default 256000000); lines of FASTA have no bound", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct format {
    const char *name;
    enum io_layout layout;
    char separator;
    enum io_key_type type;
    bool big_endian;
} formats[] = {
    {"fasta", IO_FASTA, 0, IO_U64, false},  {"fastq", IO_FASTA, 0, IO_U64, false}, {"tsv", IO_COLUMN, '\t', IO_U64, false},
    {"csv", IO_COLUMN, ',', IO_U64, false}, {"u32le", IO_RAW, 0, IO_U32, false},   {"u32be", IO_RAW, 0, IO_U32, true},
    {"u64le", IO_RAW, 0, IO_U64, false},    {"u64be", IO_RAW, 0, IO_U64, true},    {"npy", IO_NPY, 0, IO_U64, false},
    {"arc", IO_ARC, 0, IO_U64, false},      {"cache2k", IO_RAW, 0, IO_U32, true},
};

static const struct format format_bytes = {"bytes:N", IO_RAW, 0, IO_BYTES, false};

#define BYTES_HEAD "bytes:"

/* Takes "bytes:N" with a valid N, for keys of N bytes. */
static bool take_bytes(struct io_spec *spec, const char *text)
{
    uint64_t bytes;
    if (strncmp(text, BYTES_HEAD, strlen(BYTES_HEAD)) != 0) return false;
    if (!argument_number(text + strlen(BYTES_HEAD), 1, IO_KEY_BYTES_MAX, &bytes)) return false;
    spec->key_bytes = (size_t)bytes;
    return true;
}

static const struct format *find_format(struct io_spec *spec, const char *name)
{
    if (take_bytes(spec, name)) return &format_bytes;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(name, formats[i].name) == 0) return &formats[i];
    return NULL;
}

const char *input_options_format(size_t i)
{
    const size_t n = sizeof formats / sizeof formats[0];
    if (i < n) return formats[i].name;
    return i == n ? BYTES_HEAD : NULL;
}

char input_options_separator(int *result, const char *text)
{
    const bool tab = strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0;
    const char separator = tab ? '\t' : text[0] != 0 && text[1] == 0 ? text[0] : 0;
    if (separator == 0 || strchr("\"\r\n", separator) != NULL)
        *result = command_misused("--separator is one character, not a quote or a line end, or tab, not '%s'", text);
    return separator;
}

char input_options_comment(int *result, const char *text)
{
    if (text[0] == 0 || text[1] != 0 || strchr("\"\r\n", text[0]) != NULL)
        *result = command_misused("--comment is one character, not a quote or a line end, not '%s'", text);
    return text[0];
}

enum bad_records input_options_bad(int *result, const char *text)
{
    const enum bad_records bad = strcmp(text, "skip") == 0 ? BAD_SKIP : strcmp(text, "null") == 0 ? BAD_NULL : BAD_ERROR;
    if (bad == BAD_ERROR && strcmp(text, "error") != 0) *result = command_misused("--bad is error, skip or null, not '%s'", text);
    return bad;
}

bool input_options_verbatim(int *result, const char *text)
{
    const bool verbatim = strcmp(text, "none") == 0;
    if (!verbatim && strcmp(text, "auto") != 0) *result = command_misused("--compression is auto or none, not '%s'", text);
    return verbatim;
}

static error_t take_option(struct input_options *options, int key, const char *argument)
{
    switch (key) {
    case OPTION_KMER: options->spec.kmer = (unsigned)argument_take(options->result, "kmer", argument, 1, IO_KMER_MAX); return 0;
    case OPTION_COLUMN: options->column = argument; return 0;
    case OPTION_AS: options->as = argument; return 0;
    case OPTION_NO_CANONICAL: options->spec.one_strand = true; return 0;
    case OPTION_WORDS: options->words = true; return 0;
    case OPTION_FORMAT: options->format = argument; return 0;
    case OPTION_SEPARATOR: options->spec.separator = input_options_separator(options->result, argument); return 0;
    case OPTION_COMMENT: options->spec.comment = input_options_comment(options->result, argument); return 0;
    case OPTION_BAD:
        options->bad = input_options_bad(options->result, argument);
        options->spec.leave_out = options->bad != BAD_ERROR;
        return 0;
    case OPTION_SKIP_BLANK: options->spec.skip_blank = true; return 0;
    case OPTION_HEADER: options->spec.header = true; return 0;
    case OPTION_COMPRESSION: options->spec.verbatim = input_options_verbatim(options->result, argument); return 0;
    case OPTION_MAX_LINE: options->spec.max_line = argument_take(options->result, "max-line", argument, 1, UINT64_MAX); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct input_options *options = (struct input_options *)state->input;
    error_t error = 0;
    if (key == ARGP_KEY_ARG) {
        /* Not at ARGP_KEY_INIT: argp leaks its parser if that fails. */
        if (options->files == NULL) options->files = (char **)calloc((size_t)state->argc, sizeof *options->files);
        if (options->files != NULL) options->files[options->files_n++] = argument;
        else *options->result = command_fail("out of memory");
    } else {
        error = take_option(options, key, argument);
    }
    return *options->result != 0 ? EINVAL : error;
}

const struct argp input_argp = {option_list, parse_option, NULL, NULL, NULL, NULL, NULL};

#define DECIMAL_HEAD "decimal:"

static const struct {
    const char *name;
    enum io_field field;
} types[] = {{"u64", IO_DECIMAL_U64},  {"u32", IO_DECIMAL_U32},     {"i64", IO_SIGNED_I64}, {"i32", IO_SIGNED_I32},
             {"base36", IO_BASE36},    {"date", IO_DATE},           {"datetime", IO_TIME},  {"string", IO_FIELD_STRING},
             {DECIMAL_HEAD, IO_FIXED}, {BYTES_HEAD, IO_FIELD_BYTES}};

const char *input_options_type(size_t i) { return i < sizeof types / sizeof types[0] ? types[i].name : NULL; }

static bool take_decimals(struct io_spec *spec, const char *text)
{
    uint64_t decimals;
    const bool good = argument_number(text, 0, IO_DECIMALS_MAX, &decimals);
    spec->decimals = good ? (unsigned)decimals : 0;
    return good;
}

bool input_options_take_as(struct io_spec *spec, const char *as)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t length = strlen(types[i].name);
        spec->field = types[i].field;
        if (strcmp(types[i].name, DECIMAL_HEAD) == 0 && strncmp(as, DECIMAL_HEAD, length) == 0)
            return take_decimals(spec, as + length);
        if (strcmp(types[i].name, BYTES_HEAD) == 0) return take_bytes(spec, as);
        if (strcmp(as, types[i].name) == 0) return true;
    }
    return false;
}

/* Completes the spec from --column, --as and --header. */
static int settle_column(struct input_options *options)
{
    struct io_spec *spec = &options->spec;
    const bool named = *options->column == '=';
    if (named) options->column++;
    const bool digits = !named && options->column[strspn(options->column, "0123456789")] == 0;
    if (*options->column == 0) return command_misused("--column is a number from 1 or a name, not empty");
    if (digits && !argument_number(options->column, 1, UINT64_MAX, &spec->column))
        return command_misused("--column is a number from 1 or a name, not '%s'", options->column);
    if (!digits) spec->name = options->column;
    if (options->as != NULL && !input_options_take_as(spec, options->as))
        return command_misused(
            "--as is i64, i32, decimal:N with N from 0 to 18, date, datetime, u64, u32, base36, string or bytes:N "
            "with N from 1 to 128, not '%s'",
            options->as);
    return 0;
}

/* Checks that the options fit together.  format: NULL if none was given. */
static int check_layout(const struct input_options *options, const struct format *format)
{
    const struct io_spec *spec = &options->spec;
    const char *name = format != NULL ? format->name : "";
    if (spec->layout == IO_FASTA && spec->kmer == 0) return command_misused("--format %s needs --kmer", name);
    if (spec->layout != IO_FASTA && spec->kmer != 0) return command_misused("--kmer reads FASTA and FASTQ, not %s", name);
    if (spec->layout != IO_FASTA && spec->one_strand) return command_misused("--no-canonical belongs to --kmer");
    if (spec->layout == IO_COLUMN && options->column == NULL) return command_misused("--format %s needs --column", name);
    if (spec->layout != IO_COLUMN && options->column != NULL) return command_misused("--column reads tsv or csv, not %s", name);
    if (spec->layout != IO_COLUMN && options->as != NULL) return command_misused("--as belongs to --column");
    if (spec->layout != IO_COLUMN && spec->header) return command_misused("--header belongs to --column");
    if (spec->layout != IO_COLUMN && spec->separator != 0) return command_misused("--separator belongs to --column");
    if (spec->layout != IO_COLUMN && spec->skip_blank) return command_misused("--skip-blank belongs to --column");
    if (spec->layout != IO_COLUMN && spec->comment != 0) return command_misused("--comment belongs to --column");
    if (spec->layout != IO_COLUMN && options->bad != BAD_ERROR) return command_misused("--bad belongs to --column");
    if (spec->separator != 0 && format != NULL && format->separator == '\t')
        return command_misused("--separator and --format tsv exclude each other");
    return 0;
}

/* Without a FILE the input is standard input, unless that is a terminal. */
static int take_standard_input(struct input_options *options)
{
    static char name[] = "-";
    if (isatty(STDIN_FILENO)) return command_misused("no FILE given, and standard input is a terminal");
    options->files = (char **)malloc(sizeof *options->files);
    if (options->files == NULL) return command_fail("out of memory");
    options->files[options->files_n++] = name;
    return 0;
}

int input_options_settle(struct input_options *options)
{
    struct io_spec *spec = &options->spec;
    const struct format *format = NULL;
    int result = options->files_n == 0 ? take_standard_input(options) : 0;
    if (result != 0) return result;
    if (options->format != NULL && (format = find_format(spec, options->format)) == NULL)
        return command_misused(
            "--format is fasta, fastq, tsv, csv, u32le, u32be, u64le, u64be, npy, bytes:N with N from 1 to 128, arc or "
            "cache2k, not '%s'",
            options->format);
    if (spec->kmer != 0 && options->column != NULL) return command_misused("--kmer and --column exclude each other");
    if (options->words && (spec->kmer != 0 || options->column != NULL || format != NULL))
        return command_misused("--words excludes --kmer, --column and --format");
    if (format == NULL && spec->kmer == 0 && options->column == NULL && !options->words)
        return command_misused("no keys selected: --kmer, --column, --words, or --format for binary files and traces");
    spec->layout = options->words ? IO_WORDS : format != NULL ? format->layout : spec->kmer != 0 ? IO_FASTA : IO_COLUMN;
    result = check_layout(options, format);
    if (result != 0) return result;
    if (spec->max_line == 0) spec->max_line = INPUT_MAX_LINE;
    if (format != NULL) {
        if (spec->separator == 0) spec->separator = format->separator;
        spec->raw = format->type;
        spec->big_endian = format->big_endian;
    }
    return spec->layout == IO_COLUMN ? settle_column(options) : 0;
}

int input_options_open(const struct input_options *options, size_t i, struct io_reader **reader, struct key_kind *kind)
{
    struct io_error error;
    if (io_reader_open(reader, options->files[i], &options->spec, &error) != IO_OK) return command_fail("%s", error.text);
    const struct key_kind found = {io_reader_key_type(*reader), io_reader_key_bytes(*reader)};
    if (i == 0) *kind = found;
    if (found.type == kind->type) return 0;
    io_reader_close(*reader);
    *reader = NULL;
    return command_fail("%s: its keys have another type than the first file's", options->files[i]);
}

int input_options_check_files(const struct input_options *options, const char *needs, bool read_twice, uint64_t *bytes)
{
    bool all_known = true;
    *bytes = 0;
    for (size_t i = 0; i < options->files_n; i++) {
        const char *path = options->files[i];
        const bool standard_input = strcmp(path, "-") == 0;
        struct stat about;
        if ((standard_input ? fstat(STDIN_FILENO, &about) : stat(path, &about)) != 0)
            return command_fail("%s: %s", path, strerror(errno));
        const bool readable_once = standard_input || !S_ISREG(about.st_mode);
        if (read_twice && readable_once) return command_fail("%s: %s reads a file twice, so it needs a regular file", path, needs);
        if (ranks_get()->ranks > 1 && readable_once) /* each of them opens all files */
            return command_fail("%s: a job of several processes needs a regular file", path);
        all_known = all_known && S_ISREG(about.st_mode);
        *bytes += S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    }
    if (!all_known) *bytes = 0;
    return 0;
}

int input_options_share(struct io_reader *reader, size_t i, bool *reads)
{
    const struct ranks *const ranks = ranks_get();
    struct io_error error;
    bool divided;
    if (io_reader_share(reader, (uint64_t)ranks->rank, (uint64_t)ranks->ranks, &divided, &error) != IO_OK)
        return command_fail("%s", error.text);
    *reads = divided || i % (size_t)ranks->ranks == (size_t)ranks->rank;
    return 0;
}

uint64_t input_options_warn(const struct input_options *options, size_t i, const struct io_reader *reader)
{
    struct io_left_out left_out;
    io_reader_left_out(reader, &left_out);
    if (left_out.records > 0)
        command_warn("%s: %" PRIu64 " records without a key %s; the first: %s", options->files[i], left_out.records,
                     options->bad == BAD_NULL ? "count as null" : "are left out", left_out.first);
    if (left_out.bytes > 0)
        command_warn("%s: %" PRIu64 " bytes behind the compressed data are left out", options->files[i], left_out.bytes);
    return left_out.records;
}

/* Describes the fields of a column. */
static const char *describe_fields(const struct io_spec *spec, char *text, size_t bytes)
{
    switch (spec->field) {
    case IO_DECIMAL_U64: return "decimal numbers of 64 bits";
    case IO_DECIMAL_U32: return "decimal numbers of 32 bits";
    case IO_BASE36: return "base-36 numbers";
    case IO_SIGNED_I64: return "signed numbers of 64 bits";
    case IO_SIGNED_I32: return "signed numbers of 32 bits";
    case IO_DATE: return "dates";
    case IO_TIME: return "times";
    case IO_FIXED: snprintf(text, bytes, "numbers with %u decimals", spec->decimals); return text;
    case IO_FIELD_STRING: return "strings";
    case IO_FIELD_BYTES: snprintf(text, bytes, "strings of %zu bytes", spec->key_bytes);
    }
    return text;
}

const char *input_options_describe(const struct input_options *options, char *text, size_t bytes)
{
    char width[64];
    const struct io_spec *spec = &options->spec;
    switch (spec->layout) {
    case IO_FASTA: snprintf(text, bytes, "%s%u-mers", spec->one_strand ? "" : "canonical ", spec->kmer); break;
    case IO_COLUMN:
        if (spec->name != NULL) snprintf(text, bytes, "column '%s', %s", spec->name, describe_fields(spec, width, sizeof width));
        else snprintf(text, bytes, "column %" PRIu64 ", %s", spec->column, describe_fields(spec, width, sizeof width));
        break;
    case IO_RAW:
        if (spec->raw == IO_BYTES) snprintf(text, bytes, "binary keys of %zu bytes", spec->key_bytes);
        else snprintf(text, bytes, "binary integers");
        break;
    case IO_NPY: snprintf(text, bytes, "items of an array"); break;
    case IO_ARC: snprintf(text, bytes, "blocks of a trace"); break;
    case IO_WORDS: snprintf(text, bytes, "words"); break;
    }
    return text;
}

json_t *input_options_json(const struct input_options *options)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < options->files_n; i++) list = json_append(list, json_text(options->files[i]));
    return list;
}

struct key_form input_options_form(const struct input_options *options, struct key_kind kind)
{
    const struct io_spec *spec = &options->spec;
    static const enum key_spelling fields[] = {
        [IO_BASE36] = SPELL_BASE36,  [IO_FIELD_BYTES] = SPELL_TEXT, [IO_FIELD_STRING] = SPELL_TEXT, [IO_SIGNED_I64] = SPELL_I64,
        [IO_SIGNED_I32] = SPELL_I32, [IO_FIXED] = SPELL_FIXED,      [IO_DATE] = SPELL_DATE,         [IO_TIME] = SPELL_TIME};
    static const enum key_spelling spellings[] = {[IO_U32] = SPELL_UNSIGNED, [IO_U64] = SPELL_UNSIGNED, [IO_I32] = SPELL_I32,
                                                  [IO_I64] = SPELL_I64,      [IO_BYTES] = SPELL_HEX,    [IO_STRING] = SPELL_TEXT};
    struct key_form form = {spellings[kind.type], spec->kmer, spec->decimals};
    if (spec->layout == IO_FASTA) form.spelling = kind.type == IO_BYTES ? SPELL_WIDE_KMER : SPELL_KMER;
    else if (spec->layout == IO_COLUMN) form.spelling = fields[spec->field];
    return form;
}

void input_options_release(struct input_options *options)
{
    free(options->files);
    memset(options, 0, sizeof *options);
}
