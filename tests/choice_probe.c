/* Runs the library's choice with measured points other than the built-in ones.  bench/choice
 * compiles it; the compiler looks for the points in that program's folder first.  A line of
 * input is "gpu|host WORK KEYS LOAD KEY VALUE", a line of output the engine. */
#include "api/choose.c"

#include <stdlib.h>

static const struct engine fakes[] = {
    {.name = "dycuckoo", .captures = true},
    {.name = "slab", .captures = true, .multi = true},
    {.name = "gph", .captures = true},
    {.name = "stadium", .captures = true},
    {.name = "fks"},
    {.name = "compact", .captures = true},
};

const struct engine *registry_at(size_t index) { return index < sizeof fakes / sizeof fakes[0] ? &fakes[index] : NULL; }

int main(void)
{
    char place[8];
    int work, key, value;
    uint64_t keys;
    double load;
    while (scanf("%7s %d %" SCNu64 " %lf %d %d", place, &work, &keys, &load, &key, &value) == 6) {
        if (work < 0 || work > ROOST_WORK_GROWTH) return EXIT_FAILURE;
        const struct choice_hints hints = {
            strcmp(place, "gpu") == 0 ? CHOICE_GPU : CHOICE_HOST, (roost_work)work, keys, load, key, value, true, false};
        printf("%s\n", choice_engine(&hints)->name);
    }
    return EXIT_SUCCESS;
}
