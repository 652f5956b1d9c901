/* The scheduled machine's scheduler: lanes on stacks of their own, and a choice among the lanes
 * that can run, at random or by a search. */
#include "portable/scheduled.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "portable/scheduled_memory.h"
#include "portable/scheduled_search.h"
#include "portable/scheduled_stack.h"

enum {
    STACK_BYTES = 256 << 10,
    MOST_LOCKS = 16, /* held by one lane */
    TRAIL = 6,       /* sites that a lane keeps for the report */
    MOST_SIZE = 32,
    DECISIONS = 16, /* of a search, shown in a report */
    SCRATCH_PART = 128,
    SCRATCH_BEHIND = 512, /* guard bytes behind the scratch memory */
    SCRATCH_PATTERN = 0xa5,
    /* Points that a tile passes in a search before another tile gets its turn: far more than one
     * item takes. */
    PATIENCE = 1000
};

struct held {
    const uint32_t *word;
    uint32_t bits;
    const struct scheduled_site *site;
};

struct lane {
    struct stack stack;
    int number;      /* number in the run */
    int place;       /* index among the lanes that can run; -1: it cannot */
    bool gone;       /* it left the kernel */
    uint64_t result; /* result of the collective verb that it waits in */
    struct held held[MOST_LOCKS];
    int held_n;
    const struct scheduled_site *trail[TRAIL];
    unsigned trail_n;
};

/* A decision of a search that differs from the plainest run. */
struct departure {
    enum search_kind kind;
    int option;
    int tile, lane;
    const struct scheduled_site *site;
};

/* A tile's lanes that wait in a collective verb. */
struct gathering {
    const struct scheduled_site *site;
    int arrived, gone;
    uint64_t operand[MOST_SIZE];
    int from[MOST_SIZE];
    /* Weak memory: one copy for each lane; else the first one, shared by all lanes. */
    unsigned char *scratch[MOST_SIZE];
    unsigned char *met; /* weak memory: the contents when the lanes last met */
};

static struct {
    struct scheduled_plan plan;
    scheduled_kernel *kernel;
    const void *args;
    struct lane lane[SCHEDULED_LANES];
    struct gathering tile[SCHEDULED_LANES];
    struct lane *runnable[SCHEDULED_LANES];
    int runnable_n, gone_n;
    int size_index;    /* log2 of the tile's size */
    struct stack home; /* the thread that called scheduled_run */
    struct lane *running;
    uint64_t random;
    uint32_t eagerness; /* a point switches with this probability, out of 2^32 */
    /* Weak memory: the probability, out of 2^32, that an access takes an old message if it can. */
    uint32_t staleness;
    bool searching;
    struct departure departure[DECISIONS];
    int departures;
    uint64_t turn; /* the point at which the running tile's turn began */
    struct scheduled_numbers numbers;
    bool failed;
    char report[4096];
    size_t report_n;
} m;

bool scheduled_alone;

/* ---- Reports -------------------------------------------------------------------------------- */

static void report_add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void report_add(const char *format, ...)
{
    va_list arguments;
    const size_t room = sizeof m.report - m.report_n;
    va_start(arguments, format);
    const int n = vsnprintf(m.report + m.report_n, room, format, arguments);
    va_end(arguments);
    m.report_n += (size_t)n < room ? (size_t)n : room - 1;
}

static void report_site(const struct scheduled_site *site)
{
    const char *slash = strrchr(site->file, '/');
    report_add("%s in %s (%s:%d)", site->verb, site->function, slash ? slash + 1 : site->file, site->line);
}

static int lane_of(const struct lane *lane) { return lane->number % m.plan.size; }
static int tile_of(const struct lane *lane) { return lane->number / m.plan.size; }

static void report_trail(const struct lane *lane)
{
    report_add("\n    tile %d lane %d%s", tile_of(lane), lane_of(lane), lane->gone ? ", gone, last at:" : ", last at:");
    for (unsigned i = lane->trail_n < TRAIL ? 0 : lane->trail_n - TRAIL; i < lane->trail_n; i++) {
        report_add("\n      ");
        report_site(lane->trail[i % TRAIL]);
    }
}

/* Ends the run; the other lanes are abandoned where they are. */
static void fail(void) __attribute__((noreturn));
static void fail(void)
{
    struct lane *lane = m.running;
    report_add("\n    seed %llu, tiles of %d, %d of them, point %llu", (unsigned long long)m.plan.seed, m.plan.size, m.plan.tiles,
               (unsigned long long)m.numbers.points);
    report_trail(lane);
    m.failed = true;
    stack_switch(&lane->stack, &m.home);
    abort(); /* never resumed */
}

static void report_lane(const char *what) { report_add("tile %d lane %d %s", tile_of(m.running), lane_of(m.running), what); }

/* ---- The scheduler -------------------------------------------------------------------------- */

/* splitmix64 (Steele et al. 2014) */
static uint64_t random_next(void)
{
    uint64_t z = m.random += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static struct lane *random_runnable(uint64_t random) { return m.runnable[((random >> 32) * (uint64_t)m.runnable_n) >> 32]; }

static struct lane *tile_mate(const struct lane *lane, int i) { return &m.lane[tile_of(lane) * m.plan.size + i]; }

static void runnable_add(struct lane *lane)
{
    lane->place = m.runnable_n;
    m.runnable[m.runnable_n++] = lane;
}

static void runnable_remove(struct lane *lane)
{
    struct lane *last = m.runnable[--m.runnable_n];
    last->place = lane->place;
    m.runnable[lane->place] = last;
    lane->place = -1;
}

/* Runs another lane; returns when the scheduler comes back to this one.  True if it was another. */
static bool go_to(struct lane *next)
{
    struct lane *lane = m.running;
    if (next == lane) return false;
    m.running = next;
    m.numbers.switches++;
    stack_switch(&lane->stack, &next->stack);
    return true;
}

/* ---- Turns of a search ---------------------------------------------------------------------- */

static int choose(enum search_kind kind, int options)
{
    const int option = search_choose(kind, options);
    if (option == 0 || kind == SEARCH_NEXT || m.departures == DECISIONS) return option;
    const struct lane *lane = m.running;
    const struct departure departure = {kind, option, tile_of(lane), lane_of(lane), lane->trail[(lane->trail_n - 1) % TRAIL]};
    m.departure[m.departures++] = departure;
    return option;
}

static void report_departures(void)
{
    for (int i = 0; i < m.departures; i++) {
        const struct departure *d = &m.departure[i];
        report_add("\n    tile %d lane %d ", d->tile, d->lane);
        if (d->kind == SEARCH_PREEMPT) report_add("is interrupted at ");
        else report_add("takes a message %d older at ", d->option);
        report_site(d->site);
    }
}

/* The tile's first lane that can run: in a search a tile's lanes run one after another. */
static struct lane *tile_first(int number)
{
    for (int i = 0; i < m.plan.size; i++)
        if (m.lane[number * m.plan.size + i].place >= 0) return &m.lane[number * m.plan.size + i];
    return NULL;
}

/* The i-th tile that has not ended, counted around from tile `first`. */
static int tile_unfinished(int first, int i)
{
    int number = first;
    while (m.tile[number].gone == m.plan.size || i-- > 0) number = (number + 1) % m.plan.tiles;
    return number;
}

static int tiles_unfinished(void)
{
    int n = 0;
    for (int i = 0; i < m.plan.tiles; i++) n += m.tile[i].gone < m.plan.size;
    return n;
}

static struct lane *turn_give(int number)
{
    m.turn = m.numbers.points;
    return tile_first(number);
}

/* The lane that continues when the running lane (which may be none) cannot: another lane of its
 * tile, or of any tile after the tile's end. */
static struct lane *turn_next(void)
{
    const int number = m.running ? tile_of(m.running) : 0;
    struct lane *next = m.running ? tile_first(number) : NULL;
    return next ? next : turn_give(tile_unfinished(number, choose(SEARCH_NEXT, tiles_unfinished())));
}

/* The lane that runs when the running tile is about to access memory: its own, or that of a tile
 * that interrupts it. */
static struct lane *turn_interrupt(void)
{
    const int others = tiles_unfinished() - 1;
    int which = choose(SEARCH_PREEMPT, 1 + others);
    if (which == 0 && others && m.numbers.points - m.turn > PATIENCE) which = 1;
    return which ? turn_give(tile_unfinished(tile_of(m.running), which)) : m.running;
}

/* The lane that continues when the running lane cannot. */
static struct lane *next_lane(void)
{
    if (m.searching) return turn_next();
    struct lane *mate = scheduled_alone && m.running ? tile_first(tile_of(m.running)) : NULL;
    return mate ? mate : random_runnable(random_next());
}

/* ---- Points --------------------------------------------------------------------------------- */

static void visit(struct scheduled_site *site)
{
    struct lane *lane = m.running;
    if (!lane) abort(); /* a verb outside of a run */
    lane->trail[lane->trail_n++ % TRAIL] = site;
    site->visits[m.size_index]++;
    if (++m.numbers.points <= m.plan.budget) return;
    report_lane("and others exceed the budget of points: a livelock, or the budget is too small");
    fail();
}

/* A search interrupts only accesses, and fences on whose order all lanes agree: before other verbs
 * an interruption would have no effect. */
static void maybe_switch(struct scheduled_site *site, bool matters)
{
    if (m.searching) {
        if (matters && go_to(turn_interrupt())) site->switches[m.size_index]++;
        return;
    }
    const uint64_t random = random_next();
    if ((uint32_t)random < m.eagerness && go_to(random_runnable(random))) site->switches[m.size_index]++;
}

/* ---- Memory --------------------------------------------------------------------------------- */

static int choose_message(int options)
{
    if (m.searching) return choose(SEARCH_STALE, options);
    const uint64_t random = random_next();
    return (uint32_t)random < m.staleness ? 1 + (int)((random >> 32) * (uint64_t)(options - 1) >> 32) : 0;
}

static void access_begin(struct scheduled_site *site)
{
    visit(site);
    maybe_switch(site, true);
}

static void access_end(const char *wrong, bool watched)
{
    if (wrong) {
        report_lane(wrong);
        fail();
    }
    wrong = watched && m.plan.watch ? m.plan.watch(m.plan.context) : NULL;
    if (!wrong) return;
    report_lane("wrote, and then: ");
    report_add("%s", wrong);
    fail();
}

struct scheduled_word scheduled_load(const void *p, int bytes, enum scheduled_order order, struct scheduled_site *site)
{
    struct scheduled_word value;
    access_begin(site);
    access_end(memory_load(m.running->number, p, bytes, order, &value), false);
    return value;
}

void scheduled_store(void *p, int bytes, struct scheduled_word value, struct scheduled_site *site)
{
    access_begin(site);
    access_end(memory_store(m.running->number, p, bytes, value), true);
}

static struct scheduled_word change_word(void *p, int bytes, enum scheduled_order order, const struct scheduled_change *change,
                                         bool watched, struct scheduled_site *site)
{
    struct scheduled_word seen;
    bool wrote;
    access_begin(site);
    const char *wrong = memory_change(m.running->number, p, bytes, order, change, &seen, &wrote);
    access_end(wrong, watched && wrote);
    return seen;
}

/* Sums and maxima are mostly counters, and values: they are not watched, unless they release. */
struct scheduled_word scheduled_change(void *p, int bytes, enum scheduled_order order, const struct scheduled_change *change,
                                       struct scheduled_site *site)
{
    const bool publishes = change->kind == CHANGE_ADD && (order & SCHEDULED_RELEASE);
    const bool watched = change->kind == CHANGE_CAS || change->kind == CHANGE_OR || change->kind == CHANGE_AND || publishes;
    return change_word(p, bytes, order, change, watched, site);
}

void scheduled_fence(enum scheduled_order order, struct scheduled_site *site)
{
    visit(site);
    maybe_switch(site, order == SCHEDULED_SEQUENTIAL);
    memory_fence(m.running->number, order);
}

/* ---- Scratch memory -----------------------------------------------------------------------------
 *
 * The machine does not see accesses to it, because they are plain.  With weak memory each lane of a
 * tile has its own copy: the other lanes see a lane's writes once they have met in tile_sync, and
 * not before.  Searches do without copies: random runs find a missing tile_sync at less cost. */

static bool scratch_is_copied(void) { return m.plan.weak && !scheduled_alone && !m.searching && m.plan.size > 1; }

static unsigned char *scratch_make(void)
{
    const size_t bytes = m.plan.scratch_bytes ? m.plan.scratch_bytes + SCRATCH_BEHIND : 0;
    unsigned char *scratch = (unsigned char *)malloc(bytes + 1);
    if (!scratch) abort();
    memset(scratch, SCRATCH_PATTERN, bytes);
    return scratch;
}

static unsigned char *scratch_of(const struct lane *lane)
{
    return m.tile[tile_of(lane)].scratch[scratch_is_copied() ? lane_of(lane) : 0];
}

static void scratch_begin(struct gathering *group)
{
    const bool copied = scratch_is_copied();
    for (int i = 0; i < MOST_SIZE; i++) group->scratch[i] = i == 0 || (copied && i < m.plan.size) ? scratch_make() : NULL;
    group->met = copied ? scratch_make() : NULL;
}

/* Checks the guard bytes after the run. */
static void scratch_check(const struct gathering *group, int number)
{
    for (int i = 0; i < MOST_SIZE && group->scratch[i] && m.plan.scratch_bytes && !m.failed; i++)
        for (size_t k = 0; k < SCRATCH_BEHIND && !m.failed; k++) {
            if (group->scratch[i][m.plan.scratch_bytes + k] == SCRATCH_PATTERN) continue;
            report_add("tile %d wrote behind its scratch memory", number);
            m.failed = true;
        }
}

static void scratch_end(struct gathering *group)
{
    for (int i = 0; i < MOST_SIZE; i++) free(group->scratch[i]);
    free(group->met);
}

/* Copies a lane's writes to these bytes to `met`.  False if another lane wrote a different value
 * there. */
static bool scratch_take(const unsigned char *mine, const unsigned char *was, unsigned char *met, size_t bytes)
{
    enum { WORD = 8 };
    bool ok = true;
    for (size_t i = 0; i < bytes; i++) {
        if (i % WORD == 0 && i + WORD <= bytes && !memcmp(mine + i, was + i, WORD)) i += WORD - 1;
        if (mine[i] == was[i]) continue;
        ok = ok && (met[i] == was[i] || met[i] == mine[i]);
        met[i] = mine[i];
    }
    return ok;
}

/* Does so for all lanes, and copies the result back to them. */
static bool scratch_unite_part(struct gathering *group, size_t at, size_t bytes)
{
    unsigned char was[SCRATCH_PART];
    bool ok = true, changed = false;
    memcpy(was, group->met + at, bytes);
    for (int i = 0; i < m.plan.size; i++) {
        if (!memcmp(group->scratch[i] + at, was, bytes)) continue;
        ok = scratch_take(group->scratch[i] + at, was, group->met + at, bytes) && ok;
        changed = true;
    }
    for (int i = 0; i < m.plan.size && changed; i++) memcpy(group->scratch[i] + at, group->met + at, bytes);
    return ok;
}

/* Unites the copies of a tile's lanes, which have met. */
static void scratch_unite(struct gathering *group)
{
    const size_t all = m.plan.scratch_bytes;
    bool ok = true, wrote = false;
    for (int i = 0; i < m.plan.size; i++) wrote = wrote || memcmp(group->scratch[i], group->met, all);
    if (!wrote) return; /* as after most meetings */
    for (size_t at = 0; at < all; at += SCRATCH_PART)
        ok = scratch_unite_part(group, at, all - at < SCRATCH_PART ? all - at : SCRATCH_PART) && ok;
    if (ok) return;
    report_lane("met its tile, but two lanes wrote different values to one byte of its scratch memory");
    fail();
}

/* ---- Tiles ---------------------------------------------------------------------------------- */

static void check_size(int size)
{
    if (size == m.plan.size) return;
    report_lane("uses a tile of size ");
    report_add("%d", size);
    fail();
}

tile tile_make(int size)
{
    check_size(size);
    const tile g = {size, lane_of(m.running),
                    size == 32 ? 0xffffffffu : ((1u << size) - 1u) << (m.running->number / size * size & 31)};
    return g;
}

uint64_t tile_rank(int size)
{
    check_size(size);
    return (uint64_t)tile_of(m.running);
}

uint64_t tile_count(int size)
{
    check_size(size);
    return (uint64_t)m.plan.tiles;
}

/* A lane of the tile that waits where the running one does not, for the report. */
static void fail_elsewhere(const struct gathering *group, const struct scheduled_site *site)
{
    report_lane(site ? "came to " : "left the kernel");
    if (site) report_site(site);
    report_add(", but %d lane%s of its tile wait%s at ", group->arrived, group->arrived == 1 ? "" : "s",
               group->arrived == 1 ? "s" : "");
    report_site(group->site);
    fail();
}

static void check_gathering(const struct gathering *group, const struct scheduled_site *site)
{
    if (group->arrived > 0 && group->site != site) fail_elsewhere(group, site);
    if (group->gone == 0) return;
    report_lane("came to ");
    report_site(site);
    report_add(", but %d of its tile have left the kernel", group->gone);
    for (int i = 0; i < m.plan.size; i++)
        if (tile_mate(m.running, i)->gone) {
            report_trail(tile_mate(m.running, i));
            break;
        }
    fail();
}

static void check_tile(const tile g, enum scheduled_meeting meeting, int from)
{
    check_size(g.size);
    if (g.lane == lane_of(m.running) && (meeting != MEET_FROM || (from >= 0 && from < g.size))) return;
    report_lane("uses a wrong lane number, its own or its source: ");
    report_add("%d, %d", g.lane, from);
    fail();
}

/* The results of all lanes of a tile.  MEET_FROM returns to each lane the operand of the lane that
 * it asked for. */
static uint64_t gathering_result(const struct gathering *group, enum scheduled_meeting meeting)
{
    uint64_t ballot = 0, least = UINT64_MAX, sum = 0, bits = 0;
    for (int i = 0; i < m.plan.size; i++) {
        ballot |= (group->operand[i] & 1) << i;
        if (group->operand[i] < least) least = group->operand[i];
        sum += group->operand[i];
        bits |= group->operand[i];
    }
    if (meeting == MEET_OR) return bits;
    return meeting == MEET_MIN ? least : meeting == MEET_SUM ? sum : ballot;
}

/* The last lane has come: all get their results and can run again. */
static void gathering_release(struct gathering *group, enum scheduled_meeting meeting)
{
    const uint64_t result = gathering_result(group, meeting);
    for (int i = 0; i < m.plan.size; i++) {
        struct lane *mate = tile_mate(m.running, i);
        mate->result = meeting == MEET_FROM ? group->operand[group->from[i]] : result;
        if (mate != m.running) runnable_add(mate);
    }
    group->arrived = 0;
    if (meeting == MEET_SYNC) memory_join(tile_of(m.running) * m.plan.size, m.plan.size);
    if ((meeting == MEET_SYNC || meeting == MEET_SCRATCH) && scratch_is_copied()) scratch_unite(group);
    if (m.searching) go_to(tile_first(tile_of(m.running)));
}

static void gathering_wait(struct scheduled_site *site)
{
    runnable_remove(m.running);
    /* The lanes that this one waits for: had they gone, the run would have reported it. */
    assert(m.runnable_n > 0);
    site->switches[m.size_index]++;
    go_to(next_lane());
}

uint64_t scheduled_meet(tile g, enum scheduled_meeting meeting, uint64_t operand, int from, struct scheduled_site *site)
{
    visit(site);
    if (g.size == 1) { /* also a lane of a larger tile that works by itself for a while */
        maybe_switch(site, false);
        return operand;
    }
    check_tile(g, meeting, from);
    struct lane *lane = m.running;
    struct gathering *group = &m.tile[tile_of(lane)];
    check_gathering(group, site);
    group->site = site;
    group->operand[g.lane] = operand;
    group->from[g.lane] = from;
    if (++group->arrived < g.size) {
        gathering_wait(site);
    } else {
        gathering_release(group, meeting);
        maybe_switch(site, false);
    }
    return lane->result;
}

/* ---- Locks ---------------------------------------------------------------------------------- */

/* The machine itself knows the holder of a lock, so locks need no watch. */
static uint32_t lock_word(uint32_t *p, enum scheduled_kind kind, uint32_t v, struct scheduled_site *site)
{
    const struct scheduled_change change = {kind, {v, 0}, {0, 0}};
    return (uint32_t)change_word(p, 4, SCHEDULED_RELAXED, &change, false, site).low;
}

uint32_t scheduled_acquire32(uint32_t *p, uint32_t v, struct scheduled_site *site)
{
    const uint32_t seen = lock_word(p, CHANGE_OR, v, site), taken = v & ~seen;
    struct lane *lane = m.running;
    if (!taken) return seen;
    if (lane->held_n == MOST_LOCKS) {
        report_lane("holds too many locks");
        fail();
    }
    const struct held held = {p, taken, site};
    lane->held[lane->held_n++] = held;
    return seen;
}

static bool held_give_back(struct lane *lane, const uint32_t *word, uint32_t bits)
{
    for (int i = 0; i < lane->held_n; i++) {
        if (lane->held[i].word != word || lane->held[i].bits != bits) continue;
        lane->held[i] = lane->held[--lane->held_n];
        return true;
    }
    return false;
}

uint32_t scheduled_release32(uint32_t *p, uint32_t v, struct scheduled_site *site)
{
    const uint32_t seen = lock_word(p, CHANGE_AND, v, site);
    if (held_give_back(m.running, p, ~v)) return seen;
    report_lane("gives back a lock that it does not hold, at ");
    report_site(site);
    fail();
}

static void check_locks(const char *when)
{
    const struct lane *lane = m.running;
    if (lane->held_n == 0) return;
    report_lane(when);
    report_add(" and still holds %d lock%s", lane->held_n, lane->held_n == 1 ? "" : "s");
    fail();
}

void scheduled_step_returned(void) { check_locks("returns from a step"); }

/* ---- Runs ----------------------------------------------------------------------------------- */

static void lane_run(void)
{
    stack_entered();
    struct lane *lane = m.running;
    struct gathering *group = &m.tile[tile_of(lane)];
    m.kernel(m.args, scratch_of(lane));
    lane->gone = true;
    check_locks("left the kernel");
    if (group->arrived > 0) fail_elsewhere(group, NULL);
    group->gone++;
    runnable_remove(lane);
    if (++m.gone_n == m.plan.size * m.plan.tiles) stack_switch(&lane->stack, &m.home);
    go_to(next_lane());
    abort(); /* never resumed */
}

static void lanes_begin(void)
{
    m.runnable_n = m.gone_n = 0;
    for (int i = 0; i < m.plan.size * m.plan.tiles; i++) {
        struct lane *lane = &m.lane[i];
        if (!lane->stack.bottom) stack_make(&lane->stack, STACK_BYTES);
        stack_begin(&lane->stack, lane_run);
        lane->number = i;
        lane->gone = false;
        lane->held_n = 0;
        lane->trail_n = 0;
        runnable_add(lane);
    }
}

static void tiles_begin(void)
{
    for (int i = 0; i < m.plan.tiles; i++) {
        struct gathering *group = &m.tile[i];
        group->arrived = group->gone = 0;
        scratch_begin(group);
    }
}

/* Some seeds switch at every point, others let a lane run on: rare interleavings of both kinds
 * exist.  The same holds for old messages. */
static void scheduler_begin(void)
{
    static const uint32_t eagerness[] = {UINT32_MAX, 1u << 31, 1u << 29, 1u << 27};
    static const uint32_t staleness[] = {1u << 31, 1u << 30, 1u << 28, 1u << 26};
    const struct scheduled_numbers none = {0, 0};
    m.random = m.plan.seed;
    m.eagerness = scheduled_alone ? 0 : eagerness[random_next() & 3];
    if (m.plan.weak) m.staleness = staleness[random_next() & 3];
    m.turn = 0;
    m.numbers = none;
    m.failed = false;
    m.report_n = 0;
    m.size_index = __builtin_ctz((unsigned)m.plan.size);
}

static void run(const struct scheduled_plan *plan, scheduled_kernel *kernel, const void *args)
{
    if (plan->size * plan->tiles > SCHEDULED_LANES || plan->tiles < 1) abort();
    m.plan = *plan;
    m.kernel = kernel;
    m.args = args;
    scheduler_begin();
    memory_begin(plan, plan->weak && !scheduled_alone, choose_message);
    lanes_begin();
    tiles_begin();
    m.running = next_lane();
    stack_switch(&m.home, &m.running->stack);
    m.running = NULL;
    for (int i = 0; i < plan->tiles; i++) {
        scratch_check(&m.tile[i], i);
        scratch_end(&m.tile[i]);
    }
}

const char *scheduled_run(const struct scheduled_plan *plan, scheduled_kernel *kernel, const void *args)
{
    m.searching = false;
    run(plan, kernel, args);
    return m.failed ? m.report : NULL;
}

struct scheduled_numbers scheduled_numbers(void) { return m.numbers; }

/* ---- Searches ------------------------------------------------------------------------------- */

/* One run of a search.  Returns NULL, or a description of the fault. */
static const char *try_schedule(const struct scheduled_plan *plan, scheduled_kernel *kernel, const void *args,
                                const struct scheduled_trial *trial)
{
    trial->reset(trial->context);
    m.searching = true;
    m.departures = 0;
    run(plan, kernel, args);
    if (!m.failed) {
        const char *wrong = trial->verdict(trial->context);
        if (!wrong) return NULL;
        m.report_n = 0; /* the verdict's own runs may have written there */
        report_add("%s", wrong);
    }
    report_departures();
    report_add("\n    schedule \"");
    search_print(m.report + m.report_n, sizeof m.report - m.report_n);
    m.report_n += strlen(m.report + m.report_n);
    report_add("\"");
    return m.report;
}

const char *scheduled_explore(const struct scheduled_plan *plan, const struct scheduled_limits *limits, scheduled_kernel *kernel,
                              const void *args, const struct scheduled_trial *trial, struct scheduled_searched *searched)
{
    const int most[SEARCH_KINDS] = {INT_MAX, scheduled_alone ? 0 : limits->preemptions, scheduled_alone ? 0 : limits->stale};
    search_begin(most);
    searched->schedules = 0;
    searched->complete = false;
    while (!searched->complete && searched->schedules < limits->schedules) {
        const char *report = try_schedule(plan, kernel, args, trial);
        searched->schedules++;
        if (report) return report;
        searched->complete = !search_next();
    }
    return NULL;
}

const char *scheduled_replay(const struct scheduled_plan *plan, const char *schedule, scheduled_kernel *kernel, const void *args,
                             const struct scheduled_trial *trial)
{
    if (!search_replay(schedule)) abort();
    return try_schedule(plan, kernel, args, trial);
}

/* ---- Sites ---------------------------------------------------------------------------------- */

/* The linker brings the sites' addresses together and marks both ends; weak, for a program that has
 * no site. */
extern struct scheduled_site *sites_begin[] __asm__("__start_scheduled_site_list") __attribute__((weak));
extern struct scheduled_site *sites_end[] __asm__("__stop_scheduled_site_list") __attribute__((weak));

size_t scheduled_sites(struct scheduled_site ***sites)
{
    *sites = sites_begin;
    return (size_t)(sites_end - sites_begin);
}
