"""Exports a small network as StableHLO, for examples/serve.

    pip install "jax==0.10.2" flatbuffers
    python3 examples/jax/export_model.py model.mlirbc
"""

import sys

import jax
import jax.numpy as jnp


def network(x):
    for i, key in enumerate(jax.random.split(jax.random.key(0), 3)):
        x = jnp.tanh(x @ jax.random.normal(key, (64, 64)) / 8)
    return jax.nn.softmax(x)


exported = jax.export.export(jax.jit(network), platforms=["cpu"])(
    jax.ShapeDtypeStruct((32, 64), jnp.float32)
)
with open(sys.argv[1], "wb") as file:
    file.write(exported.mlir_module_serialized)
