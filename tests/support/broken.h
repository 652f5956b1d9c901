/* Tables with corrupted memory, one lettered invariant at a time: the check reports each by its
 * letter. */
#ifndef ROOST_TESTS_BROKEN_H
#define ROOST_TESTS_BROKEN_H

#include <roost/roost.h>
#include <stddef.h>

/* Requires that the table's check names this invariant; destroys the table. `layout` is for the
 * report. */
void broken_refused(roost_table *table, char letter, const char *layout);

/* Runs the body once for each of n faults, which are its state: structs of `bytes` bytes that
 * begin with the letter. Returns main's status. */
int broken_run(const char *program, void (*body)(void **state), void *faults, size_t n, size_t bytes);

#endif
