/* The profile that `roost tune` writes. */
#define _GNU_SOURCE 1
#include "cli/tune_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"

#define FILE_MOST 65536 /* bytes that the library reads at most */

static const char first_line[] = "roost profile 1";

/* Makes the folders of a path. */
static int make_folders(const char *path)
{
    char *folder = strdup(path);
    if (folder == NULL) return command_fail("out of memory");
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
            const int error = errno;
            struct stat about;
            /* It may exist in a folder without write permission. */
            if (stat(folder, &about) != 0) {
                const int result = command_fail("%s: cannot make this folder: %s", folder, strerror(error));
                free(folder);
                return result;
            }
        }
        *slash = '/';
    }
    free(folder);
    return 0;
}

/* Reads the whole file.  *text stays NULL if there is none. */
static int read_file(const char *path, char **text)
{
    FILE *stream = fopen(path, "re");
    if (stream == NULL && errno == ENOENT) return 0;
    if (stream == NULL) return command_fail("%s: cannot read: %s", path, strerror(errno));
    int result = 0;
    *text = (char *)malloc(FILE_MOST + 1);
    const size_t n = *text != NULL ? fread(*text, 1, FILE_MOST + 1, stream) : 0;
    if (*text == NULL) result = command_fail("out of memory");
    else if (ferror(stream)) result = command_fail("%s: cannot read: %s", path, strerror(errno));
    else if (n > FILE_MOST || memchr(*text, 0, n) != NULL) result = command_fail("%s: this is not a profile", path);
    else (*text)[n] = 0;
    fclose(stream);
    return result;
}

/* The length of the next line, without its end. */
static size_t line_length(const char *text) { return strcspn(text, "\r\n"); }
static const char *line_after(const char *text)
{
    text += strcspn(text, "\n");
    return text + (*text == '\n');
}

/* Checks that the existing file is a profile of this device. */
static int check_file(const struct tune_profile *profile, const struct tune *tune)
{
    const char *line = profile->before;
    if (strncmp(line, first_line, sizeof first_line - 1) != 0 || line_length(line) != sizeof first_line - 1)
        return command_fail("%s: this is not a profile: its first line is not \"%s\"", profile->path, first_line);
    for (; *line != 0; line = line_after(line)) {
        const size_t length = line_length(line), model = strlen(tune->device.model);
        if (strncmp(line, "device ", 7) != 0) continue;
        if (length != 7 + model || memcmp(line + 7, tune->device.model, model) != 0)
            return command_fail("%s: this profile is for another device, not %s", profile->path, tune->device.model);
    }
    return 0;
}

int tune_profile_open(struct tune_profile *profile, const struct tune *tune)
{
    memset(profile, 0, sizeof *profile);
    if (tune->options.dry_run) return 0;
    profile->path = tune->options.output != NULL ? tune->options.output : tune->device.profile_path;
    if (*profile->path == 0)
        return command_fail("there is no folder for profiles (ROOST_PROFILES, XDG_CONFIG_HOME or HOME): use --output or --dry-run");
    int result = tune->options.output == NULL ? make_folders(profile->path) : 0;
    if (result == 0 && !outfile_is_stdout(profile->path)) result = read_file(profile->path, &profile->before);
    if (result == 0 && profile->before != NULL) result = check_file(profile, tune);
    return result == 0 ? outfile_open(&profile->file, profile->path) : result;
}

static void key_of(const struct tune *tune, char key[64])
{
    snprintf(key, 64, "%.40s %u+%u", tune->engine, tune->options.key_bytes, tune->options.value_bytes);
}

void tune_profile_line(const struct tune *tune, char line[TUNE_LINE])
{
    char key[64], options[TUNE_TEXT];
    const struct tune_trial *best = &tune->trials[tune->best];
    const char *fixed = tune->options.engine_options != NULL ? tune->options.engine_options : "";
    key_of(tune, key);
    tune_space_full_text(&tune->space, &best->setting, best->measured.kernels, true, options);
    snprintf(line, TUNE_LINE, "%s %s%s%s", key, fixed, *fixed != 0 && *options != 0 ? "," : "", options);
}

/* Is this the line of the engine and width that is written? */
static bool is_ours(const char *line, const char *key)
{
    char engine[64], width[16], both[96];
    char copy[256];
    const size_t length = line_length(line) < sizeof copy - 1 ? line_length(line) : sizeof copy - 1;
    memcpy(copy, line, length);
    copy[length] = 0;
    if (sscanf(copy, "%63s %15s", engine, width) != 2) return false;
    snprintf(both, sizeof both, "%s %s", engine, width);
    return strcmp(both, key) == 0;
}

int tune_profile_write(struct tune_profile *profile, const struct tune *tune)
{
    char line[TUNE_LINE], key[64];
    bool written = false;
    if (profile->path == NULL) return 0;
    key_of(tune, key);
    tune_profile_line(tune, line);
    FILE *to = profile->file.stream;
    if (profile->before == NULL) fprintf(to, "%s\ndevice %s\n", first_line, tune->device.model);
    for (const char *at = profile->before; at != NULL && *at != 0; at = line_after(at)) {
        const bool ours = is_ours(at, key);
        if (!ours) fprintf(to, "%.*s\n", (int)line_length(at), at);
        else if (!written) fprintf(to, "%s\n", line);
        written |= ours;
    }
    if (!written) fprintf(to, "%s\n", line);
    (void)outfile_good(&profile->file);
    const int result = outfile_finish(&profile->file);
    return result == 0 ? outfile_commit(&profile->file) : result;
}

void tune_profile_release(struct tune_profile *profile)
{
    outfile_discard(&profile->file);
    free(profile->before);
}
