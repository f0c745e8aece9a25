#!/usr/bin/env python3
"""GPU tests and benchmarks on a machine with a CUDA device: conformance programs, the mixture model, benchmark programs at large sizes.

Every program is compiled with the cuda backend by the portable compiler and its results are compared with those of the
c backend; the mixture model is timed. The cases of tests/counters/cases.py are timed beside the time that the model predicts from their counts.
Where PyTorch is installed, which calls the vendor's libraries, they are timed beside that, too. What is not timed runs on all cores of the CPU.
Results go to a JSON file, and as tables to a file FILE.md beside it. Each part stops by itself after about eight minutes."""
import argparse
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(root / "tests/counters"))
from cases import CASES, LONG, data_of  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--raido", required=True, type=pathlib.Path)
parser.add_argument("--out", required=True, type=pathlib.Path)
parser.add_argument("--part", choices=("tests", "benchmarks", "all"), default="all")
parser.add_argument("--limit", type=float, default=420, help="so many seconds at most for tests")
parser.add_argument("--predict", type=float, default=180, help="so many seconds at most for predictions")
options = parser.parse_args()
deadline = time.monotonic() + options.limit
cores = os.cpu_count() or 1


def device_name():
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    count, device = ctypes.c_int(), ctypes.c_int()
    if cuda.cuInit(0) != 0 or cuda.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        return None
    name = ctypes.create_string_buffer(200)
    cuda.cuDeviceGet(ctypes.byref(device), 0)
    cuda.cuDeviceGetName(name, 200, device)
    return name.value.decode()


device = device_name()
if device is None:
    sys.exit("gpu: this machine has no CUDA device (libcuda.so.1 is missing or finds none); nothing was run")
if not options.raido.exists():
    sys.exit(f"gpu: {options.raido} is missing; build it on a machine with cmake: "
             "cmake --preset portable && cmake --build --preset portable")

results = {"device": device, "tests": [], "benchmarks": []}
failed = 0


def tests(folder):
    global failed
    programs = [p for p in sorted((root / "tests/conformance").glob("*.fut")) if "-- ==" in p.read_text()]
    programs.sort(key=lambda p: -p.stat().st_size)         # the longest first

    def one(program):
        if time.monotonic() > deadline - 45:
            return "not run: out of time"
        given = ["-p", "--nvrtc-option=--fmad=false", "-p", f"--cache-file={folder / program.stem}.cache"]     # as on other backends; compiled once
        run = subprocess.run([options.raido.resolve(), "test", "--backend=cuda", "--tolerance=1e-9", *given, program], capture_output=True, text=True, cwd=folder)
        return "passed" if run.returncode == 0 else (run.stdout + run.stderr)[-2000:]

    with ThreadPoolExecutor(cores) as pool:
        for program, result in zip(programs, pool.map(one, programs)):
            failed += result != "passed" and not result.startswith("not run")
            results["tests"].append({"program": program.name, "result": result})
    # The words of the vocabulary that no program above may use.
    build = subprocess.run(["gcc", "-std=c99", "-DRAIDO_ON_CUDA", f"-I{root}", root / "tests/runtime/kernels.c", "-o", folder / "kernels",
                            "-lm", "-ldl", "-lpthread"], capture_output=True, text=True)
    run = build if build.returncode else subprocess.run(
        [folder / "kernels", "all", *(root / name for name in
         ("backends/runtime/words_cuda.h", "backends/runtime/words.h", "tests/runtime/kernels.h"))], capture_output=True, text=True)
    failed += run.returncode != 0
    results["tests"].append({"program": "kernels.c", "result": "passed" if run.returncode == 0 else (run.stdout + run.stderr)[-2000:]})
    gmm = root / "benchmarks/adbench/gmm.fut"
    outputs = {}
    for backend in ("c", "cuda"):
        subprocess.run([options.raido.resolve(), backend, gmm, "-o", folder / f"gmm-{backend}"], check=True)
    for d, k, n in ((10, 25, 1000), (64, 25, 1000), (128, 25, 1000), (64, 200, 1000)):
        data = subprocess.run([folder / "gmm-c", "-b", "-e", "inputs"], input=f"{d}i64 {k}i64 {n}i64".encode(),
                              capture_output=True, check=True).stdout
        row = {"program": "gmm", "d": d, "k": k, "n": n}
        for entry in ("calculate_objective", "calculate_jacobian"):
            for backend in ("c", "cuda"):
                if time.monotonic() > deadline:
                    continue
                log = folder / "times"
                run = subprocess.run([folder / f"gmm-{backend}", "-e", entry, "-r", "5", "-t", log], input=data, capture_output=True)
                if run.returncode != 0:
                    row[f"{entry}_{backend}"] = run.stderr.decode()[-1000:]
                    failed += 1
                    continue
                row[f"{entry}_{backend}_ms"] = sorted(float(t) / 1000 for t in log.read_text().split())[2]
                outputs[entry, backend] = [float(x) for x in re.findall(rb"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?=f64)", run.stdout)]
            ours, judge = outputs.get((entry, "cuda"), []), outputs.get((entry, "c"), [])
            if len(ours) == len(judge) and judge:
                row[f"{entry}_error"] = max(abs(a - b) / max(1, abs(a) + abs(b)) for a, b in zip(ours, judge))
                failed += row[f"{entry}_error"] > 1e-9
        results["benchmarks"].append(row)


# What PyTorch has of its own for a case; None where it has nothing.
def library_calls():
    try:
        import torch
    except ImportError:
        return {}
    if not torch.cuda.is_available():
        return {}

    def array(*shape, dtype=torch.float64):
        return torch.rand(*shape, dtype=dtype, device="cuda")

    def product_of(case):                   # its operands are made at the first call, which is not timed
        def call():
            if not operands:
                for argument in case[2]:
                    rows, columns, kind = re.fullmatch(r"\[(\d+)\]\[(\d+)\](f\d+)", argument).groups()
                    operands.append(array(int(rows), int(columns), dtype=f32 if kind == "f32" else torch.float64))
            return operands[0] @ operands[1]
        operands = []
        return call

    n, f32 = 1 << 24, torch.float32
    a, b, c, d = array(n), array(n, dtype=f32), array(4096, 4096), array(4096, 4096, dtype=f32)
    v, bins = array(4096), torch.randint(0, 10, (1 << 22,), device="cuda")
    return {"sum": lambda: a.sum(), "sum_f32": lambda: b.sum(), "squares": lambda: a * a, "prefix_sums": lambda: a.cumsum(0),
            "sums_of_rows": lambda: c.sum(1), "transposed": lambda: c.t().contiguous(), "transposed_f32": lambda: d.t().contiguous(),
            "histogram_10": lambda: torch.bincount(bins, weights=a[:1 << 22], minlength=10), "filtered": lambda: a[:1 << 22][a[:1 << 22] > 0.5],
            "matvec": lambda: c @ v, "vecmat": lambda: v @ c, "matmul": lambda: c @ c,
            **{name: product_of(case) for name, case in CASES.items() if name.startswith("product_")}}


# Microseconds of the middle one of eleven calls.
def time_call(call):
    import torch
    times = []
    for _ in range(12):
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(1e6 * (time.perf_counter() - start))
    return sorted(times[1:])[5]


# What the model says of a case on this device; None if it does not know the device, or there is no time left.
def prediction(counts, executable, entry, data, until):
    model = next((m for word, m in (("H200", "h200"), ("H100", "h100"), ("A100", "a100"), ("4090", "rtx4090")) if word in device), None)
    if model is None:
        return None
    try:
        run = subprocess.run([executable, "-e", entry, "--sample", "16", "--counts-file", counts], input=data, capture_output=True,
                             timeout=max(1, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        return None
    if run.returncode != 0:
        return run.stderr.decode()[-1000:]
    text = subprocess.run([options.raido.resolve(), "dev", "--roofline", model, counts], capture_output=True, text=True).stdout
    return float(re.search(r"^all +([0-9.]+)", text, re.M).group(1))


def cached(executable):
    return [executable, "--cache-file", f"{executable}.cache"]


def benchmarks(folder):
    global failed
    library, start, predictions = library_calls(), time.monotonic(), []
    programs = sorted({program for program, *_ in CASES.values()})
    made = {program: [folder / f"{k}-{kind}" for kind in ("cuda", "emulated")] for k, program in enumerate(programs)}

    def compile_for(program):
        for executable, options_ in zip(made[program], ([], ["--emulate"])):
            subprocess.run([options.raido.resolve(), "cuda", "-w", *options_, root / program, "-o", executable], check=True)

    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(compile_for, programs))
        inputs = list(pool.map(lambda case: data_of(options.raido.resolve(), made[case[0]][1], case[2]), CASES.values()))
        first = {program: (entry, data) for (program, entry, *_), data in zip(reversed(CASES.values()), reversed(inputs))}
        # The first run of a program compiles its kernels.
        list(pool.map(lambda p: subprocess.run([*cached(made[p][0]), "-e", first[p][0], "-n"], input=first[p][1], capture_output=True), programs))
    for (name, (program, entry, arguments, _)), data in zip(CASES.items(), inputs):
        row = {"case": name, "program": program, "entry": entry}
        results["benchmarks"].append(row)
        if time.monotonic() > start + 300:
            row["result"] = "not run: out of time"
            continue
        executable, emulated = made[program]
        log = folder / "times"
        run = subprocess.run([*cached(executable), "-e", entry, "-n", "-r", "10", "-t", log], input=data, capture_output=True)
        if run.returncode != 0:
            failed += 1
            row["result"] = run.stderr.decode()[-1000:]
            continue
        row["measured_us"] = sorted(float(t) for t in log.read_text().split())[5]
        if name in library:
            row["library_us"] = time_call(library[name])
        print(name, *(f"{what} {row[what]:.0f}" for what in ("measured_us", "library_us") if what in row), flush=True)
        if name not in LONG:                               # minutes of the emulator; large.py --long --device predicts them anywhere
            predictions.append((row, emulated, data))
    until = time.monotonic() + options.predict
    with ThreadPoolExecutor(cores) as pool:                # the emulator, while nothing is timed
        values = pool.map(lambda p: prediction(folder / f"{p[0]['case']}.json", p[1], p[0]["entry"], p[2], until), predictions)
        for (row, *_), value in zip(predictions, values):
            row["predicted_us"] = value


with tempfile.TemporaryDirectory() as folder:
    if options.part != "benchmarks":
        tests(pathlib.Path(folder))
    if options.part != "tests":
        benchmarks(pathlib.Path(folder))


# A row for each benchmark: microseconds.
def tables():
    passed = sum(t["result"] == "passed" for t in results["tests"])
    out = f"{results['device']}: {passed} of {len(results['tests'])} test programs passed.\n"
    out += "".join(f"\n- {t['program']}: {t['result'].splitlines()[0]}" for t in results["tests"] if t["result"] != "passed") + "\n"
    text = lambda x: "" if x is None else x if isinstance(x, str) else f"{x:.0f}"
    cases = [b for b in results["benchmarks"] if "case" in b]
    if cases:
        out += "\n| case | measured, us | predicted, us | PyTorch, us |\n|---|--:|--:|--:|\n"
        out += "".join(f"| {b['case']} | {text(b.get('measured_us', b.get('result')))} | {text(b.get('predicted_us'))} | {text(b.get('library_us'))} |\n" for b in cases)
    gmm = [b for b in results["benchmarks"] if "case" not in b]
    if gmm:
        out += "\n| GMM d, k, n | objective: c, one core, us | cuda, us | gradient: c, us | cuda, us |\n|---|--:|--:|--:|--:|\n"
        kinds = [f"{entry}_{backend}_ms" for entry in ("calculate_objective", "calculate_jacobian") for backend in ("c", "cuda")]
        out += "".join(f"| {b['d']}, {b['k']}, {b['n']} | " + " | ".join(text(1000 * b[k] if k in b else None) for k in kinds) + " |\n" for b in gmm)
    return out


options.out.parent.mkdir(parents=True, exist_ok=True)
options.out.write_text(json.dumps(results, indent=1) + "\n")
options.out.with_suffix(".md").write_text(tables())
passed = sum(t["result"] == "passed" for t in results["tests"])
print(f"{device}: results in {options.out}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
