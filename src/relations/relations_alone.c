/* Updates of groups' words by the only thread of a host: plain loads and stores, and no branches
 * that depend on the values. */
#include "relations/relations_kernels.h"

/* Rows whose groups' words stay in the nearest cache from the first step to the last. */
enum { BLOCK = 64 };

/* ---- Rows of a step ---------------------------------------------------------------------------
 *
 * Constants choose the code of each. */

ROOST_FN void row_add(const struct relations_args *a, uint64_t i, const enum addend kind)
{
    uint64_t *const sum = group_state(a, 0, a->groups[i]), high;
    const uint64_t low = row_addend(a, i, kind, &high);
    *sum = kind == ADD_REAL ? bits_f64(value_f64(*sum) + value_f64(low)) : *sum + low;
    if (kind == ADD_HALVES) *group_state(a, 1, a->groups[i]) += high;
}

ROOST_FN void row_extreme(const struct relations_args *a, uint64_t i, const uint8_t type, const int mode)
{
    uint64_t *const state = group_state(a, 0, a->groups[i]);
    const uint64_t stored = *state, value = column_wide(&a->column, i);
    const uint64_t stays = (uint64_t)value_wins(type, mode, stored, value) - 1; /* all bits, or 0 */
    *state = (stored & stays) | (value & ~stays);
}

#define ROWS(name, row)                                                                                                            \
    static void name(const struct relations_args *args, uint64_t first, uint64_t last)                                             \
    {                                                                                                                              \
        const struct relations_args a = *args;                                                                                     \
        for (uint64_t i = first; i < last; i++)                                                                                    \
            if (row_is_in(&a, i) && column_has(&a.column, i)) row;                                                                 \
    }
ROWS(rows_count, row_add(&a, i, ADD_ONE))
ROWS(rows_sum, row_add(&a, i, ADD_HALVES))
ROWS(rows_sum_real, row_add(&a, i, ADD_REAL))
ROWS(rows_least_i64, row_extreme(&a, i, ROOST_TYPE_I64, ROOST_MIN))
ROWS(rows_least_u64, row_extreme(&a, i, ROOST_TYPE_U64, ROOST_MIN))
ROWS(rows_least_f64, row_extreme(&a, i, ROOST_TYPE_F64, ROOST_MIN))
ROWS(rows_most_i64, row_extreme(&a, i, ROOST_TYPE_I64, ROOST_MAX))
ROWS(rows_most_u64, row_extreme(&a, i, ROOST_TYPE_U64, ROOST_MAX))
ROWS(rows_most_f64, row_extreme(&a, i, ROOST_TYPE_F64, ROOST_MAX))

static void rows_first(const struct relations_args *a, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i < last; i++) relations_first(a, i);
}

typedef void rows_update(const struct relations_args *a, uint64_t first, uint64_t last);

static rows_update *extreme_update_of(const struct batch *cells)
{
    const bool least = cells->mode == ROOST_MIN;
    if (cells->value_type == ROOST_TYPE_I64) return least ? rows_least_i64 : rows_most_i64;
    if (cells->value_type == ROOST_TYPE_F64) return least ? rows_least_f64 : rows_most_f64;
    return least ? rows_least_u64 : rows_most_u64;
}

static rows_update *update_of(const struct relations_step *step)
{
    switch (step->which) {
    case RELATIONS_count: return rows_count;
    case RELATIONS_sum: return rows_sum;
    case RELATIONS_sum_real: return rows_sum_real;
    case RELATIONS_first: return rows_first;
    default: return extreme_update_of(&step->args.cells);
    }
}

/* ---- All steps ------------------------------------------------------------------------------- */

/* The words of group 0 that steps update: from the first to the last of them. */
struct extent {
    const uint64_t *first, *last;
};

static struct extent extent_of(const struct relations_steps *all)
{
    struct extent s = {all->step->args.state[0], all->step->args.state[0]};
    for (int i = 0; i < all->n; i++)
        for (int word = 0; word < 2; word++) {
            const uint64_t *const at = all->step[i].args.state[word];
            if (at && at < s.first) s.first = at;
            if (at && at > s.last) s.last = at;
        }
    return s;
}

static void words_prefetch(const struct relations_args *a, const struct extent *extent, uint64_t first, uint64_t last)
{
    enum { LINE_WORDS = 8 };
    for (uint64_t i = first; i < last; i++) {
        const uint64_t group = (uint64_t)a->groups[i] * a->stride;
        for (const uint64_t *word = extent->first; word < extent->last; word += LINE_WORDS) prefetch_read(word + group);
        prefetch_read(extent->last + group);
    }
}

static uint64_t block_end(uint64_t first, uint64_t last) { return last - first < BLOCK ? last : first + BLOCK; }

static void steps_alone(const void *args, uint64_t first_chunk, uint64_t last_chunk)
{
    const struct relations_steps *const all = (const struct relations_steps *)args;
    const uint64_t first = first_chunk * GROUP_CHUNK, end = last_chunk * GROUP_CHUNK, last = end < all->rows ? end : all->rows;
    const struct extent extent = extent_of(all);
    uint64_t ready = block_end(first, last);
    words_prefetch(&all->step->args, &extent, first, ready);
    for (uint64_t at = first, next; at < last; at = next) {
        next = ready;
        ready = block_end(next, last);
        words_prefetch(&all->step->args, &extent, next, ready);
        for (int i = 0; i < all->n; i++) {
            rows_update *const update = update_of(&all->step[i]);
            update(&all->step[i].args, at, next);
        }
    }
}
const struct kernel relations_host_alone = {"alone", RELATIONS_KERNEL_COUNT + 1, 0, 0, 1, 0, steps_alone, NULL, false, 0, 0};
