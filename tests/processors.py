#!/usr/bin/env python3
"""The versions of programs for processors (decision 033).

usage: processors.py RAIDO versions                          what each version is made of, and that it computes the same
       processors.py RAIDO conformance VERSION PROGRAM ...   the test blocks of programs, in one version

`versions` compiles programs with gcc, and with clang if there is one. The code of a version has vectors of its width and no wider ones,
and calls the C library's vector functions of that width. With --fp-strict all versions compute the same to the last bit. There
is one version only where somebody chose the instructions, or wanted no optimisation. A library that is compiled under a relative
path or another name has versions, too; its text inside another file has one. Exit code 77: not on x86-64, or the processor lacks what the version wants."""
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VERSIONS = ["avx512", "avx2", "baseline"]
WIDEST = {"avx512": "zmm", "avx2": "ymm", "baseline": "xmm"}
failures = 0


def wrong(text):
    global failures
    failures += 1
    print(text)


def compiled(raido, source, out, *options, backend="c", cc="gcc", cflags=""):
    subprocess.run([raido, backend, "-w", *options, source, "-o", out], check=True, env=dict(os.environ, CC=cc, CFLAGS=cflags))
    return out


def versions_of(program, entry, data):
    """The versions that work here, the best first; the one that was chosen must be the best."""
    env = {k: v for k, v in os.environ.items() if k != "RAIDO_CPU"}
    run = lambda *options: subprocess.run([program, "-n", "-e", entry, *options], input=data, env=env, capture_output=True, text=True).stderr
    names = re.search(r"It has: (.*)\.$", run("--cpu", "none"), re.M).group(1).split(", ")
    chosen = re.search(r"^version (\w+)$", run("--log"), re.M)
    if chosen is None or chosen.group(1) != names[0]:
        wrong(f"{program}: {chosen and chosen.group(1)} was chosen of {names}")
    return names


def disassembled(program):
    return subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout


def registers(program):
    """For each version the kinds of vector registers in its functions."""
    kinds, version = {v: set() for v in VERSIONS}, None
    for line in disassembled(program).split("\n"):
        head = re.match(r"[0-9a-f]+ <(.*)>:", line)
        if head:
            found = re.search(r"_(avx512|avx2|baseline)\b", head.group(1))
            version = found.group(1) if found else None
        elif version:
            kinds[version] |= set(re.findall(r"%([xyz]mm)", line))
    return kinds


SUMS = """
entry main (xs: []f64): f64 = f64.sum (map (\\x -> x * x + 1) xs)
entry exps (xs: []f64): []f64 = map f64.exp xs
"""
NUMBERS = "[1.0, 2.5, 3.75, 1e-3, 7.0, 11.0, 0.3, 0.7, 12.0]"


def check_code(raido, folder, cc):
    source = folder / "sums.fut"
    source.write_text(SUMS)
    for backend in ("c", "multicore"):
        program = compiled(raido, source, folder / f"sums_{backend}_{cc}", backend=backend, cc=cc)
        here = versions_of(program, "main", NUMBERS)
        if here[-1] != "baseline":
            wrong(f"{cc}, {backend}: versions {here}")
        for version, kinds in registers(program).items():
            if max(kinds, default="") != WIDEST[version]:                  # xmm < ymm < zmm
                wrong(f"{cc}, {backend}: {version} uses {kinds}")
        called = set(re.findall(rb"_ZGV([bde])N\d+v_exp\b", program.read_bytes()))
        if cc == "gcc" and "glibc" in platform.libc_ver()[0] and called != {b"b", b"d", b"e"}:
            wrong(f"{cc}, {backend}: vector functions of the kinds {called}")
    for options, cflags in ((["--cpu=native"], ""), (["--cpu=baseline"], ""), ([], "-march=x86-64-v3"), ([], "-O0")):
        kinds = registers(compiled(raido, source, folder / "one", *options, cc=cc, cflags=cflags))
        if not kinds["baseline"] or kinds["avx2"] or kinds["avx512"]:
            wrong(f"{cc}, {options} {cflags}: not one version: {kinds}")


PRODUCT = "entry main [n][m][k] (a: [n][m]f64) (b: [m][k]f64): [n][k]f64 = map (\\r -> map (\\c -> f64.sum (map2 (*) r c)) (transpose b)) a\n"


SEARCHES = """
entry main [n] [m] (edges: [n]f32) (xs: [m]f32): [m]i64 =
  map (\\x -> (loop (low, high) = (0, n) while low < high do
              let middle = (low + high) / 2
              in if edges[middle] < x then (middle + 1, high) else (low, middle)).0) xs
"""


def check_gathers(raido, folder, cc, best):
    """Lanes that search read elements at places of their own. GCC does so in no vector code unless it is told that gathers are worth it."""
    source = folder / "searches.fut"
    source.write_text(SEARCHES)
    whole = disassembled(compiled(raido, source, folder / f"searches_{cc}", cc=cc))
    native = disassembled(compiled(raido, source, folder / f"searches_{cc}", "--cpu=native", cc=cc))
    for what, text, version in (("avx2", whole, "avx2"), ("avx512", whole, "avx512"), *([] if best == "baseline" else [("the native one", native, "baseline")])):
        code = "".join(code for name, code in re.findall(r"^[0-9a-f]+ <(.*)>:\n((?:.+\n)+)", text, re.M) if "main" in name and f"_{version}" in name)
        if "vgather" not in code:
            wrong(f"{cc}: {what} of a search has no gathers")


def check_product(raido, folder, cc, best):
    """The sums of a tile stay in registers: few of the operations on vectors find one in the frame of the function. They fill the widest registers,
    also with --cpu=native, where C compilers prefer halves on many processors."""
    source = folder / "product.fut"
    source.write_text(PRODUCT)
    text, native = (disassembled(compiled(raido, source, folder / f"product_{cc}", *options, cc=cc)) for options in ([], ["--cpu=native"]))
    for what, text, version, width in (("avx2", text, "avx2", "ymm"), ("avx512", text, "avx512", "zmm"), ("the native one", native, "baseline", WIDEST[best])):
        fused = [line for name, code in re.findall(r"^[0-9a-f]+ <(.*)>:\n((?:.+\n)+)", text, re.M) if "main" in name and f"_{version}" in name
                 for line in code.split("\n") if re.search(r"\bvfmadd\d+pd\b", line)]
        spilled = sum(bool(re.search(r"\(%r[sb]p\)", line)) for line in fused)
        wide = sum(f"%{width}" in line for line in fused)
        if (not fused and width != "xmm") or 4 * spilled > len(fused) or 2 * wide < len(fused):
            wrong(f"{cc}: {what} of a product has {spilled} of {len(fused)} operations on the stack, {wide} in {width}")


ROWS = "entry main [n] (xs: [n][3]f32): [n][3]f32 = map (\\x -> replicate 3 (f32.sum x)) xs\n"


def check_rows(raido, folder, cc):
    """Short rows that are filled are no loops, so that the loop around them is one of vectors."""
    source = folder / "rows.fut"
    source.write_text(ROWS)
    text = disassembled(compiled(raido, source, folder / f"rows_{cc}", cc=cc))
    code = "".join(code for name, code in re.findall(r"^[0-9a-f]+ <(.*)>:\n((?:.+\n)+)", text, re.M) if "main" in name and "_avx2" in name)
    if not re.search(r"\bvaddps\b.*%ymm", code):
        wrong(f"{cc}: rows that are filled have no vectors")


def check_strict(raido, folder, cc, here):
    """The derivatives of the mixture, of a network and of a hand, in each version."""
    for name, sizes, entry in (("gmm", "5i64 6i64 70i64", "calculate_jacobian"), ("lstm", "2i64 20i64 5i64", "calculate_jacobian"),
                               ("hand", "54i64 10i64", "complicated_jacobian_of")):
        program = compiled(raido, HERE.parent / f"benchmarks/adbench/{name}.fut", folder / f"{name}_{cc}", "--fp-strict", cc=cc)
        run = lambda e, data, v: subprocess.run([program, "-b", "-e", e, "--cpu", v], input=data, capture_output=True, check=True).stdout
        data = run("inputs", sizes.encode(), "baseline")
        results = {v: run(entry, data, v) for v in here}
        for version, result in results.items():
            if result != results["baseline"] or len(result) < 100:
                wrong(f"{cc}: {name} --fp-strict differs between {version} and baseline")


def has_version(library, version):
    """Whether a context of the library can be told to use it."""
    code = (f"import ctypes; l = ctypes.CDLL({str(library)!r}); new = l.futhark_context_config_new; context = l.futhark_context_new; error = l.futhark_context_get_error;"
            "new.restype = context.restype = error.restype = ctypes.c_void_p; c = ctypes.c_void_p(new());"
            f"l.futhark_context_config_set_cpu(c, {version.encode()!r}); exit(error(ctypes.c_void_p(context(c))) is not None)")
    return subprocess.run([sys.executable, "-c", code]).returncode == 0


def check_library(raido, folder, here):
    """Other people's ways to compile the file."""
    source = folder / "sums.fut"
    (folder / "deep").mkdir()
    subprocess.run([raido, "c", "-w", "--library", source, "-o", folder / "deep/sums"], check=True)
    (folder / "deep/sums.c").rename(folder / "deep/renamed.c")
    strict = ["-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    for cc in filter(shutil.which, ("gcc", "clang", "clang-19")):
        for where, file in ((folder, "deep/renamed.c"), (folder / "deep", "renamed.c"), (folder, str(folder / "deep/renamed.c"))):
            subprocess.run([cc, *strict, "-c", file, "-o", folder / "sums.o"], cwd=where, check=True)
            if not all(f"_{v}".encode() in (folder / "sums.o").read_bytes() for v in VERSIONS):
                wrong(f"{cc} {file}: not all versions")
        for number in "123":
            subprocess.run([cc, *strict, "-fPIC", f"-DRAIDO_OBJECT={number}", "-c", "deep/renamed.c", "-o", f"{number}.o"], cwd=folder, check=True)
        subprocess.run([cc, "-shared", "1.o", "2.o", "3.o", "-o", "sums.so", "-lm", "-lpthread"], cwd=folder, check=True)
        missing = [v for v in here if not has_version(folder / "sums.so", v)]
        if missing or has_version(folder / "sums.so", "none"):
            wrong(f"{cc}: a library of three objects, without {missing}")
        subprocess.run([cc, *strict, "-x", "c", "-c", "-", "-o", folder / "sums.o"], stdin=open(folder / "deep/renamed.c"), check=True)
        (folder / "inside.c").write_text("struct theirs { int x; };\n" + (folder / "deep/renamed.c").read_text() + "struct mine { int x; };\n")
        subprocess.run([cc, *strict, "-c", "inside.c", "-o", "inside.o"], cwd=folder, check=True)
        if b"_avx2" in (folder / "inside.o").read_bytes():
            wrong(f"{cc}: versions of a text inside another file")
        for sanitizer in ("address", "thread", "undefined"):
            subprocess.run([cc, *strict, f"-fsanitize={sanitizer}", "-c", "deep/renamed.c", "-o", folder / "sums.o"], cwd=folder, check=True)


def main():
    raido, what = os.path.abspath(sys.argv[1]), sys.argv[2]
    if platform.machine() != "x86_64":
        print("no versions for this architecture")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / "first.fut"
        source.write_text(SUMS)
        here = versions_of(compiled(raido, source, folder / "first"), "main", NUMBERS)
        lacking = [v for v in VERSIONS if v not in here]
        if what == "versions":
            for cc in filter(shutil.which, ("gcc", "clang-19")):
                check_code(raido, folder, cc)
                check_product(raido, folder, cc, here[0])
                check_rows(raido, folder, cc)
                if cc == "gcc":
                    check_gathers(raido, folder, cc, here[0])
                check_strict(raido, folder, cc, here)
            check_library(raido, folder, here)
            print(f"versions that ran: {', '.join(here)}" + (f"; this processor lacks {', '.join(lacking)}" if lacking else ""))
            sys.exit(failures > 0)
    version, programs = sys.argv[3], sys.argv[4:]
    if version not in here:
        print(f"this processor lacks what {version} wants; it has {', '.join(here)}: these programs run as baseline")
        version = "baseline"
    # The instructions of the version without the two others, which saves two thirds of the time. Fused operations round once less.
    target, tolerance = {"baseline": ("", 1e-9), "avx2": ("-march=x86-64-v3", 1e-6), "avx512": ("-march=x86-64-v4 -mprefer-vector-width=512", 1e-6)}[version]
    sys.exit(subprocess.run([raido, "test", f"--tolerance={tolerance}", "--backend=c", "--pass-compiler-option=--cpu=baseline", *programs],
                            env=dict(os.environ, CFLAGS=target)).returncode)


main()
