/* Snapshots of tables that are spread over ranks, saved and loaded by any numbers of ranks: where a
 * rank cannot do its part, no rank has a table, the old snapshot stays, and the ranks go on.  And
 * changes that are compacted into a new whole snapshot. */
#include "support/answers.h"
#include "support/draw.h"
#include "support/members.h"
#include "support/settings.h"
#include "support/snapshots.h"
#include "roost/snapshot.h"
#include "roost/tuning.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LOADERS = 5, /* ranks that load, at most */
    KEYS = 1500,
    ROOM = 3 * KEYS, /* numbers of keys that are looked up */
    MORE = ROOM,     /* and those that are inserted after a load */
    PATH = 256,
    LIMIT = 30 /* seconds, after which a hang ends in a failure */
};

typedef unsigned long long ull;

/* ---- Files ----------------------------------------------------------------------------------- */

static char folder[32], path_a[PATH / 2], path_b[PATH / 2], path_none[PATH / 2];

static void folder_make(void)
{
    strcpy(folder, "/tmp/roost-shards-XXXXXX");
    require(mkdtemp(folder) != NULL, "no folder: %s", strerror(errno));
    snprintf(path_a, sizeof path_a, "%s/a.roost", folder);
    snprintf(path_b, sizeof path_b, "%s/b.roost", folder);
    snprintf(path_none, sizeof path_none, "%s/none/table.roost", folder);
}

/* The names of all files in the folder, in order; returns how many there are. */
static int folder_list(char *names, size_t room)
{
    struct dirent **list;
    const int n = scandir(folder, &list, NULL, alphasort);
    int files = 0;
    *names = 0;
    require(n >= 0, "%s: %s", folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        if (*list[i]->d_name != '.') {
            strncat(strncat(names, list[i]->d_name, room - strlen(names) - 1), " ", room - strlen(names) - 1);
            files++;
        }
        free(list[i]);
    }
    free(list);
    return files;
}

static void folder_remove(void)
{
    char names[8192], path[PATH + 256];
    folder_list(names, sizeof names);
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
        unlink(path);
    }
    require(!rmdir(folder), "%s cannot be removed: %s", folder, strerror(errno));
}

static struct image file_read(const char *path)
{
    struct image image = {0};
    char bytes[4096];
    FILE *const file = fopen(path, "rb");
    require(file != NULL, "%s: %s", path, strerror(errno));
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;) image_add(&image, bytes, n);
    fclose(file);
    return image;
}

static void file_write(const char *path, const struct image *image, size_t n)
{
    FILE *const file = fopen(path, "wb");
    require(file && fwrite(image->at, 1, n, file) == n && !fclose(file), "%s cannot be written", path);
}

static roost_snapshot_info described(const char *path)
{
    roost_snapshot_info info;
    require_status(ROOST_OK, roost_snapshot_describe(path, &info, sizeof info), NULL);
    return info;
}

static void shard_path(const char *path, unsigned shard, char name[PATH])
{
    snprintf(name, PATH, "%.*s.%016llx.%u", PATH / 2, path, (ull)described(path).id, shard);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* What a rank gives to its next call, and what the call told. */
struct part {
    const char *path;
    uint32_t flags;
    roost_load_options loading;
    roost_save_options saving;
    roost_loaded loaded;
    roost_saved saved;
    char error[300];
};
static struct part parts[MEMBERS_MOST];

static void parts_set(const char *path)
{
    for (int r = 0; r < MEMBERS_MOST; r++) {
        parts[r] = (struct part){.path = path, .loading = ROOST_LOAD_OPTIONS_INIT, .saving = ROOST_SAVE_OPTIONS_INIT};
        parts[r].saving.no_sync = 1;
    }
}

/* Ranks over a comm; ranks 0: one table without a comm. */
struct crew {
    struct member m[MEMBERS_MOST];
    int n;
};

/* Loading and saving sides have engines in turn. */
static const char *engine_in_turn(const struct variant *variant, size_t turn)
{
    static roost_engine_info info;
    size_t n = 0;
    while (roost_engine_describe(n, &info, sizeof info) == ROOST_OK) n++;
    if (shape_index(variant->shape) == SHAPE_COUNT || settings_get()->engine) return table_engine(variant);
    require_status(ROOST_OK, roost_engine_describe(turn % n, &info, sizeof info), NULL);
    return info.name;
}

static void crew_open(struct crew *c, int ranks, const struct variant *variant)
{
    const roost_comm_limits limits = {.size = sizeof limits, .progress = LIMIT, .arrival = LIMIT};
    memset(c, 0, sizeof *c);
    c->n = ranks ? ranks : 1;
    if (ranks) {
        members_open(c->m, ranks, variant, &limits);
    } else {
        c->m[0] = (struct member){.variant = variant, .ranks = 1};
        table_config(variant, &c->m[0].config);
    }
    for (int r = 0; r < c->n; r++) c->m[r].config.comm = c->m[r].comm;
}

static void crew_run(struct crew *c, void (*body)(struct member *m)) { members_run(c->m, c->n, body); }

static void crew_close(struct crew *c) { members_close(c->m, c->n); }

static void crew_drop_tables(struct crew *c)
{
    for (int r = 0; r < c->n; r++) roost_table_destroy(c->m[r].table), c->m[r].table = NULL;
}

/* ---- What ranks do --------------------------------------------------------------------------- */

/* The numbers whose keys the table has. */
static uint8_t expected[ROOM];

static void expect_numbers(size_t first, size_t n)
{
    memset(expected, 0, sizeof expected);
    memset(expected + first, 1, n);
}

static const void *values_of(const struct member *m, const struct arrays *a)
{
    return m->variant->shape->value_bytes ? a->values : NULL;
}

/* Makes a table of the expected numbers, of which each rank brings some. */
static void fills(struct member *m)
{
    struct arrays a = arrays_make(ROOM);
    a.n = 0;
    for (size_t i = 0; i < ROOM; i++)
        if (expected[i] && i % (size_t)m->ranks == (size_t)m->rank) a.numbers[a.n++] = i;
    arrays_fill(&a, m->variant->shape);
    expect_ok(m, roost_table_create(&m->table, &m->config), "create");
    expect_ok(m, roost_insert(m->table, ROOST_ASSIGN, a.keys, values_of(m, &a), a.n, NULL), "insert");
    arrays_free(&a);
}

static void saves(struct member *m)
{
    struct part *const part = &parts[m->rank];
    part->saved = (roost_saved)ROOST_SAVED_INIT;
    if (!part->saving.saved) part->saving.saved = &part->saved;
    m->last = roost_save_file(m->table, part->path, &part->saving);
    snprintf(part->error, sizeof part->error, "%s", m->last ? roost_last_error(m->table) : "");
}

static void loads(struct member *m)
{
    struct part *const part = &parts[m->rank];
    part->loaded = (roost_loaded)ROOST_LOADED_INIT;
    part->loading.loaded = &part->loaded;
    part->loading.flags = part->flags;
    m->table = (roost_table *)part; /* overwritten whatever happens */
    m->last = roost_load_file(&m->table, part->path, &m->config, &part->loading);
    snprintf(part->error, sizeof part->error, "%s", m->last ? roost_last_error(NULL) : "");
    EXPECT(m, (m->last == ROOST_OK) == (m->table != NULL), "%s and a table %p", roost_status_name(m->last), (void *)m->table);
    EXPECT(m, !m->last || *part->error, "an error without a text");
}

/* The table has the expected keys with their values, and no others. */
static void holds(struct member *m)
{
    const size_t bytes = m->variant->shape->value_bytes;
    struct arrays a = arrays_make(ROOM), b = arrays_make(ROOM);
    roost_stats stats = {.size = sizeof stats};
    uint64_t n = 0;
    for (size_t i = 0; i < ROOM; i++) a.numbers[i] = b.numbers[i] = i, n += expected[i];
    arrays_fill(&a, m->variant->shape), arrays_fill(&b, m->variant->shape);
    memset(a.values, UNTOUCHED_BYTE, bytes * ROOM);
    expect_ok(m, roost_find(m->table, a.keys, a.n, bytes ? a.values : NULL, a.found, NULL), "find");
    for (size_t i = 0; i < ROOM; i++) {
        EXPECT(m, a.found[i] == expected[i], "key %zu: found %u instead of %u", i, a.found[i], expected[i]);
        EXPECT(m, !expected[i] || !memcmp((char *)a.values + i * bytes, (char *)b.values + i * bytes, bytes),
               "key %zu has another value", i);
    }
    expect_ok(m, roost_table_stats(m->table, &stats, sizeof stats), "stats");
    EXPECT(m, stats.count == n, "%llu keys instead of %llu", (ull)stats.count, (ull)n);
    expect_ok(m, roost_table_check(m->table), "check");
    arrays_free(&a), arrays_free(&b);
}

/* The table can be written to: each rank inserts a key, and finds those of all. */
static void writes(struct member *m)
{
    struct arrays a = arrays_make((size_t)m->ranks), own = arrays_make(1);
    for (size_t i = 0; i < a.n; i++) a.numbers[i] = MORE + i;
    own.numbers[0] = MORE + (uint64_t)m->rank;
    arrays_fill(&a, m->variant->shape), arrays_fill(&own, m->variant->shape);
    expect_ok(m, roost_insert(m->table, ROOST_ASSIGN, own.keys, values_of(m, &own), 1, NULL), "insert");
    expect_ok(m, roost_find(m->table, a.keys, a.n, NULL, a.found, NULL), "find");
    for (size_t i = 0; i < a.n; i++) EXPECT(m, a.found[i] == 1, "the key of rank %zu is not found", i);
    arrays_free(&a), arrays_free(&own);
}

/* ---- What must come of it -------------------------------------------------------------------- */

static void require_all_ok(const struct crew *c)
{
    for (int r = 0; r < c->n; r++)
        require(!c->m[r].last, "rank %d of %d: %s: \"%s\"", r, c->n, roost_status_name(c->m[r].last), parts[r].error);
}

/* No rank succeeded; at least one says why, and the others that it failed. */
static void require_all_failed(const struct crew *c, unsigned answers)
{
    int say = 0;
    for (int r = 0; r < c->n; r++) {
        const roost_status status = c->m[r].last;
        require(status != ROOST_OK, "rank %d of %d succeeded", r, c->n);
        say += (answers & ANSWER(status)) != 0;
        require((answers | ANSWER(ROOST_ERR_COMM)) & ANSWER(status), "rank %d of %d: %s: \"%s\"", r, c->n,
                roost_status_name(status), parts[r].error);
    }
    require(say, "all %d ranks fail with %s: \"%s\"", c->n, roost_status_name(c->m[0].last), parts[0].error);
}

/* Ranks that have no table load this one, and hold what is expected. */
static void require_loads(struct crew *c, const char *path)
{
    parts_set(path);
    crew_run(c, loads);
    require_all_ok(c);
    crew_run(c, holds);
}

static void require_lone_loads(const char *path, const struct variant *variant)
{
    struct crew c;
    crew_open(&c, 0, variant);
    require_loads(&c, path);
    crew_close(&c);
}

/* Makes a table of the n numbers from `first` on, and saves it. */
static void make_saved(struct crew *c, int ranks, const char *path, const struct variant *variant, size_t first, size_t n)
{
    expect_numbers(first, n);
    crew_open(c, ranks, variant);
    crew_run(c, fills);
    parts_set(path);
    crew_run(c, saves);
    require_all_ok(c);
}

static void save_numbers(int ranks, const char *path, const struct variant *variant, size_t first, size_t n)
{
    struct crew c;
    make_saved(&c, ranks, path, variant, first, n);
    crew_close(&c);
}

/* ---- Any number of ranks --------------------------------------------------------------------- */

static void require_told(const struct crew *c, uint64_t n)
{
    uint64_t pairs = 0;
    for (int r = 0; r < c->n; r++) {
        const roost_loaded *const l = &parts[r].loaded;
        pairs += l->pairs;
        require(!l->blocks_lost && !l->pairs_lost && !l->erased, "rank %d lost %llu blocks and %llu pairs", r, (ull)l->blocks_lost,
                (ull)l->pairs_lost);
    }
    require(pairs == n, "%llu pairs were told", (ull)pairs);
}

static void require_described(const struct crew *c, const char *path, uint64_t n)
{
    const roost_snapshot_info info = described(path);
    uint64_t pairs = 0;
    require(info.whole && !info.number && info.pairs == n, "%llu pairs", (ull)info.pairs);
    require(info.shards == (c->m[0].comm ? (uint32_t)c->n : 0), "%u shards of %d ranks", info.shards, c->n);
    for (int r = 0; r < c->n; r++) {
        pairs += parts[r].saved.pairs;
        require(parts[r].saved.whole && parts[r].saved.id == info.id, "rank %d told another id", r);
    }
    require(pairs == n, "%llu pairs were told", (ull)pairs);
}

static void loads_by(int ranks, const struct variant *variant, const char *path, size_t n, size_t turn)
{
    struct crew c;
    const char *const engine = engine_in_turn(variant, turn);
    suite_step("%d ranks load, engine %s, %zu keys", ranks, engine ? engine : "(any)", n);
    crew_open(&c, ranks, variant);
    for (int r = 0; r < c.n; r++) c.m[r].config.engine = engine;
    require_loads(&c, path);
    require_told(&c, n);
    crew_run(&c, writes);
    crew_close(&c);
}

/* number: of the ranks that save; 0: one table without a comm. */
static void any_ranks_load(const struct variant *variant)
{
    static const size_t sizes[] = {KEYS, 0, 1};
    const int ranks = (int)variant->number;
    folder_make();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct crew c;
        suite_step("%d ranks save %zu keys", ranks, sizes[i]);
        make_saved(&c, ranks, path_a, variant, 7, sizes[i]);
        require_described(&c, path_a, sizes[i]);
        crew_run(&c, holds);
        crew_close(&c);
        for (int q = 0; q <= LOADERS; q++) loads_by(q, variant, path_a, sizes[i], (size_t)(ranks * 7 + q));
    }
    folder_remove();
}

/* A table of several devices is one table: one file. */
static void devices_of_a_handle(const struct variant *variant)
{
    static const char *const devices[] = {"host", "host,host", "host,host,host,host"};
    folder_make();
    for (size_t i = 0; i < 3; i++) {
        struct crew c;
        suite_step("devices %s save", devices[i]);
        expect_numbers(3, KEYS);
        crew_open(&c, 0, variant);
        c.m[0].config.device = devices[i];
        crew_run(&c, fills);
        parts_set(path_a);
        crew_run(&c, saves);
        require_all_ok(&c);
        require_described(&c, path_a, KEYS);
        crew_close(&c);
        for (int q = 0; q <= 3; q++) loads_by(q, variant, path_a, KEYS, (size_t)q);
    }
    for (int ranks = 0; ranks <= 3; ranks += 3)
        for (size_t i = 0; i < 3; i++) {
            struct crew c;
            save_numbers(ranks, path_b, variant, 3, KEYS);
            suite_step("devices %s load what %d ranks saved", devices[i], ranks);
            crew_open(&c, 0, variant);
            c.m[0].config.device = devices[i];
            require_loads(&c, path_b);
            crew_run(&c, writes);
            crew_close(&c);
        }
    folder_remove();
}

/* With no configuration the table is as saved, and each shard is a snapshot of its own. */
static void as_saved(const struct variant *variant)
{
    char name[PATH];
    roost_stats stats = {.size = sizeof stats};
    roost_table *table;
    uint64_t pairs = 0;
    folder_make();
    save_numbers(3, path_a, variant, 5, KEYS);
    for (unsigned shard = 0; shard < 4; shard++) {
        shard_path(path_a, shard, name);
        require_status(ROOST_OK, roost_load_file(&table, shard < 3 ? name : path_a, NULL, NULL), NULL);
        require_status(ROOST_OK, roost_table_stats(table, &stats, sizeof stats), table);
        pairs += stats.count;
        roost_table_destroy(table);
    }
    require(pairs == 2 * KEYS, "%llu pairs", (ull)pairs);
    folder_remove();
}

static int told_of(void *most, uint64_t done, uint64_t pairs)
{
    uint64_t *const m = most;
    if (done > pairs) m[1] = done;
    if (pairs > m[0]) m[0] = pairs;
    return 0;
}

/* Each rank is told of its own pairs, and of no more than there are. */
static void progress_is_of_all(const struct variant *variant)
{
    folder_make();
    save_numbers(3, path_a, variant, 5, KEYS);
    for (int q = 0; q <= 3; q++) {
        uint64_t told[MEMBERS_MOST][2] = {{0}}, all = 0;
        struct crew c;
        suite_step("%d ranks load", q);
        crew_open(&c, q, variant);
        parts_set(path_a);
        for (int r = 0; r < c.n; r++) parts[r].loading.progress = told_of, parts[r].loading.progress_context = told[r];
        crew_run(&c, loads);
        require_all_ok(&c);
        for (int r = 0; r < c.n; r++) {
            require(!told[r][1], "rank %d was told of %llu pairs of %llu", r, (ull)told[r][1], (ull)told[r][0]);
            all += told[r][0];
        }
        require(all == KEYS, "the ranks were told of %llu pairs in all", (ull)all);
        crew_close(&c);
    }
    folder_remove();
}

static const char note[] = "of all ranks";

/* With a note, by more ranks than one sum of numbers has room for. */
static void many_ranks(const struct variant *variant)
{
    const int ranks = (int)variant->number;
    struct crew c;
    folder_make();
    expect_numbers(2, KEYS);
    crew_open(&c, ranks, variant);
    crew_run(&c, fills);
    parts_set(path_a);
    for (int r = 0; r < ranks; r++) parts[r].saving.note = note;
    crew_run(&c, saves);
    require_all_ok(&c);
    require_described(&c, path_a, KEYS);
    require(!strcmp(described(path_a).note, note), "the note is \"%s\"", described(path_a).note);
    crew_drop_tables(&c);
    require_loads(&c, path_a);
    require_told(&c, KEYS);
    crew_close(&c);
    for (int q = 0; q <= 3; q++) loads_by(q, variant, path_a, KEYS, (size_t)q);
    folder_remove();
}

/* Tables that do not grow: capacity is of the whole table. */
static void fixed_tables(const struct variant *variant)
{
    for (int ranks = -1; ranks <= 3; ranks++) { /* -1: a table of three devices */
        struct crew c;
        roost_stats stats = {.size = sizeof stats};
        roost_table *table;
        suite_step("%d ranks save", ranks);
        folder_make();
        expect_numbers(0, KEYS);
        crew_open(&c, ranks < 0 ? 0 : ranks, variant);
        if (ranks < 0) c.m[0].config.device = "host,host,host";
        for (int r = 0; r < c.n; r++) c.m[r].config.growth = 0, c.m[r].config.capacity = 2 * KEYS;
        crew_run(&c, fills);
        parts_set(path_a);
        crew_run(&c, saves);
        require_all_ok(&c);
        require(described(path_a).capacity == 2 * KEYS && !described(path_a).growth, "the capacity is %llu",
                (ull)described(path_a).capacity);
        crew_drop_tables(&c);
        require_loads(&c, path_a); /* with the ranks' configurations */
        for (int r = 0; r < c.n; r++) c.m[r].config.capacity = 10;
        crew_drop_tables(&c);
        crew_run(&c, loads);
        require_all_failed(&c, ANSWER(ROOST_ERR_FULL));
        crew_close(&c);
        require_status(ROOST_OK, roost_load_file(&table, path_a, NULL, NULL), NULL);
        require_status(ROOST_OK, roost_table_stats(table, &stats, sizeof stats), table);
        require(stats.slots >= 2 * KEYS && stats.count == KEYS, "%llu slots", (ull)stats.slots);
        roost_table_destroy(table);
        folder_remove();
    }
}

/* If a pipe has the manifest's name, the save does not read it and does not wait for a writer. */
static void pipes_are_not_read(const struct variant *variant)
{
    struct crew c;
    folder_make();
    require(!mkfifo(path_b, 0600), "no pipe");
    const int reader = open(path_b, O_RDONLY | O_NONBLOCK);
    make_saved(&c, 2, path_a, variant, 0, KEYS);
    parts_set(path_b);
    crew_run(&c, saves); /* whatever it returns */
    parts_set(path_a);
    crew_run(&c, saves);
    require_all_ok(&c);
    crew_close(&c);
    close(reader);
    require_lone_loads(path_a, variant);
    folder_remove();
}

/* ---- Saves that follow ----------------------------------------------------------------------- */

static void require_files(int n)
{
    char names[8192];
    const int files = folder_list(names, sizeof names);
    require(files == n, "%d files instead of %d: %s", files, n, names);
}

/* The files of an earlier save go, those of another path stay. */
static void saves_over_a_name(const struct variant *variant)
{
    struct crew c;
    folder_make();
    save_numbers(3, path_b, variant, 900, 100);
    require_files(4);
    for (int ranks = 1; ranks <= LOADERS; ranks += 2) {
        suite_step("%d ranks save three times", ranks);
        make_saved(&c, ranks, path_a, variant, 0, KEYS);
        crew_run(&c, saves);
        require_all_ok(&c);
        require_files(4 + 1 + ranks);
        crew_drop_tables(&c);
        expect_numbers(100, 2 * KEYS);
        crew_run(&c, fills);
        crew_run(&c, saves);
        require_all_ok(&c);
        require_files(4 + 1 + ranks);
        crew_drop_tables(&c);
        require_loads(&c, path_a);
        /* What was loaded is saved over what it was loaded from. */
        crew_run(&c, saves);
        require_all_ok(&c);
        require_files(4 + 1 + ranks);
        crew_close(&c);
        require_lone_loads(path_a, variant);
    }
    expect_numbers(900, 100);
    require_lone_loads(path_b, variant);
    unlink(path_a);
    folder_remove();
}

/* A single file is replaced by shards, and these by a single file. */
static void one_file_and_shards(const struct variant *variant)
{
    folder_make();
    save_numbers(0, path_a, variant, 0, KEYS);
    require_files(1);
    save_numbers(3, path_a, variant, 50, KEYS);
    require_files(4);
    require_lone_loads(path_a, variant);
    save_numbers(0, path_a, variant, 90, KEYS);
    require_files(1);
    require_lone_loads(path_a, variant);
    folder_remove();
}

/* Links are followed: the snapshot has one set of files, whatever name it goes by. */
static void links_are_followed(const struct variant *variant)
{
    char names[8192];
    folder_make();
    require(!mkdir(strcat(strcpy(names, folder), "/sub"), 0700), "no folder");
    save_numbers(2, path_a, variant, 0, KEYS);
    require(!symlink("a.roost", path_b), "no link");
    require_lone_loads(path_b, variant);
    save_numbers(2, path_b, variant, 30, KEYS);
    require_lone_loads(path_b, variant);
    require_lone_loads(path_a, variant);
    require_files(5);
    require(!rmdir(strcat(strcpy(names, folder), "/sub")), "no folder");
    folder_remove();
}

/* ---- Damage ---------------------------------------------------------------------------------- */

enum damage { ANOTHER_BYTE, CUT_OFF, EMPTY, MISSING, OF_ANOTHER_SAVE, BYTES_BEHIND, FORGED, DAMAGES };
static const char *const damage_names[DAMAGES] = {"another byte", "cut off",      "empty", "missing",
                                                  "of another",   "bytes behind", "forged"};

/* The place of the first block of pairs. */
static size_t pairs_at(const struct image *image)
{
    size_t at[IMAGE_BLOCKS + 1];
    const size_t n = image_blocks(image, at);
    for (size_t i = 0; i < n; i++)
        if (image_frame(image, at[i]).kind == BLOCK_PAIRS) return at[i];
    require(false, "no pairs");
    return 0;
}

/* One pair more than there is room for, with right checksums. */
static void image_forge(struct image *image)
{
    const size_t at = pairs_at(image);
    struct frame f = image_frame(image, at);
    f.items += 100;
    memcpy(image->at + at, &f, sizeof f);
    image_reseal(image->at, image->n);
}

static void damage_file(const char *path, enum damage damage, const struct image *whole, const struct image *other, uint64_t place)
{
    struct image image = {0};
    image_add(&image, damage == OF_ANOTHER_SAVE ? other->at : whole->at, damage == OF_ANOTHER_SAVE ? other->n : whole->n);
    if (damage == ANOTHER_BYTE) image.at[place % image.n] ^= 0x20;
    if (damage == BYTES_BEHIND) image_add(&image, "", 1);
    if (damage == FORGED) image_forge(&image);
    const size_t cut = damage == CUT_OFF ? pairs_at(&image) + 100 : damage == EMPTY ? 0 : image.n;
    file_write(path, &image, cut);
    if (damage == MISSING) unlink(path);
    image_free(&image);
}

/* No rank gets a table; when the file is whole again, the same ranks load it. */
static void require_damage_seen(int ranks, const struct variant *variant, const char *shard, const struct image *whole)
{
    struct crew c;
    crew_open(&c, ranks, variant);
    parts_set(path_a);
    crew_run(&c, loads);
    require_all_failed(&c, ARGUMENT | ANSWER(ROOST_ERR_CORRUPT) | ANSWER(ROOST_ERR_IO));
    file_write(shard, whole, whole->n);
    require_loads(&c, path_a);
    crew_close(&c);
}

/* number: the damage, and one. */
static void damaged_shards(const struct variant *variant)
{
    enum { SAVED = 3 };
    const enum damage damage = (enum damage)(variant->number - 1);
    struct dice dice = {suite_seed()};
    char name[PATH];
    struct crew saver;
    folder_make();
    make_saved(&saver, SAVED, path_b, variant, 0, KEYS);
    for (int q = 0; q <= LOADERS; q++)
        for (unsigned shard = 0; shard < SAVED; shard++) {
            parts_set(path_a);
            crew_run(&saver, saves);
            require_all_ok(&saver);
            shard_path(path_b, shard, name); /* has the same pairs */
            struct image other = file_read(name);
            shard_path(path_a, shard, name);
            struct image whole = file_read(name);
            const uint64_t place = draw(&dice);
            suite_step("%d ranks load, shard %u: %s %llu", q, shard, damage_names[damage], (ull)(place % whole.n));
            damage_file(name, damage, &whole, &other, place);
            require_damage_seen(q, variant, name, &whole);
            image_free(&whole), image_free(&other);
        }
    crew_close(&saver);
    folder_remove();
}

/* The numbers of a shard are not expected any more; returns how many. */
static uint64_t expect_without(const char *shard, const struct variant *variant)
{
    struct table t = {.shape = *variant->shape};
    uint64_t *const keys = numbered_keys(variant->shape, 0, ROOM), lost = 0;
    uint8_t *const found = make_bytes(ROOM);
    require_status(ROOST_OK, roost_load_file(&t.handle, shard, NULL, NULL), NULL);
    require_status(ROOST_OK, table_find(&t, keys, ROOM, NULL, found, NULL), t.handle);
    for (size_t i = 0; i < ROOM; i++) lost += found[i], expected[i] &= !found[i];
    table_close(&t);
    free(keys), free(found);
    return lost;
}

/* The pairs of the other shards come, and the ranks tell what was lost. */
static void salvaged_shards(const struct variant *variant)
{
    static const enum damage damages[] = {ANOTHER_BYTE, CUT_OFF, EMPTY, MISSING, OF_ANOTHER_SAVE};
    const enum damage damage = damages[variant->number - 1];
    char name[PATH];
    folder_make();
    save_numbers(3, path_b, variant, 0, KEYS);
    shard_path(path_b, 1, name);
    struct image other = file_read(name);
    save_numbers(3, path_a, variant, 0, KEYS);
    shard_path(path_a, 1, name);
    struct image whole = file_read(name);
    const uint64_t lost = expect_without(name, variant);
    require(lost > KEYS / 6, "%llu pairs in a shard", (ull)lost);
    damage_file(name, damage, &whole, &other, pairs_at(&whole) + sizeof(struct frame) + 77);
    for (int q = 0; q <= LOADERS; q++) {
        struct crew c;
        uint64_t pairs = 0, blocks = 0, pairs_lost = 0;
        suite_step("%d ranks salvage: %s", q, damage_names[damage]);
        crew_open(&c, q, variant);
        parts_set(path_a);
        for (int r = 0; r < c.n; r++) parts[r].flags = ROOST_SALVAGE;
        crew_run(&c, loads);
        require_all_ok(&c);
        crew_run(&c, holds);
        for (int r = 0; r < c.n; r++)
            pairs += parts[r].loaded.pairs, blocks += parts[r].loaded.blocks_lost, pairs_lost += parts[r].loaded.pairs_lost;
        require(pairs == KEYS - lost && pairs_lost == lost && blocks, "%llu pairs, %llu lost in %llu blocks", (ull)pairs,
                (ull)pairs_lost, (ull)blocks);
        crew_close(&c);
    }
    image_free(&whole), image_free(&other);
    folder_remove();
}

/* Salvage of what is whole loses nothing. */
static void salvage_loses_nothing(const struct variant *variant)
{
    folder_make();
    for (int ranks = 0; ranks <= 3; ranks += 3) {
        save_numbers(ranks, path_a, variant, 0, KEYS);
        for (int q = 0; q <= LOADERS; q++) {
            struct crew c;
            suite_step("%d ranks salvage what %d saved", q, ranks);
            crew_open(&c, q, variant);
            parts_set(path_a);
            for (int r = 0; r < c.n; r++) parts[r].flags = ROOST_SALVAGE;
            crew_run(&c, loads);
            require_all_ok(&c);
            require_told(&c, KEYS);
            crew_close(&c);
        }
    }
    folder_remove();
}

/* ---- Damaged manifests ----------------------------------------------------------------------- */

static struct image manifest;
static pthread_barrier_t turn;
static size_t manifest_step;

/* Rank 0 flips each byte in turn, or cuts the file off there; all ranks try to load it. */
static void every_flip(struct member *m)
{
    for (size_t at = 0; at < manifest.n && !*m->wrong; at += manifest_step) {
        FILE *const file = m->rank ? NULL : fopen(path_a, "r+b");
        const uint8_t flipped = manifest.at[at] ^ 0x41;
        if (file) EXPECT(m, !fseek(file, (long)at, SEEK_SET) && fwrite(&flipped, 1, 1, file) == 1 && !fclose(file), "no byte");
        if (m->comm) pthread_barrier_wait(&turn);
        loads(m);
        EXPECT(m, m->last, "byte %zu: a table", at);
        EXPECT(m, m->last == ROOST_ERR_CORRUPT || m->last == ROOST_ERR_ARGUMENT || m->last == ROOST_ERR_COMM, "byte %zu: %s: %s",
               at, roost_status_name(m->last), parts[m->rank].error);
        roost_table_destroy(m->table);
        if (m->comm) pthread_barrier_wait(&turn);
        FILE *const again = m->rank ? NULL : fopen(path_a, "r+b");
        if (again)
            EXPECT(m, !fseek(again, (long)at, SEEK_SET) && fwrite(&manifest.at[at], 1, 1, again) == 1 && !fclose(again), "no byte");
    }
    m->table = NULL;
}

static void damaged_manifests(const struct variant *variant)
{
    const int ranks = (int)variant->number - 1;
    struct crew c;
    folder_make();
    save_numbers(3, path_a, variant, 0, KEYS);
    manifest = file_read(path_a);
    manifest_step = settings_size(settings_sanitized() ? 37 : 1, 37);
    parts_set(path_a);
    crew_open(&c, ranks, variant);
    require(!pthread_barrier_init(&turn, NULL, (unsigned)c.n), "no barrier");
    crew_run(&c, every_flip);
    pthread_barrier_destroy(&turn);
    require_loads(&c, path_a);
    crew_close(&c);
    image_free(&manifest);
    folder_remove();
}

/* What a forged manifest says, with right checksums. */
static void manifest_forge(struct image *image, int what)
{
    size_t at[IMAGE_BLOCKS + 1];
    image_blocks(image, at);
    struct frame *const list = (struct frame *)(void *)(image->at + at[2]);
    struct shard_entry *const entry = (struct shard_entry *)(void *)(list + 1);
    for (int i = 0; i < 2; i++) {
        struct header h;
        memcpy(&h, image->at + at[i] + sizeof(struct frame), sizeof h);
        const uint32_t shards[] = {0, 2, 4, UINT32_MAX};
        if (what < 4) h.shards = shards[what];
        if (what == 4) h.pairs++;
        if (what == 5) h.pairs++, entry[1].pairs += (uint64_t)!i;
        if (what == 6) h.key_type = h.value_type = ROOST_TYPE_U64, h.key_bytes = h.value_bytes = 8;
        if (what == 7) h.flags = ROOST_CHANGES;
        memcpy(image->at + at[i] + sizeof(struct frame), &h, sizeof h);
    }
    if (what == 8) entry[0].id++;
    if (what == 9) entry[1] = entry[0];
    if (what == 10) entry[0].pairs -= UINT64_MAX, entry[1].pairs += UINT64_MAX;
    if (what == 11) list->items--;
    image_reseal(image->at, image->n);
}

static void forged_manifests(const struct variant *variant)
{
    folder_make();
    save_numbers(3, path_a, variant, 0, KEYS);
    struct image whole = file_read(path_a);
    for (int what = 0; what < 12; what++)
        for (int q = 0; q <= 3; q++) {
            struct image image = {0};
            struct crew c;
            suite_step("forged manifest %d, %d ranks", what, q);
            image_add(&image, whole.at, whole.n);
            manifest_forge(&image, what);
            file_write(path_a, &image, image.n);
            crew_open(&c, q, variant);
            parts_set(path_a);
            crew_run(&c, loads);
            require_all_failed(&c, ARGUMENT | ANSWER(ROOST_ERR_CORRUPT));
            file_write(path_a, &whole, whole.n);
            require_loads(&c, path_a);
            crew_close(&c);
            image_free(&image);
        }
    image_free(&whole);
    folder_remove();
}

/* Every length and, with ROOST_SALVAGE, every byte: all ranks or none, and all pairs or none. */
static void salvaged_manifests(const struct variant *variant)
{
    const int ranks = (int)variant->number - 1;
    struct crew c;
    int loaded = 0, failed = 0;
    folder_make();
    save_numbers(3, path_a, variant, 0, 300);
    struct image image = file_read(path_a);
    parts_set(path_a);
    crew_open(&c, ranks, variant);
    for (size_t at = 0; at < image.n; at += settings_size(23, 97)) {
        for (int cut = 0; cut < 2; cut++) {
            suite_step("byte %zu %s", at, cut ? "is the end" : "is another one");
            image.at[at] ^= 0x41;
            file_write(path_a, &image, cut ? at : image.n);
            image.at[at] ^= 0x41;
            for (int r = 0; r < c.n; r++) parts[r].flags = at % 2 ? ROOST_SALVAGE : cut ? 0 : ROOST_SALVAGE;
            crew_run(&c, loads);
            if (c.m[0].last) require_all_failed(&c, ARGUMENT | ANSWER(ROOST_ERR_CORRUPT));
            else require_all_ok(&c), crew_run(&c, holds);
            require(!cut || parts[0].flags || c.m[0].last, "a part of a manifest is loaded");
            loaded += !c.m[0].last, failed += c.m[0].last != 0;
            crew_drop_tables(&c);
        }
    }
    require(loaded && failed, "%d times loaded, %d times not", loaded, failed);
    crew_close(&c);
    image_free(&image);
    folder_remove();
}

/* ---- One rank differs ------------------------------------------------------------------------ */

enum { ODD = 1 /* the rank that differs */ };

static void load_odd_path(const struct variant *variant, const char *path, const char *what)
{
    struct crew c;
    for (int ranks = 2; ranks <= 3; ranks++)
        for (int odd = 0; odd < ranks; odd++) {
            suite_step("rank %d of %d loads %s", odd, ranks, what);
            crew_open(&c, ranks, variant);
            parts_set(path_a);
            parts[odd].path = path;
            crew_run(&c, loads);
            require_all_failed(&c, ARGUMENT | ANSWER(ROOST_ERR_CORRUPT) | ANSWER(ROOST_ERR_IO));
            require_loads(&c, path_a);
            crew_close(&c);
        }
}

static void other_paths_to_load(const struct variant *variant)
{
    char name[PATH];
    folder_make();
    save_numbers(3, path_b, variant, 0, KEYS);
    save_numbers(3, path_a, variant, 0, KEYS);
    load_odd_path(variant, path_none, "no file");
    load_odd_path(variant, folder, "a folder");
    load_odd_path(variant, NULL, "no path");
    load_odd_path(variant, path_b, "another save of the same pairs");
    shard_path(path_a, 1, name);
    load_odd_path(variant, name, "one shard");
    save_numbers(0, path_b, variant, 0, KEYS);
    load_odd_path(variant, path_b, "a single file");
    save_numbers(0, path_a, variant, 0, KEYS);
    load_odd_path(variant, path_b, "another single file");
    folder_remove();
}

/* Configurations and options of one rank are wrong. */
static void other_arguments_to_load(const struct variant *variant)
{
    folder_make();
    save_numbers(2, path_a, variant, 0, KEYS);
    for (int wrong = 0; wrong < 6; wrong++) {
        struct crew c;
        suite_step("wrong argument %d", wrong);
        crew_open(&c, 3, variant);
        parts_set(path_a);
        roost_config *const config = &c.m[ODD].config, right = *config;
        if (wrong == 0) config->threads = -1;
        if (wrong == 1) config->min_fill = 0.9, config->max_fill = 0.5;
        if (wrong == 2) config->value_type = ROOST_TYPE_I64;
        if (wrong == 3) config->engine = "phlogiston";
        if (wrong == 4) parts[ODD].flags = 0x40;
        if (wrong == 5) parts[ODD].loading.size--;
        crew_run(&c, loads);
        require_all_failed(&c, ARGUMENT | NOT_FOUND);
        *config = right;
        require_loads(&c, path_a);
        crew_close(&c);
    }
    folder_remove();
}

static int stops(void *context, uint64_t done, uint64_t pairs)
{
    (void)context, (void)done, (void)pairs;
    return 1;
}

/* A rank ends the load in the middle. */
static void a_rank_stops(const struct variant *variant)
{
    folder_make();
    save_numbers(3, path_a, variant, 0, KEYS);
    for (int odd = 0; odd < 3; odd++) {
        struct crew c;
        suite_step("rank %d stops", odd);
        crew_open(&c, 3, variant);
        parts_set(path_a);
        parts[odd].loading.progress = stops;
        crew_run(&c, loads);
        require_all_failed(&c, ANSWER(ROOST_ERR_IO));
        require_loads(&c, path_a);
        crew_close(&c);
    }
    folder_remove();
}

/* ---- Saves that fail ------------------------------------------------------------------------- */

enum failure { NO_FOLDER, ODD_NO_FOLDER, ODD_OTHER_PATH, ODD_NO_PATH, ODD_LEVEL, ODD_SIZE, ODD_STOPS, ALL_STOP, FAILURES };
static const char *const failure_names[FAILURES] = {"no folder",      "no folder of one", "another path of one", "no path of one",
                                                    "a level of one", "a size of one",    "one stops",           "all stop"};

static void failure_set(enum failure failure, int odd, int ranks)
{
    for (int r = 0; r < ranks && failure == NO_FOLDER; r++) parts[r].path = path_none;
    for (int r = 0; r < ranks && failure == ALL_STOP; r++) parts[r].saving.progress = stops;
    if (failure == ODD_NO_FOLDER) parts[odd].path = path_none;
    if (failure == ODD_OTHER_PATH) parts[odd].path = path_b;
    if (failure == ODD_NO_PATH) parts[odd].path = NULL;
    if (failure == ODD_LEVEL) parts[odd].saving.zstd = 99;
    if (failure == ODD_SIZE) parts[odd].saving.size--;
    if (failure == ODD_STOPS) parts[odd].saving.progress = stops;
}

/* All ranks fail, leave no file, have their tables, and save them after that. */
static void require_save_fails(const struct variant *variant, enum failure failure, int odd, int ranks)
{
    char before[8192], after[8192];
    struct crew c;
    expect_numbers(200, KEYS);
    crew_open(&c, ranks, variant);
    crew_run(&c, fills);
    folder_list(before, sizeof before);
    parts_set(path_a);
    failure_set(failure, odd, ranks);
    crew_run(&c, saves);
    require_all_failed(&c, failure == ODD_LEVEL || failure == ODD_SIZE || failure == ODD_NO_PATH || failure == ODD_OTHER_PATH
                               ? ARGUMENT | ANSWER(ROOST_ERR_IO)
                               : ANSWER(ROOST_ERR_IO));
    for (int r = 0; r < ranks && failure == NO_FOLDER; r++)
        require(c.m[r].last == ROOST_ERR_IO, "rank %d: %s", r, roost_status_name(c.m[r].last));
    folder_list(after, sizeof after);
    require(!strcmp(before, after), "the files are \"%s\", and were \"%s\"", after, before);
    crew_run(&c, holds);
    expect_numbers(0, KEYS);
    require_lone_loads(path_a, variant);
    expect_numbers(200, KEYS);
    parts_set(path_a);
    crew_run(&c, saves);
    require_all_ok(&c);
    crew_close(&c);
    require_lone_loads(path_a, variant);
}

static void failed_saves(const struct variant *variant)
{
    const enum failure failure = (enum failure)(variant->number - 1);
    const int most = failure == NO_FOLDER || failure == ALL_STOP ? 1 : 3;
    for (int odd = 0; odd < most; odd++) {
        folder_make();
        save_numbers(2, path_a, variant, 0, KEYS);
        suite_step("%s: rank %d", failure_names[failure], odd);
        require_save_fails(variant, failure, odd, 3);
        folder_remove();
    }
}

/* The manifest cannot be written, though the shards can. */
static void manifests_that_cannot_be_written(const struct variant *variant)
{
    struct crew c;
    folder_make();
    require(!mkdir(path_b, 0700), "no folder");
    expect_numbers(0, KEYS);
    crew_open(&c, 3, variant);
    crew_run(&c, fills);
    parts_set(path_b);
    crew_run(&c, saves);
    require_all_failed(&c, ANSWER(ROOST_ERR_IO));
    require_files(1);
    parts_set(path_a);
    crew_run(&c, saves);
    require_all_ok(&c);
    crew_close(&c);
    require_lone_loads(path_a, variant);
    require(!rmdir(path_b), "no folder");
    folder_remove();
}

/* ---- Transports that fail -------------------------------------------------------------------- */

/* Makes a table, saves and loads it, as far as the transport goes. */
static void saves_and_loads(struct member *m)
{
    struct arrays a = arrays_make(KEYS);
    for (size_t i = 0; i < KEYS; i++) a.numbers[i] = KEYS + i;
    arrays_fill(&a, m->variant->shape);
    m->config.comm = m->comm;
    m->last = roost_table_create(&m->table, &m->config);
    if (!m->last) m->last = roost_insert(m->table, ROOST_ASSIGN, a.keys, a.values, a.n, NULL);
    if (!m->last) saves(m);
    roost_table *const saved = m->table;
    m->table = NULL;
    if (!m->last) loads(m);
    EXPECT(m, !m->last || m->last == ROOST_ERR_COMM, "%s: %s", roost_status_name(m->last), parts[m->rank].error);
    roost_table_destroy(saved);
    arrays_free(&a);
}

static bool is_saved(const char *path, const struct variant *variant, size_t first)
{
    struct crew c;
    expect_numbers(first, KEYS);
    crew_open(&c, 0, variant);
    parts_set(path);
    crew_run(&c, loads);
    require_all_ok(&c);
    c.m[0].body = holds;
    holds(&c.m[0]);
    const bool is = !*c.m[0].wrong;
    crew_close(&c);
    return is;
}

/* Each exchange fails once: all ranks learn it, and the path has the old snapshot or the new. */
static void every_exchange_may_fail(const struct variant *variant)
{
    unsigned olds = 0, news = 0;
    bool failed = true;
    folder_make();
    for (uint64_t at = 0; failed; at++) {
        struct crew c;
        struct frail frail[3];
        suite_step("exchange %llu fails", (ull)at);
        save_numbers(2, path_a, variant, 0, KEYS);
        crew_open(&c, 3, variant);
        frail_begin(frail, c.m, 3, (int)(at % 3), at);
        parts_set(path_a);
        crew_run(&c, saves_and_loads);
        failed = c.m[at % 3].last != ROOST_OK;
        if (!failed) require_all_ok(&c);
        crew_close(&c);
        frail_end(frail, 3);
        const bool old = is_saved(path_a, variant, 0);
        require(old || is_saved(path_a, variant, KEYS), "neither the old snapshot nor the new one");
        olds += old, news += !old;
        require(at < 200, "exchanges without end");
    }
    require(olds > 5 && news > 5, "%u times the old snapshot, %u times the new", olds, news);
    folder_remove();
}

/* ---- Refused calls --------------------------------------------------------------------------- */

static void lone_saves(struct member *m)
{
    struct image image = {0};
    const roost_status to = roost_save_to(m->table, image_write, &image, NULL), fd = roost_save_fd(m->table, 1, NULL),
                       changes = roost_save_changes(m->table, path_b, NULL);
    EXPECT(m, to == ROOST_ERR_UNSUPPORTED && !image.n, "roost_save_to: %s", roost_status_name(to));
    EXPECT(m, fd == ROOST_ERR_UNSUPPORTED, "roost_save_fd: %s", roost_status_name(fd));
    EXPECT(m, changes == ROOST_ERR_UNSUPPORTED, "roost_save_changes: %s", roost_status_name(changes));
    image_free(&image);
}

static void logs(struct member *m)
{
    roost_table *none = m->table;
    m->config.flags = ROOST_CHANGES;
    m->last = roost_table_create(&none, &m->config);
    EXPECT(m, m->last == ROOST_ERR_UNSUPPORTED && !none, "a table that logs changes: %s", roost_status_name(m->last));
    none = m->table;
    m->last = roost_load_file(&none, path_a, &m->config, NULL);
    EXPECT(m, m->last == ROOST_ERR_UNSUPPORTED && !none, "a loaded table that logs changes: %s", roost_status_name(m->last));
    m->config.flags = 0;
}

static void refused_calls(const struct variant *variant)
{
    struct crew c;
    folder_make();
    make_saved(&c, 3, path_a, variant, 0, KEYS);
    crew_run(&c, lone_saves);
    require(access(path_b, F_OK) != 0, "changes were saved");
    crew_run(&c, logs);
    crew_run(&c, holds);
    struct image image = file_read(path_a);
    struct image_source source = {.at = image.at, .n = image.n};
    roost_table *none = c.m[0].table;
    require_status(ROOST_ERR_ARGUMENT, roost_load_from(&none, image_read, &source, NULL, NULL), NULL);
    require(!none, "a table of a manifest alone");
    image_free(&image);
    crew_close(&c);
    folder_remove();
}

/* ---- Compaction ------------------------------------------------------------------------------ */

enum { NUMBERS = 1200, ROUNDS = 5, GENERATIONS = 3 };

/* What the table has to hold, and the table that is written to. */
struct history {
    struct table t;
    const struct variant *variant;
    struct dice dice;
    bool there[NUMBERS];
    uint64_t value[NUMBERS];
};

static void history_open(struct table *t, struct history *h, const char *path, uint32_t flags)
{
    roost_config config;
    table_config(h->variant, &config);
    config.engine = engine_in_turn(h->variant, (size_t)draw_below(&h->dice, 100));
    config.flags = flags;
    if (!path) {
        table_open(t, h->variant, &config);
        return;
    }
    *t = (struct table){.shape = *h->variant->shape, .placement = h->variant->placement};
    require_status(ROOST_OK, roost_load_file(&t->handle, path, &config, NULL), NULL);
}

/* The table has the history's pairs and no others. */
static void require_history(const struct history *h, const struct table *t)
{
    const uint64_t mask = width_mask(t->shape.value_bytes);
    uint64_t *const keys = numbered_keys(&t->shape, 0, NUMBERS), *const values = make_patterns(NUMBERS), n = 0;
    uint8_t *const found = make_bytes(NUMBERS);
    require_status(ROOST_OK, table_find(t, keys, NUMBERS, t->shape.value_bytes ? values : NULL, found, NULL), t->handle);
    for (size_t i = 0; i < NUMBERS; i++) {
        n += h->there[i];
        require(found[i] == h->there[i], "key %zu: found %u", i, found[i]);
        require(!h->there[i] || !t->shape.value_bytes || ((values[i] ^ h->value[i]) & mask) == 0, "key %zu has the value %llx", i,
                (ull)values[i]);
    }
    require(table_stats(t).count == n, "%llu keys instead of %llu", print(table_stats(t).count), (ull)n);
    table_check(t);
    free(keys), free(values), free(found);
}

/* Inserts or erases some numbers, each once. */
static void history_write(struct history *h, bool erases, size_t n)
{
    uint64_t *const keys = make_patterns(n), *const values = make_patterns(n);
    size_t at = (size_t)draw_below(&h->dice, NUMBERS);
    for (size_t i = 0; i < n; i++, at = (at + 1 + (size_t)draw_below(&h->dice, 3)) % NUMBERS) {
        values[i] = draw_value(&h->dice, h->t.shape.value_type);
        keys[i] = distinct_key(&h->t.shape, at);
        h->there[at] = !erases;
        h->value[at] = values[i];
    }
    require_status(ROOST_OK, erases ? table_erase(&h->t, keys, n, NULL) : table_insert(&h->t, ROOST_ASSIGN, keys, values, n, NULL),
                   h->t.handle);
    free(keys), free(values);
}

/* Keys are erased, some of them come again, and others change; a round may have nothing. */
static void history_round(struct history *h)
{
    const size_t parts_of = (size_t)draw_below(&h->dice, 6);
    for (size_t i = 0; i < parts_of; i++) history_write(h, draw_below(&h->dice, 2) != 0, 1 + (size_t)draw_below(&h->dice, 120));
}

static void changes_path(char path[PATH], int generation, int round)
{
    snprintf(path, PATH, "%s/changes.%d.%d", folder, generation, round);
}

static void history_save_changes(struct history *h, const char *path, uint32_t number, uint64_t id)
{
    roost_saved told = ROOST_SAVED_INIT;
    roost_save_options options = ROOST_SAVE_OPTIONS_INIT;
    options.saved = &told;
    options.no_sync = 1;
    require_status(ROOST_OK, roost_save_changes(h->t.handle, path, &options), h->t.handle);
    require(!told.whole && told.number == number && told.id == id, "changes %u instead of %u: %s", told.number, number,
            told.reason);
}

static void require_refused(struct table *t, const struct history *h, const char *path)
{
    require_answer(ARGUMENT, roost_load_changes(t->handle, path, NULL), t->handle, path);
    require_history(h, t);
}

/* The whole snapshot at `base` and the changes after it become a whole one at `compacted`, which
 * the history goes on from. */
static void compact(struct history *h, int generation, const char *base, const char *compacted, bool logged)
{
    const uint64_t id = described(base).id;
    char path[PATH];
    struct table copy, again;
    for (int i = 1; i <= ROUNDS; i++) {
        changes_path(path, generation, i);
        history_round(h);
        history_save_changes(h, path, (uint32_t)i, id);
    }
    history_open(&copy, h, base, logged ? ROOST_CHANGES : 0);
    for (int i = 1; i <= ROUNDS; i++) {
        changes_path(path, generation, i);
        require_status(ROOST_OK, roost_load_changes(copy.handle, path, NULL), copy.handle);
    }
    require_history(h, &copy);
    require_status(ROOST_OK, roost_save_file(copy.handle, compacted, NULL), copy.handle);
    require(described(compacted).id != id, "the compacted snapshot has the old id");
    history_open(&again, h, compacted, 0);
    require_history(h, &again);
    for (int i = 1; i <= ROUNDS; i++) {
        changes_path(path, generation, i);
        require_refused(&again, h, path);
        require_refused(&copy, h, path);
    }
    table_close(&again);
    if (!logged) require_answer(UNSUPPORTED, roost_save_changes(copy.handle, path, NULL), copy.handle, "no log");
    table_close(&h->t);
    h->t = copy;
}

/* number: of the seeds. */
static void compacted_changes(const struct variant *variant)
{
    for (uint64_t seed = 0; seed < settings_size(4, 1); seed++) {
        struct history *const h = calloc(1, sizeof *h);
        const char *base = path_a;
        char path[PATH];
        struct table last;
        require(h != NULL, "no memory");
        h->variant = variant, h->dice.state = suite_seed() + seed;
        folder_make();
        history_open(&h->t, h, NULL, ROOST_CHANGES);
        history_write(h, false, NUMBERS / 3);
        require_status(ROOST_OK, roost_save_file(h->t.handle, base, NULL), h->t.handle);
        for (int g = 0; g < GENERATIONS; g++) {
            const char *const next = draw_below(&h->dice, 2) ? base : base == path_a ? path_b : path_a;
            suite_step("seed %llu, generation %d", (ull)seed, g);
            compact(h, g, base, next, g + 1 < GENERATIONS);
            base = next;
        }
        history_open(&last, h, base, 0);
        changes_path(path, 0, 1);
        require_refused(&last, h, path);
        table_close(&last);
        table_close(&h->t);
        folder_remove();
        free(h);
    }
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* The same widths as in rows of others, one thread for each rank. */
static struct variant with(const char *shape, uint64_t number)
{
    return (struct variant){.shape = shape_named(shape), .threads = 1, .number = number};
}

/* Has this run an engine for wide keys and strings? */
static bool has_wide(void) { return engine_is_built("stadium") && (!settings_get()->engine || settings_on_stadium()); }

static void add_ranks(void)
{
    static const char *const some[] = {"4+4", "8+8", "4+0", "8+4", "12+4 u32", "16+16", "12+0"};
    static const uint64_t ranks[] = {1, 2, 3, 5};
    const size_t n = has_wide() ? sizeof some / sizeof *some : 4;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++)
            suite_add("any ranks load", any_ranks_load, with(some[i], ranks[k]));
        suite_add("any ranks load", any_ranks_load, with(some[i], 0));
        suite_add("devices of a handle", devices_of_a_handle, with(some[i], 0));
    }
}

static void add_damage(void)
{
    for (uint64_t i = 1; i <= DAMAGES; i++) suite_add("damaged shards", damaged_shards, with("8+8", i));
    for (uint64_t i = 1; i <= 5; i++) suite_add("salvaged shards", salvaged_shards, with("4+4", i));
    suite_add("salvage loses nothing", salvage_loses_nothing, with("4+4", 0));
    for (uint64_t ranks = 0; ranks <= 3; ranks += 3) {
        suite_add("damaged manifests", damaged_manifests, with("4+4", ranks + 1));
        suite_add("salvaged manifests", salvaged_manifests, with("4+4", ranks + 1));
    }
    suite_add("forged manifests", forged_manifests, with("4+4", 0));
    for (uint64_t i = 1; i <= FAILURES; i++) suite_add("failed saves", failed_saves, with("4+4", i));
    suite_add("manifests that cannot be written", manifests_that_cannot_be_written, with("4+4", 0));
}

static void add_compaction(void)
{
    static const char *const some[] = {"4+4", "8+8", "8+4", "4+0", "8+0", "12+4 u32", "s+4 u32", "s+0"};
    const size_t n = has_wide() ? sizeof some / sizeof *some : 5;
    for (size_t i = 0; i < n; i++) suite_add("compacted changes", compacted_changes, with(some[i], 0));
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    add_ranks();
    suite_add("as saved", as_saved, with("8+8", 0));
    suite_add("many ranks", many_ranks, with("4+4", 16));
    suite_add("many ranks", many_ranks, with("8+0", 18));
    suite_add("fixed tables", fixed_tables, with("4+4", 0));
    suite_add("pipes are not read", pipes_are_not_read, with("4+4", 0));
    suite_add("progress is of all", progress_is_of_all, with("4+4", 0));
    suite_add("saves over a name", saves_over_a_name, with("4+4", 0));
    suite_add("one file and shards", one_file_and_shards, with("4+4", 0));
    suite_add("links are followed", links_are_followed, with("4+4", 0));
    add_damage();
    suite_add("other paths to load", other_paths_to_load, with("4+4", 0));
    suite_add("other arguments to load", other_arguments_to_load, with("4+4", 0));
    suite_add("a rank stops", a_rank_stops, with("4+4", 0));
    suite_add("every exchange may fail", every_exchange_may_fail, with("4+4", 0));
    suite_add("refused calls", refused_calls, with("4+4", 0));
    add_compaction();
    return suite_run("snapshots of shards");
}
