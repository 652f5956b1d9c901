/* What the targets of the compressed formats share.  Most random bytes die in a format's header, so an input is either the file as
 * it is, or it is packed here into members (frames) that are sound, cut off or damaged, and has to be read as if it were not. */
#ifndef ROOST_FUZZ_PACKING_H
#define ROOST_FUZZ_PACKING_H

#include "reading.h"

struct fuzz_packer {
    /* Writes one member that holds the bytes, and returns its length; the bits of `how` choose among its forms. */
    size_t (*pack)(struct fuzz_bytes bytes, uint8_t how, uint8_t *to, size_t room);
    /* Writes something that may lie between members and holds nothing; NULL: the format knows no such thing. */
    size_t (*pack_nothing)(uint8_t how, uint8_t *to, size_t room);
    size_t memory; /* what the reader may hold, besides the chunks */
};

void fuzz_packed(const struct fuzz_packer *packer, struct fuzz_bytes input);

#endif
