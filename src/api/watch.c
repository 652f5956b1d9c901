/* Watches on tables.  One lock guards the lists of all tables: a watch may end while its table is
 * destroyed, and then there is no table whose lock it could take. */
#include "api/watch.h"

#include "api/collective.h"

static pthread_mutex_t lists = PTHREAD_MUTEX_INITIALIZER;

/* A handle's own writes, and those of the shards that it exports. */
static uint64_t writes_of(struct roost_table *t)
{
    uint64_t writes = t->writes;
    struct roost_table *shard;
    for (uint64_t i = 0; t->group && (shard = t->group->calls->shard(t, i)) != NULL; i++)
        if (shard != t) writes += shard->writes;
    return writes;
}

void watch_begin(struct table_watch *w, struct roost_table *t)
{
    w->table = t;
    w->writes = writes_of(t);
    pthread_mutex_lock(&lists);
    w->next = t->watches;
    t->watches = w;
    pthread_mutex_unlock(&lists);
}

void watch_end(struct table_watch *w)
{
    pthread_mutex_lock(&lists);
    if (w->table) {
        struct table_watch **at = &w->table->watches;
        while (*at != w) at = &(*at)->next;
        *at = w->next;
    }
    w->table = NULL;
    pthread_mutex_unlock(&lists);
}

bool watch_saw_write(const struct table_watch *w) { return writes_of(w->table) != w->writes; }

void watches_end(struct roost_table *t)
{
    pthread_mutex_lock(&lists);
    for (struct table_watch *w = t->watches; w; w = w->next) w->table = NULL;
    t->watches = NULL;
    pthread_mutex_unlock(&lists);
}
