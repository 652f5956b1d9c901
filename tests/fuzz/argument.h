/* An argument of a program that draws what it does from seeds. */
#ifndef ROOST_TESTS_FUZZ_ARGUMENT_H
#define ROOST_TESTS_FUZZ_ARGUMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Is the text, which may be NULL, a decimal number? */
static inline bool argument_is_number(const char *text, uint64_t *number)
{
    char *end;
    *number = text ? strtoull(text, &end, 10) : 0;
    return text && *text && !*end;
}

#endif
