/* Keys of groups whose columns have types: 7, 07 and +7 are one integer. */
#ifndef ROOST_CLI_GROUP_SPELL_H
#define ROOST_CLI_GROUP_SPELL_H

#include "cli/group_options.h"
#include "cli/key_words.h"
#include "cli/row_text.h"

/* Writes the keys again, each field as its type is spelled: text i is spelled->bytes[offsets[i]] up
 * to offsets[i + 1]; offsets has room for keys->n + 1.  False: memory is refused. */
bool group_spell(const struct group_options *options, const struct texts *keys, struct row_text *spelled, uint64_t *offsets);

#endif
