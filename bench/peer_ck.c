/* Concurrency Kit's ck_ht behind the interface of peers.h: open addressing for one writer and
 * many readers. */
#include "peers.h"

#include <ck_ht.h>
#include <stdlib.h>

struct peer {
    ck_ht_t table;
    uint64_t slots; /* slots at creation; the table grows by itself */
};

static void *take(size_t bytes) { return malloc(bytes); }

static void *take_more(void *memory, size_t before, size_t bytes, bool may_move)
{
    (void)before;
    return may_move ? realloc(memory, bytes) : NULL;
}

static void give(void *memory, size_t bytes, bool defer)
{
    (void)bytes, (void)defer; /* no reader runs while the table grows */
    free(memory);
}

static struct ck_malloc allocator = {.malloc = take, .realloc = take_more, .free = give};

/* The table marks slots by the keys 0 and ~0. */
static uintptr_t stored(uint32_t key) { return (uintptr_t)key + 1; }

static void hash_of(ck_ht_hash_t *hash, const void *key, size_t bytes, uint64_t seed)
{
    (void)bytes, (void)seed;
    const uint64_t x = *(const uintptr_t *)key;
    hash->value = ((uint64_t)peer_hash((uint32_t)x) << 32 | peer_hash((uint32_t)x ^ 0x9e3779b9u));
}

static struct peer *create(uint64_t reserve)
{
    struct peer *peer = malloc(sizeof *peer);
    if (!peer) return NULL;
    for (peer->slots = 8; peer->slots < reserve; peer->slots *= 2) {}
    if (ck_ht_init(&peer->table, CK_HT_MODE_DIRECT | CK_HT_WORKLOAD_DELETE, hash_of, &allocator, reserve, 1)) return peer;
    free(peer);
    return NULL;
}

static void destroy(struct peer *peer)
{
    if (!peer) return;
    ck_ht_destroy(&peer->table);
    free(peer);
}

static uint64_t count(const struct peer *peer) { return ck_ht_count((ck_ht_t *)(uintptr_t)&peer->table); }

static uint64_t slots_now(const struct peer *peer)
{
    struct ck_ht_stat stat;
    uint64_t slots = peer->slots;
    ck_ht_stat((ck_ht_t *)(uintptr_t)&peer->table, &stat);
    while (slots < stat.n_entries * 2) slots *= 2; /* the table is at most half full */
    return slots;
}

static double load_factor(const struct peer *peer) { return (double)count(peer) / (double)slots_now(peer); }

static uint64_t bytes(const struct peer *peer) { return slots_now(peer) * sizeof(ck_ht_entry_t); }

static int insert(struct peer *peer, const uint32_t *keys, const uint32_t *values, size_t n, int threads)
{
    int failed = 0;
    (void)threads;
    for (size_t i = 0; i < n; i++) {
        ck_ht_entry_t entry;
        ck_ht_hash_t hash;
        ck_ht_hash_direct(&hash, &peer->table, stored(keys[i]));
        ck_ht_entry_set_direct(&entry, hash, stored(keys[i]), values[i]);
        failed |= !ck_ht_set_spmc(&peer->table, hash, &entry);
    }
    return failed;
}

static void find(const struct peer *peer, const uint32_t *keys, size_t n, uint32_t *values, uint8_t *found, int threads)
{
    ck_ht_t *const table = (ck_ht_t *)(uintptr_t)&peer->table;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        ck_ht_entry_t entry;
        ck_ht_hash_t hash;
        ck_ht_hash_direct(&hash, table, stored(keys[i]));
        ck_ht_entry_key_set_direct(&entry, stored(keys[i]));
        found[i] = ck_ht_get_spmc(table, hash, &entry);
        if (found[i]) values[i] = (uint32_t)ck_ht_entry_value_direct(&entry);
    }
}

const struct peer_library peer_ck = {true, create, destroy, count, load_factor, bytes, insert, find};
