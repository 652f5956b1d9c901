/* Kinds of Stadium's boards, for the programs that test all of them. */
#ifndef ROOST_TESTS_STADIUM_KINDS_H
#define ROOST_TESTS_STADIUM_KINDS_H

#include "support/suite.h"

/* A kind of board; bits of a ticket. */
struct stadium_kind {
    unsigned bits;
    const char *options;
    const char *shape;
};

#define STADIUM_KINDS 36
extern const struct stadium_kind stadium_kinds[STADIUM_KINDS];

/* Adds a case for every kind.  number: that of the variants; UINT64_MAX: the ticket's bits.  Under
 * a sanitizer every second kind runs. */
void add_stadium_kinds(const char *behaviour, test_body body, uint64_t number);

/* Adds a case for every kind whose pairs have marks. */
void add_marked_kinds(const char *behaviour, test_body body, uint64_t number);

#endif
