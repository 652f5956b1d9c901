/* Rows of finds whose arrays are on the host and are larger than what the table may hold on the
 * GPU: 8 GB and more per call, from pinned and from pageable memory. The limit is that of the
 * copies alone. */
#include "bench.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { REPETITIONS = 3, ITEMS_A_KEY = 10 /* 10^9 finds in a table of 10^8 keys: 9 GB of arrays */ };

/* What the table may hold besides itself: a small part of the arrays. */
#define STAGING_BYTES ((uint64_t)512 << 20)

struct stream {
    const struct options *o;
    const struct machine *gpu, *host;
    struct workload w;
    roost_table *table;
    uint64_t n;
    struct limit limit;    /* copies alone */
    double kernel_seconds; /* the same finds with device arrays */
};

/* Host arrays of one kind of memory. */
struct host_arrays {
    void *queries, *values;
    uint8_t *found;
    bool pinned;
};

static void *host_memory(const struct stream *s, bool pinned, size_t bytes)
{
    return pinned ? machine_pinned_allocate(bytes) : s->host->allocate(bytes);
}

static void host_memory_release(const struct stream *s, bool pinned, void *memory, size_t bytes)
{
    if (pinned) machine_pinned_release(memory);
    else s->host->release(memory, bytes);
}

static struct host_arrays host_arrays_make(const struct stream *s, bool pinned)
{
    const size_t n = (size_t)s->n;
    const struct host_arrays a = {host_memory(s, pinned, 4 * n), host_memory(s, pinned, 4 * n),
                                  (uint8_t *)host_memory(s, pinned, n), pinned};
    return a;
}

static void host_arrays_free(const struct stream *s, struct host_arrays *a)
{
    host_memory_release(s, a->pinned, a->queries, 4 * (size_t)s->n);
    host_memory_release(s, a->pinned, a->values, 4 * (size_t)s->n);
    host_memory_release(s, a->pinned, a->found, (size_t)s->n);
}

static roost_status stream_table(struct stream *s, const char *device, const struct arrays *a)
{
    roost_config config;
    roost_call call;
    roost_config_init(&config, sizeof config);
    config.device = device;
    config.engine = s->o->engine;
    config.capacity = s->w.keys;
    config.min_fill = 0;
    config.max_fill = s->o->load;
    config.memory_limit = (uint64_t)(8.0 * (double)s->w.keys / s->o->load * 1.1) + STAGING_BYTES;
    roost_status status = roost_table_create(&s->table, &config);
    roost_call_init(&call, sizeof call);
    call.space = ROOST_SPACE_DEVICE;
    /* Inserts in pieces, so that the insert's own lists stay small beside the staging. */
    const uint64_t piece = s->w.keys / 16 + 1;
    for (uint64_t at = 0; !status && at < s->w.keys; at += piece) {
        const uint64_t n = s->w.keys - at < piece ? s->w.keys - at : piece;
        status = roost_insert(s->table, ROOST_ASSIGN, (const uint32_t *)a->keys + at, (const uint32_t *)a->values + at, n, &call);
    }
    return status;
}

/* Measures the kernel's time for n finds, by finds of device arrays. */
static bool stream_kernel(struct stream *s, struct arrays *a, int hit_percent)
{
    roost_call call;
    double best = 0;
    roost_call_init(&call, sizeof call);
    call.space = ROOST_SPACE_DEVICE;
    call.stream = s->gpu->stream();
    s->gpu->make_queries(s->w, (struct drawing){1, hit_percent, 0}, a->queries, a->query[0], NULL);
    for (int i = 0; i < REPETITIONS; i++) {
        s->gpu->wait();
        s->gpu->clock_start();
        if (roost_find(s->table, a->query[0], a->queries, a->answer, a->found, &call) != ROOST_OK) return false;
        const double seconds = s->gpu->clock_stop();
        if (i == 0 || seconds < best) best = seconds;
    }
    s->kernel_seconds = best * (double)s->n / (double)a->queries;
    return true;
}

static void stream_note(const struct stream *s, struct row *row)
{
    const double copy = (double)s->n / s->limit.rate, total = median(row->seconds, row->repetitions);
    const double larger = copy > s->kernel_seconds ? copy : s->kernel_seconds;
    snprintf(row->note, sizeof row->note, "copies alone %.3f s, kernel alone %.3f s, total %.3f s: %.2f times the larger", copy,
             s->kernel_seconds, total, total / larger);
}

/* Finds with host arrays; all answers are verified. */
static void stream_row(struct stream *s, struct host_arrays *a, int hit_percent)
{
    char name[64];
    snprintf(name, sizeof name, "gpu/stream/find-%d/%s", hit_percent, a->pinned ? "pinned" : "pageable");
    if (!options_want(s->o, name)) return;
    struct row row = row_make(name, UNIT_GIGA);
    row.items = s->n;
    /* Bytes of the arrays, because these must not come from a cache. */
    row.stats.table_bytes = 9 * s->n;
    for (int i = 0; i < REPETITIONS && row.state == ROW_UNUSED; i++) {
        s->host->make_queries(s->w, (struct drawing){(uint64_t)(10 + i), hit_percent, 0}, s->n, a->queries, NULL);
        s->host->fill(a->values, BENCH_POISON, 4 * (size_t)s->n);
        s->host->fill(a->found, BENCH_POISON, (size_t)s->n);
        const double start = machine_now();
        const roost_status status = roost_find(s->table, a->queries, (size_t)s->n, a->values, a->found, NULL);
        row_add_time(&row, machine_now() - start, 0);
        if (status) row_fail(&row, ROW_FAILED, "%s: %s", roost_status_name(status), roost_last_error(s->table));
        const struct answers answers = {a->queries, a->found, a->values, s->n, false, false};
        row.wrong += s->host->count_wrong(s->w, answers);
        row.verified += s->n;
    }
    row_set_limit(&row, "transfer-4-5", s->limit.rate);
    stream_note(s, &row);
    report_row(s->o, row);
}

static void stream_limit(struct stream *s, const struct host_arrays *a)
{
    struct row row = row_make("gpu/limit/transfer-4-5", UNIT_GIGA);
    s->limit = limit_cuda_transfer(a->queries, 4 * s->n, a->values, 4 * s->n, a->found, s->n, s->n);
    row.rate = s->limit.rate;
    row.items = s->n;
    snprintf(row.shape, sizeof row.shape, "%s", s->limit.shape);
    for (int i = 0; i < LIMIT_REPETITIONS; i++) row_add_time(&row, s->limit.seconds[i], 0);
    report_row(s->o, row);
}

void stream_rows(const struct options *o, const struct machine *gpu, const char *device, struct arrays *a)
{
    struct stream s = {.o = o, .gpu = gpu, .host = machine_host(omp_get_num_procs()), .w = a->w, .n = ITEMS_A_KEY * a->w.keys};
    struct host_arrays pinned = host_arrays_make(&s, true);
    stream_limit(&s, &pinned);
    roost_status status = stream_table(&s, device, a);
    if (status == ROOST_OK && stream_kernel(&s, a, 100)) {
        stream_row(&s, &pinned, 100);
        stream_row(&s, &pinned, 50);
        struct host_arrays pageable = host_arrays_make(&s, false);
        stream_row(&s, &pageable, 100);
        host_arrays_free(&s, &pageable);
    } else {
        struct row row = row_make("gpu/stream", UNIT_GIGA);
        row_fail(&row, ROW_FAILED, "%s: %s", roost_status_name(status), roost_last_error(s.table));
        report_row(o, row);
    }
    roost_table_destroy(s.table);
    host_arrays_free(&s, &pinned);
}
