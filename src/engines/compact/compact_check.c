/* Has the table's machine verify all lettered invariants of compact.h, and says what it found. */
#include <inttypes.h>
#include <string.h>

#include "engines/compact/compact_table.h"
#include "engines/walk.h"

static const struct {
    char letter;
    const char *what;
} faults[] = {
    [COMPACT_OUTSIDE] = {'A', "a key lies outside its home"},
    [COMPACT_TWICE] = {'B', "a key is stored twice"},
    [COMPACT_UNFILTERED] = {'G', "the filter of a key's first home lacks its bit"},
    [COMPACT_LEFT] = {'E', "a vacant slot has a state"},
    [COMPACT_UNENDED] = {'E', "a slot is not complete"},
    [COMPACT_LOCKED] = {'D', "a lock is held"},
    [COMPACT_ENTRY_UNENDED] = {'E', "an entry of the stash is not complete"},
    [COMPACT_ENTRY_TWICE] = {'B', "a key is stored twice"},
    [COMPACT_ENTRY_UNFILTERED] = {'G', "the filter of a stashed key's first home lacks its bit"},
    [COMPACT_UNMARKED] = {'H', "the stash has a key, and no mark says so"},
    [COMPACT_UNREACHED] = {'H', "a search of the stash does not reach a key"},
};

/* Items: the buckets, and behind them the entries of the stash. */
static roost_status verify(struct compact_table *t, uint64_t *count, struct compact_marks *marks)
{
    struct backend *b = t->base.backend;
    struct compact_marks *const own = &compact_words_of(t)->marks;
    struct compact_args args;
    memset(&args, 0, sizeof args);
    args.transfer.verifies = true;
    args.transfer.pairs_n = &table_words(&t->base)->pairs_n;
    roost_status status = pairs_clear(&t->base);
    if (!status) status = b->operations->fill(b, &own->fault, 0, sizeof own->fault);
    if (!status) status = compact_launch_units(t, &args, 0, t->size.buckets + t->view.stash_entries);
    if (!status) status = pairs_read(&t->base, count);
    return status ? status : backend_read(b, marks, own, sizeof *marks);
}

roost_status compact_check(struct engine_table *table)
{
    struct compact_table *t = compact_of(table);
    struct compact_marks marks;
    uint64_t count;
    roost_status status = ledger_wait(&table->ledger);
    if (!status) status = compact_whole(t);
    if (!status) status = verify(t, &count, &marks);
    if (status) return status;
    if (marks.fault) {
        const unsigned fault = (unsigned)marks.fault & 0xffu;
        return error_set(table->error, ROOST_ERR_CORRUPT, "invariant %c: %s (%s %" PRIu64 ")", faults[fault].letter,
                         faults[fault].what, fault < COMPACT_ENTRY_UNENDED ? "bucket" : "entry", marks.fault >> 8);
    }
    if (count != t->count)
        return error_set(table->error, ROOST_ERR_CORRUPT, "invariant C: %" PRIu64 " keys are stored, and %" PRIu64 " counted",
                         count, t->count);
    return check_bounds(table, policy_over_full(table) ? "the fill" : NULL, compact_would_shrink(table, t->count));
}
