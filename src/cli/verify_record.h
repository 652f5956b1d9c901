/* Reads records of csv and tsv for --verify. */
#ifndef ROOST_CLI_VERIFY_RECORD_H
#define ROOST_CLI_VERIFY_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A record while it is split; all 0 at the start.  Fields end in 0 and are consecutive in
 * `text`. */
struct verify_record {
    char *text;
    size_t room;
    size_t length;
    bool in_quotes; /* at the end of the bytes read so far */
    bool field_start;
    char *line; /* for getdelim */
    size_t line_room;
};

/* What ends a field, and what a line. */
struct verify_ends {
    char separator, line;
};

/* What is known of a file's syntax: 0: no separator is given, no lines are comments. */
struct verify_syntax {
    bool verbatim;
    char separator, comment;
};

/* Guesses what is not known from the file's beginning, as much of it as the reader sees at once.
 * False: it cannot be read. */
bool verify_find_ends(const char *path, const struct verify_syntax *given, struct verify_ends *ends);

/* Reads lines up to the end of a record, without comments.  Returns 1: there is one; 0: the file
 * has ended; -1: out of memory. */
int verify_record_read(struct verify_record *record, FILE *file, struct verify_ends ends, char comment);

/* Takes the field at *at from the record, unquoted in place.  NULL after the last one. */
char *verify_record_field(char **at, char *end, char separator, size_t *length);

void verify_record_release(struct verify_record *record);

#endif
