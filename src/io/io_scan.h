/* Finds bytes of a text that end fields or lines, eight bytes at a time. */
#ifndef ROOST_IO_SCAN_H
#define ROOST_IO_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "io_bytes.h"

#define IO_EACH_BYTE ((uint64_t)0x0101010101010101)
#define IO_LOW_BITS ((uint64_t)0x7f7f7f7f7f7f7f7f)

/* The two bytes that are looked for, each repeated, and where the scan is: `hits` has the high bit
 * of each byte of the word that is one of them and was not yet returned. */
struct io_scan {
    uint64_t a, b;
    const uint8_t *word;
    uint64_t hits;
};

/* Without carries between bytes: the sum's high bit is clear only if the byte's low bits are 0. */
static inline uint64_t io_scan_hits(const struct io_scan *scan, const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    const uint64_t a = word ^ scan->a, b = word ^ scan->b;
    const uint64_t no_a = ((a & IO_LOW_BITS) + IO_LOW_BITS) | a, no_b = ((b & IO_LOW_BITS) + IO_LOW_BITS) | b;
    return ~((no_a & no_b) | IO_LOW_BITS);
}

/* Goes on at `at`, behind which IO_PADDING bytes can be read. */
static inline void io_scan_seek(struct io_scan *scan, const uint8_t *at)
{
    scan->word = at;
    scan->hits = io_scan_hits(scan, at);
}

static inline void io_scan_begin(struct io_scan *scan, uint8_t a, uint8_t b, const uint8_t *at)
{
    scan->a = a * IO_EACH_BYTE;
    scan->b = b * IO_EACH_BYTE;
    io_scan_seek(scan, at);
}

/* The next of the two bytes, or `end`. */
static inline const uint8_t *io_scan_next(struct io_scan *scan, const uint8_t *end)
{
    while (scan->hits == 0) {
        if (end - scan->word <= (ptrdiff_t)sizeof(uint64_t)) return end;
        scan->word += sizeof(uint64_t);
        scan->hits = io_scan_hits(scan, scan->word);
    }
    const uint8_t *const at = scan->word + __builtin_ctzll(scan->hits) / 8;
    scan->hits &= scan->hits - 1;
    return at < end ? at : end;
}

#endif
