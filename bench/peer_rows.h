/* Rows of other libraries' tables on the host (peers.h), on the keys of Roost's rows. */
#ifndef ROOST_BENCH_PEER_ROWS_H
#define ROOST_BENCH_PEER_ROWS_H

#include "bench.h"
#include "peers.h"

/* A library with rows; `library` is NULL if the build did not find it. */
struct peer_entry {
    const char *name, *package;
    const struct peer_library *library;
};
enum { PEERS = 4 };
extern const struct peer_entry peers[PEERS];

/* Rates for comparisons between rows of different groups; 0 if a row was not measured. */
struct rates {
    double insert, find[TABLE_FIND_LEVELS];
};

uint64_t host_cache_bytes(void);

/* True if rows of this library with this number of threads are selected. */
bool peer_wanted(const struct options *o, const struct peer_entry *peer, int threads);

/* Reserves to n; the rows' names begin with the group's. */
struct rates peer_rates_of(const struct options *o, const struct peer_entry *peer, struct arrays *a, int threads,
                           const char *group);

/* Reserves to n and, since that may leave the table nearly full, to n / load; in each row the
 * faster of the two counts. */
struct rates peer_rates(const struct options *o, const struct peer_entry *peer, struct arrays *a, int threads);

#endif
