/* The options of `roost info`. */
#ifndef ROOST_CLI_INFO_H
#define ROOST_CLI_INFO_H

#include <argp.h>

extern const struct argp info_argp;

#endif
