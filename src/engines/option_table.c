/* Options of an engine, read from their rows. */
#include "engines/option_table.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engines/engine.h"
#include "engines/policy.h"
#include "portable/options.h"

/* ---- Kernels -------------------------------------------------------------------------------- */

static const struct kernel_ask nothing = {-1, 0, false, ""};

/* A driver or tile that the caller asks for all operations replaces the profile's choices for
 * single operations. */
static void profiles_give_way(struct kernel_asks *asks)
{
    for (int i = 0; i < KERNEL_ASKS; i++)
        if (asks->of[i].profiles && !asks->profiles) asks->of[i] = nothing;
}

/* A profile's kernel need not exist. */
static bool kernel_set(struct kernel_asks *asks, int choice, const char *value)
{
    struct kernel_ask *ask = &asks->of[choice];
    ask->profiles = asks->profiles;
    snprintf(ask->value, sizeof ask->value, "%s", value);
    if (kernels_parse(value, &ask->driver, &ask->lanes)) return true;
    ask->driver = INT_MAX; /* no kernel has this driver */
    ask->lanes = 1;
    return asks->profiles;
}

static bool driver_set(struct engine_table *t, const char *value)
{
    profiles_give_way(&t->asks);
    t->asks.all.driver = option_choice(value, ROOST_DRIVER_NAMES);
    return !strcmp(value, "auto") || option_choice(value, t->engine->drivers) >= 0;
}

static bool tile_set(struct engine_table *t, const char *value)
{
    const int lanes = option_number(value, 1, 32);
    profiles_give_way(&t->asks);
    t->asks.all.lanes = lanes < 0 ? 0 : lanes;
    return lanes > 0 || !strcmp(value, "auto");
}

static bool bulk_set(struct engine_table *t, const char *value)
{
    t->bulk = option_choice(value, "auto|on|off");
    return t->bulk >= 0;
}

/* The options that every engine has, and `bulk` for engines with batches by region. */
static bool common_set(struct engine_table *t, const char *name, const char *value, bool *known)
{
    const int choice = option_choice(name, t->engine->choices);
    *known = true;
    if (choice >= 0) return kernel_set(&t->asks, choice, value);
    if (!strcmp(name, "driver")) return driver_set(t, value);
    if (!strcmp(name, "tile")) return tile_set(t, value);
    if (!strcmp(name, "bulk") && t->engine->bulk) return bulk_set(t, value);
    return *known = false;
}

/* ---- An engine's own ------------------------------------------------------------------------ */

static roost_status options_apply(struct engine_table *t, const char *text);

static bool number_set(const struct option *o, void *at, const char *value)
{
    const int x = option_number(value, (int)o->least, (int)o->most);
    if (x < 0 || (o->kind == OPTION_POWER && (x & (x - 1)))) return false;
    memcpy(at, &x, sizeof x);
    return true;
}

static bool fraction_set(const struct option *o, void *at, const char *value)
{
    const double x = option_fraction(value, o->least, o->most);
    if (x < 0) return false;
    memcpy(at, &x, sizeof x);
    return true;
}

/* Reads a preset's options as if they stood in its place. */
static bool choice_set(struct engine_table *t, const struct option *o, void *at, const char *value)
{
    const int x = option_choice(value, o->values);
    if (x < 0) return false;
    memcpy(at, &x, sizeof x);
    return o->kind == OPTION_CHOICE || options_apply(t, o->presets[x]) == ROOST_OK;
}

static bool option_set(struct engine_table *t, const struct option *o, const char *value)
{
    void *const at = (char *)t + t->engine->hooks.options_at + o->at;
    if (o->automatic && !strcmp(value, "auto")) {
        memset(at, 0, o->kind == OPTION_FRACTION ? sizeof(double) : sizeof(int));
        return true;
    }
    if (o->kind == OPTION_FRACTION) return fraction_set(o, at, value);
    if (o->kind == OPTION_CHOICE || o->kind == OPTION_PRESET) return choice_set(t, o, at, value);
    return number_set(o, at, value);
}

/* Sets one option; false if the value is invalid.  *known: does the option exist? */
static bool any_set(struct engine_table *t, const char *name, const char *value, bool *known)
{
    *known = true;
    for (const struct option *o = t->engine->options; o->name; o++)
        if (!strcmp(name, o->name)) return option_set(t, o, value);
    return common_set(t, name, value, known);
}

bool option_given(const char *options, const char *name)
{
    char other[32], value[32];
    while (options_next(&options, other, value) > 0)
        if (!strcmp(name, other)) return true;
    return false;
}

roost_status options_fail_twice(const char *name, struct error *error)
{
    return error_set(error, ROOST_ERR_ARGUMENT, "option %s is given twice", name);
}

/* Applies options of the right form, which options_take has checked, or the profiles' parser. */
static roost_status options_apply(struct engine_table *t, const char *text)
{
    char name[32], value[32];
    bool known;
    while (options_next(&text, name, value) > 0) {
        const bool valid = any_set(t, name, value, &known);
        if (known && option_given(text, name)) return options_fail_twice(name, t->error);
        if (valid) continue;
        if (!known) return error_set(t->error, ROOST_ERR_NOT_FOUND, "engine %s has no option \"%s\"", t->engine->name, name);
        return error_set(t->error, ROOST_ERR_ARGUMENT, "option %s=%s: no such value", name, value);
    }
    return ROOST_OK;
}

roost_status options_read(struct engine_table *t, const struct engine_config *config)
{
    t->asks.all = nothing;
    for (int i = 0; i < KERNEL_ASKS; i++) t->asks.of[i] = nothing;
    for (const struct option *o = t->engine->options; o->name; o++)
        if (o->kind != OPTION_PRESET) (void)option_set(t, o, o->initial);
    t->asks.profiles = true;
    const roost_status status = options_apply(t, config->profile);
    t->asks.profiles = false;
    return status ? status : options_apply(t, config->config->options);
}

/* ---- Texts ---------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t bytes, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, bytes - length, format, arguments);
    va_end(arguments);
}

/* A list "a|b|c" as "a, b or c". */
static void append_list(char *text, size_t bytes, const char *list, const char *last)
{
    while (*list) {
        const int length = (int)strcspn(list, "|");
        append(text, bytes, "%.*s", length, list);
        list += length + (list[length] == '|');
        if (*list) append(text, bytes, "%s", strchr(list, '|') ? ", " : last);
    }
}

static void append_common(const struct engine *e, char *text, size_t bytes)
{
    const char *more = strchr(e->choices, '|');
    if (e->bulk) append(text, bytes, "%s", POLICY_BULK_TEXT);
    append(text, bytes, "driver=auto: how a tile shares a batch: ");
    append_list(text, bytes, e->drivers, " or ");
    append(text, bytes, ", if the engine has this combination\ntile=auto: lanes of a tile, if such a kernel was built\n");
    append(text, bytes, "%.*s=auto: its kernel, by driver and lanes, such as once2; also ", (int)strcspn(e->choices, "|"),
           e->choices);
    append_list(text, bytes, more ? more + 1 : "", " and ");
    append(text, bytes, "\n");
}

void options_help(const struct engine *engine, char *text, size_t bytes)
{
    *text = 0;
    for (const struct option *o = engine->options; o->name; o++) append(text, bytes, "%s=%s: %s\n", o->name, o->initial, o->help);
    append_common(engine, text, bytes);
}

void options_tuned(const struct engine *engine, char *text, size_t bytes)
{
    *text = 0;
    for (const struct option *o = engine->options; o->name; o++)
        if (o->tune) append(text, bytes, "%s=%s\n", o->name, o->tune);
    for (const char *choice = engine->tuned_choices; *choice;) {
        const int length = (int)strcspn(choice, "|");
        append(text, bytes, "%.*s=@\n", length, choice);
        choice += length + (choice[length] == '|');
    }
}
