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
#define THREADS_MOST 64 /* of a roost_join */

/* What keys and values are kept as, by the place in these arrays. */
static const char *const kind_names[] = {"BIGINT", "DOUBLE", "VARCHAR", "of another type"};
enum { INTEGERS, FLOATS, STRINGS, NO_KIND };

struct table {
    char *name;
    size_t columns, rows;
    struct column {
        const char *name;
        duckdb_logical_type type;
        duckdb_vector items; /* one more than rows: NULL */
    } * column;              /* the first is the key, the second is the value */
    int kind[2];             /* of these */
    roost_table *first;      /* the first row of each key that is not NULL */
    uint32_t *after;         /* 1 + the next row of the same key, or 0; NULL: all keys are different */
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

struct keys {                  /* keys of a chunk that are not NULL, as Roost takes them, and their rows */
    uint64_t words[CHUNK + 1]; /* of strings: offsets in `bytes` */
    uint32_t rows[CHUNK];
    char *bytes;
    size_t n, room;
};

struct call { /* of roost_load or roost_join, as DuckDB binds it */
    struct names *names;
    char *name, *query; /* NULL: NULL */
    struct table *table;
    struct run run; /* roost_join: prepared if it has columns */
    size_t columns, executions;
    bool ended;
    pthread_mutex_t lock; /* threads share the run */
};

struct probe { /* of a thread: a chunk, and its rows that match and have not been given */
    struct keys keys;
    duckdb_data_chunk chunk;
    uint32_t at[CHUNK], row[CHUNK];
    size_t hits, next, execution;
};

static _Thread_local char error[512]; /* the last one of this thread */
#define fail(...) (snprintf(error, sizeof error, "roost: " __VA_ARGS__) < 0)

static int kind_of(duckdb_type type)
{
    if (type >= DUCKDB_TYPE_TINYINT && type <= DUCKDB_TYPE_UINTEGER) return INTEGERS;
    if (type == DUCKDB_TYPE_FLOAT || type == DUCKDB_TYPE_DOUBLE) return FLOATS;
    return type == DUCKDB_TYPE_VARCHAR ? STRINGS : NO_KIND;
}

static int vector_kind(duckdb_vector vector)
{
    duckdb_logical_type logical = duckdb_vector_get_column_type(vector);
    int kind = kind_of(duckdb_get_type_id(logical));
    duckdb_destroy_logical_type(&logical);
    return kind;
}

/* Copies n items of some rows (NULL: the first n) to a vector, from place `to` on. */
static void copy_rows(duckdb_vector from, const uint32_t *rows, idx_t n, duckdb_vector vector, idx_t to)
{
    duckdb_selection_vector selection = duckdb_create_selection_vector(n + !n);
    sel_t *places = duckdb_selection_vector_get_data_ptr(selection);
    for (idx_t i = 0; i < n; i++) places[i] = rows ? rows[i] : (uint32_t)i;
    duckdb_vector_copy_sel(from, vector, selection, n, 0, to);
    duckdb_destroy_selection_vector(selection);
}

static void table_give(struct table *table)
{
    if (!table || --table->users > 0) return;
    while (table->columns > 0) {
        struct column *column = &table->column[--table->columns];
        duckdb_free((void *)column->name);
        duckdb_destroy_logical_type(&column->type);
        duckdb_destroy_vector(&column->items);
    }
    roost_table_destroy(table->first);
    free(table->after), free(table->column), free(table->name), free(table);
}

/* The table of this name, for the caller to give back; NULL: there is none. */
static struct table *table_take(struct names *names, const char *name, size_t length)
{
    pthread_mutex_lock(&names->lock);
    struct table *table = names->tables;
    while (table && (strlen(table->name) != length || memcmp(table->name, name, length) != 0)) table = table->next;
    if (table) table->users++;
    pthread_mutex_unlock(&names->lock);
    if (!table) (void)fail("no table '%.*s' is loaded", (int)(length & 0xff), name);
    return table;
}

/* Removes the table of this name, or any (NULL), and stores another one, if that is not NULL.
 * False if there was none. */
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
    for (int i = 0; n < CONNECTIONS && i < n; i++) atomic_flag_clear(&names->busy[i]);
    if (n < CONNECTIONS) return fail("disconnected, or other queries are running");
    for (int i = 0; i < CONNECTIONS; i++) duckdb_disconnect(&names->connections[i]);
    while (table_replace(names, NULL, NULL)) continue;
    return true;
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
    if (!text) return fail("no memory");
    sprintf(text, "SELECT %s FROM (%s\n)", columns, query);
    while (i < CONNECTIONS && atomic_flag_test_and_set(&names->busy[i])) i++;
    *run = (struct run){.names = names, .connection = i};
    bool done = i < CONNECTIONS || fail("disconnected, or %d queries are running", CONNECTIONS);
    if (done && duckdb_prepare(names->connections[i], text, &run->statement) != DuckDBSuccess) {
        done = fail("%s", duckdb_prepare_error(run->statement));
        run_end(run);
    }
    free(text);
    return done;
}

static const char *string_bytes(const duckdb_string_t *string, size_t *length)
{
    *length = string->value.inlined.length;
    return *length <= 12 ? string->value.inlined.inlined : string->value.pointer.ptr;
}

/* Reads the keys of n rows, which become row `row` and following. */
static bool keys_read(struct keys *keys, duckdb_vector from, int kind, idx_t n, uint32_t row)
{
    const uint64_t *words = duckdb_vector_get_data(from);
    uint64_t *validity = duckdb_vector_get_validity(from);
    size_t length, used = keys->n = keys->words[0] = 0;
    for (idx_t i = 0; i < n; i++) {
        if (validity && !(validity[i / 64] >> i % 64 & 1)) continue;
        if (kind == STRINGS) {
            const char *text = string_bytes((const duckdb_string_t *)words + i, &length);
            if (used + length >= keys->room) {
                char *bytes = realloc(keys->bytes, keys->room = 2 * (used + length) + CHUNK);
                if (!bytes) return false;
                keys->bytes = bytes;
            }
            memcpy(keys->bytes + used, text, length);
            keys->words[keys->n + 1] = used += length;
        } else if (kind == FLOATS && words[i] << 1 == 0) /* as in SQL, -0.0 and 0.0 are equal */
            keys->words[keys->n] = 0;
        else if (kind == FLOATS && words[i] << 1 > 0x7ffull << 53) /* and so are all NaNs */ keys->words[keys->n] = UINT64_MAX;
        else keys->words[keys->n] = words[i];
        keys->rows[keys->n++] = row + (uint32_t)i;
    }
    return true;
}

/* Reads keys and finds their first rows: rows[i] for keys->rows[i], if found[i].  rows NULL:
 * inserts them. */
static bool call_roost(struct table *table, struct keys *keys, duckdb_vector from, idx_t n, uint32_t row, uint32_t *rows,
                       uint8_t *found)
{
    roost_table *first = table->first;
    if (!keys_read(keys, from, table->kind[0], n, row)) return fail("no memory");
    roost_strings text = {sizeof text, keys->words, keys->bytes, 8, 0};
    roost_status status = table->kind[0] == STRINGS
                              ? (rows ? roost_find_strings(first, &text, keys->n, rows, found, NULL)
                                      : roost_insert_strings(first, ROOST_MIN, &text, keys->rows, keys->n, NULL))
                              : (rows ? roost_find(first, keys->words, keys->n, rows, found, NULL)
                                      : roost_insert(first, ROOST_MIN, keys->words, keys->rows, keys->n, NULL));
    return status == ROOST_OK || fail("%s", roost_last_error(first));
}

/* Links the rows of keys, of which later rows are linked, in ascending order behind the first one. */
static void link_rows(struct table *table, const struct keys *keys, const uint32_t *first)
{
    for (size_t i = keys->n; i-- > 0;) {
        uint32_t row = keys->rows[i];
        if (first[i] == row) continue;
        table->after[row] = table->after[first[i]];
        table->after[first[i]] = row + 1;
    }
}

/* Inserts the keys of a result, or finds them again, backwards, and links their rows. */
static bool table_index(struct table *table, duckdb_result result, bool link, size_t *keyed)
{
    struct keys keys = {0};
    uint32_t first[CHUNK], row = link ? (uint32_t)table->rows : 0;
    uint8_t found[CHUNK];
    idx_t chunks = duckdb_result_chunk_count(result);
    bool done = true;
    for (idx_t c = 0; done && c < chunks; c++) {
        duckdb_data_chunk chunk = duckdb_result_get_chunk(result, link ? chunks - 1 - c : c);
        idx_t n = duckdb_data_chunk_get_size(chunk);
        duckdb_vector key = duckdb_data_chunk_get_vector(chunk, 0);
        if (link) row -= (uint32_t)n;
        done = call_roost(table, &keys, key, n, row, link ? first : NULL, found);
        if (done && link) link_rows(table, &keys, first);
        for (size_t i = 1; !link && i < table->columns; i++)
            copy_rows(duckdb_data_chunk_get_vector(chunk, i), NULL, n, table->column[i].items, row);
        if (!link) row += (uint32_t)n;
        *keyed += keys.n;
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
        duckdb_vector items = duckdb_create_vector(table->column[c].type, table->rows + CHUNK);
        table->column[c].items = items;
        duckdb_vector_ensure_validity_writable(items);
        duckdb_validity_set_row_invalid(duckdb_vector_get_validity(items), table->rows);
    }
    if (roost_table_create(&table->first, &config) != ROOST_OK) return fail("%s", roost_last_error(NULL));
    if (!table_index(table, *result, false, &keyed)) return false;
    roost_table_stats(table->first, &stats, sizeof stats);
    *rows = (int64_t)keyed;
    if (stats.count == keyed) return true;
    table->after = calloc(table->rows, sizeof *table->after);
    return table->after ? table_index(table, *result, true, &keyed) : fail("no memory");
}

/* Prepares the query: its first two columns as what they are kept as, then the others.  The table
 * gets names and types of all. */
static bool table_prepare(struct table *table, struct run *run, struct names *names, const char *query)
{
    int used = 0;
    if (!run_prepare(run, names, "*", query)) return false;
    size_t n = duckdb_prepared_statement_column_count(run->statement);
    char *columns = malloc(64 + n * 24);
    table->column = calloc(n, sizeof *table->column);
    if (!columns || !table->column) return free(columns), run_end(run), fail("no memory");
    for (size_t c = 0; c < n; c++) {
        int kind = c < 2 ? kind_of(duckdb_prepared_statement_column_type(run->statement, c)) : NO_KIND;
        table->column[c].name = duckdb_prepared_statement_column_name(run->statement, c);
        if (c < 2) table->kind[c] = kind;
        used += sprintf(columns + used, kind == NO_KIND ? "%s#%zu" : "%s#%zu::%s", c ? ", " : "", c + 1, kind_names[kind]);
    }
    table->columns = n;
    run_end(run);
    if (table->kind[0] == NO_KIND)
        return free(columns), fail("keys are integers, floats or VARCHAR: cast column '%s'", table->column[0].name);
    bool done = run_prepare(run, names, columns, query);
    for (size_t c = 0; done && c < n; c++) table->column[c].type = duckdb_prepared_statement_column_logical_type(run->statement, c);
    free(columns);
    return done;
}

/* Keeps the result of the query under the name. */
static bool load(struct call *call, int64_t *rows)
{
    struct table *table = calloc(1, sizeof *table);
    struct run run;
    if (!table || !(table->name = strdup(call->name))) return free(table), fail("no memory");
    table->users = 1;
    bool done = table_prepare(table, &run, call->names, call->query);
    if (done) {
        done = duckdb_execute_prepared(run.statement, &run.result) == DuckDBSuccess ? table_fill(table, &run.result, rows)
                                                                                    : fail("%s", duckdb_result_error(&run.result));
        run_end(&run);
    }
    if (!done) return table_give(table), false;
    table_replace(call->names, call->name, table);
    return true;
}

static void call_free(void *context)
{
    struct call *call = context;
    if (call->columns) run_end(&call->run);
    table_give(call->table);
    duckdb_free(call->name), duckdb_free(call->query), free(call);
}

static struct call *call_bind(duckdb_bind_info info)
{
    struct call *call = calloc(1, sizeof *call);
    if (!call) return duckdb_bind_set_error(info, "roost: no memory"), NULL;
    for (idx_t i = 0; i < 2; i++) {
        duckdb_value value = duckdb_bind_get_parameter(info, i);
        if (!duckdb_is_null_value(value)) *(i ? &call->query : &call->name) = duckdb_get_varchar(value);
        duckdb_destroy_value(&value);
    }
    call->names = duckdb_bind_get_extra_info(info);
    pthread_mutex_init(&call->lock, NULL);
    duckdb_bind_set_bind_data(info, call, call_free);
    return call;
}

static void load_bind(duckdb_bind_info info)
{
    duckdb_logical_type type = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
    if (call_bind(info)) duckdb_bind_add_result_column(info, "rows", type);
    duckdb_destroy_logical_type(&type);
}

static void load_init(duckdb_init_info info) { duckdb_init_set_init_data(info, calloc(1, sizeof(bool)), free); /* it has run */ }

static void load_run(duckdb_function_info info, duckdb_data_chunk output)
{
    struct call *call = duckdb_function_get_bind_data(info);
    bool *ended = duckdb_function_get_init_data(info);
    int64_t *rows = duckdb_vector_get_data(duckdb_data_chunk_get_vector(output, 0));
    if (!ended || *ended) return duckdb_data_chunk_set_size(output, 0);
    *ended = true, *rows = 0;
    bool done = call->name ? (call->query ? load(call, rows) : table_replace(call->names, call->name, NULL))
                           : (call->query ? fail("the name is NULL") : names_close(call->names));
    if (!done) return duckdb_function_set_error(info, error);
    duckdb_data_chunk_set_size(output, 1);
}

/* Looks the keys of a chunk up, all in one table. */
static bool lookup(struct table *table, duckdb_data_chunk input, duckdb_vector output)
{
    duckdb_vector key = duckdb_data_chunk_get_vector(input, 1);
    struct keys keys = {0};
    uint32_t first[CHUNK], rows[CHUNK];
    uint8_t found[CHUNK];
    idx_t n = duckdb_data_chunk_get_size(input);
    if (table->columns < 2) return fail("'%s' has no second column", table->name);
    if (table->kind[0] != vector_kind(key)) return fail("keys of '%s' are %s: cast", table->name, kind_names[table->kind[0]]);
    if (table->kind[1] != vector_kind(output))
        return fail("values of '%s' are %s: roost_lookup(name, key, NULL::type)", table->name, kind_names[table->kind[1]]);
    bool done = call_roost(table, &keys, key, n, 0, first, found);
    for (idx_t i = 0; i < n; i++) rows[i] = (uint32_t)table->rows;
    for (size_t i = 0; i < keys.n; i++)
        if (found[i]) rows[keys.rows[i]] = first[i];
    if (done) copy_rows(table->column[1].items, rows, n, output, 0);
    free(keys.bytes);
    return done;
}

static void lookup_run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    const duckdb_string_t *name = duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0));
    size_t length = 0;
    uint64_t *validity = duckdb_vector_get_validity(duckdb_data_chunk_get_vector(input, 0));
    bool done = !validity || (*validity & 1) || fail("the name is NULL");
    for (idx_t i = 1; done && i < duckdb_data_chunk_get_size(input); i++)
        done = memcmp(name, name + i, sizeof *name) == 0 || fail("the name is not the same in all rows");
    const char *text = done ? string_bytes(name, &length) : NULL;
    struct table *table = done ? table_take(duckdb_scalar_function_get_extra_info(info), text, length) : NULL;
    if (!table || !lookup(table, input, output)) duckdb_scalar_function_set_error(info, error);
    table_give(table);
}

static void join_columns(duckdb_bind_info info, struct call *call)
{
    duckdb_prepared_statement statement = call->run.statement;
    for (idx_t c = 1; c < call->columns; c++) {
        const char *name = duckdb_prepared_statement_column_name(statement, c);
        duckdb_logical_type type = duckdb_prepared_statement_column_logical_type(statement, c);
        duckdb_bind_add_result_column(info, name, type);
        duckdb_destroy_logical_type(&type);
        duckdb_free((void *)name);
    }
    for (size_t c = 1; c < call->table->columns; c++)
        duckdb_bind_add_result_column(info, call->table->column[c].name, call->table->column[c].type);
}

/* Prepares the query, with its first column as the table's keys are before all columns. */
static void join_bind(duckdb_bind_info info)
{
    char columns[32];
    struct call *call = call_bind(info);
    if (!call) return;
    bool done = (call->name && call->query) || fail("the name or the query is NULL");
    done = done && (call->table = table_take(call->names, call->name, strlen(call->name)));
    if (!done) return duckdb_bind_set_error(info, error);
    int kind = call->table->kind[0];
    snprintf(columns, sizeof columns, "#1::%s, *", kind_names[kind]);
    if (!run_prepare(&call->run, call->names, columns, call->query)) return duckdb_bind_set_error(info, error);
    call->columns = duckdb_prepared_statement_column_count(call->run.statement);
    if (kind_of(duckdb_prepared_statement_column_type(call->run.statement, 1)) == kind) return join_columns(info, call);
    (void)fail("keys of '%s' are %s: cast", call->name, kind_names[kind]);
    duckdb_bind_set_error(info, error);
}

static void join_init(duckdb_init_info info)
{
    struct call *call = duckdb_init_get_bind_data(info);
    pthread_mutex_lock(&call->lock);
    duckdb_destroy_result(&call->run.result);
    bool done = duckdb_execute_prepared_streaming(call->run.statement, &call->run.result) == DuckDBSuccess;
    call->executions++;
    call->ended = !done;
    pthread_mutex_unlock(&call->lock);
    if (!done) duckdb_init_set_error(info, duckdb_result_error(&call->run.result));
    duckdb_init_set_max_threads(info, THREADS_MOST);
}

static void probe_free(void *context)
{
    struct probe *probe = context;
    duckdb_destroy_data_chunk(&probe->chunk);
    free(probe->keys.bytes), free(probe);
}

static void join_thread(duckdb_init_info info)
{
    struct probe *probe = calloc(1, sizeof *probe);
    if (!probe) return duckdb_init_set_error(info, "roost: no memory");
    probe->execution = ((struct call *)duckdb_init_get_bind_data(info))->executions;
    duckdb_init_set_init_data(info, probe, probe_free);
}

/* Takes the next chunk and looks its keys up.  At the end the probe has no chunk. */
static bool probe_next(struct call *call, struct probe *probe)
{
    uint8_t found[CHUNK];
    duckdb_destroy_data_chunk(&probe->chunk);
    probe->hits = probe->next = 0;
    pthread_mutex_lock(&call->lock);
    bool done = probe->execution == call->executions || fail("the call was executed again");
    if (done && !call->ended) {
        probe->chunk = duckdb_fetch_chunk(call->run.result);
        const char *reason = probe->chunk ? NULL : duckdb_result_error(&call->run.result);
        if (reason) done = fail("%s", reason);
        call->ended = !probe->chunk;
    }
    pthread_mutex_unlock(&call->lock);
    if (!done || !probe->chunk) return done;
    done = call_roost(call->table, &probe->keys, duckdb_data_chunk_get_vector(probe->chunk, 0),
                      duckdb_data_chunk_get_size(probe->chunk), 0, probe->row, found);
    for (size_t i = 0; done && i < probe->keys.n; i++)
        if (found[i]) probe->at[probe->hits] = probe->keys.rows[i], probe->row[probe->hits++] = probe->row[i];
    return done;
}

static void join_run(duckdb_function_info info, duckdb_data_chunk output)
{
    struct call *call = duckdb_function_get_bind_data(info);
    struct probe *probe = duckdb_function_get_local_init_data(info);
    uint32_t at[CHUNK], rows[CHUNK];
    idx_t n = 0, c = 0;
    duckdb_data_chunk_set_size(output, 0);
    while (probe->next == probe->hits) {
        if (!probe_next(call, probe)) return duckdb_function_set_error(info, error);
        if (!probe->chunk) return;
    }
    for (; n < CHUNK && probe->next < probe->hits; n++) {
        uint32_t *row = &probe->row[probe->next], after = call->table->after ? call->table->after[*row] : 0;
        at[n] = probe->at[probe->next], rows[n] = *row;
        if (after) *row = after - 1;
        else probe->next++;
    }
    for (idx_t i = 1; i < call->columns; i++)
        copy_rows(duckdb_data_chunk_get_vector(probe->chunk, i), at, n, duckdb_data_chunk_get_vector(output, c++), 0);
    for (size_t i = 1; i < call->table->columns; i++)
        copy_rows(call->table->column[i].items, rows, n, duckdb_data_chunk_get_vector(output, c++), 0);
    duckdb_data_chunk_set_size(output, n);
}

/* Adds roost_lookup for each kind of keys and values.  Values are BIGINT, or of the third argument's type. */
static bool add_lookups(duckdb_connection connection, struct names *names, duckdb_logical_type *kinds)
{
    duckdb_scalar_function_set set = duckdb_create_scalar_function_set("roost_lookup");
    for (int i = 0; i < 12; i++) {
        duckdb_scalar_function function = duckdb_create_scalar_function();
        duckdb_scalar_function_set_name(function, "roost_lookup");
        duckdb_scalar_function_add_parameter(function, kinds[STRINGS]);
        duckdb_scalar_function_add_parameter(function, kinds[i % 3]);
        if (i >= 3) duckdb_scalar_function_add_parameter(function, kinds[i / 3 - 1]);
        duckdb_scalar_function_set_return_type(function, kinds[i < 3 ? INTEGERS : i / 3 - 1]);
        duckdb_scalar_function_set_special_handling(function); /* the third argument may be NULL */
        duckdb_scalar_function_set_volatile(function);         /* tables are replaced */
        duckdb_scalar_function_set_extra_info(function, names, NULL);
        duckdb_scalar_function_set_function(function, lookup_run);
        duckdb_add_scalar_function_to_set(set, function);
        duckdb_destroy_scalar_function(&function);
    }
    bool done = duckdb_register_scalar_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_scalar_function_set(&set);
    return done;
}

/* DuckDB deletes the functions with the database. */
static void names_free(void *names)
{
    names_close(names);
    pthread_mutex_destroy(&((struct names *)names)->lock);
    free(names);
}

static bool add_table_function(duckdb_connection connection, struct names *names, duckdb_logical_type text, bool join)
{
    duckdb_table_function function = duckdb_create_table_function();
    duckdb_table_function_set_name(function, join ? "roost_join" : "roost_load");
    duckdb_table_function_add_parameter(function, text);
    duckdb_table_function_add_parameter(function, text);
    duckdb_table_function_set_extra_info(function, names, join ? NULL : names_free);
    duckdb_table_function_set_bind(function, join ? join_bind : load_bind);
    duckdb_table_function_set_init(function, join ? join_init : load_init);
    if (join) duckdb_table_function_set_local_init(function, join_thread);
    duckdb_table_function_set_function(function, join ? join_run : load_run);
    bool done = duckdb_register_table_function(connection, function) == DuckDBSuccess;
    duckdb_destroy_table_function(&function);
    return done;
}

DUCKDB_EXTENSION_ENTRYPOINT_CUSTOM(duckdb_extension_info info, struct duckdb_extension_access *access)
{
    static const duckdb_type types[] = {DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_VARCHAR};
    struct names *names = calloc(1, sizeof *names);
    duckdb_logical_type kinds[3];
    bool done = names && duckdb_vector_size() <= CHUNK && pthread_mutex_init(&names->lock, NULL) == 0;
    for (int i = 0; done && i < CONNECTIONS; i++)
        done = duckdb_connect(*access->get_database(info), &names->connections[i]) == DuckDBSuccess;
    for (int i = 0; i < 3; i++) kinds[i] = duckdb_create_logical_type(types[i]);
    done = done && add_lookups(names->connections[0], names, kinds) &&
           add_table_function(names->connections[0], names, kinds[STRINGS], true) &&
           add_table_function(names->connections[0], names, kinds[STRINGS], false);
    for (int i = 0; i < 3; i++) duckdb_destroy_logical_type(&kinds[i]);
    if (!done) access->set_error(info, "roost: no connections, or chunks are too large");
    return done;
}
