/* Arrow: a record batch of words and numbers, as another library hands it over, is added up by
 * word, and the sums are read from a stream of record batches.
 *
 *     cc arrow.c $(pkg-config --cflags --libs roost) && ./a.out */
#include <inttypes.h>
#include <roost/arrow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(roost_status status, const roost_table *table)
{
    if (status == ROOST_OK) return;
    fprintf(stderr, "%s: %s\n", roost_status_name(status), roost_last_error(table));
    exit(1);
}

/* ---- The other library ----------------------------------------------------------------------- */

/* Nothing was allocated for these arrays. */
static void schema_released(struct ArrowSchema *schema) { schema->release = NULL; }
static void array_released(struct ArrowArray *array) { array->release = NULL; }

/* Six rows of struct{word: utf8, number: int64}; the word of row 3 is NULL. */
struct batch {
    struct ArrowSchema schema, columns[2], *schemas[2];
    struct ArrowArray array, arrays[2], *children[2];
};

static void batch_make(struct batch *b)
{
    static const int32_t offsets[] = {0, 5, 9, 14, 14, 18, 23};
    static const char bytes[] = "roostnestroostnestroost";
    static const uint8_t valid[] = {0x37};
    static const int64_t numbers[] = {1, 10, 100, 1000, 20, 200};
    static const void *words[] = {valid, offsets, bytes}, *items[] = {NULL, numbers}, *rows[] = {NULL};
    memset(b, 0, sizeof *b);
    b->columns[0] = (struct ArrowSchema){.format = "u", .name = "word", .flags = ARROW_FLAG_NULLABLE, .release = schema_released};
    b->columns[1] = (struct ArrowSchema){.format = "l", .name = "number", .release = schema_released};
    b->arrays[0] = (struct ArrowArray){.length = 6, .null_count = 1, .n_buffers = 3, .buffers = words, .release = array_released};
    b->arrays[1] = (struct ArrowArray){.length = 6, .n_buffers = 2, .buffers = items, .release = array_released};
    for (int i = 0; i < 2; i++) b->schemas[i] = &b->columns[i], b->children[i] = &b->arrays[i];
    b->schema = (struct ArrowSchema){.format = "+s", .n_children = 2, .children = b->schemas, .release = schema_released};
    b->array = (struct ArrowArray){
        .length = 6, .n_buffers = 1, .buffers = rows, .n_children = 2, .children = b->children, .release = array_released};
}

/* ---- Sums by word ---------------------------------------------------------------------------- */

static void batch_add(roost_table *table, const struct batch *b)
{
    roost_arrow words = ROOST_ARROW_INIT, numbers = ROOST_ARROW_INIT;
    words.schema = numbers.schema = &b->schema;
    words.array = numbers.array = &b->array;
    words.child = 0, numbers.child = 1;
    require(roost_insert_arrow(table, ROOST_ADD, &words, &numbers, NULL), table);
}

/* Strings come as large utf8: offsets of 64 bits. */
static void batch_print(const struct ArrowArray *batch)
{
    const int64_t *const offsets = (const int64_t *)batch->children[0]->buffers[1];
    const char *const bytes = (const char *)batch->children[0]->buffers[2];
    const int64_t *const sums = (const int64_t *)batch->children[1]->buffers[1];
    for (int64_t i = 0; i < batch->length; i++)
        printf("%.*s\t%" PRId64 "\n", (int)(offsets[i + 1] - offsets[i]), bytes + offsets[i], sums[i]);
}

static void table_print(const roost_table *table)
{
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    require(roost_export_arrow(table, &stream, 0, ROOST_ARROW_UTF8, NULL), table);
    while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
        batch_print(&batch);
        batch.release(&batch);
    }
    stream.release(&stream);
}

int main(void)
{
    roost_config config = ROOST_CONFIG_INIT;
    roost_table *table;
    struct batch batch;
    batch_make(&batch);
    config.key_type = ROOST_TYPE_STRING;
    config.value_type = ROOST_TYPE_I64;
    require(roost_table_create(&table, &config), NULL);
    batch_add(table, &batch);
    table_print(table);
    roost_table_destroy(table);
    return 0;
}
