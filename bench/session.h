/* What rows of tables are measured with: a table, calls timed by both clocks, and the
 * verification of answers. */
#ifndef ROOST_BENCH_SESSION_H
#define ROOST_BENCH_SESSION_H

#include "bench.h"

/* A table under measurement. */
struct session {
    const struct table_case *c;
    struct arrays *a;
    roost_table *table;
    roost_call call;
};

enum verb { VERB_INSERT, VERB_FIND, VERB_ERASE };

/* Both clocks of a timed region. */
struct times {
    double start, seconds, device_seconds;
};

/* The configuration of a sized table with room for the workload's keys. */
roost_config table_config(const struct table_case *c, struct workload w);

/* Creates the table; on failure the row says why. */
bool session_open(struct session *s, const struct table_case *c, struct arrays *a, const roost_config *config, struct row *row);
void session_close(struct session *s);
struct numbers session_stats(const struct session *s);

/* Copies the table's current numbers to the row. */
void row_describe(struct row *row, const struct session *s);

/* Describes how finds ran: for partitioned finds the note says how long the partition and the
 * way back took. */
void row_describe_path(struct row *row);
/* The same for `calls` writes: the time that the partition and the way back took of each. */
void row_describe_write(struct row *row, double route_seconds, uint64_t calls);

roost_status session_do(struct session *s, enum verb verb, const void *keys, const void *values, uint64_t n);
/* Inserts keys first .. first + n - 1 of the workload. */
roost_status session_insert_range(struct session *s, uint64_t first, uint64_t n);
/* The number of keys in one of `parts` equal parts of the workload; the last part also has the
 * remainder. */
uint64_t workload_part(struct workload w, uint64_t part, uint64_t parts);
/* Inserts or erases one part. */
roost_status session_do_part(struct session *s, enum verb verb, uint64_t part, uint64_t parts);
struct times times_start(const struct machine *m);
/* For inserts of n keys: starts when the system has memory ready for them. */
struct times times_start_insert(const struct session *s, uint64_t n);

/* Ends a timed region: a write is done when the table's sync returns, everything when the stream
 * is idle. */
roost_status session_finish(struct session *s, enum verb verb, struct times *t);

/* True unless the call failed; then the row says so. */
bool session_good(const struct session *s, roost_status status, struct row *row);

/* Times one call; the row gets both clocks. row NULL: a warm-up. */
bool session_time(struct session *s, enum verb verb, const void *keys, const void *values, uint64_t n, struct row *failed,
                  struct row *row);

void session_poison(struct session *s, uint64_t n);

/* Inserts all keys in one batch. */
bool session_measure_insert(struct session *s, struct row *row);

/* Finds, alternating between the query arrays; hit_percent counts keys that were once stored. */
bool session_measure_find(struct session *s, int hit_percent, bool half_erased, struct row *row);

/* Adds the number of wrong answers to the last find to the row. */
void session_verify(struct session *s, const void *queries, uint64_t n, bool half_erased, struct row *row);

/* Looks up all keys of the workload, untimed; verifies the answers and the table's count. */
bool session_verify_all(struct session *s, bool half_erased, struct row *row);

/* Compares the table's count with the expected one. */
void session_verify_count(const struct session *s, uint64_t expected, struct row *row);

#endif
