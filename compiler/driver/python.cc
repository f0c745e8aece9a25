// python.cc - the texts of a package. They have functions with the names, documentation and parameters of the entry points, and
// classes for records and sums. A stub says the same for type checkers, and tables serve PyTorch and JAX.
//
// Functions only hand their arguments on; what the arguments are is found out by the extension module.
#include "compiler/driver/python.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "compiler/base/c_names.h"
#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/ir/types.h"

namespace raido {
namespace {

using TypeKind = InterfaceType::Kind;

constexpr std::string_view keywords[] = {"False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
                                         "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
                                         "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield"};
bool is_keyword(std::string_view name) { return std::ranges::find(keywords, name) != std::end(keywords); }
bool is_identifier(std::string_view name) {
  auto letter = [](char c) { return isalpha(static_cast<unsigned char>(c)) || c == '_'; };
  return !name.empty() && letter(name[0]) && std::ranges::all_of(name, [&](char c) { return letter(c) || isdigit(static_cast<unsigned char>(c)); });
}

std::string identifier(const std::string& name) {
  std::string out = is_identifier(name) ? name : encoded(name);
  if (!is_identifier(out)) out = "v" + out;
  return is_keyword(out) ? out + "_" : out;
}

// Names of one scope, each given once.
class GivenNames {
 public:
  explicit GivenNames(std::initializer_list<std::string_view> taken = {}) { for (std::string_view name : taken) taken_.emplace(name); }
  std::string give(std::string name) {
    while (!taken_.insert(name).second) name += "_";
    return name;
  }

 private:
  std::set<std::string> taken_;
};

// A docstring, indented; empty without text.
std::string documentation(std::string_view text, std::string_view indent) {
  if (text.empty()) return "";
  std::string out = std::string(indent) + "\"\"\"";
  bool first = true;
  for (const std::string& line : split(text, '\n')) {
    if (!first) out += line.empty() ? "\n" : "\n" + std::string(indent);
    first = false;
    for (char c : line) out += c == '\\' ? "\\\\" : c == '"' ? "\\\"" : std::string(1, c);
  }
  return out + (text.find('\n') == text.npos ? "" : "\n" + std::string(indent)) + "\"\"\"\n";
}

class Package {
 public:
  Package(const Interface& interface, const std::vector<EntrySizes>& sizes, const std::string& package, bool device)
      : interface_(interface), types_(interface.types), sizes_(sizes), package_(package), device_(device) {
    for (const InterfaceEntry& e : interface.entries) entries_.push_back(&e);
    std::ranges::sort(entries_, {}, [](const InterfaceEntry* e) { return e->name; });       // as in the table of the program
    for (const InterfaceEntry* e : entries_) functions_.push_back(names_.give(identifier(e->name)));
    for (size_t k = 0; k < types_.size(); k++)
      if (has_class(types_[k])) classes_[k] = names_.give(class_name(types_[k]));
  }

  std::vector<PackageFile> files() const {
    auto embedded = [](std::string_view name) { return std::string(embedded_file(fmt::format("backends/runtime/python/{}.py", name))); };
    return {{"__init__.py", init()}, {"__init__.pyi", stub()}, {"_interface.py", tables()}, {"_support.py", embedded("support")},
            {"_derivatives.py", embedded("derivatives")}, {"torch.py", embedded("torch")}, {"jax.py", embedded("jax")}, {"py.typed", ""}};
  }

 private:
  const Interface& interface_;
  const std::vector<InterfaceType>& types_;
  const std::vector<EntrySizes>& sizes_;
  std::string package_;
  bool device_;
  std::vector<const InterfaceEntry*> entries_;
  std::vector<std::string> functions_;                 // of `entries_`
  std::map<size_t, std::string> classes_;
  GivenNames names_{"Array", "Context", "Error", "Opaque", "default_context", "torch", "jax", "_native", "_support", "_interface", "_derivatives"};

  // Records, arrays of records as records of arrays, sums. Tuples are tuples.
  static bool fields(const InterfaceType& t) { return !t.parts.empty() && t.parts[0].name != "0"; }
  static bool has_class(const InterfaceType& t) { return fields(t) || t.kind == TypeKind::Sum; }
  static std::string class_name(const InterfaceType& t) {
    std::string name = t.c_name.substr(t.c_name.starts_with("opaque_") ? 7 : 0);
    return identifier(isdigit(static_cast<unsigned char>(name[0])) ? "type_" + name : name);
  }
  static std::vector<std::string> field_names(const InterfaceType& t) {
    GivenNames names;
    std::vector<std::string> out;
    for (const InterfaceType::Part& p : t.parts) {
      std::string name = identifier(p.name);
      out.push_back(names.give(name[0] == '_' ? "f" + name : name));
    }
    return out;
  }

  // ---- types as Python writes them ----

  std::string number_type(Scalar s) const { return is_float(s) ? "float" : s == Scalar::Bool ? "bool" : "int"; }
  static std::string dtype(Scalar s) {
    if (s == Scalar::Bool) return "bool";
    return fmt::format("{}{}", is_float(s) ? "float" : std::string_view(name_of(s))[0] == 'u' ? "uint" : "int", std::string_view(name_of(s)).substr(1));
  }
  std::string type(size_t number, bool given) const {
    const InterfaceType& t = types_[number];
    if (t.primitive()) return number_type(t.leaves[0].elem);
    if (auto found = classes_.find(number); found != classes_.end())
      return given && t.kind != TypeKind::Sum ? fmt::format("{} | dict[str, _typing.Any]", found->second) : found->second;
    if (!t.parts.empty() || t.is_tuple) return t.parts.empty() ? "tuple[()]" : "tuple[" + join(t.parts, ", ", [&](const auto& p) { return type(p.type, given); }) + "]";
    if (t.kind == TypeKind::Array && types_[t.elem].primitive()) {
      if (given) return device_ ? "_typing.Any" : "_numpy_typing.ArrayLike";
      return device_ ? "Array" : fmt::format("_numpy_typing.NDArray[_numpy.{}]", t.leaves[0].elem == Scalar::Bool ? "bool_" : dtype(t.leaves[0].elem));
    }
    return given && t.kind == TypeKind::Array ? "Opaque | _typing.Sequence[_typing.Any]" : "Opaque";
  }
  // Of fields: what results have. Records may also be made of what arguments may be.
  std::string field_type(size_t number) const {
    const InterfaceType& t = types_[number];
    return t.kind == TypeKind::Array && types_[t.elem].primitive() ? "_typing.Any" : type(number, false);
  }

  // ---- functions ----

  std::vector<std::string> parameters(const InterfaceEntry& e) const {
    GivenNames names{"context", "default_context"};
    std::vector<std::string> out;
    for (size_t k = 0; k < e.inputs.size(); k++) out.push_back(names.give(e.inputs[k].name.empty() ? fmt::format("argument{}", k) : identifier(e.inputs[k].name)));
    return out;
  }
  std::string function_text(const InterfaceEntry& e) const {
    std::string out = e.doc.empty() ? "" : e.doc + "\n\n";
    std::vector<std::string> names = parameters(e);
    for (size_t k = 0; k < names.size(); k++) out += fmt::format("{}: {}{}\n", names[k], e.inputs[k].unique ? "*" : "", types_[e.inputs[k].type].text);
    return out + "gives " + types_[e.output].text;
  }

  std::string init() const {
    std::string title = interface_.doc.empty() ? fmt::format("The program {}.fut.", package_) : interface_.doc;
    std::string out = documentation(title, "") + "# Made by `raido python`.\nfrom . import _support\n"
                      "from ._native import Array, Context, Error, Opaque\nfrom ._support import default_context\n";
    for (const auto& [number, name] : in_order()) out += "\n" + class_text(number, name);
    for (size_t k = 0; k < entries_.size(); k++) {
      std::vector<std::string> names = parameters(*entries_[k]);
      std::string list = join(names, ", ");
      out += fmt::format("\n\ndef {}({}*, context=None):\n{}    return (context or default_context()).call({}{})\n", functions_[k], list.empty() ? "" : list + ", ",
                         documentation(function_text(*entries_[k]), "    "), k, list.empty() ? "" : ", " + list);
    }
    std::vector<std::string> all = functions_;
    for (const auto& [number, name] : classes_) all.push_back(name);
    for (const char* name : {"Array", "Context", "Error", "Opaque", "default_context"}) all.push_back(name);
    std::ranges::sort(all);
    return out + "\n\n__all__ = [" + join(all, ", ", [](const std::string& s) { return quote(s); }) + "]\n";
  }

  // Classes come after those that their fields name.
  std::vector<std::pair<size_t, std::string>> in_order() const {
    std::vector<std::pair<size_t, std::string>> out;
    std::set<size_t> done;
    for (const auto& [number, name] : classes_) visit(number, done, out);
    return out;
  }
  void visit(size_t number, std::set<size_t>& done, std::vector<std::pair<size_t, std::string>>& out) const {
    const InterfaceType& t = types_[number];
    if (!done.insert(number).second) return;
    for (const InterfaceType::Part& p : t.parts) visit(p.type, done, out);
    for (const InterfaceType::Variant& v : t.variants) for (size_t x : v.types) visit(x, done, out);
    if (auto found = classes_.find(number); found != classes_.end()) out.emplace_back(*found);
  }

  std::string about(const InterfaceType& t) const {
    return !t.doc.empty() ? t.doc : t.kind == TypeKind::Array ? fmt::format("An array of {}, as an array of each field.", types_[t.elem].text) : t.text;
  }
  // Names in Python of the constructors of a sum.
  static std::vector<std::string> constructors(const InterfaceType& t) {
    GivenNames scope{"tag", "count", "index"};
    std::vector<std::string> out;
    for (const InterfaceType::Variant& v : t.variants) out.push_back(scope.give(identifier(v.name)));
    return out;
  }
  std::string class_text(size_t number, const std::string& name) const {
    const InterfaceType& t = types_[number];
    auto quoted = [](const std::string& s) { return quote(s); };
    if (t.kind != TypeKind::Sum)
      return fmt::format("{} = _support.record({}, {}, [{}], {})\n", name, number, quote(name), join(field_names(t), ", ", quoted), quote(about(t)));
    std::string rows;
    std::vector<std::string> names = constructors(t);
    for (size_t k = 0; k < names.size(); k++) {
      const InterfaceType::Variant& v = t.variants[k];
      std::string text = join(v.types, "", [&](size_t x) { return " " + types_[x].text; });
      rows += fmt::format("    ({}, {}, {}, {}),\n", quote(names[k]), quote(v.name), v.types.size(), quote("#" + v.name + text));
    }
    return fmt::format("{} = _support.sum_type({}, {}, [\n{}], {})\n", name, number, quote(name), rows, quote(about(t)));
  }

  std::string class_stub(size_t number, const std::string& name) const {
    const InterfaceType& t = types_[number];
    std::string out = fmt::format("\nclass {}({}):\n{}", name, t.kind == TypeKind::Sum ? "tuple[_typing.Any, ...]" : "_typing.NamedTuple", documentation(about(t), "    "));
    if (t.kind == TypeKind::Sum) out += "    tag: str\n";
    std::vector<std::string> names = t.kind == TypeKind::Sum ? constructors(t) : field_names(t);
    for (size_t k = 0; k < names.size(); k++) {
      if (t.kind != TypeKind::Sum) {
        out += fmt::format("    {}: {}\n", names[k], field_type(t.parts[k].type));
        continue;
      }
      std::string values;
      out += fmt::format("    class {}(\"{}\"):\n        tag: _typing.Literal[{}]\n", names[k], name, quote(t.variants[k].name));
      for (size_t j = 0; j < t.variants[k].types.size(); j++) {
        out += fmt::format("        v{}: {}\n", j, field_type(t.variants[k].types[j]));
        values += fmt::format(", v{}: {}", j, field_type(t.variants[k].types[j]));
      }
      out += fmt::format("        def __new__(cls{}) -> _typing.Self: ...\n", values);
    }
    return out;
  }

  std::string stub() const {
    std::string out = "import typing as _typing\n\n";
    if (!device_) out += "import numpy as _numpy\nimport numpy.typing as _numpy_typing\n\n";
    out += "class Error(RuntimeError): ...\n\n"
           "class Array:\n    shape: tuple[int, ...]\n    type: str\n    def numpy(self) -> _typing.Any: ...\n    def tolist(self) -> list[_typing.Any]: ...\n    def __len__(self) -> int: ...\n"
           "    def __dlpack__(self, **settings: _typing.Any) -> _typing.Any: ...\n    def __dlpack_device__(self) -> tuple[int, int]: ...\n\n"
           "class Opaque:\n    shape: tuple[int, ...]\n    type: str\n    def store(self) -> bytes: ...\n    def __len__(self) -> int: ...\n"
           "    def __getitem__(self, key: int | tuple[int, ...]) -> _typing.Any: ...\n\n"
           "class Context:\n    def __new__(cls, *, num_threads: int = 0, mem_limit: int = 0, params: dict[str, int] = {}, device: str | None = None, "
           "cache: str | None = None, cpu: str | None = None, profiling: bool = False, logging: bool = False) -> Context: ...\n"
           "    def set_param(self, name: str, number: int) -> None: ...\n    def report(self) -> str: ...\n    def clear_caches(self) -> None: ...\n"
           "    def restore(self, type: str, data: bytes) -> _typing.Any: ...\n\ndef default_context() -> Context: ...\n";
    for (const auto& [number, name] : in_order()) out += class_stub(number, name);
    for (size_t k = 0; k < entries_.size(); k++) {
      std::vector<std::string> names = parameters(*entries_[k]);
      std::string list;
      for (size_t j = 0; j < names.size(); j++) list += fmt::format("{}: {}, ", names[j], type(entries_[k]->inputs[j].type, true));
      out += fmt::format("\ndef {}({}*, context: Context | None = None) -> {}:\n{}    ...\n", functions_[k], list, type(entries_[k]->output, false),
                         documentation(function_text(*entries_[k]), "    "));
    }
    return out;
  }

  // ---- tables ----

  std::string type_table_row(const InterfaceType& t) const {
    bool numbers = t.primitive() || (t.kind == TypeKind::Array && types_[t.elem].primitive());
    bool record = t.kind == TypeKind::Record || !t.parts.empty();
    std::vector<std::string> names = t.is_tuple || (!t.parts.empty() && t.parts[0].name == "0") ? std::vector<std::string>() : field_names(t);
    std::string parts;
    for (size_t k = 0; k < t.parts.size(); k++) parts += fmt::format("({}, {}), ", quote(names.empty() ? t.parts[k].name : names[k]), t.parts[k].type);
    return fmt::format("    ({}, {}, {}, {}, ({})),\n", quote(t.text), t.primitive() ? "\"number\"" : numbers ? "\"array\"" : record ? "\"record\"" : "\"other\"",
                       numbers ? quote(dtype(t.leaves[0].elem)) : "None", t.rank, parts);
  }
  std::string sizes_of(const InterfaceEntry& e) const {
    auto found = std::ranges::find(sizes_, e.name, &EntrySizes::name);
    return "(" + join(found->leaves, "", [](const std::vector<ResultSize>& leaf) {
      return "(" + join(leaf, "", [](const ResultSize& s) {
        return s.number ? fmt::format("{}, ", *s.number) : s.place ? fmt::format("({}, {}), ", s.place->first, s.place->second) : "None, ";
      }) + "), ";
    }) + ")";
  }
  std::string tables() const {
    std::string out = "# The types of the program: text, kind, kind of its numbers, dimensions, fields.\ntypes = (\n";
    for (const InterfaceType& t : types_) out += type_table_row(t);
    out += ")\n\n# The entry points: number, parameters, type of the result, and for each leaf of the result its extents.\nentries = {\n";
    for (size_t k = 0; k < entries_.size(); k++) {
      const InterfaceEntry& e = *entries_[k];
      std::vector<std::string> names = parameters(e);
      std::string list;
      for (size_t j = 0; j < names.size(); j++) list += fmt::format("({}, {}), ", quote(names[j]), e.inputs[j].type);
      out += fmt::format("    {}: ({}, ({}), {}, {}),\n", quote(functions_[k]), k, list, e.output, sizes_of(e));
    }
    return out + "}\n\n# The classes of records.\nclasses = {}\n";
  }
};

}  // namespace

std::vector<EntrySizes> sizes_of_results(const ir::Program& program) {
  using namespace ir;
  std::vector<EntrySizes> out;
  for (const EntryPoint& e : program.entries) {
    const Function& f = program.functions[e.function.index];
    std::map<uint32_t, std::pair<size_t, size_t>> places;            // of sizes, among the leaves
    for (size_t k = e.sizes; k < f.lambda.params.size(); k++) {
      std::vector<Dim> shape = shape_of(program.type(f.lambda.params[k].var));
      for (size_t d = 0; d < shape.size(); d++)
        if (auto v = var_of(shape[d])) places.emplace(v->index, std::pair(k - e.sizes, d));
    }
    EntrySizes& sizes = out.emplace_back(EntrySizes{e.name, {}});
    for (size_t k = e.result_sizes; k < f.returns.size(); k++) {
      std::vector<ResultSize>& leaf = sizes.leaves.emplace_back();
      for (const Dim& d : shape_of(f.returns[k])) {
        ResultSize& size = leaf.emplace_back();
        if (auto c = const_of(d)) size.number = c->as_i64();
        else if (auto found = places.find(var_of(d)->index); found != places.end()) size.place = found->second;
      }
    }
  }
  return out;
}

std::vector<PackageFile> python_package(const Interface& interface, const std::vector<EntrySizes>& sizes, const std::string& package, bool device) {
  return Package(interface, sizes, package, device).files();
}

bool is_package_name(const std::string& name) { return is_identifier(name) && !is_keyword(name); }

}  // namespace raido
