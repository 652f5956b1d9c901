/* Chooses the host kernels' build with the widest instruction set that this processor has. */
#include "backends/host_isa.h"
#include "engines/compact/compact_kernels.h"

ROOST_KERNELS_BY_ISA(compact)
