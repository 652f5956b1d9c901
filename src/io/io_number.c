/* Numbers of any kind in fields that are in memory. */
#include "io_number.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Integers up to 2^53 and powers of ten up to 10^22 are exact as doubles, so one product or
 * quotient of them is rounded once, as it should be (Clinger 1990). */
#define EXACT_MOST ((uint64_t)1 << 53)
#define POWER_MOST 22
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#define EXPONENT_MOST 1000000000 /* beyond it every number is 0 or infinite */

/* A number's parts. */
struct parts {
    bool negative, point, has_exponent;
    bool cut; /* there are more digits than fit into `digits` */
    uint64_t digits;
    int64_t exponent;
};

static bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/* Takes digits.  behind: behind the point.  Returns the byte that ends them. */
static const uint8_t *take_digits(struct parts *parts, const uint8_t *at, const uint8_t *end, bool behind)
{
    for (; at < end && is_digit(*at); at++) {
        const unsigned digit = *at - '0';
        parts->cut = parts->cut || parts->digits > (UINT64_MAX - digit) / 10;
        if (!parts->cut) parts->digits = parts->digits * 10 + digit;
        parts->exponent -= behind;
    }
    return at;
}

/* Takes what follows an e.  NULL: it is no exponent. */
static const uint8_t *take_exponent(struct parts *parts, const uint8_t *at, const uint8_t *end)
{
    int64_t exponent = 0;
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end || !is_digit(*at)) return NULL;
    for (; at < end && is_digit(*at); at++)
        if (exponent < EXPONENT_MOST) exponent = exponent * 10 + (*at - '0');
    parts->exponent += negative ? -exponent : exponent;
    parts->has_exponent = true;
    return at;
}

/* False: the text is no number. */
static bool take_parts(struct parts *parts, const uint8_t *at, const uint8_t *end)
{
    parts->negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    const uint8_t *const whole = at;
    at = take_digits(parts, at, end, false);
    bool any = at > whole;
    parts->point = at < end && *at == '.';
    if (parts->point) {
        const uint8_t *const fraction = ++at;
        at = take_digits(parts, at, end, true);
        any = any || at > fraction;
    }
    if (any && at < end && (*at == 'e' || *at == 'E')) at = take_exponent(parts, at + 1, end);
    return any && at == end;
}

/* The slow way, for numbers of many digits. */
static double parse_long(const uint8_t *text, size_t length)
{
    char copy[IO_NUMBER_TEXT + 1];
    memcpy(copy, text, length);
    copy[length] = 0;
    return strtod(copy, NULL);
}

#define SHORT_DIGITS 18 /* of integers that fit into 64 bits with sign, whatever the digits are */

/* An integer of few digits.  False: it is something else. */
static bool parse_short(const uint8_t *text, size_t length, int64_t *whole)
{
    const bool negative = length > 0 && *text == '-';
    int64_t number = 0;
    if (length - negative - 1 >= SHORT_DIGITS) return false;
    for (size_t i = negative; i < length; i++) {
        const unsigned digit = text[i] - (unsigned)'0';
        if (digit > 9) return false;
        number = number * 10 + digit;
    }
    *whole = negative ? -number : number;
    return true;
}

enum io_number_kind io_number_parse(const uint8_t *text, size_t length, int64_t *whole, double *real)
{
    struct parts parts = {false, false, false, false, 0, 0};
    if (parse_short(text, length, whole)) return IO_WHOLE;
    if (length > IO_NUMBER_TEXT || !take_parts(&parts, text, text + length)) return IO_NO_NUMBER;
    if (!parts.point && !parts.has_exponent && !parts.cut && parts.digits <= (uint64_t)INT64_MAX + parts.negative) {
        *whole = (int64_t)(parts.negative ? 0 - parts.digits : parts.digits);
        return IO_WHOLE;
    }
    const int64_t e = parts.exponent;
    const bool exact = !parts.cut && parts.digits <= EXACT_MOST && e >= -POWER_MOST && e <= POWER_MOST;
    if (exact) *real = e < 0 ? (double)parts.digits / powers[-e] : (double)parts.digits * powers[e];
    if (exact && parts.negative) *real = -*real;
    if (!exact) *real = parse_long(text, length);
    return IO_REAL;
}
