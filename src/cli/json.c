/* JSON strings and numbers for all inputs, lists, and printing. */
#define _GNU_SOURCE 1
#include "cli/json.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

json_t *json_text(const char *text)
{
    /* If memory is refused, jansson leaves the error's code unchanged. */
    json_error_t error = {.line = 0};
    json_t *value = json_pack_ex(&error, 0, "s", text);
    if (value != NULL || json_error_code(&error) != json_error_invalid_utf8) return value;
    char *ascii = strdup(text);
    if (ascii == NULL) return NULL;
    for (char *c = ascii; *c != 0; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    value = json_string(ascii);
    free(ascii);
    return value;
}

json_t *json_unsigned(uint64_t number)
{
    return number <= INT64_MAX ? json_integer((json_int_t)number) : json_real((double)number);
}

json_t *json_append(json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) == 0) return list;
    json_decref(list);
    return NULL;
}

int json_print(FILE *to, json_t *value)
{
    if (value == NULL) return command_fail("out of memory for the JSON");
    const int failed = json_dumpf(value, to, JSON_INDENT(2) | JSON_PRESERVE_ORDER) != 0 || putc('\n', to) == EOF;
    json_decref(value);
    if (!failed) return 0;
    return command_fail(ferror(to) ? "cannot write to standard output" : "out of memory for the JSON");
}
