#!/usr/bin/env python3
"""Times JAX on Hilo against JAX on XLA:CPU, as ratios of runs that alternate.

    python3 bench/jax/compare.py build/lib/libhilo_pjrt.so [--rounds 3]

Each row is measured in a process of its own, first on one, then on the other; the fastest of the
rounds counts. Below 1.0, Hilo is faster or smaller.
"""

import argparse
import json
import pathlib
import time

import turns


def start():
    """Import of JAX and its devices."""
    begin = time.perf_counter()
    import jax

    jax.devices()
    return time.perf_counter() - begin


def dispatch():
    """A call of a small compiled function, results awaited at the end only."""
    import jax
    import jax.numpy as jnp

    f = jax.jit(lambda x: x + 1)
    x = jnp.zeros(4)
    for _ in range(1000):
        x = f(x)
    x.block_until_ready()
    begin = time.perf_counter()
    for _ in range(20000):
        x = f(x)
    x.block_until_ready()
    return (time.perf_counter() - begin) / 20000


def round_trip():
    """A call of a small compiled function, and its result as a number of Python."""
    import jax
    import jax.numpy as jnp

    f = jax.jit(lambda x: x.sum())
    x = jnp.zeros(4)
    for _ in range(1000):
        float(f(x))
    begin = time.perf_counter()
    for _ in range(5000):
        float(f(x))
    return (time.perf_counter() - begin) / 5000


def programs():
    """Programs of a few kinds, with arguments."""
    import jax
    import jax.numpy as jnp

    def network(weights, x):
        for w in weights:
            x = jnp.tanh(x @ w)
        return (x**2).mean()

    def attention(q, k, v):
        return jax.nn.softmax(q @ k.T / 8) @ v

    def convolution(x, k):
        y = jax.lax.conv(x, k, (1, 1), "SAME")
        return jax.nn.relu(y).mean((2, 3))

    def pendulum(y):
        def step(y, _):
            d = jnp.array([y[1], -jnp.sin(y[0])])
            return y + 0.01 * d, y

        return jax.lax.scan(step, y, None, length=1000)[1]

    def numbers(key):
        return jax.random.normal(key, (1000,)).sort()

    keys = jax.random.split(jax.random.key(0), 4)
    square = jax.random.normal(keys[0], (128, 128)) / 11
    image = jax.random.normal(keys[1], (8, 16, 32, 32))
    return {
        "gradient of a network": (jax.grad(network), ([square] * 6, square)),
        "attention": (attention, (square, square, square)),
        "convolution": (convolution, (image, jax.random.normal(keys[2], (16, 16, 3, 3)))),
        "pendulum": (pendulum, (jnp.array([1.0, 0.0]),)),
        "random numbers": (numbers, (keys[3],)),
        "eigenvalues": (lambda x: jnp.linalg.eigh(x + x.T)[0], (square,)),
    }


def compile_times():
    """From the lowered program to the executable."""
    import jax

    times = {}
    for name, (function, arguments) in programs().items():
        lowered = jax.jit(function).lower(*arguments)
        begin = time.perf_counter()
        lowered.compile()
        times[f"compile: {name}"] = time.perf_counter() - begin
    return times


def run_times():
    """A call, its results awaited."""
    import jax

    times = {}
    for name, (function, arguments) in programs().items():
        compiled = jax.jit(function)
        jax.block_until_ready(compiled(*arguments))
        calls, begin = 0, time.perf_counter()
        while time.perf_counter() - begin < 0.5:
            jax.block_until_ready(compiled(*arguments))
            calls += 1
        times[f"run: {name}"] = (time.perf_counter() - begin) / calls
    return times


def memory():
    """The most memory that the process had, in bytes."""
    import resource

    run_times()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


MEASURES = (start, dispatch, round_trip, compile_times, run_times, memory)


def measure(name, plugin):
    value = turns.measure(__file__, ["--measure", name], plugin)
    return value if isinstance(value, dict) else {name: value}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("plugin", nargs="?", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(globals()[arguments.measure]()))
        return
    if arguments.plugin is None:
        parser.error("which plug-in?")
    for function in MEASURES:
        best = {}
        for _ in range(arguments.rounds):
            for which, plugin in turns.sides(arguments.plugin):
                for row, value in measure(function.__name__, plugin).items():
                    known = best.setdefault(row, {})
                    known[which] = min(value, known.get(which, value))
        for row, value in best.items():
            print(f"{row:32} {value['hilo']:12.4g} {value['xla']:12.4g}  {value['hilo'] / value['xla']:.2f}", flush=True)


if __name__ == "__main__":
    main()
