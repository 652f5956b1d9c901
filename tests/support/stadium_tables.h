/* Tables of engine stadium, for the programs that test only this engine. */
#ifndef ROOST_TESTS_STADIUM_TABLES_H
#define ROOST_TESTS_STADIUM_TABLES_H

#include "support/model.h"

void stadium_config(const struct variant *variant, roost_config *config);

/* Opens a table with the engine's defaults except for the variant's. */
void open_table(struct table *table, const struct variant *variant);

/* Opens a table beside the reference. */
void open_model(struct model *model, const struct variant *variant, uint64_t capacity, int growth);

/* True if this text is among the variant's options. */
bool has_option(const struct variant *variant, const char *text);

/* True if pairs have marks. */
bool has_marks(const struct variant *variant);

/* Values of n items, drawn by the case's seed. */
uint64_t *any_values(const struct test_shape *shape, size_t n);

#endif
