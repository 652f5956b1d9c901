/* Checks of arguments, and the common end of calls on a table. */
#include "api/checks.h"

#include "api/registry.h"

roost_status call_finish(const struct roost_table *table, roost_status status)
{
    if (status) *thread_error() = table->error;
    return status;
}

roost_status call_without_table(const char *function)
{
    return error_set(thread_error(), ROOST_ERR_ARGUMENT, "%s: table is NULL", function);
}

roost_status call_read(struct roost_table *t, const roost_call **call, uint32_t flags, roost_call *own)
{
    static const roost_call defaults = ROOST_CALL_INIT;
    const roost_call *const given = *call ? *call : &defaults;
    *own = defaults;
    *call = own; /* also if the caller's is refused: it may be too short to be read */
    const roost_status status = struct_read(&struct_call, own, given, &t->error);
    if (status) return status;
    if (own->flags & ~flags)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "call.flags has bits that this call does not take: 0x%x",
                         (unsigned)(own->flags & ~flags));
    if ((unsigned)own->space > ROOST_SPACE_DEVICE)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "call.space is not a roost_space");
    if (own->space == ROOST_SPACE_DEVICE && cuda_device_count() == 0)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "call.space is DEVICE, but this machine has no device");
    return ROOST_OK;
}

roost_status check_array(struct roost_table *t, const char *name, const void *array, size_t n, int bytes)
{
    if (n > SIZE_MAX / 16 / (bytes > 16 ? (unsigned)bytes : 1))
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "n is %zu: its bytes overflow", n);
    /* Arrays of other widths may have any address. */
    if (array && width_is_word(bytes) && (uintptr_t)array % (unsigned)bytes)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "%s is not aligned to %d bytes", name, bytes);
    return ROOST_OK;
}

roost_status check_given(struct roost_table *t, const char *name, const void *array, size_t n, int bytes)
{
    if (n && !array) return error_set(&t->error, ROOST_ERR_ARGUMENT, "%s is NULL", name);
    return check_array(t, name, array, n, bytes);
}

roost_status check_words(struct roost_table *t, const char *what)
{
    if (width_is_word(t->key_bytes) && (!t->value_bytes || width_is_word(t->value_bytes))) return ROOST_OK;
    return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "%s is for keys and values of 4 and 8 bytes", what);
}

roost_status check_keys(struct roost_table *t, const void *keys, size_t n)
{
    if (!t->strings) return check_given(t, "keys", keys, n, t->key_bytes);
    return error_set(&t->error, ROOST_ERR_UNSUPPORTED,
                     "the table's keys are strings: roost_insert_strings, roost_find_strings, roost_erase_strings, "
                     "roost_export_strings");
}

roost_status check_able(struct roost_table *t, const char *operation, bool (*able)(const struct engine *engine))
{
    char names[128];
    if (t->group) return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "a table that is spread over ranks has no %s", operation);
    if (able(t->engine)) return ROOST_OK;
    registry_able(able, names, sizeof names);
    return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "engine %s has no %s; engines with it: %s", t->engine->name, operation,
                     names);
}

bool mode_is_taken(const struct roost_table *t, roost_mode mode)
{
    if (t->multi || mode == ROOST_APPEND) return t->multi && mode == ROOST_APPEND;
    return mode < ROOST_ADD || t->arithmetic;
}

uint16_t operations_taken(const struct roost_table *t, bool inserts)
{
    unsigned taken = 1u << ROOST_OP_FIND | 1u << ROOST_OP_ERASE;
    for (unsigned mode = ROOST_ASSIGN; inserts && mode <= ROOST_APPEND; mode++)
        if (mode_is_taken(t, (roost_mode)mode)) taken |= 1u << (ROOST_OP_INSERT + mode);
    return (uint16_t)taken;
}

struct batch batch_of(const struct roost_table *t, const void *keys, size_t n, const roost_call *call)
{
    struct batch b;
    memset(&b, 0, sizeof b);
    b.keys = keys;
    b.n = n;
    b.statuses = call->statuses;
    b.value_type = (uint8_t)t->value_type;
    b.saturate = t->saturate;
    b.key_bytes = (uint8_t)t->key_bytes;
    b.value_bytes = (uint16_t)t->value_bytes;
    return b;
}
