/* The choice of an engine and a device where a configuration leaves them open.  It rests on the
 * measurements of all engines on one workload in bench/results. */
#ifndef ROOST_API_CHOOSE_H
#define ROOST_API_CHOOSE_H

#include "engines/engine.h"

enum choice_place { CHOICE_GPU, CHOICE_HOST, CHOICE_PLACES };

/* The inputs of a choice. */
struct choice_hints {
    enum choice_place place;
    roost_work work;
    uint64_t keys; /* 0: unknown */
    double load;
    int key_bytes, value_bytes;
    bool growth, multi;
};

/* Expected operations per second of an engine. 0: it is unable, or nothing is known. */
double choice_rate(const struct engine *engine, const struct choice_hints *hints);

/* The able engine that is expected to be fastest for this work.  Without measurements: the first
 * able one, or the default one. */
const struct engine *choice_engine(const struct choice_hints *hints);

/* Do batches of `batch` items from host arrays take less time on the host than on a GPU? */
bool choice_stays_on_host(uint64_t batch);

#endif
