// pass.h - what a pass is, what it may ask for, and the runner, the only code that knows of time, dumps and checks.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/target.h"

namespace raido {

// What a pass may refuse to do with a program that a user may write.
enum class Refusal : uint8_t {
  DifferentiateRecursion,   // a derivative of a function that takes this derivative itself
  ActiveInRule,             // what a function with a derivative rule uses beside its argument is differentiated; `detail` names it
  DeviceCode,               // what a device cannot run; `detail` says what
};
struct Refused {
  ir::Source at;
  Refusal why;
  std::string detail;
};

// Counters and times of a compilation, as `dev --stats` and `--time-passes` show them.
class Stats {
 public:
  struct Row {
    int runs = 0;
    double milliseconds = 0;
    size_t before = 0, after = 0;            // statements, at the first and the last run
  };
  void count(const std::string& event, int64_t n = 1) { counts_[event] += n; }
  const std::map<std::string, int64_t>& counts() const { return counts_; }
  Row& row(std::string_view pass);
  const std::vector<std::pair<std::string, Row>>& rows() const { return rows_; }

 private:
  std::map<std::string, int64_t> counts_;
  std::vector<std::pair<std::string, Row>> rows_;   // in order of first run
};

// What differentiation did at a place, for `dev --explain-ad`: variables carry the attribute `ad` with the number of a note, so
// that it is known of the finished program what became of it.
struct AdNote {
  enum class Kind : uint8_t { Again, Recorded, Overwritten, Kept, Loop, Slots, Adjoint, Strip } kind;
  ir::Source at;
  std::string name;         // of what is recorded, or gets an adjoint; of a loop, what --ad-memory decided; of a strip, its directions
};

struct Pass;
struct PassOptions {
  bool verify = false;                       // run the verifier after each pass
  std::set<std::string, std::less<>> disabled;   // --no-PASS
  int64_t bisect_limit = -1;                 // stop optional rewrites after so many; -1: never
  bool strict_fp = false;                    // --fp=strict
  bool explain_ad = false;                   // differentiation makes notes
  bool ad_int_cast = false;                  // --ad-int-cast: the derivative of a conversion to an integer is a conversion
  bool ad_safe_mul = false;                  // --ad-safe-mul: a partial derivative or an adjoint of 0 makes 0 of their product
  bool ad_check = false;                     // --ad-check: what #[true_dep] and #[distinct] assert is verified at run time
  int64_t ad_memory = 0;                     // --ad-memory: bytes for the states of a loop that reverse mode keeps; 0: no limit
  // Called after each pass with the program before (empty unless keep_before) and after: dumps and comparisons.
  bool keep_before = false;
  std::function<void(const Pass&, const ir::Program& before, const ir::Program& after)> observe;
  std::string reproduce;                     // the command line, for internal errors
};

// A list of passes and of groups that run if a condition holds.
struct Step;
using Pipeline = std::vector<Step>;
using Predicate = bool (*)(const ir::Program&);
struct Step {
  const Pass* pass = nullptr;
  Predicate condition = nullptr;
  Pipeline group;
  Step(const Pass& p) : pass(&p) {}
  Step(Predicate c, Pipeline g) : condition(c), group(std::move(g)) {}
};
Pipeline operator+(Pipeline a, const Pipeline& b);
Pipeline when(Predicate condition, Pipeline group);
bool has_ends(const ir::Program& p);         // whether `peel` finds a loop

struct PassContext {
  const PassOptions& options;
  ir::Target target;
  Stats& stats;
  std::vector<Refused> refused;
  int64_t rewrites = 0;
  std::vector<AdNote> notes;
  // If passes are verified: what is run on what, and how many ran. A pass that broke a rule is found again by running those before.
  std::optional<ir::Program> start = {}, stopped = {};
  Pipeline pipeline = {};
  size_t passes = 0, stop_before = SIZE_MAX;

  bool done() const { return stopped || !refused.empty(); }
  void refuse(ir::Source at, Refusal why, std::string detail = "") { refused.push_back({at, why, std::move(detail)}); }
  void note(ir::Program& p, ir::Var v, AdNote n) {
    if (!options.explain_ad) return;
    p.vars[v.index].attrs.push_back({"ad", {int64_t(notes.size())}});
    notes.push_back(std::move(n));
  }
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
