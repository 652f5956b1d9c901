/* How `roost tune` finds settings: a search, and random draws. */
#ifndef ROOST_CLI_TUNE_SEARCH_H
#define ROOST_CLI_TUNE_SEARCH_H

#include "cli/tune_trials.h"

/* From the defaults on, tries each parameter's values in turn and keeps the best.  Ends when a
 * round changes nothing, or when its part of the budget is used up. */
int tune_descend(struct tune *tune);

/* Tries random settings, until there are as many as the options say or the budget is used up. */
int tune_draw(struct tune *tune);

/* Measures the best of both and the defaults again, and chooses one of them: the defaults,
 * unless another is clearly better.  Fails if none reaches the load. */
int tune_settle(struct tune *tune);

#endif
