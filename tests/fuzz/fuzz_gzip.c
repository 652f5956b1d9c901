/* gzip: members of every form that zlib writes, with all fields that a header can have. */
#include <zlib.h>

#include "packing.h"

#define MEMORY 65536 /* zlib's window of 32 KiB, and its tables */
#define HEADER_CRC 2 /* gz_header.hcrc: with a checksum of the header */

/* One stream packs all members of all inputs, because making one takes longer than reading its
 * output. */
static z_stream *packing_stream(void)
{
    static z_stream z;
    const int gzip_and_window = 16 + 9, memory_level = 1;
    if (z.state != NULL) FUZZ_CHECK(deflateReset(&z) == Z_OK);
    else FUZZ_CHECK(deflateInit2(&z, 1, Z_DEFLATED, gzip_and_window, memory_level, Z_DEFAULT_STRATEGY) == Z_OK);
    return &z;
}

static size_t pack(struct fuzz_bytes bytes, uint8_t how, uint8_t *to, size_t room)
{
    static uint8_t name[] = "name", comment[] = "comment", extra[] = "extra";
    static const int levels[] = {0, 1, 4, 9}, strategies[] = {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
    gz_header header = {.os = 255};
    if ((how & 16) != 0) header.name = name;
    if ((how & 32) != 0) header.comment = comment;
    if ((how & 64) != 0) header.extra = extra, header.extra_len = sizeof extra;
    if ((how & 64) != 0) header.hcrc = HEADER_CRC;
    z_stream *z = packing_stream();
    FUZZ_CHECK(deflateSetHeader(z, &header) == Z_OK);
    FUZZ_CHECK(deflateParams(z, levels[how & 3], strategies[how >> 2 & 3]) == Z_OK);
    const size_t before_flush = (how & 128) != 0 ? bytes.n / 2 : 0;
    z->next_out = to;
    z->avail_out = (uInt)room;
    z->next_in = (z_const Bytef *)bytes.at;
    z->avail_in = (uInt)before_flush;
    if (before_flush > 0) FUZZ_CHECK(deflate(z, Z_FULL_FLUSH) == Z_OK);
    z->avail_in += (uInt)(bytes.n - before_flush);
    FUZZ_CHECK(deflate(z, Z_FINISH) == Z_STREAM_END);
    return room - z->avail_out;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const struct fuzz_packer packer = {pack, NULL, 4, MEMORY, true};
    fuzz_packed(&packer, (struct fuzz_bytes){bytes, n});
    return 0;
}
