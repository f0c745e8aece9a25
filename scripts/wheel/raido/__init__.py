"""Compiles programs of the Futhark language to modules of Python.

    import raido
    m = raido.compile("entry norm (xs: []f64): f64 = vjp (\\x -> x * x) xs[0] 1")
    m.norm([3.0])"""
import hashlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

EXECUTABLE = str(pathlib.Path(__file__).resolve().parent / "raido")


class CompileError(Exception):
    """The compiler refused the program; the text is what it says."""


def main():
    """The command."""
    os.execv(EXECUTABLE, [EXECUTABLE, *sys.argv[1:]])


def _run(*words):
    done = subprocess.run([EXECUTABLE, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise CompileError((done.stderr or done.stdout).strip())
    return done.stdout


def _cache():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "raido"


def compile(program, *, backend="c", options=()):
    """The module of a program: its text, or the path of its file (a `Path`, or a name that ends in `.fut`).

    `backend` is c, multicore, opencl or cuda; `options` are further options of `raido python`. What was compiled is kept in
    ~/.cache/raido. It is used again as long as the program, what it imports, the options and the compiler are the same."""
    is_file = isinstance(program, os.PathLike) or (program.endswith(".fut") and "\n" not in program)
    made = hashlib.sha256(repr((backend, list(options), os.environ.get("CC"), os.environ.get("CFLAGS"))).encode())
    with open(EXECUTABLE, "rb") as file:
        made.update(hashlib.file_digest(file, "sha256").digest())
    if is_file:
        path = pathlib.Path(program).resolve()
        for name in _run("imports", str(path)).splitlines():
            made.update(name.encode() + b"\0" + pathlib.Path(name).read_bytes())
    else:
        made.update(program.encode())
    key = made.hexdigest()[:16]
    name = f"{path.stem if is_file else 'program'}_{key}"
    if name in sys.modules:
        return sys.modules[name]

    folder = _cache() / key
    if not folder.exists():
        _cache().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_cache()) as temporary:
            if not is_file:
                path = pathlib.Path(temporary) / "program.fut"
                path.write_text(program)
            _run("python", str(path), f"--output={temporary}/made", f"--backend={backend}", *options)
            try:
                os.rename(f"{temporary}/made/{path.stem}", folder)
            except OSError:
                if not folder.exists():            # else another process has made it
                    raise
    spec = importlib.util.spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
