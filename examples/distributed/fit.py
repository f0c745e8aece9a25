#!/usr/bin/env python3
"""Fits a mixture of two Gaussians to the Old Faithful data on several processes: each has a part of the points, and PyTorch adds the
gradients that the program makes (DistributedDataParallel over gloo). Then it compares the fit with that of one process.

    fit.py --raido=RAIDO --out=FOLDER [--processes=2]"""
import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

import torch
import torch.distributed
import torch.multiprocessing

here = pathlib.Path(__file__).resolve().parent


class Mixture(torch.nn.Module):
    """The model: its parameters are PyTorch's, its cost and the gradient are the program's."""

    def __init__(self):
        super().__init__()
        start = {"weights": [0.0, 0.0], "means": [[-1.0, -1.0], [1.0, 1.0]], "sharpness": [[0.5, 0.5], [0.5, 0.5]]}
        for name, values in start.items():
            setattr(self, name, torch.nn.Parameter(torch.tensor(values, dtype=torch.float64)))

    def forward(self, points):
        import mixture.torch
        return mixture.torch.cost(points, {"weights": self.weights, "means": self.means, "sharpness": self.sharpness})


def standardised():
    with open(here.parent / "faithful" / "faithful.csv") as file:
        rows = torch.tensor([[float(x) for x in row.values()] for row in csv.DictReader(file)], dtype=torch.float64)
    return (rows - rows.mean(0)) / rows.std(0)


def work(rank, processes, rendezvous, result):
    torch.distributed.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=processes)
    points = standardised()
    share = points[rank::processes]
    model = torch.nn.parallel.DistributedDataParallel(Mixture())
    optimiser = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(200):
        optimiser.zero_grad()
        cost = model(share) * processes / len(points)          # the gradient is the mean over the processes
        cost.backward()
        optimiser.step()
    total = model.module(share).detach()
    torch.distributed.all_reduce(total)
    if rank == 0:
        torch.save((float(total), {name: p.detach() for name, p in model.module.named_parameters()}), result)
    torch.distributed.destroy_process_group()


def fit(processes):
    with tempfile.TemporaryDirectory() as folder:
        rendezvous, result = f"{folder}/rendezvous", f"{folder}/result"
        torch.multiprocessing.spawn(work, (processes, rendezvous, result), nprocs=processes)
        return torch.load(result)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raido", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    subprocess.run([options.raido.resolve(), "python", here / "mixture.fut", "-o", options.out], check=True)
    sys.path.insert(0, str(options.out.resolve()))               # the processes take it over

    alone, together = fit(1), fit(options.processes)
    weights = torch.softmax(together[1]["weights"], 0)
    print(f"{options.processes} processes: cost {together[0]:.6f}, weights {weights[0]:.5f} {weights[1]:.5f}")
    apart = max(float((together[1][name] - value).abs().max()) for name, value in alone[1].items())
    print(f"1 process:   cost {alone[0]:.6f}; the parameters differ by at most {apart:.1e}")
    return 0 if apart < 1e-9 and abs(alone[0] - together[0]) < 1e-9 * abs(alone[0]) else 1


if __name__ == "__main__":
    sys.exit(main())
