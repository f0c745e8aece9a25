// entry.cc - the function of an entry point, and the tables of its types, as the runtime declares them (objects.h).
//
// The layouts and limits that stand here as numbers are checked when loader.c is compiled.
#include "backends/llvm/entry.h"

#include <algorithm>

#include "backends/kernel/outside.h"
#include "backends/llvm/print.h"
#include "compiler/base/text.h"
#include "compiler/ir/calling.h"
#include "compiler/ir/types.h"

namespace raido::llvm {
namespace outside {
namespace {

using namespace ir;

// struct raido_value
enum { MaxRank = 32, Shape = 16, Data = Shape + 8 * MaxRank, Number = Data + 8, ValueSize = Number + 8 };
// loader.c
enum { MaxInputs = 256, MaxLeaves = 1024, MaxParams = 4096 };

class Entry {
 public:
  Entry(const Program& p, const kir::Module& m, const EntryPoint& e, const InterfaceEntry& outside, size_t number, Surroundings& around)
      : p_(p), m_(m), e_(e), outside_(outside), number_(number), f_(p.functions[e.function.index]), around_(around), code_(around),
        inputs_(outside_params(p, f_)) {}

  std::string function() {
    sizes(arguments());
    call();
    size_t number = 0;
    for (auto& [variable, leaf] : kir::result_leaves(p_, e_)) output(number++, variable, leaf);
    code_.line("ret i32 0");
    return fmt::format("define internal i32 @entry.{}(ptr %w, ptr %in, ptr %out) #0 {{\n{}}}\n\n", number_, code_.text);
  }

 private:
  const Program& p_;
  const kir::Module& m_;
  const EntryPoint& e_;
  const InterfaceEntry& outside_;
  size_t number_;
  const Function& f_;
  Surroundings& around_;
  Code code_;
  std::vector<Var> inputs_;           // sizes, then the leaves of the external parameters
  VarMap<std::string> value_;         // of a parameter
  std::vector<std::string> results_;  // addresses of what the function gives
  VarMap<std::string> result_;        // of a scalar result

  size_t leaf_count() const { return inputs_.size() - e_.sizes; }
  Var leaf(size_t k) const { return inputs_[e_.sizes + k]; }
  std::string input_name(size_t leaf) const {
    size_t k = 0, first = 0;
    while (first + e_.params[k].values <= leaf) first += e_.params[k++].values;
    return outside_.inputs[k].name.empty() ? fmt::format("#{}", k) : outside_.inputs[k].name;
  }
  std::string field(const std::string& base, int64_t offset) { return code_.value("getelementptr i8, ptr {}, i64 {}", base, offset); }

  // The pointers that are given; scalars are read.
  std::vector<std::string> arguments() {
    std::vector<std::string> given;
    for (size_t k = 0; k < leaf_count(); k++) {
      std::string at = field("%in", int64_t(8 * k));
      given.push_back(code_.value("load ptr, ptr {}", at));
      const Type& type = p_.type(leaf(k));
      if (is_array(type)) continue;
      Scalar t = elem_of(type);
      value_[leaf(k)] = from_storage(code_, t, code_.value("load {}, ptr {}, align 1", storage_of(t), given.back()));
    }
    return given;
  }
  // An extent met again, or given as an argument too, must agree.
  void sizes(const std::vector<std::string>& given) {
    struct Check { std::string extent, wanted, input; size_t dim; };
    std::vector<Check> checks;
    for (size_t k = 0; k < leaf_count(); k++) {
      std::vector<Dim> shape = shape_of(p_.type(leaf(k)));
      for (size_t d = 0; d < shape.size(); d++) {
        std::string at = field(given[k], int64_t(Shape + 8 * d)), extent = code_.value("load i64, ptr {}", at);
        if (auto c = const_of(shape[d])) checks.push_back({extent, std::to_string(c->as_i64()), input_name(k), d});
        else if (Var v = *var_of(shape[d]); value_[v].empty()) value_[v] = extent;
        else checks.push_back({extent, value_[v], input_name(k), d});
      }
    }
    for (size_t k = 0; k < e_.sizes; k++)
      if (value_[inputs_[k]].empty()) value_[inputs_[k]] = "0";
    for (const Check& c : checks) {
      std::string differs = code_.value("icmp ne i64 {}, {}", c.extent, c.wanted), wrong = code_.label("wrong"), on = code_.label("on");
      code_.line(fmt::format("br i1 {}, label %{}, label %{}", differs, wrong, on));
      code_.begin(wrong);
      std::string f = around_.function("i32", "raido_wrong_size", "ptr, ptr, i32, i64, i64", "#3");
      code_.value("call i32 {}(ptr %w, ptr {}, i32 {}, i64 {}, i64 {})", f, around_.text(c.input), c.dim, c.wanted, c.extent);
      code_.line("ret i32 1");
      code_.begin(on);
    }
    for (size_t k = 0; k < leaf_count(); k++)
      if (auto a = std::get_if<ArrayType>(&p_.type(leaf(k)))) {
        const Passed what = passed_to_function(a->shape.size());
        std::string at = field(given[k], Data);
        std::vector<std::string> values = {code_.value("load ptr, ptr {}", at), "0"};
        for (size_t d : what.strides) values.push_back(product(a->shape, d + 1));
        size_t next = 0;
        each_passed(what, *a->place, [&](const Atom& part) {
          if (auto v = var_of(part)) value_[*v] = values[next];
          next++;
        });
      }
  }
  std::string dim(const Dim& d) { return const_of(d) ? std::to_string(const_of(d)->as_i64()) : value_[*var_of(d)]; }
  std::string product(const std::vector<Dim>& shape, size_t from) {
    std::string x = "1";
    for (size_t d = from; d < shape.size(); d++) x = code_.value("mul i64 {}, {}", x, dim(shape[d]));
    return x;
  }

  // A bool in memory, and where functions pass it, is a byte.
  std::string passed(kir::Name n, const std::string& x) {
    return m_.names[n.index].type == Scalar::Bool && !m_.names[n.index].memory ? code_.value("zext i1 {} to i8", x) : x;
  }
  void call() {
    const kir::HostFunction& h = m_.functions[e_.function.index];
    std::string args = "ptr %w";
    size_t at = 0;
    for (const Bind& b : f_.lambda.params) {
      if (!has_value(p_.type(b.var))) continue;
      kir::Name n = h.params[at++];
      args += fmt::format(", {} {}", passed_type(m_, n), passed(n, value_[b.var]));
    }
    for (kir::Name n : h.results) {
      results_.push_back(code_.value("alloca {}", passed_type(m_, n)));
      args += ", ptr " + results_.back();
    }
    std::string code = code_.value("call i32 {}({})", function_name(h), args), failed = code_.value("icmp ne i32 {}, 0", code);
    std::string out = code_.label("leave"), on = code_.label("on");
    code_.line(fmt::format("br i1 {}, label %{}, label %{}", failed, out, on));
    code_.begin(out);
    code_.line("ret i32 1");
    code_.begin(on);
    size_t k = 0;
    for (const Atom& a : f_.lambda.body.result) {
      if (!has_value(p_.type(a))) continue;
      if (auto v = var_of(a); v && result_[*v].empty() && !m_.names[h.results[k].index].memory)
        result_[*v] = code_.value("load {}, ptr {}", passed_type(m_, h.results[k]), results_[k]);
      k++;
    }
  }
  std::string extent(const Dim& d) {
    if (const_of(d)) return dim(d);
    Var v = *var_of(d);
    if (!value_[v].empty()) return value_[v];
    if (!result_[v].empty()) return result_[v];
    std::string f = around_.function("ptr", "raido_constants_of", "ptr", "#1"), all = code_.value("call ptr {}(ptr %w)", f);
    std::string at = code_.value("getelementptr %constants, ptr {}, i32 0, i32 {}", all, kir::constant_of(p_, v));
    return code_.value("load i64, ptr {}", at);
  }
  void output(size_t number, size_t variable, const Atom& a) {
    const Type t = p_.type(a);
    std::vector<Dim> shape = shape_of(t);
    auto base = int64_t(ValueSize * number);
    for (size_t d = 0; d < shape.size(); d++) {
      std::string n = extent(shape[d]), at = field("%out", base + Shape + int64_t(8 * d));
      code_.line(fmt::format("store i64 {}, ptr {}", n, at));
    }
    if (!shape.empty()) {
      std::string v = code_.value("load ptr, ptr {}", results_[variable]), at = field("%out", base + Data);
      code_.line(fmt::format("store ptr {}, ptr {}", v, at));
      return;
    }
    Scalar s = elem_of(t);
    std::string v = code_.value("load {}, ptr {}", s == Scalar::Bool ? "i8" : type_of(s), results_[variable]);
    if (s == Scalar::F16) v = to_storage(code_, s, v);
    std::string at = field("%out", base + Number);
    code_.line(fmt::format("store {} {}, ptr {}", storage_of(s), v, at));
  }
};

// Constants that the tables consist of: rows of C structs, which LLVM lays out in the same way.
class Tables {
 public:
  explicit Tables(Surroundings& around) : around_(around) {}
  std::string out;

  std::string pointer(const std::string& global) const { return "ptr " + global; }
  std::string text(std::string_view s) { return pointer(around_.text(s)); }
  static std::string number(size_t n) { return fmt::format("i32 {}", n); }
  // A global with these rows; null if there are none.
  template <class C, class F> std::string table(const C& items, F&& row) {
    if (items.empty()) return "ptr null";
    std::vector<std::string> rows;
    for (const auto& item : items) rows.push_back(row(item));
    return pointer(global(rows));
  }
  std::string global(const std::vector<std::string>& rows) {
    // `{ptr, i32} {ptr @a, i32 1}`: the type of a row is that of its values
    std::string type = type_of_row(rows[0]), name = fmt::format("@table.{}", count_++);
    out += fmt::format("{} = internal constant [{} x {}] [{}]\n", name, rows.size(), type, join(rows, ", ", [&](const std::string& r) { return type + " " + value_of_row(r); }));
    return name;
  }
  static std::string row(const std::vector<std::string>& values) { return join(values, ", ", [](const std::string& v) { return v; }); }

 private:
  Surroundings& around_;
  size_t count_ = 0;

  static std::string type_of_row(const std::string& row) {
    std::string type;
    for (const std::string& v : split(row, ',')) {
      size_t begin = v.find_first_not_of(' ');
      type += (type.empty() ? "" : ", ") + v.substr(begin, v.find(' ', begin) - begin);
    }
    return "{" + type + "}";
  }
  static std::string value_of_row(const std::string& row) { return "{" + row + "}"; }
};

std::string type_row(Tables& t, const InterfaceType& type) {
  using Kind = InterfaceType::Kind;
  // raido_type has the integers first, then the floats, then bool
  auto scalar = [](Scalar s) { return s == Scalar::Bool ? 11 : size_t(s) - 1; };
  auto number = [](size_t n) { return Tables::number(n); };
  std::string leaves = t.table(type.leaves, [&](const auto& l) { return Tables::row({number(scalar(l.elem)), number(l.rank)}); });
  std::string parts = t.table(type.parts, [&](const auto& p) { return Tables::row({t.text(p.name), number(p.type), number(p.leaf)}); });
  std::string variants = t.table(type.variants, [&](const auto& v) {
    return Tables::row({t.text(v.name), number(v.types.size()), t.table(v.types, number), t.table(v.slots, number)});
  });
  return Tables::row({t.text(type.text), t.text("futhark_" + type.c_name), number(size_t(type.kind)), number(type.rank),
                      number(type.kind == Kind::Array ? type.elem : 0), number(type.leaves.size()), leaves, number(type.parts.size()), parts,
                      number(type.variants.size()), variants, number(type.is_tuple)});
}

// Numbers that the user sets count from the next call on.
std::string refresh(const Program& p, const kir::Module& m, Surroundings& around) {
  Code code(around);
  for (const kir::Refreshed& r : kir::refreshed_constants(p, m)) {
    std::string tuned = around.function("i64", "raido_tuned", "ptr, i32, i64", "#2"), v = code.value("call i64 {}(ptr %w, i32 {}, i64 {})", tuned, r.param, r.fallback);
    std::string of = around.function("ptr", "raido_constants_of", "ptr", "#1"), all = code.value("call ptr {}(ptr %w)", of);
    std::string at = code.value("getelementptr %constants, ptr {}, i32 0, i32 {}", all, r.constant);
    code.line(fmt::format("store i64 {}, ptr {}", v, at));
  }
  return fmt::format("define internal void @refresh(ptr %w) #0 {{\n{}  ret void\n}}\n\n", code.text);
}

}  // namespace
}  // namespace outside

std::string print_interface(const ir::Program& p, const kir::Module& m, const Interface& interface, bool flush_subnormals, bool profile, Surroundings& around) {
  using namespace outside;
  Tables t(around);
  std::string functions, code = fmt::format("ptr {}, ptr {}", around.text("single"), function_name(m.functions.back()));
  std::vector<std::string> types, entries;
  for (const InterfaceType& type : interface.types) types.push_back(type_row(t, type));
  std::vector<size_t> order;
  for (size_t k = 0; k < p.entries.size(); k++) order.push_back(k);
  std::ranges::sort(order, {}, [&](size_t k) { return p.entries[k].name; });
  for (size_t k : order) {
    const InterfaceEntry& e = interface.entries[k];
    size_t number = entries.size();
    functions += Entry(p, m, p.entries[k], e, number, around).function();
    size_t input = 0;
    std::string inputs = t.table(e.inputs, [&](const auto& in) {
      std::string name = in.name.empty() ? fmt::format("#{}", input) : in.name;
      input++;
      return Tables::row({t.text(name), Tables::number(in.type), Tables::number(in.unique)});
    });
    std::vector<std::string> attributes;
    for (const std::string& a : e.attributes) attributes.push_back(t.text(a));
    attributes.push_back("ptr null");
    entries.push_back(Tables::row({t.text(p.entries[k].name), Tables::number(e.inputs.size()), inputs, Tables::number(e.output), Tables::number(e.spread), t.text(e.stars()),
                                   t.pointer(t.global(attributes)), t.text(kir::kept_leaves(p, m, p.entries[k])), Tables::number(number)}));
    code += fmt::format(", ptr @entry.{}", number);
  }
  std::string entry_table = t.table(entries, [](const std::string& row) { return row; });
  std::string type_table = t.table(types, [](const std::string& row) { return row; });
  std::string params = t.table(m.params, [&](const kir::Param& x) { return Tables::row({t.text(x.name), t.text(x.kind)}); });
  std::string code_table = t.pointer(t.global({code}));
  std::string bytes = "i64 ptrtoint (ptr getelementptr (%constants, ptr null, i32 1) to i64)";
  std::string root_type = "{i32, i32, i32, i32, ptr, ptr, ptr, ptr, ptr, i64, i64, ptr, ptr}";
  std::vector<std::string> places, kinds;
  if (profile)
    for (const kir::MarkedPlace& x : m.places) places.push_back(t.text(x.text)), kinds.push_back(t.text(x.kind));
  std::string place_table = t.table(places, [](const std::string& s) { return s; }), kind_table = t.table(kinds, [](const std::string& s) { return s; });
  functions += refresh(p, m, around);
  return functions + t.out +
         fmt::format("@raido_program = constant {} {{i32 {}, i32 {}, i32 {}, i32 {}, {}, {}, {}, {}, ptr @refresh, {}, i64 {}, {}, {}}}\n", root_type, interface.types.size(),
                     entries.size(), m.params.size(), int(flush_subnormals), type_table, entry_table, params, code_table, bytes, places.size(), place_table, kind_table);
}

std::string too_large(const kir::Module& m, const Interface& interface) {
  using namespace outside;
  if (m.params.size() > MaxParams) return fmt::format("more than {} numbers that the user may set", int(MaxParams));
  for (const InterfaceType& t : interface.types) {
    if (t.rank > MaxRank || std::ranges::any_of(t.leaves, [](const auto& l) { return l.rank > MaxRank; })) return fmt::format("arrays of more than {} dimensions", int(MaxRank));
    if (t.leaves.size() > MaxLeaves) return fmt::format("values of more than {} parts", int(MaxLeaves));
  }
  for (const InterfaceEntry& e : interface.entries) {
    size_t n = 0;
    for (const auto& in : e.inputs) n += interface.types[in.type].leaves.size();
    if (e.inputs.size() > MaxInputs || n > MaxLeaves) return fmt::format("entry points of more than {} parameters, or {} parts of them", int(MaxInputs), int(MaxLeaves));
  }
  return "";
}

}  // namespace raido::llvm
