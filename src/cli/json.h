/* JSON values that jansson does not make from every input, lists, and printing. */
#ifndef ROOST_CLI_JSON_H
#define ROOST_CLI_JSON_H

#include <jansson.h>
#include <stdint.h>

/* A string; bytes that are no UTF-8 (a file's name may hold any) become '?'. */
json_t *json_text(const char *text);

/* A number; jansson's integers are signed, so those beyond become reals. */
json_t *json_unsigned(uint64_t number);

/* Appends, or frees the list and returns NULL if memory was refused; both arguments may be NULL for that. */
json_t *json_append(json_t *list, json_t *value);

/* Prints the value to stdout and frees it.  NULL (memory was refused somewhere) or a failed write: a line and EXIT_FAILURE. */
int json_print(json_t *value);

#endif
