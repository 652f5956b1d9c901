/* Wrong arguments in the fuzzer of the API: each is refused by its status, and nothing is done. */
#include "fuzz/api/api_life.h"

#include <roost/mixed.h>
#include <roost/strings.h>

static void refused(const struct api_life *life, roost_status status, roost_status expected, const char *what)
{
    expect(status == expected, "%s ended %s, not %s", what, roost_status_name(status), roost_status_name(expected));
    expect(*roost_last_error(life->table), "%s left no text", what);
}

static void wrong_modes(struct api_life *life, struct api_batch *batch)
{
    const bool arithmetic = shape_has_arithmetic(&life->coding.shape);
    refused(life, life_insert_items(life, (roost_mode)(6 + choose(life->choices, 1000)), batch, NULL), ROOST_ERR_ARGUMENT,
            "a mode beyond all");
    refused(life, life_insert_items(life, life->multi ? ROOST_ASSIGN : ROOST_APPEND, batch, NULL), ROOST_ERR_UNSUPPORTED,
            "a mode of other tables");
    if (!arithmetic && !life->multi)
        refused(life, life_insert_items(life, ROOST_MAX, batch, NULL), ROOST_ERR_UNSUPPORTED, "MAX of values without numbers");
}

static void wrong_calls(struct api_life *life, struct api_batch *batch)
{
    roost_call call = life_call(NULL, 0x8000);
    refused(life, life_find_items(life, batch, NULL, NULL, &call), ROOST_ERR_ARGUMENT, "an unknown flag");
    call.flags = ROOST_ORDERED;
    refused(life, life_erase_items(life, batch, &call), ROOST_ERR_ARGUMENT, "a flag of another call");
    call = life_call(NULL, 0);
    call.size = 3;
    refused(life, life_erase_items(life, batch, &call), ROOST_ERR_ARGUMENT, "a call of no size");
}

/* Calls for arrays on tables of strings, and the other way round. */
static void wrong_keys(struct api_life *life, struct api_batch *batch)
{
    const roost_strings strings = ROOST_STRINGS_INIT;
    if (shape_has_strings(&life->coding.shape)) {
        refused(life, roost_erase(life->table, batch->keys, batch->n, NULL), ROOST_ERR_UNSUPPORTED, "an array of keys");
        refused(life, roost_erase_strings(life->table, NULL, batch->n, NULL), ROOST_ERR_ARGUMENT, "no strings");
        return;
    }
    refused(life, roost_erase_strings(life->table, &strings, batch->n, NULL), ROOST_ERR_UNSUPPORTED, "strings");
    refused(life, roost_erase(life->table, NULL, batch->n, NULL), ROOST_ERR_ARGUMENT, "no keys");
    refused(life, roost_erase(life->table, batch->keys, SIZE_MAX, NULL), ROOST_ERR_ARGUMENT, "more items than there are bytes");
}

static void wrong_exports(struct api_life *life, struct api_batch *batch)
{
    size_t n = 1;
    roost_cursor cursor = {0, 0};
    if (shape_has_strings(&life->coding.shape)) return;
    refused(life, roost_export(life->table, &cursor, batch->keys, NULL, ROOST_EXPORT_MIN - 1, &n, NULL), ROOST_ERR_ARGUMENT,
            "a room too small");
    expect(n == 0, "a refused export gave %zu pairs", n);
    refused(life, roost_export(life->table, NULL, batch->keys, NULL, ROOST_EXPORT_MIN, &n, NULL), ROOST_ERR_ARGUMENT, "no cursor");
}

void step_wrong(struct api_life *life)
{
    struct api_batch batch;
    report_step("wrong arguments");
    life_draw(life, &batch, 1 + (size_t)choose(life->choices, 8));
    wrong_modes(life, &batch);
    wrong_calls(life, &batch);
    wrong_keys(life, &batch);
    wrong_exports(life, &batch);
    refused(life, roost_table_reserve(life->table, UINT64_MAX), ROOST_ERR_ARGUMENT, "a reservation beyond all memory");
    life->totals->calls += 8;
    life_wrote(life, 0);
    batch_free(&batch);
}
