// check_speed.cc - measures the front end: lines per second on real programs, the time to start, and how time grows with generated
// programs. Each of these has a shape whose check must be linear. The times are printed, not judged: machines are noisy. Usage:
// check_speed [FOLDER of programs]
#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/check/load.h"

using namespace raido;

namespace {

std::string folder;

int64_t lines(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }
int64_t prelude_lines() {
  int64_t n = 0;
  auto checked = check::check_text("empty.fut", "", {});
  for (const ast::File* file : checked->program.files) if (file->builtin) n += lines(checked->sources[file->id].text);
  return n;
}

// Every program of the folder, each with what it needs of the prelude; all lines of the prelude count.
void programs(benchmark::State& state) {
  std::vector<std::string> paths;
  int64_t total = 0;
  for (auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".fut") {
      paths.push_back(entry.path().string());
      total += prelude_lines() + lines(read_file(paths.back()).text.value_or(""));
    }
  for (auto _ : state) for (const std::string& path : paths) benchmark::DoNotOptimize(check::check_file(path, {}));
  state.counters["lines/s"] = benchmark::Counter(double(total), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(programs)->Unit(benchmark::kMillisecond);

void whole_prelude(benchmark::State& state) {
  check::Options options;
  options.whole_prelude = true;
  for (auto _ : state) benchmark::DoNotOptimize(check::check_text("empty.fut", "", options));
  state.counters["lines/s"] = benchmark::Counter(double(prelude_lines()), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(whole_prelude)->Unit(benchmark::kMillisecond);

void empty_program(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(check::check_text("empty.fut", "", {}));
}
BENCHMARK(empty_program)->Unit(benchmark::kMillisecond);

struct Shape {
  const char* name;
  std::string (*before)(int n);
  std::string (*link)(int i);
  std::string (*after)(int n);
};
std::string nothing(int) { return ""; }

const Shape shapes[] = {
    {"lets", [](int) -> std::string { return "def main (x0: i32) : i32 =\n"; },
     [](int i) { return fmt::format("  let x{} = x{} + {}\n", i + 1, i, i % 7); }, [](int n) { return fmt::format("  in x{}\n", n); }},
    {"updates", [](int) -> std::string { return "def main (x: *[]i32) : []i32 =\n"; },
     [](int i) { return fmt::format("  let x[{}] = {}\n", i % 7, i); }, [](int) -> std::string { return "  in x\n"; }},
    {"filters", [](int) -> std::string { return "def main (x0: []i32) : []i32 =\n"; },
     [](int i) { return fmt::format("  let x{} = filter (> {}) x{}\n", i + 1, i % 7, i); }, [](int n) { return fmt::format("  in x{}\n", n); }},
    {"branches", [](int) -> std::string { return "def main (x: i32) : i32 =\n"; },
     [](int i) { return fmt::format("  if x == {} then {} else\n", i, i % 7); }, [](int) -> std::string { return "  x\n"; }},
    {"operators", [](int) -> std::string { return "def main (x: i32) : i32 =\n  x\n"; },
     [](int i) { return fmt::format("  + {}\n", i % 7); }, nothing},
    {"functions", [](int) -> std::string { return "def f0 [n] (xs: [n]i32) = xs\n"; },
     [](int i) { return fmt::format("def f{} [n] (xs: [n]i32) : [n]i32 = map (+ {}) (f{} xs)\n", i + 1, i % 7, i); }, nothing},
    {"modules", [](int) -> std::string { return "module m0 = { def f (x: i32) = x }\n"; },
     [](int i) { return fmt::format("module m{} = {{ def f (x: i32) = m{}.f x + {} }}\n", i + 1, i, i % 7); }, nothing},
    {"fields", [](int n) {
       std::string text = "def main (x: i32) =\n  let r = {";
       for (int i = 0; i < n; i++) text += fmt::format("{}f{} = x", i ? ", " : "", i);
       return text + "}\n  in 0\n";
     }, [](int i) { return fmt::format("  + r.f{}\n", i); }, nothing},
    {"arms", [](int) -> std::string { return "def main (x: i32) : i32 =\n  match x\n"; },
     [](int i) { return fmt::format("  case {} -> {}\n", i, i % 7); }, [](int) -> std::string { return "  case _ -> 0\n"; }},
};

void generated(benchmark::State& state, const Shape* shape) {
  int n = int(state.range(0));
  std::string text = shape->before(n);
  for (int i = 0; i < n; i++) text += shape->link(i);
  text += shape->after(n);
  check::Options options;
  options.warnings = false;
  for (auto _ : state) benchmark::DoNotOptimize(check::check_text("generated.fut", text, options));
  state.counters["lines/s"] = benchmark::Counter(double(lines(text)), benchmark::Counter::kIsIterationInvariantRate);
  state.SetComplexityN(n);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  folder = argc > 1 ? argv[1] : "tests/conformance";
  for (const Shape& shape : shapes)
    benchmark::RegisterBenchmark(shape.name, [&](benchmark::State& state) { generated(state, &shape); })
        ->Arg(25000)->Arg(50000)->Arg(100000)->Unit(benchmark::kMillisecond)->Complexity();
  benchmark::RunSpecifiedBenchmarks();
}
