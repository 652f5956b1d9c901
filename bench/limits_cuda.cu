/* The GPU's limits: random gathers; random updates after reading zero, one or two 64-byte lines;
 * and reads and writes of the host's pinned memory.
 *
 * Each pattern is one forced-inline body with constant parameters; the lists below stamp its
 * kernels. To measure a limit, every kernel of the pattern runs with several block and grid
 * sizes; then the best one is timed again.
 *
 * A tile of `tile` lanes reads a granule, each lane `vectors` adjacent 16-byte vectors; `ilp`
 * granules are in flight per tile. Every access reads one 4-byte query, as a find or an insert
 * does, and a gather writes one 4-byte answer. */
#include "cuda_check.h"
#include "bench_limits.h"
#include "bench_machine.h"

#include <algorithm>
#include <string.h>

typedef unsigned long long word;

/* ---- Device code ----------------------------------------------------------------------------- */

static __device__ __forceinline__ uint64_t mix(uint64_t x)
{
    x = (x + 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    x ^= x >> 32;
    x *= 0xA0761D6478BD642Fu;
    return x ^ (x >> 29);
}

/* Uniform in [0, n). */
static __device__ __forceinline__ uint64_t place(uint64_t random, uint64_t n) { return __umul64hi(mix(random), n); }

/* Kinds of load. PASSING: lines read do not stay in L1. FIRST: lines read leave the caches
 * first, so that an index stays there. */
enum load { PLAIN, RELAXED, PASSING, FIRST };
static const char *const load_names[] = {"plain loads", "relaxed loads", "loads past L1", "loads of lines that go first"};

/* No thread reads a location twice, so the compiler may move these loads: none is volatile. */
#define LOAD_VECTOR(load, v, address)                                                                                              \
    asm(load ".v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"((v).x), "=r"((v).y), "=r"((v).z), "=r"((v).w) : "l"(address))
#define LOAD_HALF(load, v, address) asm(load ".v2.u32 {%0, %1}, [%2];" : "=r"((v).x), "=r"((v).y) : "l"(address))

static __device__ __forceinline__ uint4 load_vector(const int load, const uint4 *address)
{
    uint4 v;
    if (load == RELAXED) LOAD_VECTOR("ld.relaxed.gpu.global", v, address);
    else if (load == PASSING) LOAD_VECTOR("ld.global.L1::no_allocate", v, address);
    else if (load == FIRST) LOAD_VECTOR("ld.global.L1::evict_first", v, address);
    else v = *address;
    return v;
}

static __device__ __forceinline__ uint4 load_half(const int load, const uint2 *address)
{
    uint2 v;
    if (load == RELAXED) LOAD_HALF("ld.relaxed.gpu.global", v, address);
    else if (load == PASSING) LOAD_HALF("ld.global.L1::no_allocate", v, address);
    else if (load == FIRST) LOAD_HALF("ld.global.L1::evict_first", v, address);
    else v = *address;
    return make_uint4(v.x, v.y, 0, 0);
}

static __device__ __forceinline__ uint32_t fold(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

/* The lanes of this thread's tile. */
static __device__ __forceinline__ uint32_t tile_mask(const int tile)
{
    const uint32_t lane = threadIdx.x % 32;
    return tile == 32 ? ~0u : ((1u << tile) - 1u) << (lane & ~(uint32_t)(tile - 1));
}

static __device__ __forceinline__ uint32_t tile_fold(const int tile, uint32_t x)
{
#pragma unroll
    for (int d = tile / 2; d > 0; d /= 2) x ^= __shfl_xor_sync(tile_mask(tile), x, d);
    return x;
}

/* The data of a launch. */
struct field {
    char *memory;
    uint64_t memory_bytes;
    char *table; /* the place in it that is accessed */
    uint64_t bytes;
    const uint32_t *queries;
    uint32_t *answers;
    uint64_t n;
    const uint8_t *index; /* NULL: a pattern without an index */
    uint64_t index_bytes;
    bool flags; /* answers have one byte */
};

enum { MOST_IN_FLIGHT = 8, MOST_VECTORS = 4 };

/* Queries i, i + step, ...: all are loaded before the first is used. */
static __device__ __forceinline__ void load_queries(const int ilp, struct field f, uint64_t i, uint64_t step, uint32_t *query)
{
#pragma unroll
    for (int k = 0; k < ilp; k++) query[k] = i + k * step < f.n ? f.queries[i + k * step] : 0;
}

/* What selects a query's granule: the query and, with an index, the byte that it points to.
 * Loaded for all queries in flight at once. */
static __device__ __forceinline__ void load_places(const int indexed, const int ilp, struct field f, const uint32_t *query,
                                                   uint64_t *where)
{
#pragma unroll
    for (int k = 0; k < ilp; k++) {
        where[k] = query[k];
        if (indexed) where[k] |= (uint64_t)f.index[place(query[k] | 1ull << 40, f.index_bytes)] << 32;
    }
}

/* vectors == 0: a granule of 8 bytes. */
static __device__ __forceinline__ void gather(const int indexed, const int tile, const int vectors, const int ilp, const int load,
                                              struct field f)
{
    const uint64_t thread = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, tiles = gridDim.x * (uint64_t)blockDim.x / tile;
    const int lane = threadIdx.x % tile, share = vectors ? vectors * 16 : 8;
    const uint64_t granules = f.bytes / ((uint64_t)tile * share);
    for (uint64_t i = thread / tile; i < f.n; i += tiles * ilp) {
        uint32_t query[MOST_IN_FLIGHT];
        uint64_t where[MOST_IN_FLIGHT];
        uint4 v[MOST_IN_FLIGHT][MOST_VECTORS];
        load_queries(ilp, f, i, tiles, query);
        load_places(indexed, ilp, f, query, where);
#pragma unroll
        for (int k = 0; k < ilp; k++) {
            const char *granule = f.table + place(where[k], granules) * tile * share + lane * share;
            if (vectors == 0) v[k][0] = load_half(load, (const uint2 *)granule);
#pragma unroll
            for (int x = 0; x < vectors; x++) v[k][x] = load_vector(load, (const uint4 *)granule + x);
        }
#pragma unroll
        for (int k = 0; k < ilp; k++) {
            const uint64_t j = i + k * tiles;
            uint32_t sum = fold(v[k][0]);
#pragma unroll
            for (int x = 1; x < vectors; x++) sum ^= fold(v[k][x]);
            sum = tile_fold(tile, sum);
            if (lane != 0 || j >= f.n) continue;
            if (indexed && f.flags) ((uint8_t *)f.answers)[j] = (uint8_t)sum;
            else f.answers[j] = sum;
        }
    }
}

enum update { UPDATE_CAS, UPDATE_ADD, UPDATE_STORE };

/* Updates one 64-bit word of a 64-byte line that was read before. `old` is its value; `sum`
 * depends on everything that was read. */
static __device__ __forceinline__ word update_word(const int how, word *address, word old, uint32_t sum)
{
    const word new_word = old + (sum | 1u);
    if (how == UPDATE_CAS) return atomicCAS(address, old, new_word);
    if (how == UPDATE_ADD) atomicAdd(address, new_word);
    else *(volatile word *)address = new_word;
    return 0;
}

/* Updates the first word of one lane's share of a line; the query selects the lane. */
static __device__ __forceinline__ void update_lines(const int tile, const int lines, const int how, const int ilp, const int load,
                                                    struct field f)
{
    const uint64_t thread = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, tiles = gridDim.x * (uint64_t)blockDim.x / tile;
    const int lane = threadIdx.x % tile, vectors = 4 / tile;
    word results = 0;
    for (uint64_t i = thread / tile; i < f.n; i += tiles * ilp) {
        uint4 v[MOST_IN_FLIGHT][2][MOST_VECTORS];
        char *at[MOST_IN_FLIGHT];
        uint32_t query[MOST_IN_FLIGHT];
        load_queries(ilp, f, i, tiles, query);
#pragma unroll
        for (int k = 0; k < ilp; k++) {
#pragma unroll
            for (int line = lines - 1; line >= 0; line--) {
                at[k] = f.table + place(query[k] + ((uint64_t)line << 32), f.bytes / 64) * 64 + lane * vectors * 16;
#pragma unroll
                for (int x = 0; x < vectors; x++) v[k][line][x] = load_vector(load, (const uint4 *)at[k] + x);
            }
        }
#pragma unroll
        for (int k = 0; k < ilp; k++) {
            uint32_t sum = 0;
#pragma unroll
            for (int line = 0; line < lines; line++)
#pragma unroll
                for (int x = 0; x < vectors; x++) sum ^= fold(v[k][line][x]);
            sum = tile_fold(tile, sum);
            const word old = v[k][0][0].x | (word)v[k][0][0].y << 32;
            if (i + k * tiles < f.n && (int)(query[k] % tile) == lane) results ^= update_word(how, (word *)at[k], old, sum);
        }
    }
    /* Never true in practice, but the compiler cannot know this and must compute the results. */
    if (results == 0x9E3779B97F4A7C15u) f.answers[0] = 1;
}

/* A CAS from 0 without an earlier read; the table is all zero when the launch begins. */
static __device__ __forceinline__ void update_blind(const int ilp, struct field f)
{
    const uint64_t threads = gridDim.x * (uint64_t)blockDim.x;
    word results = 0;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < f.n; i += threads * ilp) {
#pragma unroll
        for (int k = 0; k < ilp; k++) {
            const uint64_t j = i + k * threads;
            if (j >= f.n) break;
            const uint32_t query = f.queries[j];
            results ^= atomicCAS((word *)f.table + place(query, f.bytes / 8), 0ull, query | 1ull << 32);
        }
    }
    if (results == 0x9E3779B97F4A7C15u) f.answers[0] = 1;
}

/* Kinds of store. HALVES: the words of a pair one after the other. THROUGH: written through the
 * caches. STREAM: lines written leave the caches first. */
enum store { WHOLE, HALVES, THROUGH, STREAM };
static const char *const store_names[] = {"stores of 16 bytes", "two stores of 8 bytes", "stores through the caches",
                                          "stores of lines that go first"};

static __device__ __forceinline__ void store_pair(const int store, uint4 *address, uint4 v)
{
    volatile word *const words = (volatile word *)address;
    if (store == HALVES) {
        words[1] = (word)v.w << 32 | v.z;
        words[0] = (word)v.y << 32 | v.x;
    } else if (store == THROUGH) {
        __stwt(address, v);
    } else if (store == STREAM) {
        __stcs(address, v);
    } else {
        *address = v;
    }
}

/* Writes 16 bytes at a random place for each query. */
static __device__ __forceinline__ void scatter(const int ilp, const int store, struct field f)
{
    const uint64_t threads = gridDim.x * (uint64_t)blockDim.x, granules = f.bytes / sizeof(uint4);
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < f.n; i += threads * ilp) {
        uint32_t query[MOST_IN_FLIGHT];
        load_queries(ilp, f, i, threads, query);
#pragma unroll
        for (int k = 0; k < ilp; k++)
            if (i + k * threads < f.n)
                store_pair(store, (uint4 *)f.table + place(query[k], granules), make_uint4(query[k], 1, ~query[k], 1));
    }
}

/* ---- Kernels --------------------------------------------------------------------------------- */

struct shape {
    enum limit_pattern pattern;
    int tile, ilp, load;
    void (*kernel)(struct field);
};

#define READ_KERNEL(pattern, tile, vectors, ilp, load)                                                                             \
    static __global__ void pattern##_##tile##_##vectors##_##ilp##_##load(struct field f)                                           \
    {                                                                                                                              \
        gather(LIMIT_HAS_INDEX(pattern), tile, vectors, ilp, load, f);                                                             \
    }
#define READ_SHAPE(pattern, tile, vectors, ilp, load) {pattern, tile, ilp, load, pattern##_##tile##_##vectors##_##ilp##_##load},

#define LOADS(X, pattern, tile, vectors, ilp)                                                                                      \
    X(pattern, tile, vectors, ilp, PLAIN)                                                                                          \
    X(pattern, tile, vectors, ilp, RELAXED)                                                                                        \
    X(pattern, tile, vectors, ilp, PASSING)                                                                                        \
    X(pattern, tile, vectors, ilp, FIRST)
#define ILP_TO_2(X, pattern, tile, vectors) LOADS(X, pattern, tile, vectors, 1) LOADS(X, pattern, tile, vectors, 2)
#define ILP_TO_4(X, pattern, tile, vectors) ILP_TO_2(X, pattern, tile, vectors) LOADS(X, pattern, tile, vectors, 4)
#define ILP_TO_8(X, pattern, tile, vectors) ILP_TO_4(X, pattern, tile, vectors) LOADS(X, pattern, tile, vectors, 8)

/* clang-format off */
#define READ_LIST(X) \
    ILP_TO_8(X, LIMIT_GATHER_8, 1, 0) \
    ILP_TO_8(X, LIMIT_GATHER_16, 1, 1) \
    ILP_TO_8(X, LIMIT_GATHER_32, 1, 2) \
    ILP_TO_8(X, LIMIT_GATHER_32, 2, 1) \
    ILP_TO_4(X, LIMIT_GATHER_64, 1, 4) \
    ILP_TO_8(X, LIMIT_GATHER_64, 2, 2) \
    ILP_TO_8(X, LIMIT_GATHER_64, 4, 1) \
    ILP_TO_4(X, LIMIT_GATHER_128, 2, 4) \
    ILP_TO_8(X, LIMIT_GATHER_128, 4, 2) \
    ILP_TO_8(X, LIMIT_GATHER_128, 8, 1) \
    ILP_TO_4(X, LIMIT_GATHER_256, 4, 4) \
    ILP_TO_4(X, LIMIT_GATHER_256, 8, 2) \
    ILP_TO_4(X, LIMIT_GATHER_256, 16, 1) \
    ILP_TO_8(X, LIMIT_INDEX_32, 1, 2) \
    ILP_TO_8(X, LIMIT_INDEX_32, 2, 1) \
    ILP_TO_4(X, LIMIT_INDEX_64, 1, 4) \
    ILP_TO_8(X, LIMIT_INDEX_64, 2, 2) \
    ILP_TO_8(X, LIMIT_INDEX_64, 4, 1) \
    ILP_TO_4(X, LIMIT_INDEX_128, 2, 4) \
    ILP_TO_8(X, LIMIT_INDEX_128, 4, 2) \
    ILP_TO_8(X, LIMIT_INDEX_128, 8, 1)
/* clang-format on */

#define LINE_KERNEL(how, tile, lines, ilp, load)                                                                                   \
    static __global__ void how##_##tile##_##lines##_##ilp##_##load(struct field f) { update_lines(tile, lines, how, ilp, load, f); }
#define LINE_SHAPE(how, tile, lines, ilp, load)                                                                                    \
    {lines == 2 ? (how == UPDATE_CAS ? LIMIT_READ2_CAS : LIMIT_READ2_STORE)                                                        \
                : (how == UPDATE_CAS   ? LIMIT_READ1_CAS                                                                           \
                   : how == UPDATE_ADD ? LIMIT_READ1_ADD                                                                           \
                                       : LIMIT_READ1_STORE),                                                                       \
     tile, ilp, load, how##_##tile##_##lines##_##ilp##_##load},

/* clang-format off */
#define LINE_LIST(X) \
    ILP_TO_2(X, UPDATE_CAS, 1, 1) \
    ILP_TO_4(X, UPDATE_CAS, 2, 1) \
    ILP_TO_4(X, UPDATE_CAS, 4, 1) \
    ILP_TO_2(X, UPDATE_ADD, 1, 1) \
    ILP_TO_4(X, UPDATE_ADD, 2, 1) \
    ILP_TO_4(X, UPDATE_ADD, 4, 1) \
    ILP_TO_2(X, UPDATE_STORE, 1, 1) \
    ILP_TO_4(X, UPDATE_STORE, 2, 1) \
    ILP_TO_4(X, UPDATE_STORE, 4, 1) \
    ILP_TO_2(X, UPDATE_CAS, 1, 2) \
    ILP_TO_4(X, UPDATE_CAS, 2, 2) \
    ILP_TO_4(X, UPDATE_CAS, 4, 2) \
    ILP_TO_2(X, UPDATE_STORE, 1, 2) \
    ILP_TO_4(X, UPDATE_STORE, 2, 2) \
    ILP_TO_4(X, UPDATE_STORE, 4, 2)
/* clang-format on */

#define BLIND_KERNEL(ilp)                                                                                                          \
    static __global__ void blind_##ilp(struct field f) { update_blind(ilp, f); }
#define BLIND_SHAPE(ilp) {LIMIT_CAS, 1, ilp, 1, blind_##ilp},
#define BLIND_LIST(X) X(1) X(2) X(4) X(8)

#define WRITE_KERNEL(ilp, store)                                                                                                   \
    static __global__ void write_##ilp##_##store(struct field f) { scatter(ilp, store, f); }
#define WRITE_SHAPE(ilp, store) {LIMIT_ZERO_COPY_WRITE_16, 1, ilp, store, write_##ilp##_##store},
#define STORES(X, ilp) X(ilp, WHOLE) X(ilp, HALVES) X(ilp, THROUGH) X(ilp, STREAM)
#define WRITE_LIST(X) STORES(X, 1) STORES(X, 2) STORES(X, 4) STORES(X, 8)

READ_LIST(READ_KERNEL)
LINE_LIST(LINE_KERNEL)
BLIND_LIST(BLIND_KERNEL)
WRITE_LIST(WRITE_KERNEL)

static const struct shape shapes[] = {READ_LIST(READ_SHAPE) LINE_LIST(LINE_SHAPE) BLIND_LIST(BLIND_SHAPE) WRITE_LIST(WRITE_SHAPE)};

static __global__ void field_fill(struct field f, uint64_t seed, int random)
{
    const uint64_t first = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, threads = gridDim.x * (uint64_t)blockDim.x;
    for (uint64_t i = first; i < f.bytes / 8; i += threads) ((uint64_t *)f.table)[i] = random ? mix(seed + i) : 0;
}

static __global__ void field_ask(uint32_t *queries, uint64_t n, uint64_t seed)
{
    const uint64_t first = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, threads = gridDim.x * (uint64_t)blockDim.x;
    for (uint64_t i = first; i < n; i += threads) queries[i] = (uint32_t)mix(mix(seed) + i);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

enum grid_size { GRID_RESIDENT, GRID_FOUR_TIMES, GRID_WHOLE, GRID_SIZES };

struct launch {
    const struct shape *shape;
    int block;
    enum grid_size size;
};

static void index_make(struct field *f, uint64_t bytes, uint64_t seed)
{
    struct field as_words = {};
    as_words.bytes = (bytes + 7) / 8 * 8;
    CUDA_CHECK(cudaMalloc(&as_words.table, as_words.bytes));
    field_fill<<<4096, 256>>>(as_words, seed + 1, 1);
    CUDA_CHECK_LAUNCH();
    f->index = (const uint8_t *)as_words.table;
    f->index_bytes = bytes;
}

static struct field field_make(enum limit_pattern pattern, uint64_t bytes, uint64_t index_bytes, uint64_t n, uint64_t seed)
{
    struct field f = {};
    uint32_t *queries;
    f.bytes = f.memory_bytes = bytes / 4096 * 4096;
    f.n = n;
    if (LIMIT_OVER_HOST(pattern) && f.memory_bytes < LIMIT_HOST_MEMORY) f.memory_bytes = LIMIT_HOST_MEMORY;
    if (LIMIT_OVER_HOST(pattern)) CUDA_CHECK(cudaMallocHost(&f.memory, f.memory_bytes));
    else CUDA_CHECK(cudaMalloc(&f.memory, f.memory_bytes));
    f.table = f.memory;
    CUDA_CHECK(cudaMalloc(&queries, n * sizeof *queries));
    CUDA_CHECK(cudaMalloc(&f.answers, n * sizeof *f.answers));
    field_ask<<<4096, 256>>>(queries, n, seed);
    CUDA_CHECK_LAUNCH();
    field_fill<<<4096, 256>>>(f, seed, 1);
    CUDA_CHECK_LAUNCH();
    if (index_bytes) index_make(&f, index_bytes, seed);
    CUDA_CHECK(cudaDeviceSynchronize());
    f.queries = queries;
    return f;
}

static void field_free(enum limit_pattern pattern, struct field f)
{
    CUDA_CHECK(LIMIT_OVER_HOST(pattern) ? cudaFreeHost(f.memory) : cudaFree(f.memory));
    CUDA_CHECK(cudaFree((void *)f.queries));
    CUDA_CHECK(cudaFree(f.answers));
    CUDA_CHECK(cudaFree((void *)f.index));
}

struct clock {
    cudaEvent_t start, stop;
};

static bool has_flags(enum limit_pattern pattern) { return pattern >= LIMIT_FLAGS_32 && pattern <= LIMIT_FLAGS_128; }

/* Grid sizes: the blocks that are resident at one time, four times as many, or one tile for each
 * `ilp` accesses. */
static unsigned launch_grid(struct launch l, uint64_t n)
{
    int device, multiprocessors, resident;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, l.shape->kernel, l.block, 0));
    const uint64_t blocks = (uint64_t)multiprocessors * (uint64_t)std::max(resident, 1), block = (uint64_t)l.block;
    const uint64_t whole = (n * (uint64_t)l.shape->tile / (uint64_t)l.shape->ilp + block - 1) / block;
    return (unsigned)std::max<uint64_t>(1, l.size == GRID_WHOLE ? whole : l.size == GRID_RESIDENT ? blocks : 4 * blocks);
}

static double launch_time(struct launch l, struct field f, struct clock c)
{
    float milliseconds;
    const unsigned grid = launch_grid(l, f.n);
    if (l.shape->pattern == LIMIT_CAS) {
        field_fill<<<4096, 256>>>(f, 0, 0);
        CUDA_CHECK_LAUNCH();
    }
    CUDA_CHECK(cudaEventRecord(c.start));
    l.shape->kernel<<<grid, l.block>>>(f);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaEventRecord(c.stop));
    CUDA_CHECK(cudaEventSynchronize(c.stop));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, c.start, c.stop));
    return 1e-3 * milliseconds;
}

/* Patterns whose answers are flags use the kernels of those whose answers are values; reads of
 * the host's memory use those of the GPU's. */
static enum limit_pattern stamped_pattern(enum limit_pattern pattern)
{
    if (pattern == LIMIT_ZERO_COPY_READ_16) return LIMIT_GATHER_16;
    return has_flags(pattern) ? (enum limit_pattern)(pattern - LIMIT_FLAGS_32 + LIMIT_INDEX_32) : pattern;
}

/* Tries every shape of the pattern with a part of the accesses; the better of two runs of each
 * counts. */
static struct launch launch_best(enum limit_pattern pattern, struct field f, struct clock c)
{
    static const int blocks[] = {128, 256, 512};
    struct launch best = {NULL, 0, GRID_RESIDENT};
    const bool slow = LIMIT_OVER_HOST(pattern) && f.bytes > LIMIT_FAST_HOST_BYTES;
    f.n = slow ? std::min<uint64_t>(f.n, 1 << 18) : std::min(f.n, std::max<uint64_t>(f.n / 4, 1 << 22));
    double least = 0;
    for (const struct shape &s : shapes) {
        if (s.pattern != stamped_pattern(pattern)) continue;
        for (int block : blocks) {
            for (int size = 0; size < GRID_SIZES; size++) {
                const struct launch l = {&s, block, (enum grid_size)size};
                const double first = launch_time(l, f, c), seconds = std::min(first, launch_time(l, f, c));
                if (!best.shape || seconds < least) {
                    best = l;
                    least = seconds;
                }
            }
        }
    }
    return best;
}

static double middle(const double *seconds)
{
    double sorted[LIMIT_REPETITIONS];
    std::copy(seconds, seconds + LIMIT_REPETITIONS, sorted);
    std::sort(sorted, sorted + LIMIT_REPETITIONS);
    return sorted[LIMIT_REPETITIONS / 2];
}

static double fastest(const double *seconds) { return *std::min_element(seconds, seconds + LIMIT_REPETITIONS); }

/* A shape's kind of access, in words. */
static const char *access_name(const struct shape *shape)
{
    if (shape->pattern == LIMIT_CAS) return "no load";
    return shape->pattern == LIMIT_ZERO_COPY_WRITE_16 ? store_names[shape->load] : load_names[shape->load];
}

/* Times a launch LIMIT_REPETITIONS times.  Over the host's memory the fastest place counts, and its
 * fastest time. */
static void limit_time(struct limit *limit, enum limit_pattern pattern, struct launch l, struct field f, struct clock c)
{
    const int places = LIMIT_OVER_HOST(pattern) ? LIMIT_HOST_PLACES : 1;
    const uint64_t step = places > 1 ? (f.memory_bytes - f.bytes) / (unsigned)(places - 1) / 4096 * 4096 : 0;
    for (int i = 0; i < places; i++, f.table += step) {
        double times[LIMIT_REPETITIONS];
        for (double &seconds : times) seconds = launch_time(l, f, c);
        if (i == 0 || fastest(times) < fastest(limit->seconds)) std::copy(times, times + LIMIT_REPETITIONS, limit->seconds);
    }
    limit->operations = f.n;
    limit->rate = (double)f.n / (LIMIT_OVER_HOST(pattern) ? fastest(limit->seconds) : middle(limit->seconds));
}

extern "C" struct limit limit_cuda(enum limit_pattern pattern, uint64_t table_bytes, uint64_t index_bytes, uint64_t operations,
                                   uint64_t seed)
{
    struct limit limit = {};
    struct clock c;
    struct field f = field_make(pattern, table_bytes, index_bytes, operations, seed);
    f.flags = has_flags(pattern);
    CUDA_CHECK(cudaEventCreate(&c.start));
    CUDA_CHECK(cudaEventCreate(&c.stop));
    const struct launch best = launch_best(pattern, f, c);
    limit_time(&limit, pattern, best, f, c);
    snprintf(limit.shape, sizeof limit.shape, "tile %d, %d in flight, %s, %u blocks of %d", best.shape->tile, best.shape->ilp,
             access_name(best.shape), launch_grid(best, f.n), best.block);
    CUDA_CHECK(cudaEventDestroy(c.start));
    CUDA_CHECK(cudaEventDestroy(c.stop));
    field_free(pattern, f);
    return limit;
}

extern "C" struct limit limit_cuda_copy(uint64_t bytes)
{
    struct limit limit = {};
    char *from, *to;
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaMalloc(&from, bytes));
    CUDA_CHECK(cudaMalloc(&to, bytes));
    CUDA_CHECK(cudaMemset(from, 0x5A, bytes));
    CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (double &seconds : limit.seconds) {
        float milliseconds;
        CUDA_CHECK(cudaEventRecord(start));
        CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice));
        CUDA_CHECK(cudaEventRecord(stop));
        CUDA_CHECK(cudaEventSynchronize(stop));
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
        seconds = 1e-3 * milliseconds;
    }
    limit.operations = bytes;
    limit.rate = 2.0 * (double)bytes / middle(limit.seconds);
    snprintf(limit.shape, sizeof limit.shape, "cudaMemcpyAsync");
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(from));
    CUDA_CHECK(cudaFree(to));
    return limit;
}

enum { TRANSFER_PIECE = 16 << 20 };

/* One direction, in pieces, through one buffer of device memory. */
static void transfer_enqueue(char *device, char *host, uint64_t bytes, bool in, cudaStream_t stream)
{
    for (uint64_t at = 0; at < bytes; at += TRANSFER_PIECE) {
        const uint64_t n = std::min<uint64_t>(bytes - at, TRANSFER_PIECE);
        if (in) CUDA_CHECK(cudaMemcpyAsync(device, host + at, n, cudaMemcpyHostToDevice, stream));
        else CUDA_CHECK(cudaMemcpyAsync(host + at, device, n, cudaMemcpyDeviceToHost, stream));
    }
}

extern "C" struct limit limit_cuda_transfer(const void *in, uint64_t in_bytes, void *out, uint64_t out_bytes, void *out2,
                                            uint64_t out2_bytes, uint64_t items)
{
    struct limit limit = {};
    cudaStream_t streams[2];
    char *device[2];
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        CUDA_CHECK(cudaMalloc(&device[i], TRANSFER_PIECE));
        CUDA_CHECK(cudaMemset(device[i], 0, TRANSFER_PIECE));
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    for (double &seconds : limit.seconds) {
        const double start = machine_now();
        transfer_enqueue(device[0], (char *)in, in_bytes, true, streams[0]);
        transfer_enqueue(device[1], (char *)out, out_bytes, false, streams[1]);
        transfer_enqueue(device[1], (char *)out2, out2_bytes, false, streams[1]);
        CUDA_CHECK(cudaStreamSynchronize(streams[0]));
        CUDA_CHECK(cudaStreamSynchronize(streams[1]));
        seconds = machine_now() - start;
    }
    limit.operations = items;
    limit.rate = (double)items / middle(limit.seconds);
    snprintf(limit.shape, sizeof limit.shape, "pieces of %d MB, both directions at once", TRANSFER_PIECE >> 20);
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaFree(device[i]));
        CUDA_CHECK(cudaStreamDestroy(streams[i]));
    }
    return limit;
}
