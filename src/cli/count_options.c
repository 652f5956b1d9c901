/* Parses the options of `roost count` with argp and checks that they fit together. */
#define _GNU_SOURCE 1
#include "cli/count_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"

#define BATCH_DEFAULT ((uint64_t)1 << 18)
#define BATCH_MOST ((uint64_t)1 << 30)

enum option_key {
    OPTION_KMER = 256,
    OPTION_COLUMN,
    OPTION_AS,
    OPTION_FORMAT,
    OPTION_HEADER,
    OPTION_COMPRESSION,
    OPTION_COUNT_BITS,
    OPTION_BATCH,
    OPTION_CAPACITY,
    OPTION_ENGINE,
    OPTION_DEVICE,
    OPTION_THREADS,
    OPTION_SEED,
    OPTION_ENGINE_OPTION,
    OPTION_TOP,
    OPTION_OUTPUT,
    OPTION_HISTOGRAM,
    OPTION_PLOT,
    OPTION_JSON,
    OPTION_VERIFY,
    OPTION_QUIET = 'q'
};

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "Which keys (one of --kmer, --column and a binary --format):", 1},
    {"kmer", OPTION_KMER, "K", 0, "FASTA: canonical k-mers of K letters, 1 to 32", 1},
    {"column", OPTION_COLUMN, "C", 0, "tsv or csv: a column's number, from 1, or its name in the header", 1},
    {"as", OPTION_AS, "TYPE", 0, "How the column's fields are read: u64 (decimal, default), u32 or base36", 1},
    {"header", OPTION_HEADER, NULL, 0, "Skip the first line (a column's name implies it)", 1},
    {"format", OPTION_FORMAT, "FORMAT", 0,
     "fasta, tsv, csv (default: by the first line), or binary: u32le, u32be, u64le, u64be, npy", 1},
    {"compression", OPTION_COMPRESSION, "auto|none", 0, "auto (default): .gz and .zst are known by their first bytes", 1},
    {NULL, 0, NULL, 0, "How they are counted:", 2},
    {"count-bits", OPTION_COUNT_BITS, "32|64", 0, "Width of the counts, which saturate (default 32)", 2},
    {"batch", OPTION_BATCH, "N", 0, "Keys a batch (default 262144)", 2},
    {"capacity", OPTION_CAPACITY, "N", 0, "Make room for N keys at the start (default: the smallest table, which grows)", 2},
    {"engine", OPTION_ENGINE, "NAME", 0, "The table's design; `roost info` lists them", 2},
    {"option", OPTION_ENGINE_OPTION, "NAME=VALUE", 0, "An option of the engine; may be repeated", 2},
    {"device", OPTION_DEVICE, "DEVICE", 0, "host, cuda, cuda:0 ... (default: the first GPU, else the host)", 2},
    {"threads", OPTION_THREADS, "N", 0, "Threads on the host (default: one a core)", 2},
    {"seed", OPTION_SEED, "N", 0, "Seeds the hash functions (default 0)", 2},
    {NULL, 0, NULL, 0, "What comes out:", 3},
    {"top", OPTION_TOP, "N", 0, "Print the N most frequent keys", 3},
    {"output", OPTION_OUTPUT, "FILE.tsv", 0, "Write every key and its count, by rising key", 3},
    {"histogram", OPTION_HISTOGRAM, "FILE.svg", 0, "Draw the spectrum: how many keys occur how often", 3},
    {"plot", OPTION_PLOT, "FILE.svg", 0, "Draw the table's fill and memory over the batches", 3},
    {"json", OPTION_JSON, NULL, 0, "Report in JSON", 3},
    {"verify", OPTION_VERIFY, NULL, 0, "Count again by sorting, with code of its own, and compare every key", 3},
    {"quiet", OPTION_QUIET, NULL, 0, "No report and no progress bar", 3},
    {"help", OPTION_HELP, NULL, 0, "Print this text", -1},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const char doc[] = "Counts how often each key of the FILEs occurs, in a hash table that grows while it counts.\v"
                          "A FILE of - is standard input.  Keys that do not parse, and files that are truncated or damaged, "
                          "are errors: exit 1; wrong options: exit 2.";

/* While parsing: what was given, beside what it means. */
struct parse {
    struct count_options *options;
    const char *column;
    const char *as;
    const char *format;
    int result; /* the exit code, once a line is printed */
};

static const struct format {
    const char *name;
    enum io_layout layout;
    char separator;
    enum io_key_type type;
    bool big_endian;
} formats[] = {
    {"fasta", IO_FASTA, 0, IO_U64, false}, {"tsv", IO_COLUMN, '\t', IO_U64, false}, {"csv", IO_COLUMN, ',', IO_U64, false},
    {"u32le", IO_RAW, 0, IO_U32, false},   {"u32be", IO_RAW, 0, IO_U32, true},      {"u64le", IO_RAW, 0, IO_U64, false},
    {"u64be", IO_RAW, 0, IO_U64, true},    {"npy", IO_NPY, 0, IO_U64, false},
};

static const struct format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(name, formats[i].name) == 0) return &formats[i];
    return NULL;
}

/* Reads a number option; on a wrong one the line is printed and 0 returned. */
static uint64_t take_number(struct parse *parse, const char *option, const char *text, uint64_t least, uint64_t most)
{
    uint64_t number;
    if (argument_number(text, least, most, &number)) return number;
    parse->result = command_misused("--%s is a number from %llu to %llu, not '%s'", option, (unsigned long long)least,
                                    (unsigned long long)most, text);
    return 0;
}

static void take_engine_option(struct parse *parse, const char *text)
{
    char *joined = NULL;
    const char *before = parse->options->engine_options;
    if (strchr(text, '=') == NULL || *text == '=') {
        parse->result = command_misused("--option is NAME=VALUE, not '%s'", text);
    } else if (asprintf(&joined, "%s%s%s", before != NULL ? before : "", before != NULL ? "," : "", text) < 0) {
        parse->result = command_fail("out of memory");
    } else {
        free(parse->options->engine_options);
        parse->options->engine_options = joined;
    }
}

/* Options that say which keys. */
static error_t parse_input(struct parse *parse, int key, const char *argument)
{
    struct count_options *options = parse->options;
    switch (key) {
    case OPTION_KMER: options->spec.kmer = (unsigned)take_number(parse, "kmer", argument, 1, IO_KMER_MAX); return 0;
    case OPTION_COLUMN: parse->column = argument; return 0;
    case OPTION_AS: parse->as = argument; return 0;
    case OPTION_FORMAT: parse->format = argument; return 0;
    case OPTION_HEADER: options->spec.header = true; return 0;
    case OPTION_COMPRESSION:
        options->spec.verbatim = strcmp(argument, "none") == 0;
        if (!options->spec.verbatim && strcmp(argument, "auto") != 0)
            parse->result = command_misused("--compression is auto or none, not '%s'", argument);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Options that say how keys are counted. */
static error_t parse_counting(struct parse *parse, int key, const char *argument)
{
    struct count_options *options = parse->options;
    switch (key) {
    case OPTION_COUNT_BITS:
        options->count_bits = strcmp(argument, "64") == 0 ? 64 : 32;
        if (strcmp(argument, "32") != 0 && strcmp(argument, "64") != 0)
            parse->result = command_misused("--count-bits is 32 or 64, not '%s'", argument);
        return 0;
    case OPTION_BATCH: options->batch = take_number(parse, "batch", argument, 1, BATCH_MOST); return 0;
    case OPTION_CAPACITY: options->capacity = take_number(parse, "capacity", argument, 0, UINT64_MAX); return 0;
    case OPTION_ENGINE: options->engine = argument; return 0;
    case OPTION_ENGINE_OPTION: take_engine_option(parse, argument); return 0;
    case OPTION_DEVICE: options->device = argument; return 0;
    case OPTION_THREADS: options->threads = (int)take_number(parse, "threads", argument, 1, 65536); return 0;
    case OPTION_SEED: options->seed = take_number(parse, "seed", argument, 0, UINT64_MAX); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Options that say what comes out. */
static error_t parse_results(struct parse *parse, int key, const char *argument)
{
    struct count_options *options = parse->options;
    switch (key) {
    case OPTION_TOP: options->top = take_number(parse, "top", argument, 0, UINT64_MAX); return 0;
    case OPTION_OUTPUT: options->output = argument; return 0;
    case OPTION_HISTOGRAM: options->histogram = argument; return 0;
    case OPTION_PLOT: options->plot = argument; return 0;
    case OPTION_JSON: options->json = true; return 0;
    case OPTION_VERIFY: options->verify = true; return 0;
    case OPTION_QUIET: options->quiet = true; return 0;
    case OPTION_HELP: options->help = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct parse *parse = (struct parse *)state->input;
    if (key == ARGP_KEY_ARG) {
        parse->options->files[parse->options->files_n++] = argument;
        return 0;
    }
    if (key == ARGP_KEY_ERROR) {
        if (parse->result == 0) parse->result = argument_refused(option_list, state);
        return 0;
    }
    error_t error = parse_input(parse, key, argument);
    if (error == ARGP_ERR_UNKNOWN) error = parse_counting(parse, key, argument);
    if (error == ARGP_ERR_UNKNOWN) error = parse_results(parse, key, argument);
    return parse->result != 0 ? EINVAL : error;
}

static const struct argp count_argp = {option_list, parse_option, "FILE...", doc, NULL, NULL, NULL};

/* --column and what belongs to it. */
static int settle_column(struct parse *parse)
{
    struct io_spec *spec = &parse->options->spec;
    const bool digits = parse->column[strspn(parse->column, "0123456789")] == 0;
    if (*parse->column == 0) return command_misused("--column is a number from 1 or a name, not empty");
    if (digits && !argument_number(parse->column, 1, UINT64_MAX, &spec->column))
        return command_misused("--column is a number from 1 or a name, not '%s'", parse->column);
    if (!digits) spec->name = parse->column;
    if (parse->as == NULL || strcmp(parse->as, "u64") == 0) spec->number = IO_DECIMAL_U64;
    else if (strcmp(parse->as, "u32") == 0) spec->number = IO_DECIMAL_U32;
    else if (strcmp(parse->as, "base36") == 0) spec->number = IO_BASE36;
    else return command_misused("--as is u64, u32 or base36, not '%s'", parse->as);
    return 0;
}

/* Decides the layout and refuses options that do not belong to it. */
static int settle_layout(struct parse *parse)
{
    struct io_spec *spec = &parse->options->spec;
    const struct format *format = NULL;
    if (parse->format != NULL && (format = find_format(parse->format)) == NULL)
        return command_misused("--format is fasta, tsv, csv, u32le, u32be, u64le, u64be or npy, not '%s'", parse->format);
    if (spec->kmer != 0 && parse->column != NULL) return command_misused("--kmer and --column exclude each other");
    if (format == NULL && spec->kmer == 0 && parse->column == NULL)
        return command_misused("say which keys to count: --kmer, --column, or --format for binary files");
    spec->layout = format != NULL ? format->layout : spec->kmer != 0 ? IO_FASTA : IO_COLUMN;
    if (spec->layout == IO_FASTA && spec->kmer == 0) return command_misused("--format fasta needs --kmer");
    if (spec->layout != IO_FASTA && spec->kmer != 0) return command_misused("--kmer reads FASTA, not %s", format->name);
    if (spec->layout == IO_COLUMN && parse->column == NULL) return command_misused("--format %s needs --column", format->name);
    if (spec->layout != IO_COLUMN && parse->column != NULL)
        return command_misused("--column reads tsv or csv, not %s", format->name);
    if (spec->layout != IO_COLUMN && parse->as != NULL) return command_misused("--as belongs to --column");
    if (spec->layout != IO_COLUMN && spec->header) return command_misused("--header belongs to --column");
    if (format != NULL) {
        spec->separator = format->separator;
        spec->raw = format->type;
        spec->big_endian = format->big_endian;
    }
    return spec->layout == IO_COLUMN ? settle_column(parse) : 0;
}

int count_options_parse(struct count_options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->count_bits = 32;
    options->batch = BATCH_DEFAULT;
    options->files = (char **)calloc((size_t)argc, sizeof *options->files);
    if (options->files == NULL) return command_fail("out of memory");
    struct parse parse = {options, NULL, NULL, NULL, 0};
    const error_t error = argp_parse(&count_argp, argc, argv, ARGUMENT_FLAGS, NULL, &parse);
    if (parse.result != 0) return parse.result;
    if (error != 0) return command_fail("%s", strerror(error));
    if (options->help) {
        argument_help(&count_argp);
        return 0;
    }
    if (options->files_n == 0) return command_misused("no FILE given");
    return settle_layout(&parse);
}

void count_options_release(struct count_options *options)
{
    free(options->files);
    free(options->engine_options);
    memset(options, 0, sizeof *options);
}
