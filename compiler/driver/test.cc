// test.cc - `raido test`: runs the test blocks of programs on the interpreter or on compiled executables.
//
// A program is compiled once, by this very executable in a process of its own, so that a crash is a failed test; its cases
// are fed to it on standard input. Programs are tested by several worker threads.
#include <regex.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

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
#include "compiler/driver/commands.h"
#include "compiler/driver/compare.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/data.h"
#include "compiler/driver/generate.h"
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

bool matches(const std::string& pattern, const std::string& text) {
  regex_t regex;
  CHECK(regcomp(&regex, pattern.c_str(), REG_EXTENDED | REG_NOSUB) == 0, "a regular expression that was accepted is malformed");
  bool found = regexec(&regex, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&regex);
  return found;
}

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : split(text, '\n')) out += line.empty() ? "\n" : "  " + line + "\n";
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::optional<std::string> gunzipped(const std::string& path, std::string& wrong) {
  FileContents there = read_file(path);      // for the system's word on what is wrong
  gzFile file = there.text ? gzopen(path.c_str(), "rb") : nullptr;
  if (!file) {
    wrong = fmt::format("{}: {}", path, there.text ? "cannot be read" : there.error);
    return {};
  }
  std::string out;
  char buffer[1 << 16];
  int n;
  while ((n = gzread(file, buffer, sizeof buffer)) > 0) out.append(buffer, size_t(n));
  bool ok = n == 0 && gzclose_r(file) == Z_OK;
  if (n != 0) gzclose_r(file);
  if (ok) return out;
  wrong = fmt::format("{}: not a complete gzip file", path);
  return {};
}

class Tester {
 public:
  Tester(const Options& options, std::string backend) : options_(options), backend_(std::move(backend)) {
    tolerance_ = std::strtod(options.tolerance.c_str(), nullptr);
    std::error_code error;
    self_ = options.compiler.empty() ? fs::read_symlink("/proc/self/exe", error).string() : options.compiler;
    if (error) self_ = options.program;
  }

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
      if (backend_ != "interpreter") argv = {self_, backend_, path, "-o", executable};
      if (backend_ != "interpreter") argv.insert(argv.end(), options_.compiler_options.begin(), options_.compiler_options.end());
      ProcessResult r = run(argv, "");
      if (r.exit_code != 0) return failed(r.err);
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
  static Verdict from(const ProcessResult& r) { return r.exit_code == 0 ? Verdict{} : failed(r.err); }

  ProcessResult run(std::vector<std::string> argv, const std::string& input) const {
    if (argv[0] == self_ && options_.abi != "0.28") argv.insert(argv.begin() + 2, "--abi=" + options_.abi);
    argv.insert(argv.begin(), {"timeout", "300"});
    return run_process(argv, input);
  }

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
    if (r.exit_code == 1 || r.exit_code > 2) return failed(fmt::format("Compiler crashed:\n{}", r.err));
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
      if (r.exit_code != 0) return r.err;
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
      report += r.exit_code == 3 ? r.out : r.err.empty() ? fmt::format("Property {}: exit code {}\n", name, r.exit_code) : r.err;
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

  static std::string beside(const std::string& program, const std::string& name) {
    return name.starts_with("/") ? name : (fs::path(program).parent_path() / name).string();
  }
  static std::optional<std::string> data_file(const std::string& program, const std::string& name, std::string& wrong) {
    std::string path = beside(program, name);
    if (path.ends_with(".gz")) return gunzipped(path, wrong);
    FileContents f = read_file(path);
    if (!f.text) wrong = fmt::format("{}: {}", path, f.error);
    return f.text;
  }

  // The folder for what is made and kept; backup tools skip it.
  static std::string data_folder(const std::string& program) {
    std::string folder = beside(program, "data");
    std::error_code error;
    fs::create_directories(folder, error);
    std::string tag = folder + "/CACHEDIR.TAG";
    if (!error && !fs::exists(tag, error)) write_file(tag, "Signature: 8a477f597d28d172789f06886806bc55\n");
    return folder;
  }

  // Values of the types, made once and kept beside the program; made anew if the size is wrong.
  std::optional<std::string> random_input(const std::string& program, const std::string& types, std::string& wrong) const {
    std::string out, spaced = types;
    std::replace(spaced.begin(), spaced.end(), '\n', ' ');
    uint64_t seed = 1;
    for (const std::string& word : split(spaced, ' ')) {
      if (word.empty()) continue;
      auto what = parse_type_or_value(word);
      if (!what) return wrong = fmt::format("`{}` is neither a type nor a value", word), std::nullopt;
      if (what->value) {
        out += to_binary(*what->value);
        continue;
      }
      size_t size = 7 + 8 * what->shape.size(), elements = size_t(bytes_of(what->elem));
      for (int64_t d : what->shape) elements *= size_t(d);
      std::lock_guard lock(files_);
      std::string path = data_folder(program) + "/" + word + ".in";
      FileContents kept = read_file(path);
      if (!kept.text || kept.text->size() != size + elements) {
        Random random(seed);
        kept.text = to_binary(random_value(what->elem, what->shape, {}, random));
        write_file(path, *kept.text);     // where nothing can be written, it is made anew each time
      }
      seed++;
      out += *kept.text;
    }
    return out;
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
      case TestCase::Input::Random: return random_input(path, c.input_text, wrong);
      case TestCase::Input::Script: {
        std::string script = script_text(path, c, wrong);
        if (!wrong.empty()) return {};
        ProcessResult r = run({self_, "script", "-w", "-b", "--arguments-of", entry, path, script}, "");
        if (r.exit_code == 0) return r.out;
        if (r.exit_code != opaque_arguments) wrong = r.err;
        return {};
      }
    }
    return {};
  }
  static std::string script_text(const std::string& path, const TestCase& c, std::string& wrong) {
    if (!c.input_text.starts_with("@")) return c.input_text;
    return data_file(path, c.input_text.substr(1), wrong).value_or("");
  }
  static constexpr int opaque_arguments = 3;       // what `script` says when executables cannot read its values

  static std::optional<std::vector<Value>> values_of(const std::string& text, std::string& wrong) {
    std::vector<Value> values;
    DataReader reader(text);
    while (!reader.at_end()) {
      auto v = reader.read();
      if (!v) return wrong = reader.error(), std::nullopt;
      values.push_back(std::move(*v));
    }
    return values;
  }

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
      r = run({self_, "script", "-w", "-b", path, fmt::format("{} ({})", entry, script_text(path, c, wrong))}, "");
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
    std::vector<Value> expected = c.expected;
    if (c.expect == TestCase::Expect::Auto) {
      auto reference = reference_output(path, entry, c, *input, wrong);
      if (!reference) return wrong;
      expected = std::move(*reference);
    }
    if (c.expect == TestCase::Expect::File) {
      auto data = data_file(path, c.expect_text, wrong);
      if (!data) return wrong;
      DataReader file(*data);
      for (const Value& v : *got) {
        if (file.at_end()) break;
        auto e = file.read_as(v.elem, int(v.shape.size()));
        if (!e) return fmt::format("{}: {}", c.expect_text, file.error());
        expected.push_back(std::move(*e));
      }
      if (!file.at_end()) return fmt::format("{} has more values than the program's {}", c.expect_text, got->size());
    }
    std::vector<std::string> differs = differences(*got, expected, tolerance_, 1);
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

  // What the backend `c` makes of the same input; kept beside the program until that changes.
  std::optional<std::vector<Value>> reference_output(const std::string& path, const std::string& entry, const TestCase& c,
                                                     const std::string& input, std::string& wrong) const {
    std::string title = c.title;
    for (char& ch : title)
      if (ch == ' ' || ch == '/') ch = '_';
    std::lock_guard lock(files_);
    std::string kept = fmt::format("{}/{}:{}-{}.out", data_folder(path), fs::path(path).stem().string(), entry, title);
    std::error_code error;
    auto written = fs::last_write_time(kept, error);
    if (!error && written >= fs::last_write_time(path, error) && !error)
      if (FileContents f = read_file(kept); f.text)
        if (auto values = values_of(*f.text, wrong)) return values;
    TemporaryFolder folder;
    std::string executable = folder.path() + "/reference";
    ProcessResult r = run({self_, "c", "-w", path, "-o", executable}, "");
    if (r.exit_code == 0) r = execute("c", path, executable, entry, c, input);
    if (r.exit_code != 0) return wrong = "Generating reference outputs:\n" + message_of(r, executable), std::nullopt;
    write_file(kept, r.out);
    return values_of(r.out, wrong);
  }

  ProcessResult execute(const std::string& backend, const std::string& path, const std::string& executable, const std::string& entry,
                        const TestCase& c, const std::string& input) const {
    if (backend == "interpreter") {
      std::vector<std::string> argv = {self_, "run", "-w", "-b", "-e", entry, path};
      if (c.input != TestCase::Input::Literal) argv.push_back("--type-directed");
      if (!options_.pipeline.empty()) argv.insert(argv.end(), {"--pipeline", options_.pipeline});
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
  std::string backend_, self_;
  double tolerance_ = 0.002;
  mutable std::mutex files_;           // what is kept in data/ is made by one thread at a time
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

// The programs of a folder and its folders, except data made by tests.
std::vector<std::string> programs_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end && !error; it.increment(error))
    if (it->path().extension() == ".fut" && !it->is_directory(error)) found.push_back(it->path().string());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

int command_test(const Options& options) {
  std::vector<std::string> programs;
  for (const std::string& word : options.words) {
    std::error_code error;
    if (fs::is_directory(word, error)) {
      std::vector<std::string> found = programs_in(word);
      programs.insert(programs.end(), found.begin(), found.end());
    } else {
      programs.push_back(word);
    }
  }
  for (const std::string& path : programs) {  // a malformed block stops everything before it begins
    std::string error = why_unreadable(path);
    FileContents file = error.empty() ? read_file(path) : FileContents{};
    if (!file.text) error = ": " + (error.empty() ? "file not found." : error);
    else if (!parse_spec(*file.text, error)) error = ":" + error;
    if (!error.empty()) {
      fmt::print(stderr, "{}{}\n", path, error);
      return 1;
    }
  }
  std::string backend = options.interpreted ? "interpreter" : options.backend;
  if (backend != "interpreter" && backend != "c" && backend != "multicore" && backend != "opencl" && backend != "cuda") {
    fmt::print(stderr, "{}: there is no backend `{}`\n", options.program, backend);
    return 1;
  }
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
