/* The fuzzer of the API by seeds: each seed is a table's life.  Processes of their own live them,
 * so a crash or a hang is known by its seed, too.
 *
 *     api_seeds [--first S] [--lives N] [--seconds T] [--jobs J] [--small]
 *     api_seeds --seed S [--steps LIST] [--small]     repeats one, aloud; LIST: such as 3,5,8 */
#include "fuzz/argument.h"
#include "fuzz/api/api_life.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    JOBS_MOST = 256,
    STEPS_MOST = 64,
    HANG_SECONDS = 900, /* of one life, with a sanitizer on a busy machine */
    PROGRESS_SECONDS = 60,
    SHORTENED = 5 /* failures whose steps are reduced */
};

/* Items after which a process ends, and another one goes on. */
#define PROCESS_ITEMS (UINT64_C(1) << 20)

struct options {
    const char *program;
    uint64_t first, lives, seed, seconds;
    unsigned jobs;
    bool one, small;
    bool steps[STEPS_MOST], some_steps;
};

/* What processes share: one writes its place, all take seeds. */
struct place {
    uint64_t seed, passed;
    struct api_totals totals;
};

struct shared {
    uint64_t next, end; /* seeds */
    bool stop;
    struct place places[JOBS_MOST];
};

static struct shared *shared;

/* ---- One life -------------------------------------------------------------------------------- */

static struct api_limits limits_draw(struct api_choices *choices, bool small)
{
    struct api_limits limits = {.bytes = small ? 1 << 20 : 1 << 24};
    limits.keys = choose_size(choices, 64, small ? 4000 : 200000);
    limits.batch = choose_size(choices, 16, small ? 4000 : 100000);
    limits.steps = (unsigned)choose_size(choices, 4, STEPS_MOST);
    return limits;
}

static void live(uint64_t seed, const struct options *options, const bool *steps, struct api_totals *totals)
{
    struct api_choices choices = {.dice = {mix64(seed)}};
    const struct api_limits limits = limits_draw(&choices, options->small);
    alarm(HANG_SECONDS);
    report_begin(options->one);
    report_step("seed %llu: at most %llu keys, %llu items of a call, %u steps", (unsigned long long)seed,
                (unsigned long long)limits.keys, (unsigned long long)limits.batch, limits.steps);
    life_run(&choices, &limits, totals, steps);
    alarm(0);
}

/* The steps of a life that a signal ends. */
static void on_signal(int number)
{
    report_print();
    signal(number, SIG_DFL);
    raise(number);
}

/* Sanitizers end the process by themselves. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void signals_catch(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    signal(SIGALRM, on_signal);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(report_print);
    else
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) signal(numbers[i], on_signal);
}

/* ---- Processes ------------------------------------------------------------------------------- */

/* Lives one seed after another. */
static void work(struct place *place, const struct options *options)
{
    uint64_t items = 0;
    signals_catch();
    while (items < PROCESS_ITEMS && !__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
        struct api_totals totals = {0};
        const uint64_t seed = __atomic_fetch_add(&shared->next, 1, __ATOMIC_RELAXED);
        if (seed >= shared->end) break;
        place->seed = seed;
        live(seed, options, NULL, &totals);
        totals_add(&place->totals, &totals);
        place->passed++;
        items += totals_items(&totals);
    }
}

struct worker {
    pid_t process;
    FILE *words; /* what it printed */
};

static void worker_begin(struct worker *worker, struct place *place, const struct options *options)
{
    *place = (struct place){0};
    rewind(worker->words);
    if (ftruncate(fileno(worker->words), 0) != 0) abort();
    fflush(NULL);
    worker->process = fork();
    if (worker->process != 0) return;
    dup2(fileno(worker->words), STDERR_FILENO);
    work(place, options);
    _exit(0);
}

/* Lives a seed with some of its steps in a process that prints nothing; true: it fails. */
static bool fails(uint64_t seed, const struct options *options, const bool *steps)
{
    int status = 0;
    fflush(NULL);
    const pid_t process = fork();
    if (process == 0) {
        struct api_totals totals = {0};
        if (!freopen("/dev/null", "w", stderr)) abort();
        live(seed, options, steps, &totals);
        _exit(0);
    }
    return waitpid(process, &status, 0) != process || status != 0;
}

/* Leaves steps out, from many at once to single ones, as long as the life still fails. */
static void shorten(uint64_t seed, const struct options *options, bool *steps)
{
    for (unsigned n = STEPS_MOST / 2; n > 0; n /= 2) {
        for (unsigned first = 0; first < STEPS_MOST; first += n) {
            bool fewer[STEPS_MOST];
            memcpy(fewer, steps, sizeof fewer);
            memset(fewer + first, 0, n * sizeof *fewer);
            if (memcmp(fewer, steps, sizeof fewer) != 0 && fails(seed, options, fewer)) memcpy(steps, fewer, sizeof fewer);
        }
    }
}

static void failure_print(struct worker *worker, uint64_t seed, const struct options *options, bool shortens)
{
    bool steps[STEPS_MOST];
    char line[1024];
    rewind(worker->words);
    printf("seed %llu failed:\n", (unsigned long long)seed);
    while (fgets(line, sizeof line, worker->words)) fputs(line, stdout);
    printf("    again: %s --seed %llu%s\n", options->program, (unsigned long long)seed, options->small ? " --small" : "");
    memset(steps, true, sizeof steps);
    if (shortens && !fails(seed, options, steps)) printf("    it does not fail again\n");
    else if (shortens) {
        shorten(seed, options, steps);
        printf("    shorter: build/tests/api_seeds --seed %llu%s --steps ", (unsigned long long)seed,
               options->small ? " --small" : "");
        for (unsigned i = 0, n = 0; i < STEPS_MOST; i++)
            if (steps[i]) printf("%s%u", n++ ? "," : "", i);
        printf("\n");
    }
    fflush(stdout);
}

/* ---- A run ----------------------------------------------------------------------------------- */

struct run {
    const struct options *options;
    struct worker workers[JOBS_MOST];
    struct api_totals totals;
    uint64_t passed, failed;
    time_t begin, said;
};

static void progress_print(struct run *run)
{
    const time_t now = time(NULL);
    if (now - run->said < PROGRESS_SECONDS) return;
    run->said = now;
    fprintf(stderr, "%llu s: %llu lives, %llu item operations, %llu failed\n", (unsigned long long)(now - run->begin),
            (unsigned long long)(run->passed + run->failed), (unsigned long long)totals_items(&run->totals),
            (unsigned long long)run->failed);
}

static void worker_ended(struct run *run, unsigned number, int status)
{
    struct place *place = &shared->places[number];
    totals_add(&run->totals, &place->totals);
    run->passed += place->passed;
    run->workers[number].process = 0;
    if (status == 0) return;
    run->failed++;
    failure_print(&run->workers[number], place->seed, run->options, run->failed <= SHORTENED);
}

static bool is_over(const struct run *run)
{
    const uint64_t seconds = run->options->seconds;
    if (seconds && (uint64_t)(time(NULL) - run->begin) >= seconds) __atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
    return shared->stop || __atomic_load_n(&shared->next, __ATOMIC_RELAXED) >= shared->end;
}

/* Takes in a process that has ended; false: there is none any more. */
static bool reap(struct run *run)
{
    int status = 0;
    const pid_t process = waitpid(-1, &status, WNOHANG);
    if (process <= 0) {
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        return process == 0;
    }
    for (unsigned i = 0; i < run->options->jobs; i++)
        if (run->workers[i].process == process) worker_ended(run, i, status);
    return true;
}

static void run_all(struct run *run)
{
    const unsigned jobs = run->options->jobs;
    for (bool lives = true; lives || !is_over(run);) {
        for (unsigned i = 0; i < jobs && !is_over(run); i++)
            if (!run->workers[i].process) worker_begin(&run->workers[i], &shared->places[i], run->options);
        lives = reap(run);
        progress_print(run);
    }
}

static int run_print(const struct run *run)
{
    const struct api_totals *t = &run->totals;
#define PRINT(member, text) printf("%-20s %14llu\n", text, (unsigned long long)t->member);
    API_KINDS(PRINT)
    printf("%-20s %14llu, of which %.1f %% only read\n", "item operations", (unsigned long long)totals_items(t),
           totals_items(t) ? 100 * (double)totals_reads(t) / (double)totals_items(t) : 0);
    API_NUMBERS(PRINT)
#undef PRINT
    printf("%llu passed, %llu failed\n", (unsigned long long)run->passed, (unsigned long long)run->failed);
    return run->failed || !run->passed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run_many(const struct options *options)
{
    static struct run run;
    run.options = options;
    run.begin = run.said = time(NULL);
    shared->next = options->first;
    shared->end = options->lives ? options->first + options->lives : UINT64_MAX;
    for (unsigned i = 0; i < options->jobs; i++)
        if (!(run.workers[i].words = tmpfile())) abort();
    run_all(&run);
    return run_print(&run);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static void usage(void)
{
    fputs("usage: api_seeds [--first S] [--lives N] [--seconds T] [--jobs J] [--small]\n"
          "       api_seeds --seed S [--steps LIST] [--small]\n",
          stderr);
    exit(2);
}

static uint64_t number_of(const char *text)
{
    uint64_t number;
    if (!argument_is_number(text, &number)) usage();
    return number;
}

static void steps_read(struct options *options, const char *text)
{
    options->some_steps = true;
    for (; text && *text; text += strcspn(text, ",") + (strchr(text, ',') != NULL)) {
        const unsigned long step = strtoul(text, NULL, 10);
        if (step < STEPS_MOST) options->steps[step] = true;
    }
}

static struct options options_read(char **argv)
{
    struct options options = {.program = argv[0], .first = 1, .jobs = 1};
    for (char **at = argv + 1; *at; at++) {
        if (!strcmp(*at, "--small")) options.small = true;
        else if (!at[1]) usage();
        else if (!strcmp(*at, "--first")) options.first = number_of(*++at);
        else if (!strcmp(*at, "--lives")) options.lives = number_of(*++at);
        else if (!strcmp(*at, "--seconds")) options.seconds = number_of(*++at);
        else if (!strcmp(*at, "--jobs")) options.jobs = (unsigned)number_of(*++at);
        else if (!strcmp(*at, "--seed")) options.one = true, options.seed = number_of(*++at);
        else if (!strcmp(*at, "--steps")) steps_read(&options, *++at);
        else usage();
    }
    if (options.jobs < 1 || options.jobs > JOBS_MOST) usage();
    if (!options.lives && !options.seconds) options.lives = 100;
    return options;
}

int main(int argc, char **argv)
{
    (void)argc;
    const struct options options = options_read(argv);
    struct api_totals totals = {0};
    if (options.one) {
        live(options.seed, &options, options.some_steps ? options.steps : NULL, &totals);
        puts("1 passed, 0 failed");
        return EXIT_SUCCESS;
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) abort();
    return run_many(&options);
}
