// c_file.cc - the C file of a program: executable, server or library.
#include "backends/c/c_file.h"

#include <fmt/format.h>

#include "backends/c/entry.h"
#include "backends/c/library.h"
#include "backends/kernel/from_core.h"
#include "backends/kernel/optimise.h"
#include "backends/kernel/print.h"
#include "backends/kernel/verify.h"
#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/ir/costs.h"

namespace raido {
namespace {

std::string section(std::string_view file) {
  return fmt::format("\n/* ---- {} ---- */\n\n", file.substr(file.rfind('/') + 1));
}

std::string strings(std::string_view name, const std::vector<std::string>& texts) {
  return fmt::format("static const char *const {}[] = {{\n{}  NULL}};\n", name, join(texts, "", [](const std::string& t) { return "  " + quote(t) + ",\n"; }));
}

// Text as an array of string literals, one for each line: a single one may not be long.
std::string string_lines(std::string_view name, std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  for (std::string& line : lines) line += "\n";
  return strings(name, lines);
}

// Of events only samples are named after what stands at the place.
std::string place_tables(const kir::Module& module, bool samples) {
  std::vector<std::string> kinds, texts;
  for (const kir::MarkedPlace& p : module.places) {
    kinds.push_back(p.kind);
    texts.push_back(p.text);
  }
  return (samples ? strings("raido_place_kinds", kinds) : "") + strings("raido_places", texts);
}

}  // namespace

Output device_program(const ir::Program& program, const Interface& interface, std::string_view words, std::string_view device,
                      const OutputOptions& options) {
  kir::Module module = kir::from_core(program, ir::Target::Gpu, true);
  kir::optimise(module, false);
  std::string wrong = kir::verify_kernels(module);
  CHECK(wrong.empty(), "{}", wrong);
  kir::Printed printed = kir::print(module, options.emulate);
  auto runtime = [](std::string_view name) { return std::string(embedded_file("backends/runtime/" + std::string(name))); };
  std::string helpers = "#define RAIDO_FUN RAIDO_INLINE\n" + std::string(embedded_file("compiler/ir/scalar_helpers.h"));
  // Elements of so many bytes that each thread has in a scan. An odd number, so that lanes that read elements of their own meet in no bank.
  const std::string items = fmt::format(
      "#define RAIDO_LESSER(a, b) ((a) < (b) ? (a) : (b))\n#define RAIDO_ODD(n) ((n) > 2 ? ((n) - 1) / 2 * 2 + 1 : (n) > 1 ? 2 : 1)\n"
      "#define RAIDO_ITEMS(threads, bytes) RAIDO_ODD(RAIDO_LESSER(RAIDO_LESSER({}, {} / (threads)) / (bytes), {}))\n",
      costs::gpu::items_bytes, costs::gpu::shared_bytes * 1024, costs::gpu::most_items);
  std::string source = items + runtime(words) + runtime("words.h") + helpers + printed.device_scalars + "\n" + printed.kernels;

  ProgramParts parts;
  parts.device = true;
  parts.backend = words == "words_cuda.h" ? "cuda" : "opencl";
  // RAIDO_ORDERS_BLOCKS: a block may see what others have written, and wait for those that began before it.
  const int cuda = parts.backend == "cuda";
  parts.defines = fmt::format("#define RAIDO_DEVICE 1\n#define RAIDO_ORDERS_BLOCKS {}\n#define RAIDO_HAS_TENSORS {}\n"
                              "#define RAIDO_CAN_FAIL {}\n#define RAIDO_TRACE_ROOM {}\n#define RAIDO_STRICT_FP {}\n",
                              cuda, cuda && !options.strict_fp, int(printed.can_fail), printed.traces ? 4096 : 0, int(options.strict_fp)) + items;
  std::string& tables = parts.tables;
  if (options.emulate) {                           // the kernels are part of the program
    if (options.form == OutputOptions::Form::Executable) parts.defines += "#ifndef RAIDO_UNCOUNTED\n#define RAIDO_EMULATED 1\n#endif\n";
    tables += "#define RAIDO_HOST_SCALARS 1\n" + runtime("words_fibers.h") + runtime("words.h") + printed.kernels +
              kir::print_kernel_calls(module, printed.can_fail) + "#ifdef RAIDO_EMULATED\n" + runtime("words_counts.h") +
              printed.counted_kernels + kir::print_kernel_calls(module, printed.can_fail, "counted_") + kir::print_kernel_uses(module) +
              "#endif\n";
    source = "";
  }
  std::vector<std::string> kernels;
  for (const kir::Kernel& k : module.kernels) kernels.push_back(k.name);
  tables += string_lines("raido_kernel_source", source) + strings("raido_kernel_names", kernels) +
            fmt::format("static const int raido_kernel_count = {};\n", kernels.size()) + strings("raido_texts", module.texts);
  if (options.emulate) parts.runtime = {"device_fibers.h", "device_counts.h", "device_samples.h", "device_emulator.h", "gpu.h"};
  else parts.runtime = {device, "gpu.h"};
  parts.start = "  if (raido_device_start(c) != 0) return 1;\n";
  parts.stop = "  raido_device_stop(c);\n";
  return print_program(program, interface, module, parts, options);
}

#ifdef __aarch64__
constexpr const char* native_flag = "-mcpu=native";
#else
constexpr const char* native_flag = "-march=native";
#endif

// Emulated kernels are compiled once and run once: GCC takes four times as long to optimise them, and counting them takes as long as before.
std::vector<std::string> compile_flags(const OutputOptions& options, bool device) {
  const char* level = !device ? "-O3" : options.emulate ? "-O0" : "-O1";
  std::vector<std::string> flags = {"-std=c99", level, options.strict_fp ? "-ffp-contract=off" : "-ffp-contract=fast",
                                    "-fno-math-errno", "-fno-trapping-math"};
  if (!options.strict_fp) flags.push_back("-fopenmp-simd");   // sums in any order (RAIDO_SIMD)
  if (options.native && !device) flags.push_back(native_flag);
#ifdef __x86_64__
  // By itself GCC makes no gathers, which is right for no processor of the last ten years.
  if (options.versions && !device) flags.push_back("-mtune=haswell");
#endif
  return flags;
}

// GCC's -O2, and what -O3 adds to it that makes loops faster. The rest takes time, and loops that are written twice for a condition in them
// (-funswitch-loops) make k-means slower by a third (decision 057).
const std::vector<std::string> passes_for_loops = {"-O2", "-ftree-vectorize", "-fvect-cost-model=dynamic", "-fpeel-loops", "-fsplit-loops", "-fsplit-paths",
                                                   "-ftree-loop-distribution", "-fversion-loops-for-strides", "-fpredictive-commoning"};

Output print_program(const ir::Program& program, const Interface& interface, const kir::Module& module, const ProgramParts& parts,
                     const OutputOptions& options) {
  kir::Printed printed = kir::print(module, options.emulate && parts.device);
  Output output;
  output.compile_flags = compile_flags(options, parts.device);
  if (!parts.device) output.flags_if_known.push_back(passes_for_loops);
#ifdef __x86_64__
  // GCC fills and copies small arrays by halves of a vector of AVX2, and what reads the whole vector has to wait. From GCC 12 on one can say so.
  if ((options.versions || options.native) && !parts.device) output.flags_if_known.push_back({"-mmove-max=512", "-mstore-max=512"});
  if (options.native && !parts.device) {
    // For most processors of Intel it prefers halves of the vectors that they have, and tiles and lanes are whole vectors.
    output.flags_if_known.push_back({"-mprefer-vector-width=512"});
    // For processors that it does not know, and for some that it does, it makes no gathers. Then it makes no vectors of masked accesses either.
    output.flags_if_known.push_back({"-mtune-ctrl=use_gather"});
  }
#endif
  output.link_flags = {"-lm", "-lpthread"};
  if (parts.device) output.link_flags.push_back("-ldl");
  bool library = options.form == OutputOptions::Form::Library, python = options.form == OutputOptions::Form::Python;
  std::string& out = output.source;
  out = "#if __LINE__ <= 3                         // else the text stands in a file of somebody else\n#define RAIDO_WHOLE_FILE 1\n#endif\n"
        "#ifndef RAIDO_VERSION                     // the file includes itself for each of its versions: see versions.h below\n";
  const size_t length = printed.functions.size();
  const int versions = !options.versions || parts.device || length > 2 * costs::versions_text ? 1 : length > costs::versions_text ? 2 : 3;
  if (versions < 3) out += versions == 1 ? "#define RAIDO_ONE_VERSION 1\n" : "#define RAIDO_TWO_VERSIONS 1\n";
  if (length >= costs::objects_text && printed.data.size() < length) output.objects = versions;
  out += parts.defines + interface_limits(interface) + fmt::format("#define RAIDO_PARAMS {}\n", module.params.size());
  if (options.form == OutputOptions::Form::Executable) out += "#define RAIDO_EXECUTABLE 1\n";
  bool profiled = parts.device || options.profile;
  if (profiled) out += "#define RAIDO_PROFILED 1\n";
  if (profiled && !parts.device) out += fmt::format("#define RAIDO_SAMPLES {}\n", module.places.size());
  if (options.strict_math) out += "#define RAIDO_STRICT_MATH 1\n";
  if (options.flush_subnormals && !parts.device) out += "#define RAIDO_FLUSH_SUBNORMALS 1\n";
  if (python)                                                      // the numbers of devices are those of DLPack
    out += fmt::format("#define RAIDO_PYTHON 1\n#define RAIDO_PY_PACKAGE {}\n#define RAIDO_PY_DEVICE {}\n", quote(options.package),
                       parts.backend == "cuda" ? 2 : parts.backend == "opencl" ? 4 : 1);
  auto file = [&](const std::string& path) { out += section(path) + std::string(embedded_file(path)); };
  auto runtime = [&](std::string_view name) { file("backends/runtime/" + std::string(name)); };
  for (std::string_view name : {"context.h", "errors.h", "memory.h", "half.h", "scalars.h", "timing.h", "digits.h", "values.h"}) runtime(name);
  out += "\n#define RAIDO_FUN RAIDO_INLINE\n";
  file("compiler/ir/scalar_helpers.h");
  out += "\n" + (parts.device ? printed.all_scalars : printed.scalars) + parts.tables + "static const struct raido_param raido_params[] = {\n";
  for (const kir::Param& x : module.params) out += fmt::format("  {{{}, {}}},\n", quote(x.name), quote(x.kind));
  out += "  {NULL, NULL}};\n";
  runtime("config.h");
  if (profiled) out += place_tables(module, !parts.device);
  if (parts.device) runtime("profile.h");
  for (std::string_view name : parts.runtime) runtime(name);
  if (options.profile && !parts.device) runtime("profile.h");
  if (printed.transposes) runtime("copies.h");
  runtime("objects.h");
  InterfaceText text = print_interface(program, module, interface, parts.device);
  out += "\n/* ---- data of the program ---- */\n\n" + printed.data + text.tables;
  for (const auto* names : {&printed.names, &text.names})
    for (const std::string& name : *names) out += fmt::format("#define {0} RAIDO_IN_VERSION({0})\n", name);
  runtime("versions.h");
  out += "\n#endif\n";
  if (printed.tiles) runtime("tiles.h");
  if (printed.vector_scans) runtime("scans.h");
  out += section("program") + printed.functions + text.functions;
  out += fmt::format("RAIDO_CODE const struct raido_code RAIDO_IN_VERSION(raido_code) = {{RAIDO_VERSION_NAME, {}, {{{}NULL}}}};\n\n", module.functions.back().name,
                     join(text.names, "", [](const std::string& name) { return name + ", "; }));
  out += "#ifndef RAIDO_INCLUDES_ITSELF\n\n";
  out += fmt::format("RAIDO_FN int raido_program_start(struct raido_context *c) {{\n"
                     "  c->constants = calloc(1, sizeof *c->constants);\n"
                     "  if (c->constants == NULL) return raido_lack_memory(&c->main, \"out of memory\");\n"
                     "  if (raido_choose_code(c) != 0) return 1;\n"
                     "{}  return c->code->start(&c->main);\n}}\n\n", parts.start);
  out += fmt::format("RAIDO_FN void raido_program_stop(struct raido_context *c) {{\n{}  free(c->constants);\n}}\n", parts.stop);
  out += "#if RAIDO_OBJECT < 2\n";                        // else only its functions are called from outside of this object
  if (options.form != OutputOptions::Form::Executable) runtime("api.h");
  if (library) {
    LibraryParts of{interface, parts.backend, options.spread_results, {}};
    for (const kir::Param& x : module.params) if (x.kind != "custom") of.params.push_back(x.name);
    if (std::string name = repeated_function(of); !name.empty())
      output.problem = fmt::format("two functions called {}: give a type, a field or a constructor another name", name);
    output.header = library_header(of);
    output.manifest = library_manifest(of);
    out = library_banner() + out + section("library") + library_functions(of);
  } else if (python) {
    for (std::string_view name : {"python_abi.h", "python.h", "python_arrays.h", "python_arguments.h", "python_results.h", "python_contexts.h",
                                  "python_values.h", "python_module.h"}) runtime(name);
  } else {
    runtime("options.h");
    if (options.form == OutputOptions::Form::Server)
      for (std::string_view name : {"server_variables.h", "server_commands.h", "server_values.h", "server.h"}) runtime(name);
    else runtime("main.h");
  }
  out += "\n#endif\n#endif\n";
  return output;
}

}  // namespace raido
