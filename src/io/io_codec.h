/* Decompression of a byte stream piece by piece: one const struct of operations per compression. */
#ifndef ROOST_IO_CODEC_H
#define ROOST_IO_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io_error.h"

/* The input and output of one decoding step, which moves the pointers and shrinks the lengths. */
struct io_step {
    const uint8_t *in;
    size_t in_bytes;
    uint8_t *out;
    size_t out_bytes;
    const char *why; /* the decoder's message if the step fails, a static string */
    bool behind;     /* it failed because complete data are followed by something else */
    uint64_t taken;  /* bytes of something else that this step and earlier ones have taken */
};

struct io_codec {
    const char *name;
    bool lenient; /* bytes behind complete data are left out, as by the format's own program */
    bool (*matches)(const uint8_t *head, size_t bytes); /* by the file's first bytes */
    void *(*create)(void);                              /* NULL: memory was refused */
    enum io_status (*decode)(void *state, struct io_step *step);
    bool (*complete)(const void *state); /* may the input end here? */
    void (*destroy)(void *state);
};

extern const struct io_codec io_codec_bzip2;
extern const struct io_codec io_codec_gzip;
extern const struct io_codec io_codec_xz;
extern const struct io_codec io_codec_zstd;

#endif
