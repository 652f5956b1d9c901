/* Queues in plain memory. An entry is carried out only when the caller or the work waits for it. */
#include "support/late_queues.h"

#include "api/table.h"

enum { MOST = 4096 /* entries of a queue */, ARGS = 4096 /* argument bytes; CUDA's limit */ };

enum kind { COPY, FOLLOW, FILL, LAUNCH, RELEASE };

struct entry {
    enum kind kind;
    void *to; /* COPY, FILL, RELEASE */
    const void *from;
    size_t bytes;
    int byte;
    int queue; /* FOLLOW: the queue to wait for, up to entry `upto` */
    uint64_t upto;
    const struct kernel *kernel;
    uint64_t n;
    char args[ARGS];
};

static struct {
    struct late_rules rules;
    struct backend_operations operations;
    struct entry entries[QUEUES][MOST];
    uint64_t put[QUEUES], done[QUEUES];
    struct {
        int queue;
        uint64_t upto;
    } marks[BACKEND_MARKS];
    struct {
        char bytes[BACKEND_SNAPSHOT];
        uint64_t upto; /* entries of the work queue that precede it */
    } snapshots[BACKEND_SNAPSHOTS];
    uint64_t copies, late_copies;
} fake;

static void carry_out(struct backend *b, int queue, uint64_t upto)
{
    while (fake.done[queue] < upto) {
        const struct entry *e = &fake.entries[queue][fake.done[queue] % MOST];
        switch (e->kind) {
        case COPY:
            memcpy(e->to, e->from, e->bytes);
            fake.copies++;
            break;
        case FOLLOW: carry_out(b, e->queue, e->upto); break;
        case FILL: host_operations.fill(b, e->to, e->byte, e->bytes); break;
        case LAUNCH: host_operations.launch(b, e->kernel, e->args, sizeof e->args, e->n); break;
        case RELEASE: host_operations.release(b, e->to, e->bytes); break;
        }
        fake.done[queue]++;
    }
}

static roost_status put(struct backend *b, int queue, const struct entry *entry)
{
    if (fake.put[queue] - fake.done[queue] == MOST) carry_out(b, queue, fake.done[queue] + 1);
    fake.entries[queue][fake.put[queue]++ % MOST] = *entry;
    if (fake.rules.late) fake.late_copies += entry->kind == COPY;
    else carry_out(b, queue, fake.put[queue]);
    return ROOST_OK;
}

static roost_status late_transfer(struct backend *b, enum queue queue, void *to, const void *from, size_t bytes)
{
    const struct entry entry = {.kind = COPY, .to = to, .from = from, .bytes = bytes};
    return put(b, (int)queue, &entry);
}

static roost_status late_mark(struct backend *b, enum queue queue, int mark)
{
    (void)b;
    fake.marks[mark].queue = (int)queue;
    fake.marks[mark].upto = fake.put[queue];
    return ROOST_OK;
}

static roost_status late_follow(struct backend *b, enum queue queue, const struct backend *of, int mark)
{
    (void)of;
    const struct entry entry = {.kind = FOLLOW, .queue = fake.marks[mark].queue, .upto = fake.marks[mark].upto};
    return put(b, (int)queue, &entry);
}

static roost_status late_await(struct backend *b, int mark)
{
    carry_out(b, fake.marks[mark].queue, fake.marks[mark].upto);
    return ROOST_OK;
}

static roost_status late_fill(struct backend *b, void *memory, int byte, size_t bytes)
{
    const struct entry entry = {.kind = FILL, .to = memory, .bytes = bytes, .byte = byte};
    return put(b, QUEUE_WORK, &entry);
}

static roost_status late_copy(struct backend *b, void *to, const void *from, size_t bytes)
{
    return late_transfer(b, QUEUE_WORK, to, from, bytes);
}

static roost_status late_launch(struct backend *b, const struct kernel *k, const void *args, size_t args_bytes, uint64_t n)
{
    struct entry entry = {.kind = LAUNCH, .kernel = k, .n = n};
    if (args_bytes > ARGS) return error_set(b->error, ROOST_ERR_DEVICE, "arguments of %zu bytes", args_bytes);
    memcpy(entry.args, args, args_bytes);
    return put(b, QUEUE_WORK, &entry);
}

/* Memory is released after the work that is queued before it. */
static void late_release(struct backend *b, void *memory, size_t bytes)
{
    const struct entry entry = {.kind = RELEASE, .to = memory, .bytes = bytes};
    put(b, QUEUE_WORK, &entry);
}

static roost_status late_wait(struct backend *b)
{
    carry_out(b, QUEUE_WORK, fake.put[QUEUE_WORK]);
    return ROOST_OK;
}

static roost_status late_read(struct backend *b, void *to, const void *from, size_t bytes)
{
    late_wait(b);
    return host_operations.read(b, to, from, bytes);
}

static roost_status late_snapshot(struct backend *b, int place, const void *from, size_t bytes)
{
    const roost_status status = late_transfer(b, QUEUE_WORK, fake.snapshots[place].bytes, from, bytes);
    fake.snapshots[place].upto = fake.put[QUEUE_WORK];
    return status;
}

static bool late_arrived(struct backend *b, int place, void *to, size_t bytes)
{
    (void)b;
    if (fake.done[QUEUE_WORK] < fake.snapshots[place].upto) return false;
    memcpy(to, fake.snapshots[place].bytes, bytes);
    return true;
}

/* A call whose arrays are all within reach returns before its work is done; this waits in its
 * caller's place. */
static roost_status late_end(struct backend *b, bool writes)
{
    (void)writes;
    return fake.rules.reachable == LATE_NONE || fake.rules.unwaited ? ROOST_OK : late_wait(b);
}

static void late_close(struct backend *b)
{
    late_wait(b);
    host_operations.close(b);
}

/* One answer per array and salt, drawn from the address. */
static bool drawn(const void *memory, uint64_t salt)
{
    uint64_t x = ((uintptr_t)memory >> 4) + (fake.rules.seed + salt) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    return (x >> 40) & 1;
}

static bool chosen(enum late_which which, const void *memory, uint64_t salt)
{
    return which == LATE_ALL || (which == LATE_SOME && drawn(memory, salt));
}

static roost_space late_locate(struct backend *b, const void *memory)
{
    (void)b;
    return chosen(fake.rules.reachable, memory, 1) ? ROOST_SPACE_DEVICE : ROOST_SPACE_HOST;
}

static bool late_is_pinned(struct backend *b, const void *memory)
{
    (void)b;
    return chosen(fake.rules.pinned, memory, 2);
}

void late_queues_begin(roost_table *table, const struct late_rules *rules)
{
    memset(&fake, 0, sizeof fake);
    fake.rules = *rules;
    fake.operations = host_operations;
    fake.operations.machine = MACHINE_CUDA;
    fake.operations.enqueues = rules->unwaited;
    fake.operations.snapshot = late_snapshot;
    fake.operations.arrived = late_arrived;
    fake.operations.fill = late_fill;
    fake.operations.copy = late_copy;
    fake.operations.read = late_read;
    fake.operations.release = late_release;
    fake.operations.end = late_end;
    fake.operations.close = late_close;
    fake.operations.launch = late_launch;
    fake.operations.wait = late_wait;
    fake.operations.transfer = late_transfer;
    fake.operations.mark = late_mark;
    fake.operations.follow = late_follow;
    fake.operations.await = late_await;
    fake.operations.locate = late_locate;
    fake.operations.is_pinned = late_is_pinned;
    table->backend->operations = &fake.operations;
}

static const struct backend_operations *enqueuing_host(const struct backend_operations *operations)
{
    static struct backend_operations enqueuing;
    enqueuing = *operations;
    enqueuing.enqueues = true;
    return &enqueuing;
}

void late_queues_wrap(void) { backend_wrapper = enqueuing_host; }
void late_queues_unwrap(void) { backend_wrapper = NULL; }

void late_queues_pause(roost_table *table)
{
    late_wait(table->backend);
    table->backend->operations = enqueuing_host(&host_operations);
}

uint64_t late_queues_waiting(void) { return fake.put[QUEUE_WORK] - fake.done[QUEUE_WORK]; }

void late_queues_run(roost_table *table, uint64_t n)
{
    const uint64_t waiting = late_queues_waiting();
    carry_out(table->backend, QUEUE_WORK, fake.done[QUEUE_WORK] + (n < waiting ? n : waiting));
}

uint64_t late_queues_copies(void) { return fake.copies; }
uint64_t late_queues_late_copies(void) { return fake.late_copies; }
