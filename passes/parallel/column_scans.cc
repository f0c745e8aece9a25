// column_scans.cc - see column_scans.h. A map that is taken has one scan and, around it, slices of columns.
#include "passes/parallel/column_scans.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/types.h"

namespace raido {
using namespace ir;
namespace {

const Screma* scan_in(const Screma& map) {
  for (const Stm& s : map.pre.body.stms) if (auto x = std::get_if<Screma>(&s.exp)) return x;
  return nullptr;
}

// Code on the elements of one column becomes code on rows.
class Rows {
 public:
  Rows(Builder& b, const Screma& map) : b_(b), p_(b.program), map_(map) {
    for (size_t k = 0; k < map.inputs.size(); k++) {
      const Var v = map.pre.params[k].var;
      if (is_array(p_.type(v))) rows_.emplace(v, b.permute(map.inputs[k], {1, 0}));
      else numbers_.emplace_back(v, map.inputs[k]);
    }
  }
  std::vector<Var> results() {
    for (const Stm& s : map_.pre.body.stms) {
      b_.source = s.source;
      if (auto x = std::get_if<Screma>(&s.exp)) scan(s, *x);
      else if (auto part = std::get_if<Index>(&s.exp)) rows_.emplace(s.pattern[0].var, b_.bind1("rows", Index{rows_.at(part->array), part->at}));
    }
    std::vector<Var> out;
    for (const Atom& a : map_.pre.body.result) out.push_back(rows_.at(*var_of(a)));
    return out;
  }

 private:
  Builder& b_;
  Program& p_;
  const Screma& map_;
  std::unordered_map<Var, Var> rows_;                      // of a column: all of them, by rows
  std::vector<std::pair<Var, Var>> numbers_;               // one for each column: all of them

  void scan(const Stm& s, const Screma& x) {
    Screma made{.width = x.width, .inputs = {}, .pre = {}, .reduces = {}, .scans = clone(p_, x.scans), .post = {}, .post_reduces = {}};
    Builder::Params params;
    for (size_t k = 0; k < x.inputs.size(); k++) {
      auto of = rows_.find(x.inputs[k]);
      made.inputs.push_back(of == rows_.end() ? x.inputs[k] : of->second);
      params.emplace_back(p_.hint(x.pre.params[k].var), row_type(p_.type(made.inputs.back())));
    }
    made.pre = b_.lambda(params, [&](const std::vector<Var>& row) { return over_row(x.pre, row); });
    for (Combine& c : made.scans) c.shape = {map_.width};
    if (!identity_post(x)) {
      params.clear();
      for (Bind y : x.post.params) params.emplace_back(p_.hint(y.var), array_type(elem_of(p_, y.var), {map_.width}));
      made.post = b_.lambda(params, [&](const std::vector<Var>& row) { return over_row(x.post, row); });
    }
    std::vector<std::string> hints;
    for (Bind y : s.pattern) hints.push_back(p_.hint(y.var));
    std::vector<Var> results = b_.bind(hints, std::move(made));
    for (size_t k = 0; k < results.size(); k++) rows_.emplace(s.pattern[k].var, results[k]);
  }
  // `f` of each element of the row; what is no array there is the same for all.
  std::vector<Atom> over_row(const Lambda& f, const std::vector<Var>& row) {
    Subst names;
    std::vector<Var> inputs;
    Lambda element;
    auto input = [&](Var param, Var array) {
      inputs.push_back(array);
      element.params.push_back({p_.fresh(p_.hint(param), scalar_type(elem_of(p_, param)))});
      names.emplace(param, element.params.back().var);
    };
    Lambda whole = clone(p_, f);
    for (size_t k = 0; k < row.size(); k++) {
      if (is_array(p_.type(row[k]))) input(whole.params[k].var, row[k]);
      else names.emplace(whole.params[k].var, row[k]);
    }
    for (auto& [number, all] : numbers_) input(number, all);
    element.body = std::move(whole.body);
    substitute(p_, element.body, names);
    std::vector<Var> made = b_.map("x", map_.width, std::move(element), inputs);
    return {made.begin(), made.end()};
  }
};

}  // namespace

bool is_scan_of_columns(const Program& p, const Screma& map, const VarMap<const Exp*>& views) {
  const Screma* scan = is_map(map) ? scan_in(map) : nullptr;
  auto width = const_of(map.width);
  if (!scan || scan->scans.empty() || !scan->reduces.empty() || !scan->post_reduces.empty() || scan->ordered) return false;
  if (width && width->as_i64() <= costs::cpu::unrolled) return false;
  VarSet columns, made, own = bound_in(map.pre);
  bool far = false;
  for (size_t k = 0; k < map.inputs.size(); k++) {
    const Var v = map.pre.params[k].var;
    if (is_acc(p.type(v)) || shape_of(p.type(v)).size() > 1) return false;
    if (is_scalar(p.type(v))) continue;
    columns.insert(v);
    auto turned = views[map.inputs[k]] ? std::get_if<Permute>(views[map.inputs[k]]) : nullptr;
    if (!turned) return false;
    far = true;
  }
  auto outside = [&](const Atom& a) { return !var_of(a) || !own.contains(*var_of(a)); };
  for (const Stm& s : map.pre.body.stms) {
    if (!s.checks.empty()) return false;
    if (auto part = std::get_if<Index>(&s.exp)) {
      auto range = part->at.size() == 1 ? std::get_if<Slice>(&part->at[0]) : nullptr;
      if (!range || !columns.contains(part->array) || !outside(range->start) || !outside(range->count) || !outside(range->stride)) return false;
    } else if (std::get_if<Screma>(&s.exp) != scan) {
      return false;
    }
    for (Bind y : s.pattern) {
      if (shape_of(p.type(y.var)).size() != 1) return false;
      columns.insert(y.var);
    }
  }
  for (const Atom& a : map.pre.body.result) if (!var_of(a) || !columns.contains(*var_of(a))) return false;
  if (!outside(scan->width) || !std::ranges::any_of(scan->inputs, [&](Var v) { return columns.contains(v); })) return false;
  for (Var v : scan->inputs) if (!columns.contains(v) && (!outside(v) || shape_of(p.type(v)).size() != 1)) return false;
  bool plain = true;
  for (const Lambda* f : {&scan->pre, &scan->post}) each_stm(f->body, [&](const Stm& s) { plain = plain && (is_step(s.exp) || kind_of(s.exp) == Kind::Branch) && s.checks.empty(); });
  for (const Combine& c : scan->scans) {
    plain = plain && c.shape.empty() && std::ranges::all_of(c.neutral, outside);
    for (Bind y : c.op.params) plain = plain && is_scalar(p.type(y.var));
    for (Var v : free_vars(p, c.op)) plain = plain && outside(v);
  }
  for (const Lambda* f : {&scan->pre, &scan->post})
    for (const Atom& a : f->body.result) plain = plain && (const_of(a) || is_scalar(p.type(*var_of(a))));
  return plain && far;
}

std::vector<Var> scan_of_rows(Builder& b, const Screma& map) { return Rows(b, map).results(); }

}  // namespace raido
