#!/usr/bin/env python3
"""Compiles faithful.fut with two backends, runs both on the data, prints what they found and draws the picture."""
import argparse
import csv
import math
import pathlib
import re
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--raido", required=True, type=pathlib.Path)
parser.add_argument("--out", required=True, type=pathlib.Path)
parser.add_argument("--backends", default="multicore,opencl")
options = parser.parse_args()

with open(here / "faithful.csv") as file:
    rows = [(float(r["eruptions"]), float(r["waiting"])) for r in csv.DictReader(file)]
data = "[" + ", ".join(f"[{x!r}, {y!r}]" for x, y in rows) + "]"


def numbers(line):
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?=[fi]\d\d)", line)]


def fit(backend):
    program = options.out / f"faithful-{backend}"
    start = time.monotonic()
    subprocess.run([options.raido, backend, here / "faithful.fut", "-o", program], check=True)
    compiled = time.monotonic()
    run = subprocess.run([program, "-e", "fit"], input=data, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{program}: {run.stderr}")
    done = time.monotonic()
    lines = [numbers(line) for line in run.stdout.splitlines()]
    print(f"\n{backend}: compiled in {compiled - start:.2f} s, fitted in {done - compiled:.2f} s, {int(lines[4][0])} steps")
    print(f"  log-likelihood  {lines[0][0]:.4f}")
    print(f"  weights         {lines[1][0]:.5f} {lines[1][1]:.5f}")
    print("  means           " + "  ".join(f"({lines[2][2 * k]:.5f}, {lines[2][2 * k + 1]:.4f})" for k in (0, 1)))
    print("  covariances     " + "  ".join("({:.5f}, {:.5f}; {:.4f})".format(*lines[3][3 * k:3 * k + 3]) for k in (0, 1)))
    print(f"  largest difference between gradient and finite differences: {lines[5][0]:.1e}")
    return lines


def picture(lines, path):
    _, _, means, covariances, _, _, first = lines
    x0, x1, y0, y1 = 1.2, 5.5, 38, 100
    place = lambda x, y: ((x - x0) / (x1 - x0) * 600 + 50, 430 - (y - y0) / (y1 - y0) * 400)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 480" font-family="sans-serif" font-size="13">',
           '<rect width="680" height="480" fill="white"/>',
           '<text x="340" y="470" text-anchor="middle">duration (minutes)</text>',
           '<text transform="translate(18 230) rotate(-90)" text-anchor="middle">waiting time (minutes)</text>']
    for tick in range(2, 6):
        x, y = place(tick, y0)
        out.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">{tick}</text>')
    for tick in range(40, 101, 20):
        x, y = place(x0, tick)
        out.append(f'<text x="{x - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{tick}</text>')
    for (px, py), w in zip(rows, first):
        x, y = place(px, py)
        red, blue = round(200 * w) + 20, round(200 * (1 - w)) + 20
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="rgb({red},60,{blue})" fill-opacity="0.7"/>')
    for k in (0, 1):
        (mx, my), (a, b, c) = means[2 * k:2 * k + 2], covariances[3 * k:3 * k + 3]
        l00 = math.sqrt(a)                                   # points at one and two standard deviations: m + r L (cos, sin)
        l10, l11 = b / l00, math.sqrt(c - b * b / a)
        for r in (1, 2):
            ring = [place(mx + r * l00 * math.cos(t), my + r * (l10 * math.cos(t) + l11 * math.sin(t)))
                    for t in (2 * math.pi * i / 90 for i in range(91))]
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in ring)
            out.append(f'<polyline points="{points}" fill="none" stroke="black" stroke-width="{1.6 / r:.1f}"/>')
    out.append("</svg>")
    path.write_text("\n".join(out) + "\n")


fits = [fit(backend) for backend in options.backends.split(",")]
picture(fits[0], options.out / "faithful.svg")
print(f"\npicture: {options.out / 'faithful.svg'}")
