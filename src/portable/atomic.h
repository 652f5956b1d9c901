/* Atomic verbs, named by order and scope.  Scope `device` means every thread of the GPU, or of the process on the host.
 *
 * A word is always accessed at one width, also by these: mixed sizes are races on both machines.  Who uses a verb states
 * beside it which interleaving would break without it. */
#ifndef ROOST_PORTABLE_ATOMIC_H
#define ROOST_PORTABLE_ATOMIC_H

#include "portable/machine.h"

/* May a writer run beside this kernel?  QUIESCENT kernels load plainly; CONCURRENT ones load whole words, relaxed. */
enum phase { QUIESCENT, CONCURRENT };

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

/* A place of one's own in a list whose length *p is: an add of 1, of which the lanes that come together make one. */
ROOST_FN uint64_t take_place_relaxed_device64(uint64_t *p)
{
    const unsigned together = __activemask(), lane = threadIdx.x & 31u;
    const int leader = __ffs((int)together) - 1;
    unsigned long long first = 0;
    if ((int)lane == leader) first = atomicAdd((unsigned long long *)p, (unsigned long long)__popc(together));
    return __shfl_sync(together, first, leader) + (unsigned)__popc(together & ((1u << lane) - 1u));
}
/* A lock's or and and: verbs of their own, so that the scheduled machine can tell who holds what. */
ROOST_FN uint32_t take_bits_relaxed_device32(uint32_t *p, uint32_t bits) { return atomicOr((unsigned *)p, (unsigned)bits); }
ROOST_FN uint32_t keep_bits_relaxed_device32(uint32_t *p, uint32_t bits) { return atomicAnd((unsigned *)p, (unsigned)bits); }
/* One instruction for all three: PTX has no weaker one, and the compiler's own fence would be sequentially consistent. */
ROOST_FN void fence_acquire_release_device(void) { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
ROOST_FN void fence_acquire_device(void) { fence_acquire_release_device(); }
ROOST_FN void fence_release_device(void) { fence_acquire_release_device(); }

#elif defined(ROOST_MACHINE_SCHEDULED)

#include "portable/scheduled.h"

#else

#define ROOST_ATOMIC_VERBS(bits)                                                                                                   \
    ROOST_FN uint##bits##_t load_relaxed_device##bits(const uint##bits##_t *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }    \
    ROOST_FN void store_relaxed_device##bits(uint##bits##_t *p, uint##bits##_t v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }    \
    ROOST_FN uint##bits##_t cas_relaxed_device##bits(uint##bits##_t *p, uint##bits##_t expected, uint##bits##_t desired)           \
    {                                                                                                                              \
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
        return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);                                                                          \
    }

ROOST_ATOMIC_VERBS(32)
ROOST_ATOMIC_VERBS(64)

ROOST_FN uint64_t take_place_relaxed_device64(uint64_t *p) { return __atomic_fetch_add(p, 1, __ATOMIC_RELAXED); }
ROOST_FN uint32_t take_bits_relaxed_device32(uint32_t *p, uint32_t bits) { return __atomic_fetch_or(p, bits, __ATOMIC_RELAXED); }
ROOST_FN uint32_t keep_bits_relaxed_device32(uint32_t *p, uint32_t bits) { return __atomic_fetch_and(p, bits, __ATOMIC_RELAXED); }
ROOST_FN void fence_acquire_device(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
ROOST_FN void fence_acquire_release_device(void) { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
ROOST_FN void fence_release_device(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }

#endif

/* ---- Vector loads: 16 bytes as two 8-byte or four 4-byte words -------------------------------------------------------------- */

#if defined(ROOST_MACHINE_CUDA)

ROOST_FN void load_vector64(const int phase, const uint64_t *p, uint64_t *out)
{
    if (phase == QUIESCENT) {
        const ulonglong2 v = *(const ulonglong2 *)p; /* L1 may serve it */
        out[0] = v.x, out[1] = v.y;
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
    } else {
        unsigned a, b, c, d;
        asm volatile("ld.relaxed.gpu.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
        out[0] = a, out[1] = b, out[2] = c, out[3] = d;
    }
}
ROOST_FN void prefetch_read(const void *p) { (void)p; }
/* Waits the longer the more attempts have failed, lanes differently long. */
ROOST_FN void back_off(uint32_t attempt) { __nanosleep((64u + (threadIdx.x & 31u) * 8u) << (attempt < 10 ? attempt : 10)); }

#else

ROOST_FN void load_vector64(const int phase, const uint64_t *p, uint64_t *out)
{
    ROOST_UNROLL
    for (int i = 0; i < 2; i++) out[i] = phase == QUIESCENT ? p[i] : load_relaxed_device64(p + i);
}
ROOST_FN void load_vector32(const int phase, const uint32_t *p, uint64_t *out)
{
    ROOST_UNROLL
    for (int i = 0; i < 4; i++) out[i] = phase == QUIESCENT ? p[i] : load_relaxed_device32(p + i);
}
ROOST_FN void prefetch_read(const void *p) { __builtin_prefetch(p); }
ROOST_FN void back_off(uint32_t attempt) { (void)attempt; }

#endif

#endif
