/* The scheduled machine's scheduler: lanes on stacks of their own, and a random choice among those that can run. */
#include "portable/scheduled.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "portable/scheduled_stack.h"

enum {
    STACK_BYTES = 256 << 10,
    MOST_LOCKS = 16, /* that one lane holds */
    TRAIL = 6,       /* sites that a lane remembers for the report */
    MOST_SIZE = 32
};

struct held {
    const uint32_t *word;
    uint32_t bits;
    const struct scheduled_site *site;
};

struct lane {
    struct stack stack;
    int number;      /* in the run */
    int place;       /* among the lanes that can run */
    bool gone;       /* it left the kernel */
    uint64_t result; /* of the collective verb that it waits in */
    struct held held[MOST_LOCKS];
    int held_n;
    const struct scheduled_site *trail[TRAIL];
    unsigned trail_n;
};

/* A tile's lanes on their way into a collective verb. */
struct gathering {
    const struct scheduled_site *site;
    int arrived, gone;
    uint64_t operand[MOST_SIZE];
    int from[MOST_SIZE];
    void *scratch;
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
    uint32_t eagerness; /* a point switches with this chance out of 2^32 */
    struct scheduled_numbers numbers;
    bool failed;
    char report[4096];
    size_t report_n;
} m;

/* ---- Reports -------------------------------------------------------------------------------------------------------------------- */

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

/* Ends the run: the other lanes are abandoned where they are. */
static void fail(void) __attribute__((noreturn));
static void fail(void)
{
    struct lane *lane = m.running;
    report_add("\n    seed %llu, tiles of %d, %d of them, point %llu", (unsigned long long)m.plan.seed, m.plan.size, m.plan.tiles,
               (unsigned long long)m.numbers.points);
    report_trail(lane);
    m.failed = true;
    stack_switch(&lane->stack, &m.home);
    abort(); /* nobody comes back */
}

static void report_lane(const char *what) { report_add("tile %d lane %d %s", tile_of(m.running), lane_of(m.running), what); }

/* ---- The scheduler -------------------------------------------------------------------------------------------------------------- */

/* splitmix64 (Steele et al. 2014) */
static uint64_t random_next(void)
{
    uint64_t z = m.random += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static struct lane *random_runnable(uint64_t random) { return m.runnable[((random >> 32) * (uint64_t)m.runnable_n) >> 32]; }

static void runnable_add(struct lane *lane)
{
    lane->place = m.runnable_n;
    m.runnable[m.runnable_n++] = lane;
}

static void runnable_remove(const struct lane *lane)
{
    struct lane *last = m.runnable[--m.runnable_n];
    last->place = lane->place;
    m.runnable[lane->place] = last;
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

static void visit(struct scheduled_site *site)
{
    struct lane *lane = m.running;
    if (!lane) abort(); /* a verb outside of a run */
    lane->trail[lane->trail_n++ % TRAIL] = site;
    site->visits[m.size_index]++;
    if (++m.numbers.points <= m.plan.budget) return;
    report_lane("and others do not come to an end within the budget of points: a livelock, or it is too small");
    fail();
}

static void maybe_switch(struct scheduled_site *site)
{
    const uint64_t random = random_next();
    if ((uint32_t)random < m.eagerness && go_to(random_runnable(random))) site->switches[m.size_index]++;
}

void scheduled_point(struct scheduled_site *site)
{
    visit(site);
    maybe_switch(site);
}

void scheduled_wrote(void)
{
    const char *wrong = m.plan.watch ? m.plan.watch(m.plan.context) : NULL;
    if (!wrong) return;
    report_lane("wrote, and then: ");
    report_add("%s", wrong);
    fail();
}

/* ---- Tiles ---------------------------------------------------------------------------------------------------------------------- */

static void check_size(int size)
{
    if (size == m.plan.size) return;
    report_lane("takes itself for one of a tile of ");
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

static struct lane *tile_mate(const struct lane *lane, int i) { return &m.lane[tile_of(lane) * m.plan.size + i]; }

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
    report_lane("has a wrong lane number, its own or the one it reads from: ");
    report_add("%d, %d", g.lane, from);
    fail();
}

/* The last lane has come: all get their results and can run again. */
static void gathering_release(struct gathering *group, enum scheduled_meeting meeting)
{
    uint64_t ballot = 0, least = UINT64_MAX;
    for (int i = 0; i < m.plan.size; i++) {
        ballot |= (group->operand[i] & 1) << i;
        if (group->operand[i] < least) least = group->operand[i];
    }
    for (int i = 0; i < m.plan.size; i++) {
        struct lane *mate = tile_mate(m.running, i);
        mate->result = meeting == MEET_FROM ? group->operand[group->from[i]] : meeting == MEET_MIN ? least : ballot;
        if (mate != m.running) runnable_add(mate);
    }
    group->arrived = 0;
}

static void gathering_wait(struct scheduled_site *site)
{
    runnable_remove(m.running);
    assert(m.runnable_n > 0); /* the lanes that this one waits for: had they gone, it would have been reported */
    site->switches[m.size_index]++;
    go_to(random_runnable(random_next()));
}

uint64_t scheduled_meet(tile g, enum scheduled_meeting meeting, uint64_t operand, int from, struct scheduled_site *site)
{
    visit(site);
    if (g.size == 1) { /* also a lane of a larger tile that works by itself for a while */
        maybe_switch(site);
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
        maybe_switch(site);
    }
    return lane->result;
}

/* ---- Locks ---------------------------------------------------------------------------------------------------------------------- */

uint32_t scheduled_acquire32(uint32_t *p, uint32_t v, struct scheduled_site *site)
{
    scheduled_point(site);
    struct lane *lane = m.running;
    const uint32_t seen = *p, taken = v & ~seen;
    *p = seen | v;
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
    scheduled_point(site);
    const uint32_t seen = *p;
    *p = seen & v;
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

/* ---- Runs ----------------------------------------------------------------------------------------------------------------------- */

static void lane_run(void)
{
    stack_entered();
    struct lane *lane = m.running;
    struct gathering *group = &m.tile[tile_of(lane)];
    m.kernel(m.args, group->scratch);
    lane->gone = true;
    check_locks("left the kernel");
    if (group->arrived > 0) fail_elsewhere(group, NULL);
    group->gone++;
    runnable_remove(lane);
    if (++m.gone_n == m.plan.size * m.plan.tiles) stack_switch(&lane->stack, &m.home);
    go_to(random_runnable(random_next()));
    abort(); /* nobody comes back */
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
        group->scratch = malloc(m.plan.scratch_bytes + 1);
        if (!group->scratch) abort();
        memset(group->scratch, 0xa5, m.plan.scratch_bytes);
    }
}

/* Some seeds switch at every point, others let a lane run on: rare interleavings of both kinds exist. */
static void scheduler_begin(void)
{
    static const uint32_t eagerness[] = {UINT32_MAX, 1u << 31, 1u << 29, 1u << 27};
    const struct scheduled_numbers none = {0, 0};
    m.random = m.plan.seed;
    m.eagerness = eagerness[random_next() & 3];
    m.numbers = none;
    m.failed = false;
    m.report_n = 0;
    m.size_index = __builtin_ctz((unsigned)m.plan.size);
}

const char *scheduled_run(const struct scheduled_plan *plan, scheduled_kernel *kernel, const void *args)
{
    if (plan->size * plan->tiles > SCHEDULED_LANES || plan->tiles < 1) abort();
    m.plan = *plan;
    m.kernel = kernel;
    m.args = args;
    scheduler_begin();
    lanes_begin();
    tiles_begin();
    m.running = random_runnable(random_next());
    stack_switch(&m.home, &m.running->stack);
    m.running = NULL;
    for (int i = 0; i < plan->tiles; i++) free(m.tile[i].scratch);
    return m.failed ? m.report : NULL;
}

struct scheduled_numbers scheduled_numbers(void) { return m.numbers; }

/* ---- Sites ---------------------------------------------------------------------------------------------------------------------- */

/* The linker brings the sites' addresses together and marks both ends; weak, for a program that has no site. */
extern struct scheduled_site *sites_begin[] __asm__("__start_scheduled_site_list") __attribute__((weak));
extern struct scheduled_site *sites_end[] __asm__("__stop_scheduled_site_list") __attribute__((weak));

size_t scheduled_sites(struct scheduled_site ***sites)
{
    *sites = sites_begin;
    return (size_t)(sites_end - sites_begin);
}
