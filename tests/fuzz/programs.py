#!/usr/bin/env python3
"""Random source programs: most of them well typed, the others made from those by a small change of the text.

Each program goes through this compiler: `check` must say yes or no and nothing else (a crash, a hang or an internal error is a
finding); a program that was generated well typed must be accepted; what is accepted is run by the interpreter and, with --c, as
compiled C, and the values must agree. With --peer PATH another compiler of the language, called like `futhark`, is asked the same.
Every difference of verdict or value is a finding, written to --out with both answers.

    tests/fuzz/programs.py --raido build/release/raido --count 200 --seed 1 [--peer PATH] [--c] [--out FOLDER]

A seed makes the same programs every time; --show SEED prints the program of one."""
import argparse
import os
import random
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from running import command, same

INTS = ['i32', 'i64', 'i32', 'i64', 'i8', 'u8', 'i16', 'u16', 'u32', 'u64']
BOOL, I32, I64, F64 = ('p', 'bool'), ('p', 'i32'), ('p', 'i64'), ('p', 'f64')


def arr(size, elem):
    return ('a', size, elem)


def tup(*parts):
    return ('r', tuple((str(i), p) for i, p in enumerate(parts)))


class Function:
    def __init__(self, name, params, result, size_params=0):
        self.name, self.params, self.result, self.size_params = name, params, result, size_params


class Gen:
    """Writes one program. An environment is a list of (name, type); sizes in scope are the i64 names in `sizes`."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = 0
        self.unknowns = 0
        self.inferred = 0     # definitions around whose types come from what they are made of: numbers say theirs
        self.sums = {}        # name -> [(constructor, payload types)]
        self.records = {}     # name -> fields
        self.modules = []     # names of modules with t, mk, get, op
        self.functions = []
        self.decls = []

    # ---- small things ----
    def name(self, hint='x'):
        self.names += 1
        return f'{hint}{self.names}'

    def pick(self, *options):
        return self.r.choice(options)

    def chance(self, p):
        return self.r.random() < p

    def show(self, t):
        if t[0] == 'p':
            return t[1]
        if t[0] == 'a':
            return f'[{t[1]}]{self.show(t[2])}'
        if t[0] == 'r':
            fields = t[1]
            if all(n == str(i) for i, (n, _) in enumerate(fields)) and len(fields) != 1:
                return '(' + ', '.join(self.show(x) for _, x in fields) + ')'
            return '{' + ', '.join(f'{n}: {self.show(x)}' for n, x in fields) + '}'
        return t[1]

    def writable(self, t):
        if t[0] == 'a':
            return not t[1].startswith('?') and self.writable(t[2])
        if t[0] == 'r':
            return all(self.writable(x) for _, x in t[1])
        return True

    def literal(self, p):
        if p == 'bool':
            return self.pick('true', 'false')
        if p in ('f32', 'f64', 'f16'):
            return f'{self.r.randint(0, 9)}.{self.pick("0", "5", "25")}{p}'
        return f'{self.r.randint(0, 100)}{p if self.inferred or self.chance(0.9) else ""}'

    # ---- types ----
    def scalar(self):
        return ('p', self.pick('bool', 'f64', 'f32', *INTS, *INTS))

    def type(self, sizes, depth=2):
        k = self.r.random()
        if depth == 0 or k < 0.35:
            return self.scalar()
        if k < 0.6:
            return arr(self.size(sizes), self.type(sizes, depth - 1) if self.chance(0.3) else self.scalar())
        if k < 0.75:
            return tup(*(self.type(sizes, depth - 1) for _ in range(self.r.randint(2, 3))))
        if k < 0.85 and self.sums:
            return ('s', self.pick(*self.sums))
        if k < 0.93 and self.records:
            return ('R', self.pick(*self.records))
        if self.modules:
            return ('m', self.pick(*self.modules) + '.t')
        return self.scalar()

    def size(self, sizes):
        return self.pick(*sizes) if sizes and self.chance(0.6) else str(self.r.randint(1, 4))

    def fields(self, t):
        return self.records[t[1]] if t[0] == 'R' else t[1]

    # ---- expressions ----
    def of_type(self, t, env):
        return [n for n, x in env if x == t]

    def exp(self, t, env, sizes, depth):
        """An expression of exactly this type, in parentheses unless it is an atom."""
        if depth <= 0 or self.chance(0.12):
            return self.leaf(t, env, sizes)
        options = [self.binding, self.binding, self.branch, self.loop, self.projected, self.called, self.matched, self.applied]
        by_kind = {'p': self.scalar_exp, 'a': self.array_exp, 'r': self.record_exp, 'R': self.record_exp, 's': self.sum_exp, 'm': self.module_exp}
        options += [by_kind[t[0]]] * 8
        for _ in range(6):
            made = self.r.choice(options)(t, env, sizes, depth - 1)
            if made is not None:
                return made
        return self.leaf(t, env, sizes)

    def leaf(self, t, env, sizes):
        known = self.of_type(t, env)
        if known and self.chance(0.8):
            return self.pick(*known)
        if t[0] == 'p':
            if t == I64 and sizes and self.chance(0.3):
                return self.pick(*sizes)
            return self.literal(t[1])
        if t[0] == 'a':
            if known:
                return self.pick(*known)
            if t[1].startswith('?'):
                source = [n for n, x in env if x[0] == 'a' and x[1] == t[1]]
                return f'(map (\\_ -> {self.leaf(t[2], env, sizes)}) {source[0]})'
            if t[1].isdigit() and self.chance(0.5):
                first = self.leaf(t[2], env, sizes)
                return '[' + ', '.join([first] + [self.leaf(t[2], env, sizes) for _ in range(int(t[1]) - 1)]) + ']'
            return f'(replicate {t[1]} {self.leaf(t[2], env, sizes)})'
        if t[0] in 'rR':
            return self.build_record(t, lambda x: self.leaf(x, env, sizes))
        if t[0] == 's':
            constructor, payload = self.r.choice(self.sums[t[1]])
            return '(' + ' '.join([f'(#{constructor}'] + [self.leaf(p, env, sizes) for p in payload]) + f') : {t[1]})'
        return f'({t[1][:-2]}.mk {self.leaf(I32, env, sizes)})'

    def build_record(self, t, make):
        fields = self.fields(t)
        if t[0] == 'r' and all(n == str(i) for i, (n, _) in enumerate(fields)):
            return '(' + ', '.join(make(x) for _, x in fields) + ')'
        order = list(fields)
        self.r.shuffle(order)
        return '{' + ', '.join(f'{n} = {make(x)}' for n, x in order) + '}'

    def binding(self, t, env, sizes, depth):
        k = self.r.random()
        if k < 0.3:
            u = self.type(sizes, 1)
            x = self.name()
            note = f': {self.show(u)}' if self.writable(u) and self.chance(0.3) else ''
            value = self.exp(u, env, sizes, depth)
            return f'(let {x}{note} = {value} in {self.exp(t, env + [(x, u)], sizes, depth)})'
        if k < 0.45:
            parts = [self.type(sizes, 1) for _ in range(2)]
            x, y = self.name(), self.name()
            value = self.exp(tup(*parts), env, sizes, depth)
            body = self.exp(t, env + [(x, parts[0]), (y, parts[1])], sizes, depth)
            return f'(let ({x}, {y}) = {value} in {body})'
        if k < 0.65:
            # A local function, whose type is written.
            u = self.type(sizes, 1)
            v = self.scalar()
            f, a, b = self.name('h'), self.name(), self.name()
            if not (self.writable(u) and self.writable(t)):
                return None
            result = self.pick(t, self.scalar())
            note = f': {self.show(result)} ' if self.chance(0.5) else ''
            inner = self.defined(note, result, env + [(a, u), (b, v)], sizes, depth)
            call = f'({f} {self.exp(u, env, sizes, depth)} {self.exp(v, env, sizes, depth)})'
            if result == t:
                return f'(let {f} ({a}: {self.show(u)}) ({b}: {self.show(v)}) {note}= {inner} in {call})'
            x = self.name()
            body = self.exp(t, env + [(x, result)], sizes, depth)
            return f'(let {f} ({a}: {self.show(u)}) ({b}: {self.show(v)}) {note}= {inner} let {x} = {call} in {body})'
        if k < 0.8:
            # Something filtered: its size has no name.
            source = [(n, x) for n, x in env if x[0] == 'a']
            if not source:
                return None
            n, x = self.r.choice(source)
            self.unknowns += 1
            y, e = self.name(), self.name()
            size = f'?{self.unknowns}'
            cond = self.exp(BOOL, env + [(e, x[2])], sizes, depth - 1)
            body = self.exp(t, env + [(y, arr(size, x[2]))], sizes, depth)
            if contains(t, size):
                return None
            return f'(let {y} = filter (\\{e} -> {cond}) {n} in {body})'
        # An array is updated in place.
        u = arr(self.size(sizes), self.type(sizes, 1))
        x = self.name()
        value = self.exp(u, env, sizes, depth)
        at = self.index(u[1], env, sizes, depth)
        new = self.exp(u[2], env, sizes, depth)
        body = self.exp(t, env + [(x, u)], sizes, depth)
        if self.chance(0.5):
            return f'(let {x} = copy {value} let {x}[{at}] = {new} in {body})'
        return f'(let {x} = (copy {value}) with [{at}] = {new} in {body})'

    def index(self, size, env, sizes, depth):
        if size.isdigit():
            return str(self.r.randrange(int(size)))
        return f'({self.exp(I64, env, sizes, depth - 1)} % {size})' if self.chance(0.5) else f'({size} - 1)'

    def branch(self, t, env, sizes, depth):
        return f'(if {self.exp(BOOL, env, sizes, depth)} then {self.exp(t, env, sizes, depth)} else {self.exp(t, env, sizes, depth)})'

    def loop(self, t, env, sizes, depth):
        acc, i = self.name('acc'), self.name('k')
        start = self.exp(t, env, sizes, depth)
        k = self.r.random()
        if k < 0.5:
            body = self.exp(t, env + [(acc, t), (i, I32)], sizes, depth)
            return f'(loop {acc} = {start} for {i} < {self.r.randint(0, 4)}i32 do {body})'
        if k < 0.75:
            u = self.scalar()
            xs = self.exp(arr(self.size(sizes), u), env, sizes, depth)
            return f'(loop {acc} = {start} for {i} in {xs} do {self.exp(t, env + [(acc, t), (i, u)], sizes, depth)})'
        body = self.exp(t, env + [(acc, t), (i, I32)], sizes, depth)
        return f'(loop ({acc}, {i}) = ({start}, 0i32) while {i} < {self.r.randint(0, 3)} do ({body}, {i} + 1)).0'

    def projected(self, t, env, sizes, depth):
        options = []
        for n, x in env:
            if x[0] in 'rR':
                options += [f'{n}.{f}' for f, y in self.fields(x) if y == t]
            if x[0] == 'a' and x[2] == t and not x[1].startswith('?'):
                options.append(f'{n}[{self.index(x[1], env, sizes, depth)}]')
            if x[0] == 'a' and x[2][0] == 'a' and x[2][2] == t and not x[1].startswith('?') and not x[2][1].startswith('?'):
                options.append(f'{n}[{self.index(x[1], env, sizes, depth)}, {self.index(x[2][1], env, sizes, depth)}]')
        return self.r.choice(options) if options else None

    def called(self, t, env, sizes, depth):
        options = [f for f in self.functions if f.result == t and not f.size_params]
        if not options:
            return None
        f = self.r.choice(options)
        args = ' '.join(self.exp(p, env, sizes, depth) for p in f.params)
        return f'({f.name} {args})'

    def matched(self, t, env, sizes, depth):
        if self.sums and self.chance(0.6):
            s = self.pick(*self.sums)
            on = self.exp(('s', s), env, sizes, depth)
            cases = []
            for constructor, payload in self.sums[s]:
                names = [self.name() for _ in payload]
                body = self.exp(t, env + list(zip(names, payload)), sizes, depth)
                cases.append(f'case {" ".join(["#" + constructor] + names)} -> {body}')
            if self.chance(0.3):
                cases[-1] = f'case _ -> {self.exp(t, env, sizes, depth)}'
            return f'(match {on} {" ".join(cases)})'
        u = ('p', self.pick('i32', 'u8', 'bool'))
        on = self.exp(u, env, sizes, depth)
        first = self.literal(u[1]) if u != BOOL else 'true'
        x = self.name()
        return f'(match {on} case {first} -> {self.exp(t, env, sizes, depth)} case {x} -> {self.exp(t, env + [(x, u)], sizes, depth)})'

    def applied(self, t, env, sizes, depth):
        k = self.r.random()
        x = self.name()
        u = self.type(sizes, 1)
        if k < 0.4:
            note = f'({x}: {self.show(u)})' if self.writable(u) and (self.chance(0.5) or u[0] in 'rR') else x
            return f'((\\{note} -> {self.exp(t, env + [(x, u)], sizes, depth)}) {self.exp(u, env, sizes, depth)})'
        if k < 0.7:
            if u[0] in 'rR' and not self.writable(u):
                return None
            return f'({self.exp(u, env, sizes, depth)} |> (\\{x} -> {self.exp(t, env + [(x, u)], sizes, depth)}))'
        return f'(id {self.exp(t, env, sizes, depth)})'

    def scalar_exp(self, t, env, sizes, depth):
        p = t[1]
        e = lambda u=t: self.exp(u, env, sizes, depth)
        arrays = [(n, x) for n, x in env if x[0] == 'a']
        if p == 'bool':
            u = self.scalar()
            return self.pick(lambda: f'({e()} && {e()})', lambda: f'({e()} || {e()})', lambda: f'(!{e()})',
                             lambda: f'({e(u)} {self.pick("<", "<=", ">", ">=", "==", "!=")} {e(u)})',
                             lambda: f'(all (\\x -> x {self.pick("<", "!=")} {self.literal("i32")}) {e(arr(self.size(sizes), I32))})')()
        if p in ('f32', 'f64', 'f16'):
            return self.pick(lambda: f'({e()} {self.pick("+", "-", "*")} {e()})', lambda: f'({p}.i32 {e(I32)})', lambda: f'({p}.i64 {e(I64)})',
                             lambda: f'({p}.{self.pick("abs", "floor", "neg")} {e()})', lambda: f'({p}.{self.pick("max", "min")} {e()} {e()})',
                             lambda: f'(reduce (+) 0 {e(arr(self.size(sizes), t))})')()
        size = self.size(sizes)
        options = [
            lambda: f'({e()} {self.pick("+", "-", "*", "&", "|", "^")} {e()})',
            lambda: f'({e()} {self.pick("/", "%", "//", "%%")} ({e()} | 1))',
            lambda: f'({e()} {self.pick("<<", ">>")} ({e()} & 3))',
            lambda: f'(- ({e()}: {p}))' if p[0] == 'u' else f'(- {e()})',      # -61 is no u8
            lambda: f'({p}.{self.pick("abs", "sgn", "not")} {e()})',
            lambda: f'({p}.{self.pick("max", "min")} {e()} {e()})',
            lambda: f'({p}.{self.pick("sum", "maximum", "product")} {e(arr(size, t))})',
            lambda: '(reduce ' + self.pick('(+)', '(\\a b -> a + b)', p + '.max') + f' 0 {e(arr(size, t))})',
            lambda: f'({p}.{self.pick(*[q for q in ("i32", "i64", "u8") if q != p])} {{}})',
            lambda: f'({self.pick("head", "last")} {e(arr(size, t))})',
            lambda: f'(foldl (\\a b -> {self.exp(t, env + [("a", t), ("b", I32)], sizes, depth - 1)}) {e()} {e(arr(size, I32))})',
        ]
        if self.modules and p == 'i32':
            m = self.pick(*self.modules)
            options += [lambda: f'({m}.get {e(("m", m + ".t"))})'] * 2
        made = self.r.choice(options)()
        if '{}' in made:
            made = made.replace('{}', self.exp(('p', re.match(r'\(\w+\.(\w+)', made)[1]), env, sizes, depth))
        if p == 'i64' and arrays and self.chance(0.15):
            return f'(length {self.r.choice(arrays)[0]})'
        return made

    def array_exp(self, t, env, sizes, depth):
        size, elem = t[1], t[2]
        x, y = self.name(), self.name()
        u, v = self.type(sizes, 1), self.scalar()
        e = lambda what: self.exp(what, env, sizes, depth)
        inner = lambda more: self.exp(elem, env + more, sizes, depth)
        if size.startswith('?'):
            source = [(n, z) for n, z in env if z[0] == 'a' and z[1] == size]
            n, z = self.r.choice(source)
            return self.pick(lambda: f'(map (\\{x} -> {inner([(x, z[2])])}) {n})',
                             lambda: f'(map2 (\\{x} {y} -> {inner([(x, z[2]), (y, I64)])}) {n} (indices {n}))',
                             lambda: f'(reverse {e(t)})')()
        fancy = u[0] in 'rRsm'
        options = [
            lambda: f'(map (\\{x} -> {inner([(x, u)])}) {e(arr(size, u))})' if not fancy or not self.writable(u)
            else f'(map (\\({x}: {self.show(u)}) -> {inner([(x, u)])}) {e(arr(size, u))})',
            lambda: f'(map2 (\\{x} {y} -> {inner([(x, v), (y, I64)])}) {e(arr(size, v))} {e(arr(size, I64))})',
            lambda: f'(tabulate {size} (\\{x} -> {inner([(x, I64)])}))',
            lambda: f'(replicate {size} {e(elem)})',
            lambda: f'({self.pick("reverse", "copy", "rotate 1", "id", "map id")} {e(t)})',
            lambda: f'(scatter (copy {e(t)}) (map (\\{x} -> {x} % 5) {e(arr("2", I64))}) (replicate 2 {e(elem)}))'.replace(f'{x} % 5', f'{x} * 0'),
            lambda: f'(let {x} = {e(tup(t, I32))} in {x}.0)',
            lambda: f'(map (.1) (zip {e(arr(size, v))} {e(t)}))',
            lambda: f'((unzip (zip {e(t)} {e(arr(size, v))})).0)',
            lambda: f'({e(t)} :> [{size}]{self.show(elem)})' if self.writable(t) else f'{e(t)}',
            lambda: f'({e(t)} : []{self.show(elem)})' if self.writable(elem) else f'{e(t)}',
        ]
        if elem[0] == 'p' and elem[1] in INTS:
            options += [lambda: f'(scan {self.pick("(+)", elem[1] + ".max")} 0 {e(t)})',
                        lambda: f'(hist (+) 0 {size} {e(arr("3", I64))} {e(arr("3", elem))})',
                        lambda: f'(reduce_by_index (copy {e(t)}) (+) 0 {e(arr("2", I64))} {e(arr("2", elem))})',
                        lambda: f'(map ({self.literal(elem[1])} {self.pick("+", "-", "*")}) {e(t)})']
        if elem == I64:
            options += [lambda: f'(iota {size})', lambda: f'(indices {e(arr(size, u))})']
        if size.isdigit():
            options.append(lambda: '[' + ', '.join(e(elem) for _ in range(int(size))) + ']')
            options.append(lambda: f'(take {size} {e(arr(str(int(size) + 2), elem))})')
            options.append(lambda: f'(sized {size} ({e(arr(str(int(size) + 1), elem))}[1:]))')
        if elem[0] == 'a' and not elem[1].startswith('?'):
            options.append(lambda: f'(transpose {e(arr(elem[1], arr(size, elem[2])))})')
        return self.r.choice(options)()

    def record_exp(self, t, env, sizes, depth):
        fields = self.fields(t)
        if self.chance(0.25) and fields:
            f, x = self.r.choice(fields)
            base = self.name()
            return f'(let {base} = {self.exp(t, env, sizes, depth)} in {base} with {f} = {self.exp(x, env, sizes, depth)})' \
                if not f.isdigit() else None
        return self.build_record(t, lambda x: self.exp(x, env, sizes, depth))

    def sum_exp(self, t, env, sizes, depth):
        constructor, payload = self.r.choice(self.sums[t[1]])
        return '(' + ' '.join([f'(#{constructor}'] + [self.exp(p, env, sizes, depth) for p in payload]) + f') : {t[1]})'

    def module_exp(self, t, env, sizes, depth):
        m = t[1][:-2]
        e = lambda what: self.exp(what, env, sizes, depth)
        return self.pick(lambda: f'({m}.mk {e(I32)})', lambda: f'({m}.op {e(t)} {e(t)})', lambda: f'({e(t)} `{m}.op` {e(t)})')()

    # ---- declarations ----
    def declare(self):
        for _ in range(self.r.randint(0, 2)):
            s = self.name('s')
            self.sums[s] = [(f'{c}{s}', [self.type([], 1) for _ in range(self.r.randint(0, 2))])
                            for c in self.r.sample('abcd', self.r.randint(1, 3))]
            self.decls.append(f'type {s} = ' + ' | '.join(
                ' '.join([f'#{c}'] + [f'({self.show(p)})' for p in ps]) for c, ps in self.sums[s]))
        for _ in range(self.r.randint(0, 1)):
            name = self.name('r')
            self.records[name] = tuple((f'{f}', self.type([], 1)) for f in self.r.sample('pqvw', self.r.randint(1, 3)))
            self.decls.append(f'type {name} = ' + '{' + ', '.join(f'{f}: {self.show(x)}' for f, x in self.records[name]) + '}')
        for _ in range(self.r.randint(0, 1)):
            m, spec = self.name('m'), self.name('S')
            inner = self.pick('i32', '(i32, i32)', '[2]i32', '{lo: i32, hi: i32}')
            mk = {'i32': 'x', '(i32, i32)': '(x, x + 1)', '[2]i32': '[x, x]', '{lo: i32, hi: i32}': '{lo = x, hi = x * 2}'}[inner]
            get = {'i32': 'v', '(i32, i32)': 'v.0 - v.1', '[2]i32': 'v[0] + v[1]', '{lo: i32, hi: i32}': 'v.lo + v.hi'}[inner]
            self.decls.append(f'module type {spec} = {{ type t val mk : i32 -> t val get : t -> i32 val op : t -> t -> t }}')
            body = f'{{ type t = {inner} def mk (x: i32) : t = {mk} def get (v: t) : i32 = {get} def op (a: t) (b: t) : t = mk (get a * 3 + get b) }}'
            if self.chance(0.5):
                self.decls.append(f'module {m} : {spec} = {body}')
            else:
                functor = self.name('F')
                self.decls.append(f'module {functor} (P: {{ val k : i32 }}) : {spec} = '
                                  + body.replace('get a * 3', 'get a * P.k'))
                self.decls.append(f'module {m} = {functor} {{ def k = {self.r.randint(1, 9)}i32 }}')
            self.modules.append(m)

    def defined(self, note, *what):
        """The body of a definition whose type is written, or not."""
        self.inferred += not note
        body = self.exp(*what)
        self.inferred -= not note
        return body

    def function(self):
        sizes = [self.name('n') for _ in range(self.r.randint(0, 2))]
        params = [(self.name('p'), arr(n, self.scalar())) for n in sizes]
        params += [(self.name('p'), self.type(sizes, 1)) for _ in range(self.r.randint(0 if params else 1, 2))]
        result = self.type(sizes if self.chance(0.6) else [], 2)
        note = f' : {self.show(result)}' if self.chance(0.6) else ''
        body = self.defined(note, result, params, sizes, self.r.randint(2, 4))
        f = self.name('g')
        attr = self.pick('', '', '', '#[noinline] ', '#[inline] ')
        head = ' '.join([f] + [f'[{n}]' for n in sizes] + [f'({p}: {self.show(t)})' for p, t in params])
        self.decls.append(f'{attr}def {head}{note} = {body}')
        concrete = dict(zip(sizes, (str(self.r.randint(1, 4)) for _ in sizes)))
        self.functions.append(Function(f, [resized(t, concrete) for _, t in params], resized(result, concrete)))

    def flat(self, t, e, out):
        """Scalars and arrays of scalars that show the value of the atom e."""
        if t[0] == 'p' or (t[0] == 'a' and base(t)[0] == 'p'):
            out.append(e)
        elif t[0] in 'rR':
            for f, x in self.fields(t):
                self.flat(x, f'{e}.{f}', out)
        elif t[0] == 'm':
            out.append(f'{t[1][:-2]}.get {e}')
        elif t[0] == 's':
            cases = []
            for i, (c, ps) in enumerate(self.sums[t[1]]):
                names = [self.name() for _ in ps]
                shown = [f'i64.{p[1]} {n}' for n, p in zip(names, ps) if p[0] == 'p' and p != I64] + [n for n, p in zip(names, ps) if p == I64]
                cases.append(f'case {" ".join(["#" + c] + [n if any(n in s for s in shown) else "_" for n in names])} -> '
                             + ' + '.join([f'{i * 1000}i64'] + shown))
            out.append(f'(match {e} {" ".join(cases)})')
        elif t[0] == 'a':
            out.append(f'length {e}')

    def program(self):
        self.declare()
        for _ in range(self.r.randint(1, 3)):
            self.function()
        t = self.type([], 2)
        value = self.exp(t, [], [], self.r.randint(2, 5))
        shown = []
        self.flat(t, 'result', shown)
        for f in self.r.sample(self.functions, min(2, len(self.functions))):
            x = self.name('result')
            value += f'\n  let {x} = {f.name} ' + ' '.join(self.exp(p, [], [], 1) for p in f.params)
            self.flat(f.result, x, shown)
        self.decls.append(f'def main =\n  let result = {value}\n  in ({", ".join(shown + ["0i32", "1i32"])})')
        return '\n'.join(self.decls) + '\n'


def contains(t, size):
    return t[0] == 'a' and (t[1] == size or contains(t[2], size)) or t[0] == 'r' and any(contains(x, size) for _, x in t[1])


def resized(t, sizes):
    if t[0] == 'a':
        return arr(sizes.get(t[1], t[1]), resized(t[2], sizes))
    if t[0] == 'r':
        return ('r', tuple((n, resized(x, sizes)) for n, x in t[1]))
    return t


def base(t):
    return base(t[2]) if t[0] == 'a' else t


# ---- small changes of the text ----

TOKEN = re.compile(r'\s+|[A-Za-z_][\w\']*|#\w+|\d[\w.]*|->|:>|\|>|&&|\|\||[<>=!]=|\.\.[.<>]?|.', re.S)
SPARE = ['i32', 'i64', 'bool', 'f32', '*', '[]', '1', '0i64', 'true', '(', ')', '[', ']', '+', '==', '.0', '.1', ',', '->', ':', 'let', 'in',
         'map', 'copy', 'filter', 'n', '=', '#a', '-', '!', '(+)', '[0]', '[1:]', 'with', 'if', 'loop', 'iota', 'length', 'zip', ':>', '_', '??? ']


def mutate(text, r):
    tokens = TOKEN.findall(text)
    solid = [i for i, t in enumerate(tokens) if not t.isspace()]
    for _ in range(r.choice([1, 1, 1, 2])):
        i = r.choice(solid)
        k = r.random()
        if k < 0.2:
            tokens[i] = ''
        elif k < 0.35:
            tokens[i] += ' ' + tokens[i]
        elif k < 0.5:
            j = r.choice(solid)
            tokens[i], tokens[j] = tokens[j], tokens[i]
        elif k < 0.65:
            tokens[i] = r.choice(SPARE)
        elif k < 0.8:
            tokens[i] = tokens[r.choice(solid)]
        else:
            # One parenthesised part in the place of another.
            opens = [j for j in solid if tokens[j] == '(']
            if len(opens) < 2:
                continue
            a, b = r.choice(opens), r.choice(opens)
            part = ''.join(tokens[b:closing(tokens, b)])
            end = closing(tokens, a)
            tokens[a:end] = [part] + [''] * (end - a - 1)
    return ''.join(tokens)


def closing(tokens, i):
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j] == '(') - (tokens[j] == ')')
        if depth == 0:
            return j + 1
    return len(tokens)


def make(seed):
    """The program of a seed, and whether it is meant to be accepted."""
    r = random.Random(seed)
    text = Gen(seed).program()
    if r.random() < 0.5:
        return text, True
    return mutate(text, r), False


# ---- running ----

class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def one(self, seed):
        """What is wrong with the program of this seed, as (title, details); empty if nothing is."""
        o = self.options
        text, intended = make(seed)
        path = os.path.join(self.folder, f'p{seed}.fut')
        with open(path, 'w') as f:
            f.write(text)
        found = []
        status, _, said = command([o.raido, 'check', '-w', path], 20)
        if status not in (0, 1, 2) or 'Internal error' in said:
            found.append((f'check ended with {status}', said[-600:]))
        accepted = status == 0
        if intended and not accepted:
            found.append(('a well-typed program is refused', said[:600]))
        run = None
        if accepted:
            run = command([o.raido, 'run', '-w', '--check-shapes', path], 30)
            if run[0] not in (0, 1, 2) or 'nternal error:' in run[2]:
                found.append((f'run ended with {run[0]}', run[2][-600:]))
        if o.c and accepted:
            binary = path[:-4]
            status, _, said = command([o.raido, 'c', '-w', path, '-o', binary], 120)
            if status != 0:
                found.append((f'c ended with {status}', said[-600:]))
            else:
                c = command([binary], 30)
                if (c[0] == 0) != (run[0] == 0) or (c[0] == 0 and not same(c[1], run[1])):
                    found.append(('compiled and interpreted differ', f'interpreter: {run[0]} {run[1]}{run[2][:300]}\nc: {c[0]} {c[1]}{c[2][:300]}'))
                os.remove(binary)
        if o.peer:
            status, _, theirs = command([o.peer, 'check', '-w', path], 60)
            if o.ignore and re.search(o.ignore, theirs + said):
                return seed, text, found
            if (status == 0) != accepted:
                found.append((f'we {"accept" if accepted else "refuse"}, the other does not', f'ours: {said[:600]}\ntheirs: {theirs[:800]}'))
            elif accepted and 'no external representation' not in run[2]:
                other = command([o.peer, 'run', path], 60)
                if other[0] != 124 and ((other[0] == 0) != (run[0] == 0) or (run[0] == 0 and not same(run[1], other[1]))):
                    found.append(('values differ', f'ours: {run[0]} {run[1]}{run[2][:300]}\ntheirs: {other[0]} {other[1]}{other[2][:300]}'))
        os.remove(path)
        return seed, text, found


def main():
    a = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    a.add_argument('--raido', default='build/release/raido')
    a.add_argument('--peer', help='another compiler to compare with')
    a.add_argument('--ignore', help='a pattern: differences whose messages contain it are known')
    a.add_argument('--count', type=int, default=100)
    a.add_argument('--seed', type=int, default=1, help='of the first program')
    a.add_argument('--c', action='store_true', help='compile and run too')
    a.add_argument('--out', help='a folder for the programs with findings')
    a.add_argument('--jobs', type=int, default=2)
    a.add_argument('--show', type=int, help='print the program of a seed and stop')
    options = a.parse_args()
    if options.show is not None:
        print(make(options.show)[0], end='')
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        for seed, text, found in pool.map(Run(options, folder).one, range(options.seed, options.seed + options.count)):
            if not found:
                continue
            failed += 1
            report = '\n'.join(f'{title}\n{details}' for title, details in found)
            print(f'seed {seed}: {"; ".join(title for title, _ in found)}')
            if options.out:
                os.makedirs(options.out, exist_ok=True)
                with open(os.path.join(options.out, f'{seed}.fut'), 'w') as f:
                    f.write(text + ''.join(f'-- {line}\n' for line in report.split('\n')))
    print(f'{options.count} programs, {failed} with findings')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
