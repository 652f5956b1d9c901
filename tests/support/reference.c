/* An exact map from 64-bit keys to 64-bit values, and the arithmetic of the insert modes. */
#include "support/reference.h"

#include "support/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct node {
    uint64_t key;
    uint64_t value;
    struct node *next;
};

struct reference {
    struct node **chains;
    size_t chain_count; /* a power of two */
    uint64_t count;
};

static struct node **make_chains(size_t count)
{
    struct node **chains = calloc(count, sizeof *chains);
    if (!chains) abort();
    return chains;
}

struct reference *reference_make(void)
{
    struct reference *reference = malloc(sizeof *reference);
    if (!reference) abort();
    *reference = (struct reference){.chains = make_chains(64), .chain_count = 64};
    return reference;
}

void reference_clear(struct reference *reference)
{
    for (size_t i = 0; i < reference->chain_count; i++) {
        for (struct node *node = reference->chains[i], *next; node; node = next) {
            next = node->next;
            free(node);
        }
        reference->chains[i] = NULL;
    }
    reference->count = 0;
}

void reference_free(struct reference *reference)
{
    reference_clear(reference);
    free(reference->chains);
    free(reference);
}

uint64_t reference_count(const struct reference *reference) { return reference->count; }

/* The pointer to the key's node, or to the end of its chain. */
static struct node **locate(const struct reference *reference, uint64_t key)
{
    struct node **link = &reference->chains[mix64(~key) & (reference->chain_count - 1)];
    while (*link && (*link)->key != key) link = &(*link)->next;
    return link;
}

static void lengthen(struct reference *reference)
{
    const struct reference old = *reference;
    reference->chain_count *= 2;
    reference->chains = make_chains(reference->chain_count);
    for (size_t i = 0; i < old.chain_count; i++) {
        for (struct node *node = old.chains[i], *next; node; node = next) {
            next = node->next;
            node->next = NULL;
            *locate(reference, node->key) = node;
        }
    }
    free(old.chains);
}

bool reference_get(const struct reference *reference, uint64_t key, uint64_t *value)
{
    const struct node *node = *locate(reference, key);
    if (node && value) *value = node->value;
    return node != NULL;
}

void reference_put(struct reference *reference, uint64_t key, uint64_t value)
{
    struct node **link = locate(reference, key);
    if (*link) {
        (*link)->value = value;
        return;
    }
    struct node *node = malloc(sizeof *node);
    if (!node) abort();
    *node = (struct node){.key = key, .value = value};
    *link = node;
    if (++reference->count > reference->chain_count) lengthen(reference);
}

bool reference_remove(struct reference *reference, uint64_t key)
{
    struct node **link = locate(reference, key);
    struct node *node = *link;
    if (!node) return false;
    *link = node->next;
    free(node);
    reference->count--;
    return true;
}

static double as_number(roost_type type, uint64_t bits)
{
    float narrow;
    double wide;
    memcpy(&narrow, &bits, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    return type == ROOST_TYPE_F32 ? (double)narrow : wide;
}

static uint64_t add(roost_type type, bool saturate, uint64_t value, uint64_t operand)
{
    if (type_is_float(type)) return value_bits(type, as_number(type, value) + as_number(type, operand));
    const uint64_t mask = width_mask(type_bytes(type));
    const uint64_t sum = (value + operand) & mask;
    const bool is_unsigned = type == ROOST_TYPE_U32 || type == ROOST_TYPE_U64;
    return saturate && is_unsigned && sum < value ? mask : sum;
}

/* A NaN loses to every number; -0.0 is below 0.0. */
static bool is_beyond(roost_mode mode, double value, double operand)
{
    if (isnan(value) || isnan(operand)) return isnan(value) && !isnan(operand);
    if (value == operand) return signbit(value) != signbit(operand) && !signbit(operand) == (mode == ROOST_MAX);
    return mode == ROOST_MIN ? operand < value : operand > value;
}

static bool is_less(roost_type type, uint64_t a, uint64_t b)
{
    switch (type) {
    case ROOST_TYPE_I32: return (int32_t)(uint32_t)a < (int32_t)(uint32_t)b;
    case ROOST_TYPE_I64: return (int64_t)a < (int64_t)b;
    default: return a < b;
    }
}

/* Does MIN or MAX replace the value by the operand? */
static bool replaces(roost_mode mode, roost_type type, uint64_t value, uint64_t operand)
{
    if (type_is_float(type)) return is_beyond(mode, as_number(type, value), as_number(type, operand));
    return mode == ROOST_MIN ? is_less(type, operand, value) : is_less(type, value, operand);
}

uint64_t reference_combine(roost_mode mode, roost_type type, bool saturate, uint64_t value, uint64_t operand)
{
    switch (mode) {
    case ROOST_ASSIGN: return operand;
    case ROOST_KEEP: return value;
    case ROOST_ADD: return add(type, saturate, value, operand);
    case ROOST_MIN:
    case ROOST_MAX: return replaces(mode, type, value, operand) ? operand : value;
    case ROOST_APPEND: break; /* only for multimaps */
    }
    abort();
}
