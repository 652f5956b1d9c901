/* compact's shapes: widths, slots of a bucket, and bytes of a tag. */
#ifndef ROOST_COMPACT_SHAPES_H
#define ROOST_COMPACT_SHAPES_H

#include "engines/compact/compact.h"

/* X(name, key bytes, value bytes, slots, bytes of a tag, homes): every stamped shape.  Of those of
 * the same widths a table has the first whose tags hold its remainders (compact_size.c). */
#define COMPACT_SHAPES(X)                                                                                                          \
    X(k4v4, 4, 4, 10, 2, 2)                                                                                                        \
    X(k4v8, 4, 8, 6, 2, 2)                                                                                                         \
    X(k4v0, 4, 0, 30, 2, 2)                                                                                                        \
    X(k4v4wide, 4, 4, 6, 4, 2)                                                                                                     \
    X(k4v8wide, 4, 8, 4, 4, 2)                                                                                                     \
    X(k4v0wide, 4, 0, 14, 4, 2)                                                                                                    \
    X(k8v0, 8, 0, 12, 5, 2)                                                                                                        \
    X(k8v8, 8, 8, 4, 6, 2)                                                                                                         \
    X(k8v4, 8, 4, 6, 6, 2)                                                                                                         \
    X(k8v0six, 8, 0, 10, 6, 2)                                                                                                     \
    X(k8v8wide, 8, 8, 3, 8, 2)                                                                                                     \
    X(k8v4wide, 8, 4, 4, 8, 2)                                                                                                     \
    X(k8v0wide, 8, 0, 6, 8, 2)

/* Bits of the parts of a tag. */
ROOST_FN int compact_low_bits(const struct shape s) { return s.word == 2 ? 16 : 32; }
ROOST_FN int compact_high_bits(const struct shape s) { return s.word > 4 ? 8 * s.word - 32 : 0; }

#endif
