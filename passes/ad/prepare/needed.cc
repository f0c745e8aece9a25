// needed.cc - see needed.h.
#include "passes/ad/prepare/needed.h"

#include <algorithm>

#include "compiler/ir/analysis/flow.h"
#include "compiler/ir/term.h"
#include "passes/ad/activity/common.h"

namespace raido::ad {

using namespace ir;

Needed::Needed(Program& p, const Activity& act, const Body& body) : p_(p), act_(act) {
  each_stm(body, [&](const Stm& s) { if (goes_back(s)) start(s); });
  do {
    more_ = false;
    each_stm(body, [&](const Stm& s) { follow(s); });
  } while (more_);
}

void Needed::need(Var v) {
  more_ = more_ || !needed_.contains(v);
  needed_.insert(v);
}
void Needed::need(const Atom& a) { if (auto v = var_of(a)) need(*v); }
template <class X> void Needed::need_all(const X& x) { each_use(p_, x, [&](Var v) { need(v); }); }
bool Needed::goes_back(const Stm& s) const {
  bool varied = std::ranges::any_of(s.pattern, [&](Bind x) { return act_.varied(x.var); });
  walk_parts(s, [&](const Body& part) { for (const Stm& inner : part.stms) varied = varied || goes_back(inner); });
  return varied;
}
bool Needed::adds(const Combine& c) const { return pointwise_operator(p_, c.op) == ScalarOp::add; }
void Needed::start(const Stm& s) {
  match(s.exp,
    [&](const Apply& x) {
      Body made;
      Builder b(p_, made.stms);
      auto arg = [&](size_t i) { return b.term(x.args[std::min(i, x.args.size() - 1)]); };
      for (size_t i = 0; i < x.args.size(); i++)
        if (act_.varied(x.args[i]))
          if (auto d = partial(x.op, int(i), arg(0), x.args.size() > 1 ? arg(1) : arg(0), b.term(x.args.back()), b.term(s.pattern[0].var)))
            made.result.push_back(d->atom);
      need_all(made);
    },
    [&](const If& x) { need(x.cond); }, [&](const For& x) { need(x.n); }, [&](const While&) { need_all(s); },
    [&](const Screma& x) {
      bool sums = std::ranges::all_of(x.reduces, [&](const Combine& c) { return adds(c); }) &&
                  std::ranges::all_of(x.scans, [&](const Combine& c) { return adds(c); });
      if (!sums) need_all(s);
    },
    [&](const Hist&) { need_all(s); }, [&](const Call&) { need_all(s); }, [&](const Custom&) { need_all(s); },
    [](const WithAcc&) {},
    [&](const auto& x) {                          // linear: its indices and sizes
      each_use(p_, x, [&](Var v) { if (is_scalar(p_.type(v)) && !act_.varied(v)) need(v); });
    });
}
void Needed::follow(const Stm& s) {
  if (std::ranges::any_of(s.pattern, [&](Bind x) { return needed_.contains(x.var); })) need_all(s);
  each_flow(p_, s, [&](const Atom& from, Var to, Flow) { if (needed_.contains(to)) need(from); }, [](const Body&) {});
}

}  // namespace raido::ad
