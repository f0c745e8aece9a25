// program.cc - the C file of a program.
//
// An entry point's wrapper binds the sizes of its function from the shapes of the arguments and checks that they agree,
// passes each array as block, offset 0 and strides, and describes the results.
#include "backends/c/program.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "backends/kernel/from_core.h"
#include "backends/kernel/optimise.h"
#include "backends/kernel/print.h"
#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/ir/types.h"

namespace raido {
namespace {

using namespace ir;

std::string type_word(Scalar s) {
  std::string word = "RAIDO_";
  for (char c : name_of(s)) word += char(toupper(c));
  return word;
}

std::string opaque_type(const ExternalType& t) {
  std::string name = "struct futhark_opaque_";
  for (char c : t.name) name += isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + " *";
}

// `{opaque, type, rank, name}` of a parameter or result.
std::string external(const ExternalType& x, const Type& t, const std::string& name) {
  if (x.opaque || x.values != 1) return fmt::format("{{{}, RAIDO_I8, 0, {}}}", quote(opaque_type(x)), quote(name));
  return fmt::format("{{NULL, {}, {}, {}}}", type_word(elem_of(t)), shape_of(t).size(), quote(name));
}

class Entry {
 public:
  Entry(const Program& p, const kir::Module& m, const EntryPoint& e, bool device)
      : p_(p), m_(m), e_(e), f_(p.functions[e.function.index]), device_(device) {
    for (const Bind& b : f_.lambda.params)
      if (const auto* a = std::get_if<ArrayType>(&p.type(b.var))) {
        passed_.insert(a->place->block);
        if (auto v = var_of(a->place->layout.offset)) passed_.insert(*v);
        for (size_t d = 0; d + 2 < a->shape.size(); d++)
          if (auto v = var_of(a->place->layout.strides[d])) passed_.insert(*v);
      }
    for (const Bind& b : f_.lambda.params)
      if (!passed_.contains(b.var) && !std::holds_alternative<BlockType>(p.type(b.var))) inputs_.push_back(b.var);
  }

  std::string tables() const {
    std::string in, out;
    size_t at = e_.sizes;
    for (size_t k = 0; k < e_.params.size(); k++) {
      const ExternalType& x = e_.params[k];
      in += external(x, x.values > 0 && at < inputs_.size() ? p_.type(inputs_[at]) : Type{CheckType{}}, param_name(k)) + ", ";
      at += x.values;
    }
    std::vector<Atom> results = results_without_places();
    at = e_.result_sizes;
    for (const ExternalType& x : e_.results) {
      out += external(x, x.values > 0 && at < results.size() ? p_.type(results[at]) : Type{CheckType{}}, "") + ", ";
      at += x.values;
    }
    return fmt::format("static const struct raido_external in_{0}[] = {{{1}{{NULL, RAIDO_I8, 0, \"\"}}}};\n"
                       "static const struct raido_external out_{0}[] = {{{2}{{NULL, RAIDO_I8, 0, \"\"}}}};\n", name(), in, out);
  }
  std::string param_name(size_t k) const {
    return k < e_.param_names.size() && !e_.param_names[k].empty() ? e_.param_names[k] : fmt::format("#{}", k);
  }
  std::string name() const {
    std::string out;
    for (char c : e_.name) out += c == '\'' ? "zq" : isalnum(static_cast<unsigned char>(c)) ? std::string(1, c) : "_";
    return out;
  }
  std::string row() const {
    return fmt::format("  {{{}, {}, {}, in_{}, out_{}, entry_{}}},\n", quote(e_.name), e_.params.size(), e_.results.size(), name(), name(), name());
  }

  std::string wrapper() {
    text_ = fmt::format("static int entry_{}(struct raido_worker *w, const struct raido_value *in, struct raido_value *out) {{\n", name());
    bool readable = std::none_of(e_.params.begin(), e_.params.end(), [](const ExternalType& x) { return x.opaque || x.values != 1; });
    text_ += "  (void)in;\n  (void)out;\n";
    if (!readable) return text_ + "  return raido_fail(w, \"values of opaque type cannot be read\");\n}\n\n";
    sizes();
    std::vector<std::string> args = arguments();
    const kir::HostFunction& h = m_.functions[e_.function.index];
    kir_results(h);
    if (device_) text_ += "  if (raido_device_sync(w) != 0) return 1;\n  w->context->started = raido_nanoseconds();\n";
    std::string call = fmt::format("  if ({}(w", h.name);
    for (const std::string& a : args) call += ", " + a;
    for (size_t k = 0; k < h.results.size(); k++) call += fmt::format(", &r{}", k);
    text_ += call + ") != 0) return 1;\n";
    if (device_) text_ += "  if (raido_device_sync(w) != 0) return 1;\n  w->context->stopped = raido_nanoseconds();\n";
    outputs();
    if (device_)
      for (size_t k = 0; k < e_.params.size(); k++)
        if (is_array(p_.type(inputs_[e_.sizes + k]))) text_ += fmt::format("  raido_device_release(w, b{});\n", k);
    return text_ + "  return 0;\n}\n\n";
  }

 private:
  const Program& p_;
  const kir::Module& m_;
  const EntryPoint& e_;
  const Function& f_;
  bool device_;
  VarSet passed_;                     // parameters that say where an array is
  std::vector<Var> inputs_;           // the others: sizes, then external parameters
  VarMap<std::string> value_;         // C text of a parameter
  VarMap<std::string> result_;        // C text of a scalar or block result
  std::string text_;

  std::vector<Atom> results_without_places() const {
    std::vector<Atom> out;
    const std::vector<Atom>& all = f_.lambda.body.result;
    for (size_t k = 0; k < all.size(); k++) {
      if (std::holds_alternative<BlockType>(p_.type(all[k]))) {   // block, strides, array
        while (!is_array(p_.type(all[k]))) k++;
      }
      out.push_back(all[k]);
    }
    return out;
  }

  // Declares sizes and scalar arguments; an extent met again, or given as an argument too, must agree.
  void sizes() {
    for (size_t k = e_.sizes; k < inputs_.size(); k++) scalar_argument(k);
    auto check = [&](size_t k, size_t d, const std::string& extent, const std::string& wanted) {
      return fmt::format("  if ({0} != {1}) return raido_fail(w, \"Error: entry point arguments have invalid sizes.\\nArgument `%s`: "
                         "dimension %d should be %\" PRId64 \", but is %\" PRId64 \".\", in_{2}[{3}].name, {4}, (i64){1}, {0});\n",
                         extent, wanted, name(), k, d);
    };
    std::string checks;
    for (size_t k = e_.sizes; k < inputs_.size(); k++) {
      std::vector<Dim> shape = shape_of(p_.type(inputs_[k]));
      for (size_t d = 0; d < shape.size(); d++) {
        std::string extent = fmt::format("in[{}].shape[{}]", k - e_.sizes, d);
        if (auto c = const_of(shape[d])) {
          checks += check(k - e_.sizes, d, extent, std::to_string(c->as_i64()));
        } else if (Var v = *var_of(shape[d]); value_[v].empty()) {
          value_[v] = fmt::format("n{}", v.index);
          text_ += fmt::format("  i64 {} = {};\n", value_[v], extent);
        } else {
          checks += check(k - e_.sizes, d, extent, value_[v]);
        }
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

  void scalar_argument(size_t k) {
    Var v = inputs_[k];
    if (is_array(p_.type(v))) return;
    size_t number = k - e_.sizes;
    Scalar t = elem_of(p_.type(v));
    text_ += fmt::format("  {0} a{1};\n  memcpy(&a{1}, in[{1}].scalar, sizeof a{1});\n", kir::storage_type(t), number);
    value_[v] = t == Scalar::F16 ? fmt::format("raido_f16_to_f32(a{})", number) : fmt::format("a{}", number);
  }

  std::vector<std::string> arguments() {
    for (size_t k = e_.sizes; k < inputs_.size(); k++) {
      size_t number = k - e_.sizes;
      Var v = inputs_[k];
      if (auto a = std::get_if<ArrayType>(&p_.type(v))) {
        value_[a->place->block] = device_ ? fmt::format("b{}", number) : fmt::format("in[{}].data", number);
        if (device_) {
          text_ += fmt::format("  struct raido_memory *b{0} = raido_device_take(w, &in[{0}]);\n  if (b{0} == NULL) return 1;\n", number);
        }
        if (auto o = var_of(a->place->layout.offset)) value_[*o] = "0";
        for (size_t d = 0; d + 2 < a->shape.size(); d++)
          if (auto s = var_of(a->place->layout.strides[d])) value_[*s] = product(a->shape, d + 1);
      }
    }
    std::vector<std::string> args;
    for (const Bind& b : f_.lambda.params) {
      const Type& t = p_.type(b.var);
      if (is_scalar(t) || std::holds_alternative<BlockType>(t)) args.push_back(value_[b.var]);
    }
    return args;
  }

  void kir_results(const kir::HostFunction& h) {
    size_t k = 0;
    for (const Atom& a : f_.lambda.body.result) {
      const Type t = p_.type(a);
      if (!is_scalar(t) && !std::holds_alternative<BlockType>(t)) continue;
      if (auto v = var_of(a); v && result_[*v].empty()) result_[*v] = fmt::format("r{}", k);
      const kir::NameInfo& i = m_.names[h.results[k].index];
      if (!i.memory) text_ += fmt::format("  {} r{};\n", kir::c_type(i.type), k);
      else if (device_) text_ += fmt::format("  struct raido_memory *r{};\n", k);
      else text_ += fmt::format("  {} *r{};\n", kir::storage_type(i.type), k);
      k++;
    }
  }

  // The result that is printed as number `number` of the outside world: its scalar or block.
  void outputs() {
    std::vector<std::pair<size_t, Atom>> numbered;    // C variable, result
    size_t k = 0;
    const std::vector<Atom>& all = f_.lambda.body.result;
    for (size_t i = 0; i < all.size(); i++) {
      const Type t = p_.type(all[i]);
      if (std::holds_alternative<BlockType>(t)) {
        size_t block = k++;
        i++;
        for (; !is_array(p_.type(all[i])); i++) k++;
        numbered.push_back({block, all[i]});
      } else if (is_scalar(t)) {
        numbered.push_back({k++, all[i]});
      } else {
        numbered.push_back({0, all[i]});
      }
    }
    size_t at = e_.result_sizes;
    for (size_t j = 0; j < e_.results.size(); j++) {
      if (!e_.results[j].opaque && e_.results[j].values == 1) output(j, numbered[at].first, numbered[at].second);
      at += e_.results[j].values;
    }
  }
  std::string extent(const Dim& d) {
    if (auto c = const_of(d)) return std::to_string(c->as_i64());
    Var v = *var_of(d);
    if (!value_[v].empty()) return value_[v];
    if (!result_[v].empty()) return result_[v];
    auto t = p_.type(v);
    return fmt::format("w->context->constants->{}", constant_field(v));
  }
  std::string constant_field(Var v) {
    size_t k = 0;
    for (const Stm& s : p_.constants.stms)
      for (Bind b : s.pattern) {
        if (!std::holds_alternative<BlockType>(p_.type(b.var)) && !is_scalar(p_.type(b.var))) continue;
        if (b.var == v) return m_.names[m_.constants[k].index].text;
        k++;
      }
    PANIC("the extent of a result is not known outside");
  }
  void output(size_t number, size_t variable, const Atom& a) {
    const Type t = p_.type(a);
    std::vector<Dim> shape = shape_of(t);
    text_ += fmt::format("  out[{}].type = {};\n  out[{}].rank = {};\n", number, type_word(elem_of(t)), number, shape.size());
    for (size_t d = 0; d < shape.size(); d++) text_ += fmt::format("  out[{}].shape[{}] = {};\n", number, d, extent(shape[d]));
    if (!shape.empty()) {
      if (device_) text_ += fmt::format("  if (raido_device_give(w, r{}, &out[{}]) != 0) return 1;\n", variable, number);
      else text_ += fmt::format("  out[{}].data = r{};\n", number, variable);
    } else if (elem_of(t) == Scalar::F16) {
      text_ += fmt::format("  {{ f16 h = raido_f32_to_f16(r{}); memcpy(out[{}].scalar, &h, sizeof h); }}\n", variable, number);
    } else {
      text_ += fmt::format("  memcpy(out[{0}].scalar, &r{1}, sizeof r{1});\n", number, variable);
    }
  }
};

std::string section(std::string_view file) {
  return fmt::format("\n/* ---- {} ---- */\n\n", file.substr(file.rfind('/') + 1));
}

// Text as an array of string literals, one for each line: a single one may not be long.
std::string string_lines(std::string_view name, std::string_view text) {
  std::string out = fmt::format("static const char *const {}[] = {{\n", name);
  for (const std::string& line : split(text, '\n')) out += "  " + quote(line + "\n") + ",\n";
  return out + "  NULL};\n";
}

}  // namespace

Output device_program(const Program& program, std::string_view words, std::string_view device, const OutputOptions& options) {
  kir::Module module = kir::from_core(program, Target::Gpu);
  kir::optimise(module);
  kir::Printed printed = kir::print(module);
  auto runtime = [](std::string_view name) { return std::string(embedded_file("backends/runtime/" + std::string(name))); };
  std::string helpers = "#define RAIDO_FUN RAIDO_INLINE\n" + std::string(embedded_file("compiler/ir/scalar_helpers.h"));
  std::string source = runtime(words) + runtime("words.h") + helpers + printed.device_scalars + "\n" + printed.kernels;

  ProgramParts parts;
  parts.device = true;
  parts.defines = fmt::format("#define RAIDO_CAN_FAIL {}\n#define RAIDO_TRACE_ROOM {}\n#define RAIDO_STRICT_FP {}\n", int(printed.can_fail), printed.traces ? 4096 : 0, int(options.strict_fp));
  std::string& tables = parts.tables;
  if (options.emulate) {                           // the kernels are part of the program
    tables += "#define RAIDO_HOST_SCALARS 1\n" + runtime("words_fibers.h") + runtime("words.h") + printed.kernels +
              kir::print_kernel_calls(module, printed.can_fail);
    source = "";
    device = "device_fibers.h";
  }
  tables += string_lines("raido_kernel_source", source) + "static const char *const raido_kernel_names[] = {\n";
  for (const kir::Kernel& k : module.kernels) tables += "  " + quote(k.name) + ",\n";
  tables += fmt::format("  NULL}};\nstatic const int raido_kernel_count = {};\nstatic const char *const raido_texts[] = {{\n", module.kernels.size());
  for (const std::string& text : module.texts) tables += "  " + quote(text) + ",\n";
  tables += "  NULL};\n";
  parts.runtime = {"device.h", device, "gpu.h"};
  parts.start = "  if (raido_device_start(c) != 0) return 1;\n";
  parts.stop = "  raido_device_stop(c);\n";
  return {print_program(program, module, parts), compile_flags(options, true), {"-lm", "-lpthread", "-ldl"}};
}

std::vector<std::string> compile_flags(const OutputOptions& options, bool device) {
  std::vector<std::string> flags = {"-std=c99", device ? "-O1" : "-O3", options.strict_fp ? "-ffp-contract=off" : "-ffp-contract=fast",
                                    "-fno-math-errno", "-fno-trapping-math"};
  if (!options.strict_fp) flags.push_back("-fopenmp-simd");   // sums in any order (RAIDO_SIMD)
  if (options.flush_subnormals && !device) flags.push_back("-DRAIDO_FLUSH_SUBNORMALS");
  return flags;
}

std::string print_program(const Program& program, const kir::Module& module, const ProgramParts& parts) {
  kir::Printed printed = kir::print(module);
  std::string out = parts.defines;
  auto file = [&](const std::string& path) { out += section(path) + std::string(embedded_file(path)); };
  for (std::string_view name : {"context.h", "errors.h", "memory.h", "half.h", "scalars.h", "timing.h", "values.h"})
    file("backends/runtime/" + std::string(name));
  out += "\n#define RAIDO_FUN RAIDO_INLINE\n";
  file("compiler/ir/scalar_helpers.h");
  out += "\n" + (parts.device ? printed.all_scalars : printed.scalars) + parts.tables + "static struct raido_param raido_params[] = {\n";
  for (const kir::Param& x : module.params) out += fmt::format("  {{{}, {}, 0, 0}},\n", quote(x.name), quote(x.kind));
  out += "  {NULL, NULL, 0, 0}};\n";
  file("backends/runtime/params.h");
  for (std::string_view name : parts.runtime) file("backends/runtime/" + std::string(name));
  out += "\n/* ---- program ---- */\n\n" + printed.functions;

  std::vector<const EntryPoint*> entries;
  for (const EntryPoint& e : program.entries) entries.push_back(&e);
  std::sort(entries.begin(), entries.end(), [](auto a, auto b) { return a->name < b->name; });
  std::string rows;
  for (const EntryPoint* e : entries) {
    Entry entry(program, module, *e, parts.device);
    out += entry.tables() + entry.wrapper();
    rows += entry.row();
  }
  out += fmt::format("static const struct raido_entry raido_entries[] = {{\n{}  {{NULL, 0, 0, NULL, NULL, NULL}}}};\n"
                     "static const int raido_entry_count = {};\n\n", rows, entries.size());
  out += fmt::format("RAIDO_FN int raido_program_start(struct raido_context *c) {{\n"
                     "  c->constants = calloc(1, sizeof *c->constants);\n"
                     "  if (c->constants == NULL) return raido_fail(&c->main, \"out of memory\");\n"
                     "{}  return {}(&c->main);\n}}\n\n", parts.start, module.functions.back().name);
  out += fmt::format("RAIDO_FN void raido_program_stop(struct raido_context *c) {{\n{}  free(c->constants);\n}}\n", parts.stop);
  file("backends/runtime/main.h");
  return out;
}

}  // namespace raido
