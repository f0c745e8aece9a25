#!/usr/bin/env python3
"""Random contractions (maps of maps of reductions), for what computes them in tiles (decision 035). Operators are also those of pairs and ones
that do not commute; elements have all types; operands are transposed, reversed, sliced, computed, and looked up. Rows, columns and points add something, and
something is done with the results. There are batches, sums of sums, checks that fail, and sizes around those of tiles and panels. Half of them are
derivatives, of products and what is made of products, forward and reverse: transposed, of one matrix with itself, of chains, batches, vectors,
layers with biases, constants.

The interpreter runs a program as lowered. Compiled for one thread (each version of the processor) and for several, it must give the same; also
on emulated devices of both APIs, with blocks of several sizes. All numbers are small integers, so sums are exact. Prints how many contractions became tiles. Exit
code 1 if something differs, or if fewer than one for two entry points did.

    tests/fuzz/tiles.py --raido build/release/raido --count 20 --seed 1 [--out FOLDER]"""
import argparse
import os
import pathlib
import random
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor

from running import command, report

ENTRIES = 6
SIZES = (0, 1, 2, 3, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 49, 100)
BLOCKS = (32, 40, 64, 100, 128, 256, 512, 1024)         # threads of a block on a device
TYPES = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bool")
# (operator, neutral element) over T
SUMS = {"bool": [("(&&)", "true"), ("(||)", "false"), ("(!=)", "false")],
        "number": [("(+)", "0")] * 3 + [("{t}.min", "{t}.highest"), ("{t}.max", "{t}.lowest"), ("(\\x y -> if y == 0 then x else y)", "0")]}


class Entry:
    def __init__(self, r, number):
        self.r, self.name, self.t = r, f"e{number}", r.choice(TYPES)
        self.kind = r.choice(("plain",) * 4 + ("pair", "batch", "nest", "nest", "joined", "joined", "joined", "adjoint", "check") + ("derivative",) * 6)
        if self.kind in ("adjoint", "derivative"):
            self.t = r.choice(("f64", "f32"))
        if self.kind == "pair" and self.t == "bool":
            self.t = "i32"

    def number(self, i, j):
        n = f"(({i} * {self.r.randrange(1, 9)} + {j} * {self.r.randrange(1, 9)} + {self.r.randrange(5)}) % 3 - {0 if self.t[0] == 'u' else 1})"
        return f"({n} == 1)" if self.t == "bool" else f"({self.t}.i64 {n})"

    # An array of so many rows and columns, in one of the ways to have it.
    def matrix(self, n, m):
        way = self.r.randrange(8)
        at = lambda i, j: f"opaque (tabulate_2d {i} {j} (\\i j -> {self.number('i', 'j')}))"
        if way < 2:
            return at(n, m)
        if way < 4:
            return f"(transpose ({at(m, n)}))"
        if way == 4:
            return f"(reverse ({at(n, m)}))"
        if way == 5:
            return f"(({at(f'({n} + 2)', f'({m} + 3)')})[2:{n}+2, 3:{m}+3] :> [{n}][{m}]{self.t})"
        if way == 6:
            place = f"({self.r.randrange(1, 9)} * i + {self.r.randrange(5)}) % ({n} + 2)"
            if self.r.random() < 0.1 and self.kind != "joined":           # which does not use it
                place = f"if i == 20 then -1 else {place}"
            return f"(let rows = {at(f'({n} + 2)', m)} in map (\\i -> rows[i]) (opaque (tabulate {n} (\\i -> {place}))))"
        f = "!x" if self.t == "bool" else self.r.choice(("x + x", "x - 1", f"{self.t}.max x 0"))
        return f"(map (map (\\x -> {f})) ({at(n, m)}))"

    def point(self):
        r, t = self.r, self.t
        if t == "bool":
            return r.choice(("x && y", "x || y", "x != y", "(x && y) || xs[i]", "x && (y || ys[j])"))
        of_index = f"{t}.i64 (k % 3)"
        return r.choice(("x * y", "x * y", "x + y", "x - y", f"x * y + {of_index}", "xs[i] + x * y", "x * (y - ys[j])", f"(if x < y then x else ys[j])",
                         f"x * y * {of_index}", f"{t}.max x y", f"x + {t}.i64 (j % 2) * y"))

    # Derivatives of what is made of products; the numbers stay so small that sums of f32 are exact.
    def derivative(self):
        r, t = self.r, self.t
        f = r.choice(("x", "x", "x + x", f"{t}.max 0 x", f"if x > 0 then x else 0 - x", "x * x"))
        mm = f"mm_{t}"
        turn = lambda x: r.choice((x, x, f"(transpose (copy (transpose {x})))", f"(copy {x})"))
        a, b = turn("a"), turn("b")
        layer = f"map (map (\\x -> {f}))"
        shape = r.randrange(9)
        # (function of a and b, its result's shape), of a: [n][q], b: [m][q], xs: [n], ys: [m], zs: [q]
        if shape == 0:
            body, out = f"{mm} {a} (transpose {b})", "nm"
        elif shape == 1:
            body, out = f"{layer} ({mm} {b} (transpose {a}))", "mn"
        elif shape == 2:
            body, out = f"{mm} (transpose {a}) a", "qq"
        elif shape == 3:
            body, out = f"{mm} ({layer} ({mm} {a} (transpose {b}))) {b}", "nq"
        elif shape == 4:
            body, out = f"map2 (\\row bias -> map (\\x -> let x = x + bias in {f}) row) ({mm} {a} (transpose {b})) xs", "nm"
        elif shape == 5:
            body, out = f"{mm} {a} (transpose (opaque (map (map (+ 1)) (copy b0))))", "nm"
        elif shape == 6:
            body, out = f"map (\\g -> {t}.sum (map {t}.sum ({layer} ({mm} (map (map (* g)) {a}) (transpose {b}))))) (opaque [1, 2, 0])", "3"
        elif shape == 7:
            body, out = f"map (\\u -> {t}.sum (map2 (*) u (map (\\v -> {t}.sum (map2 (*) v (a[0]))) {b}))) ({mm} {a} (transpose {b}))", "n"
        else:
            body, out = f"tabulate_2d n m (\\i j -> reduce {t}.max {t}.lowest (map2 (+) a[i] b[j]))", "nm"
        size = {"n": "n", "m": "m", "q": "q", "3": "3"}
        seed = f"(tabulate {size[out]} (\\i -> {self.number('i', '1')}))" if len(out) == 1 else f"(tabulate_2d {size[out[0]]} {size[out[1]]} (\\i j -> {self.number('i', 'j')}))"
        digest = lambda v, n, m: f"i64.sum (flatten (tabulate_2d {n} {m} (\\i j -> (if {t}.isinf {v}[i][j] || {t}.isnan {v}[i][j] then 77 else i64.{t} {v}[i][j]) * (i * 3 + j % 5 + 1))))"
        wrt = r.choice(("ab", "ab", "a", "b")) if shape not in (2, 5) else "a"
        args = {"ab": "(a, b)", "a": "a", "b": "b"}[wrt]
        if r.random() < 0.75:
            found = [f"  let {'(da, db)' if wrt == 'ab' else 'd' + wrt} = vjp (\\{args} -> {body}) {args} (opaque {seed})"]
            sums = [digest("d" + v, {"a": "n", "b": "m"}[v], "q") for v in wrt]
        else:
            found = [f"  let d = jvp (\\{args} -> {body}) {args} {'(a, map (map (* 2)) b)' if wrt == 'ab' else f'(map (map (+ 1)) {wrt})'}"]
            sums = [digest("d", *(size[c] for c in out)) if len(out) == 2 else digest("[d]", "1", size[out])]
        return found + ["  in " + " + ".join(sums)]

    # A sum of sums (of sums): over two indices of tensors, or channels and windows. Some are no contraction: other operators inside, inner
    # sums of different lengths or of what a filter keeps.
    def joined(self, op, ne, point):
        r, t = self.r, self.t
        c, k = r.choice(((1, 3), (2, 2), (3, 5), (4, 8), (5, 7), (16, 2), (17, 1), (0, 3), (3, 0)))
        way = r.choice(("rows", "places", "places", "window", "window", "three", "mixed", "ragged", "filter", "check"))
        x, y = "as[i][p][t]", "bs[j][p][t]"
        if way == "window":
            y = "bs[j % 5][p][(j + t) % (k + 9)]" if r.random() < 0.3 else "bs[0][p][j + t]"
        if way == "check":
            x = "as[i][p][t + (if i == 20 then 1 else 0)]"
        point = f"let (x, y, k) = ({x}, {y}, p + 2 * t) in {point}"
        if r.random() < 0.3:
            point = f"if {r.choice(('(p + t) % 3 == 1', 'i < j', 'p <= t', 'j + t < n'))} then {point} else ({ne})"
        lines = [f"  let (c, k) = (opaque {c}i64, opaque {k}i64)", f"  let as = opaque (tabulate_3d n c k (\\i p t -> {self.number('(i + 2 * p)', 't')}))",
                 f"  let bs = opaque (tabulate_3d (i64.max m 5) c (k + m + 9) (\\j p t -> {self.number('(j + p)', 't')}))"]
        inner = f"reduce {op} ({ne}) (tabulate k (\\t -> {point}))"
        if way == "rows":
            point = self.point() if r.random() < 0.5 else "x"
            point = "x" if re.search(r"\b[kxy]s?\b.*\b[ijk]\b", point) else point
            return lines + [f"  let c = map (\\u -> map (\\v -> reduce {op} ({ne}) (map2 (\\u v -> reduce {op} ({ne}) (map2 (\\x y -> {point}) u (v[:k] :> [k]{t}))) u v)) (bs[:m] :> [m][c][k+m+9]{t})) as"]
        if way == "three":
            inner = f"reduce {op} ({ne}) (tabulate k (\\t -> reduce {op} ({ne}) (tabulate 2 (\\l -> if l == 1 then ({ne}) else {point}))))"
        if way == "mixed":
            other = {"bool": "(||)", "f": f"{t}.max"}.get("bool" if t == "bool" else t[0], f"{t}.min")
            inner = f"reduce {other} ({'false' if t == 'bool' else t + ('.lowest' if other.endswith('max') else '.highest')}) (tabulate k (\\t -> {point}))"
        if way == "ragged":
            inner = f"reduce {op} ({ne}) (tabulate (i64.min p k) (\\t -> {point}))"
        if way == "filter":
            inner = f"reduce {op} ({ne}) (map (\\t -> {point}) (filter (\\t -> (t + {r.choice('pij')}) % 2 == 0) (iota k)))"
        return lines + [f"  let c = tabulate_2d n m (\\i j -> reduce {op} ({ne}) (tabulate c (\\p -> {inner})))"]

    def text(self):
        r, t = self.r, self.t
        op, ne = (part.replace("{t}", t) for part in r.choice(SUMS["bool" if t == "bool" else "number"]))
        point = self.point()
        lines = [f"entry {self.name} (n: i64) (m: i64) (q: i64): i64 =", f"  let xs = opaque (tabulate n (\\i -> {self.number('i', '0')}))",
                 f"  let ys = opaque (tabulate m (\\i -> {self.number('i', '2')}))", f"  let a = {self.matrix('n', 'q')}", f"  let b = {self.matrix('m', 'q')}"]
        if t == "bool":
            number = "i64.bool z"
        elif t[0] == "f":
            number = f"(if {t}.isinf z then 77 else i64.{t} z)"
        else:
            number = f"i64.{t} z"
        total = f"i64.sum (flatten (tabulate_2d n m (\\i j -> let z = c[i][j] in ({number}) * ((i * 13 + j * 7) % 31 + 1))))"
        product = f"tabulate_2d n m (\\i j -> reduce {op} ({ne}) (tabulate q (\\k -> let (x, y) = (a[i][k], b[j][k]) in {point})))"
        if r.random() < 0.5 and not re.search(r"\b[ijk]\b", point):
            product = f"map (\\u -> map (\\v -> reduce {op} ({ne}) (map2 (\\x y -> {point}) u v)) b) a"
        if self.kind == "pair":
            first = r.choice(("x * y", "x + y", "x - y"))
            product = (f"tabulate_2d n m (\\i j -> let (v, w) = reduce (\\(p, g) (s, h) -> if s > p || (s == p && h < g) then (s, h) else (p, g)) ({t}.lowest, i64.highest) "
                       f"(tabulate q (\\k -> let (x, y) = (a[i][k], b[j][k]) in ({first}, k))) in if w == i64.highest then 0 else v + {t}.i64 (w % 3))")
        elif self.kind == "check":
            product = f"tabulate_2d n m (\\i j -> reduce {op} ({ne}) (tabulate q (\\k -> let (x, y) = (a[i][k], b[j][k + (if i == 20 then 1 else 0)]) in {point})))"
        epilogue = r.choice(("z", "z", "z && xs[i]", "z != ys[j]") if t == "bool" else ("z", "z", "z + xs[i]", "z * ys[j]", "z - xs[i] * ys[j]"))
        if self.kind == "derivative":
            lines += [f"  let b0 = map (map (* 2)) b"] + self.derivative()
        elif self.kind == "adjoint":
            s = r.choice((f"{t}.sum (flatten (map2 (map2 (*)) (tabulate_2d n m (\\i j -> xs[i] + ys[j])) (map (\\u -> map (\\v -> {t}.sum (map2 (*) u v)) b) a)))",
                          f"{t}.sum (map {t}.sum (map (\\u -> map (\\v -> {t}.sum (map2 (\\x y -> x * y * x) u v)) b) a))"))
            lines += [f"  let (da, db) = vjp (\\(a, b) -> {s}) (a, b) 1",
                      f"  in i64.sum (flatten (tabulate_2d n q (\\i j -> i64.{t} da[i][j] * (i * 3 + j % 5)))) + i64.sum (flatten (tabulate_2d m q (\\i j -> i64.{t} db[i][j] * (i + j % 7))))"]
        elif self.kind == "nest":                         # of three maps, in any order; a batch of one operand, or of both
            order = r.sample("ijg", 3)
            count = r.choice(("1", "3", "3", "18"))
            size, weight = {"i": "n", "j": "m", "g": count}, {"i": "13", "j": "7", "g": "5"}
            which = r.choice(("a", "b", "ab"))
            of = lambda v, i: f"{v}s[g][{i}][k]" if v in which else f"{v}[{i}][k]"
            some = lambda v: f"  let {v}s = opaque (tabulate {count} (\\g -> if g % 3 == 1 then opaque (reverse {v}) else {v}))"
            lines += [some(v) for v in which]
            lines += [f"  let c = tabulate_3d {' '.join(size[d] for d in order)} (\\{' '.join(order)} -> reduce {op} ({ne}) (tabulate q (\\k -> let (x, y) = ({of('a', 'i')}, {of('b', 'j')}) in {point})))",
                      f"  in i64.sum (flatten_3d (tabulate_3d {' '.join(size[d] for d in order)} (\\{' '.join(order)} -> let z = c{''.join(f'[{d}]' for d in order)} in ({number}) * (({' + '.join(f'{d} * {weight[d]}' for d in order)}) % 31 + 1))))"]
        elif self.kind == "joined":
            lines += self.joined(op, ne, point) + [f"  in {total}"]
        elif self.kind == "batch":
            lines += [f"  let cs = tabulate 3 (\\g -> let a = map (map (\\x -> if g == 1 then x else a[0][0])) a in {product})", f"  in i64.sum (map (\\c -> {total}) cs)"]
        else:
            lines += [f"  let c = {product}", f"  let c = tabulate_2d n m (\\i j -> let z = c[i][j] in {epilogue})", f"  in {total}"]
        return "\n".join(lines) + "\n"


def program(seed):
    r = random.Random(seed)
    entries = [Entry(r, k) for k in range(ENTRIES)]
    inputs = []
    for _ in entries:
        for _ in range(100):
            n, m, q = (r.choice(SIZES) for _ in range(3))
            if r.random() < 0.3:
                q, m = r.choice(((r.choice((256, 257, 300, 520)), m), (q, r.choice((385, 400, 800)))))
            if n * m * q <= 150000 and (n >= 5 and q >= 3 and (m >= 16 or r.random() < 0.5) or r.random() < 0.3):
                break
        inputs.append(f"{n}i64 {m}i64 {q}i64")
    products = "".join(f"def mm_{t} [n][m][k] (a: [n][k]{t}) (b: [k][m]{t}): [n][m]{t} = map (\\u -> map (\\v -> {t}.sum (map2 (*) u v)) (transpose b)) a\n" for t in ("f32", "f64"))
    return products + "\n".join(e.text() for e in entries), [e.name for e in entries], inputs


def outcome(code, out, err):
    if code != 0:
        found = re.search(r"^\S+: (?:Error: )?(\S+ [^\n]*)", err, re.M)      # devices leave that word out
        return "fails: " + re.sub(r"\d+", "N", found[1]) if found and code == 1 else f"exit code {code}: {err[-300:]}"
    return out.strip()


def examine(job):
    raido, seed = job
    text, names, inputs = program(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "p.fut"
        path.write_text(text)
        code, out, err = command([raido, "dev", "--stats", "--pipeline=cpu", str(path)], 60)
        if code != 0:
            return seed, f"the compiler: {err[-500:]}", text, 0
        counted = re.search(r"tiles\.contraction\D+(\d+)", out + err)
        summed = re.search(r"tiles\.updates\D+(\d+)", out + err)
        tiled = (int(counted[1]) if counted else 0) + (int(summed[1]) if summed else 0)
        programs = []
        runs = {"c": [["--cpu", v] for v in ("baseline", "avx2", "avx512")], "multicore": [["--num-threads=1"], ["--num-threads=3"]]}
        r = random.Random(seed)
        for api in ("cuda", "opencl"):
            runs[api] = [[f"--default-thread-block-size={b}"] for b in r.sample(BLOCKS, 2)]
        for backend, how in runs.items():
            exe = str(pathlib.Path(folder) / backend)
            code, out, err = command([raido, backend, *(["--emulate"] if backend in ("cuda", "opencl") else []), str(path), "-o", exe], 280)
            if code != 0 or "warning" in err:
                return seed, f"{backend}: {err[-500:]}", text, tiled
            programs += [[exe] + run for run in how]
        for name, given in zip(names, inputs):
            wanted = outcome(*command([raido, "run", str(path), "-e", name], 120, given))
            for what in programs:
                code, out, err = command(what + ["-e", name], 60, given)
                if "has no version" in err:
                    continue
                got = outcome(code, out, err)
                if got.replace("i64", "") != wanted.replace("i64", ""):
                    return seed, f"{name} of {given} by {' '.join(what[1:]) or what[0]}: {got}, not {wanted}", text, tiled
    return seed, "", text, tiled


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--raido", default="build/release/raido")
    options.add_argument("--count", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--out")
    options.add_argument("--show", action="store_true", help="print the program of the seed")
    given = options.parse_args()
    if given.show:
        print(program(given.seed)[0])
        return 0
    jobs = [(given.raido, given.seed + k) for k in range(given.count)]
    tiled = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = []
        for seed, said, text, count in pool.map(examine, jobs):
            results.append((seed, said, text))
            tiled += count
        programs, findings = report(results, given.out)
    print(f"{programs} programs, {findings} findings, {tiled} contractions in tiles")
    return 1 if findings or 2 * tiled < ENTRIES * given.count else 0


if __name__ == "__main__":
    raise SystemExit(main())
