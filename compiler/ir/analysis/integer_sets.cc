// integer_sets.cc - constraints as sets of ISL. The library stops with an error after so much work, which is no answer.
#include "compiler/ir/analysis/integer_sets.h"

#ifdef RAIDO_ISL
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/local_space.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <memory>
#endif

namespace raido::ir {

#ifdef RAIDO_ISL
namespace {

isl_constraint* constraint(isl_constraint* c, isl_ctx* ctx, const Affine& a, const std::vector<Var>& vars) {
  c = isl_constraint_set_constant_val(c, isl_val_int_from_si(ctx, a.constant));
  for (const Affine::Term& t : a.terms)
    c = isl_constraint_set_coefficient_val(c, isl_dim_set, int(std::ranges::lower_bound(vars, t.var) - vars.begin()), isl_val_int_from_si(ctx, t.factor));
  return c;
}

}  // namespace

std::optional<bool> exactly_empty(const Constraints& c, unsigned long work) {
  std::vector<Var> vars;
  for (auto* all : {&c.zero, &c.not_negative})
    for (const Affine& a : *all) for (const Affine::Term& t : a.terms) vars.push_back(t.var);
  std::ranges::sort(vars);
  vars.erase(std::unique(vars.begin(), vars.end()), vars.end());
  std::unique_ptr<isl_ctx, decltype(&isl_ctx_free)> ctx(isl_ctx_alloc(), &isl_ctx_free);
  isl_options_set_on_error(ctx.get(), ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(ctx.get(), work);
  isl_space* space = isl_space_set_alloc(ctx.get(), 0, unsigned(vars.size()));
  isl_local_space* local = isl_local_space_from_space(isl_space_copy(space));
  isl_basic_set* set = isl_basic_set_universe(space);
  for (const Affine& a : c.zero)
    set = isl_basic_set_add_constraint(set, constraint(isl_constraint_alloc_equality(isl_local_space_copy(local)), ctx.get(), a, vars));
  for (const Affine& a : c.not_negative)
    set = isl_basic_set_add_constraint(set, constraint(isl_constraint_alloc_inequality(isl_local_space_copy(local)), ctx.get(), a, vars));
  isl_bool empty = isl_basic_set_is_empty(set);
  isl_basic_set_free(set);
  isl_local_space_free(local);
  return empty == isl_bool_error ? std::nullopt : std::optional(empty == isl_bool_true);
}
#else
std::optional<bool> exactly_empty(const Constraints&, unsigned long) { return {}; }
#endif

}  // namespace raido::ir
