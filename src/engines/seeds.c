/* Seeds of tables. */
#include "engines/seeds.h"

#include "engines/engine.h"
#include "portable/hash_seeds.h"
#include "portable/random_seed.h"

static const struct hash_seeds *seeds_of_const(const struct engine_table *t)
{
    return (const struct hash_seeds *)(const void *)((const char *)t + t->engine->hooks.seeds_at);
}

struct hash_seeds *seeds_of(struct engine_table *t) { return (struct hash_seeds *)(void *)((char *)t + t->engine->hooks.seeds_at); }

static void seeds_use(struct engine_table *t, enum hash_family family, uint64_t seed)
{
    t->seed = seed;
    hash_seeds_draw(seeds_of(t), family, seed);
}

roost_status seeds_renew(struct engine_table *t)
{
    uint64_t seed;
    if (!random_seed(&seed))
        return error_set(t->error, ROOST_ERR_DEVICE, "the system gave no random number for the hash functions");
    /* A number that signed integers hold, too: it is reported, and may be given again. */
    seeds_use(t, (enum hash_family)seeds_of(t)->family, seed >> 1);
    t->seed_secret = true;
    return ROOST_OK;
}

bool seeds_invite(const struct engine_table *t)
{
    const uint32_t family = seeds_of_const(t)->family;
    return family == HASH_MIX || (family != HASH_UNIVERSAL && !t->seed_secret);
}

uint64_t seeds_secret(const struct engine_table *t)
{
    uint64_t secret;
    return random_seed(&secret) ? secret : mix64(t->seed);
}

roost_status seeds_begin(struct engine_table *t, enum hash_family family, const struct engine_config *config)
{
    const roost_config *c = config->config;
    if (family == HASH_UNIVERSAL && config->key_bytes != 4)
        return error_set(t->error, ROOST_ERR_UNSUPPORTED,
                         "hash=universal is for 4-byte keys: its prime must be above the key universe");
    seeds_of(t)->family = family;
    if (config->like) {
        seeds_use(t, family, config->like->seed);
        t->seed_secret = config->like->seed_secret;
        return ROOST_OK;
    }
    if (!c->seed && !c->seed_given) return seeds_renew(t);
    seeds_use(t, family, c->seed);
    return ROOST_OK;
}
