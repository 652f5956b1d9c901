/* Host kernels are compiled once per instruction set: how they are compiled, and which of these builds run. */
#ifndef ROOST_BACKENDS_HOST_ISA_H
#define ROOST_BACKENDS_HOST_ISA_H

enum host_isa { HOST_BASE, HOST_AVX2, HOST_AVX512 };

/* The widest instruction set that this processor has. */
enum host_isa host_isa(void);

#define ROOST_JOIN_(a, b) a##b
#define ROOST_JOIN(a, b) ROOST_JOIN_(a, b)

/* How an operation's kernels are compiled, a word for each in the engine's *_host.c: COMPILED_find HOST_HOT.  gcc's jump threading
 * copies the unrolled code of a long search many times over: half of a compilation, and a third more code.  Operations whose
 * time goes into searching or waiting for memory do without it.  clang has no such attribute. */
#define HOST_HOT
#if defined(__GNUC__) && !defined(__clang__)
#define HOST_COLD __attribute__((optimize("no-thread-jumps")))
#else
#define HOST_COLD
#endif

/* In an engine's *_host.c, where ROOST_ISA is the instruction set that it is compiled for: the kernels of this one. */
#define ROOST_KERNELS_OF_ISA(engine, list, atomic128)                                                                              \
    struct kernels ROOST_JOIN(engine##_host_kernels_, ROOST_ISA)(void);                                                            \
    struct kernels ROOST_JOIN(engine##_host_kernels_, ROOST_ISA)(void)                                                             \
    {                                                                                                                              \
        const struct kernels set = {list, sizeof list / sizeof list[0], atomic128};                                                \
        return set;                                                                                                                \
    }

/* In its *_isa.c: the kernels for ROOST_ISA, where it is defined, else for the widest instruction set that this processor has.  No
 * other source depends on that choice, so a build for one instruction set and one for all share their objects. */
#if defined(ROOST_ISA)
#define ROOST_KERNELS_BY_ISA(engine)                                                                                               \
    struct kernels ROOST_JOIN(engine##_host_kernels_, ROOST_ISA)(void);                                                            \
    struct kernels engine##_host_kernels(void) { return ROOST_JOIN(engine##_host_kernels_, ROOST_ISA)(); }
#else
#define ROOST_KERNELS_BY_ISA(engine)                                                                                               \
    struct kernels engine##_host_kernels_base(void);                                                                               \
    struct kernels engine##_host_kernels_avx2(void);                                                                               \
    struct kernels engine##_host_kernels_avx512(void);                                                                             \
    struct kernels engine##_host_kernels(void)                                                                                     \
    {                                                                                                                              \
        switch (host_isa()) {                                                                                                      \
        case HOST_AVX512: return engine##_host_kernels_avx512();                                                                   \
        case HOST_AVX2: return engine##_host_kernels_avx2();                                                                       \
        default: return engine##_host_kernels_base();                                                                              \
        }                                                                                                                          \
    }
#endif

#endif
