// oneTBB's concurrent_hash_map behind the interface of peers.h: chains under a lock each, with
// its own hash.
#include "peers.h"

#include <tbb/concurrent_hash_map.h>

#include <new>

typedef tbb::concurrent_hash_map<uint32_t, uint32_t> peer_map;

struct peer {
    peer_map map;
    explicit peer(size_t reserve) : map(reserve) {}
};

static struct peer *create(uint64_t reserve)
{
    try {
        return new peer(reserve);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

static void destroy(struct peer *peer) { delete peer; }

static uint64_t count(const struct peer *peer) { return peer->map.size(); }

static double load_factor(const struct peer *peer) { return (double)peer->map.size() / (double)peer->map.bucket_count(); }

// A bucket is a lock and a pointer. A node is a pointer, a lock and the pair; the allocator
// rounds it up.
static uint64_t bytes(const struct peer *peer) { return 16 * (uint64_t)peer->map.bucket_count() + 32 * (uint64_t)peer->map.size(); }

static int insert(struct peer *peer, const uint32_t *keys, const uint32_t *values, size_t n, int threads)
{
    int failed = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : failed)
    for (size_t i = 0; i < n; i++) {
        try {
            peer_map::accessor place;
            peer->map.insert(place, keys[i]);
            place->second = values[i];
        } catch (const std::exception &) {
            failed = 1;
        }
    }
    return failed;
}

static void find(const struct peer *peer, const uint32_t *keys, size_t n, uint32_t *values, uint8_t *found, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        peer_map::const_accessor place;
        found[i] = peer->map.find(place, keys[i]);
        if (found[i]) values[i] = place->second;
    }
}

const struct peer_library peer_tbb = {false, create, destroy, count, load_factor, bytes, insert, find};
