// affine_code.h - code that computes the value of an affine form. A header of its own: forms are asked of much that emits no code.
#pragma once
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/term.h"

namespace raido::ir {

// constant + v * factor + .., term by term in the order of the form. What needs no operation emits none: the form 1 v + 0 is v itself.
inline Term code_of(Builder& b, const Affine& form) {
  Term sum = b.term(i64_const(form.constant));
  for (const Affine::Term& t : form.terms) sum = sum + b.term(t.var) * b.term(i64_const(t.factor));
  return sum;
}

}  // namespace raido::ir
