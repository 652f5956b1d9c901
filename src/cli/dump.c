/* `roost dump`: writes all pairs of a snapshot as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/list_options.h"
#include "cli/loaded_table.h"
#include "cli/snapshot_commands.h"

struct dump {
    struct load_options load;
    struct list_options list_to;
    bool sort;
    bool bounded; /* --min or --max was given */
    uint64_t least, most;
    struct loaded_table from;
    struct key_meaning keys;
    struct outfile file;
};

enum { OPTION_SORT = 256, OPTION_MIN, OPTION_MAX };

static const struct argp_option option_list[] = {
    {"sort", OPTION_SORT, NULL, 0, "By rising key, which takes more time and memory (default: in no order)", 1},
    {"min", OPTION_MIN, "N", 0, "Only keys whose value is N or more: a count, or another number without sign", 1},
    {"max", OPTION_MAX, "N", 0, "Only keys whose value is N or less", 1},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_child children[] = {{&load_argp, 0, NULL, 0}, {&list_argp, 0, NULL, 0}, {NULL, 0, NULL, 0}};

static const char doc[] =
    "Writes all pairs of the snapshot FILE as text: each key and its value.\v"
    "Keys are spelled as `roost count` lists them, and a dump with --sort is its --output.  A FILE of - is standard input.  "
    "Exit: 0; 1 if the work failed; 2 for wrong options; 3 if --salvage left something out.";

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct dump *dump = (struct dump *)state->input;
    int *const result = dump->load.result;
    switch (key) {
    case ARGP_KEY_INIT:
        dump->list_to.result = dump->load.result;
        state->child_inputs[0] = &dump->load;
        state->child_inputs[1] = &dump->list_to;
        break;
    case OPTION_SORT: dump->sort = true; break;
    case OPTION_MIN: dump->least = argument_take(result, "min", argument, 0, UINT64_MAX), dump->bounded = true; break;
    case OPTION_MAX: dump->most = argument_take(result, "max", argument, 0, UINT64_MAX), dump->bounded = true; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return load_options_judge(&dump->load);
}

const struct argp dump_argp = {option_list, parse_option, "FILE", doc, children, NULL, NULL};

static int settle(struct dump *dump)
{
    if (dump->load.files_n != 1) return command_misused("dump takes one snapshot, not %zu", dump->load.files_n);
    list_options_settle(&dump->list_to);
    return 0;
}

/* ---- The work -------------------------------------------------------------------------------- */

/* Can the list have what the snapshot has? */
static int check(const struct dump *dump)
{
    char words[TYPE_WORDS];
    const roost_snapshot_info *const info = &dump->from.info;
    const char *const path = dump->from.path;
    if (dump->list_to.format == LIST_FASTA && dump->keys.form.kmer == 0)
        return command_fail("%s: FASTA lists k-mers, and its keys are none", path);
    const bool number = info->value_type == ROOST_TYPE_U32 || info->value_type == ROOST_TYPE_U64;
    if (dump->bounded && !number)
        return command_fail("%s: --min and --max are for numbers without sign, and its values are %s", path,
                            loaded_type_words(info->value_type, info->value_bytes, words));
    if (dump->sort && info->value_type == ROOST_TYPE_BYTES)
        return command_fail("%s: --sort is for values that are numbers, and its values are %s", path,
                            loaded_type_words(info->value_type, info->value_bytes, words));
    return 0;
}

static struct count_list list_of(struct dump *dump)
{
    const roost_snapshot_info *const info = &dump->from.info;
    const struct count_list list = {&dump->file,
                                    dump->list_to.format,
                                    dump->keys.form,
                                    {info->value_type, info->value_bytes, dump->keys.counted ? "count" : "value"},
                                    dump->least,
                                    dump->most,
                                    0};
    return list;
}

static int write_sorted(struct dump *dump, const struct count_list *list)
{
    struct harvest harvest;
    const bool number = value_is_unsigned(list->value);
    const struct harvest_wish wish = {
        dump->keys.kind, list->value.bytes, 0, false, true, number ? dump->least : 0, number ? dump->most : UINT64_MAX, false};
    int result = harvest_table(&harvest, dump->from.table, &wish);
    if (result == 0) result = count_list_harvest(list, &harvest);
    harvest_release(&harvest);
    return result;
}

static int run(struct dump *dump)
{
    int result = outfile_open(&dump->file, dump->list_to.output);
    if (result == 0) result = loaded_table_load(&dump->from, dump->load.files[0], &dump->load, NULL);
    if (result == 0) result = loaded_table_keys(&dump->from, &dump->keys);
    if (result == 0) result = check(dump);
    if (result != 0) return result;
    const struct count_list list = list_of(dump);
    result = dump->sort ? write_sorted(dump, &list) : count_list_table(&list, dump->from.table, dump->keys.kind);
    if (result == 0) result = outfile_finish(&dump->file);
    if (result == 0) result = outfile_commit(&dump->file);
    return loaded_table_end(&dump->from, result);
}

int dump_main(int argc, char **argv)
{
    struct dump *const dump = (struct dump *)calloc(1, sizeof *dump);
    if (dump == NULL) return command_fail("out of memory");
    dump->most = UINT64_MAX;
    int result = load_options_parse(&dump->load, &dump_argp, dump, argc, argv);
    if (result == 0 && !dump->load.help) {
        result = settle(dump);
        if (result == 0) result = run(dump);
    }
    outfile_discard(&dump->file);
    loaded_table_release(&dump->from);
    load_options_release(&dump->load);
    free(dump);
    return result;
}
