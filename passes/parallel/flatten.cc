// flatten.cc - Core to Parallel for devices: outermost screma and hist become grid segs, perfect nests one seg.
//
//   F0  a map whose body has nothing worth a kernel of its own        seg map, body sequential
//   F1  reduce, F2 scan, F3 hist                                       seg with the same parts over the last index
//   F4  map of (light statements; one screma of invariant width)      the screma's index joins the seg's; the light
//       statements are repeated by every point
//
// Light statements are scalar arithmetic, loads and views. A short inner screma (constant width below 8) stays inside.
#include "compiler/ir/build.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

constexpr int64_t short_width = 8;

class Flatten {
 public:
  Flatten(Program& p, PassContext& c) : p_(p), c_(c) {}

  void body(Body& b) {
    for (Stm& s : b.stms) {
      if (auto x = std::get_if<Screma>(&s.exp)) {
        s.exp = nest(s, std::move(*x));
      } else if (auto h = std::get_if<Hist>(&s.exp)) {
        Var i = fresh_index();
        Body inner;
        Builder in(p_, inner.stms);
        in.source = s.source;
        inner.result = in.inline_once(std::move(h->pre), elements(in, h->inputs, h->pre, i));
        s.exp = Seg{SegLevel::Grid, {{i}}, {h->width}, std::move(inner), {}, {}, {}, {}, std::move(h->dests)};
      } else {
        walk_parts(s, [&](Body& inner) { body(inner); });
      }
    }
  }

 private:
  Program& p_;
  PassContext& c_;

  Var fresh_index() { return p_.fresh("i", scalar_type(Scalar::I64)); }

  std::vector<Atom> elements(Builder& b, const std::vector<Var>& inputs, const Lambda& f, Var i) {
    std::vector<Atom> out;
    for (size_t k = 0; k < inputs.size(); k++)
      out.push_back(is_array(p_.type(inputs[k])) ? b.index(p_.hint(f.params[k].var), inputs[k], {i}) : Atom(inputs[k]));
    return out;
  }

  static bool is_light(const Stm& s) {
    return s.checks.empty() && match(s.exp, [](const Apply&) { return true; }, [](const Convert&) { return true; },
                                     [](const Identity&) { return true; }, [](const Index&) { return true; },
                                     [](const Permute&) { return true; }, [](const Reshape&) { return true; },
                                     [](const auto&) { return false; });   // everything else costs or must run once
  }

  // F4: the screma at the end of the body, if the rest is light and its results are the body's.
  Screma* perfect(Body& b, const VarSet& bound) {
    if (b.stms.empty()) return nullptr;
    for (size_t k = 0; k + 1 < b.stms.size(); k++)
      if (!is_light(b.stms[k])) return nullptr;
    Stm& last = b.stms.back();
    auto x = std::get_if<Screma>(&last.exp);
    if (!x || !last.checks.empty() || last.pattern.size() != b.result.size()) return nullptr;
    for (size_t k = 0; k < b.result.size(); k++)
      if (b.result[k] != Atom(last.pattern[k].var)) return nullptr;
    if (auto n = const_of(x->width); n && n->as_i64() < short_width) return nullptr;
    auto inside = [&](Var v) { return bound.contains(v); };
    if (auto n = var_of(x->width); n && inside(*n)) return nullptr;
    bool closed = true;                                // operators may not vary with the map
    auto check = [&](const std::vector<Combine>& ops) {
      for (const Combine& c : ops) for (Var v : free_vars(p_, c)) closed = closed && !inside(v);
    };
    check(x->reduces);
    check(x->scans);
    check(x->late);
    for (Bind v : last.pattern)
      for (const Dim& d : shape_of(p_.type(v.var))) closed = closed && !(var_of(d) && inside(*var_of(d)));
    return closed ? x : nullptr;
  }

  Seg nest(const Stm& s, Screma x) {
    Seg seg{SegLevel::Grid, {}, {}, {}, {}, {}, {}, {}, {}};
    Builder b(p_, seg.body.stms);
    b.source = s.source;
    for (;;) {
      Var i = fresh_index();
      seg.index.push_back({i});
      seg.extent.push_back(x.width);
      seg.body.result = b.inline_once(std::move(x.pre), elements(b, x.inputs, x.pre, i));
      seg.reduces = std::move(x.reduces);
      seg.scans = std::move(x.scans);
      seg.late = std::move(x.late);
      bool map = seg.reduces.empty() && seg.scans.empty() && seg.late.empty() && x.post.params.empty() && x.post.body.result.empty();
      seg.post = std::move(x.post);
      if (!map) return seg;
      VarSet bound;
      each_bind(seg, [&](Var v) { bound.insert(v); });
      Screma* inner = perfect(seg.body, bound);
      if (!inner || !c_.allow()) return seg;
      c_.stats.count("flatten.F4");
      Screma next = std::move(*inner);
      Stm* gone = &seg.body.stms.back();
      seg.body.stms.filter_backwards([&](Stm& t) { return &t != gone; });
      x = std::move(next);
    }
  }
};

}  // namespace

void flatten(Program& program, PassContext& context) {
  Flatten pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
  program.each_body([&](const Body& b) {
    each_stm(b, [&](const Stm& s) {
      auto seg = std::get_if<Seg>(&s.exp);
      if (!seg) return;
      each_stm(seg->body, [&](const Stm& inner) {
        if (auto call = std::get_if<Call>(&inner.exp))
          context.refuse(inner.source, Refusal::DeviceCode, "a call of `" + program.functions[call->callee.index].name + "`");
      });
    });
  });
}

}  // namespace raido
