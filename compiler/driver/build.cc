// build.cc - `raido c|multicore|opencl|cuda`: a program as C text, made into an executable or a server by the C compiler, or the files of
// a library. `raido llvm`: the same without a C compiler. `raido python`: the same as a package of Python.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "backends/llvm/llvm.h"
#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/interface.h"
#include "compiler/driver/output.h"
#include "compiler/driver/python.h"
#include "compiler/ir/text.h"
#include "passes/pipelines.h"

namespace raido {

namespace {

// The program becomes C text, and `interface` what the outside sees of it. Problems are printed; none means exit code 2.
std::optional<Output> generate_code(const std::string& path, const Backend& backend, const OutputOptions& how, const Options& options,
                                    Interface& interface, std::vector<EntrySizes>* sizes) {
  auto compiled = front_end(path, options);
  if (!compiled) return {};

  if (compiled->checked && compiled->program.entries.empty()) {
    Diagnostics none;
    const auto& decls = compiled->checked->program.root->decls;
    none.report(decls.empty() ? Span{} : decls[0].span, err::no_entry_points).help("begin a definition with `entry` instead of `def`, or call it `main`");
    if (!print_reports(compiled->checked->sources, none, options)) return {};
  }
  if (sizes) *sizes = sizes_of_results(compiled->program);
  PassOptions passes = pass_options(options);
  int number = 0;
  bool lost = false;                               // a file that was asked for could not be written
  if (!options.dump_all.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.dump_all, error);
    lost = !write_or_say(options.dump_all + "/00-lower.ir", ir::print(compiled->program));
  }
  if (!options.dump_all.empty() || !options.dump_after.empty())
    passes.observe = [&](const Pass& pass, const ir::Program&, const ir::Program& after) {
      number++;
      if (!options.dump_all.empty()) lost |= !write_or_say(fmt::format("{}/{:02}-{}.ir", options.dump_all, number, pass.name), ir::print(after));
      for (const std::string& name : options.dump_after)
        if (name == pass.name) print("-- after {}\n{}", pass.name, ir::print(after));
    };
  Stats stats;
  if (!run_passes(pipeline_for(backend.target), *compiled, backend.target, passes, stats, options)) return {};
  if (compiled->checked && !report_attributes(compiled->program, *compiled->checked, options)) return {};
  print_tables(stats, options);
  if (lost) return {};

  Diagnostics clashes;
  bool earlier = options.abi == "0.25";
  interface = interface_of(*compiled, earlier, clashes);
  if (compiled->checked && how.form != OutputOptions::Form::Executable && !print_reports(compiled->checked->sources, clashes, options)) return {};

  PanicContext running(fmt::format("backend {}", backend.name), passes.reproduce);
  Output output = backend.generate(compiled->program, interface, how);
  if (output.problem.empty()) return output;
  fmt::print(stderr, "{}: the backend `{}` does not support {}\n", path, backend.name, output.problem);
  return {};
}

// What the backends are told of the options.
OutputOptions output_options(const Options& options, OutputOptions::Form form, const std::string& package = "") {
  OutputOptions how;
  how.strict_fp = options.fp_strict;
  how.flush_subnormals = !options.fp_strict && options.subnormals == "flush";
  how.strict_math = options.fp_strict || options.math == "strict";
  how.versions = options.cpu == "portable";
  how.native = options.cpu == "native";
  how.emulate = options.emulate;
  how.profile = options.with_profile;
  how.spread_results = options.abi == "0.25";
  how.form = form;
  how.package = package;
  return how;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words = split(text, ' ');
  std::erase(words, "");
  return words;
}

// The C compiler that the user names, as make takes it: `ccache gcc -m64` are three words, unless a file has this name.
std::vector<std::string> c_compiler() {
  const char* cc = std::getenv("CC");
  std::error_code none;
  if (cc && std::filesystem::exists(cc, none)) return {cc};
  std::vector<std::string> words = words_of(cc ? cc : "");
  return words.empty() ? std::vector<std::string>{"cc"} : words;
}

// Whether the C compiler accepts all of the flags.
bool knows(std::vector<std::string> command, const std::vector<std::string>& flags) {
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-fsyntax-only", "-x", "c", "/dev/null"});
  ProcessResult run = run_process(command, "");
  return run.started && run.exit_code == 0;
}

// Runs commands of the C compiler at once, with their temporary files in the folder. What the first one says that fails is printed.
bool run_all(const std::vector<std::vector<std::string>>& commands, const TemporaryFolder& folder, const Options& options) {
  std::vector<ProcessResult> runs(commands.size());
  std::vector<std::thread> threads;
  for (size_t k = 0; k < commands.size(); k++) {
    if (options.verbose) fmt::print(stderr, "{}\n", join(commands[k], " "));
    threads.emplace_back([&, k] { runs[k] = run_process(commands[k], "", folder.path()); });
  }
  for (std::thread& t : threads) t.join();
  for (size_t k = 0; k < commands.size(); k++) {
    const ProcessResult& run = runs[k];
    if (run.started && run.exit_code == 0) continue;
    if (!run.started) fmt::print(stderr, "Failed to run {}: no such program\n", commands[k][0]);
    else fmt::print(stderr, "{} failed with code {}:\n{}{}", commands[k][0], run.exit_code, run.out, run.err);
    return false;
  }
  return true;
}

// The C compiler makes `result` of the text, which has its name when it is whole. On one processor it reads the text once, for all versions.
bool compile_code(const std::string& source, const std::string& result, const Output& output, const std::vector<std::string>& extra, const Options& options) {
  const char* cflags = std::getenv("CFLAGS");
  const std::vector<std::string> compiler = c_compiler();
  std::vector<std::string> flags = {"-iquote", "."};                  // GCC 11 finds the source again there
  auto add = [](std::vector<std::string>& to, const std::vector<std::string>& more) { to.insert(to.end(), more.begin(), more.end()); };
  add(flags, output.compile_flags);
  for (const auto& group : output.flags_if_known) if (knows(compiler, group)) add(flags, group);
  add(flags, extra);
  add(flags, words_of(cflags ? cflags : ""));

  TemporaryFolder folder;
  std::vector<std::vector<std::string>> objects;
  std::vector<std::string> link = compiler;
  if (output.objects > 1 && std::thread::hardware_concurrency() > 1)
    for (int k = output.objects; k > 0; k--) {
      link.push_back(fmt::format("{}/{}.o", folder.path(), k));
      add(objects.emplace_back(compiler), {source, "-c", "-o", link.back(), fmt::format("-DRAIDO_OBJECT={}", k)});
      add(objects.back(), flags);
    }
  else link.push_back(source);
  const std::string made = folder.path() + "/made";
  add(link, {"-o", made});
  add(link, flags);
  add(link, output.link_flags);
  if (!run_all(objects, folder, options) || !run_all({link}, folder, options)) return false;
  FileContents bytes = read_file(made);
  if (bytes.text) return write_or_say(result, *bytes.text, true);
  fmt::print(stderr, "{} has made no program: {}\n", join(compiler, " "), bytes.error);
  return false;
}

// LLVM makes `result` of the text.
bool compile_module(const std::string& source, const std::string& result, const OutputOptions& how, const Options& options) {
  std::string error, bytes = llvm_executable(source, how, error);
  if (bytes.empty()) {
    fmt::print(stderr, "{}: {}\n", options.program, error);
    return false;
  }
  return write_or_say(result, bytes, true);
}

// Empty, or why what is made cannot have this name; of a library it is only the beginning of names.
std::string why_no_output(const std::string& base, const std::string& source, bool library) {
  namespace fs = std::filesystem;
  std::error_code none;
  bool program = source.ends_with(".fut");         // if not, that is what will be said
  if (program && (fs::path(base) == fs::path(source) || fs::equivalent(base, source, none))) return "the output would overwrite the source";
  if (base.ends_with("/") || (!library && fs::is_directory(base, none))) return "is a directory.";
  return "";
}

}  // namespace

int command_build(const Options& options) {
  const Backend* backend = find_backend(options.command);
  CHECK(backend, "the backend `{}` is not part of this build", options.command);
  const std::string& path = options.words[0];
  std::string base = options.output;
  if (base.empty()) base = std::filesystem::path(path).replace_extension().string();
  if (std::string wrong = why_no_output(base, path, options.library); !wrong.empty()) {
    fmt::print(stderr, "{}: {}\n", base, wrong);
    return 2;
  }
  using Form = OutputOptions::Form;
  Interface interface;
  OutputOptions how = output_options(options, options.library ? Form::Library : options.server ? Form::Server : Form::Executable);
  bool llvm = backend->name == "llvm";
  if (llvm && options.library) {
    fmt::print(stderr, "{}: the backend `llvm` makes executables and servers, no libraries\n", options.program);
    return 1;
  }
  auto output = generate_code(path, *backend, how, options, interface, nullptr);
  if (!output || !write_or_say(base + (llvm ? ".ll" : ".c"), output->source)) return 2;
  if (llvm) return compile_module(output->source, base, how, options) ? 0 : 2;
  if (options.library) return write_or_say(base + ".h", output->header) && write_or_say(base + ".json", output->manifest) ? 0 : 2;
  return compile_code(base + ".c", base, *output, {}, options) ? 0 : 2;
}

int command_python(const Options& options) {
  const Backend* backend = find_backend(options.package_backend);
  if (!backend) {
    fmt::print(stderr, "raido: '{}' is not one of c, multicore, opencl, cuda\n", options.package_backend);
    return 2;
  }
  const std::string& path = options.words[0];
  std::string name = std::filesystem::path(path).stem().string();
  if (!is_package_name(name)) {
    fmt::print(stderr, "{}: `{}` cannot be the name of a package: rename the file\n", path, name);
    return 1;
  }
  Interface interface;
  std::vector<EntrySizes> sizes;
  auto output = generate_code(path, *backend, output_options(options, OutputOptions::Form::Python, name), options, interface, &sizes);
  if (!output) return 2;
  std::filesystem::path folder = std::filesystem::path(options.package_folder.empty() ? "." : options.package_folder) / name;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  TemporaryFolder temporary;
  std::string source = temporary.path() + "/" + name + ".c";
  if (!write_or_say(source, output->source)) return 2;
  if (!compile_code(source, (folder / "_native.abi3.so").string(), *output, {"-shared", "-fPIC", "-fvisibility=hidden"}, options)) return 2;
  for (const PackageFile& file : python_package(interface, sizes, name, backend->target == ir::Target::Gpu))
    if (!write_or_say((folder / file.name).string(), file.text)) return 2;
  return 0;
}

}  // namespace raido
