#!/usr/bin/env python3
"""`raido bench` against a server whose times are known: this script is also the compiler and the server.

    tests/bench.py build/release/raido [COMPILER]

Programs that are really compiled, by COMPILER or this raido, come last.

A program says in comments how its server behaves: `-- runtimes ENTRY 10 11 12` (microseconds of its runs, over and over),
`-- inputs ENTRY i64`, `-- fails ENTRY`, `-- dies ENTRY`, `-- hangs ENTRY`; `-- param NAME CLASS BEST DEFAULT`, and `-- spoils NAME VALUE`: with
this value results are wrong; `-- compares NAME VALUE..`: what it logs. The result of a call is its argument."""
import json
import math
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from checking import expect, end

ME = pathlib.Path(__file__).resolve()


def compile_program(args):
    """BACKEND --server -w PROGRAM -o EXECUTABLE .."""
    program, out = args[3], pathlib.Path(args[5])
    if "error" in pathlib.Path(program).read_text().splitlines()[0]:
        print("Error at x.fut:1:1-5:\nno such thing", file=sys.stderr)
        sys.exit(2)
    out.write_text(f"#!/bin/sh\nexec {sys.executable} {ME} --serve {pathlib.Path(program).resolve()} \"$@\"\n")
    out.chmod(out.stat().st_mode | stat.S_IEXEC)


def serve(program, options):
    facts = re.findall(r"^-- (runtimes|inputs|fails|dies|hangs|greets|param|compares|spoils) ([\w.]+) ?(.*)$", pathlib.Path(program).read_text(), re.M)
    fact = {(kind, entry): rest.split() for kind, entry, rest in facts}
    values, runs = {}, {}
    if "--print-params" in options:
        for (kind, name), rest in fact.items():
            if kind == "param":
                print(f"{name} ({rest[0]})")
        return
    given = dict(o.split("=") for o in options if "=" in o)

    def factor():
        """How much longer a run takes: twice for each factor of two from the best value."""
        slow = 1
        for (kind, name), rest in fact.items():
            if kind == "param":
                slow *= 2 ** abs(math.log2(float(given.get(name, rest[2])) / float(rest[1])))
        return slow

    def reply(*lines, failure=None):
        for line in lines:
            print(line)
        if failure is not None:
            print("%%% FAILURE\n" + failure)
        print("%%% OK", flush=True)

    if ("greets", "badly") in fact:
        sys.exit("no device\n")
    reply()
    for line in sys.stdin:
        words = re.findall(r'"([^"]*)"|(\S+)', line)
        words = [a or b for a, b in words]
        command, rest = words[0], words[1:]
        entry = rest[0] if rest else ""
        if command == "inputs":
            if ("inputs", entry) in fact:
                reply(*fact["inputs", entry])
            else:
                reply(failure=f"Unknown entry point: {entry}")
        elif command == "restore":
            values[rest[1]] = pathlib.Path(rest[0]).read_bytes()
            reply()
        elif command == "call":
            if ("dies", entry) in fact:
                print("out of luck", file=sys.stderr)
                sys.exit(3)
            if ("hangs", entry) in fact:
                time.sleep(60)
            missing = [name for name in rest[2:] if name not in values]
            if missing or rest[1] in values:
                reply(failure=f"Unknown variable: {missing}" if missing else f"Variable already exists: {rest[1]}")
                continue
            times = fact["runtimes", entry]
            n = runs[entry] = runs.get(entry, -1) + 1
            if ("fails", entry) in fact and n >= int(fact["fails", entry][0]):
                reply(f"runtime: {times[0]}", failure="Error: too much\n")
                continue
            values[rest[1]] = values[rest[2]]
            if fact["inputs", entry][0].startswith("*"):
                values[rest[2]] = None
            log = [f"Logged {entry}"] if "--log" in options else []
            log += [f"Compared {name} <= {value}: true." for (kind, name), those in fact.items() if kind == "compares" for value in those]
            if any(kind == "spoils" and given.get(name) in those for (kind, name), those in fact.items()):
                values[rest[1]] = values[rest[1]][:-1] + b"\x77"
            reply(*log, f"runtime: {int(int(times[n % len(times)]) * factor())}")
        elif command == "free":
            for name in rest:
                del values[name]
            reply()
        elif command == "clear":
            values.clear()
            reply()
        elif command == "type":
            reply("i64")
        elif command == "store":
            pathlib.Path(rest[0]).write_bytes(b"".join(values[name] for name in rest[1:]))
            reply()
        elif command == "report":
            reply('{"memory": {"default space": 4000}, "events": []}')
        elif command.endswith("pause_profiling"):
            reply()
        else:
            reply(failure=f"Unknown command: {command}")


EVEN = """-- Even times.
-- inputs main i64
-- runtimes main 10
-- inputs other *i64
-- runtimes other 1000 1100

-- ==
-- entry: main other
-- input { 1i64 } output { 1i64 }
-- "wrong" input { 2i64 } output { 3i64 }
-- nobench input { 4i64 }
-- mine input { 5i64 }
-- "bad" input { 6i64 } error: x
-- "types" input { 6i32 }

-- ==
-- entry: main
-- "random" random input { i64 } auto output
"""
FAULTS = """-- Faults.
-- inputs fails i64
-- runtimes fails 5
-- fails fails 3
-- inputs dies i64
-- dies dies
-- inputs hangs i64
-- hangs hangs
-- inputs main i64
-- runtimes main 7

-- ==
-- entry: fails dies hangs nope main
-- input { 1i64 } output { 1i64 }
"""
UNEVEN = """-- Uneven.
-- inputs main i64
-- runtimes main 1000 1000 1000 9000

-- ==
-- input { 1i64 }
"""
TUNED = """-- Parameters.
-- inputs main i64
-- runtimes main 1000
-- param block thread_block_size 128 1024
-- param main.outer threshold(def,) 4096 32768
-- compares main.outer 100 4096 70000
-- param mine custom 16 4
-- spoils mine 16
-- param cache cache 1 1

-- ==
-- input { 1i64 } output { 1i64 }
-- notune input { 2i64 } output { 3i64 }
"""

REAL = """-- Values of all kinds.
-- ==
-- entry: main
-- random input { [1000]f64 } auto output
-- "script" script input { twice [1.0, 2.0] } output { 6.0 }

-- ==
-- entry: state
-- script input { start 3i64 } output { 3i64 [0i64, 1i64, 2i64] }
-- "later" script input { let s = start 2i64 in s } output { 2i64 [0i64, 1i64] }

-- ==
-- entry: update
-- input { [1i32, 2i32] } output { [9i32, 2i32] }

-- ==
-- entry: fails
-- input { 4i64 }

type~ t = {count: i64, values: []i64}
entry main (xs: []f64) : f64 = f64.sum xs
entry twice (xs: []f64) : []f64 = map (* 2) xs
entry start (n: i64) : t = {count = n, values = iota n}
entry state (s: t) : (i64, []i64) = (s.count, s.values)
entry update (xs: *[]i32) : *[]i32 = xs with [0] = 9
entry fails (n: i64) : i64 = (iota n)[n]
"""


def really(raido, compiler):
    """The same with servers of our own."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "real.fut"
        program.write_text(REAL)
        for backend in ["c", "multicore"]:
            done = subprocess.run([raido, "bench", "--futhark", compiler, "--backend", backend, "--no-convergence-phase", "--json", "out.json", "real.fut"],
                                  cwd=folder, capture_output=True, text=True, timeout=100)
            results = json.loads((pathlib.Path(folder) / "out.json").read_text())
            if "not supported" in str(results):
                print("bench: this compiler makes no servers")
                return
            measured = {name: {title: bool(d["runtimes"]) and "default space" in d["bytes"] if isinstance(d, dict) else d.splitlines()[0] for title, d in p["datasets"].items()}
                        for name, p in results.items()}
            expect(f"real, {backend}", (done.returncode, measured),
                   (1, {"real.fut": {"[1000]f64": True, "script": True}, "real.fut:state": {"start 3i64": True, "later": True}, "real.fut:update": {'#0 ("[1i32, 2i32]")': True},
                        "real.fut:fails": {'#0 ("4i64")': "Error: Index [4] out of bounds for array of shape [4]."}}))


def main(raido, compiler):
    with tempfile.TemporaryDirectory() as folder:
        def bench(*args):
            done = subprocess.run([raido, "bench", "--futhark", ME, *args], cwd=folder, capture_output=True, text=True, timeout=100)
            try:
                results = json.loads((pathlib.Path(folder) / "out.json").read_text())
                os.remove(pathlib.Path(folder) / "out.json")
            except FileNotFoundError:
                results = None
            return done.returncode, done.stdout, done.stderr, results

        def write(name, text):
            (pathlib.Path(folder) / name).write_text(text)

        quick = ["--no-convergence-phase", "-r", "4", "--json", "out.json"]
        write("even.fut", EVEN)
        code, out, err, results = bench("even.fut", *quick, "--exclude-case", "mine", "--memory", "--concurrency", "1")
        expect("exit", (code, err), (1, ""))
        lines = [re.sub(r"(1050μs).*\]\)", r"\1", line) for line in out.splitlines()]
        expect("output", lines, [
            "Mean of at least 4 runs and 0.5 s of each data set.",
            "",
            "even.fut (no tuning file):",
            '#0 ("1i64"):                10μs (95% CI: [      10.0,       10.0])  4.0 kB@default space',
            "wrong:                ",
            "Value #0: expected 3, got 2",
            "types:                ",
            "Expected input of types: i64",
            "Provided input of types: i32",
            "random:                     10μs (95% CI: [      10.0,       10.0])  4.0 kB@default space",
            "",
            "even.fut:other (no tuning file):",
            '#0 ("1i64"):              1050μs  4.0 kB@default space',
            "wrong:                ",
            "Value #0: expected 3, got 2",
            "types:                ",
            "Expected input of types: i64",
            "Provided input of types: i32",
        ])
        expect("programs", sorted(results), ["even.fut", "even.fut:other"])
        expect("data sets", sorted(results["even.fut"]["datasets"]), ['#0 ("1i64")', "random", "types", "wrong"])
        expect("failure", results["even.fut"]["datasets"]["wrong"], "Value #0: expected 3, got 2")
        first = results["even.fut"]["datasets"]['#0 ("1i64")']
        expect("runtimes", (set(first["runtimes"]), len(first["runtimes"]) >= 4, first["bytes"]), ({10}, True, {"default space": 4000}))

        # Half a second at least, and then the log and the report of a profiled run.
        code, out, err, results = bench("even.fut", *quick, "-e", "other", "-P", "--exclude-case", "mine", "--exclude-case", "wrong")
        profiled = results["even.fut:other"]["datasets"]['#0 ("1i64")']
        expect("profile", (profiled["stderr"], profiled["profiling"]["memory"]), ("Logged other", {"default space": 4000}))

        # A picture beside earlier results.
        write("old.json", json.dumps({"even.fut": {"datasets": {'#0 ("1i64")': {"runtimes": [100, 101]}, "gone": {"runtimes": [1]}}}}))
        bench("even.fut", *quick, "-e", "main", "--plot", "times.svg", "--against", "old.json")
        picture = xml.etree.ElementTree.parse(pathlib.Path(folder) / "times.svg").getroot()
        texts = [e.text for e in picture.iter("{http://www.w3.org/2000/svg}text")]
        expect("picture", texts, ["old.json", "now", "1 µs", "10 µs", "100 µs", "1 ms", 'even.fut #0 ("1i64")', "100 µs", "10 µs",
                                  'even.fut #3 ("5i64")', "10 µs", "even.fut random", "10 µs"])
        code, out, err, _ = bench("even.fut", "--plot", "times.svg", "--against", "nothing.json")
        expect("no earlier results", (code, err), (1, "nothing.json: No such file or directory\n"))

        # A fault ends its data set; the next one gets a new server.
        write("faults.fut", FAULTS)
        code, out, err, results = bench("faults.fut", *quick, "--timeout", "1")
        expect("faults", {name: results[name]["datasets"]['#0 ("1i64")'] for name in results if name != "faults.fut"}, {
            "faults.fut:fails": "Error: too much", "faults.fut:dies": "out of luck", "faults.fut:hangs": "No end after 1 s.",
            "faults.fut:nope": "Unknown entry point: nope"})
        expect("after faults", set(results["faults.fut"]["datasets"]['#0 ("1i64")']["runtimes"]), {7})

        # Uneven runs are measured until the time is over.
        write("uneven.fut", UNEVEN)
        write("uneven.fut.tuning", "x=1\n")
        code, out, err, results = bench("uneven.fut", "--json", "out.json", "--convergence-max-seconds", "1")
        expect("uneven", (code, out.splitlines()[0], out.splitlines()[2]),
               (0, "Mean of at least 10 runs and 0.5 s of each data set; more, for at most 1 s, until it is certain.",
                "uneven.fut (using uneven.fut.tuning):"))
        runs = results["uneven.fut"]["datasets"]['#0 ("1i64")']["runtimes"]
        expect("mean", abs(sum(runs) / len(runs) - 3000) < 300, True)

        # What does not compile, start or exist.
        write("broken.fut", "-- error\n-- ==\n-- input { 1i64 }\n")
        write("dead.fut", "-- greets badly\n\n-- ==\n-- input { 1i64 }\n")
        write("none.fut", "def main (x: i64) = x\n")
        code, out, err, results = bench("broken.fut", "dead.fut", "none.fut", *quick)
        expect("broken", (code, results["broken.fut"], results["dead.fut"]["datasets"]['#0 ("1i64")'], len(results)),
               (1, "Error at x.fut:1:1-5:\nno such thing", "no device", 2))
        code, out, err, results = bench(".", *quick, "--ignore-files", "broken|dead|faults|even")
        expect("ignored", (code, results), (0, {}))

        # Compiled before; test blocks from elsewhere; on a terminal.
        write("blocks", "-- ==\n-- \"mine\" input { 3i64 } output { 3i64 }\n")
        code, out, err, results = bench("even.fut", *quick, "--skip-compilation", "--spec-file", "blocks")
        expect("spec file", (code, list(results["even.fut"]["datasets"])), (0, ["mine"]))
        os.remove(pathlib.Path(folder) / "even")
        code, out, err, results = bench("even.fut", *quick, "--skip-compilation", "--spec-file", "blocks")
        expect("not compiled", results["even.fut"]["datasets"]["mine"], "./even: No such file or directory")
        command = f"{raido} bench --futhark {ME} even.fut --no-convergence-phase --spec-file blocks"
        out = subprocess.run(["script", "-qec", command, "/dev/null"], cwd=folder, capture_output=True, timeout=100).stdout.decode()
        expect("bar", bool(re.search(r"\r\033\[Kmine: +\[=+ *\] \d+ runs, 1 s left", out)), True)

        # Parameters: the best of their class, except where the result is wrong.
        write("tuned.fut", TUNED)
        def tune(*args):
            done = subprocess.run([raido, "autotune", "--futhark", ME, "--backend", "opencl", "-r", "2", *args], cwd=folder, capture_output=True, text=True, timeout=100)
            return done.returncode, done.stdout.splitlines(), done.stderr
        code, out, err = tune("tuned.fut")
        expect("autotune", (code, out[0], out[-1], err), (0, "Tuning 3 parameters of tuned.fut by 1 data sets.", "tuned.fut takes 0.01 of the time with tuned.fut.tuning.", ""))
        expect("tuning file", (pathlib.Path(folder) / "tuned.fut.tuning").read_text().splitlines(),
               ["-- Made by raido autotune --backend=opencl.", "block=128", "main.outer=4096", "mine=8"])
        write("tuned.fut", TUNED.replace("output { 1i64 }", ""))
        expect("without results", tune("tuned.fut", "--tuning", "other")[1][0], "Tuning 2 parameters of tuned.fut by 1 data sets.")
        write("plain.fut", EVEN)
        expect("no parameters", tune("plain.fut"), (0, ["plain.fut has no parameters that can be tuned."], ""))
        expect("broken", tune("broken.fut"), (1, [], "broken.fut: Error at x.fut:1:1-5:\nno such thing\n"))
        expect("nothing to tune", tune("none.fut"), (1, [], "none.fut: there is no case to tune by\n"))

        # Wrong command lines.
        code, out, err, _ = bench("even.fut", "-P")
        expect("profile without file", (code, err), (1, f"{raido}: --profile needs --json=FILE for what it collects\n"))
        code, out, err, _ = bench("even.fut", "--timeout", "x")
        expect("timeout", (code, err), (2, "raido: 'x' is not an integer.\n"))
        code, out, err, _ = bench("even.fut", "--ignore-files", "(")
        expect("pattern", (code, err.startswith(f"{raido}: `(` is not a regular expression: ")), (2, True))
    really(raido, compiler)
    return end("bench")


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2], sys.argv[3:])
    elif "--server" in sys.argv:
        compile_program(sys.argv[1:])
    else:
        paths = [str(pathlib.Path(path).resolve()) for path in sys.argv[1:]]
        sys.exit(main(paths[0], paths[-1]))
