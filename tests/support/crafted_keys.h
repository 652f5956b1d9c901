/* Sets of keys that somebody chose: for a seed that is known, by the hashes that the engines use,
 * or without a seed, by their structure. */
#ifndef ROOST_TESTS_CRAFTED_KEYS_H
#define ROOST_TESTS_CRAFTED_KEYS_H

#include "support/shapes.h"

enum crafted_kind {
    CRAFTED_HASHES,      /* keys whose hashes share bits */
    CRAFTED_RANDOM,      /* scattered keys */
    CRAFTED_PROGRESSION, /* multiples of 2^shift */
    CRAFTED_REVERSED,    /* counters with their bits in reverse */
    CRAFTED_SPARSE,      /* few bits set */
    CRAFTED_KINDS
};

struct crafted_set {
    enum crafted_kind kind;
    uint64_t seed;      /* HASHES: of the table */
    unsigned key_bytes; /* above 8: keys of bytes, laid out as pack_keys does */
    bool narrow;        /* HASHES: keys of 4 bytes have a hash of 4 bytes */
    unsigned top;       /* bits that hashes share: of a bucket, cell, list or group */
    unsigned skip;      /* bits before these that differ: the keys lie in 2^skip buckets */
    /* the first bits that second hashes share: dycuckoo's other home, the step of stadium's ways */
    unsigned second;
    bool pair;      /* dycuckoo's subtables are the same two of five */
    unsigned low;   /* the last bits that hashes share */
    unsigned shift; /* PROGRESSION */
};

/* Drops bits that hashes share, until n keys are there and can be found with a few million tries.
 * */
void crafted_fit(struct crafted_set *set, size_t n);

/* n different keys, which the caller frees.  Precondition: crafted_fit changes nothing. */
uint64_t *crafted_keys(const struct crafted_set *set, size_t n);

/* Do this engine's keys of 4 bytes have a hash of 4 bytes?  Others have one of 8. */
bool crafted_is_narrow(const char *engine);

#endif
