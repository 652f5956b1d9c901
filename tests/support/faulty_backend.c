/* Counts a backend's operations, and makes the armed one fail.  Tables of several threads share the
 * counts: of two plain additions one would be lost. */
#include "support/faulty_backend.h"

#include "backends/backend.h"
#include "support/settings.h"

#include <string.h>

static struct {
    struct backend_operations operations;
    const struct backend_operations *inner;
    enum fault_kind kind;
    uint64_t at, seen, injected, trims;
    bool happened[FAULT_KIND_COUNT];
    int64_t pieces;
    bool on;
    enum faulty_machine machine;
    bool wrapped;
} faulty;

static bool fails(enum fault_kind kind)
{
    __atomic_store_n(&faulty.happened[kind], true, __ATOMIC_RELAXED);
    if (!faulty.at || kind != faulty.kind) return false;
    const uint64_t seen = __atomic_add_fetch(&faulty.seen, 1, __ATOMIC_RELAXED);
    const bool hit = faulty.on ? seen >= faulty.at : seen == faulty.at;
    if (hit) __atomic_fetch_add(&faulty.injected, 1, __ATOMIC_RELAXED);
    return hit;
}

static void pieces_add(int64_t more) { __atomic_fetch_add(&faulty.pieces, more, __ATOMIC_RELAXED); }

static roost_status refuse(struct backend *b, enum fault_kind kind)
{
    const bool memory = kind == FAULT_allocate || kind == FAULT_remap || kind == FAULT_pinned_allocate;
    return error_set(b->error, memory ? ROOST_ERR_MEMORY : ROOST_ERR_DEVICE, "injected: %s failed", faulty_name(kind));
}

#define FAIL(kind)                                                                                                                 \
    if (fails(FAULT_##kind)) return refuse(b, FAULT_##kind)

static roost_status faulty_open(struct backend *b, int ordinal)
{
    FAIL(open);
    return faulty.inner->open(b, ordinal);
}

static roost_status faulty_allocate(struct backend *b, size_t bytes, void **memory)
{
    FAIL(allocate);
    const roost_status status = faulty.inner->allocate(b, bytes, memory);
    pieces_add(!status);
    return status;
}

static void faulty_release(struct backend *b, void *memory, size_t bytes)
{
    pieces_add(-1);
    faulty.inner->release(b, memory, bytes);
}

/* Unmapping succeeds. */
static roost_status faulty_remap(struct backend *b, void **memory, size_t from, size_t to)
{
    if (to) FAIL(remap);
    const roost_status status = faulty.inner->remap(b, memory, from, to);
    pieces_add((!status && !from) - !to);
    return status;
}

static roost_status faulty_fill(struct backend *b, void *memory, int byte, size_t bytes)
{
    FAIL(fill);
    return faulty.inner->fill(b, memory, byte, bytes);
}

static roost_status faulty_copy(struct backend *b, void *to, const void *from, size_t bytes)
{
    FAIL(copy);
    return faulty.inner->copy(b, to, from, bytes);
}

static roost_status faulty_read(struct backend *b, void *to, const void *from, size_t bytes)
{
    FAIL(read);
    return faulty.inner->read(b, to, from, bytes);
}

static roost_status faulty_launch(struct backend *b, const struct kernel *k, const void *args, size_t args_bytes, uint64_t n)
{
    FAIL(launch);
    return faulty.inner->launch(b, k, args, args_bytes, n);
}

static roost_status faulty_wait(struct backend *b)
{
    FAIL(wait);
    return faulty.inner->wait(b);
}

static roost_status faulty_snapshot(struct backend *b, int place, const void *from, size_t bytes)
{
    FAIL(snapshot);
    return faulty.inner->snapshot(b, place, from, bytes);
}

static roost_status faulty_prepare(struct backend *b, const struct kernel *k)
{
    FAIL(prepare);
    return faulty.inner->prepare(b, k);
}

static roost_status faulty_transfer(struct backend *b, enum queue queue, void *to, const void *from, size_t bytes)
{
    FAIL(transfer);
    return faulty.inner->transfer(b, queue, to, from, bytes);
}

static roost_status faulty_mark(struct backend *b, enum queue queue, int mark)
{
    FAIL(mark);
    return faulty.inner->mark(b, queue, mark);
}

static roost_status faulty_follow(struct backend *b, enum queue queue, const struct backend *of, int mark)
{
    FAIL(follow);
    return faulty.inner->follow(b, queue, of, mark);
}

static roost_status faulty_await(struct backend *b, int mark)
{
    FAIL(await);
    return faulty.inner->await(b, mark);
}

static roost_status faulty_pinned_allocate(struct backend *b, size_t bytes, void **memory)
{
    FAIL(pinned_allocate);
    const roost_status status = faulty.inner->pinned_allocate(b, bytes, memory);
    pieces_add(!status);
    return status;
}

static void faulty_pinned_release(struct backend *b, void *memory, size_t bytes)
{
    pieces_add(memory ? -1 : 0);
    faulty.inner->pinned_release(b, memory, bytes);
}

static roost_status faulty_begin_call(struct backend *b, void *stream, bool writes)
{
    FAIL(begin);
    return faulty.inner->begin(b, stream, writes);
}

static roost_status faulty_end_call(struct backend *b, bool writes)
{
    FAIL(end);
    return faulty.inner->end(b, writes);
}

static void faulty_trim(struct backend *b)
{
    faulty.trims++;
    faulty.inner->trim(b);
}

static roost_space nowhere(struct backend *b, const void *memory)
{
    (void)b, (void)memory;
    return ROOST_SPACE_HOST;
}

static bool pageable(struct backend *b, const void *memory) { return (void)b, ((uintptr_t)memory >> 6) % 2 == 0; }

/* The first table wraps them: threads make tables while others work. */
static const struct backend_operations *wrap(const struct backend_operations *inner)
{
    if (faulty.wrapped && faulty.inner == inner) return &faulty.operations;
    faulty.wrapped = true;
    faulty.inner = inner;
    faulty.operations = *inner;
    faulty.operations.open = faulty_open;
    faulty.operations.allocate = faulty_allocate;
    faulty.operations.release = faulty_release;
    faulty.operations.remap = faulty_remap;
    faulty.operations.fill = faulty_fill;
    faulty.operations.copy = faulty_copy;
    faulty.operations.read = faulty_read;
    faulty.operations.launch = faulty_launch;
    faulty.operations.wait = faulty_wait;
    faulty.operations.snapshot = faulty_snapshot;
    faulty.operations.prepare = faulty_prepare;
    faulty.operations.enqueues |= faulty.machine == FAULTY_UNWAITED;
    faulty.operations.transfer = faulty_transfer;
    faulty.operations.mark = faulty_mark;
    faulty.operations.follow = faulty_follow;
    faulty.operations.await = faulty_await;
    faulty.operations.pinned_allocate = faulty_pinned_allocate;
    faulty.operations.pinned_release = faulty_pinned_release;
    faulty.operations.begin = faulty_begin_call;
    faulty.operations.end = faulty_end_call;
    faulty.operations.trim = faulty_trim;
    return &faulty.operations;
}

void faulty_begin(enum faulty_machine machine)
{
    faulty.at = faulty.trims = 0;
    faulty.machine = machine;
    faulty.wrapped = false;
    backend_wrapper = wrap;
}

void faulty_end(void) { backend_wrapper = NULL; }

void faulty_stage(void)
{
    if (faulty.machine != FAULTY_STAGED || faulty.inner->machine == MACHINE_CUDA) return;
    /* The kernels are chosen by now; from here on every array is out of reach. */
    faulty.wrapped = false;
    faulty.operations.machine = MACHINE_CUDA;
    faulty.operations.locate = nowhere;
    faulty.operations.is_pinned = pageable;
}

void faulty_arm(enum fault_kind kind, uint64_t at, bool on)
{
    faulty.kind = kind;
    faulty.at = at;
    faulty.on = on;
    faulty.seen = faulty.injected = 0;
    memset(faulty.happened, 0, sizeof faulty.happened);
}

uint64_t faulty_injected(void) { return faulty.injected; }
bool faulty_happened(enum fault_kind kind) { return faulty.happened[kind]; }
uint64_t faulty_trims(void) { return faulty.trims; }
int64_t faulty_pieces(void) { return faulty.pieces; }

void faulty_end_released(int64_t before)
{
    require(faulty_pieces() == before, "%lld blocks of memory leaked", (long long)(faulty_pieces() - before));
    faulty_end();
}

const char *faulty_name(enum fault_kind kind)
{
#define FAULT_TEXT(kind) #kind,
    static const char *const names[] = {FAULT_KINDS(FAULT_TEXT)};
#undef FAULT_TEXT
    return names[kind];
}

void faulty_each(const struct variant *variant,
                 bool (*fault_at)(const struct variant *variant, enum fault_kind kind, uint64_t at, bool on))
{
    static const enum fault_kind kinds[] = {FAULT_allocate, FAULT_copy, FAULT_fill, FAULT_launch,
                                            FAULT_begin,    FAULT_read, FAULT_remap};
    const uint64_t step = settings_size(1, 7);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int on = 0; on < 2; on++)
            for (uint64_t at = 1;; at += at < 20 ? 1 : step) {
                suite_step("%s %d%s", faulty_name(kinds[k]), (int)at, on ? " and later" : "");
                if (!fault_at(variant, kinds[k], at, on)) break;
            }
}
