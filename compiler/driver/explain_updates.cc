// explain_updates.cc - looks at what the indices of updates depend on: at counters around, or at elements of arrays.
#include "compiler/driver/explain_updates.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/driver/explain_sizes.h"
#include "compiler/ir/analysis/traits.h"

namespace raido::explain_ad {

using namespace ir;

namespace {

class Updates {
 public:
  Updates(const Program& p, Target target, const std::vector<Note>& notes, const std::set<size_t>& functions)
      : p_(p), target_(target), notes_(notes), sizes_(p, made_) {
    for (size_t f : functions) made_.add_all(p.functions[f].lambda.body);
    for (size_t f : functions) each_stm(p.functions[f].lambda.body, [&](const Stm& s) { if (auto w = std::get_if<WithAcc>(&s.exp)) look(*w); });
  }
  std::vector<UpdatesOf> found;

 private:
  struct Counts {                    // what an operation around counts; no variable: elements of arrays
    Var var;
    std::string extent;
  };
  struct Place {                     // what indices depend on
    std::set<Var> counters;
    std::set<std::string> arrays;
    bool known = true;
  };
  const Program& p_;
  const Target target_;
  const std::vector<Note>& notes_;
  Definitions made_;
  SizeTexts sizes_;
  VarMap<Var> element_of_;           // a parameter -> the input
  bool by_data_ = false;

  void look(const WithAcc& w) {
    bool parallel = false;
    each_stm(w.scope.body, [&](const Stm& s) { parallel = parallel || (target_ != Target::Sequential && std::holds_alternative<Seg>(s.exp)); });
    for (size_t k = 0; k < w.dests.size(); k++) {
      Var token = w.scope.params[k].var;
      NoteId note = p_.vars[token.index].note;
      if (!note.valid() || notes_[note.index].kind != Note::Kind::Adjoint) continue;
      std::set<std::string> why;
      by_data_ = false;
      updates(w.scope.body, token, {}, why);
      found.push_back({note, w.dests[k].conflict, parallel, by_data_, join({why.begin(), why.end()}, ", and ")});
    }
  }
  void updates(const Body& b, Var token, const std::vector<Counts>& nest, std::set<std::string>& why) {
    for (const Stm& s : b.stms) {
      auto u = std::get_if<AccUpdate>(&s.exp);
      if (u && std::get<AccType>(p_.type(u->acc)).token == token) why.insert(reason(*u, nest));
      std::vector<Counts> inner = nest;
      match(s.exp, [&](const Seg& x) { for (size_t d = 0; d < x.index.size(); d++) inner.push_back({x.index[d].var, sizes_.of(x.extent[d])}); },
            [&](const For& x) { inner.push_back({x.i.var, sizes_.of(x.n)}); },
            [&](const Screma& x) { inner.push_back({counter_of(x), sizes_.of(x.width)}); }, [](const auto&) {});
      walk_parts(s, [&](const Body& part) { updates(part, token, inner, why); });
    }
  }
  Var counter_of(const Screma& x) {
    Var counter;
    for (size_t k = 0; k < x.inputs.size(); k++) {
      Var param = x.pre.params[k].var;
      auto iota = made_.get<Iota>(x.inputs[k]);
      if (iota && is_const(iota->step, 1)) counter = param;
      else element_of_[param] = x.inputs[k];
    }
    return counter;
  }
  void depends(const Atom& a, const std::vector<Counts>& nest, Place& place, int depth = 0) const {
    auto v = var_of(a);
    if (!v || depth > 20) return;
    if (std::ranges::any_of(nest, [&](const Counts& c) { return c.var == *v; })) return place.counters.insert(*v), void();
    if (element_of_[*v].valid()) return place.arrays.insert(p_.hint(element_of_[*v])), void();
    const Stm* s = made_.of(*v);
    if (!s || !is_scalar(p_.type(*v))) return;
    match(s->exp, [&](const Index& x) {
            Place at;                                          // an element that is the same for all points is no data
            for (const Selector& sel : x.at) if (auto i = std::get_if<Atom>(&sel)) depends(*i, nest, at, depth + 1);
            if (!at.arrays.empty() || !at.counters.empty() || !at.known) place.arrays.insert(p_.hint(x.array));
          },
          [&](const Apply& x) { for (const Atom& arg : x.args) depends(arg, nest, place, depth + 1); },
          [&](const Convert& x) { depends(x.value, nest, place, depth + 1); },
          [&](const Identity& x) { depends(x.value, nest, place, depth + 1); },
          [&](const auto&) { place.known = place.known && !std::ranges::any_of(nest, [&](const Counts& c) { return mentions(p_, s->exp, c.var); }); });
  }
  std::string reason(const AccUpdate& u, const std::vector<Counts>& nest) {
    Place place;
    for (const Atom& a : u.at) depends(a, nest, place);
    by_data_ = by_data_ || !place.arrays.empty();
    if (!place.arrays.empty())
      return fmt::format("the elements of {} say where each iteration adds, as in a histogram", join({place.arrays.begin(), place.arrays.end()}, " and "));
    if (!place.known) return "the program computes where each iteration adds";
    std::vector<std::string> missing;
    for (const Counts& c : nest) if ((!c.var.valid() || !place.counters.contains(c.var)) && c.extent != "1") missing.push_back(c.extent);
    if (missing.empty()) return "indices of different iterations may be equal";
    return fmt::format("all {} iterations add at the same places; a sum for this adjoint alone would run them again", SizeTexts::product(missing));
  }
};

}  // namespace

std::vector<UpdatesOf> updates_of(const Program& p, Target target, const std::set<size_t>& functions, const std::vector<Note>& notes) {
  return Updates(p, target, notes, functions).found;
}

std::string text_of_updates(const std::vector<UpdatesOf>& versions) {
  auto any = [&](Conflict c) { return std::ranges::any_of(versions, [&](const UpdatesOf& u) { return u.parallel && u.conflict == c; }); };
  if (std::ranges::all_of(versions, [](const UpdatesOf& u) { return u.conflict == Conflict::Unknown; })) return "; how depends on the backend (--pipeline)";
  if (std::ranges::none_of(versions, &UpdatesOf::parallel)) return ", by plain stores: one thread does it";
  bool single = !std::ranges::all_of(versions, &UpdatesOf::parallel), copies = any(Conflict::Private), atomic = any(Conflict::Atomic);
  std::string text = copies && atomic ? "in a copy for each part of the iterations if the copies are small beside the work, else atomically"
                     : copies         ? "in a copy for each part of the iterations; the copies are added afterwards"
                     : atomic         ? "atomically"
                                      : "by plain stores, since iterations that run at once have different places";
  text = single && (copies || atomic) ? ", on one thread by plain stores, on several " + text : ", " + text;
  std::set<std::string> why;
  for (const UpdatesOf& u : versions) if (u.meets() && !u.why.empty()) why.insert(u.why);
  if (!why.empty()) text += ". It is no sum: " + join({why.begin(), why.end()}, "; ");
  return text;
}

}  // namespace raido::explain_ad
