/* libcuckoo (Debian's libcuckoo-dev) behind a C interface, as a user of it would write the same work: std::hash, its own
 * defaults, insert_or_assign and find, the batch split evenly over the threads. */
#ifndef ROOST_BENCH_PEER_H
#define ROOST_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct peer;

struct peer *peer_create(uint64_t reserve); /* reserve: keys to make room for; NULL when memory is refused */
void peer_destroy(struct peer *peer);
uint64_t peer_count(const struct peer *peer);
double peer_load_factor(const struct peer *peer);
uint64_t peer_bytes(const struct peer *peer);
int peer_insert(struct peer *peer, const uint32_t *keys, const uint32_t *values, size_t n, int threads); /* 0 is success */
void peer_find(const struct peer *peer, const uint32_t *keys, size_t n, uint32_t *values, uint8_t *found, int threads);

/* The same with keys of std::string, which are made beforehand. */
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
