/* Depth-first search over the last run's decisions: in the next run, the last decision that has
 * another option takes it. */
#include "portable/scheduled_search.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A decision with several options, all within the run's limits.  Other decisions take the first
 * option and are not recorded. */
struct decision {
    uint64_t number; /* number among the run's decisions */
    enum search_kind kind;
    int option, options;
};

static struct {
    struct decision *decision;
    size_t n, room;
    /* Decisions that the current run has already followed. */
    size_t followed;
    uint64_t number;
    /* Decisions that may still differ from the first option in this run. */
    int left[SEARCH_KINDS];
    int most[SEARCH_KINDS];
} search;

static void run_begin(void)
{
    search.followed = 0;
    search.number = 0;
    for (int i = 0; i < SEARCH_KINDS; i++) search.left[i] = search.most[i];
}

static void decision_add(uint64_t number, enum search_kind kind, int option, int options)
{
    const struct decision decision = {number, kind, option, options};
    if (search.n == search.room) {
        search.room = search.room ? 2 * search.room : 256;
        search.decision = (struct decision *)realloc(search.decision, search.room * sizeof *search.decision);
        if (!search.decision) abort();
    }
    search.decision[search.n++] = decision;
}

void search_begin(const int most[SEARCH_KINDS])
{
    for (int i = 0; i < SEARCH_KINDS; i++) search.most[i] = most[i];
    search.n = 0;
    run_begin();
}

bool search_replay(const char *text)
{
    static const int none[SEARCH_KINDS] = {0};
    unsigned long long number;
    int option, length;
    search_begin(none);
    while (sscanf(text, " %llu:%d%n", &number, &option, &length) == 2) {
        decision_add(number, SEARCH_NEXT, option, INT_MAX);
        text += length;
    }
    return text[strspn(text, " ")] == '\0';
}

int search_choose(enum search_kind kind, int options)
{
    const uint64_t number = search.number++;
    if (options < 2) return 0;
    if (search.followed == search.n) {
        if (search.left[kind] == 0) return 0;
        decision_add(number, kind, 0, options);
    }
    const struct decision *decision = &search.decision[search.followed];
    if (decision->number != number) return 0;
    search.followed++;
    search.left[kind] -= decision->option > 0;
    return decision->option < options ? decision->option : 0;
}

bool search_next(void)
{
    while (search.n && search.decision[search.n - 1].option + 1 >= search.decision[search.n - 1].options) search.n--;
    if (search.n) search.decision[search.n - 1].option++;
    run_begin();
    return search.n > 0;
}

void search_print(char *text, size_t room)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < search.followed && at < room; i++) {
        const struct decision *d = &search.decision[i];
        if (d->option)
            at += (size_t)snprintf(text + at, room - at, "%s%llu:%d", at ? " " : "", (unsigned long long)d->number, d->option);
    }
}
