// prepare.cc - makes a lambda ready for differentiation: nothing that is consumed, no histograms by addition.
//
// The return sweep reads primal values after the forward sweep has run, so the forward sweep may not destroy them. Every
// consuming operation is given a copy of what it consumes; what nobody reads again is found by copy elimination
// afterwards (A6), which gives the in-place update back. A histogram by addition becomes updates of an accumulator.
#include "compiler/ir/aliases.h"
#include "passes/ad/differentiate.h"

namespace raido::ad {
namespace {

using namespace ir;

class Preparation {
 public:
  explicit Preparation(Program& p) : p_(p) {}
  void body(Body& whole) {
    Builder b(p_, whole.stms);
    b.into(whole, [&](List<Stm>& stms) {
      for (auto& item : stms.take()) {
        Stm& s = *item;
        walk_parts(s, [&](Body& inner) { body(inner); });
        b.source = s.source;
        if (auto h = std::get_if<Hist>(&s.exp)) s.exp = as_scope(b, std::move(*h));
        Subst copies;
        each_consumed(p_, s.exp, [&](Var v) {
          if (!copies.contains(v)) copies.emplace(v, b.copy(v));
        });
        if (!copies.empty()) replace_consumed(s, copies);
        b.emit(std::move(s));
      }
    });
  }

 private:
  Program& p_;

  static void replace_consumed(Stm& s, const Subst& copies) {
    auto in = [&](Var& v) { if (auto found = copies.find(v); found != copies.end()) v = *var_of(found->second); };
    auto dests = [&](std::vector<Dest>& ds) { for (Dest& d : ds) for (Var& v : d.arrays) in(v); };
    match(s.exp, [&](Update& x) { in(x.array); }, [&](WithAcc& x) { dests(x.dests); }, [&](Hist& x) { dests(x.dests); },
          [&](Call& x) {
            for (Atom& a : x.args)
              if (auto v = var_of(a); v && copies.contains(*v)) a = copies.at(*v);
          },
          [&](auto&) {});                         // nothing else consumes directly
  }
  // hist n pre xs into d   ==>   with_acc d \accs -> map n (\x accs -> upd accs (pre x)) xs accs
  Exp as_scope(Builder& b, Hist h) {
    for (const Dest& d : h.dests)
      if (!d.combine) return h;
    WithAcc scope;
    scope.dests = h.dests;
    std::vector<Var> tokens, accs;
    for (size_t k = 0; k < h.dests.size(); k++) tokens.push_back(p_.fresh("t", CheckType{}));
    for (size_t k = 0; k < h.dests.size(); k++) accs.push_back(p_.fresh("acc", dest_type(p_, h.dests[k], tokens[k])));
    for (Var v : tokens) scope.scope.params.push_back({v});
    for (Var v : accs) scope.scope.params.push_back({v});
    scope.scope.body = b.body([&] {
      std::vector<Var> inputs = h.inputs, inner;
      Lambda f = std::move(h.pre);
      for (Var acc : accs) {
        inputs.push_back(acc);
        inner.push_back(p_.fresh("acc", p_.type(acc)));
        f.params.push_back({inner.back()});
      }
      Builder in(p_, f.body.stms);
      in.source = b.source;
      std::vector<Atom> out, results = f.body.result;
      size_t index = 0, value = 0;
      for (const Dest& d : h.dests) value += size_t(d.rank);
      for (size_t k = 0; k < h.dests.size(); k++) {
        auto take = [&](size_t& at, size_t n) {
          std::vector<Atom> part(results.begin() + ptrdiff_t(at), results.begin() + ptrdiff_t(at + n));
          at += n;
          return part;
        };
        std::vector<Atom> at = take(index, size_t(h.dests[k].rank)), values = take(value, h.dests[k].arrays.size());
        out.push_back(in.bind1("acc", AccUpdate{inner[k], at, values}));
      }
      f.body.result = out;
      std::vector<Var> done = b.map("acc", h.width, std::move(f), inputs);
      return std::vector<Atom>(done.begin(), done.end());
    });
    return scope;
  }
};

}  // namespace

void prepare(Program& p, Lambda& f) { Preparation(p).body(f.body); }

}  // namespace raido::ad
