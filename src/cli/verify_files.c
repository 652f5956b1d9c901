/* Opens files by zlib's gzFile, and by libzstd through a stdio cookie. */
#define _GNU_SOURCE 1
#include "cli/verify_files.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define READ_BYTES ((size_t)1 << 16) /* of a compressed file, read at a time */

static ssize_t gz_read(void *cookie, char *buffer, size_t bytes)
{
    return gzread((gzFile)cookie, buffer, (unsigned)(bytes < READ_BYTES ? bytes : READ_BYTES));
}

static int gz_close(void *cookie) { return gzclose((gzFile)cookie) == Z_OK ? 0 : EOF; }

struct zst_file {
    FILE *file;
    ZSTD_DCtx *context;
    ZSTD_inBuffer in;
    size_t hint; /* result of the last step: 0 between frames */
    char piece[READ_BYTES];
};

static ssize_t zst_read(void *cookie, char *buffer, size_t bytes)
{
    struct zst_file *zst = (struct zst_file *)cookie;
    ZSTD_outBuffer out = {buffer, bytes, 0};
    while (out.pos == 0) {
        if (zst->in.pos == zst->in.size) {
            zst->in.size = fread(zst->piece, 1, READ_BYTES, zst->file);
            zst->in.pos = 0;
            if (zst->in.size == 0 && ferror(zst->file)) return -1;
            if (zst->in.size == 0 && zst->hint == 0) return 0;
        }
        const size_t given = zst->in.size;
        zst->hint = ZSTD_decompressStream(zst->context, &out, &zst->in);
        if (ZSTD_isError(zst->hint) || (given == 0 && out.pos == 0)) return -1;
    }
    return (ssize_t)out.pos;
}

static int zst_close(void *cookie)
{
    struct zst_file *zst = (struct zst_file *)cookie;
    ZSTD_freeDCtx(zst->context);
    const int result = fclose(zst->file);
    free(zst);
    return result;
}

static FILE *open_zst(const char *path)
{
    struct zst_file *zst = (struct zst_file *)calloc(1, sizeof *zst);
    if (zst == NULL) return NULL;
    zst->file = fopen(path, "rb");
    zst->context = ZSTD_createDCtx();
    zst->in.src = zst->piece;
    if (zst->file != NULL && zst->context != NULL) {
        ZSTD_DCtx_setParameter(zst->context, ZSTD_d_windowLogMax, ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
        const cookie_io_functions_t functions = {zst_read, NULL, NULL, zst_close};
        FILE *stream = fopencookie(zst, "rb", functions);
        if (stream != NULL) return stream;
    }
    if (zst->file != NULL) fclose(zst->file);
    ZSTD_freeDCtx(zst->context);
    free(zst);
    return NULL;
}

static FILE *open_gz(const char *path)
{
    gzFile gz = gzopen(path, "rb");
    const cookie_io_functions_t functions = {gz_read, NULL, NULL, gz_close};
    FILE *stream = gz != NULL ? fopencookie(gz, "rb", functions) : NULL;
    if (stream == NULL && gz != NULL) gzclose(gz);
    return stream;
}

FILE *verify_open(const char *path, bool verbatim)
{
    unsigned char magic[4] = {0};
    FILE *plain = fopen(path, "rb");
    if (plain == NULL) return NULL;
    const size_t got = fread(magic, 1, sizeof magic, plain);
    if (ferror(plain) || fseek(plain, 0, SEEK_SET) != 0) {
        fclose(plain);
        return NULL;
    }
    if (verbatim || got < 3) return plain;
    const bool gz = memcmp(magic, "\x1f\x8b\x08", 3) == 0;
    const bool frame = got == 4 && memcmp(magic, "\x28\xb5\x2f\xfd", 4) == 0;
    const bool skippable = got == 4 && (magic[0] & 0xf0) == 0x50 && memcmp(magic + 1, "\x2a\x4d\x18", 3) == 0;
    if (!gz && !frame && !skippable) return plain;
    fclose(plain);
    return gz ? open_gz(path) : open_zst(path);
}

void verify_skip_mark(FILE *file)
{
    static const unsigned char mark[3] = {0xef, 0xbb, 0xbf};
    int byte = 0, n = 0;
    while (n < 3 && (byte = getc(file)) == mark[n]) n++;
    if (n == 3) return;
    if (byte != EOF) ungetc(byte, file);
    while (n-- > 0) ungetc(mark[n], file);
}
