/* Checks the answers of a table one by one against a sorted array. */
#include "cli/replay_reference.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int replay_reference_make(struct replay_reference *reference, const struct workload *workload)
{
    memset(reference, 0, sizeof *reference);
    reference->workload = workload;
    const size_t n = workload->n > 0 ? workload->n : 1;
    if (n > SIZE_MAX / sizeof *reference->keys || (reference->keys = (uint64_t *)malloc(n * sizeof *reference->keys)) == NULL)
        return command_fail("--verify: out of memory for %zu keys", n);
    for (size_t i = 0; i < workload->n; i++) reference->keys[i] = workload_key(workload, workload->keys, i);
    qsort(reference->keys, workload->n, sizeof *reference->keys, compare_keys);
    for (size_t i = 0; i < workload->n; i++)
        if (i == 0 || reference->keys[i] != reference->keys[i - 1]) reference->keys[reference->n++] = reference->keys[i];
    reference->values = (uint32_t *)calloc(reference->n + 1, sizeof *reference->values);
    reference->stored = (uint8_t *)calloc(reference->n + 1, sizeof *reference->stored);
    return reference->values != NULL && reference->stored != NULL ? 0 : command_fail("--verify: out of memory for %zu keys", n);
}

void replay_reference_release(struct replay_reference *reference)
{
    free(reference->keys);
    free(reference->values);
    free(reference->stored);
    memset(reference, 0, sizeof *reference);
}

__attribute__((format(printf, 3, 4))) static bool wrong(struct replay_reference *reference, uint64_t key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reference->wrong, sizeof reference->wrong, format, arguments);
    va_end(arguments);
    reference->wrong_key = key;
    return false;
}

static bool wrong_status(struct replay_reference *reference, uint64_t key, const char *operation, uint8_t status, bool stored)
{
    return wrong(reference, key, "%s of a key that was %s answers '%s'", operation, stored ? "stored" : "absent",
                 roost_item_status_string((roost_item_status)status));
}

/* The key's place in the arrays; n if it is none of the files'. */
static size_t place_of(const struct replay_reference *reference, uint64_t key)
{
    const uint64_t *at = (const uint64_t *)bsearch(&key, reference->keys, reference->n, sizeof *reference->keys, compare_keys);
    return at != NULL ? (size_t)(at - reference->keys) : reference->n;
}

/* Item i of an operation: its key, and the place of that. */
static size_t item(const struct replay_reference *reference, struct workload_keys keys, size_t i, uint64_t *key)
{
    *key = workload_key(reference->workload, keys.keys, i);
    return place_of(reference, *key);
}

/* Of the items of a new key exactly one is INSERTED, all others of the batch are UPDATED. */
bool replay_reference_insert(struct replay_reference *reference, struct workload_keys keys, const uint32_t *values,
                             const uint8_t *statuses)
{
    uint64_t key;
    for (size_t i = 0; i < keys.n; i++) {
        if (statuses[i] != ROOST_ITEM_INSERTED) continue;
        const size_t at = item(reference, keys, i, &key);
        if (reference->stored[at]) return wrong_status(reference, key, "the insert", statuses[i], true);
        reference->stored[at] = 1;
        reference->count++;
    }
    for (size_t i = 0; i < keys.n; i++) {
        const size_t at = item(reference, keys, i, &key);
        if (!reference->stored[at] || (statuses[i] != ROOST_ITEM_INSERTED && statuses[i] != ROOST_ITEM_UPDATED))
            return wrong_status(reference, key, "the insert", statuses[i], reference->stored[at]);
        reference->values[at] = values[i];
    }
    return true;
}

bool replay_reference_find(struct replay_reference *reference, struct workload_keys keys, const uint32_t *values,
                           const uint8_t *found, const uint8_t *statuses)
{
    uint64_t key;
    for (size_t i = 0; i < keys.n; i++) {
        const size_t at = item(reference, keys, i, &key);
        const bool stored = reference->stored[at];
        if (statuses[i] != (stored ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT) || found[i] != stored)
            return wrong_status(reference, key, "the find", statuses[i], stored);
        if (stored && values[i] != reference->values[at])
            return wrong(reference, key, "the find gives the value %" PRIu32 ", and %" PRIu32 " was inserted last", values[i],
                         reference->values[at]);
    }
    return true;
}

/* Of the items of a stored key exactly one is ERASED; all others of the batch find it absent. */
bool replay_reference_erase(struct replay_reference *reference, struct workload_keys keys, const uint8_t *statuses)
{
    uint64_t key;
    for (size_t i = 0; i < keys.n; i++) {
        if (statuses[i] != ROOST_ITEM_ERASED) continue;
        const size_t at = item(reference, keys, i, &key);
        if (!reference->stored[at]) return wrong_status(reference, key, "the erase", statuses[i], false);
        reference->stored[at] = 0;
        reference->count--;
    }
    for (size_t i = 0; i < keys.n; i++) {
        const size_t at = item(reference, keys, i, &key);
        if (reference->stored[at] || (statuses[i] != ROOST_ITEM_ERASED && statuses[i] != ROOST_ITEM_ABSENT))
            return wrong_status(reference, key, "the erase", statuses[i], reference->stored[at]);
    }
    return true;
}

bool replay_reference_exported(struct replay_reference *reference, uint64_t key, uint32_t value)
{
    const size_t at = place_of(reference, key);
    if (at == reference->n || !reference->stored[at])
        return wrong(reference, key, "the export brings it (again), and it is not stored");
    if (value != reference->values[at])
        return wrong(reference, key, "the export gives the value %" PRIu32 ", and %" PRIu32 " was inserted last", value,
                     reference->values[at]);
    reference->stored[at] = 0; /* it must not come again */
    return true;
}

bool replay_reference_all_exported(struct replay_reference *reference)
{
    for (size_t i = 0; i < reference->n; i++)
        if (reference->stored[i]) return wrong(reference, reference->keys[i], "the export lacks it");
    return true;
}
