/* An attack on a table: keys that somebody chose, how they come, and what they cost.  The search
 * for the worst ones varies its genes. */
#ifndef ROOST_TESTS_WORST_ATTACK_H
#define ROOST_TESTS_WORST_ATTACK_H

#include "support/crafted_keys.h"
#include "support/numbers.h"

/* X(name, values): a gene is a number below `values`.
 *   width      of shapes[]
 *   keys       steps of a quarter of an octave
 *   batch      the same; at least one in 64 of the keys
 *   mixed      random keys among them: none, 1/4, 1/2, 3/4
 *   capacity   growing tables: 1: made for the keys
 *   fill       upper bound: default, 0.5, 0.7, 0.8
 *   rounds     of erases and inserts
 *   left       the keys of this part of the table are left then: all of one in 2^left
 *   refill     with: 0: the same keys, 1: others of the set
 *   seed       the table's */
#define WORST_GENES(X)                                                                                                             \
    X(engine, 5)                                                                                                                   \
    X(width, 6)                                                                                                                    \
    X(kind, CRAFTED_KINDS)                                                                                                         \
    X(keys, 64)                                                                                                                    \
    X(batch, 64)                                                                                                                   \
    X(top, 33)                                                                                                                     \
    X(skip, 16)                                                                                                                    \
    X(second, 17)                                                                                                                  \
    X(pair, 2)                                                                                                                     \
    X(low, 33)                                                                                                                     \
    X(shift, 64)                                                                                                                   \
    X(mixed, 4)                                                                                                                    \
    X(growth, 2)                                                                                                                   \
    X(capacity, 2)                                                                                                                 \
    X(fill, 4)                                                                                                                     \
    X(rounds, 5)                                                                                                                   \
    X(left, 6)                                                                                                                     \
    X(refill, 2)                                                                                                                   \
    X(seed, 1024)

#define WORST_GENE_ENUM(name, values) GENE_##name,
enum { WORST_GENES(WORST_GENE_ENUM) GENES };

struct genes {
    unsigned gene[GENES];
};

/* X(name, bound, constant, of a key): what an attack may cost: the constants, and the bound times
 * what the same attack with random keys does.  In each of four rounds the keys that are left lie in
 * the first places of an export, which may take another seed. */
#define WORST_COSTS(X)                                                                                                             \
    X(slots, 2, 512, 0)                                                                                                            \
    X(table_bytes, 2, 8192, 0)                                                                                                     \
    X(bytes_peak, 2, 131072, 0)                                                                                                    \
    X(reads, 2, 4096, 4)                                                                                                           \
    X(found_reads, 2, 3072, 0)                                                                                                     \
    X(rehashed, 2, 4096, 4)                                                                                                        \
    X(parked, 2, 4096, 2)                                                                                                          \
    X(launches, 2, 256, 0)                                                                                                         \
    X(reseeds, 2, 5, 0)                                                                                                            \
    X(refused, 2, 0, 0.01)

#define WORST_COST_ENUM(name, bound, constant, of_a_key) COST_##name,
enum { WORST_COSTS(WORST_COST_ENUM) COSTS };

struct cost {
    double cost[COSTS];
    double seconds; /* of the processor; for the reader alone, since machines vary */
    size_t keys;
    char failure[256]; /* what went wrong; "": nothing */
};

extern const char *const worst_genes[GENES];
extern const unsigned worst_values[GENES];
extern const char *const worst_costs[COSTS];

/* Makes the attack, or (`random`) the same with random keys. */
struct cost attack_run(const struct genes *genes, bool random);

/* The largest cost as a share of what it may be: above 1 it is too much. *which: its number. */
double attack_score(const struct cost *attack, const struct cost *random, int *which);

/* Describes the attack in one line. */
void attack_print(const struct genes *genes);

#endif
