#!/usr/bin/env python3
"""Fits the mixture of faithful.fut from Python and plots it with matplotlib.

    plot.py --raido=RAIDO --out=FOLDER        writes FOLDER/faithful.png

The lines between `# %%` are cells for editors that know them."""
# %% The program becomes a package.
import argparse
import pathlib
import subprocess
import sys

import matplotlib
import numpy

here = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--raido", default="raido")
parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
options = parser.parse_args()
subprocess.run([options.raido, "python", here / "faithful.fut", "-o", options.out], check=True)
sys.path.insert(0, str(options.out))
import faithful

# %% The data, and the fit.
rows = numpy.loadtxt(here / "faithful.csv", delimiter=",", skiprows=1)
likelihood, weights, means, covariances, steps, error, first = faithful.fit(rows)
print(f"log-likelihood {likelihood:.4f} after {steps} steps")
for weight, mean, (xx, xy, yy) in zip(weights, means, covariances):
    print(f"  weight {weight:.5f}, mean ({mean[0]:.4f}, {mean[1]:.3f}), covariance ({xx:.4f}, {xy:.4f}; {yy:.3f})")

# %% The picture: each point in the colour of its component, each component by its ellipses.
matplotlib.use("Agg")
import matplotlib.pyplot as pyplot

figure, axes = pyplot.subplots(figsize=(7, 5))
axes.scatter(*rows.T, c=first, cmap="coolwarm", s=14)
turn = numpy.linspace(0, 2 * numpy.pi, 90)
for mean, (xx, xy, yy) in zip(means, covariances):
    ring = numpy.linalg.cholesky([[xx, xy], [xy, yy]]) @ [numpy.cos(turn), numpy.sin(turn)]
    for deviations in (1, 2):
        axes.plot(*(mean[:, None] + deviations * ring), color="black", linewidth=1 / deviations)
axes.set_xlabel("duration (minutes)")
axes.set_ylabel("waiting time (minutes)")
figure.savefig(options.out / "faithful.png", dpi=120)
print(f"picture: {options.out / 'faithful.png'}")
