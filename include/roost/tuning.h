/* Choosing, describing and measuring tables, and what engines count.
 * Experimental: may change before 1.0. */
#ifndef ROOST_TUNING_H
#define ROOST_TUNING_H

#include "roost/roost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Statistics by name ---------------------------------------------------------------------- */

/* The type of a statistic's value. */
typedef enum roost_stat_kind {
    ROOST_STAT_U64 = 0, /* value.u64 */
    ROOST_STAT_F64 = 1  /* value.f64 */
} roost_stat_kind;

/* A number that a table counts, in addition to those of roost_stats.  Names begin with the
 * engine, or with "table" if every engine has the number: "gph.flagged_cells", "table.parked".
 * An element of an array has its index at the end: "dycuckoo.path_length.3".  Names may change
 * with every version.  Begin with ROOST_STAT_INIT. */
typedef struct roost_stat {
    size_t size; /* sizeof(roost_stat), set by the caller */
    char name[64];
    roost_stat_kind kind;
    uint32_t reserved;
    union roost_stat_value {
        uint64_t u64;
        double f64;
    } value;
} roost_stat;

#define ROOST_STAT_INIT                                                                            \
    {                                                                                              \
        sizeof(roost_stat), "", ROOST_STAT_U64, 0, { 0 }                                           \
    }

/* Writes the statistic of a name, or number `index` of the table's list (from 0), to *stat.
 * Waits, as roost_table_stats.
 * Precondition: stat->size is set.
 * Returns: ROOST_ERR_NOT_FOUND: the table has no statistic of this name, or the list ends before
 * index; ROOST_ERR_ARGUMENT: no header had this size. */
ROOST_EXPORT roost_status roost_table_stat(const roost_table *table, const char *name,
                                           roost_stat *stat);
ROOST_EXPORT roost_status roost_table_stat_at(const roost_table *table, size_t index,
                                              roost_stat *stat);

/* ---- Engines and devices --------------------------------------------------------------------- */

typedef struct roost_engine_info {
    size_t size;
    const char *name;       /* as in roost_config.engine */
    const char *summary;    /* one line */
    const char *operations; /* "insert find erase export", ... */
    const char *widths;     /* "4+4 8+8 ...": key + value bytes */
    const char *options;    /* a line per option: "name=default: meaning\n" */
    int mixes;              /* 1: roost_apply works on all items at the same time, unless options
                               exclude it; 0: in phases */
    int multi;              /* 1: ROOST_MULTI tables */
    const char *parameters; /* options worth tuning, a line each: "name=value|value\n"; "name=@\n":
                               the kernels of an operation (ROOST_DESCRIBE_PARAMETERS lists them) */
    int wide;               /* 1: all widths of ROOST_TYPE_BYTES, and strings */
    uint32_t reserved;
} roost_engine_info;

/* Describes engine `index` (from 0).  size: sizeof(roost_engine_info), as the caller was compiled.
 * Returns: ROOST_ERR_NOT_FOUND: there is no such engine; ROOST_ERR_ARGUMENT: no header had this
 * size. */
ROOST_EXPORT roost_status roost_engine_describe(size_t index, roost_engine_info *info, size_t size);

typedef struct roost_device_info {
    size_t size;
    char name[16];         /* as in roost_config.device: "cuda:0", "host" */
    char description[128]; /* "NVIDIA H200, compute capability 9.0, 132 multiprocessors" */
    uint64_t memory_bytes;
    uint64_t l2_bytes;  /* last-level cache; 0: unknown */
    char model[128];    /* key of profiles: "NVIDIA H200", "host" */
    char profile[1024]; /* source of its tables' settings: a path, "built-in H200", or "none" */
    char
        profile_path[1024]; /* the path of the user's profile, below the folder ROOST_PROFILES, else
                                XDG_CONFIG_HOME/roost, else HOME/.config/roost; "" for none */
} roost_device_info;

/* Describes device `index` (from 0; GPUs first, the host last).  size: sizeof(roost_device_info),
 * as the caller was compiled.
 * Returns: ROOST_ERR_NOT_FOUND: there is no such device; ROOST_ERR_ARGUMENT: no header had this
 * size. */
ROOST_EXPORT roost_status roost_device_describe(size_t index, roost_device_info *info, size_t size);

/* ---- Choosing -------------------------------------------------------------------------------- */

/* The library's choice if a configuration leaves engine or device open. */
typedef struct roost_choice {
    size_t size;
    const char *engine;
    char device[16];    /* "host" or "cuda:0", or as the configuration names it */
    double rate;        /* expected operations per second, by measurements; 0: unknown */
    const char *second; /* the next best engine; NULL: none */
    double second_rate;
    char reason[512]; /* a sentence */
} roost_choice;

/* Chooses as roost_table_create does, without making a table.  size: sizeof(roost_choice), as the
 * caller was compiled.
 * Returns: as roost_table_create; ROOST_ERR_ARGUMENT also: no header had this size. */
ROOST_EXPORT roost_status roost_choose(const roost_config *config, roost_choice *choice,
                                       size_t size);

/* ---- Describing ------------------------------------------------------------------------------ */

/* The names of the table's engine and device, which live as long as the table. */
ROOST_EXPORT const char *roost_table_engine(const roost_table *table);
ROOST_EXPORT const char *roost_table_device(const roost_table *table);

/* What roost_table_describe writes. */
typedef enum roost_description {
    ROOST_DESCRIBE_KERNELS = 0,  /* "find=find_k4v4_once2,erase=...": at the table's present size */
    ROOST_DESCRIBE_OPTIONS = 1,  /* options in force: "slots=8,keys=6" */
    ROOST_DESCRIBE_PROFILE = 2,  /* as roost_device_info.profile */
    ROOST_DESCRIBE_WARNINGS = 3, /* a line per ignored setting of a profile */
    ROOST_DESCRIBE_PARAMETERS = 4 /* as roost_engine_info.parameters, with this table's kernels */
} roost_description;

/* The most bytes of a description, its end included. */
#define ROOST_DESCRIPTION_BYTES 2048

/* Writes a description of the table, which ends with a 0.
 * Returns: ROOST_ERR_ARGUMENT: no roost_description, or it does not fit into `bytes` bytes. */
ROOST_EXPORT roost_status roost_table_describe(const roost_table *table, roost_description what,
                                               char *text, size_t bytes);

/* ---- Measuring ------------------------------------------------------------------------------- */

/* What roost_measure does.  Begin with ROOST_MEASURE_PLAN_INIT or roost_measure_plan_init. */
typedef struct roost_measure_plan {
    size_t size;          /* sizeof(roost_measure_plan) */
    uint64_t keys;        /* distinct random keys, 1 to 2^31 - 1; default 2^22 */
    double load;          /* load factor of the full table (slab: utilisation); default 0.70 */
    double hits;          /* share of the finds that hit, 0 to 1; default 0.5 */
    unsigned repetitions; /* the fastest counts; 1 to 1000; default 3 */
    uint64_t seed;        /* of the keys; default 0 */
} roost_measure_plan;

#define ROOST_MEASURE_PLAN_INIT                                                                    \
    {                                                                                              \
        sizeof(roost_measure_plan), 4194304, 0.70, 0.5, 3, 0                                       \
    }

/* Writes the defaults.  Returns: as roost_config_init. */
ROOST_EXPORT roost_status roost_measure_plan_init(roost_measure_plan *plan, size_t size);

typedef struct roost_measured {
    size_t size;
    double insert_seconds; /* one insert of all keys into an empty table with room for them */
    double find_seconds;   /* one call with as many finds, whose answers were all checked */
    double inserts_per_second, finds_per_second;
    double load;                           /* load factor reached */
    int reaches;                           /* 1: at least 0.97 of the plan's load was reached */
    uint64_t slots;                        /* of the full table */
    uint64_t table_bytes;                  /* of the full table */
    uint64_t bytes_peak;                   /* the most memory, without the arrays of the calls */
    char kernels[ROOST_DESCRIPTION_BYTES]; /* ROOST_DESCRIBE_KERNELS */
    char options[ROOST_DESCRIPTION_BYTES]; /* ROOST_DESCRIBE_OPTIONS */
} roost_measured;

/* Measures tables of a configuration, whose capacity and fill bounds the plan replaces.  The arrays
 * are where the table is, so copies are not timed.  size: sizeof(roost_measured), as the caller was
 * compiled.
 * Returns: ROOST_ERR_CORRUPT: an answer was wrong; else as roost_table_create and roost_insert. */
ROOST_EXPORT roost_status roost_measure(const roost_config *config, const roost_measure_plan *plan,
                                        roost_measured *measured, size_t size);

#ifdef __cplusplus
}
#endif
#endif
