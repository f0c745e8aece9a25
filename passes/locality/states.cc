// states.cc - see states.h.
#include "passes/locality/states.h"

#include <algorithm>
#include <map>

#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/types.h"

namespace raido {
using namespace ir;
namespace {

class States {
 public:
  States(Program& p, PassContext& context) : p_(p), context_(context) {}

  void body(Body& b, bool inside) {
    for (Stm& s : b.stms) {
      const bool parallel = std::holds_alternative<Screma>(s.exp) || std::holds_alternative<Hist>(s.exp);
      walk_parts(s, [&](Body& inner) { body(inner, inside || parallel); });
    }
    if (!inside) return;
    Builder builder(p_, b.stms);
    builder.into(b, [&](List<Stm>& old) {
      for (auto& s : old.take()) {
        builder.source = s->source;
        if (!split(builder, *s)) builder.emit(std::move(s));
      }
    });
  }

 private:
  Program& p_;
  PassContext& context_;

  using Cells = std::vector<std::vector<Atom>>;                // their places in an array
  std::optional<Cells> cells(Var v) const {
    const Type& t = p_.type(v);
    if (!is_array(t)) return {};
    Cells out(1);
    for (const Dim& d : shape_of(t)) {
      auto n = const_of(d);
      if (!n || n->as_i64() < 1 || i64(out.size()) * n->as_i64() > costs::unrolled_state) return {};
      Cells more;
      for (const auto& at : out)
        for (i64 k = 0; k < n->as_i64(); k++) {
          more.push_back(at);
          more.back().push_back(i64_const(k));
        }
      out = std::move(more);
    }
    return out;
  }
  // Whether all uses are of single elements, or put it somewhere as a whole. So are those of its rows, of parts of it, and of what it is a part of.
  bool by_elements(Var v, const Body& b) const {
    i64 others = 0;
    each_use(p_, b, [&](Var used) { others += used == v; });
    const size_t rank = shape_of(p_.type(v)).size();
    auto known = [](const std::vector<Selector>& at) {
      return std::ranges::all_of(at, [](const Selector& x) {
        return match(x, [](const Atom& a) { return const_of(a) != nullptr; }, [](const Slice& part) { return const_of(part.start) && const_of(part.count) && const_of(part.stride); });
      });
    };
    auto element = [&](const std::vector<Selector>& at) {
      return at.size() == rank && known(at) && std::ranges::all_of(at, [](const Selector& x) { return std::holds_alternative<Atom>(x); });
    };
    each_stm(b, [&](const Stm& s) {
      auto passed = [&](size_t k = 0) { return by_elements(s.pattern[k].var, b); };
      if (auto index = std::get_if<Index>(&s.exp)) others -= index->array == v && (element(index->at) || (known(index->at) && passed()));
      if (auto copy = std::get_if<Copy>(&s.exp)) others -= copy->array == v && passed();
      if (auto turned = std::get_if<Permute>(&s.exp)) others -= turned->array == v && passed();
      if (auto shaped = std::get_if<Reshape>(&s.exp)) others -= shaped->array == v && passed();
      if (auto whole = std::get_if<Concat>(&s.exp))
        if (i64 times = std::ranges::count(whole->arrays, v); times > 0 && passed()) others -= times;
      if (auto scope = std::get_if<WithAcc>(&s.exp)) {
        const std::vector<Atom>& results = scope->scope.body.result;
        for (size_t k = scope->dests.size(); k < results.size(); k++) others -= results[k] == Atom(v) && passed(s.pattern.size() - results.size() + k);
      }
      if (auto branch = std::get_if<If>(&s.exp))
        for (const Body* of : {&branch->then_, &branch->else_}) others -= std::ranges::count(of->result, Atom(v));
      if (auto update = std::get_if<Update>(&s.exp)) others -= (update->array == v && element(update->at)) + (update->value == Atom(v));
    });
    return others == std::ranges::count(b.result, Atom(v));
  }
  // An array of these numbers, under this name.
  void literal(Builder& b, Var name, const std::vector<Atom>& numbers) {
    std::vector<Dim> shape = shape_of(p_.type(name));
    std::vector<Atom> rows = numbers;
    for (size_t rank = shape.size(); rank-- > 0;) {
      std::vector<Atom> next;
      const size_t n = size_t(const_of(shape[rank])->as_i64());
      for (size_t k = 0; k < rows.size(); k += n) {
        ArrayLit row{{rows.begin() + i64(k), rows.begin() + i64(k + n)}};
        if (rank == 0) return b.emit({{{name}}, std::move(row), {}, b.source, {}});
        next.push_back(b.bind1(p_.hint(name), std::move(row)));
      }
      rows = std::move(next);
    }
  }
  std::vector<Atom> elements(Builder& b, const Atom& array, const Cells& at) {
    std::vector<Atom> out;
    for (const auto& place : at) out.push_back(b.index(p_.hint(*var_of(array)), *var_of(array), place));
    return out;
  }
  std::vector<Bind> numbers(Var array, const Cells& at) {
    std::vector<Bind> out;
    for (size_t k = 0; k < at.size(); k++) out.push_back({p_.fresh(p_.hint(array), scalar_type(elem_of(p_, array)))});
    return out;
  }
  static std::vector<Atom> names(const std::vector<Bind>& some) {
    std::vector<Atom> out;
    for (Bind x : some) out.push_back(x.var);
    return out;
  }
  // Results of the body, by place, become these elements of them. `before`: what it begins with.
  template <class F> void change(Builder& b, Body& body, const std::map<size_t, Cells>& which, F before) {
    std::vector<Atom> result;
    b.into(body, [&](List<Stm>& old) {
      before();
      b.emit_all(std::move(old));
      for (size_t k = 0; k < body.result.size(); k++) {
        auto at = which.find(k);
        std::vector<Atom> here = at == which.end() ? std::vector{body.result[k]} : elements(b, body.result[k], at->second);
        result.insert(result.end(), here.begin(), here.end());
      }
    });
    body.result = std::move(result);
  }
  bool split(Builder& b, Stm& s) {
    return match(s.exp, [&](For& x) { return split_state(b, s, x); }, [&](While& x) { return split_state(b, s, x); }, [](auto&) { return false; });
  }
  template <class Loop> bool split_state(Builder& b, Stm& s, Loop& x) {
    std::map<size_t, Cells> which;
    for (size_t k = 0; k < x.state.size(); k++) {
      Var v = x.state[k].var;
      auto at = cells(v);
      bool good = at && by_elements(v, x.body);
      if constexpr (requires { x.cond; }) good = good && by_elements(x.cond.params[k].var, x.cond.body);
      if (good) which.emplace(k, *at);
    }
    if (which.empty() || !context_.allow()) return false;
    context_.stats.count("numbers.state");
    Loop made = x;
    made.state.clear();
    made.init.clear();
    std::vector<Bind> pattern;
    std::vector<std::pair<Var, std::vector<Atom>>> inside, in_cond, after;
    if constexpr (requires { x.cond; }) made.cond.params.clear();
    for (size_t k = 0; k < x.state.size(); k++) {
      auto at = which.find(k);
      auto put = [&](std::vector<Bind>& list, Bind old, auto* literals) {
        std::vector<Bind> cells = at == which.end() ? std::vector{old} : numbers(old.var, at->second);
        list.insert(list.end(), cells.begin(), cells.end());
        if (at != which.end()) literals->emplace_back(old.var, names(cells));
      };
      put(made.state, x.state[k], &inside);
      put(pattern, s.pattern[k], &after);
      if constexpr (requires { x.cond; }) put(made.cond.params, x.cond.params[k], &in_cond);
      std::vector<Atom> init = at == which.end() ? std::vector{x.init[k]} : elements(b, x.init[k], at->second);
      made.init.insert(made.init.end(), init.begin(), init.end());
    }
    auto literals = [&](const auto& some) { for (const auto& [name, numbers] : some) literal(b, name, numbers); };
    change(b, made.body, which, [&] { literals(inside); });
    if constexpr (requires { x.cond; }) change(b, made.cond.body, {}, [&] { literals(in_cond); });
    b.emit({std::move(pattern), std::move(made), std::move(s.checks), s.source, std::move(s.attrs)});
    literals(after);
    return true;
  }
};

}  // namespace

void split_states(Program& program, PassContext& context) {
  States pass(program, context);
  program.each_body([&](Body& b) { pass.body(b, false); });
}

}  // namespace raido
