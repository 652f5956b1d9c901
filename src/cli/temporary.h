/* Temporary files that become outputs.  They are removed if the process ends by a signal that it
 * can catch.  After SIGKILL the next run that writes the same output removes them: a file whose
 * writer lives is locked. */
#ifndef ROOST_CLI_TEMPORARY_H
#define ROOST_CLI_TEMPORARY_H

/* Makes an empty file PATH.roost-XXXXXX, which *temporary names.  Returns an errno. */
int temporary_make(const char *path, char **temporary, int *descriptor);

/* Renames the file to the path, sets *temporary to NULL and syncs the folder.  Returns an errno;
 * *temporary is not NULL if the file was not renamed. */
int temporary_rename(char **temporary, const char *path);

/* Removes the file and sets *temporary to NULL, which it may be already. */
void temporary_remove(char **temporary);

/* Removes the temporary files of this path whose writers were killed. */
void temporary_remove_dead(const char *path);

#endif
