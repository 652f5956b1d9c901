/* Rows of a busy machine: more processes than processors, each with a table of its own on one or
 * two threads. Threads that spin while they wait would take the processors from the other
 * processes. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CROWD_KEYS = 1 << 20, CROWD_FINDS = 1 << 24, CROWD_RUNS = 5, CROWD_CALL = 1 << 13, CROWD_CALLS_MOST = 1 << 20 };

/* Processes that begin together. Each writes `ready` the number of its wrong answers, and reads a
 * byte of `go`. */
struct crowd {
    const struct options *o;
    int processes, threads;
    uint64_t items; /* of a call */
    const uint32_t *keys;
    int ready[2], go[2];
};

static roost_table *crowd_table(const struct crowd *c)
{
    roost_config config = ROOST_CONFIG_INIT;
    roost_table *table = NULL;
    config.device = "host";
    config.engine = c->o->engine;
    config.seed = c->o->seed;
    config.value_type = ROOST_TYPE_NONE;
    config.capacity = CROWD_KEYS;
    config.threads = c->threads;
    if (roost_table_create(&table, &config)) return NULL;
    return roost_insert(table, ROOST_KEEP, c->keys, NULL, CROWD_KEYS, NULL) ? NULL : table;
}

/* Finds all keys over and over, `items` in a call. Returns the number of those not found. */
static uint64_t crowd_finds(const struct crowd *c, const roost_table *table, uint8_t *found, uint64_t finds)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < finds; i += c->items) {
        memset(found, 0, c->items);
        if (roost_find(table, c->keys + i % CROWD_KEYS, c->items, NULL, found, NULL)) return finds;
        for (uint64_t k = 0; k < c->items; k++) wrong += !found[k];
    }
    return wrong;
}

/* The end of the process is the end of the work: nothing is freed. */
_Noreturn static void crowd_member(const struct crowd *c)
{
    uint8_t *found = malloc(c->items);
    const roost_table *table = crowd_table(c);
    uint64_t wrong = table && found ? crowd_finds(c, table, found, CROWD_KEYS) : CROWD_KEYS;
    char go;
    if (write(c->ready[1], &wrong, sizeof wrong) != sizeof wrong || read(c->go[0], &go, 1) != 1 || wrong) _exit(1);
    _exit(crowd_finds(c, table, found, CROWD_FINDS) != 0);
}

static double crowd_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds from the common begin to the end of the last process; adds failed ones to *failed. */
static double crowd_time(struct crowd *c, uint64_t *failed)
{
    uint64_t wrong;
    int status;
    if (pipe(c->ready) || pipe(c->go)) exit(1);
    fflush(NULL);
    for (int i = 0; i < c->processes; i++) {
        const pid_t child = fork();
        if (child < 0) exit(1);
        if (child == 0) crowd_member(c);
    }
    for (int i = 0; i < c->processes; i++)
        if (read(c->ready[0], &wrong, sizeof wrong) != sizeof wrong) exit(1);
    const double begin = crowd_now();
    for (int i = 0; i < c->processes; i++)
        if (write(c->go[1], "", 1) != 1) exit(1);
    for (int i = 0; i < c->processes; i++) *failed += wait(&status) < 0 || status != 0;
    for (int i = 0; i < 2; i++) close(c->ready[i]), close(c->go[i]);
    return crowd_now() - begin;
}

static struct row crowd_row(const struct crowd *c, int threads)
{
    char name[96];
    snprintf(name, sizeof name, "threads/%d-by-%d/finds-%llu", c->processes, threads, (unsigned long long)c->items);
    struct row row = row_make(name, UNIT_MEGA);
    row.items = (uint64_t)c->processes * CROWD_FINDS;
    return row;
}

/* The two numbers of threads by turns, since the machine's other work varies. */
static void crowd_rows(const struct options *o, const uint32_t *keys, uint64_t items)
{
    struct crowd c = {.o = o, .processes = 2 * (int)sysconf(_SC_NPROCESSORS_ONLN), .items = items, .keys = keys};
    struct row rows[] = {crowd_row(&c, 1), crowd_row(&c, 2)}, ratio = row_make("", UNIT_TIMES);
    for (int i = 0; i < CROWD_RUNS; i++) {
        for (int k = 0; k < 2; k++) {
            c.threads = k + 1;
            row_add_time(&rows[k], crowd_time(&c, &rows[k].wrong), 0);
            rows[k].verified += rows[k].items;
        }
    }
    snprintf(ratio.name, sizeof ratio.name, "%.80s/by-1", rows[1].name);
    snprintf(ratio.note, sizeof ratio.note, "time on two threads over time on one");
    if (!rows[0].wrong && !rows[1].wrong) ratio.rate = row_seconds(&rows[1]) / row_seconds(&rows[0]);
    for (int k = 0; k < 2; k++) report_row(o, rows[k]);
    report_row(o, ratio);
}

void thread_rows(const struct options *o)
{
    const struct workload w = {.seed = o->seed, .keys = CROWD_KEYS, .key_bytes = 4};
    uint32_t *keys = malloc(CROWD_KEYS * sizeof *keys);
    if (!keys) exit(1);
    for (uint64_t i = 0; i < CROWD_KEYS; i++) keys[i] = (uint32_t)workload_stored_key(w, i);
    crowd_rows(o, keys, CROWD_CALL);
    crowd_rows(o, keys, CROWD_CALLS_MOST);
    free(keys);
}
