"""A physics simulation: bodies that attract each other, in one compiled loop, on Hilo.

    pip install hilo-*.whl
    python3 examples/jax/planets.py
"""

import functools

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def acceleration(places, masses):
    away = places[None, :, :] - places[:, None, :]
    distance = jnp.sqrt((away**2).sum(-1) + 1e-6)
    return (masses[None, :, None] * away / distance[..., None] ** 3).sum(1)


def energy(places, speeds, masses):
    away = jnp.sqrt(((places[None] - places[:, None]) ** 2).sum(-1) + 1e-6)
    pairs = jnp.triu(masses[None] * masses[:, None] / away, 1).sum()
    return (masses * (speeds**2).sum(-1)).sum() / 2 - pairs


@functools.partial(jax.jit, static_argnames="steps")
def simulate(places, speeds, masses, time_step, steps):
    """Leapfrog steps, which keep the energy."""

    def step(_, state):
        places, speeds = state
        speeds = speeds + acceleration(places, masses) * time_step / 2
        places = places + speeds * time_step
        return places, speeds + acceleration(places, masses) * time_step / 2

    return jax.lax.fori_loop(0, steps, step, (places, speeds))


def main():
    keys = jax.random.split(jax.random.key(0), 3)
    places = jax.random.normal(keys[0], (64, 3))
    speeds = jax.random.normal(keys[1], (64, 3)) / 4
    masses = jax.random.uniform(keys[2], (64,)) / 64
    before = energy(places, speeds, masses)
    places, speeds = simulate(places, speeds, masses, 1e-3, 5000)
    change = abs(energy(places, speeds, masses) / before - 1)
    print(f"after 5000 steps of 64 bodies the energy has changed by {change:.1e} of what it was")


if __name__ == "__main__":
    main()
