/* Loads snapshots in one pass, so that pipes load, too. */
#include "cli/loaded_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "roost/numbers.h"

const char *loaded_type_words(roost_type type, size_t bytes, char words[TYPE_WORDS])
{
    static const char *const names[] = {"no values", "U32", "U64", "I32", "I64", "F32", "F64", "", "strings"};
    if (type != ROOST_TYPE_BYTES) return names[type];
    snprintf(words, TYPE_WORDS, "%zu bytes each", bytes);
    return words;
}

/* ---- Is it like another one? ----------------------------------------------------------------- */

static int differ(const struct loaded_table *t, const char *what, const char *here, const char *there)
{
    return command_fail("%s: its %s are %s, and those of %s are %s", t->path, what, here, t->like->path, there);
}

static bool is_counted(const roost_snapshot_info *info)
{
    struct key_meaning keys;
    return key_note_read(info, &keys) && keys.counted;
}

/* Keys of one type may stand for different things: k-mers of other lengths. */
static int compare_notes(const struct loaded_table *t)
{
    const roost_snapshot_info *const a = &t->info, *const b = &t->like->info;
    if (strcmp(a->note, b->note) == 0 || (!is_counted(a) && !is_counted(b))) return 0;
    return command_fail("%s: it is noted as '%s', and %s as '%s'", t->path, a->note, t->like->path, b->note);
}

/* Compares with the snapshot that this one has to be like. */
static int compare(const struct loaded_table *t)
{
    char here[TYPE_WORDS], there[TYPE_WORDS];
    const roost_snapshot_info *const a = &t->info, *const b = &t->like->info;
    const uint32_t kinds = ROOST_MULTI | ROOST_NUMBERED;
    if (a->key_type != b->key_type || a->key_bytes != b->key_bytes)
        return differ(t, "keys", loaded_type_words(a->key_type, a->key_bytes, here),
                      loaded_type_words(b->key_type, b->key_bytes, there));
    if (a->value_type != b->value_type || a->value_bytes != b->value_bytes)
        return differ(t, "values", loaded_type_words(a->value_type, a->value_bytes, here),
                      loaded_type_words(b->value_type, b->value_bytes, there));
    if ((a->flags & kinds) != (b->flags & kinds))
        return command_fail("%s and %s: one is a multimap or gives numbers, and the other not", t->path, t->like->path);
    return compare_notes(t);
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* Is a roost_configure_function. */
static int configure(void *context, const roost_snapshot_info *info, roost_config *config)
{
    struct loaded_table *const t = (struct loaded_table *)context;
    t->info = *info;
    t->refused = t->like != NULL && compare(t) != 0;
    if (t->refused) return 1;
    table_options_place(&t->options->place, config);
    t->config = *config;
    t->config.engine = t->config.options = NULL; /* may be the header's, which ends with the call */
    return 0;
}

/* Is a roost_progress_function. */
static int progress(void *context, uint64_t done, uint64_t pairs)
{
    char text[64];
    (void)context;
    snprintf(text, sizeof text, "%.1f million pairs", (double)done / 1e6);
    progress_say(pairs > 0 ? (double)done / (double)pairs : 1, text);
    return 0;
}

static roost_status load(struct loaded_table *t)
{
    roost_load_options options = ROOST_LOAD_OPTIONS_INIT;
    const roost_loaded nothing = ROOST_LOADED_INIT;
    t->loaded = nothing;
    options.flags = t->options->salvage ? ROOST_SALVAGE : 0;
    options.loaded = &t->loaded;
    options.progress = progress;
    options.configure = configure;
    options.configure_context = t;
    if (strcmp(t->path, "-") == 0) return roost_load_fd(&t->table, STDIN_FILENO, NULL, &options);
    return roost_load_file(&t->table, t->path, NULL, &options);
}

/* Applies the changes in their order.  Their errors have their paths. */
static int apply_changes(const struct loaded_table *t)
{
    roost_load_options options = ROOST_LOAD_OPTIONS_INIT;
    options.progress = progress;
    for (size_t i = 0; i < t->options->changes_n; i++) {
        const roost_status status = roost_load_changes(t->table, t->options->changes[i], &options);
        if (status != ROOST_OK) return command_fail("%s", roost_last_error(t->table));
    }
    return 0;
}

static void warn(const struct loaded_table *t)
{
    const roost_loaded *const l = &t->loaded;
    if (l->blocks_lost > 0)
        command_warn("%s: %" PRIu64 " blocks are damaged or missing, the first is block %" PRIu64 "; %" PRIu64 " pairs are lost",
                     t->path, l->blocks_lost, l->first_damaged, l->pairs_lost);
    else if (l->pairs_lost > 0) command_warn("%s: %" PRIu64 " pairs are lost, whose keys come twice", t->path, l->pairs_lost);
}

int loaded_table_fail(const char *path, roost_status status)
{
    const char *const why = roost_last_error(NULL), *const words = *why != 0 ? why : roost_status_string(status);
    return strncmp(words, path, strlen(path)) == 0 ? command_fail("%s", words) : command_fail("%s: %s", path, words);
}

int loaded_table_load(struct loaded_table *t, const char *path, const struct load_options *options, const struct loaded_table *like)
{
    memset(t, 0, sizeof *t);
    t->path = path;
    t->options = options;
    t->like = like;
    progress_begin(0, options->quiet);
    const roost_status status = load(t);
    const int changed = status == ROOST_OK && like == NULL ? apply_changes(t) : 0;
    progress_end();
    if (t->refused || changed != 0) return EXIT_FAILURE;
    if (status != ROOST_OK) return loaded_table_fail(path, status);
    table_options_warn(t->table);
    warn(t);
    return 0;
}

int loaded_table_keys(const struct loaded_table *t, struct key_meaning *keys)
{
    char words[TYPE_WORDS];
    if (key_note_read(&t->info, keys)) return 0;
    return command_fail("%s: its keys are %s, for which this command has no text", t->path,
                        loaded_type_words(t->info.key_type, t->info.key_bytes, words));
}

int loaded_table_end(const struct loaded_table *t, int result)
{
    const bool lost = t->loaded.blocks_lost > 0 || t->loaded.pairs_lost > 0;
    return result == 0 && lost ? EXIT_SALVAGED : result;
}

void loaded_table_release(struct loaded_table *t)
{
    roost_table_destroy(t->table);
    t->table = NULL;
}
