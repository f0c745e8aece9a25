#!/usr/bin/env python3
"""Commands that are interrupted, and commands whose files may not become large: what they leave. A signal at any moment ends the command by
this signal. Each output is whole or not there, and no temporary folder and no child process is left. A file that the system cuts off is an error with a
message, and has not its final name. Into a closed pipe a command ends by SIGPIPE.

    tests/interrupted.py build/release/raido [--moments 8] [--seed 1]

The moments are spread over the time that the command needs undisturbed, with some chance."""
import argparse
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = """-- | Sums of powers.
-- ==
-- entry: powers
-- input { 3i64 2.0 } output { 7.0 }
entry powers (n: i64) (x: f64) : f64 = reduce (+) 0 (map (x **) (map f64.i64 (iota n)))
entry slope (n: i64) (x: f64) : f64 = vjp (powers n) x 1
"""
# A command, and the files that it makes.
COMMANDS = [
    ("c program.fut -o made", ["made"]),
    ("c --library program.fut -o made", ["made.c", "made.h", "made.json"]),
    ("multicore --server program.fut -o made", ["made"]),
    ("opencl program.fut -o made", ["made"]),
    ("python program.fut -o made", []),
    ("test --backend=c program.fut", []),
    ("test --interpret program.fut", []),
    ("bench --backend=c --no-convergence-phase --json=made program.fut", ["made"]),
    ("doc program.fut -o made", []),
    ("fmt program.fut", ["program.fut"]),
]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


class Place:
    """An empty folder with the program, and one for temporary files."""

    def __init__(self, raido, folder):
        self.raido, self.folder = raido, pathlib.Path(folder)
        self.work, self.temporary = self.folder / "work", self.folder / "temporary"
        for part in (self.work, self.temporary):
            part.mkdir()
        (self.work / "program.fut").write_text(PROGRAM)

    def start(self, command, **more):
        return subprocess.Popen([self.raido, *command.split()], cwd=self.work, env=os.environ | {"TMPDIR": str(self.temporary)}, stdin=subprocess.DEVNULL,
                                start_new_session=True, **more)

    def left(self, group):
        """What should not be there any more, a moment after the end."""
        for _ in range(60):
            here = [str(path) for path in self.temporary.iterdir()]
            try:
                os.killpg(group, 0)
                here.append(f"processes of group {group}")
            except ProcessLookupError:
                pass
            if not here:
                return []
            time.sleep(0.05)
        return here


def undisturbed(raido, command, files):
    """The seconds that the command needs, and the bytes of its files."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(raido, folder)
        begin = time.monotonic()
        process = place.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text, _ = process.communicate()
        seconds = time.monotonic() - begin
        if process.returncode != 0:
            sys.exit(f"{command}: exit {process.returncode}\n{text.decode()}")
        return seconds, {name: (place.work / name).read_bytes() for name in files}


def interrupt(raido, command, files, number, moment):
    with tempfile.TemporaryDirectory() as folder:
        place = Place(raido, folder)
        process = place.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(moment)
        os.killpg(process.pid, number)     # as terminals and `timeout` do; a process that has ended waits for us and is still there
        message = process.communicate()[1].decode()
        faults = [f"{path} is left" for path in place.left(process.pid)]
        if process.returncode not in (-number, 0):
            faults.append(f"exit {process.returncode}: {message}")
        for name, whole in files.items():
            path = place.work / name
            if path.exists() and process.returncode != 0 and not is_whole(path.read_bytes(), whole):
                faults.append(f"{name} has {len(path.read_bytes())} of {len(whole)} bytes")
        return faults


def is_whole(content, whole):
    """The program as it was, a file as long as one without interruption, or an object: how many times one holds is chance."""
    if len(content) == len(whole) or content == PROGRAM.encode():
        return True
    try:
        return isinstance(json.loads(content), dict)
    except ValueError:
        return False


def cut_off(raido, command, files, limit):
    """No file may have more than `limit` bytes."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(raido, folder)
        process = place.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, restore_signals=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        message = process.communicate()[0].decode(errors="replace")
        faults = [f"{path} is left" for path in place.left(process.pid)]
        if process.returncode not in (1, 2) or message == "":
            faults.append(f"exit {process.returncode}: {message}")
        for name, whole in files.items():
            path = place.work / name
            if path.exists() and len(path.read_bytes()) != len(whole):
                faults.append(f"{name} has {len(path.read_bytes())} of {len(whole)} bytes")
        return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("raido")
    parser.add_argument("--moments", type=int, default=8)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    raido, chance = os.path.abspath(options.raido), random.Random(options.seed)
    print(f"seed {options.seed}")
    count = failures = 0

    def expect(what, faults):
        nonlocal count, failures
        count += 1
        failures += bool(faults)
        for fault in faults:
            print(f"{what}: {fault}")

    for command, names in COMMANDS:
        seconds, files = undisturbed(raido, command, names)
        for k in range(options.moments):
            moment, number = seconds * (k + chance.random()) / options.moments, SIGNALS[k % len(SIGNALS)]
            expect(f"{command}, {number.name} after {moment:.3f} of {seconds:.3f} s", interrupt(raido, command, files, number, moment))
        for limit in (0, 100) if "made" in " ".join(names) and not command.startswith("bench") else ():
            expect(f"{command}, files of at most {limit} bytes", cut_off(raido, command, files, limit))
    for command in ("help", "eval 1", "dataset -g [100000]i32", "defs program.fut"):
        with tempfile.TemporaryDirectory() as folder:
            read, write = os.pipe()
            os.close(read)
            process = Place(raido, folder).start(command, stdout=write, stderr=subprocess.PIPE)
            os.close(write)
            message = process.communicate()[1].decode()
            expect(f"{command} into a closed pipe", [] if (process.returncode, message) == (-signal.SIGPIPE, "") else [f"exit {process.returncode}: {message}"])
    print(f"{failures} of {count} ends are not as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
