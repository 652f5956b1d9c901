/* Tables of compact whose keys are numbers, for the tests of its own guarantees. */
#ifndef ROOST_TESTS_HERD_H
#define ROOST_TESTS_HERD_H

#include "support/draw.h"
#include "support/settings.h"
#include "support/tables.h"

/* A table, and the numbers of the keys that it has to hold: key `number` is distinct_key's, and has
 * the value of its number. */
struct herd {
    struct table table;
    struct dice dice;
    uint64_t *live;
    size_t n, room;
    uint64_t next; /* the first number that was never inserted */
};

/* Most reads of a hit by the slots of a bucket, right after the table was made and in a table that
 * has lost and got as many keys; more slots fill more evenly.  Measured with n from 100,000 to
 * 4,000,000 on the host: 1.20, 1.15, 1.10, 1.06 and 1.04 reads; 1.28, 1.22, 1.16, 1.10 and 1.06. */
struct herd_reads {
    uint64_t slots;
    double made, turned;
};

void herd_config(const struct variant *variant, roost_config *config);
void herd_open_with(struct herd *herd, const struct variant *variant, const roost_config *config);
void herd_open(struct herd *herd, const struct variant *variant, uint64_t capacity);
void herd_close(struct herd *herd);
/* Inserts n new keys; returns how many were refused (ROOST_ERR_FULL). */
size_t herd_try(struct herd *herd, size_t n);
void herd_insert(struct herd *herd, size_t n);
/* Erases n random keys, which are absent then. */
void herd_erase(struct herd *herd, size_t n);
/* One mixed batch, in random order: erases of n random keys, and inserts of n new ones.  Returns
 * how many of the latter were refused. */
size_t herd_mix(struct herd *herd, size_t n);
/* The table is sound, and has all keys and no others. */
struct table_numbers herd_check(const struct herd *herd);
/* Buckets that a find reads on average, of n stored keys, or of n others; 0 where a GPU's kernels
 * do not count. */
double herd_reads_of_hits(const struct herd *herd, size_t n);
double herd_reads_of_misses(const struct herd *herd, size_t n);
struct herd_reads herd_most_reads(const struct table_numbers *stats);

#endif
