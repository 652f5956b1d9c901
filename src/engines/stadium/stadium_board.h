/* The ticket-board: where a key's tickets are, how a tile reads a group of them, and how a ticket
 * changes.  stadium.h draws them. */
#ifndef ROOST_STADIUM_BOARD_H
#define ROOST_STADIUM_BOARD_H

#include "engines/stadium/stadium.h"

#if defined(ROOST_MACHINE_HOST) && defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Most words of a group. */
enum { TICKET_WORDS = 16 };

/* ---- Constants of some shapes, else members of the view ------------------------------------- */

ROOST_FN int group_bytes(const struct shape s) { return s.slots & 0xff; }
ROOST_FN int group_words(const struct shape s) { return group_bytes(s) / 4; }
ROOST_FN bool tickets_fixed(const struct shape s) { return s.slots >> 8 == 8; }

ROOST_FN uint32_t ticket_log(const struct shape s, const struct stadium_view *v) { return tickets_fixed(s) ? 3 : v->ticket_log; }
ROOST_FN int ticket_bits(const struct shape s, const struct stadium_view *v) { return 1 << ticket_log(s, v); }
ROOST_FN uint32_t tickets_available(const struct shape s, const struct stadium_view *v)
{
    return tickets_fixed(s) ? 0x01010101u : v->available;
}
ROOST_FN uint32_t tickets_below_top(const struct shape s, const struct stadium_view *v)
{
    return tickets_fixed(s) ? 0x7f7f7f7fu : v->below_top;
}
ROOST_FN uint32_t ticket_infos(const struct shape s, const struct stadium_view *v) { return tickets_fixed(s) ? 127 : v->infos; }
ROOST_FN bool tickets_single(const struct shape s, const struct stadium_view *v) { return !tickets_fixed(s) && v->single; }
ROOST_FN bool has_access(const struct shape s, const struct stadium_view *v) { return tickets_fixed(s) || v->access; }
ROOST_FN bool looks_at_pairs(const struct shape s, const struct stadium_view *v) { return !tickets_fixed(s) && v->every_pair; }

/* ---- Where a key's tickets are -------------------------------------------------------------- */

/* A key's way over the board. */
struct stadium_walk {
    uint64_t hash, at, step; /* at: a group, or a ticket where groups are single tickets */
    uint32_t passed, bound;  /* groups */
};

/* Marks in the place of a key (access=off).  No key of 4 bytes that has a word of 8 bytes for
 * itself looks like them. */
ROOST_FN uint64_t stadium_empty(const struct shape s) { return s.word && s.key_bytes == 4 ? 0xffffffffULL : ~0ULL; }
ROOST_FN uint64_t stadium_tombstone(const struct shape s) { return stadium_empty(s) - 1; }

/* A key's hash.  Keys of 4 bytes are mixed in 32 bits, which costs half of the instructions: the
 * upper half is a bijection of the key, the lower one a multiple of it. */
ROOST_FN uint64_t stadium_hash(const struct shape s, const struct stadium_view *v, roost_key key)
{
    if (s.key_bytes == 8 || v->seeds.family == HASH_UNIVERSAL) return hash_first(&v->seeds, key);
    const uint32_t high = hash_word32(&v->seeds, (uint32_t)key);
    return (uint64_t)high << 32 | high * 0x9e3779b1u;
}

/* Maps a hash to [0, n) by its top bits.  A key of 4 bytes has 32 of them: the lower ones are a
 * multiple. */
ROOST_FN uint64_t stadium_range(const struct shape s, uint64_t hash, uint64_t n)
{
    return s.key_bytes != 4 || n >> 32 ? multiply_high64(hash, n) : (hash >> 32) * n >> 32;
}

/* Begins a key's way.  A key that is stored inverted lies behind the groups.  `key`: as stored. */
ROOST_FN struct stadium_walk stadium_walk_begin(const struct shape s, const struct stadium_view *v, uint64_t hash, roost_key key,
                                                bool inverted)
{
    struct stadium_walk w = {hash, stadium_range(s, hash, v->groups), 0, 0, v->bound};
    if (inverted) w.at = v->groups + (tickets_single(s, v) ? key : 0), w.bound = 1;
    return w;
}

/* The place of a home's reach: the most groups on the way of any stored key that begins there.  32
 * single tickets share one. */
ROOST_FN uint64_t stadium_reach_of(const struct shape s, const struct stadium_view *v, uint64_t home)
{
    return tickets_single(s, v) ? home / 32 : home;
}

/* Goes to the next group; false if there is none.  The step depends on other bits of the hash than
 * home and info do. */
ROOST_FN bool stadium_walk_next(const struct shape s, const struct stadium_view *v, struct stadium_walk *w)
{
    if (++w->passed >= w->bound) return false;
    if (!w->step) w->step = 1 + stadium_range(s, (w->hash ^ w->hash >> 32) * 0x9fb21c651e98df25ULL, v->groups - 1);
    w->at += w->step;
    if (w->at >= v->groups) w->at -= v->groups;
    return true;
}

/* The info of a key's ticket, by a multiplier that does not follow from the table's seed.  Somebody
 * who knows the seed could choose keys with one info, and each find would read all pairs of its
 * group.  After one multiplication alone, hashes that are a progression have few infos in a group
 * for some multipliers: finds read three times as many pairs in 8 of 60 runs of a test. */
ROOST_FN uint32_t stadium_info(const struct shape s, const struct stadium_view *v, uint64_t hash)
{
    const uint64_t once = hash * v->info_times;
    return (uint32_t)((once ^ once >> 32) * v->info_times >> 48) * ticket_infos(s, v) >> 16;
}

/* The words of a group, or of the block that contains a single ticket; the word in which an insert
 * begins; and the tickets that count. */
struct ticket_place {
    uint64_t word;  /* of the board: the first */
    uint32_t first; /* word in which an insert begins to look for a FREE ticket */
    uint32_t only;  /* single: highest bit of the ticket in that word; 0: all tickets count */
};

ROOST_FN struct ticket_place ticket_place_of(const struct shape s, const struct stadium_view *v, const struct stadium_walk *w)
{
    const uint32_t words = (uint32_t)group_words(s);
    struct ticket_place p = {w->at * words, (uint32_t)(w->hash >> 16) & (words - 1), 0};
    if (tickets_single(s, v)) {
        const uint64_t bit = w->at << ticket_log(s, v);
        p.word = bit / STADIUM_BLOCK_BITS * (STADIUM_BLOCK_BITS / 32);
        p.first = (uint32_t)(bit - p.word * 32) / 32;
        p.only = 1u << (((uint32_t)bit & 31u) + (uint32_t)ticket_bits(s, v) - 1);
    }
    return p;
}

/* ---- A group in a tile's registers ---------------------------------------------------------- */

/* This lane's words of its vectors (chosen by tile_vector). */
struct ticket_share {
    uint64_t word[TICKET_WORDS];
    bool adjacent;
};

ROOST_FN int ticket_rounds(const struct shape s, const tile g) { return (group_bytes(s) / 16 + g.size - 1) / g.size; }

/* The index in the group of this lane's i-th word. */
ROOST_FN uint32_t ticket_word(const struct shape s, const tile g, const struct ticket_share *share, int i)
{
    return (uint32_t)(tile_vector(g, share->adjacent, ticket_rounds(s, g), i / 4) * 4 + i % 4);
}

/* Is there an i-th word? */
ROOST_FN bool ticket_has(const struct shape s, const tile g, const struct ticket_share *share, int i)
{
    return i < 4 * ticket_rounds(s, g) && ticket_word(s, g, share, i) < (uint32_t)group_words(s);
}

ROOST_FN void tickets_load(const int phase, const struct shape s, const tile g, const uint32_t *words, struct ticket_share *share)
{
    share->adjacent = loads_adjacent(phase);
    ROOST_UNROLL
    for (int r = 0; r < TICKET_WORDS / 4; r++) {
        if (r >= ticket_rounds(s, g)) break;
        const int vector = tile_vector(g, share->adjacent, ticket_rounds(s, g), r);
        if (vector < group_bytes(s) / 16) load_vector32(phase, words + vector * 4, &share->word[r * 4]);
    }
}

/* The value that this lane loaded of word w, one of its own. */
ROOST_FN uint32_t ticket_seen(const struct shape s, const tile g, const struct ticket_share *share, uint32_t w)
{
    uint32_t seen = 0;
    ROOST_UNROLL
    for (int i = 0; i < TICKET_WORDS; i++)
        if (ticket_has(s, g, share, i) && ticket_word(s, g, share, i) == w) seen = (uint32_t)share->word[i];
    return seen;
}

/* The highest bit of each ticket of a word that is 0. */
ROOST_FN uint32_t tickets_zero(const struct shape s, const struct stadium_view *v, uint32_t word)
{
    return ~(((word & tickets_below_top(s, v)) + tickets_below_top(s, v)) | word | tickets_below_top(s, v));
}

ROOST_FN uint32_t tickets_free(const struct shape s, const struct stadium_view *v, uint32_t word)
{
    return tickets_zero(s, v, ~word);
}
ROOST_FN uint32_t tickets_reserved(const struct shape s, const struct stadium_view *v, uint32_t word)
{
    return tickets_zero(s, v, word ^ ~tickets_available(s, v));
}

/* STORED tickets with this info. */
ROOST_FN uint32_t tickets_stored(const struct shape s, const struct stadium_view *v, uint32_t word, uint32_t info)
{
    return tickets_zero(s, v, word ^ (info << 1) * tickets_available(s, v));
}

/* Tickets whose slots have a pair, whatever its key: candidates of a find that ignores the info. */
ROOST_FN uint32_t tickets_taken(const struct shape s, const struct stadium_view *v, uint32_t word)
{
    const uint32_t taken = (~word & tickets_available(s, v)) << (ticket_bits(s, v) - 1);
    return has_access(s, v) ? taken & ~tickets_reserved(s, v, word) : taken;
}

/* The bits of a place that count in its word w. */
ROOST_FN uint32_t tickets_counted(const struct ticket_place *p, uint32_t w)
{
    return !p->only ? 0xffffffffu : w == p->first ? p->only : 0;
}

/* The slot of a ticket whose highest bit is `bit` of a word of the board. */
ROOST_FN uint64_t ticket_slot(const struct shape s, const struct stadium_view *v, uint64_t word, int bit)
{
    return (word * 32 + (uint32_t)bit) >> ticket_log(s, v);
}

/* The ticket's bits in its word; `bit` is the highest. */
ROOST_FN uint32_t ticket_mask(const struct shape s, const struct stadium_view *v, int bit)
{
    return (uint32_t)(((1ULL << ticket_bits(s, v)) - 1) << (bit + 1 - ticket_bits(s, v)));
}

#if defined(ROOST_MACHINE_HOST)
/* For a group whose tickets are bytes: a mask with a bit for each ticket that equals this one.  The
 * result is exact without writers, and a hint beside them. */
ROOST_FN uint32_t group_equal(const uint32_t *words, uint8_t ticket)
{
#if defined(__SSE2__)
    const __m128i want = _mm_set1_epi8((char)ticket), *part = (const __m128i *)(const void *)words;
    const uint32_t low = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(part), want));
    return low | (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(part + 1), want)) << 16;
#else
    const unsigned char *tickets = (const unsigned char *)words;
    uint32_t mask = 0;
    for (int i = 0; i < 32; i++) mask |= (uint32_t)(tickets[i] == ticket) << i;
    return mask;
#endif
}

/* Has such a group a ticket that an insert may take, or must wait for: one that is FREE or
 * RESERVED?  With `holes`, for a refill: FREE or ERASED?  Beside writers each byte that is read
 * here was the ticket at some time of this kernel.  No ticket comes into these states during it. */
ROOST_FN bool group_invites(const uint32_t *words, bool holes)
{
#if defined(__SSE2__)
    const __m128i *const part = (const __m128i *)(const void *)words, least = _mm_set1_epi8((char)0xfe);
    const __m128i a = _mm_loadu_si128(part), b = _mm_loadu_si128(part + 1);
    if (holes) return _mm_movemask_epi8(_mm_slli_epi16(_mm_or_si128(a, b), 7)) != 0;
    return _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(_mm_max_epu8(a, least), a), _mm_cmpeq_epi8(_mm_max_epu8(b, least), b))) !=
           0;
#else
    const unsigned char *tickets = (const unsigned char *)words;
    uint32_t any = 0;
    for (int i = 0; i < 32; i++) any |= holes ? tickets[i] & 1u : tickets[i] >= 0xfe;
    return any != 0;
#endif
}

/* Can group_equal serve this table? */
ROOST_FN bool group_at_once(const struct shape s, const struct stadium_view *v)
{
    const bool bytes = tickets_fixed(s) || (s.key_bytes == 0 && v->ticket_log == 3 && v->access && !v->single && !v->every_pair);
    return bytes && group_bytes(s) == 32 && !ROOST_THREAD_SANITIZER;
}
#endif

/* ---- Changes -------------------------------------------------------------------------------- */

/* Claims a ticket that was seen FREE (or in a refill ERASED) in this word.  The compare-and-swap of
 * the word lets only one of several inserts own the ticket.  The paper's and of the available bit
 * would also take a ticket that another insert and an erase have changed since.  It would restore
 * the erased pair for a moment. */
ROOST_FN bool ticket_reserve(const struct shape s, const struct stadium_view *v, uint32_t *word, uint32_t seen, int bit)
{
    const uint32_t mask = ticket_mask(s, v, bit), available = mask & tickets_available(s, v);
    return cas_relaxed_device32(word, seen, (seen | mask) & ~available) == seen;
}

/* Sets the info of a RESERVED ticket, once the pair is written.  All bits of the ticket except one
 * are set, so an and is enough.  It releases, so a lane that sees the info sees the pair.  A pair
 * in pinned memory of the host must be visible to the whole system, because the GPU's copy engines
 * and the host do not read through this GPU's caches. */
ROOST_FN void ticket_publish(const struct shape s, const struct stadium_view *v, uint32_t *word, int bit, uint32_t info)
{
    const uint32_t mask = ticket_mask(s, v, bit), ticket = (info << 1) * tickets_available(s, v) & mask;
    if (v->on_host || v->wide.arena_on_host) fence_release_system();
    (void)and_release_device32(word, ~mask | ticket);
}

/* Makes a STORED ticket ERASED.  The or's old value tells which of two erasers did it. */
ROOST_FN bool ticket_erase(const struct shape s, const struct stadium_view *v, uint32_t *word, int bit)
{
    const uint32_t available = ticket_mask(s, v, bit) & tickets_available(s, v);
    return (or_relaxed_device32(word, available) & available) == 0;
}

#endif
