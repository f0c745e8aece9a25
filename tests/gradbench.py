#!/usr/bin/env python3
"""Plays a session of every GradBench module with `raido gradbench` and checks the answers.

    tests/gradbench.py RAIDO

Expected values are those published for the small cases of the suites, or can be worked out by hand.
"""
import json
import pathlib
import subprocess
import sys

folder = pathlib.Path(__file__).resolve().parent.parent / "benchmarks"
tool = subprocess.Popen([pathlib.Path(sys.argv[1]).resolve(), "gradbench", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
sent = failures = 0


def ask(kind, **fields):
    global sent
    tool.stdin.write(json.dumps({"id": sent, "kind": kind, **fields}) + "\n")
    tool.stdin.flush()
    answer = json.loads(tool.stdout.readline())
    check(f"the id of message {sent}", answer.pop("id"), sent)
    sent += 1
    return answer


def same(got, expected):
    if isinstance(expected, dict):
        return isinstance(got, dict) and got.keys() == expected.keys() and all(same(got[k], expected[k]) for k in expected)
    if isinstance(expected, list):
        return isinstance(got, list) and len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(expected, float):
        return isinstance(got, (int, float)) and abs(got - expected) <= 1e-9 * max(1, abs(got) + abs(expected))
    return got == expected


def check(what, got, expected):
    global failures
    if not same(got, expected):
        failures += 1
        print(f"{what}: expected\n  {expected}\ngot\n  {got}")


def session(module, cases):
    check("start", ask("start", eval=module), {"tool": "raido"})
    check(f"define {module}", ask("define", module=module), {"success": True})
    for function, given, expected in cases:
        limits = {} if module == "hello" else {"min_runs": 2, "min_seconds": 1e-5}
        answer = ask("evaluate", module=module, function=function, input={**given, **limits} if limits else given)
        check(f"{module} {function}", answer.get("output", answer), expected)
        times = answer.get("timings", [])
        if len(times) < (2 if limits else 1) or any(t["name"] != "evaluate" or type(t["nanoseconds"]) is not int for t in times):
            check(f"times of {module} {function}", times, "entries with a name and a number")
        check("analysis", ask("analysis", of=sent - 1, valid=True), {})


session("hello", [("square", 3.0, 9.0), ("double", 3, 6.0)])
session("lse", [("primal", {"x": [0, 1, 2]}, 2.4076059644443806),
                ("gradient", {"x": [0, 1, 2]}, [0.0900305731703805, 0.244728471054798, 0.665240955774822])])
llsq = {"x": [0.1, 0.2, 0.3], "n": 5}
session("llsq", [("primal", llsq, 1.645625), ("gradient", llsq, [1.25, -2.5, 0.8875])])
det = {"A": [1, 2, 3, 4, 5, 6, 7, 8, 10], "ell": 3}
session("det", [("primal", det, -3.0), ("gradient", det, [2.0, 2.0, -3.0, 4.0, -11.0, 6.0, -3.0, 6.0, -3.0])])
ode = {"x": [1, 0.5, 0.25], "s": 10}
session("ode", [("primal", ode, [2.0, 1.0, 1 / 6]), ("gradient", ode, [1 / 6, 1 / 3, 2 / 3])])

gmm = {"d": 2, "k": 3, "n": 1, "gamma": 1, "m": 0, "alpha": [-0.649014, 1.181166, -0.758453],
       "mu": [[0.092339, 0.186260], [0.345561, 0.396767], [0.538817, 0.419195]],
       "q": [[0.586443, -0.851887], [-1.509405, 0.875874], [0.166813, -1.965419]],
       "l": [[0.800321], [-0.242790], [-1.270071]], "x": [[1.175171, 2.029160]]}
session("gmm", [
    ("objective", gmm, -20.067360546658307),
    ("jacobian", gmm, {
        "alpha": [0.10866285550865246, -0.7412700395238985, 0.6326071840152461],
        "mu": [[1.1169257653278701, 0.16333301355145527], [-0.021998982407119314, 0.2277782922542361],
               [1.2096302561283219, -0.06063759207339564]],
        "q": [[-3.877309539853597, -0.25135805704682357], [-0.024200595440323026, -6.110977409271949],
              [-1.0731187704460854, 0.8208366546891365]],
        "l": [[-1.214897690150388], [0.16408559032255352], [1.5455010695336773]]})])

ba = {"n": 2, "m": 10, "p": 10, "x": [4.173048, 5.586898, 1.403869], "w": 0.417022, "feat": [-525.672849, 161.811929],
      "cam": [1.797201, 0.590697, -0.635786, 90.859550, 29.361415, 28.777534, 211.628116, -0.284531, -14.762924, 0.058931, 0.069976]}
rows = [[228.8772022082468, 634.5748114955455, -782.2228662593405, 2.4289261560715967, -11.782807962801131, 2.541693124877435,
         -1.036570849585181, 0.417022, 0.0, -350.7395210960053, -912.1077736680091, -2.4289261560715967, 11.782807962801131,
         -2.541693124877435, -0.6451670397131011],
        [-120.54243599499694, -385.6732407664605, 97.54762914033277, -1.7837210852957666, 4.154667994331262, 2.0402571802989886,
         0.34917639743314605, 0.0, 0.417022, 118.14914770441455, 307.25010896034354, 1.7837210852957666, -4.154667994331262,
         -2.0402571802989886, 0.6233359215531493]]
# Columns: two cameras, ten points, ten weights. Row starts: 20 rows of 15, 10 of one.
columns = [*range(11), 22, 23, 24, 52]
starts = [15 * r for r in range(20)] + [300 + r for r in range(11)]
session("ba", [
    ("objective", ba, {"reproj_error": {"elements": [-0.26904884923523686, 0.2599447926779137], "repeated": 10},
                       "w_err": {"element": 0.826092651516, "repeated": 10}}),
    ("jacobian", ba, {"rows": starts[:30] + starts[-1:], "cols": columns + columns + [61], "vals": rows[0] + rows[1] + [-0.834044]})])

# A hand that is not bent, only moved; all of it hangs on the wrist.
identity = [[float(i == j) for j in range(4)] for i in range(4)]
places, shift = [[0.1, 0.2, 0.3], [0.5, 0.1, 0.7], [0.4, 0.9, 0.2]], [0.01, 0.02, 0.03]
model = {"bone_count": 22, "bone_names": [f"bone{b}" for b in range(22)],
         "parents": [-1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 19, 0],
         "base_relatives": [identity] * 22, "inverse_base_absolutes": [identity] * 22,
         "base_positions": [p + [1.0] for p in places], "weights": [[1.0] + [0.0] * 21] * 3, "triangles": [[0, 1, 2]], "is_mirrored": False}
measured = [[1.0, 2.0, 3.0], [-1.0, 0.5, 0.25]]
theta = [0.0] * 3 + shift + [0.3] * 20
moved = [[-1.0 if c == 3 + r % 3 else 0.0 for c in range(26)] for r in range(6)]


def hand(corresponding, us, mirrored=False):
    return {"theta": theta, "us": us, "data": {"model": {**model, "is_mirrored": mirrored}, "correspondences": corresponding, "points": measured}}


us = [[0.2, 0.3], [0.5, 0.25]]
inside = [[u * a + v * b + (1 - u - v) * c for a, b, c in zip(*places)] for u, v in us]
own = [[places[2][i] - places[0][i], places[2][i] - places[1][i]] for i in range(3)] * 2
session("ht", [
    ("objective", hand([2, 0], []), [y - p - t for k, c in enumerate([2, 0]) for y, p, t in zip(measured[k], places[c], shift)]),
    ("objective", hand([2, 0], [], True),
     [y - s * p - t for k, c in enumerate([2, 0]) for y, p, t, s in zip(measured[k], places[c], shift, [-1, 1, 1])]),
    ("jacobian", hand([2, 0], []), moved),
    ("objective", hand([0, 0], us), [y - p - t for k in range(2) for y, p, t in zip(measured[k], inside[k], shift)]),
    ("jacobian", hand([0, 0], us), [o + m for o, m in zip(own, moved)])])

lstm = {"main_params": [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], [0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40]],
        "extra_params": [[0.5, 0.6], [0.7, 0.8], [0.1, -0.1]], "state": [[0.1, 0.2], [0.3, 0.4]], "sequence": [[1, 0], [0, 1], [1, 1]]}
session("lstm", [
    ("objective", lstm, 0.9836970280661379),
    ("jacobian", lstm, [0.00015585490077974873, -0.0032808381098622897, -0.0008305089794378279, -0.004048083290824194,
                        0.0016690358589178964, -0.006698490476092445, -0.003084979127963142, -0.013175168840763862,
                        -0.00286266174933012, -0.015406080576879278, -0.003508643045849048, -0.018315858720279906,
                        -0.004301071381889759, -0.029892282381280347, -0.012818920279117726, -0.06003435475704127,
                        0.0017002068390738463, -0.007792103179379876, -0.008645077040020127, -0.09042793095792052,
                        -0.03188112982246162, -0.30362514700631726])])
kmeans = {"points": [[0, 0], [1, 0], [5, 5], [6, 5], [5, 7]], "centroids": [[0, 1], [6, 6]]}
session("kmeans", [("cost", kmeans, 8.0), ("dir", kmeans, [[-0.5, 1.0], [2 / 3, 1 / 3]])])
session("particle", [(f, {"w": 0}, 0.2071918746486116) for f in ("ff", "fr", "rf", "rr")])
session("saddle", [(f, {"start": [1, 1]}, [8.246324826140356e-06] * 4) for f in ("ff", "fr", "rf", "rr")])

# What cannot be answered is said, and the session goes on.
check("an unknown module", ask("define", module="nosuch"), {"success": False, "error": "there is no module `nosuch`"})
for why, message in [
    ("the module `lse` has no function `nosuch`", {"module": "lse", "function": "nosuch", "input": {}}),
    ("there is no input", {"module": "lse", "function": "primal"}),
    ("the input has no field `x`", {"module": "lse", "function": "primal", "input": {}}),
    ("the field `x` of the input is not of type []f64", {"module": "lse", "function": "primal", "input": {"x": [0, [1]]}}),
    ("the result has a number that is not finite",
     {"module": "kmeans", "function": "dir", "input": {"points": [[0, 0]], "centroids": [[0, 0], [1, 1]]}})]:
    check("a failure", ask("evaluate", **message), {"success": False, "error": why})
check("another kind", ask("nosuch"), {})
tool.stdin.close()
check("the exit code", tool.wait(), 0)
print(f"{sent} messages, {failures} wrong answers")
sys.exit(failures > 0)
