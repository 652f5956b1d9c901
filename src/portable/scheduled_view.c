/* Views: arrays of times that grow as they see more. */
#include "portable/scheduled_view.h"

#include <stdlib.h>
#include <string.h>

static void view_reach(struct view *view, int n)
{
    if (n <= view->n) return;
    if (n > view->room) {
        view->room = 2 * n;
        view->time = (uint64_t *)realloc(view->time, (size_t)view->room * sizeof *view->time);
        if (!view->time) abort();
    }
    memset(view->time + view->n, 0, (size_t)(n - view->n) * sizeof *view->time);
    view->n = n;
}

uint64_t view_time(const struct view *view, int location) { return location < view->n ? view->time[location] : 0; }

void view_see(struct view *view, int location, uint64_t time)
{
    view_reach(view, location + 1);
    if (view->time[location] < time) view->time[location] = time;
}

void view_join(struct view *to, const struct view *from)
{
    if (!from) return;
    view_reach(to, from->n);
    for (int i = 0; i < from->n; i++)
        if (to->time[i] < from->time[i]) to->time[i] = from->time[i];
}

struct view *view_keep(const struct view *a, const struct view *b)
{
    struct view *kept = (struct view *)calloc(1, sizeof *kept);
    if (!kept) abort();
    kept->holders = 1;
    view_join(kept, a);
    view_join(kept, b);
    return kept;
}

struct view *view_hold(struct view *kept)
{
    if (kept) kept->holders++;
    return kept;
}

void view_drop(struct view *kept)
{
    if (!kept || --kept->holders > 0) return;
    free(kept->time);
    free(kept);
}
