/* A DuckDB extension that keeps results of queries as Roost's tables (README.md).
 *
 * DuckDB lends the database only while it loads us, so all connections are opened then.  A table is
 * a vector for each column, and a roost_table of the first row of each key.  It is freed when the
 * last query that uses it gives it back. */
#include <pthread.h>
#include <roost/strings.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "duckdb_extension.h"

DUCKDB_EXTENSION_EXTERN

#define CHUNK 2048 /* rows of the largest chunk that DuckDB gives and takes */
#define CONNECTIONS 16

/* What keys and values are kept as. */
enum { INTEGERS, FLOATS, STRINGS, NO_KIND };
static const char *const kind_names[] = {"BIGINT", "DOUBLE", "VARCHAR", "of another type"};

struct table {
    char *name;
    size_t columns, rows;
    const char **names;   /* of columns: the first is the key, the second is the value */
    duckdb_vector *items; /* of columns other than the key; one more than rows: NULL */
    int kind[2];          /* of the first two */
    roost_table *first;   /* the first row of each key that is not NULL */
    uint32_t *after;      /* 1 + the next row of the same key, or 0; NULL: all keys are different */
    atomic_int users;
    struct table *next;
};

struct names {            /* of a database */
    pthread_mutex_t lock; /* of the list */
    struct table *tables;
    duckdb_connection connections[CONNECTIONS];
    atomic_flag busy[CONNECTIONS];
};

struct run { /* a query on a connection of our own */
    struct names *names;
    int connection;
    duckdb_prepared_statement statement;
    duckdb_result result;
};

struct keys {                           /* of a chunk, without NULLs */
    uint64_t words[CHUNK + 1];          /* as Roost takes them; of strings: offsets in `bytes` */
    uint32_t rows[CHUNK], first[CHUNK]; /* their rows, and the first rows of these keys in a table */
    char *bytes;
    size_t n, room;
};

struct call { /* of roost_join, as DuckDB binds it */
    struct table *table;
    struct run run; /* prepared if it has columns */
    size_t columns;
    struct probe *probe; /* the execution to which the run belongs */
};

struct probe { /* an execution: a chunk, and its rows that match, some of which have been given */
    struct keys keys;
    duckdb_data_chunk chunk;
    size_t next;
};

static _Thread_local char error[512]; /* the last one of this thread */
#define fail(...) (snprintf(error, sizeof error, "roost: " __VA_ARGS__) < 0)

static int kind_of(duckdb_logical_type type)
{
    duckdb_type id = duckdb_get_type_id(type);
    duckdb_destroy_logical_type(&type);
    if (id >= DUCKDB_TYPE_TINYINT && id <= DUCKDB_TYPE_UINTEGER) return INTEGERS;
    if (id == DUCKDB_TYPE_FLOAT || id == DUCKDB_TYPE_DOUBLE) return FLOATS;
    return id == DUCKDB_TYPE_VARCHAR ? STRINGS : NO_KIND;
}

/* Copies n items of some rows (NULL: the first n) to a vector, from place `to` on. */
static void copy_rows(duckdb_vector from, const uint32_t *rows, idx_t n, duckdb_vector vector, idx_t to)
{
    duckdb_selection_vector selection = duckdb_create_selection_vector(n);
    for (idx_t i = 0; i < n; i++) duckdb_selection_vector_get_data_ptr(selection)[i] = rows ? rows[i] : (uint32_t)i;
    duckdb_vector_copy_sel(from, vector, selection, n, 0, to);
    duckdb_destroy_selection_vector(selection);
}

static const char *string_bytes(duckdb_vector vector, idx_t i, size_t *length)
{
    const duckdb_string_t *string = (const duckdb_string_t *)duckdb_vector_get_data(vector) + i;
    *length = string->value.inlined.length;
    return *length <= 12 ? string->value.inlined.inlined : string->value.pointer.ptr;
}

/* ---- Tables by name, and queries --------------------------------------------------------------- */

static void table_give(struct table *table)
{
    if (!table || --table->users > 0) return;
    for (size_t c = 0; c < table->columns; c++) duckdb_free((void *)table->names[c]), duckdb_destroy_vector(&table->items[c]);
    roost_table_destroy(table->first);
    free(table->after), free(table->names), free(table->items), free(table->name), free(table);
}

/* The table of this name, for the caller to give back; NULL: there is none. */
static struct table *table_take(struct names *names, const char *name)
{
    pthread_mutex_lock(&names->lock);
    struct table *table = names->tables;
    while (table && strcmp(table->name, name) != 0) table = table->next;
    if (table) table->users++;
    pthread_mutex_unlock(&names->lock);
    if (!table) (void)fail("no table '%.200s' is loaded", name);
    return table;
}

/* Removes the table of this name, or any (NULL), and stores another one, if that is not NULL. False if there was none. */
static bool table_replace(struct names *names, const char *name, struct table *table)
{
    pthread_mutex_lock(&names->lock);
    struct table **link = &names->tables, *old;
    while (*link && name && strcmp((*link)->name, name) != 0) link = &(*link)->next;
    if ((old = *link)) *link = old->next;
    if (table) table->next = names->tables, names->tables = table;
    pthread_mutex_unlock(&names->lock);
    table_give(old);
    return old || fail("no table '%.200s' is loaded", name ? name : "");
}

/* Drops all tables and disconnects, without which DuckDB cannot close the database.  The flags stay
 * set. */
static bool names_close(struct names *names)
{
    int n = 0;
    while (n < CONNECTIONS && !atomic_flag_test_and_set(&names->busy[n])) n++;
    for (int i = 0; i < n; i++)
        if (n == CONNECTIONS) duckdb_disconnect(&names->connections[i]);
        else atomic_flag_clear(&names->busy[i]);
    while (n == CONNECTIONS && table_replace(names, NULL, NULL)) {}
    return n == CONNECTIONS || fail("disconnected, or other queries are running");
}

static void run_end(struct run *run)
{
    duckdb_destroy_result(&run->result);
    duckdb_destroy_prepare(&run->statement);
    atomic_flag_clear(&run->names->busy[run->connection]);
}

/* Prepares SELECT columns FROM (query) on a connection that nobody uses: another query on it would
 * end a stream.  In a subquery nothing can be written. */
static bool run_prepare(struct run *run, struct names *names, const char *columns, const char *query)
{
    int i = 0;
    char *text = malloc(strlen(columns) + strlen(query) + 32);
    while (text && i < CONNECTIONS && atomic_flag_test_and_set(&names->busy[i])) i++;
    if (!text || i == CONNECTIONS) return free(text), fail("no memory, disconnected, or %d queries are running", CONNECTIONS);
    *run = (struct run){.names = names, .connection = i};
    sprintf(text, "SELECT %s FROM (%s\n)", columns, query);
    bool done = duckdb_prepare(names->connections[i], text, &run->statement) == DuckDBSuccess;
    free(text);
    if (!done) (void)fail("%s", duckdb_prepare_error(run->statement)), run_end(run);
    return done;
}

/* ---- Keys ---------------------------------------------------------------------------------------- */

/* Reads the keys of n rows, which become row `row` and following. */
static bool keys_read(struct keys *keys, duckdb_vector from, int kind, idx_t n, uint32_t row)
{
    const uint64_t *words = duckdb_vector_get_data(from);
    uint64_t *validity = duckdb_vector_get_validity(from);
    size_t length, used = keys->n = keys->words[0] = 0;
    for (idx_t i = 0; i < n; i++) {
        if (validity && !(validity[i / 64] >> i % 64 & 1)) continue;
        if (kind == STRINGS) {
            const char *text = string_bytes(from, i, &length);
            void *bytes = used + length < keys->room ? keys->bytes : realloc(keys->bytes, keys->room = 2 * (used + length) + CHUNK);
            if (!bytes) return false;
            memcpy((keys->bytes = bytes) + used, text, length);
            keys->words[keys->n + 1] = used += length;
        } else { /* as in SQL, -0.0 and 0.0 are equal, and so are all NaNs */
            bool zero = kind == FLOATS && words[i] << 1 == 0, nan = kind == FLOATS && words[i] << 1 > 0x7ffull << 53;
            keys->words[keys->n] = zero ? 0 : nan ? UINT64_MAX : words[i];
        }
        keys->rows[keys->n++] = row + (uint32_t)i;
    }
    return true;
}

/* Reads keys and inserts them, or finds them: what is left of keys->rows are those that are there. */
static bool call_roost(struct table *table, struct keys *keys, duckdb_vector from, idx_t n, uint32_t row, bool find)
{
    roost_table *first = table->first;
    bool strings = table->kind[0] == STRINGS;
    uint8_t found[CHUNK];
    if (!keys_read(keys, from, table->kind[0], n, row)) return fail("no memory");
    roost_strings text = {sizeof text, keys->words, keys->bytes, 8, 0};
    roost_status status = strings && find ? roost_find_strings(first, &text, keys->n, keys->first, found, NULL)
                          : strings       ? roost_insert_strings(first, ROOST_MIN, &text, keys->rows, keys->n, NULL)
                          : find          ? roost_find(first, keys->words, keys->n, keys->first, found, NULL)
                                          : roost_insert(first, ROOST_MIN, keys->words, keys->rows, keys->n, NULL);
    if (status != ROOST_OK) return fail("%s", roost_last_error(first));
    n = find ? keys->n : 0;
    if (find) keys->n = 0;
    for (size_t i = 0; i < n; i++)
        if (found[i]) keys->rows[keys->n] = keys->rows[i], keys->first[keys->n++] = keys->first[i];
    return true;
}

/* ---- roost_load ---------------------------------------------------------------------------------- */

/* Links the rows of keys, whose later rows are linked, in ascending order behind the first one. */
static void link_rows(struct table *table, const struct keys *keys)
{
    for (size_t i = keys->n; i-- > 0;) {
        uint32_t row = keys->rows[i], first = keys->first[i];
        if (first != row) table->after[row] = table->after[first], table->after[first] = row + 1;
    }
}

/* Inserts the keys of a result; or, if there is room for links, finds them again, backwards, and
 * links their rows. */
static bool table_index(struct table *table, duckdb_result result, size_t *keyed)
{
    struct keys keys = {0};
    bool done = true, link = table->after;
    uint32_t row = link ? (uint32_t)table->rows : 0;
    for (idx_t c = 0, chunks = duckdb_result_chunk_count(result); done && c < chunks; c++) {
        duckdb_data_chunk chunk = duckdb_result_get_chunk(result, link ? chunks - 1 - c : c);
        uint32_t n = (uint32_t)duckdb_data_chunk_get_size(chunk);
        if (link) row -= n;
        done = call_roost(table, &keys, duckdb_data_chunk_get_vector(chunk, 0), n, row, link);
        for (size_t i = 1; !link && i < table->columns; i++)
            copy_rows(duckdb_data_chunk_get_vector(chunk, i), NULL, n, table->items[i], row);
        if (!link) row += n, *keyed += keys.n;
        else link_rows(table, &keys);
        duckdb_destroy_data_chunk(&chunk);
    }
    free(keys.bytes);
    return done;
}

/* Fills the table with a result. */
static bool table_fill(struct table *table, duckdb_result *result, int64_t *rows)
{
    roost_config config = ROOST_CONFIG_INIT;
    roost_stats stats = {0};
    size_t keyed = 0;
    config.device = "host"; /* 2,048 rows a call are too few for a GPU */
    config.key_type = table->kind[0] == STRINGS ? ROOST_TYPE_STRING : ROOST_TYPE_U64;
    config.capacity = table->rows = duckdb_row_count(result);
    if (table->rows >= UINT32_MAX) return fail("more than 2^32 - 2 rows");
    for (size_t c = 1; c < table->columns; c++) {
        duckdb_logical_type type = duckdb_column_logical_type(result, c);
        table->items[c] = duckdb_create_vector(type, table->rows + CHUNK);
        duckdb_vector_ensure_validity_writable(table->items[c]);
        duckdb_validity_set_row_invalid(duckdb_vector_get_validity(table->items[c]), table->rows);
        duckdb_destroy_logical_type(&type);
    }
    if (roost_table_create(&table->first, &config) != ROOST_OK) return fail("%s", roost_last_error(NULL));
    if (!table_index(table, *result, &keyed)) return false;
    *rows = (int64_t)keyed;
    if (roost_table_stats(table->first, &stats, sizeof stats) == ROOST_OK && stats.count == keyed) return true;
    table->after = calloc(table->rows, sizeof *table->after);
    return table->after ? table_index(table, *result, &keyed) : fail("no memory");
}

/* Prepares the query, its first two columns as what they are kept as. */
static bool table_prepare(struct table *table, struct run *run, struct names *names, const char *query)
{
    if (!run_prepare(run, names, "*", query)) return false;
    size_t n = duckdb_prepared_statement_column_count(run->statement), used = 0;
    char *columns = malloc(64 + n * 24);
    table->names = calloc(n, sizeof *table->names), table->items = calloc(n, sizeof *table->items);
    bool done = (columns && table->names && table->items) || fail("no memory");
    for (size_t c = 0; done && c < n; c++) {
        int kind = c < 2 ? kind_of(duckdb_prepared_statement_column_logical_type(run->statement, c)) : NO_KIND;
        if (c < 2) table->kind[c] = kind;
        table->names[table->columns++] = duckdb_prepared_statement_column_name(run->statement, c);
        used += (size_t)sprintf(columns + used, kind == NO_KIND ? "%s#%zu" : "%s#%zu::%s", c ? ", " : "", c + 1, kind_names[kind]);
    }
    run_end(run);
    if (done && table->kind[0] == NO_KIND) done = fail("the key '%s' is no integer, float or VARCHAR: cast it", table->names[0]);
    done = done && run_prepare(run, names, columns, query);
    free(columns);
    return done;
}

/* Keeps the result of the query under the name. */
static bool load(struct names *names, const char *name, const char *query, int64_t *rows)
{
    struct table *table = calloc(1, sizeof *table);
    struct run run;
    if (!table || !(table->name = strdup(name))) return free(table), fail("no memory");
    table->users = 1;
    bool done = table_prepare(table, &run, names, query);
    if (done) {
        done = duckdb_execute_prepared(run.statement, &run.result) == DuckDBSuccess ? table_fill(table, &run.result, rows)
                                                                                    : fail("%s", duckdb_result_error(&run.result));
        run_end(&run);
    }
    if (!done) return table_give(table), false;
    table_replace(names, name, table);
    return true;
}

/* A string of a chunk, for the caller to free; NULL: NULL. */
static char *text_of(duckdb_data_chunk chunk, idx_t column, idx_t row)
{
    size_t length;
    duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, column);
    uint64_t *validity = duckdb_vector_get_validity(vector);
    if (validity && !duckdb_validity_row_is_valid(validity, row)) return NULL;
    const char *text = string_bytes(vector, row, &length);
    return strndup(text, length);
}

static void load_run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    struct names *names = duckdb_scalar_function_get_extra_info(info);
    bool done = true;
    for (idx_t i = 0; done && i < duckdb_data_chunk_get_size(input); i++) {
        char *name = text_of(input, 0, i), *query = text_of(input, 1, i);
        int64_t *rows = (int64_t *)duckdb_vector_get_data(output) + i;
        *rows = 0;
        if (query) done = name ? load(names, name, query, rows) : fail("the name is NULL");
        else done = name ? table_replace(names, name, NULL) : names_close(names);
        free(name), free(query);
    }
    if (!done) duckdb_scalar_function_set_error(info, error);
}

/* ---- roost_lookup -------------------------------------------------------------------------------- */

static bool lookup(struct table *table, duckdb_data_chunk input, duckdb_vector output)
{
    duckdb_vector key = duckdb_data_chunk_get_vector(input, 1);
    struct keys keys = {0};
    uint32_t rows[CHUNK];
    idx_t n = duckdb_data_chunk_get_size(input);
    const char *key_kind = kind_names[table->kind[0]], *kind = kind_names[table->kind[1]];
    if (table->columns < 2) return fail("'%s' has no second column", table->name);
    if (table->kind[0] != kind_of(duckdb_vector_get_column_type(key)))
        return fail("keys of '%s' are %s: cast", table->name, key_kind);
    if (table->kind[1] != kind_of(duckdb_vector_get_column_type(output)))
        return fail("values of '%s' are %s: roost_lookup(name, key, NULL::%s)", table->name, kind, kind);
    for (idx_t i = 0; i < n; i++) rows[i] = (uint32_t)table->rows;
    bool done = call_roost(table, &keys, key, n, 0, true);
    for (size_t i = 0; done && i < keys.n; i++) rows[keys.rows[i]] = keys.first[i];
    if (done) copy_rows(table->items[1], rows, n, output, 0);
    free(keys.bytes);
    return done;
}

static void lookup_run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    const duckdb_string_t *names = duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0));
    char *name = text_of(input, 0, 0);
    bool done = name || fail("the name is NULL");
    for (idx_t i = 1; done && i < duckdb_data_chunk_get_size(input); i++)
        done = memcmp(names, names + i, sizeof *names) == 0 || fail("the name is no constant");
    struct table *table = done ? table_take(duckdb_scalar_function_get_extra_info(info), name) : NULL;
    if (!table || !lookup(table, input, output)) duckdb_scalar_function_set_error(info, error);
    table_give(table);
    free(name);
}

/* ---- roost_join ---------------------------------------------------------------------------------- */

static void call_free(void *context)
{
    struct call *call = context;
    if (call->columns) run_end(&call->run);
    table_give(call->table);
    free(call);
}

/* Prepares the query: a column of keys, as the table has them, and all of its columns. */
static bool call_prepare(struct call *call, struct names *names, const char *name, const char *query)
{
    char columns[32];
    if (!name || !query) return fail("the name or the query is NULL");
    if (!(call->table = table_take(names, name))) return false;
    int kind = call->table->kind[0];
    snprintf(columns, sizeof columns, "#1::%s, *", kind_names[kind]);
    if (!run_prepare(&call->run, names, columns, query)) return false;
    call->columns = duckdb_prepared_statement_column_count(call->run.statement);
    return kind_of(duckdb_prepared_statement_column_logical_type(call->run.statement, 1)) == kind ||
           fail("keys of '%s' are %s: cast", name, kind_names[kind]);
}

static void add_column(duckdb_bind_info info, const char *name, duckdb_logical_type type)
{
    duckdb_bind_add_result_column(info, name, type);
    duckdb_destroy_logical_type(&type);
}

static void join_bind(duckdb_bind_info info)
{
    struct call *call = calloc(1, sizeof *call);
    char *text[2] = {NULL, NULL}; /* the name and the query */
    for (idx_t i = 0; i < 2; i++) {
        duckdb_value value = duckdb_bind_get_parameter(info, i);
        if (!duckdb_is_null_value(value)) text[i] = duckdb_get_varchar(value);
        duckdb_destroy_value(&value);
    }
    bool done = call ? call_prepare(call, duckdb_bind_get_extra_info(info), text[0], text[1]) : fail("no memory");
    if (!done) duckdb_bind_set_error(info, error);
    for (idx_t c = 1; done && c < call->columns; c++) {
        const char *name = duckdb_prepared_statement_column_name(call->run.statement, c);
        add_column(info, name, duckdb_prepared_statement_column_logical_type(call->run.statement, c));
        duckdb_free((void *)name);
    }
    for (size_t c = 1; done && c < call->table->columns; c++)
        add_column(info, call->table->names[c], duckdb_vector_get_column_type(call->table->items[c]));
    if (call) duckdb_bind_set_bind_data(info, call, call_free);
    duckdb_free(text[0]), duckdb_free(text[1]);
}

static void probe_free(void *context)
{
    struct probe *probe = context;
    duckdb_destroy_data_chunk(&probe->chunk);
    free(probe->keys.bytes), free(probe);
}

static void join_init(duckdb_init_info info)
{
    struct call *call = duckdb_init_get_bind_data(info);
    if (!(call->probe = calloc(1, sizeof *call->probe))) return duckdb_init_set_error(info, "roost: no memory");
    duckdb_init_set_init_data(info, call->probe, probe_free);
    duckdb_destroy_result(&call->run.result);
    if (duckdb_execute_prepared_streaming(call->run.statement, &call->run.result) != DuckDBSuccess)
        duckdb_init_set_error(info, duckdb_result_error(&call->run.result));
}

/* Takes the next chunk and looks its keys up.  At the end the probe has no chunk. */
static bool probe_next(struct call *call, struct probe *probe)
{
    duckdb_destroy_data_chunk(&probe->chunk);
    if (call->probe != probe) return fail("the call was executed again");
    probe->chunk = duckdb_fetch_chunk(call->run.result);
    probe->next = 0;
    const char *reason = probe->chunk ? NULL : duckdb_result_error(&call->run.result);
    if (!probe->chunk) return !reason || fail("%s", reason);
    idx_t n = duckdb_data_chunk_get_size(probe->chunk);
    return call_roost(call->table, &probe->keys, duckdb_data_chunk_get_vector(probe->chunk, 0), n, 0, true);
}

static void join_run(duckdb_function_info info, duckdb_data_chunk output)
{
    struct call *call = duckdb_function_get_bind_data(info);
    struct probe *probe = duckdb_function_get_init_data(info);
    struct keys *keys = &probe->keys;
    uint32_t at[CHUNK], rows[CHUNK], *after = call->table->after;
    idx_t n = 0, c = 0;
    duckdb_data_chunk_set_size(output, 0);
    while (probe->next == keys->n) {
        if (!probe_next(call, probe)) return duckdb_function_set_error(info, error);
        if (!probe->chunk) return;
    }
    for (; n < CHUNK && probe->next < keys->n; n++) {
        uint32_t *row = &keys->first[probe->next];
        at[n] = keys->rows[probe->next], rows[n] = *row;
        if (after && after[*row]) *row = after[*row] - 1;
        else probe->next++;
    }
    for (idx_t i = 1; i < call->columns; i++)
        copy_rows(duckdb_data_chunk_get_vector(probe->chunk, i), at, n, duckdb_data_chunk_get_vector(output, c++), 0);
    for (size_t i = 1; i < call->table->columns; i++)
        copy_rows(call->table->items[i], rows, n, duckdb_data_chunk_get_vector(output, c++), 0);
    duckdb_data_chunk_set_size(output, n);
}

/* ---- What DuckDB gets ---------------------------------------------------------------------------- */

/* DuckDB deletes the functions with the database. */
static void names_free(void *names)
{
    names_close(names);
    free(names);
}

/* Adds a function of a name, an argument and perhaps a third one (-1: none) to the set. */
static void add_scalar(duckdb_scalar_function_set set, struct names *names, duckdb_scalar_function_t run,
                       const duckdb_logical_type *types, int second, int third)
{
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_scalar_function_set_name(function, "roost");
    duckdb_scalar_function_add_parameter(function, types[STRINGS]);
    duckdb_scalar_function_add_parameter(function, types[second]);
    if (third >= 0) duckdb_scalar_function_add_parameter(function, types[third]);
    duckdb_scalar_function_set_return_type(function, types[third < 0 ? INTEGERS : third]);
    duckdb_scalar_function_set_special_handling(function); /* arguments may be NULL */
    duckdb_scalar_function_set_volatile(function);         /* tables are replaced */
    duckdb_scalar_function_set_extra_info(function, names, NULL);
    duckdb_scalar_function_set_function(function, run);
    duckdb_add_scalar_function_to_set(set, function);
    duckdb_destroy_scalar_function(&function);
}

static bool add_functions(duckdb_connection connection, struct names *names, const duckdb_logical_type *types)
{
    duckdb_scalar_function_set lookups = duckdb_create_scalar_function_set("roost_lookup"),
                               loads = duckdb_create_scalar_function_set("roost_load");
    for (int i = 0; i < 12; i++) add_scalar(lookups, names, lookup_run, types, i % 3, i / 3 - 1);
    add_scalar(loads, names, load_run, types, STRINGS, -1);
    duckdb_table_function join = duckdb_create_table_function();
    duckdb_table_function_set_name(join, "roost_join");
    duckdb_table_function_add_parameter(join, types[STRINGS]);
    duckdb_table_function_add_parameter(join, types[STRINGS]);
    duckdb_table_function_set_extra_info(join, names, names_free);
    duckdb_table_function_set_bind(join, join_bind);
    duckdb_table_function_set_init(join, join_init);
    duckdb_table_function_set_function(join, join_run);
    bool done = duckdb_register_scalar_function_set(connection, lookups) == DuckDBSuccess &&
                duckdb_register_scalar_function_set(connection, loads) == DuckDBSuccess &&
                duckdb_register_table_function(connection, join) == DuckDBSuccess;
    duckdb_destroy_scalar_function_set(&lookups), duckdb_destroy_scalar_function_set(&loads), duckdb_destroy_table_function(&join);
    return done;
}

DUCKDB_EXTENSION_ENTRYPOINT_CUSTOM(duckdb_extension_info info, struct duckdb_extension_access *access)
{
    static const duckdb_type ids[] = {DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_VARCHAR};
    struct names *names = calloc(1, sizeof *names);
    duckdb_logical_type types[3];
    bool done = names && duckdb_vector_size() <= CHUNK && pthread_mutex_init(&names->lock, NULL) == 0;
    for (int i = 0; done && i < CONNECTIONS; i++)
        done = duckdb_connect(*access->get_database(info), &names->connections[i]) == DuckDBSuccess;
    for (int i = 0; i < 3; i++) types[i] = duckdb_create_logical_type(ids[i]);
    done = done && add_functions(names->connections[0], names, types);
    for (int i = 0; i < 3; i++) duckdb_destroy_logical_type(&types[i]);
    if (!done) access->set_error(info, "roost: no connections, or chunks are too large");
    return done;
}
