/* A snapshot is one of a run's outputs: it is written beside its name, and renamed when all others
 * are complete, too. */
#include "cli/snapshot_output.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/outpack.h"
#include "cli/progress.h"
#include "cli/table_options.h"

int snapshot_output_check(const struct snapshot_output *output, const char *option)
{
    if (output->name == NULL)
        return output->zstd == 0 ? 0 : command_misused("--zstd compresses the blocks of --%s, and there is none", option);
    if (outpack_ending(output->name) == 0 || outfile_is_special(output->name)) return 0;
    return command_misused("--%s: a snapshot is not compressed as a whole, as '%s' asks: --zstd compresses its blocks", option,
                           output->name);
}

int snapshot_output_open(struct snapshot_output *output)
{
    return output->name != NULL ? outfile_open(&output->file, output->name) : 0;
}

/* Is a roost_write_function. */
static int write_bytes(void *context, const void *bytes, size_t n)
{
    struct outfile *const file = (struct outfile *)context;
    return fwrite(bytes, 1, n, file->stream) == n && outfile_good(file) ? 0 : 1;
}

/* Is a roost_progress_function. */
static int progress(void *context, uint64_t done, uint64_t pairs)
{
    (void)context;
    progress_say(pairs > 0 ? (double)done / (double)pairs : 1, "saved");
    return 0;
}

static roost_save_options options_of(struct snapshot_output *output, const char *note)
{
    const roost_saved nothing = ROOST_SAVED_INIT;
    roost_save_options options = ROOST_SAVE_OPTIONS_INIT;
    output->saved = nothing;
    options.zstd = output->zstd;
    options.saved = &output->saved;
    options.progress = progress;
    options.note = note;
    return options;
}

int snapshot_output_write(struct snapshot_output *output, roost_table *table, const char *note)
{
    if (output->name == NULL) return 0;
    const roost_save_options options = options_of(output, note);
    const roost_status status = roost_save_to(table, write_bytes, &output->file, &options);
    if (status == ROOST_OK || output->file.error != 0) return outfile_finish(&output->file);
    return table_fail(table, output->name, status);
}

int snapshot_output_spread(struct snapshot_output *output, roost_table *table, const char *note)
{
    if (output->name == NULL) return 0;
    const roost_save_options options = options_of(output, note);
    const roost_status status = roost_save_file(table, output->name, &options);
    return status == ROOST_OK ? 0 : table_fail(table, output->name, status);
}
