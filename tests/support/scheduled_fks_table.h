/* A small FKS table made by hand: one or two parts, a few buckets of a few lines each, and the
 * keys of its universe. */
#ifndef ROOST_TESTS_SCHEDULED_FKS_TABLE_H
#define ROOST_TESTS_SCHEDULED_FKS_TABLE_H

#include "support/scheduled_fks_kernels.h"
#include "support/scheduled_frame.h"

enum { SMALL_PARTS = 2, SMALL_BUCKETS = 3, SMALL_KEYS = 128, SMALL_PART_BYTES = 1 << 15, SMALL_LOCKS = 32 };

/* A key, and the two lines of a bucket where it may lie. The first key is the one whose bits
 * mean "vacant". */
struct small_key {
    roost_key key;
    uint64_t hash;
    uint32_t part, bucket;
    struct fks_lines l;
};

/* The stored pairs. */
struct small_state {
    bool stored[SMALL_KEYS];
    roost_value value[SMALL_KEYS];
    uint32_t line[SMALL_KEYS];
    uint32_t count[SMALL_PARTS][SMALL_BUCKETS];
    uint64_t main;
};

struct small_table {
    struct shape shape;
    struct fks_view view;
    struct fks_part parts[SMALL_PARTS];
    struct fks_entry directory[SMALL_PARTS][SMALL_BUCKETS];
    _Alignas(256) unsigned char lines[SMALL_PARTS][SMALL_PART_BYTES];
    _Alignas(256) unsigned char special[128];
    uint32_t locks[SMALL_LOCKS / 32];
    struct small_key key[SMALL_KEYS];
    roost_key keys_alone[SMALL_KEYS];
    int keys;
};

/* The number of taken slots of a line. */
int small_taken(struct small_table *t, const struct small_key *k, uint32_t line);

/* True if one more key would pass the limit of the bucket's keys. */
bool small_is_limited(const struct small_table *t, const struct small_key *k);

/* True if a pair in one of the key's lines can move to its other line. */
bool small_may_move(struct small_table *t, const struct small_key *k);

void small_make(struct small_table *t, struct dice *dice, struct shape shape);

/* A table has one bucket of three lines; `vacancies` gives the number of vacant slots of each line.
 * The table has these keys:
 *   0     the vacant key, stored or not
 *   1, 2  absent; the first line is 0, the second 1
 *   3     absent; the first line is 1, the second 0
 *   4     stored in line 1; its first line is 2
 *   5     stored in line 0; its second line is 1
 * Others are stored in their first line. */
struct small_crowd {
    int vacancies[3];
    bool has_special;
};
void small_make_crowd(struct small_table *t, struct dice *dice, struct shape shape, const struct small_crowd *crowd);

/* Checks invariants A to D and G, and that no lock is held. */
bool small_walk(struct small_table *t, struct small_state *state);

/* Hashes and lines, as the kernels compute them. */
uint64_t small_hash(const struct small_table *t, roost_key key);

#endif
