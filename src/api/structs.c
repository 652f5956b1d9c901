/* Structs that grow: their sizes and defaults, and copies from and to the caller's structs. */
#include "api/structs.h"

#include <stdio.h>

#include "api/table.h"
#include "roost/mixed.h"
#include "roost/strings.h"
#include "roost/tuning.h"

static const roost_config config_defaults = ROOST_CONFIG_INIT;
static const roost_call call_defaults = ROOST_CALL_INIT;
static const roost_batch batch_defaults = ROOST_BATCH_INIT;
static const roost_strings strings_defaults = ROOST_STRINGS_INIT;
static const roost_measure_plan plan_defaults = ROOST_MEASURE_PLAN_INIT;

/* The sizes in the kept headers: that of commit 4c39953, and that of the freeze after it, which
 * did not change them.  A struct that grows also gets its size in the header that is kept before
 * it. */
const struct structure struct_config = {"roost_config", {192, sizeof(roost_config)}, &config_defaults, 0};
const struct structure struct_call = {"roost_call", {40, sizeof(roost_call)}, &call_defaults, offsetof(roost_call, reserved)};
const struct structure struct_batch = {"roost_batch", {48, sizeof(roost_batch)}, &batch_defaults, 0};
const struct structure struct_strings = {
    "roost_strings", {32, sizeof(roost_strings)}, &strings_defaults, offsetof(roost_strings, reserved)};
const struct structure struct_stats = {"roost_stats", {144, sizeof(roost_stats)}, NULL, 0};
const struct structure struct_stat = {"roost_stat", {88, sizeof(roost_stat)}, NULL, 0};
const struct structure struct_choice = {"roost_choice", {568, sizeof(roost_choice)}, NULL, 0};
const struct structure struct_engine_info = {"roost_engine_info", {72, sizeof(roost_engine_info)}, NULL, 0};
const struct structure struct_device_info = {"roost_device_info", {2344, sizeof(roost_device_info)}, NULL, 0};
const struct structure struct_measure_plan = {"roost_measure_plan", {48, sizeof(roost_measure_plan)}, &plan_defaults, 0};
const struct structure struct_measured = {"roost_measured", {4176, sizeof(roost_measured)}, NULL, 0};

static size_t newest_size(const struct structure *s)
{
    size_t newest = 0;
    for (int i = 0; i < STRUCT_SIZES && s->sizes[i]; i++) newest = s->sizes[i];
    return newest;
}

static size_t size_of(const void *structure)
{
    size_t size;
    memcpy(&size, structure, sizeof size);
    return size;
}

static roost_status size_unknown(const struct structure *s, size_t size, struct error *error)
{
    char known[STRUCT_SIZES * 24] = "";
    size_t length = 0;
    for (int i = 0; i < STRUCT_SIZES && s->sizes[i]; i++)
        if (!i || s->sizes[i] != s->sizes[i - 1])
            length += (size_t)snprintf(known + length, sizeof known - length, "%s%zu", i ? ", " : "", s->sizes[i]);
    return error_set(error, ROOST_ERR_ARGUMENT, "%s: size is %zu, and headers had %s: set it to sizeof(%s), as its _INIT does",
                     s->name, size, known, s->name);
}

roost_status struct_size_check(const struct structure *s, size_t size, struct error *error)
{
    for (int i = 0; i < STRUCT_SIZES && s->sizes[i]; i++)
        if (size == s->sizes[i]) return ROOST_OK;
    if (size < newest_size(s)) return size_unknown(s, size, error);
    return error_set(error, ROOST_ERR_ARGUMENT, "%s: size is %zu, and this library knows %zu: header newer than library", s->name,
                     size, newest_size(s));
}

void struct_write(void *to, size_t size, const void *from)
{
    memcpy(to, from, size);
    memcpy(to, &size, sizeof size);
}

roost_status struct_init(const struct structure *s, void *to, size_t size, const char *function)
{
    if (!to) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "%s: the %s is NULL", function, s->name);
    const roost_status status = struct_size_check(s, size, thread_error());
    if (!status) struct_write(to, size, s->defaults);
    return status;
}

static roost_status reserved_check(const struct structure *s, const void *structure, struct error *error)
{
    uint32_t reserved = 0;
    if (s->reserved) memcpy(&reserved, (const char *)structure + s->reserved, sizeof reserved);
    if (!reserved) return ROOST_OK;
    return error_set(error, ROOST_ERR_ARGUMENT, "%s: reserved is %u, and must be 0", s->name, reserved);
}

roost_status struct_read(const struct structure *s, void *to, const void *from, struct error *error)
{
    const size_t size = size_of(from), newest = newest_size(s);
    const roost_status status = struct_size_check(s, size, error);
    if (status) return status;
    memcpy(to, s->defaults, newest);
    memcpy(to, from, size);
    memcpy(to, &newest, sizeof newest);
    return reserved_check(s, to, error);
}
