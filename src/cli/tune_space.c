/* The settings that `roost tune` can try. */
#include "cli/tune_space.h"

#include <stdio.h>
#include <string.h>

#include "cli/table_options.h"
#include "roost/tuning.h"

/* Is the parameter an operation's kernel?  The engine's parameters say so, for all its tables. */
static bool is_kernel(const roost_table *table, const char *name)
{
    roost_engine_info engine;
    char line[TUNE_WORD + 4];
    snprintf(line, sizeof line, "%s=@\n", name);
    for (size_t i = 0; roost_engine_describe(i, &engine, sizeof engine) == ROOST_OK; i++)
        if (strcmp(engine.name, roost_table_engine(table)) == 0) return strstr(engine.parameters, line) != NULL;
    return false;
}

static bool take(char word[TUNE_WORD], const char *from, size_t length)
{
    if (length == 0 || length >= TUNE_WORD) return false;
    memcpy(word, from, length);
    word[length] = 0;
    return true;
}

/* Parses "name=value|value". */
static bool parameter_of(struct tune_parameter *parameter, const char *line, size_t length, const roost_table *table)
{
    const size_t name = strcspn(line, "=");
    memset(parameter, 0, sizeof *parameter);
    if (name >= length || !take(parameter->name, line, name)) return false;
    parameter->kernel = is_kernel(table, parameter->name);
    for (size_t at = name + 1; at < length && parameter->n < TUNE_VALUES;) {
        const size_t word = strcspn(line + at, "|\n");
        if (take(parameter->value[parameter->n], line + at, word)) parameter->n++;
        at += word + 1;
    }
    return parameter->n > 0;
}

/* Do the options fix the parameter, by its name or, for a kernel, by an option for all kernels? */
static bool is_fixed(const struct tune_parameter *parameter, const char *options)
{
    if (table_options_have(options, parameter->name)) return true;
    return parameter->kernel && (table_options_have(options, "driver") || table_options_have(options, "tile"));
}

void tune_space_of(struct tune_space *space, const roost_table *table, const char *fixed)
{
    char text[ROOST_DESCRIPTION_BYTES];
    space->n = 0;
    if (roost_table_describe(table, ROOST_DESCRIBE_PARAMETERS, text, sizeof text) != ROOST_OK) return;
    for (const char *line = text; *line != 0 && space->n < TUNE_PARAMETERS;) {
        const size_t length = strcspn(line, "\n");
        struct tune_parameter *parameter = &space->parameter[space->n];
        if (parameter_of(parameter, line, length, table) && !is_fixed(parameter, fixed)) space->n++;
        line += length + (line[length] == '\n');
    }
}

static void add(char text[TUNE_TEXT], const char *name, const char *value, size_t value_length)
{
    const size_t length = strlen(text);
    snprintf(text + length, TUNE_TEXT - length, "%s%s=%.*s", length > 0 ? "," : "", name, (int)value_length, value);
}

void tune_space_text(const struct tune_space *space, const struct tune_setting *setting, char text[TUNE_TEXT])
{
    tune_space_full_text(space, setting, "", false, text);
}

/* The end of the name of an operation's kernel in "find=find_k4v4_once2,erase=...", and its
 * length.  NULL: there is none. */
static const char *kernel_value(const char *kernels, const char *operation, size_t *length)
{
    const size_t name = strlen(operation);
    while (*kernels != 0) {
        const size_t whole = strcspn(kernels, ",");
        if (strncmp(kernels, operation, name) == 0 && kernels[name] == '=') {
            const char *value = kernels + whole;
            while (value > kernels && value[-1] != '_') value--;
            *length = (size_t)(kernels + whole - value);
            return value;
        }
        kernels += whole + (kernels[whole] == ',');
    }
    return NULL;
}

/* Does the parameter have a kernel with this one's driver? */
static bool is_option(const struct tune_parameter *parameter, const char *value)
{
    const size_t driver = strcspn(value, "0123456789");
    for (size_t i = 0; i < parameter->n; i++)
        if (strncmp(parameter->value[i], value, driver) == 0 && strcspn(parameter->value[i], "0123456789") == driver) return true;
    return false;
}

void tune_space_full_text(const struct tune_space *space, const struct tune_setting *setting, const char *kernels, bool as_options,
                          char text[TUNE_TEXT])
{
    *text = 0;
    for (size_t i = 0; i < space->n; i++) {
        const struct tune_parameter *parameter = &space->parameter[i];
        const char *value = setting->value[i];
        size_t length = strlen(value);
        if (length == 0 && parameter->kernel) {
            value = kernel_value(kernels, parameter->name, &length);
            if (value != NULL && as_options && !is_option(parameter, value)) continue;
        }
        if (value != NULL && length > 0) add(text, parameter->name, value, length);
    }
}

double tune_space_size(const struct tune_space *space)
{
    double size = 1;
    for (size_t i = 0; i < space->n; i++) size *= (double)space->parameter[i].n;
    return size;
}
