"""JAX on Hilo, a little of everything. Run by scripts/test_jax in an environment with the wheel."""

import functools
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import io_callback
from jax.sharding import AxisType, NamedSharding, PartitionSpec

import hilo

X = np.arange(12, dtype=np.float32).reshape(3, 4) / 7


def close(a, b, tolerance=1e-5):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


HERE = pathlib.Path(__file__)


def start(program, **environment):
    """A Python process of its own, in the environment of this one and what is given."""
    return subprocess.Popen(
        [sys.executable, *(program if isinstance(program, list) else ["-c", program])],
        env={**os.environ, **environment}, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def run(program, **environment):
    """What the process writes to its two outputs, and its exit code."""
    process = start(program, **environment)
    output, errors = process.communicate(timeout=300)
    return output, errors, process.returncode


class Arrays(unittest.TestCase):
    def test_device(self):
        self.assertIn("hilo", jax.devices()[0].client.platform_version)

    def test_to_device_and_back(self):
        for kind in (np.bool_, np.int8, np.uint16, np.int32, np.float16, jnp.bfloat16, np.float32, np.complex64):
            with self.subTest(kind=kind):
                np.testing.assert_array_equal(jnp.asarray(X.astype(kind)), X.astype(kind))

    def test_transposed_array(self):
        close(jax.device_put(X.T) * 2, X.T * 2)

    def test_asarray_copies_nothing(self):
        x = jnp.asarray(X) + 1
        self.assertEqual(np.asarray(x).ctypes.data, x.unsafe_buffer_pointer())

    def test_dlpack(self):
        np.testing.assert_array_equal(np.from_dlpack(jnp.asarray(X)), X)

    def test_deleted(self):
        x = jnp.asarray(X) + 1
        x.delete()
        with self.assertRaisesRegex(RuntimeError, "deleted"):
            _ = x + 1

    def test_donated(self):
        x = jnp.asarray(X) + 1
        y = jax.jit(lambda a: a * 2, donate_argnums=0)(x)
        self.assertTrue(x.is_deleted())
        close(y, (X + 1) * 2)


class Programs(unittest.TestCase):
    def test_elementwise(self):
        close(jax.jit(lambda x: jnp.sin(x) * jnp.exp(-x) + jnp.sqrt(x))(X), np.sin(X) * np.exp(-X) + np.sqrt(X))

    def test_product(self):
        close(jnp.asarray(X) @ X.T, X @ X.T)

    def test_gradient(self):
        close(jax.grad(lambda x: (jnp.tanh(x) ** 2).sum())(X), 2 * np.tanh(X) * (1 - np.tanh(X) ** 2))

    def test_vmap(self):
        close(jax.vmap(jnp.dot, (0, None))(X, X[0]), X @ X[0])

    def test_loop(self):
        self.assertEqual(lax.fori_loop(0, 10, lambda i, s: s + i, 0), 45)

    def test_while(self):
        self.assertEqual(lax.while_loop(lambda x: x < 100, lambda x: x * 3, 1), 243)

    def test_scan(self):
        close(lax.scan(lambda s, x: (s + x, s + x), jnp.zeros(4), X)[1], np.cumsum(X, 0))

    def test_conditional(self):
        f = jax.jit(lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x))
        close(f(True, X), np.sin(X))
        close(f(False, X), np.cos(X))

    def test_sort(self):
        np.testing.assert_array_equal(jnp.sort(jnp.array([3, 1, 2])), [1, 2, 3])

    def test_top_k(self):
        np.testing.assert_array_equal(lax.top_k(jnp.array([3, 9, 2, 7]), 2)[1], [1, 3])

    def test_gather_and_scatter(self):
        close(jnp.asarray(X)[jnp.array([2, 0])], X[[2, 0]])
        close(jnp.zeros(5).at[jnp.array([1, 1, 3])].add(2.0), [0, 4, 0, 2, 0])

    def test_convolution(self):
        x = np.random.default_rng(0).normal(size=(1, 1, 8)).astype(np.float32)
        k = np.float32([[[1, 2, 3]]])
        close(lax.conv(x, k, (1,), "VALID")[0, 0], np.correlate(x[0, 0], k[0, 0], "valid"))

    def test_random_numbers(self):
        numbers = jax.random.normal(jax.random.key(0), (10000,))
        close([numbers.mean(), numbers.std()], [0, 1], 0.05)

    def test_fourier_transform(self):
        close(jnp.fft.fft(X), np.fft.fft(X), 1e-4)

    def test_linear_algebra(self):
        a = X[:, :3] + 3 * np.eye(3, dtype=np.float32)
        close(jnp.linalg.inv(a) @ a, np.eye(3), 1e-4)
        s = a + a.T
        w, v = jnp.linalg.eigh(s)
        close(v * w @ v.T, s, 1e-4)

    def test_special_functions(self):
        close(jax.scipy.special.erf(X), [[0.0, 0.160124, 0.313838, 0.455496], [0.580976, 0.687594, 0.774497, 0.842701],
                                         [0.893935, 0.930968, 0.956652, 0.97372]], 1e-4)  # fmt: skip

    def test_error_of_a_program(self):
        with self.assertRaises(Exception):
            jax.jit(lambda x: x @ x)(X)


class Calls(unittest.TestCase):
    def test_pure_callback(self):
        f = jax.jit(lambda x: jax.pure_callback(np.sort, jax.ShapeDtypeStruct((3,), np.float32), x))
        np.testing.assert_array_equal(f(np.float32([3, 1, 2])), [1, 2, 3])

    def test_ordered_io_callback(self):
        seen = []

        @jax.jit
        def f(x):
            for i in range(3):
                io_callback(seen.append, None, x + i, ordered=True)

        f(10)
        jax.effects_barrier()
        self.assertEqual([int(x) for x in seen], [10, 11, 12])

    def test_error_of_a_callback(self):
        def fail(_):
            raise ValueError("no value today")

        with self.assertRaisesRegex(Exception, "no value today"):
            jax.block_until_ready(jax.pure_callback(fail, jax.ShapeDtypeStruct((), np.float32), 1.0))


class Start(unittest.TestCase):
    """What is loaded late works, whatever needs it first. Without options, which need the core library at once."""

    PRELUDE = """
import jax, numpy as np
from jax.experimental import io_callback

def has_core():
    return "libhilo_core.so" in open("/proc/self/maps").read()
"""

    def check(self, program, output="done\n", **environment):
        found, errors, code = run(self.PRELUDE + program, HILO_FLAGS="", **environment)
        self.assertEqual((found, code), (output, 0), errors)

    def test_devices_need_little(self):
        self.check("""
device = jax.devices()[0]
print(device, device.id, device.device_kind, [memory.kind for memory in device.addressable_memories()], has_core())
x = jax.numpy.ones(3) + 1
print(x.device == device, float(x.sum()), has_core())
""", "TFRT_CPU_0 0 cpu ['device', 'pinned_host', 'unpinned_host'] False\nTrue 6.0 True\n")  # fmt: skip

    # The results have their elements in another order than programs have.
    CALLBACK = """
f = jax.jit(lambda: jax.pure_callback(lambda: np.arange(6, dtype=np.float32).reshape(3, 2).T,
                                      jax.ShapeDtypeStruct((2, 3), np.float32)))
"""

    def test_callback_comes_first(self):
        self.check(self.CALLBACK + "assert f().tolist() == [[0, 2, 4], [1, 3, 5]]; print('done')")

    def test_callback_is_lowered_first(self):
        program = "lowered = f.lower(); compiled = lowered.compile(); assert compiled()[1].tolist() == [1, 3, 5]; print('done')"
        self.check(self.CALLBACK + program)

    def test_threads_call_back_first(self):
        program = """
import threading
jax.devices()
seen = []
def work(i):
    f = jax.jit(lambda x: jax.pure_callback(lambda y: y + i, jax.ShapeDtypeStruct((), np.float32), x))
    seen.append(float(f(1.0)) == 1 + i)
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert seen == [True] * 8
print("done")
"""
        self.check(program)

    def test_handlers(self):
        """Those that are registered before the devices are known, after that, and after the first program."""
        program = """
from jaxlib import lapack
names = {name: function for name, function, *_ in lapack.registrations()["cpu"]}
lapack._lapack.initialize()
def check(target):
    call = jax.ffi.ffi_call(target, (jax.ShapeDtypeStruct((2, 2), np.float32), jax.ShapeDtypeStruct((), np.int32)),
                            input_layouts=[(1, 0)], output_layouts=[(1, 0), ()])
    factor = np.tril(call(np.float32([[4, 2], [2, 5]]), uplo=np.uint8(ord("L")))[0])
    assert factor.tolist() == [[2, 0], [1, 2]], factor
jax.ffi.register_ffi_target("early", names["lapack_spotrf_ffi"], platform="cpu")
jax.devices()
LATE
check("early")
jax.ffi.register_ffi_target("latest", names["lapack_spotrf_ffi"], platform="cpu")
check("latest")
print("done")
"""
        late = 'jax.ffi.register_ffi_target("late", names["lapack_spotrf_ffi"], platform="cpu"); check("late")'
        self.check(program.replace("LATE", ""))
        self.check(program.replace("LATE", late))

    def test_no_programs(self):
        self.check("jax.devices(); print('done')")

    def test_instead_of_cpu(self):
        self.check(self.CALLBACK + "assert f().tolist() == [[0, 2, 4], [1, 3, 5]]; print('done')",
                   PJRT_NAMES_AND_LIBRARY_PATHS=f"cpu:{hilo.library_path()}", JAX_PLATFORMS="cpu")  # fmt: skip


class Insight(unittest.TestCase):
    def test_ahead_of_time(self):
        compiled = jax.jit(jnp.sin).lower(X).compile()
        close(compiled(X), np.sin(X))
        self.assertIn("sine", compiled.as_text())
        self.assertGreater(compiled.memory_analysis().argument_size_in_bytes, 0)

    def test_export(self):
        exported = jax.export.export(jax.jit(jnp.cos), platforms=["cpu"])(X)
        close(jax.export.deserialize(exported.serialize()).call(X), np.cos(X))


class Places(unittest.TestCase):
    """Errors name the line of Python that made what fails."""

    def check(self, message, f):
        # The only line of `f` is below its name.
        place = f"{HERE.name}:{f.__code__.co_firstlineno + 1}"
        with self.assertRaises(Exception) as caught:
            jax.block_until_ready(jax.jit(f)(1.0))
        self.assertIn(message, str(caught.exception))
        self.assertIn(place, str(caught.exception))

    def test_compile(self):
        def f(x):
            return jax.ffi.ffi_call("no_such_target", jax.ShapeDtypeStruct((), np.float32))(x)

        self.check("no_such_target", f)

    def test_callback(self):
        def fail(_):
            raise ValueError("no value today")

        def f(x):
            return jax.pure_callback(fail, jax.ShapeDtypeStruct((), np.float32), x)

        self.check("no value today", f)


class Options(unittest.TestCase):
    """HILO_FLAGS and HILO_LOG."""

    PROGRAM = """
import jax, jax.numpy as jnp, numpy as np
@jax.jit
def square(x):
    return jnp.sin(x) @ x
print(np.asarray(square(np.ones((4, 4), np.float32))).shape, len(jax.devices()))
"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_flags(self):
        output, errors, code = run(self.PROGRAM, HILO_FLAGS="cpu_device_count=3 threads=1")
        self.assertEqual((output, code), ("(4, 4) 3\n", 0), errors)

    def test_unknown_flag(self):
        _, errors, code = run(self.PROGRAM, HILO_FLAGS="colour=green", JAX_PLATFORMS="hilo")
        self.assertNotEqual(code, 0)
        self.assertIn("there is no option colour", errors)
        self.assertIn("cache_dir", errors)

    def test_log(self):
        _, errors, _ = run(self.PROGRAM, HILO_LOG="compile")
        self.assertRegex(errors, r"hilo: compiled jit_square: \d+ instructions, [\d.]+ ms\n")

    def test_cache(self):
        flags = {"HILO_FLAGS": f"cache_dir={self.folder} log=compile"}
        self.assertNotIn("cached", run(self.PROGRAM, **flags)[1])
        # The same function, some lines further down.
        output, errors, _ = run("\n\n" + self.PROGRAM, **flags)
        self.assertRegex(errors, r"jit_square: .*, cached\n")
        self.assertIn("(4, 4)", output)
        for file in self.folder.iterdir():
            file.write_bytes(b"damaged")
        output, errors, _ = run(self.PROGRAM, **flags)
        self.assertNotIn("cached", errors)
        self.assertIn("(4, 4)", output)

    def test_dump(self):
        program = self.folder / "program.py"
        program.write_text(self.PROGRAM)
        _, errors, code = run([str(program)], HILO_FLAGS=f"dump_to={self.folder}/dump")
        self.assertEqual(code, 0, errors)
        dump = self.folder / "dump"
        self.assertIn("stablehlo.sine", (dump / "jit_square.mlir").read_text())
        self.assertTrue((dump / "jit_square.mlirbc").read_bytes().startswith(b"ML"))
        self.assertIn("program.py", (dump / "jit_square.00.input.hlo").read_text())
        self.assertIn("program.py:5", (dump / "jit_square.plan.txt").read_text())
        self.assertTrue((dump / "jit_square.output.hlo").exists())

    def test_explain(self):
        command = pathlib.Path(hilo.__file__).parent / "bin" / "hilo"
        if not command.exists():
            self.skipTest("the package has no command")
        lowered = jax.jit(lambda x: jnp.sin(x) @ x).lower(np.ones((4, 4), np.float32))
        file = self.folder / "program.mlir"
        file.write_text(lowered.as_text(debug_info=True))
        text = subprocess.run([command, "compile", "--explain", file], capture_output=True, text=True, check=True).stdout
        self.assertIn(HERE.name, text)


class Endings(unittest.TestCase):
    """Processes end as they should, whatever goes on."""

    # One turn of `slow` takes about a second.
    PRELUDE = """
import os, signal, sys, threading, time
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.experimental import io_callback

# A job that a shell has put into the background ignores SIGINT otherwise.
signal.signal(signal.SIGINT, signal.default_int_handler)

def loop(turns):
    return jax.jit(lambda x: lax.fori_loop(0, turns, lambda i, x: jnp.sin(x) + 1e-3, x))

x = jnp.ones(1000)
probe = loop(2000)
probe(x).block_until_ready()

def seconds():
    begin = time.time()
    probe(x).block_until_ready()
    return time.time() - begin

# Other load can disturb all of a few runs.
least, begin = 1.0, time.time()
while time.time() < begin + 0.5:
    least = min(least, seconds())
slow = loop(int(2000 / least))
"""

    def check(self, program, output="", code=0):
        found, errors, found_code = run(self.PRELUDE + program)
        self.assertEqual((found, found_code), (output, code), errors)

    def interrupt(self, program):
        """Sends SIGINT a while after the program has said that it begins."""
        process = start(self.PRELUDE + program)
        self.assertEqual(process.stdout.readline(), "begins\n")
        try:
            process.wait(0.3)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=300)
        self.assertIn("KeyboardInterrupt", output + errors)
        return output, process.returncode

    CAUGHT = """
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
"""

    def test_interrupt_while_waiting(self):
        program = "try:\n y = slow(x); print('begins', flush=True); y.block_until_ready(); print('ended')" + self.CAUGHT
        self.assertEqual(self.interrupt(program), ("KeyboardInterrupt\n", 0))

    def test_interrupt_between_calls(self):
        program = "try:\n print('begins', flush=True)\n while True: probe(x).block_until_ready()" + self.CAUGHT
        self.assertEqual(self.interrupt(program), ("KeyboardInterrupt\n", 0))

    def test_interrupt_in_a_callback(self):
        program = """
def wait(x):
    print("begins", flush=True)
    time.sleep(20)
    return x
jax.pure_callback(wait, jax.ShapeDtypeStruct((), np.float32), 1.0).block_until_ready()
"""
        self.assertNotEqual(self.interrupt(program)[1], 0)

    def test_interrupt_while_compiling(self):
        program = """
try:
    print('begins', flush=True)
    for i in range(100000):
        jax.jit(lambda x: jnp.sin(x) * i + jnp.cos(x @ x))(jnp.ones((8, 8)))
""" + self.CAUGHT
        self.assertEqual(self.interrupt(program), ("KeyboardInterrupt\n", 0))

    def test_work_in_flight(self):
        self.check("y = slow(x); z = [slow(y) for _ in range(2)]; print('leaves')", "leaves\n")

    def test_endless_work_in_flight(self):
        program = """
f = jax.jit(lambda x: lax.while_loop(lambda s: s[0] >= 0, lambda s: (1 - s[0], s[1] @ s[1]), (0, x)))
y = f(jnp.zeros((64, 64)))
print("leaves")
"""
        self.check(program, "leaves\n")

    def test_an_error_in_flight(self):
        self.check("y = slow(x); raise SystemExit(3)", code=3)

    def test_callbacks_in_flight(self):
        program = """
def wait(x):
    time.sleep(0.02)
    print(int(x), flush=True)
f = jax.jit(lambda x: (io_callback(wait, None, x, ordered=True), x + 1)[1])
for i in range(5):
    f(i)
"""
        self.check(program, "0\n1\n2\n3\n4\n")

    def test_threads(self):
        program = """
def work():
    for i in range(20):
        jax.jit(lambda x: jnp.sin(x) * i)(x).block_until_ready()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
"""
        self.check(program)

    def test_threads_in_callbacks(self):
        program = """
f = jax.jit(lambda x: jax.pure_callback(lambda y: y, jax.ShapeDtypeStruct((), np.float32), x))
def work():
    for i in range(200):
        assert f(float(i)) == i
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
"""
        self.check(program)

    def test_stress(self):
        output, errors, code = run([str(HERE.with_name("stress.py")), "--seconds", "5"])
        self.assertEqual(code, 0, output + errors)


@unittest.skipIf(len(jax.devices()) < 4, "needs four devices")
class SeveralDevices(unittest.TestCase):
    def setUp(self):
        self.mesh = jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,))

    def test_sharded_arguments(self):
        x = jax.device_put(np.arange(8.0, dtype=np.float32), NamedSharding(self.mesh, PartitionSpec("x")))
        y = jax.jit(lambda a: a * a + a.sum())(x)
        close(y, np.arange(8.0) ** 2 + 28)

    def test_shard_map(self):
        @functools.partial(jax.shard_map, mesh=self.mesh, in_specs=PartitionSpec("x"), out_specs=PartitionSpec())
        def total(part):
            return lax.psum(part.sum(), "x")

        self.assertEqual(total(jnp.arange(8.0)), 28)


class Training(unittest.TestCase):
    def test_classifier(self):
        random = np.random.default_rng(0)
        points = random.normal(size=(512, 2)).astype(np.float32)
        labels = (points[:, 0] * points[:, 1] > 0).astype(np.int32)
        keys = jax.random.split(jax.random.key(1), 2)
        weights = [jax.random.normal(keys[0], (2, 32)), jnp.zeros(32), jax.random.normal(keys[1], (32, 2)) / 6, jnp.zeros(2)]

        def scores(w, x):
            return jnp.tanh(x @ w[0] + w[1]) @ w[2] + w[3]

        def loss(w):
            return -jnp.take_along_axis(jax.nn.log_softmax(scores(w, points)), labels[:, None], 1).mean()

        @functools.partial(jax.jit, donate_argnums=0)
        def step(w):
            return jax.tree.map(lambda a, g: a - 0.5 * g, w, jax.grad(loss)(w))

        for _ in range(400):
            weights = step(weights)
        accuracy = (scores(weights, points).argmax(1) == labels).mean()
        self.assertGreater(accuracy, 0.95)


class WithoutJax(unittest.TestCase):
    def test_loaded_twice(self):
        program = f"""
import _ctypes, ctypes
path = {str(hilo.library_path())!r}
_ctypes.dlclose(ctypes.CDLL(path)._handle)
print(bool(ctypes.CDLL(path).GetPjrtApi()))
"""
        self.assertEqual(run(program)[::2], ("True\n", 0))

    PROGRAM = "HloModule m\nENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] add(x, x) }"

    def test_run(self):
        np.testing.assert_array_equal(hilo.run(self.PROGRAM, np.float32([1, 2])), [2, 4])

    def test_compile(self):
        twice = hilo.compile(self.PROGRAM)
        for i in range(3):
            np.testing.assert_array_equal(twice(np.float32([i, 2])), [2 * i, 4])

    def test_stablehlo(self):
        text = jax.jit(lambda x: (x + 1, x.sum())).lower(X).as_text()
        plus, total = hilo.run(text, X)
        close(plus, X + 1)
        close(total, X.sum())

    def test_error(self):
        with self.assertRaisesRegex(hilo.HiloError, "expected"):
            hilo.compile("HloModule m\nENTRY {")

    def test_trim_memory(self):
        x = np.ones(4 << 20, np.float32)
        hilo.run(f"HloModule m\nENTRY e {{ x = f32[{x.size}] parameter(0)  ROOT y = f32[{x.size}] add(x, x) }}", x)
        self.assertGreater(hilo.trim_memory(), 0)
        self.assertEqual(hilo.trim_memory(), 0)


if __name__ == "__main__":
    unittest.main()
