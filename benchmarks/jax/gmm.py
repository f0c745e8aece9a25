#!/usr/bin/env python3
"""The Gaussian mixture model of ADBench (GradBench's sign) in JAX: microseconds of so many runs, one a line."""
import math
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import gammaln, logsumexp

jax.config.update("jax_enable_x64", True)


def uniform(seed, i):
    """The counter-based generator of ../input.fut."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + (i.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) * 2.0 ** -53


def normal(seed, i):
    return np.sqrt(-2 * np.log1p(-uniform(seed, 2 * i))) * np.cos(2 * math.pi * uniform(seed, 2 * i + 1))


def inputs(d, k, n):
    t = d * (d - 1) // 2

    def fill(f, seed, *shape):
        return jnp.asarray(f(seed, np.arange(math.prod(shape))).reshape(shape))
    return (fill(normal, 1, k), fill(uniform, 2, k, d), fill(normal, 3, k, d), fill(normal, 4, k, t)), fill(normal, 5, n, d)


def objective(parameters, x, gamma=1.0, m=0):
    alpha, mu, q, l = parameters
    (n, d), k = x.shape, len(alpha)
    columns, rows = np.triu_indices(d, 1)                 # column by column, below the diagonal
    q_exp = jnp.exp(q)
    factor = jax.vmap(lambda e, below: jnp.diag(e).at[rows, columns].set(below))(q_exp, l)
    centred = x[:, None, :] - mu[None, :, :]
    moved = jnp.einsum("kij,nkj->nki", factor, centred)
    points = logsumexp(alpha + q.sum(1) - 0.5 * (moved ** 2).sum(2), axis=1).sum()
    likelihood = points - n * logsumexp(alpha) - 0.5 * n * d * math.log(2 * math.pi)
    nu = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + gammaln(0.5 * nu + 0.5 * (1 - jnp.arange(1, d + 1))).sum()
    constant = nu * d * (math.log(gamma) - 0.5 * math.log(2)) - log_gamma
    prior = 0.5 * gamma ** 2 * ((q_exp ** 2).sum() + (l ** 2).sum()) - m * q.sum()
    return likelihood + k * constant - prior


def main():
    what, runs, d, k, n = sys.argv[1], *map(int, sys.argv[2:])
    value = jax.jit(objective)(*inputs(10, 25, 100))
    if not math.isclose(value, -6340.740200327249, rel_tol=1e-9):
        sys.exit(f"the objective is {value}")
    f = jax.jit(objective if what == "objective" else jax.value_and_grad(objective))
    data = inputs(d, k, n)
    for run in range(runs + 1):
        start = time.perf_counter()
        jax.block_until_ready(f(*data))
        if run > 0:                                       # the first one compiles
            print(int((time.perf_counter() - start) * 1e6))


main()
