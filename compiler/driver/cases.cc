// cases.cc - files beside programs. What is made is kept in a folder `data`, which backup tools skip.
#include "compiler/driver/cases.h"

#include <regex.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/data.h"
#include "compiler/driver/generate.h"

namespace raido {

namespace fs = std::filesystem;
using ir::Value;

namespace {

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

std::string data_folder(const std::string& program) {
  std::string folder = beside(program, "data");
  std::error_code error;
  fs::create_directories(folder, error);
  std::string tag = folder + "/CACHEDIR.TAG";
  if (!error && !fs::exists(tag, error)) write_file(tag, "Signature: 8a477f597d28d172789f06886806bc55\n");
  return folder;
}

}  // namespace

std::vector<std::string> programs_among(const std::vector<std::string>& words) {
  std::vector<std::string> programs;
  for (const std::string& word : words) {
    std::error_code error;
    if (!fs::is_directory(word, error)) {
      programs.push_back(word);
      continue;
    }
    size_t before = programs.size();
    for (fs::recursive_directory_iterator it(word, error), end; it != end && !error; it.increment(error))
      if (it->path().extension() == ".fut" && !it->is_directory(error)) programs.push_back(it->path().string());
    std::sort(programs.begin() + ptrdiff_t(before), programs.end());
  }
  return programs;
}

std::optional<TestSpec> read_spec(const std::string& path) {
  std::string error = why_unreadable(path);
  FileContents file = error.empty() ? read_file(path) : FileContents{};
  std::optional<TestSpec> spec;
  if (!file.text) error = ": " + (error.empty() ? "file not found." : error);
  else if (!(spec = parse_spec(*file.text, error))) error = ":" + error;
  if (!spec) fmt::print(stderr, "{}{}\n", path, error);
  return spec;
}

bool known_backend(const Options& options, const std::string& backend) {
  if (find_backend(backend) || (options.command == "test" && backend == "interpreter")) return true;
  fmt::print(stderr, "{}: there is no backend `{}`\n", options.program, backend);
  return false;
}

std::string pattern_mistake(const std::string& pattern) {
  regex_t regex;
  int wrong = regcomp(&regex, pattern.c_str(), REG_EXTENDED | REG_NOSUB);
  if (wrong == 0) return regfree(&regex), "";
  char what[256];
  regerror(wrong, &regex, what, sizeof what);
  return what;
}

bool matches(const std::string& pattern, const std::string& text) {
  regex_t regex;
  CHECK(regcomp(&regex, pattern.c_str(), REG_EXTENDED | REG_NOSUB) == 0, "a regular expression that was accepted is malformed");
  bool found = regexec(&regex, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&regex);
  return found;
}

std::optional<std::vector<Value>> values_of(const std::string& text, std::string& wrong) {
  std::vector<Value> values;
  DataReader reader(text);
  while (!reader.at_end()) {
    auto v = reader.read();
    if (!v) return wrong = reader.error(), std::nullopt;
    values.push_back(std::move(*v));
  }
  return values;
}

std::string beside(const std::string& program, const std::string& name) {
  return name.starts_with("/") ? name : (fs::path(program).parent_path() / name).string();
}
std::optional<std::string> data_file(const std::string& program, const std::string& name, std::string& wrong) {
  std::string path = beside(program, name);
  if (path.ends_with(".gz")) return gunzipped(path, wrong);
  FileContents f = read_file(path);
  if (!f.text) wrong = fmt::format("{}: {}", path, f.error);
  return f.text;
}

std::string script_text(const std::string& program, const TestCase& c, std::string& wrong) {
  if (!c.input_text.starts_with("@")) return c.input_text;
  return data_file(program, c.input_text.substr(1), wrong).value_or("");
}

CaseTools::CaseTools(const Options& options) : options_(options) {
  std::error_code error;
  compiler_ = options.compiler.empty() ? fs::read_symlink("/proc/self/exe", error).string() : options.compiler;
  if (error) compiler_ = options.program;
}

std::vector<std::string> CaseTools::for_this_machine() const {
  if (!options_.compiler.empty() || !options_.runner.empty()) return {};      // another compiler, or perhaps another machine
  return {"--cpu=native"};
}

ProcessResult CaseTools::run(std::vector<std::string> argv, const std::string& input) const {
  if (argv[0] == compiler_ && options_.abi != "0.28") argv.insert(argv.begin() + 2, "--abi=" + options_.abi);
  std::string command = argv[0];
  argv.insert(argv.begin(), {"timeout", "300"});
  ProcessResult result = run_process(argv, input);
  // What `timeout` has to say, in words about the program.
  if (result.exit_code == 124) result.err += fmt::format("{}: no end within 300 s\n", command);
  if ((result.exit_code == 126 || result.exit_code == 127) && result.err.starts_with("timeout: ")) result.err = fmt::format("{}: cannot be run\n", command);
  return result;
}

std::optional<std::string> CaseTools::random_input(const std::string& program, const std::string& types, std::string& wrong) const {
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

std::optional<std::vector<Value>> CaseTools::reference(const std::string& program, const std::string& entry, const TestCase& c, const Make& make,
                                                       std::string& wrong) const {
  std::string title = c.title;
  for (char& ch : title)
    if (ch == ' ' || ch == '/') ch = '_';
  std::lock_guard lock(files_);
  std::string kept = fmt::format("{}/{}:{}-{}.out", data_folder(program), fs::path(program).stem().string(), entry, title);
  std::error_code error;
  auto written = fs::last_write_time(kept, error);
  if (!error && written >= fs::last_write_time(program, error) && !error)
    if (FileContents f = read_file(kept); f.text)
      if (auto values = values_of(*f.text, wrong)) return values;
  auto made = make(wrong);
  if (!made) return wrong = "Generating reference outputs:\n" + wrong, std::nullopt;
  write_file(kept, *made);
  return values_of(*made, wrong);
}

std::optional<std::vector<Value>> CaseTools::expected(const std::string& program, const std::string& entry, const TestCase& c,
                                                      const std::vector<Value>& got, const Make& make, std::string& wrong) const {
  if (c.expect == TestCase::Expect::Auto) return reference(program, entry, c, make, wrong);
  if (c.expect != TestCase::Expect::File) return c.expected;
  auto data = data_file(program, c.expect_text, wrong);
  if (!data) return {};
  std::vector<Value> values;
  DataReader file(*data);
  for (const Value& v : got) {
    if (file.at_end()) break;
    auto e = file.read_as(v.elem, int(v.shape.size()));
    if (!e) return wrong = fmt::format("{}: {}", c.expect_text, file.error()), std::nullopt;
    values.push_back(std::move(*e));
  }
  if (file.at_end()) return values;
  return wrong = fmt::format("{} has more values than the program's {}", c.expect_text, got.size()), std::nullopt;
}

}  // namespace raido
