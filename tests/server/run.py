#!/usr/bin/env python3
"""Replays the sessions of this folder with the servers that a backend makes.

    run.py RAIDO [--update] [--backends=c,opencl-emulated] [NAME...]     the sessions
    run.py RAIDO --soak=COUNT [--backends=..]                            COUNT commands, by chance; memory must not grow

A session (NAME.txt) is a program; lines `-- file NAME: TEXT` (\\n and \\xHH as in Python); then `-- session` and the lines of the
server. What is sent stands after `> `. Times and bytes are written N, what follows `errno: ` is left out, and `-- bytes NAME:` has
the hexadecimal digits of a file that the session wrote. With a line `-- only BACKEND,..`
the session is for these."""
import argparse
import codecs
import difflib
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def normal(text):
    text = re.sub(r"^runtime: \d+$", "runtime: N", text, flags=re.M)
    text = re.sub(r'"default space": \d+', '"default space": N', re.sub(r"\"space 'device'\": \d+, ", "", text))
    return re.sub(r"\(errno: .*\)$", "(errno: ..)", text, flags=re.M)


def build(raido, backend, folder, name, program):
    (folder / f"{name}.fut").write_text(program)
    command = [raido, backend.removesuffix("-emulated"), "-w", "--server", f"{name}.fut"] + ["--emulate"] * backend.endswith("-emulated")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.stderr if done.returncode != 0 else ""


def parse(text):
    program, _, session = text.partition("-- session\n")
    files = dict(re.findall(r"^-- file ([^:]+): (.*)$", program, re.M))
    program = re.sub(r"^-- file .*\n", "", program, flags=re.M)
    return program, files, session


def play(raido, backend, path):
    """What is wrong, and the session as it went."""
    program, files, session = parse(path.read_text())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        problem = build(raido, backend, folder, path.stem, program)
        if problem:
            return problem, session
        for name, text in files.items():
            (folder / name).write_bytes(codecs.escape_decode(text.encode())[0])
        sent = [line[2:] for line in session.splitlines() if line.startswith("> ")]
        run = subprocess.Popen([f"./{path.stem}"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        got, errors = run.communicate("".join(line + "\n" for line in sent), timeout=100)
        answers = re.findall(r".*?^%%% OK\n", got, re.M | re.S)
        went = answers[0] if answers else got
        for line, answer in zip(sent, answers[1:]):
            went += f"> {line}\n{answer}"
        for name, _ in re.findall(r"^-- bytes ([^:]+): (.*)$", session, re.M):
            went += f"-- bytes {name}: {(folder / name).read_bytes().hex(' ') if (folder / name).exists() else 'not there'}\n"
        went = normal(went)
        counts = r"(kernels|threads|copies|copied_bytes|reads|read_bytes|writes|written_bytes|allocations|allocated_bytes|atomics) \d+\n"
        errors = re.sub(counts, "", errors)
        if len(answers) != len(sent) + 1 or errors or run.returncode != 0:
            return f"{len(answers)} answers to {len(sent)} commands, exit code {run.returncode}, standard error: {errors}\n{went}", went
        return "\n".join(difflib.unified_diff(session.splitlines(), went.splitlines(), "expected", "got", lineterm="")), went


SOAK = """
type~ choice = #none | #one i64 | #many []i64
entry add (x: i64) (y: i64) : (i64, i64) = (x + y, x - y)
entry grow (x: i64) : []i64 = scan (+) 0 (replicate (i64.abs x % 50) x)
entry pairs (xs: []i64) : [](i64, f64) = map (\\x -> (x, f64.i64 x)) xs
entry choose (xs: []i64) : choice = if length xs < 10 then #many xs else #one xs[0]
entry use_up (xs: *[]i64) : *[]i64 = map (+ 1) xs
entry fail (xs: []i64) : i64 = let ys = scan (+) 1 xs in ys[length ys]
"""
COMMANDS = """restore two x i64 y i64|restore array xs []i64|call add p x y|call add s d x y|call grow g x|call pairs q xs|call choose c xs
call use_up u g|call fail z xs|project k p 0|free x y|free xs|free p|free g u|free s|free d k|free q|free c|store out xs|store out p q
index e xs 1|index f q 0|set xs x 0|new_array na []i64 2 x y|new_array nq [](i64, f64) 1 f|unzip q qa qb|zip zq [](i64, f64) qa qb|free qa qb zq
variant c|destruct c w|construct o choice one x|free w o|rename xs ys|rename ys xs|kind choice|types|fields (i64, i64)|shape xs|report|nonsense
restore nowhere a i64|restore two a []i64|restore array|call|clear|free e f na nq|new v (i64, i64) x y|free v|inputs add|"unclosed|  |tuning_params add
""".replace("\n", "|").strip("|").split("|")


def soak(raido, backend, count):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        problem = build(raido, backend, folder, "soak", SOAK)
        if problem:
            return problem
        (folder / "two").write_text("3 4")
        (folder / "array").write_text("[5, 6, 7]")
        run = subprocess.Popen(["./soak"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        parts = [count * k // 400 * 100 for k in (1, 2, 3, 4)]          # all quarters
        chance, sizes, done = random.Random(1), [], 0

        def until_ok(answers):
            while answers > 0:
                line = run.stdout.readline()
                if line == "":
                    raise EOFError
                answers -= line == "%%% OK\n"

        try:
            until_ok(1)
            while done < count:
                lines = [re.sub(r"(\(i64, (?:i64|f64)\)|\[\]\(i64, f64\))", r'"\1"', chance.choice(COMMANDS)) for _ in range(100)]
                run.stdin.write("\n".join(lines) + "\n")
                run.stdin.flush()
                until_ok(100)
                done += 100
                if done == 1000 or done in parts:
                    run.stdin.write("clear\n")
                    run.stdin.flush()
                    until_ok(1)
                    status = pathlib.Path(f"/proc/{run.pid}/status").read_text()
                    sizes.append(int(re.search(r"VmRSS:\s+(\d+)", status)[1]))
            run.stdin.close()
            code = run.wait(timeout=60)
        except (EOFError, BrokenPipeError):
            return f"the server ends after about {done} commands, exit code {run.wait()}"
        print(f"{backend}: {count} commands; resident after 1000 and after each quarter: {sizes} KiB")
        # A thread of the emulator that runs its first block late makes its stacks late, once. A leak grows in all quarters.
        late = 4096 if backend.endswith("-emulated") else 512
        grows = all(after > before + 128 for before, after in zip(sizes[1:], sizes[2:])) or sizes[-1] > sizes[0] + late
        return "" if code == 0 and not grows else f"memory grows: {sizes}, exit code {code}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("raido", type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--backends", default="c")
    parser.add_argument("--soak", type=int)
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    failures, runs = 0, 0
    paths = [HERE / f"{name}.txt" for name in options.names] or sorted(HERE.glob("*.txt"))
    for backend in options.backends.split(","):
        if options.soak:
            runs += 1
            problem = soak(options.raido, backend, options.soak)
            failures += problem != ""
            if problem:
                print(f"{backend}: {problem}")
            continue
        for path in paths:
            only = re.search(r"^-- only (.*)$", path.read_text(), re.M)
            if only and backend not in only[1].split(","):
                continue
            runs += 1
            problem, went = play(options.raido, backend, path)
            if problem and options.update:
                text = path.read_text()
                path.write_text(text[:text.index("-- session\n") + len("-- session\n")] + went)
            elif problem:
                failures += 1
                print(f"{backend}: {path.name}: {problem}")
    print(f"{runs - failures} of {runs} sessions as written")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
