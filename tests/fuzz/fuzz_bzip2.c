/* bzip2: streams of the smallest blocks and of larger ones. */
#include <bzlib.h>

#include "packing.h"

#define MEMORY (5 << 20) /* libbz2's tables for blocks of 900,000 bytes */

static size_t pack(struct fuzz_bytes bytes, uint8_t how, uint8_t *to, size_t room)
{
    static const int blocks[] = {1, 2, 5, 9};
    unsigned length = (unsigned)room;
    const int silent = 0, work = how >> 2;
    FUZZ_CHECK(BZ2_bzBuffToBuffCompress((char *)to, &length, (char *)bytes.at, (unsigned)bytes.n, blocks[how & 3], silent, work) ==
               BZ_OK);
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const struct fuzz_packer packer = {pack, NULL, 10, MEMORY, true};
    fuzz_packed(&packer, (struct fuzz_bytes){bytes, n});
    return 0;
}
