/* Tables of engine gph, for the programs that test only this engine. */
#ifndef ROOST_TESTS_GPH_TABLES_H
#define ROOST_TESTS_GPH_TABLES_H

#include "support/model.h"

void gph_config(const struct variant *variant, roost_config *config);

void open_gph(struct table *table, const struct variant *variant, uint64_t capacity);

/* Opens a table beside the reference.  The tests of this engine check its fill themselves: the
 * rules of models are those of the engine that the run tests. */
void open_gph_model(struct model *model, const struct variant *variant, uint64_t capacity, int growth, uint64_t seed);

/* Inserts the items in `pieces` calls. */
void gph_insert(struct table *table, const uint64_t *keys, size_t n, size_t pieces);

/* Adds a case for every width, and for options that change buckets, cells or mappings; on a GPU
 * with the arrays on the host, on the device, and mixed. */
void add_gph_kinds(const char *behaviour, test_body body, int threads, uint64_t number);

#endif
