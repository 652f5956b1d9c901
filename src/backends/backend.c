/* Chooses a backend by its name.  Counts memory, waits and launches of each table. */
#include "backends/backend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if ROOST_PROBES
const struct backend_operations *(*backend_wrapper)(const struct backend_operations *operations);
uint64_t backend_mapped_least = 64 << 20;
#endif

int backend_ordinal(const char *name)
{
    if (!name) return cuda_device_count() > 0 ? 0 : -1;
    if (!strcmp(name, "host")) return -1;
    if (!strcmp(name, "cuda")) return 0;
    if (strncmp(name, "cuda:", 5) || name[5] < '0' || name[5] > '9') return -2;
    char *end;
    const long ordinal = strtol(name + 5, &end, 10);
    return *end || ordinal > 1023 ? -2 : (int)ordinal;
}

static roost_status device_missing(const char *name, struct error *error)
{
    if (!cuda_operations_if_any())
        return error_set(error, ROOST_ERR_NOT_FOUND, "device \"%s\": this build or machine has no CUDA device; use \"host\"", name);
    return error_set(error, ROOST_ERR_NOT_FOUND, "device \"%s\": there are %d CUDA devices, numbered from 0", name,
                     cuda_device_count());
}

roost_status backend_open(struct backend **backend, const roost_config *config, struct error *error)
{
    *backend = NULL;
    const int ordinal = backend_ordinal(config->device);
    if (ordinal == -2) return error_set(error, ROOST_ERR_NOT_FOUND, "device \"%.32s\": use \"host\" or \"cuda:N\"", config->device);
    if (ordinal >= cuda_device_count()) return device_missing(config->device, error);
    struct backend *b = (struct backend *)host_new(&config->allocator, sizeof *b);
    if (!b) return error_set(error, ROOST_ERR_MEMORY, "no memory for the backend");
    b->operations = ordinal < 0 ? &host_operations : cuda_operations_if_any();
#if ROOST_PROBES
    if (backend_wrapper) b->operations = backend_wrapper(b->operations);
#endif
    b->error = error;
    b->ordinal = ordinal;
    b->threads = config->threads;
    b->allocator = config->allocator;
    b->device_allocator = config->device_allocator;
    b->memory_limit = config->memory_limit;
    if (ordinal < 0) snprintf(b->name, sizeof b->name, "host");
    else snprintf(b->name, sizeof b->name, "cuda:%d", ordinal);
    const roost_status status = b->operations->open(b, ordinal);
    if (status) host_delete(&config->allocator, b, sizeof *b);
    else *backend = b;
    return status;
}

void backend_close(struct backend *backend)
{
    if (!backend) return;
    const roost_allocator allocator = backend->allocator;
    backend->operations->close(backend);
    host_delete(&allocator, backend, sizeof *backend);
}

static roost_status limit_check(struct backend *b, size_t bytes)
{
    if (!b->memory_limit || (bytes <= b->memory_limit && b->bytes_now <= b->memory_limit - bytes)) return ROOST_OK;
    return error_set(b->error, ROOST_ERR_MEMORY,
                     "%zu bytes in addition to the %" PRIu64 " held would exceed the memory limit of %" PRIu64, bytes, b->bytes_now,
                     b->memory_limit);
}

static void bytes_count(struct backend *b, size_t bytes)
{
    b->bytes_now += bytes;
    if (b->bytes_now > b->bytes_peak) b->bytes_peak = b->bytes_now;
}

roost_status backend_allocate(struct backend *b, size_t bytes, void **memory)
{
    *memory = NULL;
    roost_status status = limit_check(b, bytes);
    if (!status) status = b->operations->allocate(b, bytes, memory);
    if (!status) bytes_count(b, bytes);
    return status;
}

size_t backend_mapped_bytes(const struct backend *b, size_t bytes)
{
    return (bytes + b->mapped_unit - 1) / b->mapped_unit * b->mapped_unit;
}

roost_status backend_remap(struct backend *b, void **memory, size_t from, size_t to)
{
    if (to > SIZE_MAX / 2) return error_set(b->error, ROOST_ERR_MEMORY, "%zu bytes are more than this machine can address", to);
    const size_t held = backend_mapped_bytes(b, from), wanted = backend_mapped_bytes(b, to);
    if (held == wanted) return ROOST_OK;
    roost_status status = wanted ? limit_check(b, wanted - held) : ROOST_OK;
    if (status) return status;
    status = backend_wait(b);
    /* After a failure of the machine, too, the memory is returned. */
    if (!status || !wanted) status = b->operations->remap(b, memory, held, wanted);
    if (status) return status;
    if (wanted) bytes_count(b, wanted - held);
    else b->bytes_now -= held;
    return ROOST_OK;
}

roost_status backend_allocate_beside(struct backend *b, size_t bytes, size_t beside, void **memory)
{
    void *more = NULL;
    *memory = NULL;
    roost_status status = bytes ? backend_allocate(b, bytes, memory) : ROOST_OK;
    if (status || !beside) return status;
    status = backend_allocate(b, beside, &more);
    backend_release(b, more, beside);
    if (!status) return ROOST_OK;
    backend_release(b, *memory, bytes);
    *memory = NULL;
    return status;
}

void backend_release(struct backend *b, void *memory, size_t bytes)
{
    if (!memory) return;
    b->operations->release(b, memory, bytes);
    b->bytes_now -= bytes;
}

roost_status backend_read(struct backend *b, void *to_host, const void *from, size_t bytes)
{
    b->waits++;
    return b->operations->read(b, to_host, from, bytes);
}

roost_status backend_read_offset(struct backend *b, const void *offsets, int offset_bytes, uint64_t i, uint64_t *offset)
{
    uint32_t narrow = 0;
    const void *const at = (const char *)offsets + i * (unsigned)offset_bytes;
    if (offset_bytes == 8) return backend_read(b, offset, at, sizeof *offset);
    const roost_status status = backend_read(b, &narrow, at, sizeof narrow);
    *offset = narrow;
    return status;
}

roost_status backend_wait(struct backend *b)
{
    b->waits++;
    return b->operations->wait(b);
}

static int snapshot_place(const struct backend *b, const void *from)
{
    int place = 0;
    while (place < BACKEND_SNAPSHOTS && b->snapshot_from[place] != from) place++;
    return place;
}

roost_status backend_snapshot(struct backend *b, const void *from, size_t bytes)
{
    const int place = snapshot_place(b, from), last = b->snapshot_last;
    b->snapshot_last = place < BACKEND_SNAPSHOTS ? place : (last + 1) % BACKEND_SNAPSHOTS;
    b->snapshot_from[b->snapshot_last] = from;
    return b->operations->snapshot(b, b->snapshot_last, from, bytes);
}

bool backend_arrived(struct backend *b, const void *from, void *to, size_t bytes)
{
    const int place = snapshot_place(b, from);
    return place < BACKEND_SNAPSHOTS && b->operations->arrived(b, place, to, bytes);
}

roost_status backend_lap(struct backend *b, double *from, double *sum)
{
    const roost_status status = backend_wait(b);
    const double now = backend_seconds();
    *sum += now - *from;
    *from = now;
    return status;
}

static size_t array_bytes(size_t bytes) { return (bytes + 255) / 256 * 256; }

size_t backend_arrays_bytes(const size_t *bytes, int n)
{
    size_t all = 0;
    for (int i = 0; i < n; i++) all += array_bytes(bytes[i]);
    return all;
}

void backend_arrays_place(void *memory, const size_t *bytes, int n, void **at)
{
    char *here = (char *)memory;
    for (int i = 0; i < n; i++) {
        at[i] = bytes[i] ? here : NULL;
        here += array_bytes(bytes[i]);
    }
}

double backend_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

roost_status backend_launch(struct backend *b, const struct kernel *k, const void *args, size_t args_bytes, uint64_t n)
{
    if (n) __atomic_fetch_add(&b->launches, 1, __ATOMIC_RELAXED);
    return b->operations->launch(b, k, args, args_bytes, n);
}

roost_status backend_describe(size_t index, roost_device_info *info)
{
    const size_t gpus = (size_t)cuda_device_count();
    if (index < gpus) return cuda_describe((int)index, info);
    return index == gpus ? host_describe(info) : ROOST_ERR_NOT_FOUND;
}
