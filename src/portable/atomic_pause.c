/* Where the tests' hook before atomics is kept. */
#include "portable/atomic.h"

#if ROOST_PROBES
void (*atomic_pause)(void);
#endif
