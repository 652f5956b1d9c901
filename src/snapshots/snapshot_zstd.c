/* Loads libzstd once. */
#include "snapshots/snapshot_zstd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static struct zstd functions;
static bool found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* POSIX lets a function's address pass through void *, which ISO C does not. */
static bool look_up(void *library, const char *name, void *function)
{
    void *const at = dlsym(library, name);
    memcpy(function, &at, sizeof at);
    return at != NULL;
}

static void load(void)
{
    void *const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    found = library && look_up(library, "ZSTD_compressBound", &functions.bound) &&
            look_up(library, "ZSTD_compress", &functions.compress) && look_up(library, "ZSTD_decompress", &functions.decompress) &&
            look_up(library, "ZSTD_isError", &functions.is_error);
}

roost_status zstd_find(const struct zstd **zstd, struct error *error)
{
    pthread_once(&once, load);
    *zstd = &functions;
    return found ? ROOST_OK : error_set(error, ROOST_ERR_UNSUPPORTED, "Zstandard is not here: libzstd.so.1 cannot be loaded");
}
