/* Sets of statuses that a call may return for a wrong argument. */
#ifndef ROOST_TESTS_ANSWERS_H
#define ROOST_TESTS_ANSWERS_H

#include "support/suite.h"

#define ANSWER(status) (1u << (status))
#define ARGUMENT ANSWER(ROOST_ERR_ARGUMENT)
#define UNSUPPORTED ANSWER(ROOST_ERR_UNSUPPORTED)
#define NOT_FOUND ANSWER(ROOST_ERR_NOT_FOUND)
#define MEMORY ANSWER(ROOST_ERR_MEMORY)

/* Requires that the call returned one of `answers` and left an error text. table: NULL for a
 * call without a table. */
void require_answer(unsigned answers, roost_status status, const roost_table *table, const char *what);

#endif
