/* Tables with corrupted memory. */
#include "support/broken.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void broken_refused(roost_table *table, char letter, const char *layout)
{
    char expected[] = "invariant ?:";
    assert_int_equal(roost_table_check(table), ROOST_ERR_CORRUPT);
    expected[sizeof "invariant " - 1] = letter;
    if (!strstr(roost_last_error(table), expected))
        print_error("%s: expected %s, got \"%s\"\n", layout, expected, roost_last_error(table));
    assert_non_null(strstr(roost_last_error(table), expected));
    roost_table_destroy(table);
}

int broken_run(const char *program, void (*body)(void **state), void *faults, size_t n, size_t bytes)
{
    enum { MOST = 64 };
    static char names[MOST][32];
    static struct CMUnitTest tests[MOST];
    if (n > MOST) abort();
    for (size_t i = 0; i < n; i++) {
        char *fault = (char *)faults + i * bytes;
        snprintf(names[i], sizeof names[i], "invariant %c, fault %zu", *fault, i);
        tests[i] = (struct CMUnitTest){.name = names[i], .test_func = body, .initial_state = fault};
    }
    return _cmocka_run_group_tests(program, tests, n, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
