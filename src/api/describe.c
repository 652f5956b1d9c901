/* The abilities of this library and machine: versions, engines, devices. */
#include "profiles/profile.h"
#include "api/collective.h"
#include "api/registry.h"
#include "api/structs.h"
#include "roost/tuning.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

ROOST_EXPORT uint32_t roost_version(void) { return ROOST_VERSION; }

ROOST_EXPORT const char *roost_version_string(void)
{
    return TEXT(ROOST_VERSION_MAJOR) "." TEXT(ROOST_VERSION_MINOR) "." TEXT(ROOST_VERSION_PATCH);
}

ROOST_EXPORT roost_status roost_engine_describe(size_t index, roost_engine_info *info, size_t size)
{
    if (!info) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_engine_describe: info is NULL");
    const roost_status status = struct_size_check(&struct_engine_info, size, thread_error());
    if (status) return status;
    const struct engine *e = registry_at(index);
    if (!e) return error_set(thread_error(), ROOST_ERR_NOT_FOUND, "there is no engine %zu", index);
    const struct engine_text *text = registry_text(e);
    const roost_engine_info filled = {size,       e->name,  e->summary, e->operations, e->widths,
                                      text->help, e->mixes, e->multi,   text->tuned,   e->export_strings != NULL,
                                      0};
    struct_write(info, size, &filled);
    return ROOST_OK;
}

ROOST_EXPORT roost_status roost_device_describe(size_t index, roost_device_info *info, size_t size)
{
    roost_device_info filled;
    if (!info) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_device_describe: info is NULL");
    roost_status status = struct_size_check(&struct_device_info, size, thread_error());
    if (status) return status;
    memset(&filled, 0, sizeof filled);
    status = backend_describe(index, &filled);
    if (!status) profile_name(filled.model, filled.profile, filled.profile_path);
    struct_write(info, size, &filled);
    return status ? error_set(thread_error(), status, "there is no device %zu, or its driver failed", index) : ROOST_OK;
}

ROOST_EXPORT const char *roost_table_engine(const roost_table *table) { return table ? table->engine->name : ""; }
ROOST_EXPORT const char *roost_table_device(const roost_table *table)
{
    if (!table) return "";
    return table->group && table->group->devices ? table->group->devices : table->backend->name;
}
