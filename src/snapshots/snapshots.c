/* The calls that save and load tables. */
#include "roost/snapshot.h"

#include <string.h>
#include <unistd.h>

#include "api/changes.h"
#include "api/checks.h"
#include "snapshots/snapshot_changes.h"
#include "snapshots/snapshot_file.h"
#include "snapshots/snapshot_ranks.h"
#include "snapshots/snapshot_whole.h"

/* ---- Saving ---------------------------------------------------------------------------------- */

static roost_status save_check(struct roost_table *t)
{
    if (!is_shard(t)) return ROOST_OK;
    return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "a table that is spread over ranks is saved by roost_save_file");
}

/* Saves all of the table by a function. */
static roost_status save_by(roost_table *t, roost_write_function *write, void *context, const char *to,
                            const roost_save_options *options)
{
    struct save s;
    roost_status status = save_check(t);
    if (!status) status = save_begin(&s, t, options, to);
    if (status) return status;
    s.writer.write = write;
    s.writer.context = context;
    status = save_whole(&s);
    if (!status) save_end(&s, "");
    return status;
}

ROOST_EXPORT roost_status roost_save_to(roost_table *table, roost_write_function *write, void *context,
                                        const roost_save_options *options)
{
    if (!table) return call_without_table("roost_save_to");
    if (!write) return call_finish(table, error_set(&table->error, ROOST_ERR_ARGUMENT, "write is NULL"));
    return call_finish(table, save_by(table, write, context, NULL, options));
}

ROOST_EXPORT roost_status roost_save_fd(roost_table *table, int descriptor, const roost_save_options *options)
{
    if (!table) return call_without_table("roost_save_fd");
    return call_finish(table, save_by(table, descriptor_write, &descriptor, "the descriptor", options));
}

/* why: why it is the whole table; "" where that was asked for. */
static roost_status save_file(roost_table *t, const char *path, const roost_save_options *options, const char *why)
{
    struct save s;
    roost_status status = save_begin(&s, t, options, path);
    if (!path) status = error_set(&t->error, ROOST_ERR_ARGUMENT, "path is NULL");
    if (is_shard(t)) status = shards_save(&s, path, status);
    else if (!status) status = file_replace(&s, path, save_whole);
    if (!status) save_end(&s, why);
    return status;
}

ROOST_EXPORT roost_status roost_save_file(roost_table *table, const char *path, const roost_save_options *options)
{
    if (!table) return call_without_table("roost_save_file");
    return call_finish(table, save_file(table, path, options, ""));
}

static roost_status save_changes(roost_table *t, const char *path, const roost_save_options *options)
{
    struct save s;
    if (!changes_asked(t))
        return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "the table logs no changes: it was made without ROOST_CHANGES");
    const char *const why = changes_lost(t);
    if (why) return save_file(t, path, options, why);
    roost_status status = save_begin(&s, t, options, path);
    if (!status) status = changes_header(&s);
    if (!status) status = file_replace(&s, path, changes_save);
    if (!status) save_end(&s, "");
    return status;
}

ROOST_EXPORT roost_status roost_save_changes(roost_table *table, const char *path, const roost_save_options *options)
{
    if (!table) return call_without_table("roost_save_changes");
    if (!path) return call_finish(table, error_set(&table->error, ROOST_ERR_ARGUMENT, "path is NULL"));
    return call_finish(table, save_changes(table, path, options));
}

/* ---- Loading --------------------------------------------------------------------------------- */

static roost_status load_begin(struct load *l, roost_read_function *read, void *context, const char *from,
                               const roost_load_options *options)
{
    memset(l, 0, sizeof *l);
    l->reader.read = read;
    l->reader.context = context;
    l->reader.from = from;
    l->reader.error = thread_error();
    roost_status status = load_options_read(l, options);
    if (!status) status = reader_begin(&l->reader);
    l->promised = l->reader.header.pairs;
    l->capacity = l->reader.header.capacity;
    return status;
}

static roost_status kind_check(const struct load *l, const char *path)
{
    if (l->reader.header.kind == SNAPSHOT_WHOLE || (path && l->reader.header.kind == SNAPSHOT_MANIFEST)) return ROOST_OK;
    return error_set(l->reader.error, ROOST_ERR_ARGUMENT,
                     l->reader.header.kind == SNAPSHOT_CHANGES
                         ? "the snapshot has changes alone: load the whole one first, and apply them by roost_load_changes"
                         : "the snapshot names the files of shards: load it by roost_load_file");
}

/* What is read before there is a table. */
static roost_status headers_read(struct load *l, struct shards *shards, const char *path)
{
    roost_status status = kind_check(l, path);
    shards->path = path;
    shards->descriptor = -1;
    if (status || l->reader.header.kind != SNAPSHOT_MANIFEST) return status;
    l->shards = shards;
    return shards_begin(shards, l);
}

/* The call cannot begin, which the other ranks learn. */
static roost_status load_refuse(roost_table **table, const roost_config *config, const char *why)
{
    if (table) *table = NULL;
    const roost_status status = error_set(thread_error(), ROOST_ERR_ARGUMENT, "%s", why);
    load_decline(config);
    return status;
}

/* Loads a whole snapshot.  path: it is a file, and nothing may follow it; else NULL. */
static roost_status load_by(roost_table **table, roost_read_function *read, void *context, const char *from, const char *path,
                            const roost_config *config, const roost_load_options *options)
{
    struct load l;
    struct shards shards;
    memset(&shards, 0, sizeof shards);
    *table = NULL;
    roost_status status = load_begin(&l, read, context, from, options);
    if (!status) status = headers_read(&l, &shards, path);
    status = load_create(&l, config, status);
    l.alone = path != NULL;
    if (!status) shards_deal(&l);
    if (!status) status = load_whole(&l);
    shards_release(&shards);
    return load_end(&l, table, status);
}

ROOST_EXPORT roost_status roost_load_from(roost_table **table, roost_read_function *read, void *context, const roost_config *config,
                                          const roost_load_options *options)
{
    if (!table || !read) return load_refuse(table, config, "roost_load_from: table or read is NULL");
    return load_by(table, read, context, NULL, NULL, config, options);
}

ROOST_EXPORT roost_status roost_load_fd(roost_table **table, int descriptor, const roost_config *config,
                                        const roost_load_options *options)
{
    if (!table) return load_refuse(table, config, "roost_load_fd: table is NULL");
    return load_by(table, descriptor_read, &descriptor, "the descriptor", NULL, config, options);
}

ROOST_EXPORT roost_status roost_load_file(roost_table **table, const char *path, const roost_config *config,
                                          const roost_load_options *options)
{
    int descriptor;
    if (!table || !path) return load_refuse(table, config, "roost_load_file: table or path is NULL");
    *table = NULL;
    roost_status status = file_open(path, &descriptor, thread_error());
    if (status) return load_decline(config), status;
    status = load_by(table, descriptor_read, &descriptor, path, path, config, options);
    close(descriptor);
    return status;
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* Reads the file once more from its begin. */
static roost_status load_again(struct load *l, int descriptor)
{
    const struct reader before = l->reader;
    if (lseek(descriptor, 0, SEEK_SET))
        return error_set(before.error, ROOST_ERR_UNSUPPORTED, "%s: changes are read twice, which a pipe is not", before.from);
    load_read_next(l, before.read, before.context, before.from);
    const roost_status status = reader_begin(&l->reader);
    if (status || (l->reader.id == before.id && !memcmp(&l->reader.header, &before.header, sizeof before.header))) return status;
    return error_set(before.error, ROOST_ERR_CORRUPT, "%s: the file has changed while it was read", before.from);
}

/* A failure in the second pass leaves a table that is neither before nor after the changes. */
static roost_status changes_load(struct load *l, int descriptor)
{
    struct table_saved *const saved = &l->t->saved;
    roost_status status = changes_follow(l);
    if (!status) status = changes_read(l);
    if (!status) status = load_again(l, descriptor);
    if (status) return status;
    status = changes_apply(l);
    saved->written = status != ROOST_OK;
    saved->number = l->reader.header.number;
    saved->last = l->reader.id;
    return status;
}

ROOST_EXPORT roost_status roost_load_changes(roost_table *table, const char *path, const roost_load_options *options)
{
    struct load l;
    int descriptor;
    if (!table) return call_without_table("roost_load_changes");
    if (!path) return call_finish(table, error_set(&table->error, ROOST_ERR_ARGUMENT, "path is NULL"));
    roost_status status = file_open(path, &descriptor, &table->error);
    if (status) return call_finish(table, status);
    status = load_begin(&l, descriptor_read, &descriptor, path, options);
    l.t = table;
    if (!status) status = changes_load(&l, descriptor);
    if (status) table->error = *thread_error();
    load_release(&l);
    close(descriptor);
    return call_finish(table, status);
}

/* ---- Describing ------------------------------------------------------------------------------ */

ROOST_EXPORT roost_status roost_snapshot_describe(const char *path, roost_snapshot_info *info, size_t size)
{
    struct load l;
    int descriptor;
    if (!path || !info || size != sizeof *info)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_snapshot_describe: an argument is NULL, or size is wrong");
    roost_status status = file_open(path, &descriptor, thread_error());
    if (status) return status;
    status = load_begin(&l, descriptor_read, &descriptor, path, NULL);
    if (!status) load_info(&l, info);
    load_release(&l);
    close(descriptor);
    return status;
}
