/* Parses the options of `roost count` with argp and checks that they fit together. */
#include "cli/count_options.h"

#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/outfile.h"
#include "cli/outpack.h"
#include "cli/picture.h"

enum option_key {
    OPTION_COUNT_BITS = 256,
    OPTION_TOP,
    OPTION_OUTPUT,
    OPTION_OUTPUT_FORMAT,
    OPTION_UNSORTED,
    OPTION_MIN_COUNT,
    OPTION_MAX_COUNT,
    OPTION_HISTOGRAM,
    OPTION_SAVE,
    OPTION_ZSTD,
    OPTION_VERIFY
};

static const struct argp_option option_list[] = {
    {"count-bits", OPTION_COUNT_BITS, "32|64", 0, "Width of the counts, which saturate (default 32)", 4},
    {"top", OPTION_TOP, "N", 0, "Print the N most frequent keys", 4},
    {"output", OPTION_OUTPUT, "FILE", 0,
     "Write every key and its count, by rising key: .csv, .jsonl, .fa (k-mers behind their counts), else tsv; with .gz or .zst "
     "behind it compressed; -: to standard "
     "output, and the report to standard error",
     4},
    {"output-format", OPTION_OUTPUT_FORMAT, "tsv|csv|jsonl|fasta", 0, "The format of --output (default: by its name)", 4},
    {"unsorted", OPTION_UNSORTED, NULL, 0, "Write the keys of --output in no order, which takes less time and memory", 4},
    {"min-count", OPTION_MIN_COUNT, "N", 0, "List only keys that occur N times or more, in --output and --top", 4},
    {"max-count", OPTION_MAX_COUNT, "N", 0, "List only keys that occur N times or less, in --output and --top", 4},
    {"histogram", OPTION_HISTOGRAM, "FILE", 0,
     "How many keys occur how often: numbers if FILE ends in .tsv or is -, a picture if it ends in .svg or .png", 4},
    {"save", OPTION_SAVE, "FILE", 0, "Save the table of counts as a snapshot, for `roost query`, `merge`, `dump` and `info`", 4},
    {"zstd", OPTION_ZSTD, "N", 0, "Compress the blocks of --save with Zstandard's level N, 1 to 19 (default: they are not)", 4},
    {"verify", OPTION_VERIFY, NULL, 0, "Count again by sorting, with code of its own, and compare every key", 4},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_child children[] = {{&work_argp, 0, NULL, 0}, {NULL, 0, NULL, 0}};

static const char doc[] =
    "Counts how often each key of the FILEs occurs, in a hash table that grows while it counts.\v"
    "A FILE of - is standard input, as without any FILE.  Keys that do not parse, and files that are truncated or damaged, "
    "are errors: exit 1; wrong options: exit 2.";

static void take_format(struct count_options *options, const char *text)
{
    options->list_given = true;
    if (count_list_format_named(text, &options->list)) return;
    *options->work.input.result = command_misused("--output-format is tsv, csv, jsonl or fasta, not '%s'", text);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct count_options *options = (struct count_options *)state->input;
    int *result = options->work.input.result;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &options->work; break;
    case OPTION_COUNT_BITS:
        options->count_bits = strcmp(argument, "64") == 0 ? 64 : 32;
        if (strcmp(argument, "32") != 0 && strcmp(argument, "64") != 0)
            *result = command_misused("--count-bits is 32 or 64, not '%s'", argument);
        break;
    case OPTION_TOP: options->top = argument_take(result, "top", argument, 0, UINT64_MAX); break;
    case OPTION_OUTPUT: options->output = argument; break;
    case OPTION_UNSORTED: options->unsorted = true; break;
    case OPTION_OUTPUT_FORMAT: take_format(options, argument); break;
    case OPTION_MIN_COUNT: options->least_count = argument_take(result, "min-count", argument, 0, UINT64_MAX); break;
    case OPTION_MAX_COUNT: options->most_count = argument_take(result, "max-count", argument, 0, UINT64_MAX); break;
    case OPTION_HISTOGRAM: options->histogram = argument; break;
    case OPTION_SAVE: options->save.name = argument; break;
    case OPTION_ZSTD: options->save.zstd = (int)argument_take(result, "zstd", argument, 1, SNAPSHOT_ZSTD_MOST); break;
    case OPTION_VERIFY: options->work.verify = true; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return work_options_judge(&options->work);
}

const struct argp count_argp = {option_list, parse_option, "FILE...", doc, children, NULL, NULL};

/* Numbers go to .tsv and to what is no regular file, such as standard output. */
static int settle_histogram(struct count_options *options)
{
    const char *name = options->histogram;
    options->histogram_drawn = picture_ending(name);
    if (options->histogram_drawn || outfile_is_special(name) || outpack_name_ends(name, ".tsv")) return 0;
    return command_misused("--histogram writes .tsv, .svg or .png, not '%s'", name);
}

static int settle(struct count_options *options)
{
    const bool stdout_taken = outfile_is_stdout(options->output) || outfile_is_stdout(options->histogram) ||
                              outfile_is_stdout(options->work.plot) || outfile_is_stdout(options->save.name);
    if (stdout_taken) options->work.report = stderr;
    if (options->unsorted && options->output == NULL)
        return command_misused("--unsorted is about the list of --output, and there is none");
    if (options->output == NULL && options->list_given) return command_misused("--output-format belongs to --output");
    if (options->output != NULL && !options->list_given) options->list = count_list_format(options->output);
    if (options->list == LIST_FASTA && options->work.input.spec.kmer == 0)
        return command_misused("--output: FASTA lists k-mers, and there is no --kmer");
    if (options->save.name != NULL && options->work.input.bad == BAD_NULL)
        return command_misused("--save and --bad null exclude each other: a table has no key for records without one");
    const int result = snapshot_output_check(&options->save, "save");
    return result == 0 && options->histogram != NULL ? settle_histogram(options) : result;
}

int count_options_parse(struct count_options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->count_bits = 32;
    options->most_count = UINT64_MAX;
    const int result = work_options_parse(&options->work, &count_argp, options, argc, argv);
    return result == 0 && !options->work.help ? settle(options) : result;
}
