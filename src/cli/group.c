/* `roost group`: groups the rows of tables by columns, and writes the aggregates of each group. */
#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/group_options.h"
#include "cli/group_report.h"
#include "cli/group_result.h"
#include "cli/group_rows.h"
#include "cli/progress.h"

struct group {
    struct group_options options;
    struct group_rows rows;
    struct group_result result;
    struct outfile output;
    struct verify_group *verify;
};

static int begin_verify(struct group *group)
{
    static const enum verify_aggregate kinds[] = {
        [WISH_COUNT] = VERIFY_COUNT, [WISH_SUM] = VERIFY_SUM,   [WISH_MIN] = VERIFY_MIN,
        [WISH_MAX] = VERIFY_MAX,     [WISH_MEAN] = VERIFY_MEAN, [WISH_DISTINCT] = VERIFY_DISTINCT};
    const struct group_options *const options = &group->options;
    struct verify_group_plan plan;
    struct verify_wish wishes[WISHES_MOST];
    struct verify_type types[ROOST_GROUP_KEYS_MOST];
    memset(&plan, 0, sizeof plan);
    for (size_t c = 0; c < options->by.n; c++) types[c] = relation_options_verify_type(&options->as[c]);
    for (size_t w = 0; w < options->wishes_n; w++) {
        const struct wish *const wish = &options->wishes[w];
        const struct column_names *const names = wish->kind == WISH_DISTINCT ? &options->texts : &options->numbers;
        wishes[w].kind = kinds[wish->kind];
        wishes[w].column = wish->kind == WISH_COUNT ? NULL : names->name[wish->column];
    }
    relation_options_verify(&options->relation, &plan.rows);
    plan.by = (const char *const *)options->by.name;
    plan.types = types;
    plan.by_n = options->by.n;
    plan.wishes = wishes;
    plan.wishes_n = options->wishes_n;
    plan.left_out = group->rows.left_out;
    return verify_group_begin(&group->verify, &plan);
}

static int write_output(struct group *group)
{
    int result = group->options.relation.verify ? begin_verify(group) : 0;
    if (result == 0) result = group_result_write(&group->result, &group->output, group->verify);
    if (result == 0 && group->verify != NULL) result = verify_group_end(group->verify);
    return result == 0 ? outfile_commit(&group->output) : result;
}

static int run(struct group *group)
{
    const struct relation_options *const relation = &group->options.relation;
    const double start = clock_seconds();
    uint64_t bytes;
    int result = relation_options_check_files(relation, &bytes);
    if (result == 0) result = outfile_open(&group->output, relation->output);
    if (result != 0) return result;
    progress_begin(bytes, relation->quiet);
    result = group_rows_read(&group->rows);
    if (result == 0) result = group_result_take(&group->result, &group->rows);
    if (result == 0) result = write_output(group);
    const struct group_report report = {&group->rows, group->result.n, clock_seconds() - start};
    return result == 0 ? group_report_print(&report) : result;
}

int group_main(int argc, char **argv)
{
    struct group *const group = (struct group *)calloc(1, sizeof *group);
    if (group == NULL) return command_fail("out of memory");
    group->rows.options = &group->options;
    int result = group_options_parse(&group->options, argc, argv);
    if (result == 0 && !group->options.relation.help) result = run(group);
    verify_group_close(group->verify);
    outfile_discard(&group->output);
    group_result_release(&group->result);
    group_rows_release(&group->rows);
    group_options_release(&group->options);
    free(group);
    return result;
}
