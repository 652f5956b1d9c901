/* Files of members, and the keys that have to be read from them. */
#include "packing.h"

#define PACKED_ROOM ((size_t)1 << 16)
#define PLAIN_MOST 4096 /* bytes to pack; longer inputs are skipped */
#define MEMBERS_MOST 4
#define PARTS_MOST (2 * MEMBERS_MOST)
#define GARBAGE_MOST 7        /* 8 bytes could be a frame that holds nothing */
#define FILE_MEMORY (5 << 20) /* reader's limit for a file of any format, besides the chunks */

enum harm { HARM_NONE, HARM_CUT, HARM_DAMAGE, HARM_GARBAGE };

/* A file of parts: members, and parts between them that hold nothing. */
struct packed {
    uint8_t bytes[PACKED_ROOM];
    size_t n;
    struct fuzz_bytes plain; /* contents of all members */
    size_t parts;
    size_t ends[PARTS_MOST];       /* end of each part */
    size_t plain_ends[PARTS_MOST]; /* number of plain bytes before that end */
};

/* The way in which a packed file is read. */
struct reading {
    struct io_spec spec;
    struct fuzz_way way;
    size_t memory;
};

static struct io_spec spec_of(uint8_t byte)
{
    static const enum io_layout layouts[] = {IO_RAW, IO_COLUMN, IO_FASTA, IO_ARC};
    struct io_spec spec = {.layout = layouts[byte & 3]};
    spec.kmer = 1 + (byte >> 2 & 7) * 3u;
    spec.column = 1 + (byte >> 2 & 1u);
    spec.separator = ',';
    spec.raw = (byte >> 2 & 1) != 0 ? IO_U64 : IO_U32;
    return spec;
}

static void end_part(struct packed *packed, size_t length, size_t plain_length)
{
    packed->n += length;
    packed->ends[packed->parts] = packed->n;
    packed->plain_ends[packed->parts++] = plain_length;
}

/* Packs the rest of the input into one to four members, some of them empty. */
static void pack(const struct fuzz_packer *packer, struct fuzz_bytes *input, bool pauses, struct packed *packed)
{
    uint8_t how[MEMBERS_MOST], share[MEMBERS_MOST];
    const size_t members = 1 + fuzz_take(input) % MEMBERS_MOST;
    for (size_t i = 0; i < members; i++) {
        how[i] = fuzz_take(input);
        share[i] = fuzz_take(input);
    }
    packed->plain = *input;
    packed->n = 0;
    packed->parts = 0;
    for (size_t i = 0, done = 0; i < members; i++) {
        if (pauses && packer->pack_nothing != NULL && share[i] % 4 == 3)
            end_part(packed, packer->pack_nothing(how[i], packed->bytes + packed->n, PACKED_ROOM - packed->n), done);
        const size_t left = packed->plain.n - done;
        const struct fuzz_bytes bytes = {packed->plain.at + done, i + 1 == members ? left : left * share[i] / 255};
        done += bytes.n;
        end_part(packed, packer->pack(bytes, how[i], packed->bytes + packed->n, PACKED_ROOM - packed->n), done);
    }
}

/* Reads the first n plain bytes without compression. */
static void read_plain(const struct packed *packed, size_t n, const struct reading *reading, struct fuzz_keys *keys)
{
    struct io_spec spec = reading->spec;
    spec.verbatim = true;
    fuzz_read((struct fuzz_bytes){packed->plain.at, n}, &spec, reading->way, reading->memory, keys);
}

static void read_packed(const struct packed *packed, size_t n, const struct reading *reading, struct fuzz_keys *keys)
{
    fuzz_read((struct fuzz_bytes){packed->bytes, n}, &reading->spec, reading->way, reading->memory, keys);
}

/* Reads the first n bytes of the file, which end in `part`.  At its end they give all that was
 * packed up to there; before its end they give some of those keys and then an error. */
static void check_sound(const struct packed *packed, size_t n, const struct reading *reading)
{
    static struct fuzz_keys read, expected;
    size_t part = 0;
    while (packed->ends[part] < n) part++;
    const bool ends = packed->ends[part] == n;
    read_packed(packed, n, reading, &read);
    read_plain(packed, packed->plain_ends[part], reading, &expected);
    if (!ends && read.finished) FUZZ_CHECK(read.status != IO_OK);
    if (!ends && read.finished && reading->spec.layout == IO_RAW) FUZZ_CHECK(read.status == IO_ERR_TRUNCATED);
    expected.finished = expected.finished && ends;
    fuzz_agree(&read, &expected);
}

/* Changes a byte: the reader notices it, or the keys are the same. */
static void check_damage(const struct fuzz_packer *packer, struct packed *packed, size_t where, uint8_t change,
                         const struct reading *reading)
{
    static struct fuzz_keys read, expected;
    packed->bytes[packer->magic + where % (packed->n - packer->magic)] ^= (uint8_t)(1 + change % 255);
    read_packed(packed, packed->n, reading, &read);
    if (!read.finished || read.status != IO_OK) return;
    read_plain(packed, packed->plain.n, reading, &expected);
    if (read.left_out.bytes == 0) fuzz_expect(&read, &expected);
    else if (reading->spec.layout == IO_RAW) { /* a member that no longer begins as one */ expected.finished = false;
        fuzz_agree(&read, &expected);
    }
}

/* Appends bytes that are no member; zeros may be padding. */
static void check_garbage(const struct fuzz_packer *packer, struct packed *packed, size_t n, uint8_t byte,
                          const struct reading *reading)
{
    static struct fuzz_keys read, expected;
    const size_t bytes = 1 + n % GARBAGE_MOST;
    for (size_t i = 0; i < bytes; i++) packed->bytes[packed->n++] = byte;
    read_packed(packed, packed->n, reading, &read);
    if (!read.finished || byte == 0) return;
    if (!packer->lenient) FUZZ_CHECK(read.status != IO_OK);
    if (read.status != IO_OK) return;
    FUZZ_CHECK(read.left_out.bytes == bytes);
    read_plain(packed, packed->plain.n, reading, &expected);
    fuzz_expect(&read, &expected);
}

/* Reads the input as it is, in two ways. */
static void check_file(struct fuzz_bytes file, struct fuzz_way first, struct fuzz_way second)
{
    static struct fuzz_keys read, other;
    const struct io_spec spec = {.layout = IO_RAW};
    fuzz_read(file, &spec, first, FILE_MEMORY, &read);
    fuzz_read(file, &spec, second, FILE_MEMORY, &other);
    /* A frame without bytes may announce some: libzstd accepts it unless it gets the frame in
     * one piece. */
    if ((read.status == IO_OK) != (other.status == IO_OK)) other.finished = false;
    fuzz_agree(&read, &other);
}

static void check_packed(const struct fuzz_packer *packer, struct fuzz_bytes input, enum harm harm, struct fuzz_way way)
{
    static struct packed packed;
    if (input.n > PLAIN_MOST) return;
    const uint8_t options = fuzz_take(&input), low = fuzz_take(&input), high = fuzz_take(&input), byte = fuzz_take(&input);
    const size_t where = (size_t)low | (size_t)high << 8;
    const struct reading reading = {spec_of(options), way, packer->memory};
    pack(packer, &input, harm != HARM_DAMAGE, &packed);
    switch (harm) {
    case HARM_NONE: check_sound(&packed, packed.n, &reading); break;
    case HARM_CUT: check_sound(&packed, packer->magic + where % (packed.n - packer->magic), &reading); break;
    case HARM_DAMAGE: check_damage(packer, &packed, where, byte, &reading); break;
    case HARM_GARBAGE: check_garbage(packer, &packed, where, byte, &reading); break;
    }
}

void fuzz_packed(const struct fuzz_packer *packer, struct fuzz_bytes input)
{
    const struct fuzz_way first = fuzz_way_of(fuzz_take(&input)), second = fuzz_way_of(fuzz_take(&input));
    const uint8_t mode = fuzz_take(&input) % (HARM_GARBAGE + 2);
    if (mode > HARM_GARBAGE) check_file(input, first, second);
    else check_packed(packer, input, (enum harm)mode, first);
}
