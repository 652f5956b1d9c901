/* Schemas and arrays that calls give.  Each node has its own memory, because a consumer may move
 * children out of their parent and release them by themselves. */
#include "arrow/arrow_result.h"

#include <string.h>

void arrow_schema_drop(struct ArrowSchema *schema)
{
    if (schema->release) schema->release(schema);
}

void arrow_array_drop(struct ArrowArray *array)
{
    if (array->release) array->release(array);
}

static void schema_release(struct ArrowSchema *schema)
{
    struct arrow_memory m = {(struct arrow_block *)schema->private_data};
    for (int64_t i = 0; i < schema->n_children; i++) arrow_schema_drop(schema->children[i]);
    schema->release = NULL;
    arrow_free(&m);
}

static void array_release(struct ArrowArray *array)
{
    struct arrow_memory m = {(struct arrow_block *)array->private_data};
    for (int64_t i = 0; i < array->n_children; i++) arrow_array_drop(array->children[i]);
    array->release = NULL;
    arrow_free(&m);
}

/* ---- Schemas --------------------------------------------------------------------------------- */

/* n pointers to structs that are all 0: as released. */
static void **children_make(struct arrow_memory *m, int64_t n, size_t bytes)
{
    void **const pointers = (void **)arrow_new(m, (uint64_t)n, sizeof *pointers);
    char *const structs = (char *)arrow_new_zeroed(m, (uint64_t)n, bytes);
    if (!pointers || !structs) return NULL;
    for (int64_t i = 0; i < n; i++) pointers[i] = structs + (size_t)i * bytes;
    return pointers;
}

roost_status arrow_schema_make(struct ArrowSchema *out, const char *name, const char *format, bool nullable, int64_t children)
{
    struct arrow_memory m = {NULL};
    memset(out, 0, sizeof *out);
    const char *const own_name = arrow_new_text(&m, name), *const own_format = arrow_new_text(&m, format);
    void **const pointers = children ? children_make(&m, children, sizeof *out) : NULL;
    if (!own_name || !own_format || (children && !pointers)) return arrow_free(&m), ROOST_ERR_MEMORY;
    out->name = own_name;
    out->format = own_format;
    out->flags = nullable ? ARROW_FLAG_NULLABLE : 0;
    out->n_children = children;
    out->children = (struct ArrowSchema **)pointers;
    out->release = schema_release;
    out->private_data = m.blocks;
    return ROOST_OK;
}

roost_status arrow_schema_make_typed(struct ArrowSchema *out, const char *name, const roost_column *type, bool utf8)
{
    char format[FORMAT_TEXT];
    format_write(type->type, type->bytes, utf8, format);
    return arrow_schema_make(out, name, format, type->nullable != 0, 0);
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

roost_status arrow_array_make(struct ArrowArray *out, const struct arrow_buffers *buffers, struct arrow_memory *m)
{
    struct arrow_memory own = *m;
    m->blocks = NULL;
    memset(out, 0, sizeof *out);
    const size_t bytes = (unsigned)buffers->count * sizeof(void *);
    void *const pointers = arrow_new(&own, bytes, 1);
    if (!pointers) return arrow_free(&own), ROOST_ERR_MEMORY;
    memcpy(pointers, buffers->at, bytes);
    out->length = buffers->n;
    out->null_count = buffers->nulls;
    out->n_buffers = buffers->count;
    out->buffers = (const void **)pointers;
    out->release = array_release;
    out->private_data = own.blocks;
    return ROOST_OK;
}

roost_status arrow_array_make_struct(struct ArrowArray *out, int64_t n, int64_t children)
{
    struct arrow_memory m = {NULL};
    const struct arrow_buffers buffers = {{NULL}, 1, n, 0};
    memset(out, 0, sizeof *out);
    void **const pointers = children_make(&m, children, sizeof *out);
    if (!pointers) return arrow_free(&m), ROOST_ERR_MEMORY;
    const roost_status status = arrow_array_make(out, &buffers, &m);
    if (status) return status;
    out->n_children = children;
    out->children = (struct ArrowArray **)pointers;
    return ROOST_OK;
}
