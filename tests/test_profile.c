/* Profiles: their contents, the places where the library looks for them, what takes precedence
 * over them, and that none prevents a table from being made.  Also a table's description of what
 * it was made with. */
#define _GNU_SOURCE 1
#include "profiles/profile.h"
#include "support/draw.h"
#include "support/settings.h"
#include "support/tables.h"
#include "roost/tuning.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char head[] = "roost profile 1\n";
static char folder[] = "/tmp/roost-profile-XXXXXX", file[64];

/* ---- Texts ---------------------------------------------------------------------------------- */

static const struct profile_wanted wanted = {"host", "gph", 4, 4};

struct text_case {
    const char *text, *settings; /* NULL: none are found */
    const char *warning;         /* NULL: none */
};

static const struct text_case text_cases[] = {
    {"roost profile 1\ngph 4+4 slots=8\n", "slots=8", NULL},
    {"roost profile 1\r\ndevice host\r\n\r\n# gph 4+4 slots=4\r\ngph\t4+4  slots=8,keys=6 \r\n", "slots=8,keys=6", NULL},
    {"roost profile 1\ngph 4+4 slots=8\ngph 4+4 slots=16", "slots=16", NULL}, /* the last one */
    {"roost profile 1\ngph 8+8 slots=8\nslab 4+4 memory=light\nnosuch 4+4 x=y\n", NULL, NULL},
    {"", NULL, "first line"},
    {"\n", NULL, "first line"},
    {"roost profile 2\ngph 4+4 slots=8\n", NULL, "first line"},
    {"roost profile 10\ngph 4+4 slots=8\n", NULL, "first line"},
    {"gph 4+4 slots=8\n", NULL, "first line"},
    {"roost profile 1\ndevice NVIDIA H200\ngph 4+4 slots=8\n", NULL, "another device"},
    {"roost profile 1\ngph 4+4 slots=8\ndevice hos\n", NULL, "another device"},
    {"roost profile 1\ngph\n", NULL, "t:2"},
    {"roost profile 1\ngph 4+4\n", NULL, "t:2"},
    {"roost profile 1\ngph 4+4 slots\ngph 4+4 slots=4\n", "slots=4", "t:2"},
    {"roost profile 1\n\ngph 4+4 =8\n", NULL, "t:3"},
    {"roost profile 1\ngph 4+4 slots=\n", NULL, "t:2"},
    {"roost profile 1\ngph 4+4 slots=8 keys=6\n", NULL, "t:2"},
    {"roost profile 1\ngph 4+4 ,slots=8\n", NULL, "t:2"},
    {"roost profile 1\ngph 4+ slots=8\n", NULL, "t:2"},
    {"roost profile 1\ngph 4+44 slots=8\nstadium 16+4096 ticket=16\nstadium 128+0 ticket=4\n", NULL, NULL},
    {"roost profile 1\ngph 4+4097 slots=8\n", NULL, "t:2"},
    {"roost profile 1\ngph 4+4 slots=8\ngph 129+4 slots=4\n", "slots=8", "t:3"},
    {"roost profile 1\ngph 0+4 slots=8\n", NULL, "t:2"},
    {"roost profile 1\ngph 04+4 slots=8\n", NULL, "t:2"},
    {"roost profile 1\ngph +4+4 slots=8\n", NULL, "t:2"},
    {"roost profile 1\ngph 4+4x slots=8\n", NULL, "t:2"},
    {"roost profile 1\ngph 0+4 slots=8\n", NULL, "t:2"},
    {"roost profile 1\ngph 4+4 profile=none\n", NULL, "t:2"},
    {"roost profile 1\ngph 4+4 slots=8,profile=auto\n", NULL, "t:2"},
    {"roost profile 1\ngph 4+4 slots=\033[2J\n", NULL, "t:2"},
    {"roost profile 1\nanenginewhosenameislongerthananyoneis 4+4 a=b\n", NULL, "t:2"},
    {"roost profile 1\ngph 4+4 anoptionwhosenameislongerthananyoneis=1\n", NULL, "t:2"},
};

static void texts(const struct variant *variant)
{
    (void)variant;
    for (size_t i = 0; i < sizeof text_cases / sizeof *text_cases; i++) {
        const struct text_case *c = &text_cases[i];
        char settings[PROFILE_SETTINGS] = "";
        struct warnings warnings = {""};
        suite_step("text %zu", i);
        const bool found = profile_parse(c->text, strlen(c->text), "t", &wanted, settings, &warnings);
        require(found == (c->settings != NULL), "found: %d", found);
        require(!found || !strcmp(settings, c->settings), "found \"%s\"", settings);
        require(c->warning ? strstr(warnings.text, c->warning) != NULL : !*warnings.text, "warned of \"%s\"", warnings.text);
    }
}

/* Lines that are too long, bytes that end strings, and a text without an end. */
static void long_and_broken_texts(const struct variant *variant)
{
    (void)variant;
    static char text[100000];
    char settings[PROFILE_SETTINGS];
    for (size_t length = 480; length < 700; length++) {
        struct warnings warnings = {""};
        int n = sprintf(text, "%sgph 4+4 ", head);
        const size_t begin = (size_t)n;
        while ((size_t)n - begin < length) n += sprintf(text + n, "a=b,");
        n--; /* no comma at the end */
        const bool found = profile_parse(text, (size_t)n, "t", &wanted, settings, &warnings);
        require(found == ((size_t)n - begin < PROFILE_SETTINGS), "%zu bytes of options: %d", (size_t)n - begin, found);
        require(found != (*warnings.text != 0), "%s", warnings.text);
    }
    struct warnings warnings = {""};
    memset(text, 'x', sizeof text);
    memcpy(text, head, sizeof head - 1);
    require(!profile_parse(text, sizeof text, "t", &wanted, settings, &warnings), "a line of 100000 bytes");
    memset(text + sizeof head - 1, 0, sizeof text - sizeof head);
    require(!profile_parse(text, sizeof text, "t", &wanted, settings, &warnings), "a line of zeros");
    memset(text + sizeof head - 1, '\n', sizeof text - sizeof head);
    require(!profile_parse(text, sizeof text, "t", &wanted, settings, &warnings), "100000 lines");
    for (size_t i = sizeof head - 1; i + 2 < sizeof text; i += 2) memcpy(text + i, "x\n", 2);
    require(!profile_parse(text, sizeof text, "t", &wanted, settings, &warnings), "50000 wrong lines");
    require(strlen(warnings.text) < sizeof warnings.text && warnings.text[strlen(warnings.text) - 1] == '\n',
            "warnings without an end");
}

/* A sound text with some bytes changed: the result is well-formed options or none. */
static void changed_texts(const struct variant *variant)
{
    (void)variant;
    static const char sound[] = "roost profile 1\ndevice host\ngph 4+4 slots=8,keys=6,find=once2\nslab 8+8 memory=light\n";
    static const char bytes[] = "\0\n\r\t #=,+|0489agh";
    struct dice dice = {suite_seed()};
    for (size_t i = 0; i < settings_size(200000, 20000); i++) {
        char text[sizeof sound], settings[PROFILE_SETTINGS] = "";
        struct warnings warnings = {""};
        memcpy(text, sound, sizeof sound);
        for (uint64_t changes = 1 + draw_below(&dice, 4); changes > 0; changes--)
            text[draw_below(&dice, sizeof text)] = bytes[draw_below(&dice, sizeof bytes)];
        if (!profile_parse(text, draw_below(&dice, sizeof text + 1), "t", &wanted, settings, &warnings)) continue;
        require(*settings && strlen(settings) < sizeof text, "\"%s\"", settings);
        require(!strpbrk(settings, "\n\r\t "), "\"%s\"", settings);
    }
}

/* ---- Files ---------------------------------------------------------------------------------- */

static void write_profile(const char *lines)
{
    char temporary[80];
    snprintf(temporary, sizeof temporary, "%s.new", file);
    FILE *to = fopen(temporary, "w");
    require(to && fprintf(to, "%sdevice host\n%s", head, lines) > 0 && fclose(to) == 0, "%s cannot be written", temporary);
    require(rename(temporary, file) == 0, "%s cannot be replaced", file);
}

static void folder_begin(void)
{
    if (!*file) {
        require(mkdtemp(folder) != NULL, "no folder in /tmp");
        snprintf(file, sizeof file, "%s/host.profile", folder);
    }
    setenv("ROOST_PROFILES", folder, 1);
    unlink(file);
}

/* Ends a case so that no profile is left for the next one. */
static void folder_end(void)
{
    unlink(file);
    setenv("ROOST_PROFILES", "none", 1);
}

static roost_table *make(const char *options)
{
    roost_config config;
    roost_table *table;
    require_status(ROOST_OK, roost_config_init(&config, sizeof config), NULL);
    config.seed = 1;
    config.engine = "gph";
    config.device = "host";
    config.options = options;
    require_status(ROOST_OK, roost_table_create(&table, &config), NULL);
    require(!*roost_last_error(table), "a table with the error \"%s\"", roost_last_error(table));
    return table;
}

static const char *describe(const roost_table *table, roost_description what)
{
    static char text[ROOST_DESCRIPTION_BYTES];
    require_status(ROOST_OK, roost_table_describe(table, what, text, sizeof text), table);
    return text;
}

/* A table with these options has this find kernel, this description of its options, this number
 * of warnings, and slots. */
static void expect(const char *given, const char *find, const char *options, int warned, unsigned slots)
{
    char kernel[64];
    suite_step("options %s", given ? given : "(none)");
    roost_table *table = make(given);
    snprintf(kernel, sizeof kernel, "find=%s,", find);
    require(!strncmp(describe(table, ROOST_DESCRIBE_KERNELS), kernel, strlen(kernel)), "%s",
            describe(table, ROOST_DESCRIBE_KERNELS));
    require(!strcmp(describe(table, ROOST_DESCRIBE_OPTIONS), options), "%s", describe(table, ROOST_DESCRIBE_OPTIONS));
    int lines = 0;
    for (const char *w = describe(table, ROOST_DESCRIBE_WARNINGS); *w; w++) lines += *w == '\n';
    require(lines == warned, "%d warnings: %s", lines, describe(table, ROOST_DESCRIBE_WARNINGS));
    const struct table_numbers numbers = table_numbers_read(table);
    require(numbers.slots_per_bucket == slots, "%u slots", (unsigned)numbers.slots_per_bucket);
    roost_table_destroy(table);
}

static void settings_and_options(const struct variant *variant)
{
    (void)variant;
    folder_begin();
    write_profile("gph 4+4 keys=6,find=tile4\n");
    expect(NULL, "find_k4v4_tile4", "keys=6,find=tile4", 0, 8);
    expect("find=lane1", "find_k4v4_lane1", "keys=6,find=lane1", 0, 8);
    expect("find=auto", "find_k4v4_once2", "keys=6,find=auto", 0, 8);
    expect("keys=9", "find_k4v4_tile4", "find=tile4,keys=9", 0, 8);
    expect("driver=cooperative", "find_k4v4_cooperative2", "keys=6,driver=cooperative", 0, 8);
    expect("tile=1", "find_k4v4_lane1", "keys=6,tile=1", 0, 8);
    expect("profile=auto,keys=7", "find_k4v4_tile4", "find=tile4,keys=7", 0, 8);
    expect("profile=none", "find_k4v4_once2", "", 0, 8);
    expect("keys=7,profile=none,find=tile2", "find_k4v4_tile2", "keys=7,find=tile2", 0, 8);
    roost_table *table = make(NULL);
    require(!strcmp(describe(table, ROOST_DESCRIBE_PROFILE), file), "%s", describe(table, ROOST_DESCRIBE_PROFILE));
    roost_table_destroy(table);
    setenv("ROOST_PROFILES", "none", 1);
    expect(NULL, "find_k4v4_once2", "", 0, 8);
    folder_end();
}

/* No build has these kernels; builds for tuning have wider ones. */
static void nearest_kernels(const struct variant *variant)
{
    static const char *const unknown[] = {"find=nosuch2", "find=burst2", "find=tile400", "find=twice64",
                                          "find=2",       "find=once",   "find=once02"};
    (void)variant;
    folder_begin();
    /* known only to another version; the other options hold */
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        char line[64], options[64];
        snprintf(line, sizeof line, "gph 4+4 keys=6,%s,refine=tile8\n", unknown[i]);
        snprintf(options, sizeof options, "keys=6,%s,refine=tile8", unknown[i]);
        write_profile(line);
        expect(NULL, "find_k4v4_once2,erase=erase_k4v4_tile2,fill=fill_k4v4_tile2,refine=refine_k4v4_tile8", options, 1, 8);
    }
    write_profile("gph 4+4 find=once3\n");
    expect(NULL, "find_k4v4_once2", "find=once3", 1, 8);
    write_profile("gph 4+4 find=cooperative1\n");
    expect(NULL, "find_k4v4_cooperative2", "find=cooperative1", 1, 8);
    write_profile("gph 4+4 find=tile1,refine=tile1\n");
    expect(NULL, "find_k4v4_tile2", "find=tile1,refine=tile1", 2, 8);
    write_profile("gph 4+4 find=vote4\n");
    expect(NULL, "find_k4v4_once2", "find=vote4", 1, 8);
    write_profile("gph 4+4 find=lane1\n"); /* missing for tables of 16 slots */
    expect("slots=16", "find_k4v4s16_once4", "find=lane1,slots=16", 1, 16);
    folder_end();
}

/* Settings that the engine refuses: the table is made without them. */
static void refused_settings(const struct variant *variant)
{
    static const char *const lines[] = {"nosuch=1",          "slots=5", "slots=32",    "slots=08",      "keys=x",
                                        "virtual=2,keys=32", "keys=+6", "tile=nosuch", "driver=nosuch", "driver=vote"};
    (void)variant;
    folder_begin();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[64];
        snprintf(line, sizeof line, "gph 4+4 keys=6,%s\n", lines[i]);
        write_profile(line);
        expect(NULL, "find_k4v4_once2", "slots=8,virtual=8,keys=6", 1, 8); /* the built-in ones */
        roost_table *table = make(NULL);
        require(strstr(describe(table, ROOST_DESCRIBE_WARNINGS), file) != NULL, "%s", describe(table, ROOST_DESCRIBE_WARNINGS));
        require(!strcmp(describe(table, ROOST_DESCRIBE_PROFILE), "built-in host"), "%s", describe(table, ROOST_DESCRIBE_PROFILE));
        roost_table_destroy(table);
    }
    write_profile("gph 4+4 keys=9\n"); /* more than the options' buckets have room for */
    expect("virtual=2", "find_k4v4_once2", "slots=8,keys=6,virtual=2", 1, 8);
    /* they have no room for the built-in number either */
    expect("slots=4,virtual=2", "find_k4v4s4_once1", "slots=4,virtual=2", 1, 4);
    folder_end();
}

static void wrong_options(const struct variant *variant)
{
    static const struct {
        const char *options;
        roost_status status;
    } wrong[] = {
        {"find=tile32", ROOST_ERR_UNSUPPORTED},
        {"slots=16,find=lane1", ROOST_ERR_UNSUPPORTED},
        {"find=once", ROOST_ERR_ARGUMENT},
        {"find=2", ROOST_ERR_ARGUMENT},
        {"find=once0", ROOST_ERR_ARGUMENT},
        {"find=once33", ROOST_ERR_ARGUMENT},
        {"find=once2x", ROOST_ERR_ARGUMENT},
        {"find=+once2", ROOST_ERR_ARGUMENT},
        {"find=once02", ROOST_ERR_ARGUMENT},
        {"keys= 6", ROOST_ERR_ARGUMENT},
        {"keys=+6", ROOST_ERR_ARGUMENT},
        {"keys=06", ROOST_ERR_ARGUMENT},
        {"keys=6 ", ROOST_ERR_ARGUMENT},
        {"keys=0", ROOST_ERR_ARGUMENT},
        {"keys=-1", ROOST_ERR_ARGUMENT},
        {"keys=4294967302", ROOST_ERR_ARGUMENT},
        {"insert=tile2", ROOST_ERR_NOT_FOUND},
        {"profile=yes", ROOST_ERR_ARGUMENT},
        {"profile=", ROOST_ERR_ARGUMENT},
        {"profile=nonex", ROOST_ERR_ARGUMENT},
        {"keys=6,profile=au", ROOST_ERR_ARGUMENT},
        {"slots=4,driver=cooperative,find=once1", ROOST_ERR_UNSUPPORTED},
        {",profile=none,keys=6", ROOST_ERR_ARGUMENT},
        {"profile=none,", ROOST_ERR_ARGUMENT},
        {"profile=none,profile=none", ROOST_ERR_ARGUMENT},
        {"profile=none,keys=6,profile=auto", ROOST_ERR_ARGUMENT},
        {"profiles=none", ROOST_ERR_NOT_FOUND},
    };
    (void)variant;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        roost_config config;
        roost_table *table;
        suite_step("%s", wrong[i].options);
        require_status(ROOST_OK, roost_config_init(&config, sizeof config), NULL);
        config.seed = 1;
        config.engine = "gph";
        config.device = "host";
        config.options = wrong[i].options;
        require_status(wrong[i].status, roost_table_create(&table, &config), NULL);
    }
}

/* A path that is no file or not readable is left out, and the library does not block on a pipe. */
static void wrong_files(const struct variant *variant)
{
    (void)variant;
    folder_begin();
    const char *const built_in = "slots=8,virtual=8,keys=6";
    expect(NULL, "find_k4v4_once2", built_in, 0, 8); /* no file */
    require(mkfifo(file, 0600) == 0, "no pipe");
    expect(NULL, "find_k4v4_once2", built_in, 1, 8);
    require(unlink(file) == 0 && mkdir(file, 0700) == 0, "no folder");
    expect(NULL, "find_k4v4_once2", built_in, 1, 8);
    require(rmdir(file) == 0 && symlink(file, file) == 0, "no link");
    expect(NULL, "find_k4v4_once2", built_in, 1, 8);
    require(unlink(file) == 0, "the link stays");
    write_profile("gph 4+4 keys=6\n");
    require(truncate(file, 65 << 10) == 0, "no long file");
    expect(NULL, "find_k4v4_once2", built_in, 1, 8);
    require(truncate(file, 0) == 0, "no empty file");
    expect(NULL, "find_k4v4_once2", built_in, 1, 8);
    setenv("ROOST_PROFILES", "/nosuch/folder", 1);
    expect(NULL, "find_k4v4_once2", built_in, 0, 8);
    write_profile("gph 4+4 keys=6\n");
    setenv("ROOST_PROFILES", file, 1); /* not a folder */
    expect(NULL, "find_k4v4_once2", built_in, 1, 8);
    static char longest[2 * PROFILE_NAME];
    memset(longest, 'x', sizeof longest - 1);
    setenv("ROOST_PROFILES", longest, 1);
    expect(NULL, "find_k4v4_once2", built_in, 1, 8);
    folder_end();
}

/* A table's description names a profile only if some table can take settings from it. */
static void names(const struct variant *variant)
{
    static const struct {
        const char *text;
        bool used;
    } cases[] = {{"roost profile 1\nslab 8+8 memory=light\n", true},
                 {"roost profile 1\njunk\ngph 4+4 keys=6\n", true},
                 {"roost profile 1\n# nothing\n", false},
                 {"roost profile 1\njunk\n", false},
                 {"roost profile 1\ndevice NVIDIA H200\ngph 4+4 keys=6\n", false},
                 {"gph 4+4 keys=6\n", false},
                 {"", false}};
    (void)variant;
    folder_begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char origin[PROFILE_NAME], path[PROFILE_NAME];
        FILE *to = fopen(file, "w");
        require(to && fputs(cases[i].text, to) >= 0 && fclose(to) == 0, "%s cannot be written", file);
        profile_name("host", origin, path);
        require(!strcmp(origin, cases[i].used ? file : "built-in host") && !strcmp(path, file), "case %zu: %s, %s", i, origin,
                path);
    }
    folder_end();
}

static void places(const struct variant *variant)
{
    (void)variant;
    char path[PROFILE_NAME];
    static char longest[2 * PROFILE_NAME];
    memset(longest, 'x', sizeof longest - 1);
    setenv("ROOST_PROFILES", "/own", 1);
    setenv("XDG_CONFIG_HOME", "/config", 1);
    require(profile_path("NVIDIA H200", path) && !strcmp(path, "/own/nvidia-h200.profile"), "%s", path);
    require(profile_path("../../etc (x)", path) && !strcmp(path, "/own/etc-x-.profile"), "%s", path);
    require(profile_path("", path) && !strcmp(path, "/own/.profile"), "%s", path);
    require(profile_path(longest, path) && strlen(path) < 140, "%s", path);
    setenv("ROOST_PROFILES", longest, 1);
    require(!profile_path("host", path) && !*path, "%s", path);
    setenv("ROOST_PROFILES", "none", 1);
    require(!profile_path("host", path) && !*path, "%s", path);
    unsetenv("ROOST_PROFILES");
    require(profile_path("host", path) && !strcmp(path, "/config/roost/host.profile"), "%s", path);
    setenv("HOME", "/home", 1);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    require(profile_path("host", path) && !strcmp(path, "/home/.config/roost/host.profile"), "%s", path);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    require(!profile_path("host", path), "%s", path);
    setenv("ROOST_PROFILES", "none", 1);
}

/* Every built-in line can be used by tables without a warning. */
static void built_in_settings(const struct variant *variant)
{
    (void)variant;
    unsetenv("ROOST_PROFILES");
    setenv("XDG_CONFIG_HOME", "/nosuch", 1);
    size_t n = 0;
    for (const struct profile_entry *entry; (entry = profile_entry_at(n)) != NULL; n++) {
        roost_engine_info engine;
        for (size_t e = 0; roost_engine_describe(e, &engine, sizeof engine) == ROOST_OK; e++) {
            for (size_t s = 0; s < SHAPE_COUNT; s++) {
                const struct profile_wanted line = {NULL, engine.name, shapes[s].key_bytes, shapes[s].value_bytes};
                char options[PROFILE_SETTINGS + 16] = "profile=none,";
                struct warnings warnings = {""};
                const bool found = profile_parse(entry->text, strlen(entry->text), entry->name, &line, options + 13, &warnings);
                require(!*warnings.text, "%s: %s", entry->name, warnings.text);
                require(found || s > 0, "%s has no line of %s 4+4", entry->name, engine.name);
                if (!found) continue;
                struct variant with = {.shape = &shapes[s], .options = options};
                roost_config config;
                struct table table;
                table_config(&with, &config);
                config.engine = engine.name;
                table_open(&table, &with, &config);
                table_close(&table);
            }
        }
    }
    require(n == 3, "%zu profiles", n);
    require(!strcmp(profile_entry_of("NVIDIA H200 NVL")->name, "H200") && !strcmp(profile_entry_of("host")->name, "host") &&
                !strcmp(profile_entry_of("NVIDIA H100")->name, "GPU"),
            "another model's");
    setenv("ROOST_PROFILES", "none", 1);
}

/* ---- Threads -------------------------------------------------------------------------------- */

enum { THREADS = 8, TABLES = 100 };

/* Each table has one line or the other, never a mixture. */
static void *make_many(void *wrong)
{
    for (int i = 0; i < TABLES; i++) {
        roost_config config;
        roost_table *table;
        char text[ROOST_DESCRIPTION_BYTES];
        roost_config_init(&config, sizeof config);
        config.seed = 1;
        config.engine = "gph";
        config.device = "host";
        if (roost_table_create(&table, &config) != ROOST_OK) return wrong;
        if (roost_table_describe(table, ROOST_DESCRIBE_OPTIONS, text, sizeof text) != ROOST_OK) return wrong;
        roost_table_destroy(table);
        if (strcmp(text, "keys=6,find=tile4") != 0 && strcmp(text, "keys=10,find=lane1") != 0) return wrong;
    }
    return NULL;
}

static void threads(const struct variant *variant)
{
    (void)variant;
    pthread_t thread[THREADS];
    void *wrong = NULL;
    folder_begin();
    write_profile("gph 4+4 keys=6,find=tile4\n");
    for (int i = 0; i < THREADS; i++) require(pthread_create(&thread[i], NULL, make_many, thread) == 0, "no thread");
    for (int i = 0; i < 200; i++) write_profile(i % 2 ? "gph 4+4 keys=6,find=tile4\n" : "gph 4+4 keys=10,find=lane1\n");
    for (int i = 0; i < THREADS; i++) {
        void *said;
        pthread_join(thread[i], &said);
        if (said) wrong = said;
    }
    require(!wrong, "a table of neither line");
    folder_end();
}

/* ---- Descriptions and measurements ---------------------------------------------------------- */

/* Finds that copy the index run a kernel that no option names, as long as the copy fits: with a
 * cell for every key it outgrows a core's cache. */
static void descriptions_of_growing(const char *options, const char *small, const char *large)
{
    enum { KEYS = 1000000 };
    roost_table *table = make(options);
    suite_step("options %s", options);
    require(!strncmp(describe(table, ROOST_DESCRIBE_KERNELS), small, strlen(small)), "%s", describe(table, ROOST_DESCRIBE_KERNELS));
    require(strstr(describe(table, ROOST_DESCRIBE_PARAMETERS), "\nfind=once2|tile2|lane1|tile4|cooperative2") != NULL, "%s",
            describe(table, ROOST_DESCRIBE_PARAMETERS));
    require_status(ROOST_OK, roost_table_reserve(table, KEYS), table);
    require(!strncmp(describe(table, ROOST_DESCRIBE_KERNELS), large, strlen(large)), "%s", describe(table, ROOST_DESCRIBE_KERNELS));
    roost_table_destroy(table);
}

static void descriptions_of_finds(const struct variant *variant)
{
    (void)variant;
    descriptions_of_growing("keys=1", "find=find_k4v4_once2,erase=erase_", "find=find_k4v4_once2,erase=erase_");
    descriptions_of_growing("keys=1,index=shared", "find=find_k4v4_staged2,erase=erase_", "find=find_k4v4_once2,erase=erase_");
    descriptions_of_growing("keys=1,index=shared,find=tile4", "find=find_k4v4_staged2,", "find=find_k4v4_tile4,");
    descriptions_of_growing("keys=1,index=routed", "find=find_k4v4_staged2,", "find=find_k4v4_staged2,");
}

static void descriptions(const struct variant *variant)
{
    (void)variant;
    char text[ROOST_DESCRIPTION_BYTES];
    roost_table *table = make("keys=6");
    require(strstr(describe(table, ROOST_DESCRIBE_KERNELS), ",refine=refine_k4v4_tile8") != NULL, "no refine");
    require(strstr(describe(table, ROOST_DESCRIBE_PARAMETERS), "\nfind=once2|tile2|lane1|tile4|cooperative2|twice2") != NULL, "%s",
            describe(table, ROOST_DESCRIBE_PARAMETERS));
    require_status(ROOST_ERR_ARGUMENT, roost_table_describe(NULL, ROOST_DESCRIBE_KERNELS, text, sizeof text), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_table_describe(table, ROOST_DESCRIBE_KERNELS, NULL, sizeof text), table);
    require_status(ROOST_ERR_ARGUMENT, roost_table_describe(table, (roost_description)5, text, sizeof text), table);
    require_status(ROOST_ERR_ARGUMENT, roost_table_describe(table, (roost_description)-1, text, sizeof text), table);
    require_status(ROOST_ERR_ARGUMENT, roost_table_describe(table, ROOST_DESCRIBE_OPTIONS, text, 0), table);
    require_status(ROOST_ERR_ARGUMENT, roost_table_describe(table, ROOST_DESCRIBE_OPTIONS, text, 6), table);
    require_status(ROOST_OK, roost_table_describe(table, ROOST_DESCRIBE_OPTIONS, text, 7), table);
    require(!strcmp(text, "keys=6"), "%s", text);
    roost_table_destroy(table);
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    suite_add_once("texts", texts);
    suite_add_once("long and broken texts", long_and_broken_texts);
    suite_add_once("changed texts", changed_texts);
    suite_add_once("settings and options", settings_and_options);
    suite_add_once("nearest kernels", nearest_kernels);
    suite_add_once("refused settings", refused_settings);
    suite_add_once("wrong options", wrong_options);
    suite_add_once("wrong files", wrong_files);
    suite_add_once("names", names);
    suite_add_once("places", places);
    suite_add_once("built-in settings", built_in_settings);
    suite_add_once("threads", threads);
    suite_add_once("descriptions", descriptions);
    suite_add_once("descriptions of finds", descriptions_of_finds);
    const int result = suite_run("profile");
    if (*file) rmdir(folder);
    return result;
}
