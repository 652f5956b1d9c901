/* Makes the k-th file operation or allocation of a kind fail, by replacing the C library's
 * functions.
 *
 * Linked into a test, or preloaded into the command. A preloaded copy reads from the
 * environment:
 *     ROOST_FAULT       KIND:K    the K-th operation of this kind fails, from 1
 *     ROOST_FAULT_NOTE  FILE      is created when that has happened
 * It also replaces the process's streams: no replaceable name lies between those of the C
 * library and the kernel. */
#define _GNU_SOURCE 1
#include "faulty_files.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The C library's function that is replaced here. */
#define REAL(name) ((__typeof__(&name))find_real(&real_##name, #name))
#define HAVE_REAL(name) static void *real_##name

HAVE_REAL(free);

static void *find_real(void **address, const char *name)
{
    /* free is found first, because dlsym frees the text of an earlier failure. */
    if (real_free == NULL) real_free = dlsym(RTLD_NEXT, "free");
    if (*address == NULL) *address = dlsym(RTLD_NEXT, name);
    return *address;
}

/* ---- When to fail ---------------------------------------------------------------------------- */

static enum file_fault armed = FILE_FAULT_COUNT;
static uint64_t wanted, seen;
static int64_t pieces;
static const char *note_path;

const char *faulty_files_name(enum file_fault kind)
{
#define FAULT_NAME(name, number) #name,
    static const char *const names[] = {FILE_FAULTS(FAULT_NAME)};
#undef FAULT_NAME
    return names[kind];
}

void faulty_files_arm(enum file_fault kind, uint64_t at)
{
    armed = kind;
    wanted = at;
    __atomic_store_n(&seen, 0, __ATOMIC_SEQ_CST);
}

bool faulty_files_injected(void) { return wanted > 0 && __atomic_load_n(&seen, __ATOMIC_SEQ_CST) >= wanted; }

int64_t faulty_files_pieces(void) { return __atomic_load_n(&pieces, __ATOMIC_SEQ_CST); }

/* Code segments of libraries that end the process with a message when memory is refused: the
 * OpenMP runtime, and the loader, which allocates the memory of its threads. Their requests
 * never fail. */
static struct {
    uintptr_t first, end;
} foreign[8];
static size_t foreign_n;

static int find_foreign(struct dl_phdr_info *library, size_t bytes, void *nothing)
{
    (void)bytes, (void)nothing;
    const char *slash = strrchr(library->dlpi_name, '/'), *name = slash != NULL ? slash + 1 : library->dlpi_name;
    if (strncmp(name, "libgomp", 7) != 0 && strncmp(name, "libomp", 6) != 0 && strncmp(name, "ld-linux", 8) != 0) return 0;
    for (size_t i = 0; i < library->dlpi_phnum && foreign_n < sizeof foreign / sizeof foreign[0]; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
        foreign[foreign_n].first = library->dlpi_addr + part->p_vaddr;
        foreign[foreign_n].end = foreign[foreign_n].first + part->p_memsz;
        foreign_n++;
    }
    return 0;
}

static bool is_foreign(const void *caller)
{
    for (size_t i = 0; i < foreign_n; i++)
        if ((uintptr_t)caller >= foreign[i].first && (uintptr_t)caller < foreign[i].end) return true;
    return false;
}

/* Counts an operation; true if it is to fail, with errno set. */
static bool strikes_for(enum file_fault kind, const void *caller)
{
#define FAULT_NUMBER(name, number) number,
    static const int numbers[] = {FILE_FAULTS(FAULT_NUMBER)};
#undef FAULT_NUMBER
    if (kind != armed || is_foreign(caller) || __atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST) != wanted) return false;
    if (note_path != NULL) syscall(SYS_close, syscall(SYS_open, note_path, O_WRONLY | O_CREAT, 0666));
    errno = numbers[kind];
    return true;
}
#define STRIKES(kind) strikes_for(FILE_FAULT_##kind, __builtin_return_address(0))

/* ---- Memory ---------------------------------------------------------------------------------- */

HAVE_REAL(malloc);
HAVE_REAL(calloc);
HAVE_REAL(realloc);
HAVE_REAL(mmap);

static void *counted(void *memory)
{
    if (memory != NULL) __atomic_add_fetch(&pieces, 1, __ATOMIC_SEQ_CST);
    return memory;
}

EXPORT void *malloc(size_t bytes) { return STRIKES(allocate) ? NULL : counted(REAL(malloc)(bytes)); }

EXPORT void *calloc(size_t n, size_t bytes) { return STRIKES(allocate) ? NULL : counted(REAL(calloc)(n, bytes)); }

EXPORT void *realloc(void *memory, size_t bytes)
{
    if (STRIKES(allocate)) return NULL;
    void *moved = REAL(realloc)(memory, bytes);
    return memory == NULL ? counted(moved) : moved;
}

EXPORT void free(void *memory)
{
    if (memory != NULL) __atomic_sub_fetch(&pieces, 1, __ATOMIC_SEQ_CST);
    REAL(free)(memory);
}

/* A sanitizer's own strdup would not call this malloc. */
EXPORT char *strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = STRIKES(allocate) ? NULL : (char *)counted(REAL(malloc)(bytes));
    return copy != NULL ? (char *)memcpy(copy, text, bytes) : NULL;
}

EXPORT void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return STRIKES(map) ? MAP_FAILED : REAL(mmap)(at, bytes, protection, flags, file, offset);
}

/* ---- Files ----------------------------------------------------------------------------------- */

HAVE_REAL(open);
HAVE_REAL(fcntl);
HAVE_REAL(mkostemp);
HAVE_REAL(memfd_create);
HAVE_REAL(stat);
HAVE_REAL(fstat);
HAVE_REAL(realpath);
HAVE_REAL(read);
HAVE_REAL(lseek);
HAVE_REAL(close);
HAVE_REAL(fchmod);
HAVE_REAL(fsync);
HAVE_REAL(rename);
HAVE_REAL(posix_spawnp);
HAVE_REAL(waitpid);

EXPORT int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return STRIKES(open) ? -1 : REAL(open)(path, flags, mode);
}

EXPORT int fcntl(int file, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return command == F_DUPFD_CLOEXEC && STRIKES(open) ? -1 : REAL(fcntl)(file, command, argument);
}

EXPORT int mkostemp(char *path, int flags) { return STRIKES(open) ? -1 : REAL(mkostemp)(path, flags); }

EXPORT int memfd_create(const char *name, unsigned flags) { return STRIKES(open) ? -1 : REAL(memfd_create)(name, flags); }

EXPORT int stat(const char *path, struct stat *about) { return STRIKES(look) ? -1 : REAL(stat)(path, about); }

EXPORT int fstat(int file, struct stat *about) { return STRIKES(look) ? -1 : REAL(fstat)(file, about); }

EXPORT char *realpath(const char *path, char *resolved) { return STRIKES(look) ? NULL : REAL(realpath)(path, resolved); }

EXPORT ssize_t read(int file, void *to, size_t bytes)
{
    if (STRIKES(read) || STRIKES(interrupted)) return -1;
    return REAL(read)(file, to, bytes > 0 && STRIKES(brief) ? 1 : bytes);
}

EXPORT off_t lseek(int file, off_t offset, int from) { return STRIKES(seek) ? -1 : REAL(lseek)(file, offset, from); }

/* Linux closes the file even if it reports an error. */
EXPORT int close(int file)
{
    const int result = REAL(close)(file);
    return STRIKES(close) ? -1 : result;
}

EXPORT int fchmod(int file, mode_t mode) { return STRIKES(mode) ? -1 : REAL(fchmod)(file, mode); }

EXPORT int fsync(int file) { return STRIKES(sync) ? -1 : REAL(fsync)(file); }

EXPORT int rename(const char *from, const char *to) { return STRIKES(rename) ? -1 : REAL(rename)(from, to); }

EXPORT int posix_spawnp(pid_t *child, const char *program, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *how,
                        char *const arguments[], char *const variables[])
{
    return STRIKES(spawn) ? errno : REAL(posix_spawnp)(child, program, actions, how, arguments, variables);
}

EXPORT pid_t waitpid(pid_t child, int *status, int options) { return STRIKES(wait) ? -1 : REAL(waitpid)(child, status, options); }

/* ---- Streams, in a preloaded process --------------------------------------------------------- */

HAVE_REAL(fopen);
HAVE_REAL(fdopen);
HAVE_REAL(fileno);

#define STREAMS_MOST 64
static FILE *streams[STREAMS_MOST]; /* by file descriptor */

static ssize_t stream_read(void *cookie, char *to, size_t bytes) { return read((int)(intptr_t)cookie, to, bytes); }

/* Writes all bytes: the C library takes a short count from a custom stream for an error.  0 is a
 * failure: of a negative count fwrite makes a large one, and reads behind the caller's bytes. */
static ssize_t stream_write(void *cookie, const char *from, size_t bytes)
{
    if (STRIKES(write)) return 0;
    for (size_t done = 0; done < bytes;) {
        const ssize_t put = write((int)(intptr_t)cookie, from + done, bytes - done);
        if (put < 0) return 0;
        done += (size_t)put;
    }
    return (ssize_t)bytes;
}

static int stream_seek(void *cookie, off64_t *offset, int from)
{
    *offset = lseek((int)(intptr_t)cookie, *offset, from);
    return *offset < 0 ? -1 : 0;
}

static int stream_close(void *cookie)
{
    streams[(intptr_t)cookie] = NULL;
    return close((int)(intptr_t)cookie);
}

static FILE *make_stream(int file, const char *mode)
{
    const cookie_io_functions_t functions = {stream_read, stream_write, stream_seek, stream_close};
    FILE *stream = file < STREAMS_MOST ? fopencookie((void *)(intptr_t)file, mode, functions) : NULL;
    if (stream != NULL) streams[file] = stream;
    return stream;
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
    if (note_path == NULL || is_foreign(__builtin_return_address(0))) return REAL(fopen)(path, mode);
    if (STRIKES(open)) return NULL;
    const int file = REAL(open)(path, *mode == 'r' ? O_RDONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    FILE *stream = file >= 0 ? make_stream(file, mode) : NULL;
    if (stream == NULL && file >= 0) REAL(close)(file);
    return stream;
}

EXPORT FILE *fdopen(int file, const char *mode) { return note_path != NULL ? make_stream(file, mode) : REAL(fdopen)(file, mode); }

EXPORT int fileno(FILE *stream)
{
    for (int i = 0; i < STREAMS_MOST; i++)
        if (streams[i] == stream) return i;
    return REAL(fileno)(stream);
}

/* ---- From main on ---------------------------------------------------------------------------- */

typedef int (*main_function)(int argc, char **argv, char **variables);
typedef void (*end_function)(void);

/* Arms the fault that the environment names. Child processes run without faults. */
static void begin(void)
{
    const char *fault = getenv("ROOST_FAULT"), *colon = fault != NULL ? strchr(fault, ':') : NULL;
    dl_iterate_phdr(find_foreign, NULL);
    if (colon == NULL) return;
    note_path = getenv("ROOST_FAULT_NOTE");
    unsetenv("LD_PRELOAD");
    FILE *standard_output = make_stream(STDOUT_FILENO, "w");
    if (standard_output == NULL || note_path == NULL) abort();
    stdout = standard_output;
    const size_t length = (size_t)(colon - fault);
    for (int kind = 0; kind < FILE_FAULT_COUNT; kind++) {
        const char *name = faulty_files_name((enum file_fault)kind);
        if (strlen(name) == length && memcmp(name, fault, length) == 0)
            faulty_files_arm((enum file_fault)kind, strtoull(colon + 1, NULL, 10));
    }
    if (armed == FILE_FAULT_COUNT) abort();
}

static main_function real_main;

static int faulty_main(int argc, char **argv, char **variables)
{
    begin();
    const int result = real_main(argc, argv, variables);
    faulty_files_arm(FILE_FAULT_COUNT, 0);
    return result;
}

HAVE_REAL(__libc_start_main);
int __libc_start_main(main_function main_of_program, int argc, char **argv, end_function init, end_function end,
                      end_function loader, void *stack);

/* The C library calls main through this function. No fault is armed earlier: before main, the
 * CUDA runtime registers kernels, and crashes if memory is refused. */
EXPORT int __libc_start_main(main_function main_of_program, int argc, char **argv, end_function init, end_function end,
                             end_function loader, void *stack)
{
    real_main = main_of_program;
    return REAL(__libc_start_main)(faulty_main, argc, argv, init, end, loader, stack);
}
