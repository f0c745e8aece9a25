#!/usr/bin/env python3
"""Packages that `raido python` makes, used from Python.

    run.py RAIDO BUILD_FOLDER plain [BACKEND...]       the programs here, without other packages (check_plain.py); all backends
    run.py RAIDO BUILD_FOLDER header                   the same, where Python's own header declares what the module uses
    run.py RAIDO BUILD_FOLDER sanitize                 the same under the address sanitizer of gcc
    run.py RAIDO BUILD_FOLDER numpy|torch|jax          the script `check_` and this name, with this package
    run.py RAIDO BUILD_FOLDER distributed|plot         the examples of these names

Packages come from PyPI and are installed into BUILD_FOLDER/python_NAME, unless the variable RAIDO_PYTHON names a Python that has them.
PyTorch, which is large there, is installed from PyPI only where RAIDO_TORCH_FROM_PYPI is set.
Where they cannot be had the test is skipped, and says why (exit code 77)."""
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NEEDS = {"numpy": ["numpy"], "torch": ["numpy", "torch"], "jax": ["numpy", "jax"], "distributed": ["numpy", "torch"], "plot": ["numpy", "matplotlib"]}


def run(command, folder, limit=110, **variables):
    environment = dict(os.environ, PYTHONPATH=str(folder), **variables)
    try:
        done = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"{' '.join(map(str, command))}: more than {limit} seconds\n"
    return f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}" if done.returncode != 0 else ""


def python_with(names, build):
    """A Python that has these packages, or None and the reason."""
    given = os.environ.get("RAIDO_PYTHON")
    if given:
        problem = run([given, "-c", "import " + ", ".join(names)], "/")
        return (None, f"{given} lacks packages") if problem else (given, "")
    home = build / ("python_torch" if "torch" in names else f"python_{names[-1]}")
    python = home / "bin" / "python"
    if not python.exists() and run([sys.executable, "-m", "venv", home], "/"):
        return None, "no virtual environment can be made"
    if run([python, "-c", "import " + ", ".join(names)], "/"):
        install = [python, "-m", "pip", "install", "-q", "--timeout", "10", "--retries", "1"]
        # For x86 PyPI's torch brings libraries of CUDA. A machine that reaches the index of CPU builds takes those.
        smaller = install + ["torch", "numpy", "--index-url", "https://download.pytorch.org/whl/cpu"]
        if "torch" not in names or run(smaller, "/", limit=120):
            if "torch" in names and not os.environ.get("RAIDO_TORCH_FROM_PYPI"):
                return None, "PyTorch from PyPI takes 6 GB; set RAIDO_TORCH_FROM_PYPI=1 to install it, or RAIDO_PYTHON to a Python that has it"
            problem = run(install + names, "/", limit=1200)
            if problem:
                return None, f"{', '.join(names)} cannot be installed from PyPI: {problem.strip().splitlines()[-1]}"
    return python, ""


def package(raido, program, folder, *options, **variables):
    return run([raido, "python", "-w", HERE / f"{program}.fut", "-o", folder, *options], folder, **variables)


def plain(raido, folder, backend, cflags="", preload=""):
    emulated = ["--emulate"] if backend == "cuda" else []
    for program in ("shapes", "other"):
        problem = package(raido, program, folder, f"--backend={backend}", *emulated, CFLAGS=cflags)
        if problem:
            return problem
    more = {"LD_PRELOAD": preload, "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=0:thread_local_quarantine_size_kb=0"} if preload else {}
    return run([sys.executable, HERE / "check_plain.py", backend], folder, **more)


def main():
    raido, build, what = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if what == "plain":
            problem = ""
            for backend in sys.argv[4:] or ["c", "multicore", "opencl", "cuda"]:
                problem = problem or plain(raido, folder, backend, "-Wall -Wextra -Werror -Wno-cast-function-type")
        elif what == "header":
            header = pathlib.Path(sysconfig.get_path("include")) / "Python.h"
            if not header.exists():
                print("skipped: this Python has no header")
                return 77
            problem = plain(raido, folder, "c", f"-DRAIDO_PYTHON_HEADER -I{header.parent}")
        elif what == "sanitize":
            library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
            problem = plain(raido, folder, "c", "-fsanitize=address,undefined -fno-sanitize-recover=all -g -O1", library)
        else:
            python, reason = python_with(NEEDS[what], build)
            if not python:
                print(f"skipped: {reason}")
                return 77
            if what == "distributed":
                problem = run([python, ROOT / "examples/distributed/fit.py", f"--raido={raido}", f"--out={folder}"], folder)
            elif what == "plot":
                problem = run([python, ROOT / "examples/faithful/plot.py", f"--raido={raido}", f"--out={folder}"], folder)
            else:
                problem = "".join(package(raido, program, folder) for program in ("shapes", "gradients"))
                problem = problem or run([python, HERE / f"check_{what}.py"], folder)
    print(problem or f"{what}: ok")
    return 1 if problem else 0


sys.exit(main())
