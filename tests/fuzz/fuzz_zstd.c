/* Zstandard: frames of several levels and windows, with and without their length, and skippable
 * frames between them. */
#include <string.h>
#include <zstd.h>

#include "packing.h"

/* libzstd's tables, the largest window of the reader in this build, and two blocks */
#define MEMORY (3 << 18)
#define SKIPPABLE_MOST 15

/* One context packs all frames of all inputs, because making one takes longer than reading its
 * output. */
static ZSTD_CCtx *packing_context(void)
{
    static ZSTD_CCtx *context;
    if (context == NULL) context = ZSTD_createCCtx();
    FUZZ_CHECK(context != NULL);
    return context;
}

static void set(ZSTD_CCtx *context, ZSTD_cParameter parameter, int value)
{
    FUZZ_CHECK(!ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)));
}

/* Each frame has a checksum, so that damage is noticed. */
static size_t pack(struct fuzz_bytes bytes, uint8_t how, uint8_t *to, size_t room)
{
    static const int levels[] = {-5, 1, 3, 6};
    ZSTD_CCtx *context = packing_context();
    ZSTD_inBuffer in = {bytes.at, 0, 0};
    ZSTD_outBuffer out = {to, room, 0};
    set(context, ZSTD_c_checksumFlag, 1);
    set(context, ZSTD_c_compressionLevel, levels[how & 3]);
    set(context, ZSTD_c_contentSizeFlag, how >> 2 & 1);
    set(context, ZSTD_c_windowLog, 10 + (how >> 3 & 3));
    set(context, ZSTD_c_hashLog, ZSTD_cParam_getBounds(ZSTD_c_hashLog).lowerBound);
    set(context, ZSTD_c_chainLog, ZSTD_cParam_getBounds(ZSTD_c_chainLog).lowerBound);
    FUZZ_CHECK(!ZSTD_isError(ZSTD_CCtx_reset(context, ZSTD_reset_session_only)));
    if ((how & 4) != 0) FUZZ_CHECK(!ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context, bytes.n)));
    /* A flush in the middle ends a block. */
    in.size = (how & 32) != 0 ? bytes.n / 2 : 0;
    if (in.size > 0) FUZZ_CHECK(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush) == 0);
    in.size = bytes.n;
    FUZZ_CHECK(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) == 0);
    return out.pos;
}

static size_t pack_nothing(uint8_t how, uint8_t *to, size_t room)
{
    const size_t length = how >> 4;
    FUZZ_CHECK(8 + SKIPPABLE_MOST <= room);
    memcpy(to, (const uint8_t[]){0x50 | (how & 15), 0x2a, 0x4d, 0x18, (uint8_t)length, 0, 0, 0}, 8);
    memset(to + 8, 0x28, length);
    return 8 + length;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const struct fuzz_packer packer = {pack, pack_nothing, 4, MEMORY, false};
    fuzz_packed(&packer, (struct fuzz_bytes){bytes, n});
    return 0;
}
