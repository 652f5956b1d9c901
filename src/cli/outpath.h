/* The paths behind the names of outputs. */
#ifndef ROOST_CLI_OUTPATH_H
#define ROOST_CLI_OUTPATH_H

#include <stdbool.h>
#include <stddef.h>

/* Follows all links, also to a file that does not exist yet.  *path is freed with free().  Returns
 * an errno. */
int outpath_resolve(const char *name, char **path);

/* The descriptor that a name such as /dev/stdout or /dev/fd/3 stands for, also through links; below
 * 0: none.  Such a name is no path that could be resolved or replaced. */
int outpath_descriptor(const char *name);

/* The length of the path's folder with its slash; 0: the folder is the working directory. */
size_t outpath_folder(const char *path);

/* The path's folder as a new string that open() takes; NULL: memory was refused. */
char *outpath_folder_name(const char *path);

/* Are these resolved paths one name in one folder?  The files need not exist. */
bool outpath_same_name(const char *a, const char *b);

#endif
