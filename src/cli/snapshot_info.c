/* Describes a snapshot, for people and as JSON. */
#include "cli/snapshot_info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/loaded_table.h"
#include "cli/table_json.h"
#include "roost/numbers.h"

/* ---- Reading --------------------------------------------------------------------------------- */

static int describe(const char *path, roost_snapshot_info *info)
{
    const char *const name = strcmp(path, "-") == 0 ? "/dev/stdin" : path;
    const roost_status status = roost_snapshot_describe(name, info, sizeof *info);
    return status == ROOST_OK ? 0 : loaded_table_fail(path, status);
}

/* Loads all of it into a table on the host. */
static int verify(const struct snapshot_info_options *options, struct loaded_table *whole)
{
    static const struct load_options on_host = {.place = {.device = "host"}};
    struct load_options load = on_host;
    load.salvage = options->salvage;
    const int result = loaded_table_load(whole, options->path, &load, NULL);
    whole->options = NULL; /* which end here */
    return result;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static const char *kind_words(const roost_snapshot_info *info, char words[64])
{
    if (!info->whole) snprintf(words, 64, "changes %" PRIu32 " of snapshot %016" PRIx64, info->number, info->id);
    else if (info->shards > 0) snprintf(words, 64, "whole, in %" PRIu32 " shards", info->shards);
    else snprintf(words, 64, "whole");
    return words;
}

static const char *flag_words(const roost_snapshot_info *info)
{
    if (info->flags & ROOST_MULTI) return ", a multimap";
    return info->flags & ROOST_NUMBERED ? ", which gives numbers" : "";
}

static void print_table(const roost_snapshot_info *info)
{
    char words[TYPE_WORDS];
    printf("keys          %s%s\n", loaded_type_words(info->key_type, info->key_bytes, words), flag_words(info));
    printf("values        %s%s\n", loaded_type_words(info->value_type, info->value_bytes, words),
           info->saturate ? ", whose sums stop at the largest" : "");
    printf("pairs         %" PRIu64 "\n", info->pairs);
    if (info->flags & ROOST_NUMBERED) printf("next number   %" PRIu64 "\n", info->next_number);
    printf("engine        %s\noptions       %s\n", info->engine, *info->options != 0 ? info->options : "none");
    printf("capacity      %" PRIu64 ", %s\nfill          %g to %g\n", info->capacity, info->growth ? "grows" : "does not grow",
           info->min_fill, info->max_fill);
    printf("logs changes  %s\n", info->flags & ROOST_CHANGES ? "yes" : "no");
}

/* A note may have any bytes. */
static int print_note(const roost_snapshot_info *info)
{
    struct key_text text = {.grown = NULL};
    const struct key_bytes note = {(const uint8_t *)info->note, strlen(info->note)};
    const char *const spelled = key_spell_bytes(&text, (struct key_form){SPELL_TEXT, 0, 0}, note);
    if (spelled != NULL) printf("note          %s\n", note.length > 0 ? spelled : "none");
    key_text_release(&text);
    return spelled != NULL ? 0 : command_fail("out of memory for the note");
}

/* whole: what was loaded; NULL: nothing was. */
static int print_text(const roost_snapshot_info *info, const struct loaded_table *whole)
{
    char words[64];
    printf("format        %" PRIu32 "\nkind          %s\nid            %016" PRIx64 "\n", info->version, kind_words(info, words),
           info->id);
    print_table(info);
    printf("compressed    %s\n", info->zstd ? "yes" : "no");
    const int result = print_note(info);
    if (result != 0 || whole == NULL) return result;
    const roost_loaded *const l = &whole->loaded;
    printf("blocks        %" PRIu64 ", %" PRIu64 " of them damaged or missing\nbytes         %" PRIu64 "\n",
           l->blocks + l->blocks_lost, l->blocks_lost, l->bytes);
    if (loaded_table_end(whole, 0) == 0) printf("verified      all blocks are whole\n");
    else printf("lost          %" PRIu64 " pairs; the first damaged block is %" PRIu64 "\n", l->pairs_lost, l->first_damaged);
    return 0;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *verified_json(const struct loaded_table *whole)
{
    const roost_loaded *const l = &whole->loaded;
    return json_pack("{sb so so so so so}", "whole", loaded_table_end(whole, 0) == 0, "blocks", json_unsigned(l->blocks), "bytes",
                     json_unsigned(l->bytes), "blocks_lost", json_unsigned(l->blocks_lost), "pairs_lost",
                     json_unsigned(l->pairs_lost), "first_damaged", json_unsigned(l->first_damaged));
}

static json_t *info_json(const roost_snapshot_info *info, const struct loaded_table *whole)
{
    char keys[TYPE_WORDS], values[TYPE_WORDS], id[24];
    snprintf(id, sizeof id, "%016" PRIx64, info->id);
    json_t *const json =
        json_pack("{si so sb si si so si so si so so so sb sb sf sf sb sb sb sb so so}", "format", (int)info->version, "id",
                  json_text(id), "whole", info->whole, "number", (int)info->number, "shards", (int)info->shards, "keys",
                  json_text(loaded_type_words(info->key_type, info->key_bytes, keys)), "key_bytes", (int)info->key_bytes, "values",
                  json_text(loaded_type_words(info->value_type, info->value_bytes, values)), "value_bytes", (int)info->value_bytes,
                  "pairs", json_unsigned(info->pairs), "next_number", json_unsigned(info->next_number), "capacity",
                  json_unsigned(info->capacity), "growth", info->growth, "saturate", info->saturate, "min_fill", info->min_fill,
                  "max_fill", info->max_fill, "multi", (info->flags & ROOST_MULTI) != 0, "numbered",
                  (info->flags & ROOST_NUMBERED) != 0, "logs_changes", (info->flags & ROOST_CHANGES) != 0, "compressed", info->zstd,
                  "engine", json_text(info->engine), "options", table_json_pairs(info->options));
    json_t *const note = json_text(info->note), *const verified = whole != NULL ? verified_json(whole) : json_null();
    const bool good = json != NULL && json_object_set(json, "note", note) == 0 && json_object_set(json, "verified", verified) == 0;
    json_decref(note);
    json_decref(verified);
    if (good) return json;
    json_decref(json);
    return NULL;
}

int snapshot_info_print(const struct snapshot_info_options *options)
{
    struct loaded_table whole;
    roost_snapshot_info info;
    memset(&whole, 0, sizeof whole);
    int result = options->verify ? verify(options, &whole) : describe(options->path, &info);
    if (result == 0 && options->verify) info = whole.info;
    const struct loaded_table *const loaded = options->verify ? &whole : NULL;
    if (result == 0) result = options->json ? json_print(stdout, info_json(&info, loaded)) : print_text(&info, loaded);
    if (options->verify) result = loaded_table_end(&whole, result);
    loaded_table_release(&whole);
    return result;
}
