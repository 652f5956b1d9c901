// libcuckoo behind the interface of peers.h: a cuckoo table of four slots a bucket under locks
// (Li et al., EuroSys 2014), with its own defaults.
#include "peers.h"

#include <libcuckoo/cuckoohash_map.hh>

#include <new>
#include <string>
#include <vector>

typedef libcuckoo::cuckoohash_map<uint32_t, uint32_t> peer_map;
typedef libcuckoo::cuckoohash_map<std::string, uint64_t> peer_string_map;

struct peer {
    peer_map map;
    explicit peer(size_t reserve) : map(reserve) {}
};

struct peer_strings {
    peer_string_map map;
    explicit peer_strings(size_t reserve) : map(reserve) {}
};

struct peer_keys {
    std::vector<std::string> keys;
};

// A bucket of four slots holds four pairs, four partial keys of a byte and four flags of a byte.
template <class map> static uint64_t map_bytes(const map &m)
{
    const size_t slots = libcuckoo::DEFAULT_SLOT_PER_BUCKET;
    return m.bucket_count() * (slots * (sizeof(typename map::value_type) + 2));
}

template <class map, class keys, class value>
static int map_insert(map &m, const keys &k, const value *values, size_t n, int threads)
{
    int failed = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : failed)
    for (size_t i = 0; i < n; i++) {
        try {
            m.insert_or_assign(k[i], values[i]);
        } catch (const std::exception &) {
            failed = 1;
        }
    }
    return failed;
}

template <class map, class keys, class value>
static void map_find(const map &m, const keys &k, value *values, size_t n, uint8_t *found, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++) found[i] = m.find(k[i], values[i]);
}

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

static double load_factor(const struct peer *peer) { return peer->map.load_factor(); }

static uint64_t bytes(const struct peer *peer) { return map_bytes(peer->map); }

static int insert(struct peer *peer, const uint32_t *keys, const uint32_t *values, size_t n, int threads)
{
    return map_insert(peer->map, keys, values, n, threads);
}

static void find(const struct peer *peer, const uint32_t *keys, size_t n, uint32_t *values, uint8_t *found, int threads)
{
    map_find(peer->map, keys, values, n, found, threads);
}

const struct peer_library peer_libcuckoo = {false, create, destroy, count, load_factor, bytes, insert, find};

struct peer_keys *peer_keys_make(const uint64_t *offsets, const char *bytes, size_t n)
{
    struct peer_keys *made = nullptr;
    try {
        made = new peer_keys;
        made->keys.reserve(n);
        for (size_t i = 0; i < n; i++) made->keys.emplace_back(bytes + offsets[i], offsets[i + 1] - offsets[i]);
        return made;
    } catch (const std::bad_alloc &) {
        delete made;
        return nullptr;
    }
}

void peer_keys_free(struct peer_keys *keys) { delete keys; }

struct peer_strings *peer_strings_create(uint64_t reserve)
{
    try {
        return new peer_strings(reserve);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void peer_strings_destroy(struct peer_strings *peer) { delete peer; }

double peer_strings_load_factor(const struct peer_strings *peer) { return peer->map.load_factor(); }

uint64_t peer_strings_bytes(const struct peer_strings *peer) { return map_bytes(peer->map); }

int peer_strings_insert(struct peer_strings *peer, const struct peer_keys *keys, const uint64_t *values, int threads)
{
    return map_insert(peer->map, keys->keys, values, keys->keys.size(), threads);
}

void peer_strings_find(const struct peer_strings *peer, const struct peer_keys *keys, uint64_t *values, uint8_t *found, int threads)
{
    map_find(peer->map, keys->keys, values, keys->keys.size(), found, threads);
}
