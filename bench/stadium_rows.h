/* What the files with rows of engine stadium share. */
#ifndef ROOST_BENCH_STADIUM_ROWS_H
#define ROOST_BENCH_STADIUM_ROWS_H

#include "session.h"

/* The case of a stadium table at a load factor. */
struct table_case stadium_case(const struct place *p, const char *group, double load, const char *options);

/* stadium_measure measures a table and sets its limits; stadium_report reports its rows. */
struct table_rows stadium_measure(const struct place *p, struct arrays *a, const struct table_case *c);
void stadium_report(const struct place *p, const char *group, struct table_rows *rows);

/* Does both if the table's rows are selected. */
void stadium_table(const struct place *p, struct arrays *a, const struct table_case *c);

/* Describes a row's table in its note; memory_limit: of its device memory, 0: none. */
void stadium_describe(struct row *row, uint64_t memory_limit);

/* Set the limit of a measured row; hits: the share of hits of finds. */
void stadium_limit_insert(const struct place *p, struct row *row);
void stadium_limit_find(const struct place *p, struct row *row, double hits);

/* Pairs of other keys that the lookup of an absent key reads, because tickets by chance have its
 * info. Poisson's law gives the expected filling of the groups. */
double stadium_expected_reads(const struct numbers *stats, const char *options);

#endif
