/* What the rows of every place share: a place's tables, the selection of engines' rows, and
 * widths other than 4+4. */
#include "bench.h"
#include "roost/tuning.h"

#include <stdio.h>
#include <string.h>

struct table_case place_case(const struct place *p, const char *engine, const char *options, const char *group)
{
    return (struct table_case){.machine = p->machine,
                               .device = p->device,
                               .engine = engine,
                               .options = options,
                               .group = group,
                               .threads = p->threads,
                               .load = p->o->load,
                               .min_fill = p->o->min_fill,
                               .max_fill = p->o->max_fill,
                               .cache_bytes = p->cache_bytes,
                               .unit = p->unit,
                               .finds_only = p->o->profile,
                               .profile = p->o->profile};
}

bool place_wants(const struct place *p, const char *engine)
{
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s/%s", p->prefix, engine);
    return options_want_some(p->o, prefix) && (!p->o->engine || strcmp(p->o->engine, engine) == 0);
}

/* Uses a quarter of the keys, because each has up to eight more bytes, in every array. */
static void measure_width(const struct place *p, const char *table, int key_bytes, int value_bytes, place_measure measure)
{
    const struct workload w = {.seed = p->o->seed, .keys = p->keys / 4, .key_bytes = key_bytes, .value_bytes = value_bytes};
    char group[64];
    snprintf(group, sizeof group, "%s/%s/%d+%d", p->prefix, table, key_bytes, value_bytes);
    if (!options_want_some(p->o, group)) return;
    struct arrays a = arrays_make(p->machine, w, 2 * w.keys);
    measure(p, &a, group);
    arrays_free(p->machine, &a);
}

void place_widths(const struct place *p, const char *table, place_measure measure)
{
    static const int widths[][2] = {{8, 8}, {8, 4}, {4, 8}, {4, 0}, {8, 0}};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) measure_width(p, table, widths[i][0], widths[i][1], measure);
}

static struct row row_named(const char *group, const char *what, enum row_unit unit)
{
    char name[96];
    snprintf(name, sizeof name, "%s/%s", group, what);
    return row_make(name, unit);
}

struct row place_row(const struct place *p, const char *group, const char *what) { return row_named(group, what, p->unit); }

void place_ratio(const struct place *p, const char *group, const char *what, double ratio, const char *note)
{
    struct row row = row_named(group, what, UNIT_TIMES);
    row.rate = ratio;
    snprintf(row.note, sizeof row.note, "%s", note);
    report_row(p->o, row);
}

void place_set_limit(const struct place *p, struct row *row, enum access access, uint64_t bytes)
{
    if (!row->repetitions || !bytes) return;
    const struct access_limit limit = p->limit(p, access, bytes);
    row_set_limit(row, limit.name, limit.rate);
}

void place_set_stream_limit(const struct place *p, struct row *row, double bytes)
{
    place_set_limit(p, row, ACCESS_STREAM, (uint64_t)bytes);
    row->limit /= bytes;
}

void place_set_insert_limit(const struct place *p, struct row *row, const struct workload w, uint64_t bytes)
{
    if (strcmp(row->engine, "fks") != 0) place_set_limit(p, row, ACCESS_UPDATE, bytes);
    else place_set_stream_limit(p, row, w.key_bytes + w.value_bytes + (double)bytes / (double)w.keys);
}

/* Unordered finds read a line. Finds by region need at least three things: the codes' pass over
 * keys, which reads and writes the keys; a line for each key; and the answers on their way back.
 * Random accesses do not bound them, which is why they go by region. */
void place_set_find_limit(const struct place *p, struct row *row, const struct workload w, bool by_region)
{
    if (!by_region) place_set_limit(p, row, ACCESS_LINE, row->stats.table_bytes);
    else place_set_stream_limit(p, row, 64 + 3 * w.key_bytes + 3 * (w.value_bytes + 1) + 5);
}

/* Writes by region need at least the codes' pass over keys and values, a line read and written
 * for each item, and the statuses on their way back. */
void place_set_write_limit(const struct place *p, struct row *row, const struct workload w, int value_bytes, uint64_t bytes)
{
    if (!strstr(row->note, "by region")) place_set_limit(p, row, ACCESS_UPDATE, bytes);
    else place_set_stream_limit(p, row, 128 + 3 * w.key_bytes + 3 * value_bytes + 5);
}

uint64_t place_device_bytes(const struct place *p)
{
    roost_device_info info = {.memory_bytes = 0};
    for (size_t i = 0; roost_device_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (strcmp(info.name, p->device) == 0) return info.memory_bytes;
    return 0;
}
