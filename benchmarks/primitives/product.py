#!/usr/bin/env python3
"""Times the contractions of product.fut on one core and on two threads. The same by hand (native/product.cc, target `native_benchmarks`)
and the BLAS of the machine are timed beside them. All take turns in one run; what is printed is the least time of each, as a ratio.

    benchmarks/primitives/product.py [--raido build/release/raido] [--runs 10] [--sizes 512,1024] [--only nn,adjoint]

The compiler gets CFLAGS="-O3 -march=native", if the environment has none."""
import argparse
import os
import pathlib
import subprocess
import tempfile

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--raido", default=root / "build/release/raido", type=pathlib.Path)
parser.add_argument("--native", default=root / "build/release/native/product", type=pathlib.Path)
parser.add_argument("--runs", type=int, default=10, help="rounds, each with three timed runs of every program")
parser.add_argument("--sizes", default="512,1024")
parser.add_argument("--only", default="nn,nt,tn,tt,single,min_plus,batched,adjoint")
parser.add_argument("--core", default="0", help="the core that programs on one thread are pinned to")
options = parser.parse_args()
environment = {"CFLAGS": "-O3 -march=native", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"} | dict(os.environ)


def times(command, data=None, log=None):
    """Microseconds of some runs; none if the program has no such version. Ours writes them to a file."""
    run = subprocess.run([str(c) for c in command], stdin=open(data, "rb") if data else None, capture_output=True, env=environment)
    if run.returncode != 0:
        return []
    return [float(t) for t in (log.read_text() if log else run.stdout.decode()).split()]


def row(folder, entry, n):
    kind = "f32" if entry == "single" else "f64"
    shape = f"[1000][{n}][{n}]{kind}" if entry == "batched" else f"[{n}][{n}]{kind}"
    data, log = folder / "data", folder / "log"
    with open(data, "wb") as file:
        for _ in range(3 if entry == "adjoint" else 2):
            file.write(subprocess.run([options.raido, "dataset", "-b", f"--{kind}-bounds=0:1", "-g", shape], capture_output=True, check=True).stdout)
    pin = ["taskset", "-c", options.core]
    ours = lambda backend, *more: [folder / backend, "-e", entry, "-r", 3, "-t", log, *more]
    programs = {
        "ours": (pin + ours("c"), data, log),
        "hand": (pin + [options.native, entry, 3, n],),
        "blas": (pin + [options.native, entry, 3, n, "blas"],),
        "one thread": (pin + ours("multicore", "--num-threads=1"), data, log),
        "two threads": (ours("multicore", "--num-threads=2"), data, log),
    }
    least = {}
    for _ in range(options.runs):
        for name, program in programs.items():
            found = times(*program)
            if found:
                least[name] = min(found + [least.get(name, float("inf"))])
    ratio = lambda a, b: f"{least[a] / least[b]:.2f}" if a in least and b in least else "-"
    print(f"{entry:9}{n:6}{least.get('ours', 0) / 1000:10.3f}{ratio('ours', 'hand'):>11}{ratio('ours', 'blas'):>11}"
          f"{ratio('one thread', 'ours'):>13}{ratio('one thread', 'two threads'):>13}", flush=True)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for backend in ("c", "multicore"):
        subprocess.run([options.raido, backend, here / "product.fut", "-o", folder / backend], check=True, env=environment)
    print("contraction  n   ours, ms  ours/hand  ours/BLAS  one thread/c  1 / 2 threads")
    for entry in options.only.split(","):
        for n in (16, 64) if entry == "batched" else [int(n) for n in options.sizes.split(",")]:
            row(folder, entry, n)
