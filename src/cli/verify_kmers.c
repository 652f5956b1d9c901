/* Counts k-mers as strings: of the letters of each record of FASTA, and of each run of letters of
 * FASTQ, whose records are read whole. */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "cli/verify_parse.h"

/* ---- One k-mer ------------------------------------------------------------------------------- */

static char complement_letter(char letter)
{
    switch (letter) {
    case 'A': return 'T';
    case 'C': return 'G';
    case 'G': return 'C';
    default: return 'A';
    }
}

static bool add_number(struct recount *recount, const char *kmer, unsigned k)
{
    uint64_t key = 0;
    for (unsigned i = 0; i < k; i++) key = key * 4 + (uint64_t)(strchr("ACGT", kmer[i]) - "ACGT");
    return recount_add(recount, key);
}

/* Of more than 32 letters: a number of 16 bytes, the highest first. */
static bool add_bytes(struct recount *recount, const char *kmer, unsigned k)
{
    char bytes[16] = {0};
    for (unsigned i = 0; i < k; i++) {
        const unsigned place = 64 - k + i; /* of 64 letters, four in a byte */
        bytes[place / 4] = (char)(bytes[place / 4] * 4 + (strchr("ACGT", kmer[i]) - "ACGT"));
    }
    return recount_add_bytes(recount, bytes, sizeof bytes);
}

/* Adds the smaller, by alphabet, of a k-mer and its reverse complement, or the k-mer itself. */
static bool add_kmer(struct recount *recount, const char *kmer, unsigned k)
{
    char reverse[64];
    for (unsigned i = 0; i < k; i++) reverse[i] = complement_letter(kmer[k - 1 - i]);
    const bool itself = recount->plan->one_strand || memcmp(kmer, reverse, k) <= 0;
    return (k > 32 ? add_bytes : add_number)(recount, itself ? kmer : reverse, k);
}

/* ---- Letters --------------------------------------------------------------------------------- */

/* The letters since the last break.  When the window is full, only the last k - 1 are kept. */
struct window {
    size_t length;
    char letters[4096];
};

static bool add_letter(struct recount *recount, struct window *window, int c)
{
    const unsigned k = recount->plan->kmer;
    const char letter = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    if (letter != 'A' && letter != 'C' && letter != 'G' && letter != 'T') {
        window->length = 0;
        return true;
    }
    if (window->length == sizeof window->letters) {
        memmove(window->letters, window->letters + window->length - (k - 1), k - 1);
        window->length = k - 1;
    }
    window->letters[window->length++] = letter;
    return window->length < k || add_kmer(recount, window->letters + window->length - k, k);
}

static bool parse_fasta(struct recount *recount, FILE *file)
{
    struct window window = {.length = 0};
    bool line_start = true;
    for (int c = getc_unlocked(file); c != EOF; c = getc_unlocked(file)) {
        if (c == '\n' || c == '\r') {
            line_start = true;
        } else if (c == '>' && line_start) {
            while (c != EOF && c != '\n' && c != '\r') c = getc_unlocked(file);
            window.length = 0;
        } else {
            line_start = line_start && (c == ' ' || c == '\t');
            if (!add_letter(recount, &window, c)) return false;
        }
    }
    return true;
}

/* ---- FASTQ ----------------------------------------------------------------------------------- */

/* A line of any length, without its end. */
struct text {
    char *at;
    size_t length, room;
};

/* Adds the rest of the line to the text.  False: the file has ended before it, or there is no
 * memory, which leaves text->at NULL. */
static bool read_line(struct text *text, FILE *file)
{
    int c = getc_unlocked(file);
    if (c == EOF) return false;
    for (; c != EOF && c != '\n' && c != '\r'; c = getc_unlocked(file)) {
        if (text->length == text->room) {
            text->room = 2 * text->room + 256;
            char *longer = (char *)realloc(text->at, text->room);
            if (longer == NULL) free(text->at);
            text->at = longer;
            if (longer == NULL) return false;
        }
        text->at[text->length++] = (char)c;
    }
    return true;
}

/* Reads lines of letters up to the one that begins with '+', then as many qualities. */
static bool read_record(struct text *letters, struct text *qualities, FILE *file)
{
    letters->length = 0;
    for (size_t line = 0;; line = letters->length) {
        if (!read_line(letters, file)) return false;
        if (letters->length > line && letters->at[line] == '+') {
            letters->length = line;
            break;
        }
    }
    for (qualities->length = 0; qualities->length < letters->length;)
        if (!read_line(qualities, file)) return false;
    return qualities->length == letters->length;
}

static bool parse_fastq(struct recount *recount, FILE *file)
{
    struct text header = {NULL, 0, 0}, letters = {NULL, 0, 0}, qualities = {NULL, 0, 0};
    bool ok = true;
    for (; ok && read_line(&header, file); header.length = 0) {
        struct window window = {.length = 0};
        if (header.length == 0) continue;
        ok = read_record(&letters, &qualities, file) || recount_fail(recount, "a record of FASTQ is not whole");
        for (size_t i = 0; ok && i < letters.length; i++) ok = add_letter(recount, &window, letters.at[i]);
    }
    free(header.at);
    free(letters.at);
    free(qualities.at);
    return ok;
}

bool verify_parse_kmers(struct recount *recount, FILE *file)
{
    int c;
    do c = getc(file);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
    if (c == EOF) return true;
    ungetc(c, file);
    return c == '@' ? parse_fastq(recount, file) : parse_fasta(recount, file);
}
