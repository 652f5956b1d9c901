/* Opens files, compressed ones through stdio cookies. */
#define _GNU_SOURCE 1
#include "cli/verify_files.h"

#include <stdlib.h>
#include <string.h>

#include "cli/verify_unpack.h"

#define READ_BYTES ((size_t)1 << 16) /* of a compressed file, read at a time */

/* A compressed file.  `piece` has its next bytes. */
struct packed {
    FILE *file;
    const struct verify_unpacker *unpacker;
    void *state;
    struct verify_piece in;
    bool ended; /* nothing follows */
    unsigned char piece[READ_BYTES];
};

static ssize_t packed_read(void *cookie, char *buffer, size_t bytes)
{
    struct packed *packed = (struct packed *)cookie;
    size_t got = 0;
    while (got == 0 && bytes > 0 && !packed->ended) {
        if (packed->in.n == 0) {
            packed->in.at = packed->piece;
            packed->in.n = fread(packed->piece, 1, READ_BYTES, packed->file);
            if (ferror(packed->file)) return -1;
        }
        const bool at_end = packed->in.n == 0;
        switch (packed->unpacker->step(packed->state, &packed->in, buffer, bytes, &got)) {
        case VERIFY_UNPACK_MORE:
            if (at_end && got == 0) return -1;
            break;
        case VERIFY_UNPACK_BETWEEN: packed->ended = at_end && got == 0; break;
        case VERIFY_UNPACK_ENDED: packed->ended = true; break;
        case VERIFY_UNPACK_WRONG: return -1;
        }
    }
    return (ssize_t)got;
}

static int packed_close(void *cookie)
{
    struct packed *packed = (struct packed *)cookie;
    packed->unpacker->destroy(packed->state);
    const int result = fclose(packed->file);
    free(packed);
    return result;
}

/* Closes `file` on failure. */
static FILE *open_packed(FILE *file, const struct verify_unpacker *unpacker)
{
    const cookie_io_functions_t functions = {packed_read, NULL, NULL, packed_close};
    struct packed *packed = (struct packed *)calloc(1, sizeof *packed);
    void *state = packed != NULL ? unpacker->create() : NULL;
    if (state != NULL) {
        packed->file = file;
        packed->unpacker = unpacker;
        packed->state = state;
        FILE *stream = fopencookie(packed, "rb", functions);
        if (stream != NULL) return stream;
        unpacker->destroy(state);
    }
    free(packed);
    fclose(file);
    return NULL;
}

FILE *verify_open(const char *path, bool verbatim)
{
    unsigned char head[10] = {0};
    FILE *plain = fopen(path, "rb");
    if (plain == NULL) return NULL;
    const size_t got = fread(head, 1, sizeof head, plain);
    if (ferror(plain) || fseek(plain, 0, SEEK_SET) != 0) {
        fclose(plain);
        return NULL;
    }
    const struct verify_unpacker *unpacker = verbatim ? NULL : verify_unpacker_of(head, got);
    return unpacker == NULL ? plain : open_packed(plain, unpacker);
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
