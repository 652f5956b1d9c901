/* roost_table_describe: the kernels, options, profile and warnings of a table as text. */
#include "api/checks.h"
#include "api/registry.h"
#include "profiles/options_text.h"

/* A text under construction.  Overflow shows in `length` only; the text is cut. */
struct building {
    char text[ROOST_DESCRIPTION_BYTES];
    size_t length;
};

static void add(struct building *to, const char *text, size_t length)
{
    if (to->length + length < sizeof to->text) memcpy(to->text + to->length, text, length);
    to->length += length;
}

static void add_text(struct building *to, const char *text) { add(to, text, strlen(text)); }

static void add_kernels(struct building *to, const struct engine_table *t)
{
    const char *name = t->engine->choices;
    for (int i = 0; *name; i++) {
        const size_t length = strcspn(name, "|");
        if (i) add_text(to, ",");
        add(to, name, length);
        add_text(to, "=");
        add_text(to, (t->engine->running ? t->engine->running(t, i) : t->chosen[i])->name);
        name += length + (name[length] == '|');
    }
}

/* Adds the kernels of the chosen kernel's operation and shape, in the list's order. */
static void add_values(struct building *to, const struct engine_table *t, const struct kernel *chosen)
{
    bool any = false;
    for (size_t i = 0; i < t->kernels.count; i++) {
        const struct kernel *k = &t->kernels.kernel[i];
        int driver, lanes;
        if (k->operation != chosen->operation || k->shape != chosen->shape) continue;
        /* No option names this kernel. */
        if (!kernels_parse(kernels_value(k), &driver, &lanes)) continue;
        if (any) add_text(to, "|");
        add_text(to, kernels_value(k));
        any = true;
    }
}

static void add_parameters(struct building *to, const struct engine_table *t)
{
    for (const char *line = registry_text(t->engine)->tuned; *line;) {
        const size_t length = strcspn(line, "\n"), name = strcspn(line, "=");
        if (line[name + 1] == '@') {
            add(to, line, name + 1);
            add_values(to, t, t->chosen[options_choice(t->engine, line, name)]);
        } else {
            add(to, line, length);
        }
        add_text(to, "\n");
        line += length + (line[length] == '\n');
    }
}

static bool build(struct building *to, const struct roost_table *t, roost_description what)
{
    to->length = 0;
    switch ((int)what) {
    case ROOST_DESCRIBE_KERNELS: add_kernels(to, t->at); return true;
    case ROOST_DESCRIBE_OPTIONS: add_text(to, t->origin.options); return true;
    case ROOST_DESCRIBE_PROFILE: add_text(to, t->origin.profile); return true;
    case ROOST_DESCRIBE_WARNINGS: add_text(to, t->origin.warnings.text); return true;
    case ROOST_DESCRIBE_PARAMETERS: add_parameters(to, t->at); return true;
    default: return false;
    }
}

static roost_status describe_check(struct roost_table *t, roost_description what, const char *text, size_t bytes,
                                   struct building *built)
{
    if (!text) return error_set(&t->error, ROOST_ERR_ARGUMENT, "text is NULL");
    if (!build(built, t, what)) return error_set(&t->error, ROOST_ERR_ARGUMENT, "%d is not a roost_description", (int)what);
    if (built->length < bytes && built->length < sizeof built->text) return ROOST_OK;
    return error_set(&t->error, ROOST_ERR_ARGUMENT, "the description does not fit into %zu bytes", bytes);
}

ROOST_EXPORT roost_status roost_table_describe(const roost_table *table, roost_description what, char *text, size_t bytes)
{
    struct building built;
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    if (!t) return call_without_table("roost_table_describe");
    const roost_status status = describe_check(t, what, text, bytes, &built);
    if (status) return call_finish(t, status);
    memcpy(text, built.text, built.length);
    text[built.length] = 0;
    return ROOST_OK;
}
