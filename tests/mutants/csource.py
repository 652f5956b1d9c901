# Reads C as far as the search for mutants needs it: code without comments, lines that the scheduled
# machine compiles, functions, calls, and operands of conditions.  It relies on clang-format's
# layout of the sources.
import re

CLOSING = {"(": ")", "[": "]", "{": "}"}


def blank(text):
    """The same text with blanks for comments, strings and characters; offsets stay the same."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def match_close(code, at):
    """The offset of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    raise ValueError("a bracket that nothing closes")


def match_open(code, at):
    """The offset of the bracket that opens the one at `at`."""
    depth = 0
    for i in range(at, -1, -1):
        depth += (code[i] in ")]}") - (code[i] in "([{")
        if depth == 0:
            return i
    raise ValueError("a bracket that nothing opens")


def split_top(code, begin, end, separators):
    """Spans between separators outside of brackets."""
    spans, depth, start = [], 0, begin
    for m in re.compile("|".join(["[][(){}]", *map(re.escape, separators)])).finditer(code, begin, end):
        if m[0] in "([{":
            depth += 1
        elif m[0] in ")]}":
            depth -= 1
        elif depth == 0:
            spans.append((start, m.start()))
            start = m.end()
    return spans + [(start, end)]


def trim(code, begin, end):
    while begin < end and code[begin].isspace():
        begin += 1
    while begin < end and code[end - 1].isspace():
        end -= 1
    return begin, end


def condition_holds(condition):
    """True if an #if holds on the scheduled machine.  None if it asks for no machine: then the lines
    of it and of its #else count as compiled.
    """
    if not re.search("ROOST_MACHINE_", condition):
        return None
    words = {"&&": " and ", "||": " or ", "!": " not "}
    condition = re.sub(r"defined\s*\(\s*(\w+)\s*\)", lambda m: str(m[1] in ("ROOST_MACHINE_SCHEDULED", "ROOST_MACHINE_LANES")), condition)
    condition = re.sub(r"\b(?!True\b|False\b)[A-Za-z_]\w*", "False", condition)
    # only True, False and the three words
    return bool(eval(re.sub(r"&&|\|\||!", lambda m: words[m.group()], condition)))


def lines_elsewhere(code):
    """The numbers of lines that only other machines compile."""
    elsewhere, stack = set(), []  # of [holds here, has held before, asks for a machine]
    for number, line in enumerate(code.split("\n"), 1):
        directive = re.match(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b(.*)", line)
        if not directive:
            if not all(level[0] for level in stack):
                elsewhere.add(number)
            continue
        word, holds = directive[1], condition_holds(directive[2])
        if word in ("if", "ifdef", "ifndef"):
            stack.append([holds is not False, holds is True, holds is not None])
        elif word == "endif":
            stack.pop()
        elif stack[-1][2]:
            stack[-1][0] = not stack[-1][1] and (word == "else" or holds is True)
            stack[-1][1] = stack[-1][1] or stack[-1][0]
    return elsewhere


class Function:
    """A function with a body: its name, the type before the name, and the span between its braces."""

    def __init__(self, source, name, kind, begin, end, signature):
        self.source, self.name, self.kind, self.begin, self.end, self.signature = source, name, kind, begin, end, signature


CALL = re.compile(r"\b(\w+)\s*\(")
CONDITION = re.compile(r"\b(if|while|for)\s*\(")
VALUE = re.compile(r"\breturn\b|(?<![=!<>])=(?!=)")
HEAD = 300  # longest type and name of a function, in characters


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.code = blank(text)
        self.elsewhere = lines_elsewhere(self.code)
        self.functions = list(self.find_functions())

    def line(self, at):
        return self.text.count("\n", 0, at) + 1

    def find_functions(self):
        at = 0
        while (at := self.code.find("{", at)) >= 0:
            end = match_close(self.code, at)
            before = self.code[:at].rstrip()
            if before.endswith(")"):
                opening = match_open(before, len(before) - 1)
                head = re.search(r"([\w \t*]*?)\b(\w+)\s*$", before[max(0, opening - HEAD) : opening])
                if head:
                    yield Function(self, head[2], head[1].strip(), at + 1, end, before[opening:])
            at = end + 1

    def function_at(self, at):
        return next((f for f in self.functions if f.begin <= at < f.end), None)

    def calls(self, names, begin=0, end=None):
        """(name, begin, end) of each call of these functions in a function's body."""
        for m in CALL.finditer(self.code, begin, len(self.code) if end is None else end):
            if m[1] in names and self.function_at(m.start()):
                yield m[1], m.start(), match_close(self.code, m.end() - 1) + 1

    def arguments(self, begin, end):
        """Texts of a call's arguments."""
        opening = self.code.index("(", begin)
        spans = split_top(self.code, opening + 1, end - 1, [","])
        return [self.text[slice(*trim(self.code, *span))] for span in spans]

    def operands(self, begin, end):
        """Spans of the operands of && and ||, through brackets and negations."""
        begin, end = trim(self.code, begin, end)
        if begin == end:
            return
        spans = split_top(self.code, begin, end, ["&&", "||"])
        if len(spans) > 1:
            for span in spans:
                yield from self.operands(*span)
        elif self.code[begin] == "!" and self.code[begin + 1] != "=":
            yield from self.operands(begin + 1, end)
        elif self.code[begin] == "(" and match_close(self.code, begin) == end - 1:
            yield from self.operands(begin + 1, end - 1)
        else:
            yield begin, end

    def conditions(self, function):
        """Spans of conditions: of if, while, for and ?:, and of comparisons, && and || whose value is
        stored or returned.
        """
        code = self.code
        for m in CONDITION.finditer(code, function.begin, function.end):
            span = m.end(), match_close(code, m.end() - 1)
            yield split_top(code, *span, [";"])[1] if m[1] == "for" else span
        for m in VALUE.finditer(code, function.begin, function.end):
            yield from self.value_conditions(m.end(), function.end)

    def value_conditions(self, begin, limit):
        """The span of an expression from here to the next ; or , or closing bracket."""
        end, depth = begin, 0
        while end < limit and not (depth == 0 and code_ends(self.code[end])):
            depth += (self.code[end] in "([{") - (self.code[end] in ")]}")
            end += 1
        spans = split_top(self.code, begin, end, ["?", ":"])
        if len(spans) > 1:
            yield from (span for span in spans[:-1] if self.code[span[1]] == "?")
        elif has_comparison(self.code, begin, end):
            yield begin, end


def code_ends(character):
    return character in ";,)]}"


def has_comparison(code, begin, end):
    spans = split_top(code, begin, end, ["==", "!=", "&&", "||", "<=", ">="])
    return len(spans) > 1 and code[slice(*trim(code, *spans[0]))] not in ("", "{0}")
