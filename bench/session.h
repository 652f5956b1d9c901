/* What all rows of tables are measured with: a table, its timed calls by both clocks, the verification of its answers. */
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

/* Makes the table, or says in the row why not. */
bool session_open(struct session *s, const struct table_case *c, struct arrays *a, const roost_config *config, struct row *row);
void session_close(struct session *s);
struct numbers session_stats(const struct session *s);

/* The table's numbers, as they are now. */
void row_describe(struct row *row, const struct session *s);

/* Which way finds went: the note of those that were partitioned before says how long that took, and the way back. */
void row_describe_path(struct row *row);
/* And writes, of so many calls: how long the partition and the way back took of each. */
void row_describe_write(struct row *row, double route_seconds, uint64_t calls);

roost_status session_do(struct session *s, enum verb verb, const void *keys, const void *values, uint64_t n);
/* Inserts keys first .. first + n - 1 of the workload. */
roost_status session_insert_range(struct session *s, uint64_t first, uint64_t n);
/* How many keys one of so many equal parts of the workload has; the last one has what is left over, too. */
uint64_t workload_part(struct workload w, uint64_t part, uint64_t parts);
/* Inserts it. */
roost_status session_insert_part(struct session *s, uint64_t part, uint64_t parts);
struct times times_start(const struct machine *m);
/* For inserts of n keys: when the system has memory for them at hand. */
struct times times_start_insert(const struct session *s, uint64_t n);

/* Ends a timed region: a write is done when the table's sync returns, and everything when the stream is idle. */
roost_status session_finish(struct session *s, enum verb verb, struct times *t);

/* Says in the row that a call failed, if it did. */
bool session_good(const struct session *s, roost_status status, struct row *row);

/* Times one call; the row gets both clocks (NULL: a warm-up). */
bool session_time(struct session *s, enum verb verb, const void *keys, const void *values, uint64_t n, struct row *failed,
                  struct row *row);

void session_poison(struct session *s, uint64_t n);

/* Insertion of all keys, in one batch. */
bool session_measure_insert(struct session *s, struct row *row);

/* Finds over both query arrays in turn; hit_percent counts keys that were once stored. */
bool session_measure_find(struct session *s, int hit_percent, bool half_erased, struct row *row);

/* Counts the answers to the last find that are wrong into the row. */
void session_verify(struct session *s, const void *queries, uint64_t n, bool half_erased, struct row *row);

/* Looks all keys of the workload up, untimed, and verifies the answers and the table's count. */
bool session_verify_all(struct session *s, bool half_erased, struct row *row);

/* Holds the table's count against what it must be. */
void session_verify_count(const struct session *s, uint64_t expected, struct row *row);

#endif
