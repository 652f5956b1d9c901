/* Functions that the engines' policies share. */
#include "engines/policy.h"

#include <math.h>
#include <string.h>

#include "engines/seeds.h"
#include "portable/options.h"

/* ---- Shapes --------------------------------------------------------------------------------- */

int policy_shape(struct engine_table *t, const struct shape *shapes, int n,
                 bool (*is_asked)(const struct engine_table *t, struct shape s), const char *asking)
{
    const bool words = width_is_word(t->key_bytes) && (!t->value_bytes || width_is_word(t->value_bytes));
    const int key_bytes = words ? t->key_bytes : 0, value_bytes = words ? t->value_bytes : 0;
    for (int i = 0; i < n; i++) {
        if (shapes[i].key_bytes != key_bytes || shapes[i].value_bytes != value_bytes || !is_asked(t, shapes[i])) continue;
        t->shape = shapes[i];
        return i;
    }
    (void)error_set(t->error, ROOST_ERR_UNSUPPORTED, "%s: %d+%d bytes with these options (%s) were not built", t->engine->name,
                    t->key_bytes, t->value_bytes, asking);
    return -1;
}

/* ---- Kernels -------------------------------------------------------------------------------- */

/* The name of choice i. */
static int choice_name(const struct engine *engine, int i, const char **name)
{
    *name = engine->choices;
    for (; i > 0; i--) *name = strchr(*name, '|') + 1;
    return (int)strcspn(*name, "|");
}

/* Finds the kernel that an option asks for by its operation's name. */
static roost_status kernel_by_name(struct engine_table *t, const struct kernel_ask *ask, int shape, int operation, int choice)
{
    const char *name;
    const int length = choice_name(t->engine, choice, &name);
    t->chosen[choice] = kernels_find(t->kernels, operation, shape, ask->driver, ask->lanes);
    if (t->chosen[choice]) return ROOST_OK;
    if (!ask->profiles)
        return error_set(t->error, ROOST_ERR_UNSUPPORTED, "%.*s=%s: this build has no such kernel for these widths and options",
                         length, name, ask->value);
    t->chosen[choice] = kernels_nearest(t->kernels, operation, shape, ask->driver, ask->lanes);
    if (t->chosen[choice])
        warning_add(t->warnings, "this build lacks the profile's kernel %.*s=%s for these widths and options: it uses %s", length,
                    name, ask->value, t->chosen[choice]->name);
    return ROOST_OK;
}

/* A driver or tile that is asked for applies to the operations that have such a kernel; at least
 * one must. */
static roost_status choices_take(struct engine_table *t, int shape, const int *operations)
{
    bool any = false, all = true; /* some kernels exist only for some shapes */
    for (int i = 0; i < option_choices(t->engine->choices); i++) {
        if (t->asks.of[i].driver >= 0) {
            const roost_status status = kernel_by_name(t, &t->asks.of[i], shape, operations[i], i);
            if (status) return status;
            any |= t->asks.all.driver < 0 && !t->asks.all.lanes;
        } else {
            any |= kernels_choose(t->kernels, operations[i], shape, t->asks.all.driver, t->asks.all.lanes, &t->chosen[i]);
        }
        all &= t->chosen[i] != NULL;
        t->kernel[t->engine->choice_operations[i]] = t->chosen[i];
    }
    if (any && all) return ROOST_OK;
    return error_set(t->error, ROOST_ERR_UNSUPPORTED, "no kernel of this width has this driver and tile");
}

roost_status policy_kernels(struct engine_table *t, int shape, const int *operations, int any, const int *others, int n)
{
    const roost_status status = choices_take(t, shape, operations);
    if (status) return status;
    for (int i = 0; i < n; i++) {
        const struct kernel *own = kernels_default(t->kernels, others[i], shape);
        t->kernel[others[i]] = own ? own : kernels_default(t->kernels, others[i], any);
    }
    return kernels_prepare(t->backend, t->kernel, ENGINE_OPERATIONS);
}

bool policy_unasked(const struct engine_table *t, int choice)
{
    return t->asks.of[choice].driver < 0 && t->asks.all.driver < 0 && !t->asks.all.lanes;
}

/* ---- Bounds --------------------------------------------------------------------------------- */

roost_status policy_doubling_bounds(const struct engine_table *t)
{
    if (!t->growth || t->min_fill <= 0 || t->min_fill < t->max_fill / 2) return ROOST_OK;
    return error_set(
        t->error, ROOST_ERR_ARGUMENT,
        "fill bounds %.3f..%.3f: the lower one must be below %.3f, half of the upper one, or growth could cause shrinking",
        t->min_fill, t->max_fill, t->max_fill / 2);
}

roost_status policy_reach_bounds(struct engine_table *t, double reach)
{
    const roost_status status = policy_doubling_bounds(t);
    if (reach >= t->max_fill) return status;
    t->max_fill = reach;
    t->min_fill = fmin(t->min_fill, 0.45 * reach);
    return status;
}

/* ---- Growing and shrinking ------------------------------------------------------------------ */

static uint64_t slots_taken(const struct engine_table *t)
{
    const struct table_hooks *h = &t->engine->hooks;
    return h->taken ? h->taken(t) : h->count(t);
}

/* Parts of a growing table differ in size, and few keys may fall into the smaller ones by chance.
 * dycuckoo is the worst: half of the keys have both homes in three of five parts.  Their number
 * stays below those parts' slots, by seven standard deviations, from this many square roots of the
 * slots below the sure fill. */
#define SPREAD 3.0

bool policy_doubts_below(const struct engine_table *t, double share)
{
    const double slots = (double)t->engine->hooks.slots(t), spread = t->growth ? SPREAD * sqrt(slots) : 0;
    return policy_may_reseed(t) && (double)slots_taken(t) <= share * (t->sure_fill * slots - spread);
}

bool policy_may_reseed_once(const struct engine_table *t)
{
    const bool once = t->sure_fill > 0 && !t->stats.reseeds && policy_may_reseed(t);
    return once && (!t->growth || seeds_invite(t));
}

static bool is_made_for_more(const struct engine_table *t) { return policy_may_reseed_once(t) && slots_taken(t) < t->floor_keys; }

bool policy_doubts(const struct engine_table *t) { return policy_doubts_below(t, 1) || is_made_for_more(t); }

bool policy_at_bound(const struct engine_table *t, uint64_t waiting)
{
    enum { GROWTH_MOST = 4 };
    const struct table_hooks *h = &t->engine->hooks;
    const uint64_t count = slots_taken(t) + waiting, keys = count > t->floor_keys ? count : t->floor_keys;
    const double needed = (double)keys / t->max_fill, least = (double)t->call_slots;
    return (double)h->slots(t) * 2 > GROWTH_MOST * (needed > least ? needed : least);
}

bool policy_over_full(const struct engine_table *t)
{
    const struct table_hooks *h = &t->engine->hooks;
    return !policy_is_within(t, h->count(t), h->slots(t));
}

roost_status policy_grow(struct engine_table *t, bool (*over_full)(const struct engine_table *t),
                         roost_status (*step)(struct engine_table *t))
{
    const struct error_mark before = error_keep(t->error);
    roost_status status = ROOST_OK;
    while (!status && t->growth && !ledger_refused(&t->ledger) && over_full(t)) status = step(t);
    return ledger_forgive(&t->ledger, &before, status);
}

/* The bytes that the limit leaves for a table which has `own`, except for a 32nd, which calls
 * use. */
static uint64_t bytes_granted(const struct engine_table *t, uint64_t own, uint64_t beside)
{
    const struct backend *b = t->backend;
    const uint64_t others = b->bytes_now - own + beside;
    return b->memory_limit > others ? (b->memory_limit - others) / 32 * 31 : 0;
}

/* The bytes that a step to the size of `wanted` bytes should lead to. */
static uint64_t bytes_next(uint64_t all, uint64_t own, uint64_t wanted)
{
    const uint64_t before_last = all / 3, last = before_last * 2, left = all > own ? all - own : 0;
    if (wanted <= before_last) return wanted;
    /* A step to the last size would be by a factor of more than 2.2. */
    if (own < before_last / 16 * 15 && wanted <= 2 * own + own / 8) return before_last;
    const uint64_t most = wanted > last ? wanted : last;
    return most < left ? most : left;
}

uint64_t policy_growth_size(const struct engine_table *t, const struct growth *g)
{
    const uint64_t own = g->bytes_of(t, g->now), need = g->bytes_of(t, g->wanted), sure = g->keys - g->keys / 8;
    const uint64_t granted = bytes_granted(t, own, g->in_place ? 0 : g->beside), whole = granted / 23 * 20;
    const uint64_t next = !g->in_place ? bytes_next(granted, own, need) : need < whole ? need : whole;
    const uint64_t bytes = t->backend->memory_limit ? next : need;
    uint64_t fits = g->now, above = 2 * g->wanted; /* the last size is below that */
    if (bytes == need) return g->wanted;
    while (above - fits > 1) {
        const uint64_t middle = fits + (above - fits) / 2;
        const bool is_low = middle > g->wanted && policy_is_low(t, sure, g->slots_of(t, middle));
        if (!is_low && g->bytes_of(t, middle) <= bytes) fits = middle;
        else above = middle;
    }
    return fits > g->now ? fits : g->wanted;
}

roost_status policy_grown(struct engine_table *t, roost_status status, uint64_t moved, bool forced)
{
    if (status == ROOST_ERR_MEMORY) ledger_refuse(&t->ledger);
    if (status) return status;
    t->stats.grow_steps++;
    t->stats.forced_grow_steps += forced;
    if (moved > t->stats.largest_rehash) t->stats.largest_rehash = moved;
    return ROOST_OK;
}

roost_status policy_shrink(struct engine_table *t, roost_status (*step)(struct engine_table *t))
{
    const struct table_hooks *h = &t->engine->hooks;
    const struct error_mark before = error_keep(t->error);
    roost_status status = ROOST_OK;
    while (!status && h->would_shrink(t, h->count(t))) status = step(t);
    t->stats.shrink_aborts += status == ROOST_ERR_MEMORY;
    return ledger_forgive(&t->ledger, &before, status);
}

roost_status policy_shrunk(struct engine_table *t, roost_status status, bool done, uint64_t steps)
{
    if (!done) return status ? status : ROOST_ERR_MEMORY;
    t->stats.shrink_steps += steps;
    t->backend->operations->trim(t->backend);
    return status;
}

/* ---- Order of batches ----------------------------------------------------------------------- */

/* From this size (bytes) on, a cache holds no whole table, but any of its regions. */
#define REUSED ((uint64_t)1000000000)

bool policy_erases_pay(uint64_t bytes, uint64_t n, uint64_t count)
{
    return bytes >= POLICY_ERASES_FAR || (bytes >= REUSED && n >= count / 2);
}
