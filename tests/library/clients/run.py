#!/usr/bin/env python3
"""The gradient of a mixture model, called from C, C++, Python (ctypes) and Rust (cargo without crates): all print the same.

    run.py RAIDO BUILD_FOLDER [BACKEND...]"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]


def run(command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=100, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(raido, build, backend, folder):
    link = ["-lm", "-lpthread"] + ["-ldl"] * (backend in ("opencl", "cuda"))
    run([raido, backend, "--library", "-w", HERE / "gmm.fut", "-o", folder / "gmm"])
    run(["cc", "-std=c99", "-O2", "-fPIC", "-c", folder / "gmm.c", "-o", folder / "gmm.o"])
    run(["cc", "-shared", folder / "gmm.o", "-o", folder / "gmm.so", *link])
    run(["cc", "-std=c99", *WARNINGS, "-I", folder, HERE / "gmm.c", folder / "gmm.o", "-o", folder / "c", *link])
    run(["c++", "-std=c++17", *WARNINGS, "-I", folder, HERE / "gmm.cc", folder / "gmm.o", "-o", folder / "cc", *link])
    printed = {"C": run([folder / "c"]), "C++": run([folder / "cc"]), "ctypes": run([sys.executable, HERE / "gmm.py", folder / "gmm.so"])}
    if shutil.which("cargo"):
        target = build / "rust_client"
        environment = dict(os.environ, GMM_LIBRARY=str(folder), CARGO_TARGET_DIR=str(target))
        shutil.copytree(HERE / "rust", folder / "rust")
        run(["cargo", "build", "--release", "--offline", "--quiet"], cwd=folder / "rust", env=environment)
        printed["Rust"] = run([target / "release" / "gmm"])
    for name, text in printed.items():
        if text != printed["C"]:
            sys.exit(f"{backend}: {name} printed\n{text}and C printed\n{printed['C']}")
    value, along, quotient = map(float, re.match(r"value (\S+), along (\S+) (\S+)\nError: entry point arguments have invalid sizes\.\n", printed["C"]).groups())
    if abs(along - quotient) > 1e-5 * abs(along):
        sys.exit(f"{backend}: {printed['C']}")
    print(f"{backend}: {', '.join(printed)} print value {value}, along {along}" + ("" if "Rust" in printed else "; there is no cargo"))


def main():
    for backend in sys.argv[3:] or ["c"]:
        with tempfile.TemporaryDirectory() as folder:
            check(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), backend, pathlib.Path(folder))


main()
