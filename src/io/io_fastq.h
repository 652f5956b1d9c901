/* The reader of FASTQ, which that of FASTA makes when it meets such a file. */
#ifndef ROOST_IO_FASTQ_H
#define ROOST_IO_FASTQ_H

#include "io_kmers.h"

/* Turns a reader of FASTA into one of FASTQ.  line: number of the line at which the stream is. */
enum io_status io_fastq_begin(struct io_reader *reader, struct io_kmers kmers, uint64_t line, struct io_error *error);

#endif
