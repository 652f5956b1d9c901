/* How `roost tune` comes to settings: a search, and chance. */
#ifndef ROOST_CLI_TUNE_SEARCH_H
#define ROOST_CLI_TUNE_SEARCH_H

#include "cli/tune_trials.h"

/* From the defaults, each parameter's values in turn, the best kept, until a round changes nothing or its part of the budget has gone. */
int tune_descend(struct tune *tune);

/* Random settings, as many as are asked for and the budget has room for. */
int tune_draw(struct tune *tune);

/* Measures the best of both and the defaults once more, and settles which one it is: the defaults, if nothing is clearly better.  Fails if
 * none reaches the load. */
int tune_settle(struct tune *tune);

#endif
