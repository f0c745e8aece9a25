// compile_time.cc - how long the compiler takes for the gradient of the mixture model: source to C text, sizes symbolic,
// without the C compiler, verifier off. The times are printed, not judged: machines are noisy.
#include <benchmark/benchmark.h>

#include "backends/backend.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/interface.h"
#include "passes/pipelines.h"

using namespace raido;

static std::string program_path;

static void whole_compile(benchmark::State& state) {
  Options options;
  for (auto _ : state) {
    auto compiled = front_end(program_path, options);
    Stats stats;
    PassOptions how;
    const Backend& backend = *find_backend("c");
    if (!compiled || !run_passes(pipeline_for(backend.target), *compiled, backend.target, how, stats, options)) {
      state.SkipWithError("the program does not compile");
      return;
    }
    Diagnostics clashes;
    Interface interface = interface_of(*compiled, false, clashes);
    benchmark::DoNotOptimize(backend.generate(compiled->program, interface, {}));
  }
}
BENCHMARK(whole_compile)->Unit(benchmark::kMillisecond);

static void front_end_only(benchmark::State& state) {
  Options options;
  for (auto _ : state) benchmark::DoNotOptimize(front_end(program_path, options));
}
BENCHMARK(front_end_only)->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  program_path = argc > 1 ? argv[1] : "benchmarks/adbench/gmm.fut";
  benchmark::RunSpecifiedBenchmarks();
}
