/* Stadium's tables of strings: sequences of all calls against the exact reference, strings of
 * all lengths and kinds, the memory of their bytes, exports through little room, hashes that
 * collide, strings that the machine does not reach, and compactions that fail. */
#include "support/answers.h"
#include "support/faulty_backend.h"
#include "support/inside.h"
#include "support/late_queues.h"
#include "support/sequences.h"
#include "support/settings.h"
#include "support/stadium_tables.h"
#include "support/string_bags.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sequences ------------------------------------------------------------------------------ */

static void sequences(const struct variant *variant)
{
    const bool small = has_option(variant, "hash_bits=1") && !has_option(variant, "hash_bits=16");
    const bool long_values = variant->shape->value_bytes > 1000;
    const size_t steps = settings_rounds(settings_size(small || long_values ? 50 : 120, 30), 30);
    const size_t most = small ? 60 : settings_size(long_values ? 300 : 1500, 300);
    struct dice dice = {suite_seed()};
    struct model model;
    open_model(&model, variant, variant->number, 1);
    sequence_run(&model, &dice, steps, most);
    model_close(&model);
}

/* ---- All kinds of strings ------------------------------------------------------------------- */

/* The strings i with number % of == rest; shuffled if there are dice. */
static struct bag bag_some(const struct bag *from, uint64_t of, uint64_t rest, struct dice *dice)
{
    struct bag bag = {.distinct = from->distinct};
    uint64_t *order = make_patterns(from->n);
    for (size_t i = 0; i < from->n; i++) order[i] = i;
    if (dice) draw_order(dice, order, from->n);
    for (size_t i = 0; i < from->n; i++)
        if (from->numbers[order[i]] % of == rest)
            bag_put(&bag, from->numbers[order[i]], from->bytes + from->offsets[order[i]], bag_length(from, order[i]));
    free(order);
    return bag;
}

static int offset_bytes_of(const struct variant *variant) { return variant->number == 4 ? 4 : 8; }

static unsigned char *random_bytes(struct dice *dice, size_t n)
{
    unsigned char *bytes = malloc(n + 1);
    if (!bytes) abort();
    for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)draw(dice);
    return bytes;
}

/* A string of random bytes with all its prefixes, and for each length one that differs in the
 * last byte.  Strings of zeros and of ones of each length.  A few long ones that differ at their
 * ends. */
static struct bag all_kinds(struct dice *dice, size_t longest, size_t huge)
{
    struct bag bag = {0};
    unsigned char *text = random_bytes(dice, huge), *same = malloc(longest + 1);
    if (!same) abort();
    memset(text, 'a', 1); /* so that no prefix is equal to another string */
    bag_new(&bag, NULL, 0);
    for (size_t n = 1; n <= longest; n++) {
        bag_new(&bag, text, n);
        text[n - 1] ^= 0x80;
        bag_new(&bag, text, n);
        text[n - 1] ^= 0x80;
        memset(same, 0, n);
        bag_new(&bag, same, n);
        memset(same, 0xff, n);
        bag_new(&bag, same, n);
    }
    for (size_t i = 0; i < 4; i++) {
        text[i % 2 ? huge - 1 : huge / 2]++;
        bag_new(&bag, text, huge);
        bag_new(&bag, text, huge - 1 - i);
    }
    free(text);
    free(same);
    return bag;
}

/* Each string comes twice in a batch, and one of the two is new. */
static struct bag twice(const struct bag *from, struct dice *dice)
{
    struct bag doubled = bag_some(from, 1, 0, NULL);
    for (size_t i = 0; i < from->n; i++) bag_put(&doubled, from->numbers[i], from->bytes + from->offsets[i], bag_length(from, i));
    struct bag bag = bag_some(&doubled, 1, 0, dice);
    bag_free(&doubled);
    return bag;
}

static void all_kinds_are_told_apart(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    const int offset_bytes = offset_bytes_of(variant);
    struct bag kinds = all_kinds(&dice, 300, 100000), doubled = twice(&kinds, &dice), even = bag_some(&kinds, 2, 0, &dice),
               odd = bag_some(&kinds, 2, 1, &dice), others = bag_some(&kinds, 3, 1, NULL);
    struct table table;
    open_table(&table, variant);
    bag_find(&table, &kinds, offset_bytes, false);
    bag_insert(&table, ROOST_ASSIGN, &even, offset_bytes, even.n);
    bag_find(&table, &even, offset_bytes, true);
    bag_find(&table, &odd, offset_bytes, false);
    suite_step("each twice");
    bag_insert(&table, ROOST_KEEP, &doubled, offset_bytes, odd.n);
    bag_find(&table, &doubled, offset_bytes, true);
    require_count(&table, kinds.n);
    suite_step("the even ones go");
    bag_erase(&table, &even, offset_bytes, even.n);
    bag_find(&table, &even, offset_bytes, false);
    bag_find(&table, &odd, offset_bytes, true);
    bag_erase(&table, &doubled, offset_bytes, odd.n);
    require_count(&table, 0);
    bag_insert(&table, ROOST_ASSIGN, &others, offset_bytes, others.n);
    bag_find(&table, &others, offset_bytes, true);
    table_close(&table);
    bag_free(&kinds);
    bag_free(&doubled);
    bag_free(&even);
    bag_free(&odd);
    bag_free(&others);
}

/* ---- Many strings, and hashes that collide -------------------------------------------------- */

static void many_are_counted(const struct variant *variant)
{
    const bool few = has_option(variant, "hash_bits=1") && !has_option(variant, "hash_bits=16");
    const size_t n = few ? 400 : settings_size(100000, 20000);
    struct dice dice = {suite_seed()};
    struct bag there = words(0, n), absent = words(n, n / 4), doubled = twice(&there, &dice), third = bag_some(&there, 3, 0, &dice);
    struct table table;
    open_table(&table, variant);
    bag_insert(&table, ROOST_KEEP, &doubled, 8, n);
    require_count(&table, n);
    bag_find(&table, &there, 4, true);
    bag_find(&table, &absent, 8, false);
    bag_erase(&table, &third, 4, third.n);
    require_count(&table, n - third.n);
    bag_find(&table, &third, 8, false);
    bag_insert(&table, ROOST_ASSIGN, &there, 8, third.n);
    bag_find(&table, &there, 8, true);
    require_count(&table, n);
    table_close(&table);
    bag_free(&there);
    bag_free(&absent);
    bag_free(&doubled);
    bag_free(&third);
}

/* ---- Finds beside finds --------------------------------------------------------------------- */

enum { THREADS = 8 };

/* A thread that finds all words repeatedly.  It counts errors, since only the main thread may
 * fail a test. */
struct finder {
    const struct table *table;
    const struct bag *all;
    size_t there; /* number of words that are stored, the first ones */
    uint64_t wrong;
};

static void *find_all(void *context)
{
    struct finder *const finder = context;
    const unsigned bytes = finder->table->shape.value_bytes;
    uint8_t *found = calloc(finder->all->n, 1 + bytes);
    roost_strings strings;
    if (!found || roost_strings_init(&strings, sizeof strings)) abort();
    uint8_t *const values = found + finder->all->n;
    strings.offsets = finder->all->offsets;
    strings.bytes = finder->all->bytes;
    for (size_t round = 0; round < settings_launches(20, 3); round++) {
        if (roost_find_strings(finder->table->handle, &strings, finder->all->n, bytes ? values : NULL, found, NULL))
            finder->wrong++;
        for (size_t i = 0; i < finder->all->n; i++) {
            uint64_t value = 0;
            memcpy(&value, values + i * bytes, bytes < 8 ? bytes : 8);
            finder->wrong += found[i] != (i < finder->there);
            finder->wrong += bytes && value != (i < finder->there ? finder->all->numbers[i] : 0);
        }
    }
    free(found);
    return NULL;
}

static void finds_beside_finds(const struct variant *variant)
{
    const size_t n = settings_size(8000, 2000);
    struct bag all = words(0, n), there = words(0, n / 2);
    pthread_t threads[THREADS];
    struct finder finders[THREADS];
    struct table table;
    open_table(&table, variant);
    bag_insert(&table, ROOST_ASSIGN, &there, 8, there.n);
    for (int i = 0; i < THREADS; i++) finders[i] = (struct finder){&table, &all, there.n, 0};
    for (int i = 0; i < THREADS; i++) require(!pthread_create(&threads[i], NULL, find_all, &finders[i]), "no thread %d", i);
    for (int i = 0; i < THREADS; i++) require(!pthread_join(threads[i], NULL), "thread %d", i);
    for (int i = 0; i < THREADS; i++) require(!finders[i].wrong, "thread %d saw %llu wrong answers", i, print(finders[i].wrong));
    table_check(&table);
    table_close(&table);
    bag_free(&all);
    bag_free(&there);
}

/* ---- The memory of strings ------------------------------------------------------------------ */

/* A lower bound of the bytes of stored strings. */
static uint64_t rounded_bytes(const struct bag *bag)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < bag->n; i++) sum += (bag_length(bag, i) + 7) / 8 * 8;
    return sum;
}

/* The bytes that are used and not dead belong to stored strings: their own, and at most HEADER
 * more for each. */
static struct table_numbers require_arena(const struct table *table, uint64_t stored, uint64_t n)
{
    enum { HEADER = 16 };
    const struct table_numbers stats = table_stats(table);
    const uint64_t live = stats.arena_used - stats.arena_dead;
    require(stats.arena_used % 8 == 0 && stats.arena_dead % 8 == 0, "%llu used, %llu dead", print(stats.arena_used),
            print(stats.arena_dead));
    require(stats.arena_dead <= stats.arena_used && stats.arena_used <= stats.arena_bytes, "%llu dead of %llu used of %llu bytes",
            print(stats.arena_dead), print(stats.arena_used), print(stats.arena_bytes));
    require(live >= stored && live <= stored + HEADER * n, "%llu bytes are used and not dead, of strings of %llu", print(live),
            print(stored));
    return stats;
}

/* Words are inserted and erased: dead bytes are reused. */
static void erased_bytes_are_taken_again(const struct variant *variant)
{
    const size_t n = settings_size(4000, 1000), piece = n / 4, rounds = settings_launches(settings_size(120, 60), 30);
    struct table table;
    open_table(&table, variant);
    struct bag all = words(0, n);
    bag_insert(&table, ROOST_ASSIGN, &all, 8, n);
    const uint64_t first = require_arena(&table, rounded_bytes(&all), n).arena_bytes;
    for (size_t round = 0; round < rounds; round++) {
        struct bag old = words(round * piece, piece), young = words(n + round * piece, piece);
        suite_step("round %zu", round);
        bag_erase(&table, &old, 8, piece);
        bag_insert(&table, ROOST_ASSIGN, &young, 4, piece);
        require_count(&table, n);
        require(table_stats(&table).arena_bytes <= 4 * first + 65536, "%llu bytes, and %llu at first",
                print(table_stats(&table).arena_bytes), print(first));
        bag_free(&old);
        bag_free(&young);
    }
    bag_free(&all);
    all = words(rounds * piece, n);
    bag_find(&table, &all, 8, true);
    require_arena(&table, rounded_bytes(&all), n);
    table_close(&table);
    bag_free(&all);
}

/* Items whose key is stored need no bytes, nor do further copies of a key in a batch. */
static void updates_take_no_bytes(const struct variant *variant)
{
    const size_t n = settings_size(2000, 500);
    struct dice dice = {suite_seed()};
    struct bag all = words(0, n), doubled = twice(&all, &dice);
    struct table table;
    open_table(&table, variant);
    for (unsigned round = 0; round < 40; round++) {
        suite_step("round %u", round);
        bag_insert(&table, round % 2 ? ROOST_ASSIGN : ROOST_KEEP, &doubled, 8, round ? 0 : n);
        const struct table_numbers stats = require_arena(&table, rounded_bytes(&all), n);
        require(stats.arena_bytes <= 8 * rounded_bytes(&all) + 262144, "%llu bytes for strings of %llu", print(stats.arena_bytes),
                print(rounded_bytes(&all)));
    }
    bag_find(&table, &all, 8, true);
    table_close(&table);
    bag_free(&all);
    bag_free(&doubled);
}

static void compacting_gives_bytes_back(const struct variant *variant)
{
    const size_t n = settings_size(20000, 4000);
    struct bag all = words(0, n), gone = bag_some(&all, 4, 1, NULL), left = {0};
    struct table table;
    open_table(&table, variant);
    for (size_t i = 0; i < n; i++)
        if (all.numbers[i] % 4 != 1) bag_put(&left, all.numbers[i], all.bytes + all.offsets[i], bag_length(&all, i));
    bag_insert(&table, ROOST_ASSIGN, &all, 8, n);
    bag_erase(&table, &gone, 8, gone.n);
    const struct table_numbers erased = require_arena(&table, rounded_bytes(&left), left.n);
    require(erased.arena_dead >= rounded_bytes(&gone), "%llu dead bytes", print(erased.arena_dead));
    require_status(ROOST_OK, roost_compact(table.handle), table.handle);
    table_check(&table);
    const struct table_numbers compact = require_arena(&table, rounded_bytes(&left), left.n);
    require(compact.arena_dead == 0 && compact.arena_bytes <= erased.arena_bytes, "%llu dead bytes stay, of %llu",
            print(compact.arena_dead), print(compact.arena_bytes));
    bag_find(&table, &left, 8, true);
    bag_find(&table, &gone, 8, false);
    bag_insert(&table, ROOST_ASSIGN, &gone, 8, gone.n);
    bag_find(&table, &all, 8, true);
    suite_step("clear");
    require_status(ROOST_OK, roost_table_clear(table.handle), table.handle);
    const struct table_numbers cleared = require_arena(&table, 0, 0);
    require(cleared.count == 0 && cleared.arena_used == 0, "%llu keys, %llu bytes", print(cleared.count),
            print(cleared.arena_used));
    table_check(&table);
    bag_insert(&table, ROOST_KEEP, &all, 4, n);
    bag_find(&table, &all, 4, true);
    table_close(&table);
    bag_free(&all);
    bag_free(&gone);
    bag_free(&left);
}

/* ---- Refused memory ------------------------------------------------------------------------- */

/* In two calls, so that all memory of calls is allocated before the last words come. */
static uint64_t peak_of(const struct variant *variant, const struct bag *all)
{
    struct table table;
    open_table(&table, variant);
    bag_insert(&table, ROOST_ASSIGN, all, 8, all->n);
    bag_find(&table, all, 8, true);
    const struct table_numbers stats = table_stats(&table);
    require(stats.bytes_peak >= stats.bytes_now && stats.bytes_now >= stats.table_bytes, "%llu bytes at most, %llu now",
            print(stats.bytes_peak), print(stats.bytes_now));
    table_close(&table);
    return stats.bytes_peak;
}

/* Inserts a bag of which `updated` strings are stored, and others may end `refused`.  Each is found
 * if it ended INSERTED or UPDATED, and else not.  Returns the number of the refused ones. */
static size_t insert_refused(struct table *table, const struct bag *bag, uint8_t refused, size_t updated)
{
    const roost_status refusal = refused == ROOST_ITEM_FULL ? ROOST_ERR_FULL : ROOST_ERR_MEMORY;
    struct sent sent = bag_send(bag, table, 8, 0);
    struct bag there = {0}, absent = {0};
    size_t counts[ROOST_ITEM_NO_MEMORY + 1];
    void *const values = table->shape.value_bytes ? sent.values.given : NULL;
    const roost_status status = roost_insert_strings(table->handle, ROOST_ASSIGN, &sent.strings, values, bag->n, &sent.call);
    sent_fetch(&sent);
    count_statuses(&sent, bag->n, counts);
    require_status(counts[refused] ? refusal : ROOST_OK, status, table->handle);
    require(counts[ROOST_ITEM_UPDATED] == updated, "%zu strings are updated, not %zu", counts[ROOST_ITEM_UPDATED], updated);
    require(counts[ROOST_ITEM_INSERTED] + updated + counts[refused] == bag->n, "%zu strings are new, %zu refused",
            counts[ROOST_ITEM_INSERTED], counts[refused]);
    for (size_t i = 0; i < bag->n; i++) {
        const bool is_refused = ((const uint8_t *)sent.statuses.host)[i] == refused;
        bag_put(is_refused ? &absent : &there, bag->numbers[i], bag->bytes + bag->offsets[i], bag_length(bag, i));
    }
    table_check(table);
    bag_find(table, &there, 8, true);
    bag_find(table, &absent, 8, false);
    sent_free(&sent);
    bag_free(&there);
    bag_free(&absent);
    return counts[refused];
}

static void limits_refuse_strings(const struct variant *variant)
{
    const size_t n = settings_size(4000, 1000);
    struct bag all = words(0, n);
    struct table table;
    roost_config config;
    uint64_t stored = n;
    stadium_config(variant, &config);
    config.memory_limit = peak_of(variant, &all);
    table_open(&table, variant, &config);
    bag_insert(&table, ROOST_ASSIGN, &all, 8, n);
    int refusals = 0;
    for (size_t i = 1; refusals < 3; i++) {
        struct bag more = words(i * n, n);
        suite_step("batch %zu, refused %d times", i, refusals);
        require(i < 100, "%zu keys go into the memory of %zu", i * n, n);
        const size_t refused = insert_refused(&table, &more, ROOST_ITEM_NO_MEMORY, 0);
        refusals += refused > 0;
        stored += n - refused;
        const struct table_numbers stats = table_stats(&table);
        require(stats.bytes_peak <= config.memory_limit, "%llu bytes of %llu", print(stats.bytes_peak), print(config.memory_limit));
        require_count(&table, stored);
        bag_free(&more);
    }
    require(*roost_last_error(table.handle), "no error text");
    suite_step("updates need no memory");
    bag_find(&table, &all, 8, true);
    bag_insert(&table, ROOST_ASSIGN, &all, 8, 0);
    bag_insert(&table, ROOST_KEEP, &all, 8, 0);
    bag_erase(&table, &all, 8, n);
    require_count(&table, stored - n);
    table_close(&table);
    bag_free(&all);
}

/* A full table has some slots of erased strings, but no memory for the bytes of new ones: these end
 * NO_MEMORY, whatever slots they pass, and stored ones among them are updated.  With memory as many
 * new ones are stored as there are slots. */
static void slots_without_bytes(const struct variant *variant)
{
    enum { CAPACITY = 600, GONE = 50, STORED = 30, NEW = 120, BYTES = 3000 };
    static char text[BYTES];
    struct bag gone = words(0, GONE), left, batch = {0};
    struct table table;
    roost_config config;
    stadium_config(variant, &config);
    config.growth = 0;
    config.capacity = CAPACITY;
    config.max_fill = 1; /* all slots are taken */
    table_open(&table, variant, &config);
    const size_t slots = (size_t)table_stats(&table).slots;
    left = words(GONE, slots - GONE);
    bag_insert(&table, ROOST_ASSIGN, &gone, 8, GONE);
    bag_insert(&table, ROOST_ASSIGN, &left, 8, left.n);
    bag_erase(&table, &gone, 8, GONE);
    for (size_t i = 0; i < NEW; i++) {
        memset(text, 'a' + (int)(i % 26), sizeof text);
        bag_put(&batch, slots + i, text, BYTES - i / 26);
        if (i < STORED) bag_put(&batch, left.numbers[i], left.bytes + left.offsets[i], bag_length(&left, i));
    }
    suite_step("without memory");
    inside_limit_memory(table.handle, table_stats(&table).bytes_now);
    require(insert_refused(&table, &batch, ROOST_ITEM_NO_MEMORY, STORED) == NEW, "new strings are stored without memory");
    require_count(&table, left.n);
    bag_find(&table, &left, 8, true);
    suite_step("with memory");
    inside_limit_memory(table.handle, 0);
    require(insert_refused(&table, &batch, ROOST_ITEM_FULL, STORED) == NEW - GONE, "not all slots are taken again");
    require_count(&table, slots);
    bag_find(&table, &left, 8, true);
    bag_find(&table, &gone, 8, false);
    table_close(&table);
    bag_free(&gone);
    bag_free(&left);
    bag_free(&batch);
}

/* ---- Exports -------------------------------------------------------------------------------- */

/* Exports into `bag` through room for that many strings and bytes.  Returns the status. */
static roost_status export_some(const struct table *table, roost_cursor *cursor, int offset_bytes, uint64_t bytes_room, size_t room,
                                struct bag *bag)
{
    const unsigned value_bytes = table->shape.value_bytes;
    const bool on_device = table->placement != PLACE_HOST;
    struct array offsets = array_make((room + 1) * (size_t)offset_bytes), bytes = array_make(bytes_room),
                 values = array_make(room * value_bytes);
    size_t n = SIZE_MAX;
    array_send(&offsets, on_device);
    array_send(&bytes, on_device);
    array_send(&values, table->placement == PLACE_DEVICE);
    const roost_status status = roost_export_strings(table->handle, cursor, offsets.given, offset_bytes, bytes.given, bytes_room,
                                                     value_bytes ? values.given : NULL, room, &n, NULL);
    array_fetch(&offsets);
    array_fetch(&bytes);
    array_fetch(&values);
    require(status != ROOST_OK || n <= room, "%zu strings in room for %zu", n, room);
    uint64_t begin = 0, end = 0, value = 0;
    for (size_t i = 0; i < n && status == ROOST_OK; i++, begin = end) {
        unpack((char *)offsets.host + (i + 1) * (size_t)offset_bytes, 1, (unsigned)offset_bytes, &end);
        unpack((char *)values.host + i * value_bytes, 1, value_bytes, &value);
        require(end >= begin && end <= bytes_room, "string %zu of an export ends at byte %llu of %llu", i, print(end),
                print(bytes_room));
        bag_put(bag, value, (char *)bytes.host + begin, end - begin);
    }
    array_free(&offsets);
    array_free(&bytes);
    array_free(&values);
    return status;
}

static struct bag *sorting;

static int by_string(const void *a, const void *b)
{
    const size_t i = *(const uint64_t *)a, j = *(const uint64_t *)b, m = bag_length(sorting, i), n = bag_length(sorting, j);
    const int order = memcmp(sorting->bytes + sorting->offsets[i], sorting->bytes + sorting->offsets[j], m < n ? m : n);
    return order ? order : (m > n) - (m < n);
}

static struct bag sorted(struct bag *from)
{
    struct bag bag = {0};
    uint64_t *order = make_patterns(from->n);
    for (size_t i = 0; i < from->n; i++) order[i] = i;
    sorting = from;
    qsort(order, from->n, sizeof *order, by_string);
    for (size_t i = 0; i < from->n; i++)
        bag_put(&bag, from->numbers[order[i]], from->bytes + from->offsets[order[i]], bag_length(from, order[i]));
    free(order);
    return bag;
}

/* Both bags have the same strings with the same values, in any order. */
static void require_same(struct bag *expected, struct bag *exported, bool with_values)
{
    struct bag e = sorted(expected), x = sorted(exported);
    require(e.n == x.n, "%zu strings were exported, not %zu", x.n, e.n);
    for (size_t i = 0; i < e.n; i++) {
        require(bag_length(&e, i) == bag_length(&x, i) &&
                    !memcmp(e.bytes + e.offsets[i], x.bytes + x.offsets[i], bag_length(&e, i)),
                "number %llu of %zu bytes was not exported as it is", print(e.numbers[i]), bag_length(&e, i));
        require(!with_values || e.numbers[i] == x.numbers[i], "number %llu was exported with value %llu", print(e.numbers[i]),
                print(x.numbers[i]));
    }
    bag_free(&e);
    bag_free(&x);
}

/* The largest number in an error text. */
static uint64_t number_in(const char *text)
{
    uint64_t largest = 0;
    for (; *text; text++) {
        if (!isdigit((unsigned char)*text)) continue;
        char *end;
        const uint64_t number = strtoull(text, &end, 10);
        if (number > largest) largest = number;
        text = end - 1;
    }
    return largest;
}

/* Exports through room from the smallest on.  If it is too small, the error names the room
 * needed, and that is enough. */
static void exports_go_through_any_room(const struct variant *variant)
{
    static const size_t rooms[] = {ROOST_EXPORT_MIN, ROOST_EXPORT_MIN + 1, 300, 5000};
    struct dice dice = {suite_seed()};
    struct bag all = all_kinds(&dice, settings_size(300, 60), 20000);
    struct table table;
    open_table(&table, variant);
    bag_insert(&table, ROOST_ASSIGN, &all, 8, all.n);
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
        struct bag exported = {0};
        roost_cursor cursor = {0};
        uint64_t bytes_room = r % 2 ? 1000 : 0, refusals = 0;
        const int offset_bytes = r / 2 % 2 ? 4 : 8;
        while (!cursor.end) {
            const roost_cursor before = cursor;
            suite_step("room for %zu and %llu bytes, after %zu", rooms[r], print(bytes_room), exported.n);
            const roost_status status = export_some(&table, &cursor, offset_bytes, bytes_room, rooms[r], &exported);
            if (status == ROOST_OK) continue;
            require_answer(ARGUMENT, status, table.handle, "an export");
            require(!memcmp(&cursor, &before, sizeof cursor), "a refused export moved the cursor");
            const uint64_t needed = number_in(roost_last_error(table.handle));
            require(needed > bytes_room, "\"%s\"", roost_last_error(table.handle));
            bytes_room = needed;
            refusals++;
        }
        require(refusals > 0, "no room was too small");
        require_same(&all, &exported, shape_has_values(variant->shape));
        bag_free(&exported);
    }
    table_close(&table);
    bag_free(&all);
}

/* ---- Strings out of reach ------------------------------------------------------------------- */

/* A table whose machine reaches the calls' arrays only as the number says: two bits for what is
 * pinned, two for what is within reach, one for late copies. */
static void open_distant(struct table *table, const struct variant *variant, uint64_t capacity)
{
    roost_config config;
    const struct late_rules rules = {(enum late_which)(variant->number & 3), (enum late_which)(variant->number >> 2 & 3),
                                     (variant->number >> 4 & 1) != 0, suite_seed(), false};
    stadium_config(variant, &config);
    config.capacity = capacity;
    table_open(table, variant, &config);
    late_queues_begin(table->handle, &rules);
}

/* Exports all strings; room for `bytes` of them is enough. */
static void require_exported(const struct table *table, struct bag *expected, uint64_t bytes)
{
    struct bag exported = {0};
    roost_cursor cursor = {0};
    while (!cursor.end)
        require_status(ROOST_OK, export_some(table, &cursor, 8, bytes, expected->n / 2 + ROOST_EXPORT_MIN, &exported),
                       table->handle);
    require_same(expected, &exported, shape_has_values(&table->shape));
    bag_free(&exported);
}

/* Strings and offsets are brought in before the table reads them.  The answers are the same. */
static void strings_out_of_reach(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    struct bag kinds = all_kinds(&dice, settings_size(200, 60), 5000), doubled = twice(&kinds, &dice),
               even = bag_some(&kinds, 2, 0, &dice), odd = bag_some(&kinds, 2, 1, &dice);
    struct table table;
    open_distant(&table, variant, 0);
    for (int offset_bytes = 4; offset_bytes <= 8; offset_bytes += 4) {
        suite_step("offsets of %d bytes", offset_bytes);
        bag_insert(&table, ROOST_ASSIGN, &even, offset_bytes, even.n);
        bag_find(&table, &odd, offset_bytes, false);
        bag_insert(&table, ROOST_KEEP, &doubled, offset_bytes, odd.n);
        bag_find(&table, &doubled, offset_bytes, true);
        require_exported(&table, &kinds, kinds.offsets[kinds.n]);
        bag_erase(&table, &even, offset_bytes, even.n);
        bag_find(&table, &even, offset_bytes, false);
        bag_find(&table, &odd, offset_bytes, true);
        bag_erase(&table, &doubled, offset_bytes, odd.n);
        require_count(&table, 0);
    }
    table_check(&table);
    table_close(&table);
    bag_free(&kinds);
    bag_free(&doubled);
    bag_free(&even);
    bag_free(&odd);
}

/* All offsets are checked before the first string is stored, also where they are brought in. */
static void wrong_offsets_out_of_reach(const struct variant *variant)
{
    struct bag all = words(0, 3000), few = words(0, 1000);
    struct table table;
    open_distant(&table, variant, 0);
    bag_insert(&table, ROOST_ASSIGN, &few, 8, few.n);
    for (int wrong = 0; wrong < 2; wrong++) {
        struct sent sent = bag_send(&all, &table, 8, 0);
        void *const values = table.shape.value_bytes ? sent.values.given : NULL;
        uint64_t *const offsets = sent.offsets.host;
        if (wrong) offsets[all.n] = offsets[all.n - 1] + (uint64_t)ROOST_STRING_MOST + 1;
        else offsets[all.n - 1] = offsets[all.n] + 1;
        require_answer(ARGUMENT, roost_insert_strings(table.handle, ROOST_ASSIGN, &sent.strings, values, all.n, &sent.call),
                       table.handle, "an insert");
        require_answer(ARGUMENT, roost_find_strings(table.handle, &sent.strings, all.n, values, sent.found.given, &sent.call),
                       table.handle, "a find");
        require_answer(ARGUMENT, roost_erase_strings(table.handle, &sent.strings, all.n, &sent.call), table.handle, "an erase");
        sent_free(&sent);
        require_count(&table, few.n);
    }
    bag_find(&table, &few, 8, true);
    table_check(&table);
    table_close(&table);
    bag_free(&all);
    bag_free(&few);
}

/* More bytes than one piece of a call brings in (2^27), and than an arena makes room for at a time
 * (2^26).  All but the first bytes of the strings are 0, in pages that no memory belongs to. */
static void calls_of_many_bytes(const struct variant *variant)
{
    enum { N = 2800, DISTINCT = 40, BYTES = 49152 };
    static uint64_t offsets[N + 1];
    static uint32_t values[N];
    static uint8_t found[N], statuses[N];
    char *const bytes = calloc(N, BYTES);
    struct table table;
    roost_strings strings;
    roost_call call;
    if (!bytes) abort();
    require_status(ROOST_OK, roost_strings_init(&strings, sizeof strings), NULL);
    require_status(ROOST_OK, roost_call_init(&call, sizeof call), NULL);
    strings.bytes = bytes, strings.offsets = offsets, call.statuses = statuses;
    for (uint32_t i = 0; i < N; i++) {
        offsets[i + 1] = (uint64_t)(i + 1) * BYTES;
        values[i] = i % DISTINCT;
        bytes[offsets[i]] = (char)values[i];
    }
    open_distant(&table, variant, N);
    require_status(ROOST_OK, roost_insert_strings(table.handle, ROOST_KEEP, &strings, values, N, &call), table.handle);
    for (size_t i = 0, fresh = 0; i < N; i++) {
        require(statuses[i] == ROOST_ITEM_INSERTED || statuses[i] == ROOST_ITEM_KEPT, "item %zu ended %u", i, statuses[i]);
        fresh += statuses[i] == ROOST_ITEM_INSERTED;
        require(i < N - 1 || fresh == DISTINCT, "%zu strings are new", fresh);
    }
    memset(values, 0xff, sizeof values);
    require_status(ROOST_OK, roost_find_strings(table.handle, &strings, N, values, found, NULL), table.handle);
    for (size_t i = 0; i < N; i++)
        require(found[i] && values[i] == i % DISTINCT, "item %zu: found %u, value %u", i, found[i], values[i]);
    require_arena(&table, (uint64_t)DISTINCT * BYTES, DISTINCT);
    table_check(&table);
    table_close(&table);
    free(bytes);
}

/* With memory for a part of a call's strings it goes in more pieces; without memory for 64 of them
 * it reports that, and no item was tried. */
static void little_memory_for_strings_out_of_reach(const struct variant *variant)
{
    struct bag all = words(0, settings_size(5000, 2000));
    const uint64_t bytes = all.offsets[all.n] + 8 * all.n;
    struct table table;
    open_distant(&table, variant, 0);
    bag_insert(&table, ROOST_ASSIGN, &all, 8, all.n);
    bag_find(&table, &all, 8, true);
    for (uint64_t part = 1; part <= 16; part *= 4) {
        suite_step("memory for 1/%llu of the bytes", print(part));
        inside_limit_memory(table.handle, table_stats(&table).bytes_now + bytes / part);
        bag_find(&table, &all, 8, true);
        bag_insert(&table, ROOST_ASSIGN, &all, 4, 0);
    }
    suite_step("no memory");
    inside_limit_memory(table.handle, table_stats(&table).bytes_now);
    struct sent sent = bag_send(&all, &table, 8, 0);
    require_status(ROOST_ERR_MEMORY, roost_erase_strings(table.handle, &sent.strings, all.n, &sent.call), table.handle);
    sent_fetch(&sent);
    for (size_t i = 0; i < all.n; i++)
        require(((const uint8_t *)sent.statuses.host)[i] == ROOST_ITEM_NONE, "item %zu ended %u", i,
                ((const uint8_t *)sent.statuses.host)[i]);
    sent_free(&sent);
    inside_limit_memory(table.handle, 0);
    bag_find(&table, &all, 8, true);
    bag_erase(&table, &all, 8, all.n);
    require_count(&table, 0);
    table_close(&table);
    bag_free(&all);
}

/* The host checks offsets before the call's work, so no graph can have it. */
static void captures_refuse_strings(const struct variant *variant)
{
    struct bag all = words(0, 500);
    struct table table;
    open_table(&table, variant);
    bag_insert(&table, ROOST_ASSIGN, &all, 8, all.n);
    struct sent sent = bag_send(&all, &table, 8, 0);
    void *const values = table.shape.value_bytes ? sent.values.given : NULL;
    inside_capture(table.handle, true);
    require_answer(UNSUPPORTED, roost_insert_strings(table.handle, ROOST_ASSIGN, &sent.strings, values, all.n, NULL), table.handle,
                   "an insert");
    require_answer(UNSUPPORTED, roost_find_strings(table.handle, &sent.strings, all.n, values, sent.found.given, NULL),
                   table.handle, "a find");
    require_answer(UNSUPPORTED, roost_erase_strings(table.handle, &sent.strings, all.n, NULL), table.handle, "an erase");
    inside_capture(table.handle, false);
    sent_free(&sent);
    bag_find(&table, &all, 8, true);
    bag_erase(&table, &all, 8, all.n);
    table_close(&table);
    bag_free(&all);
}

/* ---- Failures ------------------------------------------------------------------------------- */

/* Makes a table of words, of which a third are erased, and compacts it while the k-th operation of
 * the kind fails.  Whatever it was, no string is lost, and no memory.  False: there was none. */
static bool compact_failing(const struct variant *variant, const struct bag *all, enum fault_kind kind, uint64_t k)
{
    const int64_t pieces = faulty_pieces();
    struct bag gone = bag_some(all, 3, 0, NULL), left = bag_some(all, 3, 1, NULL);
    struct table table;
    suite_step("%s %llu fails", faulty_name(kind), print(k));
    open_table(&table, variant);
    bag_insert(&table, ROOST_ASSIGN, all, 8, all->n);
    bag_erase(&table, &gone, 8, gone.n);
    faulty_arm(kind, k, false);
    const roost_status status = roost_compact(table.handle);
    const bool hit = faulty_injected() > 0;
    faulty_arm(kind, 0, false);
    require(hit || status == ROOST_OK, "%s without a fault", roost_status_name(status));
    require(!hit || status != ROOST_OK || kind == FAULT_allocate, "the fault is not reported");
    table_check(&table);
    if (k % 2) require_status(ROOST_OK, roost_compact(table.handle), table.handle);
    bag_find(&table, &left, 8, true);
    bag_find(&table, &gone, 8, false);
    bag_insert(&table, ROOST_ASSIGN, &gone, 8, gone.n);
    bag_find(&table, all, 8, true);
    require_count(&table, all->n);
    table_check(&table);
    table_close(&table);
    require(faulty_pieces() == pieces, "%lld pieces of memory leaked", (long long)(faulty_pieces() - pieces));
    bag_free(&gone);
    bag_free(&left);
    return hit;
}

static void failing_compactions_lose_nothing(const struct variant *variant)
{
    static const enum fault_kind kinds[] = {FAULT_allocate, FAULT_copy, FAULT_fill, FAULT_read, FAULT_launch, FAULT_wait};
    struct bag all = words(0, settings_size(12000, 6000)); /* more bytes than the least arena has */
    faulty_begin(FAULTY_PLAIN);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (uint64_t k = 1; compact_failing(variant, &all, kinds[i], k); k++) require(k < 100, "no compaction ends");
    faulty_end();
    bag_free(&all);
}

/* ---- Cases ---------------------------------------------------------------------------------- */

static const char *const options[] = {NULL,       "ticket=2,probe=group",  "ticket=4",     "ticket=16",   "ticket=8,probe=double",
                                      "hash=sip", "hash=sip,hash_bits=16", "hash_bits=16", "hash_bits=1", "memory=host"};
enum { OPTIONS = sizeof options / sizeof *options };

/* For all shapes of strings in all placements. */
static void add_all(const char *behaviour, test_body body, uint64_t number)
{
    for (size_t i = 0; i < STRING_COUNT; i++)
        for (int p = PLACE_HOST; p < suite_placements(); p++)
            suite_add(behaviour, body,
                      (struct variant){.shape = &string_shapes[i], .placement = (enum placement)p, .number = number});
}

/* With all options, each for one shape. */
static void add_options(const char *behaviour, test_body body)
{
    for (size_t o = 1; o < OPTIONS; o++)
        suite_add(behaviour, body,
                  (struct variant){.shape = &string_shapes[o % STRING_COUNT],
                                   .options = options[o],
                                   .threads = o % 2 ? 8 : 0,
                                   .placement = (enum placement)(o % (size_t)suite_placements())});
}

/* Cases of the host alone; some of their tables pretend to be elsewhere. */
static void add_of_host(const struct test_shape *shape)
{
    static const struct {
        uint64_t pinned, reachable;
    } rules[] = {{LATE_ALL, LATE_NONE}, {LATE_NONE, LATE_NONE}, {LATE_SOME, LATE_SOME}};
    for (uint64_t r = 0; r < 2 * sizeof rules / sizeof *rules; r++) {
        const struct variant variant = {.shape = shape, .number = rules[r / 2].pinned | rules[r / 2].reachable << 2 | (r & 1) << 4};
        suite_add("strings out of reach", strings_out_of_reach, variant);
        /* Nothing checks the offsets of finds and erases within reach. */
        if (rules[r / 2].reachable) continue;
        suite_add("wrong offsets out of reach", wrong_offsets_out_of_reach, variant);
        if (r % 2) continue;
        suite_add("little memory for strings out of reach", little_memory_for_strings_out_of_reach, variant);
        if (r == 2 && !settings_get()->is_short && shape->value_type == ROOST_TYPE_U32)
            suite_add("calls of many bytes", calls_of_many_bytes, variant);
    }
    suite_add("slots without bytes", slots_without_bytes, (struct variant){.shape = shape});
    suite_add("captures refuse strings", captures_refuse_strings, (struct variant){.shape = shape});
    suite_add("failing compactions lose nothing", failing_compactions_lose_nothing, (struct variant){.shape = shape});
}

int main(int argc, char **argv)
{
    static const char *const typed[] = {"s+0", "s+4 u32", "s+5", "s+256"};
    suite_begin(argc, argv);
    add_all("sequences", sequences, 0);
    add_all("sequences, started large", sequences, 5000);
    add_options("sequences", sequences);
    add_all("all kinds are told apart", all_kinds_are_told_apart, 8);
    add_all("all kinds are told apart, narrow", all_kinds_are_told_apart, 4);
    add_options("all kinds are told apart", all_kinds_are_told_apart);
    add_options("many are counted", many_are_counted);
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        for (int p = PLACE_HOST; p < suite_placements(); p++) {
            const struct variant variant = {.shape = shape_named(typed[i]), .placement = (enum placement)p};
            suite_add("many are counted", many_are_counted, variant);
            suite_add("erased bytes are taken again", erased_bytes_are_taken_again, variant);
            suite_add("updates take no bytes", updates_take_no_bytes, variant);
            suite_add("compacting gives bytes back", compacting_gives_bytes_back, variant);
            suite_add("limits refuse strings", limits_refuse_strings, variant);
            suite_add("exports go through any room", exports_go_through_any_room, variant);
        }
        const struct variant variant = {.shape = shape_named(typed[i])};
        suite_add("finds beside finds", finds_beside_finds, variant);
        if (!settings_on_gpu()) add_of_host(variant.shape);
    }
    return suite_run("stadium_strings");
}
