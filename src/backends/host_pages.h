/* Mappings that the process keeps when they are released, for its next calls.  The system clears
 * each page that it gives, which takes a third of the time of calls that need much memory for a
 * short time, again and again.  The system may take kept pages when it needs them. */
#ifndef ROOST_BACKENDS_HOST_PAGES_H
#define ROOST_BACKENDS_HOST_PAGES_H

#include <stddef.h>

/* Takes a kept mapping whose size is `bytes`; its contents are undefined.
 * Returns: NULL: the process keeps none of this size. */
void *host_pages_take(size_t bytes);
/* Keeps a mapping, or returns it to the system. */
void host_pages_keep(void *memory, size_t bytes);
/* Returns all that is kept to the system. */
void host_pages_drop(void);

#endif
