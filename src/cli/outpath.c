/* Follows links, and compares paths by their folders' inodes. */
#define _GNU_SOURCE 1
#include "cli/outpath.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MOST 40 /* as the kernel */

size_t outpath_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

char *outpath_folder_name(const char *path)
{
    const size_t length = outpath_folder(path);
    return length > 0 ? strndup(path, length) : strdup(".");
}

/* Replaces a path that is a link by the link's target, which is relative to the link's folder.
 * *done: it is no link.  Returns an errno. */
static int follow(char **path, bool *done)
{
    char target[PATH_MAX], *next;
    const ssize_t length = readlink(*path, target, sizeof target - 1);
    *done = length < 0; /* nothing there, no link, or a problem that the next open reports */
    if (*done) return 0;
    target[length] = 0;
    const int folder = target[0] == '/' ? 0 : (int)outpath_folder(*path);
    if (asprintf(&next, "%.*s%s", folder, *path, target) < 0) return ENOMEM;
    free(*path);
    *path = next;
    return 0;
}

int outpath_resolve(const char *name, char **path)
{
    bool done = false;
    int error = 0;
    *path = realpath(name, NULL);
    if (*path != NULL) return 0;
    if (errno != ENOENT) return errno;
    *path = strdup(name);
    if (*path == NULL) return ENOMEM;
    for (int links = 0; error == 0 && !done; links++) error = links < LINKS_MOST ? follow(path, &done) : ELOOP;
    return error;
}

/* The number in "/dev/fd/N" or "/proc/self/fd/N"; below 0: it is no such path. */
static int descriptor_in(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const char *number = path + strlen(folders[i]);
        if (strncmp(path, folders[i], strlen(folders[i])) != 0) continue;
        if (*number == 0 || strlen(number) > 9 || number[strspn(number, "0123456789")] != 0) continue;
        return atoi(number);
    }
    return -1;
}

int outpath_descriptor(const char *name)
{
    char *path = strdup(name);
    bool done = path == NULL;
    int descriptor = -1;
    for (int links = 0; !done && descriptor < 0 && links < LINKS_MOST; links++) {
        descriptor = descriptor_in(path);
        if (descriptor < 0 && follow(&path, &done) != 0) done = true;
    }
    free(path);
    return descriptor;
}

static bool folder_look(const char *path, struct stat *about)
{
    char *folder = outpath_folder_name(path);
    const bool found = folder != NULL && stat(folder, about) == 0;
    free(folder);
    return found;
}

bool outpath_same_name(const char *a, const char *b)
{
    struct stat in_a, in_b;
    if (strcmp(a + outpath_folder(a), b + outpath_folder(b)) != 0 || !folder_look(a, &in_a) || !folder_look(b, &in_b)) return false;
    return in_a.st_dev == in_b.st_dev && in_a.st_ino == in_b.st_ino;
}
