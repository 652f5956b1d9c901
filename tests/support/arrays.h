/* A call's arrays, on the host or on the device. */
#ifndef ROOST_TESTS_ARRAYS_H
#define ROOST_TESTS_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>

/* 1 in builds with the CUDA runtime. */
#ifndef ROOST_WITH_CUDA
#define ROOST_WITH_CUDA 0
#endif

struct array {
    void *host;  /* NULL: no array */
    void *given; /* the array that the call gets: `host`, or its copy on the device */
    size_t bytes;
};

/* Makes an array of `bytes` bytes that the host can fill; never NULL. */
struct array array_make(size_t bytes);

/* Puts the array where the call will find it. */
void array_send(struct array *array, bool to_device);

/* array_update copies what the host has changed since to the same place; array_clear zeroes it
 * there. */
void array_update(struct array *array);
void array_clear(struct array *array);

/* Copies back what a call wrote. */
void array_fetch(struct array *array);

void array_free(struct array *array);

#endif
