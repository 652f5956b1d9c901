/* Parses the hints, and prints the choice that the library makes by them. */
#define _GNU_SOURCE 1
#include "cli/choose.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/json.h"
#include "roost/roost.h"
#include "roost/tuning.h"

static const struct {
    const char *name;
    roost_work work;
} works[] = {{"any", ROOST_WORK_ANY},
             {"insert", ROOST_WORK_INSERT},
             {"find-hits", ROOST_WORK_FIND_HITS},
             {"find-half", ROOST_WORK_FIND_HALF},
             {"find-misses", ROOST_WORK_FIND_MISSES},
             {"erase", ROOST_WORK_ERASE},
             {"mixed", ROOST_WORK_MIXED},
             {"growth", ROOST_WORK_GROWTH}};

/* The hints.  result: the exit code, once a line about a wrong one is printed. */
struct hints {
    roost_config config;
    int result;
};

static void set_work(struct hints *h, const char *value)
{
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        if (strcmp(works[i].name, value) != 0) continue;
        h->config.work = works[i].work;
        return;
    }
    h->result = command_misused("work is any, insert, find-hits, find-half, find-misses, erase, mixed or growth, not '%s'", value);
}

/* 4 and 8 bytes are numbers, other widths are bytes. */
static roost_type type_of(uint64_t bytes) { return bytes == 4 ? ROOST_TYPE_U32 : bytes == 8 ? ROOST_TYPE_U64 : ROOST_TYPE_BYTES; }

static void set_hint(struct hints *h, const char *name, const char *value)
{
    roost_config *c = &h->config;
    const uint64_t most = (uint64_t)1 << 40;
    if (strcmp(name, "work") == 0) set_work(h, value);
    else if (strcmp(name, "keys") == 0) c->capacity = argument_take(&h->result, "choose keys=", value, 0, most);
    else if (strcmp(name, "load") == 0) c->max_fill = argument_take_decimal(&h->result, "choose load=", value, 0.01, 1);
    else if (strcmp(name, "key") == 0) {
        c->key_bytes = argument_take(&h->result, "choose key=", value, 0, ROOST_KEY_BYTES_MOST);
        c->key_type = c->key_bytes ? type_of(c->key_bytes) : ROOST_TYPE_STRING;
    } else if (strcmp(name, "value") == 0) {
        c->value_bytes = argument_take(&h->result, "choose value=", value, 0, ROOST_VALUE_BYTES_MOST);
        c->value_type = c->value_bytes ? type_of(c->value_bytes) : ROOST_TYPE_NONE;
    } else if (strcmp(name, "device") == 0) c->device = value;
    else if (strcmp(name, "engine") == 0) c->engine = value;
    else if (strcmp(name, "batch") == 0) c->batch = argument_take(&h->result, "choose batch=", value, 0, most);
    else if (strcmp(name, "growth") == 0) c->growth = (int)argument_take(&h->result, "choose growth=", value, 0, 1);
    else if (strcmp(name, "multi") == 0) c->flags = argument_take(&h->result, "choose multi=", value, 0, 1) ? ROOST_MULTI : 0;
    else h->result = command_misused("'%s' is not a hint; hints are " CHOOSE_HINTS, name);
}

/* text: a copy that is cut into pieces.  The configuration points into it. */
static int hints_parse(char *text, struct hints *h)
{
    (void)roost_config_init(&h->config, sizeof h->config); /* fails for a wrong size only */
    h->config.min_fill = 0;
    h->config.max_fill = 0.8; /* the load of most measurements */
    h->result = 0;
    for (char *rest = text, *hint; h->result == 0 && (hint = strsep(&rest, ",")) != NULL;) {
        char *value = strchr(hint, '=');
        if (*hint == 0) continue;
        if (value == NULL) return command_misused("a hint is NAME=VALUE, not '%s'", hint);
        *value++ = 0;
        set_hint(h, hint, value);
    }
    return h->result;
}

static int choice_json(const roost_choice *c)
{
    return json_print(stdout, json_pack("{so so sf so sf so}", "engine", json_text(c->engine), "device", json_text(c->device),
                                        "rate", c->rate, "second", json_text(c->second != NULL ? c->second : ""), "second_rate",
                                        c->second_rate, "reason", json_text(c->reason)));
}

int choose_print(const char *hints, bool json)
{
    char *text = strdup(hints);
    if (text == NULL) return command_fail("out of memory");
    struct hints h;
    roost_choice choice;
    int result = hints_parse(text, &h);
    if (result == 0) {
        const roost_status status = roost_choose(&h.config, &choice, sizeof choice);
        if (status != ROOST_OK) result = command_fail("%s", roost_last_error(NULL));
        else if (json) result = choice_json(&choice);
        else printf("engine %s on %s\n%s\n", choice.engine, choice.device, choice.reason);
    }
    free(text);
    return result;
}
