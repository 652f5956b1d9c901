/* Options strings outside the engine's own parser. */
#include "profiles/options_text.h"

#include <stdio.h>
#include <string.h>

#include "engines/option_table.h"
#include "portable/options.h"

static roost_status profile_take(const char *value, bool *profiled, struct error *error)
{
    const int choice = option_choice(value, "none|auto");
    if (choice < 0) return error_set(error, ROOST_ERR_ARGUMENT, "option profile=%s: no such value", value);
    *profiled = choice == 1;
    return ROOST_OK;
}

roost_status options_take(const char *options, char *engines, bool *profiled, struct error *error)
{
    static const char own[] = "profile";
    char name[32], value[32];
    int more;
    bool taken = false;
    roost_status status = ROOST_OK;
    *engines = 0;
    for (const char *at = options; !status && (more = options_next(&options, name, value)) != 0; at = options) {
        if (more < 0) return error_set(error, ROOST_ERR_ARGUMENT, "options: expected name=value,name=value at \"%.40s\"", at);
        if (strcmp(name, own) != 0) {
            engines += sprintf(engines, "%s%s=%s", taken ? "," : "", name, value);
            taken = true;
        } else if (option_given(options, own)) {
            return options_fail_twice(name, error);
        } else {
            status = profile_take(value, profiled, error);
        }
    }
    return status;
}

int options_choice(const struct engine *engine, const char *name, size_t length)
{
    char word[32];
    if (length >= sizeof word) return -1;
    memcpy(word, name, length);
    word[length] = 0;
    return option_choice(word, engine->choices);
}

/* Is the option in the text, by its name or, for a kernel, by an option for all kernels? */
static bool is_given(const struct engine *engine, const char *option, const char *text)
{
    if (option_given(text, option)) return true;
    return option_choice(option, engine->choices) >= 0 && (option_given(text, "driver") || option_given(text, "tile"));
}

/* Adds the options of a text that neither a later one of it nor the other text overrides. */
static void add_options(const struct engine *engine, const char *options, const char *other, char text[ROOST_DESCRIPTION_BYTES])
{
    char name[32], value[32];
    while (options_next(&options, name, value) > 0) {
        const size_t length = strlen(text), more = strlen(name) + strlen(value) + 2;
        if (is_given(engine, name, options) || is_given(engine, name, other) || length + more >= ROOST_DESCRIPTION_BYTES) continue;
        sprintf(text + length, "%s%s=%s", length ? "," : "", name, value);
    }
}

void options_join(const struct engine *engine, const char *profile, const char *options, char text[ROOST_DESCRIPTION_BYTES])
{
    *text = 0;
    add_options(engine, profile, options, text);
    add_options(engine, options, NULL, text);
}
