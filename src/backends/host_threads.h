/* Threads of the host, which share the work of a call with the caller's own thread. */
#ifndef ROOST_BACKENDS_HOST_THREADS_H
#define ROOST_BACKENDS_HOST_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* Carries out share i of some work. */
typedef void host_share(const void *context, uint64_t i);

/* Carries out shares 0 .. n - 1, each once, on the calling thread and at most `threads` - 1 others,
 * and returns when all are done.  A thread takes the next share when it has done one.  Any number
 * of threads may call it at the same time. */
void host_run(int threads, uint64_t n, host_share *share, const void *context);

/* Processors that the calling thread may use. */
int host_processors(void);

#if ROOST_PROBES
/* For tests: no thread can be started; how long a thread looks before it sleeps; of host_yields
 * steps of a thread, one begins with a yield (0: none).  Atomic loads read the last two. */
extern bool host_threads_refused;
extern int64_t host_look_ns;
extern unsigned host_yields;
/* For tests: ends the workers that are idle, as unloading the library does. */
void host_dismiss_workers(void);
/* For tests: does the calling thread carry out shares of work that others share, too? */
extern _Thread_local bool host_shares_work;
#endif

#endif
