/* How host kernels are compiled, once per instruction set, and which of these builds run. */
#ifndef ROOST_BACKENDS_HOST_ISA_H
#define ROOST_BACKENDS_HOST_ISA_H

enum host_isa { HOST_BASE, HOST_AVX2, HOST_AVX512 };

/* The widest instruction set that this processor has. */
enum host_isa host_isa(void);

#define ROOST_JOIN_(a, b) a##b
#define ROOST_JOIN(a, b) ROOST_JOIN_(a, b)

/* How the kernels of an operation are compiled.  Each engine's *_host.c states it per operation:
 * COMPILED_find HOST_HOT.  gcc's jump threading copies the unrolled code of long searches, which is
 * half of the compile time and a third of the code.  Warm kernels do without it.  Cold ones are at
 * -O2, too: those whose rate that does not change.  (-O2 takes a sixth from the inserts of gph,
 * doing without jump threading a twelfth from those of fks.)
 * Outlined kernels (machine.h) compile soon anyway, and clang has no such attribute. */
#define HOST_HOT
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && !defined(ROOST_OUTLINED)
#define HOST_WARM __attribute__((optimize("no-thread-jumps")))
#define HOST_COLD __attribute__((optimize("O2", "no-thread-jumps")))
#else
#define HOST_WARM
#define HOST_COLD
#endif

/* In an engine's *_host.c: the kernels for ROOST_ISA, the instruction set it is compiled for. */
#define ROOST_KERNELS_OF_ISA(engine, list, atomic128)                                                                              \
    struct kernels ROOST_JOIN(engine##_host_kernels_, ROOST_ISA)(void);                                                            \
    struct kernels ROOST_JOIN(engine##_host_kernels_, ROOST_ISA)(void)                                                             \
    {                                                                                                                              \
        const struct kernels set = {list, sizeof list / sizeof list[0], atomic128};                                                \
        return set;                                                                                                                \
    }

/* In an engine's *_isa.c: the kernels for ROOST_ISA if it is defined, else for the widest
 * instruction set of this processor.  No other source depends on this: libraries for one
 * instruction set and for all of them share their objects. */
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
