/* Tables as tests use them: made for a variant, called with 64-bit patterns that are laid into arrays of the table's widths
 * and placed where the variant says; for tables of strings, into strings.  Every call that carries something out is counted in the coverage. */
#ifndef ROOST_TESTS_TABLES_H
#define ROOST_TESTS_TABLES_H

#include "support/numbers.h"
#include "support/suite.h"

struct table {
    roost_table *handle;
    struct test_shape shape;
    enum placement placement;
    unsigned driver; /* see coverage.h */
};

/* What tests put into arrays before a call, so that it shows whether the call wrote there. */
#define UNTOUCHED_BYTE 0xEE

/* A configuration for the variant: device, engine, types, options, threads, a seed. */
void table_config(const struct variant *variant, roost_config *config);

/* Has this build the engine of a name? */
bool engine_is_built(const char *name);

/* Makes a table; the status is the caller's to judge. */
roost_status table_create(struct table *table, const struct variant *variant, const roost_config *config);

/* Makes a table, or fails the test; config NULL: that of table_config. */
void table_open(struct table *table, const struct variant *variant, const roost_config *config);
void table_close(struct table *table);

/* The calls.  statuses may be NULL.  With arrays on the device they wait for the table, and return what failed late too. */
roost_status table_insert(struct table *table, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n,
                          uint8_t *statuses);
/* flags: of the call. */
roost_status table_insert_flagged(struct table *table, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n,
                                  uint8_t *statuses, uint32_t flags);
roost_status table_find(const struct table *table, const uint64_t *keys, size_t n, uint64_t *values, uint8_t *found,
                        uint8_t *statuses);
roost_status table_find_flagged(const struct table *table, const uint64_t *keys, size_t n, uint64_t *values, uint8_t *found,
                                uint8_t *statuses, uint32_t flags);
roost_status table_erase(struct table *table, const uint64_t *keys, size_t n, uint8_t *statuses);

/* A mixed batch as tests hold it: patterns, and what came of each item. */
struct mixed {
    size_t n;
    uint8_t *operations;
    uint64_t *keys, *values_in;
    uint64_t *values_out; /* what a find does not write stays */
    uint8_t *statuses;
};

/* flags: of the call, such as ROOST_ORDERED. */
roost_status table_apply(struct table *table, struct mixed *mixed, uint32_t flags);

struct pairs {
    uint64_t *keys;
    uint64_t *values; /* all 0 for sets */
    size_t n;
};

/* One call of an export: adds up to `room` pairs to `pairs`, if it succeeds. */
roost_status table_export_some(const struct table *table, roost_cursor *cursor, size_t room, struct pairs *pairs);

/* All pairs of the table, exported `room` at a time. */
struct pairs table_export(const struct table *table, size_t room);
void pairs_free(struct pairs *pairs);

struct table_numbers table_stats(const struct table *table);

/* Fails the test if the library's own check finds the table corrupt. */
void table_check(const struct table *table);

/* Memory for n patterns or bytes; never NULL. */
uint64_t *make_patterns(size_t n);
/* Those with the keys from first on of distinct_key, one after the other. */
uint64_t *numbered_keys(const struct test_shape *shape, size_t first, size_t n);
uint8_t *make_bytes(size_t n);

#endif
