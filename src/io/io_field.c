/* Parses fields that are in memory, from left to right. */
#include "io_field.h"

#include <stdio.h>
#include <string.h>

/* The rest of a field. */
struct rest {
    const char *at, *end;
};

static bool take(struct rest *rest, char byte)
{
    if (rest->at == rest->end || *rest->at != byte) return false;
    rest->at++;
    return true;
}

static bool take_digit(struct rest *rest, unsigned *digit)
{
    if (rest->at == rest->end || *rest->at < '0' || *rest->at > '9') return false;
    *digit = (unsigned)(*rest->at++ - '0');
    return true;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* A number while it is parsed: its digits without sign and point. */
struct number {
    bool large;
    uint64_t magnitude;
};

static void add_digit(struct number *number, unsigned digit)
{
    number->large = number->large || number->magnitude > (UINT64_MAX - digit) / 10;
    if (!number->large) number->magnitude = number->magnitude * 10 + digit;
}

/* Takes digits behind the point, and adds zeros for those that lack.  Digits beyond `decimals` have
 * to be zeros. */
static bool take_decimals(struct rest *rest, unsigned decimals, struct number *number)
{
    unsigned digit, taken = 0;
    for (; take_digit(rest, &digit); taken++) {
        if (taken < decimals) add_digit(number, digit);
        else if (digit != 0) return false;
    }
    for (; taken < decimals; taken++) add_digit(number, 0);
    return true;
}

/* `largest`: of the positive numbers; there is one negative number more. */
static enum io_parsed parse_number(struct rest rest, unsigned decimals, bool point, uint64_t largest, uint64_t *key)
{
    struct number number = {false, 0};
    unsigned digit;
    const bool negative = take(&rest, '-');
    if (!negative) take(&rest, '+');
    const char *const whole = rest.at;
    while (take_digit(&rest, &digit)) add_digit(&number, digit);
    bool any = rest.at > whole;
    if (point) take(&rest, '.');
    const char *const fraction = rest.at;
    if (!take_decimals(&rest, decimals, &number)) return IO_NOT_PARSED;
    any = any || rest.at > fraction;
    if (!any || rest.at != rest.end) return IO_NOT_PARSED;
    if (number.large || number.magnitude > largest + negative) return IO_TOO_LARGE;
    *key = negative ? 0 - number.magnitude : number.magnitude;
    return IO_PARSED;
}

/* ---- Dates and times ------------------------------------------------------------------------- */

/* Takes a number of exactly `digits` digits. */
static bool take_digits(struct rest *rest, unsigned digits, unsigned *number)
{
    unsigned digit;
    *number = 0;
    for (; digits > 0; digits--) {
        if (!take_digit(rest, &digit)) return false;
        *number = *number * 10 + digit;
    }
    return true;
}

static unsigned days_of_month(unsigned year, unsigned month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* Days from 1970-01-01 to a day of the Gregorian calendar, by those from 0000-03-01.  Years begin
 * in March here, so that the leap day is the last one. */
static int64_t days_of(unsigned year, unsigned month, unsigned day)
{
    const int64_t y = (int64_t)year - (month <= 2), months = (month + 9) % 12;
    const int64_t before = 365 * y + y / 4 - y / 100 + y / 400, to_1970 = 719468;
    return before + (153 * months + 2) / 5 + day - 1 - to_1970;
}

/* Takes YYYY-MM-DD, from year 1 on. */
static bool take_date(struct rest *rest, int64_t *days)
{
    unsigned year, month, day;
    if (!take_digits(rest, 4, &year) || !take(rest, '-') || !take_digits(rest, 2, &month) || !take(rest, '-')) return false;
    if (!take_digits(rest, 2, &day) || year < 1 || month < 1 || month > 12) return false;
    if (day < 1 || day > days_of_month(year, month)) return false;
    *days = days_of(year, month, day);
    return true;
}

/* Takes HH:MM. */
static bool take_minutes(struct rest *rest, int64_t *minutes)
{
    unsigned hour, minute;
    if (!take_digits(rest, 2, &hour) || !take(rest, ':') || !take_digits(rest, 2, &minute)) return false;
    *minutes = (int64_t)(60 * hour + minute);
    return hour < 24 && minute < 60;
}

/* Takes the optional part :SS.ffffff, of up to six decimals. */
static bool take_seconds(struct rest *rest, int64_t *microseconds)
{
    unsigned second, digit, taken = 0;
    int64_t fraction = 0;
    *microseconds = 0;
    if (!take(rest, ':')) return true;
    if (!take_digits(rest, 2, &second) || second >= 60) return false;
    if (take(rest, '.')) {
        for (; taken < 6 && take_digit(rest, &digit); taken++) fraction = fraction * 10 + digit;
        if (taken == 0) return false;
        for (; taken < 6; taken++) fraction *= 10;
    }
    *microseconds = (int64_t)second * 1000000 + fraction;
    return true;
}

/* Takes the optional zone: Z, or the minutes before or behind it as +HH:MM. */
static bool take_zone(struct rest *rest, int64_t *minutes)
{
    *minutes = 0;
    if (rest->at == rest->end || take(rest, 'Z')) return true;
    const bool west = take(rest, '-');
    if (!west && !take(rest, '+')) return false;
    if (!take_minutes(rest, minutes)) return false;
    if (west) *minutes = -*minutes;
    return true;
}

static enum io_parsed parse_date(struct rest rest, uint64_t *key)
{
    int64_t days;
    if (!take_date(&rest, &days) || rest.at != rest.end) return IO_NOT_PARSED;
    *key = (uint64_t)days;
    return IO_PARSED;
}

static enum io_parsed parse_time(struct rest rest, uint64_t *key)
{
    int64_t days, minutes, microseconds, zone;
    if (!take_date(&rest, &days) || (!take(&rest, 'T') && !take(&rest, ' '))) return IO_NOT_PARSED;
    if (!take_minutes(&rest, &minutes) || !take_seconds(&rest, &microseconds) || !take_zone(&rest, &zone)) return IO_NOT_PARSED;
    if (rest.at != rest.end) return IO_NOT_PARSED;
    *key = (uint64_t)((days * 1440 + minutes - zone) * 60000000 + microseconds);
    return IO_PARSED;
}

/* ---- All of them ----------------------------------------------------------------------------- */

enum io_parsed io_field_parse(const struct io_spec *spec, const char *text, size_t length, uint64_t *key)
{
    const struct rest rest = {text, text + length};
    if (length > IO_FIELD_TEXT) return IO_NOT_PARSED;
    switch (spec->field) {
    case IO_SIGNED_I64: return parse_number(rest, 0, false, INT64_MAX, key);
    case IO_SIGNED_I32: return parse_number(rest, 0, false, INT32_MAX, key);
    case IO_FIXED: return parse_number(rest, spec->decimals, true, INT64_MAX, key);
    case IO_DATE: return parse_date(rest, key);
    case IO_TIME: return parse_time(rest, key);
    default: return IO_NOT_PARSED;
    }
}

const char *io_field_words(const struct io_spec *spec, char text[IO_FIELD_TEXT])
{
    static const char *const words[] = {[IO_DECIMAL_U64] = "a decimal number of 64 bits",
                                        [IO_DECIMAL_U32] = "a decimal number of 32 bits",
                                        [IO_BASE36] = "a base-36 number of 64 bits",
                                        [IO_FIELD_BYTES] = "",
                                        [IO_FIELD_STRING] = "",
                                        [IO_SIGNED_I64] = "a signed number of 64 bits",
                                        [IO_SIGNED_I32] = "a signed number of 32 bits",
                                        [IO_FIXED] = "",
                                        [IO_DATE] = "a date as 2026-12-31",
                                        [IO_TIME] = "a time as 2026-12-31T23:59:59"};
    if (spec->field != IO_FIXED) return words[spec->field];
    snprintf(text, IO_FIELD_TEXT, "a number with at most %u decimals", spec->decimals);
    return text;
}
