/* Two lists of items' indices, in device memory: a launch takes its items from one and parks in the other what has to wait. */
#ifndef ROOST_ENGINES_LISTS_H
#define ROOST_ENGINES_LISTS_H

#include "engines/engine.h"

enum { LISTS = 2 };

struct lists {
    struct engine_table *table;
    uint64_t most;      /* indices of one launch, at most */
    uint64_t room;      /* indices of a list: an even number */
    size_t extra_bytes; /* that an engine has behind the lists, for each index of one: extra */
    bool fixed;         /* a graph parks in them, and uses them as they are */
    uint32_t *list[LISTS];
    void *extra;
};

/* Room for n indices in each list; what was in them is lost if they had less. */
roost_status lists_make(struct lists *l, uint64_t n);
void lists_release(struct lists *l);

/* As many of n items as the lists have room for: all up to `most`, unless memory for longer lists is refused. */
uint64_t lists_piece(struct lists *l, uint64_t n);

#endif
