/* Tables of other libraries on the host, from Debian's packages, each behind this interface in a file of its own, as a user of it would write the work:
 * an insert or assign for each key, a find for each, the batch split evenly over the threads.  Keys and values have 4 bytes. */
#ifndef ROOST_BENCH_PEERS_H
#define ROOST_BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct peer;

struct peer_library {
    bool one_writer;                          /* inserts are by one thread */
    struct peer *(*create)(uint64_t reserve); /* with room for so many keys; NULL: memory is refused */
    void (*destroy)(struct peer *peer);       /* NULL is allowed */
    uint64_t (*count)(const struct peer *peer);
    double (*load_factor)(const struct peer *peer); /* keys by buckets or slots */
    uint64_t (*bytes)(const struct peer *peer);     /* of it all, as far as it is known how it lays its keys out */
    int (*insert)(struct peer *peer, const uint32_t *keys, const uint32_t *values, size_t n, int threads); /* 0 is success */
    void (*find)(const struct peer *peer, const uint32_t *keys, size_t n, uint32_t *values, uint8_t *found, int threads);
};

extern const struct peer_library peer_libcuckoo, peer_tbb, peer_urcu, peer_ck;

/* The hash of those that leave it to their user. */
static inline uint32_t peer_hash(uint32_t key)
{
    key = (key ^ key >> 16) * 0x85ebca6bu;
    key = (key ^ key >> 13) * 0xc2b2ae35u;
    return key ^ key >> 16;
}

/* libcuckoo with keys of std::string, which are made beforehand. */
struct peer_strings;
struct peer_keys;

struct peer_keys *peer_keys_make(const uint64_t *offsets, const char *bytes, size_t n); /* NULL when memory is refused */
void peer_keys_free(struct peer_keys *keys);
struct peer_strings *peer_strings_create(uint64_t reserve);
void peer_strings_destroy(struct peer_strings *peer);
double peer_strings_load_factor(const struct peer_strings *peer);
uint64_t peer_strings_bytes(const struct peer_strings *peer); /* of its buckets; longer strings lie elsewhere */
int peer_strings_insert(struct peer_strings *peer, const struct peer_keys *keys, const uint64_t *values, int threads);
void peer_strings_find(const struct peer_strings *peer, const struct peer_keys *keys, uint64_t *values, uint8_t *found,
                       int threads);

#ifdef __cplusplus
}
#endif
#endif
