/* Chooses among the host kernels' builds the widest instruction set that this processor has. */
#include "backends/host_isa.h"
#include "engines/slab/slab_kernels.h"

struct kernels slab_host_kernels_base(void);

#if ROOST_HOST_ISAS > 1
struct kernels slab_host_kernels_avx2(void);
struct kernels slab_host_kernels_avx512(void);

struct kernels slab_host_kernels(void)
{
    switch (host_isa()) {
    case HOST_AVX512: return slab_host_kernels_avx512();
    case HOST_AVX2: return slab_host_kernels_avx2();
    default: return slab_host_kernels_base();
    }
}
#else
struct kernels slab_host_kernels(void) { return slab_host_kernels_base(); }
#endif
