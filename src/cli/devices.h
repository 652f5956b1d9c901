/* Which device a command's table gets. */
#ifndef ROOST_CLI_DEVICES_H
#define ROOST_CLI_DEVICES_H

/* The devices that the option names: "all" are all GPUs, or the host if there is none.  Of several
 * ranks each gets one of them, by its number on its machine; without the option one of all.  NULL:
 * the library chooses.  A static string, until the next call. */
const char *devices_resolve(const char *option);

#endif
