# Finds every place in src/engines and src/portable on which concurrency relies, and the mutants
# that weaken one of them each.
#
# Sites are found by search, so that a new engine is covered without a line here:
#   verbs       the atomics, fences and tile_sync that portable/scheduled.h defines
#   wrappers    calls of functions of one lane that only do one kind of load, store or
#               compare-and-swap
#   locks       calls of the functions of portable/lock.h, and the members of a set of locks
#   re-checks   operands of conditions that depend on a verb's result, directly or through variables
#               and functions
import glob
import os
import re

from csource import Source

DEFINERS = ("atomic.h", "scheduled.h", "tile.h")  # define the verbs
VECTOR = re.compile(r"(load_vector)(32|64)$")
VERB = re.compile(r"(load|store|cas|exchange|add|add_after|max|or|and|take_bits|keep_bits|take_place|take_places)_(relaxed|acquire|release)_device(32|64|128)$")

# The ways to weaken a verb: functions of mutant.h with the verb's arguments.  A mutant that
# sequentially consistent memory cannot show is an order mutant.  Access in halves is a kind of its
# own: most words need not be whole, and access to whole words costs nothing.
MANNERS = {
    "load": ["torn"],
    "store": ["torn"],
    "cas": ["split", "blind"],
    "exchange": ["split"],
    "add": ["split"],
    "add_after": ["split"],
    "max": ["split"],
    "or": ["split"],
    "and": ["split"],
    "take_bits": ["split", "blind"],
    "keep_bits": ["split", "dropped"],
    "take_place": ["split"],
    "take_places": ["split"],
}
WRAPPER_MANNERS = {"load": ["torn"], "store": ["torn"], "cas": ["split", "blind"]}
KINDS = {"torn": "access", "relaxed": "order"}  # others: logic
FENCES = {
    "fence_acquire_device": {"dropped": "(void)0"},
    "fence_acquire_branch_device": {"dropped": "(void)0"},
    "fence_release_device": {"dropped": "(void)0"},
    "fence_release_system": {"dropped": "(void)0"},
    "fence_sequential_device": {"dropped": "(void)0", "acquire and release": "fence_acquire_release_device()"},
    "fence_acquire_release_device": {"dropped": "(void)0", "acquire": "fence_acquire_device()", "release": "fence_release_device()"},
}
LOCKS = {
    "lock_try": {"blind": "mutant_lock_blind({args})"},
    "lock_give": {"dropped": "(void)0"},
    "lock_held": {},  # conditions on its results are re-checks
}
VOID_BASES = ("store", "load_vector", "fence", "tile_sync", "lock_give")


class Mutant:
    def __init__(self, site, manner, kind, text):
        self.site, self.manner, self.kind, self.text = site, manner, kind, text
        self.number, self.name = 0, ""


class Site:
    """A place in the sources, the verb or condition there, and its mutants."""

    def __init__(self, source, what, verb, begin, end):
        self.source, self.what, self.verb, self.begin, self.end = source, what, verb, begin, end
        self.line = source.line(begin)
        function = source.function_at(begin)
        self.function = function.name if function else "a macro"
        self.elsewhere = self.line in source.elsewhere
        self.void, self.inner, self.mutants = False, False, []

    def add(self, manner, text, kind=None):
        self.mutants.append(Mutant(self, manner, kind or KINDS.get(manner, "logic"), text))

    @property
    def text(self):
        return self.source.text[self.begin : self.end]


# ---- Sources ----------------------------------------------------------------------------------


def read_sources(root):
    paths = glob.glob("src/portable/*.h", root_dir=root) + glob.glob("src/engines/*/*.h", root_dir=root)
    sources = []
    for path in sorted(paths):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            sources.append(Source(path, file.read()))
    return sources


def is_definer(source):
    return os.path.basename(source.path) in DEFINERS


def known_verbs(sources):
    """The scheduled machine's verbs, except the collective ones of tiles that exchange data, and the
    loads of vectors.
    """
    text = {os.path.basename(s.path): s.text for s in sources if is_definer(s)}
    verbs = set(re.findall(r'SCHEDULED_SITE\("(\w+)"', text["scheduled.h"]))
    vectors = set(re.findall(r"ROOST_FN void (load_vector\w+)", text["atomic.h"]))
    return {v for v in verbs if not v.startswith("tile_")} | vectors | {"tile_sync"}


def base_of(verb):
    match = VERB.match(verb) or VECTOR.match(verb)
    if match:
        return match[1]
    if verb in FENCES:
        return "fence"
    if verb == "tile_sync":
        return verb
    raise SystemExit(f"mutants: the verb {verb} has no mutant: say in tests/mutants/sites.py how it is weakened")


# ---- Verbs, wrappers and locks ----------------------------------------------------------------


def find_wrappers(sources, verbs):
    """Functions of one lane whose verbs are all of one kind, by name; also wrappers of wrappers."""
    bases = {v: base_of(v) for v in verbs}
    functions = [f for s in sources if not is_definer(s) for f in s.functions if "tile" not in words_in(f.signature)]
    while True:
        found = {}
        for f in functions:
            inside = {bases[name] for name, _, _ in f.source.calls(bases, f.begin, f.end)}
            loops = re.search(r"\b(for|while)\b", f.source.code[f.begin : f.end])
            if len(inside) == 1 and inside <= set(WRAPPER_MANNERS) and not loops and not f.source.path.endswith("lock.h"):
                found[f.name] = (inside.pop(), f.kind.split()[-1])
        if all(name in bases for name in found):
            return found
        bases.update({name: base for name, (base, _) in found.items()})


def verb_site(source, verb, begin, end, wrappers):
    base = base_of(verb)
    site = Site(source, "fence" if base == "fence" else "tile" if base == "tile_sync" else "verb", verb, begin, end)
    site.void = base in VOID_BASES or verb.endswith("128")
    site.inner = site.function in wrappers
    args = ", ".join(source.arguments(begin, end))
    match, vector = VERB.match(verb), VECTOR.match(verb)
    if vector:
        site.add("torn", f"mutant_load_vector_torn{vector[2]}({args})")
        return site
    if not match:
        for manner, text in FENCES.get(verb, {"dropped": "(void)0"}).items():
            site.add(manner, text, "order")
        return site
    for manner in MANNERS[base]:
        site.add(manner, f"mutant_{base}_{manner}{match[3]}({args})")
    if match[2] != "relaxed":
        site.add("relaxed", f"mutant_{base}_relaxed{match[3]}({args})")
    return site


def wrapper_site(source, name, begin, end, wrapper):
    base, kind = wrapper
    site = Site(source, "wrapper", name, begin, end)
    site.void = kind == "void"
    args = source.arguments(begin, end)
    for manner in WRAPPER_MANNERS[base]:
        if manner == "blind" and kind.startswith("uint"):
            site.add(manner, f"((void){site.text}, {args[-2]})")
        elif manner != "blind":  # re-checks cover the results of others
            site.add(manner, f"(mutant_inner_set(MUTANT_INNER_{manner}), {site.text})")
    return site


def lock_site(source, name, begin, end):
    site = Site(source, "lock", name, begin, end)
    site.void = name in VOID_BASES
    args = ", ".join(source.arguments(begin, end))
    for manner, text in LOCKS[name].items():
        site.add(manner, text.format(args=args))
    return site


def lock_sets(sources):
    """Functions that make a set of locks from buckets, one argument each: mutants leave one out."""
    return {f.name for s in sources for f in s.functions if f.kind.endswith("struct lock_set") and f.signature.count("struct home") > 1}


def lock_set_sites(source, name, begin, end):
    at = source.code.index("(", begin) + 1
    for text in source.arguments(begin, end):
        at = source.text.index(text, at)
        if not text.startswith("nowhere"):
            site = Site(source, "lock set", name, at, at + len(text))
            site.add("left out", "nowhere()")
            yield site
        at += len(text)


def raw_sites(source):
    """Atomics of one machine, as on CUDA's shared memory.  They are not on the scheduled machine, so
    they have no mutants.
    """
    for m in re.finditer(r"\b(?:atomic[A-Z]\w*|__atomic_\w+|__sync_\w+_and_\w+)\s*\(", source.code):
        site = Site(source, "verb", source.text[m.start() : m.end() - 1], m.start(), m.end())
        if not site.elsewhere:
            raise SystemExit(f"mutants: {source.path}:{site.line}: {site.verb} is not a verb of portable/atomic.h")
        yield site


# ---- Re-checks --------------------------------------------------------------------------------

ASSIGNED = re.compile(r"(?<![\w>.])(\w+)((?:\.\w+|\[[^\]]*\])*)\s*(?:[-+|&^]|<<|>>)?=(?!=)")


def words_in(text):
    return set(re.findall(r"[A-Za-z_]\w*", text))


def reads(source, names, begin, end):
    """Calls of these functions that may run beside a writer."""
    return [c for c in source.calls(names, begin, end) if not {"QUIESCENT", "PASSING"} & set(source.arguments(*c[1:]))]


def concurrent_functions(sources, verbs):
    """Functions that call a verb with a result, directly or through others, and their signatures."""
    names = {v: "" for v in verbs if base_of(v) == "load_vector" or base_of(v) not in VOID_BASES} | {"step": ""}
    while True:
        more = {f.name: f.signature for s in sources if not is_definer(s) for f in s.functions
                if f.name not in names and reads(f.source, names, f.begin, f.end)}
        if not more:
            return names
        names |= more


def written_by(source, call, signature):
    """Variables whose address a call gets and through which it may write."""
    name, begin, end = call
    parameters = signature.strip("()").split(",")
    for text, parameter in zip(source.arguments(begin, end), parameters):
        if re.fullmatch(r"&\w+", text) and "const" not in parameter and "struct item" not in parameter:
            yield text[1:]


def tainted_words(function, concurrent):
    """The function's variables whose values come from memory that other lanes write."""
    source, tainted = function.source, set()
    while True:
        before = len(tainted)
        for m in ASSIGNED.finditer(source.code, function.begin, function.end):
            end = next(i for i in range(m.end(), function.end + 1) if i == function.end or source.code[i] in ";{")
            if words_in(source.code[m.end() : end]) & tainted or reads(source, concurrent, m.end(), end):
                tainted.add(m[1])
        for call in reads(source, concurrent, function.begin, function.end):
            tainted.update(written_by(source, call, concurrent[call[0]]))
        tainted -= {"item", "served", "tally"}
        if len(tainted) == before:
            return tainted


def guards_fence(source, end):
    """True if a condition controls only a fence.  The fence's own mutants cover that."""
    return re.match(r"\)\s*fence_\w+\(\);", source.code[end:]) is not None


def recheck_sites(source, concurrent):
    for function in source.functions:
        tainted = tainted_words(function, concurrent)
        seen = set()
        for condition in source.conditions(function):
            for span in source.operands(*condition):
                depends = words_in(source.code[slice(*span)]) & tainted or reads(source, concurrent, *span)
                if span in seen or not depends or guards_fence(source, condition[1]):
                    continue
                seen.add(span)
                site = Site(source, "re-check", source.text[slice(*span)], *span)
                site.add("taken for true", "true")
                site.add("taken for false", "false")
                yield site


# ---- All of them ------------------------------------------------------------------------------


def find_sites(root):
    """All sites in the order of the sources; their mutants are numbered from 1."""
    sources = read_sources(root)
    verbs = known_verbs(sources)
    wrappers, sets, concurrent = find_wrappers(sources, verbs), lock_sets(sources), concurrent_functions(sources, verbs)
    sites = []
    for source in sources:
        if is_definer(source):
            continue
        sites += [verb_site(source, *call, wrappers) for call in source.calls(verbs)]
        sites += [wrapper_site(source, *call, wrappers[call[0]]) for call in source.calls(wrappers)]
        sites += [lock_site(source, *call) for call in source.calls(LOCKS)]
        sites += [site for call in source.calls(sets) for site in lock_set_sites(source, *call)]
        sites += raw_sites(source)
        sites += recheck_sites(source, concurrent)
    sites.sort(key=lambda s: (s.source.path, s.begin, -s.end, s.what != "re-check"))
    number_mutants(sites)
    check_verbs(sites)
    return sites


def check_verbs(sites):
    """Checks that mutant.h has every weakened verb that a mutant calls."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutant.h"), encoding="utf-8") as file:
        text = file.read()
    known = words_in("".join(text.replace("##bits", bits) for bits in ("32", "64")))
    for mutant in (m for site in sites for m in site.mutants):
        for verb in re.findall(r"\bmutant_\w+", mutant.text):
            if verb not in known:
                raise SystemExit(f"mutants: {mutant.name}: there is no {verb} in tests/mutants/mutant.h")


def number_mutants(sites):
    """Sets numbers, and names that stay when lines move; a count tells apart equal names in a
    function.
    """
    names = {}
    for number, mutant in enumerate((m for site in sites for m in site.mutants), 1):
        site = mutant.site
        base = os.path.basename(site.source.path)
        name = f"{base} {site.function}: {' '.join(site.verb.split())}: {mutant.manner}"
        names[name] = names.get(name, 0) + 1
        mutant.number = number
        mutant.name = name if names[name] == 1 else f"{name} ({names[name]})"


# ---- Rewriting --------------------------------------------------------------------------------


def rewritten(source, sites, begin, end):
    """The text of this span, in which the running program chooses among the mutants of its sites."""
    out, at = [], begin
    while sites:
        site, inner = sites[0], []
        while len(sites) > 1 and sites[1].begin < site.end:
            inner.append(sites.pop(1))
        sites.pop(0)
        out += [source.text[at : site.begin], chosen(site, rewritten(source, inner, site.begin, site.end))]
        at = site.end
    return "".join(out) + source.text[at:end]


def chosen(site, original):
    if site.what == "re-check":
        yes, no = (m.number for m in site.mutants)
        return f"((({original}) || mutant_is({yes})) && !mutant_is({no}))"
    cast = "(void)" if site.void else ""
    text = f"{cast}{original}"
    for mutant in reversed(site.mutants):
        inner = f" || mutant_inner_is(MUTANT_INNER_{mutant.manner})" if site.inner and mutant.manner in ("torn", "split") else ""
        text = f"mutant_is({mutant.number}){inner} ? {cast}{mutant.text} : {text}"
    return f"({text})" if site.mutants else original


def rewrite(sites, directory):
    """Writes the sources that have sites into the directory, under their names below src.  Files
    whose text is the same are not written.
    """
    for source in {s.source for s in sites}:
        own = [s for s in sites if s.source is source and not s.elsewhere]
        write_changed(os.path.join(directory, os.path.relpath(source.path, "src")), rewritten(source, own, 0, len(source.text)))


def write_changed(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
