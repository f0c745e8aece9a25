// serve.cc - the data of a case lie in a file, which the server restores as often as it consumes them.
#include "compiler/driver/serve.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/base/text.h"
#include "compiler/driver/compare.h"
#include "compiler/driver/data.h"
#include "compiler/driver/script_values.h"

namespace raido {

namespace fs = std::filesystem;
using ir::Value;
using lower::Layout;

std::string executable_of(const std::string& program) {
  std::string path = fs::path(program).replace_extension().string();
  return path.find('/') == path.npos ? "./" + path : path;
}

std::string compile_server(const Options& options, const CaseTools& tools, const std::string& backend, const std::string& program,
                           const std::string& executable) {
  std::vector<std::string> argv = {tools.compiler(), backend, "--server", "-w", program, "-o", executable};
  std::vector<std::string> here = tools.for_this_machine();
  argv.insert(argv.end(), here.begin(), here.end());
  if (options.profile && options.compiler.empty()) argv.push_back("--profile");
  for (const std::string& name : options.entry_points) argv.push_back("--entry-point=" + name);
  argv.insert(argv.end(), options.compiler_options.begin(), options.compiler_options.end());
  if (options.verbose) fmt::print(stderr, "{}\n", join(argv, " "));
  ProcessResult r = tools.run(argv, "");
  if (r.exit_code == 0) return "";
  while (r.err.ends_with("\n")) r.err.pop_back();
  return r.err.empty() ? fmt::format("The compiler ended with exit code {}.", r.exit_code) : r.err;
}

// --- scripts ---

ScriptEvaluator::Call calls_of(Server& server) {
  return [&server](const std::string& entry, const std::vector<Value>& leaves, std::string& wrong) -> std::optional<std::vector<Value>> {
    std::string bytes;
    for (const Value& v : leaves) bytes += to_binary(v);
    auto result = server.apply(entry, bytes);
    if (!result) wrong = server.error();
    return result ? values_of(*result, wrong) : std::nullopt;
  };
}

namespace {

// The types of a server's values. What it does not know is empty, and error() of the server says why.
class ServerTypes {
 public:
  explicit ServerTypes(Server& server) : server_(server) {}

  Layout of(std::string type) {
    if (type.starts_with("*")) type.erase(0, 1);
    if (auto known = known_.find(type); known != known_.end()) return known->second;
    std::string kind = one("kind", type);
    Layout l = kind == "array" ? array(type) : kind == "record" ? record(type) : kind == "sum" ? sum(type) : scalar(type);
    return known_[type] = std::move(l);
  }

 private:
  Server& server_;
  std::map<std::string, Layout> known_;

  std::vector<std::string> all(const std::string& command, const std::string& type) {
    return server_.command({command, type}) ? server_.lines() : std::vector<std::string>();
  }
  std::string one(const std::string& command, const std::string& type) {
    auto lines = all(command, type);
    return lines.empty() ? "" : lines[0];
  }

  static Layout scalar(const std::string& type) {
    Layout l;
    if (auto elem = scalar_named(type)) l.elem = *elem, l.leaves = 1;
    else l.kind = Layout::Kind::Function;
    return l;
  }
  Layout array(const std::string& type) {
    int rank = std::atoi(one("rank", type).c_str());
    Layout l = of(one("elemtype", type));
    for (int k = 0; k < rank; k++) {
      Layout outer;
      outer.kind = Layout::Kind::Array;
      outer.leaves = l.leaves;
      outer.element.push_back(std::move(l));
      l = std::move(outer);
    }
    return l;
  }
  Layout record(const std::string& type) {
    Layout l;
    l.kind = Layout::Kind::Record;
    for (const std::string& field : all("fields", type)) {
      size_t blank = field.find(' ');
      l.fields.push_back({field.substr(0, blank), of(field.substr(blank + 1))});
      l.leaves += l.fields.back().layout.leaves;
    }
    if (l.fields.empty()) l.leaves = 1;
    return l;
  }
  Layout sum(const std::string& type) {
    Layout l;
    l.kind = Layout::Kind::Sum;
    lower::Slots slots;
    for (const std::string& line : all("variants", type)) {
      if (!line.starts_with("- ")) {
        l.constructors.push_back({line, {}, {}});
        slots.next_constructor();
        continue;
      }
      Layout::Constructor& c = l.constructors.back();
      c.payload.push_back(of(line.substr(2)));
      auto& where = c.slots.emplace_back();
      std::vector<LeafType> leaves;
      add_leaf_types(c.payload.back(), 0, leaves);
      for (const LeafType& leaf : leaves) where.push_back(slots.place(leaf.elem, leaf.rank > 0));
    }
    l.tagged = l.constructors.size() > 1 || slots.count() == 0;
    l.leaves = slots.count() + size_t(l.tagged);
    return l;
  }
};

}  // namespace

std::optional<ScriptEntries> script_entries(Server& server, std::string& wrong) {
  ScriptEntries out;
  ServerTypes types(server);
  if (server.command({"entry_points"})) {
    for (const std::string& name : std::vector<std::string>(server.lines())) {
      ScriptEntry& e = out[name];
      auto inputs = server.inputs(name);
      for (std::string type : inputs ? *inputs : std::vector<std::string>()) {
        e.param_types.push_back(type.starts_with("*") ? type.substr(1) : type);
        e.layout.params.push_back(types.of(type));
      }
      if (!server.command({"output", name}) || server.lines().empty()) break;
      std::string type = server.lines()[0];
      e.result_type = type.starts_with("*") ? type.substr(1) : type;
      e.layout.result = types.of(type);
    }
  }
  if (server.error().empty()) return out;
  wrong = server.error();
  return {};
}

// --- programs ---

int ScriptProgram::start() {
  const std::string &path = options_.words[0], &backend = options_.script_backend;
  if (!backend.empty() && !known_backend(options_, backend)) return 2;
  if (!path.ends_with(".fut") && options_.command == "script") {
    if (fs::is_regular_file(path)) return serve(path) ? 0 : 1;
    fmt::print(stderr, "{}: file not found.\n", path);
    return 2;
  }
  compiled_ = front_end(path, options_);
  if (!compiled_) return 2;
  if (backend.empty()) return 0;
  std::string executable = folder_.path() + "/program", wrong = compile_server(options_, tools_, backend, path, executable);
  if (wrong.empty()) return serve(executable) ? 0 : 1;
  fmt::print(stderr, "{}\n", wrong);
  return 2;
}

ScriptEvaluator ScriptProgram::evaluator(std::string folder, bool may_store) {
  if (!compiled_) return ScriptEvaluator(std::move(entries_), std::move(folder), may_store, calls_of(*server_));
  return ScriptEvaluator(*compiled_, std::move(folder), may_store, server_ ? calls_of(*server_) : ScriptEvaluator::Call());
}

bool ScriptProgram::serve(const std::string& executable) {
  std::vector<std::string> argv = {executable.find('/') == std::string::npos ? "./" + executable : executable};
  if (options_.script_debugging) argv.push_back("--debugging");
  if (options_.script_log) argv.push_back("--log");
  argv.insert(argv.end(), options_.pass_options.begin(), options_.pass_options.end());
  server_ = std::make_unique<Server>(argv);
  std::string wrong = server_->error();
  std::optional<ScriptEntries> entries;
  if (server_->alive()) entries = script_entries(*server_, wrong);
  if (entries) return entries_ = std::move(*entries), true;
  fmt::print(stderr, "{}\n", wrong.starts_with(argv[0]) ? wrong : executable + ": " + wrong);
  if (!compiled_) fmt::print(stderr, "help: scripts ask servers, which `{} c --server` makes\n", options_.program);
  return false;
}

ServedProgram::ServedProgram(const Options& options, const CaseTools& tools, std::string path, std::vector<std::string> more_options)
    : options_(options), tools_(tools), path_(std::move(path)), more_options_(std::move(more_options)) {}

std::string ServedProgram::tuning_file() const {
  std::string file = path_ + "." + options_.tuning;
  std::error_code error;
  return !options_.no_tuning && fs::exists(file, error) ? file : "";
}

Server* ServedProgram::server(std::optional<Child::Time> deadline, std::string& wrong) {
  if (!server_ || !server_->alive()) {
    std::vector<std::string> argv;
    if (!options_.runner.empty()) argv.push_back(options_.runner);
    argv.push_back(executable_of(path_));
    argv.insert(argv.end(), more_options_.begin(), more_options_.end());
    argv.insert(argv.end(), options_.pass_options.begin(), options_.pass_options.end());
    if (options_.profile) argv.insert(argv.end(), {"--profile", "--log"});
    if (std::string tuning = tuning_file(); !tuning.empty()) argv.insert(argv.end(), {"--tuning", tuning});
    if (!options_.cache_extension.empty()) argv.insert(argv.end(), {"--cache-file", path_ + "." + options_.cache_extension});
    if (options_.verbose) fmt::print(stderr, "{}\n", join(argv, " "));
    server_ = std::make_unique<Server>(argv, deadline);
  }
  server_->deadline(deadline);
  if (server_->alive()) return server_.get();
  wrong = server_->error();
  return nullptr;
}

const Compiled* ServedProgram::compiled(std::string& wrong) {
  Options quiet = options_;
  quiet.no_warnings = true;
  if (!compiled_) compiled_ = front_end(path_, quiet);
  if (compiled_) return &*compiled_;
  wrong = "The program of the script is refused.";
  return nullptr;
}

// --- cases ---

ServedCase::ServedCase(ServedProgram& program, std::string entry, const TestCase& c, std::optional<Child::Time> deadline)
    : program_(program), entry_(std::move(entry)), case_(c), deadline_(deadline) {}

bool ServedCase::load() {
  server_ = program_.server(deadline_, error_);
  if (!server_) return false;
  auto types = server_->inputs(entry_);
  if (!types) return fail(server_->error());
  types_ = std::move(*types);
  arguments_ = numbered("input", types_.size());
  consumes_ = std::any_of(types_.begin(), types_.end(), [](const std::string& t) { return t.starts_with("*"); });
  // What is left of the case before goes first; what a script has made, before memory is counted.
  if (!server_->command({"clear"})) return fail(server_->error());
  if (!find_data()) return false;
  if (!server_->command({"clear"}) || !server_->command({"pause_profiling"})) return fail(server_->error());
  return server_->restore(file_, arguments_, types_) || fail(server_->error());
}

// Puts the arguments into a file.
bool ServedCase::find_data() {
  std::optional<std::string> data;
  switch (case_.input) {
    case TestCase::Input::Script: return script();
    case TestCase::Input::Random: data = program_.tools().random_input(program_.path(), case_.input_text, error_); break;
    case TestCase::Input::Literal: {
      std::vector<std::string> given, wanted;
      data.emplace();
      for (const Value& v : case_.values) {
        given.push_back(type_text(v.elem, v.shape.size()));
        *data += to_binary(v);
      }
      for (const std::string& t : types_) wanted.push_back(t.starts_with("*") ? t.substr(1) : t);
      if (given == wanted) break;
      return fail(fmt::format("Expected input of types: {}\nProvided input of types: {}", join(wanted, " "), join(given, " ")));
    }
    case TestCase::Input::File:
      file_ = beside(program_.path(), case_.input_text);
      if (!file_.ends_with(".gz")) return true;
      data = data_file(program_.path(), case_.input_text, error_);
  }
  if (!data) return false;
  file_ = server_->folder() + "/input";
  std::string wrong = write_file(file_, *data);
  return wrong.empty() || fail(file_ + ": " + wrong);
}

bool ServedCase::script() {
  const Compiled* compiled = program_.compiled(error_);
  std::string text = compiled ? script_text(program_.path(), case_, error_) : "";
  if (!error_.empty()) return false;
  ScriptEvaluator evaluator(*compiled, fs::path(program_.path()).parent_path().string(), false, calls_of(*server_));
  auto value = evaluator.run(text);
  auto arguments = value ? evaluator.arguments(entry_, *value) : std::nullopt;
  if (!arguments) return fail(evaluator.error());
  std::string bytes;
  for (const std::vector<Value>& leaves : *arguments)
    for (const Value& v : leaves) bytes += to_binary(v);
  file_ = server_->folder() + "/input";
  std::string wrong = write_file(file_, bytes);
  return wrong.empty() || fail(file_ + ": " + wrong);
}

std::optional<int64_t> ServedCase::once() {
  bool ready = !has_result_ || server_->free({"result"});
  if (ready && has_result_ && consumes_) ready = server_->free(arguments_) && server_->restore(file_, arguments_, types_);
  auto microseconds = ready ? server_->call(entry_, "result", arguments_) : std::nullopt;
  has_result_ = microseconds.has_value();
  if (!microseconds) error_ = server_->error();
  return microseconds;
}

bool ServedCase::profiled(std::string& log) {
  if (!server_->command({"unpause_profiling"})) return fail(server_->error());
  if (!once()) return false;
  std::vector<std::string> lines = server_->lines();
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("runtime: "); });
  log = join(lines, "\n");
  return server_->command({"pause_profiling"}) || fail(server_->error());
}

std::string ServedCase::wrong_result(double tolerance) {
  if (case_.expect == TestCase::Expect::Success) return "";
  std::string wrong;
  auto bytes = server_->components("result");
  if (!bytes) return server_->error();
  auto got = values_of(*bytes, wrong);
  if (!got) return "The program stored no values: " + wrong;
  auto expected = program_.tools().expected(program_.path(), entry_, case_, *got, [&](std::string& why) { return reference(why); }, wrong);
  if (!expected) return wrong;
  std::vector<std::string> differs = differences(*got, *expected, tolerance, 1);
  return differs.empty() ? "" : differs[0];
}

// What the backend `c` makes of the same arguments.
std::optional<std::string> ServedCase::reference(std::string& wrong) const {
  TemporaryFolder folder;
  std::string executable = folder.path() + "/reference";
  Options plain;
  plain.verbose = program_.options().verbose;
  wrong = compile_server(plain, program_.tools(), "c", program_.path(), executable);
  if (!wrong.empty()) return {};
  Server server({executable});
  auto types = server.inputs(entry_);
  std::optional<std::string> bytes;
  if (types && server.restore(file_, arguments_, *types) && server.call(entry_, "result", arguments_)) bytes = server.components("result");
  if (!bytes) wrong = server.error();
  return bytes;
}

void ServedCase::report(std::vector<std::pair<std::string, int64_t>>& bytes, std::string& profiling) {
  if (!server_->command({"report"})) return;                 // a backend without reports
  auto json = nlohmann::ordered_json::parse(join(server_->lines(), "\n"), nullptr, false);
  if (!json.is_object()) return;
  if (json.contains("memory") && json["memory"].is_object())
    for (auto& [space, n] : json["memory"].items())
      if (n.is_number_integer()) bytes.emplace_back(space, n.get<int64_t>());
  if (program_.options().profile) profiling = json.dump();
}

}  // namespace raido
