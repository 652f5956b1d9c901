/* The order of hashes: ranks of keys, the same in tables that are alike. */
#include "support/answers.h"
#include "support/settings.h"
#include "support/tables.h"
#include "roost/merge.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS = 20000 };

static bool has_order(const roost_table *t) { return roost_hash_order(t, NULL, 0, NULL, NULL) != ROOST_ERR_UNSUPPORTED; }

/* ---- Ranks ----------------------------------------------------------------------------------- */

static void ranks_of(const struct table *t, const uint64_t *keys, size_t n, uint64_t *ranks)
{
    struct array of_keys = array_make(n * t->shape.key_bytes), of_ranks = array_make(n * sizeof *ranks);
    pack(keys, n, t->shape.key_bytes, of_keys.host);
    memset(of_ranks.host, UNTOUCHED_BYTE, n * sizeof *ranks);
    array_send(&of_keys, t->placement != PLACE_HOST);
    array_send(&of_ranks, t->placement == PLACE_DEVICE);
    require_status(ROOST_OK, roost_hash_order(t->handle, of_keys.given, n, of_ranks.given, NULL), t->handle);
    require_status(ROOST_OK, roost_table_sync(t->handle, NULL), t->handle);
    array_fetch(&of_ranks);
    memcpy(ranks, of_ranks.host, n * sizeof *ranks);
    array_free(&of_keys);
    array_free(&of_ranks);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static bool open_ordering(struct table *t, const struct variant *variant, const roost_config *config)
{
    table_open(t, variant, config);
    if (has_order(t->handle)) return true;
    table_close(t);
    suite_skip("this engine has no order of keys");
    return false;
}

static void ranks_differ(const struct variant *variant)
{
    struct table t;
    if (!open_ordering(&t, variant, NULL)) return;
    uint64_t *keys = numbered_keys(variant->shape, 0, KEYS), *ranks = make_patterns(KEYS), *again = make_patterns(KEYS);
    ranks_of(&t, keys, KEYS, ranks);
    require_status(ROOST_OK, table_insert(&t, ROOST_ASSIGN, keys, keys, KEYS, NULL), t.handle);
    ranks_of(&t, keys, KEYS, again);
    require(!memcmp(ranks, again, KEYS * sizeof *ranks), "inserts have changed ranks");
    qsort(ranks, KEYS, sizeof *ranks, compare_numbers);
    for (size_t i = 1; i < KEYS; i++) require(ranks[i] != ranks[i - 1], "two keys have rank %#llx", (unsigned long long)ranks[i]);
    require(ranks[KEYS - 1] <= width_mask(variant->shape->key_bytes), "rank %#llx", (unsigned long long)ranks[KEYS - 1]);
    free(keys), free(ranks), free(again);
    table_close(&t);
}

static void tables_alike_agree(const struct variant *variant)
{
    static const char *const options[] = {NULL, "hash=mix"};
    uint64_t *keys = numbered_keys(variant->shape, 0, KEYS), *ranks[3];
    for (int i = 0; i < 3; i++) ranks[i] = make_patterns(KEYS);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct table first, alike, other;
        roost_config config;
        table_config(variant, &config);
        config.options = options[i];
        config.seed = 0;
        config.seed_given = 0;
        if (!open_ordering(&first, variant, &config)) break;
        table_open(&other, variant, &config);
        config.options = NULL;
        config.like = first.handle;
        table_open(&alike, variant, &config);
        ranks_of(&first, keys, KEYS, ranks[0]);
        ranks_of(&alike, keys, KEYS, ranks[1]);
        ranks_of(&other, keys, KEYS, ranks[2]);
        require(!memcmp(ranks[0], ranks[1], KEYS * sizeof *keys), "tables that are alike give other ranks");
        require(memcmp(ranks[0], ranks[2], KEYS * sizeof *keys) != 0, "another seed gives the same ranks");
        table_close(&first);
        table_close(&alike);
        table_close(&other);
    }
    for (int i = 0; i < 3; i++) free(ranks[i]);
    free(keys);
}

static void wrong_calls(const struct variant *variant)
{
    const uint32_t key = 1;
    uint64_t rank = 0;
    uint8_t status;
    struct table t;
    roost_call call = ROOST_CALL_INIT;
    table_open(&t, variant, NULL);
    const bool orders = has_order(t.handle);
    require_answer(ARGUMENT, roost_hash_order(NULL, &key, 1, &rank, NULL), NULL, "ranks without a table");
    if (!orders) require_answer(UNSUPPORTED, roost_hash_order(t.handle, &key, 1, &rank, NULL), t.handle, "ranks");
    if (orders) {
        require_answer(ARGUMENT, roost_hash_order(t.handle, NULL, 1, &rank, NULL), t.handle, "ranks without keys");
        require_answer(ARGUMENT, roost_hash_order(t.handle, &key, 1, NULL, NULL), t.handle, "ranks nowhere");
        call.statuses = &status;
        require_answer(ARGUMENT, roost_hash_order(t.handle, &key, 1, &rank, &call), t.handle, "ranks with statuses");
    }
    table_close(&t);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("ranks differ", ranks_differ);
    suite_add_widths("tables alike agree", tables_alike_agree);
    suite_add_once("wrong calls", wrong_calls);
    return suite_run("hash_order");
}
