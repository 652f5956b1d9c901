/* Bytes of texts in memory: longer arrays, and copies that use the padding behind a text. */
#ifndef ROOST_IO_BYTES_H
#define ROOST_IO_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes behind a text that may be read, and behind the place of a copy that may be written. */
#define IO_PADDING 16

/* Makes an array longer: as realloc, but sets the pointer at `array`.  False: memory was refused,
 * and the array is as before. */
static inline bool io_enlarge(void *array, size_t bytes)
{
    void *before;
    memcpy(&before, array, sizeof before);
    void *const after = realloc(before, bytes);
    if (after != NULL) memcpy(array, &after, sizeof after);
    return after != NULL;
}

/* Copies a text and bytes of its padding, which is faster for a short one.  Returns the place
 * behind the text. */
static inline uint8_t *io_copy_padded(uint8_t *to, const uint8_t *from, size_t bytes)
{
    if (bytes > 8 * IO_PADDING) memcpy(to, from, bytes);
    else
        for (size_t i = 0; i < bytes; i += IO_PADDING) memcpy(to + i, from + i, IO_PADDING);
    return to + bytes;
}

#endif
