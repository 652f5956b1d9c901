/* The slab allocator's kernels. They fill bitmaps to a share, take units, one per thread, and
 * check the taken units against the bitmaps. Plain atomics over as many bytes give the limit.
 * Units have addresses here but no memory: taking one does not touch it. */
#include "alloc.h"
#include "cuda_check.h"
#include "portable/slab_alloc.h"

#include <algorithm>

enum {
    SUPERS = 32,
    SUPER_BLOCKS = 1024,
    BLOCKS = SUPERS * SUPER_BLOCKS,
    WORDS = BLOCKS * SLAB_BLOCK_WORDS,
    TAKES = 1 << 20,
    BLOCK = 256
};

/* A pool's memory: the bitmaps, their expected contents, and the results. */
struct alloc_field {
    struct slab_pool pool;
    uint32_t *bitmaps, *expected, *exhausted, *handles;
    unsigned long long *wrong;
};

static __device__ __forceinline__ uint64_t scatter(uint64_t x)
{
    x = (x + 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    x ^= x >> 32;
    x *= 0xA0761D6478BD642Fu;
    return x ^ (x >> 29);
}

/* Takes each unit with a probability of `taken` per mille. */
static __global__ void fill_kernel(struct alloc_field f, int taken, uint64_t seed)
{
    for (uint32_t word = blockIdx.x * blockDim.x + threadIdx.x; word < WORDS; word += gridDim.x * blockDim.x) {
        uint32_t bits = 0;
        for (uint32_t bit = 0; bit < 32; bit++)
            bits |= (uint32_t)(scatter(seed + word * 32ull + bit) % 1000 < (uint64_t)taken) << bit;
        f.bitmaps[word] = f.expected[word] = bits;
    }
}

/* Takes one unit for each thread. */
static __device__ __forceinline__ void take_units(const int lanes, const struct alloc_field &f)
{
    const tile g = tile_make(lanes);
    const uint64_t thread = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    struct slab_resident resident = slab_resident_none((uint32_t)tile_rank(lanes));
    uint32_t mine = SLAB_NONE;
    for (int lane = 0; lane < lanes; lane++) {
        const uint32_t handle = slab_take(&f.pool, g, &resident);
        if (g.lane == lane) mine = handle;
    }
    f.handles[thread] = mine;
}

static __global__ void take_32_kernel(const __grid_constant__ struct alloc_field f) { take_units(32, f); }
static __global__ void take_4_kernel(const __grid_constant__ struct alloc_field f) { take_units(4, f); }

static __global__ void taken_kernel(const __grid_constant__ struct alloc_field f)
{
    const uint32_t handle = f.handles[blockIdx.x * blockDim.x + threadIdx.x];
    const uint32_t super = f.pool.light ? 0 : handle >> 24, in_super = f.pool.light ? handle : handle & 0xffffffu;
    const bool is_unit = handle != SLAB_NONE && super < f.pool.supers;
    const uint32_t word = is_unit ? f.pool.first_block[super] * SLAB_BLOCK_WORDS + in_super / 32 : WORDS, bit = 1u << (handle % 32);
    if (word >= WORDS || (atomicOr(&f.expected[word], bit) & bit)) atomicAdd(f.wrong, 1ull);
}

static __global__ void compare_kernel(struct alloc_field f)
{
    const uint32_t word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word < WORDS && f.bitmaps[word] != f.expected[word]) atomicAdd(f.wrong, 1ull);
}

/* ORs random words, as often as units are taken; each thread has `ilp` of them in flight. */
template <int ilp> static __global__ void or_kernel(struct alloc_field f, uint64_t seed)
{
    const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    uint32_t seen[ilp];
#pragma unroll
    for (int k = 0; k < ilp; k++) {
        const uint64_t random = scatter(seed + first + (uint64_t)k * threads);
        seen[k] = atomicOr(&f.bitmaps[random % WORDS], 1u << (random >> 59));
    }
#pragma unroll
    for (int k = 0; k < ilp; k++) f.handles[first + k * threads] = seen[k];
}

template <typename T> static void make(T **array, size_t n) { CUDA_CHECK(cudaMalloc(array, n * sizeof **array)); }

static struct alloc_field alloc_field_make(int light)
{
    struct alloc_field f = {};
    make(&f.bitmaps, WORDS);
    make(&f.expected, WORDS);
    make(&f.exhausted, 1);
    make(&f.handles, TAKES);
    make(&f.wrong, 1);
    CUDA_CHECK(cudaMemset(f.exhausted, 0, sizeof *f.exhausted));
    CUDA_CHECK(cudaMemset(f.wrong, 0, sizeof *f.wrong));
    f.pool.exhausted = f.exhausted;
    f.pool.light = (uint32_t)light;
    f.pool.supers = light ? 1 : SUPERS;
    for (uint32_t i = 0; i < f.pool.supers; i++) {
        f.pool.first_block[i + 1] = light ? (uint32_t)BLOCKS : (i + 1) * SUPER_BLOCKS;
        f.pool.units[i] = (unsigned char *)(f.bitmaps + (size_t)f.pool.first_block[i + 1] * SLAB_BLOCK_WORDS);
    }
    return f;
}

static void alloc_field_free(struct alloc_field f)
{
    CUDA_CHECK(cudaFree(f.bitmaps));
    CUDA_CHECK(cudaFree(f.expected));
    CUDA_CHECK(cudaFree(f.exhausted));
    CUDA_CHECK(cudaFree(f.handles));
    CUDA_CHECK(cudaFree(f.wrong));
}

static void field_fill(struct alloc_field f, int per_mille, uint64_t seed)
{
    fill_kernel<<<WORDS / BLOCK / 8, BLOCK>>>(f, per_mille, seed);
    CUDA_CHECK_LAUNCH();
}

/* The seconds that the work enqueued by `launch` takes. */
template <typename F> static double seconds_of(F launch)
{
    cudaEvent_t start, stop;
    float milliseconds;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaEventRecord(start));
    launch();
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return 1e-3 * milliseconds;
}

static uint64_t wrong_units(struct alloc_field f)
{
    unsigned long long wrong;
    taken_kernel<<<TAKES / BLOCK, BLOCK>>>(f);
    CUDA_CHECK_LAUNCH();
    compare_kernel<<<WORDS / BLOCK, BLOCK>>>(f);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&wrong, f.wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    return wrong;
}

extern "C" struct alloc_result alloc_cuda(struct alloc_case c, uint64_t seed)
{
    struct alloc_result result = {};
    const struct alloc_field f = alloc_field_make(c.light);
    const int half = (int)(500ll * TAKES / (32ll * WORDS)), filled = c.percent ? 10 * c.percent - half : 0;
    result.taken = TAKES;
    result.bytes = WORDS * sizeof(uint32_t);
    for (double &seconds : result.seconds) {
        field_fill(f, filled, seed++);
        seconds = seconds_of([&] {
            if (c.tile == 32) take_32_kernel<<<TAKES / BLOCK, BLOCK>>>(f);
            else take_4_kernel<<<TAKES / BLOCK, BLOCK>>>(f);
        });
        /* The sum over all repetitions, because the counter is not reset. */
        result.wrong = wrong_units(f);
        result.verified += TAKES;
    }
    alloc_field_free(f);
    return result;
}

template <int ilp> static void or_best(struct alloc_field f, uint64_t seed, struct limit *limit)
{
    for (int block = 128; block <= 512; block *= 2) {
        double seconds[LIMIT_REPETITIONS];
        for (double &s : seconds) {
            field_fill(f, 0, seed++);
            s = seconds_of([&] { or_kernel<ilp><<<TAKES / ilp / block, block>>>(f, seed); });
        }
        std::sort(seconds, seconds + LIMIT_REPETITIONS);
        const double rate = TAKES / seconds[LIMIT_REPETITIONS / 2];
        if (rate <= limit->rate) continue;
        limit->rate = rate;
        std::copy(seconds, seconds + LIMIT_REPETITIONS, limit->seconds);
        snprintf(limit->shape, sizeof limit->shape, "%d in flight, %d blocks of %d", ilp, TAKES / ilp / block, block);
    }
}

extern "C" struct limit alloc_limit(uint64_t seed)
{
    struct limit limit = {};
    const struct alloc_field f = alloc_field_make(0);
    limit.operations = TAKES;
    or_best<1>(f, seed, &limit);
    or_best<2>(f, seed, &limit);
    or_best<4>(f, seed, &limit);
    alloc_field_free(f);
    return limit;
}
