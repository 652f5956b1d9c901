# The package as a whole: its structs and the headers', its size, its help, its wheel.
import ctypes
import ctypes.util
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import zipfile

import pytest

import roost
from roost import _arrow, _library, _snapshots

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = os.path.join(ROOT, "python", "roost")
STRUCTS = {"Config": "roost_config", "Call": "roost_call", "Strings": "roost_strings", "Stats": "roost_stats", "Column": "roost_column",
           "Result": "roost_result", "GroupConfig": "roost_group_config", "JoinConfig": "roost_join_config", "Cursor": "roost_cursor",
           "EngineInfo": "roost_engine_info", "DeviceInfo": "roost_device_info", "Aggregate": "roost_aggregate", "Arrow": "roost_arrow",
           "JoinCursor": "roost_join_cursor", "SaveOptions": "roost_save_options", "LoadOptions": "roost_load_options",
           "Info": "roost_snapshot_info", "Schema": "ArrowSchema", "Array": "ArrowArray", "Stream": "ArrowArrayStream",
           "DeviceArray": "ArrowDeviceArray"}


def test_structs_are_those_of_the_headers(tmp_path):
    """A program prints each struct's size and its members' places, as the compiler has them."""
    if not any(os.access(os.path.join(folder, "cc"), os.X_OK) for folder in os.environ["PATH"].split(":")):
        pytest.skip("no C compiler")
    modules, lines = (_library, _arrow, _snapshots), []
    structs = {name: next(getattr(module, name) for module in modules if hasattr(module, name)) for name in STRUCTS}
    for name, of in structs.items():
        c = ("struct " if "Arrow" in STRUCTS[name][:5] else "") + STRUCTS[name]
        lines.append(f'printf("{name} %zu", sizeof({c}));')
        for member, *_ in of._fields_:
            if not re.match(r"p_\d|private$", member):
                lines.append(f'printf(" {member}:%zu", offsetof({c}, {member}));')
        lines.append('puts("");')
    headers = "".join(f"#include <roost/{name}.h>\n" for name in ("roost", "strings", "group", "join", "tuning", "snapshot", "arrow"))
    (tmp_path / "p.c").write_text(f"#include <stdio.h>\n#include <stddef.h>\n{headers}int main(void) {{ {chr(10).join(lines)} return 0; }}")
    subprocess.run(["cc", "-I", os.path.join(ROOT, "include"), str(tmp_path / "p.c"), "-o", str(tmp_path / "p")], check=True)
    for line in subprocess.run([str(tmp_path / "p")], capture_output=True, text=True, check=True).stdout.splitlines():
        name, size, *members = line.split()
        assert ctypes.sizeof(structs[name]) == int(size), name
        for member, offset in (member.split(":") for member in members):
            assert getattr(structs[name], member).offset == int(offset), (name, member)


def test_functions_are_those_of_the_headers():
    text = ""
    for name in os.listdir(os.path.join(ROOT, "include/roost")):
        if name.endswith(".h"):
            with open(os.path.join(ROOT, "include/roost", name)) as header:
                text += re.sub(r"/\*.*?\*/", "", header.read(), flags=re.S)
    declared = {name: arguments for name, arguments in re.findall(r"ROOST_EXPORT[^;(]*?\broost_(\w+)\(([^;]*)\);", text)}
    for name, types in _library.FUNCTIONS.items():
        arguments = [] if declared[name].strip() == "void" else declared[name].split(",")
        letters = types.partition(">")[0]
        assert len(arguments) == len(letters), name
        for argument, letter in zip(arguments, letters):
            kind = "p" if "*" in argument else "n" if re.search(r"size_t|uint64_t", argument) else "u" if "uint32_t" in argument else "i"
            assert kind == letter or letter == "s" and "char" in argument, (name, argument)


def test_size():
    lines = 0
    for name in os.listdir(PACKAGE):
        if name.endswith(".py"):
            with open(os.path.join(PACKAGE, name)) as file:
                lines += len(file.readlines())
    assert lines <= 1500


def test_help_and_hints():
    for name in roost.__all__:
        thing = getattr(roost, name)
        assert inspect.getdoc(thing), name
        if inspect.isfunction(thing):
            assert "return" in thing.__annotations__, name
    for name, method in inspect.getmembers(roost.Table, inspect.isfunction):
        if not name.startswith("_"):
            assert inspect.getdoc(method) and "return" in method.__annotations__, name
    parameters = set(inspect.signature(roost.Table.__init__).parameters) - {"self"}
    assert all(name in inspect.getdoc(roost.Table) for name in parameters)
    assert os.path.exists(os.path.join(PACKAGE, "py.typed"))


def test_libraries_that_are_not_this_one(tmp_path):
    def importing(path):
        return subprocess.run([sys.executable, "-c", "import roost"], capture_output=True, text=True,
                              env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python"), ROOST_LIBRARY=str(path))).stderr
    assert "ROOST_LIBRARY" in importing(tmp_path / "none.so")
    assert "is not the libroost of this package" in importing(ctypes.util.find_library("m"))


def test_the_wheel(tmp_path):
    spec = importlib.util.spec_from_file_location("build_backend", os.path.join(ROOT, "python", "build_backend.py"))
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    library = os.environ.get("ROOST_LIBRARY")
    if not library:
        pytest.skip("ROOST_LIBRARY does not name the library")
    backend.main(library, str(tmp_path))
    (wheel,) = os.listdir(tmp_path)
    assert re.fullmatch(r"roost-[0-9.]+-py3-none-manylinux_2_\d+_\w+\.whl", wheel)
    names = zipfile.ZipFile(tmp_path / wheel).namelist()
    assert {"roost/__init__.py", "roost/py.typed", "roost/lib/libroost.so.0", f"roost-{roost.__version__}.dist-info/RECORD"} <= set(names)
    zipfile.ZipFile(tmp_path / wheel).extractall(tmp_path / "site")
    environment = {name: value for name, value in os.environ.items() if name not in ("ROOST_LIBRARY", "PYTHONPATH")}
    code = "import roost; from roost._library import library; print(library._name, sorted(roost.unique([3, 1, 3]).tolist()))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(environment, PYTHONPATH=str(tmp_path / "site")))
    assert ran.stdout.strip() == f"{tmp_path}/site/roost/lib/libroost.so.0 [1, 3]", ran.stderr
