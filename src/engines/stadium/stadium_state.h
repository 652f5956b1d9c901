/* What an item of Stadium hashing keeps between its steps. */
#ifndef ROOST_STADIUM_STATE_H
#define ROOST_STADIUM_STATE_H

#include "portable/bytes.h"
#include "portable/item.h"

/* Home 0 keeps the hash; of wide keys home 3 the length, home 4 the pair that is on its way, and home 5 the one whose value a find has begun to
 * copy. */
ROOST_FN uint64_t home_get(const struct item *item, int i) { return (uint64_t)item->home[i].index << 32 | item->home[i].sub; }
ROOST_FN void home_set(struct item *item, int i, uint64_t x)
{
    item->home[i].sub = (uint32_t)x;
    item->home[i].index = (uint32_t)(x >> 32);
}

ROOST_FN uint64_t stadium_item_hash(const struct item *item) { return home_get(item, 0); }
ROOST_FN void item_hash_set(struct item *item, uint64_t hash) { home_set(item, 0, hash); }

ROOST_FN void item_key_set(struct item *item, struct bytes key, const unsigned char *pair)
{
    item->key = (roost_key)(uintptr_t)key.at;
    item->home[3].sub = key.n;
    home_set(item, 4, (uint64_t)(uintptr_t)pair);
    home_set(item, 5, 0);
}

#endif
