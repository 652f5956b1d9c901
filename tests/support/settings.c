/* A test program's settings, from the environment and the command line. */
#include "support/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct settings settings = {.device = "host", .seed = 1, .sample = 1, .ranks = 1};

static void usage(const char *program, const char *wrong)
{
    fprintf(stderr, "%s: %s\nusage: %s [--device NAME] [--only PATTERN]\n", program, wrong, program);
    exit(2);
}

static uint64_t read_number(const char *program, const char *text, const char *wrong)
{
    char *end;
    const uint64_t number = strtoull(text, &end, 0);
    if (end == text || *end) usage(program, wrong);
    return number;
}

static uint64_t read_seed(const char *program, const char *text)
{
    if (!strcmp(text, "random")) return (uint64_t)time(NULL);
    return read_number(program, text, "ROOST_TEST_SEED is neither a number nor \"random\"");
}

/* Reads N or N/K. */
static void read_sample(const char *program, const char *text)
{
    static const char wrong[] = "ROOST_TEST_SAMPLE is neither a number nor N/K";
    char number[24];
    const char *slash = strchr(text, '/');
    snprintf(number, sizeof number, "%.*s", slash ? (int)(slash - text) : 20, text);
    settings.sample = read_number(program, number, wrong);
    if (slash) settings.sample_part = read_number(program, slash + 1, wrong);
    if (settings.sample) settings.sample_part %= settings.sample;
}

static const char *from_environment(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

/* Tables of several ranks: as many devices as ranks, all of them the same. */
static void read_ranks(const char *program, const char *text)
{
    enum { MOST = 16, NAME = 16 };
    static char devices[NAME * MOST];
    settings.ranks = read_number(program, text, "ROOST_TEST_RANKS is no number");
    if (settings.ranks < 1 || settings.ranks > MOST) usage(program, "ROOST_TEST_RANKS is not 1 to 16");
    if (settings.ranks == 1) return;
    if (strlen(settings.device) + 2 > NAME) usage(program, "ROOST_TEST_RANKS needs one device");
    for (uint64_t r = 0; r < settings.ranks; r++) strcat(strcat(devices, r ? "," : ""), settings.device);
    settings.device = devices;
}

void settings_read(int argc, char **argv)
{
    /* The user's own profiles must not affect the tests. */
    setenv("ROOST_PROFILES", "none", 1);
    settings.device = from_environment("ROOST_TEST_DEVICE", "host");
    settings.engine = from_environment("ROOST_TEST_ENGINE", NULL);
    settings.seed = read_seed(argv[0], from_environment("ROOST_TEST_SEED", "1"));
    read_sample(argv[0], from_environment("ROOST_TEST_SAMPLE", "1"));
    settings.is_short = strcmp(from_environment("ROOST_TEST_SHORT", "0"), "0") != 0;
    settings.is_long = strcmp(from_environment("ROOST_TEST_LONG", "0"), "0") != 0;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) usage(argv[0], "an option without its value");
        if (!strcmp(argv[i], "--device")) settings.device = argv[i + 1];
        else if (!strcmp(argv[i], "--only")) settings.only = argv[i + 1];
        else usage(argv[0], "an unknown option");
    }
    read_ranks(argv[0], from_environment("ROOST_TEST_RANKS", "1"));
}

const struct settings *settings_get(void) { return &settings; }

void settings_stay_on_host(void) { settings.device = "host"; }

bool settings_on_gpu(void) { return !strncmp(settings.device, "cuda", 4); }

bool settings_on_dycuckoo(void) { return !settings.engine || !strcmp(settings.engine, "dycuckoo"); }

bool settings_on_compact(void) { return settings.engine && !strcmp(settings.engine, "compact"); }
bool settings_on_fks(void) { return settings.engine && !strcmp(settings.engine, "fks"); }
bool settings_on_gph(void) { return settings.engine && !strcmp(settings.engine, "gph"); }

bool settings_on_slab(void) { return settings.engine && !strcmp(settings.engine, "slab"); }

bool settings_on_stadium(void) { return settings.engine && !strcmp(settings.engine, "stadium"); }

bool settings_sanitized(void) { return *from_environment("ROOST_SANITIZE", "") != 0; }

bool settings_tuned(void)
{
#if ROOST_TUNE
    return true;
#else
    return false;
#endif
}

size_t settings_size(size_t full, size_t brief) { return settings.is_short ? brief : full; }

size_t settings_effort(size_t whole, size_t full, size_t brief) { return settings.is_long ? whole : settings_size(full, brief); }

size_t settings_rounds(size_t many, size_t few) { return settings_on_gpu() ? few : many; }

size_t settings_launches(size_t many, size_t few) { return settings.is_short ? settings_rounds(many, few) : many; }
