// chosen_rows.cc - CPU: where one of two rows is chosen and its elements are read, each read chooses.
//
//   let y = if c { in a } else { let r = x[k] in r }            for i < n { .. if c { a[i] } else { x[k, i] } .. }                             Z1
//   for i < n { .. y[i] .. }                             ==>
//
// Such a row has no memory of its own: which block it lies in is known when the program runs. Lanes (passes/memory/lane_loops.h) need to know that of
// arrays that an iteration makes. So this is for rows of such arrays, read by loops without sums: `unswitch` takes the branch out of these
// again, where the loop around has no lanes. The row before the first one is chosen so, in adjoints of scans and in dynamic programming.
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/rewrite.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class ChosenRows {
 public:
  ChosenRows(Program& p, PassContext& context) : p_(p), context_(context) {}

  void body(Body& whole) {
    for (size_t k = 0; k < whole.stms.size(); k++) {
      Stm& s = whole.stms[k];
      for (Bind x : s.pattern) depth_[x.var] = depth_here_;
      if (auto loop = std::get_if<For>(&s.exp)) for (Bind x : loop->state) depth_[x.var] = depth_here_;
      const bool repeats = kind_of(s.exp) == Kind::Loop || std::holds_alternative<Seg>(s.exp);
      depth_here_ += repeats;
      walk_parts(s, [&](Body& inner) { body(inner); });
      depth_here_ -= repeats;
      auto choice = std::get_if<If>(&s.exp);
      if (!choice || !is_light(choice->then_) || !is_light(choice->else_)) continue;
      for (size_t r = 0; r < s.pattern.size(); r++) {
        const Var y = s.pattern[r].var;
        bool fits = is_array(p_.type(y)) && (is_of_iteration(choice->then_, r) || is_of_iteration(choice->else_, r)) && has_only_reads(whole, y);
        if (!fits || !context_.allow()) continue;
        reads(whole, y, *choice, r);
        context_.stats.count("chosen_rows.Z1");
      }
    }
  }

 private:
  static constexpr size_t most_reads = 8, most_statements = 8;
  Program& p_;
  PassContext& context_;
  std::unordered_map<Var, size_t> depth_;                  // what statements and loops bind: in how many loops
  size_t depth_here_ = 0;

  // Whether the row is one of an array that an iteration of a loop further out makes.
  bool is_of_iteration(const Body& side, size_t result) const {
    Var array = *var_of(side.result[result]);
    for (size_t k = side.stms.size(); k-- > 0;)
      if (auto x = std::get_if<Index>(&side.stms[k].exp); x && side.stms[k].pattern[0].var == array) array = x->array;
    auto made = depth_.find(array);
    return made != depth_.end() && made->second > 0 && made->second < depth_here_;
  }
  // A side that finds a row: no work and no checks.
  bool is_light(const Body& side) const {
    auto is_row = [&](const Stm& s) {
      auto filled = std::get_if<Replicate>(&s.exp);
      return is_step(s.exp) || (is_view(s.exp) && is_array(p_.type(s.pattern[0].var))) || (filled && (!var_of(filled->value) || is_scalar(p_.type(*var_of(filled->value)))));
    };
    return side.stms.size() <= most_statements && std::all_of(side.stms.begin(), side.stms.end(), [&](const Stm& s) { return s.checks.empty() && is_row(s); });
  }
  static const Index* read_of(const Stm& s, Var y) {
    auto x = std::get_if<Index>(&s.exp);
    return x && x->array == y ? x : nullptr;
  }
  bool is_element(const Stm& s, Var y) const { return read_of(s, y) && s.pattern.size() == 1 && is_scalar(p_.type(s.pattern[0].var)); }
  // By loops that are no sums.
  bool has_only_reads(const Body& whole, Var y) const {
    size_t found = 0;
    each_stm(whole, [&](const Stm& s) {
      auto loop = std::get_if<For>(&s.exp);
      if (!loop || std::ranges::any_of(loop->state, [&](Bind b) { return is_scalar(p_.type(b.var)); })) return;
      found += size_t(std::count_if(loop->body.stms.begin(), loop->body.stms.end(), [&](const Stm& inner) { return is_element(inner, y); }));
    });
    return found > 0 && found <= most_reads && count_uses(p_, whole, y) == found;
  }
  void reads(Body& whole, Var y, const If& choice, size_t r) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      if (!is_element(s, y)) {
        if (std::get_if<If>(&s.exp) != &choice) walk_parts(s, [&](Body& inner) { reads(inner, y, choice, r); });
        return false;
      }
      auto side = [&](const Body& from) {
        Body row = clone(p_, from);
        const Var element = p_.fresh(p_.hint(s.pattern[0].var), p_.type(s.pattern[0].var));
        const Var array = *var_of(row.result[r]);
        row.stms.push_back({{{element}}, Index{array, read_of(s, y)->at}, s.checks, s.source, {}});
        row.result = {element};
        return row;
      };
      b.emit({s.pattern, If{choice.cond, side(choice.then_), side(choice.else_)}, {}, s.source, {}});
      return true;
    });
  }
};

}  // namespace

void chosen_rows(Program& program, PassContext& context) {
  program.each_body([&](Body& b) { ChosenRows(program, context).body(b); });
}

}  // namespace raido
