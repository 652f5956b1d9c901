/* Options strings outside the engine's own parser. */
#include "profiles/options_text.h"

#include <stdio.h>
#include <string.h>

#include "portable/options.h"

roost_status options_take(const char *options, char *engines, bool *profiled, struct error *error)
{
    static const char name[] = "profile=";
    char *to = engines;
    bool first = true;
    while (*options) {
        const size_t length = strcspn(options, ",");
        if (strncmp(options, name, sizeof name - 1) != 0) {
            if (!first) *to++ = ',';
            first = false;
            memcpy(to, options, length);
            to += length;
        } else {
            const char *value = options + sizeof name - 1;
            const int length_of_value = (int)(length - (sizeof name - 1));
            *profiled = length_of_value == 4 && !memcmp(value, "auto", 4);
            if (!*profiled && (length_of_value != 4 || memcmp(value, "none", 4)))
                return error_set(error, ROOST_ERR_ARGUMENT, "option profile=%.*s: no such value", length_of_value, value);
        }
        options += length;
        options += *options == ',';
    }
    *to = 0;
    return ROOST_OK;
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
    char name[32], value[32];
    const bool kernel = option_choice(option, engine->choices) >= 0;
    while (options_next(&text, name, value) > 0)
        if (!strcmp(name, option) || (kernel && option_choice(name, "driver|tile") >= 0)) return true;
    return false;
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
