#!/usr/bin/env python3
"""Measures what element-wise operations cost, in additions of f32: the numbers of the rows in hlo_ops.def.

    bench/costs.py [--hilo build/bin/hilo] [--operations cbrt,power] [--types f32,f64,c64,s32,s64]

Each number is the difference between two kernels that run over an array in cache, on one thread: one adds up
f(x + c) for TERMS constants c, the other one the arguments x + c alone. The vectors are independent of each other, so
that it is throughput which counts, as it is in kernels. `-` stands where the operation does not take the type.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

TERMS = 16
ELEMENTS = 32768

UNARY = """abs acos acosh asin asinh atanh cbrt ceil cosine cosh count-leading-zeros erf exponential
exponential-minus-one floor log log-plus-one logistic negate not popcnt reduce-precision round-nearest-afz
round-nearest-even rsqrt sign sine sinh sqrt tan tanh""".split()
BINARY = """add and atan2 divide maximum minimum mulhi multiply or power remainder shift-left shift-right-arithmetic
shift-right-logical subtract xor""".split()
TERNARY = ["clamp"]
# Arguments lie around 0.5, where all other functions are defined.
OFFSETS = {"acosh": 1.5}
ATTRIBUTES = {"reduce-precision": ", exponent_bits=5, mantissa_bits=10"}


def is_integer(kind):
    return kind[0] in "su"


def constant(kind, number):
    if kind[0] == "c":
        return f"({number:.3f}, {number / 2:.3f})"
    return str(int(20 * number) if is_integer(kind) else number)


def module(operation, kind, terms):
    """HLO text of the sum of `operation`, or of its arguments for None."""
    array = f"{kind}[{ELEMENTS}]"
    lines = ["HloModule costs", "ENTRY e {", f"  x = {array} parameter(0)", f"  y = {array} parameter(1)"]
    join = "xor" if is_integer(kind) else "add"
    total = None
    for i in range(terms):
        offset = OFFSETS.get(operation, 0.3) + 0.02 * i + (1.0 if operation is None else 0)
        lines.append(f"  c{i} = {kind}[] constant({constant(kind, round(offset, 3))})")
        lines.append(f"  b{i} = {array} broadcast(c{i}), dimensions={{}}")
        lines.append(f"  a{i} = {array} add(x, b{i})")
        term = f"a{i}"
        if operation is not None:
            operands = f"a{i}, y" if operation in BINARY else f"x, a{i}, y" if operation in TERNARY else f"a{i}"
            result = array
            if operation == "abs" and kind[0] == "c":
                result = f"f{int(kind[1:]) // 2}[{ELEMENTS}]"
            lines.append(f"  f{i} = {result} {operation}({operands}){ATTRIBUTES.get(operation, '')}")
            term = f"f{i}"
            if result != array:
                lines.append(f"  g{i} = {array} convert(f{i})")
                term = f"g{i}"
        if total is None:
            total = term
        else:
            lines.append(f"  t{i} = {array} {join}({total}, {term})")
            total = f"t{i}"
    lines.append(f"  ROOT r = {array} copy({total})")
    return "\n".join(lines + ["}"])


def seconds_of(arguments, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "costs.hlo"
        path.write_text(text)
        command = [arguments.hilo, "bench", str(path), "--threads=1", "--json", f"--seconds={arguments.seconds}"]
        done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout)["run_ms_min"] / 1e3 if done.returncode == 0 else None


def cost_of(arguments, operation, kind, base):
    taken = seconds_of(arguments, module(operation, kind, TERMS))
    return None if taken is None else (taken - base) / TERMS / ELEMENTS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hilo", default="build/bin/hilo")
    parser.add_argument("--operations", default=",".join(UNARY + BINARY + TERNARY))
    parser.add_argument("--types", default="f32,f64,c64,s32,s64")
    parser.add_argument("--seconds", type=float, default=0.3)
    arguments = parser.parse_args()
    kinds = arguments.types.split(",")
    base = {kind: seconds_of(arguments, module(None, kind, TERMS)) for kind in {"f32", *kinds}}
    # Twice as many terms have TERMS additions more for their arguments, and as many to join them.
    unit = (seconds_of(arguments, module(None, "f32", 2 * TERMS)) - base["f32"]) / (2 * TERMS) / ELEMENTS
    print(f"an addition of f32 takes {unit * 1e12:.1f} ps")
    print(f"{'':24}" + "".join(f"{kind:>9}" for kind in kinds))
    for operation in arguments.operations.split(","):
        costs = [cost_of(arguments, operation, kind, base[kind]) for kind in kinds]
        words = ["-" if cost is None else f"{cost / unit:.1f}" for cost in costs]
        print(f"{operation:24}" + "".join(f"{word:>9}" for word in words), flush=True)


if __name__ == "__main__":
    main()
