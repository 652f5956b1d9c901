/* `roost info`: the version, the devices found, and the engines with their abilities. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/choose.h"
#include "cli/command.h"
#include "cli/info.h"
#include "cli/json.h"
#include "cli/snapshot_info.h"
#include "roost/roost.h"
#include "roost/tuning.h"

struct info_options {
    bool json;
    bool help;
    const char *choose;
    struct snapshot_info_options snapshot;
    int result; /* the exit code, once a line about wrong usage is printed */
};

enum { OPTION_JSON = 256, OPTION_CHOOSE, OPTION_VERIFY, OPTION_SALVAGE };

static const struct argp_option option_list[] = {
    {"json", OPTION_JSON, NULL, 0, "Print JSON", 0},
    {"choose", OPTION_CHOOSE, "HINTS", 0,
     "Print instead which engine the library chooses, and why, for hints such as work=find-half,keys=100000000,load=0.8 "
     "(" CHOOSE_HINTS "; key=0: strings)",
     0},
    {"verify", OPTION_VERIFY, NULL, 0, "Of a snapshot: read all blocks into a table on the host; an error names a damaged one", 0},
    {"salvage", OPTION_SALVAGE, NULL, 0, "With --verify: count what is damaged, and exit with 3 if something is", 0},
    {"help", OPTION_HELP, NULL, 0, "Print this text", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state);
const struct argp info_argp = {
    option_list,
    parse_option,
    "[FILE]",
    "Prints the version, the devices found, and the engines with what each can do; or what the snapshot FILE says of itself.\v"
    "A FILE of - is standard input.",
    NULL,
    NULL,
    NULL};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct info_options *options = (struct info_options *)state->input;
    switch (key) {
    case OPTION_JSON: options->json = true; return 0;
    case OPTION_CHOOSE: options->choose = argument; return 0;
    case OPTION_HELP: options->help = true; return 0;
    case OPTION_VERIFY: options->snapshot.verify = true; return 0;
    case OPTION_SALVAGE: options->snapshot.salvage = true; return 0;
    case ARGP_KEY_ARG:
        if (options->snapshot.path == NULL) options->snapshot.path = argument;
        else options->result = command_misused("'%s' is unexpected: info takes one snapshot", argument);
        return options->result != 0 ? EINVAL : 0;
    case ARGP_KEY_ERROR:
        if (options->result == 0) options->result = argument_refused(&info_argp, state);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void print_devices(void)
{
    roost_device_info device;
    printf("devices\n");
    for (size_t i = 0; roost_device_describe(i, &device, sizeof device) == ROOST_OK; i++) {
        printf("  %-10s %s", device.name, device.description);
        printf(", %.1f GiB of memory", (double)device.memory_bytes / (1 << 30));
        if (device.l2_bytes > 0) printf(", %.1f MiB of last-level cache", (double)device.l2_bytes / (1 << 20));
        printf("\n             profile %s\n", device.profile);
    }
}

/* Prints each option on a line, indented. */
static void print_engine_options(const char *text)
{
    while (*text != 0) {
        const size_t length = strcspn(text, "\n");
        if (length > 0) printf("      %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_engines(void)
{
    roost_engine_info engine;
    printf("engines\n");
    for (size_t i = 0; roost_engine_describe(i, &engine, sizeof engine) == ROOST_OK; i++) {
        printf("  %-10s %s\n", engine.name, engine.summary);
        printf("    operations %s\n    widths     %s (key + value bytes)\n", engine.operations, engine.widths);
        printf("    mixed      %s\n",
               engine.mixes ? "finds, inserts and erases at the same time" : "in phases: erases, inserts, finds");
        printf("    multimaps  %s\n", engine.multi ? "yes" : "no");
        if (engine.wide)
            printf("    wide       keys of 1 to %d bytes and of strings, values of 0 to %d bytes\n", ROOST_KEY_BYTES_MOST,
                   ROOST_VALUE_BYTES_MOST);
        if (engine.options != NULL && *engine.options != 0) printf("    options (--option name=value)\n");
        if (engine.options != NULL) print_engine_options(engine.options);
    }
}

static json_t *devices_json(void)
{
    roost_device_info device;
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && roost_device_describe(i, &device, sizeof device) == ROOST_OK; i++)
        list = json_append(list, json_pack("{so so so so so so}", "name", json_text(device.name), "description",
                                           json_text(device.description), "profile", json_text(device.profile), "profile_path",
                                           json_text(device.profile_path), "memory_bytes", json_unsigned(device.memory_bytes),
                                           "l2_bytes", json_unsigned(device.l2_bytes)));
    return list;
}

static json_t *engines_json(void)
{
    roost_engine_info engine;
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && roost_engine_describe(i, &engine, sizeof engine) == ROOST_OK; i++)
        list = json_append(
            list, json_pack("{so so so so so so sb sb sb}", "name", json_text(engine.name), "summary", json_text(engine.summary),
                            "operations", json_text(engine.operations), "widths", json_text(engine.widths), "options",
                            json_text(engine.options != NULL ? engine.options : ""), "parameters", json_text(engine.parameters),
                            "mixes", engine.mixes, "multi", engine.multi, "wide", engine.wide));
    return list;
}

static int settle(struct info_options *options)
{
    options->snapshot.json = options->json;
    if (options->snapshot.path != NULL && options->choose != NULL)
        return command_misused("--choose and a snapshot exclude each other");
    if (options->snapshot.path == NULL && options->snapshot.verify) return command_misused("--verify needs a snapshot");
    if (options->snapshot.salvage && !options->snapshot.verify) return command_misused("--salvage belongs to --verify");
    return 0;
}

int info_main(int argc, char **argv)
{
    struct info_options options = {.json = false};
    const error_t error = argp_parse(&info_argp, argc, argv, ARGUMENT_FLAGS, NULL, &options);
    if (options.result == 0 && error != 0) return command_fail("%s", strerror(error));
    if (options.result != 0) return options.result;
    if (options.help) {
        argument_help(&info_argp);
        return 0;
    }
    const int result = settle(&options);
    if (result != 0) return result;
    if (options.snapshot.path != NULL) return snapshot_info_print(&options.snapshot);
    if (options.choose) return choose_print(options.choose, options.json);
    if (options.json)
        return json_print(stdout, json_pack("{so so so}", "version", json_text(roost_version_string()), "devices", devices_json(),
                                            "engines", engines_json()));
    printf("roost %s\n", roost_version_string());
    print_devices();
    print_engines();
    return 0;
}
