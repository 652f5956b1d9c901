/* What the benchmark's parts share: its options, a row of the report, and the measurement of one
 * table. */
#ifndef ROOST_BENCH_H
#define ROOST_BENCH_H

#include "bench_machine.h"
#include "bench_limits.h"
#include "numbers.h"

#include <stdbool.h>
#include <stdint.h>

enum { BENCH_MAX_THREAD_COUNTS = 8, BENCH_MAX_REPETITIONS = 8 };

struct options {
    const char *device; /* NULL: a GPU if there is one, and the host; else only this one */
    const char *engine; /* NULL: the library's choice */
    uint64_t keys;      /* keys of a GPU table */
    uint64_t host_keys;
    double load;
    double min_fill, max_fill;            /* bounds of tables that grow */
    int threads[BENCH_MAX_THREAD_COUNTS]; /* on the host: one group of rows for each */
    int thread_counts;
    bool all_widths;
    bool quick;        /* rates are not compared with their limits */
    bool profile;      /* one more find of each row for a profiler; no erases, no limits */
    const char *sweep; /* options of further GPU tables, separated by ';'; NULL: none */
    bool ablation;     /* also the rows of lookups' designs */
    bool house;        /* also all engines on one workload */
    bool figures;      /* also the figures in the papers of GPH and Stadium */
    const char *only;  /* prefix of the selected rows' names; NULL: all rows */
    const char *json;
    const char *commit;
    uint64_t seed;
};

/* Ends the process if the arguments are wrong, or after --help. */
struct options options_parse(int argc, char **argv);

bool options_want(const struct options *o, const char *row);
/* True if some row with this prefix may be selected; --only may be longer or shorter than the
 * prefix. */
bool options_want_some(const struct options *o, const char *prefix);
/* True if --only names this group, or rows of it. */
bool options_name(const struct options *o, const char *group);

/* ---- The report ------------------------------------------------------------------------------ */

enum row_state {
    ROW_UNUSED = 0,
    ROW_OK,
    ROW_WRONG,      /* some answer was wrong */
    ROW_OVER,       /* rate above the limit: the limit was measured badly */
    ROW_FAILED,     /* a call failed: the note says which and why */
    ROW_UNAVAILABLE /* cannot be measured here: the note says why; not a failure */
};

enum row_unit { UNIT_GIGA, UNIT_MEGA, UNIT_TIMES, UNIT_BYTES };

struct row {
    char name[96];
    enum row_state state;
    enum row_unit unit;
    char note[240];
    char engine[32];
    char options[128];
    double rate; /* operations per second, bytes per second, or a ratio */
    char limit_name[64];
    double limit;        /* operations per second; 0: none */
    double bucket_reads; /* expected reads of buckets per operation; 0: not stated */
    /* finds, in builds that count them (ROOST_PROBES): reads of buckets per operation */
    double counted_reads;
    uint64_t items;           /* items of one repetition */
    uint64_t distinct;        /* distinct keys of one repetition */
    uint64_t verified, wrong; /* answers, over all repetitions */
    /* statistics of the row's table; table_bytes 0: no table */
    struct numbers stats;
    uint64_t cache_bytes; /* the machine's last-level cache */
    int repetitions;
    /* the host's clock around call and synchronisation */
    double seconds[BENCH_MAX_REPETITIONS];
    /* the device's clock around the same; 0 if there is none */
    double device_seconds[BENCH_MAX_REPETITIONS];
    char shape[LIMIT_SHAPE_LENGTH]; /* for a limit: the best launch shape */
    /* batches: load factor after each; the row owns it until it is reported */
    double *fill;
    uint64_t batches;
};

struct row row_make(const char *name, enum row_unit unit);
void row_fail(struct row *row, enum row_state state, const char *format, ...) __attribute__((format(printf, 3, 4)));
void row_add_time(struct row *row, double seconds, double device_seconds);
void row_set_limit(struct row *row, const char *name, double limit);

/* Completes the row (median rate, state), prints it, and keeps it for the JSON file; drops a row
 * that was not selected. */
void report_row(const struct options *o, struct row row);
void report_heading(void);
void report_gpu(const struct gpu_facts *facts);
/* True if any row was wrong, over its limit or failed. */
bool report_failed(void);
bool report_json(const struct options *o, int argc, char **argv);
double median(const double *values, int n);
/* The median over the repetitions of the slower of the two clocks. */
double row_seconds(const struct row *row);
/* Items per second by row_seconds; 0 if the row was not measured, or is wrong. */
double row_rate(const struct row *row);

/* ---- Measuring one table --------------------------------------------------------------------- */

enum { TABLE_FIND_LEVELS = 3 };

/* The arrays of a workload on one machine. */
struct arrays {
    struct workload w;
    uint64_t queries; /* items of each query array */
    void *keys, *values;
    /* timed finds alternate, so that none finds its own keys in the cache */
    void *query[2];
    void *answer;
    uint8_t *found;
    uint64_t most_answers; /* capacity of answer and found */
};

struct table_case {
    const struct machine *machine;
    const char *device; /* as in roost_config */
    const char *engine;
    const char *options; /* options of the engine; NULL: its defaults */
    const char *group;   /* prefix of the rows' names */
    int threads;
    double load;
    double min_fill, max_fill; /* bounds of a table that grows */
    uint64_t capacity;         /* capacity at creation; 0: the workload's keys */
    uint64_t memory_limit;     /* limit of the table's device memory; 0: none */
    /* keys of a timed find at each share of hits; 0: as many as the arrays have */
    uint64_t finds[TABLE_FIND_LEVELS];
    uint64_t cache_bytes;
    enum row_unit unit;
    /* repetitions of inserts and erases, a table each; 0: the default */
    int writes;
    bool fixed; /* growth is off */
    /* batches: room for all of them from the start, so that no call has to wait */
    bool reserved;
    bool insert_only, finds_only; /* finds_only: one insert, and no erases */
    bool absent_keep;             /* finds: ROOST_ABSENT_KEEP */
    bool profile;                 /* finds: one more of each row, for a profiler */

    /* The engine may lack these options; its rows then say so and do not fail. */
    bool may_lack;
};

struct table_rows {
    struct row insert, find[TABLE_FIND_LEVELS], erase, find_erased;
};

struct arrays arrays_make(const struct machine *m, struct workload w, uint64_t queries);
void arrays_free(const struct machine *m, struct arrays *a);

/* True if any row of the group is selected. */
bool table_wanted(const struct options *o, const char *group);

/* Sized tables: insert, find at three shares of hits, erase, find after the erase. Every answer
 * is verified. */
struct table_rows table_measure(const struct options *o, const struct table_case *c, struct arrays *a);

/* One batch gives all keys of a table another value. */
struct row table_measure_updates(const struct table_case *c, struct arrays *a, const char *name);

/* Growth from the smallest table in `batches` batches (no growth: into a reserved table), within
 * the case's bounds of the fill; or (erases) erases of all keys of such a table, as many a batch.
 * `name` is the row's; the group is unused. */
struct row table_measure_batches(const struct table_case *c, struct arrays *a, const char *name, uint64_t batches, bool erases);

/* A batch of mixed operations (one roost_apply) on a table of all keys; the callee sets
 * `mix.number`. */
struct row table_measure_mix(const struct table_case *c, struct arrays *a, const char *name, struct mix mix, bool ordered);

/* All keys, and as many finds, in slices of `slice` operations (a multiple of 64); each slice is
 * a call. Inserts alone, finds alone, and both in turns of 32. */
struct slice_rows {
    struct row insert, find, mixed;
};
struct slice_rows table_measure_slices(const struct table_case *c, struct arrays *a, uint64_t slice);

/* ---- Places ---------------------------------------------------------------------------------- */

/* The least access that an operation needs. */
enum access {
    ACCESS_SECTOR, /* 32 bytes read */
    ACCESS_LINE,   /* 64 bytes read */
    ACCESS_SLAB,   /* 128 bytes read */
    ACCESS_UPDATE, /* 64 bytes read and a word updated */
    ACCESS_STREAM, /* a byte read or written in order, as by a copy */
    /* Per item: 8 bytes copied to a GPU; 4 bytes to it; or 4 to it and 5 from it. */
    ACCESS_TRANSFER_IN,
    ACCESS_TRANSFER_KEYS,
    ACCESS_TRANSFER_BOTH,
    ACCESS_ZERO_COPY_READ, /* by a GPU: 16 bytes of the host's pinned memory */
    ACCESS_ZERO_COPY_WRITE,
    ACCESSES
};

struct access_limit {
    const char *name;
    double rate;
};

/* A device, its rows' prefix, and its limits. */
struct place {
    const struct options *o;
    const struct machine *machine;
    const char *device;
    const char *prefix; /* "gpu", "host-2" */
    uint64_t keys;      /* keys of its tables */
    int threads;        /* 0 on a GPU */
    uint64_t cache_bytes;
    enum row_unit unit;
    struct access_limit (*limit)(const struct place *p, enum access access, uint64_t bytes);
    /* values: a lookup writes its key's value, not just whether the key is present */
    struct access_limit (*index_limit)(const struct place *p, uint64_t bucket_bytes, uint64_t bytes, uint64_t index_bytes,
                                       bool values);
};

struct table_case place_case(const struct place *p, const char *engine, const char *options, const char *group);

/* True if any row of this engine is selected. */
bool place_wants(const struct place *p, const char *engine);

/* An empty row GROUP/WHAT. */
struct row place_row(const struct place *p, const char *group, const char *what);
/* Reports a ratio, as a row of its own. */
void place_ratio(const struct place *p, const char *group, const char *what, double ratio, const char *note);

/* If the row was measured, compares it with accesses to `bytes` bytes of memory, or with a copy
 * of `bytes` bytes for each item. */
void place_set_limit(const struct place *p, struct row *row, enum access access, uint64_t bytes);
void place_set_stream_limit(const struct place *p, struct row *row, double bytes);
/* The limit of inserts into a table of `bytes` bytes.  A build of fks streams, so it is compared
 * with a copy of its bytes, not with random accesses. */
void place_set_insert_limit(const struct place *p, struct row *row, const struct workload w, uint64_t bytes);
void place_set_find_limit(const struct place *p, struct row *row, const struct workload w, bool by_region);
/* The limit of writes, unordered or by region as the row's note says. value_bytes: of each item,
 * 0 for erases. */
void place_set_write_limit(const struct place *p, struct row *row, const struct workload w, int value_bytes, uint64_t bytes);

/* The device's memory; 0 if unknown. */
uint64_t place_device_bytes(const struct place *p);

typedef void (*place_measure)(const struct place *p, struct arrays *a, const char *group);

/* Calls `measure` for each selected width except 4+4, with arrays of this width. The group is
 * made of the place, `table` and the width. */
void place_widths(const struct place *p, const char *table, place_measure measure);

/* The rows of engine slab over arrays of 4+4 bytes. With arrays of their own: the rows of other
 * widths, of small batches and of one key; on a GPU, of the allocator alone. */
void slab_rows(const struct place *p, struct arrays *a);
void slab_width_rows(const struct place *p);
void slab_batch_rows(const struct place *p);
void slab_alloc_rows(const struct place *p);

/* The rows of engine gph, over arrays of 4+4 bytes; with arrays of their own, those of other
 * widths. */
void gph_rows(const struct place *p, struct arrays *a);
void gph_width_rows(const struct place *p);
/* The rows of engine fks, likewise. */
void fks_rows(const struct place *p, struct arrays *a);
void fks_width_rows(const struct place *p);
void fks_figure_rows(const struct place *p); /* for --figures */
/* Unordered calls and calls by region, with arrays of their own, for --figures. */
void region_rows(const struct place *p);
/* The rows of engine stadium; with arrays of their own, those of tables in the host's memory;
 * and those for --figures. */
void stadium_rows(const struct place *p, struct arrays *a);
void stadium_width_rows(const struct place *p);
void stadium_host_rows(const struct place *p);
void stadium_figure_rows(const struct place *p, struct arrays *a);
void stadium_size_rows(const struct place *p);
/* On the host, string keys: engine stadium beside libcuckoo. */
void string_rows(const struct place *p);
void ablation_rows(const struct place *p, struct arrays *a); /* for --ablation */
/* For --figures, like reach_rows, which has arrays of its own. */
void figure_rows(const struct place *p, struct arrays *a);
void reach_rows(const struct place *p);
/* Keys that somebody chose, and what keyed hashes cost: where --only asks for it. */
void chosen_rows(const struct place *p);
void house_rows(const struct place *p); /* for --house, with arrays of its own */
/* The rows of engine compact that --only asks for, with arrays of their own. */
void compact_rows(const struct place *p);
void ranks_rows(const struct place *p);
/* Dense numbers, joins and groups that --only asks for, with arrays of their own. */
void relations_rows(const struct place *p);
/* Tables saved and loaded that --only asks for. */
void snapshot_rows(const struct place *p);

/* The row of a mix (20 % updates) on an engine that works in phases. */
void phase_rows(const struct place *p, struct arrays *a);

/* Host arrays larger than the GPU's share: `a` holds the table's pairs and queries of 4+4 bytes
 * on the GPU. */
void stream_rows(const struct options *o, const struct machine *gpu, const char *device, struct arrays *a);

void gpu_rows(const struct options *o);
/* True if any of the host's rows, or those of other libraries there, is selected. */
bool host_rows_wanted(const struct options *o);
void host_rows(const struct options *o);
/* Several processes at a time, which --only threads asks for. */
void thread_rows(const struct options *o);
/* Costs that should not grow with a table, which --only cliffs asks for. */
void cliff_rows(const struct options *o);

#endif
