/* Notes are a spelling's name, with a number where it has one. */
#include "cli/key_note.h"

#include <stdio.h>
#include <string.h>

#include "cli/arguments.h"

#define HEAD "counts of "
#define CANONICAL " canonical"

/* The spellings of integers, and of keys that are bytes. */
static const struct spelling {
    const char *name;
    enum key_spelling spelling;
    uint64_t least, most; /* of the number behind the name; 0: it has none */
    unsigned types;       /* of keys, a bit each */
} spellings[] = {
    {"number", SPELL_UNSIGNED, 0, 0, 1u << IO_U32 | 1u << IO_U64},
    {"i32", SPELL_I32, 0, 0, 1u << IO_I32},
    {"i64", SPELL_I64, 0, 0, 1u << IO_I64},
    {"base36", SPELL_BASE36, 0, 0, 1u << IO_U64},
    {"decimal:", SPELL_FIXED, 0, IO_DECIMALS_MAX, 1u << IO_I64},
    {"date", SPELL_DATE, 0, 0, 1u << IO_I32},
    {"datetime", SPELL_TIME, 0, 0, 1u << IO_I64},
    {"kmer:", SPELL_KMER, 1, IO_KMER_MAX_U32, 1u << IO_U32},
    {"kmer:", SPELL_KMER, IO_KMER_MAX_U32 + 1, IO_KMER_MAX_U64, 1u << IO_U64},
    {"kmer:", SPELL_WIDE_KMER, IO_KMER_MAX_U64 + 1, IO_KMER_MAX, 1u << IO_BYTES},
    {"hex", SPELL_HEX, 0, 0, 1u << IO_BYTES},
    {"text", SPELL_TEXT, 0, 0, 1u << IO_BYTES | 1u << IO_STRING},
};
#define SPELLINGS (sizeof spellings / sizeof spellings[0])

enum { WIDE_KMER_BYTES = 16 };

/* ---- Writing --------------------------------------------------------------------------------- */

void key_note_write(const struct key_meaning *meaning, char note[ROOST_NOTE_BYTES])
{
    const struct spelling *s = spellings;
    while (s->spelling != meaning->form.spelling) s++;
    const unsigned number = meaning->form.spelling == SPELL_FIXED ? meaning->form.decimals : meaning->form.kmer;
    int length = snprintf(note, ROOST_NOTE_BYTES, HEAD "%s", s->name);
    if (s->most > 0) length += snprintf(note + length, (size_t)(ROOST_NOTE_BYTES - length), "%u", number);
    if (meaning->canonical) snprintf(note + length, (size_t)(ROOST_NOTE_BYTES - length), CANONICAL);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The kind of keys of a type.  False: the command has none. */
static bool kind_of(const roost_snapshot_info *info, struct key_kind *kind)
{
    static const struct {
        roost_type type;
        enum io_key_type kind;
    } kinds[] = {{ROOST_TYPE_U32, IO_U32}, {ROOST_TYPE_U64, IO_U64},     {ROOST_TYPE_I32, IO_I32},
                 {ROOST_TYPE_I64, IO_I64}, {ROOST_TYPE_BYTES, IO_BYTES}, {ROOST_TYPE_STRING, IO_STRING}};
    kind->bytes = info->key_bytes;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        kind->type = kinds[i].kind;
        if (kinds[i].type == info->key_type) return true;
    }
    return false;
}

static bool take_number(const struct spelling *s, const char *text, struct key_form *form)
{
    uint64_t number;
    if (s->most == 0) return *text == 0;
    if (!argument_number(text, s->least, s->most, &number)) return false;
    if (s->spelling == SPELL_FIXED) form->decimals = (unsigned)number;
    else form->kmer = (unsigned)number;
    return true;
}

static bool take_spelling(const char *text, struct key_meaning *meaning)
{
    for (const struct spelling *s = spellings; s < spellings + SPELLINGS; s++) {
        const size_t length = strlen(s->name);
        struct key_form form = {s->spelling, 0, 0};
        if (strncmp(text, s->name, length) != 0 || (s->types >> meaning->kind.type & 1) == 0) continue;
        if (s->spelling == SPELL_WIDE_KMER && meaning->kind.bytes != WIDE_KMER_BYTES) continue;
        if (!take_number(s, text + length, &form)) continue;
        meaning->form = form;
        return true;
    }
    return false;
}

/* Takes the note of counts. */
static bool take_note(const roost_snapshot_info *info, struct key_meaning *meaning)
{
    char text[64];
    const size_t length = strlen(info->note), head = strlen(HEAD), tail = strlen(CANONICAL);
    const bool canonical = length > tail && strcmp(info->note + length - tail, CANONICAL) == 0;
    const size_t end = canonical ? length - tail : length;
    if (info->value_type != ROOST_TYPE_U32 && info->value_type != ROOST_TYPE_U64) return false;
    if (strncmp(info->note, HEAD, head) != 0 || end < head || end - head >= sizeof text) return false;
    memcpy(text, info->note + head, end - head);
    text[end - head] = 0;
    meaning->canonical = canonical;
    return take_spelling(text, meaning) && (!canonical || meaning->form.kmer > 0);
}

bool key_note_read(const roost_snapshot_info *info, struct key_meaning *meaning)
{
    static const enum key_spelling by_type[] = {[IO_U32] = SPELL_UNSIGNED, [IO_U64] = SPELL_UNSIGNED, [IO_I32] = SPELL_I32,
                                                [IO_I64] = SPELL_I64,      [IO_BYTES] = SPELL_HEX,    [IO_STRING] = SPELL_TEXT};
    memset(meaning, 0, sizeof *meaning);
    if (!kind_of(info, &meaning->kind)) return false;
    meaning->counted = take_note(info, meaning);
    if (meaning->counted) return true;
    meaning->canonical = false;
    meaning->form = (struct key_form){by_type[meaning->kind.type], 0, 0};
    return true;
}
