"""JAX on Hilo, a little of everything. Run by scripts/test_jax in an environment with the wheel."""

import functools
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


class Insight(unittest.TestCase):
    def test_ahead_of_time(self):
        compiled = jax.jit(jnp.sin).lower(X).compile()
        close(compiled(X), np.sin(X))
        self.assertIn("sine", compiled.as_text())
        self.assertGreater(compiled.memory_analysis().argument_size_in_bytes, 0)

    def test_export(self):
        exported = jax.export.export(jax.jit(jnp.cos), platforms=["cpu"])(X)
        close(jax.export.deserialize(exported.serialize()).call(X), np.cos(X))


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


if __name__ == "__main__":
    unittest.main()
