#!/usr/bin/env python3
"""Counts the bytes that programs with shardings have devices send, divided by Hilo and by XLA.

    python3 bench/distributed/compare_bytes.py build/bin/hilo [--only WORD] [--markdown]

Both get the programs of `programs.py` for eight devices as JAX writes them, and both give HLO with collectives, which one function
counts: how many bytes each device receives, where a group has n devices and the result of all-gather or all-to-all, or the operand of the
others, has b bytes on each:

    all-gather, all-to-all, reduce-scatter: b (n-1)/n    all-reduce: 2 b (n-1)/n    collective-permute, broadcast: b

What runs in loops counts once. Needs jax.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import tempfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import programs

COLLECTIVES = "all-gather|all-reduce|reduce-scatter|all-to-all|collective-permute|collective-broadcast"
# `name = type opcode(`, where the type may be a tuple; asynchronous pairs are counted where they start.
LINE = re.compile(rf"= (\(.*?\)|\S+) ({COLLECTIVES})(-start)?\((.*)")


def size_of(types):
    """Of all arrays in the text of a type."""
    total = 0
    for kind, sizes in re.findall(r"\b([a-z]+\d*)\w*\[([\d,]*)\]", types):
        bits = 8 if kind == "pred" else int(re.sub(r"\D", "", kind))
        elements = 1
        for size in filter(None, sizes.split(",")):
            elements *= int(size)
        total += elements * bits / 8
    return total


def group_size(line, devices):
    """From the forms {{0,1},{2,3}}, [4,2]<=[8] and mesh['a'=2,'b'=4] {'b'}."""
    if found := re.search(r"replica_groups=\{\{([\d,]*)\}", line):
        return len(found[1].split(","))
    if found := re.search(r"replica_groups=\[\d+,(\d+)\]", line):
        return int(found[1])
    if found := re.search(r"replica_groups=@?\w*\[(.*?)\].*?\{(.*?)\}", line):
        sizes, count = dict(re.findall(r"'(\w+)'=(\d+)", found[1])), 1
        for name, part in re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", found[2]):
            count *= int(part or sizes[name])
        return count
    return devices


def received(kind, size, n):
    if kind in ("all-gather", "all-to-all"):
        return size * (n - 1) / n
    if kind == "reduce-scatter":
        return size * (n - 1)  # the result is one of n parts
    return 2 * size * (n - 1) / n if kind == "all-reduce" else size


def count(text, devices=8):
    """Collectives of a module by kind: how many, and the bytes that each device receives."""
    counts = collections.defaultdict(lambda: [0, 0])
    for line in text.splitlines():
        if not (found := LINE.search(line)):
            continue
        types, kind, start = found[1], found[2], found[3]
        size = size_of(types) / (2 if start and kind != "all-reduce" else 1)
        n = group_size(line, devices)
        if kind == "collective-permute" and all(a == b for a, b in re.findall(r"\{(\d+),(\d+)\}", line)):
            continue
        if n > 1:
            counts[kind][0] += 1
            counts[kind][1] += received(kind, size, n)
    return counts


def shardings_of(tree, like, mesh):
    """Shardings from tuples of axes, for the leaves of `like`."""
    def make(_, axes):
        return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes))

    return jax.tree.map(make, like, tree, is_leaf=is_shape)


def is_shape(value):
    return isinstance(value, tuple) and all(isinstance(each, (int, str, type(None))) for each in value)


def lower(program):
    """The program as JAX writes it, and as XLA divides it."""
    kinds = (jax.sharding.AxisType.Auto,) * len(program.mesh)
    mesh = jax.make_mesh(tuple(program.mesh.values()), tuple(program.mesh), axis_types=kinds)
    arguments = jax.tree.map(
        lambda shape: shape if hasattr(shape, "dtype") else jax.ShapeDtypeStruct(shape, jnp.float32),
        program.shapes,
        is_leaf=lambda value: hasattr(value, "dtype") or is_shape(value),
    )
    with jax.set_mesh(mesh):
        divided = shardings_of(program.divided, program.divided, mesh)
        results = shardings_of(program.results, program.results, mesh)
        lowered = jax.jit(program.run, in_shardings=divided, out_shardings=results).lower(*arguments)
        by_xla = lowered.compile().as_text()
    return lowered.as_text(), by_xla


def divide(hilo, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "module.mlir"
        path.write_text(text)
        return subprocess.run([hilo, "partition", str(path)], check=True, capture_output=True, text=True).stdout


def in_words(counts):
    return ", ".join(f"{number} {kind} {size / 1e6:.3g}" for kind, (number, size) in sorted(counts.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hilo")
    parser.add_argument("--only", default="", help="programs whose name has this in it")
    parser.add_argument("--markdown", action="store_true", help="the table of docs/distributed.md")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for all modules")
    arguments = parser.parse_args()
    more = 0
    for name, make in programs.PROGRAMS.items():
        if arguments.only not in name:
            continue
        text, by_xla = lower(make())
        by_hilo = divide(arguments.hilo, text)
        if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            for kind, module in (("mlir", text), ("xla.hlo", by_xla), ("hilo.hlo", by_hilo)):
                (arguments.keep / f"{name.replace(' ', '_').replace(',', '')}.{kind}").write_text(module)
        counts = [count(module) for module in (by_hilo, by_xla)]
        hilo, xla = (sum(size for _, size in each.values()) / 1e6 for each in counts)
        more += hilo > xla
        numbers = [sum(number for number, _ in each.values()) for each in counts]
        if arguments.markdown:
            print(f"| {name} | {hilo:.3g} | {xla:.3g} | {numbers[0]} | {numbers[1]} |")
            continue
        print(f"{'more ' if hilo > xla else '     '}{name:45} {hilo:9.3f} MB, XLA {xla:9.3f} MB", flush=True)
        print(f"         Hilo: {in_words(counts[0])}\n         XLA:  {in_words(counts[1])}", flush=True)
    if not arguments.markdown:
        print(f"{more} programs in which Hilo sends more")


main()
