/* What the keys of a snapshot stand for: which reader made them, and so how they are parsed and
 * spelled.  `roost count --save` writes it into the snapshot's note. */
#ifndef ROOST_CLI_KEY_NOTE_H
#define ROOST_CLI_KEY_NOTE_H

#include "cli/key_count.h"
#include "cli/key_kind.h"
#include "roost/snapshot.h"

struct key_meaning {
    struct key_kind kind;
    struct key_form form;
    bool canonical; /* k-mers: each key is the smaller of itself and its reverse complement */
    bool counted;   /* the note says so: values are counts */
};

/* Writes the note of counts: "counts of kmer:21 canonical", "counts of decimal:2", ... */
void key_note_write(const struct key_meaning *meaning, char note[ROOST_NOTE_BYTES]);

/* What the keys of a snapshot are.  A note that is another's, or does not fit the types, is not
 * believed: keys are spelled by their type.  False: the command has no spelling for this type. */
bool key_note_read(const roost_snapshot_info *info, struct key_meaning *meaning);

#endif
