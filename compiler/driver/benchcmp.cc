// benchcmp.cc - `raido benchcmp`: what is faster in the second of two files of results, and what is slower.
//
// A change is significant if the means are farther apart than half the two standard deviations together.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/output.h"
#include "compiler/driver/results.h"

namespace raido {
namespace {

bool about_one(double ratio) { return ratio >= 0.99 && ratio <= 1.01; }

struct Change {
  std::string title;
  double speedup = 1;
  bool significant = false;
  std::vector<std::pair<std::string, double>> memory;     // spaces whose use has changed: after / before
};
struct Comparison {
  std::string program;
  std::vector<Change> changes;
};

Change change_of(const DataSetResult& before, const DataSetResult& after) {
  Statistics a = statistics(before.runtimes), b = statistics(after.runtimes);
  Change c{before.title, 1, std::abs(a.mean - b.mean) > a.deviation / 2 + b.deviation / 2, {}};
  if (a.mean != b.mean) c.speedup = a.mean / b.mean;
  for (auto& [space, was] : before.bytes)
    for (auto& [other, is] : after.bytes)
      if (space == other && was > 0 && !about_one(double(is) / double(was))) c.memory.emplace_back(space, double(is) / double(was));
  return c;
}

class Comparer {
 public:
  Comparer(std::string before, std::string after) : names_{std::move(before), std::move(after)} {}

  std::vector<Comparison> compare(const Results& before, const Results& after) {
    std::vector<Comparison> all;
    both(before, after, [](const ProgramResult& p) { return p.name; }, "", [&](const ProgramResult& a, const ProgramResult& b) {
      Comparison& c = all.emplace_back();
      c.program = a.name;
      both(a.data_sets, b.data_sets, [](const DataSetResult& d) { return d.title; }, fmt::format(" of program {}", a.name),
           [&](const DataSetResult& x, const DataSetResult& y) { c.changes.push_back(change_of(x, y)); });
    });
    return all;
  }

 private:
  // Does f for each pair with the same name; says which are alone or have failed.
  template <class T, class Name, class F>
  void both(const std::vector<T>& before, const std::vector<T>& after, Name&& name, const std::string& where, F&& f) {
    const std::string what = where.empty() ? "program " : "data set ";
    auto find = [&](const std::vector<T>& all, const T& x) {
      return std::find_if(all.begin(), all.end(), [&](const T& y) { return name(y) == name(x); });
    };
    for (const T& a : before) {
      auto b = find(after, a);
      if (b == after.end()) {
        say(fmt::format("In {} but not {}: {}{}{}", names_[0], names_[1], what, name(a), where));
      } else if (a.failure.empty() && b->failure.empty()) {
        f(a, *b);
      }
      if (!a.failure.empty()) failed(0, what + name(a) + where, a.failure);
      if (b != after.end() && !b->failure.empty()) failed(1, what + name(a) + where, b->failure);
    }
    for (const T& b : after)
      if (find(before, b) == before.end()) say(fmt::format("In {} but not {}: {}{}{}", names_[1], names_[0], what, name(b), where));
  }
  void failed(int which, const std::string& what, const std::string& why) const {
    say(fmt::format("Failed in {}: {}: {}", names_[which], what, why.substr(0, why.find('\n'))));
  }
  static void say(const std::string& text) { print("{}\n", text); }

  std::string names_[2];
};

// What programs are ordered by: a speedup; 1 if nothing counts.
double rank(const Comparison& c, const std::string& by, bool worst) {
  double extreme = 1, logarithms = 0, count = 0;
  for (const Change& x : c.changes) {
    if (!x.significant && by != "geomean-all") continue;
    extreme = worst ? std::min(extreme, x.speedup) : std::max(extreme, x.speedup);
    logarithms += std::log(x.speedup);
    count++;
  }
  return by == "significant" ? extreme : count > 0 ? std::exp(logarithms / count) : 1;
}

}  // namespace

int command_benchcmp(const Options& options) {
  Results files[2];
  for (size_t i = 0; i < 2; i++) {
    std::string wrong;
    auto results = read_results(options.words[i], wrong);
    if (!results) {
      fmt::print(stderr, "{}\n", wrong);
      return 1;
    }
    files[i] = std::move(*results);
  }
  std::vector<Comparison> all = Comparer(options.words[0], options.words[1]).compare(files[0], files[1]);
  if (!options.sort_by.empty()) {
    bool worst = options.order == "worst-first";
    std::stable_sort(all.begin(), all.end(), [&](const Comparison& a, const Comparison& b) {
      double x = rank(a, options.sort_by, worst), y = rank(b, options.sort_by, worst);
      return worst ? x < y : x > y;
    });
  }
  bool colour = isatty(1);
  auto painted = [&](const char* code, std::string text) { return colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text; };
  auto judged = [&](bool counts, bool good, std::string text) { return counts ? painted(good ? "32" : "31", std::move(text)) : text; };
  for (const Comparison& c : all) {
    if (c.changes.empty()) continue;
    print("\n{}\n", painted("1", c.program));
    for (const Change& x : c.changes) {
      std::string line = judged(x.significant && !about_one(x.speedup), x.speedup > 1, fmt::format("{:>10.2f}x", x.speedup));
      std::string memory = join(x.memory, ", ", [&](auto& m) { return judged(true, m.second < 1, fmt::format("{:.2f}x@{}", m.second, m.first)); });
      print("  {:<64}{}{}\n", x.title + ":", line, memory.empty() ? "" : fmt::format(" (mem: {})", memory));
    }
  }
  return 0;
}

}  // namespace raido
