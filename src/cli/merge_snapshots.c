/* `roost merge`: unites, intersects or subtracts snapshots. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/loaded_table.h"
#include "cli/snapshot_commands.h"
#include "cli/snapshot_output.h"
#include "cli/table_join.h"
#include "roost/numbers.h"

struct merge {
    struct load_options load;
    roost_mode mode;
    bool mode_given;
    enum join_how how;
    struct snapshot_output output;
    struct loaded_table into, from;
};

enum { OPTION_OUTPUT = 'o', OPTION_MODE = 256, OPTION_HOW, OPTION_ZSTD };

static const struct argp_option option_list[] = {
    {"output", OPTION_OUTPUT, "FILE", 0, "The snapshot that is written; -: to standard output", 1},
    {"how", OPTION_HOW, "union|intersect|subtract", 0,
     "Keys that any FILE has (default); that all have; that the first has and no other one", 1},
    {"mode", OPTION_MODE, "add|min|max|keep|assign", 0,
     "The value of a key that several FILEs have: the sum (default; of sets: keep), the smallest, the largest, the first one's, "
     "the "
     "last one's",
     1},
    {"zstd", OPTION_ZSTD, "N", 0, "Compress the blocks of the output with Zstandard's level N, 1 to 19 (default: they are not)", 1},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_child children[] = {{&load_argp, 0, NULL, 0}, {NULL, 0, NULL, 0}};

static const char doc[] =
    "Merges snapshots whose keys and values have the same types into one.\v"
    "One FILE with its --changes becomes one snapshot.  Sums of counts stop at the largest value of their width.  The output has "
    "the engine, options and bounds of the first FILE unless options say otherwise.  One FILE may be -, standard input.  Exit: 0; "
    "1 if the work failed; 2 for wrong options; 3 if --salvage left something out.";

static const struct {
    const char *name;
    roost_mode mode;
} modes[] = {{"add", ROOST_ADD}, {"min", ROOST_MIN}, {"max", ROOST_MAX}, {"keep", ROOST_KEEP}, {"assign", ROOST_ASSIGN}};

static void take_mode(struct merge *merge, const char *text)
{
    merge->mode_given = true;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(text, modes[i].name) != 0) continue;
        merge->mode = modes[i].mode;
        return;
    }
    *merge->load.result = command_misused("--mode is add, min, max, keep or assign, not '%s'", text);
}

static void take_how(struct merge *merge, const char *text)
{
    static const char *const names[] = {[JOIN_UNION] = "union", [JOIN_INTERSECT] = "intersect", [JOIN_SUBTRACT] = "subtract"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        merge->how = (enum join_how)i;
        return;
    }
    *merge->load.result = command_misused("--how is union, intersect or subtract, not '%s'", text);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct merge *merge = (struct merge *)state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &merge->load; break;
    case OPTION_OUTPUT: merge->output.name = argument; break;
    case OPTION_MODE: take_mode(merge, argument); break;
    case OPTION_HOW: take_how(merge, argument); break;
    case OPTION_ZSTD: merge->output.zstd = (int)argument_take(merge->load.result, "zstd", argument, 1, SNAPSHOT_ZSTD_MOST); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return load_options_judge(&merge->load);
}

const struct argp merge_argp = {option_list, parse_option, "FILE [FILE...]", doc, children, NULL, NULL};

static int settle(const struct merge *merge)
{
    size_t inputs = 0;
    if (merge->load.files_n < (merge->load.changes_n > 0 ? 1 : 2))
        return command_misused("merge takes two snapshots or more, or one with --changes, not %zu", merge->load.files_n);
    if (merge->output.name == NULL) return command_misused("no --output given");
    if (merge->how == JOIN_SUBTRACT && merge->mode_given)
        return command_misused("--mode and --how subtract exclude each other: values are the first snapshot's");
    for (size_t i = 0; i < merge->load.files_n; i++) inputs += strcmp(merge->load.files[i], "-") == 0;
    if (inputs > 1) return command_misused("one of the snapshots may be standard input, not two");
    return snapshot_output_check(&merge->output, "output");
}

/* ---- The work -------------------------------------------------------------------------------- */

/* What was left out of any of them is left out of the output. */
static void count_lost(struct merge *merge)
{
    merge->into.loaded.blocks_lost += merge->from.loaded.blocks_lost;
    merge->into.loaded.pairs_lost += merge->from.loaded.pairs_lost;
}

static int take_first(struct merge *merge)
{
    const int result = loaded_table_load(&merge->into, merge->load.files[0], &merge->load, NULL);
    if (result != 0) return result;
    if (merge->load.files_n > 1 && (merge->into.info.flags & (ROOST_MULTI | ROOST_NUMBERED)))
        return command_fail("%s: a multimap, or a table that gives numbers, is not merged", merge->into.path);
    if (merge->into.info.value_type == ROOST_TYPE_NONE && !merge->mode_given) merge->mode = ROOST_KEEP;
    return 0;
}

static int take_others(struct merge *merge)
{
    int result = 0;
    for (size_t i = 1; i < merge->load.files_n && result == 0; i++) {
        result = loaded_table_load(&merge->from, merge->load.files[i], &merge->load, &merge->into);
        if (result == 0) result = table_join(&merge->into, &merge->from, merge->how, merge->mode);
        count_lost(merge);
        loaded_table_release(&merge->from);
    }
    return result;
}

static void report(const struct merge *merge, FILE *to)
{
    if (merge->load.quiet) return;
    fprintf(to, "pairs         %" PRIu64 "\nblocks        %" PRIu64 "\nbytes         %" PRIu64 "\n", merge->output.saved.pairs,
            merge->output.saved.blocks, merge->output.saved.bytes);
}

static int run(struct merge *merge)
{
    FILE *const to = outfile_is_stdout(merge->output.name) ? stderr : stdout;
    int result = snapshot_output_open(&merge->output);
    if (result == 0) result = take_first(merge);
    if (result == 0) result = take_others(merge);
    if (result == 0) result = snapshot_output_write(&merge->output, merge->into.table, merge->into.info.note);
    if (result == 0) result = outfile_commit(&merge->output.file);
    if (result == 0) report(merge, to);
    return loaded_table_end(&merge->into, result);
}

int merge_main(int argc, char **argv)
{
    struct merge *const merge = (struct merge *)calloc(1, sizeof *merge);
    if (merge == NULL) return command_fail("out of memory");
    merge->mode = ROOST_ADD;
    int result = load_options_parse(&merge->load, &merge_argp, merge, argc, argv);
    if (result == 0 && !merge->load.help) {
        result = settle(merge);
        if (result == 0) result = run(merge);
    }
    outfile_discard(&merge->output.file);
    loaded_table_release(&merge->into);
    loaded_table_release(&merge->from);
    load_options_release(&merge->load);
    free(merge);
    return result;
}
