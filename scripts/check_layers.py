#!/usr/bin/env python3
"""Checks that data flows one way: a folder of src/ includes only what it links.

The table is src/CMakeLists.txt itself: hilo_library(NAME FOLDERS folders... LINKS libraries...).
Public headers belong to the layer that PUBLIC_LAYERS names, so a lower layer cannot reach a higher
one through them either. Some foreign headers are for some folders only.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
PRINTING = re.compile(r"std::cout|std::cerr|\b(?:f?printf|puts)\s*\(")

# Public headers not below one of these may be included from everywhere.
PUBLIC_LAYERS = {
    "xla/stream_executor/": "device",
    "xla/hlo/ir/": "ir",
    "xla/hlo/parser/": "front/text",
    "xla/hlo/builder/": "front/builder",
    "xla/hlo/translate/": "front/stablehlo",
    "xla/legacy/": "front/legacy",
    "xla/hlo/evaluator/": "eval",
    "xla/client/": "api",
    "xla/pjrt/": "api",
    "xla/pjrt/c/": "pjrt_c/objects",
    "xla/hlo/testlib/": "api/testing",
    "xla/tests/": "api/testing",
}

FOREIGN = {
    "CLI/": ["tools"],
    "llvm/": ["cpu/emit", "cpu/jit"],
    "oneapi/": ["cpu/kernels"],
    "dnnl": ["cpu/kernels"],
    "immintrin": ["cpu/kernels/isa"],
    "emmintrin": ["cpu/kernels/isa", "runtime"],
    "arm_neon": ["cpu/kernels/isa"],
    "cblas": ["cpu/lapack"],
    "lapacke": ["cpu/lapack"],
    "gloo/": ["runtime/collectives"],
    "mpi.h": ["runtime/collectives"],
    "benchmark/": ["include/xla/tsl/platform/test_benchmark.h"],
}


def read_table():
    """Returns {folder: every folder it may include}, itself and the one it lies in included."""
    text = re.sub(r"#.*", "", (ROOT / "src/CMakeLists.txt").read_text())
    folders, links = {}, {}
    for body in re.findall(r"hilo_library\((.*?)\)", text, re.DOTALL):
        name, _, rest = body.strip().partition(" ")
        own, _, linked = rest.partition("LINKS")
        folders[name] = own.replace("FOLDERS", "").split()
        links[name] = linked.split()

    def reachable(name):
        names = {name}
        for linked in links.get(name, []):
            names |= reachable(linked)
        return names

    return {
        folder: {f for linked in reachable(name) for f in folders.get(linked, [])}
        | {folder.rpartition("/")[0]}
        for name, own in folders.items()
        for folder in own
    }


def longest_match(path, prefixes):
    matches = [prefix for prefix in prefixes if path.startswith(prefix.rstrip("/") + "/")]
    return max(matches, key=len, default=None)


def check_file(path, table):
    """Yields what is wrong with one file."""
    text = path.read_text()
    relative = path.relative_to(ROOT).as_posix()
    if relative.startswith("src/"):
        layer = longest_match(relative.removeprefix("src/"), table)
        if layer is None:
            yield "lies in no library of src/CMakeLists.txt"
            return
        if PRINTING.search(re.sub(r"//.*", "", text)) and not layer.startswith("tools"):
            yield "prints, which only src/tools does"
    else:
        prefix = longest_match(relative.removeprefix("include/"), PUBLIC_LAYERS)
        layer = PUBLIC_LAYERS.get(prefix)

    for header in INCLUDE.findall(text):
        target = longest_match(header, table)
        if target is not None and not relative.startswith("src/"):
            yield f'a public header includes the private "{header}"'
            continue
        target = target or PUBLIC_LAYERS.get(longest_match(header, PUBLIC_LAYERS))
        if target is not None and layer in table and target not in table[layer]:
            yield f'layer {layer} includes "{header}" of layer {target}'
        for foreign, homes in FOREIGN.items():
            place = layer or relative
            if header.startswith(foreign) and not any(place.startswith(h) for h in homes):
                yield f'includes "{header}", which is for {", ".join(homes) or "no library"}'


def main():
    table = read_table()
    count = 0
    for top in ("src", "include/xla", "include/tsl"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".h", ".cc", ".def"):
                for problem in check_file(path, table):
                    print(f"{path.relative_to(ROOT)}: {problem}")
                    count += 1
    print(f"{count} problems" if count else f"{len(table)} folders, every include in order")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
