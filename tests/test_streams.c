/* Calls at the same time: calls are only enqueued, finds run on several streams with a write
 * after them, calls are captured into a graph, and a second call during a write is reported.
 * The last case is a device that fails permanently. */
#include "support/inside.h"
#include "support/settings.h"
#include "support/tables.h"
#include "roost/sharding.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEYS = 5000 };

static void numbers(uint32_t *keys, uint32_t *values, uint32_t first, uint32_t add)
{
    for (uint32_t i = 0; i < KEYS; i++) {
        keys[i] = first + i;
        values[i] = first + i + add;
    }
}

/* ---- A call during a write ------------------------------------------------------------------ */

/* An allocator that looks a key up in the table that asks it for memory. */
struct meddler {
    roost_table *table;
    roost_status find, insert;
    unsigned calls;
};

static void *meddle(void *context, size_t bytes)
{
    struct meddler *m = (struct meddler *)context;
    uint32_t key = 1, value;
    if (m->table) {
        m->calls++;
        m->find = roost_find(m->table, &key, 1, &value, NULL, NULL);
        m->insert = roost_insert(m->table, ROOST_ASSIGN, &key, &key, 1, NULL);
    }
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void meddle_release(void *context, void *memory, size_t bytes)
{
    (void)context, (void)bytes;
    free(memory);
}

/* The library of the tests has assertions, so it reports a call during one that writes. */
static void a_writer_is_alone(const struct variant *variant)
{
    static uint32_t keys[KEYS], values[KEYS];
    struct meddler m = {NULL, ROOST_OK, ROOST_OK, 0};
    roost_config config;
    struct table table;
    table_config(variant, &config);
    config.allocator = (roost_allocator){meddle, meddle_release, &m};
    table_open(&table, variant, &config);
    m.table = table.handle;
    numbers(keys, values, 0, 7);
    require_status(ROOST_OK, roost_insert(table.handle, ROOST_ASSIGN, keys, values, KEYS, NULL), table.handle);
    require(m.calls > 0, "the insert asked for no memory");
    require(m.find == ROOST_ERR_ARGUMENT && m.insert == ROOST_ERR_ARGUMENT, "calls inside an insert ended %s and %s",
            roost_status_name(m.find), roost_status_name(m.insert));
    m.table = NULL;
    require_status(ROOST_OK, roost_find(table.handle, keys, KEYS, values, NULL, NULL), table.handle);
    table_check(&table);
    table_close(&table);
}

#if ROOST_WITH_CUDA
#include <cuda_runtime_api.h>
#include <pthread.h>

static void cuda_done(cudaError_t error)
{
    require(error == cudaSuccess, "the test's own CUDA call: %s", cudaGetErrorString(error));
}

static cudaStream_t make_stream(void)
{
    cudaStream_t stream;
    cuda_done(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

/* Waits for the work of the default stream: fills of the device's memory and copies to it may
 * return early, and no stream of these tests waits for them. */
static void settle(void) { cuda_done(cudaStreamSynchronize(NULL)); }

/* Keys and the results of a find, on the device. */
struct device_arrays {
    uint32_t *keys, *values;
    uint8_t *found;
};

static struct device_arrays make_device_arrays(uint32_t first, uint32_t add)
{
    static uint32_t keys[KEYS], values[KEYS];
    struct device_arrays a;
    numbers(keys, values, first, add);
    cuda_done(cudaMalloc((void **)&a.keys, sizeof keys));
    cuda_done(cudaMalloc((void **)&a.values, sizeof values));
    cuda_done(cudaMalloc((void **)&a.found, KEYS));
    cuda_done(cudaMemcpy(a.keys, keys, sizeof keys, cudaMemcpyHostToDevice));
    cuda_done(cudaMemcpy(a.values, values, sizeof values, cudaMemcpyHostToDevice));
    cuda_done(cudaMemset(a.found, 0xee, KEYS));
    settle();
    return a;
}

static void free_device_arrays(struct device_arrays *a)
{
    cuda_done(cudaFree(a->keys));
    cuda_done(cudaFree(a->values));
    cuda_done(cudaFree(a->found));
}

/* Every key is found, with first + i + add; or none is found, and each value is 0. */
static void require_found(const struct device_arrays *a, uint32_t first, uint32_t add, bool found)
{
    static uint32_t values[KEYS];
    static uint8_t flags[KEYS];
    cuda_done(cudaMemcpy(values, a->values, sizeof values, cudaMemcpyDeviceToHost));
    cuda_done(cudaMemcpy(flags, a->found, sizeof flags, cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < KEYS; i++)
        require(flags[i] == found && values[i] == (found ? first + i + add : 0), "key %u: found %u, value %u", first + i, flags[i],
                values[i]);
}

static roost_call call_on(cudaStream_t stream)
{
    roost_call call;
    roost_call_init(&call, sizeof call);
    call.stream = stream;
    call.space = ROOST_SPACE_DEVICE;
    return call;
}

/* Work on a stream that does not end before the gate opens. */
struct gate {
    volatile int open, forced;
};

static void CUDART_CB wait_at_gate(void *gate)
{
    struct gate *g = (struct gate *)gate;
    /* twenty seconds: a test must not hang */
    for (int i = 0; i < 20000 && !g->open; i++) usleep(1000);
    g->forced = !g->open;
}

static void *open_gate_later(void *gate)
{
    usleep(100000);
    ((struct gate *)gate)->open = 1;
    return NULL;
}

static void open_filled(struct table *table, const struct variant *variant, struct device_arrays *pairs, uint32_t add)
{
    const roost_call call = call_on(NULL);
    roost_config config;
    table_config(variant, &config);
    config.min_fill = 0; /* no shrinking: a graph has the table's addresses */
    table_open(table, variant, &config);
    *pairs = make_device_arrays(1000, add);
    require_status(ROOST_OK, roost_insert(table->handle, ROOST_ASSIGN, pairs->keys, pairs->values, KEYS, &call), table->handle);
    require_status(ROOST_OK, roost_table_sync(table->handle, NULL), table->handle);
}

/* Insert, find and erase return while their stream is held up, and none waits for the device. */
static void calls_enqueue(const struct variant *variant)
{
    struct gate gate = {0};
    struct table table;
    roost_config config;
    table_config(variant, &config);
    config.capacity = 4 * KEYS;
    table_open(&table, variant, &config);
    struct device_arrays pairs = make_device_arrays(1000, 7), asked = make_device_arrays(1000, 0),
                         again = make_device_arrays(1000, 0);
    const cudaStream_t stream = make_stream();
    const roost_call call = call_on(stream);
    const uint64_t waits = inside_waits(table.handle);
    cuda_done(cudaLaunchHostFunc(stream, wait_at_gate, &gate));
    for (int i = 0; i < 2; i++) {
        suite_step("insert");
        require_status(ROOST_OK, roost_insert(table.handle, ROOST_ASSIGN, pairs.keys, pairs.values, KEYS, &call), table.handle);
        suite_step("find");
        require_status(ROOST_OK, roost_find(table.handle, asked.keys, KEYS, asked.values, asked.found, &call), table.handle);
        suite_step("erase");
        require_status(ROOST_OK, roost_erase(table.handle, pairs.keys, KEYS, &call), table.handle);
    }
    require_status(ROOST_OK, roost_find(table.handle, again.keys, KEYS, again.values, again.found, &call), table.handle);
    require(cudaStreamQuery(stream) == cudaErrorNotReady && !gate.forced, "a call waited until the gate gave way");
    require(inside_waits(table.handle) == waits, "%llu waits for the device",
            (unsigned long long)(inside_waits(table.handle) - waits));
    gate.open = 1;
    require_status(ROOST_OK, roost_table_sync(table.handle, NULL), table.handle);
    cuda_done(cudaStreamSynchronize(stream));
    require_found(&asked, 1000, 7, true);
    require_found(&again, 1000, 7, false);
    table_check(&table);
    const struct table_numbers stats = table_stats(&table);
    require(stats.count == 0 && stats.inserted == 2 * KEYS && stats.erased == 2 * KEYS, "%llu keys, %llu inserted, %llu erased",
            (unsigned long long)stats.count, (unsigned long long)stats.inserted, (unsigned long long)stats.erased);
    table_close(&table);
    cuda_done(cudaStreamDestroy(stream));
    free_device_arrays(&pairs), free_device_arrays(&asked), free_device_arrays(&again);
}

/* A find on one stream ends while another find's stream is held up.  A write waits for both, and
 * neither sees it. */
static void finds_run_beside_finds(const struct variant *variant)
{
    struct gate gate = {0};
    struct table table;
    struct device_arrays pairs, other, held, free_one;
    const cudaStream_t streams[] = {make_stream(), make_stream(), make_stream()};
    const roost_call calls[] = {call_on(streams[0]), call_on(streams[1]), call_on(streams[2])};
    pthread_t opener;
    open_filled(&table, variant, &pairs, 7);
    held = make_device_arrays(1000, 0);
    free_one = make_device_arrays(1000, 0);
    other = make_device_arrays(1000, 9);
    suite_step("a find behind a gate, and one beside it");
    cuda_done(cudaLaunchHostFunc(streams[0], wait_at_gate, &gate));
    require_status(ROOST_OK, roost_find(table.handle, held.keys, KEYS, held.values, held.found, &calls[0]), table.handle);
    require_status(ROOST_OK, roost_find(table.handle, free_one.keys, KEYS, free_one.values, free_one.found, &calls[1]),
                   table.handle);
    cuda_done(cudaStreamSynchronize(streams[1]));
    require(cudaStreamQuery(streams[0]) == cudaErrorNotReady, "the first stream was not held up");
    require_found(&free_one, 1000, 7, true);
    suite_step("a write on a third stream");
    require(!pthread_create(&opener, NULL, open_gate_later, &gate), "no thread");
    require_status(ROOST_OK, roost_insert(table.handle, ROOST_ASSIGN, other.keys, other.values, KEYS, &calls[2]), table.handle);
    require_status(ROOST_OK, roost_table_sync(table.handle, NULL), table.handle);
    require(gate.open, "the write did not wait for the find that was held up");
    pthread_join(opener, NULL);
    require_found(&held, 1000, 7, true);
    require_status(ROOST_OK, roost_find(table.handle, held.keys, KEYS, held.values, held.found, &calls[0]), table.handle);
    cuda_done(cudaStreamSynchronize(streams[0]));
    require_found(&held, 1000, 9, true);
    table_close(&table);
    for (int i = 0; i < 3; i++) cuda_done(cudaStreamDestroy(streams[i]));
    free_device_arrays(&pairs), free_device_arrays(&other), free_device_arrays(&held), free_device_arrays(&free_one);
}

/* More streams than the library remembers, all held up: the write waits for every one. */
static void many_streams(const struct variant *variant)
{
    enum { STREAMS = 40 };
    struct gate gate = {0};
    struct table table;
    struct device_arrays pairs, other, held[STREAMS];
    cudaStream_t streams[STREAMS];
    const roost_call last = call_on(NULL);
    pthread_t opener;
    open_filled(&table, variant, &pairs, 7);
    other = make_device_arrays(1000, 9);
    /* before the gate closes: making streams may wait for all of them */
    for (int i = 0; i < STREAMS; i++) {
        held[i] = make_device_arrays(1000, 0);
        streams[i] = make_stream();
    }
    for (int i = 0; i < STREAMS; i++) {
        const roost_call call = call_on(streams[i]);
        if (i == 0) cuda_done(cudaLaunchHostFunc(streams[i], wait_at_gate, &gate));
        require_status(ROOST_OK, roost_find(table.handle, held[i].keys, KEYS, held[i].values, held[i].found, &call), table.handle);
    }
    require(!pthread_create(&opener, NULL, open_gate_later, &gate), "no thread");
    require_status(ROOST_OK, roost_insert(table.handle, ROOST_ASSIGN, other.keys, other.values, KEYS, &last), table.handle);
    require_status(ROOST_OK, roost_table_sync(table.handle, NULL), table.handle);
    pthread_join(opener, NULL);
    for (int i = 0; i < STREAMS; i++) {
        cuda_done(cudaStreamSynchronize(streams[i]));
        require_found(&held[i], 1000, 7, true);
        free_device_arrays(&held[i]);
        cuda_done(cudaStreamDestroy(streams[i]));
    }
    table_close(&table);
    free_device_arrays(&pairs), free_device_arrays(&other);
}

/* A find captured into a graph answers from the table as it is when the graph is launched, even
 * after erases. */
static void finds_are_captured(const struct variant *variant)
{
    struct table table;
    struct device_arrays pairs, asked;
    const cudaStream_t stream = make_stream();
    const roost_call call = call_on(stream);
    cudaGraph_t graph;
    cudaGraphExec_t launchable;
    uint32_t on_host = 0;
    open_filled(&table, variant, &pairs, 7);
    asked = make_device_arrays(1000, 0);
    cuda_done(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    require_status(ROOST_OK, roost_find(table.handle, asked.keys, KEYS, asked.values, asked.found, &call), table.handle);
    suite_step("what cannot be captured");
    roost_call host = call;
    host.space = ROOST_SPACE_HOST;
    require_status(ROOST_ERR_UNSUPPORTED, roost_find(table.handle, &on_host, 1, &on_host, NULL, &host), table.handle);
    require_status(ROOST_ERR_UNSUPPORTED, roost_erase(table.handle, asked.keys, KEYS, &call), table.handle);
    cuda_done(cudaStreamEndCapture(stream, &graph));
    cuda_done(cudaGraphInstantiate(&launchable, graph, 0));
    suite_step("launching");
    cuda_done(cudaGraphLaunch(launchable, stream));
    cuda_done(cudaStreamSynchronize(stream));
    require_found(&asked, 1000, 7, true);
    suite_step("launching after erases");
    const roost_call now = call_on(NULL);
    require_status(ROOST_OK, roost_erase(table.handle, asked.keys, KEYS / 2, &now), table.handle);
    require_status(ROOST_OK, roost_table_sync(table.handle, NULL), table.handle);
    cuda_done(cudaMemset(asked.values, 0xEE, KEYS * sizeof *asked.values));
    settle();

    cuda_done(cudaGraphLaunch(launchable, stream));
    cuda_done(cudaStreamSynchronize(stream));
    static uint32_t values[KEYS];
    static uint8_t flags[KEYS];
    cuda_done(cudaMemcpy(values, asked.values, sizeof values, cudaMemcpyDeviceToHost));
    cuda_done(cudaMemcpy(flags, asked.found, sizeof flags, cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < KEYS; i++)
        require(flags[i] == (i >= KEYS / 2) && values[i] == (i < KEYS / 2 ? 0 : 1007 + i), "key %u: found %u, value %u", 1000 + i,
                flags[i], values[i]);
    cuda_done(cudaGraphExecDestroy(launchable));
    cuda_done(cudaGraphDestroy(graph));
    table_close(&table);
    cuda_done(cudaStreamDestroy(stream));
    free_device_arrays(&pairs), free_device_arrays(&asked);
}

/* Launches the graph and checks the results of its find: the values plus `add`. */
static void launch_and_look(cudaGraphExec_t graph, cudaStream_t stream, const struct device_arrays *asked, uint32_t add)
{
    cuda_done(cudaMemset(asked->found, 0xee, KEYS));
    settle();

    cuda_done(cudaGraphLaunch(graph, stream));
    cuda_done(cudaStreamSynchronize(stream));
    require_found(asked, 1000, add, true);
}

/* An insert, a find and an erase of half of the keys in one graph, launched many times.  Other
 * work on the table comes in between, such as a larger insert, which must not free the graph's
 * work space. */
static void writes_are_captured(const struct variant *variant)
{
    enum { OTHERS = 12 };
    static uint32_t keys[OTHERS * KEYS];
    struct table table;
    roost_config config;
    table_config(variant, &config);
    config.growth = 0;
    config.capacity = 2 * (OTHERS + 1) * KEYS;
    table_open(&table, variant, &config);
    struct device_arrays pairs = make_device_arrays(1000, 7), asked = make_device_arrays(1000, 0);
    const cudaStream_t stream = make_stream();
    const roost_call call = call_on(stream);
    cudaGraph_t graph;
    cudaGraphExec_t launchable;
    cuda_done(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    require_status(ROOST_OK, roost_insert(table.handle, ROOST_ASSIGN, pairs.keys, pairs.values, KEYS, &call), table.handle);
    require_status(ROOST_OK, roost_find(table.handle, asked.keys, KEYS, asked.values, asked.found, &call), table.handle);
    require_status(ROOST_OK, roost_erase(table.handle, pairs.keys, KEYS / 2, &call), table.handle);
    cuda_done(cudaStreamEndCapture(stream, &graph));
    cuda_done(cudaGraphInstantiate(&launchable, graph, 0));
    require(table_stats(&table).count == 0, "something was done while capturing");
    launch_and_look(launchable, stream, &asked, 7);
    require(table_stats(&table).count == KEYS - KEYS / 2, "%llu keys", (unsigned long long)table_stats(&table).count);
    suite_step("a larger insert in between");
    for (uint32_t i = 0; i < OTHERS * KEYS; i++) keys[i] = 1000000 + i;
    require_status(ROOST_OK, roost_insert(table.handle, ROOST_ASSIGN, keys, keys, OTHERS * KEYS, NULL), table.handle);
    struct device_arrays changed = make_device_arrays(1000, 9);
    cuda_done(cudaMemcpy(pairs.values, changed.values, KEYS * sizeof *changed.values, cudaMemcpyDeviceToDevice));
    for (int i = 0; i < 3; i++) launch_and_look(launchable, stream, &asked, 9);
    require_status(ROOST_OK, roost_table_sync(table.handle, NULL), table.handle);
    table_check(&table);
    require(table_stats(&table).count == OTHERS * KEYS + KEYS - KEYS / 2, "%llu keys",
            (unsigned long long)table_stats(&table).count);
    cuda_done(cudaGraphExecDestroy(launchable));
    cuda_done(cudaGraphDestroy(graph));
    table_close(&table);
    cuda_done(cudaStreamDestroy(stream));
    free_device_arrays(&pairs), free_device_arrays(&asked), free_device_arrays(&changed);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

enum { RANKS = 3, TURNS = 48, RING = 4 };

/* A rank of a table: all ranks are threads, and share the GPU. */
struct rank {
    const struct variant *variant;
    int number;
    roost_comm *comm;
    roost_table *table;
    cudaStream_t streams[2];
    struct device_arrays pairs, asked, equal; /* its own pairs; keys of the next rank; one key */
    struct device_arrays ring[RING];
    struct gate gate;
};

static uint32_t rank_first(int rank) { return 1000 + KEYS * (uint32_t)(rank % RANKS); }

static void ranks_run(struct rank ranks[RANKS], void *(*work)(void *rank))
{
    pthread_t threads[RANKS];
    for (int r = 0; r < RANKS; r++) require(!pthread_create(&threads[r], NULL, work, &ranks[r]), "no thread");
    for (int r = 0; r < RANKS; r++) pthread_join(threads[r], NULL);
}

static void rank_find(struct rank *r, const struct device_arrays *a, size_t n, int stream)
{
    const roost_call call = call_on(r->streams[stream]);
    require_status(ROOST_OK, roost_find(r->table, a->keys, n, a->values, a->found, &call), r->table);
}

static void rank_insert(struct rank *r)
{
    const roost_call call = call_on(r->streams[0]);
    require_status(ROOST_OK, roost_insert(r->table, ROOST_ASSIGN, r->pairs.keys, r->pairs.values, KEYS, &call), r->table);
}

static void rank_make(struct rank *r, const struct variant *variant, int number, roost_comm *comm)
{
    uint32_t equal[KEYS];
    r->variant = variant, r->number = number, r->comm = comm;
    for (int i = 0; i < 2; i++) r->streams[i] = make_stream();
    r->pairs = make_device_arrays(rank_first(number), 7);
    r->asked = make_device_arrays(rank_first(number + 1), 0);
    r->equal = make_device_arrays(rank_first(number), 0);
    for (int i = 0; i < RING; i++) r->ring[i] = make_device_arrays(rank_first(number + 1), 0);
    for (int i = 0; i < KEYS; i++) equal[i] = rank_first(number + 1) + 5;
    cuda_done(cudaMemcpy(r->equal.keys, equal, sizeof equal, cudaMemcpyHostToDevice));
    settle();
}

/* The first finds allocate memory, which may wait for the device. */
static void *rank_open(void *rank)
{
    struct rank *const r = (struct rank *)rank;
    roost_config config;
    table_config(r->variant, &config);
    config.capacity = 2 * RANKS * KEYS;
    config.device = NULL;
    config.comm = r->comm;
    require_status(ROOST_OK, roost_table_create(&r->table, &config), NULL);
    rank_insert(r);
    rank_find(r, &r->asked, KEYS, 0);
    rank_find(r, &r->equal, KEYS, 1);
    for (int i = 0; i < 2; i++) cuda_done(cudaStreamSynchronize(r->streams[i]));
    return NULL;
}

/* All of a rank's keys are equal, so one owner gets more of them than chance would send.  The last
 * rank brings none. */
static void *rank_enqueue(void *rank)
{
    struct rank *const r = (struct rank *)rank;
    cuda_done(cudaMemset(r->asked.found, 0xee, KEYS));
    cuda_done(cudaMemset(r->equal.found, 0xee, KEYS));
    settle();
    cuda_done(cudaLaunchHostFunc(r->streams[0], wait_at_gate, &r->gate));
    for (int i = 0; i < 2; i++) {
        rank_find(r, &r->asked, KEYS, 0);
        rank_find(r, &r->equal, r->number == RANKS - 1 ? 0 : KEYS, 0);
    }
    return NULL;
}

/* Numbers of items that differ between the ranks, on two streams, with inserts in between. */
static void *rank_turns(void *rank)
{
    struct rank *const r = (struct rank *)rank;
    size_t n[RING];
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        const uint32_t at = turn % RING;
        n[at] = turn * (unsigned)(r->number + 3) * 137 % (KEYS + 1);
        cuda_done(cudaMemsetAsync(r->ring[at].found, 0, KEYS, r->streams[turn % 2]));
        rank_find(r, &r->ring[at], n[at], (int)(turn % 2));
        if (turn % 9 == 5) rank_insert(r);
        for (int i = 0; at == RING - 1 && i < 2; i++) cuda_done(cudaStreamSynchronize(r->streams[i]));
        for (int i = 0; at == RING - 1 && i < RING; i++) {
            uint8_t found[KEYS];
            cuda_done(cudaMemcpy(found, r->ring[i].found, KEYS, cudaMemcpyDeviceToHost));
            for (size_t k = 0; k < KEYS; k++)
                require(found[k] == (k < n[i]), "turn %u, rank %d: key %zu of %zu: found %u", turn, r->number, k, n[i], found[k]);
        }
    }
    return NULL;
}

static void require_equal_found(const struct rank *r)
{
    uint32_t values[KEYS];
    uint8_t found[KEYS];
    cuda_done(cudaMemcpy(values, r->equal.values, sizeof values, cudaMemcpyDeviceToHost));
    cuda_done(cudaMemcpy(found, r->equal.found, sizeof found, cudaMemcpyDeviceToHost));
    const uint32_t value = rank_first(r->number + 1) + 5 + 7;
    for (int i = 0; i < KEYS; i++)
        require(values[i] == value && found[i] == (r->number == RANKS - 1 ? 0xee : 1), "rank %d, item %d: found %u, value %u",
                r->number, i, found[i], values[i]);
}

/* A rank leaves while the others' finds may be under way, in its memory. */
static void *rank_close(void *rank)
{
    struct rank *const r = (struct rank *)rank;
    rank_find(r, &r->asked, KEYS, 0);
    roost_table_destroy(r->table);
    cuda_done(cudaStreamSynchronize(r->streams[0]));
    return NULL;
}

static void rank_release(struct rank *r)
{
    require_found(&r->asked, rank_first(r->number + 1), 7, true);
    for (int i = 0; i < 2; i++) cuda_done(cudaStreamDestroy(r->streams[i]));
    for (int i = 0; i < RING; i++) free_device_arrays(&r->ring[i]);
    free_device_arrays(&r->pairs), free_device_arrays(&r->asked), free_device_arrays(&r->equal);
    roost_comm_free(r->comm);
}

/* Finds of ranks return while all their streams are held up, and their answers are right. */
static void ranks_enqueue(const struct variant *variant)
{
    struct rank ranks[RANKS];
    roost_comm *comms[RANKS];
    memset(ranks, 0, sizeof ranks);
    require_status(ROOST_OK, roost_comm_local(comms, RANKS, "cuda,cuda,cuda", NULL), NULL);
    for (int r = 0; r < RANKS; r++) rank_make(&ranks[r], variant, r, comms[r]);
    ranks_run(ranks, rank_open);
    suite_step("finds behind gates");
    ranks_run(ranks, rank_enqueue);
    for (int r = 0; r < RANKS; r++)
        require(cudaStreamQuery(ranks[r].streams[0]) == cudaErrorNotReady && !ranks[r].gate.forced,
                "a call of rank %d waited until the gate gave way", r);
    for (int r = 0; r < RANKS; r++) ranks[r].gate.open = 1;
    for (int r = 0; r < RANKS; r++) {
        cuda_done(cudaStreamSynchronize(ranks[r].streams[0]));
        require_found(&ranks[r].asked, rank_first(r + 1), 7, true);
        require_equal_found(&ranks[r]);
    }
    suite_step("turns");
    ranks_run(ranks, rank_turns);
    ranks_run(ranks, rank_close);
    for (int r = 0; r < RANKS; r++) rank_release(&ranks[r]);
}

/* A pointer to keys without memory makes a kernel fault.  After that nothing works on this
 * device in this process: every call says so, and tables can still be destroyed.  So this case
 * is the last one. */
static void a_poisoned_device(const struct variant *variant)
{
    uint32_t key = 1, value = 1, many[ROOST_EXPORT_MIN];
    uint8_t found;
    size_t n;
    roost_stats stats;
    roost_cursor cursor = {0, 0};
    struct table table, idle;
    struct device_arrays pairs;
    roost_table *made;
    roost_config config;
    const roost_call call = call_on(NULL);
    open_filled(&table, variant, &pairs, 7);
    table_open(&idle, variant, NULL);
    (void)roost_find(table.handle, (void *)(uintptr_t)65536, KEYS, pairs.values, pairs.found, &call);
    require_status(ROOST_ERR_DEVICE, roost_table_sync(table.handle, NULL), table.handle);
    for (int i = 0; i < 2; i++) {
        roost_table *t = i ? idle.handle : table.handle;
        suite_step("table %d", i);
        require_status(ROOST_ERR_DEVICE, roost_insert(t, ROOST_ASSIGN, &key, &value, 1, NULL), t);
        require_status(ROOST_ERR_DEVICE, roost_find(t, &key, 1, &value, &found, NULL), t);
        require_status(ROOST_ERR_DEVICE, roost_erase(t, &key, 1, NULL), t);
        require_status(ROOST_ERR_DEVICE, roost_insert(t, ROOST_ASSIGN, pairs.keys, pairs.values, KEYS, &call), t);
        require_status(ROOST_ERR_DEVICE, roost_find(t, pairs.keys, KEYS, pairs.values, pairs.found, &call), t);
        require_status(ROOST_ERR_DEVICE, roost_erase(t, pairs.keys, KEYS, &call), t);
        require_status(ROOST_ERR_DEVICE, roost_export(t, &cursor, many, many, ROOST_EXPORT_MIN, &n, NULL), t);
        require_status(ROOST_ERR_DEVICE, roost_table_stats(t, &stats, sizeof stats), t);
        require_status(ROOST_ERR_DEVICE, roost_table_check(t), t);
        require_status(ROOST_ERR_DEVICE, roost_table_reserve(t, 100000), t);
        require_status(ROOST_ERR_DEVICE, roost_table_clear(t), t);
        require_status(ROOST_ERR_DEVICE, roost_table_sync(t, NULL), t);
    }
    table_config(variant, &config);
    require_status(ROOST_ERR_DEVICE, roost_table_create(&made, &config), NULL);
    table_close(&table);
    table_close(&idle);
}
#endif

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    if (!settings_on_gpu()) suite_add_once("a writer is alone", a_writer_is_alone);
#if ROOST_WITH_CUDA
    if (settings_on_gpu()) {
        suite_add_once("calls enqueue", calls_enqueue);
        suite_add_once("finds run beside finds", finds_run_beside_finds);
        suite_add_once("many streams", many_streams);
        suite_add_once("finds are captured", finds_are_captured);
        suite_add_once("writes are captured", writes_are_captured);
        suite_add_once("ranks enqueue", ranks_enqueue);
        suite_add_once("a poisoned device", a_poisoned_device);
    }
#endif
    return suite_run("streams");
}
