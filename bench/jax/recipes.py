"""Programs as users of well-known JAX libraries write them, of real size, for `libraries.py`.

A recipe imports its library, prepares data and gives a function `run(steps)`, which starts over, takes
that many steps and returns what to compare, arrays by name. Whatever is compiled is compiled by the first call.
"""

import dataclasses
import functools
import typing


@dataclasses.dataclass
class Recipe:
    modules: tuple  # what must be installed
    tolerance: float  # of each array, as a part of its largest number
    prepare: typing.Callable


RECIPES = {}


def recipe(name, *modules, tolerance):
    def add(prepare):
        RECIPES[name] = Recipe(modules, tolerance, prepare)
        return prepare

    return add


def train(step, state, *inputs):
    """Run of a training step `(state, index, *inputs) -> (state, loss)`; losses are compared."""
    import jax
    import jax.numpy as jnp

    step = jax.jit(step)

    def run(steps):
        now, losses = state, []
        for i in range(steps):
            now, loss = step(now, i, *inputs)
            losses.append(loss)
        return {"losses": jnp.stack(losses)}

    return run


def labelled_images(count, size, classes, channels=3):
    """Noise with a bright square whose place depends on the class."""
    import numpy as np

    generator = np.random.default_rng(0)
    images = generator.normal(size=(count, size, size, channels)).astype(np.float32)
    labels = generator.integers(0, classes, count)
    for image, label in zip(images, labels):
        at = int(label) * (size - 4) // classes
        image[at : at + 4, at : at + 4] += 2
    return images, labels


# Losses of training differ more with each step: a rounding error in a gradient moves a weight, and Adam divides
# small gradients by their own size. Over 100 steps at these rates they stay within a thousandth.
@recipe("flax", "flax", "optax", tolerance=1e-3)
def vision_transformer():
    import jax
    import jax.numpy as jnp
    import optax
    from flax import linen as nn
    from flax.training.train_state import TrainState

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            y = nn.LayerNorm()(x)
            y = nn.MultiHeadDotProductAttention(num_heads=3, dropout_rate=0.1, deterministic=not train)(y, y)
            x = x + nn.Dropout(0.1, deterministic=not train)(y)
            y = nn.Dense(4 * x.shape[-1])(nn.LayerNorm()(x))
            return x + nn.Dense(x.shape[-1])(nn.gelu(y))

    class Transformer(nn.Module):
        @nn.compact
        def __call__(self, images, train):
            x = nn.Conv(192, (4, 4), strides=(4, 4))(images)
            x = x.reshape(x.shape[0], -1, x.shape[-1])
            start = self.param("start", nn.initializers.zeros, (1, 1, x.shape[-1]))
            x = jnp.concatenate([jnp.tile(start, (x.shape[0], 1, 1)), x], 1)
            x = x + self.param("places", nn.initializers.normal(0.02), (1, *x.shape[1:]))
            for _ in range(6):
                x = Block()(x, train)
            return nn.Dense(10)(nn.LayerNorm()(x)[:, 0])

    images, labels = labelled_images(8, 32, 10)
    model = Transformer()
    weights = jax.jit(functools.partial(model.init, train=False))(jax.random.key(0), images)["params"]
    state = TrainState.create(apply_fn=model.apply, params=weights, tx=optax.adamw(1e-4))

    def step(state, i, images, labels):
        def loss(weights):
            key = jax.random.fold_in(jax.random.key(1), i)
            logits = state.apply_fn({"params": weights}, images, train=True, rngs={"dropout": key})
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

        value, gradient = jax.value_and_grad(loss)(state.params)
        return state.apply_gradients(grads=gradient), value

    return train(step, state, images, labels)


@recipe("optax", "optax", tolerance=1e-3)
def language_model():
    """A recurrent network over characters, in plain JAX, with a chain of optax's transformations."""
    import jax
    import jax.numpy as jnp
    import optax

    letters, width, layers = 64, 256, 2
    text = jax.random.randint(jax.random.key(0), (16, 65), 0, letters)
    text = jnp.cumsum(text % 3, 1) % letters
    keys = iter(jax.random.split(jax.random.key(1), 2 + 2 * layers))
    weights = {
        "embedding": 0.1 * jax.random.normal(next(keys), (letters, width)),
        "out": 0.1 * jax.random.normal(next(keys), (width, letters)),
        "cells": [
            {
                "gates": jax.random.normal(next(keys), (2 * width, 2 * width)) / width,
                "new": jax.random.normal(next(keys), (2 * width, width)) / width,
            }
            for _ in range(layers)
        ],
    }

    def cell(weights, h, x):
        both = jnp.concatenate([x, h], -1)
        forget, update = jnp.split(jax.nn.sigmoid(both @ weights["gates"]), 2, -1)
        new = jnp.tanh(jnp.concatenate([x, forget * h], -1) @ weights["new"])
        return update * h + (1 - update) * new

    def loss(weights, text):
        x = weights["embedding"][text[:, :-1].T]
        for layer in weights["cells"]:

            def advance(h, x, layer=layer):
                h = cell(layer, h, x)
                return h, h

            x = jax.lax.scan(advance, jnp.zeros(x.shape[1:]), x)[1]
        return optax.softmax_cross_entropy_with_integer_labels(x @ weights["out"], text[:, 1:].T).mean()

    optimizer = optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.adamw(optax.warmup_cosine_decay_schedule(0.0, 1e-3, 10, 100), mask=lambda w: jax.tree.map(lambda x: x.ndim > 1, w)),
        optax.ema(0.9),
    )
    optimizer = optax.apply_if_finite(optimizer, 3)

    def step(state, i, text):
        weights, memory = state
        value, gradient = jax.value_and_grad(loss)(weights, text)
        updates, memory = optimizer.update(gradient, memory, weights)
        return (optax.apply_updates(weights, updates), memory), value

    return train(step, (weights, optimizer.init(weights)), text)


@recipe("equinox", "equinox", "diffrax", "optax", tolerance=1e-3)
def neural_differential_equation():
    import diffrax
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import optax

    class Field(eqx.Module):
        network: eqx.nn.MLP

        def __init__(self, key):
            self.network = eqx.nn.MLP(2, 2, 64, 2, activation=jax.nn.softplus, key=key)

        def __call__(self, t, y, args):
            return self.network(y)

    times = jnp.linspace(0, 10, 50)

    def solve(field, start):
        return diffrax.diffeqsolve(
            diffrax.ODETerm(field),
            diffrax.Tsit5(),
            times[0],
            times[-1],
            times[1] - times[0],
            start,
            stepsize_controller=diffrax.PIDController(rtol=1e-3, atol=1e-6),
            saveat=diffrax.SaveAt(ts=times),
        ).ys

    def spiral(t, y, args):
        x = y / (1 + y)
        return jnp.stack([x[1], -x[0]])

    starts = jax.random.uniform(jax.random.key(0), (32, 2), minval=-0.6, maxval=1)
    curves = jax.jit(jax.vmap(functools.partial(solve, spiral)))(starts)
    optimizer = optax.adabelief(3e-3)
    field = Field(jax.random.key(1))

    @eqx.filter_jit
    def step(field, memory, curves):
        def loss(field):
            return ((jax.vmap(functools.partial(solve, field))(curves[:, 0]) - curves) ** 2).mean()

        value, gradient = eqx.filter_value_and_grad(loss)(field)
        updates, memory = optimizer.update(gradient, memory)
        return eqx.apply_updates(field, updates), memory, value

    def run(steps):
        now, memory, losses = field, optimizer.init(eqx.filter(field, eqx.is_inexact_array)), []
        for _ in range(steps):
            now, memory, value = step(now, memory, curves)
            losses.append(value)
        return {"losses": jnp.stack(losses)}

    return run


def regression(rows=2000, columns=20):
    """Yes and no by a linear rule with noise."""
    import numpy as np

    generator = np.random.default_rng(0)
    x = generator.normal(size=(rows, columns)).astype(np.float32)
    rule = generator.normal(size=columns) * (generator.random(columns) < 0.5)
    return x, (x @ rule + generator.logistic(size=rows) > 0).astype(np.int32)


# Rounding errors send two chains different ways after some steps. Both then draw from the same distribution: means of
# 50 draws agree as well as such means do.
@recipe("numpyro", "numpyro", tolerance=5e-2)
def hierarchical_regression():
    import jax
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import MCMC, NUTS

    x, y = regression()

    def model(x, y):
        scale = numpyro.sample("scale", dist.HalfNormal(1.0))
        shift = numpyro.sample("shift", dist.Normal(0.0, 2.0))
        with numpyro.plate("columns", x.shape[1]):
            rule = numpyro.sample("rule", dist.Normal(0.0, 1.0))
        numpyro.sample("y", dist.Bernoulli(logits=shift + x @ (scale * rule)), obs=y)

    sampler = MCMC(NUTS(model), num_warmup=50, num_samples=50, progress_bar=False)

    def run(steps):
        sampler.run(jax.random.key(0), x, y)
        samples = sampler.get_samples()
        return {"weights": (samples["scale"][:, None] * samples["rule"]).mean(0)}

    return run


# As above, with eight chains.
@recipe("blackjax", "blackjax", tolerance=5e-2)
def chains():
    import blackjax
    import jax
    import jax.numpy as jnp
    from jax.scipy import stats

    x, y = regression(500, 10)

    def log_density(at):
        logits = at["shift"] + x @ at["rule"]
        likelihood = jnp.where(y == 1, jax.nn.log_sigmoid(logits), jax.nn.log_sigmoid(-logits)).sum()
        return likelihood + stats.norm.logpdf(at["shift"]) + stats.norm.logpdf(at["rule"]).sum()

    start = {"shift": jnp.zeros(()), "rule": jnp.zeros(x.shape[1])}
    kernel = blackjax.nuts(log_density, step_size=0.1, inverse_mass_matrix=jnp.full(11, 0.02))
    states = jax.vmap(kernel.init)(jax.tree.map(lambda v: jnp.stack([v + 0.1 * i for i in range(8)]), start))

    @jax.jit
    def step(key, states):
        return jax.vmap(kernel.step)(jax.random.split(key, 8), states)

    def run(steps):
        now, places, accepted = states, [], []
        for i in range(steps):
            now, info = step(jax.random.fold_in(jax.random.key(0), i), now)
            places.append(now.position["rule"])
            accepted.append(info.acceptance_rate)
        return {"mean": jnp.stack(places)[steps // 2 :].mean((0, 1)), "acceptance": jnp.stack(accepted).mean()}

    return run


# A foot that touches the ground a rounding error earlier goes another way: a few of the 64 worlds do after two steps,
# the others agree to six digits. So places are compared after one step, and the mean of all rewards.
@recipe("brax", "brax", tolerance=5e-2)
def ant():
    import jax
    import jax.numpy as jnp
    from brax import envs

    environment = envs.create("ant", batch_size=64, backend="generalized")
    start = jax.jit(environment.reset)(jax.random.key(0))

    @jax.jit
    def step(state, i):
        phase = jnp.arange(environment.action_size) + 0.2 * i + jnp.arange(64)[:, None] / 10
        return environment.step(state, jnp.sin(phase))

    def run(steps):
        now, rewards, first = start, [], start
        for i in range(steps):
            now = step(now, i)
            rewards.append(now.reward)
            first = now if i == 0 else first
        return {"first places": first.pipeline_state.q, "mean reward": jnp.stack(rewards).mean()}

    return run


@recipe("mjx", "mujoco.mjx", tolerance=1e-3)
def falling_chain():
    import jax
    import jax.numpy as jnp
    import mujoco
    from mujoco import mjx

    links = ""
    for i in range(6):
        links += f'<body pos="0 0 -0.2"><joint type="ball" damping="0.1"/><geom type="capsule" size="0.04" fromto="0 0 0 0 0 -0.2"/>'
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="0.004" iterations="4" ls_iterations="6"/><worldbody><geom type="plane" size="5 5 .1"/>
        <body pos="0 0 1"><freejoint/><geom type="sphere" size="0.15"/>{links}{"</body>" * 7}</worldbody></mujoco>"""
    )
    device_model = mjx.put_model(model)
    data = mjx.make_data(model)
    heights = jnp.linspace(0.9, 1.4, 16)
    start = jax.vmap(lambda h: data.replace(qpos=data.qpos.at[2].set(h).at[7].set(0.9).at[8].set(0.4)))(heights)
    step = jax.jit(jax.vmap(functools.partial(mjx.step, device_model)))

    def run(steps):
        now = first = start
        for i in range(steps):
            now = step(now)
            if i == 9:
                first = now
        return {"first places": first.qpos, "last height": now.qpos[:, 2].mean()}

    return run


# Chaotic from the thirtieth step on: XLA:CPU itself differs from XLA:CPU with AVX, or with one wanted number moved by
# one unit in the last place, by 9e-6 of the largest loss after 10 steps, 8.0e-3 after 30 and 9.4e-3 after 100.
@recipe("jraph", "jraph", "optax", tolerance=2e-2)
def molecules():
    import jax
    import jax.numpy as jnp
    import jraph
    import numpy as np
    import optax

    generator = np.random.default_rng(0)
    graphs = []
    for _ in range(32):
        nodes = int(generator.integers(15, 30))
        edges = 4 * nodes
        graphs.append(
            jraph.GraphsTuple(
                n_node=np.array([nodes]),
                n_edge=np.array([edges]),
                nodes=generator.normal(size=(nodes, 16)).astype(np.float32),
                edges=generator.normal(size=(edges, 8)).astype(np.float32),
                globals=np.zeros((1, 8), np.float32),
                senders=generator.integers(0, nodes, edges),
                receivers=generator.integers(0, nodes, edges),
            )
        )
    wanted = np.array([g.nodes[:, 0].mean() + g.edges[:, 0].mean() for g in graphs] + [0], np.float32)
    batch = jraph.pad_with_graphs(jraph.batch(graphs), 1024, 4096, 33)
    width, rounds = 64, 3

    def layers(key, *sizes):
        keys = jax.random.split(key, len(sizes) - 1)
        return [(jax.random.normal(k, (a, b)) / a**0.5, jnp.zeros(b)) for k, a, b in zip(keys, sizes, sizes[1:])]

    def apply(layers, x):
        for w, b in layers[:-1]:
            x = jax.nn.relu(x @ w + b)
        return x @ layers[-1][0] + layers[-1][1]

    weights, node, edge, whole = [], 16, 8, 8
    for i in range(rounds):
        keys = jax.random.split(jax.random.key(i), 3)
        weights.append(
            {
                "edge": layers(keys[0], edge + 2 * node + whole, width, width),
                "node": layers(keys[1], node + 2 * width + whole, width, width),
                "global": layers(keys[2], 2 * width + whole, width, width if i + 1 < rounds else 1),
            }
        )
        node = edge = whole = width

    def predict(weights, graph):
        for w in weights:
            graph = jraph.GraphNetwork(
                update_edge_fn=jraph.concatenated_args(functools.partial(apply, w["edge"])),
                update_node_fn=jraph.concatenated_args(functools.partial(apply, w["node"])),
                update_global_fn=jraph.concatenated_args(functools.partial(apply, w["global"])),
                aggregate_edges_for_nodes_fn=jraph.segment_mean,
                aggregate_nodes_for_globals_fn=jraph.segment_mean,
                aggregate_edges_for_globals_fn=jraph.segment_mean,
            )(graph)
        return graph.globals[:, 0]

    optimizer = optax.adam(1e-3)

    def step(state, i, batch, wanted):
        weights, memory = state

        def loss(weights):
            mask = jraph.get_graph_padding_mask(batch)
            return (jnp.where(mask, predict(weights, batch) - wanted, 0) ** 2).sum() / mask.sum()

        value, gradient = jax.value_and_grad(loss)(weights)
        updates, memory = optimizer.update(gradient, memory)
        return (optax.apply_updates(weights, updates), memory), value

    return train(step, (weights, optimizer.init(weights)), batch, wanted)


@recipe("haiku", "haiku", "optax", tolerance=1e-3)
def residual_network():
    import haiku as hk
    import jax
    import optax

    def forward(images, train):
        network = hk.nets.ResNet18(10, resnet_v2=True, bn_config={"decay_rate": 0.9})
        return network(images, is_training=train)

    model = hk.without_apply_rng(hk.transform_with_state(forward))
    images, labels = labelled_images(8, 32, 10)
    weights, averages = jax.jit(functools.partial(model.init, train=True))(jax.random.key(0), images)
    optimizer = optax.sgd(0.01, momentum=0.9)

    def step(state, i, images, labels):
        weights, averages, memory = state

        def loss(weights):
            logits, after = model.apply(weights, averages, images, train=True)
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), after

        (value, averages), gradient = jax.value_and_grad(loss, has_aux=True)(weights)
        updates, memory = optimizer.update(gradient, memory)
        return (optax.apply_updates(weights, updates), averages, memory), value

    return train(step, (weights, averages, optimizer.init(weights)), images, labels)


@recipe("keras", "keras", tolerance=1e-3)
def digits():
    import os

    os.environ["KERAS_BACKEND"] = "jax"
    import keras
    import numpy as np

    keras.utils.set_random_seed(0)
    images, labels = labelled_images(3200, 28, 10, 1)
    model = keras.Sequential(
        [
            keras.layers.Input((28, 28, 1)),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.MaxPooling2D(2),
            keras.layers.Conv2D(64, 3, activation="relu"),
            keras.layers.MaxPooling2D(2),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.5),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(keras.optimizers.Adam(1e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
    start = model.get_weights()

    class Losses(keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            self.losses = []

        def on_train_batch_end(self, batch, logs=None):
            self.losses.append(logs["loss"])

    def run(steps):
        model.set_weights(start)
        seen = Losses()
        model.fit(images[: 32 * steps], labels[: 32 * steps], 32, shuffle=False, verbose=0, callbacks=[seen])
        return {"losses": np.array(seen.losses)}

    return run


@recipe("pgx", "pgx", tolerance=0)
def go():
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    games = 128
    environment = pgx.make("go_9x9")
    start = jax.jit(jax.vmap(environment.init))(jax.random.split(jax.random.key(0), games))

    @jax.jit
    def step(state, key):
        chosen, again = jax.random.split(key)
        numbers = jax.random.gumbel(chosen, state.legal_action_mask.shape)
        actions = jnp.where(state.legal_action_mask, numbers, -jnp.inf).argmax(1)
        return jax.vmap(auto_reset(environment.step, environment.init))(state, actions, jax.random.split(again, games))

    def run(steps):
        now, rewards = start, []
        for key in jax.random.split(jax.random.key(1), steps):
            now = step(now, key)
            rewards.append(now.rewards)
        return {"boards": now.observation, "rewards": jnp.stack(rewards)}

    return run
