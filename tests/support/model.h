/* A table beside the exact reference. Every batch goes through both, and everything that the
 * contract defines is compared: the call's status, each item's status, the values, the table's
 * numbers, its own check. */
#ifndef ROOST_TESTS_MODEL_H
#define ROOST_TESTS_MODEL_H

#include "support/fill.h"
#include "support/reference.h"

struct model {
    struct table table;
    struct reference *reference;
    struct fill_rules rules;
    bool saturate;
    unsigned finds; /* finds so far */
    bool *looking;  /* NULL, or a flag that is set while the model's own checks ask for memory */
};

/* config NULL: the one of table_config. */
void model_open(struct model *model, const struct variant *variant, const roost_config *config);
void model_close(struct model *model);

/* Each returns the call's status: ROOST_OK; inserts also ROOST_ERR_FULL and ROOST_ERR_MEMORY. */
roost_status model_insert(struct model *model, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n);
void model_find(struct model *model, const uint64_t *keys, size_t n);
void model_erase(struct model *model, const uint64_t *keys, size_t n);
void model_clear(struct model *model);
void model_reserve(struct model *model, uint64_t keys);

/* Compares all contents, by an export. */
void model_compare(struct model *model);

#endif
