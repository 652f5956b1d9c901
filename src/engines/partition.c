/* Partitions on the host, and the functions that choose the machine. */
#include "engines/partition.h"

#include <string.h>

#include "backends/host_threads.h"
#include "portable/item.h"

/* PART: the fewest items that are worth a thread. */
enum { DIGITS = PARTITION_DIGITS, PART = 1 << 15 };

/* The number of a part's items with each digit; later the places of these items. */
typedef uint64_t digit_places[DIGITS];

static uint64_t parts_of(const struct backend *b, uint64_t n)
{
    const uint64_t most = (n + PART - 1) / PART;
    return most < (unsigned)b->threads ? most : (unsigned)b->threads;
}

/* The widths are constants in the inlined functions below. */
static inline __attribute__((always_inline)) unsigned digit_of(const struct partition_pass *p, uint64_t key)
{
    return (unsigned)(key >> p->shift) & ((1u << p->bits) - 1u);
}

static inline __attribute__((always_inline)) uint64_t load_key(const int bytes, const void *keys, uint64_t i)
{
    return bytes == 1 ? ((const uint8_t *)keys)[i] : load_width(bytes, keys, i);
}

static inline __attribute__((always_inline)) void count_widths(const struct partition_pass *p, const int key, uint64_t first,
                                                               uint64_t last, uint64_t *count)
{
    for (uint64_t i = first; i < last; i++) count[digit_of(p, load_key(key, p->keys, i))]++;
}

static inline __attribute__((always_inline)) void move_widths(const struct partition_pass *p, const int key, const int payload,
                                                              uint64_t first, uint64_t last, uint64_t *place)
{
    for (uint64_t i = first; i < last; i++) {
        const uint64_t x = load_key(key, p->keys, i), to = place[digit_of(p, x)]++;
        if (key == 1) ((uint8_t *)p->keys_out)[to] = (uint8_t)x;
        else store_width(key, p->keys_out, to, x);
        if (payload) store_width(payload, p->payload_out, to, load_width(payload, p->payload, i));
    }
}

static void part_count(const struct partition_pass *p, uint64_t first, uint64_t last, uint64_t *count)
{
    memset(count, 0, sizeof(digit_places));
    if (p->key_bytes == 1) count_widths(p, 1, first, last, count);
    else if (p->key_bytes == 4) count_widths(p, 4, first, last, count);
    else count_widths(p, 8, first, last, count);
}

/* Calls `function` with the widths of keys (4 or 8 bytes) and payloads as constants. */
#define BY_WIDTHS(function, s, ...)                                                                                                \
    do {                                                                                                                           \
        if ((s)->key_bytes == 4 && (s)->payload_bytes == 4) function(s, 4, 4, __VA_ARGS__);                                        \
        else if ((s)->key_bytes == 4 && (s)->payload_bytes == 8) function(s, 4, 8, __VA_ARGS__);                                   \
        else if ((s)->key_bytes == 4) function(s, 4, 0, __VA_ARGS__);                                                              \
        else if ((s)->payload_bytes == 4) function(s, 8, 4, __VA_ARGS__);                                                          \
        else if ((s)->payload_bytes == 8) function(s, 8, 8, __VA_ARGS__);                                                          \
        else function(s, 8, 0, __VA_ARGS__);                                                                                       \
    } while (0)

static void part_move(const struct partition_pass *p, uint64_t first, uint64_t last, uint64_t *place)
{
    if (p->key_bytes == 1 && p->payload_bytes == 4) move_widths(p, 1, 4, first, last, place);
    else if (p->key_bytes == 1) move_widths(p, 1, 8, first, last, place);
    else BY_WIDTHS(move_widths, p, first, last, place);
}

/* Turns counts into places; false if all items have the same digit. */
static bool places_from_counts(digit_places *count, uint64_t parts, uint64_t n)
{
    uint64_t place = 0;
    bool same = false;
    for (int digit = 0; digit < DIGITS; digit++) {
        const uint64_t before = place;
        for (uint64_t p = 0; p < parts; p++) {
            const uint64_t here = count[p][digit];
            count[p][digit] = place;
            place += here;
        }
        if (place - before == n) same = true;
    }
    return !same;
}

size_t partition_host_scratch(const struct backend *b, uint64_t n) { return parts_of(b, n) * sizeof(digit_places); }

/* The parts of a pass or a sort; each part has its own row of counts. */
struct parts {
    const void *work; /* a struct partition_pass or partition_sort */
    digit_places *count;
    uint64_t n, parts;
};

static uint64_t part_first(const struct parts *all, uint64_t p) { return all->n * p / all->parts; }

static void pass_count(const void *context, uint64_t p)
{
    const struct parts *all = (const struct parts *)context;
    part_count((const struct partition_pass *)all->work, part_first(all, p), part_first(all, p + 1), all->count[p]);
}

static void pass_move(const void *context, uint64_t p)
{
    const struct parts *all = (const struct parts *)context;
    part_move((const struct partition_pass *)all->work, part_first(all, p), part_first(all, p + 1), all->count[p]);
}

/* Stable: parts are in the order of the items, and take their places in that order. */
bool partition_host(const struct backend *b, const struct partition_pass *pass)
{
    const struct parts all = {pass, (digit_places *)pass->scratch, pass->n, parts_of(b, pass->n)};
    host_run(b->threads, all.parts, pass_count, &all);
    if (!places_from_counts(all.count, all.parts, all.n)) return false;
    host_run(b->threads, all.parts, pass_move, &all);
    return true;
}

/* ---- By more than one digit, on the host ---------------------------------------------------- */

/* A digit of a sort's keys. */
struct digit {
    int shift;
    uint64_t mask;
};

static struct digit digit_below(const struct partition_sort *s, int high)
{
    const int bits = high - s->low < PARTITION_DIGIT ? high - s->low : PARTITION_DIGIT;
    /* Without bits all keys have the same digit. */
    const struct digit d = {bits ? high - bits : 0, ((uint64_t)1 << bits) - 1};
    return d;
}

static inline __attribute__((always_inline)) unsigned digit_in(const struct digit d, uint64_t key)
{
    return (unsigned)(key >> d.shift & d.mask);
}

static int block_of(const struct partition_sort *s, uint64_t first, uint64_t last, uint64_t *keys)
{
    const int n = last - first < PARTITION_BLOCK ? (int)(last - first) : PARTITION_BLOCK;
    s->make_keys(s->context, first, n, keys);
    return n;
}

static inline __attribute__((always_inline)) void made_count(const struct partition_sort *s, const int key, uint64_t first,
                                                             uint64_t last, uint64_t *count)
{
    const struct digit d = digit_below(s, s->top);
    uint64_t keys[PARTITION_BLOCK];
    memset(count, 0, sizeof(digit_places));
    for (int n; first < last; first += (unsigned)n) {
        n = block_of(s, first, last, keys);
        for (int i = 0; i < n; i++) count[digit_in(d, load_width(key, keys, (uint64_t)i))]++;
    }
}

static inline __attribute__((always_inline)) uint64_t payload_of(const struct partition_sort *s, const int payload, uint64_t item)
{
    if (s->payload) return load_width(payload, s->payload, item);
    return payload == 8 && s->values ? item | load_width(4, s->values, item) << 32 : item;
}

static inline __attribute__((always_inline)) void made_move(const struct partition_sort *s, const int key, const int payload,
                                                            uint64_t first, uint64_t last, uint64_t *place)
{
    const struct digit d = digit_below(s, s->top);
    uint64_t keys[PARTITION_BLOCK];
    for (int n; first < last; first += (unsigned)n) {
        n = block_of(s, first, last, keys);
        for (int i = 0; i < n; i++) {
            const uint64_t x = load_width(key, keys, (uint64_t)i), item = first + (unsigned)i, to = place[digit_in(d, x)]++;
            store_width(key, s->keys_out, to, x);
            if (payload) store_width(payload, s->payload_out, to, payload_of(s, payload, item));
        }
    }
}

/* Moves the pairs of a range to their digits' places.  Each pair in hand is exchanged for the one
 * in its place, until one belongs where the first pair was. */
static inline __attribute__((always_inline)) void range_permute(const struct partition_sort *s, const int key, const int payload,
                                                                const struct digit d, uint64_t first, uint64_t last,
                                                                uint64_t *place)
{
    uint64_t end[DIGITS], at = first;
    memset(end, 0, sizeof end);
    for (uint64_t i = first; i < last; i++) end[digit_in(d, load_width(key, s->keys_out, i))]++;
    for (int i = 0; i < DIGITS; i++) {
        place[i] = at;
        end[i] = at += end[i];
    }
    for (unsigned i = 0; i < DIGITS; i++) {
        while (place[i] < end[i]) {
            const uint64_t here = place[i];
            uint64_t x = load_width(key, s->keys_out, here), y = payload ? load_width(payload, s->payload_out, here) : 0;
            for (unsigned digit = digit_in(d, x); digit != i; digit = digit_in(d, x)) {
                const uint64_t to = place[digit]++, x2 = load_width(key, s->keys_out, to);
                const uint64_t y2 = payload ? load_width(payload, s->payload_out, to) : 0;
                store_width(key, s->keys_out, to, x);
                if (payload) store_width(payload, s->payload_out, to, y);
                x = x2, y = y2;
            }
            store_width(key, s->keys_out, here, x);
            if (payload) store_width(payload, s->payload_out, here, y);
            place[i]++;
        }
    }
}

/* Sorts a range by the keys' bits below `high`, down to bit s->low. */
static void range_sort(const struct partition_sort *s, int high, uint64_t first, uint64_t last)
{
    if (high <= s->low || last - first < 2) return;
    const struct digit d = digit_below(s, high);
    digit_places place; /* afterwards: the end of each digit's range */
    BY_WIDTHS(range_permute, s, d, first, last, place);
    for (int i = 0; i < DIGITS; i++) range_sort(s, d.shift, i ? place[i - 1] : first, place[i]);
}

static void sort_count(const void *context, uint64_t p)
{
    const struct parts *all = (const struct parts *)context;
    const struct partition_sort *s = (const struct partition_sort *)all->work;
    if (s->key_bytes == 4) made_count(s, 4, part_first(all, p), part_first(all, p + 1), all->count[p]);
    else made_count(s, 8, part_first(all, p), part_first(all, p + 1), all->count[p]);
}

static void sort_move(const void *context, uint64_t p)
{
    const struct parts *all = (const struct parts *)context;
    const struct partition_sort *s = (const struct partition_sort *)all->work;
    BY_WIDTHS(made_move, s, part_first(all, p), part_first(all, p + 1), all->count[p]);
}

static void sort_digit(const void *context, uint64_t digit)
{
    const struct parts *all = (const struct parts *)context;
    const struct partition_sort *s = (const struct partition_sort *)all->work;
    const uint64_t *const ends = all->count[all->parts - 1]; /* the ends of each digit's items */
    range_sort(s, digit_below(s, s->top).shift, digit ? ends[digit - 1] : 0, ends[digit]);
}

void partition_host_sort(const struct backend *b, const struct partition_sort *s)
{
    const struct parts all = {s, (digit_places *)s->scratch, s->n, parts_of(b, s->n)};
    host_run(b->threads, all.parts, sort_count, &all);
    (void)places_from_counts(all.count, all.parts, all.n);
    host_run(b->threads, all.parts, sort_move, &all);
    host_run((int)all.parts, DIGITS, sort_digit, &all);
}

/* ---- A pass backwards, on the host ---------------------------------------------------------- */

uint64_t partition_replay_words(uint64_t n) { return (uint64_t)partition_chunks(n) * PARTITION_DIGITS; }

static void replay_count(const void *replay, uint64_t group)
{
    uint32_t count[PARTITION_GROUP * PARTITION_DIGITS];
    partition_count(tile_make(1), (const struct partition_replay *)replay, (uint32_t)group, count);
}

static void replay_back(const void *replay, uint64_t chunk)
{
    struct partition_scratch scratch;
    partition_back(tile_make(1), (const struct partition_replay *)replay, (uint32_t)chunk, &scratch);
}

static void replay_host(const struct backend *b, const struct partition_replay *r)
{
    uint32_t before = 0;
    host_run(b->threads, r->chunks / PARTITION_GROUP, replay_count, r);
    for (uint64_t i = 0; i < partition_replay_words(r->n); i++) {
        const uint32_t here = r->places[i];
        r->places[i] = before;
        before += here;
    }
    host_run(b->threads, r->chunks, replay_back, r);
}

/* ---- Either machine ------------------------------------------------------------------------- */

bool partition_makes_keys(const struct backend *b) { return b->ordinal < 0; }

#if defined(ROOST_WITH_CUDA)
static roost_status cuda_partitioned(struct backend *b, const char *failure)
{
    return failure ? error_set(b->error, ROOST_ERR_DEVICE, "partitioning a batch: %s", failure) : ROOST_OK;
}
#endif

roost_status partition_scratch(struct backend *b, const struct partition_pass *pass, size_t *bytes)
{
#if defined(ROOST_WITH_CUDA)
    if (b->ordinal >= 0) return cuda_partitioned(b, partition_cuda(pass, NULL, bytes, NULL));
#endif
    *bytes = partition_host_scratch(b, pass->n);
    return ROOST_OK;
}

roost_status partition_run(struct backend *b, const struct partition_pass *pass)
{
#if defined(ROOST_WITH_CUDA)
    size_t bytes = pass->scratch_bytes;
    if (b->ordinal >= 0) return cuda_partitioned(b, partition_cuda(pass, pass->scratch, &bytes, b->stream));
#endif
    const roost_status status = b->operations->wait(b); /* the host sorts now, not in a queue */
    if (status) return status;
    if (partition_host(b, pass)) return ROOST_OK;
    memcpy(pass->keys_out, pass->keys, pass->n * (unsigned)pass->key_bytes);
    if (pass->payload_bytes) memcpy(pass->payload_out, pass->payload, pass->n * (unsigned)pass->payload_bytes);
    return ROOST_OK;
}

#if defined(ROOST_WITH_CUDA)
/* A pass over items that are all 0: more than CUB sorts by another kernel, of one block.  Its
 * memory is none of the table's.  Where it is refused, the first real pass loads the kernels. */
static roost_status prepare_cuda(struct backend *b, struct partition_pass *pass)
{
    const struct error_mark before = error_keep(b->error);
    const size_t keys = pass->n * (unsigned)pass->key_bytes, payload = pass->n * (unsigned)pass->payload_bytes;
    const size_t bytes[] = {keys, keys, payload, payload, pass->scratch_bytes};
    const size_t all = backend_arrays_bytes(bytes, 5);
    void *memory, *at[5];
    if (b->operations->allocate(b, all, &memory)) {
        error_restore(&before);
        return ROOST_OK;
    }
    backend_arrays_place(memory, bytes, 5, at);
    pass->keys = at[0], pass->keys_out = at[1];
    pass->payload = at[2], pass->payload_out = at[3];
    pass->scratch = at[4];
    roost_status status = b->operations->fill(b, memory, 0, all);
    if (!status) status = partition_run(b, pass);
    b->operations->release(b, memory, all);
    return status;
}
#endif

roost_status partition_prepare(struct backend *b, int key_bytes, int payload_bytes)
{
#if defined(ROOST_WITH_CUDA)
    struct partition_pass pass = {.key_bytes = key_bytes, .payload_bytes = payload_bytes, .bits = PARTITION_DIGIT, .n = 1 << 13};
    roost_status status = b->ordinal >= 0 ? partition_scratch(b, &pass, &pass.scratch_bytes) : ROOST_OK;
    return status || b->ordinal < 0 ? status : prepare_cuda(b, &pass);
#else
    (void)b, (void)key_bytes, (void)payload_bytes;
    return ROOST_OK;
#endif
}

roost_status partition_replay_scratch(struct backend *b, uint64_t n, size_t *bytes)
{
    *bytes = 0;
#if defined(ROOST_WITH_CUDA)
    const struct partition_replay replay = {.n = n, .chunks = partition_chunks(n)};
    if (b->ordinal >= 0) return cuda_partitioned(b, partition_replay_cuda(&replay, NULL, bytes, NULL));
#endif
    (void)b, (void)n;
    return ROOST_OK;
}

roost_status partition_replay_run(struct backend *b, struct partition_replay *replay, void *scratch, size_t bytes)
{
    replay->chunks = partition_chunks(replay->n);
#if defined(ROOST_WITH_CUDA)
    if (b->ordinal >= 0) return cuda_partitioned(b, partition_replay_cuda(replay, scratch, &bytes, b->stream));
#endif
    (void)scratch, (void)bytes;
    const roost_status status = b->operations->wait(b);
    if (!status) replay_host(b, replay);
    return status;
}
