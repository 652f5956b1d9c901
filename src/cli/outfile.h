/* Files that the command writes: complete, or not at all.  A file is written beside its final
 * name, and renamed at the end, when all other files of the run are complete, too.  An existing
 * file that is not regular (a device, a pipe) is written in place. */
#ifndef ROOST_CLI_OUTFILE_H
#define ROOST_CLI_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile {
    FILE *stream;
    const char *name; /* as the user gave it */
    char *path;       /* final path, links resolved */
    char *temporary;  /* path until outfile_commit; NULL: written in place */
    int error;        /* errno of the first write that failed */
};

/* Opens the file, or prints a line and returns EXIT_FAILURE.  `name` must live as long as the
 * file. */
int outfile_open(struct outfile *file, const char *name);

/* Called right after a write to the stream.  False if it failed; outfile_finish reports why. */
bool outfile_good(struct outfile *file);

/* Flushes and closes.  If any write failed, prints a line and returns EXIT_FAILURE. */
int outfile_finish(struct outfile *file);

/* Renames the finished file, or prints a line and returns EXIT_FAILURE.  *file may be all 0. */
int outfile_commit(struct outfile *file);

/* Closes the file and removes it, unless outfile_commit was called.  *file may be all 0. */
void outfile_discard(struct outfile *file);

#endif
