"""Commands with a time limit, and the values they print: what the writers of random programs share."""
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
