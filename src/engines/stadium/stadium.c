/* Stadium's face: its options, its kernels and its hooks. */
#include <math.h>

#include "engines/policy.h"
#include "engines/seeds.h"
#include "engines/stadium/stadium_engine.h"
#include "engines/stadium/stadium_table.h"

/* ---- Options -------------------------------------------------------------------------------- */

#define AT(member) OPTION_AT(stadium_options, member)

static const struct option options[] = {
    {.name = "ticket",
     .kind = OPTION_POWER,
     .at = AT(ticket),
     .least = 1,
     .most = 16,
     .initial = "8",
     .help = "bits of a ticket, 1, 2, 4, 8 or 16: more of them send fewer lookups to wrong slots",
     .tune = "4|8|16"},
    {.name = "probe",
     .kind = OPTION_CHOICE,
     .at = AT(probe),
     .values = "auto|group|double",
     .initial = "auto",
     .help = "group: the tickets of a group are looked at together; double: one ticket at a time, by double hashing (the paper's); "
             "auto: group, and double for tickets of 1 and 2 bits",
     .tune = "group|double"},
    {.name = "group",
     .kind = OPTION_POWER,
     .at = AT(group),
     .least = 32,
     .most = 64,
     .automatic = true,
     .initial = "auto",
     .help = "bytes of a group, 32 or 64 (4+4 and 8+8 bytes); auto: 32",
     .tune = "32|64"},
    {.name = "access",
     .kind = OPTION_CHOICE,
     .at = AT(access),
     .values = "auto|on|off",
     .initial = "auto",
     .help = "on: tickets mark pairs that are being written, and operations mix; off: all bits except one are info, and the pairs "
             "hold the marks; auto: on, and off for tickets of 1 bit"},
    {.name = "memory",
     .kind = OPTION_CHOICE,
     .at = AT(memory),
     .values = "device|host|auto",
     .initial = "device",
     .help = "memory of the pairs: device, host (pinned), or auto: host if device memory is refused"},
    {.name = "regions",
     .kind = OPTION_NUMBER,
     .at = AT(regions),
     .least = 1,
     .most = 1000,
     .automatic = true,
     .initial = "auto",
     .help = "regions of the pairs that finds of many keys take one after the other, 1 to 1000; 1: unordered; auto: of 256 MB each "
             "where a GPU reads pairs in the host's memory, else 1"},
    {.name = "lookup",
     .kind = OPTION_CHOICE,
     .at = AT(lookup),
     .values = "tickets|pairs",
     .initial = "tickets",
     .help = "how finds search: by tickets, or pairs: read every pair on the way, as without a board (section IV-B; to compare)"},
    {.name = "hybrid",
     .kind = OPTION_FRACTION,
     .at = AT(hybrid),
     .least = 0.01,
     .most = 1,
     .initial = "1",
     .help = "load factor from which inserts use driver collaborate (section III-C2; 4+4 bytes), 0.01 to 1; 1: none do"},
    {.name = "hash",
     .kind = OPTION_CHOICE,
     .at = AT(hash),
     .values = "keyed|mix|universal|sip",
     .initial = "keyed",
     .help = "hash family, keyed (of strings and keys of other widths than 4 and 8: SipHash-1-3), mix (without the seed's "
             "secrets), universal (4-byte keys) or sip (SipHash-2-4, of strings and such keys)"},
    {.name = "hash_bits",
     .kind = OPTION_NUMBER,
     .at = AT(hash_bits),
     .least = 1,
     .most = 64,
     .initial = "64",
     .help = "bits of the hash of keys of other widths and strings that are used, 1 to 64; few make keys collide, for tests"},
    {.name = NULL}};

/* Resolves `auto`, and refuses combinations that do not go together. */
static roost_status options_settle(struct stadium_options *o, struct error *error)
{
    if (!o->probe) o->probe = o->ticket < 4 ? 2 : 1;
    if (!o->access) o->access = o->ticket == 1 ? 2 : 1;
    if (o->ticket == 1 && o->access == 1) return error_set(error, ROOST_ERR_UNSUPPORTED, "access=on needs tickets of 2 to 16 bits");
    if (o->probe == 2 && o->group > 32) return error_set(error, ROOST_ERR_ARGUMENT, "group=%d is for probe=group", o->group);
    return ROOST_OK;
}

/* ---- Creation ------------------------------------------------------------------------------- */

static const struct shape shapes[] = {STADIUM_SHAPES(ROOST_SHAPE_ROW) ROOST_SHAPE_ANY(ROOST_SHAPE_ROW)};

/* Does a shape match the options' groups and, if its tickets are a constant, the options'
 * tickets? */
static bool is_asked(const struct engine_table *table, struct shape s)
{
    const struct stadium_options *o = &stadium_of_const(table)->options;
    const bool fixed = o->ticket == 8 && o->probe == 1 && o->access == 1 && !o->lookup;
    return (!o->group || group_bytes(s) == o->group) && (fixed || !tickets_fixed(s));
}

static const int choices[] = {STADIUM_find, STADIUM_insert, STADIUM_erase, STADIUM_apply};

static roost_status kernels_choose_all(struct stadium_table *t, int shape)
{
    static const int others[] = {STADIUM_rebuild,  STADIUM_compact, STADIUM_survey, STADIUM_export,
                                 STADIUM_estimate, STADIUM_sift,    STADIUM_codes};
    const roost_status status = policy_kernels(&t->base, shape, choices, SHAPE_any, others, sizeof others / sizeof others[0]);
    if (status) return status;
    t->base.orders_finds = stadium_sifts(t);
    t->crowding = t->base.kernel[STADIUM_insert];
    if (t->options.hybrid < 1) t->crowding = kernels_find(t->base.kernels, STADIUM_insert, shape, DRIVER_collaborate, 0);
    if (t->crowding) return kernels_prepare(t->base.backend, &t->crowding, 1);
    return error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "hybrid: this build has no such kernel for these widths and options");
}

/* Sets the part of a view that does not depend on the table's size. */
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

/* Refuses options that wide pairs do not support, or that only wide pairs support. */
static roost_status wide_check(const struct stadium_table *t)
{
    const struct stadium_options *o = &t->options;
    if (!is_wide(t->base.shape) && (o->hash == STADIUM_HASH_SIP || o->hash_bits < 64))
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED,
                         "hash=sip and hash_bits are for keys of other widths than 4 and 8 bytes, strings, and long values");
    if (o->regions > 1 && t->base.key_bytes == 0)
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "regions=%d: finds of strings are not ordered by region",
                         o->regions);
    if (!is_wide(t->base.shape) || o->access == 1) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_UNSUPPORTED,
                     "tickets of 1 bit and access=off are for keys of 4 and 8 bytes, which can have marks");
}

/* Fixed tables refused no random key before they were full (docs/architecture.md). */
#define SURE_FILL 0.9

/* The family of words; that of byte strings is in the view (wide_plan). */
static enum hash_family family_of(const struct stadium_options *o)
{
    if (o->hash == STADIUM_HASH_UNIVERSAL) return HASH_UNIVERSAL;
    return o->hash == STADIUM_HASH_MIX ? HASH_MIX : HASH_KEYED;
}

static roost_status stadium_configure(struct engine_table *table, const struct engine_config *config)
{
    struct stadium_table *t = stadium_of(table);
    roost_status status = options_settle(&t->options, table->error);
    if (status) return status;
    const int shape = policy_shape(table, shapes, SHAPE_any, is_asked, "group");
    if (shape < 0) return ROOST_ERR_UNSUPPORTED;
    /* The bytes that strings need are read first. */
    table->inserts_wait = config->key_bytes == 0;
    status = wide_check(t);
    if (!status) status = seeds_begin(table, family_of(&t->options), config);
    if (status) return status;
    t->view.info_times = seeds_secret(table) | 1;
    view_plan(t);
    /* Few bits make keys collide under every seed. */
    table->sure_fill = t->options.hash_bits == 64 ? SURE_FILL : 0;
    table->mixes &= t->view.access;
    t->fill_most = fmax(table->max_fill, STADIUM_FILL_MOST);
    status = policy_reach_bounds(table, STADIUM_REACH);
    return status ? status : kernels_choose_all(t, shape);
}

/* ---- The engine ----------------------------------------------------------------------------- */

static uint64_t slots_of(const struct engine_table *table) { return stadium_slots(stadium_of_const(table)); }

static int stadium_hashes(const struct engine_table *table, uint64_t key, uint64_t hash[HASHES_MOST])
{
    *hash = stadium_hash(table->shape, &stadium_of_const(table)->view, key);
    return 1;
}

static bool stadium_hashing(const struct engine_table *table, struct bytes_hash *hash)
{
    *hash = wide_hashing(&stadium_of_const(table)->view);
    return is_wide(table->shape);
}

const struct engine stadium_engine = {
    .name = "stadium",
    .summary = "a board of tickets beside the pairs, which may lie in host memory; any load factor (Khorasani et al.)",
    .operations = "insert (assign keep add min max), find, erase, mixes, export; the same for strings, except mixes",
    .widths = "4+4 8+8 8+4 4+8 4+0 8+0; keys of 1 to 128 bytes and strings, values of 0 to 4096 bytes",
    .options = options,
    .choices = "find|insert|erase|apply",
    .choice_operations = choices,
    .tuned_choices = "find|insert",
    .drivers = "lane|tile|cooperative|once|collaborate",
    .captures = true,
    .mixes = true,
    .kernels = ENGINE_KERNELS(stadium),
    .hooks =
        {
            .table_bytes = sizeof(struct stadium_table),
            .options_at = offsetof(struct stadium_table, options),
            .seeds_at = offsetof(struct stadium_table, view.seeds),
            .words_bytes = sizeof(struct stadium_words),
            .most_parked = STADIUM_MOST_PARKED,
            .extra_bytes = sizeof(uint32_t), /* locks of refills */
            .configure = stadium_configure,
            .make = stadium_make,
            .unmake = stadium_unmake,
            .empty = stadium_clear,
            .hashes = stadium_hashes,
            .hashing = stadium_hashing,
            .count = stadium_stored,
            .slots = slots_of,
            .bytes = stadium_bytes,
            .taken = stadium_taken,
            .stats = stadium_stats,
            .would_shrink = stadium_would_shrink,
            .reserve = stadium_reserve,
            .settle = stadium_settle,
            .begin = stadium_begin,
            .write_piece = stadium_write_piece,
            .resume = stadium_resume,
            .has_room = stadium_has_room,
            .enqueue = stadium_enqueue,
            .erase = stadium_erase,
            .take = stadium_take,
            .mend = stadium_mend,
            .compact = stadium_compact_all,
        },
    .find = stadium_find,
    .export_pairs = stadium_export,
    .check = stadium_check,
    .order = stadium_order,
    .codes = stadium_codes,
    .bulk = true,
    .export_strings = stadium_export_strings,
};
