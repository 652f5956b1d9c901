/* Reading groups: their keys, and their aggregates. */
#include <stdlib.h>
#include <string.h>

#include "backends/host_threads.h"
#include "relations/group.h"

enum {
    CHUNK = 1 << 16,       /* groups; a multiple of 8 */
    CHUNK_HOST = 1 << 12,  /* the same, on a host: their words stay in a core's cache */
    RECORD_WORDS = 1 << 19 /* of a chunk's groups, which are fewer if they have many */
};

/* Groups first .. first + n - 1, written from place `at` of the results on. */
struct chunk {
    struct roost_group *g;
    uint64_t first;
    size_t at, n;
    uint64_t record[RECORD_WORDS], ends[CHUNK];
    uint8_t nulls[CHUNK];
    char out[CHUNK * 8];
};

/* ---- Where groups are ------------------------------------------------------------------------ */

/* Groups of a chunk that lie side by side. */
struct segment {
    const struct roost_group *g; /* it, or a part of it, */
    uint64_t first;              /* and the first of the groups there */
    size_t at, n;                /* in the chunk */
};

/* The segment from place `at` of the chunk on. */
static struct segment segment_at(const struct chunk *c, size_t at)
{
    const struct roost_group *const g = c->g;
    struct segment s = {g, c->first + at, at, c->n - at};
    if (!g->part) return s;
    int p = 0;
    for (; s.first >= g->part[p]->groups; p++) s.first -= g->part[p]->groups;
    s.g = g->part[p];
    if (s.g->groups - s.first < s.n) s.n = (size_t)(s.g->groups - s.first);
    return s;
}

static roost_status state_read(struct chunk *c, const struct state *state, void *to)
{
    const ptrdiff_t which = state - c->g->state;
    const size_t bytes = (unsigned)state->bytes;
    for (struct segment s = {.at = 0}; s.at < c->n; s.at += s.n) {
        s = segment_at(c, s.at);
        if (!copy_between((char *)to + s.at * bytes, (const char *)s.g->state[which].at + s.first * bytes, s.n * bytes))
            return error_set(thread_error(), ROOST_ERR_DEVICE, "a copy of groups failed");
    }
    return ROOST_OK;
}

static roost_status records_read(struct chunk *c)
{
    const size_t words = (unsigned)c->g->records.words;
    for (struct segment s = {.at = 0}; s.at < c->n; s.at += s.n) {
        s = segment_at(c, s.at);
        if (!copy_between(c->record + s.at * words, s.g->records.at + s.first * words, s.n * words * sizeof *c->record))
            return error_set(thread_error(), ROOST_ERR_DEVICE, "a copy of groups failed");
    }
    return ROOST_OK;
}

static uint64_t word_of(const struct chunk *c, int word, size_t i)
{
    return c->record[i * (unsigned)c->g->records.words + (unsigned)word];
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Writes the items and their validity, of which c->nulls has 1 for NULL. */
static roost_status result_write(struct chunk *c, const roost_result *to, const void *items, int bytes)
{
    uint8_t bits[CHUNK / 8] = {0};
    bool good = true;
    for (size_t i = 0; i < c->n; i++) bits[i / 8] |= (uint8_t)(!c->nulls[i] << i % 8);
    if (to->values && bytes) good = copy_between((char *)to->values + c->at * (unsigned)bytes, items, c->n * (unsigned)bytes);
    if (good && to->validity) good = copy_between(to->validity + c->at / 8, bits, (c->n + 7) / 8);
    return good ? ROOST_OK : error_set(thread_error(), ROOST_ERR_DEVICE, "a copy of groups failed");
}

static void store(struct chunk *c, size_t i, int bytes, uint64_t bits) { store_width(bytes, c->out, i, bits); }

/* ---- Sums ------------------------------------------------------------------------------------ */

/* The halves as one number: *fits: it has 64 bits; *real: as a double. */
static uint64_t sum_of(const struct chunk *c, const struct aggregate *a, size_t i, bool *fits, double *real)
{
    const bool has_sign = a->wide == ROOST_TYPE_I64;
    const uint64_t low = word_of(c, a->word[0], i), high = word_of(c, a->word[1], i) + (low >> 32),
                   sum = high << 32 | (low & 0xffffffffu);
    const int64_t top = (int64_t)high >> 31;
    *fits = has_sign ? top == 0 || top == -1 : high >> 32 == 0;
    *real = (has_sign ? (double)(int64_t)high : (double)high) * 4294967296.0 + (double)(low & 0xffffffffu);
    return sum;
}

static roost_status sum_write(struct chunk *c, const struct aggregate *a, size_t i)
{
    bool fits = true;
    uint64_t sum = word_of(c, a->word[0], i);
    double real = value_f64(sum);
    if (a->word[1] != NO_WORD) sum = sum_of(c, a, i, &fits, &real);
    const uint64_t items = a->kind == ROOST_MEAN ? word_of(c, a->items, i) : 0;
    if (a->kind == ROOST_MEAN) store(c, i, 8, bits_f64(items ? real / (double)items : 0));
    else store(c, i, 8, sum);
    if (fits || a->kind == ROOST_MEAN || (c->g->flags & ROOST_SUMS_WRAP)) return ROOST_OK;
    return error_set(thread_error(), ROOST_ERR_OVERFLOW, "the sum of column %d in group %llu, %.17g, does not fit into 64 bits",
                     a->column, (unsigned long long)(c->first + i), real);
}

/* An item of the column's type from its wide form. */
static uint64_t narrowed(roost_type type, uint64_t wide)
{
    return type == ROOST_TYPE_F32 ? bits_f32((float)value_f64(wide)) : wide;
}

static roost_status aggregate_export(struct chunk *c, const struct aggregate *a, const roost_result *to)
{
    const bool sums = aggregate_sums(a), picks = aggregate_picks(a), extreme = aggregate_is_extreme(a);
    const int bytes = picks || extreme ? type_width(a->type, 0) : 8;
    roost_status status = ROOST_OK;
    memset(c->nulls, 0, c->n);
    if (picks) status = state_read(c, a->nulls, c->nulls);
    for (size_t i = 0; !status && i < c->n; i++) {
        const uint64_t word = word_of(c, a->word[0], i);
        if (a->items != NO_WORD) c->nulls[i] = word_of(c, a->items, i) == 0;
        if (picks && word == UINT64_MAX) c->nulls[i] = 1;
        if (sums) status = sum_write(c, a, i);
        else if (picks) store(c, i, bytes, c->nulls[i] ? 0 : word_of(c, a->word[1], i));
        else store(c, i, bytes, !extreme ? word : c->nulls[i] ? 0 : narrowed(a->type, word));
    }
    return status ? status : result_write(c, to, c->out, bytes);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static uint64_t string_begin(const struct strings *s, uint64_t i) { return i ? s->end[i - 1] : 0; }

/* Strings for which there is room, of n from `first` on. */
static size_t strings_fit(const struct strings *s, uint64_t first, size_t n, uint64_t room)
{
    size_t fit = 0;
    while (fit < n && s->end[first + fit] - string_begin(s, first) <= room) fit++;
    return fit;
}

static roost_status strings_export(struct chunk *c, const struct key *k, const roost_result *to, uint64_t begin)
{
    const struct strings *const s = &k->strings;
    const uint64_t from = string_begin(s, c->first), end = c->n ? s->end[c->first + c->n - 1] : from;
    bool good = true;
    for (size_t i = 0; i < c->n; i++) c->ends[i] = s->end[c->first + i] - begin;
    if (to->values && end > from) good = copy_between((char *)to->values + (from - begin), s->bytes + from, (size_t)(end - from));
    if (good && to->offsets) good = copy_between(to->offsets + c->at + 1, c->ends, c->n * sizeof(uint64_t));
    if (good && to->offsets && !c->at) good = copy_between(to->offsets, &(uint64_t){0}, sizeof(uint64_t));
    return good ? result_write(c, to, NULL, 0) : error_set(thread_error(), ROOST_ERR_DEVICE, "a copy of strings failed");
}

static roost_status key_export(struct chunk *c, const struct key *k, const roost_result *to, uint64_t first)
{
    roost_status status = state_read(c, k->nulls, c->nulls);
    if (status) return status;
    if (!k->items) return strings_export(c, k, to, string_begin(&k->strings, first));
    if (!to->values) return result_write(c, to, NULL, 0);
    char *const items = (char *)malloc(c->n * (unsigned)k->bytes);
    if (!items) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for the keys of groups");
    status = state_read(c, k->items, items);
    if (!status) status = result_write(c, to, items, k->bytes);
    free(items);
    return status;
}

/* ---- The call -------------------------------------------------------------------------------- */

static roost_status chunk_export(struct chunk *c, uint64_t first, const roost_result *keys, const roost_result *results)
{
    roost_status status = ROOST_OK;
    for (int i = 0; keys && !status && i < c->g->keys.columns; i++) status = key_export(c, &c->g->key[i], &keys[i], first);
    if (results && !status && c->g->aggregates) status = records_read(c);
    for (int i = 0; results && !status && i < c->g->aggregates; i++)
        if (results[i].values || results[i].validity) status = aggregate_export(c, &c->g->aggregate[i], &results[i]);
    return status;
}

/* As many groups as the results have room for. */
static roost_status room_for(const struct roost_group *g, uint64_t first, size_t room, const roost_result *keys, size_t *n)
{
    const uint64_t left = first < g->groups ? g->groups - first : 0;
    *n = left < room ? (size_t)left : room;
    if (!*n) return ROOST_OK;
    for (int i = 0; keys && i < g->keys.columns; i++)
        if (!g->key[i].items && keys[i].values) *n = strings_fit(&g->key[i].strings, first, *n, keys[i].bytes_room);
    return *n ? ROOST_OK
              : error_set(thread_error(), ROOST_ERR_ARGUMENT, "a string of group %llu does not fit into bytes_room",
                          (unsigned long long)first);
}

static roost_status results_check(const roost_result *results, int n)
{
    for (int i = 0; results && i < n; i++)
        if (results[i].size != sizeof *results)
            return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_result: size is %zu, and must be %zu", results[i].size,
                             sizeof *results);
    return ROOST_OK;
}

static size_t chunk_groups(const struct roost_group *g)
{
    const size_t wanted = g->keys.last->backend->ordinal < 0 ? CHUNK_HOST : CHUNK,
                 fit = g->records.words ? RECORD_WORDS / (unsigned)g->records.words / 8 * 8 : wanted;
    return fit < wanted ? fit : wanted;
}

/* Groups that one thread reads. */
struct span {
    size_t begin, end; /* places in the results */
    roost_status status;
    struct error error;
};

struct exporting {
    struct roost_group *g;
    uint64_t first;
    const roost_result *keys, *results;
    struct span *spans;
};

static roost_status span_read(const struct exporting *e, const struct span *span)
{
    const size_t most = chunk_groups(e->g);
    struct chunk *const c = (struct chunk *)malloc(sizeof *c);
    roost_status status = ROOST_OK;
    if (!c) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for reading groups");
    c->g = e->g;
    for (c->at = span->begin; !status && c->at < span->end; c->at += c->n) {
        c->first = e->first + c->at;
        c->n = span->end - c->at < most ? span->end - c->at : most;
        status = chunk_export(c, e->first, e->keys, e->results);
    }
    free(c);
    return status;
}

static void span_export(const void *context, uint64_t i)
{
    const struct exporting *const e = (const struct exporting *)context;
    struct span *const span = &e->spans[i];
    span->status = span_read(e, span);
    if (span->status) span->error = *thread_error();
}

/* Each thread of a host reads groups side by side; those of a GPU are read by one. */
static roost_status spans_export(struct exporting *e, size_t n)
{
    const struct backend *const b = e->g->keys.last->backend;
    const size_t most = n / CHUNK_HOST + 1, threads = b->ordinal < 0 ? (unsigned)b->threads : 1,
                 spans = threads < most ? threads : most;
    roost_status status = ROOST_OK;
    e->spans = (struct span *)calloc(spans, sizeof *e->spans);
    if (!e->spans) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for reading groups");
    for (size_t i = 0; i < spans; i++) {
        e->spans[i].begin = i ? e->spans[i - 1].end : 0;
        e->spans[i].end = i + 1 < spans ? n / spans * (i + 1) / 8 * 8 : n; /* bytes of validity */
    }
    host_run((int)spans, spans, span_export, e);
    for (size_t i = 0; !status && i < spans; i++) {
        status = e->spans[i].status;
        if (status) *thread_error() = e->spans[i].error;
    }
    free(e->spans);
    return status;
}

ROOST_EXPORT roost_status roost_group_export(roost_group *group, uint64_t first, size_t room, const roost_result *keys,
                                             const roost_result *results, size_t *n)
{
    if (n) *n = 0;
    if (!group || !n) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_group_export: an argument is NULL");
    size_t all = 0;
    roost_status status = group_usable(group);
    if (!status) status = results_check(keys, group->keys.columns);
    if (!status) status = results_check(results, group->aggregates);
    if (!status) status = room_for(group, first, room, keys, &all);
    if (!status && all) status = roost_table_sync(group->keys.last, NULL);
    struct exporting e = {group, first, keys, results, NULL};
    if (!status && all) status = spans_export(&e, all);
    if (!status) *n = all;
    return status;
}
