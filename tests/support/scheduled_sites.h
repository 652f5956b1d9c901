/* Where the scheduled machine has switched lanes so far, by verb and by site. */
#ifndef ROOST_TESTS_SCHEDULED_SITES_H
#define ROOST_TESTS_SCHEDULED_SITES_H

#include "portable/scheduled.h"

/* True if tiles of this size must switch at this site. */
typedef bool scheduled_site_runs(const struct scheduled_site *site, int size);

/* True if some atomic's site had no switch. */
bool scheduled_sites_missing(int size, scheduled_site_runs *runs);

/* Prints the switches for tiles of 1, 4 and 32 lanes; returns the number of zeros. */
int scheduled_sites_print(bool by_verb, scheduled_site_runs *runs);

#endif
