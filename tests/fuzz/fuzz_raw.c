/* Raw integers: the keys are those in the file, or the file is refused for its length. */
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct fuzz_keys read, expected;
    struct fuzz_bytes input = {bytes, n};
    const uint8_t first = fuzz_take(&input), second = fuzz_take(&input), options = fuzz_take(&input);
    struct io_spec spec = {.layout = IO_RAW, .verbatim = true};
    spec.raw = (options & 1) != 0 ? IO_U64 : IO_U32;
    spec.big_endian = (options & 2) != 0;
    fuzz_read_twice(input, &spec, first, second, 1024, &read);

    const size_t width = spec.raw == IO_U64 ? 8 : 4;
    expected.n = 0;
    expected.status = input.n % width == 0 ? IO_OK : IO_ERR_TRUNCATED;
    expected.finished = input.n / width <= FUZZ_KEYS_MOST;
    for (size_t i = 0; i < input.n / width; i++)
        if (!fuzz_add(&expected, fuzz_load(input.at + i * width, width, spec.big_endian))) break;
    fuzz_expect(&read, &expected);
    FUZZ_CHECK(read.type == spec.raw);
    return 0;
}
