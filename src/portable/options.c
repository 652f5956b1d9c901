/* Options strings, "name=value,name=value". */
#include "portable/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

static bool copy_word(char word[32], const char *from, size_t length)
{
    if (length == 0 || length > 31) return false;
    memcpy(word, from, length);
    word[length] = 0;
    return true;
}

int options_next(const char **options, char name[32], char value[32])
{
    if (!*options || !**options) return 0;
    const size_t length = strcspn(*options, ","), equals = strcspn(*options, "=,");
    if (equals >= length || !copy_word(name, *options, equals)) return -1;
    if (!copy_word(value, *options + equals + 1, length - equals - 1)) return -1;
    *options += length;
    /* A comma that nothing follows stays, and is malformed. */
    if (**options == ',' && (*options)[1]) ++*options;
    return 1;
}

int option_choice(const char *value, const char *list)
{
    const size_t length = strlen(value);
    for (int i = 0;; i++) {
        const size_t word = strcspn(list, "|");
        if (word == length && !memcmp(list, value, word)) return i;
        if (!list[word]) return -1;
        list += word + 1;
    }
}

int option_choices(const char *list)
{
    int n = 1;
    for (; *list; list++) n += *list == '|';
    return n;
}

static const char digits[] = "0123456789";

/* Is this, alone or before a point, a number in normal form: digits without sign, blank or leading
 * 0? */
static bool is_whole(const char *value, size_t length)
{
    return length && length <= 9 && strspn(value, digits) >= length && (*value != '0' || length == 1);
}

int option_number(const char *value, int low, int high)
{
    if (!is_whole(value, strlen(value))) return -1;
    const long x = strtol(value, NULL, 10);
    return x < low || x > high ? -1 : (int)x;
}

/* Not strtod, whose decimal point depends on the locale. */
double option_fraction(const char *value, double low, double high)
{
    const size_t whole = strcspn(value, ".");
    const char *fraction = value[whole] ? value + whole + 1 : "0";
    if (!is_whole(value, whole) || !*fraction || strlen(fraction) > 9 || fraction[strspn(fraction, digits)]) return -1;
    int64_t numerator = strtol(value, NULL, 10), denominator = 1;
    for (; *fraction; fraction++, denominator *= 10) numerator = 10 * numerator + (*fraction - '0');
    const double x = (double)numerator / (double)denominator;
    return x < low || x > high ? -1 : x;
}
