#!/usr/bin/env python3
"""Benchmark programs in PyTorch. See README.md for how to call it."""
import math

import torch

from instances import run, threads

torch.set_num_threads(threads())


def gmm(parameters, x, gamma=1.0, m=0):
    """The Gaussian mixture model of ADBench (GradBench's sign)."""
    alpha, mu, q, l = parameters
    (n, d), k = x.shape, len(alpha)
    columns, rows = torch.triu_indices(d, d, 1)           # column by column, below the diagonal
    q_exp = torch.exp(q)
    below = torch.zeros(k, d, d, dtype=x.dtype).index_put((torch.arange(k)[:, None], rows, columns), l)
    moved = torch.einsum("kij,nkj->nki", torch.diag_embed(q_exp) + below, x[:, None, :] - mu[None, :, :])
    points = torch.logsumexp(alpha + q.sum(1) - 0.5 * (moved ** 2).sum(2), 1).sum()
    likelihood = points - n * torch.logsumexp(alpha, 0) - 0.5 * n * d * math.log(2 * math.pi)
    nu = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * nu + 0.5 * (1 - j)) for j in range(1, d + 1))
    constant = nu * d * (math.log(gamma) - 0.5 * math.log(2)) - log_gamma
    prior = 0.5 * gamma ** 2 * ((q_exp ** 2).sum() + (l ** 2).sum()) - m * q.sum()
    return likelihood + k * constant - prior


def dlstm(parameters, state, sequence):
    """The diagonal LSTM of ADBench."""
    main, extra = parameters
    b = extra.shape[1]
    layers = list(zip(main[0::2].view(-1, 4, b).unbind(), main[1::2].view(-1, 4, b).unbind()))
    hidden, cells, total = list(state[0::2]), list(state[1::2]), 0
    for frame, target in zip(sequence[:-1], sequence[1:]):
        x = frame * extra[0]
        for i, (w, v) in enumerate(layers):
            forget, write = torch.sigmoid(x * w[0] + v[0]), torch.sigmoid(hidden[i] * w[1] + v[1])
            read, change = torch.sigmoid(x * w[2] + v[2]), torch.tanh(hidden[i] * w[3] + v[3])
            cells[i] = cells[i] * forget + write * change
            x = hidden[i] = read * torch.tanh(cells[i])
        y = x * extra[1] + extra[2]
        total = total + (target * (y - torch.log(2 + torch.exp(y).sum()))).sum()
    return -total / (b * (len(sequence) - 1))


def kmeans(parameters, points):
    centroids, = parameters
    return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(2).amin(1).sum()


def lstm(parameters, xs, targets, h0, c0):
    """A batched LSTM network."""
    w_ih, w_hh, b_ih, b_hh, w_y, b_y = parameters
    hidden, cell, total = h0, c0, 0
    for x, target in zip(xs, targets):
        write, forget, change, read = (w_ih @ x.T + w_hh @ hidden + (b_ih + b_hh)[:, None]).chunk(4)
        cell = torch.sigmoid(forget) * cell + torch.sigmoid(write) * torch.tanh(change)
        hidden = torch.sigmoid(read) * torch.tanh(cell)
        total = total + ((target - (hidden.T @ w_y + b_y)) ** 2).sum()
    return total / xs.numel()


def mlp(parameters, images, labels):
    """A network of two hidden layers with ReLU."""
    w0, b0, w1, b1, w2, b2 = parameters
    x = images
    for w, b in ((w0, b0), (w1, b1)):
        x = torch.relu(w @ x + b[:, None])
    return torch.nn.functional.cross_entropy((w2 @ x + b2[:, None]).T, labels)


def functions(program, parameters, more):
    f = globals()[program]
    parameters = tuple(torch.tensor(p, requires_grad=True) for p in parameters)
    more = tuple(map(torch.tensor, more))

    def value():
        with torch.no_grad():
            return f(parameters, *more)

    def derivative():
        if program != "kmeans":
            return torch.autograd.grad(f(parameters, *more), parameters)
        gradient, = torch.autograd.grad(f(parameters, *more), parameters, create_graph=True)
        return gradient.detach(), torch.autograd.grad(gradient.sum(), parameters)[0]      # the diagonal of the Hessian, too
    return value, derivative


run(functions)
