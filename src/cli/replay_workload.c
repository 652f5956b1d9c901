/* Reads the keys of files, and draws from them. */
#include "cli/replay_workload.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/key_batch.h"
#include "cli/progress.h"

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

static bool add_batch(struct workload *workload, const struct key_batch *batch)
{
    if (!grow_keys(&workload->keys, workload->kind, workload->n + batch->n)) return false;
    for (size_t i = 0; i < batch->n; i++)
        if (!put_key(&workload->keys, workload->kind, workload->n++, key_batch_get(batch, i))) return false;
    return true;
}

/* bytes_done: bytes of the files before; the file's bytes are added. */
static int read_file(struct workload *workload, const struct input_options *input, size_t i, uint64_t *bytes_done)
{
    struct io_reader *reader;
    struct key_batch batch = {.n = 1};
    int result = input_options_open(input, i, &reader, &workload->kind);
    if (result != 0) return result;
    uint64_t length = 0;
    result = key_batch_make(&batch, workload->kind, KEYS_READ);
    for (bool more = true; result == 0 && more; more = batch.n > 0) {
        result = key_batch_read(&batch, reader);
        if (result == 0 && !add_batch(workload, &batch))
            result = command_fail("out of memory for %zu keys", workload->n + KEYS_READ);
        if (result == 0) progress_show(*bytes_done + io_reader_position(reader, &length), workload->n);
    }
    *bytes_done += io_reader_position(reader, &length);
    key_batch_release(&batch);
    io_reader_close(reader);
    return result;
}

int workload_read(struct workload *workload, const struct replay_options *options)
{
    uint64_t bytes, bytes_done = 0;
    memset(workload, 0, sizeof *workload);
    int result = input_options_check_files(&options->work.input, "", false, &bytes);
    if (result == 0) progress_begin(bytes, options->work.quiet);
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

struct workload_keys workload_of_files(const struct workload *workload, size_t batch)
{
    const size_t first = batch * workload->batch, left = workload->n - first;
    return part(workload, &workload->keys, first, left < workload->batch ? left : workload->batch);
}

/* Draws n keys from the first `among` keys of the files.  `stream` separates the draws. */
static bool draw(const struct workload *workload, uint64_t stream, size_t among, size_t n, struct workload_array *array,
                 struct workload_keys *keys)
{
    const struct workload_keys all = part(workload, &workload->keys, 0, workload->n);
    const uint64_t state = mix(workload->seed + 0x9e3779b97f4a7c15u * (stream + 1));
    if (!grow_keys(array, workload->kind, n)) return false;
    for (size_t i = 0; i < n; i++) {
        const size_t from = (size_t)(mix(state + 0x9e3779b97f4a7c15u * i) % among);
        if (!put_key(array, workload->kind, i, workload_key(workload, all, from))) return false;
    }
    *keys = part(workload, array, 0, n);
    return true;
}

bool workload_found(const struct workload *workload, size_t batch, bool second_half, struct workload_array *array,
                    struct workload_keys *keys)
{
    const size_t n = workload_of_files(workload, batch).n;
    return draw(workload, 3 * batch + (second_half ? 2 : 1), workload->n, n, array, keys);
}

bool workload_drawn(const struct workload *workload, size_t batch, struct workload_array *array, struct workload_keys *keys)
{
    const size_t n = workload_of_files(workload, batch).n;
    const size_t so_far = batch * workload->batch + n;
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
