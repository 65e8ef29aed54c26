"""jax.distributed on the installed wheel: processes of one machine train on data that is divided among them."""

import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

PROCESSES = 2
TRAINING = pathlib.Path(__file__).parents[2] / "examples/jax/distributed_training.py"
WORKER = """
import sys

rank, processes, address = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

jax.distributed.initialize(address, num_processes=processes, process_id=rank)
devices = jax.devices()
assert devices[0].platform == "hilo" or "hilo" in devices[0].client.platform_version, devices
assert jax.process_count() == processes and jax.process_index() == rank
assert jax.device_count() == processes * jax.local_device_count(), devices
assert {device.process_index for device in jax.local_devices()} == {rank}

mesh = Mesh(np.array(devices), ("batch",))
rows = NamedSharding(mesh, PartitionSpec("batch"))
generator = np.random.default_rng(0)
x, w = generator.normal(size=(64, 8)).astype(np.float32), generator.normal(size=8).astype(np.float32)
y = x @ w


def divided(array):
    return jax.make_array_from_callback(array.shape, rows, lambda index: array[index])


@jax.jit
def step(weights, x, y):
    error = lambda weights: ((x @ weights - y) ** 2).mean()
    return weights - 0.1 * jax.grad(error)(weights)


data, wanted = divided(x), divided(y)
weights = jnp.zeros(8)
for _ in range(300):
    weights = step(weights, data, wanted)
np.testing.assert_allclose(np.asarray(weights.addressable_data(0)), w, atol=1e-4)

total = jax.jit(jax.shard_map(lambda part: jax.lax.psum(part.sum(0), "batch"), mesh=mesh,
                              in_specs=PartitionSpec("batch"), out_specs=PartitionSpec()))(data)
np.testing.assert_allclose(np.asarray(total.addressable_data(0)), x.sum(0), atol=1e-4)
np.testing.assert_array_equal(multihost_utils.process_allgather(data, tiled=True), x)
multihost_utils.sync_global_devices("end")
jax.distributed.shutdown()
print("done")
"""


class DistributedTest(unittest.TestCase):
    def test_trains_on_several_processes(self):
        with socket.socket() as free:
            free.bind(("localhost", 0))
            address = f"localhost:{free.getsockname()[1]}"
        workers = [
            subprocess.Popen([sys.executable, "-c", WORKER, str(rank), str(PROCESSES), address],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for rank in range(PROCESSES)
        ]
        outputs = [worker.communicate(timeout=300)[0] for worker in workers]
        for worker, output in zip(workers, outputs):
            self.assertEqual(worker.returncode, 0, output)
            self.assertIn("done", output)

    def test_goes_on_where_a_process_was_killed(self):
        def train(folder, *more):
            return subprocess.run([sys.executable, TRAINING, "--folder", folder, *more], capture_output=True, text=True,
                                  timeout=600)

        with tempfile.TemporaryDirectory() as folder:
            whole = train(f"{folder}/whole")
            self.assertEqual(whole.returncode, 0, whole.stderr)
            self.assertIn("begins behind step 0\n", whole.stdout)
            killed = train(f"{folder}/parts", "--die-at", "25")
            self.assertNotEqual(killed.returncode, 0, killed.stdout)
            rest = train(f"{folder}/parts")
            self.assertEqual(rest.returncode, 0, rest.stderr)
            self.assertIn("begins behind step 20\n", rest.stdout)
            self.assertIn("digest", rest.stdout)
            self.assertEqual(rest.stdout.split("\n")[1:], whole.stdout.split("\n")[1:])


if __name__ == "__main__":
    unittest.main()
