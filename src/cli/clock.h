/* Wall time in seconds since some fixed time, for differences. */
#ifndef ROOST_CLI_CLOCK_H
#define ROOST_CLI_CLOCK_H

#include <time.h>

static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
