/* Compresses by zlib and libzstd, behind stdio cookies. */
#define _GNU_SOURCE 1
#include "cli/outpack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define PIECE ((size_t)1 << 16) /* bytes compressed at a time */
#define GZIP ".gz"
#define ZSTD ".zst"

struct packer {
    FILE *to;
    z_stream gzip;
    ZSTD_CCtx *zstd; /* NULL: gzip */
    unsigned char out[PIECE];
};

/* Do the first `length` bytes of the name have this ending, and something before it? */
static bool ends_in(const char *name, size_t length, const char *ending)
{
    const size_t bytes = strlen(ending);
    return length > bytes && memcmp(name + length - bytes, ending, bytes) == 0;
}

size_t outpack_ending(const char *name)
{
    const size_t length = strlen(name);
    if (ends_in(name, length, GZIP)) return strlen(GZIP);
    return ends_in(name, length, ZSTD) ? strlen(ZSTD) : 0;
}

bool outpack_name_ends(const char *name, const char *ending) { return ends_in(name, strlen(name) - outpack_ending(name), ending); }

/* ---- gzip ------------------------------------------------------------------------------------ */

/* Compresses what z has, and with Z_FINISH completes the data. */
static bool gzip_run(struct packer *packer, int flush)
{
    z_stream *z = &packer->gzip;
    int result;
    do {
        z->next_out = packer->out;
        z->avail_out = (uInt)PIECE;
        result = deflate(z, flush);
        const size_t bytes = PIECE - z->avail_out;
        if (fwrite(packer->out, 1, bytes, packer->to) != bytes) return false;
    } while (z->avail_out == 0);
    return flush != Z_FINISH || result == Z_STREAM_END;
}

static ssize_t gzip_write(void *cookie, const char *bytes, size_t n)
{
    struct packer *packer = (struct packer *)cookie;
    for (size_t at = 0, part; at < n; at += part) {
        part = n - at < PIECE ? n - at : PIECE;
        packer->gzip.next_in = (z_const Bytef *)(bytes + at);
        packer->gzip.avail_in = (uInt)part;
        if (!gzip_run(packer, Z_NO_FLUSH)) return 0;
    }
    return (ssize_t)n;
}

static int gzip_close(void *cookie)
{
    struct packer *packer = (struct packer *)cookie;
    const bool complete = gzip_run(packer, Z_FINISH);
    deflateEnd(&packer->gzip);
    free(packer);
    return complete ? 0 : EOF;
}

static bool gzip_begin(struct packer *packer)
{
    const int gzip_and_window = 16 + MAX_WBITS, memory_level = 8;
    return deflateInit2(&packer->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_and_window, memory_level, Z_DEFAULT_STRATEGY) ==
           Z_OK;
}

/* ---- Zstandard ------------------------------------------------------------------------------- */

static bool zstd_run(struct packer *packer, ZSTD_inBuffer *in, ZSTD_EndDirective directive)
{
    size_t left;
    do {
        ZSTD_outBuffer out = {packer->out, PIECE, 0};
        left = ZSTD_compressStream2(packer->zstd, &out, in, directive);
        if (ZSTD_isError(left) || fwrite(packer->out, 1, out.pos, packer->to) != out.pos) return false;
    } while (directive == ZSTD_e_end ? left > 0 : in->pos < in->size);
    return true;
}

static ssize_t zstd_write(void *cookie, const char *bytes, size_t n)
{
    ZSTD_inBuffer in = {bytes, n, 0};
    return zstd_run((struct packer *)cookie, &in, ZSTD_e_continue) ? (ssize_t)n : 0;
}

static int zstd_close(void *cookie)
{
    struct packer *packer = (struct packer *)cookie;
    ZSTD_inBuffer nothing = {NULL, 0, 0};
    const bool complete = zstd_run(packer, &nothing, ZSTD_e_end);
    ZSTD_freeCCtx(packer->zstd);
    free(packer);
    return complete ? 0 : EOF;
}

static bool zstd_begin(struct packer *packer)
{
    packer->zstd = ZSTD_createCCtx();
    if (packer->zstd != NULL) ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_checksumFlag, 1);
    return packer->zstd != NULL;
}

/* ---- Both ------------------------------------------------------------------------------------ */

FILE *outpack_open(const char *name, FILE *to)
{
    const bool gzip = ends_in(name, strlen(name), GZIP);
    const cookie_io_functions_t functions = {NULL, gzip ? gzip_write : zstd_write, NULL, gzip ? gzip_close : zstd_close};
    struct packer *packer = (struct packer *)calloc(1, sizeof *packer);
    if (packer == NULL) return NULL;
    packer->to = to;
    if ((gzip ? gzip_begin : zstd_begin)(packer)) {
        FILE *stream = fopencookie(packer, "w", functions);
        if (stream != NULL) return stream;
        if (gzip) deflateEnd(&packer->gzip);
        ZSTD_freeCCtx(packer->zstd);
    }
    free(packer);
    return NULL;
}
