/* compact's looks by vector instructions of the host, for tags of 2 bytes: 16 tags of a half are
 * compared at once.  Processors with AVX load 16 aligned bytes at once (portable/atomic.h). */
#ifndef ROOST_COMPACT_VECTOR_H
#define ROOST_COMPACT_VECTOR_H

#include "engines/compact/compact_bucket.h"

#if defined(ROOST_MACHINE_HOST) && defined(__AVX__) && !ROOST_THREAD_SANITIZER
#include <immintrin.h>
#define COMPACT_VECTORS 1

ROOST_FN bool compact_has_vectors(const struct shape s) { return s.word == 2; }

/* Slots of a half whose tags compared equal, as bits. */
ROOST_FN uint32_t compact_equal_slots(const struct shape s, __m128i low, __m128i high)
{
    const uint32_t lanes = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
    return lanes >> 2 * compact_lows_at(s) & ((1u << compact_half_slots(s)) - 1u);
}
ROOST_FN uint32_t compact_slots_with(const struct shape s, const __m128i *half, uint32_t a, uint32_t b)
{
    const __m128i x = _mm_set1_epi16((short)a), y = _mm_set1_epi16((short)b);
    const __m128i low = _mm_or_si128(_mm_cmpeq_epi16(half[0], x), _mm_cmpeq_epi16(half[0], y));
    const __m128i high = _mm_or_si128(_mm_cmpeq_epi16(half[1], x), _mm_cmpeq_epi16(half[1], y));
    return compact_equal_slots(s, low, high);
}

/* As compact_look_for, of a bucket that is not loaded yet.  The state is read again: of a slot that
 * was erased meanwhile it counts as FRESH, whose value is still the key's. */
ROOST_FN struct compact_look compact_look_vectors(const struct shape s, const struct compact_aim aim, const struct compact_view *v,
                                                  uint32_t bucket, const struct compact_wish *wish)
{
    const uint32_t code = wish->tag.low, epoch = wish->epoch;
    struct compact_sight m = {0, 0, 0};
    for (int half = 0; half < COMPACT_HALVES; half++) {
        const __m128i *const at = (const __m128i *)(const void *)compact_half(v, bucket, half);
        const __m128i words[2] = {_mm_load_si128(at), _mm_load_si128(at + 1)};
        const int first = half * compact_half_slots(s);
        m.complete |= compact_slots_with(s, words, code + COMPACT_FRESH, code + COMPACT_SETTLED) << first;
        if (!aim.vacancy) continue;
        m.later |= compact_slots_with(s, words, code, code) << first;
        m.open |= compact_slots_with(s, words, COMPACT_VACANT, epoch == 1 ? COMPACT_DEAD_0 : COMPACT_DEAD_1) << first;
        if (epoch == COMPACT_NO_EPOCH) m.open |= compact_slots_with(s, words, COMPACT_DEAD_0, COMPACT_DEAD_0) << first;
    }
    const bool filtered = (load_relaxed_device32(compact_filter(s, v, bucket)) & wish->bit) != 0;
    struct compact_look look = compact_look_choose(m, filtered, wish);
    if (look.match < 0 && look.vacancy < 0) return look;
    const struct compact_slot slot = compact_slot_at(s, v, bucket, look.match >= 0 ? look.match : look.vacancy);
    if (aim.phase != QUIESCENT) look.seen = compact_word(slot, compact_low_field(s, slot.i));
    if (look.match >= 0 && aim.value) look.value = compact_value_load(s, slot);
    return look;
}

#else
#define COMPACT_VECTORS 0
#endif

/* Loads a bucket and looks into it; !goes: the tile only comes along with others. */
ROOST_FN struct compact_look compact_look_into(const struct shape s, const tile g, const struct compact_aim aim,
                                               const struct compact_view *v, uint32_t bucket, const struct compact_wish *wish,
                                               bool goes)
{
    struct compact_share share;
#if COMPACT_VECTORS
    if (compact_has_vectors(s)) return compact_look_vectors(s, aim, v, bucket, wish);
#endif
    if (goes) compact_load(aim.phase, s, g, v, bucket, aim.value, &share);
    else share = compact_share_none();
    return compact_look_for(s, g, aim, &share, wish);
}

#endif
