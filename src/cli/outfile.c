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

static int open_temporary(struct outfile *file)
{
    if (asprintf(&file->temporary, "%s.XXXXXX", file->path) < 0) {
        file->temporary = NULL;
        return ENOMEM;
    }
    const int descriptor = mkostemp(file->temporary, O_CLOEXEC);
    if (descriptor < 0) {
        const int error = errno;
        free(file->temporary);
        file->temporary = NULL;
        return error;
    }
    if (fchmod(descriptor, wanted_mode(file->path)) != 0 || (file->stream = fdopen(descriptor, "w")) == NULL) {
        const int error = errno;
        close(descriptor);
        return error;
    }
    return 0;
}

int outfile_open(struct outfile *file, const char *name)
{
    memset(file, 0, sizeof *file);
    struct stat about;
    const int exists = stat(name, &about) == 0;
    file->name = name;
    file->path = exists ? realpath(name, NULL) : strdup(name);
    if (file->path == NULL) return fail_and_discard(file, errno);
    int error = 0;
    if (exists && !S_ISREG(about.st_mode)) error = (file->stream = fopen(file->path, "we")) == NULL ? errno : 0;
    else error = open_temporary(file);
    return error == 0 ? 0 : fail_and_discard(file, error);
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
    if (file->temporary != NULL && rename(file->temporary, file->path) != 0) return fail_and_discard(file, errno);
    free(file->temporary);
    file->temporary = NULL;
    outfile_discard(file);
    return 0;
}

void outfile_discard(struct outfile *file)
{
    if (file->stream != NULL) fclose(file->stream);
    if (file->temporary != NULL) unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    memset(file, 0, sizeof *file);
}
