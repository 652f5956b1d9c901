/* compact's stash: a call that does not wait keeps keys there that find no room in their homes.
 * All other calls find, update and erase them, exports and moves to another size keep them, and a
 * call that waits brings them into the buckets again.  The keys collide because the test knows the
 * seed. */
#include "api/table.h"
#include "engines/compact/compact_table.h"
#include "support/draw.h"
#include "support/inside.h"
#include "support/settings.h"
#include "support/tables.h"
#include "roost/device/compact.h"
#include "roost/mixed.h"
#include "roost/views.h"

#include <stdlib.h>
#include <string.h>

enum { SEED = 5, CAPACITY = 300, BESIDE = 24, MOST = 400 };

/* A fixed table, and keys that have the same two homes there. */
struct crowd {
    struct table table;
    uint64_t keys[MOST], values[MOST];
    size_t homes; /* keys for which both homes have room */
};

static struct compact_table *inside(const struct crowd *c) { return (struct compact_table *)c->table.handle->at; }

static bool is_stashed(const struct crowd *c)
{
    (void)table_stats(&c->table);
    return inside(c)->stashed;
}

static void keys_find(struct crowd *c)
{
    const struct compact_table *t = inside(c);
    const struct shape s = t->base.shape;
    uint32_t home[2] = {0, 0};
    size_t n = 0;
    for (uint64_t i = 1; n < MOST; i++) {
        const uint64_t key = distinct_key(&c->table.shape, i), hash = compact_hash(compact_bits(s), &t->view.seeds, key);
        const uint32_t first = compact_home_at(s, &t->view, hash, 0).bucket, second = compact_home_at(s, &t->view, hash, 1).bucket;
        if (n == 0 && first != second) home[0] = first, home[1] = second;
        if (first != home[0] || second != home[1] || first == second) continue;
        c->keys[n] = key;
        c->values[n++] = i & 0xffff;
    }
}

static void crowd_open(struct crowd *c, const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.engine = "compact";
    config.seed = SEED;
    config.growth = 0;
    config.capacity = variant->number ? variant->number : CAPACITY;
    memset(c, 0, sizeof *c);
    table_open(&c->table, variant, &config);
    keys_find(c);
    c->homes = 2 * (size_t)inside(c)->base.shape.slots;
}

/* Calls of the host that do not wait are those whose stream is captured.  That no graph keeps them
 * is known here. */
static void unwaited_begin(const struct crowd *c) { inside_capture(c->table.handle, true); }
static void unwaited_end(const struct crowd *c)
{
    struct ledger *ledger = &inside(c)->base.ledger;
    inside_capture(c->table.handle, false);
    ledger->captured = false;
    ledger->state = LEDGER_PENDING;
}

/* Inserts keys by a call that does not wait.  Returns how many are stored. */
static size_t insert_some(struct crowd *c, size_t first, size_t n)
{
    uint8_t statuses[MOST];
    size_t stored = 0;
    unwaited_begin(c);
    (void)table_insert(&c->table, ROOST_KEEP, c->keys + first, c->values + first, n, statuses);
    unwaited_end(c);
    for (size_t i = 0; i < n; i++) {
        require(statuses[i] >= ROOST_ITEM_INSERTED, "item %zu has no status", i);
        stored += statuses[i] == ROOST_ITEM_INSERTED || statuses[i] == ROOST_ITEM_KEPT;
    }
    return stored;
}

/* The table has the first n keys, each with its value and `more`. */
static void require_found(const struct crowd *c, size_t n, uint64_t more)
{
    const bool values = c->table.shape.value_bytes != 0;
    uint64_t out[MOST];
    uint8_t found[MOST];
    require_status(ROOST_OK, table_find(&c->table, c->keys, MOST, out, found, NULL), c->table.handle);
    for (size_t i = 0; i < MOST; i++) {
        require(found[i] == (i < n), "key %zu of %zu: found %u", i, n, found[i]);
        require(i >= n || !values || out[i] == c->values[i] + more, "key %zu has the value %llu", i, print(out[i]));
    }
    struct pairs pairs = table_export(&c->table, ROOST_EXPORT_MIN);
    require(pairs.n == n, "%zu pairs are exported, not %zu", pairs.n, n);
    pairs_free(&pairs);
}

/* And it is sound. */
static void require_keys(const struct crowd *c, size_t n, uint64_t more)
{
    table_check(&c->table);
    require(table_stats(&c->table).count == n, "%llu keys, not %zu", print(table_stats(&c->table).count), n);
    require_found(c, n, more);
}

static size_t crowd_fill(struct crowd *c)
{
    const size_t n = c->homes + BESIDE;
    require(insert_some(c, 0, n) == n, "a key found no room");
    require(is_stashed(c), "the stash has no key");
    require_keys(c, n, 0);
    return n;
}

/* Mixed operations, by a call that does not wait; returns how many ended with this status. */
static size_t mix_some(struct crowd *c, uint8_t operation, size_t first, size_t n, roost_item_status status)
{
    uint8_t operations[MOST], statuses[MOST];
    uint64_t ones[MOST], out[MOST];
    struct mixed mixed = {n, operations, c->keys + first, ones, out, statuses};
    size_t ended = 0;
    memset(operations, operation, n);
    for (size_t i = 0; i < n; i++) ones[i] = 1, out[i] = 0;
    unwaited_begin(c);
    (void)table_apply(&c->table, &mixed, 0);
    unwaited_end(c);
    for (size_t i = 0; i < n; i++) ended += statuses[i] == status;
    return ended;
}

static uint8_t adds(const struct crowd *c) { return c->table.shape.value_bytes ? ROOST_OP_ADD : ROOST_OP_KEEP; }

/* Other calls treat them as any key. */
static void keys_without_room(const struct variant *variant)
{
    struct crowd c;
    crowd_open(&c, variant);
    const size_t n = crowd_fill(&c), half = n / 2;
    const bool values = c.table.shape.value_bytes != 0;
    require(insert_some(&c, 0, n) == n, "a stored key ended otherwise than KEPT");
    require(mix_some(&c, adds(&c), 0, n, values ? ROOST_ITEM_UPDATED : ROOST_ITEM_KEPT) == n, "a key was not met");
    require(mix_some(&c, ROOST_OP_FIND, 0, n, ROOST_ITEM_FOUND) == n, "a key was not found");
    require_keys(&c, n, 1);
    require(mix_some(&c, ROOST_OP_ERASE, half, n - half, ROOST_ITEM_ERASED) == n - half, "a key was not erased");
    require_keys(&c, half, 1);
    table_close(&c.table);
}

/* A stash that is full refuses keys, and keeps the others. */
static void a_full_stash(const struct variant *variant)
{
    struct crowd c;
    crowd_open(&c, variant);
    const size_t room = c.homes + COMPACT_STASH, n = insert_some(&c, 0, room + 9);
    require(n == room, "%zu keys found room, not %zu", n, room);
    table_check(&c.table);
    require(table_stats(&c.table).count == n, "%llu keys, not %zu", print(table_stats(&c.table).count), n);
    table_close(&c.table);
}

/* A call that waits draws another seed, after which the keys do not collide. */
static void calls_that_wait(const struct variant *variant)
{
    struct crowd c;
    crowd_open(&c, variant);
    const size_t n = crowd_fill(&c);
    require_status(ROOST_OK, roost_table_sync(c.table.handle, NULL), c.table.handle);
    require(!is_stashed(&c) && table_stats(&c.table).reseeds == 1, "%llu other seeds", print(table_stats(&c.table).reseeds));
    require_keys(&c, n, 0);
    table_close(&c.table);
}

/* Keys leave the stash where others have left room in their homes. */
static void a_drain(const struct variant *variant)
{
    struct crowd c;
    crowd_open(&c, variant);
    uint8_t statuses[MOST];
    (void)crowd_fill(&c);
    require_status(ROOST_OK, table_erase(&c.table, c.keys + c.homes, BESIDE, statuses), c.table.handle);
    require_status(ROOST_OK, roost_table_sync(c.table.handle, NULL), c.table.handle);
    require(!is_stashed(&c) && table_stats(&c.table).reseeds == 0, "the stash has keys that have room elsewhere");
    require_keys(&c, c.homes, 0);
    table_close(&c.table);
}

/* A larger table, and one that is cleared. */
static void other_sizes(const struct variant *variant)
{
    struct crowd c;
    crowd_open(&c, variant);
    const size_t n = crowd_fill(&c);
    require_status(ROOST_OK, roost_table_reserve(c.table.handle, 200 * CAPACITY), c.table.handle);
    require_keys(&c, n, 0);
    require_status(ROOST_OK, roost_table_clear(c.table.handle), c.table.handle);
    require(!is_stashed(&c), "a cleared table has a stash");
    require_keys(&c, 0, 0);
    table_close(&c.table);
}

/* A table that grows in place empties its stash before; or is copied, if keys stay there. */
static void in_place(const struct variant *variant)
{
    struct crowd c;
    for (int stays = 0; stays < 2; stays++) {
        backend_mapped_least = 1 << 15;
        crowd_open(&c, variant);
        size_t n = crowd_fill(&c);
        if (!stays) n -= mix_some(&c, ROOST_OP_ERASE, c.homes, BESIDE, ROOST_ITEM_ERASED);
        require(is_stashed(&c), "the stash has no key");
        require_status(ROOST_OK, roost_table_reserve(c.table.handle, 2 * variant->number), c.table.handle);
        require(stays || !is_stashed(&c), "the stash has keys that have room elsewhere");
        require_keys(&c, n, 0);
        table_close(&c.table);
    }
    backend_mapped_least = 64 << 20;
}

/* A view's larger stash takes over the keys of the table's own; its memory goes back with the last
 * of them. */
static void a_lent_stash(const struct variant *variant)
{
    enum { INSERTS = 1000 };
    roost_compact_view view = roost_compact_view_make();
    struct crowd c;
    crowd_open(&c, variant);
    const size_t n = crowd_fill(&c);
    const uint64_t bytes = table_stats(&c.table).table_bytes;
    inside(&c)->base.growth = true;
    require_status(ROOST_OK, roost_view_acquire(c.table.handle, &view, sizeof view, INSERTS, NULL), c.table.handle);
    const uint32_t entries = inside(&c)->view.stash_entries;
    require(entries >= INSERTS / 2 && is_stashed(&c), "a stash of %u entries", entries);
    require(table_stats(&c.table).table_bytes >= bytes + entries * sizeof(struct compact_entry), "the stash is not counted");
    require_found(&c, n, 0);
    require_status(ROOST_OK, roost_view_release(c.table.handle), c.table.handle);
    require(!is_stashed(&c) && inside(&c)->view.stash_entries == COMPACT_STASH, "the stash was not drained");
    require_keys(&c, n, 0);
    table_close(&c.table);
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv); /* on a GPU the calls of the tests wait */
    suite_add_widths("keys without room", keys_without_room);
    suite_add_widths("a full stash", a_full_stash);
    suite_add_widths("calls that wait", calls_that_wait);
    suite_add_widths("a drain", a_drain);
    suite_add_widths("other sizes", other_sizes);
    suite_add_widths("a lent stash", a_lent_stash);
    suite_add("in place", in_place, (struct variant){.shape = &shapes[0], .options = "growth=in-place", .number = 5000});
    return suite_run("compact stash");
}
