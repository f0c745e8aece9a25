// pass.h - what a pass is, what it may ask for, and the runner, which is the only code that knows of time, dumps and checks.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/target.h"
#include "passes/options.h"
#include "passes/reports.h"

namespace raido {

// Counters and times of a compilation, as `dev --stats` and `--time-passes` show them.
class Stats {
 public:
  struct Row {
    int runs = 0;
    double milliseconds = 0;
    size_t before = 0, after = 0;            // statements, at the first and the last run
  };
  void count(const std::string& event, int64_t n = 1) {
    counts_[event] += n;
    events_++;
  }
  int64_t events() const { return events_; }        // how often something was counted
  const std::map<std::string, int64_t>& counts() const { return counts_; }
  Row& row(std::string_view pass);
  const std::vector<std::pair<std::string, Row>>& rows() const { return rows_; }

 private:
  int64_t events_ = 0;
  std::map<std::string, int64_t> counts_;
  std::vector<std::pair<std::string, Row>> rows_;   // in order of first run
};

// A list of passes and of groups. A group runs if a condition holds of the program, or if the pass before it found something to do.
struct Step;
using Pipeline = std::vector<Step>;
using Predicate = bool (*)(const ir::Program&);
struct Step {
  const Pass* pass = nullptr;
  Predicate condition = nullptr;
  Pipeline group;
  Step(const Pass& p) : pass(&p) {}
  Step(const Pass& p, Pipeline then) : pass(&p), group(std::move(then)) {}
  Step(Predicate c, Pipeline g) : condition(c), group(std::move(g)) {}
};
Pipeline operator+(Pipeline a, const Pipeline& b);
Pipeline when(Predicate condition, Pipeline group);
Pipeline then(const Pass& pass, Pipeline group);

struct PassContext {
  const PassOptions& options;
  ir::Target target;
  Stats& stats;
  std::vector<Refused> refused;
  int64_t rewrites = 0;
  std::vector<Note> notes;
  std::vector<Exceeded> exceeded = {};
  // Statements that the device refused in earlier runs, each as often as it did. movable: what it refuses may become part of a loop of the
  // CPU, in a further run. stuck: it refused something around which no map was left.
  std::vector<ir::Source> on_host = {};
  bool movable = false, stuck = false;
  // If passes are verified: what is run on what, and how many ran. A pass that broke a rule is found again by running those before.
  std::optional<ir::Program> start = {}, stopped = {};
  Pipeline pipeline = {};
  size_t passes = 0, stop_before = SIZE_MAX;
  const Pass* misplaced = nullptr;           // one that was to run at a level where it cannot

  bool done() const { return stopped || misplaced || stuck || !refused.empty(); }
  void refuse(ir::Source at, Refusal why, std::string detail = "") { refused.push_back({at, why, std::move(detail)}); }
  void note(ir::Program& p, ir::Var v, Note n);
  void note(Note n);                         // of no variable
  // Optional rewrites ask first, so that a wrong one can be found by bisection.
  bool allow() { return options.bisect_limit < 0 || rewrites++ < options.bisect_limit; }
};

struct Pass {
  std::string_view name;
  int from, to;                              // levels; to 0: the level stays
  void (*run)(ir::Program&, PassContext&);
  std::string_view summary;
};

#define PASS(name, from, to, summary) void name(ir::Program&, PassContext&);
#include "passes/passes.def"
#undef PASS
namespace pass {
constexpr int Ad = ir::Ad, Core = ir::Core, Parallel = ir::Parallel, Memory = ir::Memory, Any = ir::Any, Same = 0;
#define PASS(name, from, to, summary) inline constexpr Pass name{#name, from, to, raido::name, summary};
#include "passes/passes.def"
#undef PASS
}  // namespace pass

const std::vector<const Pass*>& all_passes();
const Pass* find_pass(std::string_view name);

// Runs the passes in order; stops after one that refused something.
void run(const Pipeline& pipeline, ir::Program& program, PassContext& context);

}  // namespace raido
