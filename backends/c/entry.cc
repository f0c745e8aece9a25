// entry.cc - the interface of a program in C.
//
// The function of an entry point binds the sizes from the shapes of the arguments and checks that they agree. It passes each array as
// block, offset 0 and strides, and gives the leaves of the result their data and shapes. Types stand in a table, so all else that can
// be done with values is the same text in every program (runtime/objects.h, runtime/api.h).
#include "backends/c/entry.h"

#include <algorithm>
#include <fmt/format.h>

#include "backends/kernel/outside.h"
#include "backends/kernel/print_scalars.h"
#include "compiler/base/c_names.h"
#include "compiler/base/text.h"
#include "compiler/ir/calling.h"
#include "compiler/ir/types.h"

namespace raido {
namespace {

using namespace ir;

std::string type_word(Scalar s) {
  std::string word = "RAIDO_";
  for (char c : name_of(s)) word += char(toupper(c));
  return word;
}

// The name of a top-level value in the program's constants.
std::string constant_field(const Program& p, const kir::Module& m, Var v) { return m.names[m.constants[kir::constant_of(p, v)].index].text; }

// Numbers that the user sets count from the next call on, unless top-level values were computed from them.
std::string refresh(const Program& p, const kir::Module& m) {
  std::string out = "RAIDO_FN void raido_program_refresh(struct raido_context *c) {\n  (void)c;\n";
  for (const kir::Refreshed& r : kir::refreshed_constants(p, m))
    out += fmt::format("  c->constants->{} = raido_tuned(&c->main, {}, {});\n", m.names[m.constants[r.constant].index].text, r.param,
                       r.fallback == INT64_MIN ? "INT64_MIN" : fmt::format("INT64_C({})", r.fallback));
  return out + "}\n\n";
}

class Entry {
 public:
  Entry(const Program& p, const kir::Module& m, const EntryPoint& e, const InterfaceEntry& outside, size_t number, bool device)
      : p_(p), m_(m), e_(e), outside_(outside), number_(number), f_(p.functions[e.function.index]), device_(device),
        inputs_(outside_params(p, f_)) {}

  std::string suffix() const { return c_identifier(e_.name); }
  std::string name() const { return "entry_" + suffix(); }

  // The table of its inputs, its attributes, and the row of the table of entry points.
  std::string tables() const {
    std::string out;
    if (!outside_.inputs.empty()) {
      out += fmt::format("static const struct raido_input_info inputs_{}[] = {{", suffix());
      for (size_t k = 0; k < outside_.inputs.size(); k++)
        out += fmt::format("{}{{{}, {}, {}}}", k > 0 ? ", " : "", quote(input_name(k)), outside_.inputs[k].type, int(outside_.inputs[k].unique));
      out += "};\n";
    }
    out += fmt::format("static const char *const attributes_{}[] = {{", suffix());
    for (const std::string& a : outside_.attributes) out += quote(a) + ", ";
    return out + "NULL};\n";
  }
  std::string row() const {
    return fmt::format("  {{{}, {}, {}, {}, {}, {}, attributes_{}, {}, {}}}", quote(e_.name), outside_.inputs.size(),
                       outside_.inputs.empty() ? "NULL" : "inputs_" + suffix(), outside_.output, int(outside_.spread), quote(outside_.stars()), suffix(), quote(kir::kept_leaves(p_, m_, e_)), number_);
  }

  std::string wrapper() {
    text_ = fmt::format("static int {}(struct raido_worker *w, const void *const *in, struct raido_value *out) {{\n", name());
    text_ += "  (void)in;\n  (void)out;\n";
    declare_arguments();
    sizes();
    std::vector<std::string> args = arguments();
    const kir::HostFunction& h = m_.functions[e_.function.index];
    results(h);
    std::string call = fmt::format("  if ({}(w", h.name);
    for (const std::string& a : args) call += ", " + a;
    for (size_t k = 0; k < h.results.size(); k++) call += fmt::format(", &r{}", k);
    text_ += call + ") != 0) return 1;\n";
    outputs();
    return text_ + "  return 0;\n}\n\n";
  }

 private:
  const Program& p_;
  const kir::Module& m_;
  const EntryPoint& e_;
  const InterfaceEntry& outside_;
  size_t number_;                     // its row in the table
  const Function& f_;
  bool device_;
  std::vector<Var> inputs_;           // sizes, then the leaves of the external parameters
  VarMap<std::string> value_;         // C text of a parameter
  VarMap<std::string> result_;        // C text of a scalar or block result
  std::string text_;

  std::string input_name(size_t k) const { return outside_.inputs[k].name.empty() ? fmt::format("#{}", k) : outside_.inputs[k].name; }
  size_t leaf_count() const { return inputs_.size() - e_.sizes; }
  Var leaf(size_t k) const { return inputs_[e_.sizes + k]; }
  // Which external parameter a leaf belongs to.
  size_t input_of(size_t leaf) const {
    size_t k = 0, first = 0;
    while (first + e_.params[k].values <= leaf) first += e_.params[k++].values;
    return k;
  }

  void declare_arguments() {
    for (size_t k = 0; k < leaf_count(); k++) {
      const Type& type = p_.type(leaf(k));
      if (is_array(type)) {
        text_ += fmt::format("  const struct raido_value *a{0} = in[{0}];\n", k);
        continue;
      }
      Scalar t = elem_of(type);
      text_ += fmt::format("  {0} a{1};\n  memcpy(&a{1}, in[{1}], sizeof a{1});\n", kir::storage_type(t), k);
      value_[leaf(k)] = t == Scalar::F16 ? fmt::format("raido_f16_to_f32(a{})", k) : fmt::format("a{}", k);
    }
  }

  // Declares sizes; an extent met again, or given as an argument too, must agree.
  void sizes() {
    std::string checks;
    for (size_t k = 0; k < leaf_count(); k++) {
      std::vector<Dim> shape = shape_of(p_.type(leaf(k)));
      for (size_t d = 0; d < shape.size(); d++) {
        std::string extent = fmt::format("a{}->shape[{}]", k, d), wanted;
        if (auto c = const_of(shape[d])) {
          wanted = std::to_string(c->as_i64());
        } else if (Var v = *var_of(shape[d]); value_[v].empty()) {
          value_[v] = fmt::format("n{}", v.index);
          text_ += fmt::format("  i64 {} = {};\n", value_[v], extent);
          continue;
        } else {
          wanted = value_[v];
        }
        checks += fmt::format("  if ({0} != {1}) return raido_wrong_size(w, {2}, {3}, {1}, {0});\n", extent, wanted, quote(input_name(input_of(k))), d);
      }
    }
    for (size_t k = 0; k < e_.sizes; k++)
      if (value_[inputs_[k]].empty()) value_[inputs_[k]] = "0";
    text_ += checks;
  }

  std::string product(const std::vector<Dim>& shape, size_t from) {
    std::string text = "1";
    for (size_t d = from; d < shape.size(); d++)
      text += " * " + (const_of(shape[d]) ? std::to_string(const_of(shape[d])->as_i64()) : value_[*var_of(shape[d])]);
    return text;
  }

  std::vector<std::string> arguments() {
    for (size_t k = 0; k < leaf_count(); k++)
      if (auto a = std::get_if<ArrayType>(&p_.type(leaf(k)))) {
        const Passed what = passed_to_function(a->shape.size());
        std::vector<std::string> values = {fmt::format("a{}->data", k), "0"};
        for (size_t d : what.strides) values.push_back(product(a->shape, d + 1));
        size_t next = 0;
        each_passed(what, *a->place, [&](const Atom& part) {
          if (auto v = var_of(part)) value_[*v] = values[next];
          next++;
        });
      }
    std::vector<std::string> args;
    for (const Bind& b : f_.lambda.params) {
      if (has_value(p_.type(b.var))) args.push_back(value_[b.var]);
    }
    return args;
  }

  void results(const kir::HostFunction& h) {
    size_t k = 0;
    for (const Atom& a : f_.lambda.body.result) {
      if (!has_value(p_.type(a))) continue;
      if (auto v = var_of(a); v && result_[*v].empty()) result_[*v] = fmt::format("r{}", k);
      const kir::NameInfo& i = m_.names[h.results[k].index];
      if (!i.memory) text_ += fmt::format("  {} r{} = 0;\n", kir::c_type(i.type), k);
      else if (device_) text_ += fmt::format("  struct raido_memory *r{} = NULL;\n", k);
      else text_ += fmt::format("  {} *r{} = NULL;\n", kir::storage_type(i.type), k);
      k++;
    }
  }

  void outputs() {
    size_t number = 0;
    for (auto& [variable, leaf] : kir::result_leaves(p_, e_)) output(number++, variable, leaf);
  }
  std::string extent(const Dim& d) {
    if (auto c = const_of(d)) return std::to_string(c->as_i64());
    Var v = *var_of(d);
    if (!value_[v].empty()) return value_[v];
    if (!result_[v].empty()) return result_[v];
    return fmt::format("w->context->constants->{}", constant_field(p_, m_, v));
  }
  void output(size_t number, size_t variable, const Atom& a) {
    const Type t = p_.type(a);
    std::vector<Dim> shape = shape_of(t);
    for (size_t d = 0; d < shape.size(); d++) text_ += fmt::format("  out[{}].shape[{}] = {};\n", number, d, extent(shape[d]));
    if (!shape.empty()) text_ += fmt::format("  out[{}].data = r{};\n", number, variable);
    else if (elem_of(t) == Scalar::F16) text_ += fmt::format("  {{ f16 h = raido_f32_to_f16(r{}); memcpy(out[{}].scalar, &h, sizeof h); }}\n", variable, number);
    else text_ += fmt::format("  memcpy(out[{0}].scalar, &r{1}, sizeof r{1});\n", number, variable);
  }
};

// The tables that a type's row points to, and the row.
struct Rows { std::string tables, rows; };

void type_row(const InterfaceType& t, size_t number, Rows& out) {
  using Kind = InterfaceType::Kind;
  auto table = [&](std::string_view type, std::string_view name, const auto& items, auto&& show) {
    if (items.empty()) return std::string("NULL");
    std::string full = fmt::format("type_{}_{}", number, name);
    out.tables += fmt::format("static const {} {}[] = {{{}}};\n", type, full, join(items, ", ", show));
    return full;
  };
  auto numbers = [](size_t n) { return std::to_string(n); };
  std::string leaves = table("struct raido_leaf", "leaves", t.leaves, [](const auto& l) { return fmt::format("{{{}, {}}}", type_word(l.elem), l.rank); });
  std::string parts = table("struct raido_part", "parts", t.parts, [](const auto& p) { return fmt::format("{{{}, {}, {}}}", quote(p.name), p.type, p.leaf); });
  std::vector<std::string> variants;
  for (size_t k = 0; k < t.variants.size(); k++) {
    const InterfaceType::Variant& v = t.variants[k];
    std::string types = table("int", fmt::format("types_{}", k), v.types, numbers), slots = table("int", fmt::format("slots_{}", k), v.slots, numbers);
    variants.push_back(fmt::format("{{{}, {}, {}, {}}}", quote(v.name), v.types.size(), types, slots));
  }
  std::string variant_table = table("struct raido_variant", "variants", variants, [](const std::string& v) { return v; });
  static constexpr std::string_view kinds[] = {"PRIMITIVE", "ARRAY", "RECORD", "SUM", "OPAQUE"};
  out.rows += fmt::format("  {{{}, {}, RAIDO_{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n", quote(t.text), quote("futhark_" + t.c_name),
                          kinds[size_t(t.kind)], t.rank, t.kind == Kind::Array ? t.elem : 0, t.leaves.size(), leaves, t.parts.size(), parts,
                          t.variants.size(), variant_table, int(t.is_tuple));
}

}  // namespace

std::string interface_limits(const Interface& interface) {
  size_t rank = 32, inputs = 1, leaves = 1, all_leaves = 1, outputs = 1;
  for (const InterfaceType& t : interface.types)
    for (const InterfaceType::Leaf& l : t.leaves) rank = std::max(rank, l.rank);
  for (const InterfaceType& t : interface.types) rank = std::max(rank, t.rank), all_leaves = std::max(all_leaves, t.leaves.size());
  for (const InterfaceEntry& e : interface.entries) {
    size_t n = 0;
    for (const auto& in : e.inputs) n += interface.types[in.type].leaves.size();
    leaves = std::max(leaves, n);
    inputs = std::max(inputs, e.inputs.size());
    outputs = std::max(outputs, interface.types[e.output].parts.size());
  }
  return fmt::format("#define RAIDO_MAX_RANK {}\n#define RAIDO_TYPES {}\n#define RAIDO_ENTRIES {}\n"
                     "#define RAIDO_INPUTS {}\n#define RAIDO_INPUT_LEAVES {}\n#define RAIDO_LEAVES {}\n#define RAIDO_OUTPUTS {}\n",
                     rank, interface.types.size(), interface.entries.size(), inputs, leaves, all_leaves, outputs);
}

InterfaceText print_interface(const ir::Program& program, const kir::Module& module, const Interface& interface, bool device) {
  Rows types;
  for (size_t k = 0; k < interface.types.size(); k++) type_row(interface.types[k], k, types);
  InterfaceText text;
  std::string& out = text.tables;
  out = types.tables + fmt::format("static const struct raido_type_info raido_interface[RAIDO_TYPES] = {{\n{}}};\n\n", types.rows);
  std::string rows;
  std::vector<size_t> order;
  for (size_t k = 0; k < program.entries.size(); k++) order.push_back(k);
  std::ranges::sort(order, {}, [&](size_t k) { return program.entries[k].name; });
  for (size_t k : order) {
    Entry entry(program, module, program.entries[k], interface.entries[k], text.names.size(), device);
    out += entry.tables();
    rows += entry.row() + ",\n";
    text.functions += entry.wrapper();
    text.names.push_back(entry.name());
  }
  out += refresh(program, module);
  out += fmt::format("static const __attribute__((unused)) struct raido_entry raido_entries[RAIDO_ENTRIES + 1] = {{\n{}  {{NULL, 0, NULL, 0, 0, NULL, NULL, NULL, 0}}}};\n\n", rows);
  return text;
}

}  // namespace raido
