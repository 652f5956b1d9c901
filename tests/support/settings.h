/* A test program's settings, from the environment and the command line. */
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
    /* ROOST_TEST_SAMPLE=N or N/K: one in N variants of a behaviour, drawn by the seed; 1 (default):
     * all.  Samples with K from 0 (default) to N - 1 differ, and together have all variants. */
    uint64_t sample, sample_part;
    uint64_t ranks; /* ROOST_TEST_RANKS: of each table, all on the device; default 1 */
    bool is_short;  /* ROOST_TEST_SHORT=1: smaller sizes, for sanitizers */
    bool is_long;   /* ROOST_TEST_LONG=1: as much as a proof needs, for minutes or hours */
};

/* Reads the environment and the arguments; on an error prints it and exits with 2. */
void settings_read(int argc, char **argv);

const struct settings *settings_get(void);

/* Ignores the requested device. */
void settings_stay_on_host(void);

/* True if the tables of this run live on a GPU. */
bool settings_on_gpu(void);

/* True if this run tests dycuckoo, whose options may then be given. */
bool settings_on_dycuckoo(void);

/* The same for slab and stadium. */
bool settings_on_slab(void);
bool settings_on_stadium(void);
/* True in a build with a sanitizer, where full tables and many shapes would take minutes. */
bool settings_sanitized(void);
/* True in a build with ROOST_TUNE, which has kernels for comparisons that other builds lack. */
bool settings_tuned(void);
bool settings_on_compact(void);
bool settings_on_fks(void);
bool settings_on_gph(void);

/* The size of a test: `full`, or `brief` in a short run. */
size_t settings_size(size_t full, size_t brief);

/* The same, but `whole` in a long run. */
size_t settings_effort(size_t whole, size_t full, size_t brief);

/* How often a test repeats something: `many` times, on a GPU `few`. On a GPU a call takes as
 * long for ten items as for ten thousand, and items run concurrently anyway. */
size_t settings_rounds(size_t many, size_t few);

/* The same, but `few` in a short run on a GPU, which is one under compute-sanitizer: there each
 * launch takes ten milliseconds. */
size_t settings_launches(size_t many, size_t few);

#endif
