/* Kinds of Stadium's boards, for the programs that test all of them. */
#include "support/stadium_kinds.h"

#include "support/settings.h"
#include "support/stadium_tables.h"

const struct stadium_kind stadium_kinds[STADIUM_KINDS] = {
    {1, "ticket=1,probe=group", "4+4"},
    {1, "ticket=1,probe=double", "8+8"},
    {1, "ticket=1,probe=group", "8+0"},
    {2, "ticket=2,probe=group", "8+8"},
    {2, "ticket=2,probe=double", "4+4"},
    {2, "ticket=2,probe=group,access=off", "4+0"},
    {2, "ticket=2,probe=double,access=off", "8+4"},
    {4, "ticket=4", "8+4"},
    {4, "ticket=4,probe=double", "4+8"},
    {4, "ticket=4,access=off", "4+4"},
    {4, "ticket=4,access=off,group=64", "8+8"},
    {8, "ticket=8", "4+4"},
    {8, "ticket=8", "8+8"},
    {8, "ticket=8", "4+0"},
    {8, "ticket=8", "8+0"},
    {8, "ticket=8,group=64", "4+4"},
    {8, "ticket=8,probe=double", "8+8"},
    {8, "ticket=8,access=off", "4+8"},
    {8, "ticket=8,access=off,probe=double", "4+4"},
    {16, "ticket=16", "4+8"},
    {16, "ticket=16,group=64", "8+8"},
    {16, "ticket=16,probe=double", "4+0"},
    {16, "ticket=16,access=off", "8+0"},
    {16, "ticket=16,access=off,group=64", "4+4"},
    {8, "ticket=8,memory=host", "4+4"},
    {16, "ticket=16,memory=host,access=off", "8+8"},
    {2, "ticket=2,probe=group", "64+0"},
    {4, "ticket=4,probe=double", "16+8 u64"},
    {8, "ticket=8", "12+12"},
    {8, "ticket=8,hash=sip", "127+3"},
    {8, "ticket=8,memory=host", "3+1"},
    {16, "ticket=16", "31+4 i32"},
    {2, "ticket=2,probe=double", "s+5"},
    {4, "ticket=4,hash=sip", "s+8 i64"},
    {8, "ticket=8", "s+4 u32"},
    {16, "ticket=16,probe=double", "s+0"},
};

void add_stadium_kinds(const char *behaviour, test_body body, uint64_t number)
{
    for (size_t i = 0; i < STADIUM_KINDS; i += settings_sanitized() ? 2 : 1)
        for (int p = PLACE_HOST; p < (i % 4 ? 1 : suite_placements()); p++)
            suite_add(behaviour, body,
                      (struct variant){.shape = shape_named(stadium_kinds[i].shape),
                                       .options = stadium_kinds[i].options,
                                       .threads = i % 3 ? 8 : 0,
                                       .placement = (enum placement)p,
                                       .number = number == UINT64_MAX ? stadium_kinds[i].bits : number});
}

void add_marked_kinds(const char *behaviour, test_body body, uint64_t number)
{
    for (size_t i = 0; i < STADIUM_KINDS; i++) {
        const struct variant variant = {
            .shape = shape_named(stadium_kinds[i].shape), .options = stadium_kinds[i].options, .number = number};
        const bool lonely =
            /* 4 bytes in a word of 8 look like no mark */
            variant.shape->key_bytes < 8 && variant.shape->value_bytes == 8;
        if (has_marks(&variant) && !(lonely && number > 1)) suite_add(behaviour, body, variant);
    }
}
