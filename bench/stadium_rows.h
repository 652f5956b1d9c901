/* What the files of engine stadium's rows share. */
#ifndef ROOST_BENCH_STADIUM_ROWS_H
#define ROOST_BENCH_STADIUM_ROWS_H

#include "session.h"

/* The case of a table of these rows' engine at a load factor. */
struct table_case stadium_case(const struct place *p, const char *group, double load, const char *options);

/* Measures a table and holds it against its limits; and reports its rows. */
struct table_rows stadium_measure(const struct place *p, struct arrays *a, const struct table_case *c);
void stadium_report(const struct place *p, const char *group, struct table_rows *rows);

/* Both, of a table whose rows are asked for. */
void stadium_table(const struct place *p, struct arrays *a, const struct table_case *c);

/* What a row's table is made of; memory_limit: of its device memory, 0: none. */
void stadium_describe(struct row *row, uint64_t memory_limit);

/* Holds one row that has been measured against the limit of its kind: of finds, the share of hits. */
void stadium_limit_insert(const struct place *p, struct row *row);
void stadium_limit_find(const struct place *p, struct row *row, double hits);

/* Pairs of other keys that a lookup of an absent key reads, as tickets by chance have its info: what Poisson's law expects of the groups. */
double stadium_expected_reads(const struct numbers *stats, const char *options);

#endif
