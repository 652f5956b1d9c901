/* Tables of other libraries on the host, from Debian's packages. Each is behind this interface
 * in a file of its own, written as a user of the library would: an insert or assign for each
 * key, a find for each, and the batch split evenly over the threads. Keys and values have 4
 * bytes. */
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
    bool one_writer; /* one thread inserts */
    /* table with room for `reserve` keys; NULL: memory is refused */
    struct peer *(*create)(uint64_t reserve);
    void (*destroy)(struct peer *peer); /* NULL is allowed */
    uint64_t (*count)(const struct peer *peer);
    double (*load_factor)(const struct peer *peer); /* keys over buckets or slots */
    /* total size, as far as the library's layout is known */
    uint64_t (*bytes)(const struct peer *peer);
    /* Returns 0 on success. */
    int (*insert)(struct peer *peer, const uint32_t *keys, const uint32_t *values, size_t n, int threads);
    void (*find)(const struct peer *peer, const uint32_t *keys, size_t n, uint32_t *values, uint8_t *found, int threads);
};

extern const struct peer_library peer_libcuckoo, peer_tbb, peer_urcu, peer_ck;

/* The hash for libraries that leave it to their user. */
static inline uint32_t peer_hash(uint32_t key)
{
    key = (key ^ key >> 16) * 0x85ebca6bu;
    key = (key ^ key >> 13) * 0xc2b2ae35u;
    return key ^ key >> 16;
}

/* libcuckoo with keys of std::string, which are made beforehand. */
struct peer_strings;
struct peer_keys;

/* NULL if memory is refused. */
struct peer_keys *peer_keys_make(const uint64_t *offsets, const char *bytes, size_t n);
void peer_keys_free(struct peer_keys *keys);
struct peer_strings *peer_strings_create(uint64_t reserve);
void peer_strings_destroy(struct peer_strings *peer);
double peer_strings_load_factor(const struct peer_strings *peer);
/* Bytes of its buckets; longer strings lie elsewhere. */
uint64_t peer_strings_bytes(const struct peer_strings *peer);
int peer_strings_insert(struct peer_strings *peer, const struct peer_keys *keys, const uint64_t *values, int threads);
void peer_strings_find(const struct peer_strings *peer, const struct peer_keys *keys, uint64_t *values, uint8_t *found,
                       int threads);

#ifdef __cplusplus
}
#endif
#endif
