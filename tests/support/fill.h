/* What a table's numbers must satisfy after every batch: the fill bounds, and balanced
 * subtables. */
#ifndef ROOST_TESTS_FILL_H
#define ROOST_TESTS_FILL_H

#include "support/tables.h"

struct fill_rules {
    double min_fill;
    double max_fill;
    uint64_t created;  /* slots at creation; the table need not shrink below them */
    uint64_t asked;    /* keys of the last reservation, */
    uint64_t reserved; /* and for which the table has reserved room: up to a quarter more */
    /* least fill with `reserved` keys; where the whole table doubles, half of the fill at
     * creation */
    double reserved_fill;
    /* undone shrinks and forced growths up to the time when the fill was last above its lower
     * bound */
    uint64_t excuses;
    /* growth is off or lengthens lists, or memory may be refused: only the slots bound the table */
    bool fixed;
};

/* The rules of a table created with this configuration. */
struct fill_rules fill_rules_of(const struct variant *variant, const roost_config *config);

/* Fails the test if the numbers break the rules. A table may be too large if no smaller one
 * takes its keys, however few they are: erases in the order of an export leave the keys of few
 * buckets. Its statistics then show an undone shrink or forced growth. */
void fill_check(struct fill_rules *rules, const struct table_numbers *stats);

/* The highest lower bound that this upper bound allows, less 0.01: the fill after a growth step.
 * A step doubles one of four subtables in dycuckoo, and the whole table elsewhere. */
double fill_narrow(double max_fill);

/* The slots of the largest subtable; all slots if the engine has no subtables. */
uint64_t largest_subtable(const struct table_numbers *stats);

#endif
