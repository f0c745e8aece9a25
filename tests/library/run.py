#!/usr/bin/env python3
"""The C library of all.fut: its C test (all.c) with all warnings, under sanitizers; the header as C++; the manifest; and what happens when
the N-th request for memory fails, for every N.

    run.py RAIDO [--sanitize=address,undefined|thread] [--faults] [--keep=FOLDER] [BACKEND...]

A backend that ends in `-emulated` runs its kernels on the CPU."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
VALUES = {"i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t",
          "u64": "uint64_t", "f16": "uint16_t", "f32": "float", "f64": "double", "bool": "bool"}


def round_trips(manifest):
    """Every function of every array of numbers, and what all opaque types have."""
    out, calls = "", ""
    for name, t in manifest["types"].items():
        ops = t["ops"]
        if t["kind"] != "array":
            continue
        rank, c = t["rank"], VALUES[t["elemtype"]]
        extents = [2, 3, 4][:rank]
        n = 1
        for e in extents:
            n *= e
        dims, last = ", ".join(map(str, extents)), ", ".join(str(e - 1) for e in extents)
        calls += f"  trip_{ops['new']}(ctx);\n"
        out += f"""static void trip_{ops['new']}(struct futhark_context *ctx) {{
  {c} in[{n}], out[{n}], last = 0;
  for (int k = 0; k < {n}; k++) in[k] = ({c})(k % 2);
  {t['ctype']}a = {ops['new']}(ctx, in, {dims});
  CHECK(a != NULL && {ops['values']}(ctx, a, out) == 0 && futhark_context_sync(ctx) == 0 && memcmp(in, out, sizeof in) == 0);
  CHECK({ops['index']}(ctx, &last, a, {last}) == 0 && last == in[{n - 1}]);
  CHECK({ops['index']}(ctx, &last, a, {dims}) == 1);
  CHECK_ERROR("Index out of bounds.");
  const int64_t *shape = {ops['shape']}(ctx, a), wanted[] = {{{dims}}};
  CHECK(memcmp(shape, wanted, sizeof wanted) == 0);
  {t['ctype']}b = {ops['new_raw']}(ctx, {ops['values_raw']}(ctx, a), {dims});
  CHECK(b != NULL && {ops['values']}(ctx, b, out) == 0 && memcmp(in, out, sizeof in) == 0);
  CHECK({ops['free']}(ctx, b) == 0 && {ops['free']}(ctx, a) == 0);
}}
"""
    return out + "static void round_trips(struct futhark_context *ctx) {\n" + calls + "}\n"


def run(command, **settings):
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, **settings)
    return done.returncode, done.stdout + done.stderr


def functions_of(manifest):
    names = []
    def walk(x):
        if isinstance(x, str) and x.startswith("futhark_"):
            names.append(x)
        for y in x.values() if isinstance(x, dict) else x if isinstance(x, list) else []:
            walk(y)
    walk(manifest)
    return names


def check(options, backend, folder):
    name, emulated = backend.removesuffix("-emulated"), backend.endswith("-emulated")
    code, text = run([options.raido, name, "--library", "-w", str(HERE / "all.fut"), "-o", f"{folder}/all"] + ["--emulate"] * emulated)
    if code != 0 or text:
        return f"raido: {code}\n{text}"
    manifest = json.loads((folder / "all.json").read_text())
    header = (folder / "all.h").read_text()
    if manifest["backend"] != name or f"#define FUTHARK_BACKEND_{name}\n" not in header:
        return "another backend in the manifest or the header"
    missing = [f for f in functions_of(manifest) if f"{f}(" not in header]
    if missing:
        return f"not in the header: {missing}"
    (folder / "round_trips.h").write_text(round_trips(manifest))
    (folder / "header.cc").write_text('#include "all.h"\n#include "all.h"\nint main() { return futhark_context_config_new() == nullptr; }\n')
    warnings = ["-std=gnu99"] if emulated else STRICT         # the emulator is GNU C
    sanitize = ["-g", "-O1", f"-fsanitize={options.sanitize}", "-fno-sanitize-recover=all"] if options.sanitize else ["-O1"]
    libraries = ["-lm", "-lpthread"] + ["-ldl"] * (name in ("opencl", "cuda"))
    steps = [["gcc", *warnings, *sanitize, "-c", "all.c", "-o", "all.o"],
             ["gcc", *STRICT, "-D_GNU_SOURCE", *sanitize, "-I.", str(HERE / "all.c"), "all.o", "-o", "test", *libraries],
             ["g++", "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c", "header.cc", "-o", "header.o"],
             ["./test"]]
    if not options.sanitize and not emulated:
        steps[1:1] = [["gcc", *STRICT, "-O3", "-c", "all.c", "-o", "all.o"], ["gcc", *STRICT, "-O0", "-c", "all.c", "-o", "all.o"]]
    for step in steps:
        code, text = run(step, cwd=folder)
        if code != 0 or (step != ["./test"] and text):
            return f"{' '.join(step)}: {code}\n{text[-6000:]}"
    return faults(name, folder, warnings, libraries) if options.faults and not emulated else ""


def faults(name, folder, warnings, libraries):
    """The program of faults.c with the N-th request failing, until one run needs fewer requests than that."""
    wrap = [f"-Wl,--wrap={f}" for f in ("malloc", "calloc", "realloc", "posix_memalign", "free", "dlsym")]
    code, text = run(["gcc", *warnings, "-g", "-O1", "-I.", "-D_GNU_SOURCE", str(HERE / "faults.c"), "all.c", "-o", "faults", *wrap, *libraries], cwd=folder)
    if code != 0:
        return text
    code, text = run(["./faults"], cwd=folder)
    return "" if code == 0 else f"faults: {code}\n{text[-3000:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("raido", type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("--sanitize", default="")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("backends", nargs="*")
    options = parser.parse_intermixed_args()
    failures = 0
    for backend in options.backends or ["c"]:
        with tempfile.TemporaryDirectory() as temporary:
            folder = options.keep or pathlib.Path(temporary)
            folder.mkdir(exist_ok=True)
            problem = check(options, backend, folder)
        failures += problem != ""
        print(f"{backend}: {problem or 'ok'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
