/* gzip files, also of several members one after another, through zlib.  What is behind them and
 * begins no member is left out. */
#include <stdlib.h>
#include <zlib.h>

#include "io_codec.h"

#define MAGIC_BYTES 2 /* which zlib takes at once */

struct gzip {
    z_stream z;
    bool between_members;
    bool any_member; /* one is complete */
};

static bool gzip_matches(const uint8_t *head, size_t bytes)
{
    return bytes >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == Z_DEFLATED;
}

static void *gzip_create(void)
{
    struct gzip *gzip = (struct gzip *)calloc(1, sizeof *gzip);
    if (gzip == NULL) return NULL;
    /* Added to the window bits: makes zlib expect gzip's header and checksum. */
    const int only_gzip = 16;
    if (inflateInit2(&gzip->z, MAX_WBITS + only_gzip) != Z_OK) {
        free(gzip);
        return NULL;
    }
    return gzip;
}

/* Zeros after a member are padding, such as that of tapes and of files made in blocks. */
static void skip_padding(struct io_step *step)
{
    while (step->in_bytes > 0 && *step->in == 0) {
        step->in++;
        step->in_bytes--;
    }
}

static enum io_status gzip_decode(void *state, struct io_step *step)
{
    struct gzip *gzip = (struct gzip *)state;
    if (gzip->between_members) {
        skip_padding(step);
        if (step->in_bytes == 0) return IO_OK;
        step->behind = *step->in != 0x1f;
        if (step->behind) return IO_ERR_CORRUPT;
        if (inflateReset(&gzip->z) != Z_OK) return IO_ERR_CORRUPT;
        gzip->between_members = false;
    }
    gzip->z.next_in = (z_const Bytef *)step->in;
    gzip->z.avail_in = (uInt)step->in_bytes;
    gzip->z.next_out = step->out;
    gzip->z.avail_out = (uInt)step->out_bytes;
    const int result = inflate(&gzip->z, Z_NO_FLUSH);
    step->in = gzip->z.next_in;
    step->in_bytes = gzip->z.avail_in;
    step->out = gzip->z.next_out;
    step->out_bytes = gzip->z.avail_out;
    gzip->between_members = result == Z_STREAM_END;
    /* Z_BUF_ERROR: no progress, because the input has run out.  The stream decides whether that
     * is an end. */
    gzip->any_member = gzip->any_member || gzip->between_members;
    if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) return IO_OK;
    step->behind = result == Z_DATA_ERROR && gzip->any_member && gzip->z.total_in <= MAGIC_BYTES;
    step->taken = gzip->z.total_in;
    step->why = result == Z_NEED_DICT ? "needs a preset dictionary" : gzip->z.msg;
    return result == Z_MEM_ERROR ? IO_ERR_MEMORY : IO_ERR_CORRUPT;
}

static bool gzip_complete(const void *state) { return ((const struct gzip *)state)->between_members; }

static void gzip_destroy(void *state)
{
    inflateEnd(&((struct gzip *)state)->z);
    free(state);
}

const struct io_codec io_codec_gzip = {"gzip", true, gzip_matches, gzip_create, gzip_decode, gzip_complete, gzip_destroy};
