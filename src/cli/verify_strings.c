/* Collects strings, sorts them and merges equal ones. */
#define _GNU_SOURCE 1
#include "cli/verify_strings.h"

#include <stdlib.h>
#include <string.h>

/* Least number and bytes of strings that are collected before a fold.  Later folds wait for as
 * many as there are distinct ones, so that sorting costs a bounded number of comparisons per
 * string. */
#define PENDING_MIN ((size_t)1 << 19)
#define PENDING_BYTES_MIN ((size_t)1 << 24)

static int compare(const void *a, const void *b, void *text)
{
    const struct verify_string *x = (const struct verify_string *)a, *y = (const struct verify_string *)b;
    const char *bytes = (const char *)text;
    const int order = memcmp(bytes + x->at, bytes + y->at, x->length < y->length ? x->length : y->length);
    if (order != 0) return order;
    return x->length < y->length ? -1 : x->length > y->length;
}

/* Packs the bytes of the remaining strings. */
static bool pack(struct verify_strings *strings, size_t bytes)
{
    char *text = (char *)malloc(bytes + 1);
    if (text == NULL) return false;
    size_t used = 0;
    for (size_t i = 0; i < strings->n; i++) {
        memcpy(text + used, strings->text + strings->items[i].at, strings->items[i].length);
        strings->items[i].at = used;
        used += strings->items[i].length;
    }
    free(strings->text);
    strings->text = text;
    strings->used = used;
    strings->text_room = bytes + 1;
    return true;
}

bool verify_strings_fold(struct verify_strings *strings)
{
    if (strings->n == 0) return true;
    qsort_r(strings->items, strings->n, sizeof *strings->items, compare, strings->text);
    size_t n = 0, bytes = 0;
    for (size_t i = 0; i < strings->n; i++) {
        if (n > 0 && compare(&strings->items[n - 1], &strings->items[i], strings->text) == 0) {
            strings->items[n - 1].count += strings->items[i].count;
        } else {
            strings->items[n++] = strings->items[i];
            bytes += strings->items[n - 1].length;
        }
    }
    strings->n = n;
    return pack(strings, bytes);
}

static bool make_room(struct verify_strings *strings, size_t length)
{
    if (strings->n >= strings->fold_n || strings->used >= strings->fold_bytes) {
        if (!verify_strings_fold(strings)) return false;
        strings->fold_n = strings->n + (strings->n > PENDING_MIN ? strings->n : PENDING_MIN);
        strings->fold_bytes = strings->used + (strings->used > PENDING_BYTES_MIN ? strings->used : PENDING_BYTES_MIN);
    }
    if (strings->n == strings->items_room) {
        strings->items_room = strings->fold_n;
        void *items = reallocarray(strings->items, strings->items_room, sizeof *strings->items);
        if (items == NULL) return false;
        strings->items = (struct verify_string *)items;
    }
    if (length <= strings->text_room - strings->used && strings->text != NULL) return true;
    if (length > SIZE_MAX / 2 - strings->fold_bytes) return false;
    strings->text_room = strings->fold_bytes + length;
    char *text = (char *)realloc(strings->text, strings->text_room);
    if (text != NULL) strings->text = text;
    return text != NULL;
}

bool verify_strings_add(struct verify_strings *strings, const char *bytes, size_t length)
{
    if (!make_room(strings, length)) return false;
    if (length > 0) memcpy(strings->text + strings->used, bytes, length);
    struct verify_string *item = &strings->items[strings->n++];
    item->at = strings->used;
    item->length = length;
    item->count = 1;
    strings->used += length;
    return true;
}

void verify_strings_release(struct verify_strings *strings)
{
    free(strings->text);
    free(strings->items);
    memset(strings, 0, sizeof *strings);
}
