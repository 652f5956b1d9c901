/* xz: streams of several levels, with each kind of checksum. */
#include <lzma.h>

#include "packing.h"

#define MEMORY (5 << 18) /* the reader's limit for liblzma in this build, and its own tables */
#define DICTIONARY 4096

static size_t pack(struct fuzz_bytes bytes, uint8_t how, uint8_t *to, size_t room)
{
    static const lzma_check checks[] = {LZMA_CHECK_CRC32, LZMA_CHECK_CRC64, LZMA_CHECK_SHA256};
    lzma_options_lzma options;
    const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    size_t length = 0;
    FUZZ_CHECK(!lzma_lzma_preset(&options, how & 3));
    options.dict_size = DICTIONARY;
    options.lc = how >> 4 & 3;
    FUZZ_CHECK(lzma_stream_buffer_encode((lzma_filter *)filters, checks[(how >> 2 & 3) % 3], NULL, bytes.at, bytes.n, to, &length,
                                         room) == LZMA_OK);
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const struct fuzz_packer packer = {pack, NULL, 6, MEMORY, false};
    fuzz_packed(&packer, (struct fuzz_bytes){bytes, n});
    return 0;
}
