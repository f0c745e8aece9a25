"""Commands with a time limit, the values they print, and the report of a search: what the writers of random programs share."""
import pathlib
import re
import subprocess


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
