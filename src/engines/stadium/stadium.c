/* Stadium's policy, for both machines: creation, finds, reservations. */
#include "engines/stadium/stadium.h"

#include <string.h>

#include "engines/policy.h"
#include "engines/stadium/stadium_engine.h"
#include "engines/stadium/stadium_table.h"
#include "portable/options.h"

#define OPTIONS_TEXT                                                                                                               \
    "ticket=8: bits of a ticket, 1, 2, 4, 8 or 16: more of them send fewer lookups to wrong slots\n"                               \
    "probe=auto: group: the tickets of a group are looked at together; double: one ticket at a time, by double hashing (the "      \
    "paper's); auto: group, but double for tickets of 1 and 2 bits\n"                                                              \
    "group=auto: bytes of a group, 32 or 64 (4+4 and 8+8 bytes); auto: 32\n"                                                       \
    "access=auto: on: tickets say whether a pair is on its way, and operations mix; off: all their bits but one are info, and "    \
    "pairs say it; auto: on, but for tickets of 1 bit\n"                                                                           \
    "memory=device: where the pairs lie: device, host (pinned memory), or auto: host where the device's is refused\n"              \
    "regions=auto: that finds of many keys take the pairs in, one after the other, 1 to 1000; 1: as the keys come; auto: "         \
    "as come to 256 MB each where a GPU reads pairs in the host's memory, else 1\n"                                                \
    "lookup=tickets: what finds go by: tickets, or pairs: every pair on their way is read, as without a board (section IV-B; to "  \
    "compare)\n" POLICY_BULK_TEXT                                                                                                  \
    "hybrid=1: load factor from which inserts go on by driver collaborate (section III-C2; 4+4 bytes), 0.01 to 1; 1: none do\n"    \
    "hash=mix: hash family, mix, universal (4-byte keys) or sip (SipHash-2-4, keys of other widths and strings: who does not "     \
    "know the "                                                                                                                    \
    "seed cannot make keys collide)\n"                                                                                             \
    "hash_bits=64: bits of the hash of keys of other widths and strings that are used, 1 to 64; few make keys collide, for "       \
    "tests\n"                                                                                                                      \
    "driver=auto: how a tile shares a batch: lane, tile, cooperative, once or collaborate, where the engine has that pair\n"       \
    "tile=auto: lanes of a tile, where such a kernel was built\n"                                                                  \
    "find=auto: the kernel of finds, by driver and lanes, such as once2; also insert, erase and apply\n"

/* What `roost tune` searches. */
#define PARAMETERS_TEXT                                                                                                            \
    "ticket=4|8|16\n"                                                                                                              \
    "probe=group|double\n"                                                                                                         \
    "group=32|64\n"                                                                                                                \
    "find=@\n"                                                                                                                     \
    "insert=@\n"

static struct stadium_table *table_of(struct engine_table *table) { return (struct stadium_table *)table; }

/* ---- Options ------------------------------------------------------------------------------------------------------------------------- */

/* Sets one option; false if the value is none of its values.  *known: whether there is such an option. */
static bool option_set(void *options, const char *name, const char *value, bool *known)
{
    struct stadium_options *o = (struct stadium_options *)options;
    int x = -1;
    *known = true;
    if (!strcmp(name, "ticket")) return o->ticket = 1 << ((x = option_choice(value, "1|2|4|8|16")) & 7), x >= 0;
    if (!strcmp(name, "probe")) return (o->probe = option_choice(value, "auto|group|double")) >= 0;
    if (!strcmp(name, "group")) return o->group = 32 * (x = option_choice(value, "auto|32|64")), x >= 0;
    if (!strcmp(name, "access")) return (o->access = option_choice(value, "auto|on|off")) >= 0;
    if (!strcmp(name, "memory")) return (o->memory = option_choice(value, "device|host|auto")) >= 0;
    if (!strcmp(name, "regions")) return o->regions = option_number(value, 1, 1000), o->regions > 0 || !strcmp(value, "auto");
    if (!strcmp(name, "lookup")) return (o->lookup = option_choice(value, "tickets|pairs")) >= 0;
    if (!strcmp(name, "hybrid")) return (o->hybrid = option_fraction(value, 0.01, 1)) > 0;
    if (!strcmp(name, "hash")) return (o->hash = option_choice(value, "mix|universal|sip")) >= 0;
    if (!strcmp(name, "hash_bits")) return (o->hash_bits = option_number(value, 1, 64)) > 0;
    return policy_kernel_option(&o->kernels, name, value, known);
}

/* What `auto` means, and what does not go together. */
static roost_status options_settle(struct stadium_options *o, struct error *error)
{
    if (!o->probe) o->probe = o->ticket < 4 ? 2 : 1;
    if (!o->access) o->access = o->ticket == 1 ? 2 : 1;
    if (o->ticket == 1 && o->access == 1)
        return error_set(error, ROOST_ERR_UNSUPPORTED, "access=on: a ticket of 1 bit has no room for it; of 2 to 16 bits has");
    if (o->probe == 2 && o->group > 32) return error_set(error, ROOST_ERR_ARGUMENT, "group=%d is for probe=group", o->group);
    return ROOST_OK;
}

static roost_status options_parse(struct stadium_options *o, const struct engine_config *config, struct error *error)
{
    o->ticket = 8;
    o->hybrid = 1;
    o->hash_bits = 64;
    const roost_status status = policy_options(&stadium_engine, config, option_set, o, &o->kernels, error);
    return status ? status : options_settle(o, error);
}

/* ---- Creation ------------------------------------------------------------------------------------------------------------------------ */

static const struct shape shapes[] = {STADIUM_SHAPES(ROOST_SHAPE_ROW) ROOST_SHAPE_ANY(ROOST_SHAPE_ROW)};

/* The first shape of these widths whose groups are as asked and whose tickets, where they are a constant, are as options have them. */
static int shape_choose(const struct stadium_options *o, int key_bytes, int value_bytes)
{
    const bool fixed = o->ticket == 8 && o->probe == 1 && o->access == 1 && !o->lookup;
    if (!width_is_word(key_bytes) || (value_bytes && !width_is_word(value_bytes))) key_bytes = value_bytes = 0; /* wide */
    for (int i = 0; i < SHAPE_any; i++)
        if (shapes[i].key_bytes == key_bytes && shapes[i].value_bytes == value_bytes &&
            (!o->group || group_bytes(shapes[i]) == o->group) && (fixed || !tickets_fixed(shapes[i])))
            return i;
    return -1;
}

static struct kernels kernels_of(const struct backend *b)
{
#if defined(ROOST_WITH_CUDA)
    if (b->operations->machine == MACHINE_CUDA) return stadium_cuda_kernels();
#endif
    (void)b;
    return stadium_host_kernels();
}

static roost_status table_kernels(struct stadium_table *t, int shape)
{
    static const int operations[] = {STADIUM_find, STADIUM_insert, STADIUM_erase, STADIUM_apply};
    const roost_status status = policy_kernels(&t->base, &t->options.kernels, shape, operations);
    t->base.orders_finds = stadium_sifts(t);
    t->find = t->base.chosen[0];
    t->insert = t->base.chosen[1];
    t->erase = t->base.chosen[2];
    t->apply = t->base.chosen[3];
    t->crowding = t->options.hybrid < 1 ? kernels_find(t->base.kernels, STADIUM_insert, shape, DRIVER_collaborate, 0) : t->insert;
    t->rebuild = kernels_default(t->base.kernels, STADIUM_rebuild, shape);
    t->compact = kernels_default(t->base.kernels, STADIUM_compact, SHAPE_any);
    t->survey = kernels_default(t->base.kernels, STADIUM_survey, SHAPE_any);
    t->export_pairs = kernels_default(t->base.kernels, STADIUM_export, SHAPE_any);
    t->estimate = kernels_default(t->base.kernels, STADIUM_estimate, SHAPE_any);
    t->sift = kernels_default(t->base.kernels, STADIUM_sift, SHAPE_any);
    t->codes = kernels_default(t->base.kernels, STADIUM_codes, SHAPE_any);
    if (status || t->crowding) return status;
    return error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "hybrid: this build has no such kernel for these widths and options");
}

static roost_status table_prepare(const struct stadium_table *t)
{
    const struct kernel *const all[] = {t->find,    t->insert, t->crowding,     t->erase,    t->apply, t->rebuild,
                                        t->compact, t->survey, t->export_pairs, t->estimate, t->sift,  t->codes};
    return kernels_prepare(t->base.backend, all, sizeof all / sizeof all[0]);
}

/* What of a view does not depend on the table's size. */
static void view_plan(struct stadium_table *t)
{
    struct stadium_view *v = &t->view;
    const int bits = t->options.ticket;
    while (1 << v->ticket_log < bits) v->ticket_log++;
    v->access = t->options.access == 1;
    v->single = t->options.probe == 2;
    v->every_pair = t->options.lookup == 1;
    v->infos = (1u << (bits - 1)) - (v->access ? 1 : 0);
    v->available = 0;
    for (int i = 0; i < 32; i += bits) v->available |= 1u << i;
    v->below_top = ~(v->available << (bits - 1));
}

static uint32_t padded_to(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

/* The layout of wide pairs: the value first, behind its sequence if it has one, then the key; each where its words are aligned. */
static void wide_plan(struct stadium_table *t)
{
    struct stadium_wide *w = &t->view.wide;
    const bool is_long = value_is_long((uint32_t)t->value_bytes);
    w->key_bytes = (uint32_t)t->key_bytes;
    w->value_bytes = (uint32_t)t->value_bytes;
    w->strings = t->key_bytes == 0;
    w->sip = t->options.hash == 2;
    w->hash_mask = ~0ULL >> (64 - t->options.hash_bits);
    w->ends = &t->words->ends;
    w->value_at = is_long ? 8 : 0;
    w->key_at = padded_to(w->value_at + w->value_bytes, is_long || w->strings ? 8 : 4);
    const uint32_t key_bytes = w->strings ? (uint32_t)sizeof(struct stadium_string) : w->key_bytes;
    w->pair_bytes = padded_to(w->key_at + key_bytes, is_long || w->strings || w->value_bytes == 8 ? 8 : 4);
}

/* What wide pairs have not, and what they alone have. */
static roost_status wide_check(const struct stadium_table *t)
{
    const struct stadium_options *o = &t->options;
    if (!is_wide(t->shape) && (o->hash == 2 || o->hash_bits < 64))
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED,
                         "hash=sip and hash_bits are for keys of other widths than 4 and 8 bytes, strings, and long values");
    if (o->regions > 1 && t->key_bytes == 0)
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "regions=%d: finds of strings go as they come", o->regions);
    if (!is_wide(t->shape) || o->access == 1) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_UNSUPPORTED,
                     "tickets of 1 bit and access=off are for keys of 4 and 8 bytes, which can have marks");
}

static roost_status table_configure(struct stadium_table *t, const struct engine_config *config)
{
    roost_status status = options_parse(&t->options, config, t->base.error);
    if (status) return status;
    t->key_bytes = config->key_bytes;
    t->value_bytes = config->value_bytes;
    const int shape = shape_choose(&t->options, config->key_bytes, config->value_bytes);
    if (shape < 0)
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "stadium: %d+%d bytes with groups of %d bytes were not built",
                         config->key_bytes, config->value_bytes, t->options.group);
    t->shape = shapes[shape];
    status = wide_check(t);
    if (!status) status = policy_seeds(&t->view.seeds, t->options.hash == 1, config, t->base.error);
    if (status) return status;
    t->value_type = config->value_type;
    t->growth = config->config->growth != 0;
    t->saturate = config->config->saturate != 0;
    t->floor_keys = config->config->capacity;
    view_plan(t);
    status = policy_reach_bounds(config->config, STADIUM_REACH, &t->min_fill, &t->max_fill, t->base.error);
    if (!status) status = table_kernels(t, shape);
    return status ? status : table_prepare(t);
}

static void stadium_destroy(struct engine_table *table)
{
    struct stadium_table *t = table_of(table);
    stadium_unmake(t);
    lists_release(&t->lists);
    ledger_release(&t->ledger);
    host_delete(&t->base.backend->allocator, t, sizeof *t);
}

static roost_status stadium_create(struct engine_table **table, const struct engine_config *config, struct backend *b,
                                   struct error *error)
{
    struct stadium_table *t = (struct stadium_table *)policy_new(sizeof *t, &stadium_engine, config, b, error);
    if (!t) return ROOST_ERR_MEMORY;
    t->base.kernels = kernels_of(b);
    roost_status status = table_configure(t, config);
    if (!status) status = stadium_words_make(t);
    if (!status && is_wide(t->shape)) wide_plan(t);
    if (!status) status = stadium_make(t);
    if (!status) status = lists_begin(&t->lists, &t->base, STADIUM_CHUNK, sizeof(uint32_t)); /* locks of refills */
    if (status) stadium_destroy(&t->base);
    else *table = &t->base;
    return status;
}

/* ---- Kernels -------------------------------------------------------------------------------------------------------------------------- */

struct stadium_args stadium_batch_args(const struct stadium_table *t, const struct batch *batch)
{
    struct stadium_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch = *batch;
    args.batch.counters = &t->words->counters;
    args.batch.value_type = (uint8_t)t->value_type;
    args.batch.saturate = t->saturate;
    args.batch.park_status = ROOST_ITEM_FULL;
    return args;
}

roost_status stadium_launch_over(struct stadium_table *t, const struct kernel *k, struct stadium_args *args, uint64_t n)
{
    args->view = t->view;
    args->batch.n = n;
    args->transfer.shape = t->shape;
    return t->base.backend->operations->launch(t->base.backend, k, args, sizeof *args, n);
}

static roost_status stadium_find(struct engine_table *table, const struct batch *batch)
{
    struct stadium_table *t = table_of(table);
    ledger_catch_up(&t->ledger);
    struct stadium_args args = stadium_batch_args(t, batch);
    if (!ROOST_PROBES) args.batch.counters = NULL; /* finds count nothing but probes */
    return backend_launch(table->backend, t->find, &args, sizeof args, batch->n);
}

/* ---- The rest -------------------------------------------------------------------------------------------------------------------------- */

static roost_status stadium_reserve(struct engine_table *table, uint64_t keys)
{
    struct stadium_table *t = table_of(table);
    roost_status status = ledger_wait(&t->ledger);
    if (status) return ledger_ended(&t->ledger, status);
    const bool refused = t->ledger.refused;
    t->ledger.refused = false;
    if (!stadium_has_room(t, keys)) status = stadium_reserve_room(t, keys);
    if (status == ROOST_ERR_MEMORY || status == ROOST_ERR_ARGUMENT) {
        t->ledger.refused = refused;
        return status; /* the table is what it was */
    }
    if (status) return ledger_ended(&t->ledger, status);
    t->floor_keys = keys;
    t->ledger.behind = false;
    return ledger_ended(&t->ledger, t->growth ? stadium_shrink(t) : ROOST_OK);
}

static roost_status stadium_clear(struct engine_table *table)
{
    struct stadium_table *t = table_of(table);
    roost_status status = ledger_wait(&t->ledger);
    t->ledger.refused = t->ledger.behind = false;
    if (!status) status = stadium_make_empty(t);
    return ledger_ended(&t->ledger, status);
}

static roost_status stadium_sync(struct engine_table *table, uint64_t *items_failed)
{
    struct stadium_table *t = table_of(table);
    *items_failed = 0;
    roost_status status = backend_wait(table->backend);
    if (!status) status = ledger_wait(&t->ledger);
    if (!status) { /* what calls before could not do */
        t->ledger.refused = t->ledger.behind = false;
        status = stadium_settle(t);
        if (!status) status = stadium_shrink(t);
    }
    return status ? ledger_ended(&t->ledger, status) : ledger_failures(&t->ledger, t->growth, items_failed);
}

static roost_status stadium_compact(struct engine_table *table)
{
    struct stadium_table *t = table_of(table);
    roost_status status = ledger_wait(&t->ledger);
    if (!status && t->tombstones) status = stadium_reclaim(t, true);
    if (!status) status = stadium_arena_compact(t, true);
    return status == ROOST_ERR_MEMORY ? status : ledger_ended(&t->ledger, status);
}

const struct engine stadium_engine = {
    .name = "stadium",
    .summary = "a board of tickets beside the pairs, which may lie in host memory; any load factor (Khorasani et al.)",
    .operations = "insert (assign keep add min max), find, erase, mixes, export; the same of strings, but for mixes",
    .widths = "4+4 8+8 8+4 4+8 4+0 8+0; keys of 1 to 128 bytes and strings, values of 0 to 4096 bytes",
    .options = OPTIONS_TEXT,
    .parameters = PARAMETERS_TEXT,
    .choices = "find|insert|erase|apply",
    .drivers = "lane|tile|cooperative|once|collaborate",
    .captures = true,
    .create = stadium_create,
    .destroy = stadium_destroy,
    .clear = stadium_clear,
    .reserve = stadium_reserve,
    .sync = stadium_sync,
    .insert = stadium_insert,
    .find = stadium_find,
    .erase = stadium_erase,
    .export_pairs = stadium_export,
    .stats = stadium_stats,
    .check = stadium_check,
    .apply = stadium_apply,
    .compact = stadium_compact,
    .order = stadium_order,
    .codes = stadium_codes,
    .bulk = true,
    .export_strings = stadium_export_strings,
};
