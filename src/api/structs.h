/* The structs of the public headers that begin with their size.  They grow at their end, and the
 * library accepts every size that a header has had.  A call works on a copy of this version,
 * which is made from the caller's struct, and copies results back. */
#ifndef ROOST_API_STRUCTS_H
#define ROOST_API_STRUCTS_H

#include "backends/backend.h"

enum { STRUCT_SIZES = 8 /* at most, per struct */ };

struct structure {
    const char *name;
    /* sizes in the kept headers (tests/abi), ascending, then this version's; 0 after the last */
    size_t sizes[STRUCT_SIZES];
    const void *defaults; /* this version's; NULL: all 0 */
    /* offset of the member `reserved` (4 bytes); 0: no such member for the caller to set */
    size_t reserved;
};

extern const struct structure struct_config, struct_call, struct_batch, struct_strings, struct_stats, struct_stat, struct_choice,
    struct_engine_info, struct_device_info, struct_measure_plan, struct_measured;

/* Has the struct ever had this size?
 * Returns: ROOST_ERR_ARGUMENT: larger than this version's ("header newer than library"), or no
 * header had it. */
roost_status struct_size_check(const struct structure *s, size_t size, struct error *error);

/* Writes the defaults to the caller's struct of `size` bytes.  function: name for the error's
 * text, which goes to the thread. */
roost_status struct_init(const struct structure *s, void *to, size_t size, const char *function);

/* Copies the caller's struct, whose first member is its size, to *to, a struct of this version.
 * Members that the caller's struct lacks get their defaults.
 * Returns: as struct_size_check; ROOST_ERR_ARGUMENT also: `reserved` is not 0. */
roost_status struct_read(const struct structure *s, void *to, const void *from, struct error *error);

/* Copies *from, of this version, to the caller's struct of `size` bytes, which struct_size_check
 * accepted. */
void struct_write(void *to, size_t size, const void *from);

#endif
