#!/usr/bin/env python3
"""The backend `llvm` beside the backend `c` and the interpreter: results, failures, extrema with NaN, exact
floats, servers, and what it refuses.

usage: llvm.py RAIDO

Both backends must print the same and end with the same exit code; so must `raido run --backend=llvm`. No C compiler is there for
`llvm`. Exit code 77: this machine or this build has no LLVM."""
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from checking import check, end, expect

PROGRAM = """
entry main (xs: []i32) (i: i64) = xs[i]
def down (n: i64): i64 = if n == 0 then 0 else 1 + down (n - 1)
entry deep (n: i64) = down n
entry large (n: i64) = let xs = scan (+) 0 (iota n) in if n == 0 then 0 else xs[xs[n - 1] % n]
entry two [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys
entry bits [n] (xs: [n][n]bool) (h: f16) = (map (map (\\x -> !x)) xs, h * 2)
entry traced (x: f64) = #[trace(x)] (x + 1)
entry none = ()
entry part (x: i64) (y: i64) = (x / y, x % y)
entry converted (x: f64) = (i8.f64 x, u8.f64 x, i32.f64 x, u64.f64 x, i64.f64 x)
entry table (x: i32) = let t = [2.5f32, -0.0, f32.nan, f32.inf] in t[x]
entry checked [n] (xs: [n]i64) = map (\\x -> assert (x >= 0) (i64.f64 (f64.sqrt (f64.i64 x)))) xs
type shape = #circle f64 | #square f64 f64
entry sum_type (x: f64): shape = if x > 0 then #circle x else #square x x
"""
CASES = [("main", "[1,2,3] 1"), ("main", "[1,2,3] 7"), ("main", "[1,2,3] -1"), ("main", "[] 0"), ("main", "x"), ("main", "[1] 0 3"), ("deep", "1000"),
         ("deep", "1000000000"), ("large", "10"), ("large", "0"), ("large", "100000000000000"), ("two", "[1,2] [3,4]"), ("two", "[1,2] [3]"),
         ("two", "empty([0]i32) empty([0]i32)"), ("bits", "[[true,false],[false,true]] 1.5"), ("traced", "2.5"), ("none", ""), ("absent", "1"),
         ("part", "-7 2"), ("part", "7 0"), ("part", "-9223372036854775808 -1"), ("converted", "-3.7"), ("converted", "300.5"),
         ("converted", "1e19"), ("converted", "-1e19"), ("converted", "f64.nan"), ("converted", "f64.inf"), ("table", "1"), ("table", "2"),
         ("table", "4"), ("checked", "[4, 9, 10]"), ("checked", "[4, -9, 10]"), ("sum_type", "1.0")]
EXTREMA = "".join(f"""entry max_{t} (xs: []{t}) = {t}.maximum xs
entry min_{t} (xs: []{t}) = {t}.minimum xs
entry least_{t} (x: {t}) (xs: []{t}) = reduce_comm {t}.min x xs
entry both_{t} (xs: []{t}) = reduce_comm (\\(a, b) (c, d) -> ({t}.min a c, {t}.max b d)) ({t}.inf, -{t}.inf) (zip xs xs)
""" for t in ("f32", "f64"))
EXACT = """entry exact (xs: []f64) = let ys = scan (\\a b -> a * 0.5 + b) 0 xs in (f64.sum (map2 (*) xs ys), map (\\x -> f64.exp x * x + f64.sin x) xs)
entry half (xs: []f16) = map (\\x -> x * x + f16.sqrt (f16.abs x) / 3) xs
"""
BEST = """
entry main (xs: []i32) = (loop (best, here) = (0, 0) for x in xs do
  let top = i32.max x 0
  in (i32.max best (i32.max top (here + top)), i32.max top (here + x))).0
"""


def run(command, text, env=None):
    r = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300, env=env)
    return r.returncode, r.stdout, r.stderr


def main():
    raido = str(pathlib.Path(sys.argv[1]).absolute())
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        without = dict(os.environ, CC="/nonexistent/cc", PATH=folder)
        def source(name, text):
            pathlib.Path(at(name)).write_text(text)
            return at(name)
        def compiled(backend, name, *options, env=None):
            code, out, err = run([raido, backend, "-w", *options, at(name), "-o", at(f"{name}.{backend}")], "", env)
            if backend == "llvm" and ("libLLVM" in err or "RAIDO_LLVM" in err or "x86-64" in err):
                print(err, end="")
                sys.exit(77)
            expect(f"compiling {name} with {backend}", (code, out, err), (0, "", ""))
            return at(f"{name}.{backend}")

        program = source("p.fut", PROGRAM)
        for options in ([], ["--cpu=baseline"]):
            programs = {"c": compiled("c", "p.fut", "--cpu=baseline"), "llvm": compiled("llvm", "p.fut", *options, env=without)}
            for entry, text in CASES:
                got = {}
                for backend, executable in programs.items():
                    code, out, err = run([executable, "-e", entry], text)
                    got[backend] = code, out, err.replace(executable, "PROGRAM")
                expect(f"{entry} of {text} {options}", got["llvm"], got["c"])
        for entry, text in (CASES[0], CASES[1], ("part", "-7 2")):
            c, direct = run([programs["c"], "-e", entry], text), run([raido, "run", "-w", "--backend=llvm", "-e", entry, program], text, without)
            expect(f"run {entry} of {text}", direct[:2] + (direct[2].replace(raido, ""),), c[:2] + (c[2].replace(programs["c"], ""),))

        # A sum of any order may differ in the last places, a least or greatest element may not.
        random.seed(3)
        source("e.fut", EXTREMA)
        executable = compiled("llvm", "e.fut")
        choices = [math.nan, -math.inf, math.inf, 1.5, -2.5, 7.0]
        def text_of(t, x):
            return f"{t}.nan" if x != x else f"{'-' if x < 0 else ''}{t}.inf" if math.isinf(x) else repr(x)
        def least(x, ys, sign=1):                     # as fmin: a NaN counts only where all are
            numbers = [sign * y for y in [x] + ys if y == y]
            return sign * min(numbers) if numbers else math.nan
        for t in ("f32", "f64"):
            for n in [0, 1, 2, 7, 8, 9, 31, 64, 100]:
                for nans in (0, 0.1, 1):
                    xs = [math.nan if random.random() < nans else random.choice(choices[1:]) for _ in range(n)]
                    array = f"[{','.join(text_of(t, x) for x in xs)}]" if n else f"empty([0]{t})"
                    low, high = least(math.inf, xs), least(-math.inf, xs, -1)
                    for entry, first, wanted in (("max", "", [high]), ("min", "", [low]), ("both", "", [low, high]),
                                                 ("least", f"{t}.nan ", [least(math.nan, xs)]), ("least", "3.0 ", [least(3.0, xs)])):
                        got = run([executable, "-e", f"{entry}_{t}"], first + array)
                        numbers = [float(line.replace(f"{t}.", "").replace(t, "")) for line in got[1].split()]
                        expect(f"{entry}_{t} of {first}{array}", ([repr(x) for x in numbers], got[2]), ([repr(x) for x in wanted], ""))

        source("x.fut", EXACT)
        exact = {b: compiled(b, "x.fut", "--fp-strict") for b in ("c", "llvm")}
        xs = ",".join(repr(random.uniform(-3, 3)) for _ in range(99))
        for entry in ("exact", "half"):
            both = [subprocess.run([e, "-e", entry, "-b"], input=f"[{xs}]".encode(), capture_output=True).stdout for e in exact.values()]
            check(f"--fp-strict {entry}", both[0] == both[1] and both[0])

        # The greater of two numbers costs the same whether or not it can be guessed.
        source("best.fut", BEST)
        best = compiled("llvm", "best.fut")
        def microseconds(numbers):
            run([best, "-r", "20", "-t", at("times")], f"[{','.join(map(str, numbers))}]")
            return min(map(int, pathlib.Path(at("times")).read_text().split()))
        some, zeros = microseconds([random.randrange(-2**31, 2**31) for _ in range(300000)]), microseconds([0] * 300000)
        check("maxima of random numbers", some < 1.5 * zeros, f"{some} us, of zeros {zeros} us")

        server = compiled("llvm", "p.fut", "--server", env=without)
        code, out, err = run([server], "entry_points\ninputs two\n")
        check("server", code == 0 and "sum_type" in out and "[]i32" in out and "%%% OK" in out, out + err)
        code, out, err = run([raido, "llvm", "--library", program, "-o", at("library")], "")
        check("--library is refused", code == 1 and "no libraries" in err, err)
    return end("llvm")


sys.exit(main())
