/* JSON values that jansson does not make from every input, and printing. */
#define _GNU_SOURCE 1
#include "cli/json.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

json_t *json_text(const char *text)
{
    json_t *value = json_string(text);
    char *ascii = value == NULL ? strdup(text) : NULL;
    if (ascii == NULL) return value;
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

int json_print(json_t *value)
{
    if (value == NULL) return command_fail("out of memory for the JSON");
    const int failed = json_dumpf(value, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) != 0 || putchar('\n') == EOF;
    json_decref(value);
    return failed ? command_fail("cannot write to standard output") : 0;
}
