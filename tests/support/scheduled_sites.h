/* Where the scheduled machine has switched lanes so far: by verb, and by site. */
#ifndef ROOST_TESTS_SCHEDULED_SITES_H
#define ROOST_TESTS_SCHEDULED_SITES_H

#include "portable/scheduled.h"

/* Are there to be switches at this site with tiles of this size? */
typedef bool scheduled_site_runs(const struct scheduled_site *site, int size);

/* Is there an atomic's site without a switch? */
bool scheduled_sites_missing(int size, scheduled_site_runs *runs);

/* Prints switches for tiles of 1, 4 and 32 lanes, and counts the zeros. */
int scheduled_sites_print(bool by_verb, scheduled_site_runs *runs);

#endif
