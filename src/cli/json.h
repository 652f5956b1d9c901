/* JSON strings and numbers for all inputs, lists, and printing. */
#ifndef ROOST_CLI_JSON_H
#define ROOST_CLI_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* A string.  Bytes that are not UTF-8 (a file's name may contain any) become '?'. */
json_t *json_text(const char *text);

/* A number.  jansson's integers are signed, so numbers beyond them become reals. */
json_t *json_unsigned(uint64_t number);

/* Appends, or frees the list and returns NULL if memory was refused.  For this both arguments
 * may be NULL. */
json_t *json_append(json_t *list, json_t *value);

/* Prints the value to a stream, stdout or stderr, and frees it.  If it is NULL (memory was refused
 * before) or the write fails, prints a line and returns EXIT_FAILURE. */
int json_print(FILE *to, json_t *value);

#endif
