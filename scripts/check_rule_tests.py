#!/usr/bin/env python3
"""Checks that every operation has its test file and every rule a test that expects its error.

A test of a rule is its label on a line `// error:` of a self-checking file below tests/, or in a C++ test.

    check_rule_tests.py            both
    check_rule_tests.py --files    the files alone, as each build does
"""

import pathlib
import re
import sys

from list_rules import list_rules, module_labels

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests"
LABEL = re.compile(r"\b[a-z0-9]+(?:-[a-z0-9]+)*_c[0-9]+\b")

# Rules that nothing can break, with the reason.
EVERY_TYPE = "no array has an element type that the operation does not take"
EXEMPT = {
    **dict.fromkeys(["add_c4", "maximum_c4", "minimum_c4", "multiply_c4", "power_c4"], EVERY_TYPE),
    "convolution_c8": "convolution_c3 has counted the dimensions of the window before",
    "computation_c7": "only functions that keep both ends of a control edge change them",
}


def tested_labels():
    labels = set()
    for path in TESTS.rglob("*.hlo"):
        for line in path.read_text().splitlines():
            if "// error:" in line:
                labels.update(LABEL.findall(line.partition("// error:")[2]))
    for path in TESTS.rglob("*.cc"):
        labels.update(LABEL.findall(path.read_text()))
    return labels


def main():
    rules = list_rules()
    missing = [f"tests/ops/{opcode}.hlo is missing" for opcode in rules if not (TESTS / f"ops/{opcode}.hlo").exists()]
    if sys.argv[1:] == ["--files"]:
        sys.exit("\n".join(missing) or 0)
    labels = [f"{opcode}_c{number}" for opcode, numbers in rules.items() for number in numbers] + module_labels()
    tested = tested_labels()
    problems = missing
    problems += [f"{label} has no test" for label in labels if label not in tested and label not in EXEMPT]
    problems += [f"{label} is exempt, but has a test" for label in EXEMPT if label in tested]
    problems += [f"{label} is exempt, but there is no such rule" for label in EXEMPT if label not in labels]
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{len(rules)} operations and {len(labels)} rules have tests; {len(EXEMPT)} rules cannot be broken")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
