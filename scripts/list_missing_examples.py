#!/usr/bin/env python3
"""Prints the example ids of a specification that no test is named after, and how many there are.

An id is EX-name-1 or DX-name-1. A test is named by a line `// test: ID, ID` of a self-checking file below
tests/, or is a GoogleTest test whose name is the id with '_' for '-'.
"""

import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests"
ID = re.compile(r"\b[ED]X(?:-[a-z0-9]+)+-[0-9]+\b(?!-)")
GTEST = re.compile(r"\bTEST(?:_F)?\(\s*\w+,\s*([ED]X_\w+)\s*\)")


def tested_ids():
    ids = set()
    for path in TESTS.rglob("*.hlo"):
        for line in path.read_text().splitlines():
            if line.lstrip().startswith("// test:"):
                ids.update(ID.findall(line))
    for path in TESTS.rglob("*.cc"):
        ids.update(name.replace("_", "-") for name in GTEST.findall(path.read_text()))
    return ids


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} SPECIFICATION")
    wanted = set(ID.findall(pathlib.Path(sys.argv[1]).read_text()))
    tested = tested_ids()
    for name in sorted(wanted - tested):
        print(name)
    print(f"{len(wanted & tested)} of {len(wanted)} ids have a test, {len(wanted - tested)} have none")
    for name in sorted(tested - wanted):
        print(f"tested, but not in the specification: {name}")


if __name__ == "__main__":
    main()
