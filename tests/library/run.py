#!/usr/bin/env python3
"""The C library of all.fut: its C test (all.c) with all warnings, under sanitizers; the header as C++; the manifest; and what happens when
the N-th request for memory fails, for every N.

    run.py RAIDO [--sanitize=address,undefined|thread] [--valgrind] [--faults] [--keep=FOLDER] [BACKEND...]

A backend that ends in `-emulated` runs its kernels on the CPU."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
VALUES = {"i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t",
          "u64": "uint64_t", "f16": "uint16_t", "f32": "float", "f64": "double", "bool": "bool"}


def round_trips(manifest):
    """Every function of every array of numbers."""
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
    return out, calls


EXTENT = 3                                       # of all arrays here, since one parameter is a [3]f64
SAME = """static void same_bytes(struct futhark_context *ctx, int (*store)(struct futhark_context *, const void *, void **, size_t *), const void *a, const void *b) {
  void *p = NULL, *q = NULL;
  size_t n = 0, m = 1;
  CHECK(store(ctx, a, NULL, &n) == 0 && store(ctx, a, &p, &m) == 0 && n == m);
  CHECK(store(ctx, b, &q, &m) == 0 && n == m && memcmp(p, q, n) == 0);
  free(p);
  free(q);
}
static int turn;
"""


class Opaques:
    """Every function of every other type: values are made of their parts, taken apart and put together, stored and restored. The bytes that are
    stored stay the same. Every entry point is called with such values, too."""
    def __init__(self, manifest):
        self.types, self.entries = manifest["types"], manifest["entry_points"]
        self.names = {name: f"t{k}" for k, name in enumerate(self.types)}
        self.out, self.calls = SAME, ""
        for name, t in self.types.items():
            self.out += f"static {self.c(name)}make_{self.names[name]}(struct futhark_context *ctx);\n"
            if t["kind"] == "opaque":
                self.out += f"static int store_{self.names[name]}(struct futhark_context *ctx, const void *a, void **p, size_t *n) {{ return {t['ops']['store']}(ctx, a, p, n); }}\n"
        for name, t in self.types.items():
            self.make(name, t)
            if t["kind"] == "opaque":
                self.trip(name, t)
            else:
                self.calls += f"  CHECK({t['ops']['free']}(ctx, {self.value(name)}) == 0);\n"
        for entry in self.entries.values():
            self.entry(entry)

    def c(self, name):
        return VALUES[name] + " " if name in VALUES else self.types[name]["ctype"]

    def value(self, name):
        return f"({VALUES[name]})(turn++ % 2)" if name in VALUES else f"make_{self.names[name]}(ctx)"

    def free(self, name, variable):
        return "" if name in VALUES else f"  CHECK({self.types[name]['ops']['free']}(ctx, {variable}) == 0);\n"

    def parts(self, prefix, types):
        """Declarations of values of these types, their names after a comma each, and the calls that free them."""
        names = [f"{prefix}{k}" for k in range(len(types))]
        return ("".join(f"  {self.c(t)}{n} = {self.value(t)};\n" for n, t in zip(names, types)), "".join(f", {n}" for n in names),
                "".join(self.free(t, n) for n, t in zip(names, types)))

    def empty(self, prefix, types):
        """The same for values that a call will give; with their addresses."""
        names = [f"{prefix}{k}" for k in range(len(types))]
        return ("".join(f"  {self.c(t)}{n} = 0;\n" for n, t in zip(names, types)), "".join(f", &{n}" for n in names), "".join(f", {n}" for n in names),
                "".join(self.free(t, n) for n, t in zip(names, types)))

    def make(self, name, t):
        body, dims = "", ", ".join([str(EXTENT)] * self.array(t).get("rank", 0))
        count = EXTENT ** self.array(t).get("rank", 0)
        if t["kind"] == "array":
            body = f"  {VALUES[t['elemtype']]} in[{count}];\n  for (int k = 0; k < {count}; k++) in[k] = {self.value(t['elemtype'])};\n  a = {t['ops']['new']}(ctx, in, {dims});\n"
        elif "record" in t or "sum" in t:
            parts, create = ([f["type"] for f in t["record"]["fields"]], t["record"]["new"]) if "record" in t else \
                            (t["sum"]["variants"][-1]["payload"], t["sum"]["variants"][-1]["construct"])
            begin, names, end = self.parts("p", parts)
            body = f"{begin}  CHECK({create}(ctx, &a{names}) == 0);\n{end}"
        else:
            element = self.array(t)["elemtype"]
            body = (f"  {self.c(element)}in[{count}];\n  for (int k = 0; k < {count}; k++) in[k] = {self.value(element)};\n"
                    f"  CHECK({self.array(t)['new']}(ctx, &a, in, {dims}) == 0);\n"
                    f"  for (int k = 0; k < {count}; k++) {self.free(element, 'in[k]').strip()}\n")
        self.out += f"static {t['ctype']}make_{self.names[name]}(struct futhark_context *ctx) {{\n  {t['ctype']}a = NULL;\n{body}  CHECK(a != NULL);\n  return a;\n}}\n"

    def array(self, t):
        return t if t["kind"] == "array" else t.get("record_array") or t.get("opaque_array") or {}

    def trip(self, name, t):
        me, ops, c = self.names[name], t["ops"], t["ctype"]
        self.out += (f"static void trip_{me}(struct futhark_context *ctx) {{\n  {c}a = make_{me}(ctx), *b = NULL;\n  void *p = NULL;\n  size_t n = 0;\n")
        self.calls += f"  trip_{me}(ctx);\n"

        def again(made):
            return f"  CHECK({made} == 0);\n  same_bytes(ctx, store_{me}, a, b);\n  CHECK({ops['free']}(ctx, b) == 0);\n"
        self.out += (f"  CHECK({ops['store']}(ctx, a, &p, &n) == 0);\n" + again(f"((b = {ops['restore']}(ctx, p)) == NULL)") +
                     f"  *(char *)p = 'x';\n  CHECK({ops['restore']}(ctx, p) == NULL);\n  free(p);\n  free(futhark_context_get_error(ctx));\n")
        if "record" in t:
            self.apart(t["record"]["fields"], t["record"]["new"], again)
        for k, v in enumerate(t.get("sum", {}).get("variants", [])):
            begin, names, end = self.parts("p", v["payload"])
            empty, places, values, done = self.empty("q", v["payload"])
            self.out += (f"  {{\n{begin}  CHECK({ops['free']}(ctx, a) == 0);\n  CHECK({v['construct']}(ctx, &a{names}) == 0 && {t['sum']['variant']}(ctx, a) == {k});\n{end}"
                         f"{empty}  CHECK({v['destruct']}(ctx{places}, a) == 0);\n" + again(f"{v['construct']}(ctx, &b{values})") + f"{done}  }}\n")
        if self.array(t):
            array, rank = self.array(t), self.array(t)["rank"]
            first, beyond, element = ", 0" * rank, f", {EXTENT}" + ", 0" * (rank - 1), array["elemtype"]
            self.out += (f"  {{\n  for (int k = 0; k < {rank}; k++) CHECK({array['shape']}(ctx, a)[k] == {EXTENT});\n  {self.c(element)}e = NULL;\n"
                         f"  CHECK({array['index']}(ctx, &e, a{first}) == 0 && {array['set']}(ctx, a, e{', 1' * rank}) == 0);\n"
                         f"  CHECK({array['set']}(ctx, a, e{beyond}) != 0);\n  CHECK_ERROR(\"Index out of bounds.\");\n{self.free(element, 'e')}"
                         f"  CHECK({array['index']}(ctx, &e, a{first}) == 0);\n  {self.c(element)}f = NULL;\n  CHECK({array['index']}(ctx, &f, a{', 1' * rank}) == 0);\n"
                         f"  same_bytes(ctx, store_{self.names[element]}, e, f);\n{self.free(element, 'e')}{self.free(element, 'f')}"
                         f"  CHECK({array['index']}(ctx, &f, a{beyond}) == 1);\n  CHECK_ERROR(\"Index out of bounds.\");\n  }}\n")
            if "fields" in array:
                self.apart(array["fields"], array["zip"], again)
        self.out += f"  CHECK({ops['free']}(ctx, a) == 0);\n}}\n"

    def apart(self, fields, create, again):
        empty, _, values, done = self.empty("f", [f["type"] for f in fields])
        self.out += f"  {{\n{empty}" + "".join(f"  CHECK({f['project']}(ctx, &f{k}, a) == 0);\n" for k, f in enumerate(fields))
        self.out += again(f"{create}(ctx, &b{values})") + f"{done}  }}\n"

    def entry(self, e):
        begin, names, end = self.parts("p", [i["type"] for i in e["inputs"]])
        made = "" if e["output"]["type"] in VALUES else f"  if (code == 0) {self.free(e['output']['type'], 'out').strip()}\n"
        self.out += (f"static void call_{e['cfun']}(struct futhark_context *ctx) {{\n{begin}  {self.c(e['output']['type'])}out = 0;\n"
                     f"  int code = {e['cfun']}(ctx, &out{names});\n  char *error = futhark_context_get_error(ctx);\n"
                     f"  CHECK((code == 0) == (error == NULL));\n  free(error);\n{made}{end}  (void)out;\n}}\n")
        self.calls += f"  call_{e['cfun']}(ctx);\n"


def generated(manifest):
    arrays, calls = round_trips(manifest)
    opaques = Opaques(manifest)
    return f"{arrays}{opaques.out}static void round_trips(struct futhark_context *ctx) {{\n{calls}{opaques.calls}}}\n"


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
    point = manifest["types"]["point"].get("doc")
    if point != "A point with a weight." or f"// {point}\n" not in header:
        return "no comment of a type in the manifest or the header"
    missing = [f for f in functions_of(manifest) if f"{f}(" not in header]
    if missing:
        return f"not in the header: {missing}"
    (folder / "round_trips.h").write_text(generated(manifest))
    tests = (folder / "round_trips.h").read_text() + (HERE / "all.c").read_text()
    missing = [f for f in re.findall(r"^[^/#].*?\b(futhark_\w+)\(", header, re.M) if f"{f}(" not in tests]
    if missing:
        return f"no test calls {missing}"
    (folder / "header.cc").write_text('#include "all.h"\n#include "all.h"\nint main() { return futhark_context_config_new() == nullptr; }\n')
    warnings = ["-std=gnu99"] if emulated else STRICT         # the emulator is GNU C
    sanitize = ["-g", "-O1", f"-fsanitize={options.sanitize}", "-fno-sanitize-recover=all"] if options.sanitize else ["-g", "-O0"] if options.valgrind else ["-O1"]
    libraries = ["-lm", "-lpthread"] + ["-ldl"] * (name in ("opencl", "cuda"))
    steps = [["gcc", *warnings, *sanitize, "-c", "all.c", "-o", "all.o"],
             ["gcc", *STRICT, "-D_GNU_SOURCE", *["-DRAIDO_EMULATED_TEST"] * emulated, *sanitize, "-I.", str(HERE / "all.c"), "all.o", "-o", "test", *libraries],
             ["g++", "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c", "header.cc", "-o", "header.o"],
             [*["valgrind", "-q", "--leak-check=full", "--error-exitcode=9", "--fair-sched=yes"] * options.valgrind, "./test"]]
    if not options.sanitize and not options.valgrind and not emulated:
        steps[1:1] = [["gcc", *STRICT, "-O3", "-c", "all.c", "-o", "all.o"], ["gcc", *STRICT, "-O0", "-c", "all.c", "-o", "all.o"]]
    for step in steps:
        code, text = run(step, cwd=folder)
        if code != 0 or (step[-1] != "./test" and text):
            return f"{' '.join(step)}: {code}\n{text[-6000:]}"
    return faults(name, folder, warnings, libraries) if options.faults and not emulated else ""


def faults(name, folder, warnings, libraries):
    """The program of faults.c with the N-th request failing, until one run needs fewer requests than that."""
    wrap = [f"-Wl,--wrap={f}" for f in ("malloc", "calloc", "realloc", "posix_memalign", "free", "dlsym")]
    code, text = run(["gcc", *warnings, "-g", "-O1", "-I.", "-D_GNU_SOURCE", str(HERE / "faults.c"), "all.c", "-o", "faults", *wrap, *libraries], cwd=folder)
    if code != 0:
        return text
    code, text = run(["./faults"], cwd=folder)
    if code == 0:
        print(f"{name}: {text.strip()}")
    return "" if code == 0 else f"faults: {code}\n{text[-3000:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("raido", type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("--sanitize", default="")
    parser.add_argument("--valgrind", action="store_true")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("backends", nargs="*")
    options = parser.parse_intermixed_args()
    if options.valgrind and not shutil.which("valgrind"):
        print("there is no valgrind: nothing was run")
        return 77
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
