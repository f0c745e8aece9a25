// autotune.cc - `raido autotune`: the values of tuning parameters with which the cases of test blocks run fastest.
//
// One parameter after the other takes each of a few values, until a round brings no more. For each data set the time is divided by the
// time with the defaults. What counts is the geometric mean of these ratios, so small data sets count as much as large ones. A value with
// which a case fails or gives something else is out. The choices between versions that a program logs (`Compared NAME <= VALUE`) say which
// thresholds matter.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/driver/cases.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/output.h"
#include "compiler/driver/results.h"
#include "compiler/driver/serve.h"

namespace raido {
namespace {

using Clock = std::chrono::steady_clock;
using Values = std::map<std::string, int64_t>;

constexpr double worth_it = 0.97;             // a smaller gain may be luck

struct Parameter { std::string name, kind; };

std::vector<int64_t> powers(int from, int to, int step) {
  std::vector<int64_t> out;
  for (int k = from; k <= to; k += step) out.push_back(int64_t(1) << k);
  return out;
}
// Values that may be good, by the class of the parameter; none of limits of the device.
std::vector<int64_t> candidates(const std::string& kind, const std::set<int64_t>& compared) {
  if (kind.starts_with("threshold")) {
    if (compared.empty()) return powers(0, 30, 2);
    std::vector<int64_t> all(compared.begin(), compared.end());     // just reached by each of the values
    all.push_back(all.back() + 1);
    return all;
  }
  if (kind == "thread_block_size") return powers(5, 10, 1);
  if (kind == "grid_size") return powers(4, 16, 2);
  if (kind == "tile_size") return powers(3, 6, 1);
  if (kind == "reg_tile_size") return powers(0, 3, 1);
  if (kind == "custom") return powers(0, 12, 1);
  return {};
}

class Tuner {
 public:
  Tuner(const Options& options, std::string path) : options_(options), tools_(options_), path_(std::move(path)) { options_.no_tuning = true; }

  int run() {
    auto spec = read_spec(options_.spec_file.empty() ? path_ : options_.spec_file);
    if (!spec) return 1;
    spec_ = std::move(*spec);
    find_cases();
    if (cases_.empty()) return fail("there is no case to tune by");
    if (!options_.skip_compilation)
      if (std::string wrong = compile_server(options_, tools_, options_.backend, path_, executable_of(path_)); !wrong.empty()) return fail(wrong);
    if (!find_parameters()) return 1;
    if (parameters_.empty()) {
      print("{} has no parameters that can be tuned.\n", path_);
      return 0;
    }
    print("Tuning {} parameters of {} by {} data sets.\n", parameters_.size(), path_, cases_.size());
    flush_output();
    base_ = times({});
    if (base_.empty()) return fail(wrong_);
    search();
    std::string text = fmt::format("-- Made by raido autotune --backend={}.\n", options_.backend);
    for (auto& [name, value] : best_) text += fmt::format("{}={}\n", name, value);
    std::string file = path_ + "." + options_.tuning;
    if (!write_or_say(file, text)) return 1;
    print("{} takes {:.2f} of the time with {}.\n", path_, score_, file);
    return 0;
  }

 private:
  struct Case { std::string entry; const TestCase* test; };

  int fail(const std::string& what) const {
    fmt::print(stderr, "{}: {}\n", path_, what);
    return 1;
  }

  void find_cases() {
    auto excluded = [&](const std::vector<std::string>& tags) {
      return std::any_of(tags.begin(), tags.end(), [&](const std::string& t) { return t == "notune" || t == "disable" || t == "no_" + options_.backend; });
    };
    if (excluded(spec_.tags)) return;
    for (const TestBlock& b : spec_.blocks)
      for (const std::string& entry : b.entries)
        for (const TestCase& c : b.cases)
          if (c.expect != TestCase::Expect::Error && !excluded(c.tags)) cases_.push_back({entry, &c});
  }
  bool find_parameters() {
    ProcessResult r = run_process({executable_of(path_), "--print-params"}, "");
    if (r.exit_code != 0) return fail(r.started ? r.err : fmt::format("{} is not there", executable_of(path_))), false;
    // What a custom parameter changes may be the result, so someone must say what that is.
    bool results_known = std::all_of(cases_.begin(), cases_.end(), [](const Case& c) { return c.test->expect != TestCase::Expect::Success; });
    for (const std::string& line : split(r.out, '\n')) {
      size_t open = line.find(" (");
      if (open == line.npos || !line.ends_with(")")) continue;
      Parameter p{line.substr(0, open), line.substr(open + 2, line.size() - open - 3)};
      if (!candidates(p.kind, {}).empty() && (p.kind != "custom" || results_known)) parameters_.push_back(std::move(p));
    }
    return true;
  }

  // The microseconds of each case with these values; none if one of them fails, or takes many times as long as before.
  std::vector<double> times(const Values& values) {
    std::vector<std::string> settings = {"--log"};
    for (auto& [name, value] : values) settings.insert(settings.end(), {"--param", fmt::format("{}={}", name, value)});
    ServedProgram program(options_, tools_, path_, settings);
    std::vector<double> out;
    for (size_t i = 0; i < cases_.size(); i++) {
      const Case& c = cases_[i];
      Clock::time_point start = Clock::now();
      std::optional<Child::Time> deadline;
      if (i < seconds_.size()) deadline = start + std::chrono::milliseconds(1000 + int64_t(10000 * seconds_[i]));
      else if (options_.timeout >= 0) deadline = start + std::chrono::seconds(options_.timeout);
      ServedCase run(program, c.entry, *c.test, deadline);
      std::vector<double> runs;
      bool done = run.load() && run.once();
      if (done) note_comparisons(program.server(deadline, wrong_)->lines());
      for (int64_t k = 0; done && k < options_.runs; k++) {
        auto microseconds = run.once();
        done = microseconds.has_value();
        if (done) runs.push_back(double(*microseconds));
      }
      wrong_ = done ? run.wrong_result(options_.tolerance) : run.error();
      if (!wrong_.empty()) {
        wrong_ = fmt::format("entry point {}, data set {}: {}", c.entry, c.test->title, wrong_);
        return {};
      }
      out.push_back(std::max(1.0, statistics(runs).mean));
      if (seconds_.size() == i) seconds_.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    return out;
  }
  // `Compared NAME <= VALUE: true.`
  void note_comparisons(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      if (!line.starts_with("Compared ")) continue;
      std::vector<std::string> words = split(line, ' ');
      if (words.size() >= 4 && words[2] == "<=") compared_[words[1]].insert(std::atoll(words[3].c_str()));
    }
  }
  double score(const std::vector<double>& times) const {
    double sum = 0;
    for (size_t i = 0; i < times.size(); i++) sum += std::log(times[i] / base_[i]);
    return std::exp(sum / double(times.size()));
  }

  void search() {
    std::set<Values> tried;
    for (bool better = true; better;) {
      better = false;
      for (const Parameter& p : parameters_)
        for (int64_t value : candidates(p.kind, compared_[p.name])) {
          Values values = best_;
          values[p.name] = value;
          if (!tried.insert(values).second) continue;
          std::vector<double> now = times(values);
          double s = now.empty() ? 0 : score(now);
          if (options_.verbose) fmt::print(stderr, "{}={}: {}\n", p.name, value, now.empty() ? wrong_ : fmt::format("{:.2f} of the time", s));
          if (now.empty() || s >= score_ * worth_it) continue;
          // Luck does not come twice: both are measured again.
          std::vector<double> again = times(values), before = times(best_);
          if (again.empty() || before.empty()) continue;
          s = std::max(s, score(again));
          if (s >= std::min(score_, score(before)) * worth_it) continue;
          score_ = s, best_ = values, better = true;
          print("{}={}: {:.2f} of the time\n", p.name, value, s);
          flush_output();
        }
    }
  }

  Options options_;
  CaseTools tools_;
  std::string path_;
  TestSpec spec_;
  std::vector<Case> cases_;
  std::vector<Parameter> parameters_;
  std::map<std::string, std::set<int64_t>> compared_;
  std::vector<double> base_, seconds_;        // of each case with the defaults: microseconds of a run, seconds of all
  Values best_;
  double score_ = 1;
  std::string wrong_;
};

}  // namespace

int command_autotune(const Options& options) {
  Options how = options;
  how.backend = options.tuned_backend;
  if (!known_backend(how, how.backend)) return 2;
  return Tuner(how, how.words[0]).run();
}

}  // namespace raido
