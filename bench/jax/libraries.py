#!/usr/bin/env python3
"""Programs of JAX libraries on Hilo and on XLA:CPU: do they agree, and how fast are they?

    pip install "jax==0.10.2" flax optax equinox diffrax numpyro blackjax brax mujoco-mjx jraph dm-haiku keras pgx
    python3 bench/jax/libraries.py build/lib/libhilo_pjrt.so [--rounds 3] [--steps 100] [--only flax,pgx]

Each recipe (recipes.py) runs in a process of its own, first on one, then on the other; the fastest of the rounds
counts. All ratios are XLA:CPU's time by Hilo's, so that above 1.0 Hilo is faster; memory is Hilo's by XLA:CPU's.

    error     largest difference of a result, as a part of the largest number of its array; `!` above the recipe's tolerance
    compile   the largest program, from the lowered form to the executable
    all       all programs that the process compiled
    step      a step by the clock, without the first one
    processor the same in time of all processors together, which tells more where others run on the machine, too
"""

import argparse
import importlib.util
import json
import math
import pathlib
import resource
import sys
import tempfile
import time

import turns
from recipes import RECIPES

COLUMNS = ("compile", "all", "step", "processor")


def run_recipe(name, steps, results):
    """One process: seconds to compile and a step, memory; results go to a file."""
    import jax
    import numpy as np

    compiles = []

    def listen(event, seconds, **_):
        if event == "/jax/core/compile/backend_compile_duration":
            compiles.append(seconds)

    jax.monitoring.register_event_duration_secs_listener(listen)
    run = RECIPES[name].prepare()
    jax.block_until_ready(run(1))
    jax.block_until_ready(run(2))
    begin, busy = time.perf_counter(), time.process_time()
    found = jax.block_until_ready(run(steps))
    seconds, busy = (time.perf_counter() - begin) / steps, (time.process_time() - busy) / steps
    np.savez(results, **{k: np.asarray(v) for k, v in found.items()})
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"compile": max(compiles), "all": sum(compiles), "step": seconds, "processor": busy, "memory": memory}


def error(found, expected):
    """The largest difference as a part of the largest number; infinite where one has a number and the other has none."""
    import numpy as np

    worst = 0.0
    for name, b in expected.items():
        a, b = found[name].astype(np.float64), b.astype(np.float64)
        if a.shape != b.shape or (np.isnan(a) != np.isnan(b)).any():
            return math.inf
        if b.size:
            worst = max(worst, np.nanmax(np.abs(a - b)) / (np.nanmax(np.abs(b)) or 1.0))
    return worst


def compare(name, arguments, folder):
    """The row of a recipe."""
    import numpy as np

    best, results = {}, {}
    for _ in range(arguments.rounds):
        for side, plugin in turns.sides(arguments.plugin):
            results[side] = folder / f"{name}-{side}.npz"
            done = turns.measure(__file__, ["--recipe", name, "--steps", str(arguments.steps), "--results", str(results[side])], plugin)
            known = best.setdefault(side, done)
            best[side] = {k: min(v, known[k]) for k, v in done.items()}
    with np.load(results["hilo"]) as found, np.load(results["xla"]) as expected:
        return best["hilo"], best["xla"], error(dict(found), dict(expected))


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("plugin", nargs="?", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--only", default=",".join(RECIPES), help="recipes, by comma")
    parser.add_argument("--recipe", help=argparse.SUPPRESS)
    parser.add_argument("--results", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.recipe:
        print(json.dumps(run_recipe(arguments.recipe, arguments.steps, arguments.results)))
        return 0
    if arguments.plugin is None:
        parser.error("which plug-in?")
    print(f"| {'recipe':9} | {'compile, ms':>16} | ratio | {'all, ms':>16} | ratio | {'step, ms':>16} | ratio | {'processor, ms':>16} | ratio | memory, MB | ratio |    error |")
    print("|---" * 12 + "|")
    ratios, failed = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.only.split(","):
            missing = [m for m in RECIPES[name].modules if importlib.util.find_spec(m.split(".")[0]) is None]
            if missing:
                print(f"| {name:9} | not installed: {', '.join(missing)} |", flush=True)
                continue
            try:
                hilo, xla, difference = compare(name, arguments, pathlib.Path(folder))
            except Exception as failure:
                print(f"| {name:9} | FAILED: {failure} |", flush=True)
                failed.append(name)
                continue
            row = f"| {name:9} |"
            for column in COLUMNS:
                ratio = xla[column] / hilo[column]
                ratios.setdefault(column, []).append(ratio)
                row += f" {hilo[column] * 1e3:7.4g} {xla[column] * 1e3:7.4g}  | {ratio:5.2f} |"
            ratio = hilo["memory"] / xla["memory"]
            ratios.setdefault("memory", []).append(ratio)
            wrong = not difference <= RECIPES[name].tolerance
            if wrong:
                failed.append(name)
            print(f"{row} {hilo['memory'] / 1e6:4.0f} {xla['memory'] / 1e6:4.0f}  | {ratio:5.2f} | {difference:.1e}{'!' if wrong else ' '} |", flush=True)
    for column, values in ratios.items():
        print(f"geometric mean of {column}: {mean(values):.2f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
