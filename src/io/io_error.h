/* The error of a reader of key files: a status for programs and one line of text for people. */
#ifndef ROOST_IO_ERROR_H
#define ROOST_IO_ERROR_H

/* X(name, number, text). */
#define IO_STATUS_LIST(X)                                                                                                          \
    X(IO_OK, 0, "success")                                                                                                         \
    X(IO_ERR_ARGUMENT, 1, "an argument is invalid")                                                                                \
    X(IO_ERR_SYSTEM, 2, "the system refused to open or read the file")                                                             \
    X(IO_ERR_MEMORY, 3, "memory was refused")                                                                                      \
    X(IO_ERR_TRUNCATED, 4, "the file ends too early")                                                                              \
    X(IO_ERR_CORRUPT, 5, "the compressed data are damaged")                                                                        \
    X(IO_ERR_FORMAT, 6, "the file does not have the wanted format")                                                                \
    X(IO_ERR_COLUMN, 7, "the column does not exist")                                                                               \
    X(IO_ERR_VALUE, 8, "a field is not a key of the wanted type")                                                                  \
    X(IO_ERR_LENGTH, 9, "a line or a word is too long")

#define IO_STATUS_ENUM(name, number, text) name = number,
enum io_status { IO_STATUS_LIST(IO_STATUS_ENUM) };
#undef IO_STATUS_ENUM

/* Room for a path of PATH_MAX and a sentence. */
#define IO_ERROR_TEXT 4608

struct io_error {
    enum io_status status;
    /* begins with the file's name; may hold any byte of the name or the file, except 0 */
    char text[IO_ERROR_TEXT];
};

/* The status's meaning in English: a static string, never NULL. */
const char *io_status_string(enum io_status status);

/* Writes "path: " and the formatted text into *error and returns the status. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
enum io_status
io_fail(struct io_error *error, enum io_status status, const char *path, const char *format, ...);

#endif
