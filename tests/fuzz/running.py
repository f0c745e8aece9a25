"""Commands with a time limit, the values they print, and the search with its report: what the writers of random programs share."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

NO_COMPILER = str(pathlib.Path(__file__).resolve().parents[1] / "no_compiler")    # a CC for programs that nobody runs


def command(args, limit, given=''):
    """Exit code (124: the time limit), standard output and standard error."""
    try:
        p = subprocess.run(args, input=given.encode(), capture_output=True, timeout=limit)
        return p.returncode, p.stdout.decode(errors='replace'), p.stderr.decode(errors='replace')
    except subprocess.TimeoutExpired:
        return 124, '', 'timeout'


def values(text):
    return re.findall(r'-?\d[\d.]*(?:e[-+]?\d+)?(?:f16|f32|f64)|[-+\w.]+|[\[\]{}]', text)


def same(a, b):
    """Are the printed values the same, up to rounding?"""
    a, b = values(a), values(b)
    if len(a) != len(b):
        return False
    number = re.compile(r'^(-?[\d.]+(?:e[-+]?\d+)?)(f16|f32|f64)$')
    for x, y in zip(a, b):
        if x == y:
            continue
        m, n = number.match(x), number.match(y)
        if not m or not n or abs(float(m[1]) - float(n[1])) > 1e-4 * max(1.0, abs(float(m[1]))):
            return False
    return True


def difference(raido, path, given, runs):
    """What a command of `runs` prints for the input that the interpreter does not, with the program as it was written; empty if nothing."""
    status, expected, said = command([raido, "run", "-w", "--check-shapes", path], 120, given)
    if status:
        return f"run: {given}{said}"
    for run in runs:
        status, got, said = command(run, 120, given)
        if status or not same(expected, got):
            return f"{' '.join(run[1:])}: {given}{status} {got}{said}\nexpected: {expected}"
    return ""


def differs_after(raido, path, given, expected, pipelines):
    """What is wrong after the passes of a pipeline, empty if nothing is. `expected`: what `command` gave for the program as it was written."""
    status, output, said = expected
    for name in pipelines:
        failed, got, why = command([raido, "run", "-w", f"--pipeline={name}", path], 120, given)
        # What nobody uses need not fail. A check of the program says where; the interpreter's own does not.
        if (status == 0 and not same(output, got)) if failed == 0 else (status == 0 or "Backtrace" not in why):
            return f"{name}, {given}: {failed} {got}{why}\nexpected: {status} {output}{said}"
    return ""


def checked(raido, folder, text):
    """Writes a program into a folder of its own. Its path, a path for a binary, and what `check` says if it refuses the program, else nothing."""
    at = tempfile.mkdtemp(dir=folder)
    path = os.path.join(at, "p.fut")
    pathlib.Path(path).write_text(text)
    status, _, said = command([raido, "check", "-w", path], 60)
    return path, os.path.join(at, "p"), f"check: {said}" if status else ""


class AfterPasses:
    """Judges programs by what they give for some inputs as they were written, after the passes of pipelines, and, with --c, compiled."""
    inputs, pipelines, cflags, options = [], (), "-O1", []

    def __init__(self, options, folder):
        self.raido, self.c, self.folder, self.failures = options.raido, options.c, folder, 0

    def looked_at(self, path):
        """Is called with each program."""

    def wrong(self, seed, text):
        """None: not a program. Otherwise what is wrong with it, empty if nothing is."""
        path, binary, refused = checked(self.raido, self.folder, text)
        if refused:
            return refused if "Internal" in refused else None
        self.looked_at(path)
        status, _, said = command(["env", f"CFLAGS={self.cflags}" if self.c else f"CC={NO_COMPILER}", self.raido, "c", *self.options, "-w", path, "-o", binary], 300)
        if status:
            return f"c: {status} {said}"
        for given in self.inputs:
            expected = command([self.raido, "run", "-w", "--check-shapes", path], 120, given)
            self.failures += expected[0] != 0
            if said := differs_after(self.raido, path, given, expected, self.pipelines):
                return said
            # What nobody uses need not fail.
            got = command([binary], 120, given) if self.c else expected
            if expected[0] == 0 and (got[0] or not same(expected[1], got[1])):
                return f"c, {given}: {got}\nexpected: {expected}"
        return ""


def report(tried, out):
    """Prints what is wrong with each of `tried`, (seed, said, text): said is None of no program, empty of a right one. The texts
    of wrong ones go into the folder `out`, if there is one. How many were programs, and how many of them are wrong."""
    programs = findings = 0
    for seed, said, text in tried:
        programs += said is not None
        if said:
            findings += 1
            print(f"seed {seed}: {said}\n{text}", flush=True)
            if out:
                pathlib.Path(out).mkdir(parents=True, exist_ok=True)
                (pathlib.Path(out) / f"{seed}.fut").write_text(text)
    return programs, findings


def search(doc, program, judge, count, *flags):
    """The command line of a writer of programs: program(seed) is a text, judge(options, folder).wrong(seed, text) what is wrong with it (see
    report). `flags` are further options, each with its help. The options, the judge, how many were programs and how many of them are wrong."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raido", default="build/release/raido", type=os.path.abspath)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", help="a folder for what is found")
    parser.add_argument("--show", type=int, help="print the program of this seed")
    for flag, text in flags:
        parser.add_argument(flag, action="store_true", help=text)
    options = parser.parse_args()
    if options.show is not None:
        print(program(options.show))
        sys.exit(0)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        judged = judge(options, folder)

        def one(seed):
            text = program(seed)
            return seed, judged.wrong(seed, text), text

        programs, findings = report(pool.map(one, range(options.seed, options.seed + options.count)), options.out)
    return options, judged, programs, findings


def main(doc, program, judge, count, *flags):
    """`search`, and what it says at its end. The exit code: 1 if there is a finding, or if half of the texts are no programs."""
    options, judged, programs, findings = search(doc, program, judge, count, *flags)
    print(f"{programs} programs of {options.count}, {judged.failures} runs fail, {findings} findings")
    return 1 if findings or 2 * programs < options.count else 0
