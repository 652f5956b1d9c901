/* Threads of the host that share work: each share is carried out once, whoever calls and whatever
 * the system refuses; workers sleep, and leave when the library is unloaded. */
#include "backends/host_threads.h"
#include "roost/roost.h"
#include "support/draw.h"
#include "support/settings.h"
#include "support/suite.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CALLERS = 8,
    MOST = 3000, /* shares of a run */
    HANGS = 120, /* seconds after which a child is ended by a signal */
    ENDS = 2000  /* milliseconds after which a worker that is still there was not dismissed */
};

/* ---- Workers as the system sees them --------------------------------------------------------- */

/* The first character of a word in /proc/self/task/TASK/FILE, after the last `before`. */
static char task_letter(const char *task, const char *file, char before)
{
    char path[300], text[512] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/%s", task, file);
    FILE *stream = fopen(path, "r"); /* a task may have ended since */
    if (!stream) return 0;
    const size_t n = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    text[n] = 0;
    const char *at = strrchr(text, before);
    return at && at[1] ? at[2] : 0;
}

static bool is_worker(const char *task)
{
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", task);
    FILE *stream = fopen(path, "r");
    if (!stream) return false;
    const bool read = fgets(name, sizeof name, stream) != NULL;
    fclose(stream);
    return read && !strcmp(name, "roost-worker\n");
}

/* Counts the workers of this process, and those that do not sleep. */
static int count_workers(int *awake)
{
    DIR *tasks = opendir("/proc/self/task");
    int workers = 0;
    if (!tasks) abort();
    *awake = 0;
    for (struct dirent *entry; (entry = readdir(tasks));) {
        if (!is_worker(entry->d_name)) continue;
        workers++;
        *awake += task_letter(entry->d_name, "stat", ')') != 'S';
    }
    closedir(tasks);
    return workers;
}

/* ---- Each share once ------------------------------------------------------------------------- */

/* Counts how often each share was carried out.  Plain memory: the thread sanitizer sees whether the
 * caller's reads are ordered after them. */
struct shares {
    uint64_t n;
    uint8_t count[MOST];
    bool nested;
};

static void count_share(const void *context, uint64_t i) { ((struct shares *)(uintptr_t)context)->count[i]++; }

static void count_nested(const void *context, uint64_t i)
{
    struct shares inner = {.n = 3};
    host_run(2, inner.n, count_share, &inner);
    for (uint64_t k = 0; k < inner.n; k++)
        if (inner.count[k] != 1) return; /* then share i is missing, too */
    count_share(context, i);
}

static uint64_t run_shares(struct shares *s, int threads, uint64_t n, bool nested)
{
    uint64_t wrong = 0;
    memset(s, 0, sizeof *s);
    host_run(threads, n, nested ? count_nested : count_share, s);
    for (uint64_t i = 0; i < MOST; i++) wrong += s->count[i] != (i < n);
    return wrong;
}

struct caller {
    uint64_t seed, wrong;
};

static void *run_often(void *context)
{
    struct caller *caller = context;
    struct dice dice = {.state = caller->seed};
    struct shares *s = malloc(sizeof *s);
    if (!s) abort();
    for (size_t i = 0; i < settings_size(400, 60); i++) {
        const int threads = 1 + (int)draw_below(&dice, 6);
        const uint64_t n = draw_below(&dice, draw_below(&dice, 2) ? 8 : MOST);
        caller->wrong += run_shares(s, threads, n, draw_below(&dice, 8) == 0);
    }
    free(s);
    return NULL;
}

static void each_share_once(const struct variant *variant)
{
    pthread_t threads[CALLERS];
    struct caller callers[CALLERS];
    const int64_t looks = host_look_ns;
    /* They look, sleep at once, or do the one or the other and yield. */
    __atomic_store_n(&host_look_ns, variant->number == 1 ? looks : variant->number == 2 ? 0 : 20000, __ATOMIC_RELAXED);
    __atomic_store_n(&host_yields, variant->number == 1 ? 0 : (unsigned)variant->number, __ATOMIC_RELAXED);
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (struct caller){.seed = suite_seed() + (unsigned)i};
        require(!pthread_create(&threads[i], NULL, run_often, &callers[i]), "no thread %d", i);
    }
    for (int i = 0; i < CALLERS; i++) require(!pthread_join(threads[i], NULL), "thread %d", i);
    __atomic_store_n(&host_look_ns, looks, __ATOMIC_RELAXED);
    __atomic_store_n(&host_yields, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < CALLERS; i++)
        require(!callers[i].wrong, "caller %d: %llu shares not once", i, (unsigned long long)callers[i].wrong);
}

/* ---- In a process of its own ----------------------------------------------------------------- */

/* Runs `body` in a child, which has no workers yet.  It returns what is wrong, or NULL. */
static void in_child(const char *(*body)(void))
{
    int status = 0;
    const pid_t child = fork();
    require(child >= 0, "no child");
    if (child == 0) {
        alarm(HANGS);
        const char *wrong = body();
        if (wrong) fprintf(stderr, "%s\n", wrong);
        /* In a sanitizer's build _exit looks for the parent's threads. */
        syscall(SYS_exit_group, wrong != NULL);
    }
    require(waitpid(child, &status, 0) == child, "the child is lost");
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child's status is 0x%x", (unsigned)status);
}

/* Shares that wait until `all` of them are being carried out, each by its own thread. */
struct meeting {
    uint64_t all, here;
};

static void meet(const void *context, uint64_t i)
{
    struct meeting *m = (struct meeting *)(uintptr_t)context;
    (void)i;
    __atomic_fetch_add(&m->here, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&m->here, __ATOMIC_RELAXED) < m->all) sched_yield();
}

static void meet_on(int threads)
{
    struct meeting m = {.all = (uint64_t)threads};
    host_run(threads, m.all, meet, &m);
}

/* All threads that a call may use take part: otherwise this hangs. */
static const char *all_take_part(void)
{
    int awake;
    meet_on(3);
    if (count_workers(&awake) != 2) return "a call on three threads has not two workers";
    meet_on(5);
    if (count_workers(&awake) != 4) return "a call on five threads has not four workers";
    meet_on(2);
    return count_workers(&awake) == 4 ? NULL : "a call on two threads changed the number of workers";
}

static void threads_take_part(const struct variant *variant) { (void)variant, in_child(all_take_part); }

/* A call claims workers while they fall asleep: they do so at once, and yield in between. */
static const char *none_is_left_out(void)
{
    __atomic_store_n(&host_look_ns, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&host_yields, 2, __ATOMIC_RELAXED);
    for (size_t i = 0; i < settings_size(20000, 2000); i++) meet_on(4);
    return NULL;
}

static void workers_fall_asleep(const struct variant *variant) { (void)variant, in_child(none_is_left_out); }

static const char *without_threads(void)
{
    static struct shares s;
    int awake;
    host_threads_refused = true;
    if (run_shares(&s, 4, MOST, false)) return "shares are missing where no thread can be started";
    if (count_workers(&awake)) return "there are workers";
    host_threads_refused = false;
    meet_on(2);
    host_threads_refused = true;
    if (run_shares(&s, 4, MOST, true)) return "shares are missing where no further thread can be started";
    return count_workers(&awake) == 1 ? NULL : "there is not one worker";
}

static void threads_are_refused(const struct variant *variant) { (void)variant, in_child(without_threads); }

static volatile sig_atomic_t handled;
static void handle(int number) { (void)number, handled++; }

/* A signal to the process waits while the application's threads block it. */
static const char *signals_wait(void)
{
    sigset_t set, pending;
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    meet_on(4);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    kill(getpid(), SIGUSR1);
    for (int i = 0; i < 100; i++) meet_on(4);
    if (handled || sigpending(&pending)) return "a worker has run a signal's handler";
    return sigismember(&pending, SIGUSR1) ? NULL : "a worker has taken a signal";
}

static void signals_are_the_applications(const struct variant *variant) { (void)variant, in_child(signals_wait); }

/* ---- Sleep ----------------------------------------------------------------------------------- */

static const char spinning[] = "workers sleep beside OpenMP threads that spin";

/* This program again, with OpenMP threads that never sleep. */
static const char *run_spinning(void)
{
    char pattern[sizeof spinning + 1];
    snprintf(pattern, sizeof pattern, "%s*", spinning);
    setenv("OMP_WAIT_POLICY", "active", 1);
    execl("/proc/self/exe", "test_host_threads", "--only", pattern, (char *)NULL);
    return "the program cannot be run again";
}

static void workers_sleep(const struct variant *variant)
{
    const char *policy = getenv("OMP_WAIT_POLICY");
    int awake = 0, spins = 0;
    (void)variant;
    if (!policy || strcmp(policy, "active") != 0) {
        in_child(run_spinning);
        return;
    }
    alarm(HANGS);
#pragma omp parallel num_threads(2) reduction(+ : spins)
    spins++;
    meet_on(4);
    require(count_workers(&awake) == 3, "workers of a call on four threads");
    do sched_yield(); /* until all sleep, or the alarm */
    while (count_workers(&awake) == 3 && awake);
    meet_on(4); /* they wake up */
    alarm(0);
}

/* ---- Unloading ------------------------------------------------------------------------------- */

/* Starts workers and dismisses them.  Returns how many are left. */
static int dismiss_three(void)
{
    int awake, left;
    meet_on(4);
    host_dismiss_workers();
    /* The system removes a task a little after it has ended. */
    for (int waited = 0; (left = count_workers(&awake)) != 0 && waited < ENDS; waited++) usleep(1000);
    return left;
}

/* Workers are dismissed while they fall asleep: they do so at once, and yield in between.  Not in a
 * child: there the thread sanitizer crashes when many threads start, if its parent had some. */
static void workers_are_dismissed(const struct variant *variant)
{
    const int64_t looks = host_look_ns;
    int left = 0;
    (void)variant;
    __atomic_store_n(&host_look_ns, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&host_yields, 2, __ATOMIC_RELAXED);
    for (size_t i = 0; i < settings_size(2000, 300) && !left; i++) left = dismiss_three();
    __atomic_store_n(&host_look_ns, looks, __ATOMIC_RELAXED);
    __atomic_store_n(&host_yields, 0, __ATOMIC_RELAXED);
    require(!left, "%d workers that fell asleep were not dismissed", left);
}

static char library[4096];

#define FUNCTION(handle, name) ((__typeof__(&(name)))(uintptr_t)dlsym(handle, #name))

/* Uses the shared library's tables, and unloads it.  A thread that were left would end the process:
 * its code is gone. */
static const char *load_and_unload(void)
{
    static uint32_t keys[40000];
    int awake, left;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    roost_config config;
    roost_table *table = NULL;
    if (!handle) return dlerror();
    for (uint32_t i = 0; i < 40000; i++) keys[i] = i;
    if (FUNCTION(handle, roost_config_init)(&config, sizeof config)) return "no configuration";
    config.device = "host";
    config.value_type = ROOST_TYPE_NONE;
    config.threads = 3;
    if (FUNCTION(handle, roost_table_create)(&table, &config)) return "no table";
    if (FUNCTION(handle, roost_insert)(table, ROOST_KEEP, keys, NULL, 40000, NULL)) return "no insert";
    FUNCTION(handle, roost_table_destroy)(table);
    if (count_workers(&awake) != 2) return "not two workers of a call on three threads";
    dlclose(handle);
    do sched_yield(); /* the system removes a task a little after it has ended */
    while ((left = count_workers(&awake)) != 0 && dlopen(library, RTLD_NOW | RTLD_NOLOAD) == NULL);
    return left ? "the library cannot be unloaded" : NULL;
}

static void the_library_is_unloaded(const struct variant *variant)
{
    const char *build = getenv("ROOST_BUILD_DIR");
    (void)variant;
    snprintf(library, sizeof library, "%s/libroost.so", build ? build : ".");
    if (access(library, R_OK) || settings_sanitized()) return suite_skip("no shared library beside these tests");
    for (int i = 0; i < 3; i++) in_child(load_and_unload);
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    for (unsigned how = 1; how <= 3; how++)
        suite_add("each share once", each_share_once, (struct variant){.shape = &shapes[0], .number = how});
    suite_add_once("threads take part", threads_take_part);
    suite_add_once("workers take part that fall asleep", workers_fall_asleep);
    suite_add_once("threads are refused", threads_are_refused);
    suite_add_once("signals are the application's", signals_are_the_applications);
    suite_add_once(spinning, workers_sleep);
    suite_add_once("workers leave that fall asleep", workers_are_dismissed);
    suite_add_once("the library is unloaded", the_library_is_unloaded);
    return suite_run("host_threads");
}
