// build.cc - `raido c|multicore|opencl|cuda`: a program as C text, made into an executable or a server by the C compiler, or the files of
// a library.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/interface.h"
#include "compiler/driver/output.h"
#include "compiler/ir/text.h"
#include "passes/pipelines.h"

namespace raido {

int command_build(const Options& options) {
  const Backend* backend = find_backend(options.command);
  CHECK(backend, "the backend `{}` is not part of this build", options.command);
  const std::string& path = options.words[0];
  std::string base = options.output;
  if (base.empty()) base = std::filesystem::path(path).replace_extension().string();
  if (std::filesystem::path(base) == std::filesystem::path(path)) {
    fmt::print(stderr, "{}: the output would overwrite the source\n", path);
    return 1;
  }
  auto compiled = front_end(path, options);
  if (!compiled) return 2;

  if (compiled->checked && compiled->program.entries.empty()) {
    Diagnostics none;
    const auto& decls = compiled->checked->program.root->decls;
    none.report(decls.empty() ? Span{} : decls[0].span, err::no_entry_points).help("begin a definition with `entry` instead of `def`, or call it `main`");
    if (!print_reports(compiled->checked->sources, none, options)) return 2;
  }
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
  if (!run_passes(pipeline_for(backend->target), *compiled, backend->target, passes, stats, options)) return 2;
  if (compiled->checked && !report_attributes(compiled->program, *compiled->checked, options)) return 2;
  print_tables(stats, options);
  if (lost) return 2;

  Diagnostics clashes;
  bool earlier = options.abi == "0.25";
  Interface interface = interface_of(*compiled, earlier, clashes);
  if (compiled->checked && (options.library || options.server) && !print_reports(compiled->checked->sources, clashes, options)) return 2;

  PanicContext running(fmt::format("backend {}", backend->name), passes.reproduce);
  OutputOptions how;
  how.strict_fp = options.fp_strict;
  how.flush_subnormals = options.flush_subnormals;
  how.emulate = options.emulate;
  how.spread_results = earlier;
  if (options.library) how.form = OutputOptions::Form::Library;
  else if (options.server) how.form = OutputOptions::Form::Server;
  Output output = backend->generate(compiled->program, interface, how);
  if (!write_or_say(base + ".c", output.source)) return 2;
  if (options.library) return write_or_say(base + ".h", output.header) && write_or_say(base + ".json", output.manifest) ? 0 : 2;
  const char* cc = std::getenv("CC");
  const char* cflags = std::getenv("CFLAGS");
  std::vector<std::string> command = {cc && *cc ? cc : "cc", base + ".c", "-o", base};
  command.insert(command.end(), output.compile_flags.begin(), output.compile_flags.end());
  if (cflags)
    for (std::string& flag : split(cflags, ' '))
      if (!flag.empty()) command.push_back(std::move(flag));
  command.insert(command.end(), output.link_flags.begin(), output.link_flags.end());
  if (options.verbose) fmt::print(stderr, "{}\n", join(command, " "));
  ProcessResult result = run_process(command, "");
  if (!result.started) {
    fmt::print(stderr, "Failed to run {}: no such program\n", command[0]);
    return 2;
  }
  if (result.exit_code != 0) {
    fmt::print(stderr, "cc failed with code {}:\n{}{}", result.exit_code, result.out, result.err);
    return 2;
  }
  return 0;
}

}  // namespace raido
