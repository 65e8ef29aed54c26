"""Programs with shardings as people write them, for `compare_bytes.py`.

A program gives a function, the shapes of its arguments as a tree, and how each is divided, as a tree of tuples of mesh axes; results
that are named likewise are divided as that says. Training steps give back the weights as they got them.
"""

import dataclasses
import typing

import jax
import jax.numpy as jnp
from jax import lax


@dataclasses.dataclass
class Program:
    mesh: dict  # axes and their sizes
    run: typing.Callable
    shapes: typing.Any  # of the arguments
    divided: typing.Any  # the arguments
    results: typing.Any  # divided like this; None leaves it to the compiler


PROGRAMS = {}


def program(name):
    def add(make):
        PROGRAMS[name] = make
        return make

    return add


def training(mesh, loss, weights, weights_divided, inputs, inputs_divided):
    """A step of gradient descent `(weights, *inputs) -> (weights, loss)`."""

    def step(weights, *inputs):
        value, gradients = jax.value_and_grad(loss)(weights, *inputs)
        return jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradients), value

    return Program(mesh, step, (weights, *inputs), (weights_divided, *inputs_divided), (weights_divided, ()))


def constrain(x, *axes):
    return lax.with_sharding_constraint(x, jax.sharding.PartitionSpec(*axes))


# ---- Layers of dense products


def mlp(mesh, batch, up, down):
    def loss(weights, x, y):
        for _ in range(2):
            x = x + jax.nn.gelu(x @ weights["up"] + weights["up_bias"]) @ weights["down"]
        return ((x - y) ** 2).mean()

    weights = {"up": (512, 2048), "up_bias": (2048,), "down": (2048, 512)}
    divided = {"up": up, "up_bias": (up[1],) if len(up) > 1 else (), "down": down}
    return training(mesh, loss, weights, divided, [(1024, 512)] * 2, [batch] * 2)


@program("MLP, data")
def _():
    return mlp({"data": 8}, ("data",), (), ())


@program("MLP, tensor")
def _():
    return mlp({"model": 8}, (), (None, "model"), ("model",))


@program("MLP, data and tensor")
def _():
    return mlp({"data": 2, "model": 4}, ("data",), (None, "model"), ("model",))


@program("MLP, weights divided as the data")
def _():
    return mlp({"data": 8}, ("data",), ("data",), ("data",))


@program("MLP, in two dimensions")
def _():
    return mlp({"x": 2, "y": 4}, ("x", "y"), ("y", "x"), ("x", "y"))


# ---- A transformer

WIDTH, HEADS, VOCABULARY = 512, 8, 4096


def normalize(x, scale):
    return x * lax.rsqrt((x**2).mean(-1, keepdims=True) + 1e-6) * scale


def attend(x, weights, mask=True):
    q, k, v = (jnp.einsum("bsd,dhk->bhsk", x, weights[name]) for name in ("q", "k", "v"))
    scores = jnp.einsum("bhsk,bhtk->bhst", q, k) / q.shape[-1] ** 0.5
    if mask:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
    return jnp.einsum("bhst,bhtk,hkd->bsd", jax.nn.softmax(scores), v, weights["out"])


LAYER = {
    "q": (WIDTH, HEADS, WIDTH // HEADS),
    "k": (WIDTH, HEADS, WIDTH // HEADS),
    "v": (WIDTH, HEADS, WIDTH // HEADS),
    "out": (HEADS, WIDTH // HEADS, WIDTH),
    "up": (WIDTH, 4 * WIDTH),
    "down": (4 * WIDTH, WIDTH),
    "scale1": (WIDTH,),
    "scale2": (WIDTH,),
}


def transformer(mesh, batch, model, rows=None, sequence=None):
    """`model` divides heads and the hidden layer, `rows` the weights' other dimension, `sequence` activations between layers."""

    def loss(weights, x, y):
        for _ in range(2):
            x = x + attend(normalize(x, weights["scale1"]), weights)
            if sequence:
                x = constrain(x, batch, sequence)
            x = x + jax.nn.gelu(normalize(x, weights["scale2"]) @ weights["up"]) @ weights["down"]
            if sequence:
                x = constrain(x, batch, sequence)
        return ((x - y) ** 2).mean()

    heads = (rows, model)
    divided = {"q": heads, "k": heads, "v": heads, "out": (model, None, rows)}
    divided |= {"up": (rows, model), "down": (model, rows), "scale1": (), "scale2": ()}
    inputs = (batch, sequence)
    return training(mesh, loss, LAYER, divided, [(16, 256, WIDTH)] * 2, [inputs] * 2)


@program("transformer, data")
def _():
    return transformer({"data": 8}, "data", None)


@program("transformer, tensor")
def _():
    return transformer({"model": 8}, None, "model")


@program("transformer, data and tensor")
def _():
    return transformer({"data": 2, "model": 4}, "data", "model")


@program("transformer, tensor and sequence")
def _():
    return transformer({"data": 2, "model": 4}, "data", "model", sequence="model")


@program("transformer, weights divided as the data")
def _():
    return transformer({"data": 8}, "data", None, rows="data")


@program("transformer, weights by data and tensor")
def _():
    return transformer({"data": 2, "model": 4}, "data", "model", rows="data")


def attention(mesh, divided):
    def run(q, k, v):
        scores = jnp.einsum("bhsk,bhtk->bhst", q, k) / 8
        return jnp.einsum("bhst,bhtk->bhsk", jax.nn.softmax(scores), v)

    return Program(mesh, run, ((4, 8, 512, 64),) * 3, divided, divided[0])


@program("attention, heads")
def _():
    return attention({"model": 8}, ((None, "model"),) * 3)


@program("attention, queries")
def _():
    return attention({"sequence": 8}, ((None, None, "sequence"), (), ()))


@program("attention, queries and keys")
def _():
    return attention({"sequence": 8}, ((None, None, "sequence"),) * 3)


@program("attention, batch and queries")
def _():
    return attention({"data": 2, "sequence": 4}, (("data", None, "sequence"), ("data",), ("data",)))


# ---- Embeddings


def embedding(mesh, table, batch, logits=False):
    def loss(weights, tokens, targets):
        x = weights["table"][tokens]
        x = jnp.tanh(x @ weights["layer"])
        if not logits:
            return (x**2).mean()
        scores = jax.nn.log_softmax(x @ weights["table"].T)
        return -jnp.take_along_axis(scores, targets[..., None], -1).mean()

    weights = {"table": (VOCABULARY, WIDTH), "layer": (WIDTH, WIDTH)}
    divided = {"table": table, "layer": ()}
    tokens = jax.ShapeDtypeStruct((64, 32), jnp.int32)
    return training(mesh, loss, weights, divided, [tokens] * 2, [batch] * 2)


@program("embedding, data")
def _():
    return embedding({"data": 8}, (), ("data",))


@program("embedding, rows of the table")
def _():
    return embedding({"model": 8}, ("model",), ())


@program("embedding, columns of the table")
def _():
    return embedding({"model": 8}, (None, "model"), ())


@program("embedding, rows and data")
def _():
    return embedding({"data": 2, "model": 4}, ("model",), ("data",))


@program("embedding and logits, rows and data")
def _():
    return embedding({"data": 2, "model": 4}, ("model",), ("data",), logits=True)


# ---- Experts


@program("mixture of experts")
def _():
    def loss(weights, x):
        gates = jax.nn.softmax(x @ weights["gate"])
        sent = jnp.einsum("gse,gsd->egsd", gates, x)
        hidden = jax.nn.relu(jnp.einsum("egsd,edf->egsf", sent, weights["up"]))
        back = jnp.einsum("egsf,efd->egsd", hidden, weights["down"])
        return (jnp.einsum("gse,egsd->gsd", gates, back) ** 2).mean()

    weights = {"gate": (256, 8), "up": (8, 256, 1024), "down": (8, 1024, 256)}
    divided = {"gate": (), "up": ("data",), "down": ("data",)}
    return training({"data": 8}, loss, weights, divided, [(8, 128, 256)], [("data",)])


# ---- Convolutions and stencils


def convolutions(mesh, batch, features=None, spatial=None):
    def layer(x, kernel):
        x = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return jax.nn.relu(x)

    def loss(weights, x, labels):
        x = layer(x, weights["k1"])
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = layer(x, weights["k2"])
        x = x.mean((1, 2)) @ weights["dense"]
        return -(jax.nn.log_softmax(x) * labels).sum(-1).mean()

    weights = {"k1": (3, 3, 16, 64), "k2": (3, 3, 64, 64), "dense": (64, 16)}
    divided = {"k1": (None, None, None, features), "k2": (None, None, features), "dense": ()}
    return training(mesh, loss, weights, divided, [(32, 32, 32, 16), (32, 16)], [(batch, spatial), (batch,)])


@program("convolutions, data")
def _():
    return convolutions({"data": 8}, "data")


@program("convolutions, features")
def _():
    return convolutions({"model": 8}, None, "model")


@program("convolutions, data and features")
def _():
    return convolutions({"data": 2, "model": 4}, "data", "model")


@program("convolutions, rows of the image")
def _():
    return convolutions({"rows": 4, "data": 2}, "data", spatial="rows")


def heat(mesh, divided, step):
    def run(x):
        for _ in range(4):
            x = step(x)
        return x

    return Program(mesh, run, ((1024, 1024),), (divided,), divided)


def rolled(x):
    around = sum(jnp.roll(x, by, axis) for by in (-1, 1) for axis in (0, 1))
    return x + 0.1 * (around - 4 * x)


def convolved(x):
    kernel = jnp.array([[0, 0.1, 0], [0.1, 0.6, 0.1], [0, 0.1, 0]])
    return lax.conv(x[None, None], kernel[None, None], (1, 1), "SAME")[0, 0]


def padded(x):
    p = jnp.pad(x, 1)
    return x + 0.1 * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * x)


for kind in (rolled, convolved, padded):
    PROGRAMS[f"stencil {kind.__name__}, rows"] = lambda kind=kind: heat({"x": 8}, ("x",), kind)
    PROGRAMS[f"stencil {kind.__name__}, tiles"] = lambda kind=kind: heat({"x": 2, "y": 4}, ("x", "y"), kind)


# ---- Others


@program("products in a row, in two dimensions")
def _():
    def run(a, b, c):
        return (a @ b) @ c

    return Program({"x": 2, "y": 4}, run, ((1024, 1024),) * 3, (("x", "y"),) * 3, ("x", "y"))


@program("transposition")
def _():
    return Program({"x": 2, "y": 4}, lambda a: a.T + 1, ((1024, 1024),), (("x", "y"),), ("x", "y"))


@program("normalisation over the divided dimension")
def _():
    def run(x):
        return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-6)

    return Program({"x": 8}, run, ((512, 4096),), ((None, "x"),), (None, "x"))


@program("Adam, its state divided")
def _():
    def step(w, m, v, x, y):
        gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
        m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
        return w - 0.01 * m / (jnp.sqrt(v) + 1e-8), m, v

    divided = ((), ("data",), ("data",), ("data",), ("data",))
    return Program({"data": 8}, step, ((1024, 1024),) * 3 + ((512, 1024),) * 2, divided, divided[:3])
