/* What a table's numbers must obey after every batch: the fill bounds, and the balance of its subtables. */
#ifndef ROOST_TESTS_FILL_H
#define ROOST_TESTS_FILL_H

#include "support/tables.h"

struct fill_rules {
    double min_fill;
    double max_fill;
    uint64_t created;     /* slots that the table is made with; it need not shrink below them */
    uint64_t reserved;    /* keys it has room reserved for */
    double reserved_fill; /* at least, with these keys: where all of a table doubles, half of what it is made with */
    uint64_t excuses;     /* shrinks undone and growth forced until the fill was last above its lower bound */
    bool fixed;           /* growth is off or by longer lists, or memory may be refused: only the slots bound it */
};

/* The rules of a table made with this configuration. */
struct fill_rules fill_rules_of(const struct variant *variant, const roost_config *config);

/* Fails the test if the numbers break the rules.  A table may be too large where no smaller one takes its keys, however few they are: erases by
 * the order of an export leave the keys of few buckets.  It says so: a shrink was undone, or growth was forced. */
void fill_check(struct fill_rules *rules, const struct table_numbers *stats);

/* The highest lower bound below this upper one, but for a hundredth: where the fill is after a growth step, of one of four subtables in
 * dycuckoo, of all of the table elsewhere. */
double fill_narrow(double max_fill);

/* The largest subtable's slots; all slots where the engine has no subtables. */
uint64_t largest_subtable(const struct table_numbers *stats);

#endif
