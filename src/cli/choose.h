/* `roost info --choose`: the engine and device that the library would choose for a table, and
 * why. */
#ifndef ROOST_CLI_CHOOSE_H
#define ROOST_CLI_CHOOSE_H

#include <stdbool.h>

/* hints: "name=value,name=value", with the names in CHOOSE_HINTS.  Prints the choice and its
 * reason, and returns the command's exit code. */
int choose_print(const char *hints, bool json);

#define CHOOSE_HINTS "work, keys, load, key, value, device, batch, growth, multi, engine"

#endif
