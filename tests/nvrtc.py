#!/usr/bin/env python3
"""Compiles the CUDA kernels of programs with NVRTC straight to machine code; needs no GPU.

usage: nvrtc.py RAIDO BUILD_FOLDER PROGRAM.fut|FOLDER...

NVRTC is looked for in $CUDA_HOME, /usr/local/cuda*, where the linker looks, and in BUILD_FOLDER/nvrtc. If nothing is found, the
PyPI wheel nvidia-cuda-nvrtc is installed into the last one. Exit code 77: there is none, and why; with RAIDO_CI set that is a
failure unless PyPI cannot be reached.

Kernels speak to the architecture through the vocabulary alone (backends/runtime/words_cuda.h). One word asks which one it is, and those kernels that
use it (products of f64) are compiled for each. Else every word is compiled for each architecture, and each program for one: the programs go round the
architectures.
"""
import ctypes
import glob
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

ARCHITECTURES = [75, 80, 90, 100, 120]
INVALID_OPTION = 5                             # NVRTC_ERROR_INVALID_OPTION


def places(build):
    home = os.environ.get("CUDA_HOME")
    roots = ([home] if home else []) + sorted(glob.glob("/usr/local/cuda*"), reverse=True)
    for root in roots:
        yield from sorted(glob.glob(os.path.join(root, "lib64", "libnvrtc.so*")))
    yield from ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]
    yield from sorted(glob.glob(os.path.join(build, "nvrtc", "**", "libnvrtc.so*"), recursive=True))


def load(build):
    for place in places(build):
        try:
            return ctypes.CDLL(place)
        except OSError:
            continue
    return None


def install(build):
    target = os.path.join(build, "nvrtc")
    print(f"installing nvidia-cuda-nvrtc into {target}")
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", target, "nvidia-cuda-nvrtc"],
                          capture_output=True, text=True)
    return done.stderr.strip().splitlines()[-1:] if done.returncode else []


class Compiler:
    def __init__(self, library):
        self.library = library

    def compile(self, source, architecture):
        """The log of a failed compilation, or None."""
        nvrtc, program = self.library, ctypes.c_void_p()
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernels.cu", 0, None, None)
        options = [f"--gpu-architecture=sm_{architecture}".encode(), b"--std=c++17", b"-diag-suppress=177"]
        for more in [b"--Ofast-compile=mid"], []:             # a third of the time; older versions do not know it
            texts = options + more
            code = nvrtc.nvrtcCompileProgram(program, len(texts), (ctypes.c_char_p * len(texts))(*texts))
            if code != INVALID_OPTION:
                break
        log = None
        if code != 0:
            size = ctypes.c_size_t()
            nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            text = ctypes.create_string_buffer(size.value + 1)
            nvrtc.nvrtcGetProgramLog(program, text)
            log = text.value.decode(errors="replace")
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
        return log


def kernels(raido, program, folder):
    """The CUDA text of a program's kernels."""
    executable, dump = os.path.join(folder, "program"), os.path.join(folder, "kernels.cu")
    made = subprocess.run([raido, "cuda", program, "-w", "-o", executable], capture_output=True, text=True,
                          env=dict(os.environ, CFLAGS="-O0"))                    # the host's part is not looked at
    if made.returncode != 0:
        sys.exit(f"{program}: raido cuda failed\n{made.stderr}")
    subprocess.run([executable, "--dump-cuda", dump], check=True)
    with open(dump, "rb") as file:
        return file.read()


def main():
    raido, build, *paths = sys.argv[1:]
    library = load(build)
    if library is None:
        reason = install(build)
        library = load(build)
        if library is None:
            unreachable = any(word in " ".join(reason) for word in ("connection", "Connection", "resolve", "No matching distribution"))
            print("no libnvrtc here, and it could not be installed:", *reason)
            print("PyPI cannot be reached" if unreachable else "PyPI can be reached, so this should have worked")
            sys.exit(1 if os.environ.get("RAIDO_CI") and not unreachable else 77)
    compiler, failures = Compiler(library), 0
    root = pathlib.Path(__file__).resolve().parent.parent
    words = b"".join((root / name).read_bytes() for name in (
        "backends/runtime/words_cuda.h", "backends/runtime/words.h", "tests/runtime/kernels.h"))
    for architecture in ARCHITECTURES:
        if (log := compiler.compile(words, architecture)) is not None:
            failures += 1
            print(f"tests/runtime/kernels.h: sm_{architecture} does not compile\n{log}")
    programs = [p for path in paths for p in (sorted(glob.glob(os.path.join(path, "*.fut"))) if os.path.isdir(path) else [path])]
    for architecture, program in zip(itertools.cycle(ARCHITECTURES), programs):
        with open(program) as file:
            if " no_cuda " in file.read():
                continue
        with tempfile.TemporaryDirectory() as folder:
            source = kernels(raido, program, folder)
        asks = source.count(b"RAIDO_HAS_TENSORS") > words.count(b"RAIDO_HAS_TENSORS")
        for one in ARCHITECTURES if asks else [architecture]:
            if (log := compiler.compile(source, one)) is not None:
                failures += 1
                print(f"{program}: sm_{one} does not compile\n{log}")
            else:
                print(f"{program}: {source.count(b'KERNEL ') - 2} kernels, sm_{one}")
    sys.exit(failures > 0)


main()
