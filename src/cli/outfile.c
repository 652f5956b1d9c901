/* Writes a file under a temporary name and renames it when it is complete. */
#define _GNU_SOURCE 1
#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/outpath.h"
#include "cli/temporary.h"

/* The open files, to find two that are one. */
static struct outfile *opened[OUTFILES_MOST];

static int fail_and_discard(struct outfile *file, int error)
{
    const int result = command_fail("%s: cannot write: %s", file->name, strerror(error));
    outfile_discard(file);
    return result;
}

/* The mode of the file that is replaced, or else rw-rw-rw- under the process's mask. */
static mode_t wanted_mode(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0) return about.st_mode & 0777;
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Returns an errno. */
static int open_temporary(struct outfile *file)
{
    int descriptor;
    temporary_remove_dead(file->path);
    const int error = temporary_make(file->path, &file->temporary, &descriptor);
    if (error != 0) return error;
    if (fchmod(descriptor, wanted_mode(file->path)) != 0 || (file->stream = fdopen(descriptor, "w")) == NULL) {
        const int failed = errno;
        close(descriptor);
        return failed;
    }
    return 0;
}

/* Returns an errno. */
static int open_stdout(struct outfile *file)
{
    const int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor >= 0 && (file->stream = fdopen(descriptor, "w")) != NULL) return 0;
    const int error = errno;
    if (descriptor >= 0) close(descriptor);
    return error;
}

/* Returns an errno. */
static int open_path(struct outfile *file)
{
    struct stat about;
    if (stat(file->name, &about) != 0 || S_ISREG(about.st_mode)) {
        const int error = outpath_resolve(file->name, &file->path);
        return error != 0 ? error : open_temporary(file);
    }
    /* Links in /dev/fd name no path that can be resolved. */
    file->path = strdup(file->name);
    return file->path == NULL || (file->stream = fopen(file->path, "we")) == NULL ? errno : 0;
}

/* Looks at the file that is written in place, or else will be replaced.  False: there is none. */
static bool look(const struct outfile *file, struct stat *about)
{
    return file->temporary == NULL ? fstat(fileno(file->stream), about) == 0 : stat(file->path, about) == 0;
}

/* Would one output destroy or mix with the other?  Devices such as /dev/null take any number. */
static bool is_same(const struct outfile *a, const struct outfile *b)
{
    struct stat at_a, at_b;
    if (a->path == NULL && b->path == NULL) return true;
    if (a->temporary != NULL && b->temporary != NULL && outpath_same_name(a->path, b->path)) return true;
    if (!look(a, &at_a) || !look(b, &at_b) || S_ISCHR(at_a.st_mode)) return false;
    return at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
}

/* The other open file that is the same; NULL: none. */
static const struct outfile *find_twin(const struct outfile *file)
{
    for (size_t i = 0; i < OUTFILES_MOST; i++)
        if (opened[i] != NULL && is_same(opened[i], file)) return opened[i];
    return NULL;
}

static int refuse_twin(struct outfile *file, const struct outfile *twin)
{
    const int result = command_misused("%s and %s are one file: two outputs need two", twin->name, file->name);
    outfile_discard(file);
    return result;
}

bool outfile_is_stdout(const char *name) { return name != NULL && strcmp(name, "-") == 0; }

int outfile_open(struct outfile *file, const char *name)
{
    memset(file, 0, sizeof *file);
    file->name = name;
    const int error = outfile_is_stdout(name) ? open_stdout(file) : open_path(file);
    if (error != 0) return fail_and_discard(file, error);
    const struct outfile *twin = find_twin(file);
    if (twin != NULL) return refuse_twin(file, twin);
    for (size_t i = 0; i < OUTFILES_MOST; i++) {
        if (opened[i] != NULL) continue;
        opened[i] = file;
        break;
    }
    return 0;
}

bool outfile_good(struct outfile *file)
{
    if (file->error == 0 && ferror(file->stream)) file->error = errno;
    return file->error == 0;
}

int outfile_finish(struct outfile *file)
{
    int error = file->error;
    if (error == 0 && fflush(file->stream) != 0) error = errno;
    if (error == 0 && file->temporary != NULL && fsync(fileno(file->stream)) != 0) error = errno;
    if (fclose(file->stream) != 0 && error == 0) error = errno;
    file->stream = NULL;
    return error == 0 ? 0 : fail_and_discard(file, error);
}

int outfile_commit(struct outfile *file)
{
    if (file->temporary != NULL) {
        const int error = temporary_rename(&file->temporary, file->path);
        if (error != 0) return fail_and_discard(file, error);
    }
    outfile_discard(file);
    return 0;
}

void outfile_discard(struct outfile *file)
{
    for (size_t i = 0; i < OUTFILES_MOST; i++)
        if (opened[i] == file) opened[i] = NULL;
    if (file->stream != NULL) fclose(file->stream);
    temporary_remove(&file->temporary);
    free(file->path);
    memset(file, 0, sizeof *file);
}
