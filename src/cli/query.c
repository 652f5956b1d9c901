/* `roost query`: finds keys in a snapshot, and prints their values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/list_options.h"
#include "cli/input_options.h"
#include "cli/key_parse.h"
#include "cli/loaded_table.h"
#include "cli/snapshot_commands.h"

#define BATCH ((size_t)1 << 16) /* keys that are found by one call */

struct query {
    struct load_options load;
    const char *keys_file, *sequence; /* NULL: not given */
    struct list_options list_to;
    struct loaded_table from;
    struct key_meaning keys;
    struct key_batch batch;
    void *values;
    uint8_t *found;
    struct outfile file;
    struct count_list list;
    struct list_writer writer;
};

enum { OPTION_KEYS = 256, OPTION_SEQUENCE };

static const struct argp_option option_list[] = {
    {"keys", OPTION_KEYS, "FILE", 0,
     "Keys from FILE, one a line; what follows a tab is ignored, so that lists of `roost count` and `roost dump` are such files; "
     "-: standard input",
     1},
    {"sequence", OPTION_SEQUENCE, "FILE", 0,
     "All k-mers of the sequences in FILE, FASTA or FASTQ, in their order; -: standard input", 1},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_child children[] = {{&load_argp, 0, NULL, 0}, {&list_argp, 0, NULL, 0}, {NULL, 0, NULL, 0}};

static const char doc[] =
    "Prints keys and their values in the snapshot FILE, in the order in which they are asked for.\v"
    "Keys are written as `roost count` read them or lists them, and printed as it lists them: of canonical k-mers the smaller of "
    "both strands.  An absent key has the count 0, or else the value -; of sets the value is 1 for keys that are there, else 0.  "
    "Keys that begin with - stand behind --.  A FILE of - is standard input.  Exit: 0, also where keys are absent; 1 if the "
    "work failed; 2 for wrong options; 3 if --salvage left something out.";

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct query *query = (struct query *)state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        query->list_to.result = query->load.result;
        state->child_inputs[0] = &query->load;
        state->child_inputs[1] = &query->list_to;
        break;
    case OPTION_KEYS: query->keys_file = argument; break;
    case OPTION_SEQUENCE: query->sequence = argument; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return load_options_judge(&query->load);
}

const struct argp query_argp = {option_list, parse_option, "FILE [KEY...]", doc, children, NULL, NULL};

static bool is_stdin(const char *name) { return name != NULL && strcmp(name, "-") == 0; }

static int settle(struct query *query)
{
    const struct load_options *const load = &query->load;
    if (load->files_n == 0) return command_misused("no snapshot given");
    if (load->files_n == 1 && query->keys_file == NULL && query->sequence == NULL)
        return command_misused("no keys given: as arguments, by --keys or by --sequence");
    if (is_stdin(load->files[0]) + is_stdin(query->keys_file) + is_stdin(query->sequence) > 1)
        return command_misused("one of the files may be standard input, not two");
    list_options_settle(&query->list_to);
    return 0;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* How values are listed: of a set, whether keys are there. */
static struct value_form value_form_of(const struct query *query)
{
    const roost_snapshot_info *const info = &query->from.info;
    if (info->value_type == ROOST_TYPE_NONE) return (struct value_form){ROOST_TYPE_U32, 4, "found"};
    return (struct value_form){info->value_type, info->value_bytes, query->keys.counted ? "count" : "value"};
}

/* The value of key i; NULL: it is absent, and that is no count of 0. */
static const void *value_at(const struct query *query, size_t i, uint32_t *found)
{
    const bool count = query->keys.counted;
    *found = query->found[i];
    if (query->from.info.value_type == ROOST_TYPE_NONE) return found;
    return *found || count ? (const uint8_t *)query->values + i * query->from.info.value_bytes : NULL;
}

static const char *spell(struct query *query, size_t i)
{
    const struct key_form form = query->keys.form;
    struct key_text *const text = &query->writer.spelling;
    if (key_kind_is_bytes(query->keys.kind)) return key_spell_bytes(text, form, key_batch_get(&query->batch, i));
    return key_spell(text, form, NULL, key_load(query->batch.keys, i, query->keys.kind.bytes));
}

/* Finds the keys of the batch and writes their values.  The batch is empty afterwards. */
static int answer(struct query *query)
{
    uint32_t found;
    int result = 0;
    const size_t n = query->batch.n;
    const roost_status status = n > 0 ? key_batch_find(&query->batch, query->from.table,
                                                       query->from.info.value_bytes > 0 ? query->values : NULL, query->found)
                                      : ROOST_OK;
    if (status != ROOST_OK) return table_fail(query->from.table, "the table refused keys", status);
    for (size_t i = 0; i < n && result == 0 && !query->writer.failed; i++)
        result = list_add(&query->writer, spell(query, i), value_at(query, i, &found));
    query->batch.n = 0;
    return result;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* where: the file and the key's number in it; NULL: an argument. */
static int refuse_key(const struct query *query, struct key_bytes text, const char *file, uint64_t number)
{
    char words[KEY_WORDS_TEXT];
    struct key_text shown = {.grown = NULL};
    const struct key_bytes first = {text.at, text.length < 200 ? text.length : 200};
    const char *const spelled = key_spell_bytes(&shown, (struct key_form){SPELL_TEXT, 0, 0}, first);
    const char *const key = spelled != NULL ? spelled : "", *const more = text.length > first.length ? "..." : "";
    (void)key_parse_words(&query->keys, words);
    const int result = file == NULL
                           ? command_fail("'%s%s' is not %s", key, more, words)
                           : command_fail("%s: key %llu: '%s%s' is not %s", file, (unsigned long long)number, key, more, words);
    key_text_release(&shown);
    return result;
}

/* Adds a key, and answers once there are many. */
static int ask(struct query *query, struct key_bytes text, const char *file, uint64_t number)
{
    const int result = key_parse(&query->batch, &query->keys, text);
    if (result == KEY_NOT_PARSED) return refuse_key(query, text, file, number);
    return result == 0 && query->batch.n == query->batch.room ? answer(query) : result;
}

static int ask_arguments(struct query *query)
{
    int result = 0;
    for (size_t i = 1; i < query->load.files_n && result == 0; i++) {
        const char *const text = query->load.files[i];
        result = ask(query, (struct key_bytes){(const uint8_t *)text, strlen(text)}, NULL, 0);
    }
    return result == 0 ? answer(query) : result;
}

/* Opens a file of keys, or of sequences. */
static int open_reader(const struct query *query, const char *path, struct io_reader **reader)
{
    struct io_error error;
    struct io_spec spec = {.layout = IO_FASTA, .kmer = query->keys.form.kmer, .one_strand = !query->keys.canonical};
    if (path == query->keys_file)
        spec = (struct io_spec){
            .layout = IO_COLUMN, .column = 1, .separator = '\t', .field = IO_FIELD_STRING, .max_line = INPUT_MAX_LINE};
    return io_reader_open(reader, path, &spec, &error) == IO_OK ? 0 : command_fail("%s", error.text);
}

static int ask_file(struct query *query)
{
    struct key_batch lines = {.n = 0};
    struct io_reader *reader = NULL;
    uint64_t number = 0;
    int result = open_reader(query, query->keys_file, &reader);
    if (result == 0) result = key_batch_make(&lines, (struct key_kind){IO_STRING, 0}, BATCH);
    for (bool more = true; result == 0 && more;) {
        result = key_batch_read(&lines, reader);
        more = lines.n > 0;
        for (size_t i = 0; i < lines.n && result == 0; i++)
            result = ask(query, key_batch_get(&lines, i), query->keys_file, ++number);
        if (result == 0) result = answer(query);
    }
    io_reader_close(reader);
    key_batch_release(&lines);
    return result;
}

static int ask_sequence(struct query *query)
{
    struct io_reader *reader = NULL;
    if (query->keys.form.kmer == 0) return command_fail("%s: --sequence is for k-mers, and its keys are none", query->from.path);
    int result = open_reader(query, query->sequence, &reader);
    for (bool more = true; result == 0 && more;) {
        result = key_batch_read(&query->batch, reader);
        more = query->batch.n > 0;
        if (result == 0) result = answer(query);
    }
    io_reader_close(reader);
    return result;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int begin(struct query *query)
{
    const struct count_list list = {&query->file, query->list_to.format, query->keys.form, value_form_of(query), 0, UINT64_MAX, 0};
    if (query->from.info.flags & ROOST_MULTI)
        return command_fail("%s: it is a multimap, whose keys have several values: roost dump lists them", query->from.path);
    if (query->list_to.format == LIST_FASTA && query->keys.form.kmer == 0)
        return command_fail("%s: FASTA lists k-mers, and its keys are none", query->from.path);
    query->list = list;
    query->values = malloc(BATCH * query->from.info.value_bytes + 1);
    query->found = (uint8_t *)malloc(BATCH);
    if (query->values == NULL || query->found == NULL) return command_fail("out of memory for a batch of keys");
    return key_batch_make(&query->batch, query->keys.kind, BATCH);
}

static int ask_all(struct query *query)
{
    int result = list_begin(&query->writer, &query->list);
    if (result == 0) result = ask_arguments(query);
    if (result == 0 && query->keys_file != NULL) result = ask_file(query);
    if (result == 0 && query->sequence != NULL) result = ask_sequence(query);
    return list_end(&query->writer, result);
}

static int run(struct query *query)
{
    int result = outfile_open(&query->file, query->list_to.output);
    if (result == 0) result = loaded_table_load(&query->from, query->load.files[0], &query->load, NULL);
    if (result == 0) result = loaded_table_keys(&query->from, &query->keys);
    if (result == 0) result = begin(query);
    if (result == 0) result = ask_all(query);
    if (result == 0) result = outfile_finish(&query->file);
    if (result == 0) result = outfile_commit(&query->file);
    return loaded_table_end(&query->from, result);
}

int query_main(int argc, char **argv)
{
    struct query *const query = (struct query *)calloc(1, sizeof *query);
    if (query == NULL) return command_fail("out of memory");
    int result = load_options_parse(&query->load, &query_argp, query, argc, argv);
    if (result == 0 && !query->load.help) {
        result = settle(query);
        if (result == 0) result = run(query);
    }
    outfile_discard(&query->file);
    key_batch_release(&query->batch);
    free(query->values);
    free(query->found);
    loaded_table_release(&query->from);
    load_options_release(&query->load);
    free(query);
    return result;
}
