/* Views of the scheduled machine's weak memory: for each location, the oldest message that a lane
 * may still read. */
#ifndef ROOST_PORTABLE_SCHEDULED_VIEW_H
#define ROOST_PORTABLE_SCHEDULED_VIEW_H

#include <stdint.h>

/* Locations beyond n have the time 0: no message of theirs was seen.  NULL stands for an empty view
 * where a function says so. */
struct view {
    uint64_t *time; /* by location */
    int n, room;
    /* Number of holders of a kept view, which is immutable; the last holder frees it. */
    int holders;
};

uint64_t view_time(const struct view *view, int location);
void view_see(struct view *view, int location, uint64_t time);
void view_join(struct view *to, const struct view *from); /* from: NULL is an empty view */

/* Returns a kept view that joins both; either may be NULL. */
struct view *view_keep(const struct view *a, const struct view *b);
struct view *view_hold(struct view *kept); /* NULL stays NULL */
void view_drop(struct view *kept);

#endif
