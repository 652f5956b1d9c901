/* xz files, also of several streams one after another, through liblzma. */
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "io_codec.h"

/* The most memory that a stream may ask for.  liblzma allocates a stream's own dictionary, which is
 * 64 MiB for the level 9 of xz, and at most 1.5 GiB. */
#ifdef ROOST_FUZZ
#define MOST_MEMORY ((uint64_t)1 << 20) /* a larger one would take most of a target's time */
#else
#define MOST_MEMORY ((uint64_t)1 << 31)
#endif

static const uint8_t magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
#define MAGIC_LEAST 4 /* bytes of it by which a file is known */

struct xz {
    lzma_stream z;
    bool between_streams;
};

static bool xz_matches(const uint8_t *head, size_t bytes)
{
    return bytes >= MAGIC_LEAST && memcmp(head, magic, bytes < sizeof magic ? bytes : sizeof magic) == 0;
}

static void *xz_create(void)
{
    static const lzma_stream nothing = LZMA_STREAM_INIT;
    struct xz *xz = (struct xz *)calloc(1, sizeof *xz);
    if (xz == NULL) return NULL;
    xz->z = nothing;
    if (lzma_stream_decoder(&xz->z, MOST_MEMORY, 0) == LZMA_OK) return xz;
    free(xz);
    return NULL;
}

/* Zeros between streams are padding. */
static void skip_padding(struct io_step *step)
{
    while (step->in_bytes > 0 && *step->in == 0) {
        step->in++;
        step->in_bytes--;
    }
}

static enum io_status fail_decode(const struct xz *xz, lzma_ret result, struct io_step *step)
{
    if (result == LZMA_MEM_ERROR) return IO_ERR_MEMORY;
    step->behind = result == LZMA_FORMAT_ERROR; /* only in a header */
    step->taken = xz->z.total_in;
    step->why = result == LZMA_MEMLIMIT_ERROR  ? "its dictionary takes more than 2 GiB"
                : result == LZMA_OPTIONS_ERROR ? "it has options that liblzma does not know"
                                               : "a block or an index is wrong";
    return IO_ERR_CORRUPT;
}

static enum io_status xz_decode(void *state, struct io_step *step)
{
    struct xz *xz = (struct xz *)state;
    if (xz->between_streams) {
        skip_padding(step);
        if (step->in_bytes == 0) return IO_OK;
        step->behind = *step->in != magic[0]; /* liblzma looks at a whole header */
        if (step->behind) return IO_ERR_CORRUPT;
        if (lzma_stream_decoder(&xz->z, MOST_MEMORY, 0) != LZMA_OK) return IO_ERR_MEMORY;
        xz->between_streams = false;
    }
    xz->z.next_in = step->in;
    xz->z.avail_in = step->in_bytes;
    xz->z.next_out = step->out;
    xz->z.avail_out = step->out_bytes;
    const lzma_ret result = lzma_code(&xz->z, LZMA_RUN);
    step->in = xz->z.next_in;
    step->in_bytes = xz->z.avail_in;
    step->out = xz->z.next_out;
    step->out_bytes = xz->z.avail_out;
    xz->between_streams = result == LZMA_STREAM_END;
    /* LZMA_BUF_ERROR: no progress, because the input has run out. */
    if (result == LZMA_OK || result == LZMA_STREAM_END || result == LZMA_BUF_ERROR) return IO_OK;
    return fail_decode(xz, result, step);
}

static bool xz_complete(const void *state) { return ((const struct xz *)state)->between_streams; }

static void xz_destroy(void *state)
{
    lzma_end(&((struct xz *)state)->z);
    free(state);
}

const struct io_codec io_codec_xz = {"xz", false, xz_matches, xz_create, xz_decode, xz_complete, xz_destroy};
