#!/usr/bin/env python3
"""The C of programs compiles without warnings: for one thread and for several.

    tests/warnings.py RAIDO PROGRAM.fut|FOLDER..
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

NO_COMPILER = str(pathlib.Path(__file__).resolve().parent / "no_compiler")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-fopenmp-simd", "-fsyntax-only"]


def one(raido, program, backend, folder):
    base = pathlib.Path(folder) / f"{program.stem}_{backend}_{abs(hash(program))}"
    made = subprocess.run([raido, backend, "-w", "--cpu=baseline", program, "-o", base], env=dict(os.environ, CC=NO_COMPILER), capture_output=True, text=True)
    if made.returncode != 0:
        return f"{program}: {backend}: {made.stderr}"
    checked = subprocess.run(["gcc", *FLAGS, f"{base}.c"], capture_output=True, text=True)
    return "" if checked.returncode == 0 else f"{program}: {backend}:\n{checked.stderr}"


def main(raido, *paths):
    programs = [p for path in map(pathlib.Path, paths) for p in (sorted(path.rglob("*.fut")) if path.is_dir() else [path])]
    programs = [p for p in programs if any(line.startswith("entry") for line in p.read_text().splitlines())]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda job: one(raido, *job, folder), [(p, b) for p in programs for b in ("c", "multicore")]))
    failures = [text for text in said if text]
    for text in failures:
        print(text)
    print(f"warnings: {len(said)} programs, {len(failures)} failures")
    return 1 if failures or not said else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
