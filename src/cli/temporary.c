/* Names, locks and removes temporary files.
 *
 * A writer locks its file with flock, which ends with the process.  Between the file's creation and
 * its lock another run may take the file for a dead one: then it has locked or unlinked the file,
 * and the writer makes another. */
#define _GNU_SOURCE 1
#include "cli/temporary.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/outfile.h"
#include "cli/outpath.h"

#define MARK ".roost-"
#define RANDOM_LETTERS 6
#define TRIES 100

/* The files to remove.  The signal handler reads the paths, so they change only while its signals
 * are blocked. */
static struct slot {
    char *path; /* NULL: free */
    int lock;   /* a descriptor that keeps the file's lock */
    int folder; /* of the file; below 0: it cannot be opened */
} slots[OUTFILES_MOST];

/* ---- Signals --------------------------------------------------------------------------------- */

/* Signals that end a process by default, from outside or by a limit. */
static const int fatal[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};
#define FATAL_N (sizeof fatal / sizeof fatal[0])

/* Removes the files.  The signal, which is blocked here and has its default action again, ends
 * the process when the handler returns. */
static void remove_and_die(int signal_number)
{
    for (size_t i = 0; i < OUTFILES_MOST; i++)
        if (slots[i].path != NULL) unlink(slots[i].path);
    raise(signal_number);
}

static void fatal_set(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < FATAL_N; i++) sigaddset(set, fatal[i]);
}

/* Signals that the process ignores (nohup) stay ignored. */
static void catch_signals(void)
{
    static bool caught;
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = remove_and_die;
    action.sa_flags = (int)SA_RESETHAND;
    fatal_set(&action.sa_mask);
    for (size_t i = 0; i < FATAL_N && !caught; i++)
        if (sigaction(fatal[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) sigaction(fatal[i], &action, NULL);
    caught = true;
}

static void block_signals(sigset_t *before)
{
    sigset_t set;
    fatal_set(&set);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

static void unblock_signals(const sigset_t *before) { pthread_sigmask(SIG_SETMASK, before, NULL); }

/* ---- A file ---------------------------------------------------------------------------------- */

/* Locks a new file.  *lost: another run has taken it for a dead one.  Where the file system has no
 * locks, no run can lock files, and so none removes any. */
static int lock_new(int descriptor, bool *lost)
{
    struct stat about;
    *lost = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (*lost) return 0;
    if (fstat(descriptor, &about) != 0) return errno;
    *lost = about.st_nlink == 0;
    return 0;
}

/* Makes a file and locks it.  Returns an errno, and *lost as above. */
static int make_locked(char *path, int *descriptor, bool *lost)
{
    *lost = false;
    *descriptor = mkostemp(path, O_CLOEXEC);
    if (*descriptor < 0) return errno;
    const int error = lock_new(*descriptor, lost);
    if (error != 0) unlink(path);
    if (error != 0 || *lost) close(*descriptor);
    return error;
}

/* Opens a file's folder, to sync it later: when a file has been renamed nothing may be refused any
 * more.  A folder that cannot be opened is left to the file system. */
static int open_folder(const char *path, int *descriptor)
{
    char *folder = outpath_folder_name(path);
    if (folder == NULL) return ENOMEM;
    *descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    return 0;
}

static int fill_slot(struct slot *slot, const char *path, int *descriptor)
{
    bool lost = true;
    char *name = NULL;
    int error = open_folder(path, &slot->folder);
    if (error != 0) return error;
    for (int i = 0; error == 0 && lost && i < TRIES; i++) {
        free(name);
        if (asprintf(&name, "%s" MARK "XXXXXX", path) < 0) name = NULL;
        error = name != NULL ? make_locked(name, descriptor, &lost) : ENOMEM;
    }
    if (error == 0 && lost) error = EBUSY;
    if (error == 0 && (slot->lock = fcntl(*descriptor, F_DUPFD_CLOEXEC, 0)) < 0) {
        error = errno;
        close(*descriptor);
        unlink(name);
    }
    if (error == 0) {
        slot->path = name;
        return 0;
    }
    if (slot->folder >= 0) close(slot->folder);
    free(name);
    return error;
}

int temporary_make(const char *path, char **temporary, int *descriptor)
{
    sigset_t before;
    int error = EMFILE;
    catch_signals();
    block_signals(&before);
    for (size_t i = 0; i < OUTFILES_MOST; i++) {
        if (slots[i].path != NULL) continue;
        error = fill_slot(&slots[i], path, descriptor);
        *temporary = slots[i].path;
        break;
    }
    unblock_signals(&before);
    return error;
}

/* The file's slot: each temporary file has one. */
static struct slot *slot_of(const char *temporary)
{
    size_t i = 0;
    while (slots[i].path != temporary) i++;
    return &slots[i];
}

/* Ends the lock and forgets the file. */
static void empty_slot(char **temporary)
{
    struct slot *slot = slot_of(*temporary);
    close(slot->lock);
    if (slot->folder >= 0) close(slot->folder);
    slot->path = NULL;
    free(*temporary);
    *temporary = NULL;
}

/* Some file systems have no sync of folders. */
static int sync_folder(int folder) { return folder >= 0 && fsync(folder) != 0 && errno != EINVAL && errno != ENOTSUP ? errno : 0; }

int temporary_rename(char **temporary, const char *path)
{
    sigset_t before;
    block_signals(&before);
    int error = rename(*temporary, path) != 0 ? errno : 0;
    if (error == 0) {
        error = sync_folder(slot_of(*temporary)->folder);
        empty_slot(temporary);
    }
    unblock_signals(&before);
    return error;
}

void temporary_remove(char **temporary)
{
    sigset_t before;
    if (*temporary == NULL) return;
    block_signals(&before);
    unlink(*temporary);
    empty_slot(temporary);
    unblock_signals(&before);
}

/* ---- Files of killed runs -------------------------------------------------------------------- */

/* Is this the name of a temporary file of `base`? */
static bool is_ours(const char *name, const char *base)
{
    const size_t length = strlen(base), mark = strlen(MARK);
    if (strncmp(name, base, length) != 0 || strncmp(name + length, MARK, mark) != 0) return false;
    const char *letter = name + length + mark;
    if (strlen(letter) != RANDOM_LETTERS) return false;
    while (isalnum((unsigned char)*letter)) letter++;
    return *letter == 0;
}

/* Removes the file if it is a regular one of this user that nobody has locked. */
static void remove_if_dead(int folder, const char *name)
{
    struct stat about;
    const int descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) return;
    const bool ours = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid();
    if (ours && flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name, 0);
    close(descriptor);
}

void temporary_remove_dead(const char *path)
{
    char *name = outpath_folder_name(path);
    DIR *folder = name != NULL ? opendir(name) : NULL;
    free(name);
    if (folder == NULL) return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (is_ours(entry->d_name, path + outpath_folder(path))) remove_if_dead(dirfd(folder), entry->d_name);
    closedir(folder);
}
