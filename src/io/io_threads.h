/* Runs a task in several threads. */
#ifndef ROOST_IO_THREADS_H
#define ROOST_IO_THREADS_H

#define IO_THREADS_MOST 64

/* Calls task(context, i) for each i from 0 to n - 1 and returns when all calls have returned.  Call
 * 0 runs in the caller's thread, and so does each one whose thread cannot be made. */
void io_threads_run(int n, void (*task)(void *context, int i), void *context);

#endif
