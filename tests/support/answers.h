/* Sets of statuses that a wrong argument may be answered with. */
#ifndef ROOST_TESTS_ANSWERS_H
#define ROOST_TESTS_ANSWERS_H

#include "support/suite.h"

#define ANSWER(status) (1u << (status))
#define ARGUMENT ANSWER(ROOST_ERR_ARGUMENT)
#define UNSUPPORTED ANSWER(ROOST_ERR_UNSUPPORTED)
#define NOT_FOUND ANSWER(ROOST_ERR_NOT_FOUND)
#define MEMORY ANSWER(ROOST_ERR_MEMORY)

/* The call, on a table or (NULL) without one, was refused with one of these, and left an error text. */
void require_answer(unsigned answers, roost_status status, const roost_table *table, const char *what);

#endif
