#!/usr/bin/env python3
"""Peak memory of the gradients of the benchmark programs beside what it has to be, in bytes, exactly.

    benchmarks/memory.py [--raido build/release/raido] [--only gmm,tapeflow] [--write]

The interpreter counts it, after the passes of the CPU, at sizes that it can run. What has to be there at once is at most: what the
objective needs, the gradient, and the records of the loops, which `--explain-ad --table` gives as expressions over sizes. Adjoints
of intermediate arrays come on top; so a gradient with intermediate arrays may need twice what its objective does. --write puts the table
into results/memory.md.
"""
import argparse
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--raido", default=here.parent / "build/release/raido", type=pathlib.Path)
parser.add_argument("--only", default="", help="folders and programs to run (default: all)")
parser.add_argument("--write", action="store_true")
options = parser.parse_args()

ABOUT = """Bytes, counted by `benchmarks/memory.py --write`. `all` is the objective's peak, the gradient and the records: what has to be there. `not
known`: a size among them is computed by the program.

`gmm`, `hand` and `llsq` are above 1.5: up to 32 iterations of a map run side by side in vectors, each with arrays of its own. These have 4
MiB at most, which do not grow with the points. The result of `ba` is there twice, as rows and packed. `regression` and `ode` were not looked
into.
"""
usual = ("inputs", "calculate_objective", "calculate_jacobian")
programs = [                                             # as in run.py, in sizes for the interpreter
    ("adbench/gmm", usual, "6i64 5i64 40i64"), ("adbench/ba", usual, "5i64 40i64 100i64"), ("adbench/hand", usual, "40i64 10i64"),
    ("adbench/lstm", usual, "2i64 20i64 14i64"), ("sc22/kmeans", usual, "5i64 100i64 4i64"),
    ("sc22/kmeans_sparse", usual, "50i64 40i64 5i64 0.1"), ("sc22/lstm", usual, "4i64 5i64 6i64 7i64"),
    ("sc22/xsbench", usual, "100i64 20i64"), ("sc22/rsbench", usual, "10i64"), ("sc22/lbm", usual, "4i64 5i64"),
    ("lagrad/trmv", usual, "40i64"), ("lagrad/mlp", usual, "20i64 8i64 5i64 10i64"),
    ("lagrad/micro", ("vectors", "dot_objective", "dot_jacobian"), "200i64"),
    ("lagrad/micro", ("matrix_vector", "matvec_objective", "matvec_jacobian"), "30i64"),
    ("lagrad/micro", ("matrices", "matmul_objective", "matmul_jacobian"), "16i64"), ("tapeflow/gravity", usual, "16i64"),
    ("tapeflow/matdescent", usual, "20i64 20i64"), ("tapeflow/nn", usual, "5i64 20i64 4i64"),
    ("tapeflow/mttkrp", usual, "6i64 6i64 6i64 4i64"), ("tapeflow/somier", usual, "5i64 6i64"),
    ("tapeflow/pathfinder", usual, "20i64 30i64"), ("tapeflow/mass_spring", usual, "8i64 6i64 10i64"),
    ("tapeflow/taylorlog", usual, "1000i64"), ("tapeflow/fft", usual, "6i64"), ("tapeflow/brusselator", usual, "8i64 2.1"),
    ("loops/lorenz", usual, "300i64"), ("loops/kepler", usual, "100i64"), ("loops/vanderpol", usual, "1.0"),
    ("curvature/regression", usual, "20i64 6i64"), ("sparse/batax", usual, "50i64 0.1"), ("sparse/smmm", usual, "20i64 0.1"),
    ("sparse/smvm", usual, "50i64 0.1"), ("sparse/vectors", usual, "200i64"), ("gradbench/lse", usual, "200i64"),
    ("gradbench/llsq", usual, "8i64 40i64"), ("gradbench/det", usual, "4i64"), ("gradbench/ode", usual, "20i64 10i64"),
]
if options.only:
    chosen = set(options.only.split(","))
    programs = [p for p in programs if chosen & {p[0], *p[0].split("/")}]


def raido(words, text=""):
    run = subprocess.run([options.raido, *words], input=text, capture_output=True, text=True, timeout=300)
    return run.stdout if run.returncode == 0 else sys.exit(f"{words}: {run.stderr}")


def values_of(text):
    """One text for each value; arrays go over several lines."""
    values, depth = [], 0
    for line in text.splitlines():
        values += [line] if depth == 0 else []
        values[-1] += line if depth > 0 else ""
        depth += line.count("[") - line.count("]")
    return values


def shape(value):
    """The lengths along the first elements of `[[1.0f64, ..], ..]`."""
    if value.startswith("empty"):
        return [int(n) for n in re.findall(r"\[(\d+)", value)]
    depth, sizes = 0, []
    for mark in re.findall(r"[\[\],]", value):
        if mark == "[":
            depth += 1
            if len(sizes) < depth:
                sizes.append([1, False])
        elif mark == "]":
            depth -= 1
            if depth < len(sizes):
                sizes[depth][1] = True
        elif 0 < depth <= len(sizes) and not sizes[depth - 1][1]:
            sizes[depth - 1][0] += 1
    return [n for n, _ in sizes]


def names(path, entry, values):
    """The sizes of the program, by the names that its core has for them."""
    text = raido(["dev", "-w", "--pipeline", "cpu", "--dump-after=filters", "-q", path])
    function = re.search(rf'^entry "{entry}" (\S+)', text, re.M).group(1)
    header = re.search(rf"^fun {re.escape(function)} \\\((.*)\) {{$", text, re.M).group(1)
    known, left = {}, list(values)
    for name, dims, _ in re.findall(r"\*?([^\s:,(]+): ((?:\[[^\]]*\])*)(\w+)", header):
        if not dims and name in re.findall(r"\[([^\]]*)\]", header):
            continue                                     # a size, which comes with its array
        value = left.pop(0) if left else ""
        if dims:
            known.update(zip(re.findall(r"\[([^\]]*)\]", dims), shape(value)))
        elif re.fullmatch(r"-?\d+i64", value):
            known[name] = int(value[:-3])
    return {k: v for k, v in known.items() if k.isidentifier()}


def measure(program, entries, size):
    path = here / f"{program}.fut"
    inputs, objective, jacobian = entries
    text = raido(["run", "-w", "-e", inputs, path], size)
    peak = lambda entry: int(re.search(r"^peak +(\d+)", raido(["dev", "-w", "--pipeline", "cpu", f"--counters={entry}", path], text), re.M).group(1))
    result = raido(["run", "-w", "--pipeline", "cpu", "-e", jacobian, path], text)
    gradient = 8 * len(re.findall(r"[^\s\[\],]+", result))
    table = raido(["dev", "-w", "--pipeline", "cpu", f"--explain-ad={jacobian}", "--table", path])
    found = re.search(r"^All: (.*) bytes\.", table, re.M)
    records = found.group(1) if found else "0"
    try:
        bytes_of_records = eval(records.replace("/", "//"), {"max": max, "min": min}, names(path, jacobian, values_of(text))) if found else 0
    except (NameError, SyntaxError):
        bytes_of_records = None
    return [f"{program} {objective.removesuffix('_objective')}" if objective != "calculate_objective" else program, size.replace("i64", ""),
            peak(objective), gradient, records, bytes_of_records, peak(jacobian)]


lines = ["| program | sizes | objective | gradient | records | bytes of records | all | peak | peak / all |", "|---|---|---|---|---|---|---|---|---|"]
for program in programs:
    row = measure(*program)
    all_of_it = None if row[5] is None else row[2] + row[3] + row[5]
    show = lambda x: "not known" if x is None else str(x)
    lines.append("| " + " | ".join([row[0], row[1], str(row[2]), str(row[3]), row[4], show(row[5]), show(all_of_it), str(row[6]),
                                    "" if not all_of_it else f"{row[6] / all_of_it:.2f}"]) + " |")
    print(lines[-1], flush=True)
if options.write:
    (here / "results/memory.md").write_text(f"# Peak memory of gradients\n\n{ABOUT}\n" + "\n".join(lines) + "\n")
