/* NVIDIA GPUs: a stream-ordered memory pool per device, launch sizes from occupancy, and checks
 * that name the failed call. */
#include "backends/backend.h"
#include "backends/cuda/cuda_failed.h"
#include "backends/cuda/cuda_mapping.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 256, KERNELS_SEEN = 128, MAX_DEVICES = 64 };

/* Most bytes that a pool is warmed with: a table of 100 million pairs with its lists. */

#define WARM_MOST ((size_t)4 << 30)
#define WARM_SHARE 32 /* at most this part of the free memory */

/* The end of a stream's last read of the table. */
struct reader {
    cudaStream_t stream;
    cudaEvent_t event;
    bool pending; /* no write has waited for it */
};

enum { READERS = 16 /* streams whose reads overlap */ };

/* Per table: its pool, pinned memory for small reads, and how many blocks of each kernel fit. */
struct cuda_state {
    cudaMemPool_t pool;
    void *pinned;                             /* for small reads; after them the snapshots, */
    cudaEvent_t snapshots[BACKEND_SNAPSHOTS]; /* and their arrivals */
    cudaEvent_t last_write;                   /* end of the last call that wrote */
    struct reader readers[READERS];           /* reads since then */
    cudaStream_t beside[QUEUES];              /* but the work's, made at their first use */
    cudaEvent_t marks[BACKEND_MARKS];         /* made at their first use */
    int multiprocessors;
    struct cuda_mapping *mappings;
    struct {
        const void *function;
        size_t shared;
        int blocks;
    } occupancy[KERNELS_SEEN];
};

enum {
    PINNED = 1 << 15, /* bytes of a small read; the largest is a sample of keys (engines/crowd.c) */
    PINNED_KEPT = 16, /* blocks of a device that wait for its next tables */
    PINNED_ALL = PINNED + BACKEND_SNAPSHOTS * BACKEND_SNAPSHOT /* bytes of such a block */
};

roost_status cuda_failed(struct backend *b, cudaError_t code, const char *call)
{
    (void)cudaGetLastError();
    const roost_status status = code == cudaErrorMemoryAllocation ? ROOST_ERR_MEMORY : ROOST_ERR_DEVICE;
    return error_set(b->error, status, "%s: %s: %s", call, cudaGetErrorName(code), cudaGetErrorString(code));
}

#define CUDA_TRY(b, call)                                                                                                          \
    do {                                                                                                                           \
        const cudaError_t code_ = (call);                                                                                          \
        if (code_ != cudaSuccess) return cuda_failed(b, code_, #call);                                                             \
    } while (0)

static struct cuda_state *state_of(struct backend *b) { return (struct cuda_state *)b->state; }
static cudaStream_t stream_of(struct backend *b) { return (cudaStream_t)b->stream; }

/* What the process knows of its devices.  A pool is made with the device's first table and kept,
 * because tables come and go.  It is warmed: mapping memory costs a millisecond per gigabyte,
 * which some insert would pay otherwise. */
static struct {
    cudaMemPool_t pool;
    uint64_t warm; /* bytes that trimming leaves in the pool */
    /* Of the device, which is slow to ask for. */
    char model[80];
    uint64_t memory_bytes;
    /* Pinned memory of tables that are gone: to make and release it takes 0.8 ms. */
    void *pinned[PINNED_KEPT];
    int pinned_n;
} pools[MAX_DEVICES];
static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;

static roost_status pool_make(struct backend *b, int ordinal, cudaMemPool_t *pool)
{
    struct cudaMemPoolProps properties;
    memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = ordinal;
    CUDA_TRY(b, cudaMemPoolCreate(pool, &properties));
    /* Freed memory stays in the pool until it is trimmed, not only until the next
     * synchronisation. */
    uint64_t keep = UINT64_MAX;
    CUDA_TRY(b, cudaMemPoolSetAttribute(*pool, cudaMemPoolAttrReleaseThreshold, &keep));
    return ROOST_OK;
}

/* Allocates a part of the free memory and returns it to the pool.  A failure costs speed only. */
static uint64_t pool_warm(cudaMemPool_t pool)
{
    size_t available = 0, all = 0;
    void *memory = NULL;
    if (cudaMemGetInfo(&available, &all) != cudaSuccess) available = 0;
    const size_t bytes = available / WARM_SHARE < WARM_MOST ? available / WARM_SHARE : WARM_MOST;
    const bool taken =
        bytes && cudaMallocFromPoolAsync(&memory, bytes, pool, NULL) == cudaSuccess && cudaFreeAsync(memory, NULL) == cudaSuccess;
    (void)cudaGetLastError();
    return taken ? bytes : 0;
}

static roost_status pool_of_device(struct backend *b, int ordinal, cudaMemPool_t *pool)
{
    roost_status status = ROOST_OK;
    pthread_mutex_lock(&pools_lock); /* two threads may make its first table */
    if (!pools[ordinal].pool) {
        status = pool_make(b, ordinal, &pools[ordinal].pool);
        if (!status) pools[ordinal].warm = pool_warm(pools[ordinal].pool);
        else pools[ordinal].pool = NULL;
    }
    *pool = pools[ordinal].pool;
    pthread_mutex_unlock(&pools_lock);
    return status;
}

/* ---- Pinned memory of the host --------------------------------------------------------------- */

/* Pins memory from the caller's allocator in place. */
static roost_status pin(struct backend *b, size_t bytes, void **memory)
{
    *memory = host_new(&b->allocator, bytes);
    if (!*memory) return error_set(b->error, ROOST_ERR_MEMORY, "%zu bytes of host memory were refused", bytes);
    const cudaError_t code = cudaHostRegister(*memory, bytes, cudaHostRegisterDefault);
    if (code == cudaSuccess) return ROOST_OK;
    host_delete(&b->allocator, *memory, bytes);
    *memory = NULL;
    return cuda_failed(b, code, "cudaHostRegister");
}

static roost_status cuda_pinned_allocate(struct backend *b, size_t bytes, void **memory)
{
    CUDA_TRY(b, cudaSetDevice(b->ordinal));
    if (b->allocator.allocate) return pin(b, bytes, memory);
    CUDA_TRY(b, cudaMallocHost(memory, bytes));
    return ROOST_OK;
}

static void cuda_pinned_release(struct backend *b, void *memory, size_t bytes)
{
    if (!memory) return;
    const bool ours = !b->allocator.allocate;
    if ((ours ? cudaFreeHost(memory) : cudaHostUnregister(memory)) != cudaSuccess) (void)cudaGetLastError();
    if (!ours) host_delete(&b->allocator, memory, bytes);
}

/* The backend's own pinned memory, from a table that is gone if there is one. */
static roost_status own_pinned_take(struct backend *b, int ordinal)
{
    void **const memory = &state_of(b)->pinned;
    if (!b->allocator.allocate) {
        pthread_mutex_lock(&pools_lock);
        if (pools[ordinal].pinned_n) *memory = pools[ordinal].pinned[--pools[ordinal].pinned_n];
        pthread_mutex_unlock(&pools_lock);
    }
    if (*memory) memset(*memory, 0, PINNED_ALL); /* as new memory is */
    return *memory ? ROOST_OK : cuda_pinned_allocate(b, PINNED_ALL, memory);
}

static void own_pinned_give(struct backend *b)
{
    void *memory = state_of(b)->pinned;
    if (memory && !b->allocator.allocate) {
        pthread_mutex_lock(&pools_lock);
        const bool room = pools[b->ordinal].pinned_n < PINNED_KEPT;
        if (room) pools[b->ordinal].pinned[pools[b->ordinal].pinned_n++] = memory;
        if (room) memory = NULL;
        pthread_mutex_unlock(&pools_lock);
    }
    cuda_pinned_release(b, memory, PINNED_ALL);
}

/* ---- Opening and closing --------------------------------------------------------------------- */

/* Returns memory that tables have freed to the device, except the bytes that the pool was warmed
 * with. */
static void cuda_trim(struct backend *b)
{
    if (!state_of(b)->pool) return;
    if (cudaStreamSynchronize(stream_of(b)) != cudaSuccess ||
        cudaMemPoolTrimTo(state_of(b)->pool, pools[b->ordinal].warm) != cudaSuccess)
        (void)cudaGetLastError();
}

static void cuda_close(struct backend *b)
{
    struct cuda_state *s = state_of(b);
    cudaSetDevice(b->ordinal);
    cudaDeviceSynchronize();
    cuda_trim(b);
    if (s->last_write) cudaEventDestroy(s->last_write);
    for (int i = 0; i < BACKEND_SNAPSHOTS; i++)
        if (s->snapshots[i]) cudaEventDestroy(s->snapshots[i]);
    for (int i = 0; i < READERS; i++)
        if (s->readers[i].event) cudaEventDestroy(s->readers[i].event);
    for (int i = 0; i < BACKEND_MARKS; i++)
        if (s->marks[i]) cudaEventDestroy(s->marks[i]);
    for (int i = 0; i < QUEUES; i++)
        if (s->beside[i]) cudaStreamDestroy(s->beside[i]);
    own_pinned_give(b);
    (void)cudaGetLastError(); /* a failed context must not prevent the release */
    host_delete(&b->allocator, s, sizeof *s);
}

static roost_status model_of_device(struct backend *b, int ordinal)
{
    struct cudaDeviceProp properties;
    cudaError_t code = cudaSuccess;
    pthread_mutex_lock(&pools_lock);
    if (!*pools[ordinal].model) {
        code = cudaGetDeviceProperties(&properties, ordinal);
        if (code == cudaSuccess) pools[ordinal].memory_bytes = properties.totalGlobalMem;
        if (code == cudaSuccess) snprintf(pools[ordinal].model, sizeof pools[ordinal].model, "%.79s", properties.name);
    }
    strcpy(b->model, pools[ordinal].model);
    b->memory_bytes = pools[ordinal].memory_bytes;
    pthread_mutex_unlock(&pools_lock);
    CUDA_TRY(b, code);
    return ROOST_OK;
}

static roost_status open_resources(struct backend *b, int ordinal)
{
    int major = 0, shared = 0;
    if (ordinal >= MAX_DEVICES)
        return error_set(b->error, ROOST_ERR_UNSUPPORTED, "cuda:%d: devices up to %d are supported", ordinal, MAX_DEVICES - 1);
    CUDA_TRY(b, cudaSetDevice(ordinal));
    CUDA_TRY(b, cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
    b->block_bytes = (uint32_t)shared;
    CUDA_TRY(b, cudaDeviceGetAttribute(&state_of(b)->multiprocessors, cudaDevAttrMultiProcessorCount, ordinal));
    CUDA_TRY(b, cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal));
    b->atomic128 = major >= 9;
    b->mapped_unit = b->device_allocator.allocate ? 0 : cuda_mapping_unit(ordinal);
    for (int i = 0; i < BACKEND_SNAPSHOTS; i++)
        CUDA_TRY(b, cudaEventCreateWithFlags(&state_of(b)->snapshots[i], cudaEventDisableTiming));
    CUDA_TRY(b, cudaEventCreateWithFlags(&state_of(b)->last_write, cudaEventDisableTiming));
    roost_status status = model_of_device(b, ordinal);
    if (!status) status = own_pinned_take(b, ordinal);
    return status || b->device_allocator.allocate ? status : pool_of_device(b, ordinal, &state_of(b)->pool);
}

static roost_status cuda_open(struct backend *b, int ordinal)
{
    b->state = host_new(&b->allocator, sizeof(struct cuda_state));
    if (!b->state) return error_set(b->error, ROOST_ERR_MEMORY, "no memory for the backend");
    const roost_status status = open_resources(b, ordinal);
    if (status) cuda_close(b);
    return status;
}

static roost_status cuda_allocate(struct backend *b, size_t bytes, void **memory)
{
    const roost_device_allocator *own = &b->device_allocator;
    CUDA_TRY(b, cudaSetDevice(b->ordinal));
    if (!own->allocate) {
        CUDA_TRY(b, cudaMallocFromPoolAsync(memory, bytes, state_of(b)->pool, stream_of(b)));
        return ROOST_OK;
    }
    *memory = own->allocate(own->context, bytes, b->stream);
    return *memory ? ROOST_OK : error_set(b->error, ROOST_ERR_MEMORY, "%zu bytes of device memory were refused", bytes);
}

static void cuda_release(struct backend *b, void *memory, size_t bytes)
{
    if (b->device_allocator.release) b->device_allocator.release(b->device_allocator.context, memory, bytes, b->stream);
    else if (cudaFreeAsync(memory, stream_of(b)) != cudaSuccess) (void)cudaGetLastError();
}

/* Memory that tables have freed is the pool's until it is trimmed, so what is refused is tried
 * again. */
static roost_status cuda_remap(struct backend *b, void **memory, size_t from, size_t to)
{
    const struct error_mark before = error_keep(b->error);
    CUDA_TRY(b, cudaSetDevice(b->ordinal));
    roost_status status = cuda_mapping_resize(b, &state_of(b)->mappings, memory, from, to);
    if (status != ROOST_ERR_MEMORY) return status;
    cuda_trim(b);
    status = cuda_mapping_resize(b, &state_of(b)->mappings, memory, from, to);
    if (!status) error_restore(&before);
    return status;
}

static roost_status cuda_fill(struct backend *b, void *memory, int byte, size_t bytes)
{
    CUDA_TRY(b, cudaMemsetAsync(memory, byte, bytes, stream_of(b)));
    return ROOST_OK;
}

static roost_status cuda_copy(struct backend *b, void *to, const void *from, size_t bytes)
{
    CUDA_TRY(b, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(b)));
    return ROOST_OK;
}

roost_status cuda_copy_now(struct backend *b, void *to, const void *from, size_t bytes)
{
    CUDA_TRY(b, cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    CUDA_TRY(b, cudaStreamSynchronize(cudaStreamLegacy)); /* between devices it was only enqueued */
    return ROOST_OK;
}

static roost_status cuda_wait(struct backend *b)
{
    CUDA_TRY(b, cudaStreamSynchronize(stream_of(b)));
    return ROOST_OK;
}

/* Small reads go through pinned memory: a copy to pageable memory would stall the stream a
 * second time. */
static roost_status cuda_read(struct backend *b, void *to_host, const void *from, size_t bytes)
{
    void *through = bytes <= PINNED ? state_of(b)->pinned : to_host;
    CUDA_TRY(b, cudaMemcpyAsync(through, from, bytes, cudaMemcpyDefault, stream_of(b)));
    const roost_status status = cuda_wait(b);
    if (!status && through != to_host) memcpy(to_host, through, bytes);
    return status;
}

static void *snapshot_at(struct backend *b, int place) { return (char *)state_of(b)->pinned + PINNED + place * BACKEND_SNAPSHOT; }

static roost_status cuda_snapshot(struct backend *b, int place, const void *from, size_t bytes)
{
    CUDA_TRY(b, cudaMemcpyAsync(snapshot_at(b, place), from, bytes, cudaMemcpyDeviceToHost, stream_of(b)));
    CUDA_TRY(b, cudaEventRecord(state_of(b)->snapshots[place], stream_of(b)));
    return ROOST_OK;
}

/* The event follows the last of all snapshots at this place.  When it has passed, no copy to this
 * memory is in flight. */
static bool cuda_arrived(struct backend *b, int place, void *to, size_t bytes)
{
    const cudaError_t code = cudaEventQuery(state_of(b)->snapshots[place]);
    if (code == cudaSuccess) memcpy(to, snapshot_at(b, place), bytes);
    else (void)cudaGetLastError();
    return code == cudaSuccess;
}

static int threads_of(const struct kernel *k) { return k->threads ? k->threads : BLOCK; }

static size_t shared_bytes(const struct kernel *k) { return (size_t)(threads_of(k) / k->tile) * k->scratch_bytes + k->block_bytes; }

/* Allows a kernel its shared memory.  A kernel whose tables need different sizes gets all that a
 * block can have: the size that one table sets must not be too small for another. */
static roost_status allow_shared(struct backend *b, const struct kernel *k)
{
    const size_t bytes = k->block_bytes ? b->block_bytes : shared_bytes(k);
    CUDA_TRY(b, cudaFuncSetAttribute(k->cuda, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return ROOST_OK;
}

/* Blocks of this kernel that fit on the whole GPU at the same time.  Asked once per kernel and
 * size. */
static roost_status resident_blocks(struct backend *b, const struct kernel *k, int *blocks)
{
    struct cuda_state *s = state_of(b);
    const size_t shared = shared_bytes(k);
    int i = 0;
    while (i < KERNELS_SEEN && s->occupancy[i].function && s->occupancy[i].function != k->cuda) i++;
    if (i < KERNELS_SEEN && s->occupancy[i].function && s->occupancy[i].shared == shared) {
        *blocks = s->occupancy[i].blocks;
        return ROOST_OK;
    }
    int per_multiprocessor = 0;
    const roost_status status = allow_shared(b, k);
    if (status) return status;
    CUDA_TRY(b, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, k->cuda, threads_of(k), shared));
    if (per_multiprocessor < 1) return error_set(b->error, ROOST_ERR_DEVICE, "kernel %s does not fit this GPU", k->name);
    if (k->items < 0 && per_multiprocessor > -k->items) per_multiprocessor = -k->items;
    *blocks = per_multiprocessor * s->multiprocessors;
    if (i < KERNELS_SEEN) {
        s->occupancy[i].function = k->cuda;
        s->occupancy[i].shared = shared;
        s->occupancy[i].blocks = *blocks;
    }
    return ROOST_OK;
}

/* Asking how many blocks are resident loads the kernel. */
static roost_status cuda_prepare(struct backend *b, const struct kernel *k)
{
    int blocks;
    CUDA_TRY(b, cudaSetDevice(b->ordinal));
    return resident_blocks(b, k, &blocks);
}

static roost_status cuda_launch(struct backend *b, const struct kernel *k, const void *args, size_t args_bytes, uint64_t n)
{
    (void)args_bytes;
    if (n == 0) return ROOST_OK;
    CUDA_TRY(b, cudaSetDevice(b->ordinal));
    int most = 0;
    const roost_status status = resident_blocks(b, k, &most);
    if (status) return status;
    const uint64_t per_block = (unsigned)(threads_of(k) / k->tile) * (k->items > 0 ? (unsigned)k->items : 1u);
    const uint64_t wanted = (n + per_block - 1) / per_block,
                   blocks = k->items > 0 || wanted < (uint64_t)most ? wanted : (uint64_t)most;
    if (blocks > INT_MAX) return error_set(b->error, ROOST_ERR_ARGUMENT, "%" PRIu64 " items are more than one launch takes", n);
    const struct dim3 grid = {(unsigned)blocks, 1, 1}, block = {(unsigned)threads_of(k), 1, 1};
    void *parameters[] = {(void *)(uintptr_t)args};
    const cudaError_t code = cudaLaunchKernel(k->cuda, grid, block, parameters, shared_bytes(k), stream_of(b));
    return code == cudaSuccess ? ROOST_OK : cuda_failed(b, code, k->name);
}

/* Of memory; unregistered also if the driver does not know it.  A thread that has used no
 * GPU before would get a context on GPU 0 by the question, so the table's GPU is chosen first. */
static struct cudaPointerAttributes attributes_of(const struct backend *b, const void *memory)
{
    struct cudaPointerAttributes attributes;
    if (b) (void)cudaSetDevice(b->ordinal);
    if (cudaPointerGetAttributes(&attributes, memory) == cudaSuccess) return attributes;
    (void)cudaGetLastError();
    memset(&attributes, 0, sizeof attributes);
    attributes.type = cudaMemoryTypeUnregistered;
    return attributes;
}

static enum cudaMemoryType memory_type(const struct backend *b, const void *memory) { return attributes_of(b, memory).type; }

int cuda_ordinal_of(const struct backend *b, const void *memory)
{
    const struct cudaPointerAttributes attributes = attributes_of(b && b->ordinal >= 0 ? b : NULL, memory);
    return attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

static roost_space cuda_locate(struct backend *b, const void *memory)
{
    const enum cudaMemoryType type = memory_type(b, memory);
    return type == cudaMemoryTypeDevice || type == cudaMemoryTypeManaged ? ROOST_SPACE_DEVICE : ROOST_SPACE_HOST;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

static roost_status queue_stream(struct backend *b, enum queue queue, cudaStream_t *stream)
{
    cudaStream_t *beside = &state_of(b)->beside[queue];
    CUDA_TRY(b, cudaSetDevice(b->ordinal));
    if (queue != QUEUE_WORK && !*beside) {
        /* The way's short kernels go first: behind a long one that has begun they would wait for
         * its end. */
        int least = 0, greatest = 0;
        CUDA_TRY(b, cudaDeviceGetStreamPriorityRange(&least, &greatest));
        CUDA_TRY(b, cudaStreamCreateWithPriority(beside, cudaStreamNonBlocking, queue == QUEUE_WAY ? greatest : least));
    }
    *stream = queue == QUEUE_WORK ? stream_of(b) : *beside;
    return ROOST_OK;
}

static roost_status cuda_stream_of(struct backend *b, enum queue queue, void **stream)
{
    cudaStream_t found = NULL;
    const roost_status status = queue_stream(b, queue, &found);
    *stream = found;
    return status;
}

static roost_status cuda_transfer(struct backend *b, enum queue queue, void *to, const void *from, size_t bytes)
{
    cudaStream_t stream = NULL;
    const roost_status status = queue_stream(b, queue, &stream);
    if (status) return status;
    CUDA_TRY(b, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
    return ROOST_OK;
}

static roost_status cuda_mark(struct backend *b, enum queue queue, int mark)
{
    cudaEvent_t *event = &state_of(b)->marks[mark];
    cudaStream_t stream = NULL;
    const roost_status status = queue_stream(b, queue, &stream);
    if (status) return status;
    if (!*event) CUDA_TRY(b, cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    CUDA_TRY(b, cudaEventRecord(*event, stream));
    return ROOST_OK;
}

static roost_status cuda_follow(struct backend *b, enum queue queue, const struct backend *of, int mark)
{
    const cudaEvent_t event = ((const struct cuda_state *)of->state)->marks[mark];
    cudaStream_t stream = NULL;
    const roost_status status = queue_stream(b, queue, &stream);
    if (status || !event) return status;
    CUDA_TRY(b, cudaStreamWaitEvent(stream, event, 0));
    return ROOST_OK;
}

static roost_status cuda_await(struct backend *b, int mark)
{
    if (state_of(b)->marks[mark]) CUDA_TRY(b, cudaEventSynchronize(state_of(b)->marks[mark]));
    return ROOST_OK;
}

static bool cuda_is_pinned(struct backend *b, const void *memory) { return memory_type(b, memory) == cudaMemoryTypeHost; }

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Waits for events, not for the earlier streams, whose owners may have destroyed them.  A new
 * stream may have the address of an old one.  So no event is skipped because its stream equals
 * the call's. */
static roost_status wait_for_reads(struct backend *b, cudaStream_t stream)
{
    struct cuda_state *s = state_of(b);
    for (int i = 0; i < READERS; i++) {
        if (!s->readers[i].pending) continue;
        CUDA_TRY(b, cudaStreamWaitEvent(stream, s->readers[i].event, 0));
        s->readers[i].pending = false;
    }
    return ROOST_OK;
}

/* The caller orders a graph's launches against writes.  A wait here for work outside the capture
 * would end the capture. */
static roost_status cuda_begin(struct backend *b, void *stream, bool writes)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    CUDA_TRY(b, cudaSetDevice(b->ordinal));
    CUDA_TRY(b, cudaStreamIsCapturing((cudaStream_t)stream, &capture));
    b->capturing = capture == cudaStreamCaptureStatusActive;
    b->stream = stream;
    if (b->capturing) return ROOST_OK;
    CUDA_TRY(b, cudaStreamWaitEvent((cudaStream_t)stream, state_of(b)->last_write, 0));
    return writes ? wait_for_reads(b, (cudaStream_t)stream) : ROOST_OK;
}

/* The place for this stream's last read.  If there are more streams than places, several share
 * one, and their work is serialised. */
static struct reader *reader_of(struct cuda_state *s, cudaStream_t stream)
{
    struct reader *found = &s->readers[0];
    for (int i = 0; i < READERS; i++) {
        if (s->readers[i].pending && s->readers[i].stream == stream) return &s->readers[i];
        if (!s->readers[i].pending) found = &s->readers[i];
    }
    return found;
}

static roost_status cuda_end(struct backend *b, bool writes)
{
    struct cuda_state *s = state_of(b);
    if (b->capturing) return ROOST_OK;
    if (writes) {
        CUDA_TRY(b, cudaEventRecord(s->last_write, stream_of(b)));
        return ROOST_OK;
    }
    struct reader *reader = reader_of(s, stream_of(b));
    if (!reader->event) CUDA_TRY(b, cudaEventCreateWithFlags(&reader->event, cudaEventDisableTiming));
    if (reader->pending) CUDA_TRY(b, cudaStreamWaitEvent(stream_of(b), reader->event, 0));
    CUDA_TRY(b, cudaEventRecord(reader->event, stream_of(b)));
    reader->stream = stream_of(b);
    reader->pending = true;
    return ROOST_OK;
}

static const struct backend_operations cuda_operations = {
    .machine = MACHINE_CUDA,
    .enqueues = true,
    .open = cuda_open,
    .close = cuda_close,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .remap = cuda_remap,
    .fill = cuda_fill,
    .copy = cuda_copy,
    .read = cuda_read,
    .prepare = cuda_prepare,
    .launch = cuda_launch,
    .wait = cuda_wait,
    .snapshot = cuda_snapshot,
    .arrived = cuda_arrived,
    .locate = cuda_locate,
    .trim = cuda_trim,
    .transfer = cuda_transfer,
    .mark = cuda_mark,
    .follow = cuda_follow,
    .await = cuda_await,
    .stream_of = cuda_stream_of,
    .is_pinned = cuda_is_pinned,
    .pinned_allocate = cuda_pinned_allocate,
    .pinned_release = cuda_pinned_release,
    .begin = cuda_begin,
    .end = cuda_end,
};

/* Asks once, because asking starts the driver. */
int cuda_device_count(void)
{
    static int known = -1;
    int count = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (count >= 0) return count;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();
        count = 0;
    }
    __atomic_store_n(&known, count, __ATOMIC_RELAXED); /* all threads get the same answer */
    return count;
}

const struct backend_operations *cuda_operations_if_any(void) { return cuda_device_count() > 0 ? &cuda_operations : NULL; }

roost_status cuda_describe(int ordinal, roost_device_info *info)
{
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, ordinal) != cudaSuccess) {
        (void)cudaGetLastError();
        return ROOST_ERR_DEVICE;
    }
    snprintf(info->name, sizeof info->name, "cuda:%d", ordinal);
    snprintf(info->model, sizeof info->model, "%.79s", properties.name);
    snprintf(info->description, sizeof info->description, "%.80s, compute capability %d.%d, %d multiprocessors", properties.name,
             properties.major, properties.minor, properties.multiProcessorCount);
    info->memory_bytes = properties.totalGlobalMem;
    info->l2_bytes = (uint64_t)properties.l2CacheSize;
    return ROOST_OK;
}
