#!/usr/bin/env python3
"""Times operations with random sizes and types from JAX, on Hilo and on XLA:CPU in turn.

    python3 bench/jax/operations.py build/lib/libhilo_pjrt.so [--seed N] [--count N] [--only FAMILY,...] [--json FILE]

Another seed makes other operations, so that there are always some that nobody tuned for. Each runs until its result is there. Prints
those that gain least, with the median and the least of up to 400 turns, what differs from XLA:CPU's results, and geometric means.
Needs jax.
"""

import argparse
import json
import math
import os
import time

import numpy as np

FLOATS = ["float32", "float32", "float32", "float64", "bfloat16", "float16"]
INTEGERS = ["int32", "int32", "int64", "uint8", "int8", "uint32", "int16"]
COMPLEX = ["complex64", "complex128"]
TOLERANCES = {"float64": 1e-8, "complex128": 1e-8, "float32": 2e-3, "complex64": 2e-3}  # of others, 0.1


class Draw:
    """What families draw: sizes from small to large, often a power of two and otherwise often odd."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def one_of(self, choices):
        return choices[int(self.random.integers(len(choices)))]

    def is_true(self, share=0.5):
        return bool(self.random.random() < share)

    def size(self, least, most):
        value = int(math.exp(self.random.uniform(math.log(least), math.log(most + 1))))
        return max(least, 1 << (value.bit_length() - 1) if self.is_true(0.25) else value)

    def shape(self, rank, least=1000, most=2_000_000):
        elements = math.exp(self.random.uniform(math.log(least), math.log(most)))
        return tuple(max(1, round(elements**share)) for share in self.random.dirichlet(np.ones(rank)))

    def shape_and_axis(self, ranks=(1, 2, 3), most=2_000_000):
        shape = self.shape(self.one_of(ranks), most=most)
        return shape, int(self.random.integers(len(shape)))

    def array(self, shape, dtype):
        dtype = jnp.dtype(dtype)
        if dtype == jnp.bool_:
            return self.random.integers(0, 2, shape).astype(bool)
        if dtype.kind in "iu":
            return self.random.integers(0, 100, shape).astype(dtype)
        if dtype.kind == "c":
            return (self.random.normal(size=shape) + 1j * self.random.normal(size=shape)).astype(dtype)
        return np.asarray(self.random.normal(size=shape)).astype(dtype)

    def indices(self, shape, size):
        return self.random.integers(0, size, shape).astype("int32")


# Each family gives a description, a function and its arguments.


def unary(d):
    name = d.one_of("exp log1p tanh sin erf logistic rsqrt cbrt expm1 lgamma digamma erf_inv atan sqrt round sign tan cosh asin".split())
    dtype, shape = d.one_of(FLOATS), d.shape(d.one_of([1, 2, 3]))
    x = np.abs(d.array(shape, dtype))
    return name, getattr(lax, name), (np.minimum(x, 1).astype(dtype) if name in ("asin", "erf_inv") else x,)


def binary(d):
    name = d.one_of("add mul div max rem pow atan2 sub".split())
    dtype, shape = d.one_of(FLOATS if name in ("pow", "atan2") else FLOATS + INTEGERS), d.shape(d.one_of([1, 2, 3]))
    x, y = np.abs(d.array(shape, dtype)), d.array(shape, dtype)
    return name, getattr(lax, name), (x, np.maximum(y, 1).astype(dtype) if dtype in INTEGERS else y)


def convert(d):
    to = d.one_of(FLOATS + INTEGERS)
    return f"convert to {to}", lambda x: x.astype(to), (d.array(d.shape(2), d.one_of(FLOATS + INTEGERS)),)


def broadcast(d):
    shape, kept = d.shape(3), d.one_of([(0,), (1,), (2,), (0, 1), (1, 2), (0, 2)])
    dtype = d.one_of(FLOATS + INTEGERS)
    narrow = tuple(n if i in kept else 1 for i, n in enumerate(shape))
    return "broadcast", lambda x, y: x * y + y, (d.array(shape, dtype), d.array(narrow, dtype))


def reduce(d):
    name = d.one_of("sum max prod min mean argmax std argmin".split())
    shape, axis = d.shape_and_axis((1, 2, 3, 4))
    dtype = d.one_of(FLOATS if name in ("mean", "std") else FLOATS + INTEGERS)
    axes = axis if name.startswith("arg") else tuple({axis} | {i for i in range(len(shape)) if d.is_true(0.4)})
    return f"{name} over {axes}", lambda x: getattr(jnp, name)(x, axis=axes), (d.array(shape, dtype),)


def cumulative(d):
    name, reverse = d.one_of("cumsum cummax cumprod cumlogsumexp cummin".split()), d.is_true()
    shape, axis = d.shape_and_axis()
    return f"{name} along {axis}", lambda x: getattr(lax, name)(x, axis=axis, reverse=reverse), (d.array(shape, d.one_of(FLOATS)),)


def normalize(d):
    function, is_gradient = d.one_of([jax.nn.softmax, jax.nn.log_softmax, jax.nn.standardize]), d.is_true()
    shape, axis = d.shape_and_axis()
    run = lambda x: function(x, axis=axis)
    gradient = jax.grad(lambda x: (run(x).astype("float32") ** 3).sum())
    return f"{function.__name__} along {axis}{', gradient' * is_gradient}", gradient if is_gradient else run, (d.array(shape, d.one_of(FLOATS)),)


def sort(d):
    shape, axis = d.shape_and_axis(most=300_000)
    x, kind = d.array(shape, d.one_of(FLOATS + INTEGERS)), d.one_of(["sort", "argsort", "by two"])
    if kind == "by two":
        return f"sort by two along {axis}", lambda a, b: lax.sort((a, b), dimension=axis, num_keys=2), (d.array(shape, "int8"), x)
    return f"{kind} along {axis}", lambda a: getattr(jnp, kind)(a, axis=axis), (x,)


def top_k(d):
    shape = d.shape(d.one_of([1, 2]), most=500_000)
    k = min(shape[-1], d.size(1, 64))
    return f"top {k}", lambda x: lax.top_k(x, k), (d.array(shape, d.one_of(FLOATS + ["int32"])),)


def move(d):
    rank = d.one_of([1, 2, 3, 4])
    shape, dtype = d.shape(rank), d.one_of(FLOATS + INTEGERS)
    order = tuple(int(i) for i in d.random.permutation(rank))
    steps = tuple(slice(None, None, d.one_of([1, 1, 2, 3, -1])) for _ in shape)
    edges = tuple((d.size(1, 4), d.size(1, 4), d.one_of([0, 0, 1, 2])) for _ in shape)
    name, run = d.one_of([
        (f"transpose {order}", lambda x: jnp.transpose(x, order) + jnp.ones((), dtype)),
        (f"slice {[s.step for s in steps]}", lambda x: x[steps]),
        (f"pad {edges}", lambda x: lax.pad(x, jnp.zeros((), dtype), edges)),
        ("roll", lambda x: x + jnp.roll(x, shape[-1] // 3, axis=-1)),
        ("reverse and repeat", lambda x: jnp.repeat(x[::-1], 2, axis=0)),
    ])
    return name, run, (d.array(shape, dtype),)


def concatenate(d):
    shape, axis = d.shape_and_axis(most=300_000)
    dtype, count = d.one_of(FLOATS + INTEGERS), d.one_of([2, 3, 8, 30])
    return f"concatenate {count} along {axis}", lambda *x: jnp.concatenate(x, axis=axis), tuple(d.array(shape, dtype) for _ in range(count))


def gather(d):
    shape, axis = d.shape_and_axis(most=500_000)
    x = d.array(shape, d.one_of(FLOATS + INTEGERS))
    if d.is_true():
        return f"take along {axis}", lambda x, i: jnp.take_along_axis(x, i, axis=axis), (x, d.indices(shape, shape[axis]))
    count = max(1, min(d.size(10, 50_000), 2_000_000 * shape[axis] // x.size))
    return f"take {count} of {axis}", lambda x, i: jnp.take(x, i, axis=axis), (x, d.indices(count, shape[axis]))


def scatter(d):
    shape, name = d.shape(d.one_of([1, 2, 3]), most=500_000), d.one_of("add set max mul min".split())
    x = d.array(shape, d.one_of(FLOATS + INTEGERS))
    count = max(1, min(d.size(10, 20_000), 1_000_000 * shape[0] // x.size))
    run = lambda x, i, u: getattr(x.at[i], name)(u)
    return f"scatter {name} of {count}", run, (x, d.indices(count, shape[0]), d.array((count,) + shape[1:], x.dtype))


def product(d):
    dtype, m, k, n = d.one_of(FLOATS + COMPLEX + ["int8"]), d.size(1, 700), d.size(1, 700), d.size(1, 700)
    batch = d.one_of([(), (), (d.size(1, 20),), (d.size(20, 600),)])
    if batch and batch[0] > 20:
        m, k, n = (1 + size % 24 for size in (m, k, n))
    left, right = d.is_true(), d.is_true()
    run = lambda x, y: jnp.matmul(jnp.swapaxes(x, -1, -2) if left else x, jnp.swapaxes(y, -1, -2) if right else y,
                                  preferred_element_type=jnp.int32 if dtype == "int8" else None)
    sides = d.array(batch + ((k, m) if left else (m, k)), dtype), d.array(batch + ((n, k) if right else (k, n)), dtype)
    return f"product of {m}x{k} and {k}x{n}", run, sides


def convolution(d):
    rank, channels_last = d.one_of([1, 2, 2, 3]), d.is_true()
    groups, per_group, outputs = d.one_of([1, 1, 2, 16]), d.size(1, 32), d.size(1, 32)
    sizes = tuple(d.size(3, {1: 2000, 2: 64, 3: 16}[rank]) for _ in range(rank))
    window = tuple(min(size, d.one_of([1, 2, 3, 3, 5, 7])) for size in sizes)
    strides, letters, dtype = tuple(d.one_of([1, 1, 2, 3]) for _ in sizes), "DHW"[3 - rank:], d.one_of(FLOATS)
    data, kernel = (d.size(1, 8),), (groups * outputs,)
    x = data + sizes + (groups * per_group,) if channels_last else data + (groups * per_group,) + sizes
    w = window + (per_group,) + kernel if channels_last else kernel + (per_group,) + window
    spec = (f"N{letters}C", f"{letters}IO", f"N{letters}C") if channels_last else (f"NC{letters}", f"OI{letters}", f"NC{letters}")
    run = lambda x, w: lax.conv_general_dilated(x, w, strides, "SAME", dimension_numbers=spec, feature_group_count=groups)
    return f"convolution, window {window}, strides {strides}, {groups} groups", run, (d.array(x, dtype), d.array(w, dtype))


def fourier(d):
    shape, axis = d.shape_and_axis(most=300_000)
    name = d.one_of("fft ifft rfft".split())
    x = d.array(shape, d.one_of(["float32", "float64"] if name == "rfft" else COMPLEX))
    return f"{name} along {axis}", lambda x: getattr(jnp.fft, name)(x, axis=axis), (x,)


def loop(d):
    steps, size, kind = d.size(10, 2000), d.size(1, 500), d.one_of(["fori", "scan", "while", "map", "cond"])
    x = d.array((steps, size), "float32")
    run = {
        "fori": lambda x: lax.fori_loop(0, steps, lambda i, v: v * 0.6 + jnp.roll(v, 1) * 0.4, x[0]),
        "scan": lambda x: lax.scan(lambda c, r: (jnp.tanh(c + r), c.sum()), x[0], x),
        "while": lambda x: lax.while_loop(lambda v: jnp.max(v) > 1e-3, lambda v: v * 0.5, x[0]),
        "map": lambda x: lax.map(lambda r: jnp.sort(r)[:3].sum(), x),
        "cond": lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x),
    }[kind]
    return f"{kind} of {steps}", run, (x,)


def linear_algebra(d):
    dtype, batch = d.one_of(["float32", "float32", "float64", "complex64"]), d.one_of([(), (), (d.size(2, 50),)])
    n = d.size(2, 24 if batch else 120)
    a = d.array(batch + (n, n), dtype)
    positive = (a @ np.conj(np.swapaxes(a, -1, -2)) + n * np.eye(n)).astype(dtype)
    name, run = d.one_of([("cholesky", jnp.linalg.cholesky), ("inverse", jnp.linalg.inv), ("determinant", jnp.linalg.det),
                          ("solve", lambda a: jnp.linalg.solve(a, a[..., :1])), ("eigenvalues", jnp.linalg.eigvalsh),
                          ("singular values", lambda a: jnp.linalg.svd(a, compute_uv=False))])
    return name, run, (positive,)


FAMILIES = [unary, binary, convert, broadcast, reduce, cumulative, normalize, sort, top_k, move, concatenate, gather, scatter, product,
            convolution, fourier, loop, linear_algebra]


def differs(mine, theirs):
    """Whether results are not those of XLA:CPU, as closely as their types allow."""
    for x, y in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs)):
        x, y = np.asarray(x), np.asarray(y)
        if x.dtype.kind in "biu":
            same = np.array_equal(x, y)
        else:
            tolerance = TOLERANCES.get(x.dtype.name, 0.1)
            x, y = x.astype("complex128"), y.astype("complex128")
            largest = np.max(np.abs(y[np.isfinite(y)]), initial=0)
            same = np.allclose(x, y, rtol=tolerance, atol=tolerance * largest, equal_nan=True)
        if not same:
            return True
    return False


def measure(run, arguments):
    """The times of both in seconds, in turn, and whether their results differ."""
    compiled = jax.jit(run)
    placed = {name: [jax.device_put(x, device) for x in arguments] for name, device in DEVICES.items()}
    results = {name: jax.block_until_ready(compiled(*x)) for name, x in placed.items()}
    times, begin = {name: [] for name in DEVICES}, time.perf_counter()
    for turn in range(400):
        for name, x in placed.items():
            start = time.perf_counter()
            jax.block_until_ready(compiled(*x))
            times[name].append(time.perf_counter() - start)
        if turn > 3 and time.perf_counter() - begin > 0.25:
            break
    return times, differs(results["hilo"], results["xla"])


def main(options):
    draw, rows = Draw(options.seed), []
    families = [f for f in FAMILIES if options.only is None or f.__name__ in options.only.split(",")]
    for number in range(options.count):
        name, run, arguments = families[number % len(families)](draw)
        times, is_wrong = measure(run, arguments)
        described = f"{name}: {', '.join(f'{x.dtype}{list(x.shape)}' for x in arguments[:3])}"
        rows.append({"operation": described, "differs": is_wrong, **{f"{n}_us": 1e6 * float(np.median(t)) for n, t in times.items()},
                     **{f"{n}_least_us": 1e6 * min(t) for n, t in times.items()}})
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)
    ratio = lambda row, part: row[f"xla{part}_us"] / row[f"hilo{part}_us"]
    print("median  least       Hilo        XLA")
    for row in sorted(rows, key=lambda row: max(ratio(row, ""), ratio(row, "_least")))[: options.show]:
        print(f"{ratio(row, ''):6.2f} {ratio(row, '_least'):6.2f} {row['hilo_us']:7.1f} us {row['xla_us']:7.1f} us  {row['operation']}")
    for row in rows:
        if row["differs"]:
            print("differs:", row["operation"])
    mean = math.exp(np.mean([math.log(ratio(row, "")) for row in rows]))
    slower = sum(max(ratio(row, ""), ratio(row, "_least")) < 1 for row in rows)
    print(f"{len(rows)} operations: {mean:.2f} times as fast in the geometric mean, {slower} slower")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plugin")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=180)
    parser.add_argument("--only")
    parser.add_argument("--show", type=int, default=20, help="how many of those that gain least are printed")
    parser.add_argument("--json", help="a file for all of them")
    options = parser.parse_args()
    os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"hilo:{os.path.abspath(options.plugin)}"
    os.environ["JAX_PLATFORMS"] = "cpu,hilo"
    import jax
    import jax.numpy as jnp
    from jax import lax

    jax.config.update("jax_enable_x64", True)
    DEVICES = {"xla": jax.devices("cpu")[0], "hilo": jax.devices("hilo")[0]}
    main(options)
