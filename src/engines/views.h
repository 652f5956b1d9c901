/* What engines write into views of their tables. */
#ifndef ROOST_ENGINES_VIEWS_H
#define ROOST_ENGINES_VIEWS_H

#include "engines/table.h"
#include "portable/user_items.h"

static inline struct user_table view_table(const struct engine_table *t, uint16_t takes)
{
    struct user_table u;
    u.key_bytes = (uint8_t)t->shape.key_bytes;
    u.value_bytes = (uint8_t)t->shape.value_bytes;
    u.slots = (uint8_t)t->shape.slots;
    u.word = (uint8_t)t->shape.word;
    u.value_type = (uint8_t)t->value_type;
    u.saturate = t->saturate;
    u.takes = takes;
    return u;
}

#endif
