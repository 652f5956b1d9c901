/* Unpacks gzip by zlib, bzip2 by libbz2, xz by liblzma, Zstandard by libzstd. */
#include "cli/verify_unpack.h"

#include <bzlib.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define MOST ((size_t)1 << 30) /* bytes of a step: two of the libraries count in unsigned int */

static unsigned limit(size_t n) { return (unsigned)(n < MOST ? n : MOST); }

static void take(struct verify_piece *in, size_t left)
{
    in->at += in->n - left;
    in->n = left;
}

/* Does the next member begin with these bytes?  A piece that ends in between holds too few. */
static bool begins(const struct verify_piece *in, const char *magic, size_t bytes)
{
    return memcmp(in->at, magic, in->n < bytes ? in->n : bytes) == 0;
}

/* ---- gzip ------------------------------------------------------------------------------------ */

struct gzip {
    z_stream z;
    bool inside; /* of a member */
};

static void *gzip_create(void)
{
    struct gzip *gzip = (struct gzip *)calloc(1, sizeof *gzip);
    if (gzip != NULL && inflateInit2(&gzip->z, 16 + MAX_WBITS) == Z_OK) return gzip;
    free(gzip);
    return NULL;
}

static enum verify_unpacked gzip_step(void *state, struct verify_piece *in, char *to, size_t room, size_t *got)
{
    struct gzip *gzip = (struct gzip *)state;
    while (!gzip->inside && in->n > 0 && *in->at == 0) take(in, in->n - 1);
    if (!gzip->inside && in->n == 0) return VERIFY_UNPACK_BETWEEN;
    if (!gzip->inside && !begins(in, "\x1f\x8b", 2)) return VERIFY_UNPACK_ENDED;
    gzip->inside = true;
    gzip->z.next_in = (z_const Bytef *)in->at;
    gzip->z.avail_in = limit(in->n);
    gzip->z.next_out = (Bytef *)to;
    gzip->z.avail_out = limit(room);
    const int result = inflate(&gzip->z, Z_NO_FLUSH);
    take(in, in->n - (size_t)(gzip->z.next_in - in->at));
    *got = (size_t)(gzip->z.next_out - (Bytef *)to);
    if (result != Z_STREAM_END) return result == Z_OK || result == Z_BUF_ERROR ? VERIFY_UNPACK_MORE : VERIFY_UNPACK_WRONG;
    gzip->inside = false;
    return inflateReset(&gzip->z) == Z_OK ? VERIFY_UNPACK_BETWEEN : VERIFY_UNPACK_WRONG;
}

static void gzip_destroy(void *state)
{
    inflateEnd(&((struct gzip *)state)->z);
    free(state);
}

static const struct verify_unpacker gzip_unpacker = {gzip_create, gzip_step, gzip_destroy};

/* ---- bzip2 ----------------------------------------------------------------------------------- */

struct bzip2 {
    bz_stream z;
    bool inside; /* of a stream */
};

static void *bzip2_create(void) { return calloc(1, sizeof(struct bzip2)); }

static enum verify_unpacked bzip2_step(void *state, struct verify_piece *in, char *to, size_t room, size_t *got)
{
    struct bzip2 *bzip2 = (struct bzip2 *)state;
    if (!bzip2->inside && in->n == 0) return VERIFY_UNPACK_BETWEEN;
    if (!bzip2->inside && !begins(in, "BZh", 3)) return VERIFY_UNPACK_ENDED;
    if (!bzip2->inside && BZ2_bzDecompressInit(&bzip2->z, 0, 0) != BZ_OK) return VERIFY_UNPACK_WRONG;
    bzip2->inside = true;
    bzip2->z.next_in = (char *)in->at; /* libbz2 does not write there */
    bzip2->z.avail_in = limit(in->n);
    bzip2->z.next_out = to;
    bzip2->z.avail_out = limit(room);
    const int result = BZ2_bzDecompress(&bzip2->z);
    take(in, in->n - (size_t)(bzip2->z.next_in - (const char *)in->at));
    *got = (size_t)(bzip2->z.next_out - to);
    if (result != BZ_STREAM_END) return result == BZ_OK ? VERIFY_UNPACK_MORE : VERIFY_UNPACK_WRONG;
    BZ2_bzDecompressEnd(&bzip2->z);
    memset(bzip2, 0, sizeof *bzip2);
    return VERIFY_UNPACK_BETWEEN;
}

static void bzip2_destroy(void *state)
{
    struct bzip2 *bzip2 = (struct bzip2 *)state;
    if (bzip2->inside) BZ2_bzDecompressEnd(&bzip2->z);
    free(bzip2);
}

static const struct verify_unpacker bzip2_unpacker = {bzip2_create, bzip2_step, bzip2_destroy};

/* ---- xz -------------------------------------------------------------------------------------- */

static void *xz_create(void)
{
    const lzma_stream nothing = LZMA_STREAM_INIT;
    lzma_stream *z = (lzma_stream *)malloc(sizeof *z);
    if (z == NULL) return NULL;
    *z = nothing;
    if (lzma_stream_decoder(z, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK) return z;
    free(z);
    return NULL;
}

static enum verify_unpacked xz_step(void *state, struct verify_piece *in, char *to, size_t room, size_t *got)
{
    lzma_stream *z = (lzma_stream *)state;
    z->next_in = in->at;
    z->avail_in = in->n;
    z->next_out = (uint8_t *)to;
    z->avail_out = room;
    const lzma_ret result = lzma_code(z, in->n == 0 ? LZMA_FINISH : LZMA_RUN);
    take(in, z->avail_in);
    *got = room - z->avail_out;
    if (result == LZMA_STREAM_END) return VERIFY_UNPACK_ENDED;
    return result == LZMA_OK ? VERIFY_UNPACK_MORE : VERIFY_UNPACK_WRONG;
}

static void xz_destroy(void *state)
{
    lzma_end((lzma_stream *)state);
    free(state);
}

static const struct verify_unpacker xz_unpacker = {xz_create, xz_step, xz_destroy};

/* ---- Zstandard ------------------------------------------------------------------------------- */

struct zstd {
    ZSTD_DCtx *context;
    bool inside; /* of a frame */
};

static void *zstd_create(void)
{
    struct zstd *zstd = (struct zstd *)calloc(1, sizeof *zstd);
    if (zstd == NULL) return NULL;
    zstd->context = ZSTD_createDCtx();
    if (zstd->context == NULL) {
        free(zstd);
        return NULL;
    }
    ZSTD_DCtx_setParameter(zstd->context, ZSTD_d_windowLogMax, ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
    return zstd;
}

static enum verify_unpacked zstd_step(void *state, struct verify_piece *in, char *to, size_t room, size_t *got)
{
    struct zstd *zstd = (struct zstd *)state;
    if (!zstd->inside && in->n == 0) return VERIFY_UNPACK_BETWEEN;
    ZSTD_inBuffer from = {in->at, in->n, 0};
    ZSTD_outBuffer out = {to, room, 0};
    const size_t hint = ZSTD_decompressStream(zstd->context, &out, &from);
    take(in, in->n - from.pos);
    *got = out.pos;
    zstd->inside = hint != 0;
    if (ZSTD_isError(hint)) return VERIFY_UNPACK_WRONG;
    return zstd->inside ? VERIFY_UNPACK_MORE : VERIFY_UNPACK_BETWEEN;
}

static void zstd_destroy(void *state)
{
    ZSTD_freeDCtx(((struct zstd *)state)->context);
    free(state);
}

static const struct verify_unpacker zstd_unpacker = {zstd_create, zstd_step, zstd_destroy};

/* ---- All of them ----------------------------------------------------------------------------- */

const struct verify_unpacker *verify_unpacker_of(const unsigned char *head, size_t bytes)
{
    const bool skippable = bytes >= 4 && (head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0;
    const bool blocks = bytes < 5 || head[4] == '1' || head[4] == 0x17; /* one, or the end */
    if (bytes >= 3 && memcmp(head, "\x1f\x8b\x08", 3) == 0) return &gzip_unpacker;
    if (bytes >= 4 && memcmp(head, "BZh", 3) == 0 && head[3] >= '1' && head[3] <= '9' && blocks) return &bzip2_unpacker;
    if (bytes >= 4 && memcmp(head, "\xfd\x37zX", 4) == 0) return &xz_unpacker;
    if (skippable || (bytes >= 4 && memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0)) return &zstd_unpacker;
    return NULL;
}
