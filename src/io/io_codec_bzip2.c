/* bzip2 files, also of several streams one after another, through libbz2.  What is behind them and
 * begins no stream is left out. */
#include <bzlib.h>
#include <stdlib.h>
#include <string.h>

#include "io_codec.h"

#define HEAD_BYTES 4            /* "BZh" and a digit */
#define MAGIC_BYTES 6           /* of the first block, or of the end of a stream without blocks */
#define LARGEST_STEP (1u << 30) /* bytes; libbz2 counts in unsigned int */

struct bzip2 {
    bz_stream z;
    bool running;    /* z has been initialised */
    bool any_stream; /* one is complete */
};

static bool bzip2_matches(const uint8_t *head, size_t bytes)
{
    static const char block[] = "1AY&SY", end[] = "\x17\x72\x45\x38\x50\x90";
    if (bytes < HEAD_BYTES || memcmp(head, "BZh", 3) != 0 || head[3] < '1' || head[3] > '9') return false;
    const size_t known = bytes - HEAD_BYTES < MAGIC_BYTES ? bytes - HEAD_BYTES : MAGIC_BYTES;
    return memcmp(head + HEAD_BYTES, block, known) == 0 || memcmp(head + HEAD_BYTES, end, known) == 0;
}

static bool begin_stream(struct bzip2 *bzip2)
{
    const int silent = 0, fast = 0;
    memset(&bzip2->z, 0, sizeof bzip2->z);
    bzip2->running = BZ2_bzDecompressInit(&bzip2->z, silent, fast) == BZ_OK;
    return bzip2->running;
}

static void end_stream(struct bzip2 *bzip2)
{
    if (bzip2->running) BZ2_bzDecompressEnd(&bzip2->z);
    bzip2->running = false;
}

static void *bzip2_create(void)
{
    struct bzip2 *bzip2 = (struct bzip2 *)calloc(1, sizeof *bzip2);
    if (bzip2 != NULL && begin_stream(bzip2)) return bzip2;
    free(bzip2);
    return NULL;
}

static int decompress(bz_stream *z, struct io_step *step)
{
    const unsigned in = step->in_bytes < LARGEST_STEP ? (unsigned)step->in_bytes : LARGEST_STEP,
                   out = step->out_bytes < LARGEST_STEP ? (unsigned)step->out_bytes : LARGEST_STEP;
    z->next_in = (char *)step->in; /* libbz2 does not write there */
    z->avail_in = in;
    z->next_out = (char *)step->out;
    z->avail_out = out;
    const int result = BZ2_bzDecompress(z);
    step->in += in - z->avail_in;
    step->in_bytes -= in - z->avail_in;
    step->out += out - z->avail_out;
    step->out_bytes -= out - z->avail_out;
    return result;
}

static enum io_status bzip2_decode(void *state, struct io_step *step)
{
    struct bzip2 *bzip2 = (struct bzip2 *)state;
    if (!bzip2->running && step->in_bytes == 0) return IO_OK;
    if (!bzip2->running && !begin_stream(bzip2)) return IO_ERR_MEMORY;
    const int result = decompress(&bzip2->z, step);
    if (result == BZ_STREAM_END) {
        bzip2->any_stream = true;
        end_stream(bzip2);
    }
    if (result == BZ_OK || result == BZ_STREAM_END) return IO_OK;
    step->behind = result == BZ_DATA_ERROR_MAGIC && bzip2->any_stream;
    step->taken = bzip2->z.total_in_lo32;
    step->why = result == BZ_MEM_ERROR ? NULL : "a block is wrong";
    return result == BZ_MEM_ERROR ? IO_ERR_MEMORY : IO_ERR_CORRUPT;
}

static bool bzip2_complete(const void *state) { return !((const struct bzip2 *)state)->running; }

static void bzip2_destroy(void *state)
{
    end_stream((struct bzip2 *)state);
    free(state);
}

const struct io_codec io_codec_bzip2 = {"bzip2", true, bzip2_matches, bzip2_create, bzip2_decode, bzip2_complete, bzip2_destroy};
