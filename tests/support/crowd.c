/* Looks into a table with the engine's own functions. A file of its own, because the tests'
 * headers have another `struct shape`. */
#include "support/crowd.h"

#include "api/table.h"
#include "engines/dycuckoo/dycuckoo_table.h"

bool crowd_has(const roost_table *table, uint64_t key)
{
    const struct dycuckoo_table *t = (const struct dycuckoo_table *)table->at;
    struct home home[MAX_HOMES];
    if (key == 0) return false;
    homes_of(t->base.shape, &t->view, key, home);
    return home[0].sub < 2 && home[1].sub < 2;
}
