/* Configurations: their defaults, their checks, and the tables made from them. */
#include <math.h>
#include <stdio.h>

#include "profiles/options_text.h"
#include "api/changes.h"
#include "api/checks.h"
#include "api/choose.h"
#include "api/collective.h"
#include "api/create.h"
#include "api/registry.h"
#include "api/watch.h"
#include "batches/batches.h"
#include "roost/numbers.h"
#include "roost/snapshot.h"
#include "roost/tuning.h"

ROOST_EXPORT roost_status roost_config_init(roost_config *config, size_t size)
{
    return struct_init(&struct_config, config, size, "roost_config_init");
}

ROOST_EXPORT roost_status roost_call_init(roost_call *call, size_t size)
{
    return struct_init(&struct_call, call, size, "roost_call_init");
}

int type_width(roost_type type, size_t own)
{
    switch ((int)type) {
    case ROOST_TYPE_NONE: return 0;
    case ROOST_TYPE_U32:
    case ROOST_TYPE_I32:
    case ROOST_TYPE_F32: return 4;
    case ROOST_TYPE_U64:
    case ROOST_TYPE_I64:
    case ROOST_TYPE_F64: return 8;
    case ROOST_TYPE_BYTES: return own <= INT32_MAX ? (int)own : INT32_MAX;
    default: return -1; /* strings, too */
    }
}

static bool is_unsigned(roost_type type) { return type == ROOST_TYPE_U32 || type == ROOST_TYPE_U64; }

static roost_status widths_check(const roost_config *c, struct engine_config *e, struct error *error)
{
    e->config = c;
    const bool strings = c->key_type == ROOST_TYPE_STRING;
    e->key_bytes = strings ? 0 : type_width(c->key_type, c->key_bytes);
    e->value_bytes = type_width(c->value_type, c->value_bytes);
    if (e->key_bytes < 0 || e->value_bytes < 0)
        return error_set(error, ROOST_ERR_ARGUMENT, "key_type or value_type is not a roost_type allowed there");
    if (e->key_bytes == 0 && !strings) return error_set(error, ROOST_ERR_ARGUMENT, "keys have 0 bytes: set key_type or key_bytes");
    if (c->value_type == ROOST_TYPE_BYTES && e->value_bytes == 0)
        return error_set(error, ROOST_ERR_ARGUMENT, "value_bytes is 0: for a set, value_type is NONE");
    if (e->key_bytes > ROOST_KEY_BYTES_MOST)
        return error_set(error, ROOST_ERR_UNSUPPORTED, "keys of %d bytes: no engine of this build stores more than %d",
                         e->key_bytes, ROOST_KEY_BYTES_MOST);
    if (e->value_bytes > ROOST_VALUE_BYTES_MOST)
        return error_set(error, ROOST_ERR_UNSUPPORTED, "values of %d bytes: no engine of this build stores more than %d",
                         e->value_bytes, ROOST_VALUE_BYTES_MOST);
    e->value_type = c->value_type;
    if (c->value_type == ROOST_TYPE_BYTES && e->value_bytes == 8) e->value_type = ROOST_TYPE_U64;
    if (c->value_type == ROOST_TYPE_BYTES && e->value_bytes == 4) e->value_type = ROOST_TYPE_U32;
    if (c->saturate && !is_unsigned(c->value_type))
        return error_set(error, ROOST_ERR_ARGUMENT, "saturate is for values of type U32 and U64");
    return ROOST_OK;
}

static roost_status numbered_check(const roost_config *c, struct error *error)
{
    const bool is_signed = c->value_type == ROOST_TYPE_I32 || c->value_type == ROOST_TYPE_I64;
    if (!is_unsigned(c->value_type) && !is_signed)
        return error_set(error, ROOST_ERR_ARGUMENT, "ROOST_NUMBERED: the values must be integers of 4 or 8 bytes");
    if (!(c->flags & ROOST_MULTI) && !c->comm) return ROOST_OK;
    return error_set(error, ROOST_ERR_UNSUPPORTED, "ROOST_NUMBERED is for tables without ROOST_MULTI, and without a comm");
}

static roost_status config_check(const roost_config *c, struct error *error)
{
    if (!isfinite(c->min_fill) || !isfinite(c->max_fill) || c->min_fill < 0 || c->max_fill <= 0 || c->max_fill > 1 ||
        c->min_fill >= c->max_fill)
        return error_set(error, ROOST_ERR_ARGUMENT, "fill bounds %g..%g: they must satisfy 0 <= min_fill < max_fill <= 1",
                         c->min_fill, c->max_fill);
    if (c->threads < 0 || c->threads > ROOST_THREADS_MOST)
        return error_set(error, ROOST_ERR_ARGUMENT, "threads is %d: it must be 0 (one per core) to %d", c->threads,
                         ROOST_THREADS_MOST);
    if (c->flags & ~(ROOST_MULTI | ROOST_NUMBERED | ROOST_CHANGES))
        return error_set(error, ROOST_ERR_ARGUMENT, "config.flags has unknown bits: 0x%x", (unsigned)c->flags);
    if (c->flags & ROOST_CHANGES && c->comm)
        return error_set(error, ROOST_ERR_UNSUPPORTED, "ROOST_CHANGES is for tables without a comm");
    const roost_status numbered = c->flags & ROOST_NUMBERED ? numbered_check(c, error) : ROOST_OK;
    if (numbered) return numbered;
    if ((int)c->work < ROOST_WORK_ANY || (int)c->work > ROOST_WORK_GROWTH)
        return error_set(error, ROOST_ERR_ARGUMENT, "config.work is not a roost_work: %d", (int)c->work);
    if (!c->device_allocator.allocate != !c->device_allocator.release)
        return error_set(error, ROOST_ERR_ARGUMENT, "a device allocator needs both allocate and release");
    if (!c->allocator.allocate != !c->allocator.release)
        return error_set(error, ROOST_ERR_ARGUMENT, "an allocator needs both allocate and release");
    return ROOST_OK;
}

roost_status config_read(const roost_config *config, roost_config *own, const char *function)
{
    if (!config) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "%s: config is NULL", function);
    const roost_status status = struct_read(&struct_config, own, config, thread_error());
    return status ? status : config_check(own, thread_error());
}

static bool has_multi(const struct engine *e) { return e->multi; }
static bool has_wide(const struct engine *e) { return e->export_strings != NULL; }

static bool is_wide(const struct engine_config *e)
{
    return !width_is_word(e->key_bytes) || (e->value_bytes && !width_is_word(e->value_bytes));
}

static struct choice_hints hints_of(const struct engine_config *e)
{
    const roost_config *c = e->config;
    const struct choice_hints hints = {backend_ordinal(c->device) >= 0 ? CHOICE_GPU : CHOICE_HOST,
                                       c->work,
                                       c->capacity,
                                       c->max_fill,
                                       e->key_bytes,
                                       e->value_bytes,
                                       c->growth != 0,
                                       (c->flags & ROOST_MULTI) != 0};
    return hints;
}

/* The engine that the configuration names, or the library's choice.  Wide keys get the first
 * engine that stores them.  Options belong to one engine; if the configuration does not name it,
 * to the first. */
static const struct engine *engine_for(const struct engine_config *e)
{
    const roost_config *c = e->config;
    if (c->engine) return registry_find(c->engine);
    if (c->like) return c->like->engine;
    for (size_t i = 0; is_wide(e) && registry_at(i); i++)
        if (has_wide(registry_at(i))) return registry_at(i);
    if (c->options && *c->options) return registry_at(0);
    const struct choice_hints hints = hints_of(e);
    return choice_engine(&hints);
}

static roost_status engine_lacks(const struct engine *engine, const struct engine_config *e, struct error *error)
{
    char able[128];
    if ((e->config->flags & ROOST_MULTI) && !engine->multi) {
        registry_able(has_multi, able, sizeof able);
        return error_set(error, ROOST_ERR_UNSUPPORTED, "engine %s has no ROOST_MULTI tables; engines with them: %s", engine->name,
                         able);
    }
    if (!is_wide(e) || has_wide(engine)) return ROOST_OK;
    registry_able(has_wide, able, sizeof able);
    if (!e->key_bytes)
        return error_set(error, ROOST_ERR_UNSUPPORTED, "engine %s takes no strings as keys; engines for them: %s", engine->name,
                         able);
    return error_set(error, ROOST_ERR_UNSUPPORTED, "engine %s takes no keys of %d bytes with values of %d; engines for them: %s",
                     engine->name, e->key_bytes, e->value_bytes, able);
}

static roost_status like_check(const struct engine_config *e, const struct engine *engine, struct error *error)
{
    const roost_config *c = e->config;
    if (!c->like) return ROOST_OK;
    if (c->seed || c->seed_given) return error_set(error, ROOST_ERR_ARGUMENT, "a table like another one has its seed: give none");
    if (engine != c->like->engine)
        return error_set(error, ROOST_ERR_ARGUMENT, "like is a table of engine %s, not %s", c->like->engine->name, engine->name);
    if (e->key_bytes == c->like->key_bytes && e->value_bytes == c->like->value_bytes) return ROOST_OK;
    return error_set(error, ROOST_ERR_ARGUMENT, "like has keys of %d bytes with values of %d", c->like->key_bytes,
                     c->like->value_bytes);
}

static roost_status engine_choose(const struct engine_config *e, const struct engine **engine, struct error *error)
{
    *engine = engine_for(e);
    if (!*engine) return error_set(error, ROOST_ERR_NOT_FOUND, "there is no engine \"%.64s\"", e->config->engine);
    const roost_status status = like_check(e, *engine, error);
    if (status) return status;
    return engine_lacks(*engine, e, error);
}

static roost_status engine_attempt(struct roost_table *t, struct engine_config *config, const struct profile *profile)
{
    /* Warnings about built-in settings, which the user cannot change. */
    struct warnings ours = {""};
    config->warnings = profile->built_in ? &ours : &t->origin.warnings;
    config->profile = profile->settings;
    const roost_status status = engine_create(&t->at, t->engine, config, t->backend, &t->error);
    if (!status) t->at->warnings = &t->origin.warnings;
    return status;
}

/* Makes the engine's table with the profile's options.  If the engine refuses them, with the
 * built-in ones, then with none: a profile must not prevent a table. */
static roost_status table_attempts(struct roost_table *t, struct engine_config *config, const struct profile_wanted *wanted,
                                   struct profile *profile)
{
    roost_status status = engine_attempt(t, config, profile);
    if (!status || !*profile->settings) return status;
    const struct profile refused = *profile;
    const struct error why = t->error;
    if (!refused.built_in) {
        profile_built_in(wanted, profile);
        status = engine_attempt(t, config, profile);
    }
    if (status && *profile->settings) {
        profile_none(profile);
        status = engine_attempt(t, config, profile);
    }
    if (status) return status;
    if (!refused.built_in)
        warning_add(&t->origin.warnings, "%s: the settings of %s are ignored: %s", refused.origin, t->engine->name, why.text);
    *t->error.text = 0;
    return ROOST_OK;
}

static roost_status table_make(struct roost_table *t, struct engine_config *checked, bool profiled)
{
    struct profile profile = {"", "none", false};
    const struct profile_wanted wanted = {t->backend->model, t->engine->name, checked->key_bytes, checked->value_bytes};
    if (profiled) profile_find(&wanted, &t->allocator, &profile, &t->origin.warnings);
    const roost_status status = table_attempts(t, checked, &wanted, &profile);
    strcpy(t->origin.profile, profile.origin);
    if (!status) options_join(t->engine, profile.settings, checked->config->options, t->origin.options);
    return status;
}

/* Are mixed and ordered calls given memory of the table's? */
static bool has_batches_spare(const struct roost_table *t)
{
    return width_is_word(t->key_bytes) && (!t->value_bytes || width_is_word(t->value_bytes)) && !t->multi;
}

/* Makes the engine's table, and memory that is kept for work on items when more is refused. */
static roost_status table_and_spares_make(struct roost_table *t, struct engine_config *checked, bool profiled)
{
    struct backend *const b = t->backend;
    b->promised = (has_batches_spare(t) ? batches_spare_most(b) : 0) + staging_spare_bytes(t);
    roost_status status = table_make(t, checked, profiled);
    b->promised = 0;
    if (!status && has_batches_spare(t)) status = batches_spare_make(t->at);
    return status ? status : staging_spare_make(t);
}

/* Keeps what a snapshot says of the table. */
static void origin_keep(struct roost_table *t, const roost_config *config)
{
    roost_config *const kept = &t->origin.config;
    *kept = *config;
    snprintf(t->origin.given, sizeof t->origin.given, "%s", config->options ? config->options : "");
    kept->engine = kept->device = kept->options = NULL;
    kept->like = NULL;
    kept->comm = NULL;
    memset(&kept->allocator, 0, sizeof kept->allocator);
    memset(&kept->device_allocator, 0, sizeof kept->device_allocator);
}

static roost_status table_open(struct roost_table *t, const roost_config *config, bool profiled)
{
    struct engine_config checked;
    memset(&checked, 0, sizeof checked);
    roost_status status = widths_check(config, &checked, &t->error);
    if (status) return status;
    status = engine_choose(&checked, &t->engine, &t->error);
    if (status) return status;
    checked.like = config->like ? config->like->at : NULL;
    origin_keep(t, config);
    t->multi = (config->flags & ROOST_MULTI) != 0;
    t->numbered = (config->flags & ROOST_NUMBERED) != 0;
    t->strings = config->key_type == ROOST_TYPE_STRING;
    t->key_bytes = checked.key_bytes;
    t->value_bytes = checked.value_bytes;
    t->value_type = checked.value_type;
    t->saturate = config->saturate != 0;
    t->arithmetic = config->value_type != ROOST_TYPE_BYTES && config->value_type != ROOST_TYPE_NONE;
    status = backend_open(&t->backend, config, &t->error);
    if (!status) status = table_and_spares_make(t, &checked, profiled);
    if (!status) status = changes_make(t);
    if (!t->backend) return status;
    const roost_status ended = t->backend->operations->end(t->backend, true);
    return status ? status : ended;
}

/* Reads config->like meanwhile. */
static roost_status table_open_like(struct roost_table *t, const roost_config *config, bool profiled)
{
    struct roost_table *like = (struct roost_table *)(uintptr_t)config->like; /* as roost_find */
    if (!like) return table_open(t, config, profiled);
    const roost_status status = call_begin(like, NULL, ACCESS_READ);
    if (!status) return call_end(like, ACCESS_READ, table_open(t, config, profiled));
    t->error = like->error;
    return status;
}

/* The device that the configuration names.  Without one: "host" if batches are small, else NULL. */
static const char *device_for(const roost_config *c) { return !c->device && choice_stays_on_host(c->batch) ? "host" : c->device; }

/* Opens a table with the engine's own options: options_take removes those of the library. */
static roost_status table_configure(struct roost_table *t, const roost_config *config)
{
    roost_config own = *config;
    own.device = device_for(config);
    const size_t bytes = config->options ? strlen(config->options) + 1 : 0;
    bool profiled = true;
    char *options = NULL;
    roost_status status = ROOST_OK;
    if (bytes) {
        options = (char *)host_new(&config->allocator, bytes);
        if (!options) return error_set(&t->error, ROOST_ERR_MEMORY, "no memory for a table's options");
        status = options_take(config->options, options, &profiled, &t->error);
        own.options = options;
    }
    if (!status) status = table_open_like(t, &own, profiled);
    host_delete(&config->allocator, options, bytes);
    return status;
}

roost_status table_create_one(struct roost_table **table, const roost_config *config)
{
    roost_config own;
    if (!table) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_table_create: table is NULL");
    *table = NULL;
    memset(&own, 0, sizeof own);
    roost_status status = config_read(config, &own, "roost_table_create");
    struct roost_table *t = status ? NULL : (struct roost_table *)host_new(&own.allocator, sizeof *t);
    if (!t && own.comm) own.comm->calls->decline(own.comm);
    if (status) return status;
    if (!t) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for a table's handle");
    t->allocator = own.allocator;
    pthread_mutex_init(&t->turns, NULL); /* cannot fail with default attributes */
    status = own.comm ? own.comm->calls->join(own.comm, t, &own) : ROOST_OK;
    if (!status) status = table_configure(t, &own);
    if (t->group) status = t->group->calls->joined(t, status);
    if (!status) {
        *table = t;
        return ROOST_OK;
    }
    *thread_error() = t->error;
    roost_table_destroy(t);
    return status;
}

ROOST_EXPORT void roost_table_destroy(roost_table *table)
{
    if (!table) return;
    watches_end(table);
    if (table->at) { /* a failed device must not prevent the release */
        (void)table->backend->operations->begin(table->backend, table->view_stream, true);
        batches_export_forget(table->at);
        changes_release(table);
        batches_spare_release(table->at);
        staging_spare_release(table);
        engine_destroy(table->at);
    }
    const roost_allocator allocator = table->allocator;
    if (table->group) table->group->calls->leave(table);
    if (table->pinned) table->backend->operations->pinned_release(table->backend, table->pinned, table->pinned_bytes);
    backend_close(table->backend);
    pthread_mutex_destroy(&table->turns);
    host_delete(&allocator, table, sizeof *table);
}

/* ---- The choice alone ------------------------------------------------------------------------ */

static const char *work_name(roost_work work)
{
    static const char *const names[] = {"a build and finds", "inserts", "finds that hit", "finds, half of which hit",
                                        "finds that miss",   "erases",  "mixed batches",  "inserts with growth"};
    return names[work];
}

/* The reason for the chosen engine, as a sentence. */
static void reason_write(const struct engine_config *e, const struct choice_hints *h, roost_choice *c)
{
    const double unit = h->place == CHOICE_GPU ? 1e9 : 1e6;
    const char *const of = h->place == CHOICE_GPU ? "G/s on a GPU" : "M/s on the host";
    if (e->config->engine) snprintf(c->reason, sizeof c->reason, "%s was asked for", c->engine);
    else if (e->config->like)
        snprintf(c->reason, sizeof c->reason, "%s is the engine of the table that this one is like", c->engine);
    else if (is_wide(e)) snprintf(c->reason, sizeof c->reason, "%s takes keys and values of these types", c->engine);
    else if (e->config->options && *e->config->options)
        snprintf(c->reason, sizeof c->reason, "options were given without an engine, so they are for %s", c->engine);
    else if (!(c->rate > 0)) snprintf(c->reason, sizeof c->reason, "%s: there are no measurements of such tables", c->engine);
    else if (!c->second)
        snprintf(c->reason, sizeof c->reason, "%s, for %s: %.3g %s expected; no other engine can", c->engine, work_name(h->work),
                 c->rate / unit, of);
    else
        snprintf(c->reason, sizeof c->reason, "%s, for %s: %.3g %s expected, and %.3g with %s, the next best", c->engine,
                 work_name(h->work), c->rate / unit, of, c->second_rate / unit, c->second);
}

static void choice_describe(const struct engine_config *e, roost_choice *c)
{
    const struct choice_hints hints = hints_of(e);
    for (size_t i = 0; registry_at(i); i++) {
        const double rate = is_wide(e) ? 0 : choice_rate(registry_at(i), &hints);
        if (!strcmp(registry_at(i)->name, c->engine)) c->rate = rate;
        else if (rate > c->second_rate) c->second = registry_at(i)->name, c->second_rate = rate;
    }
    reason_write(e, &hints, c);
}

ROOST_EXPORT roost_status roost_choose(const roost_config *config, roost_choice *choice, size_t size)
{
    const struct engine *engine;
    struct engine_config checked;
    roost_config own;
    roost_choice chosen;
    if (!choice) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_choose: choice is NULL");
    roost_status status = struct_size_check(&struct_choice, size, thread_error());
    if (!status) status = config_read(config, &own, "roost_choose");
    memset(&checked, 0, sizeof checked);
    memset(&chosen, 0, sizeof chosen);
    if (!status) status = widths_check(&own, &checked, thread_error());
    if (status) return status;
    own.device = device_for(&own);
    if (!own.device) own.device = backend_ordinal(NULL) < 0 ? "host" : "cuda:0";
    status = engine_choose(&checked, &engine, thread_error());
    if (status) return status;
    snprintf(chosen.device, sizeof chosen.device, "%s", own.device);
    chosen.engine = engine->name;
    choice_describe(&checked, &chosen);
    struct_write(choice, size, &chosen);
    return ROOST_OK;
}
