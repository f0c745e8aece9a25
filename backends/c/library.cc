// library.cc - the C interface of a library.
//
// Each function is made once, as its prototype and its body; the header is the prototypes, the source both. A body is one call of
// runtime/api.h with the number of the type. Readers of headers are simple: one declaration on each line, no macros in them, and
// parameters called in.. and out.. .
#include "backends/c/library.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "compiler/base/c_names.h"
#include "compiler/base/text.h"

namespace raido {
namespace {

using Kind = InterfaceType::Kind;

std::string_view c_scalar(Scalar s) {
  switch (s) {
    case Scalar::Bool: return "bool";
    case Scalar::I8: return "int8_t";
    case Scalar::I16: return "int16_t";
    case Scalar::I32: return "int32_t";
    case Scalar::I64: return "int64_t";
    case Scalar::U8: return "uint8_t";
    case Scalar::U16: case Scalar::F16: return "uint16_t";
    case Scalar::U32: return "uint32_t";
    case Scalar::U64: return "uint64_t";
    case Scalar::F32: return "float";
    case Scalar::F64: return "double";
  }
  return "";
}

constexpr std::string_view context = "struct futhark_context *ctx", config = "struct futhark_context_config *cfg";

class Library {
 public:
  explicit Library(const LibraryParts& parts) : p_(parts), types_(parts.interface.types) { everything(); }

  std::string header() const {
    std::string out = library_banner() + "#pragma once\n\n" + declarations();
    return out;
  }
  std::string functions() const { return declarations() + "\n" + bodies_; }
  std::string repeated() const { return repeated_; }

 private:
  const LibraryParts& p_;
  const std::vector<InterfaceType>& types_;
  std::string prototypes_, bodies_, repeated_;
  std::set<std::string> names_;

  bool device() const { return p_.backend == "cuda" || p_.backend == "opencl"; }
  std::string raw() const { return p_.backend == "cuda" ? "CUdeviceptr " : p_.backend == "opencl" ? "cl_mem " : "unsigned char *"; }

  static std::string comment(std::string_view doc) {
    std::string out;
    if (doc.empty()) return out;
    for (std::string line : split(doc, '\n')) {
      // A backslash at the end would join the next line. So would its trigraph, and blanks after either.
      auto cut = [&](std::string_view end) {
        bool has = line.ends_with(end);
        if (has) line.resize(line.size() - end.size());
        return has;
      };
      while (cut("\\") || cut("?\?/") || cut(" ") || cut("\t") || cut("\r")) {}
      out += line.empty() ? "//\n" : "// " + line + "\n";
    }
    return out;
  }
  void heading(std::string_view text) { prototypes_ += fmt::format("\n// {}\n", text); }
  void function(const std::string& prototype, const std::string& body) {
    size_t end = prototype.find('('), begin = prototype.find_last_of(" *", end) + 1;
    std::string name = prototype.substr(begin, end - begin);
    if (!names_.insert(name).second) repeated_ = name;
    prototypes_ += prototype + ";\n";
    bodies_ += prototype + " {\n" + body + "}\n";
  }
  void line(const std::string& prototype, const std::string& statement) { function(prototype, "  " + statement + "\n"); }

  // ---- how values are passed ----

  std::string pointer(const InterfaceType& t) const { return fmt::format("struct futhark_{} *", t.c_name); }
  std::string value(size_t type) const { return types_[type].primitive() ? std::string(c_scalar(types_[type].leaves[0].elem)) + " " : pointer(types_[type]); }
  std::string out(size_t type) const { return value(type) + "*"; }
  // The address that the functions of api.h take.
  std::string address(size_t type, const std::string& name) const { return types_[type].primitive() ? "&" + name : name; }

  struct Params { std::string text, values; };
  // Parameters by value, and the list of their addresses.
  template <class C, class Type, class Name> Params by_value(const C& items, Type&& type, Name&& name) const {
    Params out;
    size_t k = 0;
    for (const auto& item : items) {
      out.text += fmt::format(", const {}{}", value(type(item)), name(item, k));
      out.values += (k > 0 ? ", " : "") + address(type(item), name(item, k));
      k++;
    }
    if (k == 0) out.values = "NULL";
    return out;
  }
  static std::string extents(size_t rank, std::string_view name) {
    std::string text;
    for (size_t d = 0; d < rank; d++) text += fmt::format(", int64_t {}{}", name, d);
    return text;
  }
  static std::string list(size_t rank, std::string_view name) {
    std::string text;
    for (size_t d = 0; d < rank; d++) text += fmt::format("{}{}{}", d > 0 ? ", " : "", name, d);
    return fmt::format("  const int64_t {}[] = {{{}}};\n", name, text);
  }

  // ---- the functions ----

  void everything() {
    configuration();
    arrays();
    opaques();
    entry_points();
    contexts();
  }

  void configuration() {
    heading("Initialisation");
    prototypes_ += "struct futhark_context_config;\nstruct futhark_context;\n";
    bodies_ += "struct futhark_context_config { struct raido_config config; };\nstruct futhark_context { struct raido_context context; };\n";
    line("struct futhark_context_config *futhark_context_config_new(void)", "return (struct futhark_context_config *)raido_config_new();");
    line(fmt::format("void futhark_context_config_free({})", config), "raido_config_free((struct raido_config *)cfg);");
    for (std::string_view flag : {"debugging", "profiling", "logging"}) {
      std::string body = fmt::format("  cfg->config.{} = flag;\n", flag);
      if (flag == "debugging") body += "  cfg->config.profiling = flag;\n  cfg->config.logging = flag;\n";
      function(fmt::format("void futhark_context_config_set_{}({}, int flag)", flag, config), body);
    }
    text_setting("set_cache_file", "fname", "RAIDO_TEXT_CACHE");
    function(fmt::format("void futhark_context_config_set_mem_limit({}, size_t bytes)", config), "  cfg->config.mem_limit = (i64)bytes;\n");
    for (std::string_view name : {"tuning_param", "size"})       // the second is the older name
      line(fmt::format("int futhark_context_config_set_{}({}, const char *param_name, size_t new_value)", name, config),
           "return raido_config_param(&cfg->config, param_name, (i64)new_value);");
    if (!device()) text_setting("set_cpu", "version", "RAIDO_TEXT_CPU");
    if (p_.backend == "multicore") line(fmt::format("void futhark_context_config_set_num_threads({}, int n)", config), "cfg->config.num_threads = n;");
    if (device()) device_configuration();
    line("int futhark_get_tuning_param_count(void)", "return RAIDO_PARAMS;");
    line("const char *futhark_get_tuning_param_name(int i)", "return i < 0 || i >= RAIDO_PARAMS ? NULL : raido_params[i].name;");
    line("const char *futhark_get_tuning_param_class(int i)", "return i < 0 || i >= RAIDO_PARAMS ? NULL : raido_params[i].kind;");
    line(fmt::format("struct futhark_context *futhark_context_new({})", config), "return (struct futhark_context *)raido_context_new((struct raido_config *)cfg, \"program\");");
    line(fmt::format("void futhark_context_free({})", context), "raido_context_free((struct raido_context *)ctx);");
  }

  void text_setting(std::string_view function, std::string_view param, std::string_view which) {
    line(fmt::format("void futhark_context_config_{}({}, const char *{})", function, config, param),
         fmt::format("raido_config_text(&cfg->config, {}, {});", which, param));
  }

  void device_configuration() {
    text_setting("set_device", "s", "RAIDO_TEXT_DEVICE");
    line(fmt::format("void futhark_context_config_set_unified_memory({}, int flag)", config), "(void)cfg, (void)flag;");
    for (std::string_view name : {"thread_block_size", "group_size", "grid_size", "num_groups", "tile_size", "reg_tile_size", "registers", "cache", "threshold"})
      line(fmt::format("void futhark_context_config_set_default_{}({}, int size)", name, config),
           fmt::format("raido_config_param(&cfg->config, \"default_{}\", size);", name));
    function(fmt::format("const char *futhark_context_config_get_program({})", config),
             "  if (cfg->config.texts[RAIDO_TEXT_SOURCE] == NULL) cfg->config.texts[RAIDO_TEXT_SOURCE] = raido_joined_source();\n"
             "  return cfg->config.texts[RAIDO_TEXT_SOURCE];\n");
    text_setting("set_program", "s", "RAIDO_TEXT_SOURCE");
    if (p_.backend == "cuda") {
      line(fmt::format("void futhark_context_config_add_nvrtc_option({}, const char *opt)", config), "raido_config_build_option(&cfg->config, opt);");
      text_setting("dump_ptx_to", "path", "RAIDO_TEXT_DUMP_BINARY");
      text_setting("load_ptx_from", "path", "RAIDO_TEXT_BINARY");
      return;
    }
    line(fmt::format("void futhark_context_config_add_build_option({}, const char *opt)", config), "raido_config_build_option(&cfg->config, opt);");
    text_setting("set_platform", "s", "RAIDO_TEXT_PLATFORM");
    text_setting("dump_binary_to", "path", "RAIDO_TEXT_DUMP_BINARY");
    text_setting("load_binary_from", "path", "RAIDO_TEXT_BINARY");
    line(fmt::format("void futhark_context_config_set_command_queue({}, cl_command_queue queue)", config), "cfg->config.queue = (void *)queue;");
    std::string list = "  struct dev *dev = calloc(1, sizeof *dev);\n  if (dev != NULL) dev_list(dev, &cfg->config);\n  free(dev);\n";
    function(fmt::format("void futhark_context_config_list_devices({})", config), list);
    function(fmt::format("void futhark_context_config_select_device_interactively({})", config),
             list + "  char line[256];\n"
                    "  printf(\"Device: \");\n"
                    "  fflush(stdout);\n"
                    "  if (fgets(line, sizeof line, stdin) == NULL) return;\n"
                    "  line[strcspn(line, \"\\n\")] = 0;\n"
                    "  raido_config_text(&cfg->config, RAIDO_TEXT_DEVICE, line);\n");
  }

  void arrays() {
    heading("Arrays");
    for (size_t k = 0; k < types_.size(); k++) {
      const InterfaceType& t = types_[k];
      if (t.kind != Kind::Array || !types_[t.elem].primitive()) continue;
      std::string self = pointer(t), ops = t.c_name, elem(c_scalar(t.leaves[0].elem));
      prototypes_ += fmt::format("struct futhark_{};\n", t.c_name);
      function(fmt::format("{}futhark_new_{}({}, const {} *data{})", self, ops, context, elem, extents(t.rank, "dim")),
               list(t.rank, "dim") + fmt::format("  return ({})raido_array_new(&ctx->context, {}, data, dim);\n", self, k));
      function(fmt::format("{}futhark_new_raw_{}({}, {}data{})", self, ops, context, raw(), extents(t.rank, "dim")),
               list(t.rank, "dim") + fmt::format("  return ({})raido_array_borrow(&ctx->context, {}, {}, dim);\n", self, k, from_raw("data")));
      free_function(t);
      line(fmt::format("int futhark_values_{}({}, {}arr, {} *data)", ops, context, self, elem),
           "return raido_array_values(&ctx->context, (struct raido_object *)arr, data);");
      function(fmt::format("int futhark_index_{}({}, {} *out, {}arr{})", ops, context, elem, self, extents(t.rank, "i")),
               list(t.rank, "i") + "  return raido_index(&ctx->context, out, (struct raido_object *)arr, i);\n");
      line(fmt::format("{}futhark_values_raw_{}({}, {}arr)", raw(), ops, context, self),
           fmt::format("return {};", to_raw("raido_array_raw(&ctx->context, (struct raido_object *)arr)")));
      shape_function(t);
    }
  }
  // Between the header's name of device memory and the runtime's.
  std::string from_raw(std::string_view x) const { return device() ? fmt::format("(dev_mem)(uintptr_t){}", x) : std::string(x); }
  std::string to_raw(std::string_view x) const {
    return p_.backend == "cuda" ? fmt::format("(CUdeviceptr)(uintptr_t){}", x) : p_.backend == "opencl" ? fmt::format("(cl_mem)(uintptr_t){}", x) : std::string(x);
  }

  void free_function(const InterfaceType& t) {
    bool array = !t.c_name.starts_with("opaque_");
    line(fmt::format("int futhark_free_{}({}, {}{})", t.c_name, context, pointer(t), array ? "arr" : "obj"),
         fmt::format("return raido_free(&ctx->context, (struct raido_object *){});", array ? "arr" : "obj"));
  }
  void shape_function(const InterfaceType& t) {
    function(fmt::format("const int64_t *futhark_shape_{}({}, {}arr)", t.c_name, context, pointer(t)),
             "  (void)ctx;\n  return raido_shape((const struct raido_object *)arr);\n");
  }

  void opaques() {
    heading("Opaque values");
    for (const InterfaceType& t : types_)
      if (t.c_name.starts_with("opaque_")) prototypes_ += comment(t.doc) + fmt::format("struct futhark_{};\n", t.c_name);
    for (size_t k = 0; k < types_.size(); k++)
      if (types_[k].c_name.starts_with("opaque_")) opaque(types_[k], k);
  }
  void opaque(const InterfaceType& t, size_t k) {
    std::string self = pointer(t), read = "(const struct raido_object *)obj";
    free_function(t);
    line(fmt::format("int futhark_store_{}({}, const {}obj, void **p, size_t *n)", t.c_name, context, self),
         fmt::format("return raido_store(&ctx->context, {}, p, n);", read));
    line(fmt::format("{}futhark_restore_{}({}, const void *p)", self, t.c_name, context),
         fmt::format("return ({})raido_restore(&ctx->context, {}, p);", self, k));
    for (size_t i = 0; i < t.parts.size(); i++)
      line(fmt::format("int futhark_project_{}_{}({}, {}out, const {}obj)", t.c_name, c_identifier(t.parts[i].name), context, out(t.parts[i].type), self),
           fmt::format("return raido_project(&ctx->context, out, {}, {});", read, i));
    if (t.kind == Kind::Record) record(t, k, "new");
    if (t.kind == Kind::Sum) sum(t, k);
    if (t.kind == Kind::Array) array(t, k);
  }
  void record(const InterfaceType& t, size_t k, std::string_view function_name) {
    Params fields = by_value(t.parts, [](const auto& p) { return p.type; }, [](const auto& p, size_t) { return "f_" + encoded(p.name); });
    function(fmt::format("int futhark_{}_{}({}, {}*out{})", function_name, t.c_name, context, pointer(t), fields.text),
             fmt::format("  const void *values[] = {{{}}};\n  return raido_record(&ctx->context, out, {}, values);\n", fields.values, k));
  }
  void sum(const InterfaceType& t, size_t k) {
    for (size_t i = 0; i < t.variants.size(); i++) {
      const InterfaceType::Variant& v = t.variants[i];
      std::string name = c_identifier(v.name), outs, places;
      Params values = by_value(v.types, [](size_t x) { return x; }, [](size_t, size_t n) { return fmt::format("v{}", n); });
      for (size_t n = 0; n < v.types.size(); n++) {
        outs += fmt::format(", {}v{}", out(v.types[n]), n);
        places += fmt::format("{}v{}", n > 0 ? ", " : "", n);
      }
      function(fmt::format("int futhark_new_{}_{}({}, {}*out{})", t.c_name, name, context, pointer(t), values.text),
               fmt::format("  const void *values[] = {{{}}};\n  return raido_construct(&ctx->context, out, {}, {}, values);\n", values.values, k, i));
      function(fmt::format("int futhark_destruct_{}_{}({}{}, const {}obj)", t.c_name, name, context, outs, pointer(t)),
               fmt::format("  void *places[] = {{{}}};\n  return raido_destruct(&ctx->context, places, (const struct raido_object *)obj, {});\n",
                           places.empty() ? "NULL" : places, i));
    }
    function(fmt::format("int futhark_variant_{}({}, const {}v)", t.c_name, context, pointer(t)),
             "  (void)ctx;\n  return raido_variant_of((const struct raido_object *)v);\n");
  }
  void array(const InterfaceType& t, size_t k) {
    std::string self = pointer(t), elem = pointer(types_[t.elem]), object = "(struct raido_object *)arr";
    if (types_[t.elem].kind == Kind::Record) record(t, k, "zip");
    function(fmt::format("int futhark_index_{}({}, {}*out, {}arr{})", t.c_name, context, elem, self, extents(t.rank, "i")),
             list(t.rank, "i") + fmt::format("  return raido_index(&ctx->context, out, {}, i);\n", object));
    shape_function(t);
    function(fmt::format("int futhark_new_{}({}, {}*out, {}*elems{})", t.c_name, context, self, elem, extents(t.rank, "dim")),
             list(t.rank, "dim") + fmt::format("  return raido_array_of(&ctx->context, out, {}, (const void *const *)elems, dim);\n", k));
    function(fmt::format("int futhark_set_{}({}, {}arr, {}v{})", t.c_name, context, self, elem, extents(t.rank, "i")),
             list(t.rank, "i") + fmt::format("  return raido_set(&ctx->context, {}, v, i);\n", object));
  }

  void entry_points() {
    heading("Entry points");
    std::vector<const InterfaceEntry*> entries;
    for (const InterfaceEntry& e : p_.interface.entries) entries.push_back(&e);
    std::ranges::sort(entries, {}, [](const InterfaceEntry* e) { return e->name; });
    for (size_t k = 0; k < entries.size(); k++) {
      const InterfaceEntry& e = *entries[k];
      const InterfaceType& result = types_[e.output];
      Params in = by_value(e.inputs, [](const auto& x) { return x.type; }, [](const auto&, size_t n) { return fmt::format("in{}", n); });
      std::string outs = fmt::format(", {}out{}", out(e.output), p_.spread_results ? "0" : ""), places, body;
      bool spread = p_.spread_results && e.spread;
      if (spread) {
        outs.clear();
        for (size_t n = 0; n < result.parts.size(); n++) {
          outs += fmt::format(", {}out{}", out(result.parts[n].type), n);
          places += fmt::format("{}out{}", n > 0 ? ", " : "", n);
        }
        body = fmt::format("  void *outs[] = {{{}}};\n", places.empty() ? "NULL" : places);
      }
      body += fmt::format("  const void *in[] = {{{}}};\n  return raido_entry_{}(&ctx->context, {}, {}, in);\n", in.values, spread ? "spread" : "call", k,
                          spread ? "outs" : p_.spread_results ? "out0" : "out");
      prototypes_ += comment(e.doc);
      function(fmt::format("int futhark_entry_{}({}{}{})", c_identifier(e.name), context, outs, in.text), body);
    }
  }

  void contexts() {
    heading("Miscellaneous");
    line(fmt::format("int futhark_context_sync({})", context), "return raido_context_sync(&ctx->context);");
    line(fmt::format("int futhark_context_clear_caches({})", context), "return raido_clear_caches(&ctx->context);");
    line(fmt::format("char *futhark_context_get_error({})", context), "return raido_get_error((struct raido_context *)ctx);");
    line(fmt::format("char *futhark_context_report({})", context), "return raido_report(&ctx->context);");
    line(fmt::format("void futhark_context_set_logging_file({}, FILE *f)", context), "raido_set_log(&ctx->context, f);");
    line(fmt::format("void futhark_context_pause_profiling({})", context), "raido_set_profiling(&ctx->context, 0);");
    line(fmt::format("void futhark_context_unpause_profiling({})", context), "raido_set_profiling(&ctx->context, ctx->context.config->profiling);");
    if (p_.backend == "opencl")
      line(fmt::format("cl_command_queue futhark_context_get_command_queue({})", context), "return (cl_command_queue)raido_device_queue(&ctx->context);");
  }

  // ---- the header ----

  std::string vendor() const {
    if (p_.backend == "cuda")
      return "#ifdef __has_include\n#if __has_include(<cuda.h>)\n#include <cuda.h>\n#define FUTHARK_HAS_VENDOR\n#endif\n#endif\n"
             "#ifndef FUTHARK_HAS_VENDOR\ntypedef unsigned long long CUdeviceptr;\n#endif\n";
    if (p_.backend == "opencl")
      return "#ifndef CL_TARGET_OPENCL_VERSION\n#define CL_TARGET_OPENCL_VERSION 120\n#endif\n"
             "#ifdef __has_include\n#if __has_include(<CL/cl.h>)\n#include <CL/cl.h>\n#define FUTHARK_HAS_VENDOR\n#endif\n#endif\n"
             "#ifndef FUTHARK_HAS_VENDOR\ntypedef struct _cl_mem *cl_mem;\ntypedef struct _cl_command_queue *cl_command_queue;\n#endif\n";
    return "";
  }
  std::string declarations() const {
    std::string out = "// Headers\n#include <stdint.h>\n#include <stddef.h>\n#include <stdbool.h>\n#include <stdio.h>\n#include <float.h>\n" + vendor();
    out += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    if (!p_.interface.doc.empty()) out += "\n" + comment(p_.interface.doc);
    out += prototypes_;
    out += fmt::format("#define FUTHARK_BACKEND_{}\n#define FUTHARK_SUCCESS 0\n#define FUTHARK_PROGRAM_ERROR 2\n#define FUTHARK_OUT_OF_MEMORY 3\n", p_.backend);
    return out + "\n#ifdef __cplusplus\n}\n#endif\n";
  }
};

// ---- The manifest ----

// Members in the order of their names, so that the text is always the same.
class Json {
 public:
  static std::string object(const std::map<std::string, std::string>& members) {
    return "{" + join(members, ",", [](const auto& m) { return quote(m.first) + ":" + m.second; }) + "}";
  }
  template <class C, class F> static std::string array(const C& items, F&& show) { return "[" + join(items, ",", show) + "]"; }
  static std::string boolean(bool b) { return b ? "true" : "false"; }
};

class Manifest {
 public:
  explicit Manifest(const LibraryParts& parts) : p_(parts), types_(parts.interface.types) {}

  std::string text() const {
    std::map<std::string, std::string> entries, types;
    for (const InterfaceEntry& e : p_.interface.entries) entries[e.name] = entry(e);
    for (const InterfaceType& t : types_) if (!t.primitive()) types[t.text] = type(t);
    return Json::object({{"backend", quote(p_.backend)}, {"version", quote("0.28.0")}, {"entry_points", Json::object(entries)}, {"types", Json::object(types)}}) + "\n";
  }

 private:
  using Members = std::map<std::string, std::string>;
  const LibraryParts& p_;
  const std::vector<InterfaceType>& types_;

  std::string name(size_t type) const { return quote(types_[type].text); }
  std::string result(size_t type, bool unique) const { return Json::object({{"type", name(type)}, {"unique", Json::boolean(unique && !types_[type].primitive())}}); }

  std::string entry(const InterfaceEntry& e) const {
    const InterfaceType& t = types_[e.output];
    std::string outputs = "[" + result(e.output, e.unique) + "]";
    if (p_.spread_results && e.spread) {
      outputs.clear();
      for (size_t k = 0; k < t.parts.size(); k++) outputs += (k > 0 ? "," : "[") + result(t.parts[k].type, e.unique_parts[k]);
      outputs += t.parts.empty() ? "[]" : "]";
    }
    Members members = {
        {"cfun", quote("futhark_entry_" + c_identifier(e.name))},
        {"tuning_params", Json::array(p_.params, [](const std::string& s) { return quote(s); })},
        {"attributes", Json::array(e.attributes, [](const std::string& s) { return quote(s); })},
        {"inputs", Json::array(e.inputs, [&](const auto& in) {
           return Json::object({{"name", quote(in.name.empty() ? "_" : in.name)}, {"type", name(in.type)}, {"unique", Json::boolean(in.unique)}});
         })},
        {"outputs", outputs}};
    if (!p_.spread_results) members["output"] = result(e.output, e.unique);
    if (!e.doc.empty()) members["doc"] = quote(e.doc);
    return Json::object(members);
  }

  std::string function(const InterfaceType& t, std::string_view what, const std::string& suffix = {}) const {
    return quote(fmt::format("futhark_{}_{}{}", what, t.c_name, suffix.empty() ? "" : "_" + c_identifier(suffix)));
  }
  std::string fields(const InterfaceType& t) const {
    return Json::array(t.parts, [&](const auto& p) {
      return Json::object({{"name", quote(p.name)}, {"type", name(p.type)}, {"project", function(t, "project", p.name)}});
    });
  }
  std::string type(const InterfaceType& t) const {
    Members members = {{"ctype", quote(fmt::format("struct futhark_{} *", t.c_name))}}, ops;
    auto operations = [&](std::initializer_list<std::string_view> names) { for (std::string_view n : names) ops[std::string(n)] = function(t, n); };
    if (t.kind == Kind::Array && types_[t.elem].primitive()) {
      operations({"free", "shape", "values", "values_raw", "new", "new_raw", "index"});
      members.insert({{"kind", quote("array")}, {"rank", std::to_string(t.rank)}, {"elemtype", name(t.elem)}, {"ops", Json::object(ops)}});
      return Json::object(members);
    }
    operations({"free", "store", "restore"});
    members.insert({{"kind", quote("opaque")}, {"ops", Json::object(ops)}});
    if (!t.doc.empty()) members["doc"] = quote(t.doc);
    if (t.kind == Kind::Record) members["record"] = Json::object({{"new", function(t, "new")}, {"fields", fields(t)}});
    if (t.kind == Kind::Sum)
      members["sum"] = Json::object({{"variant", function(t, "variant")}, {"variants", Json::array(t.variants, [&](const auto& v) {
        return Json::object({{"name", quote(v.name)}, {"construct", function(t, "new", v.name)}, {"destruct", function(t, "destruct", v.name)},
                             {"payload", Json::array(v.types, [&](size_t x) { return name(x); })}});
      })}});
    if (t.kind == Kind::Array) {
      Members array = {{"rank", std::to_string(t.rank)}, {"elemtype", name(t.elem)}};
      for (std::string_view n : {"index", "shape", "new", "set"}) array[std::string(n)] = function(t, n);
      bool records = types_[t.elem].kind == Kind::Record;
      if (records) array.insert({{"zip", function(t, "zip")}, {"fields", fields(t)}});
      members[records ? "record_array" : "opaque_array"] = Json::object(array);
    }
    return Json::object(members);
  }
};

}  // namespace

std::string library_banner() { return "// Generated by Futhark 0.28.0\n// Compiled by Raido.\n"; }
std::string repeated_function(const LibraryParts& library) { return Library(library).repeated(); }
std::string library_header(const LibraryParts& library) { return Library(library).header(); }
std::string library_functions(const LibraryParts& library) { return Library(library).functions(); }
std::string library_manifest(const LibraryParts& library) { return Manifest(library).text(); }

}  // namespace raido
