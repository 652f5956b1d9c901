/* The GPU as the benchmark's machine: device memory, kernels that make the workload's arrays and
 * verify answers, and a clock of CUDA events. */
#include "bench_machine.h"
#include "cuda_check.h"

#include <cuda_profiler_api.h>
#include <string.h>

enum { BLOCK = 256 };

static cudaStream_t stream;
static cudaEvent_t event_start, event_stop;
static int multiprocessors;

/* A loop over every index below n, for a grid of any size. */
#define FOR_EACH_INDEX(i, n)                                                                                                       \
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < (n); i += gridDim.x * (uint64_t)blockDim.x)

static unsigned grid_for(uint64_t n)
{
    const uint64_t most = (uint64_t)multiprocessors * 32, blocks = (n + BLOCK - 1) / BLOCK;
    return (unsigned)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void *device_allocate(size_t bytes)
{
    void *memory = NULL;
    CUDA_CHECK(cudaMalloc(&memory, bytes ? bytes : 1));
    return memory;
}

static void device_release(void *memory, size_t bytes)
{
    (void)bytes;
    CUDA_CHECK(cudaFree(memory));
}

static void device_fill(void *memory, int byte, size_t bytes) { CUDA_CHECK(cudaMemsetAsync(memory, byte, bytes, stream)); }

static void device_fetch(void *to_host, const void *from, size_t bytes)
{
    CUDA_CHECK(cudaMemcpyAsync(to_host, from, bytes, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
}

static void *device_stream(void) { return stream; }

static void device_wait(void) { CUDA_CHECK(cudaStreamSynchronize(stream)); }

extern "C" void *machine_pinned_allocate(size_t bytes)
{
    void *memory = NULL;
    CUDA_CHECK(cudaMallocHost(&memory, bytes));
    memset(memory, 0, bytes);
    return memory;
}

extern "C" void machine_pinned_release(void *memory) { CUDA_CHECK(cudaFreeHost(memory)); }

/* ---- The clock ------------------------------------------------------------------------------- */

static void device_clock_start(void) { CUDA_CHECK(cudaEventRecord(event_start, stream)); }

static double device_clock_stop(void)
{
    float milliseconds = 0;
    CUDA_CHECK(cudaEventRecord(event_stop, stream));
    CUDA_CHECK(cudaEventSynchronize(event_stop));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, event_start, event_stop));
    return 1e-3 * milliseconds;
}

static void device_profile(bool on)
{
    device_wait();
    CUDA_CHECK(on ? cudaProfilerStart() : cudaProfilerStop());
}

/* ---- The workload ---------------------------------------------------------------------------- */

static __global__ void keys_kernel(struct workload w, uint64_t first, uint64_t step, uint64_t n, void *keys, void *values)
{
    FOR_EACH_INDEX(i, n)
    {
        uint64_t key = workload_stored_key(w, first + step * i);
        if (keys) workload_store(keys, w.key_bytes, i, key);
        if (values) workload_store(values, w.value_bytes, i, workload_value(w, key));
    }
}

static __global__ void queries_kernel(struct workload w, struct drawing d, uint64_t n, void *queries, void *values)
{
    FOR_EACH_INDEX(i, n) query_store(w, d, i, queries, values);
}

static __global__ void wrong_kernel(struct workload w, struct answers a, unsigned long long *wrong)
{
    FOR_EACH_INDEX(i, a.n)
    {
        if (!workload_answer_right(w, a, i)) atomicAdd(wrong, 1ull);
    }
}

static __global__ void mix_kernel(struct workload w, struct mix mix, struct mix_arrays a)
{
    FOR_EACH_INDEX(j, mix.n) mix_store(w, mix, j, a);
}

static __global__ void mix_wrong_kernel(struct workload w, struct mix mix, struct mix_arrays a, unsigned long long *wrong)
{
    FOR_EACH_INDEX(j, mix.n)
    {
        if (!mix_right(w, mix, j, a)) atomicAdd(wrong, 1ull);
    }
}

static __global__ void status_kernel(const uint8_t *statuses, uint64_t first, uint64_t n, uint8_t status, unsigned long long *count)
{
    unsigned long long mine = 0;
    FOR_EACH_INDEX(i, n) mine += i % 2 == first && statuses[i] == status;
    if (mine) atomicAdd(count, mine);
}

/* Sets the bit of every key's preimage and counts the bits that were not set before. */
static __global__ void distinct_kernel(struct workload w, const void *keys, uint64_t n, uint32_t *seen,
                                       unsigned long long *distinct)
{
    unsigned long long mine = 0;
    FOR_EACH_INDEX(i, n)
    {
        const uint64_t preimage = workload_preimage(w, workload_load(keys, w.key_bytes, i));
        const uint32_t bit = 1u << (preimage % 32);
        mine += !(atomicOr(&seen[preimage / 32], bit) & bit);
    }
    if (mine) atomicAdd(distinct, mine);
}

static void device_make_keys(struct workload w, uint64_t first, uint64_t step, uint64_t n, void *keys, void *values)
{
    keys_kernel<<<grid_for(n), BLOCK, 0, stream>>>(w, first, step, n, keys, values);
    CUDA_CHECK_LAUNCH();
    device_wait();
}

static void device_make_queries(struct workload w, struct drawing d, uint64_t n, void *queries, void *values)
{
    queries_kernel<<<grid_for(n), BLOCK, 0, stream>>>(w, d, n, queries, values);
    CUDA_CHECK_LAUNCH();
    device_wait();
}

static unsigned long long *counter_make(void)
{
    unsigned long long *counter = (unsigned long long *)device_allocate(sizeof *counter);
    device_fill(counter, 0, sizeof *counter);
    return counter;
}

/* Waits, reads the counter and frees it. */
static uint64_t counter_take(unsigned long long *counter)
{
    unsigned long long count = 0;
    CUDA_CHECK(cudaMemcpyAsync(&count, counter, sizeof count, cudaMemcpyDeviceToHost, stream));
    device_wait();
    device_release(counter, sizeof *counter);
    return count;
}

static uint64_t device_count_wrong(struct workload w, struct answers a)
{
    unsigned long long *wrong = counter_make();
    wrong_kernel<<<grid_for(a.n), BLOCK, 0, stream>>>(w, a, wrong);
    CUDA_CHECK_LAUNCH();
    return counter_take(wrong);
}

static __global__ void checksum_kernel(const void *memory, uint64_t bytes, unsigned long long *sum)
{
    unsigned long long mine = 0;
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (bytes + 3) / 4; i += stride)
        mine += checksum_term(memory, bytes, i);
    atomicAdd(sum, mine);
}

static uint64_t device_checksum(const void *memory, uint64_t bytes)
{
    unsigned long long *sum = counter_make();
    checksum_kernel<<<8 * multiprocessors, BLOCK, 0, stream>>>(memory, bytes, sum);
    CUDA_CHECK_LAUNCH();
    return counter_take(sum);
}

static void device_make_mix(struct workload w, struct mix mix, struct mix_arrays a)
{
    mix_kernel<<<grid_for(mix.n), BLOCK, 0, stream>>>(w, mix, a);
    CUDA_CHECK_LAUNCH();
    device_wait();
}

static uint64_t device_count_mix_wrong(struct workload w, struct mix mix, struct mix_arrays a)
{
    unsigned long long *wrong = counter_make();
    mix_wrong_kernel<<<grid_for(mix.n), BLOCK, 0, stream>>>(w, mix, a, wrong);
    CUDA_CHECK_LAUNCH();
    return counter_take(wrong);
}

static uint64_t device_count_status(const uint8_t *statuses, uint64_t first, uint64_t n, uint8_t status)
{
    unsigned long long *count = counter_make();
    status_kernel<<<grid_for(n), BLOCK, 0, stream>>>(statuses, first, n, status, count);
    CUDA_CHECK_LAUNCH();
    return counter_take(count);
}

static uint64_t device_count_distinct(struct workload w, const void *keys, uint64_t n)
{
    const size_t bytes = (w.keys / 16 + 1) * sizeof(uint32_t);
    uint32_t *seen = (uint32_t *)device_allocate(bytes);
    unsigned long long *distinct = counter_make();
    device_fill(seen, 0, bytes);
    distinct_kernel<<<grid_for(n), BLOCK, 0, stream>>>(w, keys, n, seen, distinct);
    CUDA_CHECK_LAUNCH();
    uint64_t count = counter_take(distinct);
    device_release(seen, bytes);
    return count;
}

/* ---- The device ------------------------------------------------------------------------------ */

/* The driver's own version, such as "580.159.04"; empty if the system does not report it. */
static void driver_version(char *text, size_t size)
{
    text[0] = '\0';
    FILE *file = fopen("/sys/module/nvidia/version", "r");
    if (file) {
        if (fgets(text, (int)size, file)) text[strcspn(text, "\n")] = '\0';
        fclose(file);
        return;
    }
    file = fopen("/proc/driver/nvidia/version", "r");
    if (!file) return;
    char line[256];
    if (fgets(line, sizeof line, file)) {
        /* "NVRM version: NVIDIA UNIX ... Kernel Module  580.159.04  ...": the first word that
         * begins with a digit. */
        for (char *word = strtok(line, " \n"); word && !text[0]; word = strtok(NULL, " \n"))
            if (word[0] >= '0' && word[0] <= '9') snprintf(text, size, "%s", word);
    }
    fclose(file);
}

static void facts_read(int ordinal, struct gpu_facts *facts)
{
    struct cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
    snprintf(facts->name, sizeof facts->name, "%s", properties.name);
    driver_version(facts->driver, sizeof facts->driver);
    CUDA_CHECK(cudaDriverGetVersion(&facts->cuda_driver));
    CUDA_CHECK(cudaRuntimeGetVersion(&facts->cuda_runtime));
    facts->multiprocessors = properties.multiProcessorCount;
    facts->memory_bytes = properties.totalGlobalMem;
    facts->l2_bytes = (uint64_t)properties.l2CacheSize;
}

/* The driver's memory is the GPU's own. */
static void device_ready(uint64_t pair_bytes) { (void)pair_bytes; }

static struct machine machine_operations(void)
{
    struct machine m;
    m.name = "gpu";
    m.space = ROOST_SPACE_DEVICE;
    m.allocate = device_allocate;
    m.release = device_release;
    m.fill = device_fill;
    m.fetch = device_fetch;
    m.make_keys = device_make_keys;
    m.make_queries = device_make_queries;
    m.count_wrong = device_count_wrong;
    m.make_mix = device_make_mix;
    m.count_mix_wrong = device_count_mix_wrong;
    m.count_status = device_count_status;
    m.count_distinct = device_count_distinct;
    m.checksum = device_checksum;
    m.stream = device_stream;
    m.wait = device_wait;
    m.clock_start = device_clock_start;
    m.clock_stop = device_clock_stop;
    m.profile = device_profile;
    m.ready = device_ready;
    return m;
}

extern "C" const struct machine *machine_cuda(int ordinal, struct gpu_facts *facts)
{
    static struct machine machine;
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || ordinal >= count) {
        (void)cudaGetLastError();
        return NULL;
    }
    CUDA_CHECK(cudaSetDevice(ordinal));
    facts_read(ordinal, facts);
    multiprocessors = facts->multiprocessors;
    if (!stream) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        CUDA_CHECK(cudaEventCreate(&event_start));
        CUDA_CHECK(cudaEventCreate(&event_stop));
    }
    machine = machine_operations();
    return &machine;
}
