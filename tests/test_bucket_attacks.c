/* Attacks on one bucket: every combination of three operations of {insert if absent, overwrite,
 * add, erase, find}.  The three work on one key, or on keys that share the only bucket of a
 * smallest table, in every order and at two distances from each other, many times.  No key may
 * be stored twice or be lost: the history of each key has to be linearisable. */
#include "support/draw.h"
#include "support/history.h"
#include "support/restless.h"
#include "support/settings.h"
#include "roost/mixed.h"

#include <stdlib.h>

enum {
    SIDES = 3 /* of an attack */,
    CHOICES = 5,
    ATTACKS = CHOICES * CHOICES * CHOICES,
    ORDERS = 6,
    SHARINGS = 5,
    MOST_AT_ONCE = 128,
    THREADS = 6,
    TABLE_LIFE = 32 /* calls until it is cleared */
};

static const uint8_t choices[CHOICES] = {ROOST_OP_KEEP, ROOST_OP_ASSIGN, ROOST_OP_ADD, ROOST_OP_ERASE, ROOST_OP_FIND};
static const uint8_t orders[ORDERS][SIDES] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
/* each side's key */
static const uint8_t sharings[SHARINGS][SIDES] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {0, 1, 2}};

struct attack {
    uint8_t operations[SIDES];
    const uint8_t *keys, *order;
    bool apart; /* true: the sides of an attack are far from each other in the batch */
};

static size_t attacks_at_once(void) { return settings_on_gpu() ? MOST_AT_ONCE : 8; }

/* Half of the keys are present.  The others were erased, so their slots may be marked. */
static void prepare(struct dice *dice, struct history *h)
{
    uint64_t keys[2][SIDES * MOST_AT_ONCE], values[SIDES * MOST_AT_ONCE];
    size_t n[2] = {0, 0};
    struct table table = *h->table;
    table.placement = PLACE_HOST;
    for (size_t k = 0; k < h->key_count; k++) {
        const size_t there = draw_below(dice, 2);
        h->states[k] = (struct linear_state){there, there && !shape_is_set(&table.shape) ? k : 0};
        values[n[1]] = k;
        keys[there][n[there]++] = h->keys[k];
    }
    require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, keys[1], values, n[1], NULL), table.handle);
    require_status(ROOST_OK, table_erase(&table, keys[0], n[0], NULL), table.handle);
}

static void lay_out(struct dice *dice, struct history *h, const struct attack *attack, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t place = 0; place < SIDES; place++) {
            const uint8_t side = attack->order[place];
            h->items[attack->apart ? place * n + i : i * SIDES + place] =
                (struct history_item){draw(dice), (uint32_t)(i * SIDES + attack->keys[side]), attack->operations[side]};
        }
}

/* Carries the attack out `repeats` times, several at once. */
static void carry_out(struct dice *dice, struct history *h, const struct attack *attack, size_t repeats, bool mixed)
{
    static unsigned calls;
    const size_t n = attacks_at_once();
    for (size_t done = 0; done < repeats; done += n) {
        if (calls++ % TABLE_LIFE == 0) require_status(ROOST_OK, roost_table_clear(h->table->handle), h->table->handle);
        prepare(dice, h);
        lay_out(dice, h, attack, n);
        const unsigned one_in = 2u << draw_below(dice, 4);
        restless_begin(draw(dice), one_in, 1);
        history_run(h, SIDES * n, mixed);
        restless_end();
    }
}

/* Makes the attack in all orders, at both distances and with all ways of sharing keys. */
static void attack_with(struct dice *dice, struct history *h, struct attack attack, size_t repeats, bool mixed)
{
    for (size_t sharing = 0; sharing < SHARINGS; sharing++)
        for (size_t order = 0; order < 2 * ORDERS; order++) {
            attack.keys = sharings[sharing];
            attack.order = orders[order / 2];
            attack.apart = order % 2;
            suite_step("operations %d %d %d, sharing %zu, order %zu%s", attack.operations[0], attack.operations[1],
                       attack.operations[2], sharing, order / 2, attack.apart ? ", apart" : "");
            carry_out(dice, h, &attack, repeats / 2, mixed);
        }
}

static bool takes(const struct test_shape *shape, const struct attack *attack)
{
    for (size_t i = 0; i < SIDES; i++)
        if (attack->operations[i] == ROOST_OP_ADD && shape_is_set(shape)) return false;
    return true;
}

static void bucket_attacks(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    struct table table;
    roost_config config;
    table_config(variant, &config);
    config.threads = THREADS;
    table_open(&table, variant, &config);
    const bool mixes = history_mixes(&table);
    const size_t n = attacks_at_once(), repeats = settings_effort(1000, 2 * n, n);
    /* only a long run makes all attacks */
    const size_t every = settings_effort(1, 7, 61), first = draw_below(&dice, every);
    size_t number = 0;
    struct history *h = history_open(&table, mixes ? STAMPS_FENCED : STAMPS_NONE, SIDES * n, SIDES * n);
    for (size_t i = 0; i < ATTACKS; i++) {
        const struct attack attack = {.operations = {choices[i % 5], choices[i / 5 % 5], choices[i / 25]}};
        if (!takes(variant->shape, &attack) || number++ % every != first) continue;
        const bool same = attack.operations[0] == attack.operations[1] && attack.operations[1] == attack.operations[2];
        h->stamping = mixes || same ? STAMPS_FENCED : STAMPS_NONE;
        attack_with(&dice, h, attack, repeats, mixes || !same);
    }
    table_check(&table);
    history_print(stdout, "attacks", &h->counts);
    require(h->counts.histories > 0, "no attack was made");
    require(h->counts.undecided == 0, "%llu histories are undecided", (unsigned long long)h->counts.undecided);
    history_close(h);
    table_close(&table);
}

/* On a GPU some shapes have their arrays there, some on the host.  Both for each would take too
 * long. */
static enum placement placement_of(size_t shape) { return settings_on_gpu() && shape % 3 ? PLACE_DEVICE : PLACE_HOST; }

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    for (size_t i = 0; i < SHAPE_COUNT; i++)
        suite_add("bucket attacks", bucket_attacks, (struct variant){.shape = &shapes[i], .placement = placement_of(i)});
    for (size_t i = 1; settings_on_slab() && i < 4; i++) /* pairs of 16 bytes */
        suite_add("bucket attacks", bucket_attacks, (struct variant){.shape = &shapes[i], .options = "publish=two-step"});
    /* infos that do not tell keys apart; groups of one */
    for (size_t i = 0; settings_on_stadium() && i < SHAPE_COUNT; i += 3) {
        suite_add("bucket attacks", bucket_attacks, (struct variant){.shape = &shapes[i], .options = "ticket=2,probe=group"});
        suite_add("bucket attacks", bucket_attacks, (struct variant){.shape = &shapes[i + 1], .options = "ticket=16,probe=double"});
    }
    return suite_run("bucket_attacks");
}
