/* Reads a file of `roost join`. */
#include "cli/join_side.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "io/io_bytes.h"

static int find_keys(struct join_side *side, const struct column_names *on)
{
    for (size_t i = 0; i < on->n; i++) {
        const int result = column_names_find(on->name[i], side->table, side->path, &side->keys[i]);
        if (result != 0) return result;
        if (side->place[side->keys[i]] != 0) return command_fail("%s: --on has the column '%s' twice", side->path, on->name[i]);
        side->place[side->keys[i]] = i + 1;
    }
    return 0;
}

/* Says what to make of the file's records. */
static int take(struct join_side *side, const struct join_options *options, size_t keys)
{
    const bool tsv = options->relation.tsv;
    const struct io_take takes[] = {{IO_TAKE_TEXT, side->keys, keys, ',', true, NULL},
                                    {IO_TAKE_TEXT, side->kept, side->kept_n, (char)(tsv ? '\t' : ','), !tsv, NULL}};
    struct io_error error;
    return io_table_take(side->table, takes, side->has_lines ? 2 : 1, &error) == IO_OK ? 0 : command_fail("%s", error.text);
}

int join_side_open(struct join_side *side, const struct join_options *options, size_t file, const struct column_names *on,
                   bool whole)
{
    side->path = options->relation.files[file];
    int result = relation_options_open(&options->relation, side->path, &side->table);
    if (result != 0) return result;
    side->columns = io_table_columns(side->table);
    side->place = (size_t *)calloc(side->columns, sizeof *side->place);
    side->keys = (size_t *)calloc(on->n, sizeof *side->keys);
    side->kept = (size_t *)calloc(side->columns, sizeof *side->kept);
    if (side->place == NULL || side->keys == NULL || side->kept == NULL) return command_fail("out of memory");
    result = find_keys(side, on);
    if (result != 0) return result;
    for (size_t c = 0; c < side->columns; c++)
        if (whole || side->place[c] == 0) side->kept[side->kept_n++] = c;
    side->has_lines = side->kept_n > 0 && (whole || join_has_right(options));
    return take(side, options, on->n);
}

int join_side_next(struct join_side *side)
{
    struct io_error error;
    if (io_table_next(side->table, &side->batch, &error) != IO_OK) return command_fail("%s", error.text);
    side->rows += side->batch.rows;
    if (side->batch.rows <= side->words_room) return 0;
    if (!io_enlarge(&side->words, side->batch.rows * sizeof *side->words))
        return command_fail("out of memory for a batch of %zu rows", side->batch.rows);
    side->words_room = side->batch.rows;
    return 0;
}

int join_side_words(struct join_side *side, struct key_words *words, bool finds, uint64_t null)
{
    const struct io_taken *const keys = join_side_keys(side);
    const struct texts texts = {keys->offsets, keys->bytes, side->batch.rows};
    const int result = finds ? key_words_find(words, &texts, side->words) : key_words_make(words, &texts, side->words);
    for (size_t i = 0; i < side->batch.rows; i++)
        if (!(keys->validity[i / 8] >> i % 8 & 1)) side->words[i] = null;
    return result;
}

void join_side_close(struct join_side *side)
{
    io_table_close(side->table);
    free(side->place);
    free(side->keys);
    free(side->kept);
    free(side->words);
}
