#!/usr/bin/env python3
"""Checks that every pass of the table has CHECK tests, and that there are no tests of other passes.

A test of a pass is a self-checking file in tests/passes/PASS with cases that run this pass (`// passes:`) and say by
CHECK lines what becomes of the module, or by `// run:` what it then computes.
"""

import pathlib
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests/passes"

# Passes that files cannot test, with the reason.
EXEMPT = {"apply-transforms": "clients register in C++ what it runs: tests/api has tests of it"}


def passes_of(command):
    listed = subprocess.run([command, "opt"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  (\S+)", listed, re.MULTILINE)


def cases_of(name):
    """The cases of the pass' folder that run it, as text."""
    cases = []
    for path in sorted((TESTS / name).glob("*.hlo")):
        for case in path.read_text().split("// -----"):
            line = re.search(r"^// passes:(.*)$", case, re.MULTILINE)
            if line and name in [each.strip() for each in line.group(1).split(",")]:
                cases.append(case)
    return cases


def problems_of(name):
    cases = cases_of(name)
    if not any("// CHECK" in case for case in cases):
        yield f"{name} has no CHECK test in tests/passes/{name}"
    for case in cases:
        if "// CHECK" not in case and "// run" not in case:
            title = re.search(r"HloModule (\S+)", case)
            yield f"tests/passes/{name}: the case {title.group(1) if title else '?'} asserts nothing"


def main():
    passes = passes_of(sys.argv[1])
    problems = [problem for name in passes if name not in EXEMPT for problem in problems_of(name)]
    problems += [f"{name} is exempt, but has a test" for name in EXEMPT if cases_of(name)]
    problems += [f"{name} is exempt, but there is no such pass" for name in EXEMPT if name not in passes]
    problems += [f"tests/passes/{path.name}: there is no such pass" for path in TESTS.iterdir() if path.name not in passes]
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{len(passes)} passes, each with tests")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
