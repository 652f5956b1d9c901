/* A backend: the machine on which one table lives, as one struct of operations.  The engines'
 * policies call these and never ask which machine it is.
 *
 * Work is ordered on the backend's stream.  Calls of fill, copy and launch may return before
 * their work is done; read and wait return after all work before them.  On the host everything
 * is done when the call returns. */
#ifndef ROOST_BACKENDS_BACKEND_H
#define ROOST_BACKENDS_BACKEND_H

#include <stdbool.h>

#include "portable/error.h"
#include "roost/tuning.h"

enum machine { MACHINE_HOST, MACHINE_CUDA, MACHINES };

/* A stamped kernel.  host: processes items first .. last - 1 on the calling thread; cuda: the
 * address of a __global__ function.  Both take one struct of arguments. */
struct kernel {
    const char *name;
    int operation, shape, driver; /* the engine's own numbers */
    int tile;                     /* lanes */
    uint32_t scratch_bytes;       /* shared memory per tile */
    void (*host)(const void *args, uint64_t first, uint64_t last);
    const void *cuda;
    /* cuda: items per tile, with as many tiles as that needs; 0: as many tiles as the GPU holds,
     * each in a loop; below 0: the same in -items blocks of each multiprocessor, at most */
    int items;
    int threads; /* cuda: per block; 0: as many as most kernels have */
    /* cuda: shared memory per block besides its tiles', known once a table has its
     * size */
    uint32_t block_bytes;
};

struct backend;

/* A table's work goes through one queue, the stream of the current call.  Copies beside it go
 * through two others, and a batch's way over ranks through one more. */
enum queue { QUEUE_WORK, QUEUE_IN, QUEUE_OUT, QUEUE_WAY, QUEUES };
enum { BACKEND_MARKS = 32, BACKEND_SNAPSHOT = 4096, BACKEND_SNAPSHOTS = 2 };

struct backend_operations {
    enum machine machine;
    bool enqueues; /* work may be pending when the call that enqueued it has returned */
    roost_status (*open)(struct backend *b, int ordinal);
    void (*close)(struct backend *b);
    roost_status (*allocate)(struct backend *b, size_t bytes, void **memory);
    void (*release)(struct backend *b, void *memory, size_t bytes);
    /* Changes the size of mapped memory, in multiples of mapped_unit.  No work is pending.  from 0:
     * maps new memory.  to 0: unmaps it, which succeeds.  Else it is larger, its contents stay, and
     * its address may change; on failure it is as before. */
    roost_status (*remap)(struct backend *b, void **memory, size_t from, size_t to);
    roost_status (*fill)(struct backend *b, void *memory, int byte, size_t bytes);
    /* copy: between any two places.  read: the same, and waits.  prepare: loads a kernel, which
     * may wait for all streams of the process. */
    roost_status (*copy)(struct backend *b, void *to, const void *from, size_t bytes);
    roost_status (*read)(struct backend *b, void *to_host, const void *from, size_t bytes);
    roost_status (*prepare)(struct backend *b, const struct kernel *k);
    roost_status (*launch)(struct backend *b, const struct kernel *k, const void *args, size_t args_bytes, uint64_t n);
    roost_status (*wait)(struct backend *b);
    /* For backend_snapshot and backend_arrived: the same, to and from one of their places. */
    roost_status (*snapshot)(struct backend *b, int place, const void *from, size_t bytes);
    bool (*arrived)(struct backend *b, int place, void *to, size_t bytes);
    roost_space (*locate)(struct backend *b, const void *memory); /* HOST or DEVICE */
    void (*trim)(struct backend *b);                              /* returns released memory */
    /* Queues.  transfer: copies on a queue.  mark: sets a mark at the end of a queue.  follow,
     * await: later work on a queue, or the caller, waits for the work before a mark.  A mark
     * that is set again stands for its new place; one that was never set is no wait.  of: the
     * backend whose mark it is; another one has set it before. */
    roost_status (*transfer)(struct backend *b, enum queue queue, void *to, const void *from, size_t bytes);
    roost_status (*mark)(struct backend *b, enum queue queue, int mark);
    roost_status (*follow)(struct backend *b, enum queue queue, const struct backend *of, int mark);
    roost_status (*await)(struct backend *b, int mark);
    /* The stream of a queue, for b->stream. */
    roost_status (*stream_of)(struct backend *b, enum queue queue, void **stream);
    /* is_pinned: host memory whose copies overlap with other work; pinned_allocate: such memory */
    bool (*is_pinned)(struct backend *b, const void *memory);
    roost_status (*pinned_allocate)(struct backend *b, size_t bytes, void **memory);
    void (*pinned_release)(struct backend *b, void *memory, size_t bytes);
    /* begin: orders the work of a call on the stream.  A write follows all earlier work on the
     * table, a read all earlier writes.  end: marks the end of that work, for later calls. */
    roost_status (*begin)(struct backend *b, void *stream, bool writes);
    roost_status (*end)(struct backend *b, bool writes);
};

struct backend {
    const struct backend_operations *operations;
    struct error *error; /* the table's */
    void *stream;        /* the current call's */
    /* into a graph, whose launches the library does not see: no waits, and no
     * assumption about when the work runs */
    bool capturing;
    bool atomic128; /* the device has atomics of 16 bytes */
    bool enqueue;   /* the current call may be asynchronous */
    /* fast memory per block: the most shared memory; on the host a core's own cache */
    uint32_t block_bytes;
    bool keeps_pages;      /* the process keeps large blocks that are released: see host_pages.h */
    size_t mapped_unit;    /* of mapped memory, bytes; 0: there is none */
    uint64_t memory_bytes; /* of the GPU */
    int ordinal, threads;
    roost_allocator allocator;
    roost_device_allocator device_allocator;
    uint64_t memory_limit, bytes_now, bytes_peak, waits;
    size_t promised; /* bytes that are allocated after the table that is being made, at most */
    /* launches: of kernels over the items of batches; atomic, because finds run at the same time.
     * Seconds: spent on ordering batches, and on finds of ordered batches. */
    uint64_t launches;
    double route_seconds, routed_find_seconds;
    const void *snapshot_from[BACKEND_SNAPSHOTS]; /* of each place: what was copied there last */
    int snapshot_last;                            /* place */
    char name[16];
    char model[128]; /* as in roost_device_info */
    void *state;     /* of the operations */
};

#if ROOST_PROBES
/* For tests: replaces the operations of tables that are opened from now on.  NULL: does nothing. */
extern const struct backend_operations *(*backend_wrapper)(const struct backend_operations *operations);
/* For tests: items that a host thread takes at a time. */
extern uint64_t host_grain;
#endif

/* Bytes from which an array that grows in place is mapped memory: below, a mapping's unit would be
 * a large part of it.  Tests with probes change them. */
#if ROOST_PROBES
extern uint64_t backend_mapped_least;
#else
enum { backend_mapped_least = 64 << 20 };
#endif

/* "host": -1; "cuda": 0; "cuda:3": 3; NULL: the first GPU, else the host; other names: -2. */
int backend_ordinal(const char *name);
/* Opens the device that the configuration names ("host", "cuda", "cuda:N"; NULL: the first GPU,
 * else the host). */
roost_status backend_open(struct backend **backend, const roost_config *config, struct error *error);
void backend_close(struct backend *backend);

/* Zeroed host memory for small structs, from the caller's allocator if there is one.  NULL:
 * refused. */
void *host_new(const roost_allocator *allocator, size_t bytes);
void host_delete(const roost_allocator *allocator, void *memory, size_t bytes);

/* Allocates memory that counts against the limit.
 * Returns: ROOST_ERR_MEMORY: refused, and *memory is NULL. */
roost_status backend_allocate(struct backend *b, size_t bytes, void **memory);
/* The same (NULL for 0 bytes), provided that `beside` more bytes can be allocated, too.  These
 * are released again at once; the caller will need them later. */
roost_status backend_allocate_beside(struct backend *b, size_t bytes, size_t beside, void **memory);
void backend_release(struct backend *b, void *memory, size_t bytes);
/* Memory that grows where it is: see backend_operations.remap.  Waits for the work so far, counts
 * whole units, and rounds the sizes up to them.
 * Returns: ROOST_ERR_MEMORY: refused, and *memory is as before. */
roost_status backend_remap(struct backend *b, void **memory, size_t from, size_t to);
size_t backend_mapped_bytes(const struct backend *b, size_t bytes);

/* Items that a table's calls can process at a time if no memory is granted: for as many the table
 * keeps some.  On a GPU, where each piece costs launches and waits, they are more. */
static inline uint64_t backend_items_least(const struct backend *b) { return b->ordinal < 0 ? 64 : 1024; }

/* Waits that are counted in the statistics. */
roost_status backend_read(struct backend *b, void *to_host, const void *from, size_t bytes);
roost_status backend_wait(struct backend *b);
/* Snapshots: asynchronous copies of up to BACKEND_SNAPSHOT bytes to the host, of words that kernels
 * change, after the work so far.  Two tables that share a backend (a table and the log of its
 * changes) take them by turns, so a snapshot is known by the words' address.
 * backend_arrived: has the last one of these words arrived?  If so, it is written to `to`.  False,
 * too, once BACKEND_SNAPSHOTS others came after it. */
roost_status backend_snapshot(struct backend *b, const void *from, size_t bytes);
bool backend_arrived(struct backend *b, const void *from, void *to, size_t bytes);
/* Waits, adds the seconds since *from to *sum, and sets *from to now. */
roost_status backend_lap(struct backend *b, double *from, double *sum);
/* Arrays of the given bytes in one piece of memory, each aligned to 256: the bytes in all, and
 * the address of each (NULL if it has none). */
size_t backend_arrays_bytes(const size_t *bytes, int n);
void backend_arrays_place(void *memory, const size_t *bytes, int n, void **at);
/* Reads offset i of an array of offsets of 4 or 8 bytes, on any machine. */
roost_status backend_read_offset(struct backend *b, const void *offsets, int offset_bytes, uint64_t i, uint64_t *offset);

/* The host's clock: seconds since some fixed time. */
double backend_seconds(void);

/* Launches a kernel over the items of a batch or a part of it, and counts the launch.  Kernels
 * over other things (buckets of a table that is resized) call the operation itself. */
roost_status backend_launch(struct backend *b, const struct kernel *k, const void *args, size_t args_bytes, uint64_t n);

/* Copies between host arrays on several threads.  The second one copies only the items whose
 * flag is set. */
void backend_copy_host(void *to, const void *from, size_t bytes);
void backend_copy_flagged(void *to, const void *from, const uint8_t *flags, uint64_t n, int item_bytes);
/* A caller's array may lie on a GPU even if the table does not.  copy_anywhere copies between any
 * two places, and waits; locate_anywhere says where memory lies. */
roost_status copy_anywhere(struct backend *b, void *to, const void *from, size_t bytes);
roost_space locate_anywhere(struct backend *b, const void *memory);
/* The GPU whose memory this is; -1: host memory, or memory of all. */
int cuda_ordinal_of(const struct backend *b, const void *memory);
/* copy_anywhere for callers without a table.  False: it failed. */
bool copy_between(void *to, const void *from, size_t bytes);

/* Describes device `index`, GPUs first; ROOST_ERR_NOT_FOUND past the last. */
roost_status backend_describe(size_t index, roost_device_info *info);

/* Memory of a GPU that other GPUs of the host use, and other processes by its name.  It does not
 * count against the limit.  enable: this GPU may use that of another one. */
enum { SHARED_NAME = 64 };
bool cuda_peer_enable(struct backend *b, int ordinal);
roost_status cuda_shared_allocate(struct backend *b, size_t bytes, void **memory, char name[SHARED_NAME]);
void cuda_shared_release(struct backend *b, void *memory);
roost_status cuda_shared_open(struct backend *b, const char name[SHARED_NAME], void **memory);
void cuda_shared_close(struct backend *b, void *memory);

/* Events of a GPU that others have recorded.  event: a pointer to a cudaEvent_t.  follow: later
 * work on a stream of the backend's GPU waits for it; await: the caller does. */
roost_status cuda_event_follow(struct backend *b, void *stream, void *event);
roost_status cuda_event_await(void *event, struct error *error);

extern const struct backend_operations host_operations;
roost_status host_describe(roost_device_info *info);

/* The GPUs' operations; NULL, and 0 devices, without CUDA in the build or without a driver. */
const struct backend_operations *cuda_operations_if_any(void);
int cuda_device_count(void);
/* Copies between any two places, for any backend, and waits. */
roost_status cuda_copy_now(struct backend *b, void *to, const void *from, size_t bytes);
roost_status cuda_describe(int ordinal, roost_device_info *info);

#endif
