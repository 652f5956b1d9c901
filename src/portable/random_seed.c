/* Random numbers from the system. */
#include "portable/random_seed.h"

#include <errno.h>
#include <sys/random.h>

/* A signal may interrupt the call while the system's pool is still being filled. */
bool random_seed(uint64_t *seed)
{
    uint64_t drawn;
    ssize_t n;
    do n = getrandom(&drawn, sizeof drawn, 0);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof drawn) return false;
    *seed = drawn;
    return true;
}
