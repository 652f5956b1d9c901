/* Numbers of any kind in fields that are in memory. */
#ifndef ROOST_IO_NUMBER_H
#define ROOST_IO_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes of a number. */
#define IO_NUMBER_TEXT 1024

/* IO_WHOLE: an integer that fits into 64 bits with sign; IO_REAL: any other number. */
enum io_number_kind { IO_NO_NUMBER, IO_WHOLE, IO_REAL };

/* Parses digits with an optional sign, decimals and an exponent, such as -12, .5 or 1e-9.  Writes
 * *whole or *real. */
enum io_number_kind io_number_parse(const uint8_t *text, size_t length, int64_t *whole, double *real);

#endif
