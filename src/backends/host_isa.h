/* Which of the host kernels' builds this processor can run. */
#ifndef ROOST_BACKENDS_HOST_ISA_H
#define ROOST_BACKENDS_HOST_ISA_H

#if defined(__x86_64__) && !defined(ROOST_ISA_ONLY_BASE)
#define ROOST_HOST_ISAS 3
#else
#define ROOST_HOST_ISAS 1
#endif

enum host_isa { HOST_BASE, HOST_AVX2, HOST_AVX512 };

enum host_isa host_isa(void);

#define ROOST_JOIN_(a, b) a##b
#define ROOST_JOIN(a, b) ROOST_JOIN_(a, b)

/* In an engine's *_host.c, which is compiled once per instruction set: the kernels of this one. */
#define ROOST_KERNELS_OF_ISA(engine, list, atomic128)                                                                              \
    struct kernels ROOST_JOIN(engine##_host_kernels_, ROOST_ISA)(void);                                                            \
    struct kernels ROOST_JOIN(engine##_host_kernels_, ROOST_ISA)(void)                                                             \
    {                                                                                                                              \
        const struct kernels set = {list, sizeof list / sizeof list[0], atomic128};                                                \
        return set;                                                                                                                \
    }

/* In its *_isa.c: those of the widest one that this processor has; of two, where the tests' copy has no more. */
#if ROOST_HOST_ISAS > 1 && defined(ROOST_ISA_WIDEST)
#define ROOST_KERNELS_BY_ISA(engine)                                                                                               \
    struct kernels engine##_host_kernels_base(void);                                                                               \
    struct kernels ROOST_JOIN(engine##_host_kernels_, ROOST_ISA_WIDEST)(void);                                                     \
    struct kernels engine##_host_kernels(void)                                                                                     \
    {                                                                                                                              \
        return host_isa() >= ROOST_HOST_ISA_WIDEST ? ROOST_JOIN(engine##_host_kernels_, ROOST_ISA_WIDEST)()                        \
                                                   : engine##_host_kernels_base();                                                 \
    }
#elif ROOST_HOST_ISAS > 1
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
#else
#define ROOST_KERNELS_BY_ISA(engine)                                                                                               \
    struct kernels engine##_host_kernels_base(void);                                                                               \
    struct kernels engine##_host_kernels(void) { return engine##_host_kernels_base(); }
#endif

#endif
