"""Trains a classifier on handwritten digits with flax and optax, on Hilo.

    pip install hilo-*.whl flax optax
    python3 examples/jax/digits.py
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn

DATA = pathlib.Path(__file__).parent.parent / "digits/digits.txt"


class Network(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(64)(x))
        return nn.Dense(10)(x)


def load():
    """Images of 64 pixels, and which digit each shows. digits.txt says how they are written."""
    rows = [line.split() for line in DATA.read_text().splitlines() if not line.startswith("#")]
    pixels = [[int(pixel, 17) for pixel in row[1]] for row in rows]
    return np.float32(pixels) / 16, np.int32([row[0] for row in rows])


def main():
    images, digits = load()
    network, optimizer = Network(), optax.adam(1e-2)
    weights = network.init(jax.random.key(0), images[:1])
    state = optimizer.init(weights)

    def loss(weights, x, y):
        return optax.softmax_cross_entropy_with_integer_labels(network.apply(weights, x), y).mean()

    @jax.jit
    def step(weights, state, x, y):
        updates, state = optimizer.update(jax.grad(loss)(weights, x, y), state)
        return optax.apply_updates(weights, updates), state

    held_back = len(digits) // 5
    random = np.random.default_rng(0)
    for _ in range(500):
        batch = random.integers(held_back, len(digits), 128)
        weights, state = step(weights, state, images[batch], digits[batch])
    right = network.apply(weights, images[:held_back]).argmax(-1) == digits[:held_back]
    print(f"{jax.devices()[0].client.platform_version}: {jnp.mean(right):.1%} of {held_back} right")


if __name__ == "__main__":
    main()
