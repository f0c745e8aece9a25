#!/usr/bin/env python3
"""Random matches: nested sums, records, tuples and numbers, taken apart by nested patterns in any order.

This script knows the answers. It finds itself which case takes a value, and what the names in it stand for. It knows whether the cases cover all
values, too: `check` must say so, and the case that it suggests for what is missing must help until nothing is missing. The interpreter
must give the numbers, after the passes of pipelines and, with --c, compiled C, too.

    tests/fuzz/patterns.py --raido build/release/raido --count 200 --seed 1 [--c] [--out FOLDER]"""
import os
import pathlib
import random
import re
import sys
import tempfile

from running import command, search

NUMBERS = ["i32", "i64", "i8", "u8", "f32", "f64"]
INPUTS = 8           # how many values each match is tried on


def wild(p):
    return p[0] in ("_", "name")


def covers(types, rows):
    """Does one of the rows of patterns take every row of values?"""
    if not rows or not types:
        return bool(rows)
    (kind, of), rest = types[0], types[1:]
    heads = lambda head, parts: [(parts(q[0]) if not wild(q[0]) else [("_",)] * head) + q[1:] for q in rows]
    if kind == "record":
        return covers([t for _, t in of] + rest, heads(len(of), lambda p: [p[1][f] for f, _ in of]))
    if kind == "sum":
        return all(covers(list(parts) + rest, [([("_",)] * len(parts) if wild(q[0]) else q[0][2]) + q[1:] for q in rows if wild(q[0]) or q[0][1] == c])
                   for c, parts in of)
    some = [False, True] if of == "bool" else sorted({q[0][1] for q in rows if not wild(q[0])})
    return all(covers(rest, [q[1:] for q in rows if wild(q[0]) or q[0][1] == v]) for v in some) and (
        of == "bool" or covers(rest, [q[1:] for q in rows if wild(q[0])]))


class Program:
    """A type is ("number", its name), ("array", ..), ("record", fields) or ("sum", constructors); a pattern ("_",), ("name", name, type),
    ("literal", value), ("record", {field: pattern}) or ("sum", constructor, patterns)."""

    def __init__(self, seed):
        r = self.r = random.Random(seed)
        self.count, self.decls, self.sums = 0, [], {}
        t = self.t = self.type(3)
        while t[0] in ("number", "array"):
            t = self.t = self.type(3)
        self.values = [self.value(t) for _ in range(INPUTS)]
        self.cases = [self.pattern(t, 3) for _ in range(r.randint(1, 6))]
        self.covered = covers([t], [[p] for p in self.cases])
        if not self.covered and r.random() < 0.6:
            self.cases.append(r.choice([("_",), ("name", self.fresh("x"), t)]))
            self.covered = True
        self.whole = self.pattern(t, 3, False)
        cases = "".join(f"\n  case {self.show_pattern(t, p, False)} -> {1000 * (i + 1)} + {self.names(p)}" for i, p in enumerate(self.cases))
        of, shown, names = self.show(t), self.show_pattern(t, self.whole), self.names(self.whole)
        use = r.choice([f"let {shown} = y in {names}", f"match y case {shown} -> {names}", f"(\\({shown}: {of}) -> {names}) y",
                        f"loop acc = 0 for ({shown}: {of}) in [y] do acc + {names}", f"(loop (acc, ({shown}: {of})) = (0, y) for _i < 1i64 do (acc + {names}, y)).0"])
        make = " ".join(f"case {i} -> {self.show_value(t, v)}" for i, v in enumerate(self.values[:-1]))
        self.text = "\n".join(self.decls) + f"""
def make (i: i64): {of} = match i {make} case _ -> {self.show_value(t, self.values[-1])}
def go (x: {of}): i64 = match x{cases}
def again (y: {of}): i64 = {use}
entry main (n: i64): []i64 =
  let vs = map make (iota n)
  in map (\\i -> go (make i)) (iota n) ++ map go vs ++ map again vs ++ map2 (\\v i -> i64.bool (v == vs[i * 3 % n]) + again vs[i]) vs (iota n)
"""

    def expected(self):
        again = [self.sum(self.taken(self.t, self.whole, v)) for v in self.values]
        gone = []
        for v in self.values:
            i, names = next((i, names) for i, p in enumerate(self.cases) if (names := self.taken(self.t, p, v)) is not None)
            gone.append(1000 * (i + 1) + self.sum(names))
        same = [int(v == self.values[i * 3 % INPUTS]) + again[i] for i, v in enumerate(self.values)]
        return "[" + ", ".join(f"{x}i64" for x in gone + gone + again + same) + "]"

    def fresh(self, hint):
        self.count += 1
        return f"{hint}{self.count}"

    # ---- types and values ----
    def type(self, depth):
        r, k = self.r, self.r.random()
        if depth == 0 or k < 0.25:
            return "number", r.choice(NUMBERS + ["bool", "bool"])
        if k < 0.32:
            return "array", self.type(0)
        if k < 0.62:
            names = r.choice([["0", "1"], ["0", "1", "2"], [], sorted(r.sample(["a", "b", "c", "x1"], r.randint(1, 3)))])
            return "record", tuple((f, self.type(depth - 1)) for f in names)
        return "sum", tuple((c, tuple(self.type(depth - 1) for _ in range(r.randint(0, 2)))) for c in sorted(r.sample(["a", "b", "none", "some", "z"], r.randint(1, 4))))

    def value(self, t):
        kind, of = t
        if kind == "number":
            return self.r.choice([False, True] if of == "bool" else [0.0, 1.5, -2.0, 3.0] if of[0] == "f" else [0, 1, 2, -1 if of[0] == "i" else 200])
        if kind == "array":
            return [self.value(of) for _ in range(2)]
        if kind == "record":
            return {f: self.value(x) for f, x in of}
        c, parts = self.r.choice(of)
        return c, [self.value(x) for x in parts]

    def joined(self, parts, between):
        """The fields of a record as a tuple, or in any order with their names."""
        if [f for f, _ in parts] == [str(i) for i in range(len(parts))] and len(parts) != 1:
            return "(" + ", ".join(x for _, x in parts) + ")"
        return "{" + ", ".join(f + between + x for f, x in self.r.sample(parts, len(parts))) + "}"

    def show(self, t):
        """A sum has a name, or is written anew."""
        kind, of = t
        if kind == "number":
            return of
        if kind == "array":
            return f"([2]{self.show(of)})"
        if kind == "record":
            return self.joined([(f, self.show(x)) for f, x in of], ": ")
        text = "(" + " | ".join(" ".join(["#" + c] + [self.show(x) for x in parts]) for c, parts in self.r.sample(of, len(of))) + ")"
        if t not in self.sums and self.r.random() < 0.4:
            self.sums[t] = self.fresh("t")
            self.decls.append(f"type {self.sums[t]} = {text}")
        return self.sums[t] if t in self.sums and self.r.random() < 0.6 else text

    def show_value(self, t, v):
        kind, of = t
        if kind == "number":
            return f"({str(v).lower()}{'' if of == 'bool' else of})"
        if kind == "array":
            return "[" + ", ".join(self.show_value(of, x) for x in v) + "]"
        if kind == "record":
            return self.joined([(f, self.show_value(x, v[f])) for f, x in of], " = ")
        return f"((#{v[0]}" + "".join(" " + self.show_value(x, y) for x, y in zip(dict(of)[v[0]], v[1])) + f") : {self.show(t)})"

    # ---- patterns ----
    def pattern(self, t, depth, refutable=True):
        r, (kind, of) = self.r, t
        if r.random() < (0.12 if depth else 0.6) or kind == "array" or (kind == "sum" and len(of) > 1 and not refutable):
            return r.choice([("_",), ("name", self.fresh("x"), t)])
        if kind == "number":
            return ("literal", self.value(t)) if refutable and r.random() < 0.6 else r.choice([("_",), ("name", self.fresh("x"), t)])
        if kind == "record":
            return "record", {f: self.pattern(x, depth - 1, refutable) for f, x in of}
        c, parts = r.choice(of)
        return "sum", c, [self.pattern(x, depth - 1, refutable) for x in parts]

    def show_pattern(self, t, p, inner=True):
        k, (_, of) = self.r.random(), t
        if p[0] == "sum" and p[2]:
            text = f"#{p[1]}" + "".join(" " + self.show_pattern(x, q) for x, q in zip(dict(of)[p[1]], p[2]))
            return f"(({text}): {self.show(t)})" if k < 0.15 else f"({text})" if inner else text
        text = "_" if p[0] == "_" else p[1] if p[0] == "name" else "#" + p[1] if p[0] == "sum" else str(p[1]).lower() if p[0] == "literal" else (
            self.joined([(f, self.show_pattern(x, p[1][f], False)) for f, x in of], " = "))
        return f"({text}: {self.show(t)})" if k < 0.12 else f"({text})" if k < 0.17 else f"(#[opaque] {text})" if k < 0.2 else text

    def taken(self, t, p, v):
        """The values of the names in a pattern with their types; none: the value is another one."""
        of = t[1]
        if wild(p):
            return [(t, v)] if p[0] == "name" else []
        if p[0] == "literal":
            return [] if p[1] == v else None
        if p[0] == "sum" and v[0] != p[1]:
            return None
        parts = [(x, p[1][f], v[f]) for f, x in of] if p[0] == "record" else list(zip(dict(of)[p[1]], p[2], v[1]))
        found = [self.taken(*part) for part in parts]
        return None if None in found else sum(found, [])

    # ---- one number for the names of a pattern, in the program and here ----
    def names(self, p):
        if p[0] == "name":
            return self.number_of(p[2], p[1])
        inner = p[2] if p[0] == "sum" else [p[1][f] for f in sorted(p[1])] if p[0] == "record" else []
        return "(0" + "".join(f" + {self.names(q)}" for q in inner) + ")"

    def sum(self, names):
        return sum(self.number(t, v) for t, v in names)

    def number_of(self, t, x):
        kind, of = t
        if kind == "number":
            return {"bool": f"i64.bool {x}", "f32": f"i64.f32 (2 * {x})", "f64": f"i64.f64 (2 * {x})"}.get(of, f"i64.{of} {x}")
        if kind == "array":
            return f"({self.number_of(of, f'{x}[0]')} + 3 * {self.number_of(of, f'{x}[1]')})"
        if kind == "record":
            return "(0" + "".join(f" + {5 + 2 * i} * {self.number_of(u, f'{x}.{f}')}" for i, (f, u) in enumerate(of)) + ")"
        cases = []
        for i, (c, parts) in enumerate(of):
            names = [self.fresh("p") for _ in parts]
            cases.append(f"case {' '.join(['#' + c] + names)} -> {11 * (i + 1)}" + "".join(f" + {7 + 2 * j} * {self.number_of(u, n)}" for j, (u, n) in enumerate(zip(parts, names))))
        return f"(match {x} {' '.join(cases)})"

    def number(self, t, v):
        kind, of = t
        if kind == "number":
            return int(v * 2) if of[0] == "f" else int(v)
        if kind == "array":
            return self.number(of, v[0]) + 3 * self.number(of, v[1])
        if kind == "record":
            return sum((5 + 2 * i) * self.number(u, v[f]) for i, (f, u) in enumerate(of))
        at = [c for c, _ in of].index(v[0])
        return 11 * (at + 1) + sum((7 + 2 * j) * self.number(u, x) for j, (u, x) in enumerate(zip(of[at][1], v[1])))


class Judge:
    def __init__(self, options, folder):
        self.raido, self.c, self.folder = options.raido, options.c, folder

    def wrong(self, seed, text):
        """What is wrong with a program, empty if nothing is."""
        made, at = Program(seed), tempfile.mkdtemp(dir=self.folder)
        path, binary = os.path.join(at, "p.fut"), os.path.join(at, "p")
        pathlib.Path(path).write_text(text)
        check = [self.raido, "check", "-w", path]
        status, _, said = command(check, 60)
        if (status == 0) != made.covered:
            return f"check: {status} {said}"
        for _ in range(100):
            if status == 0:
                break
            help = re.search(r"help: add `(case .*) -> \.\.\.`", said)
            if not help:
                return f"no case is suggested: {said}"
            text = text.replace("\ndef again", f"\n  {help[1]} -> 0\ndef again", 1)
            pathlib.Path(path).write_text(text)
            status, _, said = command(check, 60)
        if status:
            return f"what is suggested does not help: {said}\n{text}"
        if not made.covered:
            return ""
        runs = [[self.raido, "run", "-w", *more, path] for more in (["--check-shapes"], ["--pipeline=cpu"], ["--pipeline=gpu"])]
        if self.c:
            status, _, said = command(["env", "CFLAGS=-O1", self.raido, "c", "-w", path, "-o", binary], 300)
            if status:
                return f"c: {status} {said}"
            runs.append([binary])
        expected = made.expected()
        for run in runs:
            status, got, said = command(run, 120, f"{INPUTS}i64")
            if status or got.strip() != expected:
                return f"{' '.join(run[1:])}: {status} {got}{said}\nexpected: {expected}"
        return ""


def main():
    _, _, programs, findings = search(__doc__, lambda seed: Program(seed).text, Judge, 100, ("--c", "also compile to C and run that"))
    print(f"{programs} programs, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
