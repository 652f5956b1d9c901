# Builds the wheel of the package roost: `pip install .` calls it (PEP 517), and `./run wheel`.
"""The build backend, of Python's own library alone.

`pip install .` makes a wheel for this machine.  It uses an installed libroost of exactly this version
(ROOST_LIBRARY, pkg-config, the system's linker), else it builds one for this machine alone by CMake and
puts it into the wheel.  ROOST_CMAKE holds further options of CMake.

    python3 python/build_backend.py LIBRARY DIRECTORY    the portable wheel with this libroost inside
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PACKAGE = os.path.join(HERE, "roost")
# Libraries that every manylinux system has (PEP 600), by the beginnings of their names.
EVERYWHERE = ("libc.so", "libm.so", "libdl.so", "librt.so", "libpthread.so", "ld-linux", "libgcc_s.so", "libstdc++.so", "linux-vdso")

METADATA = """Metadata-Version: 2.1
Name: roost
Version: {version}
Summary: Hash tables for GPUs and CPUs, for arrays of NumPy, CuPy, PyTorch, JAX, Arrow and pandas
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy>=1.22
Description-Content-Type: text/markdown

{text}"""


def version_of_sources():
    """The version, which include/roost/roost.h has."""
    with open(os.path.join(ROOT, "include/roost/roost.h")) as header:
        return ".".join(re.findall(r"^#define ROOST_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read(), re.M))


def output_of(*command, **options):
    """What a command prints, or "" if it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def find_installed():
    """An installed libroost of this version with all functions that the package calls, or None."""
    folder = output_of("pkg-config", "--variable=libdir", "roost")
    loads = "import runpy, sys; print(runpy.run_path(sys.argv[1])['version'])"
    for path in (os.environ.get("ROOST_LIBRARY"), folder and os.path.join(os.path.abspath(folder), "libroost.so.0"), "libroost.so.0"):
        found = path and output_of(sys.executable, "-c", loads, os.path.join(PACKAGE, "_library.py"),
                                   env=dict(os.environ, ROOST_LIBRARY=path))
        if found == version_of_sources():
            return path
        if path and found:
            print(f"{path} is roost {found}, not {version_of_sources()}", file=sys.stderr)
    return None


def build_library():
    """Builds libroost for this machine alone, below build/, and returns its path."""
    build = os.path.join(ROOT, "build", "python")
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    configure = ["cmake", "-S", ROOT, "-B", build, *generator, "-DROOST_LOCAL=ON", "-DROOST_COMMAND=OFF", *os.environ.get("ROOST_CMAKE", "").split()]
    for command in (configure, ["cmake", "--build", build, "--target", "roost_shared", "--parallel", str(os.cpu_count() or 1)]):
        print("roost:", " ".join(command), file=sys.stderr, flush=True)
        try:
            subprocess.run(command, check=True, stdout=sys.stderr)
        except FileNotFoundError:
            sys.exit("roost: cmake is missing, and no libroost of this version is installed")
        except subprocess.CalledProcessError:
            sys.exit("roost: libroost could not be built; it needs a C compiler, CMake and pkg-config:\n"
                     "    apt-get install gcc cmake ninja-build pkg-config")
    return os.path.join(build, "libroost.so.0")


def needed_libraries(path):
    """Libraries that the wheel has to have inside beside this one: their paths."""
    folders = dict(line.split(" => ") for line in output_of("ldd", path).replace("\t", "").splitlines() if " => /" in line)
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", path))
    return [folders[name].split()[0] for name in names if not name.startswith(EVERYWHERE)]


def glibc_of(paths):
    """The oldest glibc 2.X that has all symbols that these libraries ask for: X."""
    asked = [int(minor) for path in paths for minor in re.findall(r"GLIBC_2\.(\d+)", output_of("readelf", "-V", "-W", path))]
    return max(asked, default=17)


def package_files():
    return [name for name in sorted(os.listdir(PACKAGE)) if name.endswith(".py") or name == "py.typed"]


def metadata():
    with open(os.path.join(ROOT, "docs/python.md"), encoding="utf-8") as text:
        return METADATA.format(version=version_of_sources(), text=text.read())


def stripped(path):
    """The bytes of a library without what only a debugger needs."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(path, folder)
        if shutil.which("strip"):
            subprocess.run(["strip", "--strip-unneeded", copy], check=True)
        with open(copy, "rb") as library:
            return library.read()


def write_wheel(directory, tag, installed, inside):
    """Writes the wheel: the package, for an installed library or with these inside.  Returns its name."""
    version = version_of_sources()
    info = f"roost-{version}.dist-info"
    contents = {}
    for name in package_files():
        with open(os.path.join(PACKAGE, name), "rb") as file:
            contents["roost/" + name] = file.read()
    contents["roost/_built.py"] = f"# The build wrote this: the library that the package is for.\nVERSION = {version!r}\nLIBRARY = {installed!r}\n".encode()
    for path in inside:
        name = "libroost.so.0" if os.path.basename(path).startswith("libroost.so") else os.path.basename(path)
        contents["roost/lib/" + name] = stripped(path)
    with open(os.path.join(ROOT, "LICENSE"), "rb") as licence:
        contents[info + "/LICENSE"] = licence.read()
    contents[info + "/METADATA"] = metadata().encode()
    contents[info + "/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: roost\nRoot-Is-Purelib: {str(not inside).lower()}\nTag: {tag}\n".encode()
    record = ""
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    contents[info + "/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"roost-{version}-{tag}.whl"
    os.makedirs(directory, exist_ok=True)
    with zipfile.ZipFile(os.path.join(directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            member = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            member.external_attr = (0o755 if "/lib/" in name else 0o644) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, data)
    return wheel


# ---- What pip calls --------------------------------------------------------------------------------


def get_requires_for_build_wheel(config_settings=None):
    tools = {"cmake": "cmake>=3.22", "ninja": "ninja"}
    return [] if find_installed() else [package for tool, package in tools.items() if not shutil.which(tool)]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    installed = find_installed()
    if installed:
        return write_wheel(wheel_directory, "py3-none-any", installed, [])
    return write_wheel(wheel_directory, f"py3-none-linux_{os.uname().machine}", None, [build_library()])


def build_sdist(sdist_directory, config_settings=None):
    name = f"roost-{version_of_sources()}"
    skipped = re.compile(r"(^|/)(\.git|build[^/]*|shared|__pycache__)(/|$)")
    with tarfile.open(os.path.join(sdist_directory, name + ".tar.gz"), "w:gz") as archive:
        archive.add(ROOT, name, filter=lambda file: None if skipped.search(file.name[len(name):].lstrip("/")) else file)
        path = os.path.join(sdist_directory, "PKG-INFO")
        with open(path, "w", encoding="utf-8") as info:
            info.write(metadata())
        archive.add(path, name + "/PKG-INFO")
        os.remove(path)
    return name + ".tar.gz"


def main(library, directory):
    inside = [library, *needed_libraries(library)]
    wheel = write_wheel(directory, f"py3-none-manylinux_2_{glibc_of(inside)}_{os.uname().machine}", None, inside)
    print(f"{os.path.join(directory, wheel)}: inside are {', '.join(os.path.basename(path) for path in inside)}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
