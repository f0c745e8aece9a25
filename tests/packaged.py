#!/usr/bin/env python3
"""What `scripts/package` makes: a Debian package in a root of its own, and a wheel in a fresh environment of Python. With each a program
is compiled.

    packaged.py BUILD_FOLDER"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULE = """
import os, pathlib, raido
m = raido.compile("entry square (x: f64): f64 = vjp (\\\\x -> x * x * x) x 1")
assert m.square(2) == 12 and raido.compile("entry square (x: f64): f64 = vjp (\\\\x -> x * x * x) x 1") is m
pathlib.Path("a.fut").write_text("def two: i32 = 2")
pathlib.Path("b.fut").write_text('import "a"\\nentry twice (x: i32): i32 = two * x')
first = raido.compile("b.fut")
assert first.twice(4) == 8 and raido.compile(pathlib.Path("b.fut"), backend="multicore").twice(5) == 10
pathlib.Path("a.fut").write_text("def two: i32 = 3")
assert raido.compile("b.fut").twice(4) == 12 and first.twice(4) == 8
try:
    raido.compile("entry wrong (x: i32) = x + true")
    assert False
except raido.CompileError as error:
    assert ":1:" in str(error)
assert len(os.listdir(os.environ["XDG_CACHE_HOME"] + "/raido")) == 4, os.listdir(os.environ["XDG_CACHE_HOME"] + "/raido")
"""


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=100, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compiles(raido, folder, environment):
    """With nothing of ours but this executable."""
    (folder / "p.fut").write_text('import "/prelude/lib/linear"\ndef main (x: i32) = x + 1\n')
    run(raido, "c", "p.fut", cwd=folder, env=environment)
    assert run(folder / "p", input="41") == "42i32\n"


def debian(package, folder):
    if not shutil.which("dpkg"):
        return "there is no dpkg"
    root = folder / "root"
    (root / "var/lib/dpkg/updates").mkdir(parents=True)
    (root / "var/lib/dpkg/info").mkdir()
    (root / "var/lib/dpkg/status").touch()
    if os.geteuid() == 0:
        run("dpkg", f"--root={root}", "--force-depends", "--no-triggers", "-i", package)
        assert "Status: install ok installed" in run("dpkg", f"--root={root}", "-s", "raido")
    else:
        run("dpkg-deb", "-x", package, root)
    assert "gcc | c-compiler" in run("dpkg-deb", "-f", package, "Depends")
    compiles(root / "usr/bin/raido", folder, {"PATH": "/usr/bin:/bin"})
    for file in ("man/man1/raido-python.1", "bash-completion/completions/raido", "raido/prelude/lib/linear.fut", "doc/raido/LICENSE"):
        assert (root / "usr/share" / file).exists() or (root / "usr/share" / (file + ".gz")).exists(), file
    return "installed"


def wheel(package, folder):
    home = folder / "python"
    run(sys.executable, "-m", "venv", home)
    run(home / "bin/pip", "install", "--no-index", package)
    environment = {"PATH": f"{home}/bin:/usr/bin:/bin", "XDG_CACHE_HOME": str(folder / "cache"), "HOME": str(folder)}
    assert run(home / "bin/raido", "--version").startswith("Raido ")
    compiles(home / "bin/raido", folder, environment)
    run(home / "bin/python", "-c", MODULE, cwd=folder, env=environment)
    run(home / "bin/pip", "uninstall", "-y", "raido")
    assert not (home / "bin/raido").exists()
    return "installed"


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run(ROOT / "scripts/package", folder / "packages", pathlib.Path(sys.argv[1]).resolve())
        [deb], [whl] = (folder / "packages").glob("*.deb"), (folder / "packages").glob("*.whl")
        print(f"{deb.name}: {debian(deb, folder)}; {whl.name}: {wheel(whl, folder)}")


main()
