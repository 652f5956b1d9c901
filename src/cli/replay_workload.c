/* Reads the keys of files and draws from them. */
#include "cli/replay_workload.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/progress.h"

enum { PIECE = 1 << 16 /* keys read at once */ };

/* ---- Reading ----------------------------------------------------------------------------------------------------------- */

static bool make_room(struct workload *workload)
{
    if (workload->room - workload->n >= PIECE) return true;
    if (workload->room > SIZE_MAX / 4 / workload->key_bytes) return false;
    const size_t room = workload->room == 0 ? 4 * PIECE : workload->room * 2;
    void *keys = realloc(workload->keys, room * workload->key_bytes);
    if (keys == NULL) return false;
    workload->keys = keys;
    workload->room = room;
    return true;
}

static void *key_address(const struct workload *workload, size_t i) { return (char *)workload->keys + i * workload->key_bytes; }

/* bytes_done: of the files before; moved on. */
static int read_file(struct workload *workload, const struct input_options *input, size_t i, uint64_t *bytes_done)
{
    struct io_error error;
    struct io_reader *reader;
    int result = input_options_open(input, i, &reader, &workload->key_type);
    if (result != 0) return result;
    workload->key_bytes = io_reader_key_bytes(reader);
    uint64_t length = 0;
    for (size_t n = 1; result == 0 && n > 0; workload->n += n) {
        n = 0;
        if (!make_room(workload)) result = command_fail("out of memory for %zu keys", workload->n + PIECE);
        else if (io_reader_next(reader, key_address(workload, workload->n), PIECE, &n, &error) != IO_OK)
            result = command_fail("%s", error.text);
        progress_show(*bytes_done + io_reader_position(reader, &length), workload->n);
    }
    *bytes_done += io_reader_position(reader, &length);
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
    free(workload->keys);
    memset(workload, 0, sizeof *workload);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------------- */

/* SplitMix64's output function (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t workload_key(const struct workload *workload, const void *keys, size_t i)
{
    return key_load(keys, i, workload->key_bytes);
}

struct workload_keys workload_of_files(const struct workload *workload, size_t batch)
{
    const size_t first = batch * workload->batch, left = workload->n - first;
    const struct workload_keys keys = {key_address(workload, first), left < workload->batch ? left : workload->batch};
    return keys;
}

/* n keys among the first `among` of the files; `stream` tells draws apart. */
static struct workload_keys draw(const struct workload *workload, uint64_t stream, size_t among, size_t n, void *keys)
{
    const struct workload_keys drawn = {keys, n};
    const uint64_t state = mix(workload->seed + 0x9e3779b97f4a7c15u * (stream + 1));
    for (size_t i = 0; i < n; i++) {
        const size_t from = (size_t)(mix(state + 0x9e3779b97f4a7c15u * i) % among);
        memcpy((char *)keys + i * workload->key_bytes, key_address(workload, from), workload->key_bytes);
    }
    return drawn;
}

struct workload_keys workload_found(const struct workload *workload, size_t batch, bool second_half, void *keys)
{
    const size_t n = workload_of_files(workload, batch).n;
    return draw(workload, 3 * batch + (second_half ? 2 : 1), workload->n, n, keys);
}

struct workload_keys workload_drawn(const struct workload *workload, size_t batch, void *keys)
{
    const size_t n = workload_of_files(workload, batch).n;
    const size_t so_far = batch * workload->batch + n;
    return draw(workload, 3 * batch, so_far, (size_t)((double)n * workload->erase_ratio + 0.5), keys);
}

uint32_t workload_value(uint64_t key, size_t round) { return (uint32_t)(mix(key + 0x9e3779b97f4a7c15u * (round + 1)) >> 32); }
