/* A backend: the machine on which one table lives, as one struct of operations.  The engines' policies call these and never ask which
 * machine it is.
 *
 * Work is ordered on the backend's stream: fill, copy and launch may return before they are done; read and wait return after
 * everything before them.  On the host everything is done when the call returns. */
#ifndef ROOST_BACKENDS_BACKEND_H
#define ROOST_BACKENDS_BACKEND_H

#include <stdbool.h>

#include "portable/error.h"
#include "roost/tuning.h"

enum machine { MACHINE_HOST, MACHINE_CUDA, MACHINES };

/* A stamped kernel.  host: items first .. last - 1 on the calling thread; cuda: a __global__ function's address.  Both take one struct
 * of arguments. */
struct kernel {
    const char *name;
    int operation, shape, driver; /* the engine's own numbers */
    int tile;                     /* lanes */
    uint32_t scratch_bytes;       /* shared memory a tile asks for */
    void (*host)(const void *args, uint64_t first, uint64_t last);
    const void *cuda;
    int items;            /* cuda: as many tiles as serve this many each; 0: as many as the GPU holds, in a loop */
    int threads;          /* cuda: of a block; 0: as many as most kernels have */
    uint32_t block_bytes; /* cuda: shared memory that a block asks for, beside its tiles'; known once a table has its size */
};

struct backend;

/* A table's work goes through one queue, the stream of the call at hand; copies that run beside it through two others. */
enum queue { QUEUE_WORK, QUEUE_IN, QUEUE_OUT, QUEUES };
enum { BACKEND_MARKS = 32, BACKEND_SNAPSHOT = 4096 };

struct backend_operations {
    enum machine machine;
    bool enqueues; /* work may be under way when the call that asked for it has returned */
    roost_status (*open)(struct backend *b, int ordinal);
    void (*close)(struct backend *b);
    roost_status (*allocate)(struct backend *b, size_t bytes, void **memory);
    void (*release)(struct backend *b, void *memory, size_t bytes);
    roost_status (*fill)(struct backend *b, void *memory, int byte, size_t bytes);
    roost_status (*copy)(struct backend *b, void *to, const void *from, size_t bytes);      /* between any two places */
    roost_status (*read)(struct backend *b, void *to_host, const void *from, size_t bytes); /* and waits */
    roost_status (*prepare)(struct backend *b,
                            const struct kernel *k); /* loads it: loading may wait for all streams of a process */
    roost_status (*launch)(struct backend *b, const struct kernel *k, const void *args, size_t args_bytes, uint64_t n);
    roost_status (*wait)(struct backend *b);
    /* Copies up to BACKEND_SNAPSHOT bytes to where `arrived` finds them, behind the work so far; nobody waits.  arrived: has the last
     * snapshot come?  If so, it is written to `to`. */
    roost_status (*snapshot)(struct backend *b, const void *from, size_t bytes);
    bool (*arrived)(struct backend *b, void *to, size_t bytes);
    roost_space (*locate)(struct backend *b, const void *memory); /* HOST or DEVICE */
    void (*trim)(struct backend *b);                              /* gives released memory back to the system */
    /* Queues: a copy on one; a mark where one stands; what comes later on one, or the caller, waits for the work before a mark.  A mark
     * that was set again counts from there; one that was never set is no wait. */
    roost_status (*transfer)(struct backend *b, enum queue queue, void *to, const void *from, size_t bytes);
    roost_status (*mark)(struct backend *b, enum queue queue, int mark);
    roost_status (*follow)(struct backend *b, enum queue queue, int mark);
    roost_status (*await)(struct backend *b, int mark);
    bool (*is_pinned)(struct backend *b, const void *memory);                        /* host memory that copies run beside */
    roost_status (*pinned_allocate)(struct backend *b, size_t bytes, void **memory); /* of that kind */
    void (*pinned_release)(struct backend *b, void *memory, size_t bytes);
    /* Orders the coming work of a call on the stream: a write's after all earlier work on the table, a read's after all earlier writes. */
    roost_status (*begin)(struct backend *b, void *stream, bool writes);
    roost_status (*end)(struct backend *b, bool writes); /* of that work: what comes after it knows where it ended */
};

struct backend {
    const struct backend_operations *operations;
    struct error *error; /* where failures are described: the table's */
    void *stream;        /* of the call at hand */
    bool capturing; /* into a graph, for launches that nobody here sees: nothing may be waited for, or taken for granted later */
    bool atomic128; /* the device has atomics of 16 bytes */
    bool enqueue;   /* the call at hand may return before its work is done */
    uint32_t block_bytes; /* fast memory of a block: shared memory, at most; on the host a core's own cache */
    int ordinal, threads;
    roost_allocator allocator;
    roost_device_allocator device_allocator;
    uint64_t memory_limit, bytes_now, bytes_peak, waits;
    uint64_t launches;                         /* of kernels over the items of batches; atomic, for finds run beside finds */
    double route_seconds, routed_find_seconds; /* of ordering batches; of ordered finds */
    char name[16];
    char model[128]; /* as in roost_device_info */
    void *state;     /* the operations' own */
};

#if ROOST_PROBES
/* The tests' own: puts something between the tables that are opened from now on and their machine.  NULL: nothing. */
extern const struct backend_operations *(*backend_wrapper)(const struct backend_operations *operations);
/* Theirs, too: how many items a thread of the host takes at a time. */
extern uint64_t host_grain;
#endif

/* "host" gives -1, "cuda" 0, "cuda:3" 3, NULL the first GPU or else the host; anything else -2. */
int backend_ordinal(const char *name);
/* Opens the device that a configuration names ("host", "cuda", "cuda:N"; NULL: the first GPU, else the host). */
roost_status backend_open(struct backend **backend, const roost_config *config, struct error *error);
void backend_close(struct backend *backend);

/* Memory of the host for descriptions and the like, zeroed, from the caller's allocator if there is one; NULL: refused. */
void *host_new(const roost_allocator *allocator, size_t bytes);
void host_delete(const roost_allocator *allocator, void *memory, size_t bytes);

/* Memory, counted against the limit.  ROOST_ERR_MEMORY when it is refused; *memory is NULL then. */
roost_status backend_allocate(struct backend *b, size_t bytes, void **memory);
/* The same (of no bytes: NULL) where so many more could be had beside it, which are taken for a moment: they will be asked for. */
roost_status backend_allocate_beside(struct backend *b, size_t bytes, size_t beside, void **memory);
void backend_release(struct backend *b, void *memory, size_t bytes);

/* Waits that are counted in the statistics. */
roost_status backend_read(struct backend *b, void *to_host, const void *from, size_t bytes);
roost_status backend_wait(struct backend *b);
/* Adds to *sum the seconds since *from, once all work is done; from then on *from is now. */
roost_status backend_lap(struct backend *b, double *from, double *sum);
/* Arrays of so many bytes each that lie in one piece of memory, aligned to 256: its bytes, and where each begins there (of none NULL). */
size_t backend_arrays_bytes(const size_t *bytes, int n);
void backend_arrays_place(void *memory, const size_t *bytes, int n, void **at);
/* Offset i of an array of them, of 4 or 8 bytes each, wherever it lies. */
roost_status backend_read_offset(struct backend *b, const void *offsets, int offset_bytes, uint64_t i, uint64_t *offset);

/* The host's clock, in seconds since some moment. */
double backend_seconds(void);

/* Launches a kernel over the items of a batch, or of a part of one, which is counted in the statistics.  Kernels over other things
 * (buckets of a table that is resized) go to the operation itself. */
roost_status backend_launch(struct backend *b, const struct kernel *k, const void *args, size_t args_bytes, uint64_t n);

/* Copies between host arrays by as many threads as help; the second one the items whose flag is set. */
void backend_copy_host(void *to, const void *from, size_t bytes);
void backend_copy_flagged(void *to, const void *from, const uint8_t *flags, uint64_t n, int item_bytes);
/* A caller's array may lie on a GPU even if the table does not.  Copies between any two places, and
 * waits; says where memory lies. */
roost_status copy_anywhere(struct backend *b, void *to, const void *from, size_t bytes);
roost_space locate_anywhere(struct backend *b, const void *memory);

/* Describes device `index`, GPUs first; ROOST_ERR_NOT_FOUND past the last. */
roost_status backend_describe(size_t index, roost_device_info *info);

extern const struct backend_operations host_operations;
roost_status host_describe(roost_device_info *info);

/* The GPUs' operations: NULL, and 0 devices, in a build without CUDA or on a machine without a driver. */
const struct backend_operations *cuda_operations_if_any(void);
int cuda_device_count(void);
/* Copies between any two places, for a backend that need not be a GPU's, and waits. */
roost_status cuda_copy_now(struct backend *b, void *to, const void *from, size_t bytes);
roost_status cuda_describe(int ordinal, roost_device_info *info);

#endif
