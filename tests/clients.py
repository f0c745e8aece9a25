#!/usr/bin/env python3
"""Clients that others wrote, unmodified, from PyPI: futhark-server and futhark-data talk to our server, futhark-ffi builds from our
library.

    clients.py RAIDO BUILD_FOLDER

What the server hears (`> `) and says is printed. They are installed into BUILD_FOLDER/clients; where PyPI cannot be reached the test is skipped (exit code 77)."""
import pathlib
import subprocess
import sys
import tempfile
import textwrap

PROGRAM = """
type point = {x: i32, y: f64}
entry dot (xs: []f64) (ys: []f64) : f64 = f64.sum (map2 (*) xs ys)
entry both (n: i32) (xs: [][]f32) : (i32, [][]f32) = (n + 1, map (map (+ 1)) xs)
entry positive (n: i64) : i64 = assert (n > 0) n
entry update (xs: *[]i64) : *[]i64 = xs with [0] = 9
entry make (x: i32) : point = {x, y = 2}
entry height (p: point) : f64 = p.y
"""
SERVER = """
import futhark_server, numpy
with futhark_server.Server("./overheard") as s:
    s.put_value("xs", numpy.array([1.0, 2, 3]))
    s.put_value("ys", numpy.array([4.0, 5, 6]))
    s.cmd_call("dot", "r", "xs", "ys")
    assert s.get_value("r") == 32
    s.put_value("n", numpy.int32(5))
    s.put_value("m", numpy.array([[1, 2], [3, 4]], dtype=numpy.float32))
    assert s.cmd_inputs("both") == ["i32", "[][]f32"] and s.cmd_output("both") == ["(i32, [][]f32)"]
    s.cmd_call("both", "r2", "n", "m")
    s.cmd_project("k", "r2", "0")
    s.cmd_project("m2", "r2", "1")
    assert s.get_value("k") == 6 and (s.get_value("m2") == [[2, 3], [4, 5]]).all()
    s.cmd_call("both", "k3", "m3", "n", "m")
    assert s.get_value("k3") == 6
    s.put_value("z", numpy.int64(-1))
    try:
        s.cmd_call("positive", "q", "z")
        assert False
    except futhark_server.Failure as failure:
        assert "Assertion is false: (n > 0)" in str(failure)
    s.cmd_call("make", "p", "n")
    assert s.cmd_fields("point") == ["x i32", "y f64"]
    s.cmd_project("y", "p", "y")
    s.cmd_call("height", "h", "p")
    assert s.get_value("h") == s.get_value("y") == 2
    s.cmd_rename("h", "g")
    s.cmd_free("g")
    s.cmd_pause_profiling()
    s.cmd_unpause_profiling()
    s.cmd_clear()
    assert "memory" in s.cmd_report()[0]
"""
OVERHEARD = """#!/bin/bash
exec ./program "$@" < <(tee >(sed -u 's/^/> /' >> talk)) > >(tee -a talk)
"""
FFI = """
import numpy, _program
from futhark_ffi import Futhark
f = Futhark(_program)
assert f.dot(numpy.array([1.0, 2, 3]), numpy.array([4.0, 5, 6])) == 32
n, m = f.both(5, numpy.array([[1, 2], [3, 4]], dtype=numpy.float32))
assert n == 6 and (f.from_futhark(m) == [[2, 3], [4, 5]]).all()
assert (f.from_futhark(f.update(numpy.array([1, 2, 3]))) == [9, 2, 3]).all()
try:
    f.positive(-1)
    assert False
except ValueError as failure:
    assert "Assertion is false: (n > 0)" in str(failure)
assert f.height(f.make(3)) == 2
"""


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    return f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}" if done.returncode != 0 else ""


def main():
    raido, home = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve() / "clients"
    python, install = home / "bin" / "python", "futhark-data futhark-server futhark-ffi setuptools".split()
    if not python.exists() and run([sys.executable, "-m", "venv", home], "."):
        print("skipped: no virtual environment can be made")
        return 77
    if run([python, "-c", "import futhark_data, futhark_server, futhark_ffi"], ".") and run([python, "-m", "pip", "install", "-q", "--timeout", "10", "--retries", "1", *install], "."):
        print("skipped: PyPI cannot be reached")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "program.fut").write_text(PROGRAM)
        (folder / "server.py").write_text(textwrap.dedent(SERVER))
        (folder / "overheard").write_text(OVERHEARD)
        (folder / "overheard").chmod(0o755)
        (folder / "ffi.py").write_text(textwrap.dedent(FFI))
        for step in ([raido, "c", "--server", "program.fut"], [python, "server.py"], [raido, "multicore", "--library", "--abi=0.25", "program.fut"],
                     [home / "bin" / "build_futhark_ffi", "program"], [python, "ffi.py"]):
            problem = run(step, folder)
            if problem:
                print(problem)
                return 1
        print((folder / "talk").read_text())
    print("clients: ok")
    return 0


sys.exit(main())
