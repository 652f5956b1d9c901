/* The library's choice of an engine and of a device, where a configuration leaves them open: by what bench/results measured of all engines on one
 * workload. */
#ifndef ROOST_API_CHOOSE_H
#define ROOST_API_CHOOSE_H

#include "engines/engine.h"

enum choice_place { CHOICE_GPU, CHOICE_HOST, CHOICE_PLACES };

/* What a choice is made by. */
struct choice_hints {
    enum choice_place place;
    roost_work work;
    uint64_t keys; /* 0: not known */
    double load;
    int key_bytes, value_bytes;
    bool growth, multi;
};

/* Operations a second that an engine is expected to carry out; 0: it cannot, or nothing is known of it. */
double choice_rate(const struct engine *engine, const struct choice_hints *hints);

/* The engine that is expected to be the fastest for this work, of those that can do it; the default one where none is known to. */
const struct engine *choice_engine(const struct choice_hints *hints);

/* Do batches of so many items, from arrays in host memory, take less time on the host than on a GPU? */
bool choice_stays_on_host(uint64_t batch);

#endif
