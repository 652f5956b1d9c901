/* Decompression for the second count of --verify, apart from that of the readers. */
#ifndef ROOST_CLI_VERIFY_UNPACK_H
#define ROOST_CLI_VERIFY_UNPACK_H

#include <stddef.h>

/* Bytes that are not yet unpacked. */
struct verify_piece {
    const unsigned char *at;
    size_t n;
};

enum verify_unpacked {
    VERIFY_UNPACK_MORE,    /* the data go on */
    VERIFY_UNPACK_BETWEEN, /* they may end here */
    VERIFY_UNPACK_ENDED,   /* they have ended: what follows is left out */
    VERIFY_UNPACK_WRONG
};

struct verify_unpacker {
    void *(*create)(void); /* NULL: memory was refused */
    /* Takes bytes of the piece, which is empty at the file's end, and writes at most `room` bytes.
     * *got: how many. */
    enum verify_unpacked (*step)(void *state, struct verify_piece *in, char *to, size_t room, size_t *got);
    void (*destroy)(void *state);
};

/* The unpacker for a file that begins with these bytes; NULL: it is not compressed. */
const struct verify_unpacker *verify_unpacker_of(const unsigned char *head, size_t bytes);

#endif
