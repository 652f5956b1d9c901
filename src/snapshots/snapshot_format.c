/* Frames and headers of snapshots: their checks, and what is believed of them. */
#include "snapshots/snapshot_format.h"

#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "roost/numbers.h"
#include "roost/snapshot.h"

_Static_assert(NOTE_TEXT == ROOST_NOTE_BYTES, "a note has the same room in the header and for the caller");

uint64_t bytes_check(const void *bytes, size_t n, uint64_t seed) { return XXH3_64bits_withSeed(bytes, n, seed); }

static uint64_t frame_check_of(const struct frame *f) { return bytes_check(f, offsetof(struct frame, frame_check), 0); }

void frame_seal(struct frame *f)
{
    memcpy(f->magic, SNAPSHOT_MAGIC, sizeof f->magic);
    f->version = SNAPSHOT_VERSION;
    f->frame_check = frame_check_of(f);
}

bool frame_is_whole(const struct frame *f)
{
    return !memcmp(f->magic, SNAPSHOT_MAGIC, sizeof f->magic) && f->frame_check == frame_check_of(f);
}

/* Appends a column of n items.  False: sizes overflow. */
static bool column_add(struct layout *l, int column, uint64_t n, uint64_t bytes)
{
    l->at[column] = l->end;
    if (__builtin_mul_overflow(n, bytes, &l->bytes[column])) return false;
    if (__builtin_add_overflow(l->end, l->bytes[column], &l->end) || l->end > UINT64_MAX - 7) return false;
    l->end = (l->end + 7) / 8 * 8;
    return true;
}

bool layout_of(const struct widths *w, uint64_t n, bool values, int offset_bytes, uint64_t string_bytes, struct layout *l)
{
    memset(l, 0, sizeof *l);
    if (n == UINT64_MAX) return false;
    const bool strings = w->key_bytes == 0;
    return column_add(l, COLUMN_KEYS, strings ? n + 1 : n, strings ? (unsigned)offset_bytes : w->key_bytes) &&
           column_add(l, COLUMN_VALUES, n, values ? w->value_bytes : 0) && column_add(l, COLUMN_STRINGS, string_bytes, 1);
}

/* ---- Headers --------------------------------------------------------------------------------- */

const char *stored_type_name(uint32_t type)
{
    static const char *const names[] = {"NONE", "U32", "U64", "I32", "I64", "F32", "F64", "BYTES", "STRING"};
    return type < sizeof names / sizeof names[0] ? names[type] : "of an unknown number";
}

/* Is this the width of a type?  0: of strings. */
static bool width_fits(uint32_t type, uint32_t bytes, uint32_t most)
{
    switch (type) {
    case ROOST_TYPE_U32:
    case ROOST_TYPE_I32:
    case ROOST_TYPE_F32: return bytes == 4;
    case ROOST_TYPE_U64:
    case ROOST_TYPE_I64:
    case ROOST_TYPE_F64: return bytes == 8;
    case ROOST_TYPE_BYTES: return bytes >= 1 && bytes <= most;
    default: return bytes == 0;
    }
}

static bool types_fit(const struct header *h)
{
    return h->key_type != ROOST_TYPE_NONE && h->key_type <= ROOST_TYPE_STRING && h->value_type <= ROOST_TYPE_BYTES &&
           width_fits(h->key_type, h->key_bytes, ROOST_KEY_BYTES_MOST) &&
           width_fits(h->value_type, h->value_bytes, ROOST_VALUE_BYTES_MOST);
}

static bool bounds_fit(const struct header *h)
{
    return isfinite(h->min_fill) && isfinite(h->max_fill) && h->min_fill >= 0 && h->min_fill < h->max_fill && h->max_fill <= 1 &&
           h->growth <= 1 && h->saturate <= 1 && h->zstd <= 1;
}

static bool text_ends(const char *text, size_t room) { return memchr(text, 0, room) != NULL; }

static bool kind_fits(const struct header *h)
{
    const bool changes = h->kind == SNAPSHOT_CHANGES, manifest = h->kind == SNAPSHOT_MANIFEST;
    return changes == (h->number != 0) && changes == (h->whole != 0) &&
           (manifest ? h->shards > 0 : h->shard < h->shards || !h->shards);
}

roost_status header_check(const struct header *h, struct error *error)
{
    const char *wrong = NULL;
    if (h->kind < SNAPSHOT_WHOLE || h->kind > SNAPSHOT_MANIFEST || h->flags & ~(ROOST_MULTI | ROOST_NUMBERED | ROOST_CHANGES))
        return error_set(error, ROOST_ERR_UNSUPPORTED, "the snapshot is of a kind that this library does not know");
    if (!types_fit(h)) wrong = "its types";
    if (!bounds_fit(h)) wrong = "its fill bounds or switches";
    if (!kind_fits(h)) wrong = "its number, or that of its shard";
    if (!text_ends(h->engine, sizeof h->engine) || !text_ends(h->options, sizeof h->options) || !text_ends(h->note, sizeof h->note))
        wrong = "its texts";
    if (!wrong) return ROOST_OK;
    return error_set(error, ROOST_ERR_CORRUPT, "block 0, the header: %s make no sense", wrong);
}
