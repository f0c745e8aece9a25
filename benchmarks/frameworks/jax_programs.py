#!/usr/bin/env python3
"""Benchmark programs in JAX. See README.md for how to call it."""
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import gammaln, logsumexp

from instances import run

jax.config.update("jax_enable_x64", True)


def gmm(parameters, x, gamma=1.0, m=0):
    """The Gaussian mixture model of ADBench (GradBench's sign)."""
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


def dlstm(parameters, state, sequence):
    """The diagonal LSTM of ADBench."""
    main, extra = parameters
    b = extra.shape[1]
    weights, biases = main[0::2].reshape(-1, 4, b), main[1::2].reshape(-1, 4, b)

    def step(carry, frames):
        frame, target = frames
        x, hidden, cells = frame * extra[0], [], []
        for w, v, h, c in zip(weights, biases, *carry):
            forget, write = jax.nn.sigmoid(x * w[0] + v[0]), jax.nn.sigmoid(h * w[1] + v[1])
            read, change = jax.nn.sigmoid(x * w[2] + v[2]), jnp.tanh(h * w[3] + v[3])
            cells.append(c * forget + write * change)
            x = read * jnp.tanh(cells[-1])
            hidden.append(x)
        y = x * extra[1] + extra[2]
        return (jnp.stack(hidden), jnp.stack(cells)), (target * (y - jnp.log(2 + jnp.exp(y).sum()))).sum()
    _, losses = jax.lax.scan(step, (state[0::2], state[1::2]), (sequence[:-1], sequence[1:]))
    return -losses.sum() / (b * len(losses))


def kmeans(parameters, points):
    centroids, = parameters
    return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(2).min(1).sum()


def lstm(parameters, xs, targets, h0, c0):
    """A batched LSTM network."""
    w_ih, w_hh, b_ih, b_hh, w_y, b_y = parameters

    def step(carry, frames):
        hidden, cell = carry
        x, target = frames
        write, forget, change, read = jnp.split(w_ih @ x.T + w_hh @ hidden + (b_ih + b_hh)[:, None], 4)
        cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(write) * jnp.tanh(change)
        hidden = jax.nn.sigmoid(read) * jnp.tanh(cell)
        return (hidden, cell), ((target - (hidden.T @ w_y + b_y)) ** 2).sum()
    _, losses = jax.lax.scan(step, (h0, c0), (xs, targets))
    return losses.sum() / xs.size


def mlp(parameters, images, labels):
    """A network of two hidden layers with ReLU."""
    w0, b0, w1, b1, w2, b2 = parameters
    x = images
    for w, b in ((w0, b0), (w1, b1)):
        x = jnp.maximum(0, w @ x + b[:, None])
    logits = (w2 @ x + b2[:, None]).T
    return (logsumexp(logits, axis=1) - logits[jnp.arange(len(labels)), labels]).mean()


def functions(program, parameters, more):
    f = globals()[program]
    if program == "kmeans":                               # the diagonal of the Hessian, too
        def derivative(parameters, *more):
            return sum(jax.jvp(lambda p: jax.grad(f)(p, *more), (parameters,), ((jnp.ones_like(parameters[0]),),)), ())
    else:
        derivative = jax.grad(f)
    parameters, more = tuple(map(jnp.asarray, parameters)), tuple(map(jnp.asarray, more))

    def call(g):
        compiled = jax.jit(g)
        return lambda: jax.block_until_ready(compiled(parameters, *more))
    return call(f), call(derivative)


run(functions)
