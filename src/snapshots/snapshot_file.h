/* Files that are replaced whole, and descriptors that are read and written whole. */
#ifndef ROOST_SNAPSHOTS_FILE_H
#define ROOST_SNAPSHOTS_FILE_H

#include <stdbool.h>

#include "portable/error.h"

/* A file that is being written beside its name. */
struct new_file {
    char *path, *beside; /* NULL: `path` is written in place */
    int descriptor;
    uint64_t synced; /* bytes whose writing to the disk has begun */
    bool sync;
};

/* Opens a file beside `path`, which stays as it is until new_file_commit.  What a killed call left
 * there is written over.
 * Returns: ROOST_ERR_IO, also where another call saves this file at the moment. */
roost_status new_file_open(struct new_file *file, const char *path, bool sync, struct error *error);
/* Is a roost_write_function, for a struct new_file. */
int new_file_write(void *file, const void *bytes, size_t n);
/* Makes the file last, and then its name.  Returns: ROOST_ERR_IO: `path` is as before, or has the
 * new file, whose name may be lost with the machine's power. */
roost_status new_file_commit(struct new_file *file, struct error *error);
/* Closes the file, and removes it unless it was committed. */
void new_file_close(struct new_file *file);

/* roost_write_function and roost_read_function, for a pointer to a descriptor.  They return an
 * errno. */
int descriptor_write(void *descriptor, const void *bytes, size_t n);
int descriptor_read(void *descriptor, void *bytes, size_t room, size_t *n);

/* Opens a file to read it from its begin to its end.  Returns: ROOST_ERR_IO. */
roost_status file_open(const char *path, int *descriptor, struct error *error);

#endif
