#!/usr/bin/env python3
"""Cuts the code blocks that tests compile or parse out of the documents of the operation semantics.

  extract_document_blocks.py DOCUMENTS OUTPUT

Writes OUTPUT/NAME.inc for each block: C++ as it stands, HLO text as a raw string literal. Fails where a block is not found.
"""
import pathlib
import re
import sys

# Name, first line and last line of C++ blocks. `.*` also stands for line ends.
CODE = {
    "reduce_window_of_2017": r"^// Create a computation for the reduction \(maximum\)\.\nComputation max;.*?Padding::kValid\);",
    "reduce_window": r"^// Create a computation for the reduction \(maximum\)\.\nXlaComputation max;.*?Padding::kValid\);",
    "all_to_all": r'^XlaBuilder b\("alltoall"\);.*?split_count=\*/4\);',
    "custom_call_declaration": r'^extern "C" void target_name\([^\n]*\);',
    "custom_call_function": r'^extern "C" void myfunc\(void\* out, void\*\* in\) \{$.*?^\}',
    "dot_general_contracting": r"^DotDimensionNumbers dnums;\s+dnums\.add_lhs_contracting_dimensions\(1\);.*?DotGeneral\(lhs, rhs, dnums\)",
    "dot_general_batch": r"^DotDimensionNumbers dnums;\s+dnums\.add_lhs_contracting_dimensions\(2\);.*?DotGeneral\(lhs, rhs, dnums\)",
}
TEXT = {
    "bitcast_convert_to_smaller": r"f16\[10,2\]\{1,0\} %output = [^\n]*",
    "bitcast_convert_of_scalar": r"f16\[2\]\{0\} %output = [^\n]*",
    "bitcast_convert_to_larger": r"f32\[10\]\{0\} %output = [^\n]*",
    "composite_call": r'^f32\[\] call\(f32\[\] %cst\).*?composite\.version="1"\s*\n\}',
    "increment": r"^HloModule increment$.*?^\}",
    "increment_with_alias": r"^HloModule increment, input_output_alias.*?^\}",
}


def find(documents, name, pattern):
    for document in documents:
        block = re.search(pattern, document, re.S | re.M)
        if block:
            return block[0]
    sys.exit(f"no document has the block {name}")


def main():
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    documents = [path.read_text() for path in sorted(folder.glob("*.txt"))]
    output.mkdir(parents=True, exist_ok=True)
    for name, pattern in CODE.items():
        block = find(documents, name, pattern)
        (output / f"{name}.inc").write_text(block + ("" if block[-1] in ";}" else ";") + "\n")
    for name, pattern in TEXT.items():
        (output / f"{name}.inc").write_text(f'R"block({find(documents, name, pattern)})block"\n')


if __name__ == "__main__":
    main()
