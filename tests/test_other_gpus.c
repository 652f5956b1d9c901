/* A table on one GPU makes no context on another one, whichever thread calls. */
#include "roost/tuning.h"
#include "support/settings.h"
#include "support/tables.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 5000, MOST_GPUS = 64 };

/* The driver's function that tells whether a GPU has a context.  The library asks the driver by a
 * copy of the run-time library, which loads it. */
typedef int context_state(int gpu, unsigned *flags, int *active);

static bool has_context(int gpu)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    context_state *state = driver ? (context_state *)(uintptr_t)dlsym(driver, "cuDevicePrimaryCtxGetState") : NULL;
    unsigned flags;
    int active = 0;
    require(state && state(gpu, &flags, &active) == 0, "the driver does not say whether GPU %d has a context", gpu);
    return active;
}

static int count_gpus(void)
{
    roost_device_info info;
    int gpus = 0;
    for (size_t i = 0; roost_device_describe(i, &info, sizeof info) == ROOST_OK; i++) gpus += strncmp(info.name, "cuda", 4) == 0;
    return gpus < MOST_GPUS ? gpus : MOST_GPUS;
}

struct caller {
    roost_config config;
    roost_table *table;
    uint32_t keys[KEYS], values[KEYS];
    uint8_t found[KEYS];
    roost_status status;
};

static void *create(void *context)
{
    struct caller *c = context;
    c->status = roost_table_create(&c->table, &c->config);
    return NULL;
}

static void *insert_and_find(void *context)
{
    struct caller *c = context;
    c->status = roost_insert(c->table, ROOST_ASSIGN, c->keys, c->values, KEYS, NULL);
    if (!c->status) c->status = roost_find(c->table, c->keys, KEYS, c->values, c->found, NULL);
    if (!c->status) c->status = roost_table_check(c->table);
    return NULL;
}

static void *destroy(void *context)
{
    struct caller *c = context;
    roost_table_destroy(c->table);
    return NULL;
}

/* Each on a thread of its own, whose GPU is the first one as long as it chooses none. */
static void the_table_s_gpu_alone(const struct variant *variant)
{
    void *(*const steps[])(void *) = {create, insert_and_find, destroy};
    struct caller *c = calloc(1, sizeof *c);
    const int gpus = count_gpus();
    char last[16];
    if (!c) abort();
    if (gpus < 2 || !settings_on_gpu()) return free(c), suite_skip("there are not two GPUs");
    snprintf(last, sizeof last, "cuda:%d", gpus - 1);
    table_config(variant, &c->config);
    c->config.device = last;
    for (uint32_t i = 0; i < KEYS; i++) c->keys[i] = i;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        pthread_t thread;
        require(!pthread_create(&thread, NULL, steps[i], c) && !pthread_join(thread, NULL), "no thread");
        require_status(ROOST_OK, c->status, NULL);
        for (int gpu = 0; gpu < gpus - 1; gpu++) require(!has_context(gpu), "step %zu made a context on GPU %d", i, gpu);
        require(has_context(gpus - 1), "the table's GPU has no context");
    }
    free(c);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_once("the table's GPU alone", the_table_s_gpu_alone);
    return suite_run("other_gpus");
}
