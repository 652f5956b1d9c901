/* Rows of other libraries' tables on the host (peers.h), on the keys of Roost's rows. */
#ifndef ROOST_BENCH_PEER_ROWS_H
#define ROOST_BENCH_PEER_ROWS_H

#include "bench.h"
#include "peers.h"

/* A library that rows are of; NULL: it was not found when this was built. */
struct peer_entry {
    const char *name, *package;
    const struct peer_library *library;
};
enum { PEERS = 4 };
extern const struct peer_entry peers[PEERS];

/* Rates by which rows of different groups are compared; 0 where a row was not measured. */
struct rates {
    double insert, find[TABLE_FIND_LEVELS];
};

uint64_t host_cache_bytes(void);

/* Are rows of this library with so many threads asked for? */
bool peer_wanted(const struct options *o, const struct peer_entry *peer, int threads);

/* Reserved to n, with rows whose names begin with the group's. */
struct rates peer_rates_of(const struct options *o, const struct peer_entry *peer, struct arrays *a, int threads,
                           const char *group);

/* Reserved to n and, since that may leave it nearly full, reserved to n / load: the faster of the two counts, row by row. */
struct rates peer_rates(const struct options *o, const struct peer_entry *peer, struct arrays *a, int threads);

#endif
