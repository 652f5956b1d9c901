/* A table of dense numbers beside an exact reference.  Each batch goes through both, and the
 * numbers, the statuses, the stored values and the table's own check are compared. */
#ifndef ROOST_TESTS_NUMBERING_H
#define ROOST_TESTS_NUMBERING_H

#include "support/reference.h"
#include "support/tables.h"

struct numbering {
    struct table table;
    struct reference *numbers; /* of the stored keys */
    uint64_t next;             /* the number of the next new key */
    size_t refused;            /* items of the last batch that got no number */
    bool *looking;             /* NULL, or a flag that is set while checks ask for memory */
};

/* The value types that can be numbers. */
bool shape_has_numbers(const struct test_shape *shape);

/* The usual configuration, of a table that gives numbers. */
void numbering_config(const struct variant *variant, roost_config *config);

/* config NULL: the one of numbering_config. */
void numbering_open(struct numbering *m, const struct variant *variant, const roost_config *config);
void numbering_close(struct numbering *m);

/* Numbers n keys, with statuses or without.  Returns the call's status: ROOST_OK, ROOST_ERR_FULL
 * or ROOST_ERR_MEMORY. */
roost_status numbering_run(struct numbering *m, const uint64_t *keys, size_t n, uint32_t flags, bool statuses);
void numbering_erase(struct numbering *m, const uint64_t *keys, size_t n);
void numbering_clear(struct numbering *m);

/* Looks the keys up, and compares the table with the reference. */
void numbering_find(struct numbering *m, const uint64_t *keys, size_t n);

/* Compares all contents, by an export in the order of numbers, except of strings. */
void numbering_compare(struct numbering *m, size_t room);

#endif
