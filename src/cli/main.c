/* The command `roost`: finds the subcommand and runs it. */
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "build_commit.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/count_options.h"
#include "cli/group_options.h"
#include "cli/info.h"
#include "cli/join_options.h"
#include "cli/ranks.h"
#include "cli/replay_options.h"
#include "cli/snapshot_commands.h"
#include "cli/tune_options.h"
#include "roost/roost.h"

static const struct subcommand subcommands[] = {
    {"count", "roost count", "count how often each key of files occurs", count_main, &count_argp},
    {"query", "roost query", "print the values of keys in a snapshot", query_main, &query_argp},
    {"merge", "roost merge", "unite, intersect or subtract snapshots", merge_main, &merge_argp},
    {"dump", "roost dump", "write all pairs of a snapshot as text", dump_main, &dump_argp},
    {"group", "roost group", "group the rows of tables by columns: counts, sums, extremes, means", group_main, &group_argp},
    {"join", "roost join", "join the rows of two tables", join_main, &join_argp},
    {"replay", "roost replay", "run batches of inserts, finds and erases of a file's keys on a table", replay_main, &replay_argp},
    {"tune", "roost tune", "search an engine's parameters on this machine, and keep the best for later tables", tune_main,
     &tune_argp},
    {"info", "roost info", "what this build and this machine can do, or what a snapshot says", info_main, &info_argp},
};
#define SUBCOMMANDS (sizeof subcommands / sizeof subcommands[0])

static const struct subcommand *find_subcommand(const char *name)
{
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(name, subcommands[i].name) == 0) return &subcommands[i];
    return NULL;
}

static int run_subcommand(const struct subcommand *subcommand, int argc, char **argv)
{
    command_set_name(subcommand->full_name);
    return subcommand->run(argc, argv);
}

/* `roost help` and `roost help SUBCOMMAND`. */
static int help(int argc, char **argv)
{
    if (argc > 1) {
        const struct subcommand *subcommand = find_subcommand(argv[1]);
        if (subcommand == NULL) return command_misused("'%s' is not a subcommand", argv[1]);
        char option[] = "--help";
        char *arguments[] = {argv[1], option, NULL};
        return run_subcommand(subcommand, 2, arguments);
    }
    printf("Usage: roost SUBCOMMAND [OPTION...]\n"
           "Hash tables on GPUs and CPUs.\n\n");
    for (size_t i = 0; i < SUBCOMMANDS; i++) printf("  %-8s %s\n", subcommands[i].name, subcommands[i].summary);
    printf("  %-8s this text, or that of a subcommand: roost help count\n"
           "  completion SHELL   print a script that completes the command, for bash, zsh or fish\n\n"
           "  --version, -V  print the version, the commit, and what the build has\n",
           "help");
    return 0;
}

/* The widest of the build's instruction sets that this processor has. */
static const char *instruction_set(void)
{
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    if (avx2 && __builtin_cpu_supports("avx512bw") && strstr(ROOST_BUILT_ISAS, "avx512") != NULL) return "avx512";
    return avx2 && strstr(ROOST_BUILT_ISAS, "avx2") != NULL ? "avx2" : "base";
}

static void print_version(void)
{
    printf("roost %s\ncommit           %s\nCUDA             %s\ninstruction set  %s, of %s\n", roost_version_string(), BUILD_COMMIT,
           ROOST_BUILT_CUDA, instruction_set(), ROOST_BUILT_ISAS);
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        return command_misused(
            "no subcommand given: count, query, merge, dump, group, join, replay, tune, info, completion or help");
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        print_version();
        return 0;
    }
    if (strcmp(argv[1], "completion") == 0) {
        if (argc != 3) return command_misused("completion needs a shell: bash, zsh or fish");
        return completion_print(argv[2], subcommands, SUBCOMMANDS);
    }
    const struct subcommand *subcommand = find_subcommand(argv[1]);
    if (subcommand == NULL) return command_misused("'%s' is not a subcommand", argv[1]);
    const int begun = ranks_begin();
    if (begun != 0) return begun;
    if (ranks_get()->ranks > 1 && subcommand->run != count_main && subcommand->run != replay_main)
        return command_misused("%s runs in one process; `roost count` and `roost replay` may have several", subcommand->full_name);
    return run_subcommand(subcommand, argc - 1, argv + 1);
}

/* glibc maps 64 MB for a thread's first allocation, and unmaps what it cannot use.  Under a limit
 * of address space the other threads are refused memory meanwhile.  So they share one arena. */
static void share_arena(void)
{
#ifdef M_ARENA_MAX
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) (void)mallopt(M_ARENA_MAX, 1);
#endif
}

int main(int argc, char **argv)
{
    share_arena();
    int result = run(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == 0) result = command_fail("cannot write to standard output");
    return ranks_end(result);
}
