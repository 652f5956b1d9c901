/* Searches for the keys that cost most: attacks are drawn, and the worst ones varied.  An attack
 * that costs more than its bounds (worst_attack.h) is a failure.
 *
 *     worst_keys [--first S] [--seconds T] [--attacks N] [--engine NAME]
 *     worst_keys --set G.G.G...        repeats one */
#include "fuzz/argument.h"
#include "fuzz/worst/worst_attack.h"

#include "support/dice.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ENGINES = 5, KEPT = 12, HANG_SECONDS = 120 };

/* An attack, and how bad it was. */
struct tried {
    struct genes genes;
    struct cost cost, random;
    double score, slower; /* its seconds over those of random keys */
    int which;
};

/* The worst attacks on one engine, worst first. */
struct ranking {
    struct tried tried[KEPT];
    unsigned n;
};

struct search {
    struct ranking worst[ENGINES]; /* by score */
    struct tried slowest[ENGINES];
    struct dice dice;
    uint64_t attacks, failed;
    int engine; /* -1: all */
};

/* The attack in progress, for a signal's handler. */
static struct genes current;

static void genes_print(const struct genes *genes)
{
    printf("    --set ");
    for (int i = 0; i < GENES; i++) printf("%s%u", i ? "." : "", genes->gene[i]);
    printf("\n    ");
    attack_print(genes);
}

static void on_signal(int number)
{
    printf("signal %d in:\n", number);
    genes_print(&current);
    fflush(stdout);
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- One attack ------------------------------------------------------------------------------ */

static struct tried attack_try(const struct genes *genes)
{
    struct tried tried = {.genes = *genes};
    current = *genes;
    alarm(HANG_SECONDS);
    tried.random = attack_run(genes, true);
    tried.cost = attack_run(genes, false);
    alarm(0);
    tried.score = attack_score(&tried.cost, &tried.random, &tried.which);
    tried.slower = tried.cost.seconds / tried.random.seconds;
    return tried;
}

static bool is_failure(const struct tried *tried) { return tried->cost.failure[0] || tried->random.failure[0] || tried->score > 1; }

static void tried_print(const struct tried *tried)
{
    printf("%s is %.2f of what it may be, %.2f times the time of random keys\n", worst_costs[tried->which], tried->score,
           tried->slower);
    genes_print(&tried->genes);
    for (int i = 0; i < COSTS; i++) printf("    %s %.0f (%.0f)", worst_costs[i], tried->cost.cost[i], tried->random.cost[i]);
    printf("\n");
    if (tried->cost.failure[0]) printf("    failed: %s\n", tried->cost.failure);
    if (tried->random.failure[0]) printf("    failed with random keys: %s\n", tried->random.failure);
}

/* ---- The search ------------------------------------------------------------------------------ */

static void rank(struct ranking *ranking, const struct tried *tried)
{
    unsigned at = ranking->n < KEPT ? ranking->n++ : KEPT;
    while (at > 0 && ranking->tried[at - 1].score < tried->score) {
        if (at < KEPT) ranking->tried[at] = ranking->tried[at - 1];
        at--;
    }
    if (at < KEPT) ranking->tried[at] = *tried;
}

static struct genes genes_draw(struct search *s)
{
    struct genes genes;
    for (int i = 0; i < GENES; i++) genes.gene[i] = dice_below(&s->dice, worst_values[i]);
    if (dice_below(&s->dice, 4)) genes.gene[GENE_kind] = CRAFTED_HASHES;
    if (s->engine >= 0) genes.gene[GENE_engine] = (unsigned)s->engine;
    return genes;
}

/* Changes one to three genes of a bad attack: by a little, or to any value. */
static struct genes genes_vary(struct search *s, const struct ranking *ranking)
{
    struct genes genes = ranking->tried[dice_below(&s->dice, ranking->n)].genes;
    for (unsigned times = 1 + dice_below(&s->dice, 3); times; times--) {
        const unsigned i = GENE_width + dice_below(&s->dice, GENES - GENE_width), values = worst_values[i];
        const unsigned by = dice_below(&s->dice, 2) ? dice_below(&s->dice, values) : dice_below(&s->dice, 2) ? 1 : values - 1;
        genes.gene[i] = (genes.gene[i] + by) % values;
    }
    return genes;
}

static struct genes genes_next(struct search *s)
{
    const unsigned engine = s->engine >= 0 ? (unsigned)s->engine : dice_below(&s->dice, ENGINES);
    if (!s->worst[engine].n || dice_below(&s->dice, 2)) return genes_draw(s);
    return genes_vary(s, &s->worst[engine]);
}

static void search_step(struct search *s)
{
    const struct genes genes = genes_next(s);
    const struct tried tried = attack_try(&genes);
    const unsigned engine = genes.gene[GENE_engine];
    s->attacks++;
    if (is_failure(&tried)) {
        s->failed++;
        tried_print(&tried);
        fflush(stdout);
    }
    rank(&s->worst[engine], &tried);
    /* shorter times are those of a busy machine */
    if (tried.random.seconds > 0.002 && tried.slower > s->slowest[engine].slower) s->slowest[engine] = tried;
}

static int search_print(const struct search *s)
{
    for (int i = 0; i < ENGINES; i++) {
        if (s->worst[i].n) printf("the worst: "), tried_print(&s->worst[i].tried[0]);
        if (s->slowest[i].slower > 0) printf("the slowest: "), tried_print(&s->slowest[i]);
    }
    printf("%llu attacks: %llu passed, %llu failed\n", print(s->attacks), print(s->attacks - s->failed), print(s->failed));
    return s->failed || !s->attacks ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static void usage(void)
{
    fputs("usage: worst_keys [--first S] [--seconds T] [--attacks N] [--engine 0..4]\n       worst_keys --set G.G.G...\n", stderr);
    exit(2);
}

static uint64_t number_of(const char *text)
{
    uint64_t number;
    if (!argument_is_number(text, &number)) usage();
    return number;
}

static struct genes genes_read(const char *text)
{
    struct genes genes;
    for (int i = 0; i < GENES; i++) {
        char *end;
        if (!text || !*text) usage();
        genes.gene[i] = (unsigned)strtoul(text, &end, 10);
        if (end == text || genes.gene[i] >= worst_values[i]) usage();
        text = *end ? end + 1 : end;
    }
    return genes;
}

static int repeat(const char *text)
{
    const struct genes genes = genes_read(text);
    const struct tried tried = attack_try(&genes);
    tried_print(&tried);
    return is_failure(&tried) ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static struct search search = {.engine = -1};
    uint64_t first = 1, seconds = 0, attacks = 0;
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) signal(numbers[i], on_signal);
    for (char **at = argv + 1; at < argv + argc; at += 2) {
        if (!strcmp(*at, "--set")) return repeat(at[1]);
        if (!strcmp(*at, "--first")) first = number_of(at[1]);
        else if (!strcmp(*at, "--seconds")) seconds = number_of(at[1]);
        else if (!strcmp(*at, "--attacks")) attacks = number_of(at[1]);
        else if (!strcmp(*at, "--engine")) search.engine = (int)(number_of(at[1]) % ENGINES);
        else usage();
    }
    if (!seconds && !attacks) attacks = 100;
    search.dice.state = first;
    const time_t begin = time(NULL);
    while ((!attacks || search.attacks < attacks) && (!seconds || (uint64_t)(time(NULL) - begin) < seconds)) search_step(&search);
    return search_print(&search);
}
