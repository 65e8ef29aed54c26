"""Training on several processes, whose state outlives them: who is killed goes on where it was.

    pip install hilo-*.whl
    python3 examples/jax/distributed_training.py --folder checkpoints

starts four processes of this machine. Each has a part of the batch and of the weights, and every few steps
writes its parts to a file of its own. Start it again after it was interrupted (`--die-at 25` does that: one
process kills itself) and it goes on behind the last step that all have written, to the same weights.
"""

import argparse
import os
import pathlib
import signal
import socket
import subprocess
import sys
import zlib

import numpy as np

HIDDEN, BATCH, STEPS, STEPS_OF_CHECKPOINT = 64, 256, 40, 10


def train(arguments):
    import jax
    import jax.numpy as jnp
    from jax.experimental import multihost_utils
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    jax.distributed.initialize(arguments.address, arguments.processes, arguments.process)
    mesh = Mesh(np.array(jax.devices()), ("all",))
    rows = NamedSharding(mesh, PartitionSpec("all"))

    def initial(shape, seed):
        whole = np.random.default_rng(seed).normal(size=shape).astype(np.float32) / np.sqrt(shape[0])
        return jax.make_array_from_callback(shape, rows, lambda index: whole[index])

    shapes = {"first": (32, HIDDEN), "second": (HIDDEN, HIDDEN), "last": (HIDDEN, 8)}
    weights = {name: initial(shape, seed) for seed, (name, shape) in enumerate(shapes.items())}
    momentum = {name: jax.device_put(jnp.zeros_like(value), rows) for name, value in weights.items()}

    def loss(weights, x, y):
        hidden = jnp.tanh(jnp.tanh(x @ weights["first"]) @ weights["second"])
        return ((hidden @ weights["last"] - y) ** 2).mean()

    @jax.jit
    def step(weights, momentum, x, y):
        error, gradients = jax.value_and_grad(loss)(weights, x, y)
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradients)
        weights = jax.tree.map(lambda w, m: w - 0.05 * m, weights, momentum)
        keep = lambda tree: jax.tree.map(lambda array: jax.lax.with_sharding_constraint(array, rows), tree)
        return keep(weights), keep(momentum), error

    # ---- The state on disk: of each step a folder, in it a file of each process.
    folder = pathlib.Path(arguments.folder)
    latest = folder / "latest"

    def file_of(step):
        return folder / f"step-{step}" / f"process-{arguments.process}.npz"

    def save(step, state):
        parts = {}
        for name, array in zip(names, jax.tree.leaves(state)):
            for k, shard in enumerate(array.addressable_shards):
                parts[f"{name}.{k}"] = np.asarray(shard.data)
        file_of(step).parent.mkdir(parents=True, exist_ok=True)
        np.savez(file_of(step), **parts)
        multihost_utils.sync_global_devices(f"written {step}")
        if arguments.process == 0:
            unfinished = folder / "latest.new"
            unfinished.write_text(str(step))
            unfinished.rename(latest)

    def restored(step, state):
        parts = np.load(file_of(step))

        def array_of(name, array):
            shards = [jax.device_put(parts[f"{name}.{k}"], shard.device)
                      for k, shard in enumerate(array.addressable_shards)]
            return jax.make_array_from_single_device_arrays(array.shape, array.sharding, shards)

        leaves, tree = jax.tree.flatten(state)
        return jax.tree.unflatten(tree, [array_of(*each) for each in zip(names, leaves)])

    names = [f"{kind}.{name}" for kind in ("weights", "momentum") for name in sorted(shapes)]
    begin = int(latest.read_text()) if latest.exists() else 0
    if begin > 0:
        weights, momentum = restored(begin, (weights, momentum))
    if arguments.process == 0:
        print(f"begins behind step {begin}", flush=True)
    for number in range(begin, STEPS):
        if number == arguments.die_at and arguments.process == arguments.processes - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        generator = np.random.default_rng(1000 + number)
        x = generator.normal(size=(BATCH, 32)).astype(np.float32)
        y = np.sin(x[:, :8] + x[:, 8:16])
        divided = [jax.make_array_from_callback(part.shape, rows, lambda index, part=part: part[index])
                   for part in (x, y)]
        weights, momentum, _ = step(weights, momentum, *divided)
        if (number + 1) % STEPS_OF_CHECKPOINT == 0:
            save(number + 1, (weights, momentum))
    whole = multihost_utils.process_allgather(weights, tiled=True)
    if arguments.process == 0:
        digest = zlib.crc32(b"".join(np.asarray(whole[name]).tobytes() for name in sorted(shapes)))
        print(f"weights with the digest {digest:08x}", flush=True)
    jax.distributed.shutdown()


def start(arguments):
    """Starts the processes and waits for them; when one ends badly, the others are not waited for."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    pathlib.Path(arguments.folder).mkdir(parents=True, exist_ok=True)
    processes = [
        subprocess.Popen([sys.executable, __file__, "--folder", arguments.folder, "--processes", str(arguments.processes),
                          "--die-at", str(arguments.die_at), "--process", str(process), "--address", address])
        for process in range(arguments.processes)
    ]
    code = 0
    while processes and code == 0:
        for process in list(processes):
            try:
                code = code or process.wait(timeout=0.1)
                processes.remove(process)
            except subprocess.TimeoutExpired:
                pass
    for process in processes:
        process.kill()
        process.wait()
    if code != 0:
        print("a process has ended: start again to go on", file=sys.stderr)
    return min(abs(code), 127)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default="checkpoints", help="where the state is kept")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--die-at", type=int, default=-1, help="the step at which the last process kills itself")
    parser.add_argument("--process", type=int, help="which of the processes this is; none starts them")
    parser.add_argument("--address", help="where process 0 listens")
    arguments = parser.parse_args()
    if arguments.process is None:
        sys.exit(start(arguments))
    train(arguments)


if __name__ == "__main__":
    main()
