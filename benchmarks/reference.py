#!/usr/bin/env python3
"""Reference values of the benchmark programs that no published table gives, by complex steps, from the definitions alone.

    benchmarks/reference.py        prints, for each case, the value and its derivatives in the directions 1 and cos i
"""
import cmath
import math

MASK = 2 ** 64 - 1


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def uniform(s, i):
    return (mix((s + (i + 1) * 0x9E3779B97F4A7C15) & MASK) >> 11) * 2.0 ** -53


def normal(s, i):
    return math.sqrt(-2 * math.log(1 - uniform(s, 2 * i))) * math.cos(2 * math.pi * uniform(s, 2 * i + 1))


def show(name, f, x):
    """f takes and returns a list (or gives one number); a tiny imaginary step carries the derivative."""
    def contracted(step):
        y = f([v + step * d for v, d in zip(x, direction)])
        return sum(v / (1 + j) for j, v in enumerate(y)) if isinstance(y, list) else y
    h = 1e-30
    found = []
    for direction in ([1.0] * len(x), [math.cos(i) for i in range(len(x))]):
        found.append(contracted(1j * h).imag / h)
    print(f"{name}: {contracted(0j).real:.15g} {found[0]:.15g} {found[1]:.15g}")


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def hand(nv, n, complicated, mirrored):
    nb = 22
    parents = [-1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 19, 0]
    shift = [[0.1 * uniform(201, 3 * b + r) for r in range(3)] for b in range(nb)]
    total = []
    for b in range(nb):
        total.append([s + (total[parents[b]][r] if parents[b] >= 0 else 0) for r, s in enumerate(shift[b])])

    def moved(v):
        return [[1, 0, 0, v[0]], [0, 1, 0, v[1]], [0, 0, 1, v[2]], [0, 0, 0, 1]]
    place = [[uniform(202, 3 * v + r) for r in range(3)] + [1] for v in range(nv)]
    weight = [[0.0] * nb for _ in range(nv)]
    for v in range(nv):
        weight[v][int(22 * uniform(204, 2 * v))] += uniform(203, 2 * v)
        weight[v][int(22 * uniform(204, 2 * v + 1))] += 1 - uniform(203, 2 * v)
    corr = [int(nv * uniform(205, i)) for i in range(n)]
    measured = [[0.1 * normal(206, r * n + i) for r in range(3)] for i in range(n)]
    theta = [0.3 * normal(207, i) for i in range(26)]
    us = [uniform(208, i) / 2 for i in range(2 * n)]

    def objective(x):
        u, t = (x[:2 * n], x[2 * n:]) if complicated else (us, x)
        columns = [[0, 0, 0] for _ in range(nb + 3)]
        for f in range(5):
            columns[5 + 4 * f] = [t[6 + 4 * f], t[7 + 4 * f], 0]
            columns[6 + 4 * f] = [t[8 + 4 * f], 0, 0]
            columns[7 + 4 * f] = [t[9 + 4 * f], 0, 0]
        absolute = []
        for b in range(nb):
            tx, tz, ty = columns[b + 3]
            rx = [[1, 0, 0], [0, cmath.cos(tx), -cmath.sin(tx)], [0, cmath.sin(tx), cmath.cos(tx)]]
            ry = [[cmath.cos(ty), 0, cmath.sin(ty)], [0, 1, 0], [-cmath.sin(ty), 0, cmath.cos(ty)]]
            rz = [[cmath.cos(tz), -cmath.sin(tz), 0], [cmath.sin(tz), cmath.cos(tz), 0], [0, 0, 1]]
            r = product(rz, product(ry, rx))
            turn = [row + [0] for row in r] + [[0, 0, 0, 1]]
            a = product(moved(shift[b]), turn)
            absolute.append(a if parents[b] < 0 else product(absolute[parents[b]], a))
        transform = [product(absolute[b], moved([-s for s in total[b]])) for b in range(nb)]
        norm = cmath.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
        x_, y_, z_ = t[0] / norm, t[1] / norm, t[2] / norm
        s, c = cmath.sin(norm), cmath.cos(norm)
        g = [[x_ * x_ + (1 - x_ * x_) * c, x_ * y_ * (1 - c) - z_ * s, x_ * z_ * (1 - c) + y_ * s],
             [x_ * y_ * (1 - c) + z_ * s, y_ * y_ + (1 - y_ * y_) * c, y_ * z_ * (1 - c) - x_ * s],
             [x_ * z_ * (1 - c) - y_ * s, y_ * z_ * (1 - c) + x_ * s, z_ * z_ + (1 - z_ * z_) * c]]
        v = []
        for p, w in zip(place, weight):
            q = [sum(w[b] * sum(transform[b][r][k] * p[k] for k in range(4)) for b in range(nb)) for r in range(3)]
            if mirrored:
                q[0] = -q[0]
            v.append([sum(g[r][k] * q[k] for k in range(3)) + t[3 + r] for r in range(3)])
        out = []
        for i in range(n):
            if complicated:
                a, b, e = (v[(corr[i] + k) % nv] for k in range(3))
                at = [u[2 * i] * a[r] + u[2 * i + 1] * b[r] + (1 - u[2 * i] - u[2 * i + 1]) * e[r] for r in range(3)]
            else:
                at = v[corr[i]]
            out += [measured[i][r] - at[r] for r in range(3)]
        return out

    show(f"hand {nv} vertices, {n} points{', complicated' if complicated else ''}{', mirrored' if mirrored else ''}", objective,
         us + theta if complicated else theta)


def gravity_energy(n, steps, dt):
    def force(x):
        f = [0] * (2 * n)
        for i in range(n):
            for j in range(n):
                if i != j:
                    dx, dy = x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]
                    q = (dx * dx + dy * dy + 1e-3) ** -1.5
                    f[2 * i] -= dx * q
                    f[2 * i + 1] -= dy * q
        return f

    def energy(x):
        v = [0] * (2 * n)
        for _ in range(steps):
            v = [a + dt / 2 * b for a, b in zip(v, force(x))]
            x = [a + dt * b for a, b in zip(x, v)]
            v = [a + dt / 2 * b for a, b in zip(v, force(x))]
        return 0.5 * sum(a * a for a in v)
    show(f"gravity, energy of {n} after {steps} steps", energy, [uniform(61, i) for i in range(2 * n)])


def nn(k, d, c):
    image = [[uniform(211, i * d + j) for j in range(d)] for i in range(k)]
    label = [int(c * uniform(212, i)) for i in range(k)]

    def loss(x):
        total = 0
        for p, l in zip(image, label):
            logits = [x[c * d + r] + sum(x[r * d + j] * p[j] for j in range(d)) for r in range(c)]
            total += cmath.log(sum(cmath.exp(v) for v in logits)) - logits[l]
        return total / k
    show(f"nn {k} images of {d}, {c} classes", loss,
         [2 * uniform(213, i) - 1 for i in range(c * d)] + [2 * uniform(214, i) - 1 for i in range(c)])


def fft(bits):
    n = 1 << bits
    turn = [complex(math.cos(2 * math.pi * k / n), -math.sin(2 * math.pi * k / n)) for k in range(n)]

    def objective(x):
        # The two parts are carried by themselves: the imaginary unit is the derivative's here.
        total = 0
        for k in range(n):
            re = sum(turn[j * k % n].real * x[j] - turn[j * k % n].imag * x[n + j] for j in range(n))
            im = sum(turn[j * k % n].imag * x[j] + turn[j * k % n].real * x[n + j] for j in range(n))
            total += uniform(223, k) * (re * re + im * im)
        return total
    show(f"fft of {n}", objective, [uniform(221, i) for i in range(n)] + [uniform(222, i) for i in range(n)])


def lbm(n, steps):
    half = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1)]
    moves = [(0, 0, 0)] + [m for a, b, c in half for m in ((a, b, c), (-a, -b, -c))]
    weight = [1 / 3] + [1 / 18] * 6 + [1 / 36] * 12
    cells = [(x, y, z) for x in range(n) for y in range(n) for z in range(n)]
    flag = [1 if uniform(231, c) < 0.1 else 2 if uniform(231, c) < 0.2 else 0 for c in range(n ** 3)]

    def collide(kind, f):
        if kind == 1:
            return [f[moves.index(tuple(-v for v in m))] for m in moves]
        rho = sum(f)
        u = [sum(m[c] * v for m, v in zip(moves, f)) / rho for c in range(3)] if kind == 0 else [0.005, 0.002, 0]
        square = sum(v * v for v in u)
        out = []
        for m, w, v in zip(moves, weight, f):
            along = sum(a * b for a, b in zip(m, u))
            out.append(v - 1.95 * (v - w * rho * (1 + 3 * along + 4.5 * along ** 2 - 1.5 * square)))
        return out

    def objective(x):
        f = {cell: x[19 * k:19 * k + 19] for k, cell in enumerate(cells)}
        for _ in range(steps):
            f = {cell: collide(kind, f[cell]) for cell, kind in zip(cells, flag)}
            moved = {cell: [0] * 19 for cell in cells}
            for cell in cells:
                for i, m in enumerate(moves):
                    moved[tuple((a + b) % n for a, b in zip(cell, m))][i] = f[cell][i]
            f = moved
        return sum(uniform(232, k) * sum((i + 1) * v for i, v in enumerate(f[cell])) for k, cell in enumerate(cells))
    show(f"lbm of side {n} after {steps} steps", objective,
         [weight[i % 19] * (1 + 0.1 * uniform(233, i)) for i in range(19 * n ** 3)])


def micro(n):
    a, b = [uniform(111, i) for i in range(n * n)], [uniform(112, i) for i in range(n * n)]

    def dot(x, y):
        return sum(v * w for v, w in zip(x, y))
    for name, f, x in [("dot", lambda x: dot(x, b), a[:n]), ("vecadd", lambda x: [v + w for v, w in zip(x, b)], a[:n]),
                       ("vecscale", lambda x: [x[0] * w for w in b[:n]], a[:1]),
                       ("matvec", lambda x: [dot(x[i * n:i * n + n], b) for i in range(n)], a),
                       ("vecmat", lambda x: [dot(x, b[j::n]) for j in range(n)], a[:n]),
                       ("matmul", lambda x: [dot(x[i * n:i * n + n], b[j::n]) for i in range(n) for j in range(n)], a)]:
        show(f"{name} n{n}", f, x)


def lorenz(steps):
    def objective(x):
        for _ in range(steps):
            x = [v + 1e-3 * ((x[(i + 1) % 16] - x[i - 2]) * x[i - 1] - v + 8) for i, v in enumerate(x)]
        return x
    show(f"lorenz after {steps} steps", objective, [8 + uniform(251, i) for i in range(16)])


def kepler(n):
    def solve(e, m):
        x, d = m, 1
        while abs(d.real) > 1e-12 or abs(d.imag) > 1e-42:
            d = (x - e * cmath.sin(x) - m) / (1 - e * cmath.cos(x))
            x = x - d
        return x
    show(f"kepler n{n}", lambda x: sum(solve(e, m) for e, m in zip(x[:n], x[n:])),
         [0.9 * uniform(252, i) for i in range(n)] + [6 * uniform(253, i) for i in range(n)])


def vanderpol(until):
    def larger(a, b):
        return a if a.real >= b.real else b

    def smaller(a, b):
        return a if a.real <= b.real else b

    def objective(p):
        mu, x, y = p
        t, h = 0, 1e-3
        while t.real < until:
            ax, ay = y, mu * (1 - x * x) * y - x
            mx, my = x + h * ax, y + h * ay
            bx, by = my, mu * (1 - mx * mx) * my - mx
            ex, ey = h * (bx - ax) / 2, h * (by - ay) / 2
            error = cmath.sqrt(ex * ex + ey * ey) / 1e-6
            after = smaller(0.1 + 0j, h * larger(0.2 + 0j, smaller(5 + 0j, 0.9 / cmath.sqrt(error + 1e-30))))
            if error.real <= 1:
                t, x, y = t + h, x + h * (ax + bx) / 2, y + h * (ay + by) / 2
            h = after
        return x
    show(f"vanderpol until {until}", objective, [5, 2, 0])


def regression(m, n):
    a = [[normal(261, i * n + j) for j in range(n)] for i in range(m)]

    def gradient(x):
        weights = [1 / (1 + cmath.exp(-sum(v * w for v, w in zip(row, x)))) for row in a]
        return [sum(w * row[j] for w, row in zip(weights, a)) for j in range(n)]
    show(f"regression m{m} n{n}", gradient, [0.3 * normal(262, j) for j in range(n)])


hand(20, 7, False, False)
hand(20, 7, False, True)
hand(20, 7, True, False)
gravity_energy(6, 10, 1e-3)
nn(4, 9, 5)
fft(0)
fft(4)
lbm(3, 4)
micro(8)
lorenz(400)
kepler(40)
vanderpol(1.5)
regression(9, 13)
