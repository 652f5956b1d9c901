/* Tables as tests use them, created for a variant. Calls take 64-bit patterns, which become
 * arrays of the table's widths, or strings, placed where the variant says. Every call that
 * carries something out counts in the coverage. */
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

/* The fill of arrays before a call, which shows whether the call wrote there. */
#define UNTOUCHED_BYTE 0xEE

/* The engine of the variant's tables; NULL: the library chooses. */
const char *table_engine(const struct variant *variant);

/* A configuration for the variant: device, engine, types, options, threads, a seed. */
void table_config(const struct variant *variant, roost_config *config);

/* True if this build has the engine with this name. */
bool engine_is_built(const char *name);

/* Creates a table; the caller checks the status. */
roost_status table_create(struct table *table, const struct variant *variant, const roost_config *config);

/* Creates a table, or fails the test; config NULL: the one of table_config. */
void table_open(struct table *table, const struct variant *variant, const roost_config *config);
void table_close(struct table *table);

/* The calls; `statuses` may be NULL, and so may `values` of an insert that adds 1. With arrays on
 * the device they wait for the table, and also return late errors. */
roost_status table_insert(struct table *table, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n,
                          uint8_t *statuses);
/* flags: the call's flags. */
roost_status table_insert_flagged(struct table *table, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n,
                                  uint8_t *statuses, uint32_t flags);
roost_status table_find(const struct table *table, const uint64_t *keys, size_t n, uint64_t *values, uint8_t *found,
                        uint8_t *statuses);
roost_status table_find_flagged(const struct table *table, const uint64_t *keys, size_t n, uint64_t *values, uint8_t *found,
                                uint8_t *statuses, uint32_t flags);
roost_status table_erase(struct table *table, const uint64_t *keys, size_t n, uint8_t *statuses);

/* roost_number. */
roost_status table_number(struct table *table, const uint64_t *keys, size_t n, uint64_t *numbers, uint8_t *statuses,
                          uint32_t flags);

/* The items of roost_exchange; old, found and statuses may be NULL. */
struct exchange {
    size_t n;
    const uint64_t *keys, *values;
    uint64_t *old; /* unchanged where the call does not write */
    uint8_t *found, *statuses;
};

roost_status table_exchange(struct table *table, roost_mode mode, const struct exchange *exchange, uint32_t flags);

/* A mixed batch as tests hold it: patterns, and the result of each item. */
struct mixed {
    size_t n;
    uint8_t *operations;
    uint64_t *keys, *values_in;
    uint64_t *values_out; /* unchanged where a find does not write */
    uint8_t *statuses;
};

/* flags: the call's flags, such as ROOST_ORDERED. */
roost_status table_apply(struct table *table, struct mixed *mixed, uint32_t flags);

struct pairs {
    uint64_t *keys;
    uint64_t *values; /* all 0 for sets */
    size_t n;
};

/* One call of an export: on success, adds at most `room` pairs to `pairs`. */
roost_status table_export_some(const struct table *table, roost_cursor *cursor, size_t room, struct pairs *pairs);

roost_status table_export_some_flagged(const struct table *table, roost_cursor *cursor, size_t room, struct pairs *pairs,
                                       uint32_t flags);

/* All pairs of the table, exported `room` at a time. */
struct pairs table_export(const struct table *table, size_t room);
struct pairs table_export_flagged(const struct table *table, size_t room, uint32_t flags);
void pairs_free(struct pairs *pairs);

struct table_numbers table_stats(const struct table *table);

/* Fails the test if the library's own check finds the table corrupt. */
void table_check(const struct table *table);

/* Memory for n patterns; never NULL. make_bytes: for n bytes. */
uint64_t *make_patterns(size_t n);
/* Patterns of n keys of distinct_key, from number `first` on. */
uint64_t *numbered_keys(const struct test_shape *shape, size_t first, size_t n);
uint8_t *make_bytes(size_t n);

#endif
