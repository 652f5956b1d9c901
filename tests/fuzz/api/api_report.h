/* What a life of the fuzzer has done, for the report of a failure, and the numbers of a run. */
#ifndef ROOST_TESTS_API_REPORT_H
#define ROOST_TESTS_API_REPORT_H

#include <roost/roost.h>
#include <stdbool.h>

/* Item operations by kind.  X(member, text). */
#define API_KINDS(X)                                                                                                               \
    X(inserts, "inserts")                                                                                                          \
    X(ordered, "ordered inserts")                                                                                                  \
    X(mixed, "mixed")                                                                                                              \
    X(mixed_ordered, "mixed in order")                                                                                             \
    X(erases, "erases")                                                                                                            \
    X(views, "through views")                                                                                                      \
    X(finds, "finds")                                                                                                              \
    X(counts, "counts and gathers")

/* Other numbers.  X(member, text). */
#define API_NUMBERS(X)                                                                                                             \
    X(exported, "pairs exported")                                                                                                  \
    X(tables, "tables")                                                                                                            \
    X(refused_tables, "refused tables")                                                                                            \
    X(calls, "calls")                                                                                                              \
    X(refused_calls, "calls with refusals")                                                                                        \
    X(checks, "checks of tables")                                                                                                  \
    X(undecided, "orders not searched")

/* What a run has done.  Other processes may read it. */
struct api_totals {
#define API_MEMBER(member, text) uint64_t member;
    API_KINDS(API_MEMBER)
    API_NUMBERS(API_MEMBER)
#undef API_MEMBER
};

/* Item operations in all, and those of them that only read. */
uint64_t totals_items(const struct api_totals *totals);
uint64_t totals_reads(const struct api_totals *totals);
void totals_add(struct api_totals *to, const struct api_totals *totals);

/* Begins the report of a life; aloud: print each step at once. */
void report_begin(bool aloud);
/* Adds a line: what is done next. */
void report_step(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the steps so far, unless they were printed at once. */
void report_print(void);
/* The same and the failure, and aborts. */
void report_fail(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5), noreturn));

#define expect(condition, ...)                                                                                                     \
    do {                                                                                                                           \
        if (!(condition)) report_fail(__FILE__, __LINE__, #condition, __VA_ARGS__);                                                \
    } while (0)

#endif
