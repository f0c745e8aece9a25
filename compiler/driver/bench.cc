// bench.cc - `raido bench`: how long the cases of test blocks take.
//
// Programs are compiled and their data made by several threads; then one after the other is measured, by a server that is kept
// running. A case runs once unmeasured, then until there are enough runs, then until their mean is certain. What the last run
// gave is compared with what the case expects.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <thread>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/driver/cases.h"
#include "compiler/driver/chart.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/output.h"
#include "compiler/driver/results.h"
#include "compiler/driver/serve.h"

namespace raido {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double least_seconds = 0.5;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// `12 s`, `3 min 5 s`
std::string duration(double seconds) {
  auto whole = int64_t(std::ceil(std::clamp(seconds, 0.0, 1e9)));
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {} s", whole / 60, whole % 60);
}

size_t columns_of(const std::string& text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}
std::string padded(std::string text, size_t width) {
  size_t columns = columns_of(text);
  return columns < width ? text + std::string(width - columns, ' ') : text;
}

// One line of a terminal that is written again and again; nothing elsewhere.
class Bar {
 public:
  Bar(bool terminal, std::string title) : terminal_(terminal), title_(std::move(title)) {}
  void show(double done, double seconds_left, size_t runs) {
    if (!terminal_ || (shown_ && seconds_since(*shown_) < 0.1)) return;
    shown_ = Clock::now();
    constexpr int width = 30;
    int filled = int(std::clamp(done, 0.0, 1.0) * width);
    print("\r\033[K{}[{}{}] {} runs, {} left", title_, std::string(size_t(filled), '='), std::string(size_t(width - filled), ' '), runs, duration(seconds_left));
    flush_output();
  }
  void clear() const {
    if (terminal_) print("\r\033[K");
  }

 private:
  bool terminal_;
  std::string title_;
  std::optional<Clock::time_point> shown_;
};

// The columns of a line about memory: `4.0 kB@default space`
std::string memory_text(const DataSetResult& d) {
  return join(d.bytes, ", ", [](auto& b) {
    static constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    double n = double(b.second);
    size_t unit = 0;
    for (; n >= 1000 && unit < 4; unit++) n /= 1000;
    return unit == 0 ? fmt::format("{} B@{}", b.second, b.first) : fmt::format("{:.1f} {}@{}", n, units[unit], b.first);
  });
}

class Measurer {
 public:
  explicit Measurer(const Options& options) : options_(options), tools_(options), terminal_(isatty(1)) {}

  int run() {
    for (const std::string& file : {options_.results, options_.plot})
      if (!file.empty() && !writable_or_say(file)) return 1;
    if (!read_earlier() || !add_programs()) return 1;
    prepare();
    print("Mean of at least {} runs and {} s of each data set", options_.runs, least_seconds);
    print("{}\n", options_.no_convergence ? "." : fmt::format("; more, for at most {} s, until it is certain.", options_.convergence_seconds));
    for (Program& p : programs_) measure(p);
    flush_output();
    if (results_.empty()) fmt::print(stderr, "There was nothing to measure: no program has a data set that was asked for.\n");
    bool written = options_.results.empty() || write_or_say(options_.results, to_json(results_));
    if (!options_.plot.empty()) {
      pictured_.emplace_back("now", results_);
      written &= write_or_say(options_.plot, chart(pictured_));
    }
    return written && !failures_ ? 0 : 1;
  }

 private:
  struct Program {
    std::string path;
    TestSpec spec;
    std::string failure;
  };

  // --- what there is to do ---

  bool read_earlier() {
    for (const std::string& file : options_.against) {
      std::string wrong;
      auto results = read_results(file, wrong);
      if (!results) {
        fmt::print(stderr, "{}\n", wrong);
        return false;
      }
      pictured_.emplace_back(file, std::move(*results));
    }
    return true;
  }
  bool add_programs() {
    std::optional<TestSpec> given;
    if (!options_.spec_file.empty() && !(given = read_spec(options_.spec_file))) return false;
    for (const std::string& path : programs_among(options_.words)) {
      if (!options_.ignored_files.empty() && matches(options_.ignored_files, path)) continue;
      auto spec = given ? given : read_spec(path);
      if (!spec) return false;
      bool cases = std::any_of(spec->blocks.begin(), spec->blocks.end(), [](const TestBlock& b) { return !b.cases.empty(); });
      if (cases && !spec->compile_error && !excluded(spec->tags)) programs_.push_back({path, std::move(*spec), ""});
    }
    return true;
  }
  bool excluded(const std::vector<std::string>& tags) const {
    return std::any_of(tags.begin(), tags.end(), [&](const std::string& t) {
      return t == "nobench" || t == "disable" || t == "no_" + options_.backend ||
             std::find(options_.excluded_cases.begin(), options_.excluded_cases.end(), t) != options_.excluded_cases.end();
    });
  }
  // Does f for each entry point and case to be measured.
  template <class F> void each_case(const Program& p, const std::string& entry, F&& f) const {
    for (const TestBlock& b : p.spec.blocks)
      if (std::find(b.entries.begin(), b.entries.end(), entry) != b.entries.end())
        for (const TestCase& c : b.cases)
          if (c.expect != TestCase::Expect::Error && !excluded(c.tags)) f(c);
  }
  std::vector<std::string> entries(const Program& p) const {
    std::vector<std::string> names;
    for (const TestBlock& b : p.spec.blocks)
      for (const std::string& e : b.entries)
        if ((options_.entry.empty() || e == options_.entry) && std::find(names.begin(), names.end(), e) == names.end()) names.push_back(e);
    return names;
  }

  // --- compiling ---

  void prepare() {
    std::atomic<size_t> next = 0;
    auto work = [&] {
      for (size_t i; (i = next++) < programs_.size();) prepare(programs_[i]);
    };
    std::vector<std::thread> workers;
    for (int64_t i = 1; i < std::min<int64_t>(options_.concurrency, int64_t(programs_.size())); i++) workers.emplace_back(work);
    work();
    for (std::thread& t : workers) t.join();
  }
  void prepare(Program& p) const {
    if (!options_.skip_compilation) {
      p.failure = compile_server(options_, tools_, options_.backend, p.path, executable_of(p.path));
      if (!p.failure.empty()) return;
    }
    std::string later;                   // what is wrong with the data is said when they are wanted
    for (const std::string& entry : entries(p))
      each_case(p, entry, [&](const TestCase& c) {
        if (c.input == TestCase::Input::Random) tools_.random_input(p.path, c.input_text, later);
      });
  }

  // --- measuring ---

  void measure(const Program& p) {
    if (!p.failure.empty()) {
      failures_++;
      print("\n{}:\n{}\n", p.path, p.failure);
      flush_output();
      results_.push_back({p.path, p.failure, {}});
      return;
    }
    ServedProgram served(options_, tools_, p.path);
    for (const std::string& entry : entries(p)) {
      size_t width = 20;
      bool any = false;
      each_case(p, entry, [&](const TestCase& c) { any = true, width = std::max(width, columns_of(c.title)); });
      if (!any) continue;
      ProgramResult& result = results_.emplace_back();
      result.name = entry == "main" ? p.path : p.path + ":" + entry;
      std::string tuning = served.tuning_file();
      print("\n{} ({}):\n", result.name, tuning.empty() ? "no tuning file" : "using " + tuning);
      each_case(p, entry, [&](const TestCase& c) { result.data_sets.push_back(data_set(served, entry, c, width + 2)); });
    }
  }

  DataSetResult data_set(ServedProgram& served, const std::string& entry, const TestCase& c, size_t width) {
    std::string title = padded(c.title + ":", width);
    Bar bar(terminal_, title);
    DataSetResult d;
    d.title = c.title;
    std::optional<Child::Time> deadline;
    if (options_.timeout >= 0) deadline = Clock::now() + std::chrono::seconds(options_.timeout);
    d.failure = runs(served, entry, c, deadline, bar, d);
    bar.clear();
    if (served.late() && deadline && Clock::now() >= *deadline) d.failure = fmt::format("No end after {} s.", options_.timeout);
    if (d.failure.empty()) {
      Statistics s = statistics(d.runtimes);
      print("{}{:>8.0f}μs (95% CI: [{:>10.1f}, {:>10.1f}]){}\n", title, s.mean, s.low, s.high, options_.memory ? "  " + memory_text(d) : "");
    } else {
      failures_++;
      d.runtimes.clear();
      print("{}\n{}\n", title, d.failure);
    }
    flush_output();
    return d;
  }

  // Empty, or what went wrong.
  std::string runs(ServedProgram& served, const std::string& entry, const TestCase& c, std::optional<Child::Time> deadline, Bar& bar, DataSetResult& d) {
    ServedCase run(served, entry, c, deadline);
    if (!run.load() || !run.once()) return run.error();         // once to warm up
    if (!measured(run, d.runtimes, bar)) return run.error();
    if (std::string wrong = run.wrong_result(options_.tolerance); !wrong.empty()) return wrong;
    if (options_.profile && !run.profiled(d.log)) return run.error();
    run.report(d.bytes, d.profiling);
    return "";
  }
  bool measured(ServedCase& run, std::vector<double>& runtimes, Bar& bar) const {
    Clock::time_point start = Clock::now();
    auto one = [&] {
      auto microseconds = run.once();
      if (microseconds) runtimes.push_back(double(*microseconds));
      return microseconds.has_value();
    };
    auto wanted = size_t(options_.runs);
    for (double taken = 0; runtimes.size() < wanted || taken < least_seconds; taken = seconds_since(start)) {
      double left = std::max(least_seconds - taken, runtimes.empty() ? 0 : taken / double(runtimes.size()) * (double(wanted) - double(runtimes.size())));
      bar.show(taken / std::max(taken + left, 1e-9), left, runtimes.size());
      if (!one()) return false;
    }
    if (options_.no_convergence || is_certain(statistics(runtimes))) return true;
    // The first runs were too uneven: they are measured anew, and then half as many more at a time.
    start = Clock::now();
    wanted = runtimes.size();
    runtimes.clear();
    auto most = double(options_.convergence_seconds);
    for (;;) {
      while (runtimes.size() < wanted) {
        double taken = seconds_since(start);
        if (taken >= most && runtimes.size() >= size_t(options_.runs)) return true;
        bar.show(taken / most, most - taken, runtimes.size());
        if (!one()) return false;
      }
      if (is_certain(statistics(runtimes))) return true;
      wanted += wanted / 2 + 1;
    }
  }

  const Options& options_;
  CaseTools tools_;
  bool terminal_;
  std::vector<Program> programs_;
  Results results_;
  std::vector<std::pair<std::string, Results>> pictured_;     // with the names they have in the picture
  size_t failures_ = 0;
};

}  // namespace

int command_bench(const Options& options) {
  if (!known_backend(options, options.backend)) return 2;
  if (options.profile && options.results.empty()) {
    fmt::print(stderr, "{}: --profile needs --json=FILE for what it collects\n", options.program);
    return 1;
  }
  if (std::string wrong = pattern_mistake(options.ignored_files); !wrong.empty()) {
    fmt::print(stderr, "{}: `{}` is not a regular expression: {}\n", options.program, options.ignored_files, wrong);
    return 2;
  }
  return Measurer(options).run();
}

}  // namespace raido
