/* A table's types as columns have them. */
#ifndef ROOST_ARROW_ARROW_TABLES_H
#define ROOST_ARROW_ARROW_TABLES_H

#include "api/table.h"
#include "roost/arrow.h"

/* Of its keys; of its values, NONE for sets. */
roost_column table_key_type(const struct roost_table *t);
roost_column table_value_type(const struct roost_table *t);

#endif
