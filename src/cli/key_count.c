/* Keys in arrays and stores. */
#include "cli/key_count.h"

#include <stdlib.h>
#include <string.h>

uint64_t key_load(const void *items, size_t i, size_t bytes)
{
    if (bytes == 0) return 0;
    return bytes == 4 ? ((const uint32_t *)items)[i] : ((const uint64_t *)items)[i];
}

struct key_bytes key_bytes_at(const void *keys, size_t length, const uint64_t *offsets, size_t i)
{
    const uint8_t *bytes = (const uint8_t *)keys;
    if (offsets == NULL) return (struct key_bytes){bytes + i * length, length};
    return (struct key_bytes){bytes + offsets[i], (size_t)(offsets[i + 1] - offsets[i])};
}

int key_bytes_compare(struct key_bytes a, struct key_bytes b)
{
    const size_t both = a.length < b.length ? a.length : b.length;
    const int order = both > 0 ? memcmp(a.at, b.at, both) : 0;
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static bool make_room(struct key_store *store, size_t bytes)
{
    if (bytes <= store->room - store->used) return true;
    if (bytes > SIZE_MAX / 2 - store->used) return false;
    const size_t room = 2 * (store->used + bytes) < 65536 ? 65536 : 2 * (store->used + bytes);
    uint8_t *grown = (uint8_t *)realloc(store->bytes, room);
    if (grown == NULL) return false;
    store->bytes = grown;
    store->room = room;
    return true;
}

bool key_store_add(struct key_store *store, struct key_bytes key, uint64_t *place)
{
    if (key.length > SIZE_MAX / 4 || !make_room(store, sizeof key.length + key.length)) return false;
    uint8_t *to = store->bytes + store->used;
    memcpy(to, &key.length, sizeof key.length);
    if (key.length > 0) memcpy(to + sizeof key.length, key.at, key.length);
    *place = store->used;
    store->used += sizeof key.length + key.length;
    return true;
}

struct key_bytes key_store_get(const struct key_store *store, uint64_t place)
{
    struct key_bytes key = {store->bytes + place + sizeof key.length, 0};
    memcpy(&key.length, store->bytes + place, sizeof key.length);
    return key;
}

void key_store_release(struct key_store *store)
{
    free(store->bytes);
    memset(store, 0, sizeof *store);
}
