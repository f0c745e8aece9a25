// fuse.cc - fewer, larger scremas.
//
//   V1, V2   let ys = map n f xs ; let z = screma n pre ys      ==>   screma n (pre . f) xs
//   V10      other uses of ys: the fused one also returns them
//   V4       as V1 where the first one scans as well, if z reads none of these scans: the fused one makes the scans of both
//   V3       let ys = map n f xs ; hist n pre ys               ==>   hist n (pre . f) xs
//   H1       two scremas of equal width that share an input     ==>   one
//   H2       two hists of equal width that share an input       ==>   one, into the arrays of both (not before AD: one of
//            them may have a derivative and the other not)
//   W1       a map used only inside a with_acc                   ==>   moves in, and fuses there
//   V12      let ys = scan n op [ne] xs ; let z = map n f ys     ==>   screma n scans (op [ne]) post f xs         (scan_maps)
//
// V12 is a pass of its own, after those that look for scans whose results are whole arrays. On processors an iteration of a scan waits for
// the one before. So a little work beside it costs no time. On devices the map needs no kernel. The scanned array need not be there.
//
// Fusing p into a later c moves p down to c's place (pairs.h says when). Bodies inside first, to a fixed point in each body. In the body that two
// make together elements may then have met their consumer.
#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "passes/fusion/pairs.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

class Fuser : Pairs {
 public:
  Fuser(Program& p, PassContext& context) : Pairs(p), context_(context) {}

  void body(Body& b) {
    for (Stm& s : b.stms) walk_parts(s, [&](Body& inner) { body(inner); });
    auto saved = std::exchange(facts_, {});
    move_into_scopes(b);
    while (step(b)) {}
    facts_ = std::move(saved);
  }
  // V12, inner bodies first.
  void scan_maps(Body& b) {
    for (Stm& s : b.stms) walk_parts(s, [&](Body& inner) { scan_maps(inner); });
    auto saved = std::exchange(facts_, {});
    for (size_t j = 1; j < b.stms.size(); j++) {
      if (!screma(b.stms[j])) continue;
      std::optional<Needs> needs;
      for (size_t i = j; i-- > 0;)
        if (after_scan(b, i, j, needs)) { j--; break; }
    }
    facts_ = std::move(saved);
  }

 private:
  PassContext& context_;
  // In a body that two operators were just fused into, only some pairs fuse. Elements go into a sum of them, and choices into
  // what is made of what they choose. Sums over one input are made one (Q2: the products of several matrices with one vector).
  // Elements go into what adds them to accumulators, too: else they would be an array over the whole nest on a device, and no contraction on a
  // processor. Anything more did not pay, an LSTM took 8 % longer.
  bool again_ = false;

  static Screma* screma(Stm& s) { return std::get_if<Screma>(&s.exp); }
  bool has_acc(const Stm& s) const {
    return std::ranges::any_of(s.pattern, [&](Bind x) { return is_acc(p_.type(x.var)); });
  }

  // One walk over the consumers; true if something was fused. What is fused is looked at again: it stands before j.
  bool step(Body& b) {
    bool any = false;
    auto walk_consumers = [&](auto fuse_at) {
      for (size_t j = 1; j < b.stms.size(); j++)
        for (size_t before = b.stms.size(); j > 0 && j < before && fuse_at(j); before = b.stms.size()) {
          any = true;
          j--;
        }
    };
    walk_consumers([&](size_t j) {                       // before H1 makes of these maps one that has other uses
      if (!std::holds_alternative<Hist>(b.stms[j].exp)) return false;
      for (size_t i = j; i-- > 0;)
        if (fuse_into_hist(b, i, j)) return true;
      return false;
    });
    walk_consumers([&](size_t j) {
      for (size_t i = j; i-- > 0 && std::holds_alternative<Hist>(b.stms[j].exp);)
        if (fuse_hists(b, i, j)) return true;
      Screma* c = screma(b.stms[j]);
      if (!c) return false;
      std::optional<Needs> needs;
      for (size_t i = j; i-- > 0;) {
        Screma* p = screma(b.stms[i]);
        if (!p || p->width != c->width) continue;
        if (fuse_vertical(b, i, j, needs) || fuse_horizontal(b, i, j, needs)) return true;
      }
      return false;
    });
    return any;
  }
  static bool chooses(const Body& b) {
    for (const Stm& s : b.stms) {
      auto x = std::get_if<Apply>(&s.exp);
      if (std::holds_alternative<If>(s.exp) || (x && x->op == ScalarOp::select)) return true;
    }
    return false;
  }

  // Does c read mapped outputs of p, from number `mapped` on, and only as elements, and nothing that p reduces to or scans?
  bool reads_elements(const Stm& ps, const Screma& c, size_t mapped) {
    VarSet outputs, scalars;
    for (size_t k = 0; k < ps.pattern.size(); k++) (k < mapped ? scalars : outputs).insert(ps.pattern[k].var);
    bool feeds = false;
    for (Var v : c.inputs) {
      if (outputs.contains(v) && is_acc(p_.type(v))) return false;        // a chain of versions stays a chain
      if (scalars.contains(v)) return false;             // an array that p reduces to, or a scan
      feeds = feeds || outputs.contains(v);
    }
    bool whole = false;
    auto look = [&](Var v) { whole = whole || outputs.contains(v) || scalars.contains(v); };
    each_use(p_, c.pre, look);
    each_use(p_, c.reduces, look);
    each_use(p_, c.scans, look);
    each_use(p_, c.post, look);
    each_use(p_, c.post_reduces, look);
    return feeds && !whole;
  }
  // The mapped outputs of p that are wanted beside c.
  std::vector<size_t> kept_outputs(const Body& b, size_t j, const Stm& ps, size_t mapped) {
    VarSet wanted;
    for (size_t k = 0; k < b.stms.size(); k++)
      if (k != j) for (Var v : facts(b.stms[k]).uses) wanted.insert(v);
    each_use(p_, b.result, [&](Var v) { wanted.insert(v); });
    std::vector<size_t> kept;
    for (size_t k = mapped; k < ps.pattern.size(); k++)
      if (wanted.contains(ps.pattern[k].var) || is_acc(p_.type(ps.pattern[k].var))) kept.push_back(k);
    return kept;
  }
  // p and then c, in one loop.
  Screma joined(const Stm& ps, Screma& p, Screma& c, const std::vector<size_t>& kept) {
    const size_t mapped = width_of(p.reduces) + width_of(p.scans);
    Screma f;
    f.width = c.width;
    f.inputs = p.inputs;
    f.pre.params = p.pre.params;
    f.pre.body.stms = std::move(p.pre.body.stms);
    Subst element;
    for (size_t k = 0; k < c.inputs.size(); k++) {
      Var row = c.pre.params[k].var;
      bool from_p = false;
      for (size_t q = mapped; q < ps.pattern.size(); q++)
        if (ps.pattern[q].var == c.inputs[k]) { element.emplace(row, p.pre.body.result[q]); from_p = true; break; }
      if (from_p) continue;
      f.inputs.push_back(c.inputs[k]);
      f.pre.params.push_back(c.pre.params[k]);
    }
    substitute(p_, c.pre.body, element);
    for (auto& item : c.pre.body.stms.take()) f.pre.body.stms.push_back(std::move(item));
    f.pre.body.result = in_order(p, c, p.pre.body.result, c.pre.body.result, kept);
    f.reduces = std::move(p.reduces);
    for (Combine& op : c.reduces) f.reduces.push_back(std::move(op));
    f.scans = std::move(p.scans);
    for (Combine& op : c.scans) f.scans.push_back(std::move(op));
    f.post = std::move(c.post);
    f.post_reduces = std::move(c.post_reduces);
    f.ordered = p.ordered || c.ordered;
    return f;
  }
  // What there is for each result of p and of c, in the order of the results of both: reductions, scans, maps, and those that p keeps.
  template <class T> static std::vector<T> in_order(const Screma& p, const Screma& c, const std::vector<T>& of_p, const std::vector<T>& of_c, const std::vector<size_t>& kept) {
    const i64 reduced = i64(width_of(p.reduces)), mapped = reduced + i64(width_of(p.scans)), c_reduced = i64(width_of(c.reduces));
    std::vector<T> all(of_p.begin(), of_p.begin() + reduced);
    all.insert(all.end(), of_c.begin(), of_c.begin() + c_reduced);
    all.insert(all.end(), of_p.begin() + reduced, of_p.begin() + mapped);
    all.insert(all.end(), of_c.begin() + c_reduced, of_c.end());
    for (size_t k : kept) all.push_back(of_p[k]);
    return all;
  }
  // p has mapped outputs that c reads element by element.
  bool fuse_vertical(Body& b, size_t i, size_t j, std::optional<Needs>& needs) {
    Stm &ps = b.stms[i], &cs = b.stms[j];
    Screma &p = *screma(ps), &c = *screma(cs);
    if (!p.post_reduces.empty() || !identity_post(p)) return false;
    if (!p.scans.empty() && (again_ || !identity_post(c) || !c.post_reduces.empty())) return false;
    const bool adds = has_acc(cs) && (context_.target == Target::Gpu || (!has_loops(p.pre.body) && !has_loops(c.pre.body)));
    if (again_ && !adds && (has_loops(p.pre.body) || has_loops(c.pre.body) || (c.reduces.empty() && !chooses(p.pre.body)))) return false;
    if (!std::ranges::any_of(c.inputs, [&](Var v) { return binds(ps, v); })) return false;
    const size_t mapped = width_of(p.reduces) + width_of(p.scans);
    if (!reads_elements(ps, c, mapped)) return false;
    // elements of p's outputs that c consumes would be consumed twice if they are returned as well
    if (std::ranges::any_of(facts(cs).consumed, [&](Var v) { return binds(ps, v); })) return false;
    std::vector<bool> later;
    if (makes_any(ps, needs_of(b, j, needs).through) || !movable(b, i, j, later) || !context_.allow()) return false;
    std::vector<size_t> kept = kept_outputs(b, j, ps, mapped);
    if (!kept.empty() && !identity_post(c)) return false;
    std::vector<Bind> pattern = in_order(p, c, ps.pattern, cs.pattern, kept);
    Screma f = joined(ps, p, c, kept);
    Stm fused = std::move(cs);
    fused.exp = std::move(f);
    fused.pattern = std::move(pattern);
    merge(fused, ps);
    again(std::get<Screma>(fused.exp).pre.body);
    replace(b, i, j, later, std::move(fused));
    context_.stats.count("fuse.vertical");
    return true;
  }
  // V12. p is a scan with results that c, a map, reads element by element.
  bool after_scan(Body& b, size_t i, size_t j, std::optional<Needs>& needs) {
    Stm &ps = b.stms[i], &cs = b.stms[j];
    Screma *p = screma(ps), *c = screma(cs);
    if (!p || !c || p->width != c->width || p->scans.empty() || !p->post_reduces.empty() || !identity_post(*p)) return false;
    if (!is_map(*c) || !identity_post(*c) || has_acc(cs) || has_acc(ps) || !costs_little(c->pre.body)) return false;
    const size_t reduced = width_of(p->reduces);
    if (!reads_elements(ps, *c, reduced) || !facts(cs).consumed.empty()) return false;
    std::vector<bool> later;
    if (makes_any(ps, needs_of(b, j, needs).through) || !movable(b, i, j, later) || !context_.allow()) return false;
    const std::vector<size_t> kept = kept_outputs(b, j, ps, reduced);
    Screma f = std::move(*p);
    Subst element;                                       // of the inputs of c
    std::vector<Var> outputs;                            // of p, as `post` sees them
    for (size_t k = reduced; k < ps.pattern.size(); k++) {
      const Var array = ps.pattern[k].var, here = p_.fresh(p_.hint(array), row_type(p_.type(array)));
      f.post.params.push_back({here});
      outputs.push_back(here);
      for (size_t q = 0; q < c->inputs.size(); q++)
        if (c->inputs[q] == array) element.emplace(c->pre.params[q].var, here);
    }
    for (size_t q = 0; q < c->inputs.size(); q++) {      // the others go through `pre`
      const Bind row = c->pre.params[q];
      if (element.contains(row.var)) continue;
      const Var in = p_.fresh(p_.hint(row.var), p_.type(row.var));
      f.inputs.push_back(c->inputs[q]);
      f.pre.params.push_back({in});
      f.pre.body.result.push_back(in);
      f.post.params.push_back(row);
    }
    substitute(p_, c->pre.body, element);
    f.post.body = std::move(c->pre.body);
    std::vector<Bind> pattern(ps.pattern.begin(), ps.pattern.begin() + i64(reduced));
    pattern.insert(pattern.end(), cs.pattern.begin(), cs.pattern.end());
    for (size_t k : kept) {
      pattern.push_back(ps.pattern[k]);
      f.post.body.result.push_back(outputs[k - reduced]);
    }
    Stm fused = std::move(cs);
    fused.exp = std::move(f);
    fused.pattern = std::move(pattern);
    merge(fused, ps);
    replace(b, i, j, later, std::move(fused));
    context_.stats.count("scan_maps.V12");
    return true;
  }
  // What has met in one body may be fused there.
  void again(Body& made) {
    auto saved = std::exchange(facts_, {});
    bool before = std::exchange(again_, true);
    while (step(made)) {}
    again_ = before;
    facts_ = std::move(saved);
  }
  // V3. The outputs of the map are of no use to anybody else.
  bool fuse_into_hist(Body& b, size_t i, size_t j) {
    Stm &ps = b.stms[i], &cs = b.stms[j];
    Screma* p = screma(ps);
    Hist& c = std::get<Hist>(cs.exp);
    if (!p || p->width != c.width || !is_map(*p) || has_acc(ps) || !facts(ps).consumed.empty()) return false;
    if (!std::ranges::any_of(c.inputs, [&](Var v) { return binds(ps, v); })) return false;
    VarSet outputs;
    for (Bind x : ps.pattern) outputs.insert(x.var);
    bool elsewhere = false;
    auto look = [&](Var v) { elsewhere = elsewhere || outputs.contains(v); };
    each_use(p_, c.pre, look);
    each_use(p_, c.dests, look);
    each_use(p_, b.result, look);
    for (size_t k = i + 1; k < b.stms.size(); k++) if (k != j) elsewhere = elsewhere || uses_any(b.stms[k], outputs);
    std::vector<bool> later;
    if (elsewhere || !movable(b, i, j, later) || !context_.allow()) return false;
    Hist f{c.width, p->inputs, std::move(p->pre), std::move(c.dests)};
    std::vector<Atom> elements = std::move(f.pre.body.result);
    Subst element;
    for (size_t k = 0; k < c.inputs.size(); k++) {
      auto from = std::ranges::find_if(ps.pattern, [&](Bind x) { return x.var == c.inputs[k]; });
      if (from != ps.pattern.end()) {
        element.emplace(c.pre.params[k].var, elements[size_t(from - ps.pattern.begin())]);
      } else {
        f.inputs.push_back(c.inputs[k]);
        f.pre.params.push_back(c.pre.params[k]);
      }
    }
    substitute(p_, c.pre.body, element);
    for (auto& item : c.pre.body.stms.take()) f.pre.body.stms.push_back(std::move(item));
    f.pre.body.result = std::move(c.pre.body.result);
    Stm fused = std::move(cs);
    fused.exp = std::move(f);
    merge(fused, ps);
    replace(b, i, j, later, std::move(fused));
    context_.stats.count("fuse.into_hist");
    return true;
  }
  // H2.
  bool fuse_hists(Body& b, size_t i, size_t j) {
    Stm &ps = b.stms[i], &cs = b.stms[j];
    Hist *p = std::get_if<Hist>(&ps.exp), &c = std::get<Hist>(cs.exp);
    if (!p || p_.level == Ad || p->width != c.width) return false;
    bool share = std::ranges::any_of(c.inputs, [&](Var v) { return std::ranges::find(p->inputs, v) != p->inputs.end(); });
    VarSet outputs;
    for (Bind x : ps.pattern) outputs.insert(x.var);
    std::vector<bool> later;
    if (!share || uses_any(cs, outputs) || !movable(b, i, j, later) || !context_.allow()) return false;
    auto append = [](auto& to, auto from, auto end) { to.insert(to.end(), from, end); };
    auto indices = [](const Hist& h) { size_t n = 0; for (const Dest& d : h.dests) n += size_t(d.rank); return ptrdiff_t(n); };
    Hist f{c.width, p->inputs, std::move(p->pre), p->dests};
    std::vector<Atom> pr = std::move(f.pre.body.result), cr = std::move(c.pre.body.result), r;
    ptrdiff_t pn = indices(*p), cn = indices(c);
    append(r, pr.begin(), pr.begin() + pn);
    append(r, cr.begin(), cr.begin() + cn);
    append(r, pr.begin() + pn, pr.end());
    append(r, cr.begin() + cn, cr.end());
    f.pre.body.result = std::move(r);
    append(f.inputs, c.inputs.begin(), c.inputs.end());
    append(f.pre.params, c.pre.params.begin(), c.pre.params.end());
    append(f.dests, c.dests.begin(), c.dests.end());
    for (auto& item : c.pre.body.stms.take()) f.pre.body.stms.push_back(std::move(item));
    Stm fused = std::move(cs);
    fused.exp = std::move(f);
    fused.pattern.insert(fused.pattern.begin(), ps.pattern.begin(), ps.pattern.end());
    merge(fused, ps);
    replace(b, i, j, later, std::move(fused));
    context_.stats.count("fuse.hists");
    return true;
  }
  bool fuse_horizontal(Body& b, size_t i, size_t j, std::optional<Needs>& needs) {
    Stm &ps = b.stms[i], &cs = b.stms[j];
    Screma &p = *screma(ps), &c = *screma(cs);
    if (!identity_post(p) || !identity_post(c)) return false;
    auto only_sums = [&](const Screma& x) { return is_redomap(x) && x.pre.body.result.size() == width_of(x.reduces) && !has_loops(x.pre.body); };
    if (again_ && !(only_sums(p) && only_sums(c))) return false;
    if (!p.scans.empty() && !c.scans.empty() && p.inputs != c.inputs) return false;
    bool share = std::ranges::any_of(c.inputs, [&](Var v) {
      return is_array(p_.type(v)) && std::ranges::find(p.inputs, v) != p.inputs.end();
    });
    if (!share) return false;
    std::vector<bool> later;
    if (makes_any(ps, needs_of(b, j, needs).all) || !movable(b, i, j, later) || !context_.allow()) return false;
    size_t p_reduced = width_of(p.reduces), c_reduced = width_of(c.reduces), p_scanned = width_of(p.scans), c_scanned = width_of(c.scans);
    Screma f;
    f.width = c.width;
    f.inputs = p.inputs;
    f.inputs.insert(f.inputs.end(), c.inputs.begin(), c.inputs.end());
    f.pre.params = p.pre.params;
    f.pre.params.insert(f.pre.params.end(), c.pre.params.begin(), c.pre.params.end());
    f.pre.body.stms = std::move(p.pre.body.stms);
    for (auto& item : c.pre.body.stms.take()) f.pre.body.stms.push_back(std::move(item));
    auto join = [](auto& to, const auto& x, size_t n, const auto& y, size_t m, size_t x_from, size_t y_from) {
      to.insert(to.end(), x.begin() + i64(x_from), x.begin() + i64(x_from + n));
      to.insert(to.end(), y.begin() + i64(y_from), y.begin() + i64(y_from + m));
    };
    const auto &pr = p.pre.body.result, &cr = c.pre.body.result;
    std::vector<Bind> pattern;
    auto both = [&](size_t n, size_t m, size_t p_from, size_t c_from) {
      join(f.pre.body.result, pr, n, cr, m, p_from, c_from);
      join(pattern, ps.pattern, n, cs.pattern, m, p_from, c_from);
    };
    both(p_reduced, c_reduced, 0, 0);
    both(p_scanned, c_scanned, p_reduced, c_reduced);
    both(pr.size() - p_reduced - p_scanned, cr.size() - c_reduced - c_scanned, p_reduced + p_scanned, c_reduced + c_scanned);
    for (auto* from : {&p, &c}) {
      for (Combine& op : from->reduces) f.reduces.push_back(std::move(op));
      for (Combine& op : from->scans) f.scans.push_back(std::move(op));
    }
    f.ordered = p.ordered || c.ordered;
    Stm fused = std::move(cs);
    fused.exp = std::move(f);
    fused.pattern = std::move(pattern);
    merge(fused, ps);
    replace(b, i, j, later, std::move(fused));
    context_.stats.count("fuse.horizontal");
    return true;
  }

  // W1: a map all of whose uses are inside one scope, and that reads none of the scope's arrays.
  void move_into_scopes(Body& b) {
    for (size_t j = 1; j < b.stms.size(); j++) {
      auto scope = std::get_if<WithAcc>(&b.stms[j].exp);
      if (!scope) continue;
      bool moved = false;
      for (size_t i = j; i-- > 0;) {
        Stm& ps = b.stms[i];
        Screma* p = screma(ps);
        if (!p || !is_map(*p) || has_acc(ps) || !facts(ps).consumed.empty()) continue;
        VarSet outputs;
        for (Bind x : ps.pattern) outputs.insert(x.var);
        bool inside = false, outside = false;
        each_use(p_, scope->scope, [&](Var v) { inside = inside || outputs.contains(v); });
        each_use(p_, scope->dests, [&](Var v) { outside = outside || outputs.contains(v); });
        for (Bind x : b.stms[j].pattern) walk(p_.type(x.var), [&](const Var& v) { outside = outside || outputs.contains(v); });
        for (size_t k = i + 1; k < b.stms.size(); k++)
          if (k != j) outside = outside || uses_any(b.stms[k], outputs);
        each_use(p_, b.result, [&](Var v) { outside = outside || outputs.contains(v); });
        if (!inside || outside || !feeds_a_screma(scope->scope.body, outputs, p->width)) continue;
        std::vector<bool> later;
        if (!movable(b, i, j, later) || !context_.allow()) continue;
        facts_.clear();
        std::vector<std::unique_ptr<Stm>> old = b.stms.take(), inner = scope->scope.body.stms.take();
        scope->scope.body.stms.push_back(std::move(old[i]));
        for (auto& item : inner) scope->scope.body.stms.push_back(std::move(item));
        for (size_t k = 0; k < old.size(); k++) if (k != i) b.stms.push_back(std::move(old[k]));
        context_.stats.count("fuse.into_scope");
        j--;
        moved = true;
        scope = std::get_if<WithAcc>(&b.stms[j].exp);
      }
      if (moved) {
        body(scope->scope.body);
        facts_.clear();
      }
    }
  }
  bool feeds_a_screma(const Body& b, const VarSet& outputs, const Dim& width) const {
    for (const Stm& s : b.stms)
      if (auto x = std::get_if<Screma>(&s.exp); x && x->width == width)
        for (Var v : x->inputs) if (outputs.contains(v)) return true;
    return false;
  }
};

}  // namespace

void fuse(ir::Program& program, PassContext& context) {
  Fuser pass(program, context);
  with_constants(program, [&](ir::Body& b) { pass.body(b); });
}

void scan_maps(ir::Program& program, PassContext& context) {
  Fuser pass(program, context);
  with_constants(program, [&](ir::Body& b) { pass.scan_maps(b); });
}

}  // namespace raido
