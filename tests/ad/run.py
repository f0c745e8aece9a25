#!/usr/bin/env python3
"""The four-way check of derivatives; see README.md.

After each program it appends entry points that call the marked function, its jvp and its vjp on flat arguments. It runs
them with `raido run` as lowered, where the interpreter differentiates, and after pipelines, where the compiler did."""
import argparse
import concurrent.futures
import glob
import math
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def tokens(text):
    return re.findall(r"[\[\],]|[^\s\[\],]+", text)


def parse_values(text):
    """Values as (type, nested lists): type is like `[]f64`."""
    items, values = tokens(text), []
    position = 0

    def value():
        nonlocal position
        token = items[position]
        position += 1
        if token.startswith("empty("):
            text = token
            while not items[position - 1].endswith(")"):
                text += items[position]
                position += 1
            shape = [int(n) for n in re.findall(r"\[(\d+)\]", text)]
            return build_empty(shape), re.search(r"\](\w+)\)", text).group(1), len(shape)
        if token == "[":
            rows, elem, rank = [], None, 0
            while items[position] != "]":
                row, elem, rank = value()
                rows.append(row)
                if items[position] == ",":
                    position += 1
            position += 1
            return rows, elem, rank + 1
        if token in ("true", "false"):
            return token == "true", "bool", 0
        match = re.fullmatch(r"(.*?)([iuf]\d+)?", token)
        number, suffix = match.groups()
        if token.endswith((".nan", ".inf")):
            return float(token[-3:]) * (-1 if token[0] == "-" else 1), token.lstrip("-")[:3], 0
        suffix = suffix or ("f64" if "." in number or "e" in number else "i32")
        return (float(number) if suffix[0] == "f" else int(number)), suffix, 0

    while position < len(items):
        v, elem, rank = value()
        values.append(("[]" * rank + elem, v))
    return values


class Empty(list):
    """An array without elements; it knows its shape."""


def build_empty(shape):
    if shape[0] > 0:
        return [build_empty(shape[1:]) for _ in range(shape[0])]
    v = Empty()
    v.shape = shape
    return v


def shape_of(v):
    if isinstance(v, Empty):
        return v.shape
    return [len(v)] + (shape_of(v[0]) if v else []) if isinstance(v, list) else []


def show(kind, v):
    elem = kind.replace("[]", "")
    if isinstance(v, list):
        if not flat(v):
            shape = shape_of(v) + [0] * (kind.count("[]") - len(shape_of(v)))
            return "empty(" + "".join(f"[{n}]" for n in shape) + elem + ")"
        return "[" + ", ".join(show(kind, x) for x in v) + "]"
    if isinstance(v, bool):
        return "true" if v else "false"
    if elem[0] == "f":
        if math.isnan(v) or math.isinf(v):
            return f"{'-' if v < 0 else ''}{elem}.{'nan' if math.isnan(v) else 'inf'}"
        return repr(float(v)) + elem
    return f"{v}{elem}"


def flat(v):
    return [x for row in v for x in flat(row)] if isinstance(v, list) else [v]


def like(v, f):
    if isinstance(v, Empty):
        return v
    return [like(x, f) for x in v] if isinstance(v, list) else f(v)


def first(v, n):
    return [first(x, n) for x in v[:n]] if isinstance(v, list) else v


def is_float(kind):
    return "f" in kind.replace("[]", "")[0:1]


class Failure(Exception):
    pass


class Check:
    def __init__(self, options, path, function, inputs, pipelines, turn):
        self.raido, self.options, self.path, self.function = os.path.abspath(options.raido), options, path, function
        self.pipelines, self.second_on = pipelines, pipelines[turn % len(pipelines)]
        self.inputs = parse_values(inputs)
        self.random = random.Random(function)

    def run(self, program, entry, values, pipeline=None):
        """The results of an entry point: of the program as it was lowered, or after a pipeline."""
        command = [self.raido, "run", "-w", "-e", entry, program] + self.options.option
        what = entry
        if pipeline:
            command += ["--pipeline", pipeline]
            what = f"{entry} after the {pipeline} passes"
        text = "\n".join(show(k, v) for k, v in values)
        try:
            result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=240)
        except subprocess.TimeoutExpired:
            raise Failure(f"{what} does not end") from None
        if result.returncode != 0:
            raise Failure(f"{what}: exit {result.returncode}\n{result.stderr}")
        return parse_values(result.stdout)

    def direction(self, kind, v):
        return like(v, lambda x: self.random.uniform(-1, 1) if is_float(kind) else (False if isinstance(x, bool) else 0))

    def harness(self, outputs):
        def parameters(letter, kinds):
            return "".join(f" ({letter}{i}: {k})" for i, k in enumerate(kinds))

        def tuple_of(letter, n):
            return f"{letter}0" if n == 1 else "(" + ", ".join(f"{letter}{i}" for i in range(n)) + ")"

        kinds = [k for k, _ in self.inputs]
        f, n = self.function, len(kinds)
        text = f"\nentry ad_value{parameters('x', kinds)} = {f} {tuple_of('x', n)}\n"
        if outputs:
            # Directions have the sizes of what they belong to.
            sized = parameters("x", kinds) + parameters("d", kinds)
            casts = ", ".join(f"ad_like x{i} d{i}" if k.startswith("[]") else f"d{i}" for i, k in enumerate(kinds))
            text += "local def ad_like1 [n] 't (_: [n]t) (d: []t): [n]t = d :> [n]t\n"
            text += "local def ad_like2 [n][m] 't (_: [n][m]t) (d: [][]t): [n][m]t = d :> [n][m]t\n"
            text += "local def ad_like3 [n][m][k] 't (_: [n][m][k]t) (d: [][][]t): [n][m][k]t = d :> [n][m][k]t\n"

            def cast(letter_of, letter, i, k):
                rank = k.count("[]")
                return f"ad_like{rank} {letter_of}{i} {letter}{i}" if rank else f"{letter}{i}"

            dx = ", ".join(cast("x", "d", i, k) for i, k in enumerate(kinds))
            text += f"entry ad_jvp{sized} = jvp {f} {tuple_of('x', n)} ({dx})\n"
            m = len(outputs)
            dy = ", ".join(cast("r", "d", i, k) for i, k in enumerate(outputs))
            text += (f"entry ad_vjp{parameters('x', kinds)}{parameters('d', outputs)} =\n"
                     f"  let {tuple_of('r', m)} = {f} {tuple_of('x', n)}\n  in vjp {f} {tuple_of('x', n)} ({dy})\n")
            # Each seed and each direction with zeros for all others: their sums are those of all at once.
            def alone(letter, kinds, j, cast_of):
                parts = []
                for i, k in enumerate(kinds):
                    zero = "false" if "bool" in k else "0"
                    for _ in range(k.count("[]")):
                        zero = f"const {zero}" if zero in ("0", "false") else zero
                        zero = f"map ({zero})"
                    parts.append(cast_of(i, k) if i == j else f"{zero} {letter}{i}" if "[]" in k else zero)
                return "(" + ", ".join(parts) + ")"

            parts = [(f"vjp {f} {tuple_of('x', n)} " + alone("r", outputs, j, lambda i, k: cast("r", "s", i, k)), n) for j in range(m)]
            parts += [(f"jvp {f} {tuple_of('x', n)} " + alone("x", kinds, j, lambda i, k: cast("x", "d", i, k)), m) for j in range(n)]
            text += f"entry ad_parts{sized}{parameters('s', outputs)} =\n  let {tuple_of('r', m)} = {f} {tuple_of('x', n)}\n"
            for j, (code, count) in enumerate(parts):
                text += f"  let {tuple_of(f'p{j}_', count)} = {code}\n"
            text += "  in (" + ", ".join(f"p{j}_{i}" for j, (_, count) in enumerate(parts) for i in range(count)) + ")\n"
            # Second derivatives in all nestings, directions d and e, seeds s; and both directions, or seeds, at once.
            ex = ", ".join(cast("x", "e", i, k) for i, k in enumerate(kinds))
            sy = ", ".join(cast("r", "s", i, k) for i, k in enumerate(outputs))
            x = tuple_of("x", n)
            text += (f"entry ad_second{sized}{parameters('e', kinds)}{parameters('s', outputs)} =\n"
                     f"  let {tuple_of('r', m)} = {f} {x}\n  let d = ({dx}) let e = ({ex}) let s = ({sy})\n")
            made = []
            for name, count, code in [("ff", m, f"jvp (\\x -> jvp {f} x d) {x} e"), ("fr", n, f"jvp (\\x -> vjp {f} x s) {x} d"),
                                      ("rf", n, f"vjp (\\x -> jvp {f} x d) {x} s"), ("rr", n, f"vjp (\\x -> vjp {f} x s) {x} d"),
                                      ("jmp", m, f"jmp {f} {x} [d, e]"), ("mjp", n, f"mjp {f} {x} [s, {tuple_of('r', m)}]")]:
                if name in ("jmp", "mjp") and count > 1:
                    text += f"  let {name} = {code}\n"
                    made += [f"map (.{i}) {name}" for i in range(count)]
                else:
                    text += f"  let {tuple_of(name, count)} = {code}\n"
                    made += [f"{name}{i}" for i in range(count)]
            text += "  in (" + ", ".join(made) + ")\n"
        return text

    def write(self, outputs):
        with open(self.path) as source:
            text = source.read()
        handle, name = tempfile.mkstemp(suffix=".fut", prefix="ad_")
        with os.fdopen(handle, "w") as out:
            out.write(text + self.harness(outputs))
        return name

    def check_sizes(self, sizes):
        """The same function of the first elements of its arrays only: interpreter and compiler agree on all derivatives, up to
        the dot products; where the function fails, so do they."""
        outputs = self.outputs()
        if outputs is None:
            return
        inputs, program = self.inputs, self.write(outputs)
        try:
            for n in sizes:
                self.inputs = [(k, first(v, n)) for k, v in inputs]
                try:
                    self.compare_small(program)
                except Failure as failure:
                    raise Failure(f"with arrays of {n}: {failure}")
        finally:
            os.unlink(program)

    def outputs(self):
        if not any(k.startswith("[]") for k, _ in self.inputs):
            return None
        program = self.write(None)
        try:
            return [k for k, _ in self.run(program, "ad_value", self.inputs)]
        finally:
            os.unlink(program)

    def compare_small(self, program):
        try:
            value = self.run(program, "ad_value", self.inputs)
        except Failure as failure:
            if "Internal error" in str(failure):
                raise
            if "does not end" in str(failure):
                return
            value = None
        d = [(k, self.direction(k, v)) for k, v in self.inputs]
        if value is None:
            for pipeline in [None] + self.pipelines:
                try:
                    self.run(program, "ad_jvp", self.inputs + d, pipeline)
                except Failure as failure:
                    if "Internal error" in str(failure):
                        raise
                else:
                    raise Failure(f"the function fails, jvp{f' after the {pipeline} passes' if pipeline else ''} does not")
            return
        if not all(math.isfinite(x) for _, v in value for x in flat(v)):
            return
        s = [(k, self.direction(k, v)) for k, v in value]
        forward, reverse = self.run(program, "ad_jvp", self.inputs + d), self.run(program, "ad_vjp", self.inputs + s)
        self.compare_first(program, d, s, forward, reverse)
        self.second(program, value, d, s, forward, reverse, 1e-3 if any(k.endswith(("f32", "f16")) for k, _ in self.inputs + value) else 1e-7)

    def check(self):
        program = self.write(None)
        try:
            value = self.run(program, "ad_value", self.inputs)
        finally:
            os.unlink(program)
        program = self.write([k for k, _ in value])
        try:
            self.compare(program, value)
        finally:
            os.unlink(program)

    def compare(self, program, value):
        directions = [(k, self.direction(k, v)) for k, v in self.inputs]
        seeds = [(k, self.direction(k, v)) for k, v in value]
        if self.options.derive:
            self.run(program, "ad_second", self.inputs + directions + directions + seeds, self.second_on)
            return
        forward = self.run(program, "ad_jvp", self.inputs + directions)
        reverse = self.run(program, "ad_vjp", self.inputs + seeds)

        narrow = any(k.endswith(("f32", "f16")) for k, _ in self.inputs + value)
        h = 1e-2 if narrow else 1e-5

        def shifted(sign):
            moved = []
            for (k, v), (_, d) in zip(self.inputs, directions):
                numbers = iter(flat(d))
                moved.append((k, like(v, lambda x: x + sign * h * next(numbers) if is_float(k) else x)))
            return self.run(program, "ad_value", moved)
        above, below = shifted(1), shifted(-1)
        numeric = [(k, [(p - q) / (2 * h) for p, q in zip(flat(a), flat(b))]) for (k, a), (_, b) in zip(above, below)]
        self.close("jvp and finite differences", [x for x in forward if is_float(x[0])], [x for x in numeric if is_float(x[0])], 1e-3 if narrow else 1e-5)

        def dot(a, b):
            return sum(x * y for (k, u), (_, v) in zip(a, b) if is_float(k) for x, y in zip(flat(u), flat(v)))
        left, right = dot(seeds, forward), dot(reverse, directions)
        if not abs(left - right) <= (1e-6 if narrow else 1e-9) * max(1, abs(left)):
            raise Failure(f"dot products differ: {left} with the tangent, {right} with the adjoint")

        self.compare_first(program, directions, seeds, forward, reverse)
        self.parts(program, value, directions, seeds, forward, reverse, 1e-3 if narrow else 1e-9)
        self.second(program, value, directions, seeds, forward, reverse, 1e-3 if narrow else 1e-7)

    def compare_first(self, program, directions, seeds, forward, reverse):
        for pipeline in self.pipelines:
            tangents = self.run(program, "ad_jvp", self.inputs + directions, pipeline)
            adjoints = self.run(program, "ad_vjp", self.inputs + seeds, pipeline)
            self.close(f"jvp of the {pipeline} passes and of the interpreter", tangents, forward, 1e-9)
            self.close(f"vjp of the {pipeline} passes and of the interpreter", adjoints, reverse, 1e-9)

    def parts(self, program, value, directions, seeds, forward, reverse, tolerance):
        """Seeds and directions that are zero but for one value each."""
        n, m = len(self.inputs), len(value)
        if n + m == 2 or not all(math.isfinite(x) for _, v in forward + reverse for x in flat(v)):
            return
        for pipeline in self.pipelines:
            got = self.run(program, "ad_parts", self.inputs + directions + seeds, pipeline)
            for what, whole, parts in [("seeds", reverse, got[:n * m]), ("directions", forward, got[n * m:])]:
                sums = []
                floats = [i for i, (k, _) in enumerate(whole) if is_float(k)]
                for i in floats:
                    columns = zip(*(flat(parts[j][1]) for j in range(i, len(parts), len(whole))))
                    sums.append((whole[i][0], [sum(column) for column in columns]))
                self.close(f"after the {pipeline} passes, the sum over {what} and all at once", sums, [whole[i] for i in floats], tolerance)

    def second(self, program, value, d, s, along_d, back_s, tolerance):
        """With H the second derivative of s f: jvp of vjp along d, vjp of jvp and vjp of vjp are all H d; jvp of jvp is e H d."""
        e = [(k, self.direction(k, v)) for k, v in self.inputs]
        want = self.run(program, "ad_second", self.inputs + d + e + s)
        got = self.run(program, "ad_second", self.inputs + d + e + s, self.second_on)
        self.close(f"second derivatives of the {self.second_on} passes and of the interpreter", got, want, tolerance)
        n, m = len(self.inputs), len(value)
        ff, fr, rf, rr, jmp, mjp = (got[a:b] for a, b in zip([0, m, m + n, m + 2 * n, m + 3 * n, 2 * m + 3 * n],
                                                             [m, m + n, m + 2 * n, m + 3 * n, 2 * m + 3 * n, 2 * m + 4 * n]))

        def floats(values):
            return [x for x in values if is_float(x[0])]

        def dot(a, b):
            return sum(x * y for (k, u), (_, v) in zip(a, b) if is_float(k) for x, y in zip(flat(u), flat(v)))
        self.close("vjp of jvp and jvp of vjp", floats(rf), floats(fr), tolerance)
        self.close("vjp of vjp and jvp of vjp", floats(rr), floats(fr), tolerance)
        left, right = dot(s, ff), dot(e, fr)
        if not (abs(left - right) <= tolerance * max(1, abs(left)) or math.isnan(left)):
            raise Failure(f"dot products of second derivatives differ: {left} of jvp of jvp, {right} of jvp of vjp")
        self.close("jmp and jvp", [(k, v[0]) for k, v in jmp], along_d, tolerance)
        self.close("mjp and vjp", [(k, v[0]) for k, v in mjp], back_s, tolerance)

    @staticmethod
    def close(what, got, want, tolerance):
        if len(got) != len(want):
            raise Failure(f"{what}: {len(got)} and {len(want)} values")
        for i, ((_, a), (_, b)) in enumerate(zip(got, want)):
            a, b = flat(a), flat(b)
            if len(a) != len(b):
                raise Failure(f"{what}: value {i} has {len(a)} and {len(b)} elements")
            for j, (x, y) in enumerate(zip(a, b)):
                same = (isinstance(x, float) and math.isnan(x) and math.isnan(y)) or x == y or abs(x - y) <= tolerance * max(1, abs(y))
                if not same:
                    raise Failure(f"{what}: value {i}, element {j}: {x} and {y}")


def rules():
    """Rule -> files of passes/ad that have it in their heads, functions here that test it."""
    folder = os.path.join(os.path.dirname(os.path.dirname(HERE)), "passes", "ad")
    table = {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.cc"), recursive=True)):
        with open(path) as source:
            for ids in re.findall(r"^// Rules: ((?:.|\n// )*?)\.$", source.read(), re.M):
                for rule in ids.replace("//", " ").split():
                    table.setdefault(rule, ([], []))[0].append(os.path.basename(path))
    for name in sorted(os.listdir(HERE)):
        if name.endswith(".fut") and not name.startswith("ad_"):      # ad_*: of a run beside this one
            with open(os.path.join(HERE, name)) as source:
                for ids, functions in re.findall(r"^-- rule: (.*)\n((?:--.*\n)*)", source.read(), re.M):
                    for rule in ids.split():
                        table.setdefault(rule, ([], []))[1].extend(f"{name}: {f}" for f in re.findall(r"^-- ad(?:\(cpu\))?: (\w+)", functions, re.M) or ["?"])
    return table


def untested():
    table = sorted(rules().items())
    return [f"{r}: a rule of passes/ad without a test" for r, (files, tests) in table if not tests] + \
           [f"{r}: no rule of passes/ad has this name" for r, (files, tests) in table if not files]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--raido", default=os.path.join(HERE, "..", "..", "build", "release", "raido"))
    parser.add_argument("--pipelines", default="common", help="what runs before the interpreter where the compiler differentiates: names with commas; "
                        "of second derivatives each function takes one, in turn")
    parser.add_argument("--sizes", help="instead: the same with arrays of so many elements, as in 0,1,2")
    parser.add_argument("--derive", action="store_true", help="instead: second derivatives once after the passes, compared with nothing (sanitizers)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one function in N")
    parser.add_argument("--rules", action="store_true", help="instead: the rules, where they are and their tests")
    parser.add_argument("--option", action="append", default=[], help="an option of the compiler, on both sides")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    if options.rules:
        for rule, (places, tests) in sorted(rules().items()):
            print(f"{rule:18} {' '.join(places):24} {', '.join(tests)}")
        return 0
    files = options.files or sorted(os.path.join(HERE, f) for f in os.listdir(HERE) if f.endswith(".fut") and not f.startswith("ad_"))   # ad_*: of a run beside this one
    checks = []
    for path in files:
        with open(path) as source:
            for cpu, name, inputs in re.findall(r"^-- ad(\(cpu\))?: (\w+) \{(.*)\}$", source.read(), re.M):
                pipelines = [p for p in options.pipelines.split(",") if not (cpu and p == "gpu")]
                if pipelines:
                    checks.append(Check(options, os.path.abspath(path), name, inputs, pipelines, len(checks)))

    checks = checks[::options.every]

    def run(check):
        try:
            if options.sizes:
                check.check_sizes([int(n) for n in options.sizes.split(",")])
            else:
                check.check()
            return None
        except Failure as failure:
            return f"{os.path.relpath(check.path)}: {check.function}: {failure}"

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = [f for f in pool.map(run, checks) if f]
    if not options.files:
        failures += untested()
    for failure in failures:
        print(failure)
    print(f"{len(checks)} derivatives, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
