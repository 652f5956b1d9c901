/* compact's arithmetic (engines/compact/compact_place.h) against plain divisions: buckets,
 * remainders and the way back. */
#include "engines/compact/compact_place.h"
#include "portable/hash_seeds.h"
#include "support/settings.h"
#include "support/suite.h"
#include "support/numbers.h"

/* ---- 16 bits: every hash
 * ---------------------------------------------------------------------- */

/* Buckets, order and remainders of all hashes for n buckets. */
static void check_all16(uint32_t n)
{
    enum { BITS = 16 };
    const struct compact_range range = compact_range_of(BITS, n);
    uint64_t most = 0, before = 0;
    for (uint64_t hash = 0; hash < 1u << BITS; hash++) {
        const struct compact_place p = compact_place_of(BITS, &range, hash);
        const uint64_t product = hash * n;
        require(p.bucket == product >> BITS, "hash %llu of %u buckets: bucket %u", print(hash), n, p.bucket);
        require(p.remainder == (product & 0xffff) / n, "hash %llu of %u buckets: remainder %llu", print(hash), n,
                print(p.remainder));
        require(compact_hash_at(BITS, &range, p) == hash, "hash %llu of %u buckets comes back as %llu", print(hash), n,
                print(compact_hash_at(BITS, &range, p)));
        require(p.bucket >= before, "the bucket falls at hash %llu of %u buckets", print(hash), n);
        before = p.bucket;
        if (p.remainder > most) most = p.remainder;
    }
    require(most == compact_remainder_most(BITS, n), "the largest remainder of %u buckets is %llu", n, print(most));
}

static void every_hash_of_16_bits(const struct variant *variant)
{
    (void)variant;
    for (uint32_t n = 2; n <= 600; n++) check_all16(n);
    for (uint32_t n = 600; n < 1u << 16; n += n / 40) check_all16(n);
    for (uint32_t n = (1u << 16) - 3; n <= (1u << 16) + 3; n++) check_all16(n);
}

static uint64_t next(uint64_t *dice) { return mix64(++*dice); }

/* ---- 32 and 64 bits: samples and edges
 * -------------------------------------------------------- */

static void check_one(const int bits, uint32_t n, uint64_t hash)
{
    const struct compact_range range = compact_range_of(bits, n);
    const struct compact_place p = compact_place_of(bits, &range, hash);
    const unsigned __int128 product = (unsigned __int128)hash * n;
    const uint64_t low = bits == 64 ? (uint64_t)product : (uint64_t)product & 0xffffffffu;
    require(p.bucket == (uint64_t)(product >> bits), "hash %llu of %u buckets: bucket %u", print(hash), n, p.bucket);
    require(p.remainder == low / n, "hash %llu of %u buckets: remainder %llu", print(hash), n, print(p.remainder));
    require(p.remainder <= compact_remainder_most(bits, n), "a remainder of %u buckets is above its bound", n);
    require(compact_hash_at(bits, &range, p) == hash, "hash %llu of %u buckets comes back as %llu", print(hash), n,
            print(compact_hash_at(bits, &range, p)));
}

/* Random hashes, and those around a bucket's first one. */
static void check_buckets(const int bits, uint32_t n, uint64_t *dice, int samples)
{
    const uint64_t top = bits == 64 ? ~0ULL : 0xffffffffULL;
    const struct compact_range range = compact_range_of(bits, n);
    for (int i = 0; i < samples; i++) {
        const uint32_t bucket = range32((uint32_t)next(dice), n);
        const uint64_t first = compact_first_hash(bits, &range, bucket);
        check_one(bits, n, next(dice) & top);
        check_one(bits, n, first);
        check_one(bits, n, (first - 1) & top);
        check_one(bits, n, (first + 1) & top);
    }
    check_one(bits, n, 0);
    check_one(bits, n, top);
}

static void samples_of(const int bits)
{
    static const uint32_t edges[] = {
        2, 3, 4, 5, 7, 16, 17, 393240, 393241, (1u << 31) - 1, 1u << 31, (1u << 31) + 1, UINT32_MAX - 1, UINT32_MAX};
    const int counts = (int)settings_size(1000, 300), samples = 500;
    uint64_t dice = suite_seed();
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) check_buckets(bits, edges[i], &dice, samples);
    for (int i = 0; i < counts; i++) {
        const uint32_t n = (uint32_t)(next(&dice) >> (32 + next(&dice) % 30));
        check_buckets(bits, n < 2 ? 2 : n, &dice, samples);
    }
}
static void hashes_of_32_bits(const struct variant *variant)
{
    (void)variant;
    samples_of(32);
}
static void hashes_of_64_bits(const struct variant *variant)
{
    (void)variant;
    samples_of(64);
}

/* The comparison that corrects the quotient of 64 bits is needed where low is a multiple of n. */
static void quotients_are_corrected(const struct variant *variant)
{
    (void)variant;
    enum { BUCKETS = 7 };
    const struct compact_range range = compact_range_of(64, BUCKETS);
    uint64_t corrected = 0;
    for (uint64_t hash = 0; hash < 1000; hash++) {
        corrected += multiply_high64(hash * BUCKETS, range.times) != hash;
        check_one(64, BUCKETS, hash);
    }
    require(corrected > 0, "no quotient needs the correction");
}

/* ---- Hashes
 * ----------------------------------------------------------------------------------- */

static void hashes_come_back(const int bits)
{
    const uint64_t top = bits == 64 ? ~0ULL : 0xffffffffULL;
    uint64_t dice = suite_seed();
    for (int seed = 0; seed < 50; seed++) {
        struct hash_seeds seeds;
        hash_seeds_draw(&seeds, seed % 2 ? HASH_KEYED : HASH_MIX, next(&dice));
        for (int i = 0; i < 5000; i++) {
            const uint64_t key = next(&dice) & top, first = compact_hash(bits, &seeds, key), second = compact_second(bits, first);
            require(first <= top && second <= top, "a hash is wider than %d bits", bits);
            require(compact_unhash(bits, &seeds, first) == key, "key %llu does not come back", print(key));
            require(compact_first(bits, second) == first, "hash %llu does not come back from the second one", print(first));
        }
    }
}
static void hashes_are_bijections(const struct variant *variant)
{
    (void)variant;
    hashes_come_back(32);
    hashes_come_back(64);
}

/* Keys of adjacent first homes have second homes that are spread over the table. */
static void second_homes_spread(const int bits)
{
    enum { HASHES = 1 << 14, PARTS = 256, MEAN = HASHES / PARTS };
    uint32_t in[PARTS] = {0};
    const uint64_t first = bits == 64 ? 0x123456789abcdef0ULL : 0x12345678u;
    for (uint64_t i = 0; i < HASHES; i++) in[compact_second(bits, first + i) >> (bits - 8)]++;
    for (int part = 0; part < PARTS; part++)
        require(in[part] > MEAN / 2 && in[part] < 2 * MEAN, "%u of %d neighbours in part %d", in[part], (int)HASHES, part);
}
static void neighbours_part(const struct variant *variant)
{
    (void)variant;
    second_homes_spread(32);
    second_homes_spread(64);
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    suite_add_once("every hash of 16 bits", every_hash_of_16_bits);
    suite_add_once("hashes of 32 bits", hashes_of_32_bits);
    suite_add_once("hashes of 64 bits", hashes_of_64_bits);
    suite_add_once("quotients are corrected", quotients_are_corrected);
    suite_add_once("hashes are bijections", hashes_are_bijections);
    suite_add_once("neighbours have second homes apart", neighbours_part);
    return suite_run("compact_place");
}
