/* Which machine a translation unit is compiled for, and every decoration and compiler difference of
 * the dialect.
 *
 * The dialect is the common subset of C11 and CUDA C in which item operations are written once.  It
 * runs on three machines:
 *   - the host: a tile is one lane
 *   - CUDA: a tile is 1 to 32 lanes of a warp
 *   - for tests the scheduled machine: a lane is a coroutine, and at every tile verb and atomic a
 *     seeded scheduler may switch to another lane */
#ifndef ROOST_PORTABLE_MACHINE_H
#define ROOST_PORTABLE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__)
#define ROOST_MACHINE_CUDA 1
#elif defined(ROOST_SCHEDULED)
#define ROOST_MACHINE_SCHEDULED 1
#else
#define ROOST_MACHINE_HOST 1
#endif

/* Lanes: the machines on which a tile may have more than one. */
#if defined(ROOST_MACHINE_CUDA) || defined(ROOST_MACHINE_SCHEDULED)
#define ROOST_MACHINE_LANES 1
#endif

#if defined(ROOST_MACHINE_CUDA)
#define ROOST_FN static __device__ __forceinline__
#define ROOST_UNROLL _Pragma("unroll")
#define ROOST_UNROLL_GPU ROOST_UNROLL
/* A loop that is not unrolled: copies of its body would not fit the instruction cache. */
#define ROOST_ROLLED _Pragma("unroll 1")
#elif defined(ROOST_MACHINE_SCHEDULED) || defined(ROOST_OUTLINED)
/* Not forced.  On the scheduled machine shapes and tiles are variables, so inlining would not fold
 * anything.  ROOST_OUTLINED: host kernels of builds that check, not measure.  They compile in a
 * tenth of the time. */
#define ROOST_FN static inline __attribute__((unused))
#define ROOST_UNROLL
#define ROOST_ROLLED
#else
#define ROOST_FN static inline __attribute__((always_inline, unused))
#define ROOST_ROLLED
#if defined(__clang__)
#define ROOST_UNROLL _Pragma("unroll")
#else
#define ROOST_UNROLL _Pragma("GCC unroll 32")
#endif
#endif

/* A function that few items call.  On the host it is not inlined, so that the others have its
 * registers; on a GPU a call would put its arguments into memory. */
#if defined(ROOST_MACHINE_HOST)
#define ROOST_FN_COLD static __attribute__((noinline, unused))
#else
#define ROOST_FN_COLD ROOST_FN
#endif

/* In operations that are not hot, a loop over slots or homes with a long body.  On the GPU it is
 * unrolled, as arrays with variable indices do not stay in registers.  The host has its arrays in
 * the first cache, and copies of the body would cost compile time. */
#if !defined(ROOST_UNROLL_GPU)
#define ROOST_UNROLL_GPU
#endif

/* Is a sanitizer on?  (gcc and clang use different macros.) */
#if defined(__SANITIZE_THREAD__)
#define ROOST_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ROOST_THREAD_SANITIZER 1
#endif
#endif
#ifndef ROOST_THREAD_SANITIZER
#define ROOST_THREAD_SANITIZER 0
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ROOST_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROOST_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef ROOST_ADDRESS_SANITIZER
#define ROOST_ADDRESS_SANITIZER 0
#endif

/* Counts the bucket reads of finds and erases in builds that ask for it; costs nothing
 * elsewhere. */
#ifndef ROOST_PROBES
#define ROOST_PROBES 0
#endif

#endif
