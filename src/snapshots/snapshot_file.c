/* A file is written beside its name under a lock, synced, renamed, and its folder synced: whenever
 * the process is killed or the power fails, the name stands for the old file or the new one. */
#define _GNU_SOURCE 1
#include "snapshots/snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SYNCED_BYTES = 1 << 25, /* whose writing to the disk begins together, long before the end */
    AHEAD = 1 << 25,        /* bytes behind a block that the system reads meanwhile */
    AHEAD_LEAST = 1 << 20,  /* bytes of a read that is most of a block */
    TRIES = 100             /* to lock the file beside, which other calls rename meanwhile */
};

static roost_status io_failed(struct error *error, const char *what, const char *path)
{
    return error_set(error, ROOST_ERR_IO, "%s: %s: %s", path, what, strerror(errno));
}

int descriptor_write(void *descriptor, const void *bytes, size_t n)
{
    const int to = *(const int *)descriptor;
    for (const char *at = (const char *)bytes; n;) {
        const ssize_t written = write(to, at, n);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : EIO;
        at += written;
        n -= (size_t)written;
    }
    return 0;
}

/* Lets the system read on while a block is inserted.  Pipes and sockets have no place, and refuse
 * it. */
static void read_ahead(int descriptor)
{
    const off_t at = lseek(descriptor, 0, SEEK_CUR);
    if (at >= 0) (void)posix_fadvise(descriptor, at, AHEAD, POSIX_FADV_WILLNEED);
}

int descriptor_read(void *descriptor, void *bytes, size_t room, size_t *n)
{
    const int from = *(const int *)descriptor;
    ssize_t got;
    do got = read(from, bytes, room);
    while (got < 0 && errno == EINTR);
    *n = got > 0 ? (size_t)got : 0;
    if (*n >= AHEAD_LEAST) read_ahead(from);
    return got < 0 ? errno : 0;
}

roost_status file_open(const char *path, int *descriptor, struct error *error)
{
    *descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (*descriptor < 0) return io_failed(error, "it cannot be opened", path);
    (void)posix_fadvise(*descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    return ROOST_OK;
}

/* ---- New files ------------------------------------------------------------------------------- */

/* Is the open file the one of this name?  Another call may have renamed it before it was locked. */
static bool is_named(int descriptor, const char *path)
{
    struct stat own, there;
    return !fstat(descriptor, &own) && !lstat(path, &there) && own.st_ino == there.st_ino && own.st_dev == there.st_dev;
}

/* Is the open file nothing but a file of one name?  Another one may be somebody else's. */
static bool is_plain(int descriptor)
{
    struct stat own;
    return !fstat(descriptor, &own) && S_ISREG(own.st_mode) && own.st_nlink <= 1;
}

/* Opens and locks the file beside.  Returns an errno. */
static int beside_open(struct new_file *f)
{
    for (int i = 0; i < TRIES; i++) {
        f->descriptor = open(f->beside, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (f->descriptor < 0) return errno;
        const int locked = flock(f->descriptor, LOCK_EX | LOCK_NB) ? errno : 0;
        const bool plain = is_plain(f->descriptor);
        if (!locked && plain && is_named(f->descriptor, f->beside)) return ftruncate(f->descriptor, 0) ? errno : 0;
        close(f->descriptor); /* it is another call's */
        f->descriptor = -1;
        if (locked || !plain) return locked ? locked : EEXIST;
    }
    return EAGAIN;
}

/* The new file gets the old one's permissions.  A failure is none of the snapshot's. */
static void mode_keep(const struct new_file *f)
{
    struct stat old;
    if (!stat(f->path, &old)) (void)!fchmod(f->descriptor, old.st_mode & 07777);
}

static roost_status in_place_open(struct new_file *f, struct error *error)
{
    f->descriptor = open(f->path, O_WRONLY | O_CLOEXEC);
    return f->descriptor < 0 ? io_failed(error, "it cannot be opened", f->path) : ROOST_OK;
}

/* Is there no file of this name, nor a link to nothing? */
static bool is_free(const char *path)
{
    struct stat there;
    return errno == ENOENT && lstat(path, &there) && errno == ENOENT;
}

/* Finds the name that links lead to.  *in_place: a file is there that is not to be replaced: a
 * device, a pipe, or an open file without a name.  What cannot be looked at is left alone. */
static roost_status target_find(struct new_file *f, const char *path, bool *in_place, struct error *error)
{
    struct stat there;
    const bool exists = !stat(path, &there);
    if (!exists && !is_free(path)) return io_failed(error, "it cannot be looked at", path);
    f->path = exists ? realpath(path, NULL) : NULL;
    *in_place = exists && (!S_ISREG(there.st_mode) || !f->path);
    if (!f->path) f->path = strdup(path);
    return f->path ? ROOST_OK : error_set(error, ROOST_ERR_MEMORY, "no memory for the name of a file");
}

roost_status new_file_open(struct new_file *f, const char *path, bool sync, struct error *error)
{
    bool in_place;
    memset(f, 0, sizeof *f);
    f->descriptor = -1;
    f->sync = sync;
    const roost_status status = target_find(f, path, &in_place, error);
    if (status) return status;
    if (in_place) return in_place_open(f, error);
    if (asprintf(&f->beside, "%s.saving", f->path) < 0) {
        f->beside = NULL;
        return error_set(error, ROOST_ERR_MEMORY, "no memory for the name of a file");
    }
    const int failed = beside_open(f);
    if (failed == EWOULDBLOCK) return error_set(error, ROOST_ERR_IO, "%s: another call saves it at the moment", path);
    errno = failed;
    if (failed) return io_failed(error, "it cannot be written", f->beside);
    mode_keep(f);
    return ROOST_OK;
}

int new_file_write(void *file, const void *bytes, size_t n)
{
    struct new_file *const f = (struct new_file *)file;
    const int failed = descriptor_write(&f->descriptor, bytes, n);
    const off_t at = f->beside && f->sync && !failed ? lseek(f->descriptor, 0, SEEK_CUR) : 0;
    if (at > 0 && (uint64_t)at - f->synced >= SYNCED_BYTES) {
        (void)sync_file_range(f->descriptor, (off_t)f->synced, at - (off_t)f->synced, SYNC_FILE_RANGE_WRITE);
        f->synced = (uint64_t)at;
    }
    return failed;
}

/* Makes a folder's names last. */
static int folder_sync(const char *path)
{
    const char *const slash = strrchr(path, '/');
    char *const folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    const int failed = descriptor < 0 || fsync(descriptor) ? errno : 0;
    if (descriptor >= 0) close(descriptor);
    free(folder);
    return failed == EINVAL ? 0 : failed; /* a file system that syncs no folders */
}

roost_status new_file_commit(struct new_file *f, struct error *error)
{
    if (!f->beside) return ROOST_OK;
    if (f->sync && fsync(f->descriptor)) return io_failed(error, "it cannot be synced", f->beside);
    if (rename(f->beside, f->path)) return io_failed(error, "it cannot be renamed", f->beside);
    free(f->beside);
    f->beside = NULL;
    errno = f->sync ? folder_sync(f->path) : 0;
    return errno ? io_failed(error, "its folder cannot be synced", f->path) : ROOST_OK;
}

void new_file_close(struct new_file *f)
{
    /* Removed under the lock: a file of this name is no other call's. */
    if (f->beside && f->descriptor >= 0 && is_named(f->descriptor, f->beside)) unlink(f->beside);
    if (f->descriptor >= 0) close(f->descriptor);
    free(f->beside);
    free(f->path);
    f->descriptor = -1;
    f->beside = f->path = NULL;
}
