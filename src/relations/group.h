/* Groups as their files share them. */
#ifndef ROOST_RELATIONS_GROUP_H
#define ROOST_RELATIONS_GROUP_H

#include "relations/arena.h"
#include "relations/work.h"

/* An array with a place for each group. */
struct state {
    void *at;
    int bytes;     /* of a group, which begins with 0 */
    uint64_t room; /* groups */
};

enum { WORDS_MOST = 3 * ROOST_GROUP_VALUES_MOST, NO_WORD = -1 };

/* Words of each group, side by side: a row needs all those of its group, mostly a line or two. */
struct records {
    uint64_t *at;
    int words;
    uint64_t fill[WORDS_MOST]; /* what each word begins with */
    uint64_t room, filled;     /* groups */
};

/* Strings by number, in host memory. */
struct strings {
    char *bytes;
    uint64_t used, room;
    uint64_t *end; /* of each; that of the one before is where it begins */
    uint64_t n, ends_room;
};
void strings_release(struct strings *s);

struct key {
    int bytes; /* 0: strings */
    struct state *items, *nulls;
    struct strings strings;
};

struct aggregate {
    roost_aggregate_kind kind;
    int column;            /* -1: none */
    roost_type type, wide; /* of the column; as its states have it: U64, I64 or F64 */
    /* SUM, MEAN: the sum, of integers its low and high halves.  SMALLEST, LARGEST: the item.
     * FIRST, ANY: the row, and its item.  Else a count. */
    int word[2];         /* in the records, or NO_WORD */
    int items;           /* a word: how many are not NULL */
    struct state *nulls; /* whether the item of the row is */
    struct coder coder;  /* COUNT_DISTINCT: of the items, */
    roost_table *pairs;  /* and the pairs of a group and an item */
};

static inline bool aggregate_sums(const struct aggregate *a) { return a->kind == ROOST_SUM || a->kind == ROOST_MEAN; }
static inline bool aggregate_picks(const struct aggregate *a) { return a->kind == ROOST_FIRST || a->kind == ROOST_ANY; }
static inline bool aggregate_is_extreme(const struct aggregate *a) { return a->kind == ROOST_SMALLEST || a->kind == ROOST_LARGEST; }

/* Values are numbers. */
static inline bool type_is_number(roost_type type) { return type >= ROOST_TYPE_U32 && type <= ROOST_TYPE_F64; }

enum { STATES_MOST = 2 * ROOST_GROUP_KEYS_MOST + ROOST_GROUP_VALUES_MOST };

struct roost_group {
    struct encoder keys;
    uint32_t flags;
    int value_columns, aggregates, states;
    struct key key[ROOST_GROUP_KEYS_MOST];
    roost_column value[ROOST_GROUP_VALUES_MOST];
    struct aggregate aggregate[ROOST_GROUP_VALUES_MOST];
    struct state state[STATES_MOST];
    struct records records;
    struct relations_step *steps; /* room for those of a piece */
    uint64_t groups, room;        /* in the states */
    uint64_t rows, uncarried;
    roost_status broken; /* of an add that failed half way: the groups are of no use */
    struct work work;
    struct piece values[ROOST_GROUP_VALUES_MOST];
    /* Parts, which have the groups (group_parts.c): 2^part_bits, or NULL. */
    struct roost_group **part;
    struct arena arena; /* their memory, if there are parts */
    int part_bits;
    uint64_t part_seed;
    size_t piece;    /* of a part: rows of a piece; else 0 */
    char engine[32]; /* of the configuration; "": the library chooses */
};

/* Refuses the call if an earlier one failed half way. */
roost_status group_usable(const struct roost_group *g);

/* Groups without parts: made as a configuration that has been checked says, with tables that have
 * room for `keys`, and with this allocator (NULL: the system's); destroyed (NULL: does nothing);
 * and given rows. */
roost_status group_one_create(struct roost_group **group, const roost_group_config *config, uint64_t keys,
                              const roost_allocator *allocator);
void group_one_destroy(struct roost_group *group);
roost_status group_one_add(struct roost_group *g, const roost_column *keys, const roost_column *values, size_t n, void *stream);

/* Parts: begins them if the first call's rows are of many groups; adds rows to them. */
roost_status group_parts_begin(struct roost_group *g, const roost_column *keys, size_t n);
roost_status group_parts_add(struct roost_group *g, const roost_column *keys, const roost_column *values, size_t n);
void group_parts_release(struct roost_group *g);

/* Keeps the strings of the groups that are new since there were `before`. */
roost_status strings_keep(struct strings *s, struct roost_group *g, const struct piece *piece, size_t n, uint64_t before,
                          uint8_t *nulls, void *stream);

#endif
