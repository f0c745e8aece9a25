// compile_time.cc - how long the compiler takes, sizes symbolic, without the C compiler, verifier off: the gradient of the mixture model
// from source to C text, and how time grows with generated programs. Each of these is a gradient of a shape for which some pass once
// took time that grew faster than the program. The times are printed, not judged: machines are noisy. Usage: compile_time [PROGRAM.fut]
#include <filesystem>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "backends/backend.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/interface.h"
#include "passes/pipelines.h"

using namespace raido;

namespace {

std::string program_path;

bool compiles(const std::string& path, const char* target) {
  Options options;
  auto compiled = front_end(path, options);
  Stats stats;
  PassOptions how;
  const Backend& backend = *find_backend(target);
  if (!compiled || !run_passes(pipeline_for(backend.target), *compiled, backend.target, how, stats, options)) return false;
  Diagnostics clashes;
  Interface interface = interface_of(*compiled, false, clashes);
  benchmark::DoNotOptimize(backend.generate(compiled->program, interface, {}));
  return true;
}

void whole_compile(benchmark::State& state) {
  for (auto _ : state) if (!compiles(program_path, "c")) state.SkipWithError("the program does not compile");
}
BENCHMARK(whole_compile)->Unit(benchmark::kMillisecond);

void front_end_only(benchmark::State& state) {
  Options options;
  for (auto _ : state) benchmark::DoNotOptimize(front_end(program_path, options));
}
BENCHMARK(front_end_only)->Unit(benchmark::kMillisecond);

template <class F> std::string times(int n, std::string_view between, F part) {
  std::string text;
  for (int i = 0; i < n; i++) text += fmt::format("{}{}", i ? between : "", part(i));
  return text;
}
const char* matrix_product =
    "def dot [n] (a: [n]f64) (b: [n]f64) = f64.sum (map2 (*) a b)\n"
    "def mul [n] (a: [n][n]f64) (b: [n][n]f64): [n][n]f64 = map (\\r -> map (dot r) (transpose b)) a\n";

struct Shape {
  const char* name;
  int largest;
  std::string (*text)(int n);
};
const Shape shapes[] = {
    // A loop whose state is a record, for each of several points.
    {"fields", 160, [](int n) {
       auto field = [&](int i) { return fmt::format("f{0} = r.f{0} + 0.01 * (r.f{1} - r.f{2}) * r.f{2}", i, (i + 1) % n, (i + n - 1) % n); };
       return "type r = {" + times(n, ", ", [](int i) { return fmt::format("f{}: f64", i); }) + "}\ndef step (r: r): r = {" + times(n, ", ", field) +
              "}\ndef f (k: i64) (r: r) = let r = loop r for _i < k do step r in " + times(n, " + ", [](int i) { return fmt::format("r.f{}", i); }) +
              "\nentry main [m] (k: i64) (rs: [m]r) = map (\\r -> vjp (f k) r 1) rs\n";
     }},
    // Maps with a sum between any two.
    {"sums", 80, [](int n) {
       return "def f [n] (x0: [n]f64, y: [n]f64) =\n" + times(n, "", [](int i) {
                return fmt::format("  let s{0} = f64.sum (map2 (*) x{0} y)\n  let x{1} = map (\\v -> f64.tanh (v + s{0})) x{0}\n", i, i + 1);
              }) + fmt::format("  in f64.sum x{}\nentry main [n] (a: [n]f64) b = vjp f (a, b) 1\n", n);
     }},
    // Layers of a network.
    {"layers", 32, [](int n) {
       return matrix_product + fmt::format("def f [n] (x0: [n][n]f64) ({}) =\n", times(n, ", ", [](int i) { return fmt::format("w{}: [n][n]f64", i); })) +
              times(n, "", [](int i) { return fmt::format("  let x{} = map (map f64.tanh) (mul x{} w{})\n", i + 1, i, i); }) +
              fmt::format("  in f64.sum (map f64.sum x{})\nentry main [n] (x: [n][n]f64) {} = vjp (f x) ({}) 1\n", n,
                          times(n, " ", [](int i) { return fmt::format("(w{}: [n][n]f64)", i); }), times(n, ", ", [](int i) { return fmt::format("w{}", i); }));
     }},
    // Straight code for each element.
    {"statements", 1600, [](int n) {
       return "def f (x0: f64, x1: f64) =\n" + times(n, "", [](int i) {
                return fmt::format("  let x{} = f64.sin x{} * {}.5 + x{}\n", i + 2, i, i % 7, i + 1);
              }) + fmt::format("  in x{}\nentry main [n] (a: [n]f64) b = map2 (\\a b -> vjp f (a, b) 1) a b\n", n + 1);
     }},
};

void generated(benchmark::State& state, const Shape* shape, const char* target) {
  int n = int(state.range(0));
  std::string path = (std::filesystem::temp_directory_path() / fmt::format("raido-{}-{}.fut", shape->name, n)).string();
  std::ofstream(path) << shape->text(n);
  for (auto _ : state) if (!compiles(path, target)) state.SkipWithError("the program does not compile");
  std::filesystem::remove(path);
  state.SetComplexityN(n);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  program_path = argc > 1 ? argv[1] : "benchmarks/adbench/gmm.fut";
  for (const char* target : {"c", "multicore"})
    for (const Shape& shape : shapes)
      benchmark::RegisterBenchmark(fmt::format("{}/{}", shape.name, target).c_str(), [&shape, target](benchmark::State& state) { generated(state, &shape, target); })
          ->Arg(shape.largest / 4)->Arg(shape.largest / 2)->Arg(shape.largest)->Unit(benchmark::kMillisecond)->Complexity();
  benchmark::RunSpecifiedBenchmarks();
}
