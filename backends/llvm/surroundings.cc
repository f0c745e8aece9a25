// surroundings.cc - what the functions of a module need besides: declarations, texts, metadata, functions for several numbers at once.
#include <algorithm>

#include "backends/llvm/code.h"
#include "backends/llvm/library.h"
#include "backends/llvm/print.h"
#include "compiler/base/text.h"

namespace raido::llvm {

std::string Surroundings::function(const std::string& result, const std::string& name, const std::string& params, std::string_view attributes) {
  declarations_.emplace(name, fmt::format("declare {} @{}({}) {}\n", result, name, params, attributes));
  return "@" + name;
}
std::string Surroundings::text(std::string_view s) {
  auto [at, fresh] = texts_.try_emplace(std::string(s), "");
  if (fresh) at->second = fmt::format("@s.{}", texts_.size());
  return at->second;
}
std::string Surroundings::metadata(const std::string& node) {
  bool distinct = node.starts_with("distinct");
  auto at = std::ranges::find(metadata_, node);
  if (distinct || at == metadata_.end()) at = metadata_.insert(metadata_.end(), node);
  std::string name = fmt::format("!{}", at - metadata_.begin());
  if (size_t self = at->find("!SELF"); self != std::string::npos) at->replace(self, 5, name);
  return name;
}
std::string Surroundings::globals() const {
  std::string out;
  for (auto& [text, name] : texts_) out += fmt::format("{} = private unnamed_addr constant [{} x i8] {}\n", name, text.size() + 1, quoted(text + '\0'));
  for (auto& [name, declaration] : declarations_) out += declaration;
  for (auto& [variants, group] : variants_) out += fmt::format("attributes {} = {{ \"vector-function-abi-variant\"=\"{}\" }}\n", group, variants);
  if (!used_.empty())
    out += fmt::format("@llvm.compiler.used = appending global [{} x ptr] [{}], section \"llvm.metadata\"\n", used_.size(),
                       join(used_, ", ", [](const std::string& f) { return "ptr @" + f; }));
  for (size_t k = 0; k < metadata_.size(); k++) out += fmt::format("!{} = {}\n", k, metadata_[k]);
  return out;
}
// Those that context.h of the runtime lists, too: right to 4 units in the last place.
constexpr std::string_view vector_functions[] = {"exp", "log", "sin", "cos", "pow", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh",
                                                 "acosh", "atanh", "exp2", "expm1", "log2", "log1p", "erf", "erfc"};

std::string Surroundings::vector_variants(std::string_view name, Scalar at, int arity) {
  std::string_view plain = at == Scalar::F64 ? name : name.substr(0, name.size() - 1);
  if (!machine.vector_math || std::ranges::find(vector_functions, plain) == std::end(vector_functions)) return "";
  std::string attribute;
  for (auto [set, bytes] : {std::pair('e', 64), {'d', 32}, {'b', 16}}) {
    if (bytes > machine.vector_bytes) continue;
    int lanes = bytes / (at == Scalar::F64 ? 8 : 4);
    std::string shape = fmt::format("N{}{}_{}", lanes, arity == 1 ? "v" : "vv", name), full = fmt::format("_ZGV{}{}", set, shape);
    if (!in_vector_library(full)) continue;
    std::string vector = fmt::format("<{} x {}>", lanes, type_of(at));
    function(vector, full, arity == 1 ? vector : vector + ", " + vector, "#1");
    if (std::ranges::find(used_, full) == used_.end()) used_.push_back(full);
    attribute += fmt::format("{}_ZGV_LLVM_{}({})", attribute.empty() ? "" : ",", shape, full);
  }
  if (attribute.empty()) return "";
  auto [group, fresh] = variants_.try_emplace(attribute, "");
  if (fresh) group->second = fmt::format("#{}", 9 + variants_.size());
  return " " + group->second;
}

}  // namespace raido::llvm
