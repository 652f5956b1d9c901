/* Limits of the process's address space. */
#ifndef ROOST_TESTS_ADDRESS_SPACE_H
#define ROOST_TESTS_ADDRESS_SPACE_H

#include <stddef.h>
#include <sys/resource.h>

/* From now on the process may map `more` bytes beside those that it has.  Returns the limit that
 * held before. */
struct rlimit address_space_limit(size_t more);
void address_space_restore(struct rlimit before);

#endif
