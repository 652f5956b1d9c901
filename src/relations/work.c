/* Work space of a piece of rows, and what is brought there: columns that the tables' machine does
 * not reach. */
#include "relations/work.h"

#include <string.h>

enum { ROWS_LEAST = 64 };

/* ---- Reach ----------------------------------------------------------------------------------- */

bool column_is_reached(const struct roost_table *t, const void *array)
{
    static const roost_call anywhere = ROOST_CALL_INIT;
    return array_is_reached(t, array, &anywhere);
}

static size_t items_bytes(const struct roost_table *t, const roost_column *c, size_t rows)
{
    return column_item_bytes(c) && !column_is_reached(t, c->values) ? rows * (unsigned)column_item_bytes(c) : 0;
}

/* ---- Making ---------------------------------------------------------------------------------- */

enum { WORDS, PAIRS, NUMBERS, CODES, GROUPS, STATUSES, FRESH, FIXED };
enum { COLUMNS_MOST = ROOST_GROUP_KEYS_MOST + ROOST_GROUP_VALUES_MOST };

static void columns_plan(const struct roost_table *t, const roost_column *columns, int n, size_t rows, size_t *bytes)
{
    for (int i = 0; i < n; i++) {
        bytes[2 * i] = items_bytes(t, &columns[i], rows);
        bytes[2 * i + 1] = column_is_reached(t, columns[i].validity) ? 0 : rows / 8 + 1;
    }
}

static roost_status work_allocate(struct roost_table *t, struct work *w, const struct columns_given *c, size_t rows)
{
    struct backend *const b = t->backend;
    const size_t fixed[FIXED] = {8 * rows, 8 * rows, 4 * rows, 4 * rows, 4 * rows, rows, rows};
    size_t bytes[FIXED + 2 * COLUMNS_MOST] = {0};
    void *at[FIXED + 2 * COLUMNS_MOST];
    memcpy(bytes, fixed, sizeof fixed);
    columns_plan(t, c->keys, c->n_keys, rows, bytes + FIXED);
    columns_plan(t, c->values, c->n_values, rows, bytes + FIXED + 2 * c->n_keys);
    const int arrays = FIXED + 2 * (c->n_keys + c->n_values);
    const size_t all = backend_arrays_bytes(bytes, arrays);
    if (all > w->bytes) {
        work_release(w, b);
        const roost_status status = backend_allocate(b, all, &w->memory);
        if (status) return status;
        w->bytes = all;
    }
    backend_arrays_place(w->memory, bytes, arrays, at);
    w->rows = rows;
    w->encoder = (struct encoder_work){at[WORDS], (uint64_t *)at[PAIRS], (uint32_t *)at[NUMBERS], (uint32_t *)at[CODES]};
    w->groups = (uint32_t *)at[GROUPS];
    w->statuses = (uint8_t *)at[STATUSES], w->fresh = (uint8_t *)at[FRESH];
    for (int i = FIXED; i < arrays; i++) w->columns[i - FIXED] = (char *)at[i];
    return ROOST_OK;
}

roost_status work_make(struct roost_table *t, struct work *w, const struct columns_given *c, size_t rows, void *stream)
{
    const struct error_mark before = error_keep(&t->error);
    roost_status status = relations_begin(t, stream);
    if (status) return status;
    rows = (rows + 7) / 8 * 8;
    status = work_allocate(t, w, c, rows);
    while (status == ROOST_ERR_MEMORY && rows > ROWS_LEAST) {
        error_restore(&before);
        rows = (rows / 2 + 7) / 8 * 8;
        status = work_allocate(t, w, c, rows);
    }
    return relations_end(t, status);
}

void work_release(struct work *w, struct backend *b)
{
    backend_release(b, w->memory, w->bytes);
    w->memory = NULL;
    w->bytes = 0;
}

/* ---- Bringing -------------------------------------------------------------------------------- */

/* An array of a column from a byte on: where it is, or (to not NULL) its copy. */
static roost_status bring(struct roost_table *t, const void *from, size_t first, size_t bytes, char *to, const void **reached)
{
    *reached = array_at(from, first, 1);
    if (!from || !to) return ROOST_OK;
    const roost_status status = t->backend->operations->copy(t->backend, to, *reached, bytes);
    *reached = to;
    return status;
}

static roost_status column_bring(struct roost_table *t, const roost_column *c, struct piece *p, char *const to[2], size_t first,
                                 size_t rows)
{
    const unsigned bytes = (unsigned)column_item_bytes(c);
    const void *validity = NULL;
    memset(p, 0, sizeof *p);
    p->reached.bytes = (int)bytes;
    p->reached.type = (uint8_t)c->type;
    roost_status status = bytes ? bring(t, c->values, first * bytes, rows * bytes, to[0], &p->reached.values) : ROOST_OK;
    if (!status) status = bring(t, c->validity, first / 8, (rows + 7) / 8, to[1], &validity);
    p->reached.validity = (const uint8_t *)validity;
    const roost_strings strings = ROOST_STRINGS_INIT;
    p->strings = strings;
    p->strings.offsets = bytes ? NULL : array_at(c->offsets, first, c->offset_bytes);
    p->strings.bytes = bytes ? NULL : c->values;
    p->strings.offset_bytes = c->offset_bytes;
    return status;
}

roost_status work_bring(struct roost_table *t, const struct work *w, const roost_column *columns, int n, struct piece *pieces,
                        int at, size_t first, size_t rows, void *stream)
{
    roost_status status = relations_begin(t, stream);
    if (status) return status;
    for (int i = 0; !status && i < n; i++)
        status = column_bring(t, &columns[i], &pieces[i], &w->columns[2 * (at + i)], first, rows);
    return relations_end(t, status);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static bool is_aligned(const roost_column *c)
{
    const int bytes = column_item_bytes(c);
    if (c->type == ROOST_TYPE_STRING)
        return !width_is_word(c->offset_bytes) || (uintptr_t)c->offsets % (unsigned)c->offset_bytes == 0;
    return !width_is_word(bytes) || (uintptr_t)c->values % (unsigned)bytes == 0;
}

roost_status columns_check(const roost_column *given, const roost_column *types, size_t stride, int n, size_t rows)
{
    for (int i = 0; i < n; i++) {
        const roost_column *const c = &given[i], *const type =
                                                     (const roost_column *)(const void *)((const char *)types + (size_t)i * stride);
        if (c->size != sizeof *c || c->type != type->type || (c->type == ROOST_TYPE_BYTES && c->bytes != type->bytes))
            return error_set(thread_error(), ROOST_ERR_ARGUMENT, "column %d has not the type of the configuration", i);
        if (rows && !(c->type == ROOST_TYPE_STRING ? c->offsets : c->values))
            return error_set(thread_error(), ROOST_ERR_ARGUMENT, "column %d: an array is NULL", i);
        if (rows && !is_aligned(c))
            return error_set(thread_error(), ROOST_ERR_ARGUMENT, "column %d: an array is not aligned to the width of its items", i);
        if (c->validity && !type->nullable)
            return error_set(thread_error(), ROOST_ERR_ARGUMENT, "column %d was not configured as nullable", i);
    }
    return ROOST_OK;
}
