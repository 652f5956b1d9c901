/* The different keys of an array on a GPU.  The sort is CUB's. */
#include <cub/device/device_radix_sort.cuh>

#include "backends/cuda_failure.h"
#include "portable/item.h"
#include "relations/distinct.h"

enum {
    WARP = 32,
    THREADS = 256,
    LONG_THREADS = 1024,
    AHEAD = 8 /* keys that a thread loads before it looks at the first one */
};
static_assert(DISTINCT_LONG <= 32 * THREADS, "a thread has a bit for each of its turns");

/* A block's table, and what its warps share to write it. */
struct distinct_table {
    unsigned long long slot[DISTINCT_SLOTS];
    unsigned long long first; /* place of the block's keys in the output */
    uint32_t before[LONG_THREADS / WARP];
};

/* ---- Hashes ---------------------------------------------------------------------------------- */

static __device__ __forceinline__ uint64_t hash_of(const int bytes, const struct distinct_work *w, uint64_t key)
{
    return bytes == 8 ? hash_word64(&w->seeds, key) : hash_word32(&w->seeds, (uint32_t)key);
}

static __device__ __forceinline__ uint64_t key_of(const int bytes, const struct distinct_work *w, uint64_t hash)
{
    return bytes == 8 ? hash_unword64(&w->seeds, hash) : hash_unword32(&w->seeds, (uint32_t)hash);
}

static __device__ __forceinline__ uint32_t part_of(const int bytes, const struct distinct_work *w, uint64_t hash)
{
    return (uint32_t)(hash >> (8 * bytes - w->bits));
}

/* No hash of this part, but of the width. */
static __device__ __forceinline__ uint64_t empty_of(const int bytes, const struct distinct_work *w, uint32_t part)
{
    return (uint64_t)(part ^ 1u) << (8 * bytes - w->bits);
}

/* Where a hash's search begins: the bits below those of its part. */
static __device__ __forceinline__ uint32_t slot_of(const int bytes, const struct distinct_work *w, uint64_t hash)
{
    const uint64_t below = hash << (64 - 8 * bytes + w->bits);
    return (uint32_t)(below >> 32) / (uint32_t)((UINT64_C(1) << 32) / DISTINCT_SLOTS);
}

/* ---- The block's table ----------------------------------------------------------------------- */

static __device__ void table_clear(struct distinct_table *t, uint64_t empty)
{
    for (unsigned i = threadIdx.x; i < DISTINCT_SLOTS; i += blockDim.x) t->slot[i] = empty;
    __syncthreads();
}

enum added { ADDED, PRESENT, FULL };

/* Adds a hash, if the table has it not.  Two threads may see the same empty slot: the
 * compare-and-swap gives it to one of them, and the other looks at what that one has put there. */
static __device__ __forceinline__ enum added table_add(struct distinct_table *t, uint64_t empty, uint64_t hash, uint32_t slot)
{
    for (int probes = 0; probes < DISTINCT_SLOTS; probes++, slot = (slot + 1) % DISTINCT_SLOTS) {
        unsigned long long seen = *(volatile unsigned long long *)&t->slot[slot];
        if (seen == empty) {
            seen = atomicCAS(&t->slot[slot], (unsigned long long)empty, (unsigned long long)hash);
            if (seen == empty) return ADDED;
        }
        if (seen == hash) return PRESENT;
    }
    return FULL;
}

/* The block's keys get places: t->first, and of each warp those before it.  n: the warp's keys. */
static __device__ void table_reserve(struct distinct_table *t, uint32_t n, unsigned long long *written)
{
    if (threadIdx.x % WARP == 0) t->before[threadIdx.x / WARP] = n;
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t all = 0;
        for (unsigned i = 0; i < blockDim.x / WARP; i++) {
            const uint32_t own = t->before[i];
            t->before[i] = all;
            all += own;
        }
        /* Blocks write side by side: the addition gives each its own places. */
        t->first = written ? atomicAdd(written, (unsigned long long)all) : 0;
    }
    __syncthreads();
}

static __device__ __forceinline__ uint32_t warp_taken(const struct distinct_table *t, uint64_t empty, unsigned i)
{
    return __ballot_sync(0xffffffffu, t->slot[i] != empty);
}

/* Appends the table's keys to the output (as_keys), or writes its hashes from `out` on, and `empty`
 * behind them if there is room. */
static __device__ void table_write(const int bytes, const struct distinct_work *w, struct distinct_table *t, uint64_t empty,
                                   void *out, uint64_t room, bool as_keys)
{
    const unsigned lane = threadIdx.x % WARP;
    uint32_t n = 0;
    for (unsigned i = threadIdx.x; i < DISTINCT_SLOTS; i += blockDim.x) n += (uint32_t)__popc(warp_taken(t, empty, i));
    table_reserve(t, n, as_keys ? (unsigned long long *)&w->words->written : NULL);
    uint64_t place = t->first + t->before[threadIdx.x / WARP];
    for (unsigned i = threadIdx.x; i < DISTINCT_SLOTS; i += blockDim.x) {
        const uint32_t who = warp_taken(t, empty, i);
        const uint64_t hash = t->slot[i], to = place + (unsigned)__popc(who & ((1u << lane) - 1u));
        if (hash != empty) store_width(bytes, out, to, as_keys ? key_of(bytes, w, hash) : hash);
        place += (unsigned)__popc(who);
    }
    if (!as_keys && threadIdx.x == blockDim.x - 1 && place < room) store_width(bytes, out, place, empty);
    __syncthreads();
}

/* ---- Kernels --------------------------------------------------------------------------------- */

static __device__ __forceinline__ void hash_all(const int bytes, const struct distinct_work *w, void *to)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < w->n; i += stride)
        store_width(bytes, to, i, hash_of(bytes, w, load_width(bytes, w->keys, i)));
}

/* Finds by bisection where a part begins. */
static __device__ __forceinline__ void start_find(const int bytes, const struct distinct_work *w)
{
    const uint64_t part = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, parts = UINT64_C(1) << w->bits;
    uint64_t low = 0, high = w->n;
    if (part > parts) return;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (part_of(bytes, w, load_width(bytes, w->sorted, middle)) < part) low = middle + 1;
        else high = middle;
    }
    w->starts[part] = low;
}

/* Sorted hashes of one part. */
struct range {
    uint64_t first, end;
};

/* A block adds at most DISTINCT_LONG hashes, for which its table has slots.  Returns a bit for each
 * of the thread's turns: whether its hash is of the table since. */
static __device__ __forceinline__ uint32_t range_take(const int bytes, const struct distinct_work *w, struct distinct_table *t,
                                                      uint64_t empty, struct range r)
{
    uint32_t added = 0, turn = 1;
    for (uint64_t i = r.first + threadIdx.x; i < r.end; i += THREADS, turn <<= 1) {
        const uint64_t hash = load_width(bytes, w->sorted, i);
        if (table_add(t, empty, hash, slot_of(bytes, w, hash)) == ADDED) added |= turn;
    }
    return added;
}

/* Lanes with this turn's bit write a key each, side by side.  Returns how many. */
static __device__ __forceinline__ uint32_t turn_write(const int bytes, const struct distinct_work *w, uint64_t place, bool added,
                                                      uint64_t hash)
{
    const uint32_t who = __ballot_sync(0xffffffffu, added), before = who & ((1u << threadIdx.x % WARP) - 1u);
    if (added) store_width(bytes, w->out, place + (unsigned)__popc(before), key_of(bytes, w, hash));
    return (uint32_t)__popc(who);
}

/* A block's part.  A thread writes the keys that it has added itself: the table's slots, twice as
 * many as the keys, are not read again.  A long part is noted for later. */
static __device__ __forceinline__ void part_write(const int bytes, const struct distinct_work *w, struct distinct_table *t)
{
    const uint32_t part = blockIdx.x;
    const uint64_t first = w->starts[part], end = w->starts[part + 1], empty = empty_of(bytes, w, part);
    const uint32_t turns = (uint32_t)((end - first + THREADS - 1) / THREADS);
    uint64_t ahead[AHEAD];
    uint32_t added = 0, n = 0;
    if (end - first > DISTINCT_LONG) {
        if (threadIdx.x == 0) w->longs[atomicAdd((unsigned long long *)&w->words->long_parts, 1ULL)] = part;
        return;
    }
    if (end == first) return;
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        const uint64_t i = first + (unsigned)k * THREADS + threadIdx.x;
        ahead[k] = i < end ? load_width(bytes, w->sorted, i) : empty;
    }
    table_clear(t, empty);
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        if (ahead[k] != empty && table_add(t, empty, ahead[k], slot_of(bytes, w, ahead[k])) == ADDED) added |= 1u << k;
    added |= range_take(bytes, w, t, empty, (struct range){first + AHEAD * THREADS, end}) << AHEAD;
    for (uint32_t k = 0; k < turns; k++) n += (uint32_t)__popc(__ballot_sync(0xffffffffu, added >> k & 1));
    table_reserve(t, n, (unsigned long long *)&w->words->written);
    uint64_t place = t->first + t->before[threadIdx.x / WARP];
#pragma unroll
    for (int k = 0; k < AHEAD; k++) place += turn_write(bytes, w, place, added >> k & 1, ahead[k]);
    for (uint32_t k = AHEAD; k < turns; k++) {
        const bool own = added >> k & 1;
        place += turn_write(bytes, w, place, own, own ? load_width(bytes, w->sorted, first + k * THREADS + threadIdx.x) : empty);
    }
}

/* What a chunk of DISTINCT_LONG sorted hashes has of a part. */
static __device__ __forceinline__ struct range chunk_range(const struct distinct_work *w, uint64_t chunk, uint32_t part)
{
    const uint64_t first = chunk * DISTINCT_LONG, end = first + DISTINCT_LONG;
    const uint64_t begins = w->starts[part], ends = w->starts[part + 1];
    return (struct range){begins > first ? begins : first, ends < end ? ends : end};
}

/* What a block's chunk has of a long part comes to the front of its own range, each hash once. */
static __device__ __forceinline__ void range_write(const int bytes, const struct distinct_work *w, struct distinct_table *t,
                                                   uint32_t part, struct range r)
{
    const uint64_t empty = empty_of(bytes, w, part);
    table_clear(t, empty);
    (void)range_take(bytes, w, t, empty, r);
    __syncthreads();
    table_write(bytes, w, t, empty, (char *)w->sorted + r.first * (unsigned)bytes, r.end - r.first, false);
}

/* All long parts of a block's chunk.  The first hash of a part's range is read before the range is
 * written. */
static __device__ __forceinline__ void chunk_write(const int bytes, const struct distinct_work *w, struct distinct_table *t)
{
    const uint64_t first = (uint64_t)blockIdx.x * DISTINCT_LONG, end = first + DISTINCT_LONG < w->n ? first + DISTINCT_LONG : w->n;
    for (uint64_t at = first; at < end;) {
        const uint32_t part = part_of(bytes, w, load_width(bytes, w->sorted, at));
        const struct range r = chunk_range(w, blockIdx.x, part);
        if (w->starts[part + 1] - w->starts[part] > DISTINCT_LONG) range_write(bytes, w, t, part, r);
        at = r.end;
    }
}

/* A warp adds what a chunk has of a long part. */
static __device__ __forceinline__ bool range_add(const int bytes, const struct distinct_work *w, struct distinct_table *t,
                                                 uint64_t empty, struct range r)
{
    bool fits = true;
    for (uint64_t i = r.first + threadIdx.x % WARP;; i += WARP) {
        const uint64_t hash = i < r.end ? load_width(bytes, w->sorted, i) : empty;
        if (hash != empty) fits &= table_add(t, empty, hash, slot_of(bytes, w, hash)) != FULL;
        if (!__all_sync(0xffffffffu, hash != empty)) return fits;
    }
}

/* A block's long part, from its chunks. */
static __device__ __forceinline__ void long_write(const int bytes, const struct distinct_work *w, struct distinct_table *t)
{
    const uint32_t part = w->longs[blockIdx.x];
    const uint64_t empty = empty_of(bytes, w, part), end = (w->starts[part + 1] - 1) / DISTINCT_LONG + 1;
    bool fits = true;
    table_clear(t, empty);
    for (uint64_t chunk = w->starts[part] / DISTINCT_LONG + threadIdx.x / WARP; chunk < end; chunk += LONG_THREADS / WARP)
        fits &= range_add(bytes, w, t, empty, chunk_range(w, chunk, part));
    if (!fits) w->words->overflowed = 1; /* whichever thread says so */
    __syncthreads();
    table_write(bytes, w, t, empty, w->out, 0, true);
}

#define STAMP(bytes)                                                                                                               \
    static __global__ void __launch_bounds__(THREADS)                                                                              \
        distinct_hash_key##bytes(const __grid_constant__ struct distinct_work w, void *to)                                         \
    {                                                                                                                              \
        hash_all(bytes, &w, to);                                                                                                   \
    }                                                                                                                              \
    static __global__ void __launch_bounds__(THREADS) distinct_start_key##bytes(const __grid_constant__ struct distinct_work w)    \
    {                                                                                                                              \
        start_find(bytes, &w);                                                                                                     \
    }                                                                                                                              \
    static __global__ void __launch_bounds__(THREADS) distinct_part_key##bytes(const __grid_constant__ struct distinct_work w)     \
    {                                                                                                                              \
        __shared__ struct distinct_table table;                                                                                    \
        part_write(bytes, &w, &table);                                                                                             \
    }                                                                                                                              \
    static __global__ void __launch_bounds__(THREADS) distinct_chunk_key##bytes(const __grid_constant__ struct distinct_work w)    \
    {                                                                                                                              \
        __shared__ struct distinct_table table;                                                                                    \
        chunk_write(bytes, &w, &table);                                                                                            \
    }                                                                                                                              \
    static __global__ void __launch_bounds__(LONG_THREADS)                                                                         \
        distinct_long_key##bytes(const __grid_constant__ struct distinct_work w)                                                   \
    {                                                                                                                              \
        __shared__ struct distinct_table table;                                                                                    \
        long_write(bytes, &w, &table);                                                                                             \
    }
STAMP(4)
STAMP(8)

/* ---- Launches -------------------------------------------------------------------------------- */

/* Launches a kernel of this name for the work's width. */
#define LAUNCH(name, blocks, threads, stream, ...)                                                                                 \
    do {                                                                                                                           \
        if (w->key_bytes == 8) name##_key8<<<(unsigned)(blocks), (threads), 0, (stream)>>>(__VA_ARGS__);                           \
        else name##_key4<<<(unsigned)(blocks), (threads), 0, (stream)>>>(__VA_ARGS__);                                             \
    } while (0)

/* Sorts from `from` by the parts, into one of two arrays; scratch NULL: sets *bytes alone. */
template <typename word>
static cudaError_t sort_by(struct distinct_work *w, void *from, void *scratch, size_t *bytes, cudaStream_t stream)
{
    void *const other = from == w->hashes ? w->distinct : w->hashes;
    cub::DoubleBuffer<word> hashes((word *)from, (word *)other);
    const int width = 8 * (int)sizeof(word);
    const cudaError_t code = cub::DeviceRadixSort::SortKeys(scratch, *bytes, hashes, w->n, width - w->bits, width, stream);
    w->sorted = hashes.Current();
    w->out = hashes.Alternate();
    return code;
}

static cudaError_t sort(struct distinct_work *w, void *from, void *scratch, size_t *bytes, cudaStream_t stream)
{
    return w->key_bytes == 8 ? sort_by<uint64_t>(w, from, scratch, bytes, stream)
                             : sort_by<uint32_t>(w, from, scratch, bytes, stream);
}

extern "C" const char *distinct_cuda_scratch(struct distinct_work *w)
{
    w->scratch_bytes = 0;
    return cuda_failure_text(sort(w, w->hashes, NULL, &w->scratch_bytes, NULL));
}

/* The sort begins where its passes end in the work space, so that the output needs no copy. */
extern "C" const char *distinct_cuda_parts(struct distinct_work *w, void *stream)
{
    const cudaStream_t queue = (cudaStream_t)stream;
    const int passes = (w->bits + DISTINCT_PASS_BITS - 1) / DISTINCT_PASS_BITS;
    const uint64_t parts = UINT64_C(1) << w->bits, blocks = (w->n + THREADS - 1) / THREADS;
    void *const from = passes % 2 ? w->distinct : w->hashes;
    size_t bytes = w->scratch_bytes;
    LAUNCH(distinct_hash, blocks < 1 << 16 ? blocks : 1 << 16, THREADS, queue, *w, from);
    cudaError_t code = cudaGetLastError();
    if (code == cudaSuccess) code = sort(w, from, w->scratch, &bytes, queue);
    if (code != cudaSuccess) return cuda_failure_text(code);
    LAUNCH(distinct_start, parts / THREADS + 1, THREADS, queue, *w);
    LAUNCH(distinct_part, parts, THREADS, queue, *w);
    return cuda_failure_text(cudaGetLastError());
}

extern "C" const char *distinct_cuda_longs(const struct distinct_work *w, uint32_t n, void *stream)
{
    const cudaStream_t queue = (cudaStream_t)stream;
    LAUNCH(distinct_chunk, (w->n + DISTINCT_LONG - 1) / DISTINCT_LONG, THREADS, queue, *w);
    LAUNCH(distinct_long, n, LONG_THREADS, queue, *w);
    return cuda_failure_text(cudaGetLastError());
}
