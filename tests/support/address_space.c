/* The system counts what is mapped in pages, and RLIMIT_AS in bytes. */
#include "support/address_space.h"

#include <stdio.h>
#include <unistd.h>

#include "support/suite.h"

static size_t mapped(void)
{
    size_t pages = 0;
    FILE *const stream = fopen("/proc/self/statm", "r");
    require(stream && fscanf(stream, "%zu", &pages) == 1, "no /proc/self/statm");
    fclose(stream);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

struct rlimit address_space_limit(size_t more)
{
    struct rlimit before, limit;
    require(!getrlimit(RLIMIT_AS, &before), "the limit is not known");
    limit = before;
    limit.rlim_cur = mapped() + more;
    require(!setrlimit(RLIMIT_AS, &limit), "no limit can be set");
    return before;
}

void address_space_restore(struct rlimit before) { require(!setrlimit(RLIMIT_AS, &before), "the limit stays"); }
