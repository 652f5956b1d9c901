/* Rows of snapshots: a table of pairs of 8+8 bytes saved to a file and loaded from it, beside the
 * system's own writing and syncing of as many bytes, and beside the slower one of two: the system's
 * own reading of the file, and the same table built from arrays by one call.  Before it is read a
 * file's pages leave the system's memory.  The files lie in TMPDIR, else in /tmp. */
#include "bench.h"
#include "roost/snapshot.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TURNS = 5, WRITTEN = 1 << 24 /* bytes of one write */ };

static const char *const engines[] = {"dycuckoo", "slab", "gph", "stadium", "fks", "compact"};

/* Pairs in the host's memory, the answers of a find, and two files. */
struct pairs {
    const struct place *p;
    const char *engine;
    struct workload w;
    uint64_t n, *keys, *values, *answers;
    char saved[256], written[256];
    double write_seconds[TURNS], read_seconds[TURNS], build_seconds[TURNS];
};

static void pairs_release(struct pairs *s)
{
    free(s->keys);
    free(s->values);
    free(s->answers);
    unlink(s->saved);
    unlink(s->written);
}

static bool pairs_make(struct pairs *s)
{
    const char *const folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    s->keys = (uint64_t *)malloc(s->n * sizeof *s->keys);
    s->values = (uint64_t *)malloc(s->n * sizeof *s->values);
    s->answers = (uint64_t *)malloc(s->n * sizeof *s->answers);
    snprintf(s->saved, sizeof s->saved, "%.200s/roost-bench-%d.roost", folder, (int)getpid());
    snprintf(s->written, sizeof s->written, "%.200s/roost-bench-%d.bytes", folder, (int)getpid());
    for (uint64_t i = 0; s->answers && s->keys && s->values && i < s->n; i++) {
        s->keys[i] = workload_stored_key(s->w, i);
        s->values[i] = workload_value(s->w, s->keys[i]);
    }
    return s->keys && s->values && s->answers;
}

/* Writes as many bytes as the pairs have, and syncs them.  0: the system refused it. */
static double write_bytes(const struct pairs *s)
{
    const uint64_t bytes = s->n * sizeof *s->keys;
    const double begin = machine_now();
    const int file = open(s->written, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool good = file >= 0;
    for (int array = 0; array < 2; array++)
        for (uint64_t at = 0; good && at < bytes; at += WRITTEN) {
            const uint64_t left = bytes - at, n = left < WRITTEN ? left : WRITTEN;
            good = write(file, (const char *)(array ? s->values : s->keys) + at, n) == (ssize_t)n;
        }
    good = good && fsync(file) == 0;
    if (file >= 0) close(file);
    const double seconds = machine_now() - begin;
    unlink(s->written);
    return good ? seconds : 0;
}

/* The next reader gets the file from the disk. */
static void forget(const char *path)
{
    const int file = open(path, O_RDONLY);
    if (file < 0) return;
    (void)posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    close(file);
}

/* Reads the snapshot into the arrays for answers.  0: the system refused it. */
static double read_bytes(const struct pairs *s)
{
    const uint64_t room = s->n * sizeof *s->answers;
    uint64_t at = 0;
    ssize_t got = 1;
    forget(s->saved);
    const double begin = machine_now();
    const int file = open(s->saved, O_RDONLY);
    while (file >= 0 && got > 0) {
        const uint64_t n = room - at < WRITTEN ? room - at : WRITTEN;
        got = read(file, (char *)s->answers + at, n);
        at = got > 0 && at + (uint64_t)got < room ? at + (uint64_t)got : 0;
    }
    if (file >= 0) close(file);
    const double seconds = machine_now() - begin;
    return file >= 0 && got == 0 ? seconds : 0;
}

static roost_config config_of(const struct pairs *s)
{
    roost_config c = ROOST_CONFIG_INIT;
    c.engine = s->engine;
    c.device = s->p->device;
    c.threads = s->p->threads;
    c.key_type = c.value_type = ROOST_TYPE_U64;
    return c;
}

/* A table with room for the pairs, which are inserted by one timed call. */
static roost_table *build(const struct pairs *s, double *seconds, struct row *row)
{
    roost_config c = config_of(s);
    roost_table *table;
    c.capacity = s->n;
    if (roost_table_create(&table, &c)) return row_fail(row, ROW_FAILED, "%s", roost_last_error(NULL)), NULL;
    const double begin = machine_now();
    const roost_status status = roost_insert(table, ROOST_ASSIGN, s->keys, s->values, s->n, NULL);
    *seconds = machine_now() - begin;
    if (!status) return table;
    row_fail(row, ROW_FAILED, "%s", roost_last_error(table));
    roost_table_destroy(table);
    return NULL;
}

static void verify(struct pairs *s, const roost_table *table, struct row *row)
{
    memset(s->answers, BENCH_POISON, s->n * sizeof *s->answers);
    if (roost_find(table, s->keys, s->n, s->answers, NULL, NULL)) row_fail(row, ROW_FAILED, "%s", roost_last_error(table));
    for (uint64_t i = 0; i < s->n; i++) row->wrong += s->answers[i] != s->values[i];
    row->verified += s->n;
}

static void save_timed(const struct pairs *s, roost_table *table, struct row *row)
{
    const double begin = machine_now();
    if (roost_save_file(table, s->saved, NULL)) row_fail(row, ROW_FAILED, "%s", roost_last_error(table));
    row_add_time(row, machine_now() - begin, 0);
}

static void load_timed(struct pairs *s, struct row *row)
{
    const roost_config c = config_of(s);
    roost_table *table;
    forget(s->saved);
    const double begin = machine_now();
    const roost_status status = roost_load_file(&table, s->saved, &c, NULL);
    row_add_time(row, machine_now() - begin, 0);
    if (status) row_fail(row, ROW_FAILED, "%s", roost_last_error(NULL));
    if (!status) verify(s, table, row);
    roost_table_destroy(table);
}

/* One turn of each, so that a machine whose speed changes changes it for all of them. */
static bool turn(struct pairs *s, int i, struct row *save, struct row *load)
{
    roost_table *const table = build(s, &s->build_seconds[i], save);
    if (!table) return false;
    s->write_seconds[i] = write_bytes(s);
    save_timed(s, table, save);
    roost_table_destroy(table);
    if (save->state == ROW_FAILED) return false;
    s->read_seconds[i] = read_bytes(s);
    load_timed(s, load);
    return load->state != ROW_FAILED;
}

static void set_load_limit(struct pairs *s, struct row *load)
{
    const double build = median(s->build_seconds, TURNS), read = median(s->read_seconds, TURNS);
    row_set_limit(load, read > build ? "read of the file" : "one insert of all", (double)s->n / (read > build ? read : build));
}

static void engine_rows(const struct place *p, const char *engine)
{
    struct row save, load;
    char group[64];
    struct pairs s = {.p = p, .engine = engine, .w = {.keys = p->keys / 2, .key_bytes = 8, .value_bytes = 8, .seed = p->o->seed}};
    s.n = s.w.keys;
    snprintf(group, sizeof group, "%s/snapshots/%s", p->prefix, engine);
    save = place_row(p, group, "save");
    load = place_row(p, group, "load");
    if (!options_want(p->o, save.name) && !options_want(p->o, load.name)) return;
    save.items = load.items = save.distinct = load.distinct = s.n;
    bool going = pairs_make(&s);
    if (!going) row_fail(&save, ROW_FAILED, "no memory for the pairs");
    for (int i = 0; going && i < TURNS; i++) going = turn(&s, i, &save, &load);
    save.verified = load.verified, save.wrong = load.wrong; /* what was saved is what was loaded */
    if (going && s.write_seconds[0] > 0) row_set_limit(&save, "write and sync", (double)s.n / median(s.write_seconds, TURNS));
    if (going) set_load_limit(&s, &load);
    report_row(p->o, save);
    report_row(p->o, load);
    pairs_release(&s);
}

void snapshot_rows(const struct place *p)
{
    for (size_t i = 0; p->o->only && i < sizeof engines / sizeof *engines; i++)
        if (!p->o->engine || strcmp(p->o->engine, engines[i]) == 0) engine_rows(p, engines[i]);
}
