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
static const duckdb_type kind_types[] = {DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_VARCHAR};
static const char *const kind_names[] = {"BIGINT", "DOUBLE", "VARCHAR", "neither numbers nor VARCHAR"};

struct table {
    char *name;
    size_t columns, rows;
    const char **names;   /* of columns: the first is the key, the second is the value */
    duckdb_vector *items; /* of columns other than the key; one more than rows: NULL */
    int kind[2];          /* of the first two */
    roost_table *first;   /* the first row of each key that is not NULL */
    bool repeat;          /* some keys have several rows */
    uint32_t *after;      /* 1 + another row of the same key, or 0 */
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
    uint32_t rows[CHUNK], first[CHUNK]; /* their rows, and these keys' first rows in the table */
    char *bytes;
    size_t n, room;
};

struct call { /* of roost_join, as DuckDB binds it */
    struct table *table;
    struct run run;       /* prepared if it has columns */
    size_t columns, next; /* of the keys that match, the next one */
    duckdb_data_chunk chunk;
    struct keys keys; /* of the chunk */
};

static _Thread_local char error[512]; /* the last one of this thread */
#define fail(...) (snprintf(error, sizeof error, "roost: " __VA_ARGS__) < 0)

static int kind_of(duckdb_logical_type type)
{
    duckdb_type id = duckdb_get_type_id(type);
    duckdb_destroy_logical_type(&type);
    if (id >= DUCKDB_TYPE_TINYINT && id <= DUCKDB_TYPE_UINTEGER) return INTEGERS;
    return id == DUCKDB_TYPE_FLOAT || id == DUCKDB_TYPE_DOUBLE ? FLOATS : id == DUCKDB_TYPE_VARCHAR ? STRINGS : NO_KIND;
}

/* Copies n items of some rows (NULL: the first n) to a vector, from place `to` on. */
static void copy_rows(duckdb_vector from, const uint32_t *rows, idx_t n, duckdb_vector vector, idx_t to)
{
    duckdb_selection_vector selection = duckdb_create_selection_vector(n);
    sel_t *places = duckdb_selection_vector_get_data_ptr(selection);
    for (idx_t i = 0; i < n; i++) places[i] = rows ? rows[i] : (uint32_t)i;
    duckdb_vector_copy_sel(from, vector, selection, n, 0, to), duckdb_destroy_selection_vector(selection);
}

/* ---- Tables by name, and queries ------------------------------------------------------------- */

static void table_give(struct table *table)
{
    if (!table || --table->users > 0) return;
    for (size_t c = 0; c < table->columns; c++) duckdb_free((void *)table->names[c]), duckdb_destroy_vector(&table->items[c]);
    roost_table_destroy(table->first), free(table->after), free(table->names), free(table->items), free(table->name), free(table);
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

/* Removes the table of this name, or any (NULL), and stores another one, if that is not NULL. */
static void table_replace(struct names *names, const char *name, struct table *table)
{
    pthread_mutex_lock(&names->lock);
    struct table **link = &names->tables, *old;
    while (*link && name && strcmp((*link)->name, name) != 0) link = &(*link)->next;
    if ((old = *link)) *link = old->next;
    if (table) table->next = names->tables, names->tables = table;
    pthread_mutex_unlock(&names->lock);
    table_give(old);
}

/* Drops all tables and disconnects, without which DuckDB cannot close the database.  The flags stay
 * set. */
static bool names_close(struct names *names)
{
    int n = 0;
    while (n < CONNECTIONS && !atomic_flag_test_and_set(&names->busy[n])) n++;
    for (int i = 0; i < n; i++) /* either all or none */
        if (n == CONNECTIONS) duckdb_disconnect(&names->connections[i]);
        else atomic_flag_clear(&names->busy[i]);
    while (n == CONNECTIONS && names->tables) table_replace(names, NULL, NULL);
    return n == CONNECTIONS || fail("disconnected, or other queries are running");
}

static void run_end(struct run *run)
{
    duckdb_destroy_result(&run->result), duckdb_destroy_prepare(&run->statement);
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

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Reads the keys of n rows, which become row `row` and following. */
static bool keys_read(struct keys *keys, duckdb_vector from, int kind, idx_t n, uint32_t row)
{
    uint64_t *words = duckdb_vector_get_data(from), *validity = duckdb_vector_get_validity(from);
    size_t used = keys->n = keys->words[0] = 0;
    for (idx_t i = 0; i < n; i++) {
        if (validity && !(validity[i / 64] >> i % 64 & 1)) continue;
        if (kind == STRINGS) {
            duckdb_string_t *string = (duckdb_string_t *)words + i;
            size_t length = duckdb_string_t_length(*string);
            void *bytes = used + length < keys->room ? keys->bytes : realloc(keys->bytes, keys->room = 2 * (used + length) + CHUNK);
            if (!bytes) return false;
            memcpy((keys->bytes = bytes) + used, duckdb_string_t_data(string), length);
            keys->words[keys->n + 1] = used += length;
        } else { /* as in SQL, -0.0 and 0.0 are equal, and so are all NaNs */
            bool zero = kind == FLOATS && words[i] << 1 == 0, nan = kind == FLOATS && words[i] << 1 > 0x7ffull << 53;
            keys->words[keys->n] = zero ? 0 : nan ? UINT64_MAX : words[i];
        }
        keys->rows[keys->n++] = row + (uint32_t)i;
    }
    return true;
}

/* Reads keys and inserts them, or finds them: keys->rows and ->first then are of those found. */
static bool call_roost(struct table *table, struct keys *keys, duckdb_data_chunk chunk, idx_t column, uint32_t row, bool find)
{
    bool strings = table->kind[0] == STRINGS;
    uint8_t found[CHUNK];
    idx_t n = duckdb_data_chunk_get_size(chunk);
    if (!keys_read(keys, duckdb_data_chunk_get_vector(chunk, column), table->kind[0], n, row)) return fail("no memory");
    roost_strings text = {sizeof text, keys->words, keys->bytes, 8, 0};
    roost_status status = strings && find ? roost_find_strings(table->first, &text, keys->n, keys->first, found, NULL)
                          : strings       ? roost_insert_strings(table->first, ROOST_MIN, &text, keys->rows, keys->n, NULL)
                          : find          ? roost_find(table->first, keys->words, keys->n, keys->first, found, NULL)
                                          : roost_insert(table->first, ROOST_MIN, keys->words, keys->rows, keys->n, NULL);
    if (status != ROOST_OK) return fail("%s", roost_last_error(table->first));
    if (!find) return true;
    n = keys->n, keys->n = 0;
    for (size_t i = 0; i < n; i++)
        if (found[i]) keys->rows[keys->n] = keys->rows[i], keys->first[keys->n++] = keys->first[i];
    return true;
}

/* ---- roost_load ------------------------------------------------------------------------------ */

/* Adds a chunk of the result, which begins with this row.  Once fewer keys are stored than rows
 * have one, a key's later rows are linked behind its first one. */
static bool table_add(struct table *table, struct keys *keys, duckdb_data_chunk chunk, uint32_t row, int64_t *rows)
{
    uint32_t n = (uint32_t)duckdb_data_chunk_get_size(chunk);
    roost_stats stats;
    for (size_t i = 1; i < table->columns; i++) copy_rows(duckdb_data_chunk_get_vector(chunk, i), NULL, n, table->items[i], row);
    if (!call_roost(table, keys, chunk, 0, row, false)) return false;
    *rows += (int64_t)keys->n;
    table->repeat = roost_table_stats(table->first, &stats, sizeof stats) != ROOST_OK || stats.count < (uint64_t)*rows;
    if (!table->repeat) return true;
    bool done = call_roost(table, keys, chunk, 0, row, true);
    for (size_t i = 0; done && i < keys->n; i++)
        if (keys->first[i] != keys->rows[i])
            table->after[keys->rows[i]] = table->after[keys->first[i]], table->after[keys->first[i]] = keys->rows[i] + 1;
    return done;
}

/* Fills the table with the result of its prepared query. */
static bool table_fill(struct table *table, struct run *run, int64_t *rows)
{
    roost_config config = ROOST_CONFIG_INIT;
    struct keys keys = {0};
    if (duckdb_execute_prepared(run->statement, &run->result) == DuckDBError) return fail("%s", duckdb_result_error(&run->result));
    config.device = "host"; /* 2,048 rows a call are too few for a GPU */
    config.key_type = table->kind[0] == STRINGS ? ROOST_TYPE_STRING : ROOST_TYPE_U64;
    config.capacity = table->rows = duckdb_row_count(&run->result);
    if (table->rows >= UINT32_MAX || !(table->after = calloc(table->rows + 1, sizeof *table->after)))
        return fail("no memory, or 2^32 rows");
    for (size_t c = 1; c < table->columns; c++) {
        duckdb_logical_type type = duckdb_column_logical_type(&run->result, c);
        table->items[c] = duckdb_create_vector(type, table->rows + 1);
        duckdb_vector_ensure_validity_writable(table->items[c]);
        duckdb_validity_set_row_invalid(duckdb_vector_get_validity(table->items[c]), table->rows);
        duckdb_destroy_logical_type(&type);
    }
    bool done = roost_table_create(&table->first, &config) == ROOST_OK || fail("%s", roost_last_error(NULL));
    for (idx_t c = 0, row = 0; done && c < duckdb_result_chunk_count(run->result); c++) {
        duckdb_data_chunk chunk = duckdb_result_get_chunk(run->result, c);
        done = table_add(table, &keys, chunk, (uint32_t)row, rows);
        row += duckdb_data_chunk_get_size(chunk);
        duckdb_destroy_data_chunk(&chunk);
    }
    free(keys.bytes);
    return done;
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

/* Keeps the result of the query under the name, which becomes the table's. */
static bool load(struct names *names, char *name, const char *query, int64_t *rows)
{
    struct table *table = calloc(1, sizeof *table);
    struct run run;
    if (!table) return free(name), fail("no memory");
    *table = (struct table){.name = name, .kind = {NO_KIND, NO_KIND}, .users = 1};
    bool prepared = table_prepare(table, &run, names, query), done = prepared && table_fill(table, &run, rows);
    if (prepared) run_end(&run);
    if (done) table_replace(names, name, table);
    else table_give(table);
    return done;
}

/* A string of a chunk, for the caller to free; NULL: NULL. */
static char *text_of(duckdb_data_chunk chunk, idx_t column, idx_t row)
{
    duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, column);
    duckdb_string_t *string = (duckdb_string_t *)duckdb_vector_get_data(vector) + row;
    uint64_t *validity = duckdb_vector_get_validity(vector);
    bool null = validity && !duckdb_validity_row_is_valid(validity, row);
    return null ? NULL : strndup(duckdb_string_t_data(string), duckdb_string_t_length(*string));
}

static void load_run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    bool done = true;
    for (idx_t i = 0; done && i < duckdb_data_chunk_get_size(input); i++) {
        char *name = text_of(input, 0, i), *query = text_of(input, 1, i);
        int64_t *rows = (int64_t *)duckdb_vector_get_data(output) + i;
        *rows = 0;
        if (!name != !query) done = fail("the name or the query is NULL");
        else
            done = name ? load(duckdb_scalar_function_get_extra_info(info), name, query, rows)
                        : names_close(duckdb_scalar_function_get_extra_info(info));
        free(query ? NULL : name), free(query);
    }
    if (!done) duckdb_scalar_function_set_error(info, error);
}

/* ---- roost_lookup ---------------------------------------------------------------------------- */

/* False if keys of this type are not compared with those of the table. */
static bool same_kind(const struct table *table, duckdb_logical_type type)
{
    return kind_of(type) == table->kind[0] || fail("keys of '%.200s' are %s: cast", table->name, kind_names[table->kind[0]]);
}

static void lookup_run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    struct keys keys = {0};
    uint32_t rows[CHUNK];
    idx_t n = duckdb_data_chunk_get_size(input);
    const duckdb_string_t *names = duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0));
    char *name = text_of(input, 0, 0);
    struct table *table = name ? table_take(duckdb_scalar_function_get_extra_info(info), name) : NULL;
    bool done = table  ? same_kind(table, duckdb_vector_get_column_type(duckdb_data_chunk_get_vector(input, 1)))
                : name ? false
                       : fail("the name is NULL");
    if (done && table->kind[1] != kind_of(duckdb_vector_get_column_type(output)))
        done = fail("values of '%.200s' are %s: name the type, as in NULL::DOUBLE", name, kind_names[table->kind[1]]);
    for (idx_t i = 0; done && i < n; i++) {
        rows[i] = (uint32_t)table->rows;
        done = memcmp(names, names + i, sizeof *names) == 0 || fail("the name is no constant");
    }
    done = done && call_roost(table, &keys, input, 1, 0, true);
    for (size_t i = 0; done && i < keys.n; i++) rows[keys.rows[i]] = keys.first[i];
    if (done) copy_rows(table->items[1], rows, n, output, 0);
    else duckdb_scalar_function_set_error(info, error);
    table_give(table), free(keys.bytes), free(name);
}

/* ---- roost_join ------------------------------------------------------------------------------ */

static void call_free(void *context)
{
    struct call *call = context;
    if (call->columns) run_end(&call->run);
    duckdb_destroy_data_chunk(&call->chunk), table_give(call->table);
    free(call->keys.bytes), free(call);
}

/* Prepares the query: a column of keys, as the table has them, and all of its columns. */
static bool call_prepare(struct call *call, struct names *names, const char *name, const char *query)
{
    char columns[32];
    if (!name || !query) return fail("the name or the query is NULL");
    if (!(call->table = table_take(names, name))) return false;
    snprintf(columns, sizeof columns, "#1::%s, *", kind_names[call->table->kind[0]]);
    if (!run_prepare(&call->run, names, columns, query)) return false;
    call->columns = duckdb_prepared_statement_column_count(call->run.statement);
    return same_kind(call->table, duckdb_prepared_statement_column_logical_type(call->run.statement, 1));
}

static void join_bind(duckdb_bind_info info)
{
    struct call *call = calloc(1, sizeof *call);
    if (!call) return duckdb_bind_set_error(info, "roost: no memory");
    duckdb_bind_set_bind_data(info, call, call_free);
    char *text[2] = {NULL, NULL}; /* the name and the query */
    for (idx_t i = 0; i < 2; i++) {
        duckdb_value value = duckdb_bind_get_parameter(info, i);
        if (!duckdb_is_null_value(value)) text[i] = duckdb_get_varchar(value);
        duckdb_destroy_value(&value);
    }
    bool done = call_prepare(call, duckdb_bind_get_extra_info(info), text[0], text[1]);
    if (!done) duckdb_bind_set_error(info, error);
    for (idx_t c = 1; done && c < call->columns + call->table->columns - 1; c++) {
        idx_t ours = c < call->columns ? 0 : c - call->columns + 1; /* 0: of the query */
        const char *name = ours ? call->table->names[ours] : duckdb_prepared_statement_column_name(call->run.statement, c);
        duckdb_logical_type type = ours ? duckdb_vector_get_column_type(call->table->items[ours])
                                        : duckdb_prepared_statement_column_logical_type(call->run.statement, c);
        duckdb_bind_add_result_column(info, name, type), duckdb_destroy_logical_type(&type);
        if (!ours) duckdb_free((void *)name);
    }
    duckdb_free(text[0]), duckdb_free(text[1]);
}

/* A call may be executed again, not twice at a time. */
static void join_init(duckdb_init_info info)
{
    struct call *call = duckdb_init_get_bind_data(info);
    call->next = call->keys.n = 0, duckdb_destroy_result(&call->run.result);
    if (duckdb_execute_prepared_streaming(call->run.statement, &call->run.result) != DuckDBSuccess)
        duckdb_init_set_error(info, duckdb_result_error(&call->run.result));
}

static void join_run(duckdb_function_info info, duckdb_data_chunk output)
{
    struct call *call = duckdb_function_get_bind_data(info);
    struct table *table = call->table;
    uint32_t at[CHUNK], rows[CHUNK];
    idx_t n = 0, c = 0;
    for (; call->next == call->keys.n; call->next = 0) { /* the next chunk with a match */
        duckdb_destroy_data_chunk(&call->chunk), call->chunk = duckdb_fetch_chunk(call->run.result);
        const char *reason = call->chunk ? NULL : duckdb_result_error(&call->run.result);
        if (reason) return duckdb_function_set_error(info, reason);
        if (!call->chunk) return duckdb_data_chunk_set_size(output, 0);
        if (!call_roost(table, &call->keys, call->chunk, 0, 0, true)) return duckdb_function_set_error(info, error);
    }
    for (; n < CHUNK && call->next < call->keys.n; n++) {
        uint32_t *row = &call->keys.first[call->next];
        at[n] = call->keys.rows[call->next], rows[n] = *row;
        if (table->repeat && table->after[*row]) *row = table->after[*row] - 1;
        else call->next++;
    }
    for (idx_t i = 1; i < call->columns; i++)
        copy_rows(duckdb_data_chunk_get_vector(call->chunk, i), at, n, duckdb_data_chunk_get_vector(output, c++), 0);
    for (size_t i = 1; i < table->columns; i++) copy_rows(table->items[i], rows, n, duckdb_data_chunk_get_vector(output, c++), 0);
    duckdb_data_chunk_set_size(output, n);
}

/* ---- What DuckDB gets ------------------------------------------------------------------------ */

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
    duckdb_add_scalar_function_to_set(set, function), duckdb_destroy_scalar_function(&function);
}

static bool add_functions(duckdb_connection connection, struct names *names, const duckdb_logical_type *types)
{
    duckdb_scalar_function_set lookups = duckdb_create_scalar_function_set("roost_lookup"),
                               loads = duckdb_create_scalar_function_set("roost_load");
    for (int i = 0; i < 12; i++) add_scalar(lookups, names, lookup_run, types, i % 3, i / 3 - 1);
    add_scalar(loads, names, load_run, types, STRINGS, -1);
    duckdb_table_function join = duckdb_create_table_function();
    duckdb_table_function_set_name(join, "roost_join");
    for (int i = 0; i < 2; i++) duckdb_table_function_add_parameter(join, types[STRINGS]);
    duckdb_table_function_set_extra_info(join, names, free);
    duckdb_table_function_set_bind(join, join_bind);
    duckdb_table_function_set_init(join, join_init);
    duckdb_table_function_set_function(join, join_run);
    bool failed = duckdb_register_scalar_function_set(connection, lookups) ||
                  duckdb_register_scalar_function_set(connection, loads) ||
                  duckdb_register_table_function(connection, join); /* DuckDBError is not 0 */
    duckdb_destroy_scalar_function_set(&lookups), duckdb_destroy_scalar_function_set(&loads), duckdb_destroy_table_function(&join);
    return !failed;
}

DUCKDB_EXTENSION_ENTRYPOINT_CUSTOM(duckdb_extension_info info, struct duckdb_extension_access *access)
{
    struct names *names = calloc(1, sizeof *names);
    duckdb_logical_type types[3];
    bool done = names && duckdb_vector_size() <= CHUNK && pthread_mutex_init(&names->lock, NULL) == 0;
    for (int i = 0; done && i < CONNECTIONS; i++)
        done = duckdb_connect(*access->get_database(info), &names->connections[i]) == DuckDBSuccess;
    for (int i = 0; i < 3; i++) types[i] = duckdb_create_logical_type(kind_types[i]);
    done = done && add_functions(names->connections[0], names, types);
    for (int i = 0; i < 3; i++) duckdb_destroy_logical_type(&types[i]);
    if (!done) access->set_error(info, "roost: no connections, or chunks are too large");
    return done;
}
