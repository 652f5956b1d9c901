/* In every call, every operation of the machine fails, once or from then on.  The call reports
 * the failure and the table stays valid.  No stored key is lost or changed, except by the
 * failing call itself.  The next call works, and nothing leaks. */
#include "support/draw.h"
#include "support/faulty_backend.h"
#include "support/fill.h"
#include "support/settings.h"
#include "support/tables.h"
#include "roost/mixed.h"

#include <stdio.h>
#include <string.h>

enum { OLD = 900 /* keys stored before */, NEW = 700 /* of the failing batch; a fifth are old */, ALL = OLD + NEW };

enum verb {
    CREATE,
    INSERT,
    INSERT_GROWING,
    FIND,
    ERASE,
    ERASE_SHRINKING,
    RESERVE,
    RESERVE_LESS,
    CLEAR,
    SYNC,
    EXPORT,
    STATS,
    CHECK,
    APPLY,
    APPLY_ORDERED,
    COMPACT,
    VERBS
};
static const char *const verb_names[] = {"create",  "insert",       "insert, growing", "find",   "erase",  "erase, shrinking",
                                         "reserve", "reserve less", "clear",           "sync",   "export", "stats",
                                         "check",   "apply",        "apply, ordered",  "compact"};

static uint64_t old_value(uint64_t i) { return i * 3 + 1; }
static uint64_t new_value(uint64_t i) { return i * 5 + 2; }

struct scene {
    const struct variant *variant;
    struct table table;
    uint64_t keys[ALL], values[ALL], got[ALL];
    uint8_t found[ALL], statuses[ALL], operations[ALL];
    enum verb verb;
    roost_status status;
    bool has[FAULT_KIND_COUNT]; /* operations of the call when nothing fails */
};

/* Keys first .. first + n - 1 with their old or new values. */
static void take_keys(struct scene *s, uint64_t first, size_t n, uint64_t (*value)(uint64_t))
{
    for (size_t i = 0; i < n; i++) {
        s->keys[i] = distinct_key(&s->table.shape, first + i);
        s->values[i] = value(first + i) & width_mask(s->table.shape.value_bytes);
    }
}

static roost_status create(struct scene *s)
{
    roost_config config;
    table_config(s->variant, &config);
    config.capacity = s->verb == INSERT || s->verb == ERASE ? 2 * ALL : 0;
    if (s->verb == ERASE_SHRINKING) /* a table that is so dense has residuals when it is halved */
        config.min_fill = fill_narrow(config.max_fill);
    const roost_status status = table_create(&s->table, s->variant, &config);
    if (status == ROOST_OK) faulty_stage();
    return status;
}

static bool applies(const struct scene *s) { return s->verb == APPLY || s->verb == APPLY_ORDERED; }

/* The number of old keys that the failing call erases. */
static size_t erased_keys(const struct scene *s)
{
    if (applies(s)) return OLD / 3;
    return s->verb == ERASE ? OLD - 100 : s->verb == ERASE_SHRINKING ? OLD / 2 : 0;
}

/* The first key of the new batch, a fifth of whose keys are stored already. */
enum { FIRST_NEW = OLD - NEW / 5 };

/* Erases some of the old keys, inserts the new ones and looks up those in between. */
static roost_status apply(struct scene *s)
{
    struct mixed mixed = {ALL, s->operations, s->keys, s->values, s->got, s->statuses};
    take_keys(s, 0, ALL, new_value);
    memset(s->operations, ROOST_OP_FIND, ALL);
    memset(s->operations, ROOST_OP_ERASE, erased_keys(s));
    memset(s->operations + FIRST_NEW, ROOST_OP_ASSIGN, NEW);
    return table_apply(&s->table, &mixed, s->verb == APPLY ? 0 : ROOST_ORDERED);
}

static roost_status export_all(const struct table *t)
{
    roost_cursor cursor = {0, 0};
    struct pairs pairs = {0};
    roost_status status = ROOST_OK;
    while (status == ROOST_OK && !cursor.end) status = table_export_some(t, &cursor, 1000, &pairs);
    pairs_free(&pairs);
    return status;
}

static roost_status carry_out(struct scene *s)
{
    struct table *t = &s->table;
    roost_stats stats;
    switch (s->verb) {
    case CREATE: return create(s);
    case INSERT:
    case INSERT_GROWING:
        take_keys(s, FIRST_NEW, NEW, new_value);
        return table_insert(t, ROOST_ASSIGN, s->keys, s->values, NEW, s->statuses);
    case FIND: take_keys(s, 0, ALL, old_value); return table_find(t, s->keys, ALL, s->got, s->found, s->statuses);
    case RESERVE: return roost_table_reserve(t->handle, 3 * ALL);
    case RESERVE_LESS: return roost_table_reserve(t->handle, 0);
    case ERASE:
    case ERASE_SHRINKING: take_keys(s, 0, erased_keys(s), old_value); return table_erase(t, s->keys, erased_keys(s), s->statuses);
    case CLEAR: return roost_table_clear(t->handle);
    case SYNC: return roost_table_sync(t->handle, NULL);
    case EXPORT: return export_all(t);
    case APPLY:
    case APPLY_ORDERED: return apply(s);
    case COMPACT: return roost_compact(t->handle);
    case STATS: return roost_table_stats(t->handle, &stats, sizeof stats);
    default: return roost_table_check(t->handle);
    }
}

/* True if key i is unchanged or as the whole call would leave it. */
static bool key_right(const struct scene *s, uint64_t i, bool found, uint64_t value)
{
    const uint64_t mask = width_mask(s->table.shape.value_bytes), old = old_value(i) & mask, fresh = new_value(i) & mask;
    const bool set = shape_is_set(&s->table.shape), was = i < OLD;
    const bool inserted = (s->verb == INSERT || s->verb == INSERT_GROWING || applies(s)) && i >= FIRST_NEW && i < FIRST_NEW + NEW;
    const bool erased = i < erased_keys(s) || s->verb == CLEAR;
    if (!found) return !was || erased;
    if (set) return was || inserted;
    return (was && value == old) || (inserted && value == fresh);
}

static void compare_contents(struct scene *s)
{
    struct table *t = &s->table;
    take_keys(s, 0, ALL, old_value);
    memset(s->got, 0, sizeof s->got);
    require_status(ROOST_OK, table_find(t, s->keys, ALL, s->got, s->found, NULL), t->handle);
    uint64_t stored = 0;
    for (uint64_t i = 0; i < ALL; i++) {
        require(key_right(s, i, s->found[i], s->got[i]), "key %llu: found %u, value %llx", (unsigned long long)i, s->found[i],
                (unsigned long long)s->got[i]);
        stored += s->found[i];
    }
    const uint64_t count = table_stats(t).count;
    require(count == stored, "the table counts %llu keys, and %llu are found", (unsigned long long)count,
            (unsigned long long)stored);
}

/* Everything works again, whatever failed before. */
static void work_again(struct scene *s)
{
    struct table *t = &s->table;
    take_keys(s, 0, ALL, new_value);
    require_status(ROOST_OK, table_insert(t, ROOST_ASSIGN, s->keys, s->values, ALL, NULL), t->handle);
    memset(s->got, 0, sizeof s->got);
    require_status(ROOST_OK, table_find(t, s->keys, ALL, s->got, s->found, NULL), t->handle);
    for (uint64_t i = 0; i < ALL; i++)
        require(s->found[i] && (shape_is_set(&t->shape) || s->got[i] == s->values[i]), "key %llu is lost", (unsigned long long)i);
    table_check(t);
    require(table_stats(t).count == ALL, "%llu keys", (unsigned long long)table_stats(t).count);
}

static void check_answered(const struct scene *s, bool untried)
{
    for (size_t i = 0; i < ALL; i++) {
        const uint8_t ended = s->statuses[i];
        require(ended <= ROOST_ITEM_NO_MEMORY && (ended == ROOST_ITEM_NONE) == untried, "item %zu ended %u", i, ended);
    }
}

/* Injects one fault, or none if k is 0.  Returns false if the call has no k-th operation of this
 * kind. */
static bool inject(struct scene *s, enum fault_kind kind, uint64_t k, bool on)
{
    const int64_t pieces = faulty_pieces();
    suite_step("%s, %s %llu%s", verb_names[s->verb], faulty_name(kind), (unsigned long long)k, on ? " and on" : "");
    if (s->verb != CREATE) {
        require_status(ROOST_OK, create(s), NULL);
        take_keys(s, 0, OLD, old_value);
        require_status(ROOST_OK, table_insert(&s->table, ROOST_ASSIGN, s->keys, s->values, OLD, NULL), s->table.handle);
        if (s->verb == RESERVE_LESS) require_status(ROOST_OK, roost_table_reserve(s->table.handle, 3 * ALL), s->table.handle);
    }
    memset(s->statuses, UNTOUCHED_BYTE, sizeof s->statuses);
    faulty_arm(kind, k, on);
    s->status = carry_out(s);
    const bool hit = faulty_injected() > 0;
    for (int i = 0; i < FAULT_KIND_COUNT && !k; i++) s->has[i] = faulty_happened((enum fault_kind)i);
    faulty_arm(kind, 0, false);
    if (hit && s->status)
        require(*roost_last_error(s->verb == CREATE ? NULL : s->table.handle) != 0, "%s without words",
                roost_status_name(s->status));
    if (applies(s) && (s->status == ROOST_OK || s->status == ROOST_ERR_MEMORY))
        /* without memory to bring items in, none is tried; for other work the table keeps some */
        check_answered(s, s->status == ROOST_ERR_MEMORY && kind == FAULT_pinned_allocate);
    if (s->verb != CREATE || s->status == ROOST_OK) {
        if (s->verb != CREATE) compare_contents(s);
        table_check(&s->table);
        work_again(s);
        table_close(&s->table);
    }
    require(faulty_pieces() == pieces, "%lld pieces of memory leaked", (long long)(faulty_pieces() - pieces));
    return hit;
}

/* Tries every k of a kind.  On a GPU every third k, if there are such operations, and another
 * third for the next width: the reaction to a fault does not depend on the width. */
static uint64_t inject_each(struct scene *s, enum fault_kind kind)
{
    const bool all = settings_get()->is_short;
    const uint64_t apart = all ? 1 : settings_rounds(1, 3), first = 1 + shape_index(s->variant->shape) % apart;
    uint64_t last = 0;
    if (settings_on_gpu() && !s->has[kind]) return 0;
    for (uint64_t k = first; inject(s, kind, k, false); k += apart) last = k;
    for (uint64_t k = first; k <= last; k += apart) inject(s, kind, k, true);
    return last;
}

static void every_operation_fails(const struct variant *variant)
{
    static struct scene s;
    printf("%-18s", "last k injected");
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) printf(" %s", faulty_name((enum fault_kind)kind));
    printf("\n");
    faulty_begin((enum faulty_machine)variant->number);
    for (int verb = 0; verb < VERBS; verb++) {
        memset(&s, 0, sizeof s);
        s.variant = variant;
        s.verb = (enum verb)verb;
        if (applies(&s) && shape_has_strings(variant->shape)) continue;
        if (settings_on_gpu()) inject(&s, FAULT_open, 0, false);
        printf("%-18s", verb_names[verb]);
        for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
            const uint64_t last = inject_each(&s, (enum fault_kind)kind);
            printf(" %*llu", (int)strlen(faulty_name((enum fault_kind)kind)), (unsigned long long)last);
        }
        printf("\n");
    }
    faulty_end();
}

static void add_machine(const struct test_shape *shape, enum faulty_machine machine)
{
    static const char *const behaviours[] = {"every operation fails", "every operation fails, staged",
                                             "every operation fails, unwaited"};
    const bool there = machine == FAULTY_UNWAITED && settings_on_gpu();
    if (machine == FAULTY_STAGED && settings_on_gpu()) return;
    suite_add(behaviours[machine], every_operation_fails,
              (struct variant){.shape = shape, .placement = there ? PLACE_DEVICE : PLACE_HOST, .number = machine});
}

/* Every width on every machine.  An engine's reaction to a fault depends on neither, so short
 * runs have each machine once, each with another kind of bucket. */
int main(int argc, char **argv)
{
    static const char *const wide[] = {"12+12", "s+4 u32"};
    suite_begin(argc, argv);
    for (size_t shape = 0; shape < SHAPE_COUNT; shape++)
        for (int machine = FAULTY_PLAIN; machine <= FAULTY_UNWAITED; machine++)
            if (!settings_get()->is_short || shape == 2 * (size_t)machine)
                add_machine(&shapes[shape], (enum faulty_machine)machine);
    for (size_t i = 0; i < sizeof wide / sizeof *wide && settings_on_stadium(); i++)
        for (int machine = FAULTY_PLAIN; machine <= FAULTY_UNWAITED; machine++)
            if (!settings_get()->is_short || machine != FAULTY_UNWAITED)
                add_machine(shape_named(wide[i]), (enum faulty_machine)machine);
    return suite_run("faults");
}
