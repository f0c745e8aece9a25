// test.cc - `raido test`: runs the test blocks of programs on the interpreter or on compiled executables.
//
// A program is compiled once, by this very executable in a process of its own, so that a crash is a failed test. Its cases
// are fed to it on standard input. Programs are tested by several worker threads.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/check/load.h"
#include "compiler/driver/cases.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compare.h"
#include "compiler/driver/data.h"
#include "compiler/driver/output.h"
#include "compiler/driver/property.h"
#include "compiler/driver/spec.h"

namespace raido {
namespace {

namespace fs = std::filesystem;
using ir::Value;

struct Verdict {
  enum { Passed, Failed, Excluded } status = Passed;
  std::string report;
};

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : split(text, '\n')) out += line.empty() ? "\n" : "  " + line + "\n";
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

class Tester {
 public:
  Tester(const Options& options, std::string backend)
      : options_(options), backend_(std::move(backend)), tools_(options), self_(tools_.compiler()) {}

  Verdict test(const std::string& path) const {
    FileContents file = read_file(path);
    if (!file.text) return failed(fmt::format("{}: {}\n", path, file.error));
    std::string error;
    auto spec = parse_spec(*file.text, error);
    CHECK(spec, "a test block that was accepted is malformed");
    if (excluded(spec->tags)) return {Verdict::Excluded, ""};
    if (spec->compile_error) return test_compile_error(path, *spec);
    if (options_.typecheck) return from(run({self_, "check", path}, ""));
    if (options_.internalise) return from(run({self_, "dev", "--quiet", path}, ""));
    TemporaryFolder folder;
    std::string executable = folder.path() + "/program";
    if (!options_.structure) {
      std::vector<std::string> argv = {self_, "check", path};
      if (backend_ != "interpreter") {
        argv = {self_, backend_, path, "-o", executable};
        std::vector<std::string> here = tools_.for_this_machine();
        argv.insert(argv.end(), here.begin(), here.end());
        argv.insert(argv.end(), options_.compiler_options.begin(), options_.compiler_options.end());
      }
      ProcessResult r = run(argv, "");
      if (r.exit_code != 0) return failed(said(r));
      if (std::string w = missing_warning(*spec, r.err); !w.empty()) return failed(w);
      if (options_.compile_only) return {};
    }
    std::string report = wrong_structure(path, *spec);
    if (!options_.structure) {
      report += wrong_properties(path, *file.text, *spec);
      Cases cases;
      for (const TestBlock& block : spec->blocks) cases.all += block.entries.size() * block.cases.size();
      for (const TestBlock& block : spec->blocks)
        if (!test_block(path, executable, block, cases, report)) break;
    }
    return report.empty() ? Verdict{} : failed(report);
  }

 private:
  static Verdict failed(std::string report) { return {Verdict::Failed, std::move(report)}; }
  static Verdict from(const ProcessResult& r) { return r.exit_code == 0 ? Verdict{} : failed(said(r)); }
  static std::string said(const ProcessResult& r) { return r.err.empty() ? fmt::format("exit code {}\n", r.exit_code) : r.err; }

  ProcessResult run(std::vector<std::string> argv, const std::string& input) const { return tools_.run(std::move(argv), input); }

  bool excluded(const std::vector<std::string>& tags) const {
    for (const std::string& t : tags) {
      if (t == "disable" || t == "notest" || t == "no_" + backend_) return true;
      if (t == "no_opencl" && options_.pipeline == "gpu") return true;
      if (t == "compiled" && backend_ == "interpreter") return true;
      if (std::find(options_.excluded.begin(), options_.excluded.end(), t) != options_.excluded.end()) return true;
    }
    return false;
  }

  // --- what the compiler says ---

  Verdict test_compile_error(const std::string& path, const TestSpec& spec) const {
    ProcessResult r = run({self_, "check", path}, "");
    if (r.exit_code == 0) return failed(fmt::format("Expected failure with error:\n{}\nbut the program is accepted\n", *spec.compile_error));
    if (r.exit_code == 1 || r.exit_code > 2) return failed(fmt::format("Compiler crashed:\n{}", said(r)));
    if (matches(*spec.compile_error, r.err)) return {};
    return failed(fmt::format("Expected error:\n  {}\nGot error:\n{}\n", *spec.compile_error, indented(r.err)));
  }

  static std::string missing_warning(const TestSpec& spec, const std::string& err) {
    for (const std::string& w : spec.warnings)
      if (!matches(w, err)) return fmt::format("Expected warning:\n  {}\nGot warnings:\n{}\n", w, indented(err));
    return "";
  }

  // Counts of the operations that a pipeline leaves. Names that begin with a capital are those of other compilers.
  std::string wrong_structure(const std::string& path, const TestSpec& spec) const {
    std::string report;
    for (const Structure& s : spec.structures) {
      if (std::all_of(s.counts.begin(), s.counts.end(), [](auto& c) { return std::isupper(static_cast<unsigned char>(c.first[0])); }))
        continue;
      std::vector<std::string> argv = {self_, "dev", "--metrics", path};
      std::string pipeline = s.pipeline.starts_with("gpu") ? "gpu" : s.pipeline.starts_with("mc") ? "multicore"
                             : s.pipeline == "seq-mem" ? "cpu" : s.pipeline.empty() ? "common" : "";
      if (!pipeline.empty()) argv.insert(argv.end(), {"--pipeline", pipeline});
      ProcessResult r = run(argv, "");
      if (r.exit_code != 0) return said(r);
      for (auto& [name, count] : s.counts) {
        if (std::isupper(static_cast<unsigned char>(name[0]))) continue;
        int64_t got = 0;
        for (const std::string& line : split(r.out, '\n'))
          if (line.starts_with(name + " ")) got = std::atoll(line.c_str() + name.size() + 1);
        if (got != count) report += fmt::format("{} should have occurred {} times, but occurred {} times.\n", name, count, got);
      }
    }
    return report;
  }

  std::string wrong_properties(const std::string& path, const std::string& text, const TestSpec& spec) const {
    std::string report;
    std::vector<std::string> declared;
    for (const TestBlock& b : spec.blocks) declared.insert(declared.end(), b.properties.begin(), b.properties.end());
    for (const Property& p : properties_in(text))
      if (std::find(declared.begin(), declared.end(), p.name) == declared.end())
        report += fmt::format("Entry point \"{}\" not declared as property, but has #[prop(...)] attribute.\n", p.name);
    for (const std::string& name : declared) {
      if (!options_.entry.empty() && name != options_.entry) continue;
      std::vector<std::string> argv = {self_, "run", "-w", "--property", name, "-n", std::to_string(options_.num_tests), "-m",
                                       std::to_string(options_.max_size), "--num-tries", std::to_string(options_.num_tries),
                                       "--seed", options_.seed, path};
      ProcessResult r = run(argv, "");
      if (r.exit_code == 0) continue;
      report += r.exit_code == 3 ? r.out : fmt::format("{}{}", r.err.empty() ? "Property " + name + ": " : "", said(r));
    }
    return report;
  }

  // --- cases ---

  struct Cases { size_t all = 0, begun = 0; };       // of a program

  // False: no more blocks of this program.
  bool test_block(const std::string& path, const std::string& executable, const TestBlock& block, Cases& cases, std::string& report) const {
    for (const std::string& entry : block.entries) {
      if (!options_.entry.empty() && entry != options_.entry) continue;
      for (size_t i = 0; i < block.cases.size(); i++) {
        const TestCase& c = block.cases[i];
        cases.begun++;
        if (excluded(c.tags)) continue;
        if (c.input == TestCase::Input::Script && backend_ == "interpreter") continue;
        bool unknown = false;
        std::string wrong = test_case(path, executable, entry, c, unknown);
        if (unknown) {
          report += fmt::format("Unknown entry point: {}\n", entry);
          return false;
        }
        while (wrong.ends_with("\n")) wrong.pop_back();
        if (!wrong.empty())
          report += fmt::format("{}Case {} of {} failed, at line {}.\nEntry point: {}; dataset: {}:\n{}\n", report.empty() ? "" : "\n", cases.begun,
                                cases.all, c.line, entry, c.title, wrong);
      }
    }
    return true;
  }

  std::optional<std::string> input_of(const std::string& path, const std::string& entry, const TestCase& c, std::string& wrong) const {
    switch (c.input) {
      case TestCase::Input::Literal: {
        // As text, with all suffixes: a value of another type than the parameter's must not slip through.
        std::string text;
        for (const Value& v : c.values) text += to_text(v, TextStyle::Plain) + "\n";
        return text;
      }
      case TestCase::Input::File: return data_file(path, c.input_text, wrong);
      case TestCase::Input::Random: return tools_.random_input(path, c.input_text, wrong);
      case TestCase::Input::Script: {
        std::string script = script_text(path, c, wrong);
        if (!wrong.empty()) return {};
        ProcessResult r = run({self_, "script", "-w", "-b", "--arguments-of", entry, "--", path, script}, "");
        if (r.exit_code == 0) return r.out;
        if (r.exit_code != opaque_arguments) wrong = r.err;
        return {};
      }
    }
    return {};
  }
  static constexpr int opaque_arguments = 3;       // what `script` says when executables cannot read its values

  std::string test_case(const std::string& path, const std::string& executable, const std::string& entry, const TestCase& c,
                        bool& unknown) const {
    std::string wrong;
    auto input = input_of(path, entry, c, wrong);
    ProcessResult r;
    if (input) {
      r = execute(backend_, path, executable, entry, c, *input);
    } else {
      if (!wrong.empty()) {
        unknown = wrong.starts_with("Unknown entry point: " + entry + "\n");
        return wrong;
      }
      // Arguments that are no data: the interpreter applies the entry point to them.
      r = run({self_, "script", "-w", "-b", "--", path, fmt::format("{} ({})", entry, script_text(path, c, wrong))}, "");
      input = "";
    }
    std::string said = message_of(r, executable);
    if (r.exit_code != 0 && said.find("o entry point '" + entry + "'") != std::string::npos) unknown = true;
    if (r.exit_code != 0 && said.find("Invalid entry point: " + entry) != std::string::npos) unknown = true;
    if (unknown) return "unknown";
    if (r.exit_code != 0 && c.input == TestCase::Input::Literal)
      if (std::string mismatch = wrong_types(path, entry, c.values); !mismatch.empty()) return mismatch;
    if (c.expect == TestCase::Expect::Error) {
      if (r.exit_code == 0) return fmt::format("Program succeeded, but expected failure:\n  {}", c.expect_text);
      if (matches(c.expect_text, said)) return "";
      return fmt::format("Expected error:\n  {}\nGot error:\n{}", c.expect_text, indented(said));
    }
    if (r.exit_code == 124) return "Program timed out.";
    if (r.exit_code != 0) return "Function failed with error:\n" + (said.empty() ? fmt::format("exit code {}\n", r.exit_code) : said);
    if (c.expect == TestCase::Expect::Success) return "";
    auto got = values_of(r.out, wrong);
    if (!got) return fmt::format("the program printed no values: {}", wrong);
    auto expected = tools_.expected(path, entry, c, *got, [&](std::string& why) { return reference_output(path, entry, c, *input, why); }, wrong);
    if (!expected) return wrong;
    std::vector<std::string> differs = differences(*got, *expected, options_.tolerance, 1);
    return differs.empty() ? "" : differs[0];
  }

  // What a failed run printed, without the name of the program.
  std::string message_of(const ProcessResult& r, const std::string& executable) const {
    std::string text = r.err;
    for (const std::string& name : {executable, self_})
      if (text.starts_with(name + ": ")) text.erase(0, name.size() + 2);
    return text;
  }

  // The types of literal values are to be those of the parameters.
  static std::string wrong_types(const std::string& path, const std::string& entry, const std::vector<Value>& values) {
    check::Options how;
    how.warnings = false;
    how.extra_entry_points = {entry};
    auto checked = check::check_file(path, how);
    for (const check::EntryPoint& e : checked->result.entry_points) {
      if (e.name != entry) continue;
      std::string expected, provided;
      for (const check::External& p : e.params) expected += (expected.empty() ? "" : " ") + p.type_name;
      for (const Value& v : values) provided += (provided.empty() ? "" : " ") + type_text(v.elem, v.shape.size());
      if (expected == provided) return "";
      return fmt::format("Expected input of types: {}\nProvided input of types: {}\n", expected, provided);
    }
    return "";
  }

  // What the backend `c` makes of the same input.
  std::optional<std::string> reference_output(const std::string& path, const std::string& entry, const TestCase& c, const std::string& input,
                                              std::string& wrong) const {
    TemporaryFolder folder;
    std::string executable = folder.path() + "/reference";
    std::vector<std::string> argv = {self_, "c", "-w", path, "-o", executable}, here = tools_.for_this_machine();
    argv.insert(argv.end(), here.begin(), here.end());
    ProcessResult r = run(argv, "");
    if (r.exit_code == 0) r = execute("c", path, executable, entry, c, input);
    if (r.exit_code != 0) return wrong = message_of(r, executable), std::nullopt;
    return r.out;
  }

  ProcessResult execute(const std::string& backend, const std::string& path, const std::string& executable, const std::string& entry,
                        const TestCase& c, const std::string& input) const {
    if (backend == "interpreter") {
      std::vector<std::string> argv = {self_, "run", "-w", "-b", "-e", entry, path};
      if (c.input != TestCase::Input::Literal) argv.push_back("--type-directed");
      if (!options_.pipeline.empty()) argv.insert(argv.end(), {"--pipeline", options_.pipeline});
      if (options_.check_shapes) argv.push_back("--check-shapes");
      return run(argv, input);
    }
    std::vector<std::string> argv;
    if (!options_.runner.empty()) argv.push_back(options_.runner);
    argv.insert(argv.end(), {executable, "-e", entry, "-b"});
    argv.insert(argv.end(), options_.pass_options.begin(), options_.pass_options.end());
    std::string tuning = path + "." + options_.tuning;
    std::error_code error;
    if (!options_.no_tuning && fs::exists(tuning, error)) argv.insert(argv.end(), {"--tuning", tuning});
    if (!options_.cache_extension.empty()) argv.insert(argv.end(), {"--cache-file", path + "." + options_.cache_extension});
    return run(argv, input);
  }

  const Options& options_;
  std::string backend_;
  CaseTools tools_;
  std::string self_;
};

// On a terminal one line says how far it is; reports go above it.
class Progress {
 public:
  Progress(size_t programs, bool terminal) : left_(programs), terminal_(terminal) {
    if (terminal_) show("");
    else print("0 failed, 0 passed, {} to go.\n", programs);
    flush_output();
  }
  void begins(const std::string& path) {
    std::lock_guard lock(mutex_);
    if (terminal_) show(path);
  }
  void ended(const std::string& path, const Verdict& v) {
    std::lock_guard lock(mutex_);
    left_--;
    if (v.status == Verdict::Passed) passed++;
    if (v.status == Verdict::Excluded) skipped++;
    if (v.status == Verdict::Failed) {
      failures++;
      if (terminal_) print("\r\033[K");
      std::string report = v.report;
      while (report.ends_with("\n")) report.pop_back();
      print("{}:\n{}\n\n", path, report);
    }
    if (terminal_) show("");
    flush_output();
  }
  void finish() {
    if (terminal_) print("\r\033[K");
    print("{}/{} passed.\n", passed, passed + failures);
    if (skipped > 0) print("{} program(s) excluded.\n", skipped);
  }
  size_t passed = 0, failures = 0, skipped = 0;

 private:
  void show(const std::string& path) {
    print("\r\033[K{} failed, {} passed, {} to go.{}", failures, passed, left_, path.empty() ? "" : " Testing " + path);
    flush_output();
  }
  size_t left_;
  bool terminal_;
  std::mutex mutex_;
};

}  // namespace

int command_test(const Options& options) {
  std::vector<std::string> programs = programs_among(options.words);
  bool found = options.entry.empty();
  for (const std::string& path : programs) {   // a malformed block stops everything before it begins
    auto spec = read_spec(path);
    if (!spec) return 1;
    for (const TestBlock& b : spec->blocks) found = found || std::ranges::count(b.entries, options.entry) + std::ranges::count(b.properties, options.entry) > 0;
  }
  if (!found) {
    fmt::print(stderr, "No test block is about entry point '{}'.\n", options.entry);
    return 1;
  }
  std::string backend = options.interpreted ? "interpreter" : options.backend;
  if (!known_backend(options, backend)) return 2;
  signal(SIGPIPE, SIG_IGN);   // a program that does not read its input must not end the tests
  Progress progress(programs.size(), !options.no_terminal && !options.notty && isatty(1));
  Tester tester(options, backend);
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < programs.size();) {
      progress.begins(programs[i]);
      progress.ended(programs[i], tester.test(programs[i]));
    }
  };
  std::vector<std::thread> workers;
  for (int64_t i = 1; i < std::min<int64_t>(options.concurrency, int64_t(programs.size())); i++) workers.emplace_back(work);
  work();
  for (std::thread& t : workers) t.join();
  progress.finish();
  return progress.failures > 0 ? 1 : 0;
}

}  // namespace raido
