/* Files that the command writes: complete, or not at all.  A file is written beside its final
 * name, and renamed at the end, when all other files of the run are complete, too.  An existing
 * file that is not regular (a device, a pipe) is written in place, and so is standard output. */
#ifndef ROOST_CLI_OUTFILE_H
#define ROOST_CLI_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/* Most files that are open at a time. */
#define OUTFILES_MOST 4

struct outfile {
    FILE *stream;
    const char *name; /* as the user gave it */
    char *path;       /* final path, links resolved; NULL: standard output */
    char *temporary;  /* path until outfile_commit; NULL: written in place */
    int error;        /* errno of the first write that failed */
};

/* Is this the name of standard output, "-"?  NULL: no. */
bool outfile_is_stdout(const char *name);

/* Opens the file, or prints a line and returns an exit code, EXIT_USAGE if another open file is
 * the same.  `name` and *file must live and stay in place as long as the file is open.  Removes
 * what killed runs have left of this file. */
int outfile_open(struct outfile *file, const char *name);

/* Called right after a write to the stream.  False if it failed; outfile_finish reports why. */
bool outfile_good(struct outfile *file);

/* Flushes and closes.  If any write failed, prints a line and returns EXIT_FAILURE. */
int outfile_finish(struct outfile *file);

/* Renames the finished file and makes its name last, or prints a line and returns EXIT_FAILURE.
 * *file may be all 0. */
int outfile_commit(struct outfile *file);

/* Closes the file and removes it, unless outfile_commit was called.  *file may be all 0. */
void outfile_discard(struct outfile *file);

#endif
