#!/usr/bin/env python3
"""The vector functions of the C library against its scalar ones, for all functions and both widths of floats.

usage: vector_math.py RAIDO

Each function is mapped over the same numbers by programs that are compiled with --math=strict and --math=vector. They are compiled in each
version for processors that works here, and for this one alone. Values may differ by LIMIT units in the last place; zeros, infinities, NaN and
integer powers by nothing. Where the C library has vector functions (glibc on x86-64) the program has to call them. Exit code 77: it has none."""
import array
import os
import pathlib
import platform
import random
import re
import struct
import subprocess
import sys
import tempfile

LIMIT = 5                                       # 4 of the vector function, 1 of the scalar one
ONE = ("exp log sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh log2 log1p erf erfc").split()
TWO = ["atan2", "**"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 1e-310, 5e-324, 709.7, -745.0, -745.2, -708.3, -708.5, -87.3, -87.4, -103.9, -104.0, -1000.0, 88.7, 1e22, 1e300, 2.0, 3.0, 10.0, 0.5]


def numbers():
    random.seed(5)
    xs = SPECIAL + [float(k) for k in range(-40, 100)]
    for scale in (1, 30, 600):
        xs += [random.uniform(-scale, scale) for _ in range(5000)]
    return xs


def source(t, known):
    one = "".join(f"entry {f} (xs: []{t}) = map {t}.{f} xs\n" for f in known)
    return one + f"entry atan2 [n] (xs: [n]{t}) (ys: [n]{t}) = map2 {t}.atan2 xs ys\nentry power [n] (xs: [n]{t}) (ys: [n]{t}) = map2 (**) xs ys\n"


def binary(t, xs):
    code = {"f64": "d", "f32": "f"}[t]
    values = array.array("d", xs) if code == "d" else array.array("f", [struct.unpack("f", struct.pack("f", x))[0] if abs(x) < 3e38 else x for x in xs])
    return b"b\x02\x01 " + t.encode() + struct.pack("<q", len(xs)) + values.tobytes()


def steps(t, x, y):
    """How many floats lie between two; 0 for two NaN."""
    if x != x or y != y:
        return 0 if x != x and y != y else 1 << 60
    code, bits = {"f64": ("<q", "<d"), "f32": ("<i", "<f")}[t]
    def place(v):
        n = struct.unpack(code, struct.pack(bits, v))[0]
        return n if n >= 0 else -(n & ((1 << (63 if t == "f64" else 31)) - 1))
    return abs(place(x) - place(y))


def run(program, entry, data, t):
    done = subprocess.run([*program, "-b", "-e", entry], input=data, capture_output=True, check=True)
    count = struct.unpack("<q", done.stdout[7:15])[0]
    return array.array({"f64": "d", "f32": "f"}[t], done.stdout[15:15 + count * {"f64": 8, "f32": 4}[t]])


def counting(folder, t):
    """A library whose logarithm and exponential count their calls, and say at the end how many there were."""
    name, c = ("", "double") if t == "f64" else ("f", "float")
    text = pathlib.Path(folder) / f"counting{name}.c"
    text.write_text(f"""#include <stdio.h>
static int calls;
{c} log{name}({c} x) {{ calls++; return x - x; }}
{c} exp{name}({c} x) {{ calls++; return x - x; }}
__attribute__((destructor)) static void say(void) {{ fprintf(stderr, "%d calls\\n", calls); }}
""")
    library = os.path.join(folder, f"libcounting{name}.so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", text, "-o", library], check=True)
    return library


def main():
    raido = sys.argv[1]
    xs = numbers()
    if platform.machine() != "x86_64" or "glibc" not in platform.libc_ver()[0]:
        print("no vector functions in this C library")
        sys.exit(77)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for t in ("f64", "f32"):
            path = pathlib.Path(folder) / f"{t}.fut"
            path.write_text(source(t, ONE))
            ys = [(SPECIAL + [float(k % 9) - 2, k % 9 - 1.5])[k % (len(SPECIAL) + 2) if k % 7 == 0 else -1 - (k % 5 > 0)] for k in range(len(xs))]
            inputs = {f: binary(t, xs) for f in ONE} | {"atan2": binary(t, xs) + binary(t, xs[::-1]), "power": binary(t, xs) + binary(t, ys)}
            programs = {}
            for name, options in [("scalar", ["--math=strict", "--cpu=baseline"]), ("versions", []), ("native", ["--cpu=native"])]:
                programs[name] = [os.path.join(folder, f"{t}_{name}")]
                subprocess.run([raido, "c", "-w", "--subnormals=keep", *options, path, "-o", *programs[name]], check=True, env=dict(os.environ, CFLAGS=""))
            called = {name: len(set(re.findall(rb"_ZGV\w+", pathlib.Path(file).read_bytes()))) for name, (file,) in programs.items()}
            if called["scalar"] or called["versions"] < 3 * len(ONE) or not called["native"]:
                failures += 1
                print(f"{t}: vector functions that are called: {called}")
            # GCC must not see that a sine and a cosine are of the same number: its one call for both has no vectors.
            path.write_text(f"entry main (xs: []{t}) = map (\\x -> {t}.sin x + 2 * {t}.cos x) xs")
            file = os.path.join(folder, f"{t}_both")
            subprocess.run([raido, "c", "-w", "--cpu=native", path, "-o", file], check=True, env=dict(os.environ, CFLAGS=""))
            both = set(re.findall(rb"_ZGV[a-zA-Z0-9]+_(sin|cos)f?\b", pathlib.Path(file).read_bytes()))
            if len(both) < 2:
                failures += 1
                print(f"{t}: of a sine and a cosine of the same number only {both} are vector functions")
            # Nor does a conversion keep a loop scalar.
            path.write_text(f"entry main (n: i64) = tabulate n (\\i -> {t}.exp (0.001 * {t}.i64 i * {t}.bool (i > 3)))")
            subprocess.run([raido, "c", "-w", "--cpu=native", path, "-o", file], check=True, env=dict(os.environ, CFLAGS=""))
            if not re.search(rb"_ZGV[a-zA-Z0-9]+_expf?\b", pathlib.Path(file).read_bytes()):
                failures += 1
                print(f"{t}: the exponential of converted numbers is no vector function")
            # Nor is a function computed of what a bound keeps away from it, nor an exponential that vanishes. Vector functions call scalar ones there.
            file = os.path.join(folder, f"{t}_bounded")
            path.write_text(f"entry main (xs: []{t}) = (map (\\x -> {t}.log ({t}.max 1e-6 x)) xs, map (\\x -> {t}.log (if x < 0.25 then 0.25 else x)) xs, map (\\x -> {t}.exp (2000 * x)) xs)")
            subprocess.run([raido, "c", "-w", "--cpu=native", path, "-o", file], check=True, env=dict(os.environ, CFLAGS=""))
            said = subprocess.run([file], input=f"[{', '.join(['-1.0'] * 64)}]".encode(), capture_output=True, check=True, env=dict(os.environ, LD_PRELOAD=counting(folder, t))).stderr
            if said != b"0 calls\n":
                failures += 1
                print(f"{t}: scalar functions of bounded numbers: {said.decode()}")
            for version in ("avx512", "avx2", "baseline"):
                one = [*programs["versions"], "--cpu", version]
                if subprocess.run([*one, "-e", "exp"], input=b"[1.0]", capture_output=True).returncode == 0:
                    programs[version] = one
                else:
                    print(f"this processor lacks what {version} wants")
            for f, data in inputs.items():
                right = run(programs["scalar"], f, data, t)
                for name in programs.keys() - {"scalar"}:
                    found = run(programs[name], f, data, t)
                    apart = [steps(t, a, b) for a, b in zip(found, right)]
                    worst = max(range(len(apart)), key=apart.__getitem__)
                    if len(found) != len(right) or apart[worst] > LIMIT:
                        failures += 1
                        print(f"{t} {f}, {name}: {found[worst]} for {xs[worst]}, not {right[worst]}")
                    integer = lambda k: f == "power" and abs(xs[k]) < 1e6 and xs[k] == int(xs[k]) and 0 <= ys[k] < 100 and ys[k] == int(ys[k]) and abs(right[k]) < 1e6
                    exact = [k for k, x in enumerate(right) if x == 0 or abs(x) == float("inf") or integer(k)]
                    for k in exact:
                        if apart[k]:
                            failures += 1
                            print(f"{t} {f}, {name}: {found[k]} for {xs[k]}, exactly {right[k]}")
                print(f"{t} {f}: at most {max(apart)} units apart")
    sys.exit(failures > 0)


main()
