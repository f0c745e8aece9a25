// contraction.cc - reads nests: a value inside is an array over letters, some of which are those of the maps and sums around.
#include "passes/products/contraction.h"

#include <algorithm>

namespace raido {
using namespace ir;

void each_factor(const ProductRef& t, const std::function<void(const Product&)>& f) {
  if (t->is_factor()) return f(*t);
  each_factor(t->left, f);
  each_factor(t->right, f);
}

VarSet counting_arrays(const Program& p) {
  VarSet counting;
  auto look = [&](const Stm& s) {
    auto iota = std::get_if<Iota>(&s.exp);
    if (iota && is_const(iota->start, 0) && is_const(iota->step, 1)) counting.insert(s.pattern[0].var);
  };
  p.each_body([&](const Body& b) { each_stm(b, look); });
  return counting;
}

Contractions::Contractions(const Program& p, const Body& body, const VarSet& counting, const Zeros& zeros)
    : p_(p), body_(body), counting_(counting), zeros_(zeros), uses_(p, body) {}

ProductRef Contractions::renamed(const ProductRef& t, const std::unordered_map<Letter, Letter>& to) {
  auto copy = std::make_shared<Product>(*t);
  for (auto* letters : {&copy->at, &copy->sums})
    for (Letter& l : *letters)
      if (auto found = to.find(l); found != to.end()) l = found->second;
  if (t->left) {
    copy->left = renamed(t->left, to);
    copy->right = renamed(t->right, to);
  }
  return copy;
}
// The same with other letters for what is summed over.
ProductRef Contractions::anew(const ProductRef& t) {
  std::unordered_map<Letter, Letter> to;
  std::function<void(const ProductRef&)> look = [&](const ProductRef& x) {
    for (Letter l : x->sums) to.emplace(l, letter(Dim(extents_[l])));
    if (x->left) { look(x->left); look(x->right); }
  };
  look(t);
  return renamed(t, to);
}
// The outermost dimension of c at index l.
Contraction Contractions::at_letter(Contraction c, Letter l) {
  c.tree = renamed(c.tree, {{c.result[0], l}});
  c.result.erase(c.result.begin());
  return c;
}

std::optional<Contraction> Contractions::value(const Atom& a) {
  auto v = var_of(a);
  if (!v || counters_.contains(*v)) return {};
  if (auto found = known_.find(*v); found != known_.end()) {
    Contraction c = found->second;
    if (!c.tree->is_factor() && uses_.of(*v) != 1) return {};
    c.tree = anew(c.tree);
    parts_.insert(parts_.end(), c.parts.begin(), c.parts.end());
    checks_.insert(checks_.end(), c.checks.begin(), c.checks.end());
    return c;
  }
  if (local_.contains(*v) || !(is_array(p_.type(*v)) || is_scalar(p_.type(*v)))) return {};
  auto leaf = std::make_shared<Product>();
  leaf->array = *v;
  for (const Dim& d : shape_of(p_.type(*v))) leaf->at.push_back(letter(d));
  return Contraction{leaf, leaf->at, {}, {}};
}

// Notes what a statement waits for; false if that is inside the nest.
bool Contractions::wait_outside(const Stm& s) {
  if (std::ranges::any_of(s.checks, [&](Var c) { return local_.contains(c); })) return false;
  checks_.insert(checks_.end(), s.checks.begin(), s.checks.end());
  return true;
}

// A triangle's rows have lengths of their own.
bool Contractions::is_local(const Dim& d) const {
  auto v = var_of(d);
  return v && local_.contains(*v);
}

std::optional<Contraction> Contractions::statement(const Stm& s) {
  auto product = std::get_if<Screma>(&s.exp);
  if (s.pattern.size() != 1 || (product && product->ordered)) return {};
  if (!wait_outside(s)) return {};
  using Found = std::optional<Contraction>;
  return match(s.exp,
    [&](const Apply& x) -> Found {
      if (x.op != ScalarOp::mul) return {};
      Found a = value(x.args[0]), b = value(x.args[1]);
      if (!a || !b) return {};
      auto both = std::make_shared<Product>();
      both->left = a->tree;
      both->right = b->tree;
      return Contraction{both, {}, {}, {}};
    },
    [&](const Index& x) -> Found {
      Found a = value(x.array);
      for (const Selector& at : x.at) {
        auto i = std::get_if<Atom>(&at);
        auto v = i ? var_of(*i) : nullptr;
        auto counter = v ? counters_.find(*v) : counters_.end();
        if (!a || counter == counters_.end()) return {};
        a = at_letter(*a, counter->second);
      }
      return a;
    },
    [&](const Permute& x) -> Found {
      Found a = value(x.array);
      if (!a) return {};
      std::vector<Letter> result;
      for (int d : x.dims) result.push_back(a->result[size_t(d)]);
      a->result = result;
      return a;
    },
    [&](const Screma& x) -> Found { return screma(x); },
    [&](const WithAcc& x) -> Found { return scope(x); },
    [&](const auto&) -> Found { return {}; });
}

// Notes what the parameters and the statements of a map are at its letter.
bool Contractions::read_inside(const Screma& x, Letter l) {
  for (Bind b : x.pre.params) local_.insert(b.var);
  for (size_t i = 0; i < x.inputs.size(); i++) {
    Var param = x.pre.params[i].var;
    if (counting_.contains(x.inputs[i])) {
      counters_[param] = l;
      continue;
    }
    auto input = value(x.inputs[i]);
    if (input && !input->result.empty()) known_.insert_or_assign(param, at_letter(*input, l));
  }
  for (const Stm& s : x.pre.body.stms) {
    if (std::holds_alternative<Assert>(s.exp)) return false;
    for (Bind b : s.pattern) local_.insert(b.var);
    if (auto c = statement(s)) known_.insert_or_assign(s.pattern[0].var, *c);
  }
  return true;
}

std::optional<Contraction> Contractions::screma(const Screma& x) {
  bool sum = is_redomap(x);
  if (!sum && !is_map(x)) return {};
  if (x.pre.body.result.size() != 1 || (sum && (x.reduces.size() != 1 || !x.reduces[0].shape.empty()))) return {};
  if (sum) {
    auto zero = const_of(x.reduces[0].neutral[0]);
    if (scalar_operator(p_, x.reduces[0]) != ScalarOp::add || !zero || !is_zero(*zero)) return {};
  }
  if (is_local(x.width)) return {};
  Letter l = letter(x.width);
  if (!read_inside(x, l)) return {};
  auto c = value(x.pre.body.result[0]);
  if (!c) return {};
  if (sum) {
    if (!c->result.empty()) return {};
    auto tree = std::make_shared<Product>(*c->tree);
    tree->sums.push_back(l);
    c->tree = tree;
  } else {
    c->result.insert(c->result.begin(), l);
  }
  return c;
}

std::optional<Contraction> Contractions::scope(const WithAcc& x) {
  if (x.dests.size() != 1) return {};
  const Dest& dest = x.dests[0];
  if (dest.arrays.size() != 1 || !zeros_.contains(dest.arrays[0]) || !dest.combine || !dest.combine->shape.empty()) return {};
  if (size_t(dest.rank) != shape_of(p_.type(dest.arrays[0])).size() || scalar_operator(p_, *dest.combine) != ScalarOp::add) return {};
  for (Bind b : x.scope.params) local_.insert(b.var);
  if (x.scope.body.result.size() != 1) return {};
  return updates(x.scope.body, x.scope.params[1].var, {}, dest);
}
// What a body adds to `acc` on the way to its only result, if that is one nest of maps around one update.
std::optional<Contraction> Contractions::updates(const Body& b, Var acc, std::vector<Letter> around, const Dest& dest) {
  if (b.stms.empty() || b.stms.back().pattern.size() != 1 || b.result[0] != Atom(b.stms.back().pattern[0].var)) return {};
  const Stm& last = b.stms.back();
  if (!wait_outside(last)) return {};
  if (auto nest = std::get_if<Screma>(&last.exp); nest && is_map(*nest) && b.stms.size() == 1 && !is_local(nest->width)) {
    auto input = std::ranges::find(nest->inputs, acc);
    if (input == nest->inputs.end() || nest->pre.body.result.size() != 1) return {};
    around.push_back(letter(nest->width));
    if (!read_inside(*nest, around.back())) return {};
    return updates(nest->pre.body, nest->pre.params[size_t(input - nest->inputs.begin())].var, around, dest);
  }
  auto update = std::get_if<AccUpdate>(&last.exp);
  if (!update || update->acc != acc) return {};
  auto c = value(update->values[0]);
  if (!c || !c->result.empty()) return {};
  for (size_t d = 0; d < update->at.size(); d++) {
    auto v = var_of(update->at[d]);
    auto counter = v ? counters_.find(*v) : counters_.end();
    if (counter == counters_.end() || extents_[counter->second] != shape_of(p_.type(dest.arrays[0]))[d]) return {};
    if (std::erase(around, counter->second) != 1) return {};       // a letter of the nest, each once
    c->result.push_back(counter->second);
  }
  auto tree = std::make_shared<Product>(*c->tree);
  tree->sums.insert(tree->sums.end(), around.begin(), around.end());
  c->tree = tree;
  return c;
}

std::optional<Contraction> Contractions::read(size_t k) {
  const Stm& s = body_.stms[k];
  parts_.clear();
  checks_.clear();
  auto c = statement(s);
  if (!c) return {};
  parts_.push_back(k);
  auto each_once = [](auto& xs) {
    std::ranges::sort(xs);
    xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  };
  each_once(parts_);
  each_once(checks_);
  c->parts = parts_;
  c->checks = checks_;
  if (uses_.of(s.pattern[0].var) == 1) known_.insert_or_assign(s.pattern[0].var, *c);
  return c;
}

}  // namespace raido
