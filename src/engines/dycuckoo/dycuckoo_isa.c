/* Chooses among the host kernels' builds the widest instruction set that this processor has. */
#include "engines/dycuckoo/dycuckoo_kernels.h"

struct dycuckoo_kernels dycuckoo_host_kernels_base(void);

#if defined(__x86_64__) && !defined(ROOST_ISA_ONLY_BASE)
struct dycuckoo_kernels dycuckoo_host_kernels_avx2(void);
struct dycuckoo_kernels dycuckoo_host_kernels_avx512(void);

struct dycuckoo_kernels dycuckoo_host_kernels(void)
{
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("bmi");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    return avx512 ? dycuckoo_host_kernels_avx512() : avx2 ? dycuckoo_host_kernels_avx2() : dycuckoo_host_kernels_base();
}
#else
struct dycuckoo_kernels dycuckoo_host_kernels(void) { return dycuckoo_host_kernels_base(); }
#endif
