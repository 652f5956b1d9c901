/* The process's workers: threads that all calls of all tables share.
 *
 * A call claims idle workers, and starts new ones if these are too few.  It works itself, takes its
 * job back from workers that have not begun it, and waits for the others.  So it never waits for a
 * thread that the system has not run yet.
 *
 * A thread that waits looks at a word for a bounded time, offers its processor to other threads in
 * between, and then sleeps.
 *
 * A worker has one word, which says what it does:
 *
 *     ABSENT           no thread
 *     IDLE             it waits and looks
 *     ASLEEP           it waits until it is woken
 *     job              a call has claimed it, and may take the job back (IDLE)
 *     job | RUNNING    it carries out shares; then it is IDLE
 *     job | RUNNING | AWAITED     the same, and the call sleeps until it is woken
 *     LEAVING          it ends
 *
 * Every step is one exchange of this word, so no two threads do the same step, and no step depends
 * on two words.  There are no locks: a thread that the system suspends holds up only the call whose
 * share it carries out. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "backends/host_threads.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What a worker's word is.  A job is an address, of which the lowest six bits are 0. */
enum state { ABSENT = 0, RUNNING = 1, AWAITED = 2, IDLE = 4, ASLEEP = 8, LEAVING = 12 };

enum {
    CACHE_LINE = 64,
    WORKERS = 1023, /* at most */
    /* How long a thread looks before it sleeps.  To wake it takes up to 40 us on a virtual machine,
     * at most 3 % of the time between two calls that are further apart than this. */
    LOOK_NS = 1500000,
    LOOKS = 32 /* before the processor is offered to other threads, a microsecond in all */
};

/* One call's work. */
struct job {
    host_share *share;
    const void *context;
    uint64_t n;
    _Alignas(CACHE_LINE) uint64_t next; /* the next share that nobody has taken */
};

static struct worker {
    _Alignas(CACHE_LINE) uint64_t word;
    pthread_t thread;
} workers[WORKERS];

#if ROOST_PROBES
bool host_threads_refused;
int64_t host_look_ns = LOOK_NS;
unsigned host_yields;
_Thread_local bool host_shares_work;

static int64_t look_ns(void) { return __atomic_load_n(&host_look_ns, __ATOMIC_RELAXED); }

/* Between two steps the system may let other threads run. */
static void before_step(void)
{
    static _Thread_local unsigned steps;
    const unsigned one_in = __atomic_load_n(&host_yields, __ATOMIC_RELAXED);
    steps = steps * 1103515245 + 12345;
    if (one_in && (steps >> 16) % one_in == 0) sched_yield();
}
#else
static int64_t look_ns(void) { return LOOK_NS; }
static void before_step(void) {}
#endif

int host_processors(void)
{
    cpu_set_t allowed;
    if (!sched_getaffinity(0, sizeof allowed, &allowed)) return CPU_COUNT(&allowed);
    const long online = sysconf(_SC_NPROCESSORS_ONLN); /* more than a cpu_set_t has */
    return online > 0 ? (int)online : 1;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* Acquire: who sees a worker IDLE again, or with another job, sees what it wrote. */
static uint64_t load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

/* Exchanges a word if it is as expected.  Release: a worker that takes a job sees what the call
 * wrote before.  Acquire, also on failure: as above. */
static bool replace(uint64_t *word, uint64_t expected, uint64_t desired)
{
    before_step();
    return __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* The system compares the lower half of a word, which is first in memory.  All states of one worker
 * and one call differ in it.  It does not sleep if the word has changed since the last look. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower half of a word is first");

static void sleep_while(uint64_t *word, uint64_t value)
{
    while (load(word) == value) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, (uint32_t)value, NULL, NULL, 0);
}

static void wake(uint64_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0); }

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

/* Waits a bounded time for a word to change.  Returns whether it did. */
static bool look_while(const uint64_t *word, uint64_t value)
{
    /* On a busy machine another thread runs when this one yields, and often until `end`. */
    for (const int64_t end = now_ns() + look_ns(); now_ns() < end; sched_yield()) {
        for (int i = 0; i < LOOKS; i++) {
            if (load(word) != value) return true;
            relax();
        }
    }
    return load(word) != value;
}

/* ---- Workers --------------------------------------------------------------------------------- */

static void take_shares(struct job *job)
{
    /* One exchange: of two threads that read and then wrote it, both would take the same share.
     * Relaxed: it orders nothing, as the job was published by the worker's word. */
    for (uint64_t i; (i = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED)) < job->n;) job->share(job->context, i);
}

/* Waits for a job, or for LEAVING.  A call that claims the worker between its last look and its
 * sleep makes the exchange for ASLEEP fail; one that claims it later sees ASLEEP, and wakes it. */
static uint64_t next_job(struct worker *w)
{
    uint64_t word;
    while ((word = load(&w->word)) == IDLE)
        if (!look_while(&w->word, IDLE) && replace(&w->word, IDLE, ASLEEP)) sleep_while(&w->word, ASLEEP);
    return word;
}

static void *work(void *worker)
{
    struct worker *w = (struct worker *)worker;
    for (uint64_t word; (word = next_job(w)) != LEAVING;) {
        /* The call may have taken the job back, and ended: a worker that read the job without this
         * exchange would read freed memory. */
        if (!replace(&w->word, word, word | RUNNING)) continue;
#if ROOST_PROBES
        host_shares_work = true;
#endif
        take_shares((struct job *)(uintptr_t)word);
        /* The call ends now, and the job with it.  One exchange: if this were a load and a store, a
         * call that sets AWAITED in between would sleep for ever. */
        before_step();
        if (__atomic_exchange_n(&w->word, IDLE, __ATOMIC_ACQ_REL) & AWAITED) wake(&w->word);
    }
    return NULL;
}

/* A child that fork() makes has the calling thread alone: no workers, and no calls of others. */
static void forget_workers(void)
{
    for (int i = 0; i < WORKERS; i++)
        if (load(&workers[i].word) != ABSENT) __atomic_store_n(&workers[i].word, ABSENT, __ATOMIC_RELAXED);
}

static bool forks_watched;
static void watch_forks(void) { forks_watched = !pthread_atfork(NULL, NULL, forget_workers); }

/* Starts a worker's thread.  The application's signal handlers run on its own threads: all signals
 * are blocked except those that a fault of the thread itself raises. */
static bool start_thread(struct worker *w)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF};
    sigset_t blocked, before;
    (void)pthread_once(&once, watch_forks);
#if ROOST_PROBES
    if (host_threads_refused) return false;
#endif
    if (!forks_watched) return false;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) sigdelset(&blocked, own[i]);
    if (pthread_sigmask(SIG_SETMASK, &blocked, &before)) return false;
    const bool started = !pthread_create(&w->thread, NULL, work, w);
    if (started) pthread_setname_np(w->thread, "roost-worker"); /* for debuggers */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* Gives an idle worker another word, and wakes it if it is asleep.  Returns false if it is not
 * idle: it works, leaves or is absent.  Tried again if the worker falls asleep in between:
 *
 *     this thread: IDLE is seen
 *     the worker:  IDLE -> ASLEEP
 *     this thread: IDLE -> desired fails
 *
 * If that counted as not idle, a call would do without the worker, and a library that is unloaded
 * would leave its thread behind.  Relaxed: the exchange decides, and orders what follows. */
static bool take_idle(struct worker *w, uint64_t desired)
{
    uint64_t word;
    do {
        word = __atomic_load_n(&w->word, __ATOMIC_RELAXED);
        if (word != IDLE && word != ASLEEP) return false;
    } while (!replace(&w->word, word, desired));
    if (word == ASLEEP) wake(&w->word);
    return true;
}

/* Ends the workers, so that no thread is left in a library that is unloaded.  One that is not idle
 * belongs to a call of another thread, which the end of the process cuts off. */
__attribute__((destructor)) static void dismiss_workers(void)
{
    for (int i = 0; i < WORKERS; i++) {
        struct worker *w = &workers[i];
        if (!take_idle(w, LEAVING)) continue;
        pthread_join(w->thread, NULL);
        __atomic_store_n(&w->word, ABSENT, __ATOMIC_RELEASE);
    }
}

#if ROOST_PROBES
void host_dismiss_workers(void) { dismiss_workers(); }
#endif

/* ---- Calls ----------------------------------------------------------------------------------- */

enum claim { CLAIMED, BUSY, REFUSED };

/* Gives a worker the job if it is idle, and starts it if it is absent.  Of two calls that claim it
 * at the same time one exchanges its word, and it is busy for the other. */
static enum claim claim_worker(struct worker *w, const struct job *job)
{
    if (take_idle(w, (uintptr_t)job)) return CLAIMED;
    /* A look first: an exchange that fails slows down the threads that use the word. */
    if (__atomic_load_n(&w->word, __ATOMIC_RELAXED) != ABSENT || !replace(&w->word, ABSENT, (uintptr_t)job)) return BUSY;
    if (start_thread(w)) return CLAIMED;
    __atomic_store_n(&w->word, ABSENT, __ATOMIC_RELEASE);
    return REFUSED;
}

/* The most workers that a call may claim from: as many as it wants, or one for each processor
 * except the caller's. */
static int workers_most(int wanted)
{
    static int known;
    int processors = __atomic_load_n(&known, __ATOMIC_RELAXED); /* relaxed: all store the same */
    if (!processors) __atomic_store_n(&known, processors = host_processors(), __ATOMIC_RELAXED);
    const int most = wanted > processors - 1 ? wanted : processors - 1;
    return most < WORKERS ? most : WORKERS;
}

static int claim_workers(const struct job *job, int wanted, uint16_t *claimed)
{
    const int most = workers_most(wanted);
    enum claim result = BUSY;
    int n = 0;
    for (int i = 0; i < most && n < wanted && result != REFUSED; i++) {
        result = claim_worker(&workers[i], job);
        if (result == CLAIMED) claimed[n++] = (uint16_t)i;
    }
    return n;
}

/* Takes the job back, or waits until the worker has done its last share. */
static void await_worker(struct worker *w, const struct job *job)
{
    const uint64_t word = (uintptr_t)job, running = word | RUNNING;
    if (replace(&w->word, word, IDLE)) return;
    /* When it is not running this job any more, it may have another call's. */
    if (!look_while(&w->word, running) && replace(&w->word, running, running | AWAITED)) sleep_while(&w->word, running | AWAITED);
}

static void share_work(struct job *job, int wanted)
{
    uint16_t claimed[WORKERS];
    const int n = claim_workers(job, wanted, claimed);
#if ROOST_PROBES
    const bool before = host_shares_work;
    host_shares_work = n > 0;
#endif
    take_shares(job);
    for (int i = 0; i < n; i++) await_worker(&workers[claimed[i]], job);
#if ROOST_PROBES
    host_shares_work = before;
#endif
}

void host_run(int threads, uint64_t n, host_share *share, const void *context)
{
    struct job job = {.share = share, .context = context, .n = n};
    const uint64_t useful = n < (uint64_t)threads ? n : (uint64_t)threads;
    if (useful > 1) share_work(&job, (int)(useful - 1 < WORKERS ? useful - 1 : WORKERS));
    else
        for (uint64_t i = 0; i < n; i++) share(context, i);
}
