/* Texts as words of 8 bytes. */
#include "cli/key_words.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/relation_options.h"
#include "cli/row_text.h"
#include "io/io_bytes.h"
#include "io/io_threads.h"
#include "roost/numbers.h"

#define SHORT_BYTES 7                 /* of texts that are in the word itself */
#define DIGITS_MOST 18                /* of integers, which then are below 2^60 */
#define SHARE_LEAST ((size_t)1 << 14) /* texts that are worth a thread */
#define LENGTH_SHIFT 56               /* of a short text's length */
#define IS_NUMBER ((uint64_t)1 << 63)
#define IS_NEGATIVE ((uint64_t)1 << 61)
#define IN_DICTIONARY ((uint64_t)3 << 62)

/* ---- Texts that are their own words ---------------------------------------------------------- */

/* The text as an integer that is spelled exactly so.  False: it is none. */
static bool number_word(const uint8_t *text, size_t length, uint64_t *word)
{
    uint64_t number = 0;
    const bool negative = text[0] == '-';
    const size_t digits = length - negative;
    if (digits > DIGITS_MOST || text[negative] == '0') return false;
    for (size_t i = negative; i < length; i++) {
        const unsigned digit = (unsigned)text[i] - '0';
        if (digit > 9) return false;
        number = number * 10 + digit;
    }
    *word = IS_NUMBER | (negative ? IS_NEGATIVE : 0) | number;
    return true;
}

static inline bool own_word(const uint8_t *text, size_t length, uint64_t *word)
{
    if (length > SHORT_BYTES) return number_word(text, length, word);
    uint64_t bytes;
    memcpy(&bytes, text, sizeof bytes);
    bytes &= ((uint64_t)1 << (8 * length)) - 1;
    *word = (uint64_t)length << LENGTH_SHIFT | bytes;
    return true;
}

/* ---- The dictionary -------------------------------------------------------------------------- */

static int no_memory(void) { return command_fail("out of memory for keys"); }

static int make_dictionary(struct key_words *words)
{
    roost_config config = ROOST_CONFIG_INIT;
    if (words->dictionary != NULL) return 0;
    config.device = words->device;
    config.threads = words->threads;
    config.key_type = ROOST_TYPE_STRING;
    config.value_type = ROOST_TYPE_U32;
    config.flags = ROOST_NUMBERED;
    return roost_table_create(&words->dictionary, &config) == ROOST_OK ? 0 : relation_fail("the keys' dictionary");
}

static bool work_space(struct key_words *words, size_t n)
{
    if (n <= words->room) return true;
    if (!io_enlarge(&words->rows, n * sizeof *words->rows) || !io_enlarge(&words->offsets, (n + 1) * sizeof *words->offsets) ||
        !io_enlarge(&words->numbers, n * sizeof *words->numbers) || !io_enlarge(&words->statuses, n))
        return false;
    words->room = n;
    return true;
}

/* What the threads share that look for texts which are their own words. */
struct looking {
    struct key_words *words;
    const struct texts *texts;
    uint64_t *made;
    size_t share;                                           /* texts of a thread */
    size_t others[IO_THREADS_MOST], bytes[IO_THREADS_MOST]; /* of those that are no words */
};

/* Writes the words of a share's texts; lists the others in words->rows from its first one on. */
static void look(void *context, int i)
{
    struct looking *const l = (struct looking *)context;
    const struct texts *const texts = l->texts;
    const size_t first = (size_t)i * l->share, end = first + l->share < texts->n ? first + l->share : texts->n;
    size_t n = 0, bytes = 0;
    for (size_t k = first; k < end; k++) {
        const size_t length = (size_t)(texts->offsets[k + 1] - texts->offsets[k]);
        if (own_word(texts->bytes + texts->offsets[k], length, &l->made[k])) continue;
        bytes += length;
        l->words->rows[first + n++] = k;
    }
    l->others[i] = n;
    l->bytes[i] = bytes;
}

/* Lists the texts that are not their own words; *bytes: of them. */
static size_t find_others(struct key_words *words, const struct texts *texts, uint64_t *made, size_t *bytes)
{
    struct looking l = {.words = words, .texts = texts, .made = made};
    const size_t worth = texts->n / SHARE_LEAST + 1,
                 most = (size_t)(words->threads < IO_THREADS_MOST ? words->threads : IO_THREADS_MOST),
                 threads = most < worth ? most : worth;
    size_t n = 0;
    l.share = texts->n / threads + 1;
    io_threads_run((int)threads, look, &l);
    *bytes = 0;
    for (size_t i = 0; i < threads; i++) {
        memmove(words->rows + n, words->rows + i * l.share, l.others[i] * sizeof *words->rows);
        n += l.others[i];
        *bytes += l.bytes[i];
    }
    return n;
}

/* Copies the texts that are not their own words, and writes the words of the others. */
static int gather(struct key_words *words, const struct texts *texts, uint64_t *made, size_t *gathered)
{
    size_t used;
    if (!work_space(words, texts->n)) return no_memory();
    const size_t n = *gathered = find_others(words, texts, made, &used);
    if (used > words->text_room) {
        if (!io_enlarge(&words->text, used)) return no_memory();
        words->text_room = used;
    }
    words->offsets[0] = 0;
    for (size_t k = 0; k < n; k++) {
        const uint64_t begin = texts->offsets[words->rows[k]], length = texts->offsets[words->rows[k] + 1] - begin;
        memcpy(words->text + words->offsets[k], texts->bytes + begin, (size_t)length);
        words->offsets[k + 1] = words->offsets[k] + length;
    }
    return 0;
}

/* Keeps the texts that are new, in the order of their numbers. */
static int keep(struct key_words *words, size_t n)
{
    size_t fresh = 0, more = 0;
    for (size_t k = 0; k < n; k++) {
        if (words->statuses[k] != ROOST_ITEM_INSERTED) continue;
        fresh++;
        more += (size_t)(words->offsets[k + 1] - words->offsets[k]);
    }
    const size_t used = words->n > 0 ? (size_t)words->ends[words->n - 1] : 0;
    if (words->n + fresh > words->ends_room) {
        const size_t room = 2 * (words->n + fresh);
        if (!io_enlarge(&words->ends, room * sizeof *words->ends)) return no_memory();
        words->ends_room = room;
    }
    if (used + more > words->bytes_room) {
        const size_t room = 2 * (used + more);
        if (!io_enlarge(&words->bytes, room)) return no_memory();
        words->bytes_room = room;
    }
    /* First the length of each, then its end and its bytes. */
    for (size_t k = 0; k < n; k++)
        if (words->statuses[k] == ROOST_ITEM_INSERTED) words->ends[words->numbers[k]] = words->offsets[k + 1] - words->offsets[k];
    uint64_t end = used;
    for (size_t i = words->n; i < words->n + fresh; i++) words->ends[i] = end += words->ends[i];
    for (size_t k = 0; k < n; k++) {
        if (words->statuses[k] != ROOST_ITEM_INSERTED) continue;
        const uint64_t length = words->offsets[k + 1] - words->offsets[k];
        memcpy(words->bytes + words->ends[words->numbers[k]] - length, words->text + words->offsets[k], (size_t)length);
    }
    words->n += fresh;
    return 0;
}

static roost_strings strings_of(const struct key_words *words)
{
    roost_strings strings = ROOST_STRINGS_INIT;
    strings.offsets = words->offsets;
    strings.bytes = words->text;
    return strings;
}

int key_words_make(struct key_words *words, const struct texts *texts, uint64_t *made)
{
    size_t n;
    roost_call call = ROOST_CALL_INIT;
    int result = gather(words, texts, made, &n);
    if (result != 0 || n == 0) return result;
    result = make_dictionary(words);
    if (result != 0) return result;
    const roost_strings strings = strings_of(words);
    call.statuses = words->statuses;
    if (roost_number_strings(words->dictionary, &strings, n, words->numbers, &call) != ROOST_OK)
        return command_fail("the keys' dictionary: %s", roost_last_error(words->dictionary));
    result = keep(words, n);
    for (size_t k = 0; k < n; k++) made[words->rows[k]] = IN_DICTIONARY | words->numbers[k];
    return result;
}

int key_words_find(struct key_words *words, const struct texts *texts, uint64_t *found)
{
    size_t n;
    const int result = gather(words, texts, found, &n);
    if (result != 0 || n == 0) return result;
    const roost_strings strings = strings_of(words);
    if (words->dictionary == NULL) memset(words->statuses, 0, n);
    else if (roost_find_strings(words->dictionary, &strings, n, words->numbers, words->statuses, NULL) != ROOST_OK)
        return command_fail("the keys' dictionary: %s", roost_last_error(words->dictionary));
    for (size_t k = 0; k < n; k++) found[words->rows[k]] = words->statuses[k] ? IN_DICTIONARY | words->numbers[k] : KEY_WORD_NONE;
    return 0;
}

/* ---- Back ------------------------------------------------------------------------------------ */

const uint8_t *key_words_text(const struct key_words *words, uint64_t word, uint8_t *small, size_t *length)
{
    if ((word & IN_DICTIONARY) == IN_DICTIONARY) {
        const uint32_t number = (uint32_t)word;
        const uint64_t begin = number > 0 ? words->ends[number - 1] : 0;
        *length = (size_t)(words->ends[number] - begin);
        return words->bytes + begin;
    }
    if (word & IS_NUMBER) {
        uint8_t *text = row_digits(word & ~(IS_NUMBER | IS_NEGATIVE), small + KEY_WORD_TEXT);
        if (word & IS_NEGATIVE) *--text = '-';
        *length = (size_t)(small + KEY_WORD_TEXT - text);
        return text;
    }
    *length = (size_t)(word >> LENGTH_SHIFT);
    memcpy(small, &word, *length);
    return small;
}

void key_words_release(struct key_words *words)
{
    void *const all[] = {words->ends, words->bytes, words->rows, words->offsets, words->text, words->numbers, words->statuses};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    roost_table_destroy(words->dictionary);
    memset(words, 0, sizeof *words);
}
