// split.cc - the inverse of fusion: every screma becomes a chain of maps, reductions and scans. First comes a map, then one
// reduce or scan for each operator, then a map of the scanned values. Last come the reductions after post. Differentiation
// has one rule for each of these pure forms. An operator whose components do not need one another, as in a sum and a
// maximum, is several operators.
#include <algorithm>

#include "compiler/ir/rewrite.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/types.h"
#include "passes/cleanup/dce.h"

namespace raido {
namespace {

using namespace ir;

class Splitter {
 public:
  Splitter(Program& p, PassContext& context) : p_(p), context_(context) {}
  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      auto x = std::get_if<Screma>(&s.exp);
      if (!x || is_map(*x) || (is_reduce(*x) && is_one(x->reduces)) || (is_scan(*x) && is_one(x->scans))) return false;
      b.checks = s.checks;
      b.attrs = s.attrs;
      bool ordered = x->ordered;
      size_t first = whole.stms.size();
      std::vector<Var> values = split(b, std::move(*x));
      for (size_t i = first; i < whole.stms.size(); i++)
        if (auto made = std::get_if<Screma>(&whole.stms[i].exp)) made->ordered = ordered;
      for (size_t i = 0; i < s.pattern.size(); i++) {
        Var v = values[i];
        p_.vars[v.index].hint = p_.hint(s.pattern[i].var);
        results.emplace(s.pattern[i].var, v);
      }
      return true;
    });
  }

 private:
  Program& p_;
  PassContext& context_;

  bool is_one(const std::vector<Combine>& ops) {
    if (ops.size() != 1) return false;
    std::vector<size_t> group = groups_of(p_, context_, ops[0]);
    return std::ranges::count(group, group[0]) == isize(group);
  }

  // Calls f with each part of each operator and its operands among `from`, which stand there from `first` on. Returns what f
  // returned for the components.
  template <class F> std::vector<Var> each_operator(const std::vector<Combine>& ops, const std::vector<Var>& from, size_t first, F f) {
    std::vector<Var> out;
    for (const Combine& c : ops) {
      std::vector<size_t> group = groups_of(p_, context_, c);
      size_t k = group.size(), at = out.size();
      out.resize(at + k);
      for (size_t g = 0; g < k; g++) {
        std::vector<bool> which;
        std::vector<Var> operands;
        for (size_t i = 0; i < k; i++) {
          which.push_back(group[i] == g);
          if (which[i]) operands.push_back(from[first + at + i]);
        }
        if (operands.empty()) continue;
        std::vector<Var> made = f(operands.size() == k ? c : part_of(p_, context_, clone(p_, c), which), operands);
        for (size_t i = 0, next = 0; i < k; i++) if (which[i]) out[at + i] = made[next++];
      }
    }
    return out;
  }
  std::vector<Var> split(Builder& b, Screma x) {
    Dim width = x.width;
    std::vector<Combine> reduces = std::move(x.reduces), scans = std::move(x.scans), post_reduces = std::move(x.post_reduces);
    Lambda post = std::move(x.post);
    bool identity = post.params.empty() && post.body.result.empty();
    size_t reduced = width_of(reduces), scanned = width_of(scans);
    // A result of the map must be an array: an accumulator or proof passes through.
    std::vector<Var> mapped;
    if (is_identity(x.pre)) mapped = x.inputs;
    else mapped = b.map("mapped", width, std::move(x.pre), x.inputs);
    auto reduce = [&](const Combine& c, const std::vector<Var>& operands) { return b.reduce("r", width, c, operands); };
    auto scan = [&](const Combine& c, const std::vector<Var>& operands) { return b.scan("s", width, c, operands); };
    std::vector<Var> out = each_operator(reduces, mapped, 0, reduce), outputs = each_operator(scans, mapped, reduced, scan);
    outputs.insert(outputs.end(), mapped.begin() + i64(reduced + scanned), mapped.end());
    std::vector<Var> last;
    if (!identity) {
      outputs = b.map("post", width, std::move(post), outputs);
      last = each_operator(post_reduces, outputs, outputs.size() - width_of(post_reduces), reduce);
      outputs.resize(outputs.size() - last.size());
    }
    out.insert(out.end(), outputs.begin(), outputs.end());
    out.insert(out.end(), last.begin(), last.end());
    return out;
  }
};

}  // namespace

void split(ir::Program& program, PassContext& context) {
  Splitter pass(program, context);
  program.each_body([&](ir::Body& b) { pass.body(b); });
}

}  // namespace raido
