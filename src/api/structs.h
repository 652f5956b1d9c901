/* The structs of the public headers that begin with their size.  They grow at their end: the library accepts every size that a
 * header has had.  A call copies the caller's struct into one of this version before it uses it, and its results the other way. */
#ifndef ROOST_API_STRUCTS_H
#define ROOST_API_STRUCTS_H

#include "backends/backend.h"

enum { STRUCT_SIZES = 8 /* at most, of one struct */ };

struct structure {
    const char *name;
    size_t sizes[STRUCT_SIZES]; /* in kept headers (tests/abi), ascending, then this version's; 0 behind them */
    const void *defaults;       /* of this version's struct; NULL: all 0 */
    size_t reserved;            /* where its member `reserved` is, 4 bytes; 0: it has none that the caller sets */
};

extern const struct structure struct_config, struct_call, struct_batch, struct_strings, struct_stats, struct_stat, struct_choice,
    struct_engine_info, struct_device_info, struct_measure_plan, struct_measured;

/* Is `size` one that the struct has had?
 * Returns: ROOST_ERR_ARGUMENT: it is larger than this version's ("header newer than library"), or no header had it. */
roost_status struct_size_check(const struct structure *s, size_t size, struct error *error);

/* Writes the defaults to the caller's struct of `size` bytes.  function: for the error's text.  The error is the thread's. */
roost_status struct_init(const struct structure *s, void *to, size_t size, const char *function);

/* Copies the caller's struct, whose size is its first member, to *to, a struct of this version: members that the caller's lacks
 * have their defaults.
 * Returns: as struct_size_check; ROOST_ERR_ARGUMENT also: `reserved` is not 0. */
roost_status struct_read(const struct structure *s, void *to, const void *from, struct error *error);

/* Copies *from, of this version, to the caller's struct of `size` bytes, which struct_size_check has let pass. */
void struct_write(void *to, size_t size, const void *from);

#endif
