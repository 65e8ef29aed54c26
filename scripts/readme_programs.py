#!/usr/bin/env python3
"""The C++ programs in README.md, for tests that build and run them.

  readme_programs.py extract OUTPUT      writes each ```cpp block to OUTPUT/HEADING.cc and prints the paths
  readme_programs.py run SOURCE PROGRAM  runs PROGRAM, built from SOURCE, and compares what it prints

A program has to exit with 0 and to print what the comment behind a line that writes to std::cout says.
"""
import pathlib
import re
import subprocess
import sys

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"


def extract(folder):
    folder.mkdir(parents=True, exist_ok=True)
    heading, used = "readme", set()
    for heading_text, block in re.findall(r"^#+ ([^\n]*)$|^```cpp\n(.*?)^```", README.read_text(), re.M | re.S):
        if heading_text:
            heading = re.sub(r"\W+", "_", heading_text.lower()).strip("_")
            continue
        if not re.search(r"\bint main\(|^TEST", block, re.M):
            continue  # part of a program
        name = next(n for n in (heading, *(f"{heading}_{i}" for i in range(2, 99))) if n not in used)
        used.add(name)
        source = folder / f"{name}.cc"
        if not source.exists() or source.read_text() != block:
            source.write_text(block)
        print(source)


def run(source, program):
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    print(done.stdout)
    if done.returncode:
        sys.exit(f"{program} ended with {done.returncode}")
    for expected in re.findall(r"std::cout.*;\s+// (.*)", pathlib.Path(source).read_text()):
        if expected not in done.stdout:
            sys.exit(f"{program} does not print {expected!r}, as README.md says")


if __name__ == "__main__":
    if sys.argv[1:2] == ["extract"]:
        extract(pathlib.Path(sys.argv[2]))
    else:
        run(sys.argv[2], sys.argv[3])
