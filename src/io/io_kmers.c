/* Slides the window over letters. */
#include "io_kmers.h"

#include <string.h>

/* The class of a byte.  LETTER_OTHER breaks the window. */
enum letter { LETTER_OTHER, LETTER_A, LETTER_C, LETTER_G, LETTER_T, LETTER_LINE_END };

static const uint8_t letters[256] = {
    ['A'] = LETTER_A, ['C'] = LETTER_C, ['G'] = LETTER_G, ['T'] = LETTER_T,         ['a'] = LETTER_A,
    ['c'] = LETTER_C, ['g'] = LETTER_G, ['t'] = LETTER_T, ['\n'] = LETTER_LINE_END, ['\r'] = LETTER_LINE_END,
};

#define COMPLEMENT(base) ((base) ^ 3)

enum io_status io_kmers_begin(struct io_kmers *kmers, struct io_reader *reader, struct io_error *error)
{
    const unsigned k = reader->spec.kmer;
    if (k < 1 || k > IO_KMER_MAX)
        return io_fail(error, IO_ERR_ARGUMENT, reader->stream->path, "k-mers have 1 to %d letters, not %u", IO_KMER_MAX, k);
    memset(kmers, 0, sizeof *kmers);
    kmers->k = k;
    kmers->one_strand = reader->spec.one_strand;
    kmers->mask = ~(uint64_t)0 >> (k <= IO_KMER_MAX_U64 ? 64 - 2 * k : 128 - 2 * k);
    kmers->type = k <= IO_KMER_MAX_U32 ? IO_U32 : k <= IO_KMER_MAX_U64 ? IO_U64 : IO_BYTES;
    reader->type = kmers->type;
    reader->spec.key_bytes = IO_KMER_WIDE_BYTES;
    return IO_OK;
}

static inline void slide(struct io_kmers *kmers, uint64_t base)
{
    kmers->forward = (kmers->forward << 2 | base) & kmers->mask;
    kmers->reverse = kmers->reverse >> 2 | COMPLEMENT(base) << (2 * kmers->k - 2);
}

static inline void slide_wide(struct io_kmers *kmers, uint64_t base)
{
    kmers->forward_high = (kmers->forward_high << 2 | kmers->forward >> 62) & kmers->mask;
    kmers->forward = kmers->forward << 2 | base;
    kmers->reverse = kmers->reverse >> 2 | kmers->reverse_high << 62;
    kmers->reverse_high = kmers->reverse_high >> 2 | COMPLEMENT(base) << (2 * kmers->k - 2 - 64);
}

static void store_big_endian(uint8_t *to, uint64_t word)
{
    for (int i = 0; i < 8; i++) to[i] = (uint8_t)(word >> (56 - 8 * i));
}

static inline void put(const struct io_kmers *kmers, void *keys, size_t i)
{
    const bool reverse = !kmers->one_strand && kmers->reverse < kmers->forward;
    io_put_key(keys, i, kmers->type, reverse ? kmers->reverse : kmers->forward);
}

static inline void put_wide(const struct io_kmers *kmers, void *keys, size_t i)
{
    const bool less =
        kmers->reverse_high != kmers->forward_high ? kmers->reverse_high < kmers->forward_high : kmers->reverse < kmers->forward;
    const bool reverse = !kmers->one_strand && less;
    uint8_t *const to = (uint8_t *)keys + i * IO_KMER_WIDE_BYTES;
    store_big_endian(to, reverse ? kmers->reverse_high : kmers->forward_high);
    store_big_endian(to + 8, reverse ? kmers->reverse : kmers->forward);
}

/* The window is a copy, and width and kind of the keys are constants: keys could lie where the
 * window does, as far as the compiler knows. */
static inline size_t take(struct io_kmers *kmers, struct io_stream *stream, void *keys, size_t n, size_t room,
                          enum io_key_type type, bool one_strand)
{
    struct io_kmers window = *kmers;
    const uint8_t *at = stream->at;
    window.type = type;
    window.one_strand = one_strand;
    for (const uint8_t *const end = stream->end; at < end && n < room; at++) {
        const enum letter letter = (enum letter)letters[*at];
        if (letter == LETTER_LINE_END) break;
        if (letter == LETTER_OTHER) {
            window.letters = 0;
            continue;
        }
        if (type == IO_BYTES) slide_wide(&window, (uint64_t)letter - LETTER_A);
        else slide(&window, (uint64_t)letter - LETTER_A);
        window.letters += window.letters < window.k;
        if (window.letters < window.k) continue;
        if (type == IO_BYTES) put_wide(&window, keys, n++);
        else put(&window, keys, n++);
    }
    *kmers = window;
    stream->at = at;
    return n;
}

size_t io_kmers_take(struct io_kmers *kmers, struct io_stream *stream, void *keys, size_t n, size_t room)
{
    if (kmers->one_strand) return take(kmers, stream, keys, n, room, kmers->type, true);
    if (kmers->type == IO_BYTES) return take(kmers, stream, keys, n, room, IO_BYTES, false);
    if (kmers->type == IO_U32) return take(kmers, stream, keys, n, room, IO_U32, false);
    return take(kmers, stream, keys, n, room, IO_U64, false);
}

void io_skip_line(struct io_stream *stream)
{
    while (stream->at < stream->end && !io_ends_line(*stream->at)) stream->at++;
}
