/* Sets of statuses that a call may return for a wrong argument. */
#include "support/answers.h"

void require_answer(unsigned answers, roost_status status, const roost_table *table, const char *what)
{
    require(answers & ANSWER(status), "%s: %s", what, roost_status_name(status));
    require(*roost_last_error(table), "%s: no error text", what);
}
