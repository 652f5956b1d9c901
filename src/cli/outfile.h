/* Files that the command writes: complete or not there.  A file is written beside its final name and renamed at the end, after all
 * others of the run are complete, too; what exists and is no regular file (a device, a pipe) is written in place. */
#ifndef ROOST_CLI_OUTFILE_H
#define ROOST_CLI_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile {
    FILE *stream;
    const char *name; /* as the user gave it */
    char *path;       /* where it belongs, links followed */
    char *temporary;  /* where it is written until outfile_commit; NULL: in place */
    int error;        /* errno of the first write that failed */
};

/* Opens; prints a line and returns EXIT_FAILURE if that fails.  `name` must live as long as the file. */
int outfile_open(struct outfile *file, const char *name);

/* To be called right after writing to the stream: false if that failed; outfile_finish will say why. */
bool outfile_good(struct outfile *file);

/* Writes what is left and closes; prints a line and returns EXIT_FAILURE if any write, also an earlier one, failed. */
int outfile_finish(struct outfile *file);

/* Renames what is finished; prints a line and returns EXIT_FAILURE if that fails.  All zero is allowed. */
int outfile_commit(struct outfile *file);

/* Closes and removes what was written, if outfile_commit was not called.  All zero is allowed. */
void outfile_discard(struct outfile *file);

#endif
