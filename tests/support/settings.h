/* What the environment and the command line ask of a test program. */
#ifndef ROOST_TESTS_SETTINGS_H
#define ROOST_TESTS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct settings {
    const char *device; /* ROOST_TEST_DEVICE or --device; default "host" */
    const char *engine; /* ROOST_TEST_ENGINE; NULL: the library chooses */
    const char *only;   /* --only PATTERN: run the cases that match (* and ? allowed) */
    uint64_t seed;      /* ROOST_TEST_SEED: a number, or "random" for a fresh one; default 1 */
    uint64_t sample;    /* ROOST_TEST_SAMPLE=N: one in N variants of a behaviour, drawn by the seed; default 1: all */
    bool is_short;      /* ROOST_TEST_SHORT=1: smaller sizes, for sanitizers */
    bool is_long;       /* ROOST_TEST_LONG=1: as much as a proof asks for, in minutes or hours */
};

/* Reads the environment and the arguments; prints what is wrong with them and exits with 2. */
void settings_read(int argc, char **argv);

const struct settings *settings_get(void);

/* Sets aside the device that was asked for. */
void settings_stay_on_host(void);

/* True if the tables of this run live on a GPU. */
bool settings_on_gpu(void);

/* True if this run tests dycuckoo, so that its options can be given. */
bool settings_on_dycuckoo(void);

/* The same for slab. */
bool settings_on_slab(void);
bool settings_on_stadium(void);
/* In a build with a sanitizer, which makes full tables and many shapes take minutes. */
bool settings_sanitized(void);
/* In a build with ROOST_TUNE, which has kernels for comparisons that others refuse. */
bool settings_tuned(void);
bool settings_on_fks(void);
bool settings_on_gph(void);

/* The size of a test: `full`, or `brief` in a short run. */
size_t settings_size(size_t full, size_t brief);

/* The same, and `whole` in a long run. */
size_t settings_effort(size_t whole, size_t full, size_t brief);

/* How often a test repeats something: `many` times, on a GPU `few`.  There a call takes as long for ten items as for ten thousand, and the
 * items are beside each other without being made to. */
size_t settings_rounds(size_t many, size_t few);

/* The same, but `few` in a short run on a GPU: one under compute-sanitizer, where each launch takes ten milliseconds. */
size_t settings_launches(size_t many, size_t few);

#endif
