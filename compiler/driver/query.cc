// query.cc - the smallest name that covers the place.
#include "compiler/driver/query.h"

#include "compiler/driver/names.h"

namespace raido {

std::optional<QueryAnswer> query(const check::Checked& checked, uint32_t line, uint32_t column) {
  const ast::File& root = *checked.program.root;
  auto at = byte_at(checked.sources[root.id], line, column);
  std::optional<QueryAnswer> best;
  if (!at) return best;
  each_name(checked, root, [&](const NameUse& use) {
    Span s = use.whole;
    bool covers = s.file == root.id && s.begin <= *at && *at < s.end && !use.prefix;
    if (covers && (!best || s.end - s.begin <= best->position.end - best->position.begin)) best = QueryAnswer{use.name, s, use.type, use.definition};
  });
  return best;
}

}  // namespace raido
