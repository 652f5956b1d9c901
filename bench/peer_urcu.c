/* userspace-rcu's lock-free table (rculfhash) behind the interface of peers.h: a list ordered by
 * split hashes, with buckets that grow by themselves. */
#include "peers.h"

#include <stdlib.h>
#include <urcu.h>
#include <urcu/rculfhash.h>

struct peer {
    struct cds_lfht *table;
    uint64_t buckets;
};

struct pair {
    struct cds_lfht_node node;
    uint32_t key, value;
};

static struct pair *pair_of(struct cds_lfht_node *node) { return caa_container_of(node, struct pair, node); }

static int has_key(struct cds_lfht_node *node, const void *key) { return pair_of(node)->key == *(const uint32_t *)key; }

static uint64_t power_of_two_from(uint64_t n)
{
    uint64_t power = 1;
    while (power < n) power *= 2;
    return power;
}

static struct peer *create(uint64_t reserve)
{
    struct peer *peer = malloc(sizeof *peer);
    if (!peer) return NULL;
    peer->buckets = power_of_two_from(reserve);
    peer->table = cds_lfht_new(peer->buckets, 1, 0, CDS_LFHT_AUTO_RESIZE | CDS_LFHT_ACCOUNTING, NULL);
    if (peer->table) return peer;
    free(peer);
    return NULL;
}

/* The table must be empty before it is destroyed. No other thread uses it, so nodes are freed at
 * once. */
static void destroy(struct peer *peer)
{
    struct cds_lfht_iter iter;
    if (!peer) return;
    rcu_register_thread();
    rcu_read_lock();
    for (cds_lfht_first(peer->table, &iter); cds_lfht_iter_get_node(&iter);) {
        struct cds_lfht_node *node = cds_lfht_iter_get_node(&iter);
        cds_lfht_next(peer->table, &iter);
        (void)cds_lfht_del(peer->table, node);
        free(pair_of(node));
    }
    rcu_read_unlock();
    rcu_unregister_thread();
    (void)cds_lfht_destroy(peer->table, NULL);
    free(peer);
}

static uint64_t count(const struct peer *peer)
{
    long before, after;
    unsigned long nodes;
    rcu_register_thread();
    rcu_read_lock();
    cds_lfht_count_nodes(peer->table, &before, &nodes, &after);
    rcu_read_unlock();
    rcu_unregister_thread();
    return nodes;
}

static double load_factor(const struct peer *peer) { return (double)count(peer) / (double)peer->buckets; }

/* A bucket is a node of the list. The allocator rounds a pair's node up. */
static uint64_t bytes(const struct peer *peer) { return peer->buckets * sizeof(struct cds_lfht_node) + 32 * count(peer); }

/* Assigns the value to the key's node, whichever thread added the node. */
static int put(struct cds_lfht *table, uint32_t key, uint32_t value)
{
    struct pair *mine = malloc(sizeof *mine);
    if (!mine) return 1;
    cds_lfht_node_init(&mine->node);
    mine->key = key;
    mine->value = value;
    struct cds_lfht_node *there = cds_lfht_add_unique(table, peer_hash(key), has_key, &key, &mine->node);
    if (there == &mine->node) return 0;
    __atomic_store_n(&pair_of(there)->value, value, __ATOMIC_RELAXED);
    free(mine);
    return 0;
}

static int insert(struct peer *peer, const uint32_t *keys, const uint32_t *values, size_t n, int threads)
{
    int failed = 0;
#pragma omp parallel num_threads(threads) reduction(| : failed)
    {
        rcu_register_thread();
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++) {
            rcu_read_lock();
            failed |= put(peer->table, keys[i], values[i]);
            rcu_read_unlock();
        }
        rcu_unregister_thread();
    }
    return failed;
}

static void find(const struct peer *peer, const uint32_t *keys, size_t n, uint32_t *values, uint8_t *found, int threads)
{
#pragma omp parallel num_threads(threads)
    {
        rcu_register_thread();
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++) {
            struct cds_lfht_iter iter;
            rcu_read_lock();
            cds_lfht_lookup(peer->table, peer_hash(keys[i]), has_key, &keys[i], &iter);
            struct cds_lfht_node *node = cds_lfht_iter_get_node(&iter);
            found[i] = node != NULL;
            if (node) values[i] = __atomic_load_n(&pair_of(node)->value, __ATOMIC_RELAXED);
            rcu_read_unlock();
        }
        rcu_unregister_thread();
    }
}

const struct peer_library peer_urcu = {false, create, destroy, count, load_factor, bytes, insert, find};
