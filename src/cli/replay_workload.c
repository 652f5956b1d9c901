/* Reads the keys of files, and draws from them. */
#include "cli/replay_workload.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/key_batch.h"
#include "cli/progress.h"
#include "cli/ranks.h"

enum { KEYS_READ = 1 << 16 /* keys read at a time */ };

/* ---- Arrays ---------------------------------------------------------------------------------- */

static bool grow_bytes(struct workload_array *array, size_t bytes)
{
    if (bytes <= array->bytes_room) return true;
    if (bytes > SIZE_MAX / 2) return false;
    const size_t room = bytes < 2 * array->bytes_room ? 2 * array->bytes_room : bytes + bytes / 8;
    uint8_t *grown = (uint8_t *)realloc(array->bytes, room);
    if (grown == NULL) return false;
    array->bytes = grown;
    array->bytes_room = room;
    return true;
}

/* Makes room for n keys, or for the offsets of n strings. */
static bool grow_keys(struct workload_array *array, struct key_kind kind, size_t n)
{
    if (n <= array->room) return true;
    const size_t room = n < 2 * array->room ? 2 * array->room : n;
    if (room > SIZE_MAX / 4 / (kind.bytes + sizeof *array->offsets)) return false;
    if (kind.type != IO_STRING) {
        if (!grow_bytes(array, room * kind.bytes)) return false;
    } else {
        uint64_t *offsets = (uint64_t *)realloc(array->offsets, (room + 1) * sizeof *offsets);
        if (offsets == NULL) return false;
        array->offsets = offsets;
        if (array->room == 0) offsets[0] = 0;
    }
    array->room = room;
    return true;
}

/* Writes key i, after the i keys before it. */
static bool put_key(struct workload_array *array, struct key_kind kind, size_t i, struct key_bytes key)
{
    const size_t at = kind.type == IO_STRING ? (size_t)array->offsets[i] : i * kind.bytes;
    if (key.length > SIZE_MAX / 2 - at || !grow_bytes(array, at + key.length)) return false;
    if (key.length > 0) memcpy(array->bytes + at, key.at, key.length);
    if (kind.type == IO_STRING) array->offsets[i + 1] = at + key.length;
    return true;
}

void workload_array_release(struct workload_array *array)
{
    free(array->bytes);
    free(array->offsets);
    memset(array, 0, sizeof *array);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Keys that this rank has read: of one process those of all files, of several those of its part of
 * one file. */
struct part_read {
    struct workload_array keys;
    size_t n;
};

static bool add_batch(struct part_read *part, struct key_kind kind, const struct key_batch *batch)
{
    if (!grow_keys(&part->keys, kind, part->n + batch->n)) return false;
    for (size_t i = 0; i < batch->n; i++)
        if (!put_key(&part->keys, kind, part->n++, key_batch_get(batch, i))) return false;
    return true;
}

static int read_part(struct part_read *part, struct io_reader *reader, struct key_kind kind, uint64_t bytes_done)
{
    struct key_batch batch = {.n = 1};
    uint64_t length;
    int result = key_batch_make(&batch, kind, KEYS_READ);
    for (bool more = true; result == 0 && more; more = batch.n > 0) {
        result = key_batch_read(&batch, reader);
        if (result == 0 && !add_batch(part, kind, &batch)) result = command_fail("out of memory for %zu keys", part->n + KEYS_READ);
        if (result == 0) progress_show(bytes_done + io_reader_position(reader, &length), part->n);
    }
    key_batch_release(&batch);
    return result;
}

/* ---- Dealing out ----------------------------------------------------------------------------- */

/* How many keys with numbers below n a rank holds. */
static size_t held_below(const struct workload *workload, size_t rank, size_t n)
{
    return (n + workload->ranks - 1 - rank) / workload->ranks;
}

static size_t held_between(const struct workload *workload, size_t rank, size_t first, size_t end)
{
    return held_below(workload, rank, end) - held_below(workload, rank, first);
}

/* Copies the keys to where they are sent from: those of rank 0 first.  `first` is the number of the
 * first one. */
static void stack_keys(const struct workload *workload, const struct part_read *part, size_t first, uint8_t *stacked)
{
    const size_t bytes = workload->kind.bytes, ranks = workload->ranks;
    for (size_t rank = 0; rank < ranks; rank++)
        for (size_t i = (rank + ranks - first % ranks) % ranks; i < part->n; i += ranks, stacked += bytes)
            memcpy(stacked, part->keys.bytes + i * bytes, bytes);
}

/* read_by: how many keys each rank has read.  to, from: for the bytes of keys by rank. */
static int exchange_keys(struct workload *workload, const struct part_read *part, const uint64_t *read_by, uint64_t *to,
                         uint64_t *from)
{
    const size_t bytes = workload->kind.bytes;
    size_t first = workload->n, mine = 0;
    for (size_t rank = 0; rank < workload->ranks; first += (size_t)read_by[rank++]) {
        from[rank] = bytes * held_between(workload, workload->rank, first, first + (size_t)read_by[rank]);
        if (rank == workload->rank) mine = first;
    }
    for (size_t rank = 0; rank < workload->ranks; rank++) to[rank] = bytes * held_between(workload, rank, mine, mine + part->n);
    const size_t held = held_below(workload, workload->rank, first);
    uint8_t *const stacked = (uint8_t *)malloc(part->n * bytes + 1);
    int result = stacked != NULL && grow_keys(&workload->keys, workload->kind, held)
                     ? 0
                     : command_fail("out of memory for %zu keys", held + part->n);
    if (result == 0) stack_keys(workload, part, mine, stacked);
    if (result == 0) result = ranks_exchange(stacked, to, workload->keys.bytes + workload->held * bytes, from);
    free(stacked);
    workload->n = first;
    workload->held = held;
    return result;
}

/* Deals out what the ranks have read of a file. */
static int deal(struct workload *workload, const struct part_read *part)
{
    const size_t ranks = workload->ranks;
    uint64_t *const numbers = (uint64_t *)calloc(3 * ranks, sizeof *numbers);
    if (numbers == NULL) return command_fail("out of memory");
    numbers[workload->rank] = part->n;
    int result = ranks_sum(numbers, (int)ranks);
    if (result == 0) result = exchange_keys(workload, part, numbers, numbers + ranks, numbers + 2 * ranks);
    free(numbers);
    return result;
}

static int read_share(struct workload *workload, struct io_reader *reader, size_t i, uint64_t bytes_done)
{
    struct part_read part = {.n = 0};
    bool reads = false;
    int result = input_options_share(reader, i, &reads);
    if (result == 0 && reads) result = read_part(&part, reader, workload->kind, bytes_done);
    if (result == 0) result = deal(workload, &part);
    workload_array_release(&part.keys);
    return result;
}

/* One process holds what it reads. */
static int read_whole(struct workload *workload, struct io_reader *reader, uint64_t bytes_done)
{
    struct part_read part = {workload->keys, workload->n};
    const int result = read_part(&part, reader, workload->kind, bytes_done);
    workload->keys = part.keys;
    workload->n = workload->held = part.n;
    return result;
}

/* bytes_done: bytes of the files before; the file's bytes are added. */
static int read_file(struct workload *workload, const struct input_options *input, size_t i, uint64_t *bytes_done)
{
    struct io_reader *reader;
    int result = input_options_open(input, i, &reader, &workload->kind);
    if (result != 0) return result;
    uint64_t length = 0;
    if (workload->ranks == 1) result = read_whole(workload, reader, *bytes_done);
    else if (workload->kind.type == IO_STRING) result = command_fail("a table whose keys are strings is not spread over ranks");
    else result = read_share(workload, reader, i, *bytes_done);
    *bytes_done += io_reader_position(reader, &length);
    if (result == 0) (void)input_options_warn(input, i, reader);
    io_reader_close(reader);
    return result;
}

int workload_read(struct workload *workload, const struct replay_options *options)
{
    uint64_t bytes, bytes_done = 0;
    memset(workload, 0, sizeof *workload);
    workload->rank = (size_t)ranks_get()->rank;
    workload->ranks = (size_t)ranks_get()->ranks;
    int result = input_options_check_files(&options->work.input, "", false, &bytes);
    if (result == 0) progress_begin(bytes / workload->ranks, options->work.quiet || workload->rank > 0);
    for (size_t i = 0; result == 0 && i < options->work.input.files_n; i++)
        result = read_file(workload, &options->work.input, i, &bytes_done);
    progress_end();
    workload->batch = (size_t)options->work.table.batch;
    workload->batches = (workload->n + workload->batch - 1) / workload->batch;
    workload->erase_ratio = options->erase_ratio;
    workload->seed = options->work.table.seed;
    return result;
}

void workload_release(struct workload *workload)
{
    workload_array_release(&workload->keys);
    memset(workload, 0, sizeof *workload);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* SplitMix64's output function (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
 * Generators", 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

struct key_bytes workload_key(const struct workload *workload, struct workload_keys keys, size_t i)
{
    return key_bytes_at(keys.bytes, workload->kind.bytes, keys.offsets, i);
}

/* n keys of an array, from number `first` on. */
static struct workload_keys part(const struct workload *workload, const struct workload_array *array, size_t first, size_t n)
{
    if (workload->kind.type == IO_STRING) return (struct workload_keys){array->bytes, array->offsets + first, n};
    return (struct workload_keys){array->bytes + first * workload->kind.bytes, NULL, n};
}

/* The number behind those of the keys that the batch takes from the files. */
static size_t batch_end(const struct workload *workload, size_t batch)
{
    const size_t first = batch * workload->batch, left = workload->n - first;
    return first + (left < workload->batch ? left : workload->batch);
}

struct workload_keys workload_of_files(const struct workload *workload, size_t batch)
{
    const size_t first = batch * workload->batch;
    return part(workload, &workload->keys, held_below(workload, workload->rank, first),
                held_between(workload, workload->rank, first, batch_end(workload, batch)));
}

/* Draws n keys from the first `among` keys of the files, and leaves those that this rank holds.
 * `stream` separates the draws. */
static bool draw(const struct workload *workload, uint64_t stream, size_t among, size_t n, struct workload_array *array,
                 struct workload_keys *keys)
{
    const struct workload_keys held = part(workload, &workload->keys, 0, workload->held);
    size_t kept = 0;
    const uint64_t state = mix(workload->seed + 0x9e3779b97f4a7c15u * (stream + 1));
    if (!grow_keys(array, workload->kind, n)) return false;
    for (size_t i = 0; i < n; i++) {
        const size_t from = (size_t)(mix(state + 0x9e3779b97f4a7c15u * i) % among);
        if (from % workload->ranks != workload->rank) continue;
        if (!put_key(array, workload->kind, kept++, workload_key(workload, held, from / workload->ranks))) return false;
    }
    *keys = part(workload, array, 0, kept);
    return true;
}

bool workload_found(const struct workload *workload, size_t batch, bool second_half, struct workload_array *array,
                    struct workload_keys *keys)
{
    const size_t n = batch_end(workload, batch) - batch * workload->batch;
    return draw(workload, 3 * batch + (second_half ? 2 : 1), workload->n, n, array, keys);
}

bool workload_drawn(const struct workload *workload, size_t batch, struct workload_array *array, struct workload_keys *keys)
{
    const size_t so_far = batch_end(workload, batch), n = so_far - batch * workload->batch;
    return draw(workload, 3 * batch, so_far, (size_t)((double)n * workload->erase_ratio + 0.5), array, keys);
}

/* A key as one number: the key itself if it has at most 8 bytes. */
static uint64_t digest(struct key_bytes key)
{
    uint64_t digest = 0;
    for (size_t at = 0; at < key.length; at += 8) {
        uint64_t word = 0;
        memcpy(&word, key.at + at, key.length - at < 8 ? key.length - at : 8);
        digest = at == 0 ? word : mix(digest + 0x9e3779b97f4a7c15u) ^ word;
    }
    return digest;
}

uint32_t workload_value(struct key_bytes key, size_t round)
{
    return (uint32_t)(mix(digest(key) + 0x9e3779b97f4a7c15u * (round + 1)) >> 32);
}
