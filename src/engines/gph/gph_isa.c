/* Chooses among the host kernels' builds the widest instruction set that this processor has. */
#include "backends/host_isa.h"
#include "engines/gph/gph_kernels.h"

struct kernels gph_host_kernels_base(void);

#if ROOST_HOST_ISAS > 1
struct kernels gph_host_kernels_avx2(void);
struct kernels gph_host_kernels_avx512(void);

struct kernels gph_host_kernels(void)
{
    switch (host_isa()) {
    case HOST_AVX512: return gph_host_kernels_avx512();
    case HOST_AVX2: return gph_host_kernels_avx2();
    default: return gph_host_kernels_base();
    }
}
#else
struct kernels gph_host_kernels(void) { return gph_host_kernels_base(); }
#endif
