/* Threads of a team.  A number tells which piece of work is the present one: each member takes
 * every number once, and the caller waits until none is left at it. */
#include "teams/crew.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct member {
    struct crew *crew;
    int rank;
    pthread_t thread;
};

struct crew {
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t begins, ended;
    uint64_t number; /* of the piece of work */
    int working;     /* members that have not ended it */
    bool leaves;
    void (*work)(void *context, int rank);
    void *context;
    int members; /* threads */
    struct member member[];
};

/* Waits for a number other than `last`.  False: the crew is freed. */
static bool next_work(struct crew *c, uint64_t last)
{
    pthread_mutex_lock(&c->lock);
    while (c->number == last && !c->leaves) pthread_cond_wait(&c->begins, &c->lock);
    const bool goes_on = !c->leaves;
    pthread_mutex_unlock(&c->lock);
    return goes_on;
}

static void *member_run(void *member)
{
    const struct member *const m = (const struct member *)member;
    struct crew *const c = m->crew;
    for (uint64_t last = 0; next_work(c, last); last++) {
        c->work(c->context, m->rank);
        pthread_mutex_lock(&c->lock);
        if (--c->working == 0) pthread_cond_signal(&c->ended);
        pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}

void crew_run(struct crew *c, void (*work)(void *context, int rank), void *context)
{
    pthread_mutex_lock(&c->lock);
    c->work = work;
    c->context = context;
    c->working = c->members;
    c->number++;
    pthread_cond_broadcast(&c->begins);
    pthread_mutex_unlock(&c->lock);
    work(context, 0);
    pthread_mutex_lock(&c->lock);
    while (c->working) pthread_cond_wait(&c->ended, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

void crew_free(struct crew *c)
{
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    c->leaves = true;
    pthread_cond_broadcast(&c->begins);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->members; i++) pthread_join(c->member[i].thread, NULL);
    pthread_cond_destroy(&c->ended), pthread_cond_destroy(&c->begins);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

struct crew *crew_make(int ranks)
{
    struct crew *const c = (struct crew *)calloc(1, sizeof *c + (size_t)ranks * sizeof(struct member));
    if (!c) return NULL;
    /* None can fail with default attributes. */
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->begins, NULL), pthread_cond_init(&c->ended, NULL);
    for (int rank = 1; rank < ranks; rank++) {
        struct member *const m = &c->member[rank - 1];
        *m = (struct member){.crew = c, .rank = rank};
        if (pthread_create(&m->thread, NULL, member_run, m)) {
            crew_free(c);
            return NULL;
        }
        c->members++;
    }
    return c;
}
