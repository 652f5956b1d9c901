#!/usr/bin/env python3
# Reads the structs and enums of public headers, compares two versions of them, and lets structs grow.
"""headers.py layout INCLUDE...      prints each member of each struct with its offset, its size and its type, and each enumerator
headers.py compare OLD NEW        compares two such lists: what OLD has, NEW has at the same place; what is new is behind it
headers.py grow INCLUDE OUTPUT    writes copies of the headers in which every struct with a size has one member more

INCLUDE is a folder with roost/*.h."""
import pathlib
import re
import subprocess
import sys
import tempfile

STRUCT = re.compile(r"typedef struct (roost_\w+) \{\n(.*?)\n\} \1;", re.S)
ENUM = re.compile(r"typedef enum (roost_\w+) \{(.*?)\} \1;", re.S)
# What 4c39953 had and this version gave up, as CHANGELOG says; and what stood in tail padding since then.
GIVEN_UP = {"roost_stats"}
IN_PADDING = "reserved"


def headers(include):
    return sorted(pathlib.Path(include, "roost").glob("*.h"))


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def members(body):
    """The names and types of a struct's members."""
    body = re.sub(r"union \w+ \{(.*?)\} (\w+);", lambda m: "union%s %s;" % (re.sub(r"[\s;]", "", m[1]), m[2]), body, flags=re.S)
    for declaration in filter(None, (" ".join(d.split()) for d in body.split(";"))):
        function = re.match(r"(.*)\(\*(\w+)\)(\(.*\))$", declaration)
        if function:
            yield function[2], function[1] + "(*)" + function[3]
            continue
        first, *others = declaration.split(", ")
        named = re.match(r"(.*?)(\w+)((?:\[\w+\])*)$", first)
        for name in [named[2] + named[3]] + others:
            plain = re.match(r"\w+", name)[0]
            yield plain, (named[1].strip() + name[len(plain):]).strip()


def enumerators(body, text):
    """The names of an enum, whose list may be an X macro."""
    macro = re.match(r"\s*(\w+_LIST)\(", body)
    if macro:
        return re.findall(r"^\s*X\((\w+),", text[text.index("#define " + macro[1]):].split("\n\n")[0], re.M)
    return re.findall(r"^\s*(\w+) =", body, re.M)


def layout(includes):
    lines, seen = [], []
    for include in includes:
        for header in headers(include):
            text = without_comments(header.read_text())
            seen.append('#include "roost/%s"' % header.name)
            for name, body in STRUCT.findall(text):
                lines.append('printf("struct %s - 0 %%zu -\\n", sizeof(%s));' % (name, name))
                for member, kind in members(body):
                    lines.append('printf("member %s %s %%zu %%zu %s\\n", offsetof(%s, %s), sizeof((%s *)0)->%s);'
                                 % (name, member, kind, name, member, name, member))
            for name, body in ENUM.findall(text):
                for member in enumerators(body, text):
                    lines.append('printf("enum %s %s %%d 4 int\\n", (int)%s);' % (name, member, member))
    source = "#include <stdio.h>\n%s\nint main(void)\n{\n%s\nreturn 0;\n}\n" % ("\n".join(seen), "\n".join(lines))
    with tempfile.TemporaryDirectory() as work:
        program = pathlib.Path(work, "layout")
        command = ["cc", "-std=c11", "-x", "c", "-", "-o", program] + ["-I" + i for i in includes]
        subprocess.run(command, input=source, text=True, check=True)
        print(subprocess.run([program], capture_output=True, text=True, check=True).stdout, end="")


def parse(path):
    rows = {}
    for line in pathlib.Path(path).read_text().splitlines():
        what, owner, name, place, size, kind = line.split(" ", 5)
        rows[what, owner, name] = (int(place), int(size), kind)
    return rows


def compare(old_path, new_path):
    old, new, wrong = parse(old_path), parse(new_path), []
    for key, row in old.items():
        if key[1] in GIVEN_UP and "4c39953" in old_path:
            continue
        if key[0] == "struct":
            if new.get(key, (0, 0, ""))[1] < row[1]:
                wrong.append("%s %s: had %d bytes, has %s" % (key[0], key[1], row[1], new.get(key)))
        elif new.get(key) != row:
            wrong.append("%s %s.%s: was %s, is %s" % (*key, row, new.get(key)))
    last = {}
    for (what, owner, name), row in old.items():
        if what == "enum":
            last[owner] = max(row[0], last.get(owner, 0))
    for (what, owner, name), row in new.items():
        if (what, owner, name) in old or owner in GIVEN_UP and "4c39953" in old_path:
            continue
        before = old.get(("struct", owner, "-"))
        if what == "member" and before and row[0] < before[1] and name != IN_PADDING:
            wrong.append("%s.%s is new, at %d, inside the %d bytes that the struct had" % (owner, name, row[0], before[1]))
        if what == "enum" and owner in last and row[0] <= last[owner]:
            wrong.append("%s of %s is new and has the number %d; the largest was %d" % (name, owner, row[0], last[owner]))
    print("\n".join(wrong) if wrong else "%d members and numbers are where they were" % len(old))
    return 1 if wrong or not old else 0


def grow(include, output):
    for header in headers(include):
        text, n = re.subn(r"(typedef struct roost_\w+ \{\n    size_t size;.*?)(\n\} roost_\w+;)", r"\1\n    uint64_t grown;\2",
                          header.read_text(), flags=re.S)
        to = pathlib.Path(output, "roost", header.name)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text)


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    if verb == "layout":
        layout(arguments)
    elif verb == "compare":
        sys.exit(compare(*arguments))
    else:
        grow(*arguments)
