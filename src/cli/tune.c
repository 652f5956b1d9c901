/* `roost tune`: searches an engine's parameters on this machine, and writes the best setting to
 * the device's profile. */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/tune_profile.h"
#include "cli/tune_report.h"
#include "cli/tune_search.h"

static int run(struct tune *tune, struct tune_profile *profile)
{
    int result = tune_begin(tune);
    if (result == 0) result = tune_profile_open(profile, tune);
    if (result != 0) return result;
    progress_begin(0, tune->options.quiet);
    result = tune_descend(tune);
    if (result == 0) result = tune_draw(tune);
    if (result == 0) result = tune_settle(tune);
    progress_end();
    if (result == 0) result = tune_profile_write(profile, tune);
    return result == 0 ? tune_report_print(tune, profile->path) : result;
}

int tune_main(int argc, char **argv)
{
    struct tune *tune = (struct tune *)calloc(1, sizeof *tune);
    struct tune_profile profile;
    if (tune == NULL) return command_fail("out of memory");
    memset(&profile, 0, sizeof profile);
    int result = tune_options_parse(&tune->options, argc, argv);
    if (result == 0 && !tune->options.help) result = run(tune, &profile);
    tune_profile_release(&profile);
    tune_release(tune);
    free(tune);
    return result;
}
