// products.cc - the order in which products of more than two factors are taken (Q1, decision 009).
//
//   (A B) v              ==>   A (B v)                          n m k + n k steps become m k + n m
//   (s v) B, s v outer   ==>   s (v B)                          what differentiation makes of a chain
//   (A B) C              ==>   if n m k + n k l <= m k l + n m l then (A B) C else A (B C)
//
// The cost of an order is a sum of products of sizes, one for each product of two factors: the sizes of all its letters. An order
// is no worse than another if each of its terms divides a term of the other; then it takes at most as many times more as it has
// terms, whatever the sizes are. All orders that no other one beats are compared by numbers at run time, outside of parallel code
// and after differentiation; before it, and inside, only what is better whatever the sizes are is done. So it is for a product of
// more than costs::chain_factors factors. In such a product each set that is taken together has to hang together by its letters.
#include <algorithm>
#include <map>

#include "compiler/ir/aliases.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"
#include "passes/products/contraction.h"

namespace raido {
namespace {

using namespace ir;


using Letters = std::vector<Letter>;                     // sorted, each once
Letters joined(const Letters& a, const Letters& b) {
  Letters all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}
Letters sorted(Letters l) {
  std::ranges::sort(l);
  l.erase(std::unique(l.begin(), l.end()), l.end());
  return l;
}

struct Cost {                                            // a number times some sizes
  double number = 1;
  std::vector<Var> sizes;                                // sorted
  bool divides(const Cost& other) const { return number <= other.number && std::ranges::includes(other.sizes, sizes); }
};
struct Order {
  ProductRef tree;
  Letters letters;                                       // of its result
  std::vector<Cost> costs;
  bool no_worse_than(const Order& other) const {
    return std::ranges::all_of(costs, [&](const Cost& c) { return std::ranges::any_of(other.costs, [&](const Cost& d) { return c.divides(d); }); });
  }
};

class Products {
 public:
  Products(Program& p, PassContext& context) : p_(p), context_(context), aliases_(p), counting_(counting_arrays(p)), zeros_(p) {}

  void body(Body& whole, bool parallel) {
    for (Stm& s : whole.stms) {
      bool inside = parallel || std::holds_alternative<Screma>(s.exp) || std::holds_alternative<Hist>(s.exp);
      walk_parts(s, [&](Body& inner) { body(inner, inside); });
    }
    std::map<size_t, Contraction> found;                 // by the statement that is their last part
    Contractions contractions(p_, whole, counting_, zeros_);
    for (size_t k = 0; k < whole.stms.size(); k++) {
      auto c = contractions.read(k);
      if (!c || c->tree->is_factor()) continue;
      for (size_t part : c->parts) found.erase(part);
      found.emplace(k, *c);
    }
    std::map<size_t, std::vector<Order>> plans;
    for (auto& [k, c] : found) {
      std::vector<Order> orders = better_orders(c, contractions, p_.level == Core && !parallel);
      if (!orders.empty() && stay_as_they_are(whole, c) && context_.allow()) plans.emplace(k, std::move(orders));
    }
    if (plans.empty()) return;
    size_t k = 0;
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      auto plan = plans.find(k++);
      if (plan == plans.end()) return false;
      const Contraction& c = found.at(plan->first);
      b.checks = c.checks;
      context_.stats.count(plan->second.size() == 1 ? "products.order" : "products.choose");
      Var result = s.pattern[0].var;
      results.emplace(result, chosen(b, plan->second, c, contractions));
      return true;
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  Aliases aliases_;
  VarSet counting_;
  Zeros zeros_;
  bool ordered_ = false;                                 // what is made belongs to an order that was chosen: not looked at again

  // Nothing from the first part on consumes a factor.
  bool stay_as_they_are(const Body& whole, const Contraction& c) {
    bool stay = true;
    for (size_t k = c.parts.front(); k < c.parts.back(); k++)
      for (Var v : aliases_.consumed(whole.stms[k]))
        each_factor(c.tree, [&](const Product& f) { stay = stay && !(is_array(p_.type(f.array)) && aliases_.may_alias(v, f.array)); });
    return stay;
  }

  Cost cost_of(const Letters& letters, const Contractions& in) const {
    Cost c;
    for (Letter l : letters) {
      if (auto v = var_of(in.extent(l))) c.sizes.push_back(*v);
      else c.number *= std::max(1.0, const_of(in.extent(l))->as_f64());
    }
    std::ranges::sort(c.sizes);
    return c;
  }
  Order as_written(const ProductRef& t, const Contractions& in) const {
    Order o{t, {}, {}};
    if (t->is_factor()) {
      o.letters = sorted(t->at);
      if (!t->sums.empty()) o.costs.push_back(cost_of(o.letters, in));
    } else {
      Order a = as_written(t->left, in), b = as_written(t->right, in);
      o.letters = joined(a.letters, b.letters);
      o.costs = std::move(a.costs);
      o.costs.insert(o.costs.end(), b.costs.begin(), b.costs.end());
      o.costs.push_back(cost_of(o.letters, in));
    }
    std::erase_if(o.letters, [&](Letter l) { return std::ranges::find(t->sums, l) != t->sums.end(); });
    return o;
  }
  using Factors = std::vector<const Product*>;
  // The factors of what may be reordered; else none.
  Factors factors_of(const Contraction& c) const {
    Factors factors;
    bool fine = true;
    each_factor(c.tree, [&](const Product& f) {
      factors.push_back(&f);
      fine = fine && sorted(f.at).size() == f.at.size();   // no diagonals
    });
    Letters bound = c.result, used;                      // what repeats a value over a letter that it does not have stays
    std::function<void(const ProductRef&)> look = [&](const ProductRef& t) {
      bound.insert(bound.end(), t->sums.begin(), t->sums.end());
      used.insert(used.end(), t->at.begin(), t->at.end());
      if (t->left) { look(t->left); look(t->right); }
    };
    look(c.tree);
    fine = fine && std::ranges::includes(sorted(used), sorted(bound)) && factors.size() <= costs::longest_chain;
    return fine && !(context_.options.strict_fp && is_float(elem_of(p_.type(factors[0]->array)))) ? factors : Factors();
  }
  // The orders in which a product may be taken, without those that another one beats. Of long chains only some, or none.
  std::vector<Order> orders_of(const Contraction& c, const Factors& factors, const Contractions& in) {
    bool few = factors.size() <= costs::chain_factors;
    size_t all = (size_t{1} << factors.size()) - 1, tried = 0;
    std::vector<std::vector<Order>> orders(all + 1);     // of each set of factors
    auto add = [&](std::vector<Order>& to, Order o) {
      if (std::ranges::any_of(to, [&](const Order& x) { return x.no_worse_than(o); })) return;
      std::erase_if(to, [&](const Order& x) { return o.no_worse_than(x); });
      to.push_back(std::move(o));
    };
    // what nobody outside of the set asks for is summed over
    auto finish = [&](size_t set, const std::shared_ptr<Product>& tree, const Letters& letters, std::vector<Cost> costs) {
      Letters wanted = sorted(c.result);
      for (size_t i = 0; i < factors.size(); i++)
        if (!(set >> i & 1)) wanted = joined(wanted, sorted(factors[i]->at));
      Order o{tree, {}, std::move(costs)};
      for (Letter l : letters) (std::ranges::binary_search(wanted, l) ? o.letters : tree->sums).push_back(l);
      if (tree->left || !tree->sums.empty()) o.costs.push_back(cost_of(letters, in));
      add(orders[set], std::move(o));
    };
    for (size_t i = 0; i < factors.size(); i++) {
      auto leaf = std::make_shared<Product>(*factors[i]);
      leaf->sums.clear();
      finish(size_t{1} << i, leaf, sorted(leaf->at), {});
    }
    for (size_t set = 1; set <= all; set++) {
      if (!few && !hang_together(factors, set)) continue;
      if (!few && (tried += size_t{1} << std::popcount(set)) > costs::chain_sets) return {};
      for (size_t part = (set - 1) & set; part > 0; part = (part - 1) & set) {
        size_t rest = set & ~part;
        if (part < rest) continue;                       // each pair once
        for (const Order& a : orders[rest])
          for (const Order& b : orders[part]) {
            auto both = std::make_shared<Product>();
            bool swap = std::countr_zero(part) < std::countr_zero(rest);   // factors stay in their order
            both->left = swap ? b.tree : a.tree;
            both->right = swap ? a.tree : b.tree;
            std::vector<Cost> costs = a.costs;
            costs.insert(costs.end(), b.costs.begin(), b.costs.end());
            finish(set, both, joined(a.letters, b.letters), std::move(costs));
          }
      }
      if (orders[set].size() > costs::chain_orders) orders[set].resize(costs::chain_orders);
    }
    return orders[all];
  }
  // The orders worth having: none if it is best as it is; else one, or the one it has first and others that may be better.
  std::vector<Order> better_orders(const Contraction& c, const Contractions& in, bool may_choose) {
    Factors factors = factors_of(c);
    if (factors.empty()) return {};
    Order written = as_written(c.tree, in);
    std::vector<Order> best = orders_of(c, factors, in);
    std::erase_if(best, [&](const Order& o) { return written.no_worse_than(o); });
    if (best.empty()) return {};
    bool beaten = std::ranges::any_of(best, [&](const Order& o) { return o.no_worse_than(written); });
    if (beaten && best.size() == 1) return best;
    if (!may_choose || factors.size() > costs::chain_factors) {      // one that is better whatever the sizes are
      std::erase_if(best, [&](const Order& o) { return !o.no_worse_than(written); });
      best.resize(std::min(best.size(), size_t{1}));
      return best;
    }
    if (!beaten) best.insert(best.begin(), written);
    return best;
  }
  // Whether each factor of the set shares a letter with another one, these with others, and so on. A scalar hangs on anything.
  static bool hang_together(const Factors& factors, size_t set) {
    auto near = [&](const Product& a, const Product& b) {
      return a.at.empty() || b.at.empty() || std::ranges::any_of(a.at, [&](Letter l) { return std::ranges::find(b.at, l) != b.at.end(); });
    };
    size_t reached = set & -set;
    for (size_t before = 0; before != reached;) {
      before = reached;
      for (size_t i = 0; i < factors.size(); i++)
        for (size_t j = 0; j < factors.size(); j++)
          if ((reached >> i & 1) && (set >> j & 1) && near(*factors[i], *factors[j])) reached |= size_t{1} << j;
    }
    return reached == set;
  }

  Atom chosen(Builder& b, const std::vector<Order>& orders, const Contraction& c, const Contractions& in) {
    ordered_ = orders.size() > 1;
    if (!ordered_) return value(b, orders[0].tree, c.result, in).first;
    std::vector<Term> costs;
    for (const Order& o : orders) {
      Term sum = b.number(Scalar::F64, 0);
      for (const Cost& term : o.costs) {
        Term steps = b.number(Scalar::F64, term.number);
        for (Var size : term.sizes) steps = steps * convert(Scalar::F64, b.term(size));
        sum = sum + steps;
      }
      costs.push_back(sum);
    }
    std::function<Atom(size_t)> from = [&](size_t i) -> Atom {
      if (i + 1 == orders.size()) return value(b, orders[i].tree, c.result, in).first;
      Term best = b.term(bool_const(true));
      for (size_t j = i + 1; j < orders.size(); j++) best = and_(best, le(costs[i], costs[j]));
      If choice;
      choice.cond = best.atom;
      choice.then_ = b.body([&] { return std::vector<Atom>{value(b, orders[i].tree, c.result, in).first}; });
      choice.else_ = b.body([&] { return std::vector<Atom>{from(i + 1)}; });
      return b.bind1("product", std::move(choice));
    };
    return from(0);
  }

  // Code for a tree: its value with one dimension for each letter, in the order wanted if that matters, and those letters.
  std::pair<Atom, Letters> value(Builder& b, const ProductRef& t, std::optional<Letters> wanted, const Contractions& in) {
    if (t->is_factor() && t->sums.empty()) return {t->array, t->at};
    std::vector<std::pair<Atom, Letters>> parts;
    if (t->is_factor()) parts = {{t->array, t->at}};
    else parts = {value(b, t->left, {}, in), value(b, t->right, {}, in)};
    Letters free;
    for (auto& [a, letters] : parts)
      for (Letter l : letters)
        if (std::ranges::find(t->sums, l) == t->sums.end() && std::ranges::find(free, l) == free.end()) free.push_back(l);
    if (wanted) free = *wanted;
    Letters nest = free;
    nest.insert(nest.end(), t->sums.begin(), t->sums.end());
    for (auto& [a, letters] : parts) {                   // dimensions in the order of the nest
      std::vector<int> dims;
      Letters order;
      for (Letter l : nest)
        if (auto at = std::ranges::find(letters, l); at != letters.end()) {
          dims.push_back(int(at - letters.begin()));
          order.push_back(l);
        }
      if (!std::ranges::is_sorted(dims)) a = b.permute(*var_of(a), dims);
      letters = order;
    }
    return {code(b, parts, nest, 0, free.size(), in), free};
  }
  Atom code(Builder& b, const std::vector<std::pair<Atom, Letters>>& parts, const Letters& nest, size_t depth, size_t free, const Contractions& in) {
    if (depth == nest.size()) {
      Atom product = parts[0].first;
      for (size_t i = 1; i < parts.size(); i++) product = (b.term(product) * b.term(parts[i].first)).atom;
      return product;
    }
    Screma x;
    x.width = in.extent(nest[depth]);
    auto inner = parts;
    Builder::Params params;
    std::vector<size_t> mapped;
    for (size_t i = 0; i < parts.size(); i++) {
      auto& [a, letters] = parts[i];
      if (letters.empty() || letters[0] != nest[depth]) continue;
      mapped.push_back(i);
      x.inputs.push_back(*var_of(a));
      params.push_back({p_.hint(*var_of(a)), row_type(p_.type(a))});
    }
    x.pre = b.lambda(params, [&](const std::vector<Var>& rows) {
      for (size_t i = 0; i < mapped.size(); i++) {
        inner[mapped[i]].first = rows[i];
        inner[mapped[i]].second.erase(inner[mapped[i]].second.begin());
      }
      return std::vector<Atom>{code(b, inner, nest, depth + 1, free, in)};
    });
    if (depth >= free) x.reduces = {b.combine(ScalarOp::add, elem_of(p_.type(parts[0].first)), 0)};
    x.ordered = ordered_ && depth == 0;
    return b.bind1("product", std::move(x));
  }
};

}  // namespace

void products(ir::Program& program, PassContext& context) {
  Products pass(program, context);
  for (Function& f : program.functions) pass.body(f.lambda.body, false);
}

}  // namespace raido
