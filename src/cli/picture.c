/* Writes gnuplot scripts and runs them.  The script, the picture and gnuplot's messages are
 * memory files, so that no pipe can fill up and every write of the picture is checked here. */
#define _GNU_SOURCE 1
#include "cli/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/outpack.h"

extern char **environ;

/* The colours of Okabe and Ito, which colour-blind people can tell apart. */
#define BLUE "'#0072b2'"
#define ORANGE "'#d55e00'"
#define GREY "'#777777'"

struct plot {
    FILE *script;
    FILE *picture;
    FILE *messages;
};

static FILE *open_memory(const char *name)
{
    const int descriptor = memfd_create(name, MFD_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w+") : NULL;
    if (file == NULL && descriptor >= 0) close(descriptor);
    return file;
}

static void plot_close(struct plot *plot)
{
    if (plot->script != NULL) fclose(plot->script);
    if (plot->picture != NULL) fclose(plot->picture);
    if (plot->messages != NULL) fclose(plot->messages);
}

bool picture_ending(const char *name) { return outpack_name_ends(name, ".svg") || outpack_name_ends(name, ".png"); }

/* name: of the picture's file. */
static int plot_open(struct plot *plot, const char *name)
{
    plot->script = open_memory("gnuplot-script");
    plot->picture = open_memory("gnuplot-picture");
    plot->messages = open_memory("gnuplot-messages");
    if (plot->script != NULL && plot->picture != NULL && plot->messages != NULL) {
        fputs(outpack_name_ends(name, ".png")
                  ? "set terminal pngcairo size 960,600 enhanced font 'sans-serif,12' background 'white'\n"
                  : "set terminal svg size 960,600 dynamic enhanced font 'sans-serif,15' background 'white'\n",
              plot->script);
        fputs("set encoding utf8\nset border 3 lc rgb " GREY "\nset tics nomirror\nset grid lc rgb '#e4e4e4' lt 1\n", plot->script);
        return 0;
    }
    const int result = command_fail("no memory files for gnuplot: %s", strerror(errno));
    plot_close(plot);
    return result;
}

/* Runs gnuplot from `script` to `picture`.  Returns its exit code, or -1 and errno if it could
 * not be run. */
static int spawn_gnuplot(const char *argument, int script, int picture, int messages)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    char name[] = "gnuplot";
    char *const arguments[] = {name, (char *)argument, NULL};
    pid_t child;
    if (error == 0) error = posix_spawnp(&child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (error == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    errno = error;
    if (error != 0) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int picture_check_gnuplot(void)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int code = nothing >= 0 ? spawn_gnuplot("--version", nothing, nothing, nothing) : -1;
    const int error = errno;
    if (nothing >= 0) close(nothing);
    if (code == 0) return 0;
    if (code < 0 && error == ENOENT) return command_fail("pictures need gnuplot, which is not installed (Debian: gnuplot-nox)");
    return command_fail("pictures need gnuplot, which does not run: %s", code < 0 ? strerror(error) : "it fails");
}

/* Runs the script.  name: the picture's file. */
static int run_script(struct plot *plot, const char *name)
{
    if (ferror(plot->script) || fflush(plot->script) != 0 || fseek(plot->script, 0, SEEK_SET) != 0)
        return command_fail("%s: cannot write the script for gnuplot", name);
    /* -d: no start-up files of the user */
    const int code = spawn_gnuplot("-d", fileno(plot->script), fileno(plot->picture), fileno(plot->messages));
    if (code < 0) return command_fail("%s: gnuplot does not run: %s", name, strerror(errno));
    if (code == 0 && lseek(fileno(plot->picture), 0, SEEK_END) > 0) return 0;
    char message[256] = "no message";
    rewind(plot->messages);
    while (fgets(message, sizeof message, plot->messages) != NULL && message[strspn(message, " \n")] == 0) continue;
    message[strcspn(message, "\n")] = 0;
    return command_fail("%s: gnuplot failed: %s", name, message);
}

/* Copies the finished picture into the file. */
static int copy_picture(FILE *picture, struct outfile *file)
{
    char piece[65536];
    size_t got = 0;
    bool readable = fseek(picture, 0, SEEK_SET) == 0;
    while (readable && outfile_good(file) && (got = fread(piece, 1, sizeof piece, picture)) > 0)
        fwrite(piece, 1, got, file->stream);
    readable = readable && !ferror(picture);
    return readable ? outfile_finish(file) : command_fail("%s: cannot read the picture of gnuplot", file->name);
}

/* Draws the script into the file and closes the plot. */
static int plot_draw(struct plot *plot, struct outfile *file)
{
    int result = run_script(plot, file->name);
    if (result == 0) result = copy_picture(plot->picture, file);
    plot_close(plot);
    return result;
}

int picture_spectrum(struct outfile *file, const struct key_count *spectrum, size_t n)
{
    struct plot plot;
    if (plot_open(&plot, file->name) != 0) return EXIT_FAILURE;
    uint64_t keys = 0;
    uint64_t most_often = 1;
    for (size_t i = 0; i < n; i++) {
        keys += spectrum[i].count;
        most_often = spectrum[i].key;
    }
    fprintf(plot.script, "set title 'Spectrum: how often the %" PRIu64 " distinct keys occur'\n", keys);
    fputs("set xlabel 'occurrences of a key'\nset ylabel 'number of keys'\n"
          "set logscale xy\nset format y '10^{%T}'\nset yrange [0.5:*]\n"
          "$data << END\n",
          plot.script);
    for (size_t i = 0; i < n; i++) fprintf(plot.script, "%" PRIu64 " %" PRIu64 "\n", spectrum[i].key, spectrum[i].count);
    if (n == 0) fputs("1 0.5\n", plot.script);
    /* Explicit bounds: a single count would leave gnuplot an empty range. */
    fprintf(plot.script,
            "END\nset xrange [0.8:%g]\n%s"
            "plot $data with impulses lw 2 lc rgb " BLUE " notitle, $data with points pt 7 ps 0.45 lc rgb " BLUE " notitle\n",
            1.25 * (double)most_often, most_often < 1000 ? "" : "set format x '10^{%T}'\n");
    return plot_draw(&plot, file);
}

static void write_mark(FILE *script, const struct picture_frame *frame)
{
    if (frame->mark_label == NULL) return;
    fprintf(script,
            "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead dt 3 lc rgb " GREY "\n"
            "set label '%s' at %.9g, graph 0.04 right offset -0.5,0 tc rgb " GREY "\n",
            frame->mark, frame->mark, frame->mark_label, frame->mark);
}

int picture_curve(struct outfile *file, const struct curve *curve, const struct picture_frame *frame)
{
    struct plot plot;
    if (plot_open(&plot, file->name) != 0) return EXIT_FAILURE;
    double last = 1e-6;
    uint64_t bytes = 1;
    fprintf(plot.script,
            "set title '%s'\nset border 11\nset xlabel '%s'\n"
            "set ylabel 'load factor' tc rgb " BLUE "\nset yrange [0:1]\n"
            "set y2label 'table (MiB)' tc rgb " ORANGE "\nset y2tics\nset key outside top center horizontal\n",
            frame->title, frame->x_label);
    write_mark(plot.script, frame);
    fputs("$data << END\n", plot.script);
    for (size_t i = 0; i < curve->n; i++) {
        const struct curve_point *point = &curve->points[i];
        fprintf(plot.script, "%.9g %.6f %.9g\n", point->x, point->load_factor, (double)point->table_bytes / (1 << 20));
        last = point->x;
        if (point->table_bytes > bytes) bytes = point->table_bytes;
    }
    if (curve->n == 0) fputs("0 0 0\n", plot.script);
    fprintf(plot.script, "END\nset xrange [0:%.9g]\nset y2range [0:%.9g]\n", last, 1.1 * (double)bytes / (1 << 20));
    fprintf(plot.script,
            "plot %.6f with lines dt 2 lw 1.5 lc rgb " GREY " title 'fill bounds', %.6f with lines dt 2 lw 1.5 lc rgb " GREY
            " notitle, $data using 1:3 axes x1y2 with steps lw 2 lc rgb " ORANGE
            " title 'table', $data using 1:2 with linespoints pt 7 ps 0.3 lw 2 lc rgb " BLUE " title 'load factor'\n",
            frame->min_fill, frame->max_fill);
    return plot_draw(&plot, file);
}
