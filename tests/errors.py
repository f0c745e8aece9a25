#!/usr/bin/env python3
"""Messages to users: each tests/errors/CODE*.fut holds a program and, after a line `-- expect`, what is printed for it.

usage: errors.py RAIDO [--update] [FILE...]    --update rewrites what is expected; review it as part of the diff.

Programs are checked. Those of warnings (K..) are accepted (exit code 0), all others refused (2); the code of the file's name is printed.
Programs of run-time errors (L..) are interpreted, compiled to C and run: both say the same and stop with 1.
A first line `-- with: ...` has settings, separated by `;`: command=c (instead of check), args=OPTION (repeatable), as=NAME (how the
file is called), input=VALUES."""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

MARK = "-- expect\n"


def call(command, folder, stdin=""):
    done = subprocess.run(command, cwd=folder, input=stdin, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr + done.stdout


def settings_of(text):
    line = re.match(r"-- with: (.*)\n", text)
    parts = [part.strip() for part in line.group(1).split(";")] if line else []
    return dict(p.split("=", 1) for p in parts if not p.startswith("args=")), [p[5:] for p in parts if p.startswith("args=")]


def run(raido, path, text):
    """What is wrong, and what was printed."""
    settings, args = settings_of(text)
    code = re.match(r"[A-Z]\d\d", path.name).group()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if code[0] == "L":
            (folder / path.name).write_text(text)
            status, output = call([raido, "run", "-w", path.name], folder, settings.get("input", ""))
            output = re.sub(r"^.*raido: Error", f"./{path.stem}: Error", output, flags=re.M)
            problems = [] if status == 1 else [f"the interpreter's exit code is {status}"]
            status, compiled = call([raido, "c", "-w", path.name], folder)
            status, compiled = call([f"./{path.stem}"], folder, settings.get("input", "")) if status == 0 else (0, compiled)
            if status != 1:
                problems.append(f"the compiled program's exit code is {status}")
            if compiled != output:
                if code != "L15":                # each reads its input in its own way
                    problems.append(f"the compiled program says:\n{compiled}")
                output += compiled
            return problems, output
        at = path.parent
        name = settings.get("as", path.name)
        if name != path.name or "command" in settings:
            at = folder
            (folder / name).write_text(text)
        status, output = call([raido, settings.get("command", "check"), *args, name], at)
    want = 0 if code[0] == "K" else 2
    problems = [] if status == want else [f"exit code {status}, expected {want}"]
    if f"[{code}]" not in output:
        problems.append(f"no message with code {code}")
    return problems, output


def main():
    args = [a for a in sys.argv[1:] if a != "--update"]
    update = "--update" in sys.argv
    raido = str(pathlib.Path(args[0]).resolve())
    here = pathlib.Path(__file__).resolve().parent / "errors"
    files = [pathlib.Path(a).resolve() for a in args[1:]] or sorted(here.glob("*.fut"))
    failed = 0

    def one(path):
        text = path.read_text()
        program, _, expected = text.partition(MARK)
        problems, output = run(raido, path, text)
        actual = "".join("--" + (" " + line if line else "") + "\n" for line in output.splitlines())
        if update:
            path.write_text(program + MARK + actual)
        elif actual != expected:
            problems.append("the messages differ:\n" + actual)
        return problems

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, problems in zip(files, pool.map(one, files)):
            if problems:
                failed += 1
                print(f"FAIL {path.name}: " + "; ".join(problems))
    print(f"{len(files) - failed} of {len(files)} message tests passed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
