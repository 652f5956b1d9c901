/* Groups in parts (src/relations/group_parts.c), whose numbers of rows and groups are made small:
 * keys and values of all types that are dealt, batches of any sizes, parts that all threads add,
 * exports across parts, a sum that does not fit, refused memory. */
#include "support/answers.h"
#include "support/faulty_backend.h"
#include "support/group_rows.h"
#include "support/settings.h"
#include "support/tables.h"

#include <stdio.h>
#include <string.h>

/* src/relations/group_parts.c */
extern int group_parts_smaller;
extern uint64_t group_parts_begun, group_parts_heavy;

enum { SMALLER = 11, DISTINCT = 900 /* enough for parts */ };

static const roost_type types[] = {ROOST_TYPE_U32, ROOST_TYPE_U64, ROOST_TYPE_I32, ROOST_TYPE_I64, ROOST_TYPE_F32, ROOST_TYPE_F64};
enum { TYPES = sizeof types / sizeof *types };

static void parts_begin(void)
{
    group_parts_smaller = SMALLER;
    group_parts_begun = group_parts_heavy = 0;
}

/* n: of groups that have parts on a host. */
static void parts_end(uint64_t n)
{
    group_parts_smaller = 0;
    if (settings_on_gpu()) n = 0;
    require(group_parts_begun == n, "%llu of %llu groups had parts", (unsigned long long)group_parts_begun, (unsigned long long)n);
}

static void key_of(struct rows *r, roost_type type, unsigned distinct)
{
    rows_key(r, (struct column_kind){.type = type}, distinct);
}

/* All aggregates that need no order, of values of a type. */
static void values_of(struct rows *r, roost_type type)
{
    rows_first(r);
    rows_value(r, type, false, type_is_float(type) ? DRAW_NAN : DRAW_SMALL);
    for (int kind = ROOST_COUNT_ROWS; kind <= ROOST_COUNT_DISTINCT; kind++)
        if (!type_is_float(type) || (kind != ROOST_SUM && kind != ROOST_MEAN)) rows_aggregate(r, (roost_aggregate_kind)kind, 1);
}

/* ---- Keys and values ------------------------------------------------------------------------- */

static void batches_add(struct rows *r)
{
    static const size_t sizes[] = {3000, 0, 1, 7, 500, 64, 2000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        rows_add(r, sizes[i]);
        if (i == 2) rows_compare(r, 9, 0);
    }
}

static void all_types(const struct variant *variant)
{
    parts_begin();
    for (int i = 0; i < TYPES; i++) {
        struct rows r;
        suite_step("type %d", (int)types[i]);
        rows_begin(&r, variant, 6000);
        key_of(&r, types[i], DISTINCT);
        values_of(&r, types[(i + (int)variant->number) % TYPES]);
        rows_open(&r);
        batches_add(&r);
        rows_compare(&r, 1000, 0);
        rows_compare(&r, 13, 0);
        rows_end(&r);
    }
    parts_end(TYPES);
}

static void several_columns(const struct variant *variant)
{
    struct rows r;
    parts_begin();
    rows_begin(&r, variant, 6000);
    key_of(&r, ROOST_TYPE_F32, 40);
    key_of(&r, ROOST_TYPE_I64, 50);
    key_of(&r, ROOST_TYPE_U32, 2);
    values_of(&r, ROOST_TYPE_I32);
    r.capacity = 5000;
    rows_open(&r);
    batches_add(&r);
    rows_compare(&r, 1000, 0);
    rows_end(&r);
    parts_end(1);
}

/* Groups without parts: an order is asked for, items may be NULL, a key is not dealt, and there are
 * few groups or few rows. */
static void no_parts(const struct variant *variant)
{
    const struct {
        struct column_kind key;
        uint32_t flags;
        bool nullable;
        unsigned distinct, rows;
    } cases[] = {{{.type = ROOST_TYPE_U64}, ROOST_ORDERED, false, DISTINCT, 3000},
                 {{.type = ROOST_TYPE_U64, .nullable = true}, 0, false, DISTINCT, 3000},
                 {{.type = ROOST_TYPE_U64}, 0, true, DISTINCT, 3000},
                 {{.type = ROOST_TYPE_BYTES, .bytes = 5}, 0, false, DISTINCT, 3000},
                 {{.type = ROOST_TYPE_U64}, 0, false, 3, 3000},
                 {{.type = ROOST_TYPE_U64}, 0, false, DISTINCT, 50}};
    parts_begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rows r;
        suite_step("case %zu", i);
        rows_begin(&r, variant, 6000);
        r.flags = cases[i].flags;
        rows_key(&r, cases[i].key, cases[i].distinct);
        rows_first(&r);
        rows_value(&r, ROOST_TYPE_I32, cases[i].nullable, DRAW_SMALL);
        rows_aggregate(&r, ROOST_SUM, 1);
        rows_open(&r);
        rows_add(&r, cases[i].rows);
        rows_add(&r, 3000);
        rows_compare(&r, 1000, 0);
        rows_end(&r);
    }
    parts_end(0);
}

/* ---- Hot keys -------------------------------------------------------------------------------- */

/* Most rows of later batches have one key. */
static void heavy_parts(const struct variant *variant)
{
    struct rows r;
    parts_begin();
    rows_begin(&r, variant, 40000);
    key_of(&r, ROOST_TYPE_I64, DISTINCT);
    values_of(&r, ROOST_TYPE_I64);
    rows_open(&r);
    rows_add(&r, 3000);
    require(group_parts_heavy == 0, "%llu parts of even keys were heavy", (unsigned long long)group_parts_heavy);
    for (int batch = 1; batch < 4; batch++) {
        rows_draw(&r, 10000);
        for (size_t i = r.n; i < r.n + 10000; i++)
            if (draw_below(&r.dice, 10)) r.numbers[0][i] = (uint16_t)batch;
        rows_send(&r, 10000);
        require(settings_on_gpu() || group_parts_heavy == (uint64_t)batch, "%llu parts were heavy",
                (unsigned long long)group_parts_heavy);
    }
    rows_compare(&r, 1000, 0);
    rows_end(&r);
    parts_end(1);
}

/* ---- Exports --------------------------------------------------------------------------------- */

/* One group's sum does not fit: the error names the group, and the others can be read. */
static void sum_that_does_not_fit(const struct variant *variant)
{
    struct rows r;
    struct exported e;
    uint64_t groups, bad = UINT64_MAX;
    char name[32];
    parts_begin();
    rows_begin(&r, variant, 3000);
    key_of(&r, ROOST_TYPE_U32, DISTINCT);
    rows_first(&r);
    rows_value(&r, ROOST_TYPE_U64, false, DRAW_SMALL);
    rows_aggregate(&r, ROOST_SUM, 1);
    rows_open(&r);
    rows_draw(&r, 3000);
    r.numbers[0][100] = r.numbers[0][2000] = 77;
    r.value[1].words[100] = r.value[1].words[2000] = UINT64_MAX;
    rows_send(&r, 3000);
    require_status(ROOST_OK, roost_group_count(r.group, &groups), NULL);
    for (uint64_t i = 0; i < groups; i++) {
        exported_make(&r, &e, 1, 0);
        const roost_status status = exported_call(&r, &e, i, 1);
        require(status == ROOST_OK || bad == UINT64_MAX, "groups %llu and %llu", (unsigned long long)bad, (unsigned long long)i);
        if (status) require_status(ROOST_ERR_OVERFLOW, status, NULL), bad = i;
        exported_free(&r, &e);
    }
    exported_make(&r, &e, groups, 0);
    require_status(ROOST_ERR_OVERFLOW, exported_call(&r, &e, 0, groups), NULL);
    snprintf(name, sizeof name, "in group %llu,", (unsigned long long)bad);
    require(strstr(roost_last_error(NULL), name), "%s: %s", name, roost_last_error(NULL));
    exported_free(&r, &e);
    rows_end(&r);
    parts_end(1);
}

/* ---- Refused memory -------------------------------------------------------------------------- */

static bool fault_at(const struct variant *variant, enum fault_kind kind, uint64_t at, bool on)
{
    struct rows r;
    uint64_t groups;
    const int64_t before = faulty_pieces();
    faulty_begin(FAULTY_PLAIN);
    parts_begin();
    rows_begin(&r, variant, 3000);
    key_of(&r, ROOST_TYPE_U32, DISTINCT);
    rows_first(&r);
    rows_value(&r, ROOST_TYPE_I32, false, DRAW_SMALL);
    rows_aggregate(&r, ROOST_SUM, 1);
    rows_open(&r);
    faulty_arm(kind, at, on);
    rows_draw(&r, 1000);
    roost_status status = rows_give(&r, 1000);
    const bool injected = faulty_injected() > 0;
    faulty_arm(kind, 0, false);
    if (status == ROOST_OK) rows_compare(&r, 1000, 0);
    else if (roost_group_count(r.group, &groups) == ROOST_OK && groups) rows_compare(&r, 1000, 0);
    else (void)rows_give(&r, 500);
    rows_end(&r);
    group_parts_smaller = 0;
    faulty_end_released(before);
    return injected;
}

static void refused_operations(const struct variant *variant) { faulty_each(variant, fault_at); }

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_once("all types", all_types);
    suite_add("all types", all_types, (struct variant){.shape = &shapes[0], .number = 2, .threads = 3});
    suite_add("several columns", several_columns, (struct variant){.shape = &shapes[0], .threads = 2});
    suite_add_once("no parts", no_parts);
    suite_add("heavy parts", heavy_parts, (struct variant){.shape = &shapes[0], .threads = 4});
    suite_add("a sum that does not fit", sum_that_does_not_fit, (struct variant){.shape = &shapes[0], .threads = 2});
    suite_add("refused operations", refused_operations, (struct variant){.shape = &shapes[0], .threads = 2});
    return suite_run("group parts");
}
