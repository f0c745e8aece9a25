// checks.cc - checks that are the same in all iterations of a loop stand before it: C compilers make no vectors of a loop that may end early.
//
//   for (i = a; i < b; i++) {        if (a < b)
//     if (!c) fail (j, i);             if (!c) fail (j, a);
//     ..                        ==>  for (i = a; i < b; i++) ..
//   }
//
// The first iteration would have failed, so the message has its numbers. A check is moved only if nothing comes before it that may fail
// otherwise or that somebody could see: then the first failure stays the first. Inner loops come first, so a check may leave several.
#include "backends/kernel/checks.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "backends/kernel/walk.h"

namespace raido::kir {
namespace {

class Checks {
 public:
  explicit Checks(Module& m) : m_(m) {}

  void run(Block& b) {
    Block out;
    for (auto& s : b.take()) {
      each_body(*s, [&](Block& inner) { run(inner); });
      if (auto x = std::get_if<For>(&s->node)) move(*x, out);
      out.push_back(std::move(s));
    }
    b = std::move(out);
  }

 private:
  Module& m_;
  IdSet<Name> changed_;                                    // what the loop at hand declares or assigns
  std::unordered_map<Name, ExprId> first_;                 // what numbers of it are in the first iteration

  void move(For& x, Block& out) {
    if (std::none_of(x.body.begin(), x.body.end(), [](const Stm& s) { return std::holds_alternative<If>(s.node); })) return;
    changed_ = {};
    first_ = {{x.i, x.from}};
    for (Name n : used_names(m_, x.body)) changed_.insert(n);
    for (Name n : free_names(m_, x.body)) changed_.erase(n);
    changed_.insert(x.i);
    note_assigned(x.body);

    Block checks, rest;
    bool before = true;                                    // nothing has come yet that a check may not pass
    for (auto& s : x.body.take()) {
      auto check = before ? at_first(*s) : std::nullopt;
      if (check) checks.push_back(std::move(*check));
      else rest.push_back(std::move(s));
      if (!check && before) before = passes(rest.back());
    }
    x.body = std::move(rest);
    if (checks.empty()) return;
    const ExprId runs = m_.prim(ScalarOp::lt, {x.from, x.to});
    if (auto known = m_.const_of(runs); known && known->bits != 0) for (auto& s : checks.take()) out.push_back(std::move(s));
    else out.push_back({If{runs, std::move(checks), {}}});
  }
  void note_assigned(const Block& b) {
    for (const Stm& s : b) {
      match(s.node, [&](const Assign& x) { changed_.insert(x.var); }, [&](const Call& x) { for (Name n : x.results) changed_.insert(n); }, [](const auto&) {});
      each_body(s, [&](const Block& inner) { note_assigned(inner); });
    }
  }
  // Whether a check that stands after it may stand before it. What a loop computes is lost if it fails.
  bool passes(const Stm& s) {
    return match(s.node,
        [&](const Declare& x) {
          if (auto first = x.init ? in_first(*x.init) : std::nullopt) first_.emplace(x.var, *first);
          return true;
        },
        [](const DeclareArray&) { return true; }, [](const Assign&) { return true; }, [](const Store&) { return true; }, [](const Mark&) { return true; },
        [](const auto&) { return false; });
  }

  // A check of the first iteration, if it is the same in all others.
  std::optional<Stm> at_first(const Stm& s) {
    auto x = std::get_if<If>(&s.node);
    if (!x || (x->then_.empty() == x->else_.empty()) || !is_invariant(x->cond)) return {};
    auto then_ = failure_at_first(x->then_);
    auto else_ = failure_at_first(x->else_);
    if (!then_ || !else_) return {};
    return Stm{If{x->cond, std::move(*then_), std::move(*else_)}};
  }
  // What a check does if it fails.
  std::optional<Block> failure_at_first(const Block& b) {
    Block out;
    for (const Stm& s : b) {
      if (auto fail = std::get_if<Fail>(&s.node)) {
        Fail first{fail->text, {}};
        for (ExprId e : fail->args) {
          auto arg = in_first(e);
          if (!arg) return {};
          first.args.push_back(*arg);
        }
        out.push_back({std::move(first)});
      } else if (auto mark = std::get_if<Mark>(&s.node)) {
        out.push_back({*mark});
      } else if (auto nested = at_first(s)) {
        out.push_back(std::move(*nested));
      } else {
        return {};
      }
    }
    return out;
  }
  bool is_invariant(ExprId e) const {
    return !any_part(m_, e, [&](ExprId part) {
      auto n = std::get_if<Name>(&m_.exprs[part.index].node);
      return n ? changed_.contains(*n) : std::holds_alternative<Load>(m_.exprs[part.index].node);
    });
  }
  // The expression in the first iteration, if it is known outside of the loop.
  std::optional<ExprId> in_first(ExprId e) {
    if (is_invariant(e)) return e;
    const Expr x = m_.exprs[e.index];
    return match(x.node,
        [&](const Name& n) -> std::optional<ExprId> {
          auto known = first_.find(n);
          if (known == first_.end()) return {};
          return known->second;
        },
        [&](const Prim& p) -> std::optional<ExprId> {
          std::vector<ExprId> args;
          for (ExprId a : p.args) {
            auto arg = in_first(a);
            if (!arg) return {};
            args.push_back(*arg);
          }
          return m_.expr({Prim{p.op, p.at, std::move(args)}, x.type});
        },
        [&](const Cast& c) -> std::optional<ExprId> {
          auto value = in_first(c.value);
          if (!value) return {};
          return m_.expr({Cast{*value}, x.type});
        },
        [](const auto&) -> std::optional<ExprId> { return {}; });
  }
};

}  // namespace

void check_before_loops(Module& m, Block& b) { Checks(m).run(b); }

}  // namespace raido::kir
