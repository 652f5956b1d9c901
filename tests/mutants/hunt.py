# Runs the test programs against mutants.  The first program that reaches a mutant runs it with one
# item after another.  Then all that reach it run it with concurrent items, until one fails.
import glob
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ALONE, KILLED, SURVIVED, UNREACHED = "alone", "killed", "survived", "unreached"
SEEDS_APART = 1000000  # between rounds


class Killer:
    def __init__(self, program, cases):
        self.program, self.cases = program, cases
        self.path, self.reached, self.seconds = "", set(), 0.0


class Result:
    def __init__(self, mutant, verdict, by, seconds):
        self.mutant, self.verdict, self.by, self.seconds = mutant, verdict, by, seconds


def read_killers(root):
    listed, killers = set(), []
    with open(os.path.join(root, "tests/mutants/killers"), encoding="utf-8") as file:
        for line in file:
            words = line.strip().split(" ", 1)
            if not words[0] or words[0].startswith("#"):
                continue
            listed.add(words[0])
            if words[1] != "-":
                killers.append(Killer(words[0], words[1]))
    for path in sorted(glob.glob(os.path.join(root, "tests/test_scheduled_*.c"))):
        program = os.path.basename(path)[:-2]
        if program not in listed:
            killers.append(Killer(program, "*"))
    return killers


# ---- One run of one program -------------------------------------------------------------------


def limit_resources(seconds):
    """Limits processor time, so that no test fails on a busy machine, and core files."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def attempt(killer, number, alone, round_, limit, reached=""):
    """Returns the failure, or None, and the seconds of processor time."""
    environment = dict(os.environ, ROOST_MUTANT=str(number), ROOST_MUTANT_ALONE="1" if alone else "0", ROOST_TEST_SHORT="1",
                       ROOST_TEST_SEED=str(1 + round_ * SEEDS_APART), CMOCKA_TEST_ABORT="1")
    if reached:
        environment["ROOST_MUTANT_REACHED"] = reached
    command = [killer.path, "--only", killer.cases]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT,
                                   preexec_fn=lambda: limit_resources(limit))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        words = what_failed(output.read().decode(errors="replace"))
    seconds = usage.ru_utime + usage.ru_stime
    if process.returncode == 0:
        return None, seconds
    if process.returncode == -signal.SIGXCPU:
        words = f"no end within {limit} s"
    return f"{killer.program}, {words}", seconds


def what_failed(output):
    case = re.findall(r"^\[ RUN      \] (.*)$", output, re.M)
    lines = output[output.rfind("[ RUN ") :].split("\n")[1:]
    words = next((line.strip() for line in lines if line.strip()), "a crash")
    return f"{case[-1] if case else 'before any case'}: {words}"


# ---- All of them ------------------------------------------------------------------------------


def measure(killer, directory):
    """Runs a program without a mutant.  It may not fail, and skips mutants that it does not reach."""
    killer.path = os.path.join(directory, "tests", killer.program)
    with tempfile.NamedTemporaryFile() as reached:
        for alone in (True, False):
            failed, seconds = attempt(killer, 0, alone, 0, 3600, reached.name)
            if failed:
                raise SystemExit(f"mutants: fails without a mutant: {failed}")
            killer.seconds = max(killer.seconds, seconds)
            with open(reached.name, encoding="utf-8") as file:
                killer.reached |= {int(line) for line in file}


def judge(mutant, killers, rounds):
    those, sum_ = [k for k in killers if mutant.number in k.reached], 0.0
    # the lanes of a tile are always concurrent
    plans = [(killer, True, 0) for killer in those[:1] if mutant.site.what != "tile"]
    plans += [(killer, False, round_) for round_ in range(rounds) for killer in those]
    for killer, alone, round_ in plans:
        failed, seconds = attempt(killer, mutant.number, alone, round_, 20 + int(4 * killer.seconds))
        sum_ += seconds
        if failed:
            return Result(mutant, ALONE if alone else KILLED, failed, sum_)
    return Result(mutant, SURVIVED if those else UNREACHED, "", sum_)


def run(root, directory, mutants, jobs, rounds, quick):
    killers = read_killers(root)[: 1 if quick else None]
    with ThreadPoolExecutor(jobs) as pool:
        for killer, _ in zip(killers, pool.map(lambda k: measure(k, directory), killers)):
            print(f"mutants: {killer.program} {killer.cases}: {killer.seconds:.1f} s, reaches {len(killer.reached)} mutants", file=sys.stderr)
        results = []
        for result in pool.map(lambda m: judge(m, killers, rounds), mutants):
            results.append(result)
            print(f"mutants: {len(results)} of {len(mutants)}: {result.mutant.name}: {result.verdict}", file=sys.stderr)
        return results
