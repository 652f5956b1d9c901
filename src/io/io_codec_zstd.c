/* Zstandard files, also of several frames one after another, through libzstd. */
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "io_codec.h"

/* The largest window that a frame may ask for, as a power of two: what `zstd --long=31` writes.
 * libzstd allocates no more than the frame's own window, so usual files need 8 MiB. */
#ifdef ROOST_FUZZ
#define LARGEST_WINDOW_LOG 17 /* windows of gigabytes would take most of a fuzz target's time */
#else
#define LARGEST_WINDOW_LOG (sizeof(size_t) > 4 ? 31 : 30)
#endif

#define MAGIC_BYTES 4

struct zstd {
    ZSTD_DStream *stream;
    bool between_frames;
    uint8_t magic[MAGIC_BYTES]; /* of the current frame, as far as it was read */
    size_t magic_bytes;
};

static uint32_t first_word(const uint8_t *head)
{
    return (uint32_t)head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 24;
}

static bool zstd_matches(const uint8_t *head, size_t bytes)
{
    if (bytes < MAGIC_BYTES) return false;
    const uint32_t word = first_word(head);
    return word == ZSTD_MAGICNUMBER || (word & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

static void *zstd_create(void)
{
    struct zstd *zstd = (struct zstd *)calloc(1, sizeof *zstd);
    if (zstd == NULL) return NULL;
    zstd->stream = ZSTD_createDStream();
    if (zstd->stream == NULL || ZSTD_isError(ZSTD_DCtx_setParameter(zstd->stream, ZSTD_d_windowLogMax, LARGEST_WINDOW_LOG))) {
        ZSTD_freeDStream(zstd->stream);
        free(zstd);
        return NULL;
    }
    return zstd;
}

/* Keeps a frame's first bytes, which libzstd takes at once.  False if they do not begin a frame.
 * Without this check libzstd may continue with its formats before version 1, for which
 * LARGEST_WINDOW_LOG does not hold. */
static bool note_magic(struct zstd *zstd, const struct io_step *step)
{
    for (size_t i = 0; i < step->in_bytes && zstd->magic_bytes < MAGIC_BYTES; i++) zstd->magic[zstd->magic_bytes++] = step->in[i];
    return zstd->magic_bytes < MAGIC_BYTES || zstd_matches(zstd->magic, MAGIC_BYTES);
}

static enum io_status zstd_decode(void *state, struct io_step *step)
{
    struct zstd *zstd = (struct zstd *)state;
    /* Without this, an empty step after a frame would begin the next one, and the file would
     * seem truncated. */

    if (zstd->between_frames && step->in_bytes == 0) return IO_OK;
    if (!note_magic(zstd, step)) {
        step->behind = true;
        return IO_ERR_CORRUPT;
    }
    ZSTD_inBuffer in = {step->in, step->in_bytes, 0};
    ZSTD_outBuffer out = {step->out, step->out_bytes, 0};
    const size_t result = ZSTD_decompressStream(zstd->stream, &out, &in);
    step->in += in.pos;
    step->in_bytes -= in.pos;
    step->out += out.pos;
    step->out_bytes -= out.pos;
    zstd->between_frames = result == 0;
    if (zstd->between_frames) zstd->magic_bytes = 0;
    if (!ZSTD_isError(result)) return IO_OK;
    step->why = ZSTD_getErrorName(result);
    return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? IO_ERR_MEMORY : IO_ERR_CORRUPT;
}

static bool zstd_complete(const void *state) { return ((const struct zstd *)state)->between_frames; }

static void zstd_destroy(void *state)
{
    ZSTD_freeDStream(((struct zstd *)state)->stream);
    free(state);
}

const struct io_codec io_codec_zstd = {"zstd", false, zstd_matches, zstd_create, zstd_decode, zstd_complete, zstd_destroy};
