/* A process saves a table over one file again and again, whole or by changes, and is killed at
 * random moments.  After each kill the files have exactly the pairs of a generation: the last one
 * whose save had returned, or the one that was being saved.
 * usage: snapshot_kills KILLS SEED FOLDER
 * exit status: 0: all loaded; 1: one did not; 2: wrong arguments, or the system refused it */
#define _GNU_SOURCE 1
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "roost/snapshot.h"
#include "support/dice.h"

enum {
    KEYS = 20000,
    TURNS = 20,     /* a generation writes one key in 20 */
    SERIES = 5,     /* saves of changes after a whole one, and this one, at most */
    MOST_WAIT = 40, /* milliseconds from the first save to the kill */
    PATH_BYTES = 600
};

/* Shared by the process that saves and the one that kills it. */
struct progress {
    uint64_t begun, saved; /* generations */
};

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("snapshot_kills: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static void path_of(char path[PATH_BYTES], const char *folder, int changes)
{
    if (changes) snprintf(path, PATH_BYTES, "%s/table.roost.%d", folder, changes);
    else snprintf(path, PATH_BYTES, "%s/table.roost", folder);
}

/* ---- Generations ----------------------------------------------------------------------------- */

/* The last generation up to this one that wrote the key. */
static uint64_t value_of(uint64_t key, uint64_t generation)
{
    const uint64_t turns = (generation + TURNS - key % TURNS) % TURNS;
    return generation < turns ? 0 : generation - turns;
}

/* Besides these keys a generation has one of its own. */
static uint64_t own_key(uint64_t generation) { return (UINT64_C(1) << 40) + generation; }

/* Writes the keys of this generation; all: every key. */
static roost_status generation_write(roost_table *table, uint64_t generation, int all)
{
    static uint64_t keys[KEYS + 1], values[KEYS + 1];
    const uint64_t last = own_key(generation - 1);
    size_t n = 0;
    for (uint64_t key = 0; key < KEYS; key++) {
        if (!all && key % TURNS != generation % TURNS) continue;
        keys[n] = key;
        values[n++] = value_of(key, generation);
    }
    keys[n] = own_key(generation);
    values[n++] = generation;
    const roost_status status = roost_insert(table, ROOST_ASSIGN, keys, values, n, NULL);
    return status ? status : roost_erase(table, &last, 1, NULL);
}

/* The table's generation, or 0 if its pairs are not those of one. */
static uint64_t generation_read(roost_table *table)
{
    static uint64_t keys[2 * KEYS], values[2 * KEYS];
    roost_cursor cursor = {0, 0};
    uint64_t generation = 0, n = 0, wrong = 0;
    while (!cursor.end) {
        size_t more;
        if (n > KEYS || roost_export(table, &cursor, keys + n, values + n, 2 * KEYS - n, &more, NULL)) return 0;
        n += more;
    }
    for (uint64_t i = 0; i < n; i++)
        if (keys[i] >= KEYS) generation = values[i];
    for (uint64_t i = 0; i < n; i++)
        wrong += keys[i] < KEYS ? values[i] != value_of(keys[i], generation) : keys[i] != own_key(generation);
    return n == KEYS + 1 && !wrong && !roost_table_check(table) ? generation : 0;
}

/* ---- The process that saves ------------------------------------------------------------------ */

static roost_table *table_make(void)
{
    roost_table *table;
    roost_config config = ROOST_CONFIG_INIT;
    config.device = "host";
    config.key_type = ROOST_TYPE_U64;
    config.value_type = ROOST_TYPE_U64;
    config.capacity = 2 * KEYS;
    config.threads = 1;
    config.flags = ROOST_CHANGES;
    if (roost_table_create(&table, &config)) die("%s", roost_last_error(NULL));
    return table;
}

/* Saves a generation: every SERIES-th one whole. */
static void generation_save(roost_table *table, uint64_t generation, int changes, const char *folder)
{
    char path[PATH_BYTES];
    roost_save_options options = ROOST_SAVE_OPTIONS_INIT;
    options.zstd = generation / SERIES % 2 ? 1 : 0;
    options.no_sync = generation % 3 == 0;
    path_of(path, folder, changes);
    roost_status status = (changes ? roost_save_changes : roost_save_file)(table, path, &options);
    if (status == ROOST_ERR_UNSUPPORTED && options.zstd) {
        options.zstd = 0; /* no libzstd */
        status = (changes ? roost_save_changes : roost_save_file)(table, path, &options);
    }
    if (status) die("%s: %s", path, roost_last_error(table));
}

static void save_for_ever(struct progress *progress, const char *folder)
{
    roost_table *const table = table_make();
    int changes = 0; /* a new table begins with a whole save */
    for (uint64_t generation = progress->begun + 1;; generation++) {
        if (generation_write(table, generation, !changes)) die("%s", roost_last_error(table));
        __atomic_store_n(&progress->begun, generation, __ATOMIC_SEQ_CST);
        generation_save(table, generation, changes, folder);
        __atomic_store_n(&progress->saved, generation, __ATOMIC_SEQ_CST);
        changes = (changes + 1) % SERIES;
    }
}

/* ---- The process that kills it --------------------------------------------------------------- */

static void sleep_for(uint64_t nanoseconds)
{
    const struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    nanosleep(&time, NULL);
}

/* Starts the program again: after a fork alone the library has no threads. */
static pid_t saver_start(int shared, const char *folder)
{
    char descriptor[16];
    snprintf(descriptor, sizeof descriptor, "%d", shared);
    const pid_t child = fork();
    if (child < 0) die("fork: %s", strerror(errno));
    if (child) return child;
    execl("/proc/self/exe", "snapshot_kills", "--save", descriptor, folder, (char *)NULL);
    _exit(2);
}

/* Kills the process at a random moment after it has begun to save. */
static void saver_kill(pid_t child, const struct progress *progress, struct dice *dice)
{
    int status;
    const uint64_t before = progress->begun;
    while (__atomic_load_n(&progress->begun, __ATOMIC_SEQ_CST) == before) {
        if (waitpid(child, &status, WNOHANG) == child) die("the process that saves has ended with status %d", status);
        sleep_for(100000);
    }
    sleep_for(UINT64_C(1000) * dice_below(dice, MOST_WAIT * 1000));
    kill(child, SIGKILL);
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) die("the process that saves has ended with status %d", status);
}

/* Applies the changes that follow; those of an earlier whole save are refused. */
static roost_status changes_load(roost_table *table, const char *folder)
{
    for (int changes = 1; changes < SERIES; changes++) {
        char path[PATH_BYTES];
        path_of(path, folder, changes);
        if (access(path, F_OK)) return ROOST_OK;
        const roost_status status = roost_load_changes(table, path, NULL);
        if (status == ROOST_ERR_ARGUMENT) return ROOST_OK;
        if (status) return status;
    }
    return ROOST_OK;
}

/* The generation that the files have, or 0. */
static uint64_t files_load(const char *folder)
{
    char path[PATH_BYTES];
    roost_table *table;
    uint64_t generation = 0;
    path_of(path, folder, 0);
    if (roost_load_file(&table, path, NULL, NULL)) return fprintf(stderr, "%s\n", roost_last_error(NULL)), 0;
    if (changes_load(table, folder)) fprintf(stderr, "%s\n", roost_last_error(table));
    else generation = generation_read(table);
    roost_table_destroy(table);
    return generation;
}

/* How the kills met the saves. */
struct tally {
    unsigned within, was_new, beside;
};

/* Returns 0 if the files are of a generation that they may be of. */
static int kill_once(struct progress *progress, int shared, const char *folder, struct dice *dice, struct tally *tally)
{
    char beside[PATH_BYTES + 10], path[PATH_BYTES];
    saver_kill(saver_start(shared, folder), progress, dice);
    path_of(path, folder, 0);
    snprintf(beside, sizeof beside, "%s.saving", path);
    tally->beside += !access(beside, F_OK);
    if (!progress->saved && access(path, F_OK)) return 0; /* no save has ended */
    const uint64_t generation = files_load(folder);
    tally->within += progress->begun != progress->saved;
    tally->was_new += progress->begun != progress->saved && generation == progress->begun;
    if (generation && (generation == progress->saved || generation == progress->begun)) {
        progress->saved = generation; /* the next process may be killed before it saves one */
        return 0;
    }
    fprintf(stderr, "the files are of generation %llu, and %llu was saved, %llu begun\n", (unsigned long long)generation,
            (unsigned long long)progress->saved, (unsigned long long)progress->begun);
    return 1;
}

static int kill_often(struct progress *progress, int shared, unsigned kills, uint64_t seed, const char *folder)
{
    struct dice dice = {seed};
    struct tally tally = {0, 0, 0};
    printf("seed %llu\n", (unsigned long long)seed);
    for (unsigned i = 1; i <= kills; i++) {
        if (kill_once(progress, shared, folder, &dice, &tally)) {
            fprintf(stderr, "kill %u of seed %llu: %s has what was found\n", i, (unsigned long long)seed, folder);
            return 1;
        }
        if (i % 100 == 0 || i == kills)
            printf("%u kills, %llu saves: %u kills during a save, after %u of which the new one loads; %u left a file beside\n", i,
                   (unsigned long long)progress->saved, tally.within, tally.was_new, tally.beside);
        fflush(stdout);
    }
    return 0;
}

static struct progress *progress_map(int shared)
{
    void *const at = mmap(NULL, sizeof(struct progress), PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    if (at == MAP_FAILED) die("mmap: %s", strerror(errno));
    return at;
}

int main(int argc, char **argv)
{
    if (argc != 4) die("usage: snapshot_kills KILLS SEED FOLDER");
    if (!strcmp(argv[1], "--save")) save_for_ever(progress_map(atoi(argv[2])), argv[3]);
    const int shared = memfd_create("progress", 0);
    if (shared < 0 || ftruncate(shared, sizeof(struct progress))) die("memfd: %s", strerror(errno));
    return kill_often(progress_map(shared), shared, (unsigned)strtoul(argv[1], NULL, 10), strtoull(argv[2], NULL, 10), argv[3]);
}
