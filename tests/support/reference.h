/* An exact map from 64-bit keys to 64-bit values: a plain chained table, with which Roost's
 * tables are compared. */
#ifndef ROOST_TESTS_REFERENCE_H
#define ROOST_TESTS_REFERENCE_H

#include <roost/roost.h>
#include <stdbool.h>

struct reference;

struct reference *reference_make(void);
void reference_free(struct reference *reference);
void reference_clear(struct reference *reference);
uint64_t reference_count(const struct reference *reference);

/* True if the key is there; its value goes to *value (which may be NULL). */
bool reference_get(const struct reference *reference, uint64_t key, uint64_t *value);

/* Stores the key with this value, whether it is present or not. */
void reference_put(struct reference *reference, uint64_t key, uint64_t value);

/* Removes the key; true if it was there. */
bool reference_remove(struct reference *reference, uint64_t key);

/* What a value becomes when a mode combines it with `operand`. */
uint64_t reference_combine(roost_mode mode, roost_type type, bool saturate, uint64_t value, uint64_t operand);

#endif
