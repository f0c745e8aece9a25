// test.cc - `raido test`: runs the test blocks of programs on the interpreter or on compiled executables.
//
// A program is compiled once, by this very executable in a process of its own, so that a crash is a failed test; its cases
// are fed to it on standard input. Programs are tested by several worker threads.
#include <regex.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/data.h"
#include "compiler/driver/spec.h"

namespace raido {
namespace {

namespace fs = std::filesystem;
using ir::Value;

struct Verdict {
  enum { Passed, Failed, Excluded } status = Passed;
  std::string report;
};

bool matches(const std::string& pattern, const std::string& text, std::string& bad) {
  if (pattern.empty()) return true;
  regex_t regex;
  if (regcomp(&regex, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
    bad = fmt::format("`{}` is not a regular expression\n", pattern);
    return false;
  }
  bool found = regexec(&regex, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&regex);
  return found;
}

double number_at(const Value& v, int64_t i) {
  if (v.elem == Scalar::F16) return double(float_of(v.at<uint16_t>(i)));
  return v.elem == Scalar::F32 ? double(v.at<float>(i)) : v.at<double>(i);
}

std::string shown(const Value& v, int64_t i) {
  if (v.elem == Scalar::Bool) return v.at<uint8_t>(i) ? "True" : "False";
  if (is_float(v.elem)) {
    double x = number_at(v, i);
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x < 0 ? "-Infinity" : "Infinity";
  }
  return scalar_text(v, i, false);
}

// What is wrong with `got`, or nothing. Floats may be off by the tolerance, times the largest expected number if above 1.
std::string compare(size_t number, const Value& got, const Value& expected, double tolerance) {
  if (got.elem != expected.elem)
    return fmt::format("Value #{}: expected value of type {}, got {}", number, type_text(expected.elem, expected.shape.size()),
                       type_text(got.elem, got.shape.size()));
  auto dims = [](const Value& v) { return fmt::format("[{}]", join(v.shape, ",", [](int64_t d) { return std::to_string(d); })); };
  if (got.shape != expected.shape) return fmt::format("Value #{}: expected array of shape {}, got {}", number, dims(expected), dims(got));
  double limit = tolerance;
  if (is_float(expected.elem))
    for (int64_t i = 0; i < expected.count(); i++)
      if (double x = number_at(expected, i); std::isfinite(x)) limit = std::max(limit, tolerance * x);
  for (int64_t i = 0; i < got.count(); i++) {
    bool same;
    if (is_float(got.elem)) {
      double a = number_at(got, i), b = number_at(expected, i);
      same = (std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= limit;
    } else {
      size_t size = size_t(bytes_of(got.elem));
      same = std::memcmp(got.bytes.data() + size_t(i) * size, expected.bytes.data() + size_t(i) * size, size) == 0;
    }
    if (same) continue;
    std::vector<int64_t> index(got.shape.size());
    int64_t rest = i;
    for (size_t d = index.size(); d-- > 0;) index[d] = rest % got.shape[d], rest /= got.shape[d];
    std::string where = index.empty() ? "" : fmt::format(" index [{}]", join(index, ",", [](int64_t d) { return std::to_string(d); }));
    return fmt::format("Value #{}{}: expected {}, got {}", number, where, shown(expected, i), shown(got, i));
  }
  return "";
}

class Tester {
 public:
  Tester(const Options& options, std::string backend) : options_(options), backend_(std::move(backend)) {
    tolerance_ = std::strtod(options.tolerance.c_str(), nullptr);
    std::error_code error;
    self_ = fs::read_symlink("/proc/self/exe", error).string();
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
    if (options_.typecheck) {
      ProcessResult r = run({self_, "check", path}, "");
      return r.exit_code == 0 ? Verdict{} : failed(r.err);
    }
    TemporaryFolder folder;
    std::string executable = folder.path() + "/program";
    if (backend_ != "interpreter") {
      std::vector<std::string> argv = {self_, backend_, path, "-o", executable};
      argv.insert(argv.end(), options_.compiler_options.begin(), options_.compiler_options.end());
      ProcessResult r = run(argv, "");
      if (r.exit_code != 0) return failed(r.err);
      if (std::string w = missing_warning(*spec, r.err); !w.empty()) return failed(w);
    } else {
      ProcessResult r = run({self_, "check", path}, "");
      if (r.exit_code != 0) return failed(r.err);
      if (std::string w = missing_warning(*spec, r.err); !w.empty()) return failed(w);
    }
    if (options_.compile_only) return {};
    Verdict verdict;
    for (const TestBlock& block : spec->blocks) {
      if (!block.properties.empty()) verdict = failed(verdict.report + "property tests are not supported by this version\n");
      for (const std::string& entry : block.entries) {
        if (!options_.entry.empty() && entry != options_.entry) continue;
        for (size_t i = 0; i < block.cases.size(); i++) {
          const TestCase& c = block.cases[i];
          if (excluded(c.tags)) continue;
          std::string wrong = test_case(path, executable, entry, i, c);
          if (!wrong.empty()) verdict = failed(fmt::format("{}Entry point: {}; dataset: {}:\n{}\n", verdict.report, entry, c.title, wrong));
        }
      }
    }
    return verdict;
  }

 private:
  static Verdict failed(std::string report) { return {Verdict::Failed, std::move(report)}; }

  ProcessResult run(std::vector<std::string> argv, const std::string& input) const {
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

  Verdict test_compile_error(const std::string& path, const TestSpec& spec) const {
    ProcessResult r = run({self_, "check", path}, "");
    if (r.exit_code == 0) return failed(fmt::format("Expected failure with error:\n{}\nbut the program is accepted\n", *spec.compile_error));
    if (r.exit_code == 1 || r.exit_code > 2) return failed(fmt::format("Compiler crashed:\n{}", r.err));
    std::string bad;
    if (matches(*spec.compile_error, r.err, bad)) return {};
    return failed(fmt::format("{}Expected error:\n  {}\nGot error:\n{}\n", bad, *spec.compile_error, r.err));
  }

  static std::string missing_warning(const TestSpec& spec, const std::string& err) {
    std::string bad;
    for (const std::string& w : spec.warnings)
      if (!matches(w, err, bad)) return fmt::format("{}Expected warning:\n  {}\nGot warnings:\n{}\n", bad, w, err);
    return "";
  }

  // The text of a data file beside the program; unpacked if its name says so.
  static std::optional<std::string> data_file(const std::string& program, const std::string& name, std::string& wrong) {
    std::string path = (fs::path(program).parent_path() / name).string();
    if (path.ends_with(".gz")) {
      ProcessResult r = run_process({"gzip", "-dc", path}, "");
      if (r.exit_code == 0) return r.out;
      wrong = fmt::format("{}: {}", path, r.err);
      return {};
    }
    FileContents f = read_file(path);
    if (!f.text) wrong = fmt::format("{}: {}", path, f.error);
    return f.text;
  }

  // Values of the given types, the same each time: integers over their range, floats in [0,1].
  static std::optional<std::string> random_input(const std::string& types, std::string& wrong) {
    std::string out;
    uint64_t state = 0x9E3779B97F4A7C15;
    auto next = [&] {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      return state;
    };
    std::string spaced = types;
    std::replace(spaced.begin(), spaced.end(), '\n', ' ');
    for (const std::string& word : split(spaced, ' ')) {
      if (word.empty()) continue;
      if (word[0] != '[' && !scalar_named(word)) {  // a value as it is
        DataReader reader(word);
        auto v = reader.read();
        if (!v) return wrong = fmt::format("`{}` is neither a type nor a value", word), std::nullopt;
        out += to_binary(*v);
        continue;
      }
      Value v;
      size_t at = 0;
      while (at < word.size() && word[at] == '[') {
        size_t end = word.find(']', at);
        if (end == std::string::npos) return wrong = fmt::format("`{}` is not a type", word), std::nullopt;
        v.shape.push_back(std::atoll(word.c_str() + at + 1));
        at = end + 1;
      }
      auto elem = scalar_named(word.substr(at));
      if (!elem) return wrong = fmt::format("`{}` is not a type", word), std::nullopt;
      v.elem = *elem;
      for (int64_t i = 0, n = v.count(); i < n; i++) {
        double unit = double(next() >> 11) * 0x1p-53;
        switch (v.elem) {
          case Scalar::F64: v.push(unit); break;
          case Scalar::F32: v.push(float(unit)); break;
          case Scalar::F16: v.push(half_of(float(unit))); break;
          case Scalar::Bool: v.push(uint8_t(next() & 1)); break;
          default: {
            uint64_t bits = next();
            v.bytes.append(reinterpret_cast<const char*>(&bits), size_t(bytes_of(v.elem)));
          }
        }
      }
      out += to_binary(v);
    }
    return out;
  }

  std::string test_case(const std::string& path, const std::string& executable, const std::string& entry, size_t number,
                        const TestCase& c) const {
    std::string wrong, input;
    if (c.input == TestCase::Input::Script) return backend_ == "interpreter" ? "" : "script inputs are not supported by this version";
    if (c.input == TestCase::Input::Literal) {
      // As text, with all suffixes: a value of another type than the parameter's must not slip through.
      for (const Value& v : c.values) input += to_text(v, TextStyle::Plain) + "\n";
    } else {
      auto data = c.input == TestCase::Input::File ? data_file(path, c.input_text, wrong) : random_input(c.input_text, wrong);
      if (!data) return wrong;
      input = std::move(*data);
    }
    ProcessResult r = execute(backend_, path, executable, entry, c, input);
    if (c.expect == TestCase::Expect::Error) {
      if (r.exit_code == 0) return fmt::format("Program succeeded, but expected failure:\n  {}", c.expect_text);
      std::string bad;
      if (matches(c.expect_text, r.err, bad)) return "";
      return fmt::format("{}Expected error:\n  {}\nGot error:\n{}", bad, c.expect_text, r.err);
    }
    if (r.exit_code != 0) return fmt::format("{}{}", r.err, r.err.empty() ? fmt::format("exit code {}", r.exit_code) : "");
    if (c.expect == TestCase::Expect::Success) return "";
    std::vector<Value> got, expected = c.expected;
    DataReader reader(r.out);
    while (!reader.at_end()) {
      auto v = reader.read();
      if (!v) return fmt::format("the program printed no values: {}", reader.error());
      got.push_back(std::move(*v));
    }
    if (c.expect == TestCase::Expect::Auto) {
      ProcessResult reference = execute("interpreter", path, executable, entry, c, input);
      if (reference.exit_code != 0) return reference.err;
      DataReader values(reference.out);
      while (!values.at_end()) {
        auto v = values.read();
        if (!v) return values.error();
        expected.push_back(std::move(*v));
      }
    }
    if (c.expect == TestCase::Expect::File) {
      auto data = data_file(path, c.expect_text, wrong);
      if (!data) return wrong;
      DataReader file(*data);
      for (const Value& v : got) {
        if (file.at_end()) break;
        auto e = file.read_as(v.elem, int(v.shape.size()));
        if (!e) return fmt::format("{}: {}", c.expect_text, file.error());
        expected.push_back(std::move(*e));
      }
      if (!file.at_end()) return fmt::format("{} has more values than the program's {}", c.expect_text, got.size());
    }
    std::string differs;
    if (got.size() != expected.size()) differs = fmt::format("Expected {} values, got {}", expected.size(), got.size());
    for (size_t i = 0; differs.empty() && i < got.size(); i++) differs = compare(i, got[i], expected[i], tolerance_);
    if (differs.empty()) return "";
    std::string base = fmt::format("{}.{}.{}", path, entry, number), a, e;
    for (const Value& v : got) a += to_binary(v);
    for (const Value& v : expected) e += to_binary(v);
    write_file(base + ".actual", a);
    write_file(base + ".expected", e);
    return fmt::format("{0}.actual and {0}.expected do not match:\n{1}", base, differs);
  }

  ProcessResult execute(const std::string& backend, const std::string& path, const std::string& executable, const std::string& entry,
                        const TestCase& c, const std::string& input) const {
    if (backend == "interpreter") {
      std::vector<std::string> argv = {self_, "run", "-w", "-b", "-e", entry, path};
      if (c.input != TestCase::Input::Literal) argv.push_back("--type-directed");
      if (!options_.pipeline.empty()) argv.insert(argv.end(), {"--pipeline", options_.pipeline});
      return run(argv, input);
    }
    std::vector<std::string> argv = {executable, "-e", entry, "-b"};
    argv.insert(argv.end(), options_.pass_options.begin(), options_.pass_options.end());
    std::string tuning = path + "." + options_.tuning;
    std::error_code error;
    if (!options_.no_tuning && fs::exists(tuning, error)) argv.insert(argv.end(), {"--tuning", tuning});
    return run(argv, input);
  }

  const Options& options_;
  std::string backend_, self_;
  double tolerance_ = 0.002;
};

}  // namespace

int command_test(const Options& options) {
  std::vector<std::string> programs;
  for (const std::string& word : options.words) {
    std::error_code error;
    if (!fs::is_directory(word, error)) {
      programs.push_back(word);
      continue;
    }
    std::vector<std::string> found;
    for (fs::recursive_directory_iterator it(word, error), end; it != end; it.increment(error))
      if (it->path().extension() == ".fut") found.push_back(it->path().string());
    std::sort(found.begin(), found.end());
    programs.insert(programs.end(), found.begin(), found.end());
  }
  for (const std::string& path : programs) {  // a malformed block stops everything before it begins
    FileContents file = read_file(path);
    std::string error;
    if (!file.text) error = file.error;
    else parse_spec(*file.text, error);
    if (!error.empty()) {
      fmt::print(stderr, "{}:{}\n", path, error);
      return 1;
    }
  }
  std::string backend = options.interpreted ? "interpreter" : options.backend;
  if (backend != "interpreter" && backend != "c" && backend != "multicore" && backend != "opencl" && backend != "cuda") {
    fmt::print(stderr, "{}: there is no backend `{}`\n", options.program, backend);
    return 1;
  }
  signal(SIGPIPE, SIG_IGN);   // a program that does not read its input must not end the tests
  fmt::print("0 failed, 0 passed, {} to go.\n", programs.size());
  std::fflush(stdout);
  Tester tester(options, backend);
  std::vector<Verdict> verdicts(programs.size());
  std::atomic<size_t> next = 0;
  std::mutex output;
  auto work = [&] {
    for (size_t i; (i = next++) < programs.size();) {
      verdicts[i] = tester.test(programs[i]);
      if (verdicts[i].status != Verdict::Failed) continue;
      std::lock_guard lock(output);
      fmt::print("\n{}:\n{}\n", programs[i], verdicts[i].report);
      std::fflush(stdout);
    }
  };
  std::vector<std::thread> workers;
  for (int64_t i = 1; i < std::min<int64_t>(options.concurrency, int64_t(programs.size())); i++) workers.emplace_back(work);
  work();
  for (std::thread& t : workers) t.join();
  size_t passed = 0, failures = 0, skipped = 0;
  for (const Verdict& v : verdicts) {
    passed += v.status == Verdict::Passed;
    failures += v.status == Verdict::Failed;
    skipped += v.status == Verdict::Excluded;
  }
  fmt::print("{}/{} passed.\n", passed, passed + failures);
  if (skipped > 0) fmt::print("{} program(s) excluded.\n", skipped);
  return failures > 0 ? 1 : 0;
}

}  // namespace raido
