/* Device arrays of a CUDA program: a kernel makes the keys, which never leave the GPU.  The
 * program's own stream orders the table's calls.
 *
 *     nvcc device_arrays.cu $(pkg-config --cflags --libs roost) && ./a.out
 *
 * Exit 77: there is no GPU here. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <roost/roost.h>

static const int KEYS = 1 << 20;

static void require_cuda(cudaError_t code)
{
    if (code == cudaSuccess) return;
    fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(code));
    exit(1);
}

static void require(roost_status status, const roost_table *table)
{
    if (status == ROOST_OK) return;
    fprintf(stderr, "%s: %s\n", roost_status_name(status), roost_last_error(table));
    exit(1);
}

__global__ void make_keys(uint64_t *keys, uint64_t *values, int n)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    keys[i] = (uint64_t)i * 0x9e3779b97f4a7c15u;
    values[i] = (uint64_t)i;
}

__global__ void count_right(const uint64_t *values, const uint8_t *found, int n, int *right)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n && found[i] && values[i] == (uint64_t)i) atomicAdd(right, 1);
}

int main()
{
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        printf("there is no GPU here\n");
        return 77;
    }
    uint64_t *keys, *values, *answers;
    uint8_t *found;
    int *right, host_right = 0;
    cudaStream_t stream;
    require_cuda(cudaStreamCreate(&stream));
    require_cuda(cudaMalloc(&keys, KEYS * sizeof *keys));
    require_cuda(cudaMalloc(&values, KEYS * sizeof *values));
    require_cuda(cudaMalloc(&answers, KEYS * sizeof *answers));
    require_cuda(cudaMalloc(&found, KEYS));
    require_cuda(cudaMalloc(&right, sizeof *right));
    require_cuda(cudaMemsetAsync(right, 0, sizeof *right, stream));

    roost_config config;
    roost_call call;
    roost_table *table;
    require(roost_config_init(&config, sizeof config), NULL);
    config.device = "cuda";
    config.key_type = config.value_type = ROOST_TYPE_U64;
    config.capacity = KEYS; /* room for all: no call has to grow the table */
    require(roost_table_create(&table, &config), NULL);
    require(roost_call_init(&call, sizeof call), NULL);
    call.stream = stream;
    /* All arrays are on the device, so the library need not ask the driver. */
    call.space = ROOST_SPACE_DEVICE;

    make_keys<<<(KEYS + 255) / 256, 256, 0, stream>>>(keys, values, KEYS);
    require(roost_insert(table, ROOST_ASSIGN, keys, values, KEYS, &call), table);
    require(roost_find(table, keys, KEYS, answers, found, &call), table);
    count_right<<<(KEYS + 255) / 256, 256, 0, stream>>>(answers, found, KEYS, right);
    require_cuda(cudaMemcpyAsync(&host_right, right, sizeof host_right, cudaMemcpyDeviceToHost, stream));
    require_cuda(cudaStreamSynchronize(stream));
    printf("%d of %d keys were found with their values\n", host_right, KEYS);

    roost_table_destroy(table);
    require_cuda(cudaFree(keys));
    require_cuda(cudaFree(values));
    require_cuda(cudaFree(answers));
    require_cuda(cudaFree(found));
    require_cuda(cudaFree(right));
    require_cuda(cudaStreamDestroy(stream));
    return host_right == KEYS ? 0 : 1;
}
