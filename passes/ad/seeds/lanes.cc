// lanes.cc - a function for k seeds at once, side by side. Every value that depends on a seed gets k as its last dimension
// (docs/ad.md 9). So what does not depend on one is done once, in scopes of any depth, and the k directions stand in one
// vector.
//
// Scopes and views keep their form, with longer rows; scalar code between them becomes a map over the k lanes, and so does
// an operation that has no such form. Nothing is done if lanes would need sizes or proofs of their own.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/flow.h"
#include "compiler/ir/costs.h"
#include "passes/ad/seeds/seeds.h"

namespace raido::ad {

using namespace ir;

namespace {

class Lanes {
 public:
  Lanes(Builder& builder, Dim k) : b_(builder), p_(builder.program), k_(std::move(k)) {}

  // Whether f has such a form. The first that is to be called.
  bool fits(const Lambda& f) {
    for (Bind x : f.params) vary(x.var);
    do {
      grown_ = false;
      mark(f.body);
    } while (grown_);
    bool fine = true;
    each_bind(f, [&](Var v) {
      for (const Dim& d : shape_of(p_.type(v))) fine = fine && !varies(d);
    });
    return fine && fits(f.body);
  }
  // Whether what does not keep its form is work on scalars, once that is known.
  bool all_keep_form(const Body& body) const {
    return std::all_of(body.stms.begin(), body.stms.end(), [&](const Stm& s) {
      if (!any(s.exp)) return true;
      bool form = keeps_form(s), fine = true;
      walk_parts(s, [&](const Body& inner) { fine = fine && all_keep_form(inner); });
      if (form) return fine;
      each_stm_of(s, [&](const Stm& inner) {
        fine = fine && match(inner.exp, [](const auto& op) {
          using Op = std::decay_t<decltype(op)>;
          return std::is_same_v<Op, Apply> || std::is_same_v<Op, Convert> || std::is_same_v<Op, Identity> || std::is_same_v<Op, Index> || std::is_same_v<Op, If>;
        });
      });
      return fine;
    });
  }
  // The arrays hold one row for each of the k seeds, and so do the results.
  std::vector<Var> run(Lambda f, const std::vector<Var>& seeds) {
    for (size_t i = 0; i < seeds.size(); i++) rows_[f.params[i].var] = is_small(seeds[i]) ? gathered(seeds[i], {}) : lane_last(seeds[i]);
    stms(std::move(f.body.stms));
    std::vector<Var> out;
    for (const Atom& r : f.body.result) out.push_back(lane_first(row(r)));
    pending_ = {};
    return out;
  }

 private:
  Builder& b_;
  Program& p_;
  Dim k_;
  VarSet varying_, tokens_;                              // what depends on a seed; accumulators that such values go to
  bool grown_ = false;                                   // these two, in this round
  std::unordered_map<Var, Var> rows_;                    // value -> its k values, [..][k]
  List<Stm> pending_;                                    // statements of one lane that come before the next one of all lanes
  VarSet pending_vars_;

  // ---- what depends on the seeds ----
  void vary(Var v) {
    if (varies(v)) return;
    grown_ = true;
    if (auto acc = std::get_if<AccType>(&p_.type(v))) tokens_.insert(acc->token);
    else varying_.insert(v);
  }
  bool varies(Var v) const {
    auto acc = std::get_if<AccType>(&p_.type(v));
    return acc ? tokens_.contains(acc->token) : varying_.contains(v);
  }
  bool varies(const Atom& a) const { auto v = var_of(a); return v && varies(*v); }
  template <class X> bool any(const X& x) const {
    bool found = false;
    each_use(p_, x, [&](Var v) { found = found || varies(v); });
    return found;
  }
  bool any(const std::vector<Selector>& at) const {
    return std::ranges::any_of(at, [&](const Selector& s) { return any(s); });
  }
  // Applied pointwise to lanes, whose neutral element is the same.
  bool pointwise(const Combine& c) const {
    return !any(c.op) && std::ranges::none_of(c.neutral, [&](const Atom& a) { return varies(a); }) &&
           std::ranges::all_of(c.op.params, [&](Bind x) { return is_scalar(p_.type(x.var)); });
  }
  bool pointwise(const std::vector<Combine>& cs) const { return std::ranges::all_of(cs, [&](auto& c) { return pointwise(c); }); }
  bool pointwise(const std::vector<Dest>& ds) const {
    return std::ranges::all_of(ds, [&](const Dest& d) { return !d.combine || pointwise(*d.combine); });
  }
  template <class F> void each_dest(const std::vector<Dest>& dests, F f) const {  // dest, its first result, its first input
    size_t result = 0, input = 0;
    for (const Dest& d : dests) input += size_t(d.rank);
    for (const Dest& d : dests) {
      f(d, result, input);
      result += d.arrays.size();
      input += d.arrays.size();
    }
  }
  // Whether it keeps its form, with rows of k for what varies.
  bool keeps_form(const Stm& s) const {
    return match(s.exp,
        [&](const Identity& op) { return !is_scalar(p_.type(op.value)) || !pending(op.value); },
        [&](const Index& op) { return varies(op.array) && !any(op.at); },
        [&](const Update& op) { return !any(op.at); },
        [&](const If& op) { return !varies(op.cond); },
        [&](const For& op) { return !varies(op.n); },
        [&](const While& op) { return !varies(op.cond.body.result[0]); },
        [&](const Screma& op) {
          if (varies(op.width)) return false;
          return is_map(op) ? identity_post(op) : (is_reduce(op) || is_scan(op)) && pointwise(op.reduces) && pointwise(op.scans);
        },
        [&](const Hist& op) {
          size_t indices = 0;
          for (const Dest& d : op.dests) indices += size_t(d.rank);
          for (size_t i = 0; i < indices; i++) if (varies(op.inputs[i])) return false;
          return !varies(op.width) && is_identity(op.pre) && pointwise(op.dests);
        },
        [&](const WithAcc& op) { return pointwise(op.dests); },
        [&](const AccUpdate& op) { return std::ranges::none_of(op.at, [&](const Atom& a) { return varies(a); }); },
        [&](const auto& op) {
          using Op = std::decay_t<decltype(op)>;
          return std::is_same_v<Op, Permute> || std::is_same_v<Op, Reshape> || std::is_same_v<Op, Copy> ||
                 std::is_same_v<Op, Replicate> || std::is_same_v<Op, ArrayLit> || std::is_same_v<Op, Concat>;
        });
  }
  // What keeps its form has rows where values arrive. An operator on lanes makes rows of all its components, and stays as it is inside.
  void mark(const Body& body) { for (const Stm& s : body.stms) mark(s); }
  void mark(const Stm& s) {
    if (keeps_form(s))
      return each_flow<Operators::Whole>(p_, s, [&](const Atom& from, Var to, Flow how) { if (how != Flow::Steers && varies(from)) vary(to); },
                                         [&](const Body& inner) { mark(inner); });
    if (any(s.exp)) for (Bind x : s.pattern) vary(x.var);
  }
  // Once all is marked: what does not keep its form can be done in a map over the lanes.
  bool fits(const Body& body) const {
    for (const Stm& s : body.stms) {
      if (!any(s.exp)) continue;
      if (keeps_form(s)) {
        bool fine = true;
        walk_parts(s, [&](const Body& inner) { fine = fine && fits(inner); });
        if (!fine) return false;
        continue;
      }
      VarSet own;
      bool fine = true;
      for (Bind x : s.pattern) fine = fine && !is_check(p_.type(x.var)) && !is_acc(p_.type(x.var));
      each_stm_of(s, [&](const Stm& inner) { for (Bind x : inner.pattern) own.insert(x.var); });
      each_stm_of(s, [&](const Stm& inner) {
        each_consumed(p_, inner.exp, [&](Var v) { fine = fine && own.contains(v); });
        if (auto upd = std::get_if<AccUpdate>(&inner.exp)) fine = fine && !varies(upd->acc);
      });
      if (!fine) return false;
    }
    return true;
  }
  template <class F> static void each_stm_of(const Stm& s, F f) {
    f(s);
    walk_parts(s, [&](const Body& inner) { each_stm(inner, f); });
  }

  // ---- rows of lanes ----
  Type lanes(const Type& t) const {
    std::vector<Dim> shape = shape_of(t);
    shape.push_back(k_);
    return array_type(elem_of(t), std::move(shape));
  }
  Var lane_last(Var v) {
    std::vector<int> dims;
    for (int i = 1; i < int(shape_of(p_.type(v)).size()); i++) dims.push_back(i);
    if (dims.empty()) return v;
    dims.push_back(0);
    return b_.permute(v, std::move(dims));
  }
  // Side by side in memory, too: what is small is soon copied, and may be read in many loops.
  bool is_small(Var v) const {
    i64 cells = 1;
    for (const Dim& d : shape_of(p_.type(v))) {
      auto n = const_of(d);
      if (!n || n->as_i64() > costs::ad::lane_cells) return false;
      cells *= n->as_i64();
    }
    return shape_of(p_.type(v)).size() > 1 && cells <= costs::ad::lane_cells;
  }
  Var gathered(Var v, const std::vector<Atom>& at) {
    const std::vector<Dim> shape = shape_of(p_.type(v));
    bool lane = at.size() + 1 == shape.size();
    Dim n = shape[lane ? 0 : at.size() + 1];
    return b_.map(p_.hint(v), n, b_.lambda({{"i", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& i) {
      std::vector<Atom> index = at;
      index.insert(lane ? index.begin() : index.end(), i[0]);
      return std::vector<Atom>{lane ? Atom(b_.index(p_.hint(v), v, index)) : Atom(gathered(v, index))};
    }), {b_.iota(n)})[0];
  }
  Var lane_first(Var v) {
    int rank = int(shape_of(p_.type(v)).size());
    if (rank == 1) return v;
    std::vector<int> dims = {rank - 1};
    for (int i = 0; i + 1 < rank; i++) dims.push_back(i);
    return b_.permute(v, std::move(dims));
  }
  bool pending(const Atom& a) const { auto v = var_of(a); return v && pending_vars_.contains(*v); }
  // The k values of x, which are equal if it does not vary.
  Var row(const Atom& x) {
    auto v = var_of(x);
    if (v && pending(x)) flush();
    if (v && rows_.contains(*v)) return rows_.at(*v);
    auto lanes = [&](const Atom& cell) { return b_.bind1("lanes", Replicate{{k_}, cell}); };
    if (!is_array(p_.type(x))) return lanes(x);
    return b_.map_all("lanes", shape_of(p_.type(x)), {*v}, [&](const std::vector<Var>& cell) { return std::vector<Atom>{lanes(cell[0])}; })[0];
  }
  Var fresh_row(Var v) {
    Var r = p_.fresh(p_.hint(v), lanes(p_.type(v)));
    p_.vars[r.index].batched = true;
    rows_[v] = r;
    return r;
  }
  // The pending statements become a map over the lanes.
  void flush() {
    if (pending_.empty()) return;
    Body body;
    body.stms = std::exchange(pending_, {});
    pending_vars_ = {};
    std::vector<Var> outs, inputs;
    for (const Stm& s : body.stms) for (Bind x : s.pattern) outs.push_back(x.var);
    Lambda f;
    Subst params;
    for (Var v : free_vars(p_, body)) {
      auto found = rows_.find(v);
      if (found == rows_.end()) continue;
      inputs.push_back(lane_first(found->second));
      Var x = p_.fresh(p_.hint(v), p_.type(v));
      f.params.push_back({x});
      params.emplace(v, x);
    }
    substitute(p_, body, params);
    for (Var v : outs) body.result.push_back(v);
    f.body = std::move(body);
    std::vector<Var> made = b_.map("d", k_, std::move(f), inputs);
    for (size_t i = 0; i < outs.size(); i++)
      rows_[outs[i]] = is_array(p_.type(outs[i])) ? b_.copy(lane_last(made[i])) : made[i];
  }

  // ---- statements ----
  void stms(List<Stm> body) {
    for (auto& item : body.take()) {
      Source source = std::exchange(b_.source, item->source);
      statement(*item);
      b_.source = source;
    }
  }
  void statement(Stm& s) {
    bool consumes = false;
    each_stm_of(s, [&](const Stm& inner) { each_consumed(p_, inner.exp, [&](Var) { consumes = true; }); });
    if (consumes) flush();                                // it reads what is here now
    if (!any(s.exp)) return b_.emit(std::move(s));
    if (keeps_form(s)) return match(s.exp, [&](auto& op) { rule(s, op); });
    for (Bind x : s.pattern) pending_vars_.insert(x.var);
    pending_.push_back(std::move(s));
  }
  void emit(Stm& s) {
    for (Bind& x : s.pattern) if (!is_acc(p_.type(x.var)) && varies(x.var)) x = {fresh_row(x.var)};
    b_.emit(std::move(s));
  }
  // Results with `with` become rows.
  void inner(Body& body, const std::vector<bool>& with) {
    b_.into(body, [&](List<Stm>& old) {
      stms(std::move(old));
      for (size_t i = 0; i < with.size(); i++) if (with[i]) body.result[i] = row(body.result[i]);
      pending_ = {};
      pending_vars_ = {};
    });
  }
  std::vector<bool> which(const std::vector<Bind>& binds) const {
    std::vector<bool> with;
    for (Bind x : binds) with.push_back(!is_acc(p_.type(x.var)) && varies(x.var));
    return with;
  }
  void rule(Stm& s, Identity& op) { rows_[s.pattern[0].var] = row(op.value); }
  void rule(Stm& s, Index& op) {
    Var y = s.pattern[0].var;
    op.array = row(op.array);
    emit(s);
    if (is_scalar(p_.type(y))) rows_[y] = b_.copy(rows_[y]);   // a scalar is no view of an array that is updated later
  }
  void rule(Stm& s, Update& op) {
    op.array = row(op.array);
    op.value = row(op.value);
    emit(s);
  }
  void rule(Stm& s, Replicate& op) {
    op.value = row(op.value);
    emit(s);
  }
  void rule(Stm& s, Copy& op) {
    op.array = row(op.array);
    emit(s);
  }
  void rule(Stm& s, Permute& op) {
    op.array = row(op.array);
    op.dims.push_back(int(op.dims.size()));
    emit(s);
  }
  void rule(Stm& s, Reshape& op) {
    op.array = row(op.array);
    op.shape.push_back(k_);
    emit(s);
  }
  void rule(Stm& s, ArrayLit& op) {
    for (Atom& x : op.elements) x = row(x);
    emit(s);
  }
  void rule(Stm& s, Concat& op) {
    for (Var& v : op.arrays) v = row(v);
    emit(s);
  }
  void rule(Stm& s, If& op) {
    flush();
    std::vector<bool> with = which(s.pattern);
    inner(op.then_, with);
    inner(op.else_, with);
    emit(s);
  }
  template <class Loop> void loop(Stm& s, Loop& op) {
    flush();
    std::vector<bool> with = which(op.state);
    for (size_t i = 0; i < with.size(); i++) {
      if (!with[i]) continue;
      op.init[i] = row(op.init[i]);
      op.state[i] = {fresh_row(op.state[i].var)};
      if constexpr (requires { op.cond; }) op.cond.params[i] = {fresh_row(op.cond.params[i].var)};
    }
    inner(op.body, with);
    emit(s);
  }
  void rule(Stm& s, For& op) { loop(s, op); }
  void rule(Stm& s, While& op) { loop(s, op); }
  void rule(Stm& s, Screma& op) {
    flush();
    std::vector<bool> with = which(s.pattern);
    if (!is_map(op)) {
      size_t at = 0;
      for (auto* list : {&op.reduces, &op.scans})
        for (Combine& c : *list) {
          if (with[at]) {
            c.shape.push_back(k_);
            for (size_t i = at; i < at + c.neutral.size(); i++) lane_input(op, i);
          }
          at += c.neutral.size();
        }
    } else
      for (size_t i = 0; i < op.inputs.size(); i++)
        if (!is_acc(p_.type(op.inputs[i])) && varies(op.inputs[i])) lane_input(op, i);
    inner(op.pre.body, with);
    emit(s);
  }
  template <class Op> void lane_input(Op& op, size_t i) {
    op.inputs[i] = row(op.inputs[i]);
    op.pre.params[i] = {fresh_row(op.pre.params[i].var)};
  }
  void lane_dest(Dest& d) {
    for (Var& v : d.arrays) v = row(v);
    if (d.combine) d.combine->shape.push_back(k_);
  }
  void rule(Stm& s, Hist& op) {
    flush();
    std::vector<bool> with = which(s.pattern), of_pre(op.pre.params.size());
    each_dest(op.dests, [&](const Dest& d, size_t first, size_t input) {
      if (!with[first]) return;
      for (size_t i = 0; i < d.arrays.size(); i++) {
        lane_input(op, input + i);
        of_pre[input + i] = true;
      }
      lane_dest(op.dests[size_t(&d - op.dests.data())]);
    });
    inner(op.pre.body, of_pre);
    emit(s);
  }
  void rule(Stm& s, WithAcc& op) {
    flush();
    std::vector<bool> with(op.dests.size());
    size_t arrays = 0;
    for (size_t k = 0; k < op.dests.size(); k++) {
      arrays += op.dests[k].arrays.size();
      Var token = op.scope.params[k].var;
      if (!tokens_.contains(token)) continue;
      lane_dest(op.dests[k]);
      each_bind(op.scope, [&](Var v) {
        auto acc = std::get_if<AccType>(&p_.vars[v.index].type);
        if (acc && acc->token == token) for (ElemType& e : acc->elems) e.shape.push_back(k_);
      });
    }
    for (size_t i = arrays; i < s.pattern.size(); i++) with.push_back(!is_acc(p_.type(s.pattern[i].var)) && varies(s.pattern[i].var));
    inner(op.scope.body, with);
    emit(s);
  }
  void rule(Stm& s, AccUpdate& op) {
    for (Atom& v : op.values) v = row(v);
    emit(s);
  }
  template <class Op> void rule(Stm&, Op&) { PANIC("`{}` has no form with lanes", Op::name); }
};

}  // namespace

bool has_lanes(Program& p, const Lambda& f) {
  List<Stm> none;
  Builder b(p, none);
  Lanes lanes(b, i64_const(2));
  return lanes.fits(f) && lanes.all_keep_form(f.body);
}

std::optional<std::vector<Var>> in_lanes(Builder& b, const Dim& k, Lambda& f, const std::vector<Var>& seeds) {
  auto width = const_of(k);
  Lanes lanes(b, k);
  if (!width || width->as_i64() < 2 || width->as_i64() > costs::ad::most_lanes || !lanes.fits(f)) return std::nullopt;
  return lanes.run(std::move(f), seeds);
}

}  // namespace raido::ad
