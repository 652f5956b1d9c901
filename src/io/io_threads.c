/* Runs a task in several threads. */
#include "io_threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct call {
    void (*task)(void *context, int i);
    void *context;
    int i;
    pthread_t thread;
    bool made;
};

static void *run(void *argument)
{
    const struct call *call = (const struct call *)argument;
    call->task(call->context, call->i);
    return NULL;
}

void io_threads_run(int n, void (*task)(void *context, int i), void *context)
{
    struct call calls[IO_THREADS_MOST];
    for (int i = 1; i < n; i++) {
        calls[i] = (struct call){.task = task, .context = context, .i = i};
        calls[i].made = pthread_create(&calls[i].thread, NULL, run, &calls[i]) == 0;
    }
    if (n > 0) task(context, 0);
    for (int i = 1; i < n; i++) {
        if (calls[i].made) pthread_join(calls[i].thread, NULL);
        else task(context, i);
    }
}
