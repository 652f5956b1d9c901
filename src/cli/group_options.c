/* Parses the options of `roost group` with argp and checks that they fit together. */
#include "cli/group_options.h"

#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/input_options.h"
#include "io/io_field.h"

enum option_key { OPTION_BY = 256, OPTION_AS, OPTION_UNSORTED, OPTION_WISH };

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "Groups:", 1},
    {"by", OPTION_BY, "C[,C...]", 0,
     "The columns whose fields make a group, by name in the header or by number from 1; =NAME if a name is a number or begins "
     "with =",
     1},
    {"as", OPTION_AS, "TYPE[,TYPE...]", 0,
     "What these fields are: string (default: text as it is written), i64, i32, decimal:N, date or datetime; one type for all or "
     "one for each",
     1},
    {"count", OPTION_WISH + WISH_COUNT, NULL, 0, "The number of rows of each group", 1},
    {"sum", OPTION_WISH + WISH_SUM, "C[,C...]", 0,
     "Sums of columns: exact while all fields are integers of 64 bits, else double; the report says which", 1},
    {"min", OPTION_WISH + WISH_MIN, "C[,C...]", 0, "The smallest number", 1},
    {"max", OPTION_WISH + WISH_MAX, "C[,C...]", 0, "The largest number", 1},
    {"mean", OPTION_WISH + WISH_MEAN, "C[,C...]", 0, "The mean, as double", 1},
    {"distinct", OPTION_WISH + WISH_DISTINCT, "C[,C...]", 0, "The number of different texts that are not NULL", 1},
    {"unsorted", OPTION_UNSORTED, NULL, 0, "Groups in any order (default: by rising key, NULL first)", 1},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_child children[] = {{&relation_argp, 0, NULL, 0}, {NULL, 0, NULL, 0}};

static const char doc[] =
    "Groups the rows of the FILEs by columns, and writes the numbers of each group.\v"
    "A FILE of - is standard input.  NULL is an unquoted empty field: as a key it is a group, and sums leave it out.  Aggregates "
    "of no numbers are NULL.";

const char *wish_name(enum wish_kind kind)
{
    static const char *const names[] = {"count", "sum", "min", "max", "mean", "distinct"};
    return names[kind];
}

static int add_wish(struct group_options *options, enum wish_kind kind, int column)
{
    if (column < 0) return command_misused("more than %d columns", COLUMN_NAMES_MOST);
    if (options->wishes_n == WISHES_MOST) return command_misused("more than %d aggregates", WISHES_MOST);
    options->wishes[options->wishes_n++] = (struct wish){kind, (size_t)column};
    return 0;
}

static int take_wish(struct group_options *options, enum wish_kind kind, const char *text)
{
    struct column_names given = {.n = 0};
    struct column_names *const all = kind == WISH_DISTINCT ? &options->texts : &options->numbers;
    if (kind == WISH_COUNT) return add_wish(options, kind, 0);
    int result = column_names_add(&given, wish_name(kind), text);
    for (size_t i = 0; i < given.n && result == 0; i++) result = add_wish(options, kind, column_names_place(all, given.name[i]));
    column_names_release(&given);
    return result;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct group_options *options = (struct group_options *)state->input;
    int *result = options->relation.result;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &options->relation; break;
    case OPTION_BY: *result = column_names_add(&options->by, "by", argument); break;
    case OPTION_AS: options->as_given = argument; break;
    case OPTION_UNSORTED: options->unsorted = true; break;
    default:
        if (key < OPTION_WISH || key > OPTION_WISH + WISH_DISTINCT) return ARGP_ERR_UNKNOWN;
        *result = take_wish(options, (enum wish_kind)(key - OPTION_WISH), argument);
    }
    return relation_options_judge(&options->relation);
}

const struct argp group_argp = {option_list, parse_option, "FILE...", doc, children, NULL, NULL};

static int settle_as(struct group_options *options)
{
    struct column_names given = {.n = 0};
    for (size_t c = 0; c < options->by.n; c++) options->as[c].field = IO_FIELD_STRING;
    if (options->as_given == NULL) return 0;
    int result = column_names_add(&given, "as", options->as_given);
    if (result == 0 && given.n != 1 && given.n != options->by.n)
        result = command_misused("--as has %zu types, and --by %zu columns", given.n, options->by.n);
    for (size_t c = 0; result == 0 && c < options->by.n; c++) {
        struct io_spec *const as = &options->as[c];
        const char *const type = given.name[given.n == 1 ? 0 : c];
        const bool good = input_options_take_as(as, type) && (as->field == IO_FIELD_STRING || io_field_is_whole(as->field));
        if (!good) result = command_misused("--as is string, i64, i32, decimal:N, date or datetime, not '%s'", type);
        options->typed = options->typed || as->field != IO_FIELD_STRING;
    }
    column_names_release(&given);
    return result;
}

static int settle(struct group_options *options)
{
    const struct column_names *const by = &options->by;
    if (options->relation.files_n == 0) return command_misused("no FILE given (- is standard input)");
    if (by->n == 0) return command_misused("no --by given");
    if (by->n > ROOST_GROUP_KEYS_MOST) return command_misused("--by has more than %d columns", ROOST_GROUP_KEYS_MOST);
    if (options->unsorted && options->relation.verify)
        return command_misused("--verify compares sorted groups, not --unsorted ones");
    return settle_as(options);
}

int group_options_parse(struct group_options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    const int result = relation_options_parse(&options->relation, &group_argp, options, argc, argv);
    return result == 0 && !options->relation.help ? settle(options) : result;
}

void group_options_release(struct group_options *options)
{
    column_names_release(&options->by);
    column_names_release(&options->numbers);
    column_names_release(&options->texts);
    relation_options_release(&options->relation);
}
