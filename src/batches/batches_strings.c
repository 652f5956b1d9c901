/* Strings that the table's machine does not reach are copied to it in pieces.  All offsets are
 * checked before the first string is stored, because wrong offsets could point anywhere. */
#include <string.h>

#include "batches/batches_work.h"

enum {
    SUB_BATCH_ITEMS = 1 << 22,
    /* Bytes of a piece's strings; a single longer string is a piece, too. */
    SUB_BATCH_BYTES = 1 << 27,
    LEAST_ITEMS = 64 /* of a piece at least, however little memory there is */
};

typedef roost_status strings_run(struct engine_table *table, const struct batch *batch);

/* A piece of a batch with its strings in reach. */
struct strings_piece {
    struct batch batch;
    uint64_t from, to; /* range of its bytes */
    void *memory;      /* offsets, then bytes; NULL: all are in place */
    size_t bytes;
};

/* ---- Offsets --------------------------------------------------------------------------------- */

/* Checks a piece's offsets, which are in the machine's reach. */
static roost_status offsets_check(struct engine_table *table, const struct batch *batch)
{
    struct backend *b = table->backend;
    struct batches_args args;
    uint64_t wrong = 0;
    void *word = NULL;
    memset(&args, 0, sizeof args);
    args.batch = *batch;
    args.n = batch->n;
    /* On the host finds may run at the same time, so they share nothing. */
    const bool here = b->operations->machine == MACHINE_HOST;
    /* Outside the table's memory limit, so that strings that are stored can always be updated. */
    roost_status status = here ? ROOST_OK : b->operations->allocate(b, sizeof wrong, &word);
    args.words = here ? &wrong : (uint64_t *)word;
    if (!status && !here) status = b->operations->fill(b, word, 0, sizeof wrong);
    if (!status) status = b->operations->launch(b, batches_kernel_for(b, BATCHES_strings), &args, sizeof args, args.n);
    if (!status && !here) status = backend_read(b, &wrong, word, sizeof wrong);
    if (word) b->operations->release(b, word, sizeof wrong);
    if (status || !wrong) return status;
    return error_set(table->error, ROOST_ERR_ARGUMENT, "%llu strings have falling offsets or more than %d bytes",
                     (unsigned long long)wrong, ROOST_STRING_MOST);
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* Shortens a piece to SUB_BATCH_BYTES, if its bytes have to be copied. */
static roost_status piece_cut(struct backend *b, const struct batch *whole, uint64_t first, struct strings_piece *p)
{
    roost_status status = backend_read_offset(b, whole->key_offsets, whole->offset_bytes, first, &p->from);
    for (;;) {
        if (!status) status = backend_read_offset(b, whole->key_offsets, whole->offset_bytes, first + p->batch.n, &p->to);
        if (status || p->to - p->from <= SUB_BATCH_BYTES || p->batch.n == 1) return status;
        p->batch.n /= 2;
    }
}

static size_t offsets_room(const struct batch *batch)
{
    return batch->strings_away & STRINGS_OFFSETS_AWAY ? (size_t)(batch->n + 1) * batch->offset_bytes : 0;
}

/* Copies offsets and bytes to where the machine reaches them.  batch.keys points to where byte 0
 * of the whole batch would be. */
static roost_status piece_copy(struct backend *b, struct strings_piece *p, bool bytes_too)
{
    const size_t offsets = offsets_room(&p->batch), at = (offsets + 7) / 8 * 8;
    char *const memory = (char *)p->memory;
    const unsigned char *const from = (const unsigned char *)p->batch.keys + p->from;
    roost_status status = ROOST_OK;
    if (offsets) status = b->operations->copy(b, memory, p->batch.key_offsets, offsets);
    if (offsets) p->batch.key_offsets = memory;
    if (!bytes_too || !(p->batch.strings_away & STRINGS_BYTES_AWAY)) return status;
    if (!status && p->to > p->from) status = b->operations->copy(b, memory + at, from, (size_t)(p->to - p->from));
    p->batch.keys = (const void *)((uintptr_t)(memory + at) - p->from);
    return status;
}

/* Copies the strings from `first` on, as many as fit into one piece. */
static roost_status piece_bring(struct backend *b, const struct batch *whole, uint64_t first, bool bytes_too,
                                struct strings_piece *p)
{
    const bool bytes_away = bytes_too && (whole->strings_away & STRINGS_BYTES_AWAY);
    roost_status status;
    p->memory = NULL;
    for (uint64_t n = whole->n - first;; n /= 2) {
        p->batch = batch_part(whole, first, n, 0, whole->value_bytes);
        p->from = p->to = 0;
        if (!whole->strings_away) return ROOST_OK;
        if (p->batch.n > SUB_BATCH_ITEMS) p->batch.n = SUB_BATCH_ITEMS;
        status = bytes_away ? piece_cut(b, whole, first, p) : ROOST_OK;
        if (status) return status;
        p->bytes = offsets_room(&p->batch) + 8 + (size_t)(p->to - p->from);
        status = backend_allocate(b, p->bytes, &p->memory);
        if (status != ROOST_ERR_MEMORY || p->batch.n <= LEAST_ITEMS) break;
        n = p->batch.n;
    }
    if (!status) status = piece_copy(b, p, bytes_too);
    return status;
}

static void piece_release(struct backend *b, struct strings_piece *p)
{
    if (p->memory) backend_release(b, p->memory, p->bytes);
}

static roost_status pieces_run(struct engine_table *table, const struct batch *batch, bool bytes_too, strings_run *run)
{
    struct backend *b = table->backend;
    roost_status failure = ROOST_OK;
    for (uint64_t first = 0; first < batch->n;) {
        struct strings_piece p;
        roost_status status = piece_bring(b, batch, first, bytes_too, &p);
        const bool brought = !status;
        if (brought) status = run(table, &p.batch);
        if (status == ROOST_ERR_MEMORY && !(brought && bytes_too)) batches_untried_from(b, batch, bytes_too ? first : 0);
        piece_release(b, &p);
        if (status && (!brought || !bytes_too || !status_of_items(status))) return status;
        if (!failure) failure = status;
        first += p.batch.n;
    }
    return failure;
}

static roost_status strings_work(struct engine_table *table, const struct batch *batch, bool check, strings_run *run)
{
    struct backend *b = table->backend;
    if (b->capturing && (check || batch->strings_away))
        return error_set(table->error, ROOST_ERR_UNSUPPORTED,
                         "of the calls on strings, only finds and erases of strings on the device can be captured into a graph");
    if (batch->strings_away) b->enqueue = false;
    roost_status status = check ? pieces_run(table, batch, false, offsets_check) : ROOST_OK;
    if (!status) status = pieces_run(table, batch, true, run);
    if (!batch->strings_away) return status;
    const roost_status ended = backend_wait(b); /* the caller's arrays are no longer read */
    return status ? status : ended;
}

/* Are the strings in place on a device?  Then nothing checks their offsets, so that calls can be
 * asynchronous. */
static bool in_place(const struct engine_table *table, const struct batch *batch)
{
    return table->backend->operations->machine != MACHINE_HOST && !batch->strings_away;
}

roost_status batches_strings_insert(struct engine_table *table, const struct batch *batch)
{
    return strings_work(table, batch, true, engine_insert);
}

roost_status batches_strings_number(struct engine_table *table, const struct batch *batch)
{
    return strings_work(table, batch, true, batches_number);
}

roost_status batches_strings_number_by_first(struct engine_table *table, const struct batch *batch)
{
    return strings_work(table, batch, true, batches_number_by_first);
}

roost_status batches_strings_add_one(struct engine_table *table, const struct batch *batch)
{
    return strings_work(table, batch, true, batches_add_one);
}

roost_status batches_strings_find(struct engine_table *table, const struct batch *batch)
{
    return strings_work(table, batch, !in_place(table, batch), engine_find);
}

roost_status batches_strings_erase(struct engine_table *table, const struct batch *batch)
{
    return strings_work(table, batch, !in_place(table, batch), engine_erase);
}
