/* Mapped device memory: pieces of physical memory in one range of addresses, by the driver's calls.
 * When an array grows, its pieces are mapped a second time in a longer range, and a new piece
 * behind them.  Then the old range is unmapped. */
#include "backends/cuda/cuda_mapping.h"

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
#include <string.h>

enum { PIECES = 256 /* of an array: steps of 1.05 multiply its bytes by 250,000 */ };

struct piece {
    CUmemGenericAllocationHandle handle;
    size_t bytes;
};

struct cuda_mapping {
    struct cuda_mapping *next;
    CUdeviceptr at;
    int n;
    struct piece pieces[PIECES];
};

/* ---- The driver's calls ---------------------------------------------------------------------- */

/* X(call, the version of CUDA whose call this is) */
#define DRIVER_CALLS(X)                                                                                                            \
    X(cuDeviceGetAttribute, 2000)                                                                                                  \
    X(cuMemGetAllocationGranularity, 10020)                                                                                        \
    X(cuMemAddressReserve, 10020)                                                                                                  \
    X(cuMemAddressFree, 10020)                                                                                                     \
    X(cuMemCreate, 10020)                                                                                                          \
    X(cuMemRelease, 10020)                                                                                                         \
    X(cuMemMap, 10020)                                                                                                             \
    X(cuMemUnmap, 10020)                                                                                                           \
    X(cuMemSetAccess, 10020)

#define DRIVER_MEMBER(call, version) PFN_##call##_v##version call;
struct driver {
    DRIVER_CALLS(DRIVER_MEMBER)
};

static bool call_find(const char *name, int version, void *call)
{
    enum cudaDriverEntryPointQueryResult result;
    void *found = NULL;
#if CUDART_VERSION >= 12050
    const cudaError_t code = cudaGetDriverEntryPointByVersion(name, &found, (unsigned)version, cudaEnableDefault, &result);
#else
    const cudaError_t code = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
    (void)version;
#endif
    if (code != cudaSuccess) (void)cudaGetLastError();
    memcpy(call, &found, sizeof found);
    return code == cudaSuccess && found;
}

/* Each call asks again, which takes microseconds: growth is rare, and no state is shared. */
static bool driver_find(struct driver *d)
{
    bool all = true;
#define DRIVER_FIND(call, version) all = call_find(#call, version, &d->call) && all;
    DRIVER_CALLS(DRIVER_FIND)
    return all;
}

static CUmemAllocationProp properties_of(int ordinal)
{
    CUmemAllocationProp properties;
    memset(&properties, 0, sizeof properties);
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = ordinal;
    return properties;
}

size_t cuda_mapping_unit(int ordinal)
{
    const CUmemAllocationProp properties = properties_of(ordinal);
    struct driver d;
    size_t unit = 0;
    int has = 0;
    if (!driver_find(&d)) return 0;
    if (d.cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, ordinal) != CUDA_SUCCESS || !has)
        return 0;
    const CUresult code = d.cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    return code == CUDA_SUCCESS ? unit : 0;
}

static roost_status driver_failed(struct backend *b, CUresult code, const char *call)
{
    const roost_status status = code == CUDA_ERROR_OUT_OF_MEMORY ? ROOST_ERR_MEMORY : ROOST_ERR_DEVICE;
    return error_set(b->error, status, "%s: error %d of the driver", call, (int)code);
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static void range_drop(const struct driver *d, CUdeviceptr at, size_t mapped, size_t bytes)
{
    if (mapped) (void)d->cuMemUnmap(at, mapped);
    (void)d->cuMemAddressFree(at, bytes);
}

/* Maps all pieces in a new range of their bytes.  On failure no new range is left. */
static roost_status range_map(struct backend *b, const struct driver *d, const struct cuda_mapping *m, size_t bytes,
                              CUdeviceptr *at)
{
    CUmemAccessDesc access;
    size_t mapped = 0;
    CUresult code = d->cuMemAddressReserve(at, bytes, 0, 0, 0);
    memset(&access, 0, sizeof access);
    access.location = properties_of(b->ordinal).location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (code != CUDA_SUCCESS) return driver_failed(b, code, "cuMemAddressReserve");
    for (int i = 0; code == CUDA_SUCCESS && i < m->n; i++) {
        code = d->cuMemMap(*at + mapped, m->pieces[i].bytes, 0, m->pieces[i].handle, 0);
        if (code == CUDA_SUCCESS) mapped += m->pieces[i].bytes;
    }
    if (code == CUDA_SUCCESS) code = d->cuMemSetAccess(*at, bytes, &access, 1);
    if (code == CUDA_SUCCESS) return ROOST_OK;
    range_drop(d, *at, mapped, bytes);
    return driver_failed(b, code, "cuMemMap");
}

static roost_status array_extend(struct backend *b, const struct driver *d, struct cuda_mapping *m, size_t from, size_t to)
{
    const CUmemAllocationProp properties = properties_of(b->ordinal);
    struct piece *const piece = &m->pieces[m->n];
    CUdeviceptr at;
    if (m->n == PIECES) return error_set(b->error, ROOST_ERR_MEMORY, "an array in %d pieces takes no more", PIECES);
    piece->bytes = to - from;
    const CUresult code = d->cuMemCreate(&piece->handle, piece->bytes, &properties, 0);
    if (code != CUDA_SUCCESS) return driver_failed(b, code, "cuMemCreate");
    m->n++;
    const roost_status status = range_map(b, d, m, to, &at);
    if (status) {
        (void)d->cuMemRelease(m->pieces[--m->n].handle);
        return status;
    }
    if (from) range_drop(d, m->at, from, from);
    m->at = at;
    return ROOST_OK;
}

static void array_delete(struct backend *b, const struct driver *d, struct cuda_mapping **place, size_t bytes)
{
    struct cuda_mapping *const m = *place;
    if (bytes) range_drop(d, m->at, bytes, bytes);
    for (int i = 0; i < m->n; i++) (void)d->cuMemRelease(m->pieces[i].handle);
    *place = m->next;
    host_delete(&b->allocator, m, sizeof *m);
}

roost_status cuda_mapping_resize(struct backend *b, struct cuda_mapping **all, void **memory, size_t from, size_t to)
{
    struct driver d;
    struct cuda_mapping **place = all;
    if (!driver_find(&d)) return error_set(b->error, ROOST_ERR_DEVICE, "the driver maps no memory");
    if (!from) {
        struct cuda_mapping *const m = (struct cuda_mapping *)host_new(&b->allocator, sizeof *m);
        if (!m) return error_set(b->error, ROOST_ERR_MEMORY, "no memory for a mapping's description");
        m->next = *all;
        *all = m;
    }
    while (from && (*place)->at != (CUdeviceptr)(uintptr_t)*memory) place = &(*place)->next;
    const roost_status status = to ? array_extend(b, &d, *place, from, to) : ROOST_OK;
    if (!status && to) *memory = (void *)(uintptr_t)(*place)->at;
    if (!to) *memory = NULL;
    if (!to || (status && !from)) array_delete(b, &d, place, from);
    return status;
}
