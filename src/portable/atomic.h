/* Atomic verbs, named by order and scope.  Scope `device` means every thread of the GPU, or of the
 * process on the host.
 *
 * A word is always accessed at one width: mixed sizes are races in C11's model and in PTX's.  The
 * one exception is a slot's value, the upper half of a word or pair that is claimed whole.  It may
 * be updated alone, because no swap of the whole succeeds where many lanes update one key.  The
 * hardware of both machines keeps that order: each access, whatever its width, takes place in the
 * one cache line that holds the word.
 *
 * The caller of a verb states beside it which interleaving would break without it. */
#ifndef ROOST_PORTABLE_ATOMIC_H
#define ROOST_PORTABLE_ATOMIC_H

#include "portable/machine.h"

/* May a writer run beside this kernel?  QUIESCENT kernels use plain loads.  CONCURRENT kernels use
 * relaxed loads of whole words.  PASSING is QUIESCENT for data that is not read again soon: caches
 * drop it first, in favour of data that is, such as an index. */
enum phase { QUIESCENT, PASSING, CONCURRENT };

/* Are a lane's vectors of a bucket adjacent (tile_vector)?  If so, each sector belongs to one lane,
 * and one instruction of the tile asks for all sectors of the line: plain loads find 1 % more keys
 * per second (measured on an H200).  Relaxed loads bypass L1, in which a lane's second load would
 * find the sector of its first one.  So each of their instructions should load whole sectors. */
ROOST_FN bool loads_adjacent(const int phase) { return phase != CONCURRENT; }

#if defined(ROOST_MACHINE_CUDA)

#define ROOST_ATOMIC_VERBS(bits, type)                                                                                             \
    ROOST_FN uint##bits##_t load_relaxed_device##bits(const uint##bits##_t *p)                                                     \
    {                                                                                                                              \
        uint##bits##_t v;                                                                                                          \
        __nv_atomic_load((const type *)p, (type *)&v, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);                              \
        return v;                                                                                                                  \
    }                                                                                                                              \
    ROOST_FN void store_relaxed_device##bits(uint##bits##_t *p, uint##bits##_t v)                                                  \
    {                                                                                                                              \
        __nv_atomic_store_n((type *)p, (type)v, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);                                    \
    }                                                                                                                              \
    ROOST_FN uint##bits##_t cas_relaxed_device##bits(uint##bits##_t *p, uint##bits##_t expected, uint##bits##_t desired)           \
    {                                                                                                                              \
        return (uint##bits##_t)atomicCAS((type *)p, (type)expected, (type)desired);                                                \
    }                                                                                                                              \
    ROOST_FN uint##bits##_t add_relaxed_device##bits(uint##bits##_t *p, uint##bits##_t v)                                          \
    {                                                                                                                              \
        return (uint##bits##_t)atomicAdd((type *)p, (type)v);                                                                      \
    }                                                                                                                              \
    ROOST_FN uint##bits##_t max_relaxed_device##bits(uint##bits##_t *p, uint##bits##_t v)                                          \
    {                                                                                                                              \
        return (uint##bits##_t)atomicMax((type *)p, (type)v);                                                                      \
    }                                                                                                                              \
    ROOST_FN uint##bits##_t or_relaxed_device##bits(uint##bits##_t *p, uint##bits##_t v)                                           \
    {                                                                                                                              \
        return (uint##bits##_t)atomicOr((type *)p, (type)v);                                                                       \
    }

ROOST_ATOMIC_VERBS(32, unsigned)
ROOST_ATOMIC_VERBS(64, unsigned long long)

/* A place of one's own in a list whose length is *p: adds 1.  Lanes that call it together share one
 * atomic. */
ROOST_FN uint64_t take_place_relaxed_device64(uint64_t *p)
{
    const unsigned together = __activemask(), lane = threadIdx.x & 31u;
    const int leader = __ffs((int)together) - 1;
    unsigned long long first = 0;
    if ((int)lane == leader) first = atomicAdd((unsigned long long *)p, (unsigned long long)__popc(together));
    return __shfl_sync(together, first, leader) + (unsigned)__popc(together & ((1u << lane) - 1u));
}
/* n places: the first one's number.  Lanes that call it together share one atomic, and what they
 * ask for is added up by the bits of n. */
ROOST_FN uint64_t take_places_relaxed_device64(uint64_t *p, uint64_t n)
{
    const unsigned together = __activemask(), lane = threadIdx.x & 31u, below = together & ((1u << lane) - 1u);
    const int leader = __ffs((int)together) - 1;
    unsigned long long before = 0, all = 0, first = 0;
    for (int bit = 0; bit < 64 && __any_sync(together, n >> bit != 0); bit++) {
        const unsigned have = __ballot_sync(together, (int)(n >> bit & 1));
        before += (unsigned long long)__popc(have & below) << bit;
        all += (unsigned long long)__popc(have) << bit;
    }
    if ((int)lane == leader) first = atomicAdd((unsigned long long *)p, all);
    return __shfl_sync(together, first, leader) + before;
}
ROOST_FN uint32_t and_relaxed_device32(uint32_t *p, uint32_t bits) { return atomicAnd((unsigned *)p, (unsigned)bits); }
ROOST_FN uint32_t exchange_relaxed_device32(uint32_t *p, uint32_t v) { return atomicExch((unsigned *)p, (unsigned)v); }
ROOST_FN uint64_t exchange_relaxed_device64(uint64_t *p, uint64_t v)
{
    return atomicExch((unsigned long long *)p, (unsigned long long)v);
}
/* A lock's or and and: separate verbs, so that the scheduled machine knows the holder of each
 * lock. */
ROOST_FN uint32_t take_bits_relaxed_device32(uint32_t *p, uint32_t bits) { return atomicOr((unsigned *)p, (unsigned)bits); }
ROOST_FN uint32_t keep_bits_relaxed_device32(uint32_t *p, uint32_t bits) { return atomicAnd((unsigned *)p, (unsigned)bits); }

/* Ordered verbs: writes before a release are visible after the acquire that reads it. */
ROOST_FN uint32_t load_acquire_device32(const uint32_t *p)
{
    uint32_t v;
    asm volatile("ld.acquire.gpu.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
ROOST_FN uint64_t load_acquire_device64(const uint64_t *p)
{
    unsigned long long v;
    asm volatile("ld.acquire.gpu.u64 %0,[%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}
ROOST_FN uint32_t cas_release_device32(uint32_t *p, uint32_t expected, uint32_t desired)
{
    uint32_t seen;
    asm volatile("atom.release.gpu.cas.b32 %0,[%1],%2,%3;" : "=r"(seen) : "l"(p), "r"(expected), "r"(desired) : "memory");
    return seen;
}
ROOST_FN uint64_t cas_release_device64(uint64_t *p, uint64_t expected, uint64_t desired)
{
    unsigned long long seen;
    asm volatile("atom.release.gpu.cas.b64 %0,[%1],%2,%3;" : "=l"(seen) : "l"(p), "l"(expected), "l"(desired) : "memory");
    return seen;
}
/* A release add for the atomics alone whose results, or-ed, are `after`.  An atomic of device scope
 * is done in the second-level cache before its result is here, and there every lane accesses the
 * word.  So it is enough to wait for that: the minimum is v, and is known only then.  A fence would
 * wait for all that the lane wrote. */
ROOST_FN uint32_t add_after_release_device32(uint32_t *p, uint32_t v, uint32_t after)
{
    uint32_t seen;
    asm volatile("{.reg .u32 x; or.b32 x,%2,%3; min.u32 x,x,%2; atom.relaxed.gpu.add.u32 %0,[%1],x;}"
                 : "=r"(seen)
                 : "l"(p), "r"(v), "r"(after)
                 : "memory");
    return seen;
}
ROOST_FN uint32_t or_acquire_device32(uint32_t *p, uint32_t bits)
{
    uint32_t seen;
    asm volatile("atom.acquire.gpu.or.b32 %0,[%1],%2;" : "=r"(seen) : "l"(p), "r"(bits) : "memory");
    return seen;
}
ROOST_FN uint32_t or_release_device32(uint32_t *p, uint32_t bits)
{
    uint32_t seen;
    asm volatile("atom.release.gpu.or.b32 %0,[%1],%2;" : "=r"(seen) : "l"(p), "r"(bits) : "memory");
    return seen;
}
ROOST_FN uint32_t and_release_device32(uint32_t *p, uint32_t bits)
{
    uint32_t seen;
    asm volatile("atom.release.gpu.and.b32 %0,[%1],%2;" : "=r"(seen) : "l"(p), "r"(bits) : "memory");
    return seen;
}

/* Accesses of 16 bytes, aligned to 16, where the machine has them (ROOST_ATOMIC128): PTX does from
 * sm_90 on. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define ROOST_ATOMIC128 1
#else
#define ROOST_ATOMIC128 0
#endif
ROOST_FN void load_relaxed_device128(const uint64_t *p, uint64_t *v)
{
#if ROOST_ATOMIC128
    unsigned long long low, high;
    asm volatile("{.reg .b128 q; ld.relaxed.gpu.b128 q,[%2]; mov.b128 {%0,%1},q;}" : "=l"(low), "=l"(high) : "l"(p) : "memory");
    v[0] = low, v[1] = high;
#else
    (void)p, (void)v;
    __trap(); /* the policy does not choose such a kernel there */
#endif
}
ROOST_FN void cas_relaxed_device128(uint64_t *p, const uint64_t *expected, const uint64_t *desired, uint64_t *seen)
{
#if ROOST_ATOMIC128
    unsigned long long low, high;
    asm volatile("{.reg .b128 q,e,d; mov.b128 e,{%3,%4}; mov.b128 d,{%5,%6}; atom.relaxed.gpu.cas.b128 q,[%2],e,d; "
                 "mov.b128 {%0,%1},q;}"
                 : "=l"(low), "=l"(high)
                 : "l"(p), "l"(expected[0]), "l"(expected[1]), "l"(desired[0]), "l"(desired[1])
                 : "memory");
    seen[0] = low, seen[1] = high;
#else
    (void)p, (void)expected, (void)desired, (void)seen;
    __trap();
#endif
}

/* One instruction for all three: PTX has no weaker one, and the compiler's own fence would be
 * sequentially consistent. */
ROOST_FN void fence_acquire_release_device(void) { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
ROOST_FN void fence_acquire_device(void) { fence_acquire_release_device(); }
/* For accesses of device scope that run only if a load before had a certain result: they begin when
 * it is here, and go where the writer's went. */
ROOST_FN void fence_acquire_branch_device(void) { asm volatile("" ::: "memory"); }
ROOST_FN void fence_release_device(void) { fence_acquire_release_device(); }
/* Also orders writes before those that the host and other devices see, in memory that they share
 * with this device. */
ROOST_FN void fence_release_system(void) { asm volatile("fence.acq_rel.sys;" ::: "memory"); }
/* For timestamps: all lanes see these fences in one order. */
ROOST_FN void fence_sequential_device(void) { asm volatile("fence.sc.gpu;" ::: "memory"); }

#elif defined(ROOST_MACHINE_SCHEDULED)

#include "portable/scheduled.h"

#else

/* A hook of the tests in ROOST_PROBES builds, NULL if unset.  It is called before loads, stores and
 * compare-and-swaps, so that a test can hold a thread up there. */
#if ROOST_PROBES
extern void (*atomic_pause)(void);
ROOST_FN void pause_here(void)
{
    if (atomic_pause) atomic_pause();
}
#else
ROOST_FN void pause_here(void) {}
#endif

/* The or is a loop: for __atomic_fetch_or gcc 12 with -O1 may keep v and the old value in one
 * place, and store the old value. */
#define ROOST_ATOMIC_VERBS(bits)                                                                                                   \
    ROOST_FN uint##bits##_t load_relaxed_device##bits(const uint##bits##_t *p)                                                     \
    {                                                                                                                              \
        pause_here();                                                                                                              \
        return __atomic_load_n(p, __ATOMIC_RELAXED);                                                                               \
    }                                                                                                                              \
    ROOST_FN void store_relaxed_device##bits(uint##bits##_t *p, uint##bits##_t v)                                                  \
    {                                                                                                                              \
        pause_here();                                                                                                              \
        __atomic_store_n(p, v, __ATOMIC_RELAXED);                                                                                  \
    }                                                                                                                              \
    ROOST_FN uint##bits##_t cas_relaxed_device##bits(uint##bits##_t *p, uint##bits##_t expected, uint##bits##_t desired)           \
    {                                                                                                                              \
        pause_here();                                                                                                              \
        __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                             \
        return expected;                                                                                                           \
    }                                                                                                                              \
    ROOST_FN uint##bits##_t add_relaxed_device##bits(uint##bits##_t *p, uint##bits##_t v)                                          \
    {                                                                                                                              \
        return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);                                                                         \
    }                                                                                                                              \
    ROOST_FN uint##bits##_t max_relaxed_device##bits(uint##bits##_t *p, uint##bits##_t v)                                          \
    {                                                                                                                              \
        uint##bits##_t seen = __atomic_load_n(p, __ATOMIC_RELAXED);                                                                \
        while (seen < v && !__atomic_compare_exchange_n(p, &seen, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}                 \
        return seen;                                                                                                               \
    }                                                                                                                              \
    ROOST_FN uint##bits##_t or_relaxed_device##bits(uint##bits##_t *p, uint##bits##_t v)                                           \
    {                                                                                                                              \
        uint##bits##_t seen = __atomic_load_n(p, __ATOMIC_RELAXED);                                                                \
        while (!__atomic_compare_exchange_n(p, &seen, seen | v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}                      \
        return seen;                                                                                                               \
    }

ROOST_ATOMIC_VERBS(32)
ROOST_ATOMIC_VERBS(64)

ROOST_FN uint64_t take_place_relaxed_device64(uint64_t *p) { return __atomic_fetch_add(p, 1, __ATOMIC_RELAXED); }
ROOST_FN uint64_t take_places_relaxed_device64(uint64_t *p, uint64_t n) { return __atomic_fetch_add(p, n, __ATOMIC_RELAXED); }
ROOST_FN uint32_t and_relaxed_device32(uint32_t *p, uint32_t bits) { return __atomic_fetch_and(p, bits, __ATOMIC_RELAXED); }
ROOST_FN uint32_t take_bits_relaxed_device32(uint32_t *p, uint32_t bits) { return __atomic_fetch_or(p, bits, __ATOMIC_RELAXED); }
ROOST_FN uint32_t keep_bits_relaxed_device32(uint32_t *p, uint32_t bits) { return __atomic_fetch_and(p, bits, __ATOMIC_RELAXED); }
ROOST_FN uint32_t load_acquire_device32(const uint32_t *p)
{
    pause_here();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
ROOST_FN uint32_t cas_release_device32(uint32_t *p, uint32_t expected, uint32_t desired)
{
    pause_here();
    __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    return expected;
}
ROOST_FN uint64_t load_acquire_device64(const uint64_t *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
ROOST_FN uint64_t cas_release_device64(uint64_t *p, uint64_t expected, uint64_t desired)
{
    __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    return expected;
}
ROOST_FN uint32_t exchange_relaxed_device32(uint32_t *p, uint32_t v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }
ROOST_FN uint64_t exchange_relaxed_device64(uint64_t *p, uint64_t v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }
ROOST_FN uint32_t add_after_release_device32(uint32_t *p, uint32_t v, uint32_t after)
{
    (void)after;
    return __atomic_fetch_add(p, v, __ATOMIC_RELEASE);
}
ROOST_FN uint32_t or_acquire_device32(uint32_t *p, uint32_t bits) { return __atomic_fetch_or(p, bits, __ATOMIC_ACQUIRE); }
ROOST_FN uint32_t or_release_device32(uint32_t *p, uint32_t bits) { return __atomic_fetch_or(p, bits, __ATOMIC_RELEASE); }
ROOST_FN uint32_t and_release_device32(uint32_t *p, uint32_t bits) { return __atomic_fetch_and(p, bits, __ATOMIC_RELEASE); }

/* Accesses of 16 bytes, aligned to 16.  Both makers of processors with AVX promise that its aligned
 * loads are atomic.  Without AVX a swap of 0 for 0 loads as well, but it writes, so tables prefer
 * to publish in two steps (ROOST_LOAD128).  The thread sanitizer does not see through assembly, and
 * other processors have neither. */
#if defined(__x86_64__) && !ROOST_THREAD_SANITIZER
#define ROOST_ATOMIC128 1
#if defined(__AVX__)
#define ROOST_LOAD128 1
ROOST_FN void load_relaxed_device128(const uint64_t *p, uint64_t *v)
{
    __asm__ volatile("vmovdqa %2, %%xmm0\n\tvmovq %%xmm0, %0\n\tvpextrq $1, %%xmm0, %1"
                     : "=r"(v[0]), "=r"(v[1])
                     : "m"(*(const unsigned __int128 *)(const void *)p)
                     : "xmm0", "memory");
}
#else
#define ROOST_LOAD128 0
ROOST_FN void load_relaxed_device128(const uint64_t *p, uint64_t *v)
{
    uint64_t low = 0, high = 0;
    __asm__ volatile("lock cmpxchg16b %2"
                     : "+a"(low), "+d"(high), "+m"(*(unsigned __int128 *)(uintptr_t)p)
                     : "b"((uint64_t)0), "c"((uint64_t)0)
                     : "cc", "memory");
    v[0] = low, v[1] = high;
}
#endif
ROOST_FN void cas_relaxed_device128(uint64_t *p, const uint64_t *expected, const uint64_t *desired, uint64_t *seen)
{
    uint64_t low = expected[0], high = expected[1];
    pause_here();
    __asm__ volatile("lock cmpxchg16b %2"
                     : "+a"(low), "+d"(high), "+m"(*(unsigned __int128 *)(void *)p)
                     : "b"(desired[0]), "c"(desired[1])
                     : "cc", "memory");
    seen[0] = low, seen[1] = high;
}
#else
#define ROOST_ATOMIC128 0
#define ROOST_LOAD128 0
/* Never reached: the policy checks ROOST_ATOMIC128 before it chooses a kernel that calls them. */
ROOST_FN void load_relaxed_device128(const uint64_t *p, uint64_t *v) { v[0] = p[0], v[1] = p[1]; }
ROOST_FN void cas_relaxed_device128(uint64_t *p, const uint64_t *expected, const uint64_t *desired, uint64_t *seen)
{
    (void)p, (void)desired;
    seen[0] = ~expected[0], seen[1] = expected[1];
}
#endif
ROOST_FN void fence_acquire_device(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
ROOST_FN void fence_acquire_branch_device(void) { fence_acquire_device(); }
ROOST_FN void fence_acquire_release_device(void) { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
ROOST_FN void fence_release_device(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }
ROOST_FN void fence_release_system(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }
ROOST_FN void fence_sequential_device(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#endif

/* ---- Vector loads: 16 bytes as two 8-byte or four 4-byte words ------------------------------ */

#if defined(ROOST_MACHINE_CUDA)

ROOST_FN void load_vector64(const int phase, const uint64_t *p, uint64_t *out)
{
    if (phase == QUIESCENT) {
        const ulonglong2 v = *(const ulonglong2 *)p; /* L1 may serve it */
        out[0] = v.x, out[1] = v.y;
    } else if (phase == PASSING) {
        unsigned long long x, y;
        asm("ld.global.L1::evict_first.v2.u64 {%0,%1},[%2];" : "=l"(x), "=l"(y) : "l"(p));
        out[0] = x, out[1] = y;
    } else {
        unsigned long long x, y;
        asm volatile("ld.relaxed.gpu.v2.u64 {%0,%1},[%2];" : "=l"(x), "=l"(y) : "l"(p) : "memory");
        out[0] = x, out[1] = y;
    }
}
ROOST_FN void load_vector32(const int phase, const uint32_t *p, uint64_t *out)
{
    if (phase == QUIESCENT) {
        const uint4 v = *(const uint4 *)p;
        out[0] = v.x, out[1] = v.y, out[2] = v.z, out[3] = v.w;
    } else if (phase == PASSING) {
        unsigned a, b, c, d;
        asm("ld.global.L1::evict_first.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
        out[0] = a, out[1] = b, out[2] = c, out[3] = d;
    } else {
        unsigned a, b, c, d;
        asm volatile("ld.relaxed.gpu.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
        out[0] = a, out[1] = b, out[2] = c, out[3] = d;
    }
}
ROOST_FN void prefetch_read(const void *p) { (void)p; }
/* Prefetches the sector to the second-level cache. */
ROOST_FN void prefetch_far(const void *p) { asm volatile("prefetch.global.L2 [%0];" ::"l"(p)); }
/* Waits longer the more attempts have failed, and a different time on each lane. */
ROOST_FN void back_off(uint32_t attempt) { __nanosleep((64u + (threadIdx.x & 31u) * 8u) << (attempt < 12 ? attempt : 12)); }

#else

ROOST_FN void load_vector64(const int phase, const uint64_t *p, uint64_t *out)
{
    ROOST_UNROLL
    for (int i = 0; i < 2; i++) out[i] = phase != CONCURRENT ? p[i] : load_relaxed_device64(p + i);
}
ROOST_FN void load_vector32(const int phase, const uint32_t *p, uint64_t *out)
{
    ROOST_UNROLL
    for (int i = 0; i < 4; i++) out[i] = phase != CONCURRENT ? p[i] : load_relaxed_device32(p + i);
}
ROOST_FN void prefetch_read(const void *p) { __builtin_prefetch(p); }
ROOST_FN void prefetch_far(const void *p) { __builtin_prefetch(p); }
ROOST_FN void back_off(uint32_t attempt) { (void)attempt; }

#endif

#endif
