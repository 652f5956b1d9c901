/* Checks the table's answers one by one against a sorted array. */
#include "cli/replay_reference.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

static uint64_t head_of(struct key_bytes key)
{
    uint8_t bytes[8] = {0};
    uint64_t head = 0;
    if (key.length >= sizeof bytes) memcpy(bytes, key.at, sizeof bytes);
    else if (key.length > 0) memcpy(bytes, key.at, key.length);
    for (size_t i = 0; i < sizeof bytes; i++) head = head << 8 | bytes[i];
    return head;
}

/* Compares keys of equal heads. */
static int compare_tails(struct key_bytes x, struct key_bytes y)
{
    if (x.length <= 8 && y.length <= 8) return (x.length > y.length) - (x.length < y.length);
    return key_bytes_compare(x, y);
}

struct sorted_key {
    uint64_t head;
    struct key_bytes key;
};

static int compare_sorted(const void *a, const void *b)
{
    const struct sorted_key *x = (const struct sorted_key *)a, *y = (const struct sorted_key *)b;
    if (x->head != y->head) return x->head < y->head ? -1 : 1;
    return compare_tails(x->key, y->key);
}

/* Keys are searched for in the range of places of their heads.  The ranges divide the span from the
 * lowest head to the highest one, as keys often have their first bits in common.  A range has about
 * two keys on average.  There are two at least, so that the shift is below 64. */
static uint64_t ranges_of(const struct replay_reference *reference) { return reference->n / 2 + 2; }

static uint64_t range_of(const struct replay_reference *reference, uint64_t head)
{
    return (head - reference->heads[0]) >> reference->shift;
}

/* Fills first[r] with the first place of range r or of a later range. */
static void index_ranges(struct replay_reference *reference)
{
    const uint64_t ranges = ranges_of(reference);
    size_t place = 0;
    if (reference->n == 0) return;
    while (range_of(reference, reference->heads[reference->n - 1]) >= ranges) reference->shift++;
    for (uint64_t range = 0; range <= ranges; range++) {
        while (place < reference->n && range_of(reference, reference->heads[place]) < range) place++;
        reference->first[range] = place;
    }
}

/* Collects the distinct keys of the files, sorted. */
static bool gather_keys(struct replay_reference *reference)
{
    const struct workload *workload = reference->workload;
    const struct workload_keys all = {workload->keys.bytes, workload->keys.offsets, workload->n};
    struct sorted_key *sorted = (struct sorted_key *)calloc(workload->n + 1, sizeof *sorted);
    if (sorted == NULL) return false;
    for (size_t i = 0; i < workload->n; i++) {
        const struct key_bytes key = workload_key(workload, all, i);
        sorted[i] = (struct sorted_key){head_of(key), key};
    }
    qsort(sorted, workload->n, sizeof *sorted, compare_sorted);
    for (size_t i = 0; i < workload->n; i++)
        if (i == 0 || compare_sorted(&sorted[i], &sorted[reference->n - 1]) != 0) sorted[reference->n++] = sorted[i];
    reference->keys = (struct key_bytes *)calloc(reference->n + 1, sizeof *reference->keys);
    reference->heads = (uint64_t *)calloc(reference->n + 1, sizeof *reference->heads);
    reference->first = (size_t *)calloc(ranges_of(reference) + 1, sizeof *reference->first);
    const bool ok = reference->keys != NULL && reference->heads != NULL && reference->first != NULL;
    for (size_t i = 0; ok && i < reference->n; i++) {
        reference->keys[i] = sorted[i].key;
        reference->heads[i] = sorted[i].head;
    }
    if (ok) index_ranges(reference);
    free(sorted);
    return ok;
}

static size_t threads_of(int threads)
{
    const long processors = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? (size_t)processors : 1;
}

int replay_reference_make(struct replay_reference *reference, const struct workload *workload, int threads)
{
    memset(reference, 0, sizeof *reference);
    reference->workload = workload;
    reference->threads = threads_of(threads);
    reference->tails = workload->kind.bytes == 0 || workload->kind.bytes > 8;
    if (gather_keys(reference)) {
        reference->values = (uint32_t *)calloc(reference->n + 1, sizeof *reference->values);
        reference->stored = (uint8_t *)calloc(reference->n + 1, sizeof *reference->stored);
        reference->places = (size_t *)calloc(workload->batch + 1, sizeof *reference->places);
    }
    const bool ok = reference->values != NULL && reference->stored != NULL && reference->places != NULL;
    return ok ? 0 : command_fail("--verify: out of memory for %zu keys", workload->n);
}

void replay_reference_release(struct replay_reference *reference)
{
    free(reference->keys);
    free(reference->heads);
    free(reference->first);
    free(reference->places);
    free(reference->values);
    free(reference->stored);
    memset(reference, 0, sizeof *reference);
}

__attribute__((format(printf, 3, 4))) static bool wrong(struct replay_reference *reference, struct key_bytes key,
                                                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reference->wrong, sizeof reference->wrong, format, arguments);
    va_end(arguments);
    reference->wrong_key = key;
    return false;
}

/* A key, and where it is searched for: from first[0] to first[1].  `first` is NULL if no key of the
 * files can have its head. */
struct search {
    struct key_bytes key;
    uint64_t head;
    const size_t *first;
};

static struct search search_of(const struct replay_reference *reference, struct key_bytes key)
{
    struct search search = {key, head_of(key), NULL};
    if (reference->n > 0 && search.head >= reference->heads[0] && search.head <= reference->heads[reference->n - 1])
        search.first = reference->first + range_of(reference, search.head);
    return search;
}

/* The key's place in the arrays, or n if it is not in the files. */
static size_t search_place(const struct replay_reference *reference, const struct search *search)
{
    if (search->first == NULL) return reference->n;
    size_t low = search->first[0], high = search->first[1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const uint64_t here = reference->heads[middle];
        const int order = search->head != here ? (search->head < here ? -1 : 1)
                          : reference->tails   ? compare_tails(search->key, reference->keys[middle])
                                               : 0;
        if (order == 0) return middle;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return reference->n;
}

/* Keys whose searches wait for memory together. */
enum { KEYS_TOGETHER = 16 };

/* A search waits for memory twice: for the first place of the range, and for the heads there. */
static void find_places_together(struct replay_reference *reference, struct workload_keys keys, size_t begin, size_t end)
{
    struct search searches[KEYS_TOGETHER];
    for (size_t i = begin; i < end; i++) {
        searches[i - begin] = search_of(reference, workload_key(reference->workload, keys, i));
        if (searches[i - begin].first != NULL) __builtin_prefetch(searches[i - begin].first);
    }
    for (size_t i = begin; i < end; i++)
        if (searches[i - begin].first != NULL) __builtin_prefetch(reference->heads + *searches[i - begin].first);
    for (size_t i = begin; i < end; i++) reference->places[i] = search_place(reference, &searches[i - begin]);
}

/* Part of a batch's keys, which are searched for by a thread of their own: a thread costs less than
 * searches for a hundredth of PART_KEYS keys. */
enum { PARTS = 64, PART_KEYS = 1 << 15 };
struct part {
    struct replay_reference *reference;
    struct workload_keys keys;
    size_t begin, end; /* multiples of KEYS_TOGETHER, or the end of the keys */
    pthread_t thread;
    bool started;
};

static void *find_part(void *context)
{
    const struct part *p = (const struct part *)context;
    for (size_t i = p->begin; i < p->end; i += KEYS_TOGETHER)
        find_places_together(p->reference, p->keys, i, p->end - i < KEYS_TOGETHER ? p->end : i + KEYS_TOGETHER);
    return NULL;
}

/* Fills reference->places with the place of each item's key.  The threads end with it, so that
 * none waits beside the table's. */
static void find_places(struct replay_reference *reference, struct workload_keys keys)
{
    struct part parts[PARTS];
    const size_t most = reference->threads < PARTS ? reference->threads : PARTS, whole = keys.n / PART_KEYS + 1;
    const size_t n = whole < most ? whole : most, each = (keys.n / n / KEYS_TOGETHER + 1) * KEYS_TOGETHER;
    for (size_t i = 0; i < n; i++) {
        const size_t begin = i * each < keys.n ? i * each : keys.n, end = keys.n - begin < each ? keys.n : begin + each;
        parts[i] = (struct part){.reference = reference, .keys = keys, .begin = begin, .end = end};
        parts[i].started = i > 0 && pthread_create(&parts[i].thread, NULL, find_part, &parts[i]) == 0;
    }
    for (size_t i = 0; i < n; i++)
        if (!parts[i].started) find_part(&parts[i]);
    for (size_t i = 0; i < n; i++)
        if (parts[i].started) pthread_join(parts[i].thread, NULL);
}

static bool wrong_item(struct replay_reference *reference, struct workload_keys keys, size_t i, const char *operation,
                       uint8_t status, bool stored)
{
    return wrong(reference, workload_key(reference->workload, keys, i), "%s of a key that was %s answers '%s'", operation,
                 stored ? "stored" : "absent", roost_item_status_string((roost_item_status)status));
}

/* Of the items of a new key exactly one is INSERTED; the others of the batch are UPDATED. */
bool replay_reference_insert(struct replay_reference *reference, struct workload_keys keys, const uint32_t *values,
                             const uint8_t *statuses)
{
    find_places(reference, keys);
    for (size_t i = 0; i < keys.n; i++) {
        if (statuses[i] != ROOST_ITEM_INSERTED) continue;
        const size_t at = reference->places[i];
        if (reference->stored[at]) return wrong_item(reference, keys, i, "the insert", statuses[i], true);
        reference->stored[at] = 1;
        reference->count++;
    }
    for (size_t i = 0; i < keys.n; i++) {
        const size_t at = reference->places[i];
        if (!reference->stored[at] || (statuses[i] != ROOST_ITEM_INSERTED && statuses[i] != ROOST_ITEM_UPDATED))
            return wrong_item(reference, keys, i, "the insert", statuses[i], reference->stored[at]);
        reference->values[at] = values[i];
    }
    return true;
}

bool replay_reference_find(struct replay_reference *reference, struct workload_keys keys, const uint32_t *values,
                           const uint8_t *found, const uint8_t *statuses)
{
    find_places(reference, keys);
    for (size_t i = 0; i < keys.n; i++) {
        const size_t at = reference->places[i];
        const bool stored = reference->stored[at];
        if (statuses[i] != (stored ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT) || found[i] != stored)
            return wrong_item(reference, keys, i, "the find", statuses[i], stored);
        if (stored && values[i] != reference->values[at])
            return wrong(reference, workload_key(reference->workload, keys, i),
                         "the find gives the value %" PRIu32 ", and %" PRIu32 " was inserted last", values[i],
                         reference->values[at]);
    }
    return true;
}

/* Of the items of a stored key exactly one is ERASED; the others of the batch are ABSENT. */
bool replay_reference_erase(struct replay_reference *reference, struct workload_keys keys, const uint8_t *statuses)
{
    find_places(reference, keys);
    for (size_t i = 0; i < keys.n; i++) {
        if (statuses[i] != ROOST_ITEM_ERASED) continue;
        const size_t at = reference->places[i];
        if (!reference->stored[at]) return wrong_item(reference, keys, i, "the erase", statuses[i], false);
        reference->stored[at] = 0;
        reference->count--;
    }
    for (size_t i = 0; i < keys.n; i++) {
        const size_t at = reference->places[i];
        if (reference->stored[at] || (statuses[i] != ROOST_ITEM_ERASED && statuses[i] != ROOST_ITEM_ABSENT))
            return wrong_item(reference, keys, i, "the erase", statuses[i], reference->stored[at]);
    }
    return true;
}

bool replay_reference_exported(struct replay_reference *reference, struct key_bytes key, uint32_t value)
{
    const struct search search = search_of(reference, key);
    const size_t at = search_place(reference, &search);
    if (at == reference->n || !reference->stored[at])
        return wrong(reference, key, "the export returned it twice, or although it is not stored");
    if (value != reference->values[at])
        return wrong(reference, key, "the export returned the value %" PRIu32 ", and %" PRIu32 " was inserted last", value,
                     reference->values[at]);
    reference->stored[at] = 0; /* it must not be exported again */
    return true;
}

bool replay_reference_all_exported(struct replay_reference *reference)
{
    for (size_t i = 0; i < reference->n; i++)
        if (reference->stored[i]) return wrong(reference, reference->keys[i], "the export did not return it");
    return true;
}
