// selection.cc - see selection.h: results of an operator are followed through selects and branches to its parameters.
//
// Branches say which components are equal. There a component may come from either operand. Numbers that are not ordered are left to the
// contract of `reduce`: an operator that gives one of its operands is not associative on them.
//
//   \a i b j { c = a > b; select c a b, select c i j }   ==>   \a i p b j q { c = a > b; select c a b, select c i j, select c p q }
#include "passes/parallel/selection.h"

#include <algorithm>

#include "compiler/ir/build.h"

namespace raido {
using namespace ir;
namespace {

// What branches have asked of a component of the operands x and y.
struct Compared {
  bool not_less = false, not_greater = false;              // x is not, as y
  bool equal() const { return not_less && not_greater; }
};

class Places {
 public:
  Places(Program& p, const Lambda& op) : p_(p), n_(op.params.size() / 2) {
    for (size_t k = 0; k < n_; k++) x_.push_back(op.params[k].var), y_.push_back(op.params[n_ + k].var);
  }
  // The place of a whole operand in terms of the places of the two.
  std::optional<Atom> of(Body& b, const std::vector<Atom>& whole, const std::array<Var, 2>& places, const std::vector<Compared>& known) {
    if (is_operand(whole, x_, y_, known)) return places[0];
    if (is_operand(whole, y_, x_, known)) return places[1];
    if (auto place = of_extremum(b, whole, places, known)) return place;
    for (Stm& s : b.stms) {
      auto choice = std::get_if<If>(&s.exp);
      auto yes = choice ? parts(s, choice->then_, whole) : std::nullopt, no = choice ? parts(s, choice->else_, whole) : std::nullopt;
      if (!yes || !no) continue;
      auto there = of(choice->then_, *yes, places, where(b, choice->cond, true, known)), here = of(choice->else_, *no, places, where(b, choice->cond, false, known));
      if (!there || !here) return {};
      choice->then_.result.push_back(*there);
      choice->else_.result.push_back(*here);
      s.pattern.push_back({p_.fresh("place", p_.type(places[0]))});
      return s.pattern.back().var;
    }
    std::optional<Atom> condition;
    std::vector<Atom> yes, no;
    for (const Atom& a : whole) {
      auto select = step(b, a);
      if (!select || select->op != ScalarOp::select || (condition && *condition != select->args[0])) return {};
      condition = select->args[0];
      yes.push_back(select->args[1]);
      no.push_back(select->args[2]);
    }
    auto there = of(b, yes, places, where(b, *condition, true, known)), here = of(b, no, places, where(b, *condition, false, known));
    if (!there || !here) return {};
    return selected(b, *condition, *there, *here);
  }

 private:
  Program& p_;
  size_t n_;
  std::vector<Atom> x_, y_;

  static bool is_operand(const std::vector<Atom>& whole, const std::vector<Atom>& one, const std::vector<Atom>& other, const std::vector<Compared>& known) {
    for (size_t k = 0; k < whole.size(); k++) if (whole[k] != one[k] && !(known[k].equal() && whole[k] == other[k])) return false;
    return true;
  }
  // The lesser or greater of two components, where all others are equal.
  std::optional<Atom> of_extremum(Body& b, const std::vector<Atom>& whole, const std::array<Var, 2>& places, const std::vector<Compared>& known) {
    std::optional<size_t> at;
    for (size_t k = 0; k < n_; k++) {
      if (known[k].equal() && (whole[k] == x_[k] || whole[k] == y_[k])) continue;
      if (at) return {};
      at = k;
    }
    auto extremum = at ? step(b, whole[*at]) : nullptr;
    if (!extremum || (extremum->op != ScalarOp::min && extremum->op != ScalarOp::max)) return {};
    const bool both = (extremum->args[0] == x_[*at] && extremum->args[1] == y_[*at]) || (extremum->args[0] == y_[*at] && extremum->args[1] == x_[*at]);
    if (!both) return {};
    Apply first{ScalarOp::le, {x_[*at], y_[*at]}};
    if (extremum->op == ScalarOp::max) std::swap(first.args[0], first.args[1]);
    Builder at_end(p_, b.stms);
    const Var is_first = at_end.bind1("first", std::move(first));
    return selected(b, is_first, places[0], places[1]);
  }
  Atom selected(Body& b, const Atom& condition, const Atom& yes, const Atom& no) {
    Builder at_end(p_, b.stms);
    return at_end.bind1("place", Apply{ScalarOp::select, {condition, yes, no}});
  }
  // What is known where a condition holds, or does not.
  std::vector<Compared> where(const Body& b, const Atom& condition, bool holds, std::vector<Compared> known) const {
    auto c = step(b, condition);
    if (!c) return known;
    for (size_t k = 0; k < n_; k++)
      for (bool turned : {false, true}) {
        if (c->args != (turned ? std::vector<Atom>{y_[k], x_[k]} : std::vector<Atom>{x_[k], y_[k]})) continue;
        const bool asks_equal = c->op == ScalarOp::eq && holds, asks_less = c->op == ScalarOp::lt && !holds;
        known[k].not_less = known[k].not_less || asks_equal || (asks_less && !turned);
        known[k].not_greater = known[k].not_greater || asks_equal || (asks_less && turned);
      }
    return known;
  }
  static const Apply* step(const Body& b, const Atom& a) {
    for (const Stm& s : b.stms)
      if (auto x = std::get_if<Apply>(&s.exp); x && Atom(s.pattern[0].var) == a) return x;
    return nullptr;
  }
  // What the branch gives for each component, if the statement binds them all.
  static std::optional<std::vector<Atom>> parts(const Stm& s, const Body& branch, const std::vector<Atom>& whole) {
    std::vector<Atom> out;
    for (const Atom& a : whole) {
      auto bound = std::ranges::find_if(s.pattern, [&](Bind x) { return Atom(x.var) == a; });
      if (bound == s.pattern.end()) return {};
      out.push_back(branch.result[size_t(bound - s.pattern.begin())]);
    }
    return out;
  }
};

}  // namespace

std::optional<Combine> with_place(Program& p, const Combine& c) {
  if (!c.shape.empty()) return {};
  Combine made = clone(p, c);
  Lambda& f = made.op;
  const size_t n = f.params.size() / 2;
  Places through(p, f);
  const Type place = scalar_type(Scalar::I64);
  const std::array<Var, 2> places = {p.fresh("place", place), p.fresh("place", place)};
  auto chosen = through.of(f.body, f.body.result, places, std::vector<Compared>(n));
  if (!chosen) return {};
  f.body.result.push_back(*chosen);
  f.params.push_back({places[1]});
  f.params.insert(f.params.begin() + i64(n), {places[0]});
  made.neutral.push_back(i64_const(-1));
  return made;
}

}  // namespace raido
