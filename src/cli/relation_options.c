/* Parses the options that subcommands on tables of rows share. */
#define _GNU_SOURCE 1
#include "cli/relation_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/input_options.h"
#include "cli/outfile.h"
#include "cli/outpack.h"
#include "roost/roost.h"

enum option_key {
    OPTION_NULL = 512,
    OPTION_SEPARATOR,
    OPTION_SKIP_BLANK,
    OPTION_COMMENT,
    OPTION_BAD,
    OPTION_COMPRESSION,
    OPTION_MAX_LINE,
    OPTION_CAPACITY,
    OPTION_ENGINE,
    OPTION_DEVICE,
    OPTION_THREADS,
    OPTION_OUTPUT,
    OPTION_VERIFY,
    OPTION_JSON,
    OPTION_QUIET = 'q'
};

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "Files (csv or tsv with a header; plain, gzip, bzip2, xz or Zstandard):", 2},
    {"null", OPTION_NULL, "TEXT", 0, "Unquoted fields with this text are NULL, too, such as NA (default: only the empty field)", 2},
    {"separator", OPTION_SEPARATOR, "C", 0,
     "The separator: one character, or tab (default: a tab if the first line has one outside of quotes, else a comma)", 2},
    {"skip-blank", OPTION_SKIP_BLANK, NULL, 0, "Skip blank lines", 2},
    {"comment", OPTION_COMMENT, "C", 0, "Skip lines that begin with this character, such as #", 2},
    {"bad", OPTION_BAD, "error|skip|null", 0,
     "Records with another number of fields than the header, and fields that do not parse: an error that counts them (default); "
     "records left out; or such fields are NULL, and the records still an error",
     2},
    {"compression", OPTION_COMPRESSION, "auto|none", 0, "auto (default): compressed files are known by their first bytes", 2},
    {"max-line", OPTION_MAX_LINE, "BYTES", 0, "The most bytes of a record (default 256000000)", 2},
    {NULL, 0, NULL, 0, "Work:", 3},
    {"capacity", OPTION_CAPACITY, "N", 0, "Make room for N keys at the start (default: the smallest table, which grows)", 3},
    {"engine", OPTION_ENGINE, "ENGINE", 0, "The tables' design; `roost info` lists them", 3},
    {"device", OPTION_DEVICE, "DEVICE", 0, "host or cuda:0 (default: the first GPU, else the host)", 3},
    {"threads", OPTION_THREADS, "N", 0, "Threads on the host, at most 1024 (default: one per core)", 3},
    {NULL, 0, NULL, 0, "Output:", 4},
    {"output", OPTION_OUTPUT, "FILE", 0,
     "Write the rows to FILE: .tsv, else csv; with .gz or .zst behind it compressed (default, and -: standard output; then the "
     "report goes to standard error)",
     4},
    {"verify", OPTION_VERIFY, NULL, 0, "Compute the output again by sorting, with code of its own, and compare every row", 4},
    {"json", OPTION_JSON, NULL, 0, "Report in JSON", 4},
    {"quiet", OPTION_QUIET, NULL, 0, "No report and no progress bar", 4},
    {"help", OPTION_HELP, NULL, 0, "Print this text", -1},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t take_argument(struct relation_options *options, char *argument, const struct argp_state *state)
{
    /* Not at ARGP_KEY_INIT: argp leaks its parser if that fails. */
    if (options->files == NULL) options->files = (char **)calloc((size_t)state->argc, sizeof *options->files);
    if (options->files != NULL) options->files[options->files_n++] = argument;
    else *options->result = command_fail("out of memory");
    return relation_options_judge(options);
}

static void take_bad(struct relation_options *options, const char *argument)
{
    static const enum io_bad kinds[] = {[BAD_ERROR] = IO_BAD_ERROR, [BAD_SKIP] = IO_BAD_SKIP, [BAD_NULL] = IO_BAD_NULL};
    options->table.bad = kinds[input_options_bad(options->result, argument)];
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct relation_options *options = (struct relation_options *)state->input;
    struct io_table_spec *const table = &options->table;
    int *result = options->result;
    switch (key) {
    case ARGP_KEY_ERROR:
        if (*result == 0) *result = argument_refused(state->root_argp, state);
        break;
    case ARGP_KEY_ARG: return take_argument(options, argument, state);
    case OPTION_NULL: table->null = argument; break;
    case OPTION_SEPARATOR: table->separator = input_options_separator(result, argument); break;
    case OPTION_SKIP_BLANK: table->skip_blank = true; break;
    case OPTION_COMMENT: table->comment = input_options_comment(result, argument); break;
    case OPTION_BAD: take_bad(options, argument); break;
    case OPTION_COMPRESSION: table->verbatim = input_options_verbatim(result, argument); break;
    case OPTION_MAX_LINE: table->max_line = argument_take(result, "max-line", argument, 1, UINT64_MAX); break;
    case OPTION_CAPACITY: options->capacity = argument_take(result, "capacity", argument, 0, UINT32_MAX); break;
    case OPTION_ENGINE: options->engine = argument; break;
    case OPTION_DEVICE: options->device = argument; break;
    case OPTION_THREADS: options->threads = (int)argument_take(result, "threads", argument, 1, ROOST_THREADS_MOST); break;
    case OPTION_OUTPUT: options->output = argument; break;
    case OPTION_VERIFY: options->verify = true; break;
    case OPTION_JSON: options->json = true; break;
    case OPTION_QUIET: options->quiet = true; break;
    case OPTION_HELP: options->help = true; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return relation_options_judge(options);
}

const struct argp relation_argp = {option_list, parse_option, NULL, NULL, NULL, NULL, NULL};

error_t relation_options_judge(const struct relation_options *options) { return *options->result != 0 ? EINVAL : 0; }

int relation_options_parse(struct relation_options *options, const struct argp *argp, void *input, int argc, char **argv)
{
    int result = 0;
    options->result = &result;
    options->table.max_line = INPUT_MAX_LINE;
    const error_t error = argp_parse(argp, argc, argv, ARGUMENT_FLAGS, NULL, input);
    if (result == 0 && error != 0) result = command_fail("%s", strerror(error));
    if (result == 0 && options->help) argument_help(argp);
    if (options->output == NULL) options->output = "-";
    options->table.threads = relation_options_threads(options);
    options->tsv = outpack_name_ends(options->output, ".tsv");
    options->report = outfile_is_stdout(options->output) ? stderr : stdout;
    options->result = NULL;
    return result;
}

int relation_options_check_files(const struct relation_options *options, uint64_t *bytes)
{
    bool all_known = true;
    *bytes = 0;
    for (size_t i = 0; i < options->files_n; i++) {
        const char *path = options->files[i];
        const bool standard_input = strcmp(path, "-") == 0;
        struct stat about;
        if ((standard_input ? fstat(STDIN_FILENO, &about) : stat(path, &about)) != 0)
            return command_fail("%s: %s", path, strerror(errno));
        if (options->verify && (standard_input || !S_ISREG(about.st_mode)))
            return command_fail("%s: --verify reads a file twice, so it needs a regular file", path);
        all_known = all_known && S_ISREG(about.st_mode);
        *bytes += S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    }
    if (!all_known) *bytes = 0;
    return 0;
}

bool relation_options_is_regular(const char *path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

int relation_options_threads(const struct relation_options *options)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (options->threads > 0) return options->threads;
    return cores < 1 ? 1 : cores < ROOST_THREADS_MOST ? (int)cores : ROOST_THREADS_MOST;
}

int relation_options_open(const struct relation_options *options, const char *path, struct io_table **table)
{
    struct io_error error;
    if (io_table_open(table, path, &options->table, &error) != IO_OK) return command_fail("%s", error.text);
    return 0;
}

uint64_t relation_options_warn(const struct relation_options *options, const char *path, const struct io_table *table)
{
    struct io_left_out left_out;
    io_table_left_out(table, &left_out);
    if (left_out.records > 0)
        command_warn("%s: %" PRIu64 " %s; the first: %s", path, left_out.records,
                     options->table.bad == IO_BAD_NULL ? "fields became NULL" : "records are left out", left_out.first);
    if (left_out.bytes > 0) command_warn("%s: %" PRIu64 " bytes behind the compressed data are left out", path, left_out.bytes);
    return left_out.records;
}

void relation_options_verify(const struct relation_options *options, struct verify_rows_plan *plan)
{
    static const enum verify_bad kinds[] = {
        [IO_BAD_ERROR] = VERIFY_BAD_ERROR, [IO_BAD_SKIP] = VERIFY_BAD_SKIP, [IO_BAD_NULL] = VERIFY_BAD_NULL};
    plan->say = command_fail;
    plan->files = options->files;
    plan->files_n = options->files_n;
    plan->verbatim = options->table.verbatim;
    plan->skip_blank = options->table.skip_blank;
    plan->comment = options->table.comment;
    plan->separator = options->table.separator;
    plan->null = options->table.null;
    plan->bad = kinds[options->table.bad];
    plan->tsv = options->tsv;
}

struct verify_type relation_options_verify_type(const struct io_spec *as)
{
    static const enum verify_field fields[] = {[IO_SIGNED_I64] = VERIFY_SIGNED,
                                               [IO_SIGNED_I32] = VERIFY_SIGNED,
                                               [IO_FIXED] = VERIFY_FIXED,
                                               [IO_DATE] = VERIFY_DATE,
                                               [IO_TIME] = VERIFY_TIME};
    const struct verify_type text = {VERIFY_TEXT, VERIFY_UNSIGNED, 0, 0};
    if (as->field == IO_FIELD_STRING) return text;
    return (struct verify_type){VERIFY_TYPED, fields[as->field], as->decimals, as->field == IO_SIGNED_I32 ? 4 : 8};
}

int relation_fail(const char *doing) { return command_fail("%s: %s", doing, roost_last_error(NULL)); }

void relation_options_release(struct relation_options *options)
{
    free(options->files);
    options->files = NULL;
}
