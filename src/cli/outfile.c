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
#include "cli/outpack.h"
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

/* Is this the file that standard output goes to?  Replacing it would lose what others write. */
static bool is_stdout_file(const char *name)
{
    struct stat about, out;
    if (stat(name, &about) != 0 || !S_ISREG(about.st_mode) || fstat(STDOUT_FILENO, &out) != 0) return false;
    return about.st_dev == out.st_dev && about.st_ino == out.st_ino;
}

static int descriptor_of(const char *name)
{
    if (strcmp(name, "-") == 0 || is_stdout_file(name)) return STDOUT_FILENO;
    return outpath_descriptor(name);
}

/* Returns an errno. */
static int open_descriptor(struct outfile *file)
{
    const int descriptor = fcntl(file->descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor >= 0 && (file->stream = fdopen(descriptor, "w")) != NULL) return 0;
    const int error = errno;
    if (descriptor >= 0) close(descriptor);
    return error;
}

static bool is_irregular(const char *name)
{
    struct stat about;
    return stat(name, &about) == 0 && !S_ISREG(about.st_mode);
}

/* Returns an errno. */
static int open_path(struct outfile *file)
{
    struct stat about;
    /* What cannot be looked at may be a device, which a rename would replace. */
    const bool there = stat(file->name, &about) == 0;
    if (!there && errno != ENOENT) return errno;
    if (!there || S_ISREG(about.st_mode)) {
        const int error = outpath_resolve(file->name, &file->path);
        return error != 0 ? error : open_temporary(file);
    }
    file->path = strdup(file->name);
    return file->path == NULL || (file->stream = fopen(file->path, "we")) == NULL ? errno : 0;
}

/* Looks at the file that is written in place, or else will be replaced.  False: there is none. */
static bool look(const struct outfile *file, struct stat *about)
{
    FILE *stream = file->packed != NULL ? file->packed : file->stream;
    return file->temporary == NULL ? fstat(fileno(stream), about) == 0 : stat(file->path, about) == 0;
}

/* Would one output destroy or mix with the other?  Devices such as /dev/null take any number. */
static bool is_same(const struct outfile *a, const struct outfile *b)
{
    struct stat at_a, at_b;
    if (a->descriptor >= 0 && a->descriptor == b->descriptor) return true;
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

bool outfile_is_stdout(const char *name) { return name != NULL && descriptor_of(name) == STDOUT_FILENO; }

bool outfile_is_special(const char *name) { return descriptor_of(name) >= 0 || is_irregular(name); }

/* Puts a compressing stream before the file's.  Returns an errno. */
static int pack(struct outfile *file)
{
    if (file->descriptor >= 0 || outpack_ending(file->name) == 0) return 0;
    FILE *stream = outpack_open(file->name, file->stream);
    if (stream == NULL) return ENOMEM;
    file->packed = file->stream;
    file->stream = stream;
    return 0;
}

int outfile_open(struct outfile *file, const char *name)
{
    memset(file, 0, sizeof *file);
    file->name = name;
    file->descriptor = descriptor_of(name);
    int error = file->descriptor >= 0 ? open_descriptor(file) : open_path(file);
    if (error == 0) error = pack(file);
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
    if (file->packed != NULL) {
        if (fclose(file->stream) != 0 && error == 0) error = errno;
        file->stream = file->packed;
        file->packed = NULL;
    }
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
    if (file->packed != NULL) fclose(file->packed);
    temporary_remove(&file->temporary);
    free(file->path);
    memset(file, 0, sizeof *file);
}
