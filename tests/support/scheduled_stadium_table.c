/* A small Stadium table in plain memory for the scheduled machine. */
#include "support/scheduled_stadium_wide.h"

#include "portable/hash_seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Making ---------------------------------------------------------------------------------- */

/* Few slots, so that they fill up; larger groups have larger tickets. */
void stadium_sizes_draw(struct stadium_sizes *sizes, const struct shape shape, struct dice *dice)
{
    static const uint32_t groups[] = {2, 3, 5}, singles[] = {5, 11, 23, 41};
    sizes->access = is_wide(shape) || dice_below(dice, 4) != 0;
    sizes->single = dice_below(dice, 3) == 0;
    sizes->ticket_log = sizes->access ? 1 + (int)dice_below(dice, 4) : (int)dice_below(dice, 5) * (int)dice_below(dice, 2);
    sizes->group_bytes = sizes->single ? 32 : dice_below(dice, 2) ? 16 : group_bytes(shape);
    if (!sizes->single && sizes->group_bytes * 8 >> sizes->ticket_log > 64) sizes->group_bytes = 16;
    sizes->groups = sizes->single ? singles[dice_below(dice, 4)] : groups[dice_below(dice, sizes->ticket_log ? 3 : 2)];
    sizes->bound = dice_below(dice, 4) ? 0 : 2;
}

static void *filled_make(size_t bytes, int filler)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory) abort();
    memset(memory, filler, (bytes + 63) / 64 * 64);
    return memory;
}

static void view_sizes(struct stadium_view *v, const struct stadium_sizes *sizes)
{
    const int bits = 1 << sizes->ticket_log;
    v->groups = sizes->groups;
    v->refill_bound = sizes->groups;
    v->bound = sizes->bound && sizes->bound < sizes->groups ? sizes->bound : sizes->groups;
    v->ticket_log = (uint32_t)sizes->ticket_log;
    v->single = sizes->single;
    v->access = sizes->access;
    v->infos = (1u << (bits - 1)) - (sizes->access ? 1 : 0);
    for (int i = 0; i < 32; i += bits) v->available |= 1u << i;
    v->below_top = ~(v->available << (bits - 1));
}

void stadium_scene_table_make(struct stadium_scene_table *t, const struct shape shape, const struct stadium_sizes *sizes,
                              const struct stadium_scene_table *like, struct dice *dice)
{
    memset(t, 0, sizeof *t);
    t->shape = shape;
    const bool fixed = tickets_fixed(shape) && sizes->ticket_log == 3 && sizes->access && !sizes->single;
    t->shape.slots = STADIUM_GROUP(sizes->group_bytes, fixed ? 8 : 0);
    t->sizes = *sizes;
    view_sizes(&t->view, sizes);
    if (sizes->wide) wide_view_make(t, like, dice);
    t->slots = (int)stadium_all_slots(t->shape, &t->view);
    if (t->slots > STADIUM_MOST_SLOTS) abort();
    const size_t bits = (size_t)t->slots << sizes->ticket_log, block = STADIUM_BLOCK_BITS;
    t->board_memory = (unsigned char *)filled_make((bits + block - 1) / block * block / 8, 0xff);
    /* Where tickets say what is stored, pairs may begin as anything. */
    t->pairs_memory = (unsigned char *)filled_make((size_t)t->slots * (size_t)stadium_pair_bytes(t->shape, &t->view),
                                                   sizes->access ? 0xa5 : 0xff);
    t->view.board = (uint32_t *)(void *)t->board_memory;
    t->view.pairs = t->pairs_memory;
    t->view.longest = &t->longest;
    t->view.on_host = dice_below(dice, 2) != 0;
    t->view.lock_mask = dice_below(dice, 2) ? STADIUM_MOST_LOCKS - 1 : dice_below(dice, 2);
    if (like) {
        t->view.seeds = like->view.seeds;
        t->view.info_times = like->view.info_times;
        t->keys = like->keys;
        memcpy(t->key, like->key, sizeof t->key);
        return;
    }
    hash_seeds_draw(&t->view.seeds, shape.key_bytes == 4 && dice_below(dice, 2) ? HASH_UNIVERSAL : HASH_KEYED, dice_draw(dice));
    t->view.info_times = t->view.seeds.times64[0];
}

void stadium_scene_table_free(struct stadium_scene_table *t)
{
    free(t->board_memory);
    free(t->pairs_memory);
}

void stadium_scene_arena_free(struct stadium_scene_table *t) { free(t->view.wide.arena); }

int stadium_value_bytes(const struct stadium_scene_table *t)
{
    return t->sizes.wide ? t->sizes.wide->value_bytes : t->shape.value_bytes;
}

uint64_t stadium_value_mask(const struct stadium_scene_table *t) { return wide_words(stadium_value_bytes(t)); }

/* ---- Keys ------------------------------------------------------------------------------------ */

static uint64_t hash_of(const struct stadium_scene_table *t, roost_key key)
{
    unsigned char buffer[FRAME_KEY_BYTES];
    return t->sizes.wide ? wide_hash(&t->view, wide_key_of(t->sizes.wide, key, buffer)) : stadium_hash(t->shape, &t->view, key);
}

/* A slot as read by stadium_slot; a wide pair comes with its key, but without its value. */
static enum slot_state slot_look(const struct stadium_scene_table *t, uint64_t slot, struct pair *pair)
{
    const enum slot_state state = stadium_slot(t->shape, &t->view, slot, pair);
    if (t->sizes.wide && pair->taken) pair->key = wide_pair_key(t, slot);
    return state;
}

static struct stadium_walk way_of(const struct stadium_scene_table *t, roost_key key)
{
    const struct stadium_view *v = &t->view;
    return stadium_walk_begin(t->shape, v, hash_of(t, key), stadium_stored_key(t->shape, v, key),
                              stadium_inverts(t->shape, v, key));
}

/* True if both keys' ways begin with the same tickets, and then visit the same groups. */
static bool are_alike(const struct stadium_scene_table *t, roost_key a, roost_key b, bool infos_too)
{
    struct stadium_walk x = way_of(t, a), y = way_of(t, b);
    if (ticket_place_of(t->shape, &t->view, &x).first != ticket_place_of(t->shape, &t->view, &y).first || x.at != y.at)
        return false;
    if (infos_too && stadium_info(t->shape, &t->view, x.hash) != stadium_info(t->shape, &t->view, y.hash)) return false;
    x.bound = y.bound = 2;
    (void)stadium_walk_next(t->shape, &t->view, &x);
    (void)stadium_walk_next(t->shape, &t->view, &y);
    return x.at == y.at;
}

/* Keys of all widths, so that some have equal halves or low words. */
static uint64_t key_most(const struct stadium_scene_table *t)
{
    if (!t->sizes.wide) return t->shape.key_bytes == 4 ? 0xffffffffULL : ~0ULL;
    return wide_words(t->sizes.wide->key_bytes ? t->sizes.wide->key_bytes : 8);
}

/* The number of bits cut from a drawn key: half of the words are small, and strings have all
 * lengths. */
static uint32_t key_shift(const struct stadium_scene_table *t, struct dice *dice)
{
    if (t->view.wide.strings) return 8 * dice_below(dice, 8);
    return dice_below(dice, 2) || t->sizes.wide ? 0 : 54;
}

void stadium_keys_draw(struct stadium_scene_table *t, int keys, int alike, bool infos_too, struct dice *dice)
{
    const uint64_t empty = key_most(t);
    t->keys = 0;
    /* 0 is the empty string. */
    if (!alike) t->key[t->keys++] = t->view.wide.strings ? 0 : empty, t->key[t->keys++] = empty - 1;
    while (t->keys < keys) {
        const uint64_t drawn = dice_draw(dice);
        const roost_key key = drawn >> key_shift(t, dice) & empty;
        if (frame_key_index(t->key, t->keys, key) >= 0 || (alike && key >= empty - 1)) continue;
        if (t->keys && t->keys < alike && !are_alike(t, key, t->key[0], infos_too)) continue;
        t->key[t->keys++] = key;
    }
}

/* ---- Plain stores ---------------------------------------------------------------------------- */

static void ticket_set(struct stadium_view *v, uint64_t slot, uint32_t ticket)
{
    const uint64_t bit = slot << v->ticket_log;
    const uint32_t ones = (uint32_t)((1ULL << (1 << v->ticket_log)) - 1);
    v->board[bit / 32] = (v->board[bit / 32] & ~(ones << (bit & 31u))) | ticket << (bit & 31u);
}

static void pair_set(struct stadium_scene_table *t, uint64_t slot, roost_key key, roost_value value)
{
    if (t->sizes.wide) {
        wide_pair_set(t, slot, key, value);
        return;
    }
    const struct shape s = t->shape;
    unsigned char *const at = stadium_pair(s, &t->view, slot);
    store_width(s.word ? unit_pair_bytes(s) : 8, at, 0, pair_unit(s, key, value));
    if (!s.word) store_width(8, at + 8, 0, value);
}

/* The first FREE slot of a group, in a key's order; -1 if there is none. */
static int64_t free_slot(const struct stadium_scene_table *t, const struct stadium_walk *way)
{
    const uint64_t tickets = stadium_group_tickets(t->shape, &t->view);
    const struct ticket_place p = ticket_place_of(t->shape, &t->view, way);
    const uint64_t first = t->view.single ? 0 : p.first * (32u >> t->view.ticket_log);
    for (uint64_t i = 0; i < tickets; i++) {
        const uint64_t slot = way->at * tickets + (first + i) % tickets;
        struct pair pair;
        if (stadium_slot(t->shape, &t->view, slot, &pair) == SLOT_FREE) return (int64_t)slot;
    }
    return -1;
}

bool stadium_put(struct stadium_scene_table *t, int key, roost_value value)
{
    struct stadium_walk way = way_of(t, t->key[key]);
    do {
        const int64_t slot = free_slot(t, &way);
        if (slot < 0) continue;
        ticket_set(&t->view, (uint64_t)slot, stadium_info(t->shape, &t->view, way.hash) << 1);
        pair_set(t, (uint64_t)slot, stadium_stored_key(t->shape, &t->view, t->key[key]), value);
        if (t->longest < way.passed + 1) t->longest = way.passed + 1;
        return true;
    } while (stadium_walk_next(t->shape, &t->view, &way));
    return false;
}

void stadium_take_away(struct stadium_scene_table *t, int key)
{
    for (uint64_t slot = 0; slot < (uint64_t)t->slots; slot++) {
        struct pair pair;
        if (slot_look(t, slot, &pair) != SLOT_STORED || pair.key != t->key[key]) continue;
        if (t->view.wide.strings) t->ends.dead += bytes_padded(wide_key_length(t->sizes.wide, pair.key));
        if (t->view.access) ticket_set(&t->view, slot, stadium_ticket(t->shape, &t->view, slot) | 1u);
        else pair_set(t, slot, stadium_tombstone(t->shape), 0);
    }
}

void stadium_reach_measure(struct stadium_scene_table *t)
{
    memset(t->reach, 0, sizeof t->reach);
    for (uint64_t slot = 0; slot < stadium_main_slots(t->shape, &t->view); slot++) {
        struct pair pair;
        if (slot_look(t, slot, &pair) != SLOT_STORED) continue;
        struct stadium_walk way = way_of(t, pair.key);
        uint32_t *const reach = &t->reach[stadium_reach_of(t->shape, &t->view, way.at)];
        way.bound = UINT32_MAX;
        while (way.at != slot / stadium_group_tickets(t->shape, &t->view) && stadium_walk_next(t->shape, &t->view, &way)) continue;
        if (*reach <= way.passed) *reach = way.passed + 1;
    }
    t->view.reach = t->reach;
}

/* ---- Walking --------------------------------------------------------------------------------- */

/* For each group, the number of slots that are FREE, and of those that are not STORED. */
struct group_counts {
    int free[STADIUM_MOST_SLOTS], holes[STADIUM_MOST_SLOTS];
};

static void groups_count(const struct stadium_scene_table *t, struct group_counts *groups)
{
    const uint64_t tickets = stadium_group_tickets(t->shape, &t->view);
    memset(groups, 0, sizeof *groups);
    for (uint64_t slot = 0; slot < (uint64_t)t->slots; slot++) {
        struct pair pair;
        const enum slot_state state = stadium_slot(t->shape, &t->view, slot, &pair);
        groups->free[slot / tickets] += state == SLOT_FREE;
        groups->holes[slot / tickets] += state != SLOT_STORED;
    }
}

/* Checks invariants A, C and J for the way of a stored key. */
static bool walk_way(struct stadium_scene_table *t, const struct group_counts *groups, uint64_t slot, roost_key key)
{
    const struct stadium_view *v = &t->view;
    struct stadium_walk way = way_of(t, key);
    if (way.bound > 1) way.bound = v->reach ? v->reach[stadium_reach_of(t->shape, v, way.at)] : (uint32_t)t->longest;
    if (stadium_ticket(t->shape, v, slot) != stadium_info(t->shape, v, way.hash) << 1)
        return wrong_say("invariant A: the ticket %" PRIx32 " of slot %" PRIu64 " has not the info of key %" PRIx64,
                         stadium_ticket(t->shape, v, slot), slot, key);
    for (; way.at != slot / stadium_group_tickets(t->shape, v);) {
        if (groups->free[way.at]) return wrong_say("invariant C: a FREE ticket is before the key %" PRIx64, key);
        if (!stadium_walk_next(t->shape, v, &way)) return wrong_say("invariant A: key %" PRIx64 " is beyond its order's end", key);
    }
    return true;
}

static bool walk_pair(struct stadium_scene_table *t, const struct group_counts *groups, uint64_t slot, const struct pair *pair,
                      struct stadium_contents *contents)
{
    const int i = frame_key_index(t->key, t->keys, pair->key);
    if (i < 0) return wrong_say("slot %" PRIu64 " stores the key %" PRIx64 ", which was never inserted", slot, pair->key);
    if (contents->n[i]) return wrong_say("invariant B: key %" PRIx64 " is stored twice", pair->key);
    if (!t->view.access && (slot >= stadium_main_slots(t->shape, &t->view)) != stadium_inverts(t->shape, &t->view, pair->key))
        return wrong_say("invariant G: key %" PRIx64 " is in the wrong part", pair->key);
    contents->n[i]++;
    contents->value[i] = (t->sizes.wide ? wide_pair_value(t, slot) : pair->value) & stadium_value_mask(t);
    return (!t->sizes.wide || wide_pair_walk(t, slot, &contents->string_bytes)) && walk_way(t, groups, slot, pair->key);
}

/* Checks invariant G: what a FREE slot holds where pairs have marks. */
static bool walk_free(struct stadium_scene_table *t, uint64_t slot)
{
    const struct shape s = t->shape;
    if (t->view.access) return true;
    const uint64_t unit = stadium_unit_load(QUIESCENT, s, stadium_pair(s, &t->view, slot));
    return (s.word ? unit_key(s, unit) : unit) == stadium_empty(s) ||
           wrong_say("invariant G: the FREE slot %" PRIu64 " is not EMPTY", slot);
}

bool stadium_pairs_walk(struct stadium_scene_table *t, struct stadium_contents *contents)
{
    struct group_counts groups;
    memset(contents, 0, sizeof *contents);
    groups_count(t, &groups);
    for (uint64_t slot = 0; slot < (uint64_t)t->slots; slot++) {
        struct pair pair;
        const enum slot_state state = slot_look(t, slot, &pair);
        contents->stored += state == SLOT_STORED;
        contents->erased += state == SLOT_ERASED;
        contents->free += state == SLOT_FREE;
        if (state == SLOT_RESERVED) return wrong_say("invariant E: slot %" PRIu64 " is RESERVED", slot);
        if (state == SLOT_FREE && !walk_free(t, slot)) return false;
        if (state == SLOT_STORED && !walk_pair(t, &groups, slot, &pair, contents)) return false;
    }
    for (size_t i = 0; i < sizeof t->locks / sizeof t->locks[0]; i++)
        if (t->locks[i]) return wrong_say("the locks %" PRIx32 " are held", t->locks[i]);
    return true;
}

bool stadium_table_walk(struct stadium_scene_table *t, struct stadium_contents *contents)
{
    return stadium_pairs_walk(t, contents) && wide_arena_walk(t, contents->string_bytes);
}

bool stadium_way_is_full(struct stadium_scene_table *t, int key, bool holes)
{
    struct stadium_walk way = way_of(t, t->key[key]);
    struct group_counts groups;
    groups_count(t, &groups);
    if (holes) way.bound = t->view.refill_bound;
    else if (t->view.bounded && way.bound > 1) way.bound = t->reach[stadium_reach_of(t->shape, &t->view, way.at)];
    do
        if (holes ? groups.holes[way.at] : groups.free[way.at])
            return wrong_say("key %" PRIx64 " found no room, and group %" PRIu64 " has %d FREE tickets and %d holes", t->key[key],
                             way.at, groups.free[way.at], groups.holes[way.at]);
    while (stadium_walk_next(t->shape, &t->view, &way));
    return true;
}

/* The same in one group. free: whether it has a FREE ticket. */
static int64_t group_candidate(const struct stadium_scene_table *t, const struct stadium_walk *way, bool *free)
{
    const struct stadium_view *v = &t->view;
    const uint64_t tickets = stadium_group_tickets(t->shape, v);
    *free = false;
    for (uint64_t slot = way->at * tickets; slot < (way->at + 1) * tickets; slot++) {
        struct pair pair;
        if (stadium_ticket(t->shape, v, slot) == stadium_info(t->shape, v, way->hash) << 1) return (int64_t)slot;
        *free |= stadium_slot(t->shape, v, slot, &pair) == SLOT_FREE;
    }
    return -1;
}

int64_t stadium_candidate(const struct stadium_scene_table *t, int key)
{
    struct stadium_walk way = way_of(t, t->key[key]);
    if (way.bound > 1) way.bound = t->view.reach ? t->reach[stadium_reach_of(t->shape, &t->view, way.at)] : (uint32_t)t->longest;
    do {
        bool free;
        const int64_t slot = group_candidate(t, &way, &free);
        if (slot >= 0 || free) return slot;
    } while (stadium_walk_next(t->shape, &t->view, &way));
    return -1;
}

/* ---- Watching -------------------------------------------------------------------------------- */

void stadium_watch_begin(struct stadium_watch *w, struct stadium_scene_table *t, bool refill)
{
    w->table = t;
    w->refill = refill;
    for (int i = 0; i < t->slots; i++) {
        struct pair pair;
        w->slot[i].state = slot_look(t, (uint64_t)i, &pair);
        w->slot[i].ticket = stadium_ticket(t->shape, &t->view, (uint64_t)i);
        w->slot[i].key = pair.key;
    }
}

static bool may_become(const struct stadium_watch *w, enum slot_state was, enum slot_state is)
{
    return was == is || (was == SLOT_FREE && is == SLOT_RESERVED) || (was == SLOT_RESERVED && is == SLOT_STORED) ||
           (was == SLOT_STORED && is == SLOT_ERASED) || (w->refill && was == SLOT_ERASED && is == SLOT_RESERVED);
}

static const char *watch_new_key(struct stadium_watch *w, int slot)
{
    const struct stadium_view *v = &w->table->view;
    const roost_key key = w->slot[slot].key;
    if (v->access && w->slot[slot].ticket != stadium_info(w->table->shape, v, hash_of(w->table, key)) << 1) {
        snprintf(w->text, sizeof w->text, "slot %d shows the key %" PRIx64 " with another one's ticket", slot, key);
        return w->text;
    }
    for (int i = 0; i < w->table->slots; i++) {
        if (i == slot || w->slot[i].state != SLOT_STORED || w->slot[i].key != key) continue;
        snprintf(w->text, sizeof w->text, "the slots %d and %d have the key %" PRIx64, i, slot, key);
        return w->text;
    }
    return NULL;
}

const char *stadium_watch_look(void *watch)
{
    static const char *const names[] = {"FREE", "RESERVED", "STORED", "ERASED"};
    struct stadium_watch *w = (struct stadium_watch *)watch;
    const struct stadium_scene_table *t = w->table;
    for (int i = 0; i < t->slots; i++) {
        struct pair pair;
        const enum slot_state was = w->slot[i].state, is = slot_look(t, (uint64_t)i, &pair);
        const uint32_t ticket = stadium_ticket(t->shape, &t->view, (uint64_t)i);
        const bool stays = was == SLOT_STORED && is == SLOT_STORED;
        if (!may_become(w, was, is) || (stays && (pair.key != w->slot[i].key || (t->view.access && ticket != w->slot[i].ticket)))) {
            snprintf(w->text, sizeof w->text, "slot %d went from %s, ticket %" PRIx32 ", to %s, ticket %" PRIx32 ", key %" PRIx64,
                     i, names[was], w->slot[i].ticket, names[is], ticket, pair.key);
            return w->text;
        }
        w->slot[i].state = is;
        w->slot[i].ticket = ticket;
        w->slot[i].key = pair.key;
        if (was != is && is == SLOT_STORED && watch_new_key(w, i)) return w->text;
    }
    return NULL;
}
