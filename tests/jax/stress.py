"""Threads that compile, run, donate, delete and fail at random, and check all that comes out.

    stress.py [--seconds 5] [--threads 8] [--seed 0]

Time is divided into rounds. After each one nothing that a round made may live any more, and memory
may not grow from round to round. A deadlock ends with the stacks of all threads.
"""

import argparse
import ctypes
import faulthandler
import functools
import gc
import os
import random
import sys
import threading
import time
import traceback

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec

# What a round may leave behind in megabytes, for allocators and for JAX's own caches.
MOST_GROWTH = 96


def close(a, b):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-4, atol=2e-4)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# Functions that all threads call, and what they compute.
SHARED = [
    (jax.jit(lambda x: x @ x.T), lambda x: x @ x.T),
    (jax.jit(lambda x: jnp.sort(x, axis=-1)), lambda x: np.sort(x, -1)),
    (jax.jit(lambda x: jax.nn.softmax(x)), softmax),
    (jax.jit(lambda x: lax.scan(lambda s, r: (s + r, s + r), jnp.zeros(x.shape[1]), x)[1]), lambda x: np.cumsum(x, 0)),
    (jax.jit(lambda x: lax.fori_loop(0, 50, lambda i, s: s * 0.5 + x, x)), lambda x: x * (2 - 0.5**50)),
    (jax.jit(jax.grad(lambda x: (jnp.tanh(x) ** 2).sum())), lambda x: 2 * np.tanh(x) * (1 - np.tanh(x) ** 2)),
    (jax.jit(lambda x: lax.cond(x.sum() > 0, lambda y: y + 1, lambda y: y - 1, x)), lambda x: x + (1 if x.sum() > 0 else -1)),
]
ADD_DONATED = jax.jit(lambda x, y: x + y, donate_argnums=0)
SORT_ON_HOST = jax.jit(lambda x: jax.pure_callback(lambda y: np.sort(y, -1), jax.ShapeDtypeStruct(x.shape, x.dtype), x) + 1)


class Deliberate(Exception):
    pass


def fail(_):
    raise Deliberate("as it should be")


FAIL_ON_HOST = jax.jit(lambda x: jax.pure_callback(fail, jax.ShapeDtypeStruct((), np.float32), x))

# Arrays that threads take from each other, with their values.
pool_lock = threading.Lock()
pool = []


class Worker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.devices = jax.local_devices()

    def array(self):
        shape = self.random.choice([(3, 4), (16, 16), (33, 7), (128, 64)])
        return self.numbers.normal(size=shape).astype(np.float32)

    def on_device(self, x):
        return jax.device_put(x, self.random.choice(self.devices))

    def new_function(self):
        x, c, k = self.array(), self.random.uniform(-2, 2), self.random.randrange(1, 6)

        def f(x):
            for _ in range(k):
                x = jnp.sin(x * c) + 0.25 * x
            return x, x.sum()

        y, total = jax.jit(f)(x)
        expected = x
        for _ in range(k):
            expected = np.sin(expected * np.float32(c)) + 0.25 * expected
        close(y, expected)
        assert abs(float(total) - expected.sum()) < 1e-3 * expected.size

    def ahead_of_time(self):
        x, c = self.array(), self.random.uniform(-2, 2)
        compiled = jax.jit(lambda x: x.T * c).lower(x).compile()
        close(compiled(x), x.T * np.float32(c))

    def shared_function(self):
        f, expected = self.random.choice(SHARED)
        x = self.array()
        close(f(self.on_device(x)), expected(x))

    def donate(self):
        x, y = self.array(), 2.0
        a = self.on_device(x)
        for _ in range(self.random.randrange(1, 20)):
            b = ADD_DONATED(a, y)
            assert a.is_deleted()
            a, x = b, x + np.float32(y)
        close(a, x)

    def delete_while_in_use(self):
        x = self.array()
        a = self.on_device(x)
        results = [SHARED[4][0](a) for _ in range(4)]
        a.delete()
        for result in results:
            close(result, SHARED[4][1](x))
        results[0].delete()
        try:
            results[0] + 1
        except RuntimeError as error:
            assert "deleted" in str(error)
        else:
            raise AssertionError("a deleted array was used")

    def chain(self):
        x = self.array()
        a = self.on_device(x)
        for _ in range(50):
            a = a * 0.5 + 1
        close(a, x * 0.5**50 + 2 * (1 - 0.5**50))

    def callback(self):
        x = self.array()
        close(SORT_ON_HOST(x), np.sort(x, -1) + 1)

    def failing_callback(self):
        try:
            jax.block_until_ready(FAIL_ON_HOST(1.0))
        except Exception as error:
            assert "as it should be" in str(error), error
        else:
            raise AssertionError("the error of a callback was lost")

    def wrong_program(self):
        try:
            jax.jit(lambda x: jax.ffi.ffi_call("no_such_target", jax.ShapeDtypeStruct((), np.float32))(x))(1.0)
        except Exception as error:
            assert "no_such_target" in str(error), error
        else:
            raise AssertionError("a call of nothing ran")

    def there_and_back(self):
        x = self.array()
        x = self.random.choice([x, x.T, x[::2], x.astype(np.float64).astype(np.float32), np.asfortranarray(x)])
        np.testing.assert_array_equal(np.asarray(self.on_device(x)), x)

    def dlpack(self):
        x = self.array()
        a = jax.device_put(x, self.devices[0]) + 1
        view = np.from_dlpack(a)
        del a
        np.testing.assert_array_equal(view, x + 1)
        b = jnp.from_dlpack(np.ascontiguousarray(x + 0))
        close(b * 2, x * 2)

    def exchange(self):
        x = self.array()
        with pool_lock:
            pool.append((x, self.on_device(x)))
            expected, a = pool.pop(self.random.randrange(len(pool)))
            if len(pool) > 20:
                pool.clear()
        close(a + 1, expected + 1)

    def several_devices(self):
        count = len(self.devices)
        if count < 2:
            return
        mesh = jax.make_mesh((count,), ("x",), axis_types=(AxisType.Auto,))
        x = self.numbers.normal(size=(4 * count,)).astype(np.float32)
        a = jax.device_put(x, NamedSharding(mesh, PartitionSpec("x")))

        @functools.partial(jax.shard_map, mesh=mesh, in_specs=PartitionSpec("x"), out_specs=PartitionSpec())
        def total(part):
            return lax.psum(part.sum(), "x")

        close(total(a), x.sum())

    ACTIONS = [new_function, ahead_of_time, donate, delete_while_in_use, chain, callback, failing_callback, wrong_program,
               there_and_back, dlpack, exchange, several_devices] + 4 * [shared_function]  # fmt: skip

    def run_until(self, end, counts, failures):
        try:
            while time.monotonic() < end and not failures:
                action = self.random.choice(self.ACTIONS)
                action(self)
                counts[action.__name__] = counts.get(action.__name__, 0) + 1
        except BaseException:
            failures.append(traceback.format_exc())


def megabytes():
    """Of the process, when everything has been given back that can be."""
    jax.clear_caches()
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:
        pass
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    rounds = 5
    before = len(jax.live_arrays())
    sizes, counts = [], {}
    # A callback that fails says so at length.
    null = os.open(os.devnull, os.O_WRONLY)
    stderr = os.dup(2)
    for number in range(rounds):
        faulthandler.dump_traceback_later(options.seconds + 300, exit=True, file=os.fdopen(os.dup(stderr), "w"))
        failures = []
        workers = [Worker(options.seed * 1000003 + number * 1009 + i) for i in range(options.threads)]
        end = time.monotonic() + options.seconds / rounds
        own_counts = [{} for _ in workers]
        threads = [
            threading.Thread(target=worker.run_until, args=(end, own, failures))
            for worker, own in zip(workers, own_counts)
        ]
        os.dup2(null, 2)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        os.dup2(stderr, 2)
        faulthandler.cancel_dump_traceback_later()
        if failures:
            sys.exit("\n".join(failures))
        for own in own_counts:
            for name, count in own.items():
                counts[name] = counts.get(name, 0) + count
        del workers, threads
        pool.clear()
        gc.collect()
        left = len(jax.live_arrays()) - before
        if left > 0:
            sys.exit(f"round {number}: {left} arrays live on")
        sizes.append(megabytes())
    print(" ".join(f"{name}={count}" for name, count in sorted(counts.items())))
    print("MB after each round:", " ".join(f"{size:.0f}" for size in sizes))
    if sizes[-1] - sizes[1] > MOST_GROWTH:
        sys.exit("memory grows")


if __name__ == "__main__":
    main()
