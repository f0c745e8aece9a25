// verify.cc - the rules of verify.h, in one walk over each body. Variables are unique, so the scope is one set; what a
// body binds leaves it at the body's end. The first violation ends the walk.
#include "compiler/ir/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/base/attributes.h"
#include "compiler/ir/aliases.h"
#include "compiler/ir/text.h"
#include "compiler/ir/transform.h"

namespace raido::ir {

Types returns_of(const Program& p, const Lambda& l) {
  Types out;
  VarSet params;
  for (const Bind& b : l.params) params.insert(b.var);
  for (const Atom& a : l.body.result) {
    Type t = p.type(a);
    walk(t, [&](Var& v) {
      if (params.contains(v)) return;
      for (size_t k = 0; k < l.body.result.size(); k++)
        if (l.body.result[k] == Atom(v)) { v = result_number(k); return; }
    });
    out.push_back(std::move(t));
  }
  return out;
}

namespace {

class Verifier {
 public:
  explicit Verifier(const Program& p) : p_(p), aliases_(p) {}
  Violation found;

  void run() {
    open_body(p_.constants);                             // stays in scope for the functions
    for (const Function& f : p_.functions) {
      if (!fine()) return;
      in_ = f.name;
      attributes(f.attrs);
      std::vector<Var> mark = std::exchange(bound_here_, {});
      for (const Bind& b : f.lambda.params) bind(b);
      body(f.lambda.body);
      if (f.consumes.size() != f.lambda.params.size()) fail("V6", "`consumes` has a wrong length");
      if (f.returns.size() != f.lambda.body.result.size()) fail("V3", "`returns` has a wrong length");
      close(std::move(mark));
    }
    for (const EntryPoint& e : p_.entries) entry(e);
  }

 private:
  const Program& p_;
  Aliases aliases_;
  VarSet scope_, ever_bound_;
  TrailSet<Var> consumed_, acc_used_;
  std::vector<Var> bound_here_;
  std::string in_ = "constants";
  const Stm* at_ = nullptr;
  std::vector<SegLevel> levels_;

  bool fine() const { return found.rule.empty(); }
  void fail(std::string rule, std::string message) {
    if (!fine()) return;
    found = {std::move(rule), fmt::format("{}, in {}{}{}", message, in_, at_ ? ": " : "", at_ ? print(p_, *at_) : "")};
  }
  std::string show(Var v) const { return v.index < p_.vars.size() ? fmt::format("{}#{}", p_.hint(v), v.index) : "?"; }

  // ---- V1, V2: binders and scope ----
  void bind(const Bind& b) {
    if (!b.var.valid() || b.var.index >= p_.vars.size()) return fail("V1", "a binder without variable");
    if (ever_bound_.contains(b.var)) return fail("V1", fmt::format("`{}` is bound twice", show(b.var)));
    ever_bound_.insert(b.var);
    walk(p_.type(b.var), [&](const Var& v) { use_scope(v); });
    if (p_.level == Memory) {
      auto a = std::get_if<ArrayType>(&p_.type(b.var));
      if (a && !a->place) fail("V10", fmt::format("`{}` has no place", show(b.var)));
      if (a && a->place && a->place->layout.strides.size() != a->shape.size())
        fail("V10", fmt::format("the layout of `{}` does not fit its shape", show(b.var)));
    } else if (auto a = std::get_if<ArrayType>(&p_.type(b.var)); a && a->place)
      fail("V10", fmt::format("`{}` has a place before level memory", show(b.var)));
    const VarInfo& info = p_.vars[b.var.index];
    if (info.batched && !is_array(info.type)) fail("V11", fmt::format("`batched` of `{}`, which is no array", show(b.var)));
    if (info.contribution || !info.before.empty()) fail("V11", fmt::format("what `differentiate` says of `{}` is left", show(b.var)));
    attributes(info.attrs);
    scope_.insert(b.var);
    bound_here_.push_back(b.var);
  }
  void attributes(const std::vector<Attr>& attrs) {
    for (const Attr& a : attrs)
      if (const Hint* hint = find_hint(a.name); !hint || !hint->in_core) fail("V12", fmt::format("`{}` is no hint of a core program", a.name));
  }
  void close(std::vector<Var> mark) {
    for (Var v : bound_here_) scope_.erase(v);
    bound_here_ = std::move(mark);
  }
  void use_scope(Var v) {
    if (!v.valid() || v.index >= p_.vars.size() || !scope_.contains(v)) fail("V2", fmt::format("`{}` is not in scope", show(v)));
  }
  // ---- V6, V7: consumption and linearity ----
  void use(Var v) {
    use_scope(v);
    if (!fine()) return;
    const Type& t = p_.type(v);
    if (is_array(t))
      for (Var r : aliases_.roots(v))
        if (consumed_.contains(r)) return fail("V6", fmt::format("`{}` is used after its consumption", show(v)));
    if (is_acc(t)) {
      if (acc_used_.contains(v)) return fail("V7", fmt::format("the accumulator `{}` is used twice", show(v)));
      acc_used_.insert(v);
    }
  }
  void use(const Atom& a) { if (auto v = var_of(a)) use(*v); }

  void open_body(const Body& b) {
    for (const Stm& s : b.stms) {
      if (!fine()) return;
      statement(s);
    }
    for (const Atom& a : b.result) use(a);
  }
  void body(const Body& b) {
    std::vector<Var> mark = std::exchange(bound_here_, {});
    open_body(b);
    close(std::move(mark));
  }
  void lambda(const Lambda& l) {
    std::vector<Var> mark = std::exchange(bound_here_, {});
    for (const Bind& b : l.params) bind(b);
    body(l.body);
    close(std::move(mark));
  }

  void statement(const Stm& s) {
    const Stm* outer = std::exchange(at_, &s);
    match(s.exp, [&](const auto& op) {
      using Op = std::decay_t<decltype(op)>;
      if ((Op::levels & p_.level) == 0) fail("V4", fmt::format("`{}` is not legal at this level", Op::name));
    });
    attributes(s.attrs);
    for (Var c : s.checks) {
      use(c);
      if (fine() && !is_check(p_.type(c))) fail("V8", fmt::format("`{}` is no proof", show(c)));
    }
    if (!fine()) return;
    operands(s);
    if (fine()) shapes(s.exp);
    if (fine()) results(s);
    if (auto x = std::get_if<For>(&s.exp); x && fine()) returned_state(s, x->state, x->init, x->body);
    if (auto x = std::get_if<While>(&s.exp); x && fine()) returned_state(s, x->state, x->init, x->body);
    for (Var r : aliases_.consumed(s)) consumed_.insert(r);
    for (const Bind& b : s.pattern) if (fine()) bind(b);
    at_ = outer;
  }

  // What an iteration consumes of its state the one before must have made, and no other state may share its memory.
  void returned_state(const Stm& s, const std::vector<Bind>& state, const std::vector<Atom>& init, const Body& b) {
    VarSet inside;
    walk_parts(s, [&](const Bind& x) { inside.insert(x.var); });
    for (size_t i = 0; i < state.size(); i++)
      if (auto v = var_of(b.result[i]); v && aliases_.consumes(state[i].var) && is_array(p_.type(*v)))
        for (Var r : aliases_.roots(*v))
          if (!inside.contains(r)) return fail("V6", fmt::format("`{}` is consumed by each iteration and not made by any", show(r)));
    for (size_t i = 0; i < state.size(); i++)
      for (size_t k = 0; k < state.size(); k++)
        if (k != i && aliases_.consumes(state[i].var) && (aliases_.may_alias(init[i], init[k]) || aliases_.may_alias(b.result[i], b.result[k])))
          return fail("V6", fmt::format("`{}` is consumed and shares memory with `{}`", show(state[i].var), show(state[k].var)));
  }

  // Uses in field order; inner bodies in the scope of the binders before them.
  void operands(const Stm& s) {
    std::vector<Var> mark = std::exchange(bound_here_, {});
    if (auto x = std::get_if<If>(&s.exp)) {
      use(x->cond);
      size_t consumed = consumed_.size(), accs = acc_used_.size();
      body(x->then_);
      std::vector<Var> consumed_then = consumed_.take_back_to(consumed), accs_then = acc_used_.take_back_to(accs);
      body(x->else_);
      for (Var v : consumed_then) consumed_.insert(v);
      for (Var v : accs_then) acc_used_.insert(v);
    } else {
      auto visit = overloaded{[&](const Var& v) { if (fine()) use(v); }, [&](const Bind& b) { if (fine()) bind(b); },
                              [&](const Lambda& l) { if (fine()) lambda(l); }, [&](const Body& b) { if (fine()) body(b); }};
      auto seg = std::get_if<Seg>(&s.exp);
      if (seg) levels_.push_back(seg->level);
      // with_acc: its arrays are out of bounds inside the scope
      if (auto scope = std::get_if<WithAcc>(&s.exp)) {
        walk(scope->dests, visit);
        for (const Dest& d : scope->dests) for (Var v : d.arrays) for (Var r : aliases_.reach(v)) consumed_.insert(r);
        lambda(scope->scope);
      } else match(s.exp, [&](const auto& op) { walk_parts(op, visit); });
      if (seg) levels_.pop_back();
    }
    close(std::move(mark));
  }

  // ---- V3: the types of the pattern ----
  // Every dimension of `pattern` is that of `actual`, or names the binder k where `actual` has the k-th result.
  bool agrees(const Type& pattern, const Type& actual, const std::vector<Var>& binders, const std::vector<Atom>& values) {
    if (pattern.index() != actual.index()) return false;
    if (auto acc = std::get_if<AccType>(&pattern)) return acc->token == std::get<AccType>(actual).token;   // shapes: their scope's
    if (!is_array(pattern)) return same_type(pattern, actual);
    const ArrayType &x = std::get<ArrayType>(pattern), &y = std::get<ArrayType>(actual);
    if (x.elem != y.elem || x.shape.size() != y.shape.size()) return false;
    for (size_t d = 0; d < x.shape.size(); d++) {
      bool same = x.shape[d] == y.shape[d];
      for (size_t k = 0; k < binders.size() && k < values.size(); k++)
        same = same || (x.shape[d] == Atom(binders[k]) && values[k] == y.shape[d]);
      if (!same) return false;
    }
    return true;
  }
  void agree(const std::vector<Bind>& pattern, const std::vector<Atom>& values, std::string_view what) {
    if (pattern.size() != values.size())
      return fail("V3", fmt::format("{} results for {} binders ({})", values.size(), pattern.size(), what));
    std::vector<Var> binders;
    for (const Bind& b : pattern) binders.push_back(b.var);
    for (size_t i = 0; i < pattern.size(); i++)
      if (!agrees(p_.type(binders[i]), p_.type(values[i]), binders, values))
        return fail("V3", fmt::format("`{}` has type {}, {} has {}", show(binders[i]), print(p_, p_.type(binders[i])), what,
                                      print(p_, p_.type(values[i]))));
  }
  void results(const Stm& s) {
    if (auto x = std::get_if<If>(&s.exp)) {
      agree(s.pattern, x->then_.result, "the first branch");
      return agree(s.pattern, x->else_.result, "the second branch");
    }
    auto loop = [&](const std::vector<Bind>& state, const std::vector<Atom>& init, const Body& b) {
      if (state.size() != init.size()) return fail("V3", "state and initial values differ in number");
      agree(state, init, "the initial value");
      agree(state, b.result, "the body");
      std::vector<Atom> values;
      for (const Bind& bind : state) values.push_back(bind.var);
      agree(s.pattern, values, "the state");
    };
    if (auto x = std::get_if<For>(&s.exp)) return loop(x->state, x->init, x->body);
    if (auto x = std::get_if<While>(&s.exp)) return loop(x->state, x->init, x->body);
    Types expected = types_of(p_, s);
    if (expected.size() != s.pattern.size())
      return fail("V3", fmt::format("{} results for {} binders", expected.size(), s.pattern.size()));
    for (size_t i = 0; i < expected.size(); i++) {
      Type want = expected[i], have = p_.type(s.pattern[i].var);
      if (auto a = std::get_if<ArrayType>(&want)) a->place.reset();      // places are the pattern's to say
      if (auto a = std::get_if<ArrayType>(&have)) a->place.reset();
      if (!same_type(want, have) && !(is_acc(want) && is_acc(have)))
        return fail("V3", fmt::format("`{}` has type {}, the operation gives {}", show(s.pattern[i].var), print(p_, have), print(p_, want)));
    }
  }

  // ---- operand types, V5, V9 ----
  void expect_scalar(const Atom& a, Scalar s, std::string_view what) {
    if (!same_type(p_.type(a), scalar_type(s))) fail("V3", fmt::format("{} is {}, not {}", what, print(p_, p_.type(a)), name_of(s)));
  }
  void array(Var v) { if (!is_array(p_.type(v))) fail("V3", fmt::format("`{}` is no array", show(v))); }
  void sizes(const std::vector<Atom>& atoms) { for (const Atom& a : atoms) expect_scalar(a, Scalar::I64, "a size or index"); }
  void selectors(Var array, const std::vector<Selector>& at) {
    if (!is_array(p_.type(array)) || at.size() > shape_of(p_.type(array)).size() || at.empty())
      return fail("V3", "too many or no selectors for the array");
    for (const Selector& s : at)
      match(s, [&](const Atom& a) { expect_scalar(a, Scalar::I64, "an index"); },
            [&](const Slice& x) { sizes({x.start, x.count, x.stride}); });
  }
  void combine(const Combine& c) {
    size_t k = c.neutral.size();
    if (k == 0 || c.op.params.size() != 2 * k || c.op.body.result.size() != k) return fail("V5", "an operator with wrong arity");
    for (size_t i = 0; i < k; i++) {
      const Type& t = p_.type(c.op.params[i].var);
      auto same = [&](const Type& u) { return same_shape(t, u); };
      if (!same(p_.type(c.op.params[k + i].var)) || !same(p_.type(c.neutral[i])) || !same(p_.type(c.op.body.result[i])))
        return fail("V5", "operands, result and neutral element of an operator differ in type");
      if (!c.shape.empty() && !is_scalar(t)) return fail("V5", "an operator with a shape works on scalars");
    }
  }
  bool same_shape(Type a, Type b) {
    if (auto x = std::get_if<ArrayType>(&a)) x->place.reset();
    if (auto x = std::get_if<ArrayType>(&b)) x->place.reset();
    return same_type(a, b);
  }
  void combines(const std::vector<Combine>& cs) { for (const Combine& c : cs) if (fine()) combine(c); }
  void operands_of(const Lambda& f, const std::vector<Var>& inputs, const Dim& width) {
    if (f.params.size() != inputs.size()) return fail("V3", "inputs and parameters differ in number");
    for (size_t i = 0; i < inputs.size(); i++) {
      const Type& t = p_.type(inputs[i]);
      if (!is_array(t) && !is_acc(t)) return fail("V3", "an input is neither an array nor an accumulator");
      if (is_array(t) && shape_of(t)[0] != width) return fail("V3", fmt::format("`{}` is not as long as the width", show(inputs[i])));
      if (!same_shape(row_type(t), p_.type(f.params[i].var)) && !is_acc(t))
        return fail("V3", fmt::format("the parameter for `{}` is no row of it", show(inputs[i])));
    }
  }
  void post(const std::vector<Atom>& inner, const std::vector<Combine>& reduces, const std::vector<Combine>& scans,
            const Lambda& f, const std::vector<Combine>& post_reduces) {
    if (inner.size() < width_of(reduces) + width_of(scans)) return fail("V3", "too few operands for the operators");
    combines(reduces);
    combines(scans);
    combines(post_reduces);
    if (f.params.empty() && f.body.result.empty()) {
      if (!post_reduces.empty()) fail("V3", "`post_reduces` without a post lambda");
      return;
    }
    if (f.params.size() != inner.size() - width_of(reduces)) return fail("V3", "post has a wrong number of parameters");
    if (f.body.result.size() < width_of(post_reduces)) fail("V3", "post has too few results");
  }
  void dests(const std::vector<Dest>& ds) {
    for (const Dest& d : ds) {
      if (d.arrays.empty() || d.rank < 1) return fail("V3", "a destination without arrays or rank");
      for (Var v : d.arrays)
        if (!is_array(p_.type(v)) || isize(shape_of(p_.type(v))) < d.rank) return fail("V3", "a destination of too small a rank");
      if (d.combine) combine(*d.combine);
    }
  }
  // V11: what operations say of themselves.
  void in_place(const std::vector<bool>& which, const auto& operands) {
    if (which.empty() || !fine()) return;
    if (which.size() != operands.size()) return fail("V11", "`in_place` is not said of each operand");
    for (size_t k = 0; k < which.size(); k++) if (which[k]) in_place(at_->pattern[0].var, operands[k]);
  }
  void in_place(Var whole, const Atom& part) {
    if (p_.level != Memory) return fail("V11", "`in_place` before level memory");
    auto v = var_of(part);
    auto a = v ? std::get_if<ArrayType>(&p_.type(*v)) : nullptr, b = std::get_if<ArrayType>(&p_.type(whole));
    if (!a || !b || !a->place || !b->place || a->place->block != b->place->block) fail("V11", "`in_place` of what lies in another block");
  }
  void said(const For& x) {
    if (x.any_order) any_order(x);
    if (x.vectors != Vectors::Open) vectors(x);
    if (x.group) group(x);
    if (x.counted) fail("V11", "`counted` outside of `differentiate`");
    if (x.slots) fail("V11", "`slots` outside of `differentiate`");
    if (x.budget && (x.budget->levels < 1 || x.budget->memory < 1)) fail("V11", "`budget` without a loop or memory");
  }
  void any_order(const For& x) {
    size_t k = 0;
    for (const Bind& b : x.state) {
      if (!is_scalar(p_.type(b.var))) continue;
      Scalar t = elem_of(p_.type(b.var));
      if (k == x.any_order->size() || arity_of((*x.any_order)[k]) != 2 || !is_commutative((*x.any_order)[k], t) || !find_row((*x.any_order)[k], t))
        return fail("V11", "`any_order` without an operator for each state that is a number");
      k++;
    }
    if (k != x.any_order->size()) fail("V11", "`any_order` with an operator too many");
  }
  void vectors(const For& x) {
    if (side_by_side(x.vectors) || x.vectors == Vectors::Apart) return beside(x);
    bool yes = x.vectors == Vectors::Yes || x.vectors == Vectors::Alone;
    if (!x.any_order && !(x.vectors == Vectors::Alone && x.sums) && yes) return fail("V11", "iterations in an order as vectors");
    for (const Bind& b : x.state)
      if (const Type& t = p_.type(b.var); yes && is_scalar(t) && elem_of(t) == Scalar::Bool) fail("V11", "`vectors` that combine what is no number");
  }
  void beside(const For& x) {
    if (p_.level != Memory) fail("V11", "`lanes` or `apart` before level memory");
    for (const Bind& b : x.state)
      if (std::holds_alternative<BlockType>(p_.type(b.var)) || (is_scalar(p_.type(b.var)) && !x.any_order)) fail("V11", "`lanes` or `apart` of iterations that need each other");
  }
  // Nothing in a lane's own memory comes from the iteration before, and what is added to lies in a block of its own.
  void group(const For& x) {
    group(x.vectors, *x.group);
    auto states_in = [&](Var block) {
      return std::ranges::count_if(x.state, [&](Bind b) { auto a = std::get_if<ArrayType>(&p_.type(b.var)); return a && a->place && a->place->block == block; });
    };
    for (Var v : x.group->own) if (!std::holds_alternative<BlockType>(p_.type(v)) || states_in(v) != 0) fail("V11", "a lane's own memory holds what goes from one iteration to the next");
    for (Var v : x.group->sums) if (!std::holds_alternative<BlockType>(p_.type(v)) || states_in(v) != 1) fail("V11", "sums that do not lie in a block of their own");
  }
  void group(Vectors vectors, const Group& x) {
    if (!side_by_side(vectors)) return fail("V11", "memory of lanes that there are not");
    expect_scalar(x.when, Scalar::Bool, "the condition");
  }
  void group(const Seg& x) {
    group(x.vectors, *x.group);
    if (!x.group->sums.empty()) fail("V11", "sums into memory that tasks share");
    for (Var v : x.group->own)
      if (std::ranges::none_of(x.workspaces, [&](const Workspace& w) { return w.block.var == v; })) fail("V11", "a lane's own memory is no workspace of the task");
  }
  void workspaces(const Seg& x) {
    if (x.level != SegLevel::Task || p_.level != Memory) return fail("V11", "workspaces of what is no task in memory");
    for (const Workspace& w : x.workspaces) {
      sizes({w.bytes});
      if (!same_type(p_.type(w.block.var), BlockType{Space::Host})) fail("V11", "a workspace that is no block of host memory");
    }
  }
  // What an operation demands of its operands, one function for each operation. The others demand nothing beyond their result types.
  void shapes(const Exp& e) { match(e, [&](const auto& x) { demands(x); }); }
  void demands(const auto&) {}

  void demands(const Apply& x) {
    if (isize(x.args) != arity_of(x.op)) return fail("V3", "a wrong number of operands");
    for (const Atom& a : x.args) if (!is_scalar(p_.type(a))) return fail("V3", "an operand is no scalar");
    Scalar first = elem_of(p_, x.args[0]), s = working_type(x.op, first, x.args.size() > 1 ? elem_of(p_, x.args[1]) : first);
    if (!find_row(x.op, s)) return fail("V3", fmt::format("`{}` is not defined at {}", name_of(x.op), name_of(s)));
    for (size_t i = 0; i < x.args.size(); i++) expect_scalar(x.args[i], operand_type(x.op, s, int(i)), "an operand");
  }
  void demands(const Assert& x) { expect_scalar(x.cond, Scalar::Bool, "the condition"); }
  void demands(const If& x) { expect_scalar(x.cond, Scalar::Bool, "the condition"); }
  void demands(const For& x) {
    sizes({x.n});
    said(x);
  }
  void demands(const While& x) {
    if (x.cond.params.size() != x.state.size() || x.cond.body.result.size() != 1) return fail("V3", "the condition does not fit the state");
    expect_scalar(x.cond.body.result[0], Scalar::Bool, "the condition");
  }
  void demands(const Call& x) {
    if (x.args.size() != p_.functions[x.callee.index].lambda.params.size()) fail("V3", "a wrong number of arguments");
  }
  void demands(const Index& x) { selectors(x.array, x.at); }
  void demands(const Update& x) {
    selectors(x.array, x.at);
    if (!fine()) return;
    Type want = array_type(elem_of(p_.type(x.array)), selected_shape(shape_of(p_.type(x.array)), x.at));
    if (!same_shape(want, p_.type(x.value))) fail("V3", "the value does not have the shape of the place");
    if (x.in_place) in_place(x.array, x.value);
  }
  void demands(const Convert& x) { if (!is_scalar(p_.type(x.value))) fail("V3", "the operand is no scalar"); }
  void demands(const Iota& x) {
    sizes({x.n});
    if (!is_scalar(p_.type(x.start)) || !same_type(p_.type(x.start), p_.type(x.step))) fail("V3", "start and step are no scalars of one type");
  }
  void demands(const Replicate& x) {
    if (x.shape.empty()) fail("V3", "replicate without dimensions");
    sizes(x.shape);
    if (!is_scalar(p_.type(x.value)) && !is_array(p_.type(x.value))) fail("V3", "replicate of what is no value");
  }
  void demands(const Scratch& x) { if (x.shape.empty()) fail("V3", "scratch without dimensions"); sizes(x.shape); }
  void demands(const Reshape& x) {
    if (x.shape.empty()) fail("V3", "reshape without dimensions");
    sizes(x.shape);
    array(x.array);
  }
  void demands(const Copy& x) { array(x.array); }
  void demands(const ArrayLit& x) {
    if (x.elements.empty()) return fail("V3", "an empty array literal");
    if (!is_scalar(p_.type(x.elements[0])) && !is_array(p_.type(x.elements[0]))) return fail("V3", "an array of what is no value");
    for (const Atom& a : x.elements) if (!same_shape(p_.type(a), p_.type(x.elements[0]))) fail("V3", "elements of different types");
    in_place(x.in_place, x.elements);
  }
  void demands(const Concat& x) {
    if (x.arrays.empty()) return fail("V3", "concat of nothing");
    sizes({x.size});
    for (Var v : x.arrays) array(v);
    if (!fine()) return;
    auto others = [&](Var v) {
      std::vector<Dim> shape = shape_of(p_.type(v));
      if (x.dim >= 0 && x.dim < isize(shape)) shape.erase(shape.begin() + x.dim);
      return shape;
    };
    if (x.dim < 0 || x.dim >= isize(shape_of(p_.type(x.arrays[0])))) return fail("V3", "concat along a dimension that the arrays do not have");
    for (Var v : x.arrays)
      if (elem_of(p_.type(v)) != elem_of(p_.type(x.arrays[0])) || others(v) != others(x.arrays[0])) fail("V3", "concat of arrays that do not fit");
    in_place(x.in_place, x.arrays);
  }
  void demands(const Permute& x) {
    array(x.array);
    std::vector<int> sorted = x.dims;
    std::ranges::sort(sorted);
    for (int i = 0; i < isize(sorted); i++) if (sorted[size_t(i)] != i) return fail("V3", "not a permutation");
    if (sorted.size() != shape_of(p_.type(x.array)).size()) fail("V3", "a permutation of another rank");
  }
  void demands(const Screma& x) {
    sizes({x.width});
    operands_of(x.pre, x.inputs, x.width);
    if (fine()) post(x.pre.body.result, x.reduces, x.scans, x.post, x.post_reduces);
  }
  void demands(const Hist& x) {
    sizes({x.width});
    operands_of(x.pre, x.inputs, x.width);
    dests(x.dests);
    size_t want = 0;
    for (const Dest& d : x.dests) want += size_t(d.rank) + d.arrays.size();
    if (x.pre.body.result.size() != want) fail("V3", "a wrong number of indices and values");
  }
  void demands(const WithAcc& x) {
    dests(x.dests);
    if (!fine()) return;
    size_t n = x.dests.size();
    if (x.scope.params.size() != 2 * n || x.scope.body.result.size() < n) return fail("V7", "a scope with wrong parameters");
    for (size_t i = 0; i < n; i++) {
      Var token = x.scope.params[i].var;
      if (!same_type(p_.type(x.scope.params[n + i].var), dest_type(p_, x.dests[i], token)))
        return fail("V7", "an accumulator that does not fit its arrays");
      Type returned = p_.type(x.scope.body.result[i]);
      auto result = std::get_if<AccType>(&returned);
      if (!result || result->token != token) return fail("V7", "the scope does not return its accumulators in order");
    }
  }
  void demands(const AccUpdate& x) {
    auto acc = std::get_if<AccType>(&p_.type(x.acc));
    if (!acc) return fail("V7", "`upd` of what is no accumulator");
    if (x.at.size() != acc->space.size() || x.values.size() != acc->elems.size()) return fail("V7", "`upd` with a wrong number of indices or values");
    sizes(x.at);
    for (size_t i = 0; i < x.values.size(); i++)
      if (!same_shape(p_.type(x.values[i]), array_type(acc->elems[i].elem, acc->elems[i].shape))) fail("V7", "`upd` of another type");
  }
  static bool nests(SegLevel outer, SegLevel inner) {
    if (outer == SegLevel::Block || outer == SegLevel::Warp) return inner == SegLevel::Lane;
    return outer == SegLevel::Task && (inner == SegLevel::Task || inner == SegLevel::Simd || inner == SegLevel::Tile);
  }
  void demands(const Seg& x) {
    if (x.index.size() != x.extent.size() || x.index.empty()) return fail("V9", "index and extent differ in rank");
    sizes(x.extent);
    if (!levels_.empty() && !nests(levels_.back(), x.level)) return fail("V9", "seg levels do not nest this way");
    if (p_.level == Core && x.level != SegLevel::Tile) return fail("V4", "a seg before parallelism is distributed");
    if (x.level == SegLevel::Tile && !is_contraction(x)) return fail("V9", "a tile of what is no contraction of scalars");
    if (x.vectors == Vectors::Yes || x.vectors == Vectors::Alone) return fail("V11", "a seg whose points are vectors");
    if (x.vectors == Vectors::No && x.level != SegLevel::Task) return fail("V11", "parts that are no task");
    if (x.vectors != Vectors::Open && x.vectors != Vectors::No && (p_.level != Memory || x.level != SegLevel::Task || x.index.size() != 1)) return fail("V11", "`lanes` or `apart` of what is no task in memory");
    if (!x.workspaces.empty()) workspaces(x);
    if (x.group) group(x);
    if (x.collective) collective(x);
    else if (x.level == SegLevel::Simd ? !is_vector_scan(x) : p_.level == Memory && x.level != SegLevel::Tile && !(x.reduces.empty() && x.scans.empty() && x.post_reduces.empty() && x.dests.empty()))
      return fail("V11", x.level == SegLevel::Simd ? "a `simd` that is no scan of scalars" : "a seg in memory that is more than a map, and not `collective`");
    if (x.parts && (*x.parts < 1 || (x.reduces.empty() && x.scans.empty()))) return fail("V11", "`parts` without an operator, or less than one");
    dests(x.dests);
    std::vector<Atom> inner = x.body.result;
    size_t updates = 0;
    for (const Dest& d : x.dests) updates += size_t(d.rank) + d.arrays.size();
    if (inner.size() < updates) return fail("V3", "too few results for the destinations");
    inner.resize(inner.size() - updates);
    if (fine()) post(inner, x.reduces, x.scans, x.post, x.post_reduces);
  }
  // It scans scalars over one index. Its results are some components of the scan.
  bool is_vector_scan(const Seg& x) const {
    auto scalar = [&](Bind b) { return is_scalar(p_.type(b.var)); };
    auto component = [&](const Atom& a) { return std::ranges::any_of(x.post.params, [&](Bind b) { return Atom(b.var) == a; }); };
    return x.index.size() == 1 && x.scans.size() == 1 && x.reduces.empty() && x.post_reduces.empty() && x.dests.empty() && x.post.body.stms.empty() &&
           x.post.params.size() == x.scans[0].neutral.size() && x.scans[0].shape.empty() && std::ranges::all_of(x.post.params, scalar) &&
           std::ranges::all_of(x.post.body.result, component);
  }
  static bool is_scalar_work(const Exp& e) {
    return std::holds_alternative<Identity>(e) || std::holds_alternative<Apply>(e) || std::holds_alternative<Convert>(e) ||
           std::holds_alternative<Index>(e) || std::holds_alternative<Permute>(e);
  }
  // It has at least two dimensions and the reduced one. It computes scalars, by statements that cannot fail and have no bodies.
  bool is_contraction(const Seg& x) const {
    bool fine = x.index.size() >= 3 && !x.reduces.empty() && x.scans.empty() && x.post.params.empty() && x.post.body.result.empty() &&
                x.post_reduces.empty() && x.dests.empty() && width_of(x.reduces) == x.body.result.size();
    auto scalars = [&](const Body& b) {
      for (const Stm& s : b.stms) fine = fine && is_scalar_work(s.exp);
      for (const Atom& a : b.result) fine = fine && is_scalar(p_.type(a));
    };
    scalars(x.body);
    for (const Combine& c : x.reduces) {
      fine = fine && c.shape.empty();
      scalars(c.op.body);
    }
    return fine;
  }
  // What threads combine lies in shared memory, one value for each of them.
  void collective(const Seg& x) {
    if (!x.scans.empty()) return collective_scan(x);
    if (x.level != SegLevel::Grid || x.index.size() < 2 || x.reduces.empty()) return fail("V11", "`collective` of what is no reduction on a grid for each row");
    if (!x.post_reduces.empty() || !x.dests.empty() || !x.post.params.empty() || !x.post.body.result.empty())
      return fail("V11", "`collective` of what does more than reduce");
    for (const Combine& c : x.reduces) if (!combines_scalars(p_, c)) fail("V11", "`collective` with an operator that works on arrays");
  }
  // Its elements are scalars, which threads keep in registers; so is what it makes of them, or it updates accumulators.
  void collective_scan(const Seg& x) {
    if (x.level != SegLevel::Grid || !x.reduces.empty() || !x.post_reduces.empty() || !x.dests.empty()) return fail("V11", "`collective` of what does more than scan on a grid");
    if (x.post.params.size() != x.body.result.size()) fail("V11", "a `collective` scan that does not say what becomes of its elements");
    for (const Combine& c : x.scans) if (!combines_scalars(p_, c)) fail("V11", "`collective` with an operator that works on arrays");
    for (const Atom& a : x.body.result) if (!is_scalar(p_.type(a))) fail("V11", "a `collective` scan of what are no scalars");
    for (const Atom& a : x.post.body.result)
      if (!is_scalar(p_.type(a)) && !is_acc(p_.type(a))) fail("V11", "a `collective` scan that makes what are no scalars");
  }
  void demands(const Alloc& x) { sizes({x.bytes}); }
  void demands(const Jvp& x) {
    sizes(x.batch);
    if (x.at.size() != x.f.params.size() || x.tangents.size() != x.at.size()) fail("V3", "jvp with a wrong number of arguments or seeds");
  }
  void demands(const Vjp& x) {
    sizes(x.batch);
    if (x.at.size() != x.f.params.size() || x.adjoints.size() != x.f.body.result.size()) fail("V3", "vjp with a wrong number of arguments or seeds");
  }
  void demands(const Custom& x) {
    size_t n = x.f.params.size(), m = x.f.body.result.size();
    auto fits = [](const std::optional<Lambda>& l, size_t params, size_t results) {
      return !l || (l->params.size() == params && l->body.result.size() == results);
    };
    if (x.args.size() != n || size_t(x.kept) > m || !fits(x.jvp, 2 * n, m) || !fits(x.vjp, 2 * m, n)) fail("V3", "a derivative rule that does not fit its function");
  }

  void entry(const EntryPoint& e) {
    at_ = nullptr;
    in_ = "entry " + e.name;
    if (e.function.index >= p_.functions.size()) return fail("V2", "an entry without function");
    const Lambda& f = p_.functions[e.function.index].lambda;
    size_t params = e.sizes, results = e.result_sizes;
    for (const ExternalType& t : e.params) params += t.values;
    for (const ExternalType& t : e.results) results += t.values;
    if (p_.level == Memory) return;                      // `place` adds blocks and layouts to what a function takes and gives
    if (params != f.params.size() || results != f.body.result.size()) fail("V3", "an entry that does not fit its function");
  }
};

}  // namespace

Violation verify(const Program& p) {
  Verifier v(p);
  v.run();
  return v.found;
}

}  // namespace raido::ir
