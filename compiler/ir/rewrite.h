// rewrite.h - the loop of a pass that replaces statements by other code.
#pragma once
#include "compiler/ir/build.h"

namespace raido::ir {

// Hands the statements of `whole` in order, results of replaced ones renamed, to replace(b, s, results). If that returns
// false, s stays as it is now. If it returns true, it has emitted to b what takes the place of s, and `results` says what
// the binders of s stand for. Functions follow the renaming of constants.
template <class F> void rewrite(Program& p, Body& whole, F replace) {
  Builder b(p, whole.stms);
  Subst results;
  b.into(whole, [&](List<Stm>& stms) {
    for (auto& item : stms.take()) {
      substitute(p, *item, results);
      b.source = item->source;
      if (!replace(b, *item, results)) whole.stms.push_back(std::move(item));
      b.checks.clear();
      b.attrs.clear();
    }
  });
  substitute(p, whole.result, results);
  if (&whole == &p.constants)
    for (Function& f : p.functions) substitute(p, f.lambda, results);
}

}  // namespace raido::ir
