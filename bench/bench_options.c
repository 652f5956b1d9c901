/* The benchmark's command line, and which rows it selects. */
#include "bench.h"
#include "build_commit.h"
#include "targets.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_KEYS = 256,
    OPTION_HOST_KEYS,
    OPTION_LOAD,
    OPTION_MIN_FILL,
    OPTION_MAX_FILL,
    OPTION_ONLY,
    OPTION_JSON,
    OPTION_QUICK,
    OPTION_PROFILE,
    OPTION_SEED,
    OPTION_WIDTHS,
    OPTION_SWEEP,
    OPTION_ABLATION,
    OPTION_FIGURES,
    OPTION_HOUSE,
    OPTION_COMMIT,
    OPTION_ENGINE
};

static const uint64_t quick_keys = 1000000;

/* Option strings that differ from the engine's defaults where tuning may help. */
static const char default_sweep[] = "slots=4;slots=16;slots=32;driver=lane;driver=tile;driver=cooperative;driver=vote;"
                                    "layers=1;hash=universal;weights=paper";

static const struct argp_option argp_options[] = {
    {"device", 'd', "DEVICE", 0, "Only this one: cuda:0, cuda:1 ... or host (default: a GPU where there is one, and the host)", 0},
    {"engine", OPTION_ENGINE, "NAME", 0, "The engine (default: the library's choice)", 0},
    {"keys", OPTION_KEYS, "N", 0, "Keys of a GPU table (default 100000000)", 0},
    {"host-keys", OPTION_HOST_KEYS, "N", 0, "Keys of a host table (default 32000000)", 0},
    {"load", OPTION_LOAD, "F", 0, "Load factor of the sized tables (default 0.8)", 0},
    {"min-fill", OPTION_MIN_FILL, "F", 0, "Lower bound of the fill of tables that grow (default 0.30)", 0},
    {"max-fill", OPTION_MAX_FILL, "F", 0, "Upper bound of the fill of tables that grow (default 0.85)", 0},
    {"threads", 't', "LIST", 0, "Threads of the host's rows (default 2,1)", 0},
    {"widths", OPTION_WIDTHS, "all", 0, "Also keys and values of 8+8, 8+4, 4+8, 4+0 and 8+0 bytes on the GPU", 0},
    {"sweep", OPTION_SWEEP, "LIST", OPTION_ARG_OPTIONAL, "Also these options of the engine on the GPU, separated by ';'", 0},
    {"ablation", OPTION_ABLATION, NULL, 0,
     "Also the lookups of each design with parts of it switched off, on the GPU (a build with ROOST_TUNE)", 0},
    {"figures", OPTION_FIGURES, NULL, 0,
     "Also the figures of GPH's paper (by memory, share of hits and skew, for all engines) and of Stadium's (PLACE/stadium-...)",
     0},
    {"house", OPTION_HOUSE, NULL, 0, "Also all engines on one workload, one factor varied at a time (PLACE/house/...)", 0},
    {"only", OPTION_ONLY, "PREFIX", 0, "Only rows whose name begins so, such as gpu/4+4/find or host-2; or, at all places, joins",
     0},
    {"json", OPTION_JSON, "FILE", 0, "Write everything to this file too", 0},
    {"quick", OPTION_QUICK, NULL, 0, "Small tables, to see that it runs: the rates mean nothing", 0},
    {"profile", OPTION_PROFILE, NULL, 0,
     "Each find once more, for a profiler that waits to be started; without erases and limits (bench/model)", 0},
    {"seed", OPTION_SEED, "N", 0, "Seed of keys and hash functions (default 1)", 0},
    {"commit", OPTION_COMMIT, "TEXT", 0, "The commit to name in the report (default: that of the build)", 0},
    {0},
};

static uint64_t parse_count(struct argp_state *state, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || n < least || n > most)
        argp_error(state, "'%s' is not a number from %llu to %llu", text, (unsigned long long)least, (unsigned long long)most);
    return n;
}

static double parse_load(struct argp_state *state, const char *text)
{
    char *end;
    double load = strtod(text, &end);
    if (*end || !(load > 0.0 && load <= 1.0)) argp_error(state, "'%s' is not a load factor above 0 and at most 1", text);
    return load;
}

static void parse_threads(struct argp_state *state, struct options *o, const char *text)
{
    char *list = strdup(text), *rest = list;
    o->thread_counts = 0;
    for (char *word; list && (word = strsep(&rest, ",")) != NULL;) {
        if (o->thread_counts == BENCH_MAX_THREAD_COUNTS) argp_error(state, "at most %d thread counts", BENCH_MAX_THREAD_COUNTS);
        o->threads[o->thread_counts++] = (int)parse_count(state, word, 1, ROOST_THREADS_MOST);
    }
    free(list);
}

/* A 4-byte key has 2^32 preimages. A workload of n keys with its mixed batches uses 2.5 n of
 * them. */
static const uint64_t most_keys = (uint64_t)3 << 29;

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'd': o->device = argument; break;
    case 't': parse_threads(state, o, argument); break;
    case OPTION_ENGINE: o->engine = argument; break;
    case OPTION_KEYS: o->keys = parse_count(state, argument, 1000, most_keys); break;
    case OPTION_HOST_KEYS: o->host_keys = parse_count(state, argument, 1000, most_keys); break;
    case OPTION_LOAD: o->load = parse_load(state, argument); break;
    case OPTION_MIN_FILL: o->min_fill = parse_load(state, argument); break;
    case OPTION_MAX_FILL: o->max_fill = parse_load(state, argument); break;
    case OPTION_ONLY: o->only = argument; break;
    case OPTION_JSON: o->json = argument; break;
    case OPTION_QUICK:
        o->quick = true;
        o->keys = o->host_keys = quick_keys;
        break;
    case OPTION_PROFILE: o->profile = true; break;
    case OPTION_SEED: o->seed = parse_count(state, argument, 0, UINT64_MAX); break;
    case OPTION_SWEEP: o->sweep = argument ? argument : default_sweep; break;
    case OPTION_FIGURES: o->figures = true; break;
    case OPTION_HOUSE: o->house = true; break;
    case OPTION_ABLATION: o->ablation = true; break;
    case OPTION_COMMIT: o->commit = argument; break;
    case OPTION_WIDTHS:
        if (strcmp(argument, "all") != 0) argp_error(state, "--widths knows only 'all'");
        o->all_widths = true;
        break;
    case ARGP_KEY_ARG: argp_error(state, "unexpected argument '%s'", argument); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void check_device(const struct options *o)
{
    if (!o->device || strcmp(o->device, "host") == 0 || strcmp(o->device, "cuda") == 0) return;
    if (strncmp(o->device, "cuda:", 5) == 0 && o->device[5] >= '0' && o->device[5] <= '9') return;
    fprintf(stderr, "roost-bench: no device '%s': say host, cuda or cuda:N\n", o->device);
    exit(1);
}

struct options options_parse(int argc, char **argv)
{
    const struct argp argp = {
        .options = argp_options, .parser = parse_option, .doc = "Measures Roost's tables beside the limits of this machine."};
    struct options o = {.keys = TARGET_GPU_KEYS,
                        .host_keys = TARGET_HOST_KEYS,
                        .load = TARGET_LOAD,
                        .min_fill = 0.30,
                        .max_fill = 0.85,
                        .threads = {2, 1},
                        .thread_counts = 2,
                        .commit = BUILD_COMMIT,
                        .seed = 1};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    check_device(&o);
    return o;
}

static bool begins_with(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static bool begins_alike(const char *a, const char *b) { return begins_with(a, b) || begins_with(b, a); }

/* What follows PLACE/ in a name, "" of a place itself; NULL if it begins with no place. */
static const char *behind_place(const char *name)
{
    if (!begins_with(name, "gpu") && !begins_with(name, "host")) return NULL;
    const char *slash = strchr(name, '/');
    return slash ? slash + 1 : name + strlen(name);
}

bool options_want(const struct options *o, const char *row)
{
    const char *rest = behind_place(row);
    return !o->only || begins_with(row, o->only) || (rest && begins_with(rest, o->only));
}

bool options_want_some(const struct options *o, const char *prefix)
{
    const char *rest = behind_place(prefix);
    return !o->only || begins_alike(o->only, prefix) || (rest && !behind_place(o->only) && begins_alike(o->only, rest));
}

bool options_name(const struct options *o, const char *group)
{
    const char *rest = behind_place(group);
    return o->only && (begins_with(o->only, group) || (rest && *rest && begins_with(o->only, rest)));
}
