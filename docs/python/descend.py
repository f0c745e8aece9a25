import fit

line = fit.line(slope=0, offset=0)
xs, ys = [0, 1, 2, 3], [1, 3, 5, 7]
for _ in range(500):
    step = fit.loss_vjp(xs, ys, line, 1).l
    line = fit.line(slope=line.slope - 0.1 * step.slope, offset=line.offset - 0.1 * step.offset)
print(f"slope {line.slope:.4f}, offset {line.offset:.4f}")
