// place_functions.cc - arrays that are passed to functions and back (calling.h).
#include "passes/memory/placer.h"

#include <algorithm>

namespace raido::placement {

void Placer::function(Function& f) {
  body(f.lambda.body, {}, 1, [&](List<Stm>&) { bound(f.lambda.params); }, [&](List<Stm>& out) { return_arrays(out, f); });
}

// What only the outside passes begins at offset 0. So what it lets an entry point consume can be returned where it lies.
void Placer::signature(Function& f, bool called) {
  std::vector<Bind> params;
  std::vector<bool> consumes;
  auto param = [&](Var v, bool consumed) { params.push_back({v}); consumes.push_back(consumed); return v; };
  for (size_t k = 0; k < f.lambda.params.size(); k++) {
    Var v = f.lambda.params[k].var;
    if (array(v)) {
      const std::vector<Dim> shape = array(v)->shape;
      const bool offset = called || !f.consumes[k];
      put(v, place_of_passed(passed(shape.size(), offset), strides_not_passed(shape), outermost_space(), [&](std::string hint, Type t) {
        return param(p_.fresh(is_block(t) ? p_.hint(v) + "_mem" : hint, t), false);
      }));
      if (!f.consumes[k]) may_have_other_name(v);
    }
    param(v, f.consumes[k]);
  }
  f.lambda.params = std::move(params);
  f.consumes = std::move(consumes);
  std::vector<Type> returns;
  std::vector<size_t> now;                       // old result number -> new one
  for (Type t : f.returns) {
    if (auto a = std::get_if<ArrayType>(&t)) {
      for (Dim& d : a->shape)
        if (auto v = var_of(d); v && is_result_number(*v)) d = result_number(now.at(number_of_result(*v)));
      a->place = place_of_passed(passed_from_function(a->shape.size()), strides_not_passed(a->shape), outermost_space(), [&](std::string, Type part) {
        returns.push_back(std::move(part));
        return result_number(returns.size() - 1);
      });
    }
    now.push_back(returns.size());
    returns.push_back(std::move(t));
  }
  f.returns = std::move(returns);
}

// Where a parameter that begins at offset 0 does, row by row: of strides that are passed nothing else says so.
bool Placer::lies_as_passed(const Function& f, const Atom& a) {
  return std::ranges::any_of(f.lambda.params, [&](Bind b) {
    return array(b.var) && is_const(place(b.var).layout.offset, 0) && same_place(place(a), place(b.var)) && array(a)->shape == array(b.var)->shape;
  });
}

void Placer::return_arrays(List<Stm>& out, Function& f) {
  std::vector<Atom>& result = f.lambda.body.result;
  std::vector<Atom> results;
  for (Atom a : result) {
    if (array(a)) {
      if (!lies_as_passed(f, a)) a = canonical(out, a);
      may_have_other_name(a);
      each_passed(passed_from_function(array(a)->shape.size()), place(a), [&](const Atom& part) { results.push_back(part); });
    }
    results.push_back(a);
  }
  result = std::move(results);
}

void Placer::call(List<Stm>& out, Stm& s, Call& x) {
  std::vector<Atom> args;
  for (Atom a : x.args) {
    if (array(a)) {
      if (!is_row_major(sizes_, place(a).layout, array(a)->shape)) a = canonical(out, a);
      may_have_other_name(a);
      each_passed(passed_to_function(array(a)->shape.size()), place(a), [&](const Atom& part) { args.push_back(part); });
    }
    args.push_back(a);
  }
  x.args = std::move(args);
  std::vector<Bind> pattern;
  for (Bind b : s.pattern) {
    if (array(b.var)) {
      const std::vector<Dim> shape = array(b.var)->shape;
      put(b.var, place_of_passed(passed_from_function(shape.size()), strides_not_passed(shape), outermost_space(), [&](std::string hint, Type t) {
        pattern.push_back({p_.fresh(is_block(t) ? p_.hint(b.var) + "_mem" : hint, t)});
        return pattern.back().var;
      }));
      may_have_other_name(b.var);
    }
    pattern.push_back(b);
  }
  s.pattern = std::move(pattern);
}

}  // namespace raido::placement
