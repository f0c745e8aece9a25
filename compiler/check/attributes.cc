// What the attributes mean is with those who heed them: lowering, the passes, the commands. docs/language/attributes.md lists them.
#include "compiler/check/attributes.h"

#include "compiler/base/attributes.h"
#include "compiler/base/similar.h"

namespace raido::check {

void look_at(Context& c, const ast::Attr& attr) {
  std::string_view name = c.text(attr.name);
  if (attr.is_integer || find_hint(name)) return;
  Similar similar(name);
  for (const Hint& h : all_hints) if (h.name != "intrinsic") similar.offer(h.name);
  c.diags.report(attr.span, err::unknown_attribute, name).help(similar.help());
}

}  // namespace raido::check
