/* The scheduled machine's memory: messages by location, and the lanes' views of them. */
#include "portable/scheduled_memory.h"

#include <stdlib.h>

#include "portable/scheduled_view.h"

enum {
    HISTORY = 8,          /* most messages that a location keeps */
    GRANULE = 16,         /* bytes: the widest word */
    FIRST_GRANULES = 4096 /* a power of 2 */
};

/* Distance of two messages in time, so that other messages fit in between. */
#define TIME_STEP ((uint64_t)1 << 20)

struct message {
    struct scheduled_word value;
    uint64_t time;
    struct view *view; /* kept; NULL: nothing but the message itself */
    bool sealed;       /* a read-modify-write read it, and its own message is the next one */
};

struct location {
    void *p;
    int bytes, n;
    struct message message[HISTORY]; /* in modification order */
};

/* 16 bytes of memory: the location of each 4 bytes, or -1. */
struct granule {
    uintptr_t address;
    uint64_t run; /* a granule of another run is unused */
    int at[GRANULE / 4];
};

struct views {
    struct view current, pending;
    struct view *released; /* kept, or NULL */
};

static struct {
    bool weak, values_alone;
    int (*choose)(int options);
    struct views lane[SCHEDULED_LANES];
    struct view agreed; /* messages seen at sequentially consistent fences */
    struct location *location;
    int locations, locations_room;
    struct granule *granule; /* a hash table with open addressing */
    size_t granules, granules_room;
    uint64_t run;
} memory;

/* ---- Words ---------------------------------------------------------------------------------- */

static struct scheduled_word word_read(const void *p, int bytes)
{
    struct scheduled_word word = {0, 0};
    if (bytes == 4) word.low = *(const uint32_t *)p;
    else word.low = *(const uint64_t *)p;
    if (bytes == 16) word.high = ((const uint64_t *)p)[1];
    return word;
}

static void word_write(void *p, int bytes, struct scheduled_word word)
{
    if (bytes == 4) *(uint32_t *)p = (uint32_t)word.low;
    else *(uint64_t *)p = word.low;
    if (bytes == 16) ((uint64_t *)p)[1] = word.high;
}

static bool word_same(struct scheduled_word a, struct scheduled_word b) { return a.low == b.low && a.high == b.high; }

/* The part of a location that is accessed: its whole word, or `bytes` of it from `first` on, the
 * middle of the word. */
struct access {
    int at, first, bytes;
    const struct scheduled_change *change; /* NULL: none */
};

static uint64_t part_mask(const struct access *a) { return a->bytes == 4 ? 0xffffffffu : ~0ULL; }

static struct scheduled_word part_of(const struct access *a, struct scheduled_word word)
{
    const struct scheduled_word part = {(a->first == 8 ? word.high : word.low >> 8 * a->first) & part_mask(a), 0};
    return a->first ? part : word;
}

static struct scheduled_word with_part(const struct access *a, struct scheduled_word word, struct scheduled_word part)
{
    uint64_t *const half = a->first == 8 ? &word.high : &word.low;
    const int shift = a->first % 8 * 8;
    *half = (*half & ~(part_mask(a) << shift)) | part.low << shift;
    return a->first ? word : part;
}

/* Applies a change to a word; false if the change leaves the word alone. */
static bool change_apply(const struct scheduled_change *change, int bytes, struct scheduled_word seen, struct scheduled_word *next)
{
    const struct scheduled_word operand = change->operand;
    *next = operand;
    if (change->kind == CHANGE_CAS) return word_same(seen, change->expected);
    if (change->kind == CHANGE_MAX) return seen.low < operand.low;
    if (change->kind == CHANGE_EXCHANGE) return true;
    if (change->kind == CHANGE_ADD) next->low = seen.low + operand.low;
    else next->low = change->kind == CHANGE_OR ? seen.low | operand.low : seen.low & operand.low;
    if (bytes == 4) next->low &= 0xffffffffu;
    return true;
}

/* ---- Locations ------------------------------------------------------------------------------ */

static struct granule *granule_place(uintptr_t address)
{
    uint64_t place = address / GRANULE * 0x9e3779b97f4a7c15ULL >> 32;
    for (;; place++) {
        struct granule *granule = &memory.granule[place & (memory.granules_room - 1)];
        if (granule->run != memory.run || granule->address == address) return granule;
    }
}

static void granules_grow(void)
{
    struct granule *old = memory.granule;
    const size_t old_room = memory.granules_room;
    memory.granules_room = old_room ? 2 * old_room : FIRST_GRANULES;
    memory.granule = (struct granule *)calloc(memory.granules_room, sizeof *memory.granule);
    if (!memory.granule) abort();
    for (size_t i = 0; i < old_room; i++)
        if (old[i].run == memory.run) *granule_place(old[i].address) = old[i];
    free(old);
}

static struct granule *granule_of(uintptr_t address)
{
    if (2 * memory.granules >= memory.granules_room) granules_grow();
    struct granule *granule = granule_place(address);
    if (granule->run == memory.run) return granule;
    granule->address = address;
    granule->run = memory.run;
    for (int i = 0; i < GRANULE / 4; i++) granule->at[i] = -1;
    memory.granules++;
    return granule;
}

/* Makes a location for a word that is accessed for the first time; its contents are older than the
 * run. */
static int location_make(void *p, int bytes)
{
    if (memory.locations == memory.locations_room) {
        memory.locations_room = memory.locations_room ? 2 * memory.locations_room : 1024;
        memory.location = (struct location *)realloc(memory.location, (size_t)memory.locations_room * sizeof *memory.location);
        if (!memory.location) abort();
    }
    struct location *location = &memory.location[memory.locations];
    const struct message oldest = {word_read(p, bytes), TIME_STEP, NULL, false};
    location->p = p;
    location->bytes = bytes;
    location->n = 1;
    location->message[0] = oldest;
    return memory.locations++;
}

/* Is this a pair's value, which may be accessed alone?  It begins in the middle of the word. */
static bool is_value(const struct location *location, const void *p, int bytes)
{
    return memory.values_alone && (const char *)p == (const char *)location->p + location->bytes / 2 &&
           bytes <= location->bytes / 2;
}

static const char *location_find(const void *p, int bytes, struct access *access)
{
    const uintptr_t address = (uintptr_t)p;
    const unsigned first = address % GRANULE / 4, end = first + (unsigned)bytes / 4;
    if (address % (unsigned)bytes) return "accesses a word that is not aligned to its width";
    struct granule *granule = granule_of(address - address % GRANULE);
    int found = granule->at[first];
    for (unsigned i = first; i < end; i++)
        if (granule->at[i] != found) return "accesses a word at two widths";
    if (found < 0) found = location_make((void *)address, bytes);
    for (unsigned i = first; i < end; i++) granule->at[i] = found;
    const struct location *location = &memory.location[found];
    const bool whole = location->p == p && location->bytes == bytes;
    if (!whole && !is_value(location, p, bytes)) return "accesses a word at two widths";
    if (!word_same(location->message[location->n - 1].value, word_read(location->p, location->bytes)))
        return "accesses a word that was accessed atomically and then stored plainly";
    access->at = found;
    access->first = whole ? 0 : location->bytes / 2;
    access->bytes = bytes;
    access->change = NULL;
    return NULL;
}

static void location_forget(struct location *location)
{
    for (int i = 0; i < location->n; i++) view_drop(location->message[i].view);
}

/* ---- Messages ------------------------------------------------------------------------------- */

/* The oldest message that the lane may read. */
static int message_oldest(int lane, int at)
{
    const struct location *location = &memory.location[at];
    const uint64_t seen = view_time(&memory.lane[lane].current, at);
    int i = location->n - 1;
    while (i > 0 && location->message[i].time > seen) i--;
    return i;
}

/* May another message come after message i? */
static bool message_open(const struct location *location, int i)
{
    if (i == location->n - 1) return true;
    return !location->message[i].sealed && location->message[i + 1].time - location->message[i].time > 1;
}

/* Chooses among the messages from the oldest on that satisfy `fits`; the newest always does. */
static int message_choose(const struct location *location, int oldest,
                          bool (*fits)(const struct location *location, int i, const struct access *access),
                          const struct access *access)
{
    int fitting[HISTORY], n = 0;
    for (int i = location->n - 1; i >= oldest; i--)
        if (fits(location, i, access)) fitting[n++] = i;
    return fitting[n > 1 ? memory.choose(n) : 0];
}

static bool fits_load(const struct location *location, int i, const struct access *access)
{
    (void)location, (void)i, (void)access;
    return true;
}

static bool fits_store(const struct location *location, int i, const struct access *access)
{
    (void)access;
    return message_open(location, i);
}

static bool fits_change(const struct location *location, int i, const struct access *access)
{
    struct scheduled_word next;
    const struct scheduled_word seen = part_of(access, location->message[i].value);
    return !change_apply(access->change, access->bytes, seen, &next) || message_open(location, i);
}

static void message_read(int lane, int at, const struct message *message, enum scheduled_order order)
{
    struct views *views = &memory.lane[lane];
    view_see(&views->current, at, message->time);
    view_join(order & SCHEDULED_ACQUIRE ? &views->current : &views->pending, message->view);
}

/* The view that goes with a lane's message: all that the lane has seen (a release), or had seen at
 * its last release fence, and the view of the previous message. */
static struct view *message_view(const struct views *views, enum scheduled_order order, struct view *before)
{
    if (order & SCHEDULED_RELEASE) return view_keep(&views->current, before);
    if (!before) return view_hold(views->released);
    return views->released ? view_keep(views->released, before) : view_hold(before);
}

/* Makes room after message i, and forgets the oldest one if there are too many.  Returns the new
 * message's index. */
static int message_make_room(struct location *location, int i)
{
    struct message *message = location->message;
    if (location->n == HISTORY) {
        view_drop(message[0].view);
        memmove(message, message + 1, (size_t)i * sizeof *message);
        return i;
    }
    memmove(message + i + 2, message + i + 1, (size_t)(location->n - i - 1) * sizeof *message);
    location->n++;
    return i + 1;
}

/* Inserts a lane's message after message i. */
static void message_write(int lane, int at, int i, struct scheduled_word value, struct view *view)
{
    struct location *location = &memory.location[at];
    const uint64_t before = location->message[i].time;
    const bool newest = i == location->n - 1;
    const uint64_t time = newest ? before + TIME_STEP : before + (location->message[i + 1].time - before) / 2;
    const struct message message = {value, time, view, false};
    location->message[message_make_room(location, i)] = message;
    view_see(&memory.lane[lane].current, at, time);
    if (newest) word_write(location->p, location->bytes, value);
}

/* ---- Accesses ------------------------------------------------------------------------------- */

void memory_begin(const struct scheduled_plan *plan, bool weak, int (*choose)(int options))
{
    const int lanes = plan->size * plan->tiles;
    memory.weak = weak;
    memory.values_alone = plan->values_alone;
    memory.choose = choose;
    memory.run++;
    memory.granules = 0;
    for (int i = 0; i < memory.locations; i++) location_forget(&memory.location[i]);
    memory.locations = 0;
    memory.agreed.n = 0;
    for (int i = 0; i < lanes; i++) {
        struct views *views = &memory.lane[i];
        views->current.n = views->pending.n = 0;
        view_drop(views->released);
        views->released = NULL;
    }
}

const char *memory_load(int lane, const void *p, int bytes, enum scheduled_order order, struct scheduled_word *value)
{
    struct access a;
    if (!memory.weak) {
        *value = word_read(p, bytes);
        return NULL;
    }
    const char *wrong = location_find(p, bytes, &a);
    if (wrong) return wrong;
    const struct location *location = &memory.location[a.at];
    const struct message *message = &location->message[message_choose(location, message_oldest(lane, a.at), fits_load, &a)];
    *value = part_of(&a, message->value);
    message_read(lane, a.at, message, order);
    return NULL;
}

const char *memory_store(int lane, void *p, int bytes, struct scheduled_word value)
{
    struct access a;
    if (!memory.weak) {
        word_write(p, bytes, value);
        return NULL;
    }
    const char *wrong = location_find(p, bytes, &a);
    if (wrong) return wrong;
    struct location *location = &memory.location[a.at];
    const int i = message_choose(location, message_oldest(lane, a.at), fits_store, &a);
    location->message[i].sealed |= a.first != 0; /* the rest of the word belongs to that message */
    message_write(lane, a.at, i, with_part(&a, location->message[i].value, value), view_hold(memory.lane[lane].released));
    return NULL;
}

static bool change_weakly(int lane, const struct access *a, enum scheduled_order order, struct scheduled_word *seen)
{
    struct location *location = &memory.location[a->at];
    const int i = message_choose(location, message_oldest(lane, a->at), fits_change, a);
    struct message *message = &location->message[i];
    struct scheduled_word next;
    *seen = part_of(a, message->value);
    message_read(lane, a->at, message, order);
    if (!change_apply(a->change, a->bytes, *seen, &next)) return false;
    message->sealed = true;
    next = with_part(a, message->value, next);
    message_write(lane, a->at, i, next, message_view(&memory.lane[lane], order, message->view));
    return true;
}

const char *memory_change(int lane, void *p, int bytes, enum scheduled_order order, const struct scheduled_change *change,
                          struct scheduled_word *seen, bool *wrote)
{
    struct scheduled_word next;
    struct access a;
    if (!memory.weak) {
        *seen = word_read(p, bytes);
        *wrote = change_apply(change, bytes, *seen, &next);
        if (*wrote) word_write(p, bytes, next);
        return NULL;
    }
    const char *wrong = location_find(p, bytes, &a);
    if (wrong) return wrong;
    a.change = change;
    *wrote = change_weakly(lane, &a, order, seen);
    return NULL;
}

void memory_fence(int lane, enum scheduled_order order)
{
    struct views *views = &memory.lane[lane];
    if (!memory.weak) return;
    if (order & SCHEDULED_ACQUIRE) view_join(&views->current, &views->pending);
    if (order == SCHEDULED_SEQUENTIAL) {
        view_join(&views->current, &memory.agreed);

        view_join(&memory.agreed, &views->current);
    }
    if (!(order & SCHEDULED_RELEASE)) return;
    view_drop(views->released);
    views->released = view_keep(&views->current, NULL);
}

void memory_join(int first, int n)
{
    if (!memory.weak) return;
    struct view *all = &memory.lane[first].current;
    for (int i = 1; i < n; i++) view_join(all, &memory.lane[first + i].current);
    for (int i = 1; i < n; i++) view_join(&memory.lane[first + i].current, all);
}
