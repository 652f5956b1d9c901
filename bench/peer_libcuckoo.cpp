// libcuckoo behind the C interface of peer.h.
#include "peer.h"

#include <libcuckoo/cuckoohash_map.hh>

#include <new>

typedef libcuckoo::cuckoohash_map<uint32_t, uint32_t> peer_map;

struct peer {
    peer_map map;
    explicit peer(size_t reserve) : map(reserve) {}
};

struct peer *peer_create(uint64_t reserve)
{
    try {
        return new peer(reserve);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void peer_destroy(struct peer *peer)
{
    delete peer;
}

uint64_t peer_count(const struct peer *peer)
{
    return peer->map.size();
}

double peer_load_factor(const struct peer *peer)
{
    return peer->map.load_factor();
}

// A bucket of four slots holds four pairs, four partial keys of a byte and four flags of a byte.
uint64_t peer_bytes(const struct peer *peer)
{
    const size_t slots = libcuckoo::DEFAULT_SLOT_PER_BUCKET;
    return peer->map.bucket_count() * (slots * (sizeof(peer_map::value_type) + 2));
}

int peer_insert(struct peer *peer, const uint32_t *keys, const uint32_t *values, size_t n, int threads)
{
    int failed = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : failed)
    for (size_t i = 0; i < n; i++) {
        try {
            peer->map.insert_or_assign(keys[i], values[i]);
        } catch (const std::exception &) {
            failed = 1;
        }
    }
    return failed;
}

void peer_find(const struct peer *peer, const uint32_t *keys, size_t n, uint32_t *values, uint8_t *found, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++) found[i] = peer->map.find(keys[i], values[i]);
}
