#!/usr/bin/env python3
"""Random differentiable programs, their derivatives computed in many ways that must agree.

A function f of (f64, [n]f64, [m]f64, [n][m]f64) is made of all constructs that carry derivatives, nested. For a fixed direction v
and seed w the program itself computes <w, df v> by finite differences, jvp, vjp, jmp and mjp. Of three functions one has numbers of
directions that are known when it runs, and one has directions that are one at one place. For s = <w, f> the program computes the
second derivative <u, H v>. It does so by finite differences of the gradient and by the four nestings of jvp and vjp. The interpreter
runs it as lowered (there it differentiates by itself) and after the compiler's passes, and with --backend compiled code does. What
differs, is refused or crashes is a finding; its function is made smaller as long as it stays one.

The passes take nearly all of the time, and more for each function where there are many in a program. So few share one, which saves the
start of the C compiler. Finite differences are left to the interpreter: they say whether its own derivatives are right. In long runs
--verify 5 has the verifier look at one program of five only, which takes half of the time. CC=clang CFLAGS=-O0 is the fastest compiler.

    tests/fuzz/derivatives.py --raido build/release/raido --count 200 --seed 1 [--backend multicore] [--out FOLDER]

A seed makes the same programs every time; --show SEED prints the program of one."""
import argparse
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

# Types: s a scalar, a and b arrays of n and m, c a matrix of n rows of m; i an index (not negative), p a condition.
SIZES = {'a': 'n', 'b': 'm'}
OF = {'s': 'f64', 'a': '[n]f64', 'b': '[m]f64', 'c': '[n][m]f64', 'i': 'i64', 'p': 'bool'}

# Operations on scalars that are smooth and bounded enough to be iterated.
UNARY = ['f64.sin ({0})', 'f64.cos ({0})', 'f64.tanh ({0})', 'f64.exp (f64.tanh ({0}))', 'f64.log (1.5 + ({0}) * ({0}))', 'f64.sqrt (1 + ({0}) * ({0}))',
         'f64.neg ({0})', '1 / (2 + f64.sin ({0}))', '0.5 * ({0})', 'f64.abs ({0})', '({0}) ** 2', 'f64.atan ({0})', 'f64.sinh (f64.tanh ({0}))',
         'f64.erf ({0})', '({0}) - 0.25', 'f64.asinh ({0})', 'f64.cbrt (2 + f64.sin ({0}))', 'f64.lgamma (2.5 + f64.tanh ({0}))']
BINARY = ['({0}) + ({1})', '({0}) - ({1})', 'f64.tanh ({0}) * f64.tanh ({1})', '({0}) * f64.sin ({1})', 'f64.max ({0}) ({1})', 'f64.min ({0}) ({1})',
          '({0}) / (1.5 + f64.cos ({1}))', 'f64.hypot (({0}) + 3) ({1})', 'f64.atan2 ({0}) (2 + f64.sin ({1}))', '(1.25 + f64.sin ({0})) ** f64.tanh ({1})']
# Associative operators on scalars with their neutral elements; elements are tamed where repeated application grows.
OPERATORS = [('(+)', '0', '{0}'), ('(*)', '1', 'f64.cos ({0})'), ('f64.max', 'f64.lowest', '{0}'), ('f64.min', 'f64.highest', '{0}'),
             ('(\\p q -> p + q + 0.5 * p * q)', '0', '0.5 * f64.sin ({0})'), ('(\\p q -> p * q)', '1', '1 + 0.5 * f64.sin ({0})')]


class Node:
    """An expression: a text with {0} {1} .. for its parts."""

    def __init__(self, type_, text, *parts):
        self.type, self.text, self.parts = type_, text, list(parts)

    def show(self):
        return self.text.format(*(p.show() for p in self.parts))

    def copy(self):
        return Node(self.type, self.text, *(p.copy() for p in self.parts))

    def all(self):
        yield self
        for p in self.parts:
            yield from p.all()


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.count = 0

    def name(self):
        self.count += 1
        return f't{self.count}'

    def leaf(self, type_, env):
        names = [x for x, t in env if t == type_]
        if names and self.r.random() < 0.85:
            return Node(type_, self.r.choice(names))
        if type_ == 's':
            return Node('s', self.r.choice([f'{self.r.uniform(0, 1.5):.3f}', f'(-{self.r.uniform(0.1, 1):.2f})']))
        if type_ in SIZES:
            return Node(type_, f'replicate {SIZES[type_]} ({{0}})', self.leaf('s', env))
        if type_ == 'c':
            return Node('c', 'replicate n ({0})', self.leaf('b', env))
        if type_ == 'i':
            return Node('i', str(self.r.randrange(4)))
        return Node('p', 'true')

    def make(self, type_, env, depth):
        if depth <= 0 or self.r.random() < 0.06:
            return self.leaf(type_, env)
        options = {'s': self.scalars, 'a': self.arrays, 'b': self.arrays, 'c': self.matrices, 'i': self.indices, 'p': self.conditions}[type_]
        return options(type_, env, depth - 1)

    # `name` bound to types, in the scope of the part that is made with it
    def sub(self, type_, env, depth, *bound):
        return self.make(type_, env + list(bound), depth)

    def schedule(self):
        return self.r.choice(['', '', '', '#[stripmine(2)] ', '#[stripmine(3)] ', '#[checkpoint(2)] ', '#[checkpoint(3)] '])

    def general(self, t, env, d):
        """What any type has: let, if, loops, calls of local functions, pairs, sums."""
        kind, x, y, k = self.r.randrange(12), self.name(), self.name(), self.name()
        other = self.r.choice('sabcs')
        if kind in (0, 1):
            return Node(t, f'(let {x} = {{0}} in {{1}})', self.make(other, env, d), self.sub(t, env, d, (x, other)))
        if kind in (2, 3):
            return Node(t, '(if {0} then {1} else {2})', self.make('p', env, d), self.make(t, env, d), self.make(t, env, d))
        if kind == 4:
            trips = self.r.choice(['2', '3', 'n', 'm', '1', '0', 'i64.min 3 n'])
            return Node(t, f'(loop ({x}: {OF[t]}) = {{0}} for {k} < {trips} do {{1}})', self.make(t, env, d), self.sub(t, env, d, (x, t), (k, 'i')))
        if kind == 5:
            return Node(t, f'(loop ({x}: {OF[t]}, {y}: {OF[other]}) = ({{0}}, {{1}}) for {k} < 3 do ({{2}}, {{3}})).0', self.make(t, env, d), self.make(other, env, d),
                        self.sub(t, env, d - 1, (x, t), (y, other), (k, 'i')), self.sub(other, env, d - 1, (x, t), (y, other), (k, 'i')))
        if kind == 6 and self.r.random() < 0.5:               # as long as a float says, with more states than there is room for at once
            return Node(t, f'(loop ({x}: {OF[t]}, {y}) = ({{0}}, 0.0) while {y} < {self.r.choice([0, 1, 2, 9])} do ({{1}}, {y} + 0.5 * (2 - f64.cos ({{2}}) / 2))).0',
                        self.make(t, env, d), self.sub(t, env, min(d - 1, 1), (x, t)), self.sub('s', env, 1, (x, t)))
        if kind == 6:
            return Node(t, f'(loop ({x}: {OF[t]}, {y}) = ({{0}}, 0i64) while {y} < 2 + ({{1}}) % 3 do ({{2}}, {y} + 1)).0', self.make(t, env, d),
                        self.make('i', env, 0), self.sub(t, env, d - 1, (x, t), (y, 'i')))
        if kind == 7:
            f = self.name()
            return Node(t, f'(let {f} ({x}: {OF[other]}) = {{0}} in {{3}})'.replace('{3}', f'({f} ({{1}}))') if t not in 's' else
                        f'(let {f} ({x}: {OF[other]}) = {{0}} in {f} ({{1}}) + 0.5 * {f} ({{2}}))',
                        self.sub(t, env, d - 1, (x, other)), self.make(other, env, d - 1), self.make(other, env, d - 1))
        if kind == 8:
            return Node(t, f'(let ({x}, {y}) = ({{0}}, {{1}}) in {{2}})', self.make(t, env, d), self.make(other, env, d), self.sub(t, env, d, (x, t), (y, other)))
        if kind == 9:
            return Node(t, f'(match (if {{0}} then #one ({{1}}) else #two ({{2}}) : #one ({OF[t]}) | #two ({OF[other]})) case #one {x} -> {{3}} case #two {y} -> {{4}})',
                        self.make('p', env, d), self.make(t, env, d), self.make(other, env, d), self.sub(t, env, d, (x, t)), self.sub(t, env, d, (y, other)))
        if kind == 11:                                        # states that move on, all of them used after the loop
            states = {'c': OF[t], 'a': OF[t], 'b': OF[t]}.get(t, 'f64')
            moved = self.r.choice([f'({y}, {k}, {{3}})', f'({y}, {x}, {k})', f'({{3}}, {x}, {y})', f'({k}, {{3}}, {x})', f'({y}, {{3}}, {{3}})', f'({y}, {k}, {x})'])
            i = self.name()
            trips = self.r.choice(['0', '1', '2', '3', '4', 'n'])
            first = {'a': f'(copy {x} with [({{4}}) % n] = {{5}})', 'b': f'(copy {x} with [({{4}}) % m] = {{5}})', 'c': f'(copy {x} with [({{4}}) % n, 0] = {{5}})', 's': x}[t]
            both = {'s': '{0} + f64.sin {1} * {2}', 'a': 'map3 (\\p q r -> p + f64.sin q * r) {0} {1} {2}', 'b': 'map3 (\\p q r -> p + f64.sin q * r) {0} {1} {2}',
                    'c': 'map3 (map3 (\\p q r -> p + f64.sin q * r)) {0} {1} {2}'}[t].format(first, y, k)
            return Node(t, f'(let ({x}, {y}, {k}) = loop ({x}: {states}, {y}: {states}, {k}: {states}) = ({{0}}, {{1}}, {{2}}) for {i} < {trips} do {moved} in {both})',
                        self.make(t, env, d), self.make(t, env, d - 1), self.make(t, env, d - 1), self.sub(t, env, d - 1, (x, t), (k, t), (i, 'i')),
                        self.make('i', env, 1), self.make('s', env, d - 1))
        return Node(t, f'(let {x} = {{{{p = {{0}}, q = {{1}}}}}} in let {y} = {x}.p let {k} = {x}.q in {{2}})'.replace('{{{{', '{{').replace('}}}}', '}}'),
                    self.make(t, env, d), self.make('s', env, d), self.sub(t, env, d, (y, t), (k, 's')))

    def array_in(self, env, d):
        t = self.r.choice('ab')
        return t, self.make(t, env, d)

    def scalars(self, t, env, d):
        kind, x, y, z = self.r.randrange(30), self.name(), self.name(), self.name()
        if kind < 4:
            return Node('s', self.r.choice(UNARY), self.make('s', env, d))
        if kind < 8:
            return Node('s', self.r.choice(BINARY), self.make('s', env, d), self.make('s', env, d))
        if kind < 11:
            return self.general(t, env, d)
        if kind == 11:                                        # an element
            of, a = self.array_in(env, d)
            return Node('s', f'({{0}})[({{1}}) % {SIZES[of]}]', a, self.make('i', env, d))
        if kind == 12:
            return Node('s', '({0})[({1}) % n, ({2}) % m]', self.make('c', env, d), self.make('i', env, d), self.make('i', env, d))
        if kind in (13, 14):
            of, a = self.array_in(env, d)
            op, neutral, tame = self.r.choice(OPERATORS)
            if self.r.random() < 0.4:                         # of a map
                return Node('s', f'reduce {op} {neutral} (map (\\{x} -> {tame.format("{1}")}) ({{0}}))', a, self.sub('s', env, d, (x, 's')))
            return Node('s', f'reduce {op} {neutral} (map (\\{x} -> {tame.format(x)}) ({{0}}))', a)
        if kind == 15:                                        # affine maps composed
            of, a = self.array_in(env, d)
            return Node('s', '(reduce (\\(p0, p1) (q0, q1) -> (p0 * q0, q0 * p1 + q1)) (1, 0) (zip (map f64.cos ({0})) ({1}))).1', a, self.make(of, env, d))
        if kind == 16:                                        # the largest with its place
            of, a = self.array_in(env, d)
            return Node('s', f'(let (v, _) = reduce (\\(v, i) (w, j) -> if v > w || (v == w && i < j) then (v, i) else (w, j)) (f64.lowest, -1) '
                             f'(zip ({{0}}) (iota {SIZES[of]})) in f64.tanh v)', a)
        if kind == 17:                                        # what a filter leaves
            of, a = self.array_in(env, d)
            return Node('s', f'f64.sum (filter (\\{x} -> {{1}}) ({{0}}))', a, self.sub('p', env, d, (x, 's')))
        if kind == 18:                                        # an inner derivative
            inner = self.sub('s', env, min(d, 2), (x, 's'))
            mode = self.r.choice(['(jvp (\\{x} -> {0}) ({1}) 1)', '(vjp (\\{x} -> {0}) ({1}) 1)']).replace('{x}', x)
            return Node('s', f'f64.tanh {mode}', inner, self.make('s', env, d))
        if kind == 19:                                        # an inner derivative of arrays
            of, a = self.array_in(env, d - 1)
            whole, mode = self.r.choice([('s', f'vjp (\\{x} -> {{1}}) ({{0}}) 1'), (of, f'vjp (\\{x} -> {{1}}) ({{0}}) ({{2}})'), (of, f'jvp (\\{x} -> {{1}}) ({{0}}) ({{2}})'),
                                         (of, f'mjp (\\{x} -> {{1}}) ({{0}}) (replicate 2 ({{2}})) |> flatten'), (of, f'jmp (\\{x} -> {{1}}) ({{0}}) [{{2}}, {{0}}] |> flatten')])
            return Node('s', f'f64.sum (map f64.tanh ({mode}))', a, self.sub(whole, env, min(d - 1, 2), (x, of)), self.leaf(of, env))
        if kind == 20:                                        # an array that grows
            return Node('s', f'f64.sum (loop ({x}: []f64) = [{{0}}] for {self.name()} < {self.r.choice(["2", "3", "n"])} do {x} ++ map (\\{y} -> {{1}}) {x})',
                        self.make('s', env, d), self.sub('s', env, min(d, 2), (y, 's')))
        if kind == 21:                                        # both parts of a partition
            of, a = self.array_in(env, d)
            return Node('s', f'(let ({x}, {y}) = partition (\\{z} -> {{1}}) ({{0}}) in f64.sum {x} - f64.sum (map f64.sin {y}) * 0.5)', a, self.sub('p', env, d, (z, 's')))
        if kind == 22:                                        # a product of matrices
            of, a = self.array_in(env, d)
            how = self.r.choice(['reduce', 'last (scan'])
            return Node('s', f'(let (_, {x}, _, {y}) = {how} (\\(p, q, r, s) (t, u, v, w) -> (p * t + q * v, p * u + q * w, r * t + s * v, r * u + s * w)) (1, 0, 0, 1) '
                             f'(map (\\{z} -> (f64.cos {z}, {{1}}, 0.5, f64.sin {z})) ({{0}})){")" if "(" in how else ""} in f64.tanh {x} + f64.atan {y})',
                        a, self.sub('s', env, min(d, 2), (z, 's')))
        if kind == 23:                                        # an array of pairs that is updated
            of, a = self.array_in(env, d - 1)
            i = self.name()
            return Node('s', f'f64.sum (map (\\(p, q) -> p * f64.cos q) (loop {x} = copy (zip ({{0}}) ({{1}})) for {i} < 3 do {x} with [({{2}} + {i}) % {SIZES[of]}] = ({{3}}, {x}[0].0)))',
                        a, self.make(of, env, d - 1), self.make('i', env, 1), self.sub('s', env, d - 1, (i, 'i')))
        if kind == 24:                                        # segments of different lengths
            of, a = self.array_in(env, d)
            return Node('s', f"(let (_, _, _, {x}) = flatmap' (\\{y} -> map (\\{z} -> {{1}}) (upto (i64.abs (i64.f64 (3 * f64.tanh {y}))))) ({{0}}) in f64.sum {x})", a,
                        self.sub('s', env, min(d, 2), (y, 's'), (z, 'i')))
        if kind == 25:
            return Node('s', self.r.choice(['climb (({0}) % 4) ({1})', 'root ({1}) + f64.i64 ({0})', 'ramp ({1})', 'clipped ({1} * 2)', 'weigh a ({1})', 'weigh (apart b ({1})) 0.7']),
                        self.make('i', env, 1), self.make('s', env, d))
        if kind == 26:                                        # every element with every other one
            of, a = self.array_in(env, d)
            other, b = self.array_in(env, d - 1)
            return Node('s', f'f64.sum (map (\\{x} -> reduce {self.r.choice(["(+) 0", "f64.max (-9)", "(*) 1"])} (map (\\{y} -> {{2}}) ({{1}}))) ({{0}}))', a, b,
                        self.sub('s', env, min(d, 2), (x, 's'), (y, 's')))
        if kind == 27:                                        # the body of a loop consumes what another function made
            of, a = self.array_in(env, d)
            i = self.name()
            return Node('s', f'f64.sum (loop {x} = copy ({{0}}) for {i} < 3 do bump {x} ({{1}} + {i}) ({{2}}))', a, self.make('i', env, 1), self.sub('s', env, d - 1, (i, 'i')))
        if kind == 28:                                        # a few numbers, of which one is chosen, and the largest or the smallest
            use = self.r.choice([f'f64.{self.r.choice(["maximum", "minimum"])} {y} * {x}[({{2}} + 1) % 3]', f'{y}[({{2}}) % 3] + f64.sin {x}[({{2}}) % 3]',
                                 f'f64.maximum {y}[1:3] + f64.minimum (map f64.sin {x}[:2])'])
            then = self.r.choice([f'copy {x} with [({{2}}) % 3] = {{3}}', f'loop {y} = copy {x} for {z} < 2 do {y} with [({{2}} + {z}) % 3] = {y}[{z}] * f64.cos ({{3}})', f'let {y} = f64.sin ({{3}}) in map (* {y}) {x}'])
            return Node('s', f'(let {x} = [{{0}}, {{1}}, f64.sin ({{0}})] let {y} = {then} in {use})', self.make('s', env, d), self.make('s', env, d - 1), self.make('i', env, 1),
                        self.make('s', env, d - 1))
        of, a = self.array_in(env, d)
        return Node('s', f'(loop {x} = {{0}} for {y} in ({{1}}) do {{2}})', self.make('s', env, d), a, self.sub('s', env, d, (x, 's'), (y, 's')))

    def arrays(self, t, env, d):
        n = SIZES[t]
        kind, x, y, k = self.r.randrange(26), self.name(), self.name(), self.name()
        other = self.r.choice('ab')
        if kind < 4:
            return Node(t, f'(map (\\{x} -> {{1}}) ({{0}}))', self.make(t, env, d), self.sub('s', env, d, (x, 's')))
        if kind < 6:
            return Node(t, f'(map2 (\\{x} {y} -> {{2}}) ({{0}}) ({{1}}))', self.make(t, env, d), self.make(t, env, d), self.sub('s', env, d, (x, 's'), (y, 's')))
        if kind < 8:
            return self.general(t, env, d)
        if kind == 8:
            return Node(t, f'(tabulate {n} (\\{k} -> {{0}}))', self.sub('s', env, d, (k, 'i')))
        if kind == 9:
            op, neutral, tame = self.r.choice(OPERATORS)
            return Node(t, f'(scan {op} {neutral} (map (\\{x} -> {tame.format(x)}) ({{0}})))', self.make(t, env, d))
        if kind == 10:
            return Node(t, '(map (.1) (scan (\\(p0, p1) (q0, q1) -> (p0 * q0, q0 * p1 + q1)) (1, 0) (zip (map f64.cos ({0})) ({1}))))',
                        self.make(t, env, d), self.make(t, env, d))
        if kind == 11:                                        # positions are distinct
            return Node(t, f'(scatter (copy ({{0}})) (map (\\{k} -> ({k} + 1) % {n} + (if {k} % 2 == 0 then 0 else {n})) (iota {n})) ({{1}}))', self.make(t, env, d), self.make(t, env, d))
        if kind == 12:
            op, neutral, tame = self.r.choice(OPERATORS)
            at = self.r.choice([f'{k} * 2 % {n}', f'{k} / 2', f'{k} - 1', f'({k} * {k} + 1) % {n}', '0'])
            return Node(t, f'(reduce_by_index (copy ({{0}})) {op} {neutral} (map (\\{k} -> {at}) (iota {SIZES[other]})) (map (\\{x} -> {tame.format(x)}) ({{1}})))',
                        self.make(t, env, d), self.make(other, env, d))
        if kind == 13:
            return Node(t, self.r.choice(['(reverse ({0}))', '(rotate 1 ({0}))', f'(map (\\{k} -> ({{0}})[{n} - 1 - {k}]) (iota {n}))']), self.make(t, env, d))
        if kind == 14:                                        # an update in place
            return Node(t, f'(copy ({{0}}) with [({{1}}) % {n}] = {{2}})', self.make(t, env, d), self.make('i', env, d), self.make('s', env, d))
        if kind == 15:                                        # updates in a loop, under branches, in loops inside, again in one iteration
            how, z = self.r.randrange(9), self.name()
            start, at, value = self.make(t, env, d), self.sub('i', env, 1, (k, 'i')), self.sub('s', env, d, (x, t), (k, 'i'))
            update = f'{x} with [({{1}}) % {n}] = {{2}}'
            if how == 0:
                return Node(t, f'({self.schedule()}loop {x} = copy ({{0}}) for {k} < {n} do if {{3}} then {update} else {x})', start, at, value,
                            self.sub('p', env, 1, (x, t), (k, 'i')))
            if how == 1:
                return Node(t, f'({self.schedule()}loop {x} = copy ({{0}}) for {k} < 3 do loop {x} = {x} for {y} < {self.r.choice([k, "2", n])} do {x} with [({{1}} + {y}) % {n}] = {{2}})',
                            start, at, value)
            if how == 8:                                      # with other state of both loops, read before the inner one or after it
                p, before, after = self.name(), *self.r.choice([('1', f'{x}[0]'), (f'{x}[0]', '1'), ('1', '0.5')])
                return Node(t, f'({self.schedule()}loop ({x}, {z}) = (copy ({{0}}), {{3}}) for {k} < 3 do let ({x}, {p}) = loop ({x}, {p}) = ({x}, {z} * {before}) '
                               f'for {y} < {self.r.choice([k, "2", n])} do let {p} = {{4}} in ({x} with [({{1}} + {y}) % {n}] = {{2}} * {p}, {p}) in ({x}, f64.sin {p} * {after})).0',
                            start, at, value, self.make('s', env, 1), self.sub('s', env, d - 1, (x, t), (p, 's')))
            if how == 2:
                return Node(t, f'({self.schedule()}loop {x} = copy ({{0}}) for {k} < {n} do let {x} = {update} let {z} = {x}[0] + {x}[({{1}} + 1) % {n}] in {x} with [{k}] = f64.sin ({z} * {{3}}))',
                            start, at, value, self.sub('s', env, d - 1, (x, t), (k, 'i'), (z, 's')))
            if how == 3:
                return Node(t, f'({self.schedule()}loop ({x}, {k}) = (copy ({{0}}), 0i64) while {k} < 4 && {x}[0] < 3 do ({update}, {k} + 1)).0', start, at, value)
            if how == 4:
                return Node(t, f'({self.schedule()}loop {x} = copy ({{0}}) for {k} < 3 do scatter {x} [({{1}}) % {n}, -1] [{{2}}, 0.5])', start, at, value)
            if how == 6:                                      # places that are written once, in one of two branches; read before and after
                far = self.r.choice([0, 1])
                return Node(t, f'(loop {x} = copy ({{0}}) for {k} < {n} - {far} do if {{2}} then {x} with [{k}] = f64.sin {x}[{k} + {far}] * {{1}} else {x})',
                            start, self.sub('s', env, d - 1, (k, 'i')), self.sub('p', env, 1, (k, 'i')))
            if how == 5:
                return Node(t, f'({self.schedule()}loop ({x}: {OF[t]}) = {{0}} for {k} < 5 do {{2}})', start, at, self.sub(t, env, d - 1, (x, t), (k, 'i')))
            return Node(t, f'(loop {x} = copy ({{0}}) for {k} < {n} do {x} with [({{1}}) % {n}] = {{2}})', self.make(t, env, d),
                        self.sub('i', env, 1, (k, 'i')), self.sub('s', env, d, (x, t), (k, 'i')))
        if kind == 16:
            if t == 'b':
                return Node(t, '(({0})[({1}) % n])', self.make('c', env, d), self.make('i', env, d))
            return Node(t, '(({0})[:, ({1}) % m])', self.make('c', env, d), self.make('i', env, d))
        if kind == 17:                                        # rows or columns reduced
            row = self.name()
            if t == 'a':
                return Node(t, f'(map (\\{row} -> {{1}}) ({{0}}))', self.make('c', env, d), self.sub('s', env, d, (row, 'b')))
            op, neutral, tame = self.r.choice(OPERATORS)
            return Node(t, f'(reduce (map2 {op}) (replicate m {neutral}) (map (map (\\{x} -> {tame.format(x)})) ({{0}})))', self.make('c', env, d))
        if kind == 18:
            return Node(t, f'(take {n} (({{0}}) ++ ({{1}})))', self.make(t, env, d), self.make(other, env, d))
        if kind == 19:                                        # the largest of each bin, with its place
            return Node(t, f'(map (\\({x}, {y}) -> if {y} < 0 then 0.25 else f64.tanh {x}) (reduce_by_index (replicate {n} (f64.lowest, -1)) '
                           f'(\\(v, i) (w, j) -> if v > w || (v == w && i < j) then (v, i) else (w, j)) (f64.lowest, -1) (map (\\{k} -> {k} / 2) (iota {SIZES[other]})) '
                           f'(zip ({{0}}) (iota {SIZES[other]}))))', self.make(other, env, d))
        if kind == 20:                                        # a composition in each bin
            return Node(t, f'(map (.1) (reduce_by_index (replicate {n} (1, 0)) (\\(p0, p1) (q0, q1) -> (p0 * q0, q0 * p1 + q1)) (1, 0) (map (\\{k} -> {k} / 2) (iota {SIZES[other]})) '
                           f'(zip (map f64.cos ({{0}})) ({{1}}))))', self.make(other, env, d), self.make(other, env, d - 1))
        if kind == 21:                                        # gathered, an element several times
            return Node(t, f'(map (\\{k} -> ({{0}})[({{1}}) % {SIZES[other]}]) (iota {n}))', self.make(other, env, d), self.sub('i', env, 1, (k, 'i')))
        if kind == 22:
            return Node(t, self.r.choice(['(apart ({0}) ({2}))', '(bump (copy ({0})) ({1}) ({2}))', '(with_row ({0}) ({2}))']), self.make(t, env, d), self.make('i', env, 1), self.make('s', env, d - 1))
        if kind == 23:                                        # products of triangular matrices: the corner needs one of the diagonal on its left
            return Node(t, f'(map (.{self.r.choice("112")}) (scan (\\(p, q, r) (u, v, w) -> (p * u, r * v + q * u, r * w)) (1, 0, 1) (zip3 (map f64.cos ({{0}})) ({{1}}) (map f64.sin ({{0}})))))',
                        self.make(t, env, d), self.make(t, env, d - 1))
        if kind == 24:                                        # windows of two, or of one at the end
            last = self.r.choice([f'{x} ++ [0.5]', f'{x} ++ take 1 {x}', f'replicate 1 0.25 ++ {x}'])
            return Node(t, f'(let {x} = {{0}} let {y} = {last} in map (\\{k} -> f64.{self.r.choice(["maximum", "minimum", "sum"])} {y}[{k}:{k} + {self.r.choice("122")}] * f64.cos ({{1}})) (iota {n}))',
                        self.make(t, env, d), self.sub('s', env, d - 1, (k, 'i')))
        return Node(t, f'(let {x} = copy ({{0}}) let {x}[0:i64.min 1 {n}] = ({{1}})[0:i64.min 1 {n}] in {x})', self.make(t, env, d), self.make(t, env, d))

    def matrices(self, t, env, d):
        kind, x, y, k = self.r.randrange(18), self.name(), self.name(), self.name()
        if kind == 0:
            return Node('c', f'(map (\\{x} -> {{1}}) ({{0}}))', self.make('a', env, d), self.sub('b', env, d, (x, 's')))
        if kind in (1, 2):
            return Node('c', f'(map (\\{x} -> {{1}}) ({{0}}))', self.make('c', env, d), self.sub('b', env, d, (x, 'b')))
        if kind == 3:
            return Node('c', f'(map (map (\\{x} -> {{1}})) ({{0}}))', self.make('c', env, d), self.sub('s', env, d, (x, 's')))
        if kind == 4:
            return Node('c', f'(tabulate_2d n m (\\{x} {y} -> {{0}}))', self.sub('s', env, d, (x, 'i'), (y, 'i')))
        if kind in (5, 6):
            return self.general(t, env, d)
        if kind == 7:
            return Node('c', f'(transpose (map (\\{x} -> {{1}}) (transpose ({{0}}))))', self.make('c', env, d), self.sub('a', env, d, (x, 'a')))
        if kind == 8:
            return Node('c', '(copy ({0}) with [({1}) % n] = copy ({2}))', self.make('c', env, d), self.make('i', env, d), self.make('b', env, d))
        if kind == 9 and self.r.random() < 0.5:               # rows, one after the other, and again
            i, z = self.name(), self.name()
            return Node('c', f'(loop ({x}, {z}) = (copy ({{0}}), {{1}}) for {k} < 2 do let ({x}, {y}) = loop ({x}, {y}) = ({x}, {z}) for {i} < n do '
                             f'let {y} = map2 (\\p q -> {{2}}) {x}[{i}] {y} in ({x} with [{i}] = {y}, {y}) in ({x}, map (* 0.5) {y})).0',
                        self.make('c', env, d), self.make('b', env, d), self.sub('s', env, d, ('p', 's'), ('q', 's')))
        if kind == 9:
            return Node('c', f'(loop {x} = copy ({{0}}) for {k} < n do {x} with [{k}, ({{1}}) % m] = {{2}})', self.make('c', env, d),
                        self.sub('i', env, 1, (k, 'i')), self.sub('s', env, d, (x, 'c'), (k, 'i')))
        if kind == 10:
            return Node('c', '(unflatten (reverse (flatten ({0}))))', self.make('c', env, d))
        if kind == 11:
            return Node('c', f'(map2 (\\{x} {y} -> {{2}}) ({{0}}) ({{1}}))', self.make('c', env, d), self.make('a', env, d), self.sub('b', env, d, (x, 'b'), (y, 's')))
        if kind == 12:                                        # products of matrices
            return Node('c', '(let p = map (\\p -> map (\\q -> f64.sum (map2 (*) p q)) (transpose ({0}))) (transpose ({1})) in map (\\r -> map (\\q -> f64.tanh (f64.sum (map2 (*) r q))) p) ({2}))',
                        self.make('c', env, d - 1), self.make('c', env, d - 1), self.make('c', env, d - 1))
        if kind == 13:                                        # neighbours
            return Node('c', f'(let {x} = {{0}} in tabulate_2d n m (\\{y} {k} -> {x}[({y} + 1) % n, {k}] * 0.5 + {x}[{y}, ({k} + 1) % m] * {{1}}))', self.make('c', env, d),
                        self.sub('s', env, min(d, 2), (y, 'i'), (k, 'i')))
        if kind == 14:
            op, neutral, tame = self.r.choice(OPERATORS)
            return Node('c', f'(reduce_by_index_2d (copy ({{0}})) {op} {neutral} (map (\\{k} -> ({k} / 2, {k} % 2)) (iota n)) (map (\\{x} -> {tame.format(x)}) ({{1}})))',
                        self.make('c', env, d), self.make('a', env, d))
        if kind == 15:                                        # positions are distinct
            return Node('c', f'(scatter_2d (copy ({{0}})) (map (\\{k} -> ({k}, ({{1}}) % m)) (iota n)) ({{2}}))', self.make('c', env, d), self.sub('i', env, 1, (k, 'i')), self.make('a', env, d))
        if kind == 16:                                        # rows summed in bins
            return Node('c', f'(reduce_by_index (copy ({{0}})) (map2 (+)) (replicate m 0) (map (\\{k} -> ({{2}}) % n) (iota n)) ({{1}}))',
                        self.make('c', env, d), self.make('c', env, d - 1), self.sub('i', env, 1, (k, 'i')))
        return Node('c', '(scan (map2 (+)) (replicate m 0) ({0}))', self.make('c', env, d))

    def indices(self, t, env, d):
        kind = self.r.randrange(4)
        if kind == 0:
            return Node('i', '(i64.abs (i64.f64 (3 * f64.tanh ({0}))))', self.make('s', env, min(d, 1)))
        if kind == 1:
            return Node('i', '({0} + {1})', self.make('i', env, d), self.make('i', env, d))
        return self.leaf('i', env)

    def conditions(self, t, env, d):
        kind = self.r.randrange(4)
        if kind < 2:
            return Node('p', '({0}) < ({1})', self.make('s', env, min(d, 2)), self.make('s', env, min(d, 1)))
        if kind == 2:
            return Node('p', '({0}) % 2 == 0', self.make('i', env, d))
        return Node('p', '!({0})', self.make('p', env, d))


# What the functions call.
LIBRARY = '''
def root (x: f64): f64 = with_vjp (\\x -> f64.sqrt (1 + x * x)) (\\y dy -> dy * f64.sqrt (y * y - 1) / y) (f64.abs x + 0.1)
def ramp (x: f64): f64 = with_jvp (\\x -> x * x * x) (\\x dx -> 3 * x * x * dx) (f64.tanh x)
def clipped (x: f64): f64 = with_vjp_tape (\\x -> (x, f64.max (-1) (f64.min 1 x))) (\\(x, dy) -> if f64.abs x > 1 then 0 else dy) x
def upto (k: i64): ?[r].[r]i64 = filter (>= 0) (iota k)
def climb (k: i64) (x: f64): f64 = if k <= 0 then x else f64.sin (climb (k - 1) (x * 1.25)) + 0.5 * x
#[noinline] def apart [n] (xs: [n]f64) (s: f64): [n]f64 = scan (+) 0 (map (\\x -> f64.sin (x * s)) xs)
#[noinline] def weigh [n] (xs: [n]f64) (s: f64): f64 = f64.sum (map (\\x -> x * f64.cos (s + x)) xs)
#[noinline] def bump [n] (xs: *[n]f64) (i: i64) (v: f64): *[n]f64 = xs with [i % n] = v * f64.cos xs[(i + 1) % n]
def with_row [n] (xs: [n]f64) (s: f64): [n]f64 = (map (\\x -> loop r = copy xs for k < 2 do r with [k % n] = x + s * r[0]) xs)[n - 1]
'''
ENV = [('x', 's'), ('a', 'a'), ('b', 'b'), ('c', 'c')]
HARNESS = '''
type~ point [n][m] = (f64, [n]f64, [m]f64, [n][m]f64)
def wave (s: f64) (i: i64) = f64.sin (s + 1.7 * f64.i64 i)
def made [n][m] (s: f64) (a: [n]()) (b: [m]()) : point [n][m] =
  (wave s 0, map (wave (s + 1)) (indices a), map (wave (s + 2)) (indices b), map (\\i -> map (\\j -> wave (s + 3) (2 * i + 5 * j)) (indices b)) (indices a))
def add [n][m] (h: f64) ((x, a, b, c): point [n][m]) ((y, d, e, f): point [n][m]): point [n][m] =
  (x + h * y, map2 (\\p q -> p + h * q) a d, map2 (\\p q -> p + h * q) b e, map2 (map2 (\\p q -> p + h * q)) c f)
def dot [n][m] ((x, a, b, c): point [n][m]) ((y, d, e, f): point [n][m]) =
  x * y + f64.sum (map2 (*) a d) + f64.sum (map2 (*) b e) + f64.sum (map f64.sum (map2 (map2 (*)) c f))
def both [n][m] (f: point [n][m] -> point [n][m]) (p: point [n][m]) (v: point [n][m]) (w: point [n][m]) =
  slopes (\\h -> dot w (f (add h p v))) ++ [dot w (jvp f p v), dot v (vjp f p w)]
def curved [n][m] (f: point [n][m] -> point [n][m]) (p: point [n][m]) (v: point [n][m]) (w: point [n][m]) (u: point [n][m]) =
  slopes (\\h -> dot u (vjp f (add h p v) w)) ++ [dot w (jvp (\\q -> jvp f q v) p u), dot u (vjp (\\q -> dot v (vjp f q w)) p 1)]
def first [n][m] (f: point [n][m] -> point [n][m]) (a: [n]()) (b: [m]()) =
  let p = made 0.3 a b let v = made 1.1 a b let w = made 2.3 a b let u = made 4.2 a b
  in both f p v w ++ [dot w (jmp f p [u, v])[1], dot v (mjp f p [u, w])[1]]
def second [n][m] (f: point [n][m] -> point [n][m]) (a: [n]()) (b: [m]()) =
  let p = made 0.3 a b let v = made 1.1 a b let w = made 2.3 a b let u = made 4.2 a b
  in curved f p v w u ++ [dot u (jvp (\\q -> vjp f q w) p v), dot u (vjp (\\q -> dot w (jvp f q v)) p 1)]
-- The same in more directions, of which they are some.
def first_of_many [n][m] (f: point [n][m] -> point [n][m]) (a: [n]()) (b: [m]()) =
  let p = made 0.3 a b let v = made 1.1 a b let w = made 2.3 a b
  in both f p v w ++ [dot w (jmp f p (tabulate (opaque 5) (\\i -> made (1.1 + f64.i64 (i - 3)) a b)))[3],
                      dot v (map (\\i -> vjp f p (made (2.3 + f64.i64 (i - 8)) a b)) (iota (opaque 9)))[8]]
-- The same by the places of a, each of which has a direction of its own.
def place [n][m] (i: i64): point [n][m] = (0, tabulate n (\\j -> if i == j then 1 else 0), replicate m 0, replicate n (replicate m 0))
def by_places [n][m] (df: point [n][m] -> f64) ((x, a, b, c): point [n][m]): f64 =
  df (x, replicate n 0, b, c) + f64.sum (map (\\i -> a[i] * df (place i)) (iota (opaque n)))
def first_of_places [n][m] (f: point [n][m] -> point [n][m]) (a: [n]()) (b: [m]()) =
  let p = made 0.3 a b let v = made 1.1 a b let w = made 2.3 a b
  in both f p v w ++ [by_places (\\s -> dot w (jvp f p s)) v, by_places (\\s -> dot v (vjp f p s)) w]
def second_of_many [n][m] (f: point [n][m] -> point [n][m]) (a: [n]()) (b: [m]()) =
  let p = made 0.3 a b let v = made 1.1 a b let w = made 2.3 a b let u = made 4.2 a b
  in curved f p v w u ++ [dot u (map (\\i -> jvp (\\q -> vjp f q w) p (made (1.1 + f64.i64 (i - 3)) a b)) (iota (opaque 5)))[3],
                          dot u (mjp (\\q -> dot w (jvp f q v)) p (tabulate (opaque 9) (\\i -> f64.i64 (i - 7))))[8]]
'''
DIFFERENCES = 'def slopes (g: f64 -> f64): [2]f64 = map (\\h -> (g h - g (-h)) / (2 * h)) [1e-5, 1e-6]'
NO_DIFFERENCES = 'def slopes (_: f64 -> f64): [2]f64 = [0, 0]'
SHAPES = [(3, 2), (2, 3), (1, 1), (4, 1)]


class Function:
    def __init__(self, seed):
        g = Gen(seed)
        self.seed, self.shape = seed, SHAPES[seed % len(SHAPES)]
        keep = g.r.sample(range(4), g.r.choice([1, 1, 1, 2]))        # the results that are not just a parameter
        self.parts = [g.make(t, ENV, g.r.choice([2, 3, 3, 4, 4, 5])) if i in keep else Node(t, x) for i, (x, t) in enumerate(ENV)]

    def copy(self):
        other = Function.__new__(Function)
        other.seed, other.shape, other.parts = self.seed, self.shape, [p.copy() for p in self.parts]
        return other

    def size(self):
        return sum(len(p.show()) for p in self.parts)

    def show(self, name, kind='entry'):
        n, m = self.shape
        body = ',\n   '.join(p.show() for p in self.parts)
        way = '_of_many' if self.seed % 3 == 0 else ''
        ways = '_of_places' if self.seed % 3 == 1 else way
        return (f'def {name} [n][m] ((x, a, b, c): point [n][m]): point [n][m] =\n  ({body})\n'
                f'{kind or "def"} {name}_first = first{ways} {name} (replicate {n} ()) (replicate {m} ())\n'
                f'{kind or "def"} {name}_second = second{way} {name} (replicate {n} ()) (replicate {m} ())\n')


def program(functions, together=(), slopes=DIFFERENCES):
    text = slopes + HARNESS + LIBRARY + '\n'.join(f.show(f'f{i}', '' if together else 'entry') for i, f in enumerate(functions))
    return text + (f'entry together = [{", ".join(together)}]\n' if together else '')


class Ways:
    """How a program is run: each gives the list of numbers of an entry, or a text that says what went wrong."""

    def __init__(self, raido, backend, pipeline, memory, verify, folder):
        self.raido, self.backend, self.verify, self.folder = raido, backend, verify, folder
        self.limit = [f'--ad-memory={memory}'] if memory else []
        self.passes = ['--pipeline', pipeline, *self.limit] if pipeline != 'none' else None
        self.cpu = ['--cpu=native'] if backend in ('c', 'multicore') else []

    def command(self, arguments, cwd=None):
        try:
            r = subprocess.run(arguments, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300, cwd=cwd)
        except subprocess.TimeoutExpired:
            return None, 'no end within 300 s'
        if r.returncode != 0:
            return None, f'exit {r.returncode}: {r.stderr.strip()[:600]}'
        return r.stdout, None

    def together(self, functions, entries):
        """As run, for one answer of all entries; none if one of them spoils it."""
        rows = self.run(functions, ['together'], entries)['together']
        if any(isinstance(r, str) for r in rows.values()):
            return None
        return {e: {way: numbers[6 * k:6 * k + 6] for way, numbers in rows.items()} for k, e in enumerate(entries)}

    @staticmethod
    def numbers(text):
        text = text.replace('[', '').replace(']', '')
        return [float(x.replace('f64.nan', 'nan').replace('f64.inf', 'inf').strip().removesuffix('f64')) for x in text.split(',')]

    def run(self, functions, entries, together=()):
        """entry -> {way: numbers or text}"""
        unverified = ['--no-verify'] if functions[0].seed // len(functions) % self.verify else []
        folder = tempfile.mkdtemp(dir=self.folder)
        lowered, path = os.path.join(folder, 'lowered.fut'), os.path.join(folder, 'p.fut')
        for name, slopes in ((lowered, DIFFERENCES), (path, NO_DIFFERENCES)):
            with open(name, 'w') as out:
                out.write(program(functions, together, slopes))
        results = {e: {} for e in entries}
        for way, name, options in (('interpreter', lowered, ['--check-shapes']), ('passes', path, self.passes and self.passes + unverified)):
            if options is None:
                continue
            for e in entries:
                out, problem = self.command([self.raido, 'run', '-w', '-e', e, name] + options)
                results[e][way] = problem or self.numbers(out)
        if self.backend:
            out, problem = self.command([self.raido, self.backend, '-w', *self.cpu, *self.limit, path, '-o', path[:-4]])
            for e in entries:
                if not problem:
                    out, problem_here = self.command([path[:-4], '-e', e])
                    results[e][self.backend] = problem_here or self.numbers(out)
                else:
                    results[e][self.backend] = problem
        shutil.rmtree(folder)
        return results


def judge(answers):
    """What is wrong with the answers of one entry; none: nothing."""
    for way, got in answers.items():
        if isinstance(got, str):
            return f'{way}: {got}'
    for way, (slope1, slope2, *exact) in answers.items():
        reference = answers['interpreter'][2]
        if not all(math.isfinite(v) for v in answers['interpreter'][2:]):
            continue                                          # beyond what doubles hold: nothing to compare
        scale = max(1, abs(reference), *(abs(v) for v in answers['interpreter'][2:]))
        if scale > 1e8:
            continue
        for k, v in enumerate(exact):
            if not abs(v - reference) <= 1e-7 * scale:
                return f'{way}: {v} at position {k + 2}, the interpreter\'s first is {reference}'
        if way == 'interpreter' and all(not abs(s - reference) <= 1e-3 * scale for s in (slope1, slope2)) and abs(slope1 - slope2) <= 1e-3 * scale:
            return f'finite differences {slope1}, derivative {reference}'
    return None


def shrink(function, ways, entry):
    """The smallest function found of which `entry` is still wrong in the same way."""
    def wrong(f):
        out = judge(ways.run([f], [entry])[entry])
        return out if out and 'Error at' not in out else None

    kind = wrong(function)
    if not kind:
        return function, None
    progress = True
    while progress:
        progress = False
        for p in range(4):
            nodes = list(function.parts[p].all())
            for at in range(len(nodes)):
                node = list(function.parts[p].all())
                if at >= len(node):
                    break
                same = [q for q in node[at].all() if q is not node[at] and q.type == node[at].type]
                simple = [Node(node[at].type, {'s': 'x', 'a': 'a', 'b': 'b', 'c': 'c', 'i': '0', 'p': 'true'}[node[at].type])]
                for candidate in simple + sorted(same, key=lambda q: len(q.show())):
                    if len(candidate.show()) >= len(node[at].show()):
                        continue
                    smaller = function.copy()
                    target = list(smaller.parts[p].all())[at]
                    target.text, target.parts = candidate.text, [q.copy() for q in candidate.parts]
                    found = wrong(smaller)
                    if found and found.split(':')[0] == kind.split(':')[0]:
                        function, kind, progress = smaller, found, True
                        break
    return function, kind


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--raido', default='build/release/raido')
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--batch', type=int, default=3, help='functions in one program')
    parser.add_argument('--backend', help='compile for it and run that, too: c, multicore, opencl')
    parser.add_argument('--pipeline', default='common', help='the passes: common, cpu, gpu; none: only what --backend says')
    parser.add_argument('--ad-memory', help='bytes that the states of loops may take after the passes')
    parser.add_argument('--verify', type=int, default=1, metavar='N', help='verify after each pass in one program of N')
    parser.add_argument('--first-order', action='store_true')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--out', help='a folder for what is found')
    parser.add_argument('--no-shrink', action='store_true')
    parser.add_argument('--show', type=int, help='print the program of this seed')
    options = parser.parse_args()
    if options.show is not None:
        print(program([Function(options.show)]))
        return 0

    findings = []
    with tempfile.TemporaryDirectory() as folder:
        ways = Ways(os.path.abspath(options.raido), options.backend, options.pipeline, options.ad_memory, options.verify, folder)

        def batch(start):
            if start % 300 < options.batch:
                print(f'at seed {start}', file=sys.stderr, flush=True)
            functions = [Function(s) for s in range(start, min(start + options.batch, options.seed + options.count))]
            orders = ['first'] if options.first_order else ['first', 'second']
            entries = [f'f{i}_{o}' for i in range(len(functions)) for o in orders]
            results = ways.together(functions, entries)
            for i, f in enumerate(functions):
                for o in orders:
                    answer = results and judge(results[f'f{i}_{o}'])
                    if answer or not results:                 # alone: one function's refusal is not another's
                        answer = judge(ways.run([f], [f'f0_{o}'])[f'f0_{o}'])
                    if not answer or 'cannot run on the device' in answer:
                        continue
                    if not options.no_shrink:
                        smaller, said = shrink(f, ways, f'f0_{o}')
                        f, answer = (smaller, said) if said else (f, answer)
                    findings.append((f, o, answer))
                    print(f'seed {f.seed}, {o} derivative: {answer}\n{f.show("f0")}', flush=True)
                    if options.out:
                        os.makedirs(options.out, exist_ok=True)
                        with open(os.path.join(options.out, f'{f.seed}_{o}.fut'), 'w') as out:
                            out.write(f'-- {answer}\n'.replace('\n', '\n-- ').rstrip('- ') + '\n' + program([f]))
                    break

        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(batch, range(options.seed, options.seed + options.count, options.batch)))
    print(f'{options.count} functions, {len(findings)} findings')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
