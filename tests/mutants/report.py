# The report of a hunt: a table of all mutants, totals, and the survivors in the format in which
# docs/testing-tables.md explains them.
import math
import os
import re

import hunt

WANTED = {"logic": 95, "order": 80, "access": 0}  # minimum in per cent that tests have to notice
CHANCE = 0.001  # of a sample that fails although the tests notice as many of all mutants as they have to


def read_explained(root):
    """Explanations in docs/testing-tables.md: a mutant's name, and `equivalent` or `gap`."""
    with open(os.path.join(root, "docs/testing-tables.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| `([^`]*)` \| (equivalent|gap) \|", file.read(), re.M)
    return {name.replace("\\|", "|"): verdict for name, verdict in rows}


def print_table(results):
    for r in results:
        print(f"{r.mutant.kind:5} {r.seconds:6.1f} s  {r.verdict:9}  {r.mutant.name} (line {r.mutant.site.line}){'  by ' + r.by if r.by else ''}")


def is_unlikely(killed, n, share):
    """True if tests that notice this share of all mutants kill so few of n drawn ones with a probability below CHANCE."""
    return sum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(killed + 1)) < CHANCE


def print_total(kind, results, explained, sampled):
    """Returns False if too few were killed."""
    counted = [r for r in results if r.mutant.kind == kind and r.verdict != hunt.ALONE]
    alone = sum(r.mutant.kind == kind for r in results) - len(counted)
    killed = sum(r.verdict == hunt.KILLED for r in counted)
    same = sum(r.verdict != hunt.KILLED and explained.get(r.mutant.name) == "equivalent" for r in counted)
    share, of_those = (100 * killed / max(1, n) for n in (len(counted), len(counted) - same))
    print(f"{kind} mutants: {killed} of {len(counted)} killed, {share:.1f} %; {same} others are equivalent, {of_those:.1f} % of the rest"
          f" (wanted: {WANTED[kind]} %); one item at a time kills {alone} more, which do not count")
    if sampled:
        return not is_unlikely(killed, len(counted) - same, WANTED[kind] / 100)
    return not counted or of_those >= WANTED[kind]


def print_survivors(results, explained):
    """Prints unexplained survivors in the format of the table in docs/testing-tables.md."""
    new = [r for r in results if r.verdict in (hunt.SURVIVED, hunt.UNREACHED) and r.mutant.name not in explained]
    if new:
        print("survivors that docs/testing-tables.md does not explain:")
    for r in new:
        name = r.mutant.name.replace("|", "\\|")
        print(f"| `{name}` | gap | {'no test reaches it' if r.verdict == hunt.UNREACHED else f'line {r.mutant.site.line}'} |")


def wrong_explanations(results, explained, complete):
    """Mutants that are explained as equivalent but killed, and explanations of missing mutants."""
    names = {r.mutant.name for r in results}
    wrong = [f"killed, though docs/testing-tables.md calls it equivalent: {r.mutant.name}" for r in results
             if r.verdict in (hunt.KILLED, hunt.ALONE) and explained.get(r.mutant.name) == "equivalent"]
    if complete:
        wrong += [f"in docs/testing-tables.md, but nowhere else: {name}" for name in explained if name not in names]
    return wrong


def print_report(root, results, complete, sampled):
    explained = read_explained(root)
    print_table(results)
    print_survivors(results, explained)
    wrong = wrong_explanations(results, explained, complete)
    print("\n".join(wrong), end="\n" if wrong else "")
    enough = [print_total(kind, results, explained, sampled) for kind in WANTED]
    return 0 if all(enough) and not wrong else 1
