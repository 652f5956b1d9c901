/* Parses fields by regular expressions and the C library's own functions. */
#define _GNU_SOURCE 1
#include "cli/verify_fields.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONGEST 40 /* bytes of a field that is matched */

#define DATE "([0-9]{4})-([0-9]{2})-([0-9]{2})"
#define CLOCK "([0-9]{2}):([0-9]{2})(:([0-9]{2})([.]([0-9]{1,6}))?)?"
#define ZONE "(Z|([+-])([0-9]{2}):([0-9]{2}))?"

enum { GROUPS = 16 };

/* A regular expression, which is compiled at its first use and kept until the process ends. */
struct pattern {
    const char *text;
    bool is_compiled;
    regex_t compiled;
};

/* Matches the whole field. */
static bool matches(struct pattern *pattern, const char *field, regmatch_t groups[GROUPS])
{
    if (!pattern->is_compiled && regcomp(&pattern->compiled, pattern->text, REG_EXTENDED) != 0) return false;
    pattern->is_compiled = true;
    return regexec(&pattern->compiled, field, GROUPS, groups, 0) == 0;
}

/* The number in a group; 0 if the group is absent. */
static int number_in(const char *field, regmatch_t group) { return group.rm_so < 0 ? 0 : atoi(field + group.rm_so); }

static bool parse_unsigned(const struct verify_plan *plan, const char *field, uint64_t *key)
{
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(field, &end, plan->base);
    const bool digit = (*field >= '0' && *field <= '9') || (plan->base == 36 && strchr("+- \t", *field) == NULL);
    *key = value;
    return digit && *end == 0 && end != field && errno == 0 && (plan->key_bytes > 4 || value <= UINT32_MAX);
}

static bool in_range(const struct verify_plan *plan, const char *text, uint64_t *key)
{
    errno = 0;
    const long long value = strtoll(text, NULL, 10);
    *key = plan->key_bytes == 4 ? (uint32_t)value : (uint64_t)value;
    return errno == 0 && (plan->key_bytes > 4 || (value >= INT32_MIN && value <= INT32_MAX));
}

static bool parse_signed(const struct verify_plan *plan, const char *field, uint64_t *key)
{
    static struct pattern pattern = {.text = "^[+-]?[0-9]+$"};
    regmatch_t groups[GROUPS];
    return matches(&pattern, field, groups) && in_range(plan, field, key);
}

/* Writes the digits without the point, with as many decimals as the plan says. */
static bool parse_fixed(const struct verify_plan *plan, const char *field, uint64_t *key)
{
    static struct pattern pattern = {.text = "^[+-]?([0-9]+[.]?([0-9]*)|[.]([0-9]+))$"};
    char text[2 * LONGEST];
    regmatch_t groups[GROUPS];
    if (!matches(&pattern, field, groups)) return false;
    const size_t whole = strcspn(field, ".");
    const char *decimals = field[whole] == '.' ? field + whole + 1 : "";
    const size_t kept = strlen(decimals) < plan->decimals ? strlen(decimals) : plan->decimals;
    if (decimals[kept + strspn(decimals + kept, "0")] != 0) return false;
    snprintf(text, sizeof text, "%.*s%.*s%.*s", (int)whole, field, (int)kept, decimals, (int)(plan->decimals - kept),
             "000000000000000000");
    return in_range(plan, text, key);
}

/* Seconds since 1970.  False: there is no such day or time. */
static bool seconds_of(struct tm tm, int64_t *seconds)
{
    const struct tm given = tm;
    *seconds = timegm(&tm);
    return given.tm_year >= 1 - 1900 && given.tm_mon == tm.tm_mon && given.tm_mday == tm.tm_mday && given.tm_hour < 24 &&
           given.tm_min < 60 && given.tm_sec < 60;
}

static struct tm date_in(const char *field, const regmatch_t *groups)
{
    return (struct tm){.tm_year = number_in(field, groups[1]) - 1900,
                       .tm_mon = number_in(field, groups[2]) - 1,
                       .tm_mday = number_in(field, groups[3])};
}

static bool parse_date(const char *field, uint64_t *key)
{
    static struct pattern pattern = {.text = "^" DATE "$"};
    regmatch_t groups[GROUPS];
    int64_t seconds;
    if (!matches(&pattern, field, groups) || !seconds_of(date_in(field, groups), &seconds)) return false;
    *key = (uint32_t)(seconds / 86400);
    return true;
}

static bool parse_time(const char *field, uint64_t *key)
{
    static struct pattern pattern = {.text = "^" DATE "[T ]" CLOCK ZONE "$"};
    regmatch_t groups[GROUPS];
    int64_t seconds;
    if (!matches(&pattern, field, groups)) return false;
    struct tm tm = date_in(field, groups);
    tm.tm_hour = number_in(field, groups[4]);
    tm.tm_min = number_in(field, groups[5]);
    tm.tm_sec = number_in(field, groups[7]);
    const int hours = number_in(field, groups[12]), minutes = number_in(field, groups[13]);
    if (!seconds_of(tm, &seconds) || hours > 23 || minutes > 59) return false;
    char fraction[] = "000000";
    if (groups[9].rm_so >= 0) memcpy(fraction, field + groups[9].rm_so, (size_t)(groups[9].rm_eo - groups[9].rm_so));
    const int west = groups[11].rm_so >= 0 && field[groups[11].rm_so] == '-' ? 1 : -1;
    *key = (uint64_t)((seconds + west * (3600 * hours + 60 * minutes)) * 1000000 + atoi(fraction));
    return true;
}

bool verify_field_parse(const struct verify_plan *plan, const char *field, size_t length, uint64_t *key)
{
    if (strlen(field) != length) return false;
    if (plan->field == VERIFY_UNSIGNED) return parse_unsigned(plan, field, key);
    if (length > LONGEST) return false;
    switch (plan->field) {
    case VERIFY_SIGNED: return parse_signed(plan, field, key);
    case VERIFY_FIXED: return parse_fixed(plan, field, key);
    case VERIFY_DATE: return parse_date(field, key);
    case VERIFY_TIME: return parse_time(field, key);
    case VERIFY_UNSIGNED: break;
    }
    return false;
}

bool verify_add_field(struct recount *recount, const char *field, size_t length)
{
    const struct verify_plan *plan = recount->plan;
    uint64_t key = 0;
    bool is_key = field != NULL;
    if (is_key && plan->store != NULL) is_key = plan->key_bytes == 0 || length == plan->key_bytes;
    else if (is_key) is_key = verify_field_parse(plan, field, length, &key);
    if (is_key) return plan->store != NULL ? recount_add_bytes(recount, field, length) : recount_add(recount, key);
    recount->left_out++;
    return plan->leave_out || recount_fail(recount, "'%s' is no key", field != NULL ? field : "");
}
