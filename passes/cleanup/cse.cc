// cse.cc - equal expressions once (C2): a statement whose expression stands already in scope takes its results.
//
// Expressions are compared up to the names bound inside, so whole scremas and branches count. Array results are shared
// only if neither copy is consumed; fresh arrays that are consumed somewhere stay apart. Proofs join: the later statement
// needs only the earlier one's checks, which are subsumed because it ran.
//
// Sums of integers are the same if they are the same combination of variables, however they were put together. Arithmetic wraps
// around, so that holds without regard to ranges (C2.linear). A remainder whose quotient stands in scope is what the quotient leaves:
// a multiplication and a subtraction instead of another division (C2.remainder). The rule needs a proof that the divisor is not zero.
// It runs after differentiation, for which a remainder has a derivative of its own.
//
// What is asserted already in scope is not asserted again, whatever the messages say: the first one has failed before (C2.asserts).
//
// Numbers that both branches of a condition compute, of what stands around, are computed before it (C2.branches): one of the two runs. Often
// nothing is left in the branches, and what the condition was made of is not needed.
//
// One walk visits each statement once. It renames, then merges inside, then looks the statement up. The hash for that was put
// together from those of its bodies. A name bound inside must not count and one bound outside must. Which of the two a name is
// depends on how far out one stands. So a digest has the shape, in which every variable is only a mark. It also has, for each depth
// of nesting, the sum over the uses of variables bound there. Seen from depth d, those of depths up to d are free.
#include <climits>
#include <memory>
#include <unordered_set>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/transform.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

uint64_t mix(uint64_t h, uint64_t x) { return (h ^ x) * 0x9E3779B97F4A7C15u + (h >> 29); }

struct Digest {
  uint64_t shape = 0xcbf29ce484222325u;
  std::vector<uint64_t> uses;       // by the depth at which the variable is bound
  int consumes = INT_MAX;           // the least depth of an array that is consumed

  void put(uint64_t word) { shape = mix(shape, word); }
  void use(Var v, size_t depth) {
    if (uses.size() <= depth) uses.resize(depth + 1);
    uses[depth] += mix(1, v.index);
  }
  void put(const Digest& inner) {
    put(inner.shape);
    if (uses.size() < inner.uses.size()) uses.resize(inner.uses.size());
    for (size_t d = 0; d < inner.uses.size(); d++) uses[d] += inner.uses[d];
    consumes = std::min(consumes, inner.consumes);
  }
  uint64_t seen_from(size_t depth) const {
    uint64_t h = shape;
    for (size_t d = 0; d <= depth && d < uses.size(); d++) h += uses[d];
    return h;
  }
};

// The same form with numbers of an integer type: as large as they are, sign and all.
Affine reduced(const Affine& a, Scalar type) {
  int unused = 64 - 8 * int(bytes_of(type));
  auto number = [&](i64 x) { return i64(uint64_t(x) << unused) >> unused; };
  Affine out(number(a.constant));
  for (auto [v, k] : a.terms) out.add(Affine(v), number(k));
  return out;
}
uint64_t hash_of(const Affine& a) {
  uint64_t h = mix(1, uint64_t(a.constant));
  for (auto [v, k] : a.terms) h = mix(mix(h, v.index), uint64_t(k));
  return h;
}

class Cse {
 public:
  Cse(Program& p, PassContext& context) : p_(p), context_(context), aliases_(p), consumed_(aliases_.own_memory()) {}
  // Merges in a body whose statements bind at `depth`.
  Digest body(Body& b, size_t depth) {
    Digest digest;
    size_t mark = trail_.size(), form_mark = form_trail_.size(), quotient_mark = quotient_trail_.size();
    size_t asserted_mark = asserted_trail_.size();
    List<Stm> kept;
    auto visit = [&](std::unique_ptr<Stm> s) {
      std::optional<Digest> of_statement = statement(*s, depth);
      if (!of_statement) return;
      digest.put(*of_statement);
      kept.push_back(std::move(s));
    };
    for (auto& item : b.stms.take()) {
      if (auto branch = std::get_if<If>(&item->exp)) for (auto& common : in_both(*branch)) visit(std::move(common));
      if (auto product = quotient_times_divisor(*item)) visit(std::make_unique<Stm>(std::move(*product)));
      visit(std::move(item));
    }
    b.stms = std::move(kept);
    Reader reader{*this, depth, digest};
    reader.put(b.result);
    while (trail_.size() > mark) {
      known_[trail_.back()].pop_back();
      trail_.pop_back();
    }
    for (; asserted_trail_.size() > asserted_mark; asserted_trail_.pop_back()) asserted_[asserted_trail_.back()] = {};
    for (; quotient_trail_.size() > quotient_mark; quotient_trail_.pop_back()) quotients_[quotient_trail_.back()].pop_back();
    for (; form_trail_.size() > form_mark; form_trail_.pop_back()) by_form_[form_trail_.back()].pop_back();
    digest.uses.resize(std::min(digest.uses.size(), depth));
    return digest;
  }

 private:
  Program& p_;
  PassContext& context_;
  Aliases aliases_;
  VarSet consumed_;
  VarMap<Var> replaced_;                                  // dropped binder -> the one that stays
  VarMap<size_t> depth_;                                  // where a variable is bound
  std::unordered_map<uint64_t, std::vector<const Stm*>> known_;
  std::vector<uint64_t> trail_;
  VarMap<std::unique_ptr<const Affine>> form_;
  std::unordered_map<uint64_t, std::vector<Var>> by_form_;
  std::vector<uint64_t> form_trail_;
  struct Quotient { ScalarOp op; Atom x, y; Var q; };
  std::unordered_map<uint64_t, std::vector<Quotient>> quotients_;
  std::vector<uint64_t> quotient_trail_;
  VarMap<Var> asserted_;                                  // a condition -> the check that says it
  std::vector<Var> asserted_trail_;

  Atom current(const Atom& a) const { auto v = var_of(a); return v && replaced_[*v].valid() ? Atom(replaced_[*v]) : a; }
  // Notes quotients of integers by what is no constant. A remainder of the same two becomes x - p, for the product p that is
  // returned, of the quotient and the divisor.
  std::optional<Stm> quotient_times_divisor(Stm& s) {
    auto apply = std::get_if<Apply>(&s.exp);
    if (p_.level == Ad || !apply || apply->args.size() != 2 || !is_integer(elem_of(p_, apply->args[0])) || s.checks.empty() || !s.attrs.empty()) return {};
    bool floors = apply->op == ScalarOp::div || apply->op == ScalarOp::mod, quotient = apply->op == ScalarOp::div || apply->op == ScalarOp::quot;
    if (!floors && !quotient && apply->op != ScalarOp::rem) return {};
    Atom x = current(apply->args[0]), y = current(apply->args[1]);
    if (!var_of(x) || !var_of(y)) return {};
    uint64_t key = mix(var_of(x)->index, var_of(y)->index);
    if (quotient) {
      quotients_[key].push_back({apply->op, x, y, s.pattern[0].var});
      quotient_trail_.push_back(key);
      return {};
    }
    for (const Quotient& known : quotients_[key]) {
      if (known.op != (floors ? ScalarOp::div : ScalarOp::quot) || known.x != x || known.y != y || !context_.allow()) continue;
      Var p = p_.fresh("mul", p_.type(s.pattern[0].var));
      apply->op = ScalarOp::sub;
      apply->args = {x, p};
      context_.stats.count("cse.C2.remainder");
      return Stm{{{p}}, Apply{ScalarOp::mul, {known.q, y}}, s.checks, s.source, {}};
    }
    return {};
  }
  // Takes out of two branches the numbers that both compute.
  std::vector<std::unique_ptr<Stm>> in_both(If& x) {
    std::vector<std::unique_ptr<Stm>> common;
    if (p_.level == Memory || x.then_.stms.empty() || x.else_.stms.empty()) return common;
    auto may_leave = [&](const Stm& s) {
      return s.checks.empty() && s.attrs.empty() && traits_of(s.exp).shareable && std::ranges::all_of(s.pattern, [&](Bind b) { return is_scalar(p_.type(b.var)); });
    };
    auto key = [&](const Stm& s) {
      auto apply = std::get_if<Apply>(&s.exp);
      uint64_t h = mix(s.exp.index(), apply ? uint64_t(apply->op) : 0);
      if (apply) for (const Atom& a : apply->args) if (auto v = var_of(a)) h = mix(h, v->index);
      return h;
    };
    std::unordered_multimap<uint64_t, const Stm*> first;
    for (const Stm& s : x.then_.stms) if (may_leave(s)) first.emplace(key(s), &s);
    Subst same;                                           // of the second branch -> of the first
    std::unordered_set<const Stm*> leaves;
    for (Stm& s : x.else_.stms) {
      if (!same.empty()) substitute(p_, s, same);
      if (!may_leave(s)) continue;
      for (auto [at, end] = first.equal_range(key(s)); at != end; ++at) {
        const Stm& twin = *at->second;
        if (!alike(p_, twin.exp, s.exp) || !context_.allow()) continue;
        for (size_t k = 0; k < s.pattern.size(); k++) same.insert_or_assign(s.pattern[k].var, twin.pattern[k].var);
        common.push_back(std::make_unique<Stm>(twin));
        leaves.insert(&s);
        leaves.insert(&twin);
        first.erase(at);
        context_.stats.count("cse.C2.branches");
        break;
      }
    }
    if (common.empty()) return common;
    substitute(p_, x.else_.result, same);
    for (Body* side : {&x.then_, &x.else_}) {
      List<Stm> kept;
      for (auto& s : side->stms.take()) if (!leaves.contains(s.get())) kept.push_back(std::move(s));
      side->stms = std::move(kept);
    }
    return common;
  }
  Affine form(const Atom& a) {
    if (auto c = const_of(a)) return i64(c->bits);
    Var v = *var_of(a);
    return form_[v] ? *form_[v] : Affine(v);
  }
  // A sum that stands already in scope in another form; otherwise it is noted.
  bool known_sum(const Stm& s) {
    auto apply = std::get_if<Apply>(&s.exp);
    if (!apply || !is_integer(elem_of(p_, apply->args[0])) || !is_scalar(p_.type(s.pattern[0].var))) return false;
    Affine sum;
    if (apply->op == ScalarOp::add || apply->op == ScalarOp::sub) {
      sum = form(apply->args[0]);
      sum.add(form(apply->args[1]), apply->op == ScalarOp::add ? 1 : -1);
    } else if (apply->op == ScalarOp::mul) {
      auto k = const_of(apply->args[0]), l = const_of(apply->args[1]);
      if (!k && !l) return false;
      sum.add(form(apply->args[k ? 1 : 0]), i64((k ? k : l)->bits));
    } else {
      return false;
    }
    sum = reduced(sum, elem_of(p_, apply->args[0]));
    if (sum.terms.size() > costs::common_factors) return false;
    Var v = s.pattern[0].var;
    uint64_t key = hash_of(sum);
    for (Var earlier : by_form_[key])
      if (*form_[earlier] == sum && same_type(p_.type(earlier), p_.type(v)) && context_.allow()) {
        replaced_[v] = earlier;
        context_.stats.count("cse.C2.linear");
        return true;
      }
    form_[v] = std::make_unique<const Affine>(std::move(sum));
    by_form_[key].push_back(v);
    form_trail_.push_back(key);
    return false;
  }

  // Reads the fields of a statement at `depth` into a digest, renaming variables and merging in bodies as it meets them.
  struct Reader {
    Cse& cse;
    size_t depth;
    Digest& digest;
    uint64_t own = 0;               // the variables of the statement's own fields that are free in it, in order

    void put(Var& v) {
      if (cse.replaced_[v].valid()) v = cse.replaced_[v];
      digest.put(1);
      digest.use(v, cse.depth_[v]);
      if (cse.depth_[v] <= depth) own = mix(own, v.index);
    }
    void put(Bind& b) {
      cse.depth_[b.var] = depth + 1;
      put(cse.p_.vars[b.var.index].type);
    }
    void put(Body& b) { digest.put(cse.body(b, depth + 1)); }
    void put(Const& c) { digest.put(uint64_t(c.type)); digest.put(c.bits); }
    void put(std::string& s) { digest.put(std::hash<std::string>()(s)); }
    template <class Tag> void put(Id<Tag>& id) { digest.put(id.index); }
    void put(std::vector<bool>& xs) { digest.put(std::hash<std::vector<bool>>()(xs)); }
    template <class T> void put(T& x) {
      if constexpr (is_vector<T>) { digest.put(x.size()); for (auto& part : x) put(part); }
      else if constexpr (is_optional<T>) { digest.put(x.has_value()); if (x) put(*x); }
      else if constexpr (is_variant<T>) { digest.put(x.index()); match(x, [&](auto& part) { put(part); }); }
      else if constexpr (HasFields<T>) std::apply([&](auto&... part) { (put(part), ...); }, T::fields(x));
      else digest.put(uint64_t(x));
    }
  };

  // Nothing if the statement is dropped.
  std::optional<Digest> statement(Stm& s, size_t depth) {
    Digest digest;
    Reader reader{*this, depth, digest};
    reader.put(s.exp);
    uint64_t key = mix(digest.seen_from(depth), reader.own);
    for (Bind b : s.pattern) {
      depth_[b.var] = depth;
      reader.put(p_.vars[b.var.index].type);
    }
    reader.put(s.checks);
    for (Var v : aliases_.consumed_itself(s))
      for (Var r : aliases_.reach(v)) digest.consumes = std::min(digest.consumes, int(depth_[r]));
    if (!shareable(s, digest, depth)) return digest;
    if (duplicate(s, key) || known_sum(s) || is_asserted(s)) return {};
    known_[key].push_back(&s);
    trail_.push_back(key);
    return digest;
  }
  bool is_asserted(const Stm& s) {
    auto assertion = std::get_if<Assert>(&s.exp);
    auto condition = assertion ? var_of(assertion->cond) : nullptr;
    if (!condition) return false;
    const Var earlier = asserted_[*condition], check = s.pattern[0].var;
    if (!earlier.valid()) {
      asserted_[*condition] = check;
      asserted_trail_.push_back(*condition);
    } else if (context_.allow()) {
      replaced_[check] = earlier;
      context_.stats.count("cse.C2.asserts");
      return true;
    }
    return false;
  }
  bool shareable(const Stm& s, const Digest& digest, size_t depth) const {
    if (digest.consumes <= int(depth) || !s.attrs.empty()) return false;
    for (Bind b : s.pattern) {
      const Type& t = p_.type(b.var);
      if (is_acc(t) || std::holds_alternative<BlockType>(t)) return false;
      if (is_array(t) && aliases_.has_root_in(b.var, consumed_)) return false;
    }
    return traits_of(s.exp).shareable;
  }
  bool duplicate(const Stm& s, uint64_t key) {
    auto found = known_.find(key);
    if (found == known_.end()) return false;
    for (const Stm* earlier : found->second) {
      if (!alike(p_, earlier->exp, s.exp) || earlier->pattern.size() != s.pattern.size()) continue;
      bool same = true;                                   // places differ at level memory
      for (size_t i = 0; i < s.pattern.size() && p_.level == Memory; i++)
        same = same && same_type(p_.type(earlier->pattern[i].var), p_.type(s.pattern[i].var));
      if (!same || !context_.allow()) continue;
      for (size_t i = 0; i < s.pattern.size(); i++) replaced_[s.pattern[i].var] = earlier->pattern[i].var;
      context_.stats.count("cse.hits");
      return true;
    }
    return false;
  }
};

}  // namespace

void cse(ir::Program& program, PassContext& context) {
  Cse pass(program, context);
  pass.body(program.constants, 0);
  for (ir::Function& f : program.functions) pass.body(f.lambda.body, 0);
}

}  // namespace raido
