/* Counting: how often does each word of a text occur?  Inserts with ROOST_ADD count; an export
 * returns the counts.
 *
 *     cc counting.c $(pkg-config --cflags --libs roost) && ./a.out < README.md */
#include <ctype.h>
#include <roost/roost.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 4096, ROOM = 4096 };

static void require(roost_status status, const roost_table *table)
{
    if (status == ROOST_OK) return;
    fprintf(stderr, "%s: %s\n", roost_status_name(status), roost_last_error(table));
    exit(1);
}

/* The next word of standard input, or 0 at the end.  Up to eight letters are packed into a key,
 * so that the key can be spelled again. */
static uint64_t next_word(void)
{
    uint64_t word = 0;
    int c, letters = 0;
    while ((c = getchar()) != EOF && !isalpha(c)) continue;
    for (; c != EOF && isalpha(c); c = getchar())
        if (letters++ < 8) word = word << 8 | (uint64_t)tolower(c);
    return word;
}

static void print_word(uint64_t word, uint32_t count)
{
    char text[9];
    int at = 8;
    text[8] = 0;
    for (; word; word >>= 8) text[--at] = (char)(word & 255);
    printf("%s\t%u\n", text + at, count);
}

static void print_counts(const roost_table *table)
{
    static uint64_t words[ROOM];
    static uint32_t counts[ROOM];
    roost_cursor cursor = {0, 0};
    while (!cursor.end) {
        size_t n;
        require(roost_export(table, &cursor, words, counts, ROOM, &n, NULL), table);
        for (size_t i = 0; i < n; i++) print_word(words[i], counts[i]);
    }
}

int main(void)
{
    static uint64_t words[BATCH];
    static uint32_t ones[BATCH];
    roost_config config;
    roost_table *table;
    size_t n;

    for (size_t i = 0; i < BATCH; i++) ones[i] = 1;
    require(roost_config_init(&config, sizeof config), NULL);
    config.key_type = ROOST_TYPE_U64;
    config.value_type = ROOST_TYPE_U32;
    /* A count stops at its largest value instead of wrapping. */
    config.saturate = 1;
    require(roost_table_create(&table, &config), NULL);
    do {
        for (n = 0; n < BATCH && (words[n] = next_word()) != 0; n++) continue;
        require(roost_insert(table, ROOST_ADD, words, ones, n, NULL), table);
    } while (n == BATCH);
    print_counts(table);
    roost_table_destroy(table);
    return 0;
}
