/* Detects which builds of the host kernels this processor can run. */
#include "backends/host_isa.h"

#if defined(__x86_64__)
enum host_isa host_isa(void)
{
    __builtin_cpu_init();
    const int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("bmi");
    const int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    return avx512 ? HOST_AVX512 : avx2 ? HOST_AVX2 : HOST_BASE;
}
#else
enum host_isa host_isa(void) { return HOST_BASE; }
#endif
