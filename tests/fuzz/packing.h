/* Shared code of the targets for compressed formats.  Most random bytes fail in a format's
 * header.  So an input is either the file itself, or it is packed here into members (frames)
 * that are sound, cut off or damaged, and has to be read as if it were not packed. */
#ifndef ROOST_FUZZ_PACKING_H
#define ROOST_FUZZ_PACKING_H

#include "reading.h"

struct fuzz_packer {
    /* Writes a member that holds the bytes, and returns its length.  The bits of `how` choose
     * its form. */
    size_t (*pack)(struct fuzz_bytes bytes, uint8_t how, uint8_t *to, size_t room);
    /* Writes a part that may lie between members and holds nothing; NULL: the format has no such
     * part. */
    size_t (*pack_nothing)(uint8_t how, uint8_t *to, size_t room);
    size_t magic;  /* bytes by which the format is known */
    size_t memory; /* limit of the reader, besides the chunks */
    bool lenient;  /* bytes that begin no member are left out */
};

void fuzz_packed(const struct fuzz_packer *packer, struct fuzz_bytes input);

#endif
