#!/usr/bin/env python3
"""Random copies of transposed arrays and maps that read across, for what takes these in tiles on devices (decision 069). Elements have all
types, sizes are around those of tiles. There are three dimensions, parts and reversed arrays, branches, and reads that lead on. So there
are loops, batches, derivatives, and checks that fail.

The interpreter runs a program as lowered. Emulated devices of both APIs must give the same with blocks of several sizes. All numbers are
small integers. Prints how many of these programs have tiles. Exit code 1 if something differs, or if fewer
than half of them have some.

    tests/fuzz/across.py --raido build/release/raido --count 20 --seed 1 [--out FOLDER]"""
import itertools
import pathlib
import random
import re
import sys
import tempfile

from running import command, search
from tiles import BLOCKS, TYPES, outcome

ENTRIES = 6
SIZES = (0, 1, 3, 15, 16, 17, 31, 32, 33, 64, 100)
SHAPE = {"i": "n", "j": "m", "l": "q"}


class Entry:
    def __init__(self, r, name):
        self.r, self.name, self.t = r, name, r.choice(TYPES)
        self.dims = r.choice(("ij", "ij", "ij", "ijl"))
        self.kind = r.choice(("copy", "copy", "map", "map", "map", "loop", "batch", "derivative"))
        if self.kind == "derivative":
            self.t, self.dims = r.choice(("f32", "f64")), "ij"
        if self.kind == "loop":
            self.dims = "ij"

    def number(self, *names):
        n = f"(({' + '.join(f'{v} * {self.r.randrange(1, 9)}' for v in names)} + {self.r.randrange(5)}) % 3)"
        return f"({n} == 1)" if self.t == "bool" else f"({self.t}.i64 {n})"

    # An array whose dimensions are those of `order`; `more` of them beyond its sizes.
    def array(self, order):
        r, made = self.r, lambda sizes: f"opaque (tabulate_{len(order)}d {' '.join(sizes)} (\\{' '.join(order)} -> {self.number(*order)}))"
        sizes = [SHAPE[d] for d in order]
        way = r.randrange(6)
        if way == 0:
            return f"(reverse ({made(sizes)}))"
        if way == 1 and len(order) == 2:
            return f"(({made([f'({s} + {k + 1})' for k, s in enumerate(sizes)])})[1:{sizes[0]}+1, 2:{sizes[1]}+2] :> [{sizes[0]}][{sizes[1]}]{self.t})"
        if way == 2 and len(order) == 2:
            return f"(transpose ({made(sizes[::-1]).replace(' '.join(order) + ' ->', ' '.join(order[::-1]) + ' ->')}))"
        return made(sizes)

    def joined(self, x, y):
        if self.t == "bool":
            return self.r.choice((f"({x} && {y})", f"({x} != {y})", f"({x} || {y})"))
        return self.r.choice((f"({x} + {y})", f"({x} - {y})", f"({x} * {y})", f"({self.t}.max {x} {y})"))

    # Of arrays a0 .., each with its order.
    def point(self, orders):
        r, t = self.r, self.t
        value = ""
        for k, order in enumerate(orders):
            read = f"a{k}[{', '.join(order)}]"
            if r.random() < 0.2:
                read = f"(if {self.dims[0]} < {self.dims[1]} then {read} else {self.number(*self.dims)})"
            value = self.joined(value, read) if value else read
        if r.random() < 0.4:
            value = self.joined(value, f"xs[{r.choice(self.dims)} % 3]")
        may_fail = self.kind != "derivative"               # where its value is not wanted, it need not fail
        if may_fail and r.random() < 0.2 and t != "bool":
            value = self.joined(value, f"xs[i64.{t} a0[{', '.join(orders[0])}] {r.choice(('% 3', '% 3', '% 2 + 1', ''))}]")
        if r.random() < 0.2:
            value = self.joined(value, self.number(*self.dims))
        if may_fail and r.random() < 0.1:
            value = self.joined(value, f"(if {self.dims[0]} > 40 && {self.dims[1]} == 7 then xs[{self.dims[0]}] else xs[0])")
        return value

    def total(self, v, dims):
        element = f"{v}[{', '.join(dims)}]"
        number = f"i64.bool {element}" if self.t == "bool" else f"i64.{self.t} {element}"
        weight = " + ".join(f"{d} * {w}" for d, w in zip(dims, (13, 7, 5)))
        flat = "flatten" if len(dims) == 2 else "flatten_3d"
        return f"i64.sum ({flat} (tabulate_{len(dims)}d {' '.join(SHAPE[d] for d in dims)} (\\{' '.join(dims)} -> ({number}) * (({weight}) % 31 + 1))))"

    def text(self):
        r, t, dims = self.r, self.t, self.dims
        types = {"ij": "(n: i64) (m: i64)", "ijl": "(n: i64) (m: i64) (q: i64)"}[dims]
        square = self.kind == "loop" or (dims == "ij" and r.random() < 0.2)
        lines = [f"entry {self.name} {types}: i64 ="]
        if square:
            lines.append("  let m = n")
        lines.append(f"  let xs = opaque (tabulate 3 (\\i -> {self.number('i')}))")
        orders = [''.join(r.choice(list(itertools.permutations(dims)))) for _ in range(r.choice((1, 2, 2, 3, 6)))]
        orders[0] = dims[::-1] if r.random() < 0.6 else orders[0]
        lines += [f"  let a{k} = {self.array(o)}" for k, o in enumerate(orders)]
        made = f"tabulate_{len(dims)}d {' '.join(SHAPE[d] for d in dims)} (\\{' '.join(dims)} -> {self.point(orders)})"
        if self.kind == "copy":
            way = {"ij": ["transpose a0"], "ijl": ["transpose a0", "map transpose a0", "transpose (map transpose a0)", "map transpose (transpose a0)"]}[dims]
            way = r.choice(way)
            order = orders[0]
            for step in reversed(re.findall(r"(map transpose|transpose)", way)):
                order = order[0] + order[2] + order[1] if step.startswith("map") else order[1] + order[0] + order[2:]
            lines.append(f"  let c = opaque (copy ({way}))")
            dims = order
        elif self.kind == "loop":
            lines.append(f"  let c = opaque (loop c = tabulate_2d n n (\\i j -> {self.number('i', 'j')}) for k < 3 do"
                         f" tabulate_2d n n (\\i j -> let x = {r.choice(('c[j, i]', self.joined('c[i, j]', 'c[j, i]')))} in {self.joined('x', self.point(orders))}))")
        elif self.kind == "batch":
            lines.append(f"  let cs = opaque (tabulate 3 (\\g -> let a0 = if g == 1 then reverse a0 else a0 in copy ({made})))")
            lines.append("  let c = cs[1]")
        elif self.kind == "derivative":
            lines.append(f"  let c = opaque (vjp (\\a0 -> {made}) a0 (tabulate_2d n m (\\i j -> {self.number('i', 'j')})))")
            dims = orders[0]
        else:
            lines.append(f"  let c = opaque ({made})")
        lines.append(f"  in {self.total('c', dims)}")
        return "\n".join(lines) + "\n"

    def given(self):
        r = self.r
        sizes = [r.choice(SIZES) for _ in self.dims]
        while len(sizes) == 3 and sizes[0] * sizes[1] * sizes[2] > 50000:
            sizes[r.randrange(3)] = r.choice((0, 1, 2, 3))
        return " ".join(f"{n}i64" for n in sizes)


def entries(seed):
    r = random.Random(seed)
    return [Entry(r, f"e{k}") for k in range(ENTRIES)]


def program(seed):
    return "\n".join(e.text() for e in entries(seed))


class Judge:
    def __init__(self, options, folder):
        self.raido, self.folder, self.taken, self.failed = options.raido, folder, 0, 0

    def wrong(self, seed, text):
        made = entries(seed)
        for e in made:                                     # the numbers of their sizes come after those of their texts
            e.text()
        with tempfile.TemporaryDirectory(dir=self.folder) as at:
            path = pathlib.Path(at) / "p.fut"
            path.write_text(text)
            status, _, said = command([self.raido, "check", "-w", str(path)], 60)
            if status:
                return f"check: {said}"
            runs = []
            r = random.Random(seed)
            for api in ("cuda", "opencl"):
                code, out, said = command([self.raido, api, "--emulate", "-w", str(path), "-o", f"{at}/{api}"], 280)
                if code != 0:
                    return f"{api}: {said[-500:]}"
                self.taken += "tiles_across" in (pathlib.Path(at) / f"{api}.c").read_text()
                runs += [[f"{at}/{api}", f"--default-thread-block-size={b}"] for b in r.sample(BLOCKS, 2)]
            for e in made:
                for given in [e.given() for _ in range(2)]:
                    wanted = outcome(*command([self.raido, "run", str(path), "-e", e.name], 120, given))
                    self.failed += wanted.startswith("fails")
                    for run in runs:
                        got = outcome(*command([*run, "-e", e.name], 60, given))
                        if got.replace("i64", "") != wanted.replace("i64", ""):
                            return f"{e.name} of {given} by {' '.join(run)}: {got}, not {wanted}"
        return ""


if __name__ == "__main__":
    _, judge, programs, findings = search(__doc__, program, Judge, 20)
    print(f"{programs} programs, {findings} findings, {judge.taken} with tiles, {judge.failed} failed")
    sys.exit(1 if findings or judge.taken < programs else 0)
