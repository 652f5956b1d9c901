/* roost-bench: measures Roost through its public C API, beside the limits of the machine that it
 * runs on. docs/benchmarks.md defines rows and limits. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void run_gpu(const struct options *o)
{
#ifdef ROOST_BENCH_CUDA
    gpu_rows(o);
#else
    struct row row = row_make("gpu", UNIT_GIGA);
    row_fail(&row, o->device ? ROW_FAILED : ROW_UNAVAILABLE, "this was built without CUDA");
    report_row(o, row);
#endif
}

static void print_heading(const struct options *o)
{
    double load = 0;
    printf("roost-bench %s, commit %s, seed %llu, load factor %g\n", roost_version_string(), o->commit, (unsigned long long)o->seed,
           o->load);
    if (BENCH_COUNTS) puts("the kernels of this build count (ROOST_PROBES): its rates are not those of the library");
    if (getloadavg(&load, 1) == 1 && load > 0.5) printf("this machine is not idle: load average %.1f\n", load);
}

static void run_host(const struct options *o)
{
    printf("host: %ld cores\n", sysconf(_SC_NPROCESSORS_ONLN));
    report_heading();
    host_rows(o);
    if (o->only && options_want_some(o, "threads")) thread_rows(o);
}

static void run_cliffs(const struct options *o)
{
    report_heading();
    cliff_rows(o);
}

/* Threads of the workload's loops must not spin beside a table's.  OpenMP's library reads this when
 * it is loaded, so the program begins again; where it cannot, it goes on. */
static void begin_passive(char **argv)
{
    if (getenv("OMP_WAIT_POLICY")) return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    begin_passive(argv);
    const struct options o = options_parse(argc, argv);
    /* Rows measure the engines without profiles, unless the caller names a folder of them. */
    setenv("ROOST_PROFILES", "none", 0);

    const bool host_only = o.device && strcmp(o.device, "host") == 0, gpu_only = o.device && !host_only;
    print_heading(&o);
    if (!host_only && options_want_some(&o, "gpu")) run_gpu(&o);
    if (!gpu_only && (host_rows_wanted(&o) || options_want_some(&o, "threads"))) run_host(&o);
    if (o.only && options_want_some(&o, "cliffs")) run_cliffs(&o);
    bool failed = report_failed();
    if (o.json && !report_json(&o, argc, argv)) failed = true;
    return failed ? 1 : 0;
}
