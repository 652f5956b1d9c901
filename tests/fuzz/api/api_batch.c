/* A call's items in the fuzzer of the API, and its arrays. */
#include "fuzz/api/api_batch.h"

#include "support/draw.h"

#include <stdlib.h>
#include <string.h>

void *api_memory(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) abort();
    return memory;
}

static void *unwritten(size_t bytes) { return memset(api_memory(bytes), UNWRITTEN, bytes); }

void batch_make(struct api_batch *batch, const struct coding *coding, size_t n)
{
    const size_t value_bytes = coding->shape.value_bytes;
    *batch = (struct api_batch){.coding = coding, .n = n};
    batch->ids = api_memory(n * sizeof *batch->ids);
    batch->values = api_memory(n * sizeof *batch->values);
    batch->operations = memset(api_memory(n), 0, n);
    batch->statuses = unwritten(n);
    batch->found = unwritten(n);
    batch->counts = unwritten(n * sizeof *batch->counts);
    if (!value_bytes) return;
    batch->values_in = api_memory(n * value_bytes);
    batch->values_out = unwritten(n * value_bytes);
}

static void offset_write(struct api_batch *batch, size_t i, uint64_t offset)
{
    if (batch->strings.offset_bytes == 8) ((uint64_t *)batch->offsets)[i] = offset;
    else ((uint32_t *)batch->offsets)[i] = (uint32_t)offset;
}

static void strings_encode(struct api_batch *batch, int offset_bytes)
{
    uint64_t at = 0;
    batch->offsets = api_memory((batch->n + 1) * (size_t)offset_bytes);
    batch->strings = (roost_strings){.size = sizeof batch->strings, .offsets = batch->offsets, .offset_bytes = offset_bytes};
    for (size_t i = 0; i < batch->n; at += coding_key_bytes(batch->coding, batch->ids[i]), i++) offset_write(batch, i, at);
    offset_write(batch, batch->n, at);
    batch->keys = api_memory(at);
    batch->strings.bytes = batch->keys;
    for (size_t i = 0, to = 0; i < batch->n; to += coding_key_bytes(batch->coding, batch->ids[i]), i++)
        coding_key(batch->coding, batch->ids[i], batch->keys + to);
}

static void keys_encode(struct api_batch *batch)
{
    const size_t bytes = batch->coding->shape.key_bytes;
    batch->lead = bytes == 4 || bytes == 8 ? 0 : 1;
    batch->keys = (unsigned char *)api_memory(batch->lead + batch->n * bytes) + batch->lead;
    for (size_t i = 0; i < batch->n; i++) coding_key(batch->coding, batch->ids[i], batch->keys + i * bytes);
}

void batch_encode(struct api_batch *batch, int offset_bytes)
{
    if (shape_has_strings(&batch->coding->shape)) strings_encode(batch, offset_bytes);
    else keys_encode(batch);
    for (size_t i = 0; batch->values_in && i < batch->n; i++) coding_value(batch->coding, batch->values[i], batch->values_in, i);
}

void batch_free(struct api_batch *batch)
{
    if (batch->keys) free(batch->keys - batch->lead);
    free(batch->ids);
    free(batch->values);
    free(batch->operations);
    free(batch->values_in);
    free(batch->values_out);
    free(batch->statuses);
    free(batch->found);
    free(batch->counts);
    free(batch->offsets);
}

/* ---- Values that a find wrote ---------------------------------------------------------------- */

bool batch_value_out(const struct api_batch *batch, size_t i, uint64_t *number)
{
    return coding_number(batch->coding, batch->values_out, i, number);
}

static bool is_filled(const struct api_batch *batch, size_t i, unsigned char byte)
{
    const size_t bytes = batch->coding->shape.value_bytes;
    for (size_t k = 0; k < bytes; k++)
        if (batch->values_out[i * bytes + k] != byte) return false;
    return true;
}

bool batch_is_unwritten(const struct api_batch *batch, size_t i) { return is_filled(batch, i, UNWRITTEN); }
bool batch_is_zero(const struct api_batch *batch, size_t i) { return is_filled(batch, i, 0); }

/* ---- Groups ---------------------------------------------------------------------------------- */

/* The place of a key's group's number + 1 in an index of `mask + 1` places. */
static uint32_t *group_place(const struct api_groups *groups, uint32_t *index, uint64_t mask, uint64_t id)
{
    uint64_t place = mix64(id) & mask;
    while (index[place] && groups->groups[index[place] - 1].id != id) place = (place + 1) & mask;
    return &index[place];
}

static void group_extend(struct api_groups *groups, uint32_t *place, uint64_t id, uint32_t item)
{
    groups->next[item] = UINT32_MAX;
    if (!*place) {
        groups->groups[groups->n++] = (struct api_group){id, item, item, 1};
        *place = (uint32_t)groups->n;
        return;
    }
    struct api_group *group = &groups->groups[*place - 1];
    groups->next[group->last] = item;
    group->last = item;
    group->items++;
}

void groups_make(struct api_groups *groups, const struct api_batch *batch)
{
    uint64_t room = 2;
    while (room < 2 * batch->n) room *= 2;
    uint32_t *index = memset(api_memory(room * sizeof *index), 0, room * sizeof *index);
    groups->n = 0;
    groups->groups = api_memory(batch->n * sizeof *groups->groups);
    groups->next = api_memory(batch->n * sizeof *groups->next);
    for (size_t i = 0; i < batch->n; i++)
        group_extend(groups, group_place(groups, index, room - 1, batch->ids[i]), batch->ids[i], (uint32_t)i);
    free(index);
}

void groups_free(struct api_groups *groups)
{
    free(groups->groups);
    free(groups->next);
}
