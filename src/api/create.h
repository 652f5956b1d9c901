/* Making a table on one device. */
#ifndef ROOST_API_CREATE_H
#define ROOST_API_CREATE_H

#include "api/table.h"

/* Copies a configuration to *own, and checks it.  function: of the caller, for the message. */
roost_status config_read(const roost_config *config, roost_config *own, const char *function);

/* roost_table_create for a configuration that names one device, or none. */
roost_status table_create_one(struct roost_table **table, const roost_config *config);

#endif
