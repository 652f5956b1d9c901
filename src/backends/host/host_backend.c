/* The host: threads that share a batch, and huge pages if the system has them. */
#define _GNU_SOURCE 1 /* mremap */
#include "backends/backend.h"
#include "backends/host_pages.h"
#include "backends/host_threads.h"
#include "portable/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if ROOST_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

enum {
    HUGE_PAGE = 2 << 20,
    HOST_GRAIN = 4096, /* items that a thread takes at a time; taking costs little against them */
    /* Bytes of a core's second cache that are as fast as its own: the least of today's
     * processors. */
    SECOND_CACHE = 1 << 18,
    KEPT_LEAST = 1 << 16, /* bytes of a block that is kept, which may be as large as KEPT_MOST */
    KEPT_MOST = 1 << 24
};

/* The block of work memory that was released last.  Most calls need a block of the same size again,
 * and the system clears all pages of a new one.  It is the table's, so that taking it needs neither
 * a lock nor a call of the system, unlike what the process keeps (host_pages.h). */
struct host_state {
    void *memory;
    size_t bytes; /* 0: none */
};

#if ROOST_PROBES
uint64_t host_grain = HOST_GRAIN;
#else
static const uint64_t host_grain = HOST_GRAIN;
#endif

static const char host_model[] = "host";

static roost_status host_open(struct backend *b, int ordinal)
{
    (void)ordinal;
    b->state = host_new(&b->allocator, sizeof(struct host_state));
    if (!b->state) return error_set(b->error, ROOST_ERR_MEMORY, "no memory for the table's machine");
    strcpy(b->model, host_model);
    if (b->threads == 0) b->threads = host_processors();
    b->atomic128 = true; /* if the kernels were built with them */
    b->block_bytes = SECOND_CACHE;
    b->mapped_unit = b->allocator.allocate ? 0 : (size_t)sysconf(_SC_PAGESIZE);
    return ROOST_OK;
}

static void kept_release(struct host_state *h)
{
    if (h->bytes) munmap(h->memory, h->bytes);
    h->bytes = 0;
}

static void host_close(struct backend *b)
{
    kept_release((struct host_state *)b->state);
    host_delete(&b->allocator, b->state, sizeof(struct host_state));
}

static size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/* Maps new pages.  NULL: refused, though the process keeps none any more. */
static void *map_pages(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED) return pages;
    host_pages_drop();
    pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

/* Maps more than is needed and unmaps both ends, so that the kernel can use huge pages for all
 * of it. */
static void *map_aligned(size_t bytes)
{
    char *const raw = (char *)map_pages(bytes + HUGE_PAGE);
    if (!raw) return NULL;
    const size_t before = (HUGE_PAGE - (size_t)((uintptr_t)raw % HUGE_PAGE)) % HUGE_PAGE;
    if (before) munmap(raw, before);
    munmap(raw + before + bytes, HUGE_PAGE - before);
    madvise(raw + before, bytes, MADV_HUGEPAGE); /* advice: a failure costs speed only */
    return raw + before;
}

static size_t mapped_bytes(size_t bytes)
{
    return bytes < HUGE_PAGE ? round_up(bytes, (size_t)sysconf(_SC_PAGESIZE)) : round_up(bytes, HUGE_PAGE);
}

static void *map(struct host_state *h, size_t bytes)
{
    if (h->bytes == bytes) {
        h->bytes = 0;
        return h->memory;
    }
    if (bytes < HUGE_PAGE) return map_pages(bytes);
    void *const kept = host_pages_take(bytes);
    return kept ? kept : map_aligned(bytes);
}

/* The bytes behind a block, up to the end of its pages, are none that a kernel may touch: a GPU has
 * other memory there.  AddressSanitizer is told so, and told otherwise before the pages serve
 * again. */
static void tail_forbid(void *memory, size_t bytes)
{
#if ROOST_ADDRESS_SANITIZER
    if (memory) ASAN_POISON_MEMORY_REGION((char *)memory + bytes, mapped_bytes(bytes) - bytes);
#else
    (void)memory, (void)bytes;
#endif
}

static void tail_allow(void *memory, size_t bytes)
{
#if ROOST_ADDRESS_SANITIZER
    ASAN_UNPOISON_MEMORY_REGION((char *)memory, mapped_bytes(bytes));
#else
    (void)memory, (void)bytes;
#endif
}

static roost_status host_allocate(struct backend *b, size_t bytes, void **memory)
{
    if (bytes > SIZE_MAX / 2)
        return error_set(b->error, ROOST_ERR_MEMORY, "%zu bytes are more than this machine can address", bytes);
    if (b->allocator.allocate) {
        *memory = b->allocator.allocate(b->allocator.context, bytes);
    } else {
        *memory = map((struct host_state *)b->state, mapped_bytes(bytes));
        tail_forbid(*memory, bytes);
    }
    return *memory ? ROOST_OK : error_set(b->error, ROOST_ERR_MEMORY, "%zu bytes of memory were refused", bytes);
}

static void host_release(struct backend *b, void *memory, size_t bytes)
{
    struct host_state *const h = (struct host_state *)b->state;
    const size_t mapped = mapped_bytes(bytes);
    if (b->allocator.release) {
        b->allocator.release(b->allocator.context, memory, bytes);
        return;
    }
    tail_allow(memory, bytes);
    if (b->keeps_pages && mapped >= HUGE_PAGE) {
        host_pages_keep(memory, mapped);
    } else if (mapped < KEPT_LEAST || mapped > KEPT_MOST) {
        munmap(memory, mapped);
    } else {
        kept_release(h);
        *h = (struct host_state){memory, mapped};
    }
}

/* Moves pages to where there is room for more of them, in one mapping.  NULL: refused. */
static void *pages_move(void *pages, size_t from, size_t to)
{
    void *const place = map_aligned(to);
    if (!place) return NULL;
    if (mremap(pages, from, to, MREMAP_MAYMOVE | MREMAP_FIXED, place) != MAP_FAILED) return place;
    munmap(place, to);
    return NULL;
}

static void *pages_extend(void *pages, size_t from, size_t to)
{
    return mremap(pages, from, to, 0) == MAP_FAILED ? pages_move(pages, from, to) : pages;
}

static roost_status host_remap(struct backend *b, void **memory, size_t from, size_t to)
{
    if (!to) {
        munmap(*memory, from);
        *memory = NULL;
        return ROOST_OK;
    }
    void *const mapped = from ? pages_extend(*memory, from, to) : map_aligned(to);
    if (!mapped) return error_set(b->error, ROOST_ERR_MEMORY, "%zu bytes of memory were refused", to);
    *memory = mapped;
    return ROOST_OK;
}

/* Memory that is filled in pieces, so that several threads touch the pages first. */
struct filling {
    char *memory;
    size_t bytes;
    int byte;
};

static void fill_piece(const void *context, uint64_t i)
{
    const struct filling *f = (const struct filling *)context;
    const size_t first = (size_t)i * HUGE_PAGE;
    memset(f->memory + first, f->byte, f->bytes - first < HUGE_PAGE ? f->bytes - first : HUGE_PAGE);
}

static roost_status host_fill(struct backend *b, void *memory, int byte, size_t bytes)
{
    const struct filling f = {(char *)memory, bytes, byte};
    host_run(b->threads, (bytes + HUGE_PAGE - 1) / HUGE_PAGE, fill_piece, &f);
    return ROOST_OK;
}

static roost_status host_prepare(struct backend *b, const struct kernel *k)
{
    (void)b, (void)k;
    return ROOST_OK;
}

/* A kernel over n items, of which a thread takes `grain` at a time. */
struct launch {
    const struct kernel *kernel;
    const void *args;
    uint64_t n, grain;
};

static void launch_grain(const void *context, uint64_t i)
{
    const struct launch *l = (const struct launch *)context;
    const uint64_t first = i * l->grain;
    l->kernel->host(l->args, first, l->n - first < l->grain ? l->n : first + l->grain);
}

/* Items that work in scratch memory of their own, such as regions and teams, are work for many.
 * There may be few of them: each thread takes some a few times, so that all end together. */
enum { SCRATCH_OF_ITEM = 256, TURNS = 8 };
static uint64_t grain_of(const struct backend *b, const struct kernel *k, uint64_t n)
{
    const uint64_t most = host_grain / (1 + k->scratch_bytes / SCRATCH_OF_ITEM), even = n / (TURNS * (unsigned)b->threads);
    const uint64_t grain = k->scratch_bytes >= SCRATCH_OF_ITEM && even < most ? even : most;
    return grain ? grain : 1;
}

static roost_status host_launch(struct backend *b, const struct kernel *k, const void *args, size_t args_bytes, uint64_t n)
{
    (void)args_bytes;
    const struct launch l = {k, args, n, grain_of(b, k, n)};
    host_run(b->threads, (n + l.grain - 1) / l.grain, launch_grain, &l);
    return ROOST_OK;
}

static roost_status host_wait(struct backend *b)
{
    (void)b;
    return ROOST_OK;
}

/* Never called: no work is pending when a call returns. */
static roost_status host_snapshot(struct backend *b, int place, const void *from, size_t bytes)
{
    (void)b, (void)place, (void)from, (void)bytes;
    return ROOST_OK;
}

static bool host_arrived(struct backend *b, int place, void *to, size_t bytes)
{
    (void)b, (void)place, (void)to, (void)bytes;
    return false;
}

static void host_trim(struct backend *b) { kept_release((struct host_state *)b->state); }

static roost_status host_transfer(struct backend *b, enum queue queue, void *to, const void *from, size_t bytes)
{
    (void)queue;
    return copy_anywhere(b, to, from, bytes);
}

/* Everything is done when a call returns, so there is nothing to wait for. */
static roost_status host_mark(struct backend *b, enum queue queue, int mark)
{
    (void)b, (void)queue, (void)mark;
    return ROOST_OK;
}

static roost_status host_follow(struct backend *b, enum queue queue, const struct backend *of, int mark)
{
    (void)of;
    return host_mark(b, queue, mark);
}

static roost_status host_stream_of(struct backend *b, enum queue queue, void **stream)
{
    (void)queue;
    *stream = b->stream;
    return ROOST_OK;
}

static roost_status host_await(struct backend *b, int mark)
{
    (void)b, (void)mark;
    return ROOST_OK;
}

static bool host_is_pinned(struct backend *b, const void *memory)
{
    (void)b, (void)memory;
    return true;
}

static roost_status host_pinned_allocate(struct backend *b, size_t bytes, void **memory)
{
    *memory = host_new(&b->allocator, bytes);
    return *memory ? ROOST_OK : error_set(b->error, ROOST_ERR_MEMORY, "%zu bytes of memory were refused", bytes);
}

static void host_pinned_release(struct backend *b, void *memory, size_t bytes) { host_delete(&b->allocator, memory, bytes); }

static roost_status host_begin(struct backend *b, void *stream, bool writes)
{
    (void)b, (void)stream, (void)writes;
    return ROOST_OK;
}

static roost_status host_end(struct backend *b, bool writes)
{
    (void)b, (void)writes;
    return ROOST_OK;
}

const struct backend_operations host_operations = {
    .machine = MACHINE_HOST,
    .enqueues = false,
    .open = host_open,
    .close = host_close,
    .allocate = host_allocate,
    .release = host_release,
    .remap = host_remap,
    .fill = host_fill,
    .copy = copy_anywhere,
    .read = copy_anywhere,
    .prepare = host_prepare,
    .launch = host_launch,
    .wait = host_wait,
    .snapshot = host_snapshot,
    .arrived = host_arrived,
    .locate = locate_anywhere,
    .trim = host_trim,
    .transfer = host_transfer,
    .mark = host_mark,
    .follow = host_follow,
    .await = host_await,
    .stream_of = host_stream_of,
    .is_pinned = host_is_pinned,
    .pinned_allocate = host_pinned_allocate,
    .pinned_release = host_pinned_release,
    .begin = host_begin,
    .end = host_end,
};

roost_status host_describe(roost_device_info *info)
{
    snprintf(info->name, sizeof info->name, "host");
    strcpy(info->model, host_model);
    snprintf(info->description, sizeof info->description, "%d processors", host_processors());
    info->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    info->l2_bytes = cache > 0 ? (uint64_t)cache : 0;
    return ROOST_OK;
}
