# Runs of several programs by turns: medians, ratios, limits, versions.
"""What arrays_host.py and arrays_gpu.py share."""
import argparse
import gc
import os
import platform
import statistics
import sys
import time


def options(description, rows):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="default: all")
    parser.add_argument("--rows", type=int, default=rows, help="default: %(default)s")
    parser.add_argument("--runs", type=int, default=5, help="of each, by turns; the median counts (default: 5)")
    parser.add_argument("--threads", type=int, default=2, help="of the host (default: 2)")
    return parser.parse_args()


def print_versions(*modules):
    """A line that names the versions of what is compared, and the machine's processor."""
    with open("/proc/cpuinfo") as info:
        model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), platform.machine())
    print(", ".join([f"Python {platform.python_version()}"] + [f"{module.__name__} {module.__version__}" for module in modules] + [model]))
    print(f"{'case':<26} {'roost':>10} {'other':>10}  ratio  asked")


class Rows:
    """Compares programs, prints a line for each, and remembers which ratio is above its limit."""

    def __init__(self, runs, wait=lambda: None):
        self.runs, self.wait, self.missed = runs, wait, []

    def seconds(self, program):
        gc.collect()
        self.wait()
        start = time.perf_counter()
        result = program()
        self.wait()
        return time.perf_counter() - start, result

    def compare(self, case, ours, others, same):
        """ours: the program of roost.  others: (name, program, the ratio that is asked).  same: whether two results are
        equal, which is found out before anything is timed."""
        expected = ours()
        for name, program, _ in others:
            if not same(expected, program()):
                sys.exit(f"{case}: roost and {name} differ")
        del expected
        times = [[] for _ in range(len(others) + 1)]
        for _ in range(self.runs):
            for place, program in enumerate([ours] + [program for _, program, _ in others]):
                times[place].append(self.seconds(program)[0])
        mine, *theirs = (statistics.median(one) for one in times)
        for (name, _, limit), median in zip(others, theirs):
            ratio = mine / median
            within = limit is None or ratio <= limit
            print(f"{case + ', ' + name:<26} {mine * 1e3:7.1f} ms {median * 1e3:7.1f} ms  {ratio:5.2f}  "
                  f"{'' if limit is None else limit}{'' if within else '  MISSED'}", flush=True)
            if not within:
                self.missed.append(f"{case}, {name}")

    def run(self, cases, chosen, *modules):
        """Runs the chosen cases, or all.  cases: functions by name.  modules: what is compared."""
        unknown = set(chosen) - set(cases)
        if unknown:
            sys.exit(f"no case {', '.join(unknown)}: {', '.join(cases)}")
        print_versions(*modules)
        for name in chosen or cases:
            cases[name]()
        print("all within what is asked" if not self.missed else f"missed: {'; '.join(self.missed)}")
        sys.exit(bool(self.missed))


def limit_threads(n):
    """Before the libraries are imported: threads of those that read the environment."""
    for name in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = str(n)
