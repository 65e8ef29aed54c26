#!/usr/bin/env python3
"""Compares what `hilo partition --estimate` says with what `hilo bench --processes` measures.

    python3 bench/distributed/check_estimate.py build/bin/hilo [--processes 2 4 8] [--markdown]

The model is made for the machine from runs of its own, not from those that are compared: the latency of a message from an all-reduce of
eight numbers and the bandwidth from one of 16 MB, both between two processes, and the speed of computing from each program on one device. All
processes share the cores of the one machine, which compute and copy messages: of n processes each has an n-th of the speed that
one has, and of the link 2/n of what each of two has.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

SUM = "sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }\n"

PROGRAMS = {
    "training, rows of the data": """
  x = f32[2048,512] parameter(0)ROWS
  g = f32[2048,512] parameter(1)ROWS
  w = f32[512,512] parameter(2)WHOLE
  y = f32[2048,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[2048,512] tanh(y)
  e = f32[2048,512] multiply(t, g)
  d = f32[512,512] dot(x, e), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT r = f32[512,512] subtract(w, d)WHOLE""",
    "two layers, their features": """
  x = f32[512,512] parameter(0)WHOLE
  v = f32[512,2048] parameter(1)COLUMNS
  w = f32[2048,512] parameter(2)ROWS
  y = f32[512,2048] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[512,2048] tanh(y)
  ROOT r = f32[512,512] dot(t, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}WHOLE""",
    "a product of gathered rows": """
  x = f32[1024,512] parameter(0)ROWS
  y = f32[1024,512] parameter(1)ROWS
  ROOT r = f32[1024,1024] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}ROWS""",
    "a transposition": """
  x = f32[2048,2048] parameter(0)ROWS
  t = f32[2048,2048] transpose(x), dimensions={1,0}
  ROOT r = f32[2048,2048] tanh(t)ROWS""",
    "a stencil, rows": """
  x = f32[2048,512] parameter(0)ROWS
  a = f32[1,512] slice(x), slice={[2047:2048],[0:512]}
  b = f32[2047,512] slice(x), slice={[0:2047],[0:512]}
  above = f32[2048,512] concatenate(a, b), dimensions={0}
  d = f32[2048,512] subtract(x, above)
  ROOT r = f32[2048,512] tanh(d)ROWS""",
    "sums of a few numbers": """
  x = f32[65536] parameter(0)PARTS
  z = f32[] constant(0)
  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=sumWHOLE""",
}
FEW_NUMBERS = "  x = f32[8] parameter(0)WHOLE\n  ROOT r = f32[8] all-reduce(x), replica_groups={{0,1}}, channel_id=1, use_global_device_ids=true, to_apply=sum"
MANY_NUMBERS = FEW_NUMBERS.replace("f32[8]", "f32[4194304]")


def write(folder, body, devices):
    """The program as a file, divided among so many devices."""
    for word, sharding in (("ROWS", f"devices=[{devices},1]<=[{devices}]"), ("COLUMNS", f"devices=[1,{devices}]<=[{devices}]"),
                           ("PARTS", f"devices=[{devices}]<=[{devices}]"), ("WHOLE", "replicated")):
        body = body.replace(word, f", sharding={{{sharding}}}" if devices > 1 else "")
    path = pathlib.Path(folder) / "program.hlo"
    path.write_text(f"HloModule program, num_partitions={devices}\n{SUM}ENTRY main {{\n{body}\n}}\n")
    return path


def output(*command):
    return json.loads(subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout)


def bench(hilo, path, processes):
    more = ["--processes", processes] if processes > 1 else []
    return output(hilo, "bench", path, "--json", "--seconds", 1, *more)


def estimate(hilo, path, processes, latency, bandwidth, flops):
    return output(hilo, "partition", path, "--mesh", processes, "--estimate", "--json", "--tries", 0, "--algorithm", "direct", "--latency",
                  latency * 1e6, "--bandwidth", bandwidth / 1e9, "--flops", flops / 1e9)["own"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hilo")
    parser.add_argument("--processes", nargs="+", type=int, default=[2, 4, 8])
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/distributed.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        latency = bench(options.hilo, write(folder, FEW_NUMBERS, 2), 2)["run_ms"] / 1e3
        # Each of two sends a half twice.
        bandwidth = (1 << 24) / (bench(options.hilo, write(folder, MANY_NUMBERS, 2), 2)["run_ms"] / 1e3 - 2 * latency)
        print(f"two processes: a message takes {latency * 1e6:.0f} us, a link has {bandwidth / 1e9:.2f} GB/s\n")
        row = "| {} | {} | {} | {} | {} | {} | {} |" if options.markdown else "{:28} {:>9} {:>13} {:>13} {:>9} {:>9} {:>6}"
        print(row.format("program", "processes", "bytes sent", "estimated", "ms a run", "estimated", "ratio"))
        if options.markdown:
            print("|---" * 7 + "|")
        for name, body in PROGRAMS.items():
            alone = bench(options.hilo, write(folder, body, 1), 1)["run_ms"] / 1e3
            work = estimate(options.hilo, write(folder, body, 2), 2, 1, 1e9, 1e9)["flops"] * 2
            for n in options.processes:
                path = write(folder, body, n)
                measured = bench(options.hilo, path, n)
                expected = estimate(options.hilo, path, n, latency, bandwidth * 2 / n, work / alone / n)
                ms = expected["seconds"] * 1e3
                print(row.format(name, n, f"{measured['sent_bytes']:,}", f"{expected['bytes']:,.0f}", f"{measured['run_ms']:.3g}", f"{ms:.3g}",
                                 f"{measured['run_ms'] / ms:.2f}"), flush=True)


if __name__ == "__main__":
    main()
