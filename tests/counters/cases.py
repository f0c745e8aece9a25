"""The entry points of benchmark programs whose work on devices is counted (large.py) and measured (tests/gpu.py), at large sizes."""
import subprocess
import sys

N = 1 << 24

# A case is a program, an entry point, arguments, and the bytes that it must move at least: what it is given, and what it returns.
# Arguments are types for `raido dataset`, or numbers for the entry point of the program that makes its arguments.
PRIMITIVES = "tests/counters/large/primitives.fut"
ROWS = "tests/counters/large/rows.fut"
CASES = {
    "sum": (PRIMITIVES, "sum", [f"[{N}]f64"], 8 * N),
    "sum_f32": (PRIMITIVES, "sum_f32", [f"[{N}]f32"], 4 * N),
    "squares": (PRIMITIVES, "squares", [f"[{N}]f64"], 16 * N),
    "prefix_sums": (PRIMITIVES, "prefix_sums", [f"[{N}]f64"], 16 * N),
    "sums_of_long_rows": (PRIMITIVES, "sums_of_rows", ["[16][1048576]f64"], 8 * N),
    "sums_of_rows": (PRIMITIVES, "sums_of_rows", ["[4096][4096]f64"], 8 * N),
    "sums_of_short_rows": (PRIMITIVES, "sums_of_rows", ["[2097152][8]f64"], 9 * N),
    "histogram_10": (PRIMITIVES, "histogram", ["--i64-bounds=0:1000000000", "10i64", "[4194304]i64", "[4194304]f64"], 4 * N),
    "histogram_100000": (PRIMITIVES, "histogram", ["--i64-bounds=0:1000000000", "100000i64", "[4194304]i64", "[4194304]f64"], 4 * N + 800000),
    "histogram_1000": (PRIMITIVES, "histogram", ["--i64-bounds=0:1000000000", "1000i64", "[4194304]i64", "[4194304]f64"], 4 * N),
    "counts_256": (PRIMITIVES, "counts", ["--i64-bounds=0:1000000000", "256i64", "[4194304]i64"], 2 * N),
    "gathered": (PRIMITIVES, "gathered", ["--i64-bounds=0:1000000000", "[4194304]i64", "[4194304]f64"], 6 * N),
    "sparse_rows": (PRIMITIVES, "sparse_rows", ["--i64-bounds=0:1000000000", "[1048576]i64", "[1048576]f64", "[131072]f64"], 16 * 7 * 131072 // 2 + 24 * 131072),
    "filtered": ("benchmarks/primitives/moves.fut", "filtered", ["--f64-bounds=0:2", "[4194304]f64"], 3 * N),
    "unique": (PRIMITIVES, "unique", ["--i32-bounds=0:10", "[1000000]i32"], 8 * 1000000),
    "parted": ("benchmarks/primitives/moves.fut", "parted", ["--f64-bounds=0:2", "[4194304]f64"], 4 * N),
    "transposed": ("benchmarks/primitives/moves.fut", "transposed", ["[4096][4096]f64"], 16 * N),
    "transposed_f32": ("benchmarks/primitives/moves.fut", "transposed_f32", ["[4096][4096]f32"], 8 * N),
    "turned": ("benchmarks/primitives/moves.fut", "turned", ["[256][256][256]f64"], 16 * N),
    "starts": (PRIMITIVES, "starts", ["--i64-bounds=0:100", "[4194304]i64"], 4 * N),
    "of_both": (PRIMITIVES, "of_both", ["[4194304]f32", "[4194304]f32"], 4 * N),
    "added_across": (ROWS, "added_across", ["[4096][4096]f32", "[4096][4096]f32"], 12 * N),
    "shares_of_columns": (ROWS, "shares_of_columns", ["[1048576][16]f32"], 8 * N),
    "softmax": (ROWS, "softmax", ["[16384][1024]f32"], 8 * N),
    "blurred": (ROWS, "blurred", ["[2048][2048]f32", "[5][5]f32"], 8 * 2048 * 2048),
    "blurred_gradient": (ROWS, "blurred_gradient", ["[2048][2048]f32", "[5][5]f32"], 8 * 2048 * 2048),
    "layer_gradient": (ROWS, "layer_gradient", ["[32][16][64][64]f32", "[32][16][3][3]f32"], 8 * 32 * 16 * 64 * 64),
    "recurrent_gradient": (ROWS, "recurrent_gradient", ["--f32-bounds=-0.1:0.1", "[16][32][128]f32", "[128][128]f32", "[128][128]f32", "[128]f32"],
                           4 * (16 * 32 * 128 + 4 * 128 * 128 + 2 * 128)),
    "sequences_gradient": (ROWS, "sequences_gradient", ["--f32-bounds=-0.1:0.1", "[256][8][128]f32", "[128][128]f32", "[128][128]f32", "[128]f32"],
                           4 * (256 * 8 * 128 + 4 * 128 * 128 + 2 * 128)),
    "attention": (ROWS, "attention_of_heads", ["[4][256][64]f32"] * 3, 4 * 4 * 4 * 256 * 64),
    "channels": (ROWS, "channels", ["[32][64][56][56]f32"], 4 * 32 * 64 * 56 * 56),
    "filled": (ROWS, "filled", ["4096i64", "[4096]f32"], 4 * N),
    "assigned": (ROWS, "assigned", ["[262144][16]f32", "[64][16]f32"], 4 * 262144 * 16),
    "forces": (ROWS, "forces", ["[4096][3]f64"], 48 * 4096),
    "mandelbrot": ("benchmarks/primitives/lanes.fut", "mandelbrot", ["2048i64"], 4 * 2048 * 2048),
    "dot_jacobian": ("benchmarks/lagrad/micro.fut", "dot_jacobian", [f"[{N // 4}]f64", f"[{N // 4}]f64"], 4 * N),
    "matvec": ("benchmarks/lagrad/micro.fut", "matvec_objective", ["[4096][4096]f64", "[4096]f64"], 8 * N),
    "vecmat": ("benchmarks/lagrad/micro.fut", "vecmat_objective", ["[4096]f64", "[4096][4096]f64"], 8 * N),
    "matmul": ("benchmarks/lagrad/micro.fut", "matmul_objective", ["[4096][4096]f64", "[4096][4096]f64"], 24 * N),
    "matmul_jacobian": ("benchmarks/lagrad/micro.fut", "matmul_jacobian", ["[2048][2048]f64", "[2048][2048]f64"], 6 * N),
    "gmm": ("benchmarks/adbench/gmm.fut", "calculate_objective", [32, 100, 1000], None),
    "gmm_jacobian": ("benchmarks/adbench/gmm.fut", "calculate_jacobian", [32, 100, 1000], None),
    "lstm_jacobian": ("benchmarks/adbench/lstm.fut", "calculate_jacobian", [2, 64, 1024], None),
    "ba_jacobian": ("benchmarks/adbench/ba.fut", "calculate_jacobian", [500, 20000, 200000], None),
    "hand_jacobian": ("benchmarks/adbench/hand.fut", "calculate_jacobian", [1000, 10000], None),
    "kmeans_jacobian": ("benchmarks/sc22/kmeans.fut", "calculate_jacobian", [64, 100000, 16], None),
    "batch_lstm_jacobian": ("benchmarks/sc22/lstm.fut", "calculate_jacobian", [256, 4, 80, 256], None),
    "xsbench": ("benchmarks/sc22/xsbench.fut", "calculate_objective", [1000, 10000], None),
    "mlp_jacobian": ("benchmarks/lagrad/mlp.fut", "calculate_jacobian", [784, 512, 10, 1024], None),
    "lse_jacobian": ("benchmarks/gradbench/lse.fut", "calculate_jacobian", [1000000], None),
    "mttkrp_jacobian": ("benchmarks/tapeflow/mttkrp.fut", "calculate_jacobian", [64, 64, 64, 32], None),
    "gravity_jacobian": ("benchmarks/tapeflow/gravity.fut", "calculate_jacobian", [4096], None),
}
for t, size in ("f64", 8), ("f32", 4):
    for n, k, m in (1000, 1000, 1000), (300, 1024, 20480), (4097, 4097, 4097), (8192, 8192, 8192):
        CASES[f"product_{t}_{n}"] = ("tests/counters/large/products.fut", f"product_{t}", [f"[{n}][{k}]{t}", f"[{k}][{m}]{t}"], size * (n * k + k * m + n * m))
LONG = {name for name in CASES if name.startswith("product_") and not name.endswith(("_1000", "_300"))}      # minutes each


def run(arguments, **more):
    done = subprocess.run(arguments, capture_output=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr.decode()[-2000:]}")
    return done.stdout


# The arguments of a case in binary form.
def data_of(raido, executable, arguments):
    if isinstance(arguments[0], int):
        return run([executable, "-b", "-e", "inputs"], input=" ".join(f"{a}i64" for a in arguments).encode())
    made = ["--seed=1"]
    for a in arguments:
        made += [a] if a.startswith("--") else ["-g", a]
    return run([raido, "dataset", "-b", *made])
