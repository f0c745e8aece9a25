// What the attributes mean is with those who heed them: lowering, the passes, the commands. docs/language/attributes.md lists them.
#include "compiler/check/attributes.h"

#include <algorithm>

#include "compiler/base/similar.h"

namespace raido::check {
namespace {
constexpr std::string_view known_attributes[] = {
    "blank", "bound", "break", "checkpoint", "distinct", "flattening", "incremental_flattening", "inline", "intrinsic", "noinline", "opaque", "param",
    "prop", "scratch", "sequential", "sequential_inner", "sequential_outer", "stripmine", "trace", "true_dep", "unroll", "unsafe", "warn"};
}  // namespace

void look_at(Context& c, const ast::Attr& attr) {
  std::string_view name = c.text(attr.name);
  if (attr.is_integer || std::find(std::begin(known_attributes), std::end(known_attributes), name) != std::end(known_attributes)) return;
  Similar similar(name);
  for (std::string_view k : known_attributes) if (k != "intrinsic") similar.offer(k);
  c.diags.report(attr.span, err::unknown_attribute, name).help(similar.help());
}

}  // namespace raido::check
