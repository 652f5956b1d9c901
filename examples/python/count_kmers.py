# Counts the k-mers of a FASTQ file: both strands as one, those with N left out.
"""usage: python3 examples/python/count_kmers.py FILE.fastq[.gz] [K] [--save TABLE.roost]

Prints each k-mer and how often it occurs, K up to 32 (default 21).  --save keeps the table of packed k-mers instead
(2 bits a base: A C G T are 0 1 2 3, the first base in the highest bits)."""
import gzip
import sys

import numpy as np

import roost

BATCH = 1 << 22  # bases that are packed at a time
CODE = np.full(256, 255, np.uint8)
CODE[np.frombuffer(b"ACGTacgt", np.uint8)] = [0, 1, 2, 3, 0, 1, 2, 3]


def reads(path):
    """Yields batches of reads, joined by a byte that is no base."""
    batch, size = [], 0
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as lines:
        for i, line in enumerate(lines):
            if i % 4 == 1:
                batch.append(line.strip())
                size += len(line)
            if size >= BATCH:
                yield b"-".join(batch)
                batch, size = [], 0
    yield b"-".join(batch)


def kmers_of(text, k):
    """The packed k-mers of a batch, each the smaller one of both strands."""
    codes = CODE[np.frombuffer(text, np.uint8)]
    n = max(len(codes) - k + 1, 0)
    forward, backward, good = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.ones(n, bool)
    for i in range(k):
        base = codes[i:i + n]
        good &= base < 4
        forward |= base.astype(np.uint64) << np.uint64(2 * (k - 1 - i))
        backward |= (3 - base.astype(np.uint64)) << np.uint64(2 * i)
    return np.minimum(forward, backward)[good]


def spell(packed, k):
    return "".join("ACGT"[packed >> 2 * (k - 1 - i) & 3] for i in range(k))


path, k = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2].isdigit() else 21
with roost.Table("u64", "u32", saturate=True) as table:
    for text in reads(path):
        table.add(kmers_of(text, k), 1)
    if "--save" in sys.argv:
        table.save(sys.argv[sys.argv.index("--save") + 1])
    else:
        for keys, counts in table:
            sys.stdout.writelines(f"{spell(int(key), k)} {count}\n" for key, count in zip(keys, counts))
