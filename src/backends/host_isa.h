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

#endif
