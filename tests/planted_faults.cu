/* Kernels with one fault each, for the tools of compute-sanitizer.  A tool that finds nothing here
 * proves nothing elsewhere.
 *
 *     compute-sanitizer --tool TOOL planted_faults TOOL
 *     TOOL: memcheck, racecheck, synccheck or initcheck
 *
 * The exit status is 0 if the kernel was launched: the fault is the sanitizer's to report.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#define LANES 64

/* memcheck: the last thread writes one word behind an array of LANES. */
__global__ void write_behind_the_end(unsigned *words) { words[threadIdx.x + 1] = threadIdx.x; }

/* racecheck: without a barrier in between, threads read what those of the other warp write. */
__global__ void read_without_a_barrier(unsigned *words)
{
    __shared__ unsigned shared[LANES];
    shared[threadIdx.x] = threadIdx.x;
    words[threadIdx.x] = shared[LANES - 1 - threadIdx.x];
}

/* synccheck: half of a warp waits for a block of which the other half does not come. */
__global__ void wait_in_a_branch(unsigned *words)
{
    __shared__ unsigned shared[LANES];
    shared[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < LANES / 4) __syncthreads();
    words[threadIdx.x] = shared[threadIdx.x];
}

/* initcheck: the words were allocated, and that is all. */
__global__ void read_what_nobody_wrote(unsigned *words) { words[threadIdx.x] += 1; }

static const struct {
    const char *tool;
    void (*kernel)(unsigned *words);
} faults[] = {
    {"memcheck", write_behind_the_end},
    {"racecheck", read_without_a_barrier},
    {"synccheck", wait_in_a_branch},
    {"initcheck", read_what_nobody_wrote},
};

/* What the fault does to the calls after the launch is not judged. */
static int run(void (*kernel)(unsigned *words))
{
    unsigned *words;
    if (cudaMalloc((void **)&words, LANES * sizeof *words) != cudaSuccess) {
        fputs("planted_faults: no memory on the GPU, or no GPU\n", stderr);
        return 1;
    }
    kernel<<<1, LANES>>>(words);
    const cudaError_t launched = cudaGetLastError();
    cudaDeviceSynchronize();
    cudaFree(words);
    return launched != cudaSuccess;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof faults / sizeof *faults; i++)
        if (!strcmp(argv[1], faults[i].tool)) return run(faults[i].kernel);
    fputs("usage: planted_faults memcheck|racecheck|synccheck|initcheck\n", stderr);
    return 2;
}
