/* Groups of rows with equal keys, and their aggregates: the calls. */
#include "relations/group.h"

static roost_status config_check(const roost_group_config *c)
{
    struct error *const error = thread_error();
    if (c->size != sizeof *c)
        return error_set(error, ROOST_ERR_ARGUMENT, "roost_group_config: size is %zu, and must be %zu", c->size, sizeof *c);
    if (c->flags & ~(ROOST_ORDERED | ROOST_SUMS_WRAP))
        return error_set(error, ROOST_ERR_ARGUMENT, "roost_group_config: flags has unknown bits");
    if (c->key_columns < 1 || c->key_columns > ROOST_GROUP_KEYS_MOST || !c->keys)
        return error_set(error, ROOST_ERR_ARGUMENT, "%d key columns: there are 1 to %d", c->key_columns, ROOST_GROUP_KEYS_MOST);
    if (c->value_columns < 0 || c->value_columns > ROOST_GROUP_VALUES_MOST || (c->value_columns && !c->values))
        return error_set(error, ROOST_ERR_ARGUMENT, "%d value columns: there are 0 to %d", c->value_columns,
                         ROOST_GROUP_VALUES_MOST);
    if (c->aggregates < 0 || c->aggregates > ROOST_GROUP_VALUES_MOST || (c->aggregates && !c->aggregate))
        return error_set(error, ROOST_ERR_ARGUMENT, "%d aggregates: there are 0 to %d", c->aggregates, ROOST_GROUP_VALUES_MOST);
    for (int i = 0; i < c->value_columns; i++)
        if (c->values[i].size != sizeof *c->values || !type_is_number(c->values[i].type))
            return error_set(error, ROOST_ERR_UNSUPPORTED, "value column %d: values are integers and floats of 4 and 8 bytes", i);
    for (int i = 0; i < c->aggregates; i++) {
        const roost_aggregate *const a = &c->aggregate[i];
        if ((unsigned)a->kind > ROOST_COUNT_DISTINCT || (a->kind && (a->column < 0 || a->column >= c->value_columns)))
            return error_set(error, ROOST_ERR_ARGUMENT, "aggregate %d: a kind or a column that there is not", i);
    }
    return ROOST_OK;
}

ROOST_EXPORT roost_status roost_group_create(roost_group **group, const roost_group_config *config)
{
    if (!group || !config) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_group_create: an argument is NULL");
    *group = NULL;
    const roost_status status = config_check(config);
    return status ? status : group_one_create(group, config, config->capacity, NULL);
}

ROOST_EXPORT void roost_group_destroy(roost_group *group)
{
    if (group) group_parts_release(group);
    group_one_destroy(group);
}

roost_status group_usable(const struct roost_group *g)
{
    if (!g->broken) return ROOST_OK;
    return error_set(thread_error(), g->broken, "an earlier call failed, and the groups are of no use");
}

ROOST_EXPORT roost_status roost_group_add(roost_group *group, const roost_column *keys, const roost_column *values, size_t n,
                                          const roost_call *call)
{
    if (!group || !keys || (!values && group->value_columns))
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_group_add: an argument is NULL");
    struct roost_table *const t = group->keys.last;
    roost_call own;
    roost_status status = call_finish(t, call_read(t, &call, 0, &own));
    if (!status) status = group_usable(group);
    if (!status) status = columns_check(keys, &group->keys.coder[0].type, sizeof group->keys.coder[0], group->keys.columns, n);
    if (!status) status = columns_check(values, group->value, sizeof group->value[0], group->value_columns, n);
    if (!status) status = group_parts_begin(group, keys, n);
    if (status) return status;
    return group->part ? group_parts_add(group, keys, values, n) : group_one_add(group, keys, values, n, call->stream);
}

ROOST_EXPORT roost_status roost_group_count(const roost_group *group, uint64_t *groups)
{
    if (!group || !groups) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_group_count: an argument is NULL");
    *groups = group->groups;
    return group_usable(group);
}
