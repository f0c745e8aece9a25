"""Inputs of the programs as NumPy arrays, golden values, and the clock: what the programs of all frameworks share.

A program is a function of its parameters (a tuple of arrays, by which it is differentiated) and of further arguments."""
import math
import os
import sys
import time

import numpy as np


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


def fill(element, seed, *shape):
    return element(seed, np.arange(math.prod(shape))).reshape(shape)


def gmm(d, k, n):
    t = d * (d - 1) // 2
    return (fill(normal, 1, k), fill(uniform, 2, k, d), fill(normal, 3, k, d), fill(normal, 4, k, t)), (fill(normal, 5, n, d),)


def dlstm(layers, c, b):
    return ((fill(uniform, 11, 2 * layers, 4 * b), fill(uniform, 12, 3, b)),
            (fill(uniform, 13, 2 * layers, b), (fill(uniform, 14, c, b) < 0.5).astype(np.float64)))


def kmeans(k, n, d):
    points = fill(uniform, 21, n, d)
    return (points[n - k:],), (points,)


def lstm(bs, n, d, h):
    def parameter(seed, *shape):
        return (2 * fill(uniform, seed, *shape) - 1) / math.sqrt(h)
    return ((parameter(35, 4 * h, d), parameter(36, 4 * h, h), parameter(37, 4 * h), parameter(38, 4 * h), parameter(39, h, d), parameter(40, d)),
            (fill(uniform, 31, n, bs, d), fill(uniform, 32, n, bs, d), fill(uniform, 33, h, bs), fill(uniform, 34, h, bs)))


def mlp(d, h, o, k):
    def parameter(seed, width, *shape):
        return (2 * fill(uniform, seed, *shape) - 1) / math.sqrt(width)
    return ((parameter(55, d, h, d), parameter(56, h, h), parameter(57, h, h, h), parameter(58, h, h), parameter(59, h, o, h), parameter(60, h, o)),
            (fill(uniform, 53, d, k), (o * fill(uniform, 54, k)).astype(np.int64)))


# The sizes of a small instance; its objective, sum of the gradient, sum of gradient i times cos i (entry `check` of the program).
GOLDEN = {
    "gmm": ((3, 2, 5), (-93.752349236041, -14.156448074455, 38.612872405357)),
    "dlstm": ((2, 8, 5), (0.76301886372934, -0.103472905857, 0.0492259935141)),
    "kmeans": ((3, 20, 2), (2.22256994389428, -8.92378834702, -6.17552633225)),
    "lstm": ((8, 5, 6, 7), (0.41026233807835, -0.6267023906, -0.123503727905)),
    "mlp": ((6, 5, 4, 3), (1.71968544510425, 1.31570367476, 0.692220289381)),
}


def run(functions):
    """`PROGRAM objective|jacobian RUNS SIZES`: prints microseconds of so many runs, one a line.

    functions(program, instance): the objective and the derivative, without arguments. They end when their result is there, as a
    number and as a tuple of arrays."""
    program, what, runs, *sizes = sys.argv[1:]
    make = globals()[program]
    small, golden = GOLDEN[program]
    parameters, more = make(*small)
    value, derivative = functions(program, parameters, more)
    gradient = np.concatenate([np.asarray(g).ravel() for g in derivative()[:len(parameters)]])
    found = float(value()), gradient.sum(), (gradient * np.cos(np.arange(len(gradient)))).sum()
    if not np.allclose(found, golden, rtol=1e-9):
        sys.exit(f"{program} is {found} where {golden} is expected")
    f = functions(program, *make(*map(int, sizes)))[what == "jacobian"]
    for repeat in range(int(runs) + 1):
        start = time.perf_counter()
        f()
        if repeat > 0:                                    # the first one compiles
            print(int((time.perf_counter() - start) * 1e6))


def threads():
    return len(os.sched_getaffinity(0))
