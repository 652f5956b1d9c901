/* Files that the command writes: complete, or not at all.  A file is written beside its final name,
 * and renamed at the end, when all other files of the run are complete, too.  An existing file that
 * is not regular (a device, a pipe) is written in place, and so are standard output and other open
 * descriptors (/dev/stdout, /dev/fd/3).  Names that end in .gz or .zst are compressed. */
#ifndef ROOST_CLI_OUTFILE_H
#define ROOST_CLI_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/* Most files that are open at a time. */
#define OUTFILES_MOST 4

struct outfile {
    FILE *stream;
    FILE *packed;     /* where a compressing stream writes; NULL: the stream writes itself */
    const char *name; /* as the user gave it */
    int descriptor;   /* that the name stands for; below 0: none */
    char *path;       /* final path, links resolved; NULL: of a descriptor */
    char *temporary;  /* path until outfile_commit; NULL: written in place */
    int error;        /* errno of the first write that failed */
};

/* Does the name stand for standard output: "-", /dev/stdout, or the file that it goes to?  NULL:
 * no. */
bool outfile_is_stdout(const char *name);

/* Is it written in place: a descriptor, or an existing file that is not regular? */
bool outfile_is_special(const char *name);

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
