/* Chooses among the host kernels' builds the widest instruction set that this processor has. */
#include "backends/host_isa.h"
#include "engines/fks/fks_kernels.h"

ROOST_KERNELS_BY_ISA(fks)
